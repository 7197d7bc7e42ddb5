"""Conversions between number types, copies and the end of differentiation."""

from __future__ import annotations

import numpy as np

from s2sgrad import ir
from s2sgrad.errors import Unsupported
from s2sgrad.ir import Array, Scalar
from s2sgrad.rules import build
from s2sgrad.rules.build import cast, dtype_name, flat, is_scalar, means, real_like, static
from s2sgrad.rules.registry import Op, as_expr, call, register


def dtype_text(dtype: str) -> str:
    """How a dtype is written: np.float32, np.bool_."""
    return "np.bool_" if dtype == "bool" else f"np.{dtype}"


def _astype(x, dtype):
    return np.asarray(x).astype(dtype)[()]


def _astype_text(c):
    name = dtype_text(c.attr("dtype"))
    return f"{name}(_0)" if is_scalar(c) else f"_0.astype({name})"


def _astype_adjoint(g, x, *, out, wanted, dtype):
    if not ir.is_inexact(out.type):
        return (None,)
    return (cast(real_like(g, x), x.type.dtype),) if ir.is_inexact(x.type) else (None,)


def _astype_tangent(dots, x, *, out, dtype):
    return cast(dots[0], dtype)


register(Op("astype", "linear", _astype, _astype_text, adjoint=_astype_adjoint, tangent=_astype_tangent,
            result=lambda t, dtype: Scalar(dtype) if isinstance(t, Scalar) else Array(dtype, t.ndim)))


def _same(g, x, *, out, wanted, **attrs):
    return (g,)


def _same_tangent(dots, x, *, out, **attrs):
    return dots[0]


register(Op("pyfloat", "linear", float, "float(_0)", adjoint=_same, tangent=_same_tangent, result=lambda t: ir.FLOAT))
flat("pyint", fn=int, syntax="int(_0)", result=lambda t: ir.INT)
flat("pybool", fn=bool, syntax="bool(_0)", result=lambda t: ir.BOOL)


def _complex_adjoint(g, *parts, out, wanted):
    if len(parts) == 1:
        return (real_like(g, parts[0]),)
    return call("real", g), call("imag", g)


def _complex_tangent(dots, *parts, out):
    return call("pycomplex", *(0.0 if d is None else d for d in dots))


register(Op("pycomplex", "linear", complex, lambda c: "complex(_0, _1)" if len(c.args) == 2 else "complex(_0)",
            adjoint=_complex_adjoint, tangent=_complex_tangent, result=lambda *t: ir.COMPLEX))

register(Op("copy", "linear", lambda a, order="C": np.copy(a, order), "_0.copy()", adjoint=_same, tangent=_same_tangent,
            result=lambda t, order="C": Array(t.dtype, t.ndim)))
register(Op("ascontiguous", "linear", np.ascontiguousarray, "np.ascontiguousarray(_0)", adjoint=_same, tangent=_same_tangent,
            result=lambda t: Array(t.dtype, t.ndim)))
def stop_gradient(x):
    """The value of x, where derivatives stop."""
    return np.copy(x)[()]


flat("stop_gradient", stop_gradient, fn=lambda x: x, syntax="stop_gradient(_0)", helper=stop_gradient,
     result=lambda t: t if isinstance(t, Scalar) else Array(t.dtype, t.ndim))


def _python_type(op, t):
    def builder(x=0):
        x = as_expr(x)
        if not is_scalar(x):
            raise Unsupported(f"{op[2:]}() of an array", hint="index the element first")
        return x if x.type == t else call(op, x)

    return builder


means(float)(_python_type("pyfloat", ir.FLOAT))
means(int)(_python_type("pyint", ir.INT))
means(bool)(_python_type("pybool", ir.BOOL))


@means(complex)
def _(real=0.0, imag=None):
    x = as_expr(real)
    if imag is None:
        return x if x.type == ir.COMPLEX else call("pycomplex", x)
    if ir.is_complex(x.type) or ir.is_complex(as_expr(imag).type):
        return x + as_expr(imag) * 1j
    return call("pycomplex", x, imag)


@means(np.copy)
def _(a, order="K"):
    a = as_expr(a)
    if is_scalar(a):
        return a
    if build.columns_first(order) and a.ndim > 1:
        return build.columned(a)
    return call("copy", a) if static(order) in ("C", "c") else copied(a)


def copied(a):
    """A copy with the order of the axes in memory that `a` has, as far as the type tells."""
    return call("copy", a, order="K") if a.ndim > 1 and a.type.layout != "C" else call("copy", a)


@means(np.ascontiguousarray)
def _(a, dtype=None):
    a = as_expr(a)
    return build.contiguous(a if dtype is None else cast(a, dtype_name(static(dtype))))


@means(np.asfortranarray)
def _(a, dtype=None):
    a = as_expr(a)
    a = a if dtype is None else cast(a, dtype_name(static(dtype)))
    return build.contiguous(a) if a.ndim < 2 else build.columned(a)


@means(np.ndarray.astype)
def _(a, dtype, order="K", casting="unsafe", subok=True, copy=True):
    return call("astype", a, dtype=dtype_name(static(dtype)))
