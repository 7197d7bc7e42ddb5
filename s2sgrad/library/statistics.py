"""Products, means, variances."""

from __future__ import annotations

import numpy as np

from s2sgrad.library.order import merged, of_kind
from s2sgrad.library.table import implements
from s2sgrad.rules.elementwise import length


def count(a, axis):
    """How many elements a reduction over `axis` combines."""
    if axis is None:
        return a.size
    if isinstance(axis, tuple):
        n = 1
        for k in axis:
            n = n * a.shape[k]
        return n
    return a.shape[axis]


def accumulator(x, dtype):
    """The dtype in which NumPy accumulates sums and products."""
    if dtype is not None:
        return np.dtype(dtype)
    if x.dtype.kind in "bi":
        return np.dtype("int64")
    return np.dtype("uint64") if x.dtype.kind == "u" else x.dtype


@implements(np.prod, np.multiply.reduce)
def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=1):
    x = np.asarray(a)
    kind = accumulator(x, dtype)
    if axis is None or x.ndim == 1:
        p = kind.type(initial)
        for v in x.ravel():
            p = p * v
        return np.full((1,) * x.ndim, p) if keepdims else p
    rows = merged(x, axis)
    q = np.full(rows.shape[1:], initial, dtype=kind)
    for k in range(rows.shape[0]):
        q = q * rows[k]
    return np.expand_dims(q, axis) if keepdims else q


@implements(np.cumprod, np.multiply.accumulate)
def cumprod(a, axis=None, dtype=None, out=None):
    x = np.asarray(a)
    kind = accumulator(x, dtype)
    if axis is None or x.ndim == 1:
        flat = x.ravel()
        result = np.empty(flat.shape[0], dtype=kind)
        p = kind.type(1)
        for k in range(flat.shape[0]):
            p = p * flat[k]
            result[k] = p
        return result
    rows = np.moveaxis(x, axis, 0)
    product = rows.astype(kind)
    for k in range(1, rows.shape[0]):
        product[k] = product[k - 1] * rows[k]
    return np.moveaxis(product, 0, axis)


def taken(x, where, axis, keepdims):
    """How many elements of each group `where` selects, in the (real) precision of the data."""
    kind = np.ones(1, dtype=x.dtype) * 1.0
    return np.sum(np.where(where, np.ones(x.shape, dtype=np.real(kind).dtype), 0.0), axis, keepdims=keepdims)


@implements(np.mean)
def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None):
    x = np.asarray(a)
    if x.ndim == 0:
        return x / np.float64(1.0) if x.dtype.kind in "iub" else x
    if where is not None:
        return np.sum(np.where(where, x, 0), axis, dtype, keepdims=keepdims) / taken(x, where, axis, keepdims)
    return np.sum(x, axis, dtype, keepdims=keepdims) / count(x, axis)


@implements(np.var)
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None, correction=None):
    x = of_kind(a, dtype)
    free = ddof if correction is None else correction
    d = x - (average_of(x, axis, where) if mean is None else mean)
    if x.dtype.kind == "c":
        squares = np.real(d * np.conj(d))
    else:
        squares = d * d
    if where is not None:
        n = taken(x, where, axis, keepdims)
        return np.sum(np.where(where, squares, 0), axis, keepdims=keepdims) / (n - free)
    return np.sum(squares, axis, keepdims=keepdims) / (count(x, axis) - free)


def average_of(x, axis, where):
    """The mean, in a shape that broadcasts against the data."""
    return mean(x, axis, keepdims=axis is not None, where=where)


@implements(np.std)
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None, correction=None):
    return length(var(a, axis, dtype, ddof=ddof, keepdims=keepdims, where=where, mean=mean, correction=correction))


@implements(np.average)
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    x = np.asarray(a)
    if weights is None:
        m = mean(x, axis, keepdims=keepdims)
        return (m, m * 0 + count(x, axis)) if returned else m
    w = np.asarray(weights)
    if w.ndim < x.ndim:
        w = spread_weights(w, x.shape, axis)
    total = np.sum(w * np.ones_like(x), axis, keepdims=keepdims)
    m = np.sum(x * w, axis, keepdims=keepdims) / total
    return (m, total) if returned else m


