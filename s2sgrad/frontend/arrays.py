"""Arrays made from lists and arrays: np.array, np.stack, np.concatenate, quadrature nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.builtin import Builtins, Special, means
from s2sgrad.frontend.calls import qualified
from s2sgrad.frontend.values import NONE, Growing, Items, Iter, Num, Obj, Ref, SliceOf, Tup, Value, number
from s2sgrad.ir import Const


def _array_like(f: Any) -> Special:
    def special(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
        v = m.present(a[0])
        if isinstance(v, Iter) or m.is_iterator(v):
            raise m.error("NumPy makes an array of one object from an iterator", n, "Write np.array(list(...)).")
        if isinstance(v, Ref) and v.heap.kind == "list" and isinstance(m.contents(v), Growing):
            x = m.growing_array(v)
            fresh = isinstance(x.expr, ir.Var)
            dtype = k.pop("dtype", a[1] if len(a) > 1 else NONE)
            name = x.type.dtype if isinstance(dtype, Obj) and dtype.value is None else np.dtype(m.static(dtype)).name
            if name != x.type.dtype:
                return Num(ir.call("astype", x.expr, dtype=name))
            return x if fresh else Num(ir.call("copy", x.expr))
        copy = m.static(k.pop("copy", Obj(True if f is np.array else None)))
        value = m.numeric(m.primitive(f, [m.rows(v), *a[1:]], k, n))
        same = isinstance(v, Num) and v.is_array and v.type == value.type and m.static(k.get("order", NONE)) in (None, "K", "A")
        if same and not copy:
            return v
        if copy is False and (f is np.array or not same) and not (isinstance(v, Num) and not v.is_array):
            m.fail(ValueError, "Unable to avoid copy while creating an array as requested.")
        return Num(ir.call("copy", value.expr)) if same and f is not np.array else value

    return special


def _rows(self: Builtins, v: Value) -> Value:
    """Nested lists with inner growing lists turned into arrays."""
    if isinstance(v, Tup):
        return Tup(tuple(_rows(self, i) for i in v.items))
    if isinstance(v, Ref) and v.heap.kind == "list":
        c = self.contents(v)
        return Tup(tuple(_rows(self, i) for i in c.items)) if isinstance(c, Items) else self.growing_array(v)
    return v


Builtins.rows = _rows
for _f in (np.array, np.asarray, np.asanyarray):
    means(_f)(_array_like(_f))


@means(np.fromiter)
def _fromiter(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    dtype = a[1] if len(a) > 1 else k["dtype"]
    whole = m.call(Obj(np.array), [m.collect(m.present(a[0]))], {"dtype": dtype}, n)
    count = a[2] if len(a) > 2 else k.get("count", number(-1))
    return whole if isinstance(count, Num) and count.known and count.const == -1 else m.subscript(whole, [SliceOf(NONE, count, NONE)])


def _sequence_of_arrays(f: Any) -> Special:
    """np.stack, np.concatenate ... of a list that grows at run time."""

    def special(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
        v = m.present(a[0])
        if isinstance(v, Iter) or m.is_iterator(v):
            raise m.error(f"{qualified(f)} needs a sequence, not an iterator", n, "Make it a list: list(...).")
        if not (isinstance(v, Ref) and v.heap.kind == "list" and isinstance(m.contents(v), Growing)):
            if isinstance(v, Num) and v.is_array and (f is np.stack or f is np.vstack and v.expr.ndim > 1) and not k and len(a) == 1:
                return Num(ir.call("copy", v.expr))
            return m.ordinary(f, [v, *a[1:]], k, n)
        axis = m.static(a[1] if len(a) > 1 else k.get("axis", number(0)))
        g = m.contents(v)
        assert isinstance(g, Growing)
        item = g.stores[0].type.array if isinstance(g.stores[0].type, ir.ListType) else None
        rank = 0 if item is None else item.ndim
        if axis == 0 and (f is np.stack or (f in (np.vstack, np.column_stack) and rank == 1)):
            x = m.growing_array(v)
            if item is None:
                x = Num(ir.call("copy", x.expr))
            return m.call(Obj(np.transpose), [x], {}, n) if f is np.column_stack else x
        if axis == 0 and item is not None and (f is np.concatenate or (f is np.vstack and rank > 1) or (f is np.hstack and rank == 1)):
            return m.concatenated(v, n)
        raise m.error(f"{qualified(f)} of this list, which grows at run time, is not supported", n, "Fill an array instead of a list.")

    return special


def _concatenated(self: Builtins, v: Ref, node: Any) -> Value:
    """np.concatenate of a growing list of arrays along the first axis."""
    g = self.contents(v)
    assert isinstance(g, Growing)
    store = g.stores[0]
    item = store.type.array  # type: ignore[union-attr]
    total, i, at = self.fresh("total", ir.INT), self.fresh("k", ir.INT), self.fresh("at", ir.INT)
    zero, one = Const(0, ir.INT), Const(1, ir.INT)
    self.emit(ir.Assign(total, zero))
    part, first = self.fresh("part", item), self.fresh("first", item)
    take = ir.Assign(part, ir.Call("item", (store, i), (), item), place=self.place())
    extent = ir.call("dim", part, axis=0)
    self.emit(ir.For(i, zero, g.length, one, [take, ir.Accum(total, None, extent, place=self.place())]))
    self.emit(ir.Assign(first, ir.Call("item", (store, zero), (), item)))
    more = [ir.call("dim", first, axis=d) for d in range(1, item.ndim)]
    out = self.as_var(Num(ir.call("zeros", total, *more, dtype=item.dtype)), "joined")
    self.emit(ir.Assign(at, zero))
    stop = ir.call("add", at, extent)
    full = tuple(ir.Slice() for _ in more)
    assert isinstance(out.expr, ir.Var)
    self.emit(ir.For(i, zero, g.length, one, [
        take, ir.Store(out.expr, (ir.Slice(at, stop), *full), part, place=self.place()), ir.Assign(at, stop, place=self.place())]))
    return out


Builtins.concatenated = _concatenated
for _f in (np.stack, np.concatenate, np.vstack, np.hstack, np.column_stack):  # type: ignore[assignment]
    means(_f)(_sequence_of_arrays(_f))


@means(np.squeeze)
def _squeeze(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    given = dict(zip(("a", "axis"), a, strict=False)) | k
    x, axis = m.numeric(given["a"]), given.get("axis", NONE)
    if x.is_array and isinstance(axis, Obj) and axis.value is None:
        x = m.as_var(x, "whole")
        axis = Tup(tuple(number(i) for i in m.squeezed_axes(x)))
        if not axis.items:  # type: ignore[union-attr]
            return x
    return m.primitive(np.squeeze, [x, axis], {}, n)


for _rule in (np.polynomial.legendre.leggauss, np.polynomial.hermite.hermgauss, np.polynomial.chebyshev.chebgauss, np.polynomial.laguerre.laggauss):
    @means(_rule)
    def _nodes(m: Builtins, a: list[Value], k: dict[str, Value], n: Any, _f: Any = _rule) -> Value:
        """Nodes and weights of a quadrature rule: constants, computed now."""
        return m.lift(_f(*(m.static(x) for x in a), **{name: m.static(v) for name, v in k.items()}), None)
