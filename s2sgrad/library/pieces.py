"""Lists of arrays that leave compiled code: their elements one after the other, and their extents."""

from __future__ import annotations

import numpy as np


def end_to_end(arrays, dtype):
    size = 0
    for a in arrays:
        size += a.size
    out = np.empty(size, dtype)
    at = 0
    for a in arrays:
        out[at : at + a.size] = a.ravel()
        at += a.size
    return out


def extents_of(arrays):
    out = []
    for a in arrays:
        for n in a.shape:
            out.append(n)
    return np.array(out, np.int64)
