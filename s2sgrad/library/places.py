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
    picked = rows[index]
    if axis is None or axis == 0 or np.ndim(index) == 0:
        return picked
    n = np.ndim(index)
    return np.moveaxis(picked, tuple(range(n)), tuple(range(axis % x.ndim, axis % x.ndim + n)))


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
    places = np.flatnonzero(np.asarray(condition))  # a condition may be shorter than the axis
    if axis is None:
        return x.ravel()[places]
    return np.moveaxis(np.moveaxis(x, axis, 0)[places], 0, axis)


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
def pad(array, pad_width, mode="constant", constant_values=0, end_values=0, stat_length=None, reflect_type="even"):
    x = np.asarray(array)
    if stat_length is not None:
        refuse("np.pad with stat_length= is not supported")
    for k in range(x.ndim):
        before, after = _widths(pad_width, k)
        rows = np.moveaxis(x, k, 0)
        if mode in ("edge", "wrap", "reflect", "symmetric"):
            padded = rows[_pad_index(rows.shape[0], before, after, mode)]
            if reflect_type == "odd" and mode in ("reflect", "symmetric"):
                padded = _odd(padded, rows, before, after)
        else:
            first, last = _ends(rows, before, after, mode, _widths(constant_values, k), _widths(end_values, k))
            padded = np.empty((before + rows.shape[0] + after,) + rows.shape[1:], dtype=x.dtype)
            padded[:before] = first
            padded[before:before + rows.shape[0]] = rows
            padded[before + rows.shape[0]:] = last
        x = np.ascontiguousarray(np.moveaxis(padded, 0, k))
    return x


def _ends(rows, before, after, mode, constants, ends):
    """What stands before and after the data."""
    if mode == "constant":
        return constants
    if mode == "linear_ramp":
        return (_ramp(np.linspace(0.0, 1.0, before, endpoint=False), ends[0], rows[0]),
                _ramp(np.linspace(0.0, 1.0, after, endpoint=False)[::-1], ends[1], rows[rows.shape[0] - 1]))
    if mode == "mean":
        m = np.mean(rows, axis=0)
    elif mode == "median":
        m = np.median(rows, axis=0)
    elif mode == "maximum":
        m = np.max(rows, axis=0)
    elif mode == "minimum":
        m = np.min(rows, axis=0)
    else:
        refuse("np.pad knows the modes constant, edge, wrap, reflect, symmetric, linear_ramp, mean, median, maximum and minimum here")
    if rows.dtype.kind in "iu" and mode in ("mean", "median"):
        m = np.round(m)
    return m, m


def _ramp(t, end, edge):
    """From the end value (t = 0) to the edge of the data (t = 1)."""
    steps = t if np.ndim(edge) == 0 else np.expand_dims(t, tuple(range(1, 1 + np.ndim(edge))))
    return end + (edge - end) * steps


def _odd(padded, rows, before, after):
    """Mirrored values turned about the edge."""
    n = rows.shape[0]
    turned = padded.copy()
    turned[:before] = 2 * rows[0] - padded[:before]
    turned[before + n:] = 2 * rows[n - 1] - padded[before + n:]
    return turned


def _widths(pad_width, k):
    """How much to add (or what) before and after axis k."""
    if not isinstance(pad_width, (tuple, list)):
        return pad_width, pad_width
    if not isinstance(pad_width[0], (tuple, list)):
        return (pad_width[0], pad_width[0]) if len(pad_width) == 1 else (pad_width[0], pad_width[1])
    pair = pad_width[0] if len(pad_width) == 1 else pad_width[k]
    return (pair[0], pair[0]) if len(pair) == 1 else (pair[0], pair[1])


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


# ------------------------------------------------------------------------------------------- inserting


def piece(a, start, stop, axis):
    """A slice along one axis."""
    if axis == 0:
        return a[start:stop]
    return a[:, start:stop] if axis == 1 else a[:, :, start:stop]


