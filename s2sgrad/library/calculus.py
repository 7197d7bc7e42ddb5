"""Differences, integrals, interpolation, polynomials."""

from __future__ import annotations

import numpy as np

from s2sgrad.library.table import implements


@implements(np.diff)
def diff(a, n=1, axis=-1, prepend=None, append=None):
    x = np.asarray(a)
    if prepend is not None:
        x = np.concatenate((_edge(prepend, x, axis), x), axis=axis)
    if append is not None:
        x = np.concatenate((x, _edge(append, x, axis)), axis=axis)
    if n == 0:
        return x
    rows = np.moveaxis(x, axis, 0)
    for _ in range(n):
        rows = rows[1:] != rows[:-1] if x.dtype == np.bool_ else rows[1:] - rows[:-1]
    return np.moveaxis(rows, 0, axis)


def _edge(value, x, axis):
    """A value given to prepend or append, as an array."""
    if np.ndim(value) == 0:
        return np.full(np.take(x, np.array([0]), axis).shape, value)
    return value


@implements(np.ediff1d)
def ediff1d(ary, to_end=None, to_begin=None):
    x = np.asarray(ary).ravel()
    d = x[1:] - x[:-1]
    if to_begin is not None:
        d = np.concatenate((np.atleast_1d(to_begin), d))
    if to_end is not None:
        d = np.concatenate((d, np.atleast_1d(to_end)))
    return d


@implements(np.gradient)
def gradient(f, *varargs, axis=None, edge_order=1):
    x = np.asarray(f)
    if isinstance(axis, tuple) or axis is None and x.ndim > 1:
        axes = tuple(range(x.ndim)) if axis is None else axis
        steps = varargs if len(varargs) == len(axes) else (varargs[0] if len(varargs) == 1 else 1.0,) * len(axes)
        return tuple(_gradient(x, steps[k], axes[k], edge_order) for k in range(len(axes)))
    return _gradient(x, varargs[0] if len(varargs) == 1 else 1.0, 0 if axis is None else axis, edge_order)


def _gradient(x, h, axis, edge_order):
    """Second-order differences inside, first or second order at the ends."""
    rows = np.moveaxis(x, axis, 0)
    g = np.empty(rows.shape, dtype=(rows[:1] / 1.0).dtype)
    n = rows.shape[0]
    if np.ndim(h) == 0:
        g[1:-1] = (rows[2:] - rows[:-2]) / (2.0 * h)
        if edge_order == 1:
            g[0] = (rows[1] - rows[0]) / h
            g[n - 1] = (rows[n - 1] - rows[n - 2]) / h
        else:
            g[0] = (-1.5 * rows[0] + 2.0 * rows[1] - 0.5 * rows[2]) / h
            g[n - 1] = (0.5 * rows[n - 3] - 2.0 * rows[n - 2] + 1.5 * rows[n - 1]) / h
    else:
        for k in range(1, n - 1):
            a = h[k] - h[k - 1]
            b = h[k + 1] - h[k]
            g[k] = -b / (a * (a + b)) * rows[k - 1] + (b - a) / (a * b) * rows[k] + a / (b * (a + b)) * rows[k + 1]
        if edge_order == 1:
            g[0] = (rows[1] - rows[0]) / (h[1] - h[0])
            g[n - 1] = (rows[n - 1] - rows[n - 2]) / (h[n - 1] - h[n - 2])
        else:
            p = h[1] - h[0]
            q = h[2] - h[1]
            g[0] = -(2.0 * p + q) / (p * (p + q)) * rows[0] + (p + q) / (p * q) * rows[1] - p / (q * (p + q)) * rows[2]
            r = h[n - 2] - h[n - 3]
            s = h[n - 1] - h[n - 2]
            g[n - 1] = s / (r * (r + s)) * rows[n - 3] - (s + r) / (r * s) * rows[n - 2] + (2.0 * s + r) / (s * (r + s)) * rows[n - 1]
    return np.moveaxis(g, 0, axis)


@implements(np.trapezoid, getattr(np, "trapz", None))
def trapezoid(y, x=None, dx=1.0, axis=-1):
    rows = np.moveaxis(np.asarray(y), axis, 0)
    sums = rows[1:] + rows[:-1]
    if x is None:
        return np.sum(sums, axis=0) * dx / 2.0
    points = np.asarray(x)
    if points.ndim == rows.ndim and points.ndim > 1:
        points = np.moveaxis(points, axis, 0)
    steps = points[1:] - points[:-1]
    if steps.ndim < sums.ndim:
        steps = np.expand_dims(steps, tuple(range(1, sums.ndim)))
    return np.sum(steps * sums / 2.0, axis=0)


@implements(np.interp)
def interp(x, xp, fp, left=None, right=None, period=None):
    xs = np.asarray(xp)
    fs = np.asarray(fp)
    if period is not None:
        turn = abs(period)
        xs = xs % turn
        order = np.argsort(xs)
        xs = xs[order]
        fs = fs[order]
        m = xs.shape[0]
        xs = np.concatenate((xs[m - 1:] - turn, xs, xs[:1] + turn))
        fs = np.concatenate((fs[m - 1:], fs, fs[:1]))
        return _interp_all(np.asarray(x) % turn if np.ndim(x) > 0 else x % turn, xs, fs, None, None)
    return _interp_all(x, xs, fs, left, right)


def _interp_all(x, xs, fs, left, right):
    """Linear interpolation at a number or at every element of an array."""
    if np.ndim(x) == 0:
        return np.float64(1.0) * _interp(x, xs, fs, left, right)
    points = np.asarray(x)
    flat = points.ravel()
    values = np.empty(flat.shape[0], dtype=(fs[:1] * np.float64(1.0)).dtype)
    for k in range(flat.shape[0]):
        values[k] = _interp(flat[k], xs, fs, left, right)
    return values.reshape(points.shape)


def _interp(v, xs, fs, left, right):
    """Linear interpolation at one point."""
    n = xs.shape[0]
    if v < xs[0]:
        return fs[0] * 1.0 if left is None else left * 1.0
    if v > xs[n - 1]:
        return fs[n - 1] * 1.0 if right is None else right * 1.0
    lo = 0
    hi = n
    while hi - lo > 1:  # xs[lo] <= v
        mid = (lo + hi) // 2
        if xs[mid] <= v:
            lo = mid
        else:
            hi = mid
    if lo == n - 1:
        return fs[n - 1] * 1.0
    slope = (fs[lo + 1] - fs[lo]) / (xs[lo + 1] - xs[lo])
    return fs[lo] + slope * (v - xs[lo])


@implements(np.unwrap)
def unwrap(p, discont=None, axis=-1, *, period=6.283185307179586):
    x = np.asarray(p)
    rows = np.moveaxis(x, axis, 0)
    d = rows[1:] - rows[:-1]
    half = period / 2
    r = np.mod(d + half, period) - half
    r = np.where(np.logical_and(r == -half, d > 0), half, r)
    jump = np.where(np.abs(d) < (half if discont is None else discont), 0.0, np.round((r - d) / period) * period)
    out = rows.copy()
    out[1:] = rows[1:] + np.cumsum(jump, axis=0)
    return np.moveaxis(out, 0, axis)


@implements(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0):
    return base ** np.linspace(start, stop, num, endpoint)


@implements(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True):
    return np.exp(np.linspace(np.log(start), np.log(stop), num, endpoint))

