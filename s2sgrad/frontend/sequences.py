"""Lists as Python uses them: sorting, equality, inserting, removing and replacing elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.lists import Lists
from s2sgrad.frontend.records import is_vector
from s2sgrad.frontend.values import NONE, Growing, Items, Iter, Num, Obj, Ref, SliceOf, Tup, Value, describe, number, nums
from s2sgrad.ir import Array, Assign, Call, Const, Expr, Index, ListType, Var


class Sequences(Lists):
    # ------------------------------------------------------------------------------------------- sorting

    def sort(self, ref: Ref, key: Value | None, reverse: bool) -> None:
        """`list.sort`: stable, also in reverse."""
        content = self.contents(ref)  # type: ignore[attr-defined]
        plain = key is None or (isinstance(key, Obj) and key.value is None)
        if isinstance(content, Items):
            items = list(content.items)
            keys = items if plain else [self.bind_all(self.call(key, [v], {}, None), "key") for v in items]  # type: ignore[attr-defined]
            if len(items) < 2:
                return
            decided = self.deciding(keys)
            if decided is not None:
                values = decided
                order = sorted(range(len(items)), key=lambda i: values[i], reverse=reverse)
                self.state[ref.heap] = Items(tuple(items[i] for i in order))  # type: ignore[index]
                return
            columns = self.columns(keys)
            content = self.make_growing(ref)
        else:
            listed = content if plain else self.contents(self.collect(Iter("map", (ref,), key)))  # type: ignore[attr-defined]
            assert isinstance(listed, Growing)
            columns = [self.column(listed, k) for k in range(len(listed.stores))]
        assert isinstance(content, Growing)
        if plain and is_vector(content):
            self.sort_numbers(content, reverse)
            return
        self.permute(ref, content, self.order(columns, reverse))

    def deciding(self, keys: Sequence[Value]) -> list[Any] | None:
        """Constants that order the keys on their own: the keys, or the first items of tuples where all of them differ."""
        if all(map(known, keys)):
            return [self.static(k) for k in keys]  # type: ignore[attr-defined]
        if not all(isinstance(k, Tup) and k.items for k in keys):
            return None
        first = [k.items[0] for k in keys]  # type: ignore[attr-defined]
        if not all(map(known, first)):
            return None
        values = [self.static(k) for k in first]  # type: ignore[attr-defined]
        return values if all(values[i] != values[j] for i in range(len(values)) for j in range(i)) else None

    def sort_numbers(self, g: Growing, reverse: bool) -> None:
        e: Expr = self.call(Obj(np.sort), [self.list_view(g)], {}, None).expr  # type: ignore[attr-defined]
        if reverse:
            e = Index(e, (ir.Slice(None, None, Const(-1, ir.INT)),), Array(e.type.dtype, 1, "A"))  # type: ignore[union-attr]
        self.emit(ir.Store(g.stores[0], (ir.Slice(None, g.length, None),), e))

    def columns(self, keys: Sequence[Value]) -> list[Num]:
        """Keys of a list of known length as arrays that are compared one after the other."""
        if all(isinstance(k, Tup) for k in keys) and len({len(k.items) for k in keys}) == 1:  # type: ignore[attr-defined]
            return [c for column in zip(*(k.items for k in keys), strict=True) for c in self.columns(column)]  # type: ignore[attr-defined]
        if all(isinstance(k, Num) and not k.is_array for k in keys):
            return [self.as_array(Tup(tuple(keys)))]  # type: ignore[attr-defined]
        if all(map(known, keys)):  # strings and the like: their ranks
            values = [self.static(k) for k in keys]  # type: ignore[attr-defined]
            ranks = {v: i for i, v in enumerate(sorted(set(values)))}
            return [self.as_array(Tup(tuple(number(ranks[v]) for v in values)))]  # type: ignore[attr-defined]
        raise self.error(f"sorting by {describe(keys[0])} is not supported")

    def column(self, g: Growing, k: int) -> Num:
        s = g.stores[k]
        if isinstance(s.type, ListType):
            raise self.error("sorting by arrays is not supported")
        return Num(Index(s, (ir.Slice(None, g.length, None),), Array(s.type.dtype, 1)))

    def order(self, columns: Sequence[Num], reverse: bool) -> Num:
        """The permutation that sorts by the first column, ties by the next, and so on."""
        out: Num | None = None
        for c in reversed(columns):
            c = c if out is None else self.subscript(c, [out])  # type: ignore[attr-defined]
            if reverse:
                c = Num(ir.call("neg", ir.call("astype", c.expr, dtype="int64") if c.type.dtype == "bool" else c.expr))
            by = Num(ir.call("argsort", c.expr, axis=0))
            out = self.as_var(by if out is None else self.subscript(out, [self.as_var(by, "order")]), "order")  # type: ignore[attr-defined]
        assert out is not None
        return out

    def permute(self, ref: Ref, g: Growing, order: Num) -> None:
        """The elements of a list in another order."""
        self.displace(ref.heap)
        for k, s in enumerate(g.stores):
            if isinstance(s.type, Array):
                self.emit(ir.Store(s, (ir.Slice(None, g.length, None),), self.subscript(self.column(g, k), [order]).expr))  # type: ignore[attr-defined]
            else:
                at = lambda k: self.subscript(order, [Num(k)]).expr  # type: ignore[attr-defined]
                self.renew(s, [(Const(0, ir.INT), g.length, at)])

    # ------------------------------------------------------------------------------------------- lists of arrays

    def renew(self, store: Var, pieces: Sequence[Any], target: Var | None = None) -> None:
        """A list of arrays made of pieces: (start, stop, where element k stands in the old list), or arrays."""
        assert isinstance(store.type, ListType)
        item: Any = store.type.item
        new = self.fresh(store.name, store.type) if target is None else target
        self.emit(Assign(new, ir.call("list_new", item=item)))
        for p in pieces:
            if isinstance(p, Num):
                self.emit(ir.Append(new, self.as_var(p, "item").expr))  # type: ignore[arg-type]
                continue
            start, stop, at = p
            k, v = self.fresh("k", ir.INT), self.fresh("item", item)
            with self.block() as body:
                self.emit(Assign(v, Call("item", (store, at(k)), (), item)))
                self.emit(ir.Append(new, v))
            self.emit(ir.For(k, start, stop, Const(1, ir.INT), body))
        if target is None:
            self.emit(Assign(store, new))

    # ------------------------------------------------------------------------------------------- replacing

    def replace_slice(self, ref: Ref, g: Growing, start: Expr, stop: Expr, new: Sequence[Value]) -> None:
        """`list[start:stop] = new` (0 <= start <= stop <= length) in a list that grows at run time."""
        kept = [self.element(x) for x in new]
        for x in kept:
            g = self.fit(ref, g, x)
        assert self.state is not None
        self.displace(ref.heap)
        self.left_behind(new, ref.heap)
        columns = [[n.expr for n in nums(x)] for x in kept]
        for k, s in enumerate(g.stores):
            values = [c[k] for c in columns]
            if isinstance(s.type, ListType):
                here = lambda k: k
                self.renew(s, [(Const(0, ir.INT), start, here), *(Num(v) for v in values), (stop, g.length, here)])
                continue
            tail: Expr = Index(s, (ir.Slice(stop, g.length, None),), Array(s.type.dtype, 1))
            if values:  # the buffer may move, and the tail is written over
                tail = self.as_var(Num(ir.call("copy", tail)), "tail").expr
                self.emit(ir.Reserve(s, ir.call("add", g.length, len(values))))
            end = self.bind(Num(ir.call("add", start, len(values))), "k").expr if values else start
            self.emit(ir.Store(s, (ir.Slice(end, ir.call("add", end, ir.call("sub", g.length, stop)), None),), tail))
            for j, v in enumerate(values):
                self.emit(ir.Store(s, (ir.call("add", start, j) if j else start,), v))
        self.emit(Assign(g.length, ir.call("add", ir.call("sub", g.length, ir.call("sub", stop, start)), len(new))))  # type: ignore[arg-type]

    def list_slice(self, base: Ref, g: Growing, i: SliceOf) -> Ref:
        """A slice of a list that grows at run time: a list of its own."""
        start, stop = self.bounds(g, i)
        heap = self.list_heap()
        self.note_copy(base, g, heap)
        out = self.grow_target((heap,), g.shape)
        for s, t in zip(g.stores, out.stores, strict=True):
            if isinstance(s.type, ListType):
                self.renew(s, [(start, stop, lambda k: k)], t)
            else:
                self.emit(Assign(t, ir.call("copy", Index(s, (ir.Slice(start, stop, None),), Array(s.type.dtype, 1)))))
        self.emit(Assign(out.length, ir.call("sub", stop, start)))  # type: ignore[arg-type]
        assert self.state is not None
        self.state[heap] = out
        return Ref(heap)

    def bounds(self, g: Growing, i: SliceOf) -> tuple[Expr, Expr]:
        """Start and stop of a slice of a growing list, within its length."""
        if not (isinstance(i.step, Obj) and i.step.value is None):
            raise self.error("a step in this slice of a list that grows at run time is not supported")

        def clip(v: Value, default: Expr) -> Expr:
            if isinstance(v, Obj) and v.value is None:
                return default
            return self.clipped(Num(g.length), self.integer(v))  # type: ignore[attr-defined]

        start = clip(i.lower, Const(0, ir.INT))
        stop = clip(i.upper, g.length)
        if stop is g.length or stop == start:
            return start, stop
        return start, self.bind(self.call_number(max, Num(start), Num(stop)), "stop").expr

    def clipped(self, length: Num, k: Num) -> Expr:
        """A position between 0 and the length; negative ones count from the end."""
        if k.known and k.const == 0:
            return Const(0, ir.INT)
        if not k.known or k.const < 0:
            e = k.expr if k.known else self.bind(k, "k").expr
            wrapped = ir.call("add", e, length.expr)
            k = Num(wrapped if k.known else ir.call("ifexp", ir.call("lt", e, 0), wrapped, e))
            k = self.call_number(max, k, number(0))
        return self.bind(self.call_number(min, k, length), "k").expr

    # ------------------------------------------------------------------------------------------- searching

    def numbers_of(self, ref: Ref) -> Num:
        """The elements of a growing list of numbers, as an array."""
        g = self.contents(ref)  # type: ignore[attr-defined]
        if not (isinstance(g, Growing) and is_vector(g)):
            raise self.error("searching in this list, which grows at run time, is not supported")
        return self.list_view(g)

    def matches(self, ref: Ref, x: Value) -> Num:
        v = self.compare_values("Eq", self.numbers_of(ref), self.numeric(x))  # type: ignore[attr-defined]
        assert isinstance(v, Num)
        return self.as_var(v, "found")

    def find(self, ref: Ref, x: Value, message: str) -> Num:
        """The first position of a value in a growing list; ValueError where there is none."""
        found = self.matches(ref, x)
        none = ir.call("not", self.call(Obj(np.any), [found], {}, None).expr)  # type: ignore[attr-defined]
        self.raise_if(none, ValueError, message)
        k = self.call(Obj(np.argmax), [found], {}, None)  # type: ignore[attr-defined]
        return self.bind(Num(ir.call("pyint", k.expr)), "k")

    def equal_lists(self, a: Value, b: Value) -> Any:
        """`a == b` where the length of one of them is known at run time only."""
        x, y = self.numeric(a), self.numeric(b)  # type: ignore[attr-defined]
        if x.expr.ndim != 1 or y.expr.ndim != 1:
            raise self.error("comparing these lists is not supported")
        x, y = self.as_var(x, "a"), self.as_var(y, "b")
        alike = ir.call("eq", ir.call("dim", x.expr, axis=0), ir.call("dim", y.expr, axis=0))
        test = lambda: self.call(Obj(np.all), [self.compare_values("Eq", x, y)], {}, None)  # type: ignore[attr-defined]
        return self.truth(self.choose(alike, lambda: Num(ir.call("pybool", test().expr)), lambda: number(False)))  # type: ignore[attr-defined]

    # ------------------------------------------------------------------------------------------- methods

    def insert(self, ref: Ref, i: Value, x: Value) -> None:
        self.check_writable(ref)  # type: ignore[attr-defined]
        content = self.contents(ref)  # type: ignore[attr-defined]
        k = self.integer(i)  # type: ignore[attr-defined]
        if isinstance(content, Items) and (k.known or self.try_static(k) is not None):  # type: ignore[attr-defined]
            items = list(content.items)
            items.insert(self.static(k), self.bind_all(x, "item"))  # type: ignore[attr-defined]
            self.state[ref.heap] = Items(tuple(items))  # type: ignore[index]
            return
        g = self.make_growing(ref)
        at = self.clipped(Num(g.length), k)
        self.replace_slice(ref, g, at, at, [x])

    def remove(self, ref: Ref, x: Value) -> None:
        self.check_writable(ref)  # type: ignore[attr-defined]
        content = self.contents(ref)  # type: ignore[attr-defined]
        if isinstance(content, Items):
            same = [self.equal(v, x) for v in content.items]  # type: ignore[attr-defined]
            if all(isinstance(c, bool) for c in same):
                if True not in same:
                    self.fail(ValueError, "list.remove(x): x not in list")
                k = same.index(True)
                self.state[ref.heap] = Items((*content.items[:k], *content.items[k + 1:]))  # type: ignore[index]
                return
        g = self.make_growing(ref)
        at = self.find(ref, x, "list.remove(x): x not in list").expr
        self.replace_slice(ref, g, at, self.bind(Num(ir.call("add", at, 1)), "k").expr, [])

    def index_of(self, ref: Ref, x: Value) -> Num:
        content = self.contents(ref)  # type: ignore[attr-defined]
        if isinstance(content, Items):
            same = []
            for k, v in enumerate(content.items):
                same.append(self.equal(v, x))  # type: ignore[attr-defined]
                if same[-1] is True and all(c is False for c in same[:-1]):
                    return number(k)
            if all(c is False for c in same):
                self.fail(ValueError, "list.index(x): x not in list")
            self.make_growing(ref)
        return self.find(ref, x, "list.index(x): x not in list")

    def count_of(self, ref: Ref, x: Value) -> Num:
        content = self.contents(ref)  # type: ignore[attr-defined]
        if isinstance(content, Items):
            total = number(0)
            for v in content.items:
                c = self.equal(v, x)  # type: ignore[attr-defined]
                total = self.add(total, number(int(c)) if isinstance(c, bool) else Num(ir.call("pyint", c)))
            return total
        n = self.call(Obj(np.sum), [self.matches(ref, x)], {}, None)  # type: ignore[attr-defined]
        return Num(ir.call("pyint", n.expr))

    def reverse_list(self, ref: Ref) -> None:
        self.check_writable(ref)  # type: ignore[attr-defined]
        content = self.contents(ref)  # type: ignore[attr-defined]
        if isinstance(content, Items):
            self.state[ref.heap] = Items(content.items[::-1])  # type: ignore[index]
            return
        self.displace(ref.heap)
        for k, s in enumerate(content.stores):
            if isinstance(s.type, Array):
                back = Index(self.column(content, k).expr, (ir.Slice(None, None, Const(-1, ir.INT)),), Array(s.type.dtype, 1, "A"))
                self.emit(ir.Store(s, (ir.Slice(None, content.length, None),), back))
            else:
                at: Callable[[Expr], Expr] = lambda k: ir.call("sub", ir.call("sub", content.length, 1), k)
                self.renew(s, [(Const(0, ir.INT), content.length, at)])


def known(v: Value) -> bool:
    """Is a value a constant of the program?"""
    if isinstance(v, Tup):
        return all(map(known, v.items))
    return isinstance(v, Obj) or (isinstance(v, Num) and v.known and not v.is_array)


__all__ = ["NONE", "Sequences", "known"]
