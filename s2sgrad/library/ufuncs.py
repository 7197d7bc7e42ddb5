"""Methods of universal functions, for functions that have no operation of their own; np.vectorize."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.library.order import merged, of_kind


def reduce(ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """ufunc.reduce"""
    x = of_kind(array, dtype)
    rows = merged(x, axis)
    first = 0
    if initial is None:
        total = rows[0]
        first = 1
    else:
        total = initial
    for k in range(first, rows.shape[0]):
        total = ufunc(total, rows[k])
    if not keepdims:
        return total
    return np.reshape(total, (1,) * x.ndim) if axis is None else np.expand_dims(total, axis)


def accumulate(ufunc, array, axis=0, dtype=None, out=None):
    """ufunc.accumulate"""
    rows = np.moveaxis(of_kind(array, dtype), axis, 0)
    running = np.empty(rows.shape, dtype=np.asarray(ufunc(rows[0], rows[0])).dtype)
    running[0] = rows[0]
    for k in range(1, rows.shape[0]):
        running[k] = ufunc(running[k - 1], rows[k])
    return np.moveaxis(running, 0, axis)


def reduceat(ufunc, array, indices, axis=0, dtype=None, out=None):
    """ufunc.reduceat"""
    rows = np.moveaxis(of_kind(array, dtype), axis, 0)
    starts = np.asarray(indices)
    n = starts.shape[0]
    sums = np.empty((n,) + rows.shape[1:], dtype=np.asarray(ufunc.reduce(rows[:1])).dtype)
    for k in range(n):
        stop = starts[k + 1] if k + 1 < n else rows.shape[0]
        if stop > starts[k]:
            sums[k] = ufunc.reduce(rows[starts[k]:stop])
        else:
            sums[k] = rows[starts[k]]
    return np.moveaxis(sums, 0, axis)


def at(ufunc, a, indices, b=None):
    """ufunc.at: repeated places are updated one after the other."""
    places = indices if isinstance(indices, tuple) else (indices,)
    lists = [np.flatnonzero(p) if isinstance(p, np.ndarray) and p.dtype == np.bool_ else np.atleast_1d(np.asarray(p)) for p in places]
    n = lists[0].shape[0]
    if len(lists) == 1:
        if b is None:
            for k in range(n):
                a[lists[0][k]] = ufunc(a[lists[0][k]])
        else:
            values = np.asarray(b)
            for k in range(n):
                a[lists[0][k]] = ufunc(a[lists[0][k]], values if values.ndim == 0 or a.ndim > values.ndim else values[k % values.shape[0]])
    else:
        first, second = lists
        values = np.asarray(b)
        for k in range(n):
            i = first[k]
            j = second[k % second.shape[0]]
            a[i, j] = ufunc(a[i, j], values if values.ndim == 0 else values[k % values.shape[0]])


def vectorized(f, otype, *args):
    """np.vectorize(f)(*args)"""
    if all(np.ndim(x) == 0 for x in args):
        return f(*args) if otype is None else np.asarray(f(*args)).astype(otype)
    wide = np.broadcast_arrays(*(np.asarray(x) for x in args)) if len(args) > 1 else (np.asarray(args[0]),)
    flat = [x.ravel() for x in wide]
    first = f(*(x[0] for x in flat))
    y = np.empty(flat[0].shape[0], dtype=np.asarray(first).dtype if otype is None else otype)
    for k in range(y.shape[0]):
        y[k] = f(*(x[k] for x in flat))
    return y.reshape(wide[0].shape)


def grid_places(shape, k):
    """The k-th index of np.ndindex(shape)."""
    place: Any = ()
    for n in shape[::-1]:
        place = (k % n,) + place
        k = k // n
    return place


def entry(a, k):
    """The k-th item of np.ndenumerate(a)."""
    place = grid_places(a.shape, k)
    return place, a[place]


def element(a, k):
    """The k-th element in C order."""
    return a[grid_places(a.shape, k)]


def elements(arrays, k):
    return tuple(element(a, k) for a in arrays)
