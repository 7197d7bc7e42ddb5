"""Searching, counting and sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.library.table import implements, refuse


@implements(np.unique)
def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    if axis is not None:
        refuse("np.unique with axis= is not supported")
    x = np.asarray(ar)
    flat = x.ravel()
    n = flat.shape[0]
    order = np.argsort(flat, kind="stable")
    s = flat[order]
    first = np.ones(n, dtype=np.bool_)
    first[1:] = s[1:] != s[:-1]
    if equal_nan and s.dtype.kind in "fc":
        first[1:] = np.logical_and(first[1:], np.logical_not(np.isnan(s[:-1])))  # the nans stand at the end
    values = s[first]
    if not (return_index or return_inverse or return_counts):
        return values
    results: Any = (values,)
    if return_index:
        results = results + (order[first],)
    if return_inverse:
        inverse = np.empty(n, dtype=np.int64)
        inverse[order] = np.cumsum(first) - 1
        results = results + (inverse.reshape(x.shape),)
    if return_counts:
        places = np.concatenate((np.flatnonzero(first), np.array([n])))
        results = results + (places[1:] - places[:-1],)
    return results


UniqueCounts = type(np.unique_counts(np.zeros(1)))
UniqueInverse = type(np.unique_inverse(np.zeros(1)))


@implements(np.unique_counts)
def unique_counts(x):
    values, counts = unique(x, return_counts=True)
    return UniqueCounts(values, counts)


@implements(np.unique_inverse)
def unique_inverse(x):
    values, inverse = unique(x, return_inverse=True)
    return UniqueInverse(values, inverse)


@implements(np.lexsort)
def lexsort(keys, axis=-1):
    order = np.argsort(np.asarray(keys[0]), axis, kind="stable")
    for key in keys[1:]:
        order = order[np.argsort(np.asarray(key)[order], axis, kind="stable")]
    return order


@implements(np.argpartition)
def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    return np.argsort(a, axis, kind="stable")


@implements(np.digitize)
def digitize(x, bins, right=False):
    edges = np.asarray(bins)
    side: Any = "left" if right else "right"
    if edges.shape[0] > 1 and edges[edges.shape[0] - 1] < edges[0]:
        return edges.shape[0] - np.searchsorted(edges[::-1], x, side)
    return np.searchsorted(edges, x, side)


@implements(np.bincount)
def bincount(x, weights=None, minlength=0):
    x = np.asarray(x)
    n = minlength
    for k in range(x.shape[0]):
        n = max(n, int(x[k]) + 1)
    if weights is None:
        counts = np.zeros(n, dtype=np.int64)
        for k in range(x.shape[0]):
            counts[x[k]] += 1
        return counts
    sums = np.zeros(n)
    for k in range(x.shape[0]):
        sums[x[k]] += weights[k]
    return sums


@implements(np.histogram_bin_edges)
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    x = np.asarray(a).ravel()
    if np.ndim(bins) > 0:
        return np.asarray(bins)
    low = np.min(x) * 1.0 if range is None else range[0] * 1.0
    high = np.max(x) * 1.0 if range is None else range[1] * 1.0
    if low == high:
        low = low - 0.5
        high = high + 0.5
    return np.linspace(low, high, bins + 1)


@implements(np.histogram2d)
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    per_axis = bins if isinstance(bins, (tuple, list)) else (bins, bins)
    a = np.asarray(x)
    b = np.asarray(y)
    rows = histogram_bin_edges(a, per_axis[0], None if range is None else range[0])
    columns = histogram_bin_edges(b, per_axis[1], None if range is None else range[1])
    counts = np.zeros((rows.shape[0] - 1, columns.shape[0] - 1))
    for k in np.arange(a.shape[0]):
        i = bin_of(rows, a[k])
        j = bin_of(columns, b[k])
        if i >= 0 and j >= 0:
            counts[i, j] += 1.0 if weights is None else weights[k]
    if density:
        counts = counts / np.sum(counts) / (np.diff(rows)[:, None] * np.diff(columns)[None, :])
    return counts, rows, columns


def bin_of(edges, v):
    """The bin a value falls into, -1 outside; the last bin includes its right edge."""
    n = edges.shape[0] - 1
    if v < edges[0] or v > edges[n]:
        return -1
    return min(int(np.searchsorted(edges, v, "right")) - 1, n - 1)


@implements(np.histogram)
def histogram(a, bins=10, range=None, density=None, weights=None):
    x = np.asarray(a).ravel()
    edges = histogram_bin_edges(x, bins, range)
    n = edges.shape[0] - 1
    place = np.searchsorted(edges, x, "right") - 1
    place = np.where(x == edges[n], n - 1, place)
    inside = np.logical_and(x >= edges[0], x <= edges[n])
    if weights is None:
        counts = bincount(place[inside], minlength=n)
    else:
        counts = bincount(place[inside], weights[inside], minlength=n)
    if density:
        return counts / (edges[1:] - edges[:-1]) / np.sum(counts), edges
    return counts, edges


@implements(np.nonzero)
def nonzero(a):
    if a.ndim == 1:
        return (np.flatnonzero(a),)
    return unravel_index(np.flatnonzero(a.ravel()), a.shape)


@implements(np.argwhere)
def argwhere(a):
    return np.stack(nonzero(a), axis=1)


@implements(np.isin)
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    x = np.asarray(element)
    flat = x.ravel()
    found = np.zeros(flat.shape[0], dtype=np.bool_)
    for v in np.asarray(test_elements).ravel():
        found = np.logical_or(found, flat == v)
    return np.logical_not(found).reshape(x.shape) if invert else found.reshape(x.shape)


@implements(np.union1d)
def union1d(ar1, ar2):
    return unique(np.concatenate((np.asarray(ar1).ravel(), np.asarray(ar2).ravel())))


@implements(np.intersect1d)
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    u, i = unique(ar1, return_index=True)
    common = isin(u, ar2)
    if not return_indices:
        return u[common]
    v, j = unique(ar2, return_index=True)
    return u[common], i[common], j[isin(v, ar1)]


@implements(np.setdiff1d)
def setdiff1d(ar1, ar2, assume_unique=False):
    u = np.asarray(ar1).ravel() if assume_unique else unique(ar1)
    return u[isin(u, ar2, invert=True)]


@implements(np.tril_indices)
def tril_indices(n, k=0, m=None):
    return nonzero(np.tril(np.ones((n, n if m is None else m)), k))


@implements(np.triu_indices)
def triu_indices(n, k=0, m=None):
    return nonzero(np.triu(np.ones((n, n if m is None else m)), k))


@implements(np.diag_indices)
def diag_indices(n, ndim=2):
    return (np.arange(n),) * ndim


@implements(np.unravel_index)
def unravel_index(indices, shape, order="C"):
    rest = np.asarray(indices) if isinstance(indices, (list, tuple)) else indices
    places: Any = ()
    if order == "F":
        for n in shape[:-1]:
            places = places + (rest % n,)
            rest = rest // n
        return places + (rest,)
    for n in shape[:0:-1]:
        places = (rest % n,) + places
        rest = rest // n
    return (rest,) + places


@implements(np.ravel_multi_index)
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    flat: Any = 0
    for k in range(len(dims)) if order == "C" else range(len(dims) - 1, -1, -1):
        m = mode if isinstance(mode, str) else mode[k]
        i = np.asarray(multi_index[k]) if isinstance(multi_index[k], (list, tuple)) else multi_index[k]
        if m == "wrap":
            i = i % dims[k]
        elif m == "clip":
            i = np.clip(i, 0, dims[k] - 1)
        flat = flat * dims[k] + i
    return flat
