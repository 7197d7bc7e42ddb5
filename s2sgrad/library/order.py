"""Medians and quantiles."""

from __future__ import annotations

import math

import numpy as np

from s2sgrad.library.table import implements, refuse


def leaves_input(overwrite):
    if overwrite:
        refuse("overwrite_input=True is not supported: it leaves the data in an order that NumPy does not define")


def of_kind(array, dtype):
    """An array in the dtype asked for."""
    return np.asarray(array) if dtype is None else np.asarray(array).astype(dtype)


def merged(x, axis):
    """The data with the reduced axes merged into the first."""
    if axis is None:
        return x.ravel()
    if not isinstance(axis, tuple):
        return np.moveaxis(x, axis, 0)
    axes = tuple(k % x.ndim for k in axis)
    rest = tuple(k for k in range(x.ndim) if k not in axes)
    n = 1
    for k in axes:
        n = n * x.shape[k]
    return np.transpose(x, axes + rest).reshape((n,) + tuple(x.shape[k] for k in rest))


def kept(value, x, axis, lead):
    """A reduced value with extent-1 axes for the reduced ones; `lead` axes stand in front."""
    if axis is None:
        return np.reshape(value, np.shape(value) + (1,) * x.ndim)
    axes = axis if isinstance(axis, tuple) else (axis,)
    return np.expand_dims(value, tuple(k % x.ndim + lead for k in axes))


def unless_nan(rows, value):
    """nan where the sorted data hold one."""
    if rows.dtype.kind not in "fc":
        return value
    last = rows[rows.shape[0] - 1]
    return np.where(np.isnan(last), last, value)


@implements(np.median)
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    leaves_input(overwrite_input)
    x = np.asarray(a)
    rows = np.sort(merged(x, axis), 0)
    n = rows.shape[0]
    middle = unless_nan(rows, 0.5 * (rows[(n - 1) // 2] + rows[n // 2]))
    return kept(middle, x, axis, 0) if keepdims else middle


@implements(np.quantile)
def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    leaves_input(overwrite_input)
    x = np.asarray(a)
    if weights is not None:
        refuse("quantiles with weights= are not supported")
    rows = np.sort(merged(x, axis), 0)
    levels = np.array(q) if isinstance(q, (list, tuple)) else q
    lead = np.ndim(levels)
    if lead == 0:
        value = unless_nan(rows, level(rows, levels, method))
    else:
        flat = levels.ravel()
        values = np.empty((flat.shape[0],) + rows.shape[1:], dtype=np.asarray(level(rows, flat[0], method)).dtype)
        for k in range(flat.shape[0]):
            values[k] = unless_nan(rows, level(rows, flat[k], method))
        value = values if lead == 1 else values.reshape(levels.shape + rows.shape[1:])
    return kept(value, x, axis, lead) if keepdims else value


def level(rows, q, method):
    """The quantile q of sorted data, as numpy's methods define it (Hyndman and Fan)."""
    n = rows.shape[0]
    if method == "lower":
        return rows[int(math.floor((n - 1) * q))]
    if method == "higher":
        return rows[int(math.ceil((n - 1) * q))]
    if method == "nearest":
        return rows[int(np.round((n - 1) * q))]
    if method == "inverted_cdf":
        return rows[max(int(math.ceil(n * q - 1)), 0)]
    if method == "closest_observation":
        place = n * q - 1.5
        low = int(math.floor(place))
        return rows[max(low if place == low and low % 2 == 1 else low + 1, 0)]
    place = virtual_index(n, q, method)
    low = int(math.floor(place))
    weight = place - low
    if method == "averaged_inverted_cdf":
        weight = 0.5 if weight == 0 else 1.0
    elif method == "midpoint":
        weight = 0.5 if weight > 0 else 0.0
    k = min(max(low, 0), n - 1)
    first = rows[k]
    second = rows[min(max(low + 1, 0), n - 1)]
    return first + (second - first) * weight


def virtual_index(n, q, method):
    """Where, between the sorted data, a quantile lies."""
    if method == "linear" or method == "midpoint":
        return (n - 1) * q
    if method == "averaged_inverted_cdf":
        return n * q - 1
    if method == "interpolated_inverted_cdf":
        return n * q - 1
    if method == "hazen":
        return n * q - 0.5
    if method == "weibull":
        return (n + 1) * q - 1
    if method == "median_unbiased":
        return n * q + (1.0 / 3.0 + q * (1.0 / 3.0)) - 1
    if method == "normal_unbiased":
        return n * q + (0.375 + q * 0.25) - 1
    refuse("this method= is not one of numpy's")


@implements(np.percentile)
def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    leaves_input(overwrite_input)
    levels = np.array(q) if isinstance(q, (list, tuple)) else q
    return quantile(a, levels / 100.0, axis, method=method, keepdims=keepdims, weights=weights)


# ------------------------------------------------------------------------------------------- without nan


def present(x):
    """The elements that are not nan."""
    return x[np.logical_not(np.isnan(x))]


def columnwise(f, x, axis, keepdims, lead):
    """f of every group of elements, without its nans."""
    if axis is None:
        value = f(present(x.ravel()))
    else:
        rows = merged(x, axis)
        if rows.ndim == 1:
            value = f(present(rows))
        else:
            flat = rows.reshape(rows.shape[0], -1)
            first = f(present(flat[:, 0]))
            values = np.empty(np.shape(first) + (flat.shape[1],), dtype=np.asarray(first).dtype)
            for j in range(flat.shape[1]):
                values[..., j] = f(present(flat[:, j]))
            value = values.reshape(np.shape(first) + rows.shape[1:])
    return kept(value, x, axis, lead) if keepdims else value


@implements(np.nanmedian)
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    leaves_input(overwrite_input)
    return columnwise(median, np.asarray(a), axis, keepdims, 0)


@implements(np.nanquantile)
def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    leaves_input(overwrite_input)
    if weights is not None:
        refuse("quantiles with weights= are not supported")
    levels = np.array(q) if isinstance(q, (list, tuple)) else q
    return columnwise(lambda v: quantile(v, levels, method=method), np.asarray(a), axis, keepdims, np.ndim(levels))


@implements(np.nanpercentile)
def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    leaves_input(overwrite_input)
    levels = np.array(q) if isinstance(q, (list, tuple)) else q
    return nanquantile(a, levels / 100.0, axis, method=method, keepdims=keepdims, weights=weights)
