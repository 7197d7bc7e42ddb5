"""Searching, counting and sets."""

from __future__ import annotations

import numpy as np

from s2sgrad.library.places import sort
from s2sgrad.library.table import implements, refuse


@implements(np.unique)
def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    if return_index or return_inverse or axis is not None:
        refuse("np.unique with return_index, return_inverse or axis is not supported")
    s = sort(np.asarray(ar).ravel())
    first = np.ones(s.shape[0], dtype=np.bool_)
    first[1:] = s[1:] != s[:-1]
    if not return_counts:
        return s[first]
    places = np.flatnonzero(first)
    counts = np.empty(places.shape[0], dtype=np.int64)
    for k in range(places.shape[0]):
        counts[k] = (places[k + 1] if k + 1 < places.shape[0] else s.shape[0]) - places[k]
    return s[first], counts


@implements(np.digitize)
def digitize(x, bins, right=False):
    if right:
        return np.searchsorted(bins, x, "left")
    return np.searchsorted(bins, x, "right")


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


@implements(np.histogram)
def histogram(a, bins=10, range=None, density=None, weights=None):
    x = np.asarray(a).ravel()
    if np.ndim(bins) == 0:
        edges = np.linspace(np.min(x) if range is None else range[0], np.max(x) if range is None else range[1], bins + 1)
    else:
        edges = np.asarray(bins)
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
    k = np.flatnonzero(a.ravel())
    if a.ndim == 2:
        return k // a.shape[1], k % a.shape[1]
    if a.ndim != 3:
        refuse("np.nonzero of an array of rank 4 or more is not supported")
    return k // (a.shape[1] * a.shape[2]), k // a.shape[2] % a.shape[1], k % a.shape[2]


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
    u = unique(ar1)
    return u[isin(u, ar2)]


@implements(np.setdiff1d)
def setdiff1d(ar1, ar2, assume_unique=False):
    u = unique(ar1)
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
    if len(shape) == 1:
        return (indices,)
    if len(shape) == 2:
        return indices // shape[1], indices % shape[1]
    return indices // (shape[1] * shape[2]), indices // shape[2] % shape[1], indices % shape[2]


@implements(np.ravel_multi_index)
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    flat = multi_index[0]
    for k in range(1, len(dims)):
        flat = flat * dims[k] + multi_index[k]
    return flat
