"""Python's builtins and the NumPy functions that are about structure (not just numbers)."""

from __future__ import annotations

import builtins
import functools
import itertools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad import errors, ir, library
from s2sgrad.frontend.calls import Calls, qualified
from s2sgrad.frontend.iterators import VIEWS
from s2sgrad.frontend.machine import fits
from s2sgrad.frontend.source import source_of
from s2sgrad.frontend.values import (
    NONE,
    UNKNOWN,
    Cell,
    Error,
    Fields,
    Func,
    Growing,
    Items,
    Iter,
    Maybe,
    Method,
    Num,
    Obj,
    Partial,
    Range,
    Ref,
    SliceOf,
    Text,
    Tup,
    Value,
    describe,
    number,
)
from s2sgrad.ir import Const, Scalar
from s2sgrad.library import ufuncs
from s2sgrad.library.iteration import from_iterable, repeat
from s2sgrad.rules import registry
from s2sgrad.rules.linalg import adj, result_class

Special = Callable[[Any, list[Value], dict[str, Value], Any], Value]
TABLE: dict[int, tuple[Any, Special]] = {}
FROMKEYS = dict.fromkeys  # made anew at each reading: this one stands for all


def means(*objects: Any) -> Callable[[Special], Special]:
    def declare(f: Special) -> Special:
        for o in objects:
            TABLE[id(o)] = o, f
        return f

    return declare


