"""Arithmetic, comparisons and elementwise functions."""

from __future__ import annotations

import math as _math
from typing import Any

import numpy as np

from s2sgrad import dtypes as _dtypes
from s2sgrad.eager import operation, takes_tensors
from s2sgrad.errors import InvalidArgumentError
from s2sgrad.operators import OPS
from s2sgrad.rules.casts import stop_gradient as _stop_gradient
from s2sgrad.rules.reductions import unbroadcast as _unbroadcast
from s2sgrad.rules.special import digamma as _digamma
from s2sgrad.tensor import Tensor, convert_to_tensor

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cast",
    "ceil",
    "clip_by_value",
    "complex",
    "cos",
    "cosh",
    "divide",
    "equal",
    "erf",
    "erfc",
    "exp",
    "expm1",
    "floor",
    "floordiv",
    "floormod",
    "greater",
    "greater_equal",
    "identity",
    "is_finite",
    "is_inf",
    "is_nan",
    "less",
    "less_equal",
    "lgamma",
    "log",
    "log1p",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "not_equal",
    "pow",
    "reciprocal",
    "round",
    "rsqrt",
    "saturate_cast",
    "scalar_mul",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "stop_gradient",
    "subtract",
    "tan",
    "tanh",
    "truediv",
    "truncatediv",
    "truncatemod",
]


# ------------------------------------------------------------------------------------------- arithmetic


@operation()
def add(x, y):
    return x + y


@operation()
def subtract(x, y):
    return x - y


@operation()
def multiply(x, y):
    return x * y


@operation(guard=False)
def truediv(x, y):
    return x / y


def _no_zero_divisor(x: Tensor, y: Tensor) -> None:
    if x.dtype.is_integer and not np.all(y._array):
        raise InvalidArgumentError("Integer division by zero")


@operation(links=(), check=_no_zero_divisor)
def floordiv(x, y):
    return x // y


@operation(check=_no_zero_divisor)
def floormod(x, y):
    return x % y


@operation(check=_no_zero_divisor)
def truncatemod(x, y):
    return np.fmod(x, y)


@operation(links=(), as_input=True, check=_no_zero_divisor)
def truncatediv(x, y):
    return (x - np.fmod(x, y)) // y if np.issubdtype(np.result_type(x, y), np.integer) else np.trunc(x / y)


def _pow_base(x, y, dy):
    return _unbroadcast(dy * np.conj(y * x ** (y - 1)), x)


def _pow_exponent(x, y, dy):
    if np.iscomplexobj(x):
        return _unbroadcast(dy * np.conj(x**y * np.where(x == 0, 0, np.log(np.where(x == 0, 1, x)))), y)
    return _unbroadcast(dy * x**y * np.log(np.where(x > 0, x, 1)), y)


@operation(rules={"x": _pow_base, "y": _pow_exponent}, spliced=True)  # x ** 0 at 0 has the gradient 0 * 0 ** -1 here
def pow(x, y):
    return x**y


@operation()
def scalar_mul(scalar, x):
    return scalar * x


@operation()
def negative(x):
    return -x


@operation()
def maximum(x, y):
    return np.maximum(x, y)


@operation()
def minimum(x, y):
    return np.minimum(x, y)


@operation()
def squared_difference(x, y):
    return (x - y) * (x - y)


@operation()
def divide_no_nan(x, y):
    return np.where(y == 0, 0, x / np.where(y == 0, 1, y))


def _multiply_no_nan_x(x, y, dy):
    return _unbroadcast(np.where(y == 0, 0, dy * y), x)


def _multiply_no_nan_y(x, y, dy):
    return _unbroadcast(np.where(dy == 0, 0, x * dy), y)


@operation(rules={"x": _multiply_no_nan_x, "y": _multiply_no_nan_y}, spliced=True)
def multiply_no_nan(x, y):
    return np.where(y == 0, 0, np.where(y == 0, 0, x) * y)


@operation()
def xlogy(x, y):
    return np.where(x == 0, 0, x * np.log(np.where(x == 0, 1, y)))


@operation()
def xlog1py(x, y):
    return np.where(x == 0, 0, x * np.log1p(np.where(x == 0, 0, y)))


@operation()
def xdivy(x, y):
    return np.where(x == 0, 0, x / np.where(x == 0, 1, y))


def _atan2_y(y, x, dy):
    return _unbroadcast(dy * (x / (x * x + y * y)), y)


def _atan2_x(y, x, dy):
    return _unbroadcast(-dy * (y / (x * x + y * y)), x)


@operation(rules={"y": _atan2_y, "x": _atan2_x}, spliced=True)  # nan at the origin here
def atan2(y, x):
    return np.arctan2(y, x)


