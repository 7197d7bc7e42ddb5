"""Builtins about classes, attributes and functions: isinstance, type, getattr, super, functools.partial; NumPy's questions about dtypes."""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from s2sgrad.frontend.builtin import Builtins, Special, means
from s2sgrad.frontend.extents import is_extents
from s2sgrad.frontend.source import source_of
from s2sgrad.frontend.values import NONE, Error, Fields, Func, Iter, Method, Num, Obj, Partial, Ref, SliceOf, Text, Tup, Value, describe, number
from s2sgrad.rules import registry


@means(isinstance)
def _isinstance(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    v, cls = a[0], m.static(a[1])
    if isinstance(v, Num) and m.tensors and (m.in_text_of_user() or hasattr(cls, "__s2sgrad_operators__")):
        return number(isinstance(m.seen_as(v, n), cls))
    if isinstance(v, Num):
        return number(isinstance(registry.example(v.type), cls))
    if isinstance(v, Obj):
        return number(isinstance(v.value, cls))
    if isinstance(v, Tup):
        if is_extents(v):
            return number(any(c.__name__ == "TensorShape" for c in (cls if isinstance(cls, tuple) else (cls,))))
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
    if isinstance(v, Num) and m.tensors and m.in_text_of_user():
        return Obj(type(m.seen_as(v, n)))
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
    if len(a) > 2 and not _hasattr(m, a[:2], {}, n).const:
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
    return number(not _iscomplexobj(m, a, k, n).const)


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


@means(functools.partial)
def _partial(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return m.identified(Partial(a[0], tuple(m.bind_all(x) for x in a[1:]), {name: m.bind_all(v) for name, v in k.items()}))


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
