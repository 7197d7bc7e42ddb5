"""Extents, indices and exact arithmetic of generated code.

Every function here is plain Python that numba compiles. The emitter appends the source of those that a text uses, so none of them may
refer to another module than NumPy and math, or to each other.
"""

from __future__ import annotations

import numpy as np


def reassociated(a, b):
    """a + b, in an order chosen by the compiler (sums only)."""
    return a + b


def broadcast_extent(n, m):
    """The extent of two axes broadcast together."""
    n = max(n, 0)
    m = max(m, 0)
    if n == m or m == 1:
        return n
    if n == 1:
        return m
    raise ValueError("operands could not be broadcast together: extents", n, m)


def check_extent(n, m):
    """An axis of extent n is assigned to one of extent m: equal, or 1."""
    n = max(n, 0)
    m = max(m, 0)
    if n != m and n != 1:
        raise ValueError("could not broadcast input array: extents", n, m)
    return n != 1


def equal_extent(n, m):
    """Two axes that must have the same extent."""
    n = max(n, 0)
    if n != max(m, 0):
        raise ValueError("the extents of two arrays do not match:", n, m)
    return n


def nonempty(n):
    """The extent of an axis that is reduced without a neutral element."""
    if n <= 0:
        raise ValueError("zero-size array to a reduction operation which has no identity")
    return n


def wrap_index(i, n):
    """An index that may be negative, as a position."""
    if i < -n or i >= n:
        raise IndexError("index is out of bounds: index, extent", i, n)
    return i + n if i < 0 else i


def nonzero_divisor(n):
    """An integer divisor, as Python has it."""
    if n == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return n


def integer_power(n, k):
    """n ** k for integers."""
    if k < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    return n**k


def exact_product(n, m):
    """n * m, where it fits in 64 bits."""
    if abs(float(n) * float(m)) > 9.2e18:
        raise OverflowError("a product of integers does not fit in 64 bits: make one of them a float")
    return n * m


def exact_sum(n, m):
    """n + m, where it fits in 64 bits."""
    if abs(float(n) + float(m)) > 9.2e18:
        raise OverflowError("a sum of integers does not fit in 64 bits: make one of them a float")
    return n + m


def exact_power(n, k):
    """n ** k for integers, where it fits in 64 bits."""
    if k < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    if abs(n) > 1 and float(k) * np.log2(abs(float(n))) > 62.99:
        raise OverflowError("a power of integers does not fit in 64 bits: make one of them a float")
    return n**k


def exact_shift(n, k):
    """n << k, where it fits in 64 bits."""
    if k < 0:
        raise ValueError("negative shift count")
    if n != 0 and k + np.log2(abs(float(n))) > 62.99:
        raise OverflowError("a shifted integer does not fit in 64 bits: multiply by a float instead")
    return n << k


def reserve(buffer, size):
    """The buffer itself if it holds `size` elements, else a larger copy."""
    if size <= buffer.shape[0]:
        return buffer
    grown = np.empty(max(size, 2 * buffer.shape[0]), buffer.dtype)
    for k in range(buffer.shape[0]):
        grown[k] = buffer[k]
    return grown


def range_length(start, stop, step):
    """len(range(start, stop, step))"""
    if step == 0:
        raise ZeroDivisionError("division by zero")
    if step > 0:
        return max(0, (stop - start + step - 1) // step)
    return max(0, (start - stop - step - 1) // -step)


def arange_length(start, stop, step):
    """The length of np.arange for floating bounds."""
    if step == 0.0:
        raise ZeroDivisionError("division by zero")
    return max(0, int(np.ceil((stop - start) / step)))


def integer_fmod(a, b):
    """The remainder with the sign of the dividend; 0 for a zero divisor, as NumPy."""
    if b == 0:
        return 0
    r = abs(a) % abs(b)
    return -r if a < 0 else r
