"""Coordinates of grids."""

from __future__ import annotations

import math

import numpy as np

from s2sgrad.library.table import implements, refuse


@implements(np.meshgrid)
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    if not copy:
        refuse("np.meshgrid with copy=False is not supported: it gives views")
    n = len(xi)
    place = tuple(1 - k if indexing == "xy" and k < 2 and n > 1 else k for k in range(n))
    axes = tuple(np.asarray(x).ravel() for x in xi)
    thin = tuple(np.expand_dims(axes[k], tuple(j for j in range(n) if j != place[k])) if n > 1 else axes[k] for k in range(n))
    if sparse:
        return tuple(x.copy() for x in thin)
    shape = tuple(axes[place[k]].shape[0] for k in range(n))
    return tuple(np.broadcast_to(x, shape).copy() for x in thin)


@implements(np.indices)
def indices(dimensions, dtype=int, sparse=False):
    grids = meshgrid(*tuple(np.arange(n) for n in dimensions), indexing="ij", sparse=sparse)
    return grids if sparse else np.stack(grids).astype(dtype)


@implements(np.fromfunction)
def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    return function(*meshgrid(*tuple(np.arange(n).astype(dtype) for n in shape), indexing="ij"), **kwargs)


def axis_points(start, stop, step):
    """The points that a slice of np.mgrid stands for."""
    first = 0 if start is None else start
    if isinstance(step, complex):
        return np.linspace(first, stop, int(abs(step)))
    width = 1 if step is None else step
    n = int(math.ceil((stop - first) / width))
    return np.arange(max(n, 0)) * width + first


def mgrid(*slices):
    """np.mgrid[slices]"""
    points = tuple(axis_points(s.start, s.stop, s.step) for s in slices)
    kind = np.result_type(*points)
    return np.stack(meshgrid(*tuple(p.astype(kind) for p in points), indexing="ij"))


def ogrid(*slices):
    """np.ogrid[slices]"""
    points = tuple(axis_points(s.start, s.stop, s.step) for s in slices)
    kind = np.result_type(*points)
    return meshgrid(*tuple(p.astype(kind) for p in points), indexing="ij", sparse=True)


def one_grid(s):
    """np.mgrid[slice] and np.ogrid[slice]"""
    return axis_points(s.start, s.stop, s.step)


def joined_rows(*items):
    """np.r_[items]"""
    return np.concatenate(tuple(part(i) for i in items))


def joined_columns(*items):
    """np.c_[items]"""
    return np.concatenate(tuple(column(part(i)) for i in items), axis=-1)


def part(item):
    """A piece of np.r_: a slice is a range."""
    if isinstance(item, str):
        refuse("directives of np.r_ and np.c_ are not supported")
    return axis_points(item.start, item.stop, item.step) if isinstance(item, slice) else np.atleast_1d(item)


def column(x):
    return np.expand_dims(x, 1) if x.ndim == 1 else x


INDEXED = {id(np.mgrid): mgrid, id(np.ogrid): ogrid, id(np.r_): joined_rows, id(np.c_): joined_columns}
"""What subscripting these objects of NumPy does."""
