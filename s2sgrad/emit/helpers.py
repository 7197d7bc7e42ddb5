"""Functions that emitted text calls and that NumPy does not have; their sources are copied into the text."""

from __future__ import annotations

import numpy as np


def reserve(buffer, size):  # type: ignore[no-untyped-def]
    """The buffer itself if it holds `size` elements, else a larger copy."""
    if size <= buffer.shape[0]:
        return buffer
    grown = np.empty(max(size, 2 * buffer.shape[0]), buffer.dtype)
    for k in range(buffer.shape[0]):
        grown[k] = buffer[k]
    return grown
