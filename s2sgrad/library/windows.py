"""Window functions, sliding windows, running extrema, writes into arrays, functions along an axis."""

from __future__ import annotations

import math

import numpy as np

from s2sgrad.library.statistics import cumprod
from s2sgrad.library.table import implements, refuse


@implements(np.hanning)
def hanning(M):
    return 0.5 - 0.5 * np.cos(2.0 * math.pi * np.arange(M) / max(M - 1, 1)) if M != 1 else np.ones(M)


@implements(np.hamming)
def hamming(M):
    return 0.54 - 0.46 * np.cos(2.0 * math.pi * np.arange(M) / max(M - 1, 1)) if M != 1 else np.ones(M)


@implements(np.blackman)
def blackman(M):
    t = 2.0 * math.pi * np.arange(M) / max(M - 1, 1)
    return 0.42 - 0.5 * np.cos(t) + 0.08 * np.cos(2.0 * t) if M != 1 else np.ones(M)


@implements(np.bartlett)
def bartlett(M):
    t = 2.0 * np.arange(M) / max(M - 1, 1)
    return np.where(t <= 1.0, t, 2.0 - t) if M != 1 else np.ones(M)


@implements(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    if isinstance(window_shape, tuple) or x.ndim > 1:
        refuse("np.lib.stride_tricks.sliding_window_view takes one axis here")
    n = x.shape[0] - window_shape + 1
    return x[np.arange(n)[:, None] + np.arange(window_shape)[None, :]]


@implements(np.maximum.accumulate)
def maximum_accumulate(array, axis=0, dtype=None, out=None):
    rows = np.moveaxis(array, axis, 0)
    top = rows.copy()
    for k in range(1, rows.shape[0]):
        top[k] = np.maximum(top[k - 1], rows[k])
    return np.moveaxis(top, 0, axis)


@implements(np.minimum.accumulate)
def minimum_accumulate(array, axis=0, dtype=None, out=None):
    rows = np.moveaxis(array, axis, 0)
    low = rows.copy()
    for k in range(1, rows.shape[0]):
        low[k] = np.minimum(low[k - 1], rows[k])
    return np.moveaxis(low, 0, axis)


@implements(np.logaddexp.accumulate)
def logaddexp_accumulate(array, axis=0, dtype=None, out=None):
    rows = np.moveaxis(array, axis, 0)
    total = rows.copy()
    for k in range(1, rows.shape[0]):
        total[k] = np.logaddexp(total[k - 1], rows[k])
    return np.moveaxis(total, 0, axis)


@implements(getattr(np, "cumulative_sum", None))
def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    if include_initial:
        refuse("np.cumulative_sum with include_initial is not supported")
    return np.cumsum(x, axis, dtype)


@implements(getattr(np, "cumulative_prod", None))
def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    if include_initial:
        refuse("np.cumulative_prod with include_initial is not supported")
    return cumprod(x, axis, dtype)


@implements(np.put)
def put(a, ind, v, mode="raise"):
    if a.ndim != 1:
        refuse("np.put into an array of rank 2 or more is not supported")
    a[ind] = v


@implements(np.putmask)
def putmask(a, mask, values):
    a[:] = np.where(mask, values, a)


@implements(np.put_along_axis)
def put_along_axis(arr, indices, values, axis):
    if arr.ndim == 1:
        arr[indices] = values
    elif arr.ndim == 2 and axis % 2 == 1:
        new = np.broadcast_to(values, indices.shape)
        for i in range(indices.shape[0]):
            arr[i, indices[i]] = new[i]
    elif arr.ndim == 2:
        new = np.broadcast_to(values, indices.shape)
        for j in range(indices.shape[1]):
            arr[indices[:, j], j] = new[:, j]
    else:
        refuse("np.put_along_axis of an array of rank 3 or more is not supported")


@implements(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args):
    if arr.ndim == 1:
        return func1d(arr, *args)
    if arr.ndim != 2:
        refuse("np.apply_along_axis of an array of rank 3 or more is not supported")
    rows = np.moveaxis(arr, axis, -1)
    first = func1d(rows[0], *args)
    out = np.empty((rows.shape[0],) + np.shape(first), dtype=np.asarray(first).dtype)
    for k in range(rows.shape[0]):
        out[k] = func1d(rows[k], *args)
    return out if np.ndim(first) == 0 else np.moveaxis(out, -1, axis)


@implements(np.indices)
def indices(dimensions, dtype=int, sparse=False):
    if len(dimensions) == 1:
        return np.arange(dimensions[0])[None, :]
    if len(dimensions) != 2 or sparse:
        refuse("np.indices takes one or two axes here")
    n, m = dimensions
    return np.stack((np.broadcast_to(np.arange(n)[:, None], (n, m)), np.broadcast_to(np.arange(m)[None, :], (n, m))))


@implements(np.tril_indices_from)
def tril_indices_from(arr, k=0):
    return np.tril_indices(arr.shape[0], k, arr.shape[1])


@implements(np.triu_indices_from)
def triu_indices_from(arr, k=0):
    return np.triu_indices(arr.shape[0], k, arr.shape[1])


@implements(np.diag_indices_from)
def diag_indices_from(arr):
    return np.diag_indices(arr.shape[0], arr.ndim)


@implements(np.asarray_chkfinite)
def asarray_chkfinite(a, dtype=None, order=None):
    return np.asarray(a, dtype)


@implements(np.array_equiv)
def array_equiv(a1, a2):
    return bool(np.all(np.asarray(a1) == np.asarray(a2)))


@implements(np.nanargmax)
def nanargmax(a, axis=None, out=None, *, keepdims=False):
    return np.argmax(np.where(np.isnan(a), -np.inf, a), axis)


@implements(np.nanargmin)
def nanargmin(a, axis=None, out=None, *, keepdims=False):
    return np.argmin(np.where(np.isnan(a), np.inf, a), axis)


@implements(np.nanquantile)
def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    x = np.asarray(a).ravel()
    if axis is not None or keepdims:
        refuse("np.nanquantile with axis or keepdims is not supported")
    return np.quantile(x[np.logical_not(np.isnan(x))], q, method=method)


@implements(np.nanpercentile)
def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    x = np.asarray(a).ravel()
    if axis is not None or keepdims:
        refuse("np.nanpercentile with axis or keepdims is not supported")
    return np.percentile(x[np.logical_not(np.isnan(x))], q, method=method)


@implements(getattr(np, "matvec", None))
def matvec(x1, x2):
    return np.sum(x1 * np.expand_dims(x2, -2), axis=-1)


@implements(getattr(np, "vecmat", None))
def vecmat(x1, x2):
    return np.sum(np.expand_dims(np.conj(x1), -1) * x2, axis=-2)


@implements(np.block)
def block(arrays):
    if not isinstance(arrays, list):
        return np.asarray(arrays)
    if isinstance(arrays[0], list):
        return np.concatenate([np.concatenate([np.atleast_2d(a) for a in row], axis=1) for row in arrays], axis=0)
    return np.concatenate([np.atleast_1d(a) for a in arrays], axis=-1)
