"""Gradient tapes: eager calls are recorded and differentiated by the generated pull-back of each."""

from __future__ import annotations

import contextlib
import enum
import logging
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from s2sgrad import eager
from s2sgrad.eager import Record, differentiable
from s2sgrad.errors import InvalidArgumentError
from s2sgrad.namespaces import nest
from s2sgrad.operators import OPS, Operators
from s2sgrad.tensor import Tensor, convert_to_tensor, make

logger = logging.getLogger("s2sgrad")


class UnconnectedGradients(enum.Enum):
    """What `gradient` gives for a source that does not reach the target: None, or zeros of the source's shape."""

    NONE = "none"
    ZERO = "zero"


def _unconnected(value: Any) -> bool:
    """Are zeros wanted?"""
    try:
        return UnconnectedGradients(value) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}") from None


class GradientTape:
    """Records operations on watched tensors and variables for differentiation.

    persistent: also record `gradient` calls made inside the tape's own context. A tape may be asked for gradients any number of times
    in either case. watch_accessed_variables: watch every trainable variable that is read.

    >>> x = constant(3.0)
    >>> with GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """

    __s2sgrad_tape__ = True  # compiled code differentiates the statements of the context

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent, self._watch_variables = persistent, watch_accessed_variables
        self._recording = False
        self._clear()

    def _clear(self) -> None:
        self._records: list[Record] = []
        self._live: set[int] = set()
        self._variables: dict[int, Any] = {}

    # ------------------------------------------------------------------------------------ the context

    def __enter__(self) -> GradientTape:
        self._start()
        return self

    def __exit__(self, *exc: Any) -> None:
        if self._recording:
            self._stop()

    def _start(self) -> None:
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        self._recording = True
        eager.start(self)

    def _stop(self) -> None:
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._recording = False
        eager.stop(self)

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Nothing inside this context is recorded. RuntimeError on a tape that is not recording."""
        if not self._recording:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Forget everything, also what is watched; go on recording."""
        self._clear()

    # ------------------------------------------------------------------------------------ what is watched

    def watch(self, tensor: Any) -> None:
        """Record what happens to a tensor (or to each in a nested structure). ValueError for anything else."""
        for t in nest.flatten(tensor):
            if not isinstance(t, Operators):
                raise ValueError(f"Passed in object {t} of type {type(t).__name__!r}, not tf.Tensor or tf.Variable or ExtensionType.")
            if not differentiable(t):
                logger.warning("The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", t.dtype)  # type: ignore[attr-defined]
                continue
            self._live.add(t._id)  # type: ignore[attr-defined]
            if not isinstance(t, Tensor):
                self._variables[t._id] = t  # type: ignore[attr-defined]

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables watched, in the order they were met."""
        return tuple(self._variables.values())

    # ------------------------------------------------------------------------------------ recording

    def accessed(self, variable: Any) -> None:
        if self._watch_variables and variable.trainable and differentiable(variable):
            self._variables.setdefault(variable._id, variable)
            self._live.add(variable._id)

    def sees(self, inputs: Sequence[Tensor]) -> bool:
        live = self._live
        return any(t._id in live for t in inputs)

    def record(self, made: Record) -> None:
        reached = [o.id for o, links in zip(made.outputs, made.links, strict=True) if any(made.inputs[k]._id in self._live for k in links)]
        if reached:
            self._live.update(reached)
            self._records.append(made)

    # ------------------------------------------------------------------------------------ gradients

    def gradient(
        self, target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: Any = UnconnectedGradients.NONE
    ) -> Any:
        """Gradients of the (sum of the) targets with respect to the sources, in the structure of `sources`.

        output_gradients weights each target (its upstream adjoint). Sources that do not reach the target give None, or zeros with
        `unconnected_gradients="zero"`.
        """
        zero = _unconnected(unconnected_gradients)
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors "
                "to be differentiated, but received None."
            )
        targets = nest.flatten(target)
        flat = nest.flatten(sources)
        seeds = self._seeds(targets, output_gradients)
        with eager.recording([t for t in eager.tapes() if t is not self or self._persistent]):
            found = self._sweep(seeds, [s._id for s in flat])
            grads = [self._finish(found.get(s._id), s, zero) for s in flat]
        return nest.pack_sequence_as(sources, grads)

    def _seeds(self, targets: list[Any], output_gradients: Any) -> list[tuple[int, Tensor]]:
        given: list[Any] = [None] * len(targets) if output_gradients is None else nest.flatten(output_gradients)
        seeds = []
        for t, dy in zip(targets, given, strict=True):
            key = t._id
            value = t if isinstance(t, Tensor) else Tensor(t._array, t._dtype)
            if output_gradients is None:
                seed = make(np.ones_like(value._array), value._dtype)
            else:
                seed = convert_to_tensor(dy, dtype_hint=value.dtype)
                seed = seed if seed.dtype == value.dtype else OPS["cast"](seed, value.dtype)
                if seed._array.shape != value._array.shape:
                    seed = _spread(seed, value)
            if differentiable(value):
                seeds.append((key, seed))
            else:
                logger.warning(
                    "The dtype of the target tensor must be floating (e.g. tf.float32) when calling GradientTape.gradient, got %r",
                    value.dtype,
                )
        return seeds

    def _sweep(self, seeds: list[tuple[int, Tensor]], sources: list[int]) -> dict[int, Tensor]:
        """The reverse sweep over the records between sources and targets."""
        records = list(self._records)
        needed = set(sources) & self._live
        themselves = {key for key, _ in seeds} & set(sources)
        path = []
        for r in records:
            reached = [any(r.inputs[k]._id in needed for k in links) for links in r.links]
            path.append(any(reached))
            needed.update(o.id for o, hit in zip(r.outputs, reached, strict=True) if hit)
        bars: dict[int, Tensor] = {}
        for key, seed in seeds:
            _add(bars, key, seed)
        for r, on_path in zip(reversed(records), reversed(path), strict=True):
            dys = [bars.get(o.id) for o in r.outputs]
            if not on_path or all(dy is None for dy in dys):
                continue
            wanted = sorted(
                {k for links, dy in zip(r.links, dys, strict=True) if dy is not None for k in links if r.inputs[k]._id in needed}
            )
            if not wanted:
                continue
            for k, g in zip(wanted, r.backward(dys, wanted), strict=True):
                if g is not None:
                    _add(bars, r.inputs[k]._id, g)
        return {k: v for k, v in bars.items() if k in needed | themselves}

    def _finish(self, g: Tensor | None, source: Any, zero: bool) -> Any:
        if g is None and zero:
            return make(np.zeros(source._array.shape, source._array.dtype), source._dtype)
        return g

    # ------------------------------------------------------------------------------------ jacobians

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: Any = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The Jacobian of one target, of shape target.shape + source.shape for each source."""
        zero = _unconnected(unconnected_gradients)
        shape = tuple(target.shape)
        flat = nest.flatten(sources)
        n = int(np.prod(shape, dtype=int))
        rows = []
        for k in range(n):
            seed = np.zeros(n, target._array.dtype)
            seed[k] = 1
            rows.append(self.gradient(target, flat, output_gradients=Tensor(seed.reshape(shape))))
        with eager.recording([t for t in eager.tapes() if t is not self or self._persistent]):
            out = [self._jacobian_of([r[i] for r in rows], shape, s, zero) for i, s in enumerate(flat)]
        return nest.pack_sequence_as(sources, out)

    def _jacobian_of(self, rows: list[Tensor | None], shape: tuple[int, ...], source: Any, zero: bool) -> Any:
        full = shape + tuple(source._array.shape)
        if not rows or all(r is None for r in rows):
            return Tensor(np.zeros(full, source._array.dtype)) if zero or not rows else None
        whole = [r if r is not None else Tensor(np.zeros_like(source._array)) for r in rows]
        return OPS["reshape"](OPS["stack"](whole), full) if shape else whole[0]

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: Any = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Jacobians of rows that do not mix: target [b, ...] and source [b, ...] give [b, target..., source...]."""
        _unconnected(unconnected_gradients)  # refuses unknown values
        out_shape, in_shape = target.shape.with_rank_at_least(2), source.shape.with_rank_at_least(2)
        if out_shape[0] != in_shape[0]:
            raise ValueError(f"Need first dimension of target shape ({out_shape}) and source shape ({in_shape}) to match.")
        b, inner = out_shape[0], tuple(out_shape[1:])
        n = int(np.prod(inner, dtype=int))
        columns = []
        for k in range(n):
            seed = np.zeros((b, n), target._array.dtype)
            seed[:, k] = 1
            columns.append(self.gradient(target, source, output_gradients=Tensor(seed.reshape(tuple(out_shape)))))
        full = (b, *inner, *in_shape[1:])
        if not columns or all(c is None for c in columns):  # here unconnected means zeros, whatever was asked
            return Tensor(np.zeros(full, source._array.dtype))
        with eager.recording([t for t in eager.tapes() if t is not self or self._persistent]):
            return OPS["reshape"](OPS["stack"](columns, axis=1), full)


def _spread(seed: Tensor, value: Tensor) -> Tensor:
    try:
        np.broadcast_to(seed._array, value._array.shape)
    except ValueError:
        raise InvalidArgumentError(f"Incompatible shapes: {list(seed._array.shape)} vs. {list(value._array.shape)} [Op:Mul]") from None
    return OPS["broadcast_to"](seed, value._array.shape)


def _add(bars: dict[int, Tensor], key: int, g: Tensor) -> None:
    bars[key] = OPS["add"](bars[key], g) if key in bars else g
