"""Objects, named tuples, data classes and exceptions that the program makes."""

from __future__ import annotations

import dataclasses
import enum
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.methods import Methods
from s2sgrad.frontend.values import (
    Error,
    Fields,
    Heap,
    Num,
    Obj,
    Ref,
    Tup,
    Value,
    number,
)
from s2sgrad.ir import Const
from s2sgrad.library.polynomials import CLASSES


class Construction(Methods):
    def construct(self, f: Obj, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        cls = f.value
        if issubclass(cls, BaseException):
            return self.construct_error(cls, args, kwargs, node)
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            values = dict(zip(cls._fields, args, strict=False)) | kwargs
            for k, d in cls._field_defaults.items():
                values.setdefault(k, self.lift(d, None))
            if set(values) != set(cls._fields):
                raise self.error(f"{cls.__name__}() needs {', '.join(cls._fields)}", node)
            return Tup(tuple(values[k] for k in cls._fields), cls)
        if issubclass(cls, np.generic):
            return self.numpy_scalar(cls, args, node)
        if cls is np.ndarray:
            return self.call(Obj(np.empty), args, kwargs, node)
        if cls is np.vectorize:
            return self.vectorized(args, kwargs, node)
        if cls in CLASSES:
            return self.construct(Obj(CLASSES[cls]), args, kwargs, node)
        if isinstance(cls, enum.EnumMeta):
            return self.lift(cls(*(self.static(a) for a in args)), None)
        if isinstance(class_member(cls, "__getattribute__"), types.FunctionType):
            raise self.error(f"{cls.__name__} decides itself what its attributes are (__getattribute__): not supported", node)
        own = type(cls).__call__
        if own is not type.__call__ or not isinstance(cls.__new__, types.BuiltinFunctionType):
            raise self.error(f"{cls.__name__} decides itself how its instances are made: not supported", node)
        if cls.__module__ in ("builtins", "numpy"):
            raise self.error(f"{cls.__name__}(...) is not supported", node)
        heap = Heap("object", cls, cls.__name__.lower())
        assert self.state is not None
        self.state[heap] = Fields({})
        ref = Ref(heap)
        init = cls.__init__
        self.building.add(heap)
        if dataclasses.is_dataclass(cls) and getattr(init, "__qualname__", "").startswith("__create_fn__") or (
                dataclasses.is_dataclass(cls) and not hasattr(init, "__wrapped__") and _generated(init)):
            self.dataclass_fields(ref, cls, args, kwargs, node)
        elif isinstance(init, types.FunctionType):
            self.call(Obj(init), [ref, *args], kwargs, node)
        elif init is not object.__init__:
            raise self.error(f"{cls.__name__}(...) is not supported", node)
        self.building.discard(heap)
        return ref

    def construct_error(self, cls: Any, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Error:
        """An exception; a class of the user's may give it attributes."""
        init = class_member(cls, "__init__")
        if not isinstance(init, types.FunctionType):
            return Error(cls, tuple(args))
        ref = self.new_object("object", cls, {})
        self.call(Obj(init), [ref, *args], kwargs, node)
        content = self.contents(ref)
        assert isinstance(content, Fields)
        fields = dict(content.fields)
        given = fields.pop("args", Tup(tuple(args)))
        assert isinstance(given, Tup)
        return Error(cls, given.items, tuple(fields.items()))

    def dataclass_fields(self, ref: Ref, cls: Any, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> None:
        names = [x for x in dataclasses.fields(cls) if x.init]
        values = dict(zip((x.name for x in names), args, strict=False)) | kwargs
        for x in dataclasses.fields(cls):
            if x.name not in values:
                if x.default is not dataclasses.MISSING:
                    values[x.name] = self.lift(x.default, None)
                elif x.default_factory is not dataclasses.MISSING:
                    values[x.name] = self.call(Obj(x.default_factory), [], {}, node)
                elif x.init:
                    raise self.error(f"{cls.__name__}() misses the argument '{x.name}'", node)
        self.change(ref, {x.name: values[x.name] for x in dataclasses.fields(cls) if x.name in values})
        if hasattr(cls, "__post_init__"):
            self.call(Obj(cls.__post_init__), [ref], {}, node)

    def numpy_scalar(self, cls: Any, args: Sequence[Value], node: Any) -> Value:
        v = self.numeric(args[0]) if args else number(0)
        name = np.dtype(cls).name
        if isinstance(v.expr, Const) and v.known:
            return number(np.dtype(cls).type(v.const))
        if v.type == ir.Scalar(name):
            return v
        return Num(ir.call("astype", v.expr, dtype=name))


def class_member(cls: type, name: str) -> Any:
    """An attribute of a class as it stands in the class (functions unbound), None where there is none."""
    return next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)


def _generated(init: Any) -> bool:
    return getattr(init, "__code__", None) is not None and init.__code__.co_filename == "<string>"
