"""Arithmetic, comparisons and elementwise functions of two or more arguments."""

from __future__ import annotations

import math
import operator

import numpy as np

from s2sgrad import ir
from s2sgrad.errors import Unsupported
from s2sgrad.ir import Call, Const, Scalar
from s2sgrad.rules.build import adjoint_of, cast, conj, elementwise, flat, is_scalar, is_weak, means, retype, select, strong, tangent_of, to_float
from s2sgrad.rules.registry import OPS, as_expr, call
from s2sgrad.rules.signs import nonzero, positive


@elementwise(operator.add, np.add, syntax="_0 + _1")
def add(x, y, *, out):
    return 1.0, 1.0


@elementwise(operator.sub, np.subtract, syntax="_0 - _1")
def sub(x, y, *, out):
    return 1.0, -1.0


@elementwise(operator.mul, np.multiply, syntax="_0 * _1")
def mul(x, y, *, out):
    return y, x


def _made_of_extents(y):
    """A constant, or made of extents: zero only where there is nothing to divide."""
    if isinstance(y, Const):
        return y.value != 0
    if isinstance(y, Call):
        return y.op in ("dim", "size", "len") or y.op in ("mul", "astype", "pyfloat") and all(_made_of_extents(a) for a in y.args)
    return False


def _safe_denominator(x, y):
    return _made_of_extents(y) or nonzero(y)


@elementwise(operator.truediv, np.divide, np.true_divide, syntax="_0 / _1", singular=True, safe=_safe_denominator)
def div(x, y, *, out):
    return 1.0 / y, -out / y


@adjoint_of("div")
def _(g, x, y, *, out, wanted):
    return g / conj(y), -g * conj(out) / conj(y) if wanted[1] else None


@tangent_of("div")
def _(dots, x, y, *, out):
    if dots[1] is None:
        return dots[0] / y
    return (-out * dots[1] if dots[0] is None else dots[0] - out * dots[1]) / y


@elementwise(operator.mod, np.mod, np.remainder, syntax="_0 % _1")
def mod(x, y, *, out):
    return 1.0, -np.floor_divide(x, y)


@elementwise(np.fmod, math.fmod)
def fmod(x, y, *, out):
    return 1.0, -np.trunc(x / y)


flat("floordiv", operator.floordiv, np.floor_divide, syntax="_0 // _1")


# ----------------------------------------------------------------------------------------------- powers


def _smooth_power(x, y):
    return isinstance(y, Const) and not isinstance(y.value, complex) and (y.value >= 1 or y.value == 0)


def _power(x, y, *, out):
    return power_base(x, y), np.log(select(as_expr(x).eq(0), 1.0, x)) * out


def power_base(x, y):
    """d x**y / d x, finite at x = 0 wherever the derivative is (y = 0, y >= 1)."""
    if isinstance(y, Const):
        n = y.value
        if n == 0:
            return None
        if n == 1:
            return 1.0
        return n * x if n == 2 else n * x ** (n - 1)
    return y * x ** select(as_expr(y).eq(0), 1, y - 1)


elementwise(operator.pow, syntax="_0 ** _1", singular=True, safe=lambda x, y: _smooth_power(x, y) or positive(x), name="pow")(_power)
elementwise(np.float_power, singular=True, safe=_smooth_power, name="float_power")(_power)


@means(operator.pow, pow)
def _(x, y):
    x, y = as_expr(x), as_expr(y)
    if x.type.dtype == "int64" and is_weak(x.type) and isinstance(y, Const) and is_weak(y.type) and y.value < 0:
        x = call("pyfloat", x)
    return call("pow", x, y)


@means(np.power)
def _(x, y):
    return strong(call("pow", x, y))


@means(math.pow)
def _(x, y):
    return call("pow", to_float(x), to_float(y))


# --------------------------------------------------------------------------------- maxima, selections


@elementwise(np.maximum)
def maximum(x, y, *, out):
    return x >= y, x < y


@elementwise(np.minimum)
def minimum(x, y, *, out):
    return x <= y, x > y


@elementwise(np.fmax)
def fmax(x, y, *, out):
    return _first(x >= y, y), _second(x >= y, y)


