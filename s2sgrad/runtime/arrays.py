"""Array functions that numba lacks, for generated code. Rules as in `s2sgrad.runtime.extents`."""

from __future__ import annotations

import numpy as np


def mask_positions(mask):
    """The positions of the true elements, one row each, in C order."""
    n = 0
    for m in mask.flat:
        if m:
            n += 1
    out = np.empty((n, mask.ndim), dtype=np.int64)
    k = 0
    for index, m in np.ndenumerate(mask):
        if m:
            for axis in range(mask.ndim):
                out[k, axis] = index[axis]
            k += 1
    return out


def diagonal_view(a):
    """The main diagonal of a matrix, sharing its memory."""
    n = min(a.shape[0], a.shape[1])
    return np.lib.stride_tricks.as_strided(a, (n,), (a.strides[0] + a.strides[1],))


def sorted_lanes(a):
    """A copy of a C-contiguous array, sorted along the last axis."""
    out = a.copy()
    n = a.shape[-1]
    rows = out.reshape(-1, n) if n > 0 else out.reshape(0, 1)
    for r in range(rows.shape[0]):
        rows[r] = np.sort(rows[r])
    return out


def argsorted_lanes(a):
    """The stable order of a C-contiguous array along the last axis (a merge sort; numba's own compiles eight times longer)."""
    out = np.empty(a.shape, dtype=np.int64)
    n = a.shape[-1]
    rows = a.reshape(-1, n) if n > 0 else a.reshape(0, 1)
    places = out.reshape(-1, n) if n > 0 else out.reshape(0, 1)
    merged = np.empty(n, dtype=np.int64)
    for r in range(rows.shape[0]):
        for k in range(n):
            places[r, k] = k
        width = 1
        while width < n:
            for start in range(0, n, 2 * width):
                i, middle = start, min(start + width, n)
                j, stop = middle, min(start + 2 * width, n)
                for k in range(start, stop):
                    left = j >= stop
                    if i < middle and not left:
                        x, y = rows[r, places[r, i]], rows[r, places[r, j]]
                        left = not (y < x or (x != x and y == y))  # nan comes last
                    if left:
                        merged[k] = places[r, i]
                        i += 1
                    else:
                        merged[k] = places[r, j]
                        j += 1
            for k in range(n):
                places[r, k] = merged[k]
            width *= 2
    return out


def round_to(x, decimals):
    """np.round of one number."""
    if decimals >= 0:
        scale = 10.0**decimals
        return np.rint(x * scale) / scale
    scale = 10.0**-decimals
    return np.rint(x / scale) * scale
