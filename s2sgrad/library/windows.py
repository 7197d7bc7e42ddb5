"""Window functions, sliding windows, running extrema, writes into arrays, functions along an axis."""

from __future__ import annotations

import math

import numpy as np

from s2sgrad.library.order import of_kind
from s2sgrad.library.statistics import cumprod, filled
from s2sgrad.library.table import implements, refuse
from s2sgrad.rules.arrange import same_arrays, without_nan
from s2sgrad.rules.shapes import windows_of


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


def bessel_series(x, order):
    """The sum of (x²/4)^k k-th terms of the modified Bessel function of order 0 or 1: they have one sign, so that nothing cancels."""
    q = 0.25 * np.asarray(x) * x
    term = q * 0.0 + 1.0
    total = term
    k = 0
    while np.any(term > 1e-18 * total):
        k += 1
        term = term * q / (k * (k + order))
        total = total + term
    return total


@implements(np.i0)
def i0(x):
    return bessel_series(x, 0)


@implements(np.kaiser)
def kaiser(M, beta):
    t = 2.0 * np.arange(M) / max(M - 1, 1) - 1.0
    return i0(beta * np.sqrt(np.maximum(1.0 - t * t, 0.0))) / i0(beta) if M != 1 else np.ones(M)


@implements(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    if writeable:
        refuse("sliding_window_view with writeable=True is not supported")
    sizes = window_shape if isinstance(window_shape, (tuple, list)) else (window_shape,)
    if axis is None and len(sizes) != x.ndim:
        refuse("Since axis is None, must provide window_shape for all dimensions of x.")
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    y = x
    for k, size in zip(axes, sizes):
        n = y.shape[k % x.ndim] - size + 1
        rows = np.moveaxis(y, k % x.ndim, -1)
        y = np.moveaxis(rows[..., np.arange(n)[:, None] + np.arange(size)[None, :]], -2, k % x.ndim)
    return windows_of(y, x)


@implements(np.maximum.accumulate)
def maximum_accumulate(array, axis=0, dtype=None, out=None):
    rows = np.moveaxis(of_kind(array, dtype), axis, 0)
    top = rows.copy()
    for k in range(1, rows.shape[0]):
        top[k] = np.maximum(top[k - 1], rows[k])
    return np.moveaxis(top, 0, axis)


@implements(np.minimum.accumulate)
def minimum_accumulate(array, axis=0, dtype=None, out=None):
    rows = np.moveaxis(of_kind(array, dtype), axis, 0)
    low = rows.copy()
    for k in range(1, rows.shape[0]):
        low[k] = np.minimum(low[k - 1], rows[k])
    return np.moveaxis(low, 0, axis)


@implements(np.logaddexp.accumulate)
def logaddexp_accumulate(array, axis=0, dtype=None, out=None):
    rows = np.moveaxis(of_kind(array, dtype), axis, 0)
    total = rows.copy()
    for k in range(1, rows.shape[0]):
        total[k] = np.logaddexp(total[k - 1], rows[k])
    return np.moveaxis(total, 0, axis)


@implements(getattr(np, "cumulative_sum", None))
def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    sums = np.cumsum(x, axis, dtype)
    return started(sums, 0, 0 if axis is None else axis) if include_initial else sums


def started(rows, first, axis):
    """A running result with its initial value in front."""
    moved = np.moveaxis(rows, axis, 0)
    return np.moveaxis(np.concatenate((np.full((1,) + moved.shape[1:], first, dtype=rows.dtype), moved)), 0, axis)


@implements(getattr(np, "cumulative_prod", None))
def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    products = cumprod(x, axis, dtype)
    return started(products, 1, 0 if axis is None else axis) if include_initial else products


@implements(np.put)
def put(a, ind, v, mode="raise"):
    places = np.atleast_1d(np.asarray(ind))
    values = np.atleast_1d(np.asarray(v))
    if mode == "wrap":
        places = places % a.size
    elif mode == "clip":
        places = np.clip(places, 0, a.size - 1)
    for k in range(places.shape[0]):
        p = places[k] + a.size if places[k] < 0 else places[k]
        if a.ndim == 1:
            a[p] = values[k % values.shape[0]]
        elif a.ndim == 2:
            a[p // a.shape[1], p % a.shape[1]] = values[k % values.shape[0]]
        else:
            refuse("np.put into an array of rank 3 or more is not supported")


@implements(np.fill_diagonal)
def fill_diagonal(a, val, wrap=False):
    values = np.atleast_1d(np.asarray(val)).ravel()
    if a.ndim == 2 and wrap:
        places = np.arange(0, a.size, a.shape[1] + 1)
        a[places // a.shape[1], places % a.shape[1]] = values[np.arange(places.shape[0]) % values.shape[0]]
    else:
        k = np.arange(min(a.shape))
        a[(k,) * a.ndim] = values[k % values.shape[0]]


@implements(np.nan_to_num)
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    r = without_nan(x, nan, posinf, neginf)
    if copy or np.ndim(x) == 0 or isinstance(x, (list, tuple)):
        return r
    x[...] = r
    return x


@implements(np.putmask)
def putmask(a, mask, values):
    new = np.asarray(values)
    a[...] = np.where(mask, new if new.shape == a.shape else np.resize(new, a.shape), a)


@implements(np.place)
def place(arr, mask, vals):
    new = np.atleast_1d(np.asarray(vals))
    count = np.count_nonzero(mask)
    arr[np.asarray(mask)] = new[np.arange(count) % new.shape[0]]


@implements(np.copyto)
def copyto(dst, src, casting="same_kind", where=None):
    if where is None:
        dst[...] = src
    else:
        dst[...] = np.where(where, src, dst)


@implements(np.put_along_axis)
def put_along_axis(arr, indices, values, axis):
    if axis is None:
        put(arr, indices, values)
    elif arr.ndim == 1:
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
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    if arr.ndim == 1:
        return func1d(arr, *args, **kwargs)
    moved = np.moveaxis(arr, axis, -1)
    rows = moved if arr.ndim == 2 else moved.reshape(-1, moved.shape[-1])
    first = func1d(rows[0], *args, **kwargs)
    out = np.empty((rows.shape[0],) + np.shape(first), dtype=np.asarray(first).dtype)
    for k in range(rows.shape[0]):
        out[k] = func1d(rows[k], *args, **kwargs)
    whole = out.reshape(moved.shape[:-1] + np.shape(first))
    lead = moved.ndim - 1
    return np.moveaxis(whole, tuple(range(lead, whole.ndim)), tuple(range(axis % arr.ndim, axis % arr.ndim + whole.ndim - lead)))


@implements(np.apply_over_axes)
def apply_over_axes(func, a, axes):
    y = np.asarray(a)
    for k in axes if isinstance(axes, (tuple, list)) else (axes,):
        r = func(y, k)
        y = r if np.ndim(r) == y.ndim else np.expand_dims(r, k)
    return y


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


@implements(np.array_equal)
def array_equal(a1, a2, equal_nan=False):
    if not equal_nan:
        return same_arrays(a1, a2)
    x = np.asarray(a1)
    y = np.asarray(a2)
    if x.shape != y.shape:
        return False
    return bool(np.all(np.logical_or(x == y, np.logical_and(np.isnan(x), np.isnan(y)))))


@implements(np.array_equiv)
def array_equiv(a1, a2):
    return bool(np.all(np.asarray(a1) == np.asarray(a2)))


@implements(np.nanargmax)
def nanargmax(a, axis=None, out=None, *, keepdims=False):
    return np.argmax(filled(np.asarray(a), -np.inf), axis, keepdims=keepdims)


@implements(np.nanargmin)
def nanargmin(a, axis=None, out=None, *, keepdims=False):
    return np.argmin(filled(np.asarray(a), np.inf), axis, keepdims=keepdims)


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
