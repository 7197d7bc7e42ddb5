"""Starred arguments whose number is known at run time only: as many as the function takes, where it takes one number of them."""

from __future__ import annotations

import functools
import types
from collections.abc import Sequence
from typing import Any

import gast
import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.values import Func, Growing, Iter, Method, Num, Obj, Partial, Ref, Tup, Value, number


def dynamic(m: Any, v: Value) -> bool:
    """Is this an array, or a list that grew at run time?"""
    if isinstance(v, Ref) and v.heap.kind == "list":
        return isinstance(m.contents(v), Growing)
    return isinstance(v, Num) and v.is_array


def spread(m: Any, f: Value, nodes: Sequence[Any], values: Sequence[Value], keywords: set[str]) -> list[Value]:
    """The positional arguments of a call `f(a, *b, c)`."""
    values = [m.present(v) if isinstance(a, gast.Starred) else v for a, v in zip(nodes, values, strict=True)]
    starred = [isinstance(a, gast.Starred) and dynamic(m, v) for a, v in zip(nodes, values, strict=True)]
    if sum(starred) == 1 and len(values) == 1 and isinstance(f, Obj) and f.value in (max, min):
        return list(values)
    out: list[Value] = []
    for a, v, unknown in zip(nodes, values, starred, strict=True):
        if not isinstance(a, gast.Starred):
            out.append(v)
            continue
        count, exact = None, True
        if unknown and sum(starred) == 1:
            count, exact = positional(f, keywords)
        if count is None:
            out.extend(m.sequence_items(v))
            continue
        others = sum(1 if not isinstance(b, gast.Starred) else len(m.sequence_items(w)) for b, w in zip(nodes, values, strict=True) if w is not v)
        if count < others:
            raise m.refusal(TypeError, f"the function takes {count} positional arguments")
        if not exact:
            n = m.contents(v).length if isinstance(v, Ref) else ir.call("dim", v.expr, axis=0)
            m.raise_if(ir.call("ne", n, count - others), TypeError, f"not {count - others} starred arguments: unpack them into names first")
        out.extend(m.unpacked(v, [None] * (count - others)))
    return out


def rows_zipped(m: Any, f: Value, nodes: Sequence[Any], values: Sequence[Value]) -> Value | None:
    """The rows in `zip(*rows)`, where their number is known at run time only."""
    if not (isinstance(f, Obj) and f.value is zip and len(nodes) == len(values) == 1 and isinstance(nodes[0], gast.Starred)):
        return None
    v = m.present(values[0])
    return v if dynamic(m, v) else None


def columns(m: Any, v: Value) -> Value:
    """What `zip(*rows)` iterates over."""
    if isinstance(v, Num):
        if v.type.ndim != 2:
            raise m.error(f"zip of the rows of an array of rank {v.type.ndim} is not supported")
        return Iter("map", (m.number_attribute(v, "T", None),), Obj(list))
    shape = m.contents(v).shape
    if not isinstance(shape, Tup) or not all(isinstance(x, Num) for x in shape.items):
        raise m.error("zip(*rows) of this list, which grows at run time, is not supported")
    m.raise_if(ir.call("eq", m.contents(v).length, 0), ValueError, "not enough values to unpack")
    return Tup(tuple(m.inline(m.function(column, None), [v, number(k)], {}, None) for k in range(len(shape.items))))


def column(rows, k):  # type: ignore[no-untyped-def]
    return [row[k] for row in rows]


Count = tuple[int | None, bool]  # how many (None: any number), and whether no default leaves a choice


def positional(f: Value, keywords: set[str]) -> Count:
    """How many positional arguments a callable takes: where defaults leave a choice, as few as it may be given."""
    if isinstance(f, Func):
        a = f.node.args
        if a.vararg is not None:
            return None, True
        names = [x.id for x in (*a.posonlyargs, *a.args)]
        optional = len(f.defaults) if f.python is None else len(f.python.__defaults__ or ())
        return _required(names, optional, keywords)
    if isinstance(f, Partial):
        return _less(positional(f.func, keywords | set(f.kwargs)), len(f.args))
    if isinstance(f, Method):
        return (None, True) if f.func is None else _less(positional(f.func, keywords), 1)
    if isinstance(f, Ref) and f.heap.kind == "object":
        return _of_python(getattr(f.heap.cls, "__call__", None), keywords, 1)  # noqa: B004
    return _of_python(f.value, keywords, 0) if isinstance(f, Obj) else (None, True)


def _of_python(f: Any, keywords: set[str], bound: int) -> Count:
    f = getattr(f, "py_func", f)
    if isinstance(f, np.ufunc):
        return f.nin, True
    if isinstance(f, functools.partial):
        return _less(_of_python(f.func, keywords | set(f.keywords), bound), len(f.args))
    if isinstance(f, types.MethodType):
        return _of_python(f.__func__, keywords, 1)
    if isinstance(f, type) and issubclass(f, tuple) and hasattr(f, "_fields"):
        return _required(list(f._fields), len(f._field_defaults), keywords)
    if isinstance(f, type):
        return _of_python(getattr(f, "__init__", None), keywords, 1)
    if not isinstance(f, types.FunctionType) or f.__code__.co_flags & 0x04:
        return None, True
    names = list(f.__code__.co_varnames[: f.__code__.co_argcount])
    return _less(_required(names, len(f.__defaults__ or ()), keywords), bound)


def _less(n: Count, given: int) -> Count:
    return (None if n[0] is None else n[0] - given), n[1]


def _required(names: list[str], optional: int, keywords: set[str]) -> Count:
    """The names without a default before the first that is given by keyword."""
    given = next((k for k, n in enumerate(names) if n in keywords), len(names))
    required = len(names) - optional
    return min(given, required), given <= required


__all__ = ["columns", "dynamic", "positional", "rows_zipped", "spread"]
