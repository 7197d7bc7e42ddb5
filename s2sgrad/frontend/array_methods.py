"""Methods of arrays, of numbers and of ufuncs."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from s2sgrad import ir, library
from s2sgrad.frontend.calls import Calls
from s2sgrad.frontend.values import NONE, Num, Obj, Tup, Value, describe, number
from s2sgrad.ir import Scalar
from s2sgrad.library import ufuncs
from s2sgrad.rules import registry


class ArrayMethods(Calls):
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
            return self.read_whole(functools.partial(own, x), f"the method {name}", args, kwargs, node)
        method = getattr(np.ndarray, name, None)
        if method is not None and id(method) in registry.BY_PYTHON:
            return self.made_zero_d(method, [x, *args], self.primitive(method, [x, *args], kwargs, node))
        if name in ("conjugate", "conj"):
            r = self.call(Obj(np.conj), [x], {}, node)
            weak = isinstance(x.type, Scalar) and x.type.weak
            if x.is_array and x.type.dtype[:5] == "float":
                return x  # the method gives the array itself, np.conj a new one
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
        order = self.static(kwargs.get("order", Obj("K")))
        for name in ("casting", "subok"):
            kwargs.pop(name, None)
        if not x.is_array:
            return self.numpy_scalar(np.dtype(dtype).type, [x], node)
        if not self.static(kwargs.get("copy", Obj(True))) and np.dtype(dtype).name == x.type.dtype:
            return x
        y = ir.call("astype", x.expr, dtype=np.dtype(dtype).name)
        return Num(registry.call_python(np.asarray, (y,), {"order": order}) if order in ("C", "F") else y)

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
        order = args[0] if args else kwargs.get("order", Obj("C"))
        return Num(registry.call_python(np.copy, (x.expr, self.static(order)), {})) if x.is_array else x

    def array_compress(self, x: Num, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        return self.call(Obj(np.compress), [args[0], x, *args[1:]], kwargs, node)

    def array_setflags(self, x: Num, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        return NONE


REDUCE = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min, np.logical_and: np.all, np.logical_or: np.any}
ACCUMULATE = {np.add: np.cumsum, np.multiply: np.cumprod}
