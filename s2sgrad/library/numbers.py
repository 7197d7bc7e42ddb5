"""Functions of `math` and builtins on sequences, and ufuncs with a twist."""

from __future__ import annotations

import math

import numpy as np

from s2sgrad.library.table import implements, refuse
from s2sgrad.rules.elementwise import length


@implements(math.dist)
def dist(p, q):
    s = 0.0
    for k in range(len(p)):
        s = s + (p[k] - q[k]) ** 2
    return float(length(s))


@implements(math.prod)
def product(iterable, *, start=1):
    p = start
    for v in iterable:
        p = p * v
    return p


@implements(math.fsum)
def fsum(seq):
    s = 0.0
    for v in seq:
        s = s + v
    return s


@implements(getattr(math, "sumprod", None))
def sumprod(p, q):
    s = 0.0
    for k in range(len(p)):
        s = s + p[k] * q[k]
    return s


@implements(math.isclose)
def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    return a == b or abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)


@implements(math.factorial)
def factorial(n):
    p = 1
    for k in range(2, n + 1):
        p = p * k
    return p


@implements(math.comb)
def comb(n, k):
    if k < 0 or k > n:
        return 0
    c = 1
    for i in range(min(k, n - k)):
        c = c * (n - i) // (i + 1)
    return c


@implements(math.perm)
def perm(n, k=None):
    p = 1
    for i in range(n if k is None else k):
        p = p * (n - i)
    return p


@implements(math.isqrt)
def isqrt(n):
    r = int(math.sqrt(n))
    while r * r > n:
        r -= 1
    while (r + 1) * (r + 1) <= n:
        r += 1
    return r


@implements(math.modf)
def modf(x):
    whole = float(math.trunc(x))
    return x - whole, whole


@implements(math.remainder)
def remainder(x, y):
    return x - y * float(np.rint(x / y))


@implements(getattr(math, "fma", None))
def fma(x, y, z):
    return x * y + z


@implements(math.ulp)
def ulp(x):
    a = abs(float(x))
    if not math.isfinite(a):
        return a
    up = float(np.nextafter(a, np.inf))
    return up - a if math.isfinite(up) else a - float(np.nextafter(a, 0.0))


@implements(math.nextafter)
def nextafter(x, y, *, steps=1):
    if steps != 1:
        refuse("math.nextafter with steps is not supported")
    return float(np.nextafter(float(x), float(y)))


@implements(math.frexp)
def frexp(x):
    m, e = np.frexp(float(x))
    return float(m), int(e)


@implements(np.frexp)
def np_frexp(x):
    """The logarithm gives the exponent, up to one where it is rounded."""
    size = np.abs(x)
    there = np.isfinite(size) & (size > 0)
    e = np.where(there, np.floor(np.log2(np.where(there, size, 1.0))) + 1.0, 0.0).astype(np.int32)
    half = np.ldexp(np.where(there, size, 0.5), -(e // 2))
    m = np.ldexp(half, -(e - e // 2))
    e = np.where(there & (m >= 1.0), e + 1, np.where(there & (m < 0.5), e - 1, e)).astype(np.int32)
    return np.where(there, np.ldexp(np.ldexp(x, -(e // 2)), -(e - e // 2)), x), e


@implements(divmod, np.divmod)
def quotient_and_rest(x, y):
    return x // y, x % y


@implements(np.modf)
def np_modf(x):
    whole = np.trunc(x)
    return x - whole, whole


@implements(np.logaddexp.reduce)
def logaddexp_reduce(array, axis=0, dtype=None, out=None, keepdims=False):
    return logsumexp(array if dtype is None else np.asarray(array).astype(dtype), axis, keepdims=keepdims)


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """log(sum(exp(a))) without overflow."""
    if return_sign:
        refuse("logsumexp with return_sign is not supported")
    x = np.asarray(a)
    top = np.max(x, axis, keepdims=axis is not None)
    top = np.where(np.isfinite(top), top, 0.0)
    e = np.exp(x - top) if b is None else b * np.exp(x - top)
    s = np.log(np.sum(e, axis, keepdims=axis is not None)) + top
    if axis is None or keepdims:
        return np.full((1,) * x.ndim, s) if keepdims and axis is None else s
    return np.squeeze(s, axis)


@implements(np.piecewise)
def piecewise(x, condlist, funclist, *args, **kw):
    conditions = condlist if isinstance(condlist, (list, tuple)) else (condlist,)
    n = len(conditions)
    if len(funclist) != n and len(funclist) != n + 1:
        refuse("np.piecewise: as many functions as conditions, or one more, are needed")
    y = np.zeros_like(x)
    if np.ndim(x) == 0:
        if len(funclist) > n:
            y = y + _apply(funclist[n], x, args, kw)
        for k in range(n):
            y = np.where(conditions[k], _apply(funclist[k], x, args, kw), y)
        return y.astype(x.dtype)
    if len(funclist) > n:
        rest = np.logical_not(conditions[0])
        for c in conditions[1:]:
            rest = np.logical_and(rest, np.logical_not(c))
        y[rest] = _apply(funclist[n], x[rest], args, kw)
    for k in range(n):
        y[conditions[k]] = _apply(funclist[k], x[conditions[k]], args, kw)
    return y


def _apply(f, x, args, kw):
    """A function of the selected elements, or a constant."""
    return f(x, *args, **kw) if callable(f) else f
