"""Functions of scipy.special."""

from __future__ import annotations

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from s2sgrad.library.numbers import logsumexp
from s2sgrad.library.table import implements

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
