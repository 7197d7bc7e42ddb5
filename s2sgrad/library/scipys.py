"""Functions of scipy.special."""

from __future__ import annotations

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from s2sgrad.library.numbers import logsumexp
from s2sgrad.library.table import implements
from s2sgrad.library.windows import bessel_series, i0

implements(sp.logsumexp)(logsumexp)


@implements(sp.softmax)
def softmax(x, axis=None):
    e = np.exp(x - np.max(x, axis, keepdims=axis is not None))
    return e / np.sum(e, axis, keepdims=axis is not None)


@implements(sp.log_softmax)
def log_softmax(x, axis=None):
    d = x - np.max(x, axis, keepdims=axis is not None)
    return d - np.log(np.sum(np.exp(d), axis, keepdims=axis is not None))


@implements(sp.xlogy)
def xlogy(x, y):
    return np.where(x == 0, 0.0, x * np.log(np.where(x == 0, 1.0, y)))


@implements(sp.xlog1py)
def xlog1py(x, y):
    return np.where(x == 0, 0.0, x * np.log1p(np.where(x == 0, 1.0, y)))


@implements(sp.entr)
def entr(x):
    return np.where(x > 0, -x * np.log(np.where(x > 0, x, 1.0)), np.where(x == 0, 0.0, -np.inf))


@implements(sp.beta)
def beta(a, b):
    return np.exp(sp.gammaln(a) + sp.gammaln(b) - sp.gammaln(a + b))


@implements(sp.betaln)
def betaln(a, b):
    return sp.gammaln(a) + sp.gammaln(b) - sp.gammaln(a + b)


@implements(sp.expit)
def expit(x):
    e = np.exp(np.where(x >= 0, -x, x))  # at most 1 on both sides
    return np.where(x >= 0, 1.0, e) / (1.0 + e)


@implements(sp.log_expit)
def log_expit(x):
    return np.where(x >= 0, 0.0, x) - np.log1p(np.exp(np.where(x >= 0, -x, x)))


@implements(sp.ndtr)
def ndtr(x):
    return 0.5 * sp.erfc(-x * 0.7071067811865476)


@implements(sp.rel_entr)
def rel_entr(x, y):
    inside = np.logical_and(x > 0, y > 0)
    a = np.where(inside, x, 1.0)
    b = np.where(inside, y, 1.0)
    return np.where(inside, a * np.log(a / b), np.where(np.logical_and(x == 0, y >= 0), 0.0, np.inf))


@implements(sp.kl_div)
def kl_div(x, y):
    return rel_entr(x, y) - x + y


@implements(sp.huber)
def huber(delta, r):
    a = np.abs(r)
    return np.where(a <= delta, 0.5 * r * r, delta * (a - 0.5 * delta))


@implements(sp.pseudo_huber)
def pseudo_huber(delta, r):
    q = r / delta
    return delta * delta * (np.sqrt(1.0 + q * q) - 1.0)


implements(sp.i0)(i0)


@implements(sp.i1)
def i1(x):
    return 0.5 * x * bessel_series(x, 1)
