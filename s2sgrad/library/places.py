"""Selecting, repeating, padding, splitting and sorting."""

from __future__ import annotations

import numpy as np

from s2sgrad.library.table import implements, refuse


@implements(np.take)
def take(a, indices, axis=None, out=None, mode="raise"):
    x = np.asarray(a)
    rows = x.ravel() if axis is None else np.moveaxis(x, axis, 0)
    index = np.asarray(indices)
    if mode == "wrap":
        index = index % rows.shape[0]
    elif mode == "clip":
        index = np.clip(index, 0, rows.shape[0] - 1)
    if np.ndim(index) == 2 and rows.ndim == 1:
        return rows[index.ravel()].reshape(index.shape)
    picked = rows[index]
    if axis is None or axis == 0 or np.ndim(index) == 0:
        return picked
    if np.ndim(index) != 1:
        refuse("np.take of several axes along an axis other than the first is not supported")
    return np.moveaxis(picked, 0, axis)


@implements(np.take_along_axis)
def take_along_axis(arr, indices, axis=-1):
    if axis is None:
        return arr.ravel()[indices]
    if arr.ndim == 1:
        return arr[indices]
    source = np.moveaxis(arr, axis, -1)
    index = np.moveaxis(indices, axis, -1)
    rows = source.reshape(-1, source.shape[source.ndim - 1])
    picks = index.reshape(-1, index.shape[index.ndim - 1])
    out = np.empty(picks.shape, dtype=arr.dtype)
    for i in range(picks.shape[0]):
        for j in range(picks.shape[1]):
            out[i, j] = rows[i, picks[i, j]]
    return np.moveaxis(out.reshape(index.shape), -1, axis)


@implements(np.sort)
def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    x = np.asarray(a)
    if axis is None:
        x = x.ravel()
    places = np.argsort(x, axis if x.ndim > 1 else 0)
    return x[places] if x.ndim == 1 else take_along_axis(x, places, axis)


@implements(np.partition)
def partition(a, kth, axis=-1, kind="introselect", order=None):
    return sort(a, axis)


@implements(np.compress)
def compress(condition, a, axis=None, out=None):
    x = np.asarray(a)
    if axis is None:
        return x.ravel()[condition]
    return np.moveaxis(np.moveaxis(x, axis, 0)[condition], 0, axis)


@implements(np.extract)
def extract(condition, arr):
    return np.asarray(arr).ravel()[np.asarray(condition).ravel() != 0]


@implements(np.roll)
def roll(a, shift, axis=None):
    x = np.asarray(a)
    if axis is None:
        return x.copy() if x.ndim == 0 else _roll(x.ravel(), shift).reshape(x.shape)
    if isinstance(axis, tuple):
        for s, k in zip(shift if isinstance(shift, tuple) else (shift,) * len(axis), axis):
            x = np.moveaxis(_roll(np.moveaxis(x, k, 0), s), 0, k)
        return x
    return np.moveaxis(_roll(np.moveaxis(x, axis, 0), shift), 0, axis)


def _roll(rows, shift):
    """Move everything along the first axis, around the end."""
    n = rows.shape[0]
    s = shift % max(n, 1)
    return np.concatenate((rows[n - s:], rows[:n - s]))


@implements(np.repeat)
def repeat(a, repeats, axis=None):
    x = np.atleast_1d(a)
    rows = x.ravel() if axis is None else np.moveaxis(x, axis, 0)
    n = rows.shape[0]
    if not isinstance(repeats, (list, tuple)) and np.ndim(repeats) == 0:
        index = np.arange(n * repeats) // max(repeats, 1)
    else:
        counts = np.asarray(repeats)
        index = np.empty(np.sum(counts), dtype=np.int64)
        place = 0
        for k in range(n):
            for _ in range(counts[k if counts.shape[0] > 1 else 0]):
                index[place] = k
                place += 1
    return rows[index] if axis is None else np.moveaxis(rows[index], 0, axis)


# --------------------------------------------------------------------------------------------- padding


@implements(np.pad)
def pad(array, pad_width, mode="constant", constant_values=0):
    x = np.asarray(array)
    for k in range(x.ndim):
        before, after = _widths(pad_width, k)
        rows = np.moveaxis(x, k, 0)
        if mode == "constant":
            padded = np.full((before + rows.shape[0] + after,) + rows.shape[1:], constant_values, dtype=x.dtype)
            padded[before:before + rows.shape[0]] = rows
        else:
            padded = rows[_pad_index(rows.shape[0], before, after, mode)]
        x = np.ascontiguousarray(np.moveaxis(padded, 0, k))
    return x


def _widths(pad_width, k):
    """How much to add before and after axis k."""
    if not isinstance(pad_width, (tuple, list)):
        return pad_width, pad_width
    if not isinstance(pad_width[0], (tuple, list)):
        return (pad_width[0], pad_width[0]) if len(pad_width) == 1 else (pad_width[0], pad_width[1])
    return pad_width[0] if len(pad_width) == 1 else pad_width[k]