@implements(np.insert)
def insert(arr, obj, values, axis=None):
    rows = np.asarray(arr).ravel() if axis is None else np.moveaxis(np.asarray(arr), axis, 0)
    n = rows.shape[0]
    if isinstance(obj, slice):
        obj = np.arange(n)[obj]
    if isinstance(obj, (list, tuple)) or np.ndim(obj) > 0:
        return _insert_each(rows, np.asarray(obj), np.asarray(values), axis)
    k = obj + n if obj < 0 else obj
    if rows.ndim == 1:
        new = np.atleast_1d(values).astype(rows.dtype)
    else:
        new = np.broadcast_to(values, (1,) + rows.shape[1:]).astype(rows.dtype)
    joined = np.concatenate((rows[:k], new, rows[k:]))
    return joined if axis is None else np.moveaxis(joined, 0, axis)


def _insert_each(rows, places, values, axis):
    """Several places at once: all of them count in the array as it was."""
    n = rows.shape[0]
    m = places.shape[0]
    if axis is not None and values.ndim == rows.ndim:
        values = np.moveaxis(values, axis, 0)
    elif axis is not None and values.ndim == 1 and axis % rows.ndim != 0:
        values = np.expand_dims(values, tuple(range(1, rows.ndim))) if axis % rows.ndim == rows.ndim - 1 else values
    new = np.broadcast_to(values, (m,) + rows.shape[1:]).astype(rows.dtype)
    wrapped = np.where(places < 0, places + n, places)
    order = np.argsort(wrapped, kind="stable")
    old = np.ones(n + m, dtype=np.bool_)
    joined = np.empty((n + m,) + rows.shape[1:], dtype=rows.dtype)
    for j in range(m):
        at = wrapped[order[j]] + j
        joined[at] = new[order[j]]
        old[at] = False
    joined[old] = rows
    return joined if axis is None else np.moveaxis(joined, 0, axis)


@implements(np.delete)
def delete(arr, obj, axis=None):
    rows = np.asarray(arr).ravel() if axis is None else np.moveaxis(np.asarray(arr), axis, 0)
    n = rows.shape[0]
    if isinstance(obj, slice):
        obj = np.arange(n)[obj]
    if not isinstance(obj, (list, tuple)) and np.ndim(obj) == 0:
        k = obj + n if obj < 0 else obj
        rest = np.concatenate((rows[:k], rows[k + 1:]))
    else:
        keep = np.ones(n, dtype=np.bool_)
        keep[np.asarray(obj)] = False
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
    return tuple(np.broadcast_to(a, total.shape) for a in args)


@implements(np.trim_zeros)
def trim_zeros(filt, trim="fb"):
    first = 0
    last = filt.shape[0]
    if "f" in trim:
        while first < last and filt[first] == 0:
            first += 1
    if "b" in trim:
        while last > first and filt[last - 1] == 0:
            last -= 1
    return filt[first:last]


@implements(np.real_if_close)
def real_if_close(a, tol=100):
    x = np.asarray(a)
    if x.dtype.kind == "c":
        refuse("np.real_if_close of complex numbers is not supported: the dtype of its result depends on their values")
    return x


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
    if a.ndim == 2 and axis1 % 2 == 1:
        return diagonal(a.T, offset)
    if a.ndim == 2:
        n = max(min(a.shape[0] - max(-offset, 0), a.shape[1] - max(offset, 0)), 0)
        start = offset if offset > 0 else -offset * a.shape[1]
        step = a.shape[1] + 1
        return a.ravel()[start:start + n * step:step]
    x = np.moveaxis(a, (axis1, axis2), (0, 1))
    down = max(-offset, 0)
    right = max(offset, 0)
    k = np.arange(max(min(x.shape[0] - down, x.shape[1] - right), 0))
    return np.moveaxis(x[k + down, k + right], 0, -1)


@implements(np.trace)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return np.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


@implements(np.tri)
def tri(N, M=None, k=0, dtype=float):
    return np.tril(np.ones((N, N if M is None else M), dtype=dtype), k)


@implements(np.ix_)
def ix_(*args):
    return tuple(np.expand_dims(_positions(a), tuple(j for j in range(len(args)) if j != k)) for k, a in enumerate(args))


def _positions(a):
    """An index array; of a mask the places where it holds."""
    x = np.asarray(a)
    return np.flatnonzero(x) if x.dtype == np.bool_ else x