def spread_weights(w, shape, axis):
    """Weights with extent-1 axes where they do not vary."""
    ndim = len(shape)
    axes = tuple(k % ndim for k in axis) if isinstance(axis, tuple) else (axis % ndim,)
    order = tuple(axes.index(k) for k in range(ndim) if k in axes)
    return np.transpose(w, order).reshape(tuple(shape[k] if k in axes else 1 for k in range(ndim)))


@implements(np.ptp)
def ptp(a, axis=None, out=None, keepdims=False):
    return np.max(a, axis, keepdims=keepdims) - np.min(a, axis, keepdims=keepdims)


@implements(np.nansum)
def nansum(a, axis=None, dtype=None, out=None, keepdims=False):
    return np.sum(np.where(np.isnan(a), 0, a), axis, dtype, keepdims=keepdims)


@implements(np.nanprod)
def nanprod(a, axis=None, dtype=None, out=None, keepdims=False):
    return prod(np.where(np.isnan(a), 1, a), axis, dtype, keepdims=keepdims)


@implements(np.nancumsum)
def nancumsum(a, axis=None, dtype=None, out=None):
    return np.cumsum(np.where(np.isnan(a), 0, a), axis, dtype)


@implements(np.nancumprod)
def nancumprod(a, axis=None, dtype=None, out=None):
    return cumprod(np.where(np.isnan(a), 1, a), axis, dtype)


@implements(np.nanmax)
def nanmax(a, axis=None, out=None, keepdims=False):
    return np.max(filled(np.asarray(a), -np.inf), axis, keepdims=keepdims)


@implements(np.nanmin)
def nanmin(a, axis=None, out=None, keepdims=False):
    return np.min(filled(np.asarray(a), np.inf), axis, keepdims=keepdims)


def filled(x, value):
    """The data with another value instead of nan."""
    return np.where(np.isnan(x), value, x) if x.dtype.kind in "fc" else x


@implements(np.nanmean)
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    x = of_kind(a, dtype)
    n = np.sum(np.where(np.isnan(x), 0, 1), axis, keepdims=keepdims)
    return np.sum(np.where(np.isnan(x), 0, x), axis, keepdims=keepdims) / n.astype(x.dtype)


@implements(np.nanvar)
def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    x = of_kind(a, dtype)
    d = np.where(np.isnan(x), 0, x - nanmean(x, axis, keepdims=axis is not None))
    n = np.sum(np.where(np.isnan(x), 0, 1), axis, keepdims=keepdims) - ddof
    total = np.sum(np.real(d * np.conj(d)) if d.dtype.kind == "c" else d * d, axis, keepdims=keepdims)
    return total / n.astype(total.dtype)


@implements(np.nanstd)
def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return length(nanvar(a, axis, dtype, ddof=ddof, keepdims=keepdims))


def double(x):
    """The array in double precision."""
    if x.dtype.kind == "c":
        return x.astype(np.complex128)
    return x.astype(np.float64)


@implements(np.cov)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    x = double(np.atleast_2d(m)) if dtype is None else np.atleast_2d(m).astype(dtype)
    if not rowvar and np.ndim(m) > 1:
        x = x.T
    if y is not None:
        other = np.atleast_2d(y)
        if not rowvar and np.ndim(y) > 1:
            other = other.T
        x = np.concatenate((x, double(other)), axis=0)
    if ddof is None:
        ddof = 0 if bias else 1
    if fweights is None and aweights is None:
        d = x - np.sum(x, axis=1, keepdims=True) / x.shape[1]
        c = d @ np.conj(d).T / (x.shape[1] - ddof)
    else:
        w = np.ones(x.shape[1])
        if fweights is not None:
            w = w * np.asarray(fweights)
        if aweights is not None:
            w = w * np.asarray(aweights)
        d = x - np.sum(x * w, axis=1, keepdims=True) / np.sum(w)
        used = np.sum(w) if ddof == 0 or aweights is None else np.sum(w) - ddof * np.sum(w * np.asarray(aweights)) / np.sum(w)
        c = (d * w) @ np.conj(d).T / (used - ddof if aweights is None else used)
    return c[0, 0] if c.ndim == 2 and np.ndim(m) == 1 and y is None else c


@implements(np.corrcoef)
def corrcoef(x, y=None, rowvar=True):
    c = cov(x, y, rowvar)
    if np.ndim(c) == 0:
        return c / c
    s = np.sqrt(np.real(np.diag(c)))
    return c / s[:, None] / s[None, :]