class Builtins(Calls):
    def special(self, obj: Any) -> Callable[..., Value] | None:
        found = TABLE.get(id(obj))
        if found is not None and found[0] is obj:
            return functools.partial(found[1], self)
        if isinstance(obj, types.BuiltinFunctionType) and isinstance(getattr(obj, "__self__", None), np.ufunc):
            return functools.partial(self.ufunc_method, obj.__self__, obj.__name__)
        if isinstance(obj, types.BuiltinFunctionType) and getattr(obj, "__self__", None) is itertools.chain and obj.__name__ == "from_iterable":
            return lambda args, kwargs, node: self.inline(self.function(from_iterable, None), args, kwargs, node)  # type: ignore[arg-type]
        if isinstance(obj, types.BuiltinFunctionType) and getattr(obj, "__self__", None) is dict and obj.__name__ == "fromkeys":
            return lambda args, kwargs, node: TABLE[id(FROMKEYS)][1](self, args, kwargs, node)
        name = getattr(obj, "__name__", "")
        if name == "prange" and (getattr(obj, "__module__", "") or "").startswith("numba"):
            return functools.partial(self.make_range, parallel=True)
        op = MULTI.get(id(obj))
        if op is not None and op[1] in registry.OPS:
            return functools.partial(self.several, op[1], obj)
        return None

    def make_range(self, args: list[Value], kwargs: dict[str, Value], node: Any, parallel: bool = False) -> Value:
        values = [self.integer(a) for a in args]
        start, stop, step = (number(0), values[0], number(1)) if len(values) == 1 else (*values, number(1)) if len(values) == 2 else values
        if step.known and step.const == 0:
            self.fail(ValueError, "range() arg 3 must not be zero")
        return Range(start, stop, step, False, parallel)

    def several(self, op: str, obj: Any, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        """An operation with several results."""
        return self.several_results(op, obj, args, kwargs, node)

    def several_results(self, op: str, obj: Any, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        named = POSITIONAL.get(op, ())
        kwargs = {**dict(zip(named, args[1:], strict=False)), **kwargs} if named else kwargs
        args = args[:1] if named else args
        a = tuple(self.numeric(x).expr for x in args)
        full = True
        if op == "svd":
            if "full_matrices" in kwargs:
                full = bool(self.static(kwargs.pop("full_matrices")))
            if "compute_uv" in kwargs and not self.static(kwargs.pop("compute_uv")):
                s = self.several_results(op, obj, args, {"full_matrices": number(False)}, node)
                assert isinstance(s, Tup)
                return s.items[1]
        if op == "lstsq":
            kwargs.pop("rcond", None)
        mode = self.static(kwargs.pop("mode", Obj("reduced"))) if op == "qr" else None
        if mode not in (None, "reduced", "r"):
            raise self.error("np.linalg.qr is supported with mode='reduced' and mode='r' only", node)
        if op == "eigh" and self.static(kwargs.pop("UPLO", Obj("L"))).upper() == "U":
            a = (adj(a[0]),)
        if len(args) > 1 and op != "lstsq":
            raise self.error(f"{qualified(obj)} takes its options as keywords here", node)
        if kwargs:
            raise self.error(f"the option {next(iter(kwargs))}= of {qualified(obj)} is not supported", node)
        types_ = registry.OPS[op].results(*(x.type for x in a))  # type: ignore[misc]
        names = RESULT_NAMES.get(op, ())
        targets: list[Any] = [self.fresh(names[k] if k < len(names) else "t", t) for k, t in enumerate(types_)]
        self.emit(ir.Multi(targets, op, a))
        items: list[Value] = [Num(t) for t in targets]
        if mode == "r":
            return items[1]
        if op == "svd" and full:  # the thin matrices are the full ones where the matrix is square: checked where they are used
            square = self.branch_var("square", ir.BOOL, ir.call("eq", ir.call("dim", a[0], axis=0), ir.call("dim", a[0], axis=1)))
            items = [Maybe(square, items[0], "full"), items[1], Maybe(square, items[2], "full")]
        return Tup(tuple(items), result_class(obj))

    # ------------------------------------------------------------------------------------------- ufunc methods

    def ufunc_method(self, ufunc: Any, name: str, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        if name == "reduce" and ufunc in REDUCE:
            if len(args) == 1 and "axis" not in kwargs:
                kwargs["axis"] = number(0)
            return self.call(Obj(REDUCE[ufunc]), args, kwargs, node)
        if name == "accumulate" and ufunc in ACCUMULATE:
            if len(args) == 1 and "axis" not in kwargs:
                kwargs["axis"] = number(0)
            return self.call(Obj(ACCUMULATE[ufunc]), args, kwargs, node)
        if name == "outer":
            a, b = (self.numeric(x) for x in args)
            if a.is_array and b.is_array:
                a = self.subscript(a, [Tup((Obj(Ellipsis), *[NONE] * b.expr.ndim))])  # type: ignore[assignment]
            return self.call(Obj(ufunc), [a, b], kwargs, node)
        if name == "at" and ufunc in (np.add, np.subtract):
            base, index = self.prepared_target(self.numeric(args[0]), [args[1]])
            items, _ = self.index_items(base, index)
            v = self.numeric(args[2])
            e = v.expr if ufunc is np.add else ir.call("neg", v.expr)
            assert isinstance(base.expr, ir.Var)
            self.emit(ir.Accum(base.expr, items, e, repeated=True))
            return NONE
        found = library.lookup(getattr(ufunc, name))
        if found is not None:
            return self.inline(self.function(found, None), args, kwargs, node)  # type: ignore[arg-type]
        if name in ("reduce", "accumulate", "reduceat") and ufunc.nin == 2 and ufunc.nout == 1:
            return self.inline(self.function(getattr(ufuncs, name), None), [Obj(ufunc), self.numeric(args[0]), *args[1:]], kwargs, node)
        if name == "at" and ufunc.nout == 1:
            base = self.as_var(self.numeric(args[0]), "view")
            return self.inline(self.function(ufuncs.at, None), [Obj(ufunc), base, *args[1:]], kwargs, node)  # type: ignore[arg-type]
        raise self.error(f"np.{ufunc.__name__}.{name} is not supported", node)

    # ------------------------------------------------------------------------------------------- methods of arrays

    def number_method(self, x: Num, name: str, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        own = getattr(self, f"array_{name}", None)
        if own is not None:
            return own(x, args, kwargs, node)
        method = getattr(np.ndarray, name, None)
        if method is not None and id(method) in registry.BY_PYTHON:
            return self.primitive(method, [x, *args], kwargs, node)
        if name in ("conjugate", "conj"):
            r = self.call(Obj(np.conj), [x], {}, node)
            weak = isinstance(x.type, Scalar) and x.type.weak
            return x if weak and x.type.dtype != "complex128" else self.python_number(r) if weak else r  # type: ignore[arg-type]
        if name == "transpose" and args:
            axes = args[0] if len(args) == 1 else Tup(tuple(args))
            return self.call(Obj(np.transpose), [x, axes], {}, node)
        f = getattr(np, name, None)
        if f is not None and method is not None:
            return self.call(Obj(f), [x, *args], kwargs, node)
        if name == "is_integer":
            return self.compare_values("Eq", x, self.call(Obj(np.floor), [x], {}, node))
        raise self.error(f"the method {name} of {describe(x)} is not supported", node)

    def array_fill(self, x: Num, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        self.store_item(x, [Obj(Ellipsis)], args[0], node)
        return NONE

    def array_sort(self, x: Num, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        x = self.as_var(x, "view")
        kwargs.setdefault("axis", args[0] if args else number(-1))
        self.store_item(x, [Obj(Ellipsis)], self.call(Obj(np.sort), [x], kwargs, node), node)
        return NONE

    def array_item(self, x: Num, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        if not x.is_array:
            e = x
        elif len(args) == 1 and isinstance(args[0], Num) and x.expr.ndim > 1:
            e = self.subscript(self.call(Obj(np.ravel), [x], {}, node), args)  # type: ignore[assignment]
        elif args:
            e = self.subscript(x, args)  # type: ignore[assignment]
        else:
            e = self.subscript(x, [number(0)] * x.expr.ndim)  # type: ignore[assignment]
        return self.python_number(e)

    def python_number(self, e: Num) -> Num:
        kind = {"f": "pyfloat", "i": "pyint", "u": "pyint", "b": "pybool", "c": "pycomplex"}[np.dtype(e.type.dtype).kind]
        return e if e.type.weak else Num(ir.call(kind, e.expr))

    def array_tolist(self, x: Num, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        if not x.is_array:
            return self.python_number(x)
        if x.expr.ndim == 1:
            return self.list_from_array(x)
        raise self.error("tolist() of an array of rank 2 or more is not supported", node)

    def array_astype(self, x: Num, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        dtype = self.static(args[0] if args else kwargs["dtype"])
        if not x.is_array:
            return self.numpy_scalar(np.dtype(dtype).type, [x], node)
        return Num(ir.call("astype", x.expr, dtype=np.dtype(dtype).name))

    def array_view(self, x: Num, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        if args or kwargs:
            raise self.error("x.view(dtype) is not supported", node)
        return x

    def array_swapaxes(self, x: Num, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        i, j = (self.static(a) % x.expr.ndim for a in args)
        axes = list(range(x.expr.ndim))
        axes[i], axes[j] = axes[j], axes[i]
        return self.call(Obj(np.transpose), [x, Obj(tuple(axes))], {}, node)

    def array_copy(self, x: Num, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        return Num(ir.call("copy", x.expr)) if x.is_array else x

    def array_compress(self, x: Num, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        return self.call(Obj(np.compress), [args[0], x, *args[1:]], kwargs, node)

    def array_setflags(self, x: Num, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        return NONE


MULTI = {id(f): (f, name) for f, name in (
    (np.linalg.eigh, "eigh"), (np.linalg.eig, "eig"), (np.linalg.slogdet, "slogdet"), (np.linalg.svd, "svd"), (np.linalg.qr, "qr"),
    (np.linalg.lstsq, "lstsq"), (np.nonzero, "nonzero"), (np.unique, "unique"))}
POSITIONAL = {"qr": ("mode",), "eigh": ("UPLO",), "svd": ("full_matrices", "compute_uv", "hermitian")}
RESULT_NAMES = {"eigh": ("eigenvalues", "eigenvectors"), "slogdet": ("sign", "logdet"), "svd": ("u", "s", "vt"), "qr": ("q", "r"),
                "eig": ("eigenvalues", "eigenvectors")}
REDUCE = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min, np.logical_and: np.all, np.logical_or: np.any}
ACCUMULATE = {np.add: np.cumsum, np.multiply: np.cumprod}


# ------------------------------------------------------------------------------------------------ iterables


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
        return m.range_length(v)
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


Builtins.fold_iterable = _fold  # type: ignore[attr-defined]


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
            if not items:
                if "default" in k:
                    return k["default"]
                m.fail(ValueError, f"{python.__name__}() arg is an empty sequence")
            out = items[0]
            for x in items[1:]:
                out = m.pair(python, out, x, n)
            return out
        content = m.contents(v) if isinstance(v, Ref) else None
        if isinstance(content, Growing) and not isinstance(content.shape, Num):
            return m.call(Obj(_largest if python is max else _smallest), [v, Obj(_identity)], {}, n)
        e = m.call(Obj(numpy), [m.growing_array(v) if isinstance(v, Ref) else m.numeric(v)], {}, n)
        return m.python_number(e) if isinstance(content, Growing) and content.shape.type.weak else e  # type: ignore[arg-type, attr-defined]

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


Builtins.pair = _pair  # type: ignore[attr-defined]
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


# ------------------------------------------------------------------------------------------------ questions


@means(isinstance)
def _isinstance(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    v, cls = a[0], m.static(a[1])
    if isinstance(v, Num):
        return number(isinstance(registry.example(v.type), cls))
    if isinstance(v, Obj):
        return number(isinstance(v.value, cls))
    if isinstance(v, Tup):
        return number(issubclass(v.cls or tuple, cls))
    if isinstance(v, Ref):
        return number(issubclass(v.heap.cls, cls))
    if isinstance(v, SliceOf):
        return number(issubclass(slice, cls))
    if isinstance(v, Text):
        return number(issubclass(str, cls))
    if isinstance(v, Error):
        return number(issubclass(v.cls, cls))
    if isinstance(v, Func | Partial | Method):
        return number(issubclass(types.FunctionType, cls))
    raise m.error(f"isinstance of {describe(v)} is not supported", n)


@means(issubclass)
def _issubclass(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return number(issubclass(m.static(a[0]), m.static(a[1])))


@means(callable)
def _callable(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    v = a[0]
    return number(isinstance(v, Func | Partial | Method) or (isinstance(v, Obj) and callable(v.value))
                  or (isinstance(v, Ref) and "__call__" in dir(v.heap.cls)))


@means(type)
def _type(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    v = a[0]
    if isinstance(v, Num):
        return Obj(type(registry.example(v.type)))
    if isinstance(v, Ref):
        return Obj(v.heap.cls)
    if isinstance(v, Tup):
        return Obj(v.cls or tuple)
    if isinstance(v, Obj):
        return Obj(type(v.value))
    if isinstance(v, Error):
        return Obj(v.cls)
    raise m.error(f"type of {describe(v)} is not supported", n)


@means(hasattr)
def _hasattr(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    v, name = a[0], m.static(a[1])
    if isinstance(v, Num):
        return number(hasattr(registry.example(v.type), name))
    if isinstance(v, Obj):
        return number(hasattr(v.value, name))
    if isinstance(v, Tup):
        return number(hasattr(v.cls or tuple, name))
    if isinstance(v, Ref):
        c = m.contents(v)
        return number(hasattr(v.heap.cls, name) or (isinstance(c, Fields) and v.heap.kind == "object" and name in c.fields))
    raise m.error(f"hasattr of {describe(v)} is not supported", n)


@means(getattr)
def _getattr(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    name = m.static(a[1])
    if len(a) > 2 and not _hasattr(m, a[:2], {}, n).const:  # type: ignore[attr-defined]
        return a[2]
    return m.attribute(a[0], name, n)


@means(setattr)
def _setattr(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    m.set_attribute(a[0], m.static(a[1]), a[2], n)
    return NONE


@means(vars)
def _vars(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    if not a or not isinstance(a[0], Ref) or a[0].heap.kind != "object":
        raise m.error("vars() is supported for objects only", n)
    return m.attributes_of(a[0])


@means(object.__setattr__)
def _object_setattr(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    content = m.contents(a[0])
    assert isinstance(content, Fields) and isinstance(a[0], Ref)
    m.change(a[0], {**content.fields, m.static(a[1]): a[2]})
    return NONE


@means(np.shape)
def _shape(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return m.number_attribute(m.numeric(a[0]), "shape", n)


@means(np.isscalar)
def _isscalar(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return number(isinstance(a[0], Num) and not a[0].is_array)


@means(np.iscomplexobj)
def _iscomplexobj(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return number(isinstance(a[0], Num) and a[0].type.dtype.startswith("complex"))


@means(np.isrealobj)
def _isrealobj(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return number(not _iscomplexobj(m, a, k, n).const)  # type: ignore[attr-defined]


@means(np.finfo, np.iinfo, np.dtype, np.issubdtype, np.promote_types)
def _static_call(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    raise AssertionError


def _statically(f: Any) -> Special:
    def special(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
        args = [np.dtype(x.type.dtype).type if isinstance(x, Num) else m.static(x) for x in a]
        r = f(*args)
        return number(r) if isinstance(r, bool) else Obj(r)

    return special


for _f in (np.finfo, np.iinfo, np.dtype, np.issubdtype, np.promote_types, np.can_cast, np.min_scalar_type):
    means(_f)(_statically(_f))


@means(np.common_type)
def _common_type(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return Obj(np.common_type(*(np.zeros(1, m.numeric(x).type.dtype) for x in a)))


@means(np.result_type)
def _result_type(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    args = [registry.example(x.type) if isinstance(x, Num) else m.static(x) for x in a]
    return Obj(np.result_type(*args))


# ------------------------------------------------------------------------------------------------ numbers and text


@means(round)
def _round(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    x = m.numeric(a[0])
    digits = m.static(a[1]) if len(a) > 1 else None
    if x.known and not x.is_array:
        return number(round(x.const) if digits is None else round(x.const, digits))
    if x.type.dtype.startswith("int") and (digits is None or digits >= 0):
        return x
    if digits:
        r = m.call(Obj(np.round), [x, number(digits)], {}, n)
    else:
        r = Num(ir.call("rint", x.expr))
    assert isinstance(r, Num)
    if digits is None:
        return Num(ir.call("pyint", r.expr)) if not x.is_array else r
    return Num(ir.call("pyfloat", r.expr)) if x.type == ir.FLOAT and r.type != ir.FLOAT else r


@means(bool)
def _bool(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    if not a:
        return number(False)
    if isinstance(a[0], Num):
        return m.primitive(bool, a, k, n)
    c = m.truth(a[0])
    return number(c) if isinstance(c, bool) else Num(c)


def _from_text(f: Any) -> Special:
    def special(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
        if a and isinstance(a[0], Obj | Text):
            try:
                return number(f(*(m.static(x) for x in a)))
            except ValueError as err:
                m.fail(ValueError, str(err))
        return m.primitive(f, a, k, n) if a else number(f())

    return special


for _f in (int, float, complex):  # type: ignore[assignment]
    means(_f)(_from_text(_f))


@means(print)
def _print(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    if "file" in k:
        raise m.error("print to a file is not supported", n)
    options = {name: m.static(v) for name, v in k.items() if name != "flush"}
    sep = options.get("sep")
    parts: list[Any] = []
    for i, v in enumerate(a):
        if i:
            parts.append(" " if sep is None else sep)
        parts.extend(m.text_parts(v))
    end = options.get("end", "\n")
    m.emit(ir.Print(parts, {} if end == "\n" else {"end": end}))
    return NONE


def _text(f: Any) -> Special:
    def special(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
        v = a[0] if a else Obj("")
        if isinstance(v, Error) and f is str:
            v = m.error_text(v)
        if isinstance(v, Obj) or (isinstance(v, Num) and isinstance(v.expr, Const)):
            return Obj(f(m.static(v), *(m.static(x) for x in a[1:])))
        return v if isinstance(v, Text) else Text((v,))

    return special


for _f in (str, repr, format):  # type: ignore[assignment]
    means(_f)(_text(_f))


@means(id)
def _id(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    raise m.error("id() is not supported", n)


@means(np.array, np.asarray)
def _array(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    raise AssertionError


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
        return m.primitive(f, [m.rows(v), *a[1:]], k, n)

    return special


def _rows(self: Builtins, v: Value) -> Value:
    """Nested lists with inner growing lists turned into arrays."""
    if isinstance(v, Tup):
        return Tup(tuple(_rows(self, i) for i in v.items))
    if isinstance(v, Ref) and v.heap.kind == "list":
        c = self.contents(v)
        return Tup(tuple(_rows(self, i) for i in c.items)) if isinstance(c, Items) else self.growing_array(v)
    return v


Builtins.rows = _rows  # type: ignore[attr-defined]
for _f in (np.array, np.asarray):  # type: ignore[assignment]
    means(_f)(_array_like(_f))


@means(np.fromiter)
def _fromiter(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    dtype = a[1] if len(a) > 1 else k["dtype"]
    return m.call(Obj(np.array), [m.collect(m.present(a[0]))], {"dtype": dtype}, n)


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


def _ordinary(self: Builtins, f: Any, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
    """A NumPy function as the registry or the library has it."""
    if id(f) in registry.BY_PYTHON:
        return self.primitive(f, args, kwargs, node)
    found = library.lookup(f)
    if found is None:
        raise self.error(f"{qualified(f)} is not supported", node)
    return self.inline(self.function(found, None), args, kwargs, node)  # type: ignore[arg-type]


Builtins.ordinary = _ordinary  # type: ignore[attr-defined]


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


Builtins.concatenated = _concatenated  # type: ignore[attr-defined]
for _f in (np.stack, np.concatenate, np.vstack, np.hstack, np.column_stack):  # type: ignore[assignment]
    means(_f)(_sequence_of_arrays(_f))


@means(np.fill_diagonal)
def _fill_diagonal(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    x = m.as_var(m.numeric(a[0]), "view")
    v = m.numeric(a[1])
    shape = [ir.call("dim", x.expr, axis=0), ir.call("dim", x.expr, axis=1)]
    idx = m.as_var(m.call(Obj(np.arange), [Num(registry.call_python(min, shape, {}))], {}, n), "index")  # type: ignore[arg-type]
    m.store_item(x, [idx, idx], v, n)
    return NONE


for _rule in (np.polynomial.legendre.leggauss, np.polynomial.hermite.hermgauss, np.polynomial.chebyshev.chebgauss, np.polynomial.laguerre.laggauss):
    @means(_rule)
    def _nodes(m: Builtins, a: list[Value], k: dict[str, Value], n: Any, _f: Any = _rule) -> Value:
        """Nodes and weights of a quadrature rule: constants, computed now."""
        return m.lift(_f(*(m.static(x) for x in a), **{name: m.static(v) for name, v in k.items()}), None)


@means(functools.partial)
def _partial(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return m.identified(Partial(a[0], tuple(m.bind_all(x) for x in a[1:]), {name: m.bind_all(v) for name, v in k.items()}))


@means(divmod)
def _divmod(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    import operator

    return Tup((m.binary(operator.floordiv, a[0], a[1]), m.binary(operator.mod, a[0], a[1])))


@means(functools.wraps)
def _wraps(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return Obj(_identity)


@means(super)
def _super(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    if len(a) == 2:
        return super_of(m.static(a[0]), a[1])
    for fr in reversed(m.frames):
        first = next(iter(fr.info.params), None)
        cell = fr.scope.cells.get(first) if first is not None else None
        bound = m.state.get(cell) if cell is not None and m.state is not None else None
        cls = class_of(bound)
        if cls is not None and bound is not None:
            owner = next((c for c in cls.__mro__ if any(written_at(x) == (fr.source.name, fr.node.lineno) for x in vars(c).values())), None)
            if owner is not None:
                return super_of(owner, bound)
    raise m.error("super() is not supported here", n)


def class_of(v: Any) -> Any:
    if isinstance(v, Ref) and v.heap.kind == "object":
        return v.heap.cls
    if isinstance(v, Tup):
        return v.cls
    return v.value if isinstance(v, Obj) and isinstance(v.value, type) else None


def written_at(member: Any) -> Any:
    """Name and line of a method, behind property, classmethod and the like."""
    f = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
    code = getattr(f, "__code__", None)
    return None if code is None else (code.co_name, code.co_firstlineno + decorators(f))


def decorators(f: Any) -> int:
    """Lines between the first decorator and the `def`."""
    node = source_of(f).node
    return int(node.lineno - min([node.lineno, *(d.lineno for d in node.decorator_list)]))


def super_of(owner: type, v: Value) -> Value:
    mro = class_of(v).__mro__
    return Iter("super", (v,), mro[mro.index(owner) + 1:])


def _identity(f: Any) -> Any:
    return f


__all__ = ["TABLE", "Builtins", "Scalar", "builtins"]