@operation()
def hypot(x, y):
    return np.hypot(x, y)


@operation(links=())
def nextafter(x1, x2):
    return np.nextafter(x1, x2)


@operation(lists=("inputs",))
def add_n(inputs):
    total = inputs[0]
    for k in range(1, len(inputs)):
        total = total + inputs[k]
    return total


@operation(tensors=("t", "clip_value_min", "clip_value_max"))
def clip_by_value(t, clip_value_min, clip_value_max):
    return np.maximum(np.minimum(t, clip_value_max), clip_value_min)


# ------------------------------------------------------------------------------------ comparisons, logic


@operation(links=())
def equal(x, y):
    return x == y


@operation(links=())
def not_equal(x, y):
    return x != y


@operation(links=())
def less(x, y):
    return x < y


@operation(links=())
def less_equal(x, y):
    return x <= y


@operation(links=())
def greater(x, y):
    return x > y


@operation(links=())
def greater_equal(x, y):
    return x >= y


@operation(links=())
def logical_and(x, y):
    return np.logical_and(x, y)


@operation(links=())
def logical_or(x, y):
    return np.logical_or(x, y)


@operation(links=())
def logical_xor(x, y):
    return np.logical_xor(x, y)


@operation(links=())
def logical_not(x):
    return np.logical_not(x)


@operation(links=())
def _and(x, y):
    return x & y


@operation(links=())
def _or(x, y):
    return x | y


@operation(links=())
def _xor(x, y):
    return x ^ y


@operation(links=())
def _not(x):
    return ~x


@operation(links=())
def is_nan(x):
    return np.isnan(x)


@operation(links=())
def is_inf(x):
    return np.isinf(x)


@operation(links=())
def is_finite(x):
    return np.isfinite(x)


# -------------------------------------------------------------------------------------- one argument


@operation(kink=True)
def abs(x):
    return np.abs(x)


@operation(kink=True)
def sign(x):
    return np.sign(x)


@operation(links=())
def floor(x):
    return np.floor(x)


@operation(links=())
def ceil(x):
    return np.ceil(x)


@operation(links=())
def round(x):
    return np.rint(x)


@operation(links=())
def rint(x):
    return np.rint(x)


@operation()
def square(x):
    return np.square(x)


@operation()
def sqrt(x):
    return np.sqrt(x)


@operation()
def rsqrt(x):
    return 1 / np.sqrt(x)


@operation()
def reciprocal(x):
    return np.reciprocal(x)


@operation()
def reciprocal_no_nan(x):
    return np.where(x == 0, 0, 1 / np.where(x == 0, 1, x))


@operation()
def exp(x):
    return np.exp(x)


@operation()
def expm1(x):
    return np.expm1(x)


@operation(guard=False)
def log(x):
    return np.log(x)


@operation(guard=False)
def log1p(x):
    return np.log1p(x)


@operation()
def sin(x):
    return np.sin(x)


@operation()
def cos(x):
    return np.cos(x)


@operation()
def tan(x):
    return np.tan(x)


@operation(guard=False)
def asin(x):
    return np.arcsin(x)


@operation(guard=False)
def acos(x):
    return np.arccos(x)


@operation()
def atan(x):
    return np.arctan(x)


@operation()
def sinh(x):
    return np.sinh(x)


@operation()
def cosh(x):
    return np.cosh(x)


@operation()
def tanh(x):
    return np.tanh(x)


@operation()
def asinh(x):
    return np.arcsinh(x)


@operation(guard=False)
def acosh(x):
    return np.arccosh(x)


@operation(guard=False)
def atanh(x):
    return np.arctanh(x)


@operation()
def sigmoid(x):
    return np.exp(-np.logaddexp(0, -x))


@operation()
def log_sigmoid(x):
    return -np.logaddexp(0, -x)


@operation()
def softplus(features):
    return np.logaddexp(0, features)


def _special(name: str) -> Any:
    """A special function on arrays: SciPy's where it is installed, else Python's own, number by number."""

    def values(x: Any) -> Any:
        try:
            import scipy.special

            f = getattr(scipy.special, {"lgamma": "gammaln"}.get(name, name))
        except ImportError:
            if name in ("erfinv", "ndtri"):
                return {"erfinv": _erfinv, "ndtri": _ndtri}[name](x)
            f = np.vectorize({"digamma": _digamma}.get(name) or getattr(_math, name), otypes=[float])
        return np.asarray(f(x), dtype=np.asarray(x).dtype)

    return values


def _each(f, x):
    """A function of one number for every element."""
    if np.ndim(x) == 0:
        return x * 0 + f(x)
    flat = np.reshape(x, -1)
    out = np.empty_like(flat)
    for i in range(flat.shape[0]):
        out[i] = f(flat[i])
    return np.reshape(out, x.shape)