@elementwise(np.fmin)
def fmin(x, y, *, out):
    return _first(x <= y, y), _second(x <= y, y)


def _first(wins, y):
    return np.logical_or(wins, np.isnan(y))


def _second(wins, y):
    return np.logical_not(_first(wins, y))


def _choice(name, test):
    """Adjoint and tangent of an operation that returns one of its two arguments."""

    @adjoint_of(name)
    def _(g, x, y, *, out, wanted):
        c = test(x, y)
        return select(c, g, 0.0) if wanted[0] else None, select(c, 0.0, g) if wanted[1] else None

    @tangent_of(name)
    def _(dots, x, y, *, out):
        return select(test(x, y), *(0.0 if d is None else d for d in dots))


_choice("maximum", lambda x, y: x >= y)
_choice("minimum", lambda x, y: x <= y)
_choice("fmax", lambda x, y: _first(x >= y, y))
_choice("fmin", lambda x, y: _first(x <= y, y))


@elementwise(np.clip)
def clip(x, lo, hi, *, out):
    return np.logical_and(lo <= x, x <= hi), np.logical_and(x < lo, lo < hi), x > hi


@adjoint_of("clip")
def _(g, x, lo, hi, *, out, wanted):
    tests = ((lo <= x) & (x <= hi), np.logical_and(x < lo, lo <= hi), np.maximum(x, lo) > hi)
    return tuple(select(t, g, 0.0) if w else None for t, w in zip(tests, wanted, strict=True))


@tangent_of("clip")
def _(dots, x, lo, hi, *, out):
    dx, dlo, dhi = (0.0 if d is None else d for d in dots)
    return select(np.maximum(x, lo) > hi, dhi, select(x < lo, dlo, dx))


@means(np.clip)
def _(a, a_min=None, a_max=None, *, min=None, max=None):
    lo, hi = (a_min if min is None else min), (a_max if max is None else max)
    if lo is None and hi is None:
        return strong(call("pos", a))
    if lo is None or hi is None:
        return strong(call("maximum", a, lo) if hi is None else call("minimum", a, hi))
    return strong(call("clip", a, lo, hi))


def _where(c, a, b):
    return np.where(c, a, b)


elementwise(fn=_where, syntax="np.where(_0, _1, _2)", name="where")(lambda c, a, b, *, out: (None, c, np.logical_not(c)))


@adjoint_of("where")
def _(g, c, a, b, *, out, wanted):
    return None, select(c, g, 0.0) if wanted[1] else None, select(c, 0.0, g) if wanted[2] else None


@tangent_of("where")
def _(dots, c, a, b, *, out):
    return select(c, *(0.0 if d is None else d for d in dots[1:]))


@means(np.where)
def _(condition, x=None, y=None):
    if x is None and y is None:
        return _places(as_expr(condition))
    c, a, b = as_expr(condition), as_expr(x), as_expr(y)
    t = call("where", c, a, b).type
    if not isinstance(t, Scalar):
        return call("where", c, a, b)
    return call("ifexp", c, cast(a, t.dtype), cast(b, t.dtype))


def _places(c):
    """Where a condition holds: one index array per axis."""
    if c.ndim == 1:
        return (call("flatnonzero", c),)
    if is_scalar(c):
        raise Unsupported("np.where of one number is not supported")
    rest, places = call("flatnonzero", call("reshape_copy", c, call("size", c))), []
    for axis in reversed(range(1, c.ndim)):
        places.append(rest % c.dim(axis))
        rest = rest // c.dim(axis)
    return (rest, *reversed(places))


def _join(c, a, b):
    """The type of a conditional expression on scalars."""
    if a.dtype == b.dtype:
        return Scalar(a.dtype, a.weak and b.weak)
    x, y = (np.dtype(t.dtype) if not t.weak else np.dtype(t.dtype).type(0).item() for t in (a, b))
    return Scalar(np.result_type(x, y).name, a.weak and b.weak)


elementwise(fn=lambda c, a, b: a if c else b, syntax="(_1 if _0 else _2)", name="ifexp")(
    lambda c, a, b, *, out: (None, c, np.logical_not(c)))
