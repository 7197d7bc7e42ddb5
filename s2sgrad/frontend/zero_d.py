"""Arrays without axes (np.zeros(()), np.array(x) of a number): objects that hold one number, changed in place by whoever holds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.machine import Machine
from s2sgrad.frontend.unify import convert
from s2sgrad.frontend.values import Heap, Num, Obj, Ref, Tup, Value, is_zero_d
from s2sgrad.rules.registry import canonical

MAKERS = {id(canonical(f)) for f in (np.zeros, np.ones, np.empty, np.full, np.array, np.zeros_like, np.ones_like, np.full_like, np.empty_like, np.copy)}
AS_THEY_ARE = {id(canonical(f)) for f in (np.asarray, np.asanyarray)}
VIEWS = {id(f) for f in (canonical(np.reshape), canonical(np.squeeze), np.ndarray.reshape, np.ndarray.squeeze)}


def makes_arrays(f: Any) -> bool:
    return id(f) in MAKERS or id(f) in AS_THEY_ARE or id(f) in VIEWS


def flat_index(index: Sequence[Value]) -> list[Value]:
    return [j for i in index for j in (i.items if isinstance(i, Tup) else (i,))]


class ZeroD(Machine):
    def new_zero_d(self, value: Num, name: str = "cell", frozen: str = "") -> Ref:
        """An array without axes that holds a number."""
        assert self.state is not None
        heap = Heap("zero_d", np.ndarray, name, frozen)
        strong = ir.Scalar(value.type.dtype)
        self.state[heap] = self.store((heap,), Num(convert(value.expr, strong)))
        return Ref(heap)

    def made_zero_d(self, f: Any, args: Sequence[Value], made: Value) -> Value:
        """What a NumPy function that makes arrays gives: without axes it is an object of its own."""
        if self.tensors or not isinstance(made, Num) or made.is_array:
            return made
        if id(f) in AS_THEY_ARE:
            given = args[0] if args else made
            return given if is_zero_d(given) and self.contents(given).type.dtype == made.type.dtype else self.new_zero_d(made)
        if id(f) in VIEWS and isinstance(args[0], Num) and args[0].is_array:
            whole = self.as_var(args[0], "whole").expr
            return self.live(Num(ir.Index(whole, (ir.Const(0, ir.INT),) * whole.ndim, made.type)))
        return self.new_zero_d(made) if id(f) in MAKERS else made

    def write_zero_d(self, target: Value, value: Value) -> None:
        """`a[...] = value`, `a += value` (with the sum as value)."""
        assert isinstance(target, Ref) and self.state is not None
        self.check_writable(target)
        now, new = self.contents(target), self.numeric(value)
        if new.is_array:
            raise self.error("an array is stored into an array without axes", hint="Make it a number: np.sum(...), x[0].")
        if new.type.dtype.startswith("complex") and not now.type.dtype.startswith("complex"):
            raise self.error("a complex value is stored into a real array", hint="Take its .real part, or make the array complex.")
        self.state[target.heap] = self.store((target.heap,), Num(convert(self.bind(new).expr, now.type)))

    def augment_zero_d(self, target: Value, op: Any, value: Value) -> None:
        now = self.contents(target)
        new = self.numeric(self.binary(op, now, value))
        self.check_cast(new.type, now.type)
        self.write_zero_d(target, new)

    def element_view(self, v: Value, index: Sequence[Value]) -> Value:
        """`x[..., 0]` of a vector is a view without axes: it may be read, and shows what the element is then."""
        seen = isinstance(v, Num) and not v.is_array and any(isinstance(i, Obj) and i.value is Ellipsis for i in flat_index(index))
        return self.live(v) if seen and not self.tensors and not self.lazy else v  # type: ignore[arg-type]

    def live(self, v: Num) -> Ref:
        """A view without axes of an array's element."""
        ref = self.new_zero_d(v, frozen="it is a view of an element")
        if isinstance(v.expr, ir.Index) and isinstance(v.expr.base, ir.Var):
            assert self.state is not None
            base = self.fresh("whole", v.expr.base.type)
            self.emit(ir.Assign(base, v.expr.base))
            index = tuple(self.as_var(self.bind(Num(i)), "at").expr for i in v.expr.index)  # type: ignore[arg-type]
            self.state[ref.heap] = Num(ir.Index(base, index, v.expr.type))
        return ref

    def whole(self, index: Sequence[Value]) -> bool:
        """Does an index (`()`, `...`) mean all of an array without axes?"""
        return all(isinstance(i, Obj) and i.value is Ellipsis for i in flat_index(index))
