"""Lists: of known length (their elements are variables) or growing at run time (buffers and a length)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.machine import NeedsStatic, Restart
from s2sgrad.frontend.records import Records, any_record, is_vector
from s2sgrad.frontend.unify import convert, promote
from s2sgrad.frontend.values import (
    NONE,
    Fields,
    Growing,
    Heap,
    Items,
    Maybe,
    Num,
    Obj,
    Poison,
    Ref,
    SliceOf,
    Tup,
    Value,
    is_zero_d,
    map_nums,
    number,
    nums,
)
from s2sgrad.ir import Array, Assign, Call, Const, Expr, Index, ListType, Var


def only_layouts(a: ListType, b: ListType) -> bool:
    """Do the arrays in two lists differ in the order of memory only?"""
    return (a.array.dtype, a.array.ndim) == (b.array.dtype, b.array.ndim)


class Lists(Records):
    def new_list(self, items: Sequence[Value], name: str = "list") -> Ref:
        heap = self.list_heap(name)
        assert self.state is not None
        self.state[heap] = Items(tuple(self.bind_all(i, "item") for i in items))
        return Ref(heap)

    # ------------------------------------------------------------------------------------------- growing

    def grow_target(self, slot: tuple[Any, ...], shape: Value) -> Growing:
        """The variables of a growing list with elements like `shape`."""
        if ("order", getattr(slot[0], "site", None)) in self.wide_rows:
            shape = map_nums(shape, lambda n: Num(Var("?", Array(n.type.dtype, n.type.ndim, "A"))) if isinstance(n.type, Array) else n)
        leaves = nums(shape)
        stores = []
        for k, n in enumerate(leaves):
            part = (*slot, "data") if len(leaves) == 1 else (*slot, "data", k)
            t = n.type
            stores.append(self.slot_var(part, ListType(t) if isinstance(t, Array) else Array(t.dtype, 1)))
        capacity = getattr(slot[0], "capacity", None)
        return Growing(map_nums(shape, lambda n: Num(Var("?", n.type))), tuple(stores), self.slot_var((*slot, "n"), ir.INT), capacity)

    def merge_growing(self, slot: tuple[Any, ...], vals: Sequence[Value]) -> Value:
        """One growing list for paths on which a list has different lengths."""
        slot = slot[:1] if isinstance(slot[0], Heap) else slot
        shape: Value | None = None
        for v in vals:
            for e in (v.items if isinstance(v, Items) else (v.shape,)):  # type: ignore[union-attr]
                e = self.element_shape(e)
                shape = e if shape is None else self.common_shape(shape, e)
                if isinstance(shape, Poison):
                    return shape
        if shape is None:
            return vals[0]
        windows = [v for v in vals if isinstance(v, Growing) and v.window]
        if windows and len(windows) < len(vals):
            return Poison("a list on one path and an element of a list on another")
        if windows:
            return self.window_target(slot, shape, windows)
        return self.grow_target(slot, shape)

    def window_target(self, slot: tuple[Any, ...], shape: Value, windows: Sequence[Growing]) -> Value:
        """One row for paths on which it is another row."""
        t: Any = windows[0].stores[0].type
        for w in windows[1:]:
            t = None if t is None else promote(t, w.stores[0].type)
        if t is None:
            return Poison("rows of different types on different paths")
        return Growing(shape, (self.slot_var((*slot, "row"), t),), self.slot_var((*slot, "n"), ir.INT), None, True)

    def move_growing(self, v: Value, t: Growing, copies: list[tuple[Var, Expr]], kept: Sequence[Value] | None = None) -> None:
        """Make the list `v` look like `t` (statements go to the current path)."""
        if isinstance(v, Growing):
            if v.stores != t.stores:
                for a, b in zip(v.stores, t.stores, strict=True):
                    own = a.type == b.type and isinstance(b.type, Array) and not t.window  # buffers are never shared
                    copies.append((b, ir.call("copy", a) if own else convert(a, b.type) if isinstance(b.type, Array) else a))
            if v.length != t.length:
                copies.append((t.length, v.length))  # type: ignore[arg-type]
            return
        assert isinstance(v, Items)
        if kept is None:
            kept = [self.element(i) for i in v.items]
            self.left_behind(v.items, self.moving)
        columns = [nums(i) for i in kept]
        for k, (store, leaf) in enumerate(zip(t.stores, nums(t.shape), strict=True)):
            values = [c[k].expr for c in columns]
            if isinstance(store.type, ListType):
                items = [self.as_var(Num(convert(e, leaf.type)), "item").expr for e in values]
                self.emit(Assign(store, ir.call("list_new", item=store.type.item)))
                for e in items:
                    self.emit(ir.Append(store, e))  # type: ignore[arg-type]
            elif values:
                copies.append((store, ir.call("array_of", *values, shape=(len(values),), dtype=store.type.dtype)))
            else:
                size: Any = 4 if t.capacity is None else t.capacity
                if t.capacity is not None and not (isinstance(size, Call) and size.op == "dim"):
                    size = self.call_number(max, Num(size), number(0)).expr
                copies.append((store, ir.call("zeros", size, dtype=store.type.dtype)))
        copies.append((t.length, Const(len(v.items), ir.INT)))  # type: ignore[arg-type]

    def make_growing(self, ref: Ref) -> Growing:
        """Turn a list into a growing one here."""
        assert self.state is not None
        content = self.state[ref.heap]
        if isinstance(content, Growing):
            return content
        t = self.merge_growing((ref.heap,), [content])
        if isinstance(t, Poison):
            raise self.error(f"this would be {t.reason}", kind=NeedsStatic)
        if not isinstance(t, Growing):
            raise self.error("an empty list is used here before its element type is known", kind=NeedsStatic)
        copies: list[tuple[Var, Expr]] = []
        assert isinstance(content, Items)
        kept = [self.element(i) for i in content.items]
        self.move_growing(content, t, copies, kept)
        self.copy_all(copies)
        self.state[ref.heap] = t
        for k, (e, x) in enumerate(zip(content.items, kept, strict=True)):
            self.put_in(e, x, ref.heap, number(k))
        return t

    def growing_item(self, g: Value, k: Num, owner: Heap | None) -> Value:
        """Element k (not negative) of a growing list; `owner` is None where it is taken out of the list."""
        assert isinstance(g, Growing)
        if owner is not None and any_record(g.shape) and not any(loop.var == k.expr for loop in self.loops):
            k = self.bind(k, "k")
        return self.read_element(g.shape, g, k, owner)

    def list_position(self, g: Growing, i: Value) -> Num:
        """A checked position: negative indices count from the end."""
        k = self.integer(i)  # type: ignore[attr-defined]
        if k.known and k.const < 0:
            return Num(ir.call("add", g.length, k.const))
        if k.known and any(isinstance(n, Const) for n in (k.expr,)) or self.lazy:
            if self.lazy and not (k.known or self.counts_up(k.expr)):
                return Num(ir.call("ifexp", ir.call("lt", k.expr, 0), ir.call("add", k.expr, g.length), k.expr))
            return k
        k = self.bind(k, "k") if not isinstance(k.expr, Var) else k
        stop = self.counts_up(k.expr)
        if stop is None:
            k = self.bind(Num(ir.call("ifexp", ir.call("lt", k.expr, 0), ir.call("add", k.expr, g.length), k.expr)), "k")
        if stop is not True and stop != g.length:
            outside = ir.call("ge", k.expr, g.length)
            if stop is None:
                outside = ir.call("or", ir.call("lt", k.expr, 0), outside)
            self.raise_if(outside, IndexError, "list index out of range")
        return k

    def counts_up(self, e: Expr) -> Any:
        """The bound of the loop whose counter (from 0 or more upwards) this is, else None."""
        for loop in self.loops:
            r = loop.range
            if loop.var == e and r is not None and r.start.known and r.start.const >= 0 and r.step.known and r.step.const > 0:
                return r.stop.expr
        return None

    def growing_subscript(self, base: Ref, i: Value) -> Value:
        g = self.contents(base)  # type: ignore[attr-defined]
        if isinstance(i, SliceOf):
            if is_vector(g):
                a = self.subscript(self.list_view(g), [i])  # type: ignore[attr-defined]
                return self.list_from_array(a, g.shape)
            return self.list_slice(base, g, i)  # type: ignore[attr-defined]
        return self.growing_item(g, self.list_position(g, i), base.heap)

    def list_view(self, g: Growing) -> Num:
        s = g.stores[0]
        if g.window:
            return Num(s)
        return Num(Index(s, (ir.Slice(None, g.length, None),), Array(s.type.dtype, 1)))

    def list_from_array(self, a: Num, shape: Value | None = None) -> Ref:
        """A list of the numbers of a 1-D array."""
        heap = self.list_heap()
        if shape is None:
            shape = Num(Var("?", {"f": ir.FLOAT, "i": ir.INT, "b": ir.BOOL, "c": ir.COMPLEX}[np.dtype(a.type.dtype).kind]))
        g = self.grow_target((heap,), shape)
        self.emit(Assign(g.stores[0], ir.call("copy", a.expr)))
        self.emit(Assign(g.length, ir.call("dim", g.stores[0], axis=0)))  # type: ignore[arg-type]
        assert self.state is not None
        self.state[heap] = g
        return Ref(heap)

    def growing_array(self, v: Ref) -> Num:
        """The array of a growing list (`np.array(list)`)."""
        g = self.contents(v)  # type: ignore[attr-defined]
        assert isinstance(g, Growing)
        if any_record(g.shape, rows=False):
            raise self.error("objects in a list cannot be made an array of numbers")
        if len(g.stores) == 1 and isinstance(g.stores[0].type, Array):
            return self.list_view(g)
        columns = []
        for k, s in enumerate(g.stores):
            columns.append(self.stacked(g, k) if isinstance(s.type, ListType) else Num(Index(s, (ir.Slice(None, g.length, None),), Array(s.type.dtype, 1))))
        if len(columns) == 1:
            return columns[0]
        return self.call(Obj(np.stack), [Tup(tuple(columns)), number(1)], {}, None)  # type: ignore[attr-defined, return-value]

    def stacked(self, g: Growing, k: int) -> Num:
        """`np.stack` of a list of arrays: a loop that copies them."""
        store = g.stores[k]
        item = store.type.array  # type: ignore[union-attr]
        first = self.as_var(Num(Call("item", (store, Const(0, ir.INT)), (), item)), "first")
        dims = [g.length, *(ir.call("dim", first.expr, axis=a) for a in range(item.ndim))]
        out = self.as_var(Num(ir.call("zeros", *dims, dtype=item.dtype)), "stacked")
        i = self.fresh("k", ir.INT)
        row = self.fresh("row", item)
        full = tuple(ir.Slice() for _ in range(item.ndim))
        assert isinstance(out.expr, Var)
        body: list[ir.Stmt] = [Assign(row, Call("item", (store, i), (), item), place=self.place()), ir.Store(out.expr, (i, *full), row, place=self.place())]
        self.emit(ir.For(i, Const(0, ir.INT), g.length, Const(1, ir.INT), body))
        return out

    # ------------------------------------------------------------------------------------------- changing

    def append(self, ref: Ref, x: Value) -> None:
        self.check_writable(ref)  # type: ignore[attr-defined]
        content = self.contents(ref)  # type: ignore[attr-defined]
        assert self.state is not None
        if isinstance(x, Maybe) and x.absent == "conflict":
            x = self.present(x, "the element")  # type: ignore[attr-defined]
        if isinstance(x, Ref) and is_zero_d(x) and (self.loops or isinstance(content, Growing)):
            x.heap.frozen = "it stands in a list that grows at run time"
            x = self.contents(x)  # type: ignore[attr-defined]
        if isinstance(content, Items):
            self.state[ref.heap] = Items((*content.items, self.bind_all(x, "item")))
            return
        assert isinstance(content, Growing)
        e, x = x, self.element(x)
        content = self.fit(ref, content, x)
        length = content.length
        if any_record(x):
            self.put_in(e, x, ref.heap, self.bind(Num(length), "k"))
        for s, n in zip(content.stores, nums(x), strict=True):
            if isinstance(s.type, ListType):
                v = self.as_var(Num(convert(n.expr, s.type.item)), "item")
                self.emit(ir.Append(s, v.expr))  # type: ignore[arg-type]
            else:
                if ref.heap.capacity is None:
                    self.emit(ir.Reserve(s, ir.call("add", length, 1)))
                self.emit(ir.Store(s, (length,), n.expr))
        self.emit(ir.Accum(length, None, Const(1, ir.INT)))  # type: ignore[arg-type]

    def fit(self, ref: Ref, g: Growing, x: Value) -> Growing:
        """The list with an element type that also holds `x`."""
        shape = self.common_shape(g.shape, x)
        if isinstance(shape, Poison):
            raise self.error(f"this would be {shape.reason}", kind=NeedsStatic)
        if all(a.type == b.type for a, b in zip(nums(shape), nums(g.shape), strict=True)):
            return g
        t = self.grow_target((ref.heap,), shape)
        copies: list[tuple[Var, Expr]] = []
        for a, b in zip(g.stores, t.stores, strict=True):
            if a != b and isinstance(a.type, ListType):
                self.any_order(ref.heap, a.type, b.type)
                raise self.error("arrays of different types are put into one list")
            if a != b:
                copies.append((b, convert(a, b.type)))
        self.copy_all(copies)
        new = replace(t, length=g.length)
        assert self.state is not None
        self.state[ref.heap] = new
        return new

    def any_order(self, heap: Heap, a: Any, b: Any) -> None:
        """A list gets arrays with another order of memory: the specialisation starts again, and it may hold both from the start."""
        key = ("order", heap.site)
        if heap.site is not None and key not in self.wide_rows and isinstance(b, ListType) and only_layouts(a, b):
            self.wide_rows[key] = "A"
            raise Restart

    def pop(self, ref: Ref, i: Value | None) -> Value:
        self.check_writable(ref)  # type: ignore[attr-defined]
        content = self.contents(ref)  # type: ignore[attr-defined]
        assert self.state is not None
        if isinstance(content, Items):
            items = list(content.items)
            if not items:
                self.fail(IndexError, "pop from empty list")
            k = -1 if i is None else self.integer(i)  # type: ignore[attr-defined]
            c = k if isinstance(k, int) else self.try_static(k)  # type: ignore[attr-defined]
            if c is not None:
                if not -len(items) <= c < len(items):
                    self.fail(IndexError, "pop index out of range")
                v = items.pop(c)
                self.state[ref.heap] = Items(tuple(items))
                return v
            content = self.make_growing(ref)
        assert isinstance(content, Growing)
        if i is not None and not (isinstance(i, Num) and i.known and i.const == -1):
            return self.pop_at(ref, content, i)
        self.raise_if(ir.call("eq", content.length, 0), IndexError, "pop from empty list")
        self.emit(Assign(content.length, ir.call("sub", content.length, 1)))  # type: ignore[arg-type]
        stores = iter(content.stores)

        def take(n: Num) -> Num:
            s = next(stores)
            if isinstance(s.type, ListType):
                target = self.fresh("item", s.type.item)
                self.emit(ir.Pop(target, s))
                return Num(target)
            return self.bind(self.read_leaf(n, s, Num(content.length)), "item")  # type: ignore[arg-type]

        self.displace(ref.heap)
        return self.owned(map_nums(content.shape, take))

    def pop_at(self, ref: Ref, g: Growing, i: Value) -> Value:
        """`list.pop(i)` of a list that grows at run time."""
        self.raise_if(ir.call("eq", g.length, 0), IndexError, "pop from empty list")
        k = self.integer(i)  # type: ignore[attr-defined]
        at = k if k.known and k.const == 0 else self.bind(self.list_position(g, i), "k")
        v = map_nums(self.growing_item(g, at, None), lambda n: self.bind(n, "item"))
        self.replace_slice(ref, g, at.expr, self.bind(self.add(at, number(1)), "k").expr, [])  # type: ignore[attr-defined]
        return v

    def list_heap(self, name: str = "list") -> Heap:
        place = self.place()
        return Heap("list", list, name, site=None if place is None else (place.file, place.line))

    def store_list_item(self, ref: Ref, i: Value, value: Value) -> None:
        if ref.heap.row is None or isinstance(i, SliceOf):
            self.check_writable(ref)  # type: ignore[attr-defined]
        else:  # it goes to the array
            self.check_row(ref.heap)
        content = self.contents(ref)  # type: ignore[attr-defined]
        assert self.state is not None
        if isinstance(content, Items):
            if isinstance(i, SliceOf) or (isinstance(i, Obj) and isinstance(i.value, slice)):
                items: list[Any] = list(content.items)
                items[slice(*(self.static(x) for x in (i.lower, i.upper, i.step)))] = self.sequence_items(value)  # type: ignore[attr-defined, union-attr]
                self.state[ref.heap] = Items(tuple(self.bind_all(x) for x in items))
                return
            k = self.integer(i)  # type: ignore[attr-defined]
            c = k.const if k.known else self.try_static(k)  # type: ignore[attr-defined]
            if c is not None:
                n = len(content.items)
                if not -n <= c < n:
                    self.fail(IndexError, "list assignment index out of range")
                items = list(content.items)
                items[c] = self.store((ref.heap, c % n), value)
                self.state[ref.heap] = Items(tuple(items))
                return
            content = self.make_growing(ref)
        if isinstance(i, SliceOf):
            self.replace_slice(ref, content, *self.bounds(content, i), list(self.sequence_items(value)))  # type: ignore[attr-defined]
            return
        kept = self.element(value)
        if content.window:
            content = self.fit_row(ref, content, kept)
        else:
            content = self.fit(ref, content, kept)
        at = self.list_position(content, i)
        if any_record(kept):
            at = self.bind(at, "k")
            self.displace(ref.heap)
        for s, leaf in zip(content.stores, nums(kept), strict=True):
            self.store_leaf(content, s, at, leaf)
        self.put_in(value, kept, ref.heap, at)

    def delete_item(self, base: Value, index: Sequence[Value], node: Any) -> None:
        assert self.state is not None
        if isinstance(base, Ref) and base.heap.kind == "dict":
            self.check_writable(base)  # type: ignore[attr-defined]
            fields = dict(self.contents(base).fields)  # type: ignore[attr-defined]
            fields.pop(self.key_of(index[0]))  # type: ignore[attr-defined]
            self.state[base.heap] = Fields(fields)
            return
        if isinstance(base, Ref) and base.heap.kind == "list":
            if isinstance(index[0], SliceOf):
                self.store_list_item(base, index[0], Tup(()))
            else:
                self.pop(base, index[0])
            return
        raise self.error("del of this item is not supported", node)

    def list_method(self, ref: Ref, name: str, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
        content = self.contents(ref)  # type: ignore[attr-defined]
        assert self.state is not None
        if name == "append":
            self.append(ref, args[0])
            return NONE
        if name == "pop":
            return self.pop(ref, args[0] if args else None)
        if name == "extend":
            self.each(args[0], lambda x: self.append(ref, x))
            return NONE
        if name == "copy":
            return self.copy_list(ref)
        if name == "clear":
            self.check_writable(ref)  # type: ignore[attr-defined]
            self.displace(ref.heap)
            if isinstance(content, Growing):
                if any(isinstance(s.type, ListType) for s in content.stores):
                    raise self.error("clear() of a list of arrays is not supported", hint="Make a new list.")
                self.emit(Assign(content.length, Const(0, ir.INT)))  # type: ignore[arg-type]
            else:
                self.state[ref.heap] = Items(())
            return NONE
        if name == "insert":
            if isinstance(content, Items) and not content.items:
                return self.list_method(ref, "append", args[1:], {})
            self.insert(ref, args[0], args[1])  # type: ignore[attr-defined]
            return NONE
        if name == "remove":
            self.remove(ref, args[0])  # type: ignore[attr-defined]
            return NONE
        if name == "reverse":
            self.reverse_list(ref)  # type: ignore[attr-defined]
            return NONE
        if name == "index" and len(args) == 1:
            return self.index_of(ref, args[0])  # type: ignore[attr-defined]
        if name == "count":
            return self.count_of(ref, args[0])  # type: ignore[attr-defined]
        if name == "sort":
            self.check_writable(ref)  # type: ignore[attr-defined]
            self.sort(ref, kwargs.get("key"), bool(self.static(kwargs.get("reverse", number(False)))))  # type: ignore[attr-defined]
            return NONE
        raise self.error(f"the list method {name} is not supported here")

    def copy_list(self, ref: Ref) -> Ref:
        content = self.contents(ref)  # type: ignore[attr-defined]
        if isinstance(content, Items):
            return self.new_list(content.items)
        heap = self.list_heap()
        g = self.grow_target((heap,), content.shape)
        self.note_copy(ref, content, heap)
        for a, b in zip(content.stores, g.stores, strict=True):
            if isinstance(a.type, ListType):
                self.renew(a, [(Const(0, ir.INT), content.length, lambda k: k)], b)  # type: ignore[attr-defined]
            else:
                self.emit(Assign(b, ir.call("copy", a)))
        self.emit(Assign(g.length, content.length))  # type: ignore[arg-type]
        assert self.state is not None
        self.state[heap] = g
        return Ref(heap)

    def note_copy(self, ref: Ref, g: Growing, new: Heap) -> None:
        """The elements of a list are those of another one too."""
        if any(isinstance(s.type, Array) and s.type.ndim > 1 for s in g.stores):
            raise self.error("a copy of this nested list is not supported")
        if any_record(g.shape, rows=False):
            self.share(ref.heap)
            self.share(new)

    def concatenate_lists(self, a: Value, b: Value) -> Value:
        x, y = self.contents(a), self.contents(b)  # type: ignore[attr-defined]
        if isinstance(x, Items) and isinstance(y, Items):
            return self.new_list([*x.items, *y.items])
        out = self.copy_list(a)  # type: ignore[arg-type]
        self.each(b, lambda v: self.append(out, v))
        return out

    def repeat(self, v: Value, n: Num) -> Value:
        if not n.type.dtype.startswith("int"):
            raise self.error("a sequence is multiplied by something that is not an integer", hint="Make it an array first: np.array(...).")
        k = n.const if n.known and n.const <= 32 else None
        if isinstance(v, Tup):
            return Tup(v.items * (k if k is not None else self.need_static(n, "the length of this tuple")))  # type: ignore[attr-defined]
        items = self.sequence_items(v)  # type: ignore[attr-defined]
        if k is not None:
            return self.new_list(list(items) * k)
        if len(items) == 1 and isinstance(items[0], Num) and not items[0].is_array:
            heap = self.list_heap()
            g = self.grow_target((heap,), items[0])
            count = self.bind(n, "n")
            self.emit(Assign(g.stores[0], ir.call("full", items[0].expr, count.expr, dtype=g.stores[0].type.dtype)))
            self.emit(Assign(g.length, count.expr))  # type: ignore[arg-type]
            assert self.state is not None
            self.state[heap] = g
            return Ref(heap)
        err = self.error("this list repeated a number of times known at run time only is not supported", kind=NeedsStatic,
                         hint="Append to an empty list, or fill an array: np.empty((n, ...)).")
        err.origin = self.integer_origin([n.expr])  # type: ignore[attr-defined]
        raise err