@operation(value=_special("erf"))
def erf(x):
    return _each(_math.erf, x)


@operation(value=_special("erfc"))
def erfc(x):
    return _each(_math.erfc, x)


@operation(value=_special("lgamma"))
def lgamma(x):
    return _each(_math.lgamma, x)


@operation(value=_special("digamma"))
def digamma(x):
    return _each(_digamma, x)


def _erfinv_rule(x, dy):
    return dy * (0.8862269254527579 * np.exp(np.square(_erfinv(x))))


def _tail(q):
    """The normal quantile of q up to 1/2: Halley's method on the tail itself, from the rational approximation of Hastings."""
    inside = np.logical_and(q > 0, q <= 0.5)
    p = np.where(inside, q, 0.25)
    t = np.sqrt(-2.0 * np.log(p))
    y = (2.30753 + 0.27061 * t) / (1.0 + 0.99229 * t + 0.04481 * t * t) - t
    for _ in range(3):
        d = (0.5 * _each(_math.erfc, -0.7071067811865476 * y) - p) * 2.5066282746310002 * np.exp(0.5 * y * y)
        y = y - d / (1.0 + 0.5 * y * d)
    return np.where(inside, y, np.where(q == 0, -np.inf, np.nan))


def _erfinv(x):
    """Newton's method on erf near zero, else the quantile of the tail."""
    x = np.asarray(x)
    a = np.abs(x)
    near = np.where(a < 0.5, x, 0.0)
    y = 0.8862269254527579 * near
    for _ in range(5):
        y = y - (_each(_math.erf, y) - near) * 0.8862269254527579 * np.exp(np.square(y))
    return np.where(a < 0.5, y, np.sign(x) * -0.7071067811865476 * _tail(0.5 * (1.0 - a))).astype(x.dtype)


@operation(value=_special("erfinv"), rules={"x": _erfinv_rule}, spliced=True)
def erfinv(x):
    return _erfinv(x)


def _ndtri_rule(x, dy):
    return dy * (2.5066282746310002 * np.exp(np.square(_ndtri(x)) / 2))


def _ndtri(x):
    x = np.asarray(x)
    y = _tail(np.where(x < 0.5, x, 1.0 - x))
    return np.where(x < 0.5, y, -y).astype(x.dtype)


@operation(value=_special("ndtri"), rules={"x": _ndtri_rule}, spliced=True)
def ndtri(x):
    return _ndtri(x)


@operation()
def real(input):
    return np.real(input)


@operation()
def imag(input):
    return np.imag(input)


@operation()
def conj(x):
    return np.conj(x)


@operation()
def angle(input):
    return np.angle(input)


@operation()
def complex(real, imag):
    return real + imag * 1j


@operation()
def identity(input):
    return input


@operation(links=())
def stop_gradient(input):
    return input


stop_gradient.__s2sgrad_numpy__ = _stop_gradient


@operation(tensors=("x",))
def _astype(x, dtype):
    return x.astype(dtype)


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The tensor in another dtype. A cast to or from integers carries no gradient."""
    want = _dtypes.as_dtype(dtype)
    t = convert_to_tensor(x)
    if t.dtype == want:
        return t
    if "string" in (want.name, t.dtype.name):
        raise InvalidArgumentError(f"Cast {t.dtype.name} to {want.name} is not supported [Op:Cast]")
    if want.name == "bfloat16" or t.dtype.name == "bfloat16":
        data = _dtypes.round_bfloat16(t._array.astype(np.float32)) if want.name == "bfloat16" else t._array.astype(want.dtype)
        return Tensor(data, want if want.name == "bfloat16" else None)
    return OPS["_astype"](t, want)


def _cast_in_compiled_code(x, dtype, name=None):
    return np.asarray(x).astype(dtype)


def _saturate_cast_in_compiled_code(value, dtype, name=None):
    a = np.asarray(value)
    if np.dtype(dtype).kind in "iu":
        a = np.clip(a, np.iinfo(np.dtype(dtype)).min, np.iinfo(np.dtype(dtype)).max)
    return a.astype(dtype)


cast.__s2sgrad_numpy__ = _cast_in_compiled_code  # type: ignore[attr-defined]
OPS["cast"] = cast


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """A cast that clips to the range of the dtype instead of wrapping around."""
    want, t = _dtypes.as_dtype(dtype), convert_to_tensor(value)
    return cast(Tensor(np.clip(t._array, want.min, want.max)) if want.is_integer else t, want)


saturate_cast.__s2sgrad_numpy__ = _saturate_cast_in_compiled_code  # type: ignore[attr-defined]
divide = truediv

takes_tensors(cast, "x")
takes_tensors(saturate_cast, "value")
