"""Objects, dicts and lists as elements of a list that grows at run time: their parts stand in the list's buffers.

An object that is an element is a window on the buffers (`Element`): reads and writes of its attributes go there, through whatever name it
is known. A list of numbers that is an element is one array (`Record` of kind 'list'), and so is what such an element means when it is read.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.expressions import Expressions
from s2sgrad.frontend.machine import NeedsStatic, Restart, State
from s2sgrad.frontend.unify import convert, promote, same, same_shape
from s2sgrad.frontend.values import Cell, Element, Fields, Growing, Heap, Items, Num, Obj, Poison, Record, Ref, Tup, Value, describe, map_nums, nums
from s2sgrad.ir import Array, Assign, Call, Expr, Index, ListType, Scalar, Var

ROW = "it is an element of a list that grows at run time"
MOVED = "an element of a list that was taken out of its place since"
SHARED = "it may be an element of several lists"


class Records(Expressions):
    # ------------------------------------------------------------------------------------------- what elements look like

    def element_shape(self, e: Value) -> Value:
        """An element as a growing list keeps it, with placeholders for its numbers."""
        if isinstance(e, Tup):
            return Tup(tuple(self.element_shape(i) for i in e.items), e.cls)
        if not isinstance(e, Ref):
            return e
        states = [s for s in self.merging or (self.state,) if s is not None and e.heap in s]
        shapes = [self.shape_of_content(e, s[e.heap]) for s in states]
        return joined_all(shapes) or e if shapes and e not in shapes else e

    def shape_of_content(self, e: Ref, content: Value) -> Value:
        if isinstance(content, Element):
            return content.shape
        if e.heap.kind == "list":
            return self.row_shape(e, content)
        if isinstance(content, Fields) and self.is_record(e.heap):
            return Record(e.heap.kind, e.heap.cls, tuple(content.fields), tuple(self.element_shape(i) for i in content.fields.values()))
        return e

    def is_record(self, h: Heap) -> bool:
        return h.kind == "object" or h.kind == "dict" and h.cls is dict and h.factory is None

    def row_shape(self, e: Ref, content: Value) -> Value:
        """A list of numbers, or of such lists, is kept as an array."""
        leaves = content.items if isinstance(content, Items) else (content.shape,) if isinstance(content, Growing) else ()
        leaves = tuple(self.element_shape(x) for x in leaves)
        if not leaves or e.heap.longest is not None or not all(is_row(x) or isinstance(x, Num) and not x.is_array for x in leaves):
            return e  # arrays keep their identity: a row of them is no array
        arrays = [x.items[0] if isinstance(x, Record) else x for x in leaves]
        dtype: Any = arrays[0].type  # type: ignore[attr-defined]
        for x in arrays[1:]:
            dtype = promote(dtype, x.type)  # type: ignore[attr-defined]
            if dtype is None:
                return e
        inside = joined_all(leaves)
        if inside is None:
            return e
        sites = frozenset() if e.heap.site is None else frozenset({e.heap.site})
        for wide in [self.wide_rows[s] for s in (*sites, *(inside.sites if isinstance(inside, Record) else ())) if s in self.wide_rows]:
            dtype, inside = promote(dtype, Scalar(wide)), inside if isinstance(inside, Record) else joined(inside, Num(Var("?", Scalar(wide))))
            if dtype is None or isinstance(inside, Poison):
                return e
        rank = arrays[0].expr.ndim  # type: ignore[attr-defined]
        return Record("list", list, (), (Num(Var("?", Array(dtype.dtype, rank + 1))),), inside, sites)

    def common_shape(self, a: Value, b: Value) -> Value:
        """What holds both; at the least there must be a number in it."""
        shape = joined(a, b)
        return Poison("a list of elements of different kinds") if not isinstance(shape, Poison) and not nums(shape) else shape

    # ------------------------------------------------------------------------------------------- putting elements in

    def element(self, e: Value) -> Value:
        """An element with its numbers, as a growing list keeps it."""
        if isinstance(e, Tup):
            return Tup(tuple(self.element(i) for i in e.items), e.cls)
        shape = self.element_shape(e)
        if not (isinstance(e, Ref) and isinstance(shape, Record)):
            return e
        if shape.kind == "list":
            content = self.contents(e)  # type: ignore[attr-defined]
            if e.heap.row is not None and isinstance(content, Growing):
                return replace(shape, items=(Num(content.stores[0]),))
            array = self.call(Obj(np.array), [e], {}, None)  # type: ignore[attr-defined]
            return replace(shape, items=(self.as_var(Num(convert(array.expr, shape.items[0].type)), "row"),))  # type: ignore[attr-defined]
        fields = self.contents(e).fields  # type: ignore[attr-defined]
        return replace(shape, items=tuple(self.element(fields[k]) for k in shape.keys))

    def put_in(self, e: Value, kept: Value, owner: Heap, position: Num, first: int = 0) -> None:
        """`e` stands in the buffers of a list now (as `kept`): whoever knows it sees them."""
        assert self.state is not None
        if isinstance(e, Tup) and isinstance(kept, Tup):
            self.put_parts(e.items, kept.items, owner, position, first)
        if not (isinstance(e, Ref) and isinstance(kept, Record)):
            return
        if kept.kind == "list":
            if e.heap.row is None:
                self.state[e.heap] = self.row_content(kept)
                e.heap.row = kept
                self.freeze(e.heap, ROW)
            return
        content = self.state[e.heap]
        if isinstance(content, Element):
            self.share(content.list)
            self.share(owner)
        elif not e.heap.frozen:
            self.state[e.heap] = Element(owner, position, first, kept)
            assert isinstance(content, Fields)
            self.put_parts([content.fields[k] for k in kept.keys], kept.items, owner, position, first)

    def put_parts(self, parts: Sequence[Value], kept: Sequence[Value], owner: Heap, position: Num, first: int) -> None:
        for p, q in zip(parts, kept, strict=True):
            self.put_in(p, q, owner, position, first)
            first += len(nums(q))

    def left_behind(self, items: Sequence[Value], owner: Heap | None) -> None:
        """The elements of a list of known length became buffers: objects that are known elsewhere must not change any more."""
        assert self.state is not None
        for v in items:
            for h in self.objects_in(v, self.state):  # type: ignore[attr-defined]
                if self.known_elsewhere(h, owner):
                    self.freeze(h, ROW)
                    self.share(owner)

    def objects_in(self, v: Value, state: State) -> list[Heap]:
        return [h for h in self.reachable([v], state) if isinstance(h, Heap)]

    def known_elsewhere(self, h: Heap, owner: Heap | None) -> bool:
        assert self.state is not None
        rest = {k: v for k, v in self.state.items() if k is not owner}
        return h in self.reachable([v for k, v in rest.items() if isinstance(k, Cell)], rest)

    def freeze(self, h: Heap, why: str) -> None:
        if not h.frozen:
            h.frozen = why
            self.freezes.append(h)

    def share(self, h: Heap | None) -> None:
        """The elements of a list are known to another list too: they must not change any more."""
        if h is not None and not h.shared:
            h.shared = True
            self.freezes.append(h)

    def displace(self, owner: Heap) -> None:
        """The elements of a list were moved: those known by name are not where they were."""
        assert self.state is not None
        for k, v in list(self.state.items()):
            if isinstance(v, Element) and v.list is owner:
                self.state[k] = Poison(MOVED)

    # ------------------------------------------------------------------------------------------- reading elements

    def read_element(self, shape: Value, g: Growing, k: Num, owner: Heap | None, first: int = 0) -> Value:
        """Element k of a growing list (or a part of it, from buffer `first` on)."""
        if isinstance(shape, Num):
            return self.read_leaf(shape, g.stores[first], k)
        if isinstance(shape, Tup):
            return Tup(tuple(self.read_parts(shape.items, g, k, owner, first)), shape.cls)
        if not isinstance(shape, Record):
            return shape
        if shape.kind == "list":
            row = self.read_leaf(shape.items[0], g.stores[first], k)  # type: ignore[arg-type]
            return self.row(replace(shape, items=(self.as_var(row, "row"),)), owner)
        assert self.state is not None
        if owner is None:
            return self.owned(replace(shape, items=tuple(self.read_parts(shape.items, g, k, None, first))))
        heap = Heap(shape.kind, shape.cls, "element")
        self.state[heap] = Element(owner, k, first, shape)
        return Ref(heap)

    def read_parts(self, parts: Sequence[Value], g: Growing, k: Num, owner: Heap | None, first: int) -> list[Value]:
        out = []
        for p in parts:
            out.append(self.read_element(p, g, k, owner, first))
            first += len(nums(p))
        return out

    def read_leaf(self, n: Num, s: Var, k: Num) -> Num:
        if isinstance(s.type, ListType):
            v = self.fresh("item", s.type.item)
            self.emit(Assign(v, Call("item", (s, k.expr), (), s.type.item)))
            return Num(v)
        if isinstance(s.type, Array) and s.type.ndim > 1:
            inner = Array(s.type.dtype, s.type.ndim - 1, "A")
            return self.as_var(Num(Index(s, (k.expr, *(ir.Slice() for _ in range(inner.ndim))), inner)), "row")
        e: Expr = Index(s, (k.expr,), Scalar(s.type.dtype))
        return Num(convert(e, n.type) if n.type.weak else e)

    def row(self, r: Record, owner: Heap | None) -> Ref:
        """The list that a row stands for; what is stored into it goes to the array."""
        heap = Heap("list", list, "row", ROW, row=r, owner=owner)
        assert self.state is not None
        self.state[heap] = self.row_content(r)
        return Ref(heap)

    def row_content(self, r: Record) -> Growing:
        (array,) = nums(r)
        assert isinstance(array.expr, Var) and r.inside is not None
        return Growing(r.inside, (array.expr,), ir.call("dim", array.expr, axis=0), None, True)

    def owned(self, v: Value) -> Value:
        """An element that was taken out: objects of their own."""
        if isinstance(v, Tup):
            return Tup(tuple(self.owned(i) for i in v.items), v.cls)
        if not isinstance(v, Record):
            return v
        if v.kind == "list":
            return self.row(v, None)
        return self.new_object(v.kind, v.cls, dict(zip(v.keys, map(self.owned, v.items), strict=True)))  # type: ignore[attr-defined]

    def element_fields(self, e: Element) -> Fields:
        """The attributes of an element now."""
        assert self.state is not None
        g = self.state[e.list]
        assert isinstance(g, Growing)
        parts = self.read_parts(part_of(g.shape, e).items, g, e.position, e.list, e.first)
        return Fields(dict(zip(e.shape.keys, parts, strict=True)))

    def fields_of_shape(self, e: Element) -> Fields:
        """Stand-ins for the attributes of an element, to find variables for them."""
        unknown = lambda n: Num(Var(f"?{next(_unknown)}", n.type))
        return Fields({k: map_nums(i, unknown) for k, i in zip(e.shape.keys, e.shape.items, strict=True)})

    def same_element(self, a: Ref, b: Ref) -> Any:
        """Are two elements of growing lists one object? None where neither is one."""
        assert self.state is not None
        x, y = self.state.get(a.heap), self.state.get(b.heap)
        if not (isinstance(x, Element) or isinstance(y, Element)) or a.heap is b.heap:
            return None
        if not (same_shape(x, y) and isinstance(x, Element) and isinstance(y, Element)) or x.list.shared:  # type: ignore[arg-type]
            if a.heap.cls is not b.heap.cls:
                return False
            raise self.error("whether two objects are the same is not known here: one is an element of a list that grows at run time")
        return self.truth(self.compare_values("Eq", x.position, y.position))

    # ------------------------------------------------------------------------------------------- changing elements

    def fit_row(self, ref: Ref, g: Growing, x: Value) -> Growing:
        """A row whose elements may be like `x`. Integers become floats where the row is made: the specialisation starts again."""
        shape = self.common_shape(g.shape, x)
        if isinstance(shape, Poison):
            raise self.error(f"this would be {shape.reason}", kind=NeedsStatic)
        (new,), (old,) = nums(shape), nums(g.shape)
        if new.type.dtype != old.type.dtype:
            sites, h = set(), ref.heap
            while h is not None and h.row is not None:
                sites |= h.row.sites | (h.row.inside.sites if isinstance(h.row.inside, Record) else set())
                h = h.owner
            if not sites or any(self.wide_rows.get(s) == new.type.dtype for s in sites):
                raise self.error(f"a number of {new.type.dtype} is stored into a list of {old.type.dtype} that is an element of a list")
            self.wide_rows |= {s: new.type.dtype for s in sites}
            raise Restart
        if new.type == old.type:
            return g
        assert self.state is not None
        g = self.state[ref.heap] = replace(g, shape=shape)
        h = ref.heap.owner
        while h is not None and isinstance(self.state.get(h), Growing):  # the others hold Python's and NumPy's numbers too
            content = self.state[h]
            assert isinstance(content, Growing)
            self.state[h] = replace(content, shape=strong_rows(content.shape, new.type))
            h = h.owner
        return g

    def check_row(self, h: Heap) -> None:
        while h.owner is not None:
            h = h.owner
        if h.shared:
            raise self.error(f"a list is changed, but {SHARED}", hint="Return the new value instead, or change a copy.")

    def check_element(self, v: Ref, e: Element) -> None:
        why = e.list.frozen or (SHARED if e.list.shared else "")
        if why:
            raise self.error(f"{describe(v)} is changed, but {why}", hint="Return the new value instead, or change a copy.")

    def change_element(self, v: Ref, e: Element, fields: dict[Any, Value], before: Fields) -> None:
        """New attributes of an element, into the buffers of its list."""
        self.check_element(v, e)
        if list(fields) != list(e.shape.keys):
            raise self.error("an attribute or key is added to an element of a list that grows at run time")
        first = e.first
        for k, part in zip(e.shape.keys, e.shape.items, strict=True):
            if not same(fields[k], before.fields[k]):
                self.store_part(e, k, first, fields[k])
            first += len(nums(part))

    def store_part(self, e: Element, key: Any, first: int, value: Value) -> None:
        assert self.state is not None
        g = self.state[e.list]
        assert isinstance(g, Growing)
        kept = self.element(value)
        g = self.fit(Ref(e.list), g, within(g.shape, e.first, e.shape, key, kept))  # type: ignore[attr-defined]
        for s, n in zip(g.stores[first:], nums(kept), strict=False):
            self.store_leaf(g, s, e.position, n)
        self.put_in(value, kept, e.list, e.position, first)

    def store_leaf(self, g: Growing, s: Var, position: Num, n: Num) -> None:
        if isinstance(s.type, ListType):
            here = lambda k: k
            after = self.bind(Num(ir.call("add", position.expr, 1)), "k").expr
            self.renew(s, [(ir.Const(0, ir.INT), position.expr, here), n, (after, g.length, here)])  # type: ignore[attr-defined]
        else:
            self.emit(ir.Store(s, (position.expr,), n.expr))


_unknown = itertools.count()


def any_record(v: Value, rows: bool = True) -> bool:
    """Does an element hold objects, dicts or (with `rows`) lists?"""
    if isinstance(v, Record):
        return rows or v.kind != "list"
    return isinstance(v, Tup) and any(any_record(i, rows) for i in v.items)


def is_vector(g: Growing) -> bool:
    """A list of numbers."""
    return len(g.stores) == 1 and isinstance(g.stores[0].type, Array) and g.stores[0].type.ndim == 1 and isinstance(g.shape, Num)


def part_of(shape: Value, e: Element) -> Record:
    """The part of a list's element that an object stands for."""
    first = e.first
    while not (first == 0 and isinstance(shape, Record) and shape.keys == e.shape.keys and shape.cls is e.shape.cls):
        assert isinstance(shape, Tup | Record)
        for i in shape.items:
            n = len(nums(i))
            if first < n:
                shape = i
                break
            first -= n
    return shape


