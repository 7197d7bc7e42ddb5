"""`bitwise`: operations on the bits of whole numbers."""

from __future__ import annotations

import numpy as np

from s2sgrad.eager import operation


@operation(links=())
def bitwise_and(x, y):
    return x & y


@operation(links=())
def bitwise_or(x, y):
    return x | y


@operation(links=())
def bitwise_xor(x, y):
    return x ^ y


@operation(links=())
def invert(x):
    return ~x


@operation(links=())
def left_shift(x, y):
    return np.left_shift(x, y)


@operation(links=())
def right_shift(x, y):
    return np.right_shift(x, y)
