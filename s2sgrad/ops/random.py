"""Random tensors from one generator per process; `recompute_grad` replays its draws."""

from __future__ import annotations

import random
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad import dtypes
from s2sgrad.eager import static
from s2sgrad.operators import OPS
from s2sgrad.tensor import Tensor, convert_to_tensor, to_array

_generator = [np.random.default_rng()]
_seed: list[int | None] = [None]


def set_seed(seed: int) -> None:
    """Restart the generator: the same seed gives the same tensors."""
    _generator[0], _seed[0] = np.random.default_rng(int(seed)), int(seed)


_streams: weakref.WeakSet[Generator] = weakref.WeakSet()


def state(own: Sequence[Any] = ()) -> Any:
    """The states of all generators, for `restore`; `own`: those that a function holds itself (of NumPy or Python)."""
    rngs = [_generator[0], *(g._rng for g in list(_streams)), *(g for g in own if isinstance(g, np.random.Generator))]
    plain: list[Any] = [random, *(g for g in own if isinstance(g, random.Random))]
    legacy: list[Any] = [np.random, *(g for g in own if isinstance(g, np.random.RandomState))]
    return (
        [(g, g.bit_generator.state) for g in rngs],
        [(g, g.getstate()) for g in plain],
        [(g, g.get_state()) for g in legacy],
    )


def restore(saved: Any) -> None:
    for g, s in saved[0]:
        g.bit_generator.state = s
    for g, s in saved[1]:
        g.setstate(s)
    for g, s in saved[2]:
        g.set_state(s)


def _rng(seed: Any) -> np.random.Generator:
    return _generator[0] if seed is None else np.random.default_rng([int(seed), _seed[0] or 0])


def _dims(shape: Any) -> tuple[int, ...]:
    dims = static(shape)
    return dims if isinstance(dims, tuple) else (int(dims),)


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Uniform in [minval, maxval); integers need a maxval."""
    want = dtypes.as_dtype(dtype)
    if want.is_integer:
        if maxval is None:
            raise ValueError("Must specify maxval for integer dtype " + want.name)
        return Tensor(_rng(seed).integers(to_array(minval), to_array(maxval), _dims(shape)).astype(want.dtype))
    low, high = to_array(minval)[()], 1.0 if maxval is None else to_array(maxval)[()]
    return Tensor((_rng(seed).random(_dims(shape)) * (high - low) + low).astype(want.dtype))


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    want = dtypes.as_dtype(dtype)
    return Tensor((_rng(seed).standard_normal(_dims(shape)) * to_array(stddev) + to_array(mean)).astype(want.dtype))


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Normal, redrawn until within two standard deviations."""
    rng, want = _rng(seed), dtypes.as_dtype(dtype)
    a = np.asarray(rng.standard_normal(_dims(shape)))
    while (bad := np.abs(a) > 2).any():
        a[bad] = rng.standard_normal(int(bad.sum()))
    return Tensor((a * to_array(stddev) + to_array(mean)).astype(want.dtype))


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    t = convert_to_tensor(value)
    return OPS["_gather_rows"](t, _rng(seed).permutation(t._array.shape[0]))


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    alg: str = "auto_select",
    name: str | None = None,
) -> Tensor:
    rng, want = np.random.default_rng(list(static(seed))), dtypes.as_dtype(dtype)
    low, high = to_array(minval)[()], 1.0 if maxval is None else to_array(maxval)[()]
    return Tensor((rng.random(_dims(shape)) * (high - low) + low).astype(want.dtype))


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    alg: str = "auto_select",
    name: str | None = None,
) -> Tensor:
    rng, want = np.random.default_rng(list(static(seed))), dtypes.as_dtype(dtype)
    return Tensor((rng.standard_normal(_dims(shape)) * to_array(stddev) + to_array(mean)).astype(want.dtype))


class Generator:
    """A stream of random tensors of its own.

    >>> Generator.from_seed(1).normal([2]).shape
    TensorShape([2])
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        _streams.add(self)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        return cls(np.random.default_rng(static(seed)))

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        return cls(np.random.default_rng())

    def normal(self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
        return Tensor((self._rng.standard_normal(_dims(shape)) * to_array(stddev) + to_array(mean)).astype(dtypes.as_dtype(dtype).dtype))

    def uniform(self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
        want = dtypes.as_dtype(dtype)
        if want.is_integer:
            if maxval is None:
                raise ValueError("Must specify maxval for integer dtype " + want.name)
            return Tensor(self._rng.integers(to_array(minval), to_array(maxval), _dims(shape)).astype(want.dtype))
        low, high = to_array(minval)[()], 1.0 if maxval is None else to_array(maxval)[()]
        return Tensor((self._rng.random(_dims(shape)) * (high - low) + low).astype(want.dtype))


def _uniform_in_compiled_code(shape, minval=0.0, maxval=1.0, dtype=np.float32, seed=None, name=None):
    return (np.random.random(shape) * (maxval - minval) + minval).astype(dtype)


def _normal_in_compiled_code(shape, mean=0.0, stddev=1.0, dtype=np.float32, seed=None, name=None):
    return (np.random.standard_normal(shape) * stddev + mean).astype(dtype)


uniform.__s2sgrad_numpy__ = _uniform_in_compiled_code  # type: ignore[attr-defined]
normal.__s2sgrad_numpy__ = _normal_in_compiled_code  # type: ignore[attr-defined]
OPS["random_uniform"] = uniform
