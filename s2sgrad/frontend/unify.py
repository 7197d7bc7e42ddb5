"""When values of different paths are the same, or can be held by one variable, and of which type."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.values import (
    UNKNOWN,
    Element,
    Error,
    Fields,
    Func,
    Growing,
    Identities,
    Items,
    Maybe,
    Num,
    Obj,
    OneOfThese,
    Poison,
    Range,
    Record,
    Ref,
    SliceOf,
    Spelled,
    Text,
    Tup,
    Unbound,
    Units,
    Value,
    nums,
)
from s2sgrad.ir import Array, Const, Expr, Scalar, Type

RANK = {"bool": 0, "int64": 1, "float64": 2, "complex128": 3}


def same_const(a: Any, b: Any) -> bool:
    return type(a) is type(b) and repr(a) == repr(b)


def same(v: Value, w: Value) -> bool:
    """Do two abstract values denote the same value on every path?"""
    if v is w or isinstance(v, Identities):
        return True
    if type(v) is not type(w):
        return False
    if isinstance(v, Num):
        return v.expr == w.expr and ((v.known and w.known and same_const(v.const, w.const)) or (not v.known and not w.known))
    if isinstance(v, Tup):
        return v.cls is w.cls and len(v.items) == len(w.items) and all(map(same, v.items, w.items))
    if isinstance(v, Items):
        return len(v.items) == len(w.items) and all(map(same, v.items, w.items))
    if isinstance(v, Fields):
        return list(v.fields) == list(w.fields) and all(same(v.fields[k], w.fields[k]) for k in v.fields)
    if isinstance(v, Obj):
        return same_object(v.value, w.value)
    if isinstance(v, Ref):
        return v.heap is w.heap
    if isinstance(v, Maybe):
        return v.flag == w.flag and v.absent == w.absent and same(v.value, w.value)
    if isinstance(v, Growing):
        return v.stores == w.stores and v.length == w.length and same_layout(v.shape, w.shape)
    if isinstance(v, Func):
        return v.node is w.node and v.scope is w.scope and all(map(same, v.defaults, w.defaults))
    if isinstance(v, Unbound):
        return True
    if isinstance(v, Units):
        return v.table == w.table
    if isinstance(v, Poison):
        return v.reason == w.reason
    if isinstance(v, OneOfThese):
        return v.which.expr == w.which.expr and len(v.these) == len(w.these) and all(map(same, v.these, w.these))
    return same_shape(v, w) and all(map(same, nums(v), nums(w)))


def same_layout(v: Value, w: Value) -> bool:
    """Same structure and leaf types."""
    return type(v) is type(w) and leaf_types(v) == leaf_types(w)


def leaf_types(v: Value) -> list[Any]:
    if isinstance(v, Tup | Record):
        inside = [] if not isinstance(v, Record) or v.inside is None else leaf_types(v.inside)
        return [t for i in v.items for t in leaf_types(i)] + inside
    return [n.type for n in nums(v)]


def same_shape(v: Value, w: Value) -> bool:
    if type(v) is not type(w):
        return False
    if isinstance(v, Element) and isinstance(w, Element):
        return v.list is w.list and v.first == w.first
    if isinstance(v, Range):
        return v.strong == w.strong
    if isinstance(v, SliceOf):
        pairs = ((v.lower, w.lower), (v.upper, w.upper), (v.step, w.step))
        return all(type(a) is type(b) for a, b in pairs)
    return False


def skeleton(v: Value) -> Any:
    """What must agree for two exceptions to be held by one variable."""
    if isinstance(v, Num):
        return ("number", v.type)
    if isinstance(v, Spelled):
        return ("spelled", v.spec, v.conversion, v.value.type)
    if isinstance(v, Text):
        return ("text", *(skeleton(p) if isinstance(p, Value) else p for p in v.parts))
    if isinstance(v, Error):
        return ("error", v.cls, *(skeleton(a) for a in v.args), *((k, skeleton(a)) for k, a in v.fields))
    if isinstance(v, Tup):
        return ("tuple", *(skeleton(i) for i in v.items))
    if isinstance(v, Obj):
        return ("object", v.value if isinstance(v.value, str) else id(v.value))
    return ("value", id(v))


def same_object(a: Any, b: Any) -> bool:
    if a is b:
        return True
    return type(a) is type(b) and isinstance(a, str | bytes | np.dtype | type(Ellipsis)) and bool(a == b)


def promote(a: Type, b: Type) -> Type | None:
    """The type of a variable that holds either."""
    if a == b:
        return a
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        if a.weak and b.weak:
            return a if RANK[a.dtype] >= RANK[b.dtype] else b
        if a.dtype == b.dtype:
            return a if not a.weak else b
        if not a.weak and not b.weak and a.dtype.startswith(("float", "complex")) and b.dtype.startswith(("float", "complex")):
            return None  # single and double precision: arithmetic would differ
        return Scalar(str(np.result_type(_example(a), _example(b))))
    if isinstance(a, Array) and isinstance(b, Array) and (a.ndim, a.dtype) == (b.ndim, b.dtype):
        return Array(a.dtype, a.ndim, "A")
    return None


def fits(t: Type, const: Any, target: Type) -> bool:
    """Does a Python float keep its value in a variable of single precision?"""
    if not (isinstance(t, Scalar) and t.weak and isinstance(target, Scalar) and target.dtype in ("float16", "float32", "complex64")):
        return True
    if not t.dtype.startswith(("float", "complex")):
        return True
    return const is not UNKNOWN and bool(np.dtype(target.dtype).type(const) == const)


def _example(s: Scalar) -> Any:
    if s.weak:
        return {"bool": False, "int64": 0, "float64": 0.0, "complex128": 0j}[s.dtype]
    return np.dtype(s.dtype)


def convert(e: Expr, t: Type) -> Expr:
    """The same value in a variable of another type."""
    if e.type == t:
        return e
    if isinstance(t, Scalar):
        if isinstance(e, Const):
            kind = np.dtype(t.dtype).kind
            make = {"f": float, "c": complex, "i": int, "u": int, "b": bool}[kind]
            return Const(make(e.value), t)
        if t.weak:
            return ir.call({"int64": "pyint", "float64": "pyfloat", "complex128": "pycomplex", "bool": "pybool"}[t.dtype], e)
        return ir.call("astype", e, dtype=t.dtype)
    if isinstance(t, Array) and isinstance(e.type, Array) and e.type.dtype != t.dtype:
        return ir.call("astype", e, dtype=t.dtype)
    return e  # another layout of the same kind