def is_row(v: Value) -> bool:
    return isinstance(v, Record) and v.kind == "list"


def joined_all(parts: Sequence[Value]) -> Value | None:
    out = joined(parts[0], parts[0])
    for p in parts[1:]:
        out = joined(out, p)
    return None if isinstance(out, Poison) else out


def joined(a: Value, b: Value) -> Value:
    """The shape of elements that look like `a` or like `b`."""
    if isinstance(a, Num) and isinstance(b, Num):
        t = promote(a.type, b.type)
        return Poison("a list of elements that differ in dtype or rank") if t is None else Num(Var("?", t))
    if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items) and a.cls is b.cls:
        items = [joined(x, y) for x, y in zip(a.items, b.items, strict=True)]
        return first_poison(items) or Tup(tuple(items), a.cls)
    if isinstance(a, Record) and isinstance(b, Record) and (a.kind, a.cls, a.keys) == (b.kind, b.cls, b.keys):
        items = [joined(x, y) for x, y in zip(a.items, b.items, strict=True)]
        inside = a.inside if a.inside is None or b.inside is None else joined(a.inside, b.inside)
        return first_poison([*items, *([] if inside is None else [inside])]) or Record(a.kind, a.cls, a.keys, tuple(items), inside, a.sites | b.sites)
    if not (isinstance(a, Obj) and isinstance(b, Obj)):
        return Poison("a list of elements of different kinds")
    return a if same(a, b) else Poison("a list of elements that differ in more than numbers")


