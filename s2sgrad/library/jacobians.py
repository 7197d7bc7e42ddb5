"""Jacobians of functions inside of functions, row by row."""

from __future__ import annotations

import numpy as np


def jacobian_by_rows(y, x, pull):
    """The Jacobian of an array `y` by `x`, of shape `y.shape + x.shape`; `pull(seed)` is the gradient by `x` of the sum of `seed * y`."""
    if np.ndim(x) == 0:
        column = np.zeros(y.size, y.dtype)
        for k in range(y.size):
            column[k] = pull(unit(y, k))
        return column.reshape(y.shape)
    rows = np.zeros((y.size, x.size), x.dtype)
    for k in range(y.size):
        rows[k] = pull(unit(y, k)).reshape(x.size)
    return rows.reshape(y.shape + x.shape)


def unit(y, k):
    """An array like `y` that is 1 at place k of its elements in order, else 0."""
    out = np.zeros(y.size, y.dtype)
    out[k] = 1
    return out.reshape(y.shape)
