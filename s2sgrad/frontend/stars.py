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
        count = None
        if unknown and sum(starred) == 1:
            count = positional(f, keywords)
        if count is None:
            out.extend(m.sequence_items(v))
            continue
        others = sum(1 if not isinstance(b, gast.Starred) else len(m.sequence_items(w)) for b, w in zip(nodes, values, strict=True) if w is not v)
        if count < others:
            raise m.refusal(TypeError, f"the function takes {count} positional arguments")
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


def positional(f: Value, keywords: set[str]) -> int | None:
    """How many positional arguments a callable takes, if that is one number."""
    if isinstance(f, Func):
        a = f.node.args
        if a.vararg is not None:
            return None
        names = [x.id for x in (*a.posonlyargs, *a.args)]
        optional = len(f.defaults) if f.python is None else len(f.python.__defaults__ or ())
        return _between(names, optional, keywords)
    if isinstance(f, Partial):
        n = positional(f.func, keywords | set(f.kwargs))
        return None if n is None else n - len(f.args)
    if isinstance(f, Method):
        n = None if f.func is None else positional(f.func, keywords)
        return None if n is None else n - 1
    if isinstance(f, Ref) and f.heap.kind == "object":
        return _of_python(getattr(f.heap.cls, "__call__", None), keywords, 1)  # noqa: B004
    return _of_python(f.value, keywords, 0) if isinstance(f, Obj) else None


def _of_python(f: Any, keywords: set[str], bound: int) -> int | None:
    f = getattr(f, "py_func", f)
    if isinstance(f, np.ufunc):
        return f.nin
    if isinstance(f, functools.partial):
        n = _of_python(f.func, keywords | set(f.keywords), bound)
        return None if n is None else n - len(f.args)
    if isinstance(f, types.MethodType):
        return _of_python(f.__func__, keywords, 1)
    if isinstance(f, type) and issubclass(f, tuple) and hasattr(f, "_fields"):
        return _between(list(f._fields), len(f._field_defaults), keywords)
    if isinstance(f, type):
        return _of_python(getattr(f, "__init__", None), keywords, 1)
    if not isinstance(f, types.FunctionType) or f.__code__.co_flags & 0x04:
        return None
    names = list(f.__code__.co_varnames[: f.__code__.co_argcount])
    n = _between(names, len(f.__defaults__ or ()), keywords)
    return None if n is None else n - bound


def _between(names: list[str], optional: int, keywords: set[str]) -> int | None:
    """The number of names before those that are given by keyword; None where defaults leave a choice."""
    given = [k for k, n in enumerate(names) if n in keywords]
    last = given[0] if given else len(names)
    return last if last <= len(names) - optional or given else None


__all__ = ["columns", "dynamic", "positional", "rows_zipped", "spread"]
