"""Forward mode on eager tensors: tangents are pushed along with every recorded call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad import eager
from s2sgrad.eager import Record
from s2sgrad.namespaces import nest
from s2sgrad.tape import UnconnectedGradients, _unconnected
from s2sgrad.tensor import Tensor, convert_to_tensor, make


class ForwardAccumulator:
    """Computes Jacobian-vector products of what is done inside its context.

    primals and tangents: tensors (or structures of them) and a direction for each.

    >>> x = constant(3.0)
    >>> with ForwardAccumulator(x, constant(1.0)) as acc:
    ...     y = x * x
    >>> acc.jvp(y)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._dots: dict[int, Tensor] = {}
        for p, t in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            tangent = convert_to_tensor(t, dtype_hint=p.dtype)
            if tangent._array.shape != p._array.shape:
                raise ValueError(f"Incompatible shapes: the primal has shape {p.shape}, its tangent {tangent.shape}.")
            if p._id in self._dots:
                raise ValueError(f"Tensor {p} has already been watched; its tangents would be added up silently.")
            self._dots[p._id] = tangent
        self._active = False

    def __enter__(self) -> ForwardAccumulator:
        if self._active:
            raise ValueError("Accumulator is already recording.")
        self._active = True
        eager.start(self)
        return self

    def __exit__(self, *exc: Any) -> None:
        self._active = False
        eager.stop(self)

    def accessed(self, variable: Any) -> None:
        """Variables have tangents only where they are primals."""

    def sees(self, inputs: Sequence[Tensor]) -> bool:
        return any(t._id in self._dots for t in inputs)

    def record(self, made: Record) -> None:
        used = {k for links in made.links for k in links}
        dots = [self._dots.get(t._id) if k in used else None for k, t in enumerate(made.inputs)]
        if all(d is None for d in dots):
            return
        with eager.recording([t for t in eager.tapes() if t is not self]):
            new = made.forward(dots)
        for slot, links, d in zip(made.outputs, made.links, new, strict=True):
            if d is not None and any(dots[k] is not None for k in links):
                self._dots[slot.id] = d

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The tangents of results, in their structure."""
        zero = _unconnected(unconnected_gradients)

        def one(t: Any) -> Any:
            d = self._dots.get(t._id)
            return make(np.zeros_like(t._array), t._dtype) if d is None and zero else d

        return nest.map_structure(one, primals)
