"""NumPy's and math's elementwise functions, broadcasting and special points."""
import math

import numpy as np

from tests.corpus import case

X = np.array([0.3, -0.6, 0.7, 0.15])
P = np.array([0.37, 1.27, 0.77, 2.11])
A = np.array([[0.2, 1.3, -0.7, 0.4], [0.9, -0.5, 0.4, 1.1], [1.1, 0.8, -1.6, 0.3]])


def trigonometric(x):
    return np.sum(np.sin(x) * np.cos(x) + np.tan(x) + np.arcsin(x) - np.arccos(x) + np.arctan(x) + np.sinc(x))


def hyperbolic(x):
    return np.sum(np.sinh(x) * np.cosh(x) + np.tanh(x) + np.arcsinh(x) + np.arccosh(x + 2.0) + np.arctanh(x))


def exponential(p):
    return np.sum(np.exp(p) + np.exp2(p) + np.expm1(p) + np.log(p) + np.log2(p) * np.log10(p) + np.log1p(p))


def powers(p, q):
    return np.sum(p ** q + np.power(p, 2) + np.sqrt(p) + np.cbrt(p) + np.square(q) + np.reciprocal(p) + np.float_power(p, q) + p ** -2 + 2.0 ** q)


def two_arguments(x, p):
    return np.sum(np.arctan2(x, p) + np.hypot(x, p) + np.logaddexp(x, p) + np.logaddexp2(x, p) + np.copysign(p, x) + np.fmod(p, 0.4))


def selection(x, p):
    return np.sum(np.maximum(x, p) * np.minimum(x, p) + np.fmax(x, 0.1) + np.clip(x, -0.5, 0.5) * p + np.where(x > 0.2, x * p, x - p))


def piecewise_constant(x, p):
    return np.sum(np.floor(p) * x + np.ceil(x) * p + np.sign(x) * p + np.round(p, 1) * x + np.trunc(p) * x + p % 0.4 + p // 0.4 * x)


def scalar_math(x, y):
    a = math.sin(x) * math.cos(y) + math.tan(x) + math.exp(x) + math.log(y) + math.sqrt(y)
    b = math.atan2(x, y) + math.hypot(x, y) + math.pow(y, x) + math.fabs(-x) + math.log1p(x) + math.expm1(x)
    c = math.erf(x) + math.erfc(y) + math.gamma(y) + math.lgamma(y) + math.tanh(x) + math.degrees(x) + math.log(y, 2) + math.log2(y)
    return a * b + c


def builtins_on_scalars(x, y):
    return abs(x) * max(x, y, 0.3) + min(x, y) * pow(x, 2) + round(y) * x + divmod(y, 0.4)[1] + sum((x, y)) * float(x)


def broadcasting(A, x, p):
    B = A * x + p[:3, None]
    C = A[:, :1] * x[None, :]
    return np.sum(B * C + 2.0 * A) + np.sum(A / (1.0 + x * x))


def scalar_broadcast(A, c):
    return np.sum((A * c + c) / (2.0 + c)) + c


def degrees_radians(x):
    return np.sum(np.deg2rad(x) + np.degrees(x) * np.radians(x) + np.rad2deg(x))


def ties(x):
    return np.max(x) + 0.0 * np.sum(x)


def tie_maximum(x, y):
    return np.sum(np.maximum(x, y)) + np.sum(np.minimum(x, y)) * 2.0


def absolute_at_zero(x):
    return np.sum(np.abs(x))


def relu_at_zero(x):
    return np.sum(np.maximum(x, 0.0))


def clip_at_bounds(x):
    return np.sum(np.clip(x, -1.0, 1.0) * 3.0)


def where_guards_sqrt(x):
    return np.sum(np.where(x > 0, np.sqrt(np.where(x > 0, x, 0.0)), 0.0)) + np.sum(np.where(x > 0, np.sqrt(x * x), 0.0))


def guarded_norm(x):
    n = np.sqrt(np.sum(x * x))
    if n == 0.0:
        return n * 0.0
    return n


def power_special_points(x):
    return np.sum(x ** 2) + np.sum(x ** 1) + np.sum(x ** 0) + np.sum(x ** 3.0)


def logsumexp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def chained_unary(x):
    return np.sum(-x + +x * abs(-x))


def prod_with_zero(x):
    return np.prod(x)


T = np.array([1.0, 2.0, 2.0, -1.0])
case(trigonometric, (X,), numba="fast")
case(hyperbolic, (X,))
case(exponential, (P,))
case(powers, (P, X))
case(two_arguments, (X, P))
case(selection, (X, P), numba="fast")
case(piecewise_constant, (X, P))
case(scalar_math, (0.3, 1.4))
case(builtins_on_scalars, (0.35, 1.7))
case(broadcasting, (A, X, P), numba="fast")
case(scalar_broadcast, (A, 0.7))
case(degrees_radians, (X,))
case(ties, (T,), grad=lambda x: (np.array([0.0, 0.5, 0.5, 0.0]),))
case(tie_maximum, (T, T + np.array([0.0, 0.0, 1.0, -1.0])), grad=lambda x, y: (np.array([3.0, 3.0, 2.0, 1.0]), np.array([0.0, 0.0, 1.0, 2.0])))
case(absolute_at_zero, (np.array([0.0, -1.0, 2.0]),), grad=lambda x: (np.array([0.0, -1.0, 1.0]),))
case(relu_at_zero, (np.array([0.0, -1.0, 2.0]),), grad=lambda x: (np.array([1.0, 0.0, 1.0]),))
case(clip_at_bounds, (np.array([-1.0, 1.0, 0.5, 3.0]),), grad=lambda x: (np.array([3.0, 3.0, 3.0, 0.0]),))
case(where_guards_sqrt, (np.array([0.0, 4.0, -1.0]),), grad=lambda x: (np.array([0.0, 1.25, 0.0]),))
case(guarded_norm, (np.zeros(3),), grad=lambda x: (np.zeros(3),))
case(power_special_points, (np.array([0.0, 2.0, -1.0]),), grad=lambda x: (2 * x + 1 + 3 * x ** 2,))
case(logsumexp, (X,))
case(chained_unary, (X,))
case(prod_with_zero, (np.array([2.0, 0.0, 3.0]),), grad=lambda x: (np.array([0.0, 6.0, 0.0]),))