def first_poison(parts: Sequence[Value]) -> Value | None:
    return next((p for p in parts if isinstance(p, Poison)), None)


def strong_rows(shape: Value, t: Scalar) -> Value:
    """An element whose rows of this dtype hold NumPy's numbers."""
    if isinstance(shape, Tup):
        return replace(shape, items=tuple(strong_rows(i, t) for i in shape.items))
    if not isinstance(shape, Record):
        return shape
    if shape.kind != "list":
        return replace(shape, items=tuple(strong_rows(i, t) for i in shape.items))
    same_dtype = isinstance(shape.inside, Num) and shape.inside.type.dtype == t.dtype
    assert shape.inside is not None
    return replace(shape, inside=Num(Var("?", t)) if same_dtype else strong_rows(shape.inside, t))


def within(shape: Value, first: int, record: Record, key: Any, part: Value) -> Value:
    """The shape of a list's elements with one attribute of the record that begins at buffer `first` replaced."""
    if shape is record or (first == 0 and isinstance(shape, Record) and shape.keys == record.keys and shape.cls is record.cls):
        assert isinstance(shape, Record)
        return replace(shape, items=tuple(part if k == key else i for k, i in zip(shape.keys, shape.items, strict=True)))
    assert isinstance(shape, Tup | Record)
    out = []
    for i in shape.items:
        n = len(nums(i))
        out.append(within(i, first, record, key, part) if 0 <= first < n else i)
        first -= n
    return replace(shape, items=tuple(out))


__all__ = ["Records", "any_record", "is_row", "is_vector"]
