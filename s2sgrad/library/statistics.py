"""Products, means, variances, order statistics."""

from __future__ import annotations

import numpy as np

from s2sgrad.library.table import implements, refuse


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
    if isinstance(axis, tuple):
        refuse("np.prod over several axes is not supported")
    rows = np.moveaxis(x, axis, 0)
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


@implements(np.mean)
def mean(a, axis=None, dtype=None, out=None, keepdims=False):
    x = np.asarray(a)
    if x.ndim == 0:
        return x / np.float64(1.0) if x.dtype.kind in "iub" else x
    return np.sum(x, axis, dtype, keepdims=keepdims) / count(x, axis)


@implements(np.var)
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    x = np.asarray(a)
    d = x - mean(x, axis, keepdims=axis is not None)
    if x.dtype.kind == "c":
        squares = np.real(d * np.conj(d))
    else:
        squares = d * d
    return np.sum(squares, axis, keepdims=keepdims) / (count(x, axis) - ddof)


@implements(np.std)
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return np.sqrt(var(a, axis, ddof=ddof, keepdims=keepdims))


@implements(np.average)
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    x = np.asarray(a)
    if weights is None:
        return mean(x, axis, keepdims=keepdims)
    w = np.asarray(weights)
    if w.ndim < x.ndim:
        w = np.expand_dims(w, tuple(range(1, x.ndim - axis))) if axis < x.ndim - 1 and axis >= 0 else w
    return np.sum(x * w, axis, keepdims=keepdims) / np.sum(w * np.ones_like(x), axis, keepdims=keepdims)


@implements(np.ptp)
def ptp(a, axis=None, out=None, keepdims=False):
    return np.max(a, axis, keepdims=keepdims) - np.min(a, axis, keepdims=keepdims)


@implements(np.median)
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    x = np.asarray(a)
    rows = np.sort(x.ravel()) if axis is None else np.moveaxis(np.sort(x, axis), axis, 0)
    n = rows.shape[0]
    middle = 0.5 * (rows[(n - 1) // 2] + rows[n // 2])
    if keepdims and axis is None:
        return np.full((1,) * x.ndim, middle)
    return np.expand_dims(middle, axis) if keepdims else middle


@implements(np.quantile)
def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    x = np.asarray(a)
    if method != "linear":
        refuse("only method='linear' is supported")
    if keepdims:
        refuse("keepdims is not supported")
    rows = np.sort(x.ravel()) if axis is None else np.moveaxis(np.sort(x, axis), axis, 0)
    if np.ndim(q) == 0:
        return between(rows, q)
    levels = np.asarray(q)
    if rows.ndim > 1:
        out = np.empty((levels.shape[0],) + rows.shape[1:], dtype=between(rows, 0.5).dtype)
        for k in range(levels.shape[0]):
            out[k] = between(rows, levels[k])
        return out
    values = np.empty(levels.shape[0], dtype=between(rows, levels[0]).dtype)
    for k in range(levels.shape[0]):
        values[k] = between(rows, levels[k])
    return values


def between(rows, q):
    """The row at the fraction q of the way from the first to the last."""
    place = q * (rows.shape[0] - 1)
    k = min(int(place), max(rows.shape[0] - 2, 0))
    low = rows[k]
    high = rows[min(k + 1, rows.shape[0] - 1)]
    return low + (high - low) * (place - k)


@implements(np.percentile)
def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    if isinstance(q, (list, tuple)):
        return quantile(a, np.array(q) / 100.0, axis, method=method, keepdims=keepdims)
    return quantile(a, q / 100.0, axis, method=method, keepdims=keepdims)


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
    return np.max(np.where(np.isnan(a), -np.inf, a), axis, keepdims=keepdims)


@implements(np.nanmin)
def nanmin(a, axis=None, out=None, keepdims=False):
    return np.min(np.where(np.isnan(a), np.inf, a), axis, keepdims=keepdims)


@implements(np.nanmean)
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    x = np.asarray(a)
    n = np.sum(np.where(np.isnan(x), 0, 1), axis, keepdims=keepdims)
    return np.sum(np.where(np.isnan(x), 0, x), axis, keepdims=keepdims) / n.astype(x.dtype)


@implements(np.nanvar)
def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    x = np.asarray(a)
    d = np.where(np.isnan(x), 0, x - nanmean(x, axis, keepdims=axis is not None))
    n = np.sum(np.where(np.isnan(x), 0, 1), axis, keepdims=keepdims) - ddof
    return np.sum(d * d, axis, keepdims=keepdims) / n.astype(x.dtype)


@implements(np.nanstd)
def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return np.sqrt(nanvar(a, axis, ddof=ddof, keepdims=keepdims))


@implements(np.nanmedian)
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    x = np.asarray(a).ravel()
    if axis is not None or keepdims:
        refuse("np.nanmedian with axis or keepdims is not supported")
    return median(x[np.logical_not(np.isnan(x))])


def double(x):
    """The array in double precision."""
    if x.dtype.kind == "c":
        return x.astype(np.complex128)
    return x.astype(np.float64)


@implements(np.cov)
def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    x = double(np.atleast_2d(m))
    if not rowvar and np.ndim(m) > 1:
        x = x.T
    if y is not None:
        x = np.concatenate((x, double(np.atleast_2d(y))), axis=0)
    d = x - np.sum(x, axis=1, keepdims=True) / x.shape[1]
    if ddof is None:
        ddof = 0 if bias else 1
    c = d @ np.conj(d).T / (x.shape[1] - ddof)
    return c[0, 0] if np.ndim(m) == 1 and y is None else c


@implements(np.corrcoef)
def corrcoef(x, y=None, rowvar=True):
    c = cov(x, y, rowvar)
    if np.ndim(c) == 0:
        return c / c
    s = np.sqrt(np.real(np.diag(c)))
    return c / s[:, None] / s[None, :]
