"""Builtins that make, read or fold iterables: range, len, zip, list, sum, max, any, sorted, np.nditer."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from s2sgrad import errors, ir
from s2sgrad.frontend.builtin import Builtins, Special, means
from s2sgrad.frontend.iterators import VIEWS
from s2sgrad.frontend.unify import fits
from s2sgrad.frontend.values import NONE, UNKNOWN, Cell, Fields, Growing, Items, Iter, Num, Obj, Partial, Range, Ref, SliceOf, Tup, Value, describe, number
from s2sgrad.ir import Scalar
from s2sgrad.library import ufuncs
from s2sgrad.library.iteration import repeat


@means(range)
def _range(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return m.make_range(a, k, n)


@means(len)
def _len(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    v = m.present(a[0])
    if isinstance(v, Num):
        if not v.is_array:
            raise m.refusal(TypeError, "a number has no len()", n)
        return Num(ir.call("dim", v.expr, axis=0))
    if isinstance(v, Iter) and v.kind in VIEWS:
        return number(len(m.view_items(v)))
    if m.is_iterator(v) or isinstance(v, Iter):
        raise m.refusal(TypeError, "an iterator has no len()", n)
    if isinstance(v, Ref):
        c = m.contents(v)
        if isinstance(c, Growing):
            return Num(c.length)
        if v.heap.kind == "object":
            return m.call(Obj(v.heap.cls.__len__), [v], {}, n)
        return number(len(c.items)) if isinstance(c, Items) else m.count_keys(v)
    if isinstance(v, Obj):
        return number(len(v.value))
    if isinstance(v, Range):
        return m.range_size(v)
    return number(len(m.sequence_items(v)))


@means(enumerate)
def _enumerate(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return Iter("enumerate", (m.present(a[0]),), a[1] if len(a) > 1 else k.get("start", number(0)))


@means(zip)
def _zip(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    parts = tuple(m.present(x) for x in a)
    if "strict" in k and m.static(k["strict"]):
        if m.catches(ValueError) or any(m.is_iterator(p) or not m.random(p) for p in parts):
            raise m.error("zip(strict=True) of these is not supported", n, "Compare the lengths before the loop.")
        first, *others = [m.sequence(p).length for p in parts] or [number(0)]
        for p in others:
            if p.known and first.known and p.const != first.const:
                m.fail(ValueError, "zip() arguments have different lengths")
            if p.expr != first.expr and not (p.known and first.known):
                m.raise_if(ir.call("ne", p.expr, first.expr), ValueError, "zip() arguments have different lengths")
    return Iter("zip", parts) if a else Tup(())


def _itself(x: Any) -> Any:
    return x


@means(iter)
def _iter(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    v = m.present(a[0])
    if len(a) > 1:
        raise m.error("iter with a sentinel is not supported", n)
    if isinstance(v, Ref) and v.heap.kind == "object":
        return m.call(m.class_attribute(v, v.heap.cls, "__iter__", n), [], {}, n)
    return v if isinstance(v, Iter) and v.kind not in VIEWS or m.is_iterator(v) else Iter("map", (v,), Obj(_itself))


@means(itertools.count)
def _count(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    values = [*a, *k.values()] if not k else [a[0] if a else k.get("start", number(0)), k.get("step", number(1))]
    return Iter("count", (*values, *[number(0), number(1)][len(values):]))


@means(itertools.repeat)
def _repeat(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    if len(a) == 1 and not k:
        return Iter("repeat", (a[0],))
    return m.call(Obj(repeat), a, k, n)


@means(next)
def _next(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return m.next_of(m.present(a[0]), a[1] if len(a) > 1 else None, n)


@means(reversed)
def _reversed(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    v = m.present(a[0])
    if isinstance(v, Range) and v.step.known:
        step = v.step.const
        length = m.range_length(v)
        last = m.add(v.start, m.mul(m.sub(length, number(1)), v.step)) if abs(step) != 1 else m.sub(v.stop, number(step))
        return Range(last, m.sub(v.start, number(step)), number(-step), v.strong)
    if isinstance(v, Ref) and v.heap.kind == "dict":
        return Tup(tuple(reversed(m.sequence_items(v))))
    return Iter("reversed", (v,))


@means(map)
def _map(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return Iter("map", tuple(m.present(x) for x in a[1:]), a[0])


@means(filter)
def _filter(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return Iter("filter", (m.present(a[1]),), a[0])


@means(list)
def _list(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    if not a:
        return m.new_list([])
    v = m.present(a[0])
    if isinstance(v, Ref) and v.heap.kind == "list":
        return m.copy_list(v)
    return m.collect(v)


@means(tuple)
def _tuple(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    if not a:
        return Tup(())
    v = m.present(a[0])
    return Tup(tuple(m.sequence_items(v)))


@means(dict)
def _dict(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    fields: dict[Any, Value] = {}
    if a:
        v = m.present(a[0])
        if isinstance(v, Ref) and v.heap.kind == "dict":
            content = m.contents(v)
            assert isinstance(content, Fields)
            fields.update(content.fields)
        else:
            for pair in m.sequence_items(v):
                key, value = m.sequence_items(pair)
                fields[m.key_of(key)] = value
    return m.new_dict({**fields, **k})


@means(sum)
def _sum(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    start = a[1] if len(a) > 1 else k.get("start", number(0))
    v = m.present(a[0])
    if isinstance(v, Num) and v.is_array:
        total = m.call(Obj(np.sum), [v], {"axis": number(0)}, n)
        return total if isinstance(start, Num) and start.known and start.const == 0 else m.add(start, total)
    return m.fold_iterable(v, start, m.add)


def _fold(self: Builtins, v: Value, start: Value, step: Any) -> Value:
    """start + x0 + x1 + ... over an iterable."""
    cell = Cell("total")
    known = isinstance(v, Tup) or (isinstance(v, Ref) and isinstance(self.contents(v), Items))
    if known:
        out = start
        for i, x in enumerate(self.sequence_items(v)):
            zero = i == 0 and isinstance(out, Num) and out.known and out.const == 0 and isinstance(x, Num) and x.type.dtype != "bool"
            out = x if zero else step(out, x)
        return out
    self.set_cell(cell, start)

    def add(x: Value) -> None:
        assert self.state is not None
        old = self.checked(self.state[cell])
        new = step(old, x)
        grows = isinstance(old, Num) and isinstance(x, Num) and isinstance(new, Num) and old.type == new.type and isinstance(old.type, Scalar)
        if step == self.add and grows and isinstance(old.expr, ir.Var) and self.slot_vars.get(((cell,), old.type)) == old.expr:
            self.emit(ir.Accum(old.expr, None, x.expr))
            self.state[cell] = Num(old.expr)
        else:
            self.set_cell(cell, new)

    self.each(v, add)
    assert self.state is not None
    return self.checked(self.state.pop(cell), "the sum")


Builtins.fold_iterable = _fold


def _largest(items: Any, key: Any) -> Any:
    """`max(items, key=key)`, inlined as if the user had written it."""
    values = list(items)
    best, height = values[0], key(values[0])
    for v in values[1:]:
        h = key(v)
        if h > height:
            best, height = v, h
    return best


def _smallest(items: Any, key: Any) -> Any:
    values = list(items)
    best, height = values[0], key(values[0])
    for v in values[1:]:
        h = key(v)
        if h < height:
            best, height = v, h
    return best


def _extreme(python: Any, numpy: Any) -> Special:
    def special(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
        if "key" in k and not (isinstance(k["key"], Obj) and k["key"].value is None):
            best = _largest if python is max else _smallest
            return m.call(Obj(best), [m.new_tuple(m.new_list(a)) if len(a) > 1 else a[0], k["key"]], {}, n)
        if len(a) > 1:
            out = a[0]
            for x in a[1:]:
                out = m.pair(python, out, x, n)
            return out
        v = m.present(a[0])
        if isinstance(v, Iter) or m.is_iterator(v):
            v = m.collect(v)
        if isinstance(v, Obj | Range) or (isinstance(v, Ref) and v.heap.kind != "list"):
            v = m.new_tuple(v)
        fixed = isinstance(v, Tup) or (isinstance(v, Ref) and isinstance(m.contents(v), Items))
        if fixed:
            items = list(m.sequence_items(v))
            default = k.get("default")
            if not items:
                if default is not None:
                    return default
                m.fail(ValueError, f"{python.__name__}() arg is an empty sequence")
            out = items[0]
            for x in items[1:]:
                out = m.pair(python, out, x, n)
            return out
        content = m.contents(v) if isinstance(v, Ref) else None
        if isinstance(content, Growing) and "default" in k:
            default = k["default"]
            return m.choose(ir.call("gt", content.length, 0), lambda: special(m, [v], {}, n), lambda: default)
        if isinstance(content, Growing) and not isinstance(content.shape, Num):
            return m.call(Obj(_largest if python is max else _smallest), [v, Obj(_itself)], {}, n)
        e = m.call(Obj(numpy), [m.growing_array(v) if isinstance(v, Ref) else m.numeric(v)], {}, n)
        return m.python_number(e) if isinstance(content, Growing) and content.shape.type.weak else e  # type: ignore[arg-type]

    return special


def _pair(self: Builtins, python: Any, a: Value, b: Value, node: Any) -> Value:
    a, b = self.present(a), self.present(b)
    if isinstance(a, Num) and isinstance(b, Num):
        if a.known and b.known and not a.is_array and not b.is_array:
            return number(python(a.const, b.const))
        for x, y in ((a, b), (b, a)):  # Python returns one of them as it is: its type must not depend on the values
            if isinstance(x.type, Scalar) and isinstance(y.type, Scalar) and not y.type.weak and not fits(x.type, x.const if x.known else UNKNOWN, y.type):
                raise self.error(f"the result would be {describe(x)} or {describe(y)}, whichever is chosen at run time", node,
                                 "Use np.maximum or np.minimum, or make both of one type.", errors.TypeConflict)
        return self.primitive(python, [a, b], {}, node)
    better = self.truth(self.compare_values("Gt" if python is max else "Lt", b, a))
    if isinstance(better, bool):
        return b if better else a
    return self.choose(better, lambda: b, lambda: a)


Builtins.pair = _pair
means(max)(_extreme(max, np.max))
means(min)(_extreme(min, np.min))


def inverse(c: Any) -> Any:
    return not c if isinstance(c, bool) else ir.call("not", c)


def _quantifier(every: bool) -> Special:
    def special(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
        v = m.present(a[0])
        if isinstance(v, Num) and v.is_array:
            return m.call(Obj(np.all if every else np.any), [v], {}, n)
        if isinstance(v, Tup) or (isinstance(v, Ref) and isinstance(m.contents(v), Items)):
            conds = [m.truth(x) for x in m.sequence_items(v)]
            c = m.every(conds) if every else m.either(conds)
            return number(c) if isinstance(c, bool) else Num(c)
        if every:
            c = m.found(v, lambda x: inverse(m.truth(x)))
            return number(not c) if isinstance(c, bool) else Num(ir.call("not", c))
        c = m.found(v, m.truth)
        return number(c) if isinstance(c, bool) else Num(c)

    return special


means(any)(_quantifier(False))
means(all)(_quantifier(True))


@means(sorted)
def _sorted(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    v = m.present(a[0])
    if isinstance(v, Num) and "key" not in k:
        ref: Value = m.list_from_array(m.numeric(m.call(Obj(np.sort), [v], {}, n)))
        if "reverse" in k and m.static(k["reverse"]):
            return m.list_from_array(m.subscript(m.growing_array(ref), [Obj(slice(None, None, -1))]))  # type: ignore[arg-type]
        return ref
    ref = m.collect(v)
    m.list_method(ref, "sort", [], k)  # type: ignore[arg-type]
    return ref


@means(slice)
def _slice(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    lower, upper, step = (NONE, a[0], NONE) if len(a) == 1 else (*a, NONE) if len(a) == 2 else a
    return SliceOf(lower, upper, step)


@means(np.ndindex)
def _ndindex(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    dims = list(m.sequence_items(a[0])) if len(a) == 1 and not isinstance(a[0], Num) else a
    sizes = Tup(tuple(m.bind(m.integer(d), "n") for d in dims))
    total = m.fold_iterable(sizes, number(1), m.mul) if dims else number(1)
    return Iter("map", (m.make_range([total], {}, n),), Partial(Obj(ufuncs.grid_places), (sizes,), {}))


@means(np.ndenumerate)
def _ndenumerate(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    x = m.as_var(m.numeric(a[0]), "view")
    return Iter("map", (m.make_range([m.number_attribute(x, "size", n)], {}, n),), Partial(Obj(ufuncs.entry), (x,), {}))


@means(np.nditer)
def _nditer(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    v = m.present(a[0])
    many = isinstance(v, Tup | Ref)
    arrays = [m.as_var(m.numeric(x), "view") for x in (m.sequence_items(v) if many else [v])]
    order = m.static(k.pop("order", Obj("K")))
    if k or len(a) > 1:
        raise m.error("options of np.nditer are not supported", n, "Loop over indices.")
    if order not in ("C", "K") or any(not x.is_array or (x.type.ndim > 1 and order == "K" and x.type.layout != "C") for x in arrays):
        raise m.error("np.nditer of an array that is not C-contiguous follows its memory", n, "Give order='C', or loop over indices.")
    if len({x.type.ndim for x in arrays}) > 1:
        raise m.error("np.nditer of arrays of different ranks is not supported", n, "Loop over indices.")
    step = Partial(Obj(ufuncs.elements), (Tup(tuple(arrays)),), {}) if many else Partial(Obj(ufuncs.element), (arrays[0],), {})
    return Iter("map", (m.make_range([m.number_attribute(arrays[0], "size", n)], {}, n),), step)
