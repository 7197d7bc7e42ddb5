"""Elementwise functions of one argument and their derivatives."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from s2sgrad.ir import Const, is_complex
from s2sgrad.rules.build import adjoint_of, cast, conj, dtype_name, elementwise, flat, means, select, static, strong, tangent_of
from s2sgrad.rules.registry import as_expr, call
from s2sgrad.rules.signs import positive

LN2, LN10 = math.log(2.0), math.log(10.0)


@elementwise(operator.neg, np.negative, syntax="-_0")
def neg(x, *, out):
    return -1.0


@elementwise(operator.pos, np.positive, syntax="+_0")
def pos(x, *, out):
    return 1.0


@elementwise(abs, np.abs, np.absolute, np.fabs, math.fabs, syntax="np.abs(_0)")
def abs_(x, *, out):
    return np.sign(x)


def direction(x, size=None):
    """x / |x|, and 0 at 0. For complex numbers it varies, so it is written out."""
    if not is_complex(x.type):
        return call("sign", x)
    r = call("abs", x) if size is None else size
    return select(r.eq(0), 0.0, x / select(r.eq(0), 1.0, r))


@adjoint_of("abs")
def _(g, x, *, out, wanted):
    return (g * direction(x, out),)


@tangent_of("abs")
def _(dots, x, *, out):
    d = direction(x, out)
    return call("real", conj(d) * dots[0]) if is_complex(x.type) else d * dots[0]


# ------------------------------------------------------------------------------- trigonometric, hyperbolic


@elementwise(np.sin, math.sin)
def sin(x, *, out):
    return np.cos(x)


@elementwise(np.cos, math.cos)
def cos(x, *, out):
    return -np.sin(x)


@elementwise(np.tan, math.tan)
def tan(x, *, out):
    return 1.0 + out * out


@elementwise(np.arcsin, math.asin, singular=True)
def arcsin(x, *, out):
    return 1.0 / np.sqrt((1.0 - x) * (1.0 + x))


@elementwise(np.arccos, math.acos, singular=True)
def arccos(x, *, out):
    return -1.0 / np.sqrt((1.0 - x) * (1.0 + x))


@elementwise(np.arctan, math.atan)
def arctan(x, *, out):
    return 1.0 / (1.0 + x * x)


@elementwise(np.sinh, math.sinh)
def sinh(x, *, out):
    return np.cosh(x)


@elementwise(np.cosh, math.cosh)
def cosh(x, *, out):
    return np.sinh(x)


@elementwise(np.tanh, math.tanh)
def tanh(x, *, out):
    return 1.0 - out * out


@elementwise(np.arcsinh, math.asinh)
def arcsinh(x, *, out):
    return 1.0 / np.sqrt(1.0 + x * x)


@elementwise(np.arccosh, math.acosh, singular=True)
def arccosh(x, *, out):
    return 1.0 / (np.sqrt(x - 1.0) * np.sqrt(x + 1.0))


@elementwise(np.arctanh, math.atanh, singular=True)
def arctanh(x, *, out):
    return 1.0 / ((1.0 - x) * (1.0 + x))


# ------------------------------------------------------------------------------ exponentials and logarithms


@elementwise(np.exp, math.exp)
def exp(x, *, out):
    return out


@elementwise(np.exp2, getattr(math, "exp2", np.exp2))
def exp2(x, *, out):
    return LN2 * out


@elementwise(np.expm1, math.expm1)
def expm1(x, *, out):
    return out + 1.0


@elementwise(np.log, singular=True, safe=lambda x: isinstance(x, Const) and x.value != 0 or positive(x))
def log(x, *, out):
    return 1.0 / x


@elementwise(np.log2, math.log2, singular=True, safe=positive)
def log2(x, *, out):
    return 1.0 / (LN2 * x)


@elementwise(np.log10, math.log10, singular=True, safe=positive)
def log10(x, *, out):
    return 1.0 / (LN10 * x)


@elementwise(np.log1p, math.log1p, singular=True, safe=lambda x: positive(x, strictly=False))
def log1p(x, *, out):
    return 1.0 / (1.0 + x)


@elementwise(np.sqrt, math.sqrt, singular=True, safe=positive)
def sqrt(x, *, out):
    return 0.5 / out


def length(squares: Any) -> Any:
    """The square root of a sum of squares. At 0 its derivative is taken to be 0, as for abs and hypot."""
    return np.sqrt(squares)


@elementwise(length, fn=np.sqrt, name="length")
def _length(x, *, out):
    return 0.5 / select(out.eq(0), 1.0, out)


@elementwise(np.cbrt, getattr(math, "cbrt", np.cbrt), singular=True, safe=positive)
def cbrt(x, *, out):
    return 1.0 / (3.0 * out * out)


@elementwise(np.square)
def square(x, *, out):
    return 2.0 * x


@elementwise(np.reciprocal, singular=True, safe=positive)
def reciprocal(x, *, out):
    return -out * out


# A quotient reads better and costs one operation less than a product with a reciprocal.


@adjoint_of("log")
def _(g, x, *, out, wanted):
    return (g / conj(x),)


@tangent_of("log")
def _(dots, x, *, out):
    return dots[0] / x


@adjoint_of("log1p")
def _(g, x, *, out, wanted):
    return (g / conj(1.0 + x),)


@tangent_of("log1p")
def _(dots, x, *, out):
    return dots[0] / (1.0 + x)


@adjoint_of("sqrt")
def _(g, x, *, out, wanted):
    return (0.5 * g / conj(out),)


@tangent_of("sqrt")
def _(dots, x, *, out):
    return 0.5 * dots[0] / out


@adjoint_of("arctan")
def _(g, x, *, out, wanted):
    return (g / conj(1.0 + x * x),)


@tangent_of("arctan")
def _(dots, x, *, out):
    return dots[0] / (1.0 + x * x)


@means(math.log)
def _(x, base=None):
    natural = call("pyfloat", call("log", as_expr(x)))
    return natural if base is None else natural / call("pyfloat", call("log", as_expr(base)))


# ------------------------------------------------------------------------------------------ special functions


@elementwise(np.deg2rad, np.radians, math.radians)
def deg2rad(x, *, out):
    return math.pi / 180.0


@elementwise(np.rad2deg, np.degrees, math.degrees)
def rad2deg(x, *, out):
    return 180.0 / math.pi


@elementwise(np.sinc)
def sinc(x, *, out):
    far: Any
    small = np.abs(x) < 0.05  # the quotient cancels near 0; the series has all derivatives
    t = select(small, x, 0.0)
    far = select(small, 1.0, x)
    z = (math.pi * t) * (math.pi * t)
    series = -(math.pi**2) * t / 3.0 * (1.0 - z / 10.0 * (1.0 - z / 28.0 * (1.0 - z / 54.0 * (1.0 - z / 88.0))))
    return select(small, series, (np.cos(math.pi * far) - np.sinc(far)) / far)


# ------------------------------------------------------------------------- piecewise constant, predicates

flat("sign", np.sign)
means(np.sign)(lambda x: strong(direction(as_expr(x))))
flat("floor", np.floor)
flat("ceil", np.ceil)
flat("trunc", np.trunc, np.fix)
flat("rint", np.rint)
flat("round", fn=lambda x, decimals: np.round(x, decimals), syntax=lambda c: f"np.round(_0, {c.attr('decimals')})")
flat("isnan", np.isnan, math.isnan)
flat("isinf", np.isinf, math.isinf)
flat("isfinite", np.isfinite, math.isfinite)
flat("signbit", np.signbit)
flat("logical_not", np.logical_not)
flat("invert", operator.invert, np.invert, np.bitwise_not, syntax="~_0")
flat("not", operator.not_, syntax="not _0")
flat("spacing", np.spacing)


@means(np.round, np.around)
def _(a, decimals=0):
    a, n = as_expr(a), static(decimals, "decimals")
    if is_complex(a.type) and n != 0:
        return strong(call("round", call("real", a), decimals=n) + 1j * call("round", call("imag", a), decimals=n))
    return strong(call("rint", a) if n == 0 and a.type.dtype.startswith(("float", "complex")) else call("round", a, decimals=n))


@means(round)
def _(number, ndigits=None):
    a = as_expr(number)
    if ndigits is None:
        return a if a.type.dtype.startswith("int") else call("pyint", call("rint", a))
    r = call("round", a, decimals=static(ndigits, "ndigits"))
    return call("pyfloat", r) if a.type.dtype == "float64" else r


for _f, _op in ((math.floor, "floor"), (math.ceil, "ceil"), (math.trunc, "trunc")):
    means(_f)(lambda x, _op=_op: call("pyint", x) if as_expr(x).type.dtype.startswith("int") else call("pyint", call(_op, x)))


@means(np.isposinf)
def _(x):
    return as_expr(x).eq(math.inf)


@means(np.isneginf)
def _(x):
    return as_expr(x).eq(-math.inf)


SCALAR_TYPES = (np.float64, np.float32, np.float16, np.int64, np.int32, np.int16, np.int8, np.uint64, np.uint32, np.uint16, np.uint8,
                np.bool_, np.complex64, np.complex128)
for _t in SCALAR_TYPES:
    means(_t)(lambda x=0, _t=_t: cast(x, dtype_name(_t)))