def _pad_index(n, before, after, mode):
    """Which row stands at each place of the padded axis."""
    k = np.arange(-before, n + after)
    if mode == "edge":
        return np.clip(k, 0, n - 1)
    if mode == "wrap":
        return k % n
    if mode == "reflect":
        period = max(2 * (n - 1), 1)
        k = k % period
        return np.where(k < n, k, period - k)
    if mode == "symmetric":
        k = k % (2 * n)
        return np.where(k < n, k, 2 * n - 1 - k)
    refuse("np.pad knows the modes constant, edge, wrap, reflect and symmetric here")


# ------------------------------------------------------------------------------------------- inserting


def piece(a, start, stop, axis):
    """A slice along one axis."""
    if axis == 0:
        return a[start:stop]
    return a[:, start:stop] if axis == 1 else a[:, :, start:stop]


@implements(np.insert)
def insert(arr, obj, values, axis=None):
    rows = np.asarray(arr).ravel() if axis is None else np.moveaxis(arr, axis, 0)
    n = rows.shape[0]
    k = obj + n if obj < 0 else obj
    if rows.ndim == 1:
        new = np.atleast_1d(values).astype(rows.dtype)
    else:
        new = np.broadcast_to(values, (1,) + rows.shape[1:]).astype(rows.dtype)
    joined = np.concatenate((rows[:k], new, rows[k:]))
    return joined if axis is None else np.moveaxis(joined, 0, axis)


@implements(np.delete)
def delete(arr, obj, axis=None):
    rows = np.asarray(arr).ravel() if axis is None else np.moveaxis(arr, axis, 0)
    n = rows.shape[0]
    if not isinstance(obj, (list, tuple)) and np.ndim(obj) == 0:
        k = obj + n if obj < 0 else obj
        rest = np.concatenate((rows[:k], rows[k + 1:]))
    else:
        keep = np.ones(n, dtype=np.bool_)
        for k in np.asarray(obj):
            keep[k] = False
        rest = rows[keep]
    return rest if axis is None else np.moveaxis(rest, 0, axis)


@implements(np.resize)
def resize(a, new_shape):
    flat = np.asarray(a).ravel()
    if not isinstance(new_shape, tuple):
        return flat[np.arange(new_shape) % flat.shape[0]]
    n = 1
    for d in new_shape:
        n = n * d
    return flat[np.arange(n) % flat.shape[0]].reshape(new_shape)


@implements(np.broadcast_arrays)
def broadcast_arrays(*args):
    total = np.zeros_like(args[0])
    for a in args[1:]:
        total = total + np.zeros_like(a)
    return tuple(np.broadcast_to(a, total.shape).copy() for a in args)


@implements(np.meshgrid)
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    if len(xi) == 1:
        return (xi[0].copy(),)
    if len(xi) != 2 or sparse:
        refuse("np.meshgrid takes two axes here, not sparse")
    x = np.asarray(xi[0])
    y = np.asarray(xi[1])
    if indexing == "ij":
        shape = (x.shape[0], y.shape[0])
        return np.broadcast_to(x[:, None], shape).copy(), np.broadcast_to(y[None, :], shape).copy()
    shape = (y.shape[0], x.shape[0])
    return np.broadcast_to(x[None, :], shape).copy(), np.broadcast_to(y[:, None], shape).copy()


# -------------------------------------------------------------------------------------------- diagonals


@implements(np.diag)
def diag(v, k=0):
    x = np.asarray(v)
    if x.ndim == 2:
        return diagonal(x, k)
    n = x.shape[0] + abs(k)
    a = np.zeros((n, n), dtype=x.dtype)
    for i in range(x.shape[0]):
        a[i + max(-k, 0), i + max(k, 0)] = x[i]
    return a


@implements(np.diagflat)
def diagflat(v, k=0):
    return diag(np.asarray(v).ravel(), k)


@implements(np.diagonal)
def diagonal(a, offset=0, axis1=0, axis2=1):
    x = np.moveaxis(a, (axis1, axis2), (0, 1))
    down = max(-offset, 0)
    right = max(offset, 0)
    n = max(min(x.shape[0] - down, x.shape[1] - right), 0)
    d = np.empty((n,) + x.shape[2:], dtype=x.dtype)
    for i in range(n):
        d[i] = x[i + down, i + right]
    return d if x.ndim == 2 else np.moveaxis(d, 0, -1)


@implements(np.trace)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return np.sum(diagonal(a, offset, axis1, axis2), axis=-1)


@implements(np.tri)
def tri(N, M=None, k=0, dtype=float):
    return np.tril(np.ones((N, N if M is None else M), dtype=dtype), k)


@implements(np.ix_)
def ix_(*args):
    if len(args) != 2:
        refuse("np.ix_ takes two index arrays here")
    return np.asarray(args[0])[:, None], np.asarray(args[1])[None, :]
