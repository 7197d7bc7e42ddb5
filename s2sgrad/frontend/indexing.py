"""Subscripts of arrays, tuples, lists and dicts: reading and storing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.expressions import Expressions
from s2sgrad.frontend.extents import extents, is_extents
from s2sgrad.frontend.machine import reads_memory
from s2sgrad.frontend.records import joined_all
from s2sgrad.frontend.values import (
    Fields,
    Growing,
    Items,
    Maybe,
    Num,
    Obj,
    OneOfThese,
    Range,
    Ref,
    SliceOf,
    Tup,
    Value,
    describe,
    is_dict,
    is_list,
    is_zero_d,
    map_nums,
    number,
    of,
)
from s2sgrad.ir import Array, Const, Expr, Index, NewAxis, Scalar, Slice, Var
from s2sgrad.library import grids

FULL = Slice()
IndexExpression = type(np.s_)


class Indexing(Expressions):
    # ------------------------------------------------------------------------------------------- reading

    def subscript(self, base: Value, index: Sequence[Value]) -> Value:
        if isinstance(base, Num):
            if not base.is_array:
                return self.scalar_subscript(base, index)
            items, _ = self.index_items(base, index)
            if self.handlers:
                self.check_index(base, items)
            return self.indexed(base, items)
        if isinstance(base, Maybe) or is_zero_d(base):
            return self.subscript(self.present(base), index)
        i = index[0] if len(index) == 1 else Tup(tuple(index))
        if is_dict(base):
            return self.dict_item(base, i)  # type: ignore[arg-type]
        if isinstance(base, Tup) or is_list(base):
            return self.sequence_subscript(base, i)
        if isinstance(base, Range):
            return self.range_slice(base, i) if isinstance(i, SliceOf) else self.range_item(base, self.integer(i))
        if isinstance(base, Ref) and hasattr(base.heap.cls, "__getitem__"):
            return self.call(Obj(base.heap.cls.__getitem__), [base, i], {}, None)
        if isinstance(base, Obj) and isinstance(base.value, IndexExpression):
            return Tup(tuple(index)) if base.value.maketuple else i
        if isinstance(base, Obj) and id(base.value) in grids.INDEXED:
            return self.grid_object(base.value, i)
        self.of_none(base, TypeError, "None is not subscriptable")
        if isinstance(base, OneOfThese):
            raise self.undecided(base)
        if isinstance(base, Obj):
            key = self.static(i)
            try:
                return self.lift(base.value[key], None if base.access is None else (*base.access, ("item", key)))
            except (TypeError, KeyError, IndexError) as err:
                raise self.error(f"{type(err).__name__}: {err}") from None
        raise self.error(f"{describe(base)} cannot be subscripted")

    def range_item(self, r: Range, k: Num) -> Value:
        """An element of a range; the last ones count from the end."""
        n = self.range_size(r)
        if k.known and n.known:
            if not -n.const <= k.const < n.const:
                raise self.refusal(IndexError, "range object index out of range")
            return self.affine(r.start, r.step, number(k.const % n.const))
        k, n = self.bind(k, "k"), self.bind(n, "n")
        outside = ir.call("or", ir.call("lt", k.expr, ir.call("neg", n.expr)), ir.call("ge", k.expr, n.expr))
        self.raise_if(outside, IndexError, "range object index out of range")
        if k.known:
            return self.affine(r.start, r.step, k if k.const >= 0 else self.add(n, k))
        return self.affine(r.start, r.step, Num(ir.call("ifexp", ir.call("lt", k.expr, 0), self.add(n, k).expr, k.expr)))

    def range_size(self, r: Range) -> Num:
        """The length of a range (the number of trips over it may be negative for none)."""
        n = self.range_length(r)
        counted = isinstance(n.expr, ir.Call) and n.expr.op in ("dim", "size", "len")
        return n if n.known or counted else self.call_number(max, n, number(0))

    def range_slice(self, r: Range, i: SliceOf) -> Value:
        """A slice of a range: a range."""
        n = self.sequence(r).length
        none = [isinstance(v, Obj) and v.value is None for v in (i.lower, i.upper, i.step)]
        step = number(1) if none[2] else self.integer(i.step)
        if n.known or not step.known or (step.const < 0 and not (none[0] and none[1])):
            return self.subscript(self.new_tuple(r), [i])
        by = self.mul(r.step, step)
        if step.const < 0:
            return Range(self.add(r.start, self.mul(self.sub(n, number(1)), r.step)), self.sub(r.start, r.step), by, r.strong)
        n = self.bind(self.range_size(r), "n")
        start = number(0) if none[0] else of(self.clipped(n, self.integer(i.lower)))
        stop = n if none[1] else of(self.clipped(n, self.integer(i.upper)))
        return Range(self.affine(r.start, r.step, start), self.affine(r.start, r.step, stop), by, r.strong)

    def grid_object(self, obj: Any, i: Value) -> Value:
        """np.mgrid[...], np.ogrid[...], np.r_[...] and np.c_[...]."""
        one = not isinstance(i, Tup) and obj in (np.mgrid, np.ogrid)
        found = grids.one_grid if one else grids.INDEXED[id(obj)]
        return self.inline(self.function(found, None), i.items if isinstance(i, Tup) else [i], {}, self.node)

    def scalar_subscript(self, base: Num, index: Sequence[Value]) -> Value:
        """`x[()]`, `x[...]`, `x[None]` of a NumPy scalar."""
        flat = [j for i in index for j in (i.items if isinstance(i, Tup) else (i,))]
        if all(isinstance(i, Obj) and i.value is Ellipsis for i in flat):
            return base
        if all(isinstance(i, Obj) and i.value is None for i in flat):
            return of(ir.call("full", base.expr, *(1 for _ in flat), dtype=base.type.dtype))
        raise self.refusal(TypeError, "a number cannot be subscripted", hint="Is the argument meant to be an array?")

    def indexed(self, base: Num, items: tuple[Any, ...]) -> Num:
        e = base.expr
        if not items:
            return base
        return Num(Index(e, items, index_type(e.type, items)))  # type: ignore[arg-type]

    def index_rank(self, base: Num, index: Sequence[Value]) -> int:
        items, _ = self.index_items(base, index)
        return 0 if isinstance(index_type(base.type, items), Scalar) else 1

    def index_items(self, base: Num, index: Sequence[Value]) -> tuple[tuple[Any, ...], str]:
        """Core's index items, and 'element', 'view' or 'gather'."""
        values = [v for i in index for v in (i.items if isinstance(i, Tup) else (i,))]
        if not index:
            return (), "view"
        ndim = base.type.ndim
        items: list[Any] = []
        dots = None
        used = 0
        for v in values:
            if isinstance(v, Obj) and v.value is Ellipsis:
                dots = len(items)
            elif isinstance(v, Obj) and v.value is None:
                items.append(NewAxis())
            elif isinstance(v, SliceOf) or (isinstance(v, Obj) and isinstance(v.value, slice)):
                items.append(self.slice_item(v))
                used += 1
            else:
                e = self.index_expr(v)
                items.append(e)
                used += e.type.ndim if isinstance(e.type, Array) and e.type.dtype == "bool" else 1
        if used > ndim:
            raise self.error(f"too many indices: the array has {ndim} dimension{'s' * (ndim != 1)}, but {used} were indexed")
        fill = [FULL] * (ndim - used)
        if dots is not None:
            items[dots:dots] = fill
        elif not (len(items) == 1 and is_int(items[0])):
            items.extend(fill)
        out = tuple(items)
        t = index_type(base.type, out)
        gather = any(isinstance(i, Expr) and isinstance(i.type, Array) for i in out)
        return out, "gather" if gather else "element" if isinstance(t, Scalar) else "view"

    def slice_item(self, v: Any) -> Slice:
        if isinstance(v, Obj):
            return Slice(*(None if x is None else Const(int(x), ir.INT) for x in (v.value.start, v.value.stop, v.value.step)))
        return Slice(*(None if isinstance(x, Obj) and x.value is None else self.integer(x).expr for x in (v.lower, v.upper, v.step)))

    def index_expr(self, v: Value) -> Expr:
        v = self.present(v)
        if isinstance(v, Ref | Tup | Range):
            v = self.as_array(v)
        if not isinstance(v, Num):
            raise self.error(f"{describe(v)} cannot index an array")
        if v.type.dtype.startswith(("float", "complex")):
            if v.is_array and isinstance(v.expr, ir.Call) and v.expr.op == "array_of" and not v.expr.args:
                return ir.call("array_of", shape=(0,), dtype="int64")
            raise self.error("only integers, slices and integer or boolean arrays are valid indices, not floats")
        if not v.is_array and v.type.dtype == "bool":
            raise self.error("a boolean cannot index an array", hint="Use an array of booleans, or int(...).")
        return v.expr

    def integer(self, v: Value) -> Num:
        v = self.present(v)
        if isinstance(v, Num) and not v.is_array and v.type.dtype.startswith(("int", "uint", "bool")):
            return v
        raise self.error(f"an integer is needed here, not {describe(v)}")

    # ------------------------------------------------------------------------------------------- tuples, lists, dicts

    def sequence_subscript(self, base: Value, i: Value) -> Value:
        content = self.contents(base) if isinstance(base, Ref) else None
        if isinstance(content, Growing):
            return self.growing_subscript(base, i)  # type: ignore[arg-type]
        items = base.items if isinstance(base, Tup) else content.items  # type: ignore[union-attr]
        if isinstance(i, SliceOf) or (isinstance(i, Obj) and isinstance(i.value, slice)):
            s = i.value if isinstance(i, Obj) else slice(*(self.static(x) for x in (i.lower, i.upper, i.step)))
            if is_extents(base):
                return extents(items[s])
            return Tup(items[s]) if isinstance(base, Tup) else self.new_list(list(items[s]))
        n = self.integer(i)
        if n.known:
            try:
                return items[n.const]
            except IndexError:
                if self.loops or self.catches(IndexError):
                    self.fail(IndexError, f"{'tuple' if isinstance(base, Tup) else 'list'} index out of range")
                raise self.error(f"index {n.const} is out of range for {len(items)} items") from None
        k = self.try_static(n)
        if k is not None:
            return items[k]
        if items and all(isinstance(x, Num) and not x.is_array for x in items):
            if is_list(base):
                self.make_growing(base)  # type: ignore[arg-type]
                return self.growing_subscript(base, i)  # type: ignore[arg-type]
            a = self.as_array(base)
            e = self.subscript(a, [n])
            return self.python_number(e) if all(x.type.weak for x in items) else e  # type: ignore[union-attr, arg-type]
        if not items and self.loops:
            self.fail(IndexError, f"{'tuple' if isinstance(base, Tup) else 'list'} index out of range")
        lists = self.lists_inside(base)
        if len(lists) > 1 and not self.may_unroll and self.stay_apart(lists):
            return self.read_one_of(lists, n)
        if is_list(base) and not self.may_unroll and self.same_kind(items):
            self.make_growing(base)  # type: ignore[arg-type]
            return self.growing_subscript(base, i)  # type: ignore[arg-type]
        if len(lists) > 1 and not self.may_unroll:
            return self.read_one_of(lists, n)
        self.need_static(n, "this index (it selects among values of different kinds)")
        raise AssertionError

    def same_kind(self, items: Sequence[Value]) -> bool:
        """Could a growing list hold these elements?"""
        if not all(isinstance(x, Num | Ref) or isinstance(x, Tup) and all(isinstance(i, Num) for i in x.items) for x in items):
            return False
        shape = joined_all([self.element_shape(x) for x in items])
        return shape is not None and not isinstance(shape, Ref)

    def dict_item(self, base: Ref, i: Value) -> Value:
        fields = self.contents(base).fields  # type: ignore[attr-defined]
        k = self.key_of(i)
        made = base.heap.factory
        if made is not None and (k not in fields or isinstance(fields[k], Maybe)):
            value = lambda: self.call(made, [], {}, None)  # type: ignore[attr-defined]
            if k in fields:
                if not base.heap.cls.__name__ == "defaultdict":
                    raise self.error(f"whether the item {k!r} is there is known at run time only: not supported")
                put = lambda: self.change(base, {**self.contents(base).fields, k: value()})  # type: ignore[attr-defined]
                self.branched(ir.call("not", fields[k].flag), put, lambda: None)
            elif base.heap.cls.__name__ == "Counter":  # reading does not make the item
                return value()
            else:
                self.change(base, {**fields, k: value()})  # type: ignore[attr-defined]
            fields = self.contents(base).fields  # type: ignore[attr-defined]
        if k not in fields:
            raise self.refusal(KeyError, f"the dict has no key {k!r}; it has {', '.join(map(repr, fields))}", args=(k,))
        v = fields[k]
        if isinstance(v, Maybe) and v.absent == "unbound":
            self.raise_if(ir.call("not", v.flag), KeyError, repr(k))
            return v.value
        return self.checked(v, f"item {k!r}")

    # ------------------------------------------------------------------------------------------- storing

    def store_item(self, base: Value, index: Sequence[Value], value: Value, node: Any) -> None:
        if is_zero_d(base) and self.whole(index):
            self.write_zero_d(base, value)
            return
        base = self.present(base)
        if isinstance(base, Num):
            if not base.is_array:
                raise self.error("a number cannot be written into by index", node, "Is the argument meant to be an array?")
            point = self.point()
            base, index = self.prepared_target(base, index)
            (value,) = self.after([value], point)
            items, _ = self.index_items(base, index)
            if self.handlers:
                self.check_index(base, items)
            v = self.numeric(value)
            self.check_store(v, base)
            assert isinstance(base.expr, Var)
            self.emit(ir.Store(base.expr, items, v.expr))
            return
        i = index[0] if len(index) == 1 else Tup(tuple(index))
        if is_dict(base):
            self.change(base, {**self.contents(base).fields, self.key_of(i): value})  # type: ignore[attr-defined, arg-type]
        elif is_list(base):
            self.store_list_item(base, i, value)  # type: ignore[arg-type]
        elif isinstance(base, Ref) and hasattr(base.heap.cls, "__setitem__"):
            self.call(Obj(base.heap.cls.__setitem__), [base, i, value], {}, None)
        else:
            self.of_none(base, TypeError, "None cannot be written into")
            raise self.error(f"{describe(base)} cannot be written into", node)

    def check_store(self, v: Num, base: Num) -> None:
        if v.type.dtype.startswith("complex") and not base.type.dtype.startswith("complex"):
            raise self.error("a complex value is stored into a real array", hint="Take its .real part, or make the array complex.")

    def prepared_target(self, base: Num, index: Sequence[Value]) -> tuple[Num, list[Value]]:
        """The array as a variable, the index in temporaries where it reads memory."""
        e = base.expr
        flat = [j for i in index for j in (i.items if isinstance(i, Tup) else (i,))]
        if isinstance(e, Index) and len(e.index) == 1 and is_int(e.index[0]) and isinstance(e.base, Var) and not any(
                isinstance(j, Num) and j.is_array for j in flat):
            flat = [Num(e.index[0]), *flat]  # type: ignore[arg-type] # A[i][j] = x is A[i, j] = x  # type: ignore[arg-type]
            base = Num(e.base)
        base = self.as_var(base, "view")
        return base, [self.hoisted_index(j, base) for j in flat]

    def hoisted_index(self, v: Value, base: Num) -> Value:
        if isinstance(v, Ref | Tup):
            v = self.as_array(v)
        if isinstance(v, Num) and v.is_array:
            if not isinstance(v.expr, Var):
                return self.as_var(v, "index" if v.type.dtype != "bool" else "mask")
            if v.type.dtype == base.type.dtype:
                return self.as_var(Num(ir.call("copy", v.expr)), "index")
            return v
        return map_nums(v, lambda n: self.bind(n, "k") if reads_memory(n.expr) else n)