OPS["ifexp"].result = _join
OPS["ifexp"].adjoint, OPS["ifexp"].tangent = OPS["where"].adjoint, OPS["where"].tangent
flat("and", fn=lambda a, b: a and b, syntax="_0 and _1")
flat("or", fn=lambda a, b: a or b, syntax="_0 or _1")


# ------------------------------------------------------------------------------------------- functions


@elementwise(np.arctan2, math.atan2)
def arctan2(y, x, *, out):
    d = x * x + y * y
    d = select(d.eq(0), 1.0, d)  # 0 at the origin
    return x / d, -y / d


@elementwise(np.hypot)
def hypot(x, y, *, out):
    r = select(out.eq(0), 1.0, out)  # 0 at the origin, as for abs
    return x / r, y / r


@elementwise(np.copysign, math.copysign)
def copysign(x, y, *, out):
    return np.sign(x) * np.sign(out), None


def _shares(exp, x, y, out):
    """The shares of two exponentials in their sum; there is nothing to share where both are 0."""
    empty = call("logical_and", call("isinf", out), call("lt", out, 0.0))
    return select(empty, 0.0, exp(x - out)), select(empty, 0.0, exp(y - out))


@elementwise(np.logaddexp)
def logaddexp(x, y, *, out):
    return _shares(np.exp, x, y, out)


@elementwise(np.logaddexp2)
def logaddexp2(x, y, *, out):
    return _shares(np.exp2, x, y, out)


@elementwise(np.ldexp)
def ldexp(x, n, *, out):
    return np.exp2(n), None


@elementwise(np.nextafter)
def nextafter(x, y, *, out):
    return 1.0, None


flat("heaviside", np.heaviside, arity=2)


@means(math.ldexp)
def _(x, n):
    return call("pyfloat", call("ldexp", to_float(x), n))


@means(math.hypot)
def _(*xs):
    values = [to_float(x) for x in xs]
    if not values:
        return Const(0.0, ir.FLOAT)
    out = values[0] if len(values) > 1 else call("abs", values[0])
    for v in values[1:]:
        out = call("pyfloat", call("hypot", out, v))
    return out


# -------------------------------------------------------------------------------- comparisons and bits

for _name, _sign, *_python in (
    ("lt", "<", operator.lt, np.less), ("le", "<=", operator.le, np.less_equal), ("gt", ">", operator.gt, np.greater),
    ("ge", ">=", operator.ge, np.greater_equal), ("eq", "==", operator.eq, np.equal), ("ne", "!=", operator.ne, np.not_equal),
    ("bitand", "&", operator.and_, np.bitwise_and), ("bitor", "|", operator.or_, np.bitwise_or),
    ("bitxor", "^", operator.xor, np.bitwise_xor),
    ("lshift", "<<", operator.lshift, np.left_shift), ("rshift", ">>", operator.rshift, np.right_shift),
):
    flat(_name, *_python, syntax=f"_0 {_sign} _1")
for _f in (np.logical_and, np.logical_or, np.logical_xor, np.gcd, np.lcm):
    flat(_f.__name__, _f, arity=2)


@means(max)
def _(*values):
    return _extreme(values, lambda new, old: new > old)


@means(min)
def _(*values):
    return _extreme(values, lambda new, old: new < old)


def _extreme(values, better):
    """Python's max and min of numbers: the first of equal ones."""
    out = as_expr(values[0])
    for v in map(as_expr, values[1:]):
        t = call("ifexp", better(v, out), v, out).type
        out = call("ifexp", better(v, out), _of_type(v, t), _of_type(out, t))
    return out


def _of_type(e, t):
    """A number in the type of a conditional expression, which is one type whichever branch runs."""
    if e.type.dtype == t.dtype:
        return e
    if isinstance(e, Const):
        return retype(e, t)
    return call({"int64": "pyint", "float64": "pyfloat", "complex128": "pycomplex"}[t.dtype], e) if t.weak else cast(e, t.dtype)


@means(math.gcd)
def _(a, b):
    return call("pyint", call("gcd", a, b))


@means(divmod)
def _(a, b):
    raise Unsupported("divmod gives a pair", hint="write a // b and a % b")