def is_int(i: Any) -> bool:
    return isinstance(i, Expr) and isinstance(i.type, Scalar)


def index_type(t: Array, items: Sequence[Any]) -> Any:
    """The type of `base[items]`."""
    arrays = [i for i in items if isinstance(i, Expr) and isinstance(i.type, Array)]
    used = sum(0 if isinstance(i, NewAxis) else i.type.ndim if isinstance(i, Expr) and isinstance(i.type, Array) and i.type.dtype == "bool" else 1
               for i in items)
    rest = t.ndim - used
    kept = sum(1 for i in items if isinstance(i, Slice | NewAxis)) + rest
    if arrays:
        rank = max(1 if a.type.dtype == "bool" else a.type.ndim for a in arrays)  # type: ignore[union-attr]
        return Array(t.dtype, rank + kept)
    if kept == 0:
        return Scalar(t.dtype)
    return Array(t.dtype, kept, _layout(t, items, rest))


def _layout(t: Array, items: Sequence[Any], rest: int) -> str:
    """Is the view contiguous whatever the extents are?"""
    if t.layout == "A":
        return "A"
    flat = [*items, *[FULL] * rest]
    if t.layout == "F":
        if t.ndim == 1:
            return _layout(Array(t.dtype, 1, "C"), items, rest)
        if any(isinstance(i, NewAxis) for i in flat):
            return "A"
        out = _layout(Array(t.dtype, t.ndim, "C"), flat[::-1], 0)
        kept = sum(isinstance(i, Slice) for i in flat)
        return "A" if out == "A" else "C" if kept == 1 else "F"
    state = "ints"  # then at most one partial slice, then full slices
    for i in flat:
        if isinstance(i, NewAxis):
            continue
        if isinstance(i, Slice):
            full = i.lower is None and i.upper is None and _unit(i.step)
            if state == "ints" and _unit(i.step):
                state = "full"
            elif not full:
                return "A"
        elif state != "ints":
            return "A"
    return "C"


def _unit(step: Any) -> bool:
    return step is None or (isinstance(step, Const) and step.value == 1)


__all__ = ["Fields", "Indexing", "Items", "index_type", "np", "number"]
