"""The parts of floating-point numbers: mantissa and exponent, neighbours, distances."""

import math

import numpy as np

from tests.corpus import case

X = np.array([0.3, -1.2, 0.0, 1024.0, 3e-310, 1.7e308])


def mantissa_and_exponent(x):
    m, e = math.frexp(x)
    return m * x + math.ldexp(x, 3) + e


def of_arrays(x):
    m, e = np.frexp(x)
    return np.sum(m[:4] * np.arange(4)) + np.sum(e)


def neighbours(x):
    return math.nextafter(x, 2.0) * x + math.ulp(x) + np.nextafter(x, 0.0) + np.spacing(x)


def close_enough(x, y):
    if math.isclose(x, y, rel_tol=0.1) and np.isclose(x, y, atol=1.0) and np.allclose(np.array([x, y]), y, atol=1.0):
        return x * y
    return x


case(mantissa_and_exponent, (1.3,), grad=lambda x: (2.0 * x / 2.0 + 8.0,))
case(of_arrays, (X,), grad=lambda x: (np.array([0.0, 0.5, 2.0, 3.0 / 2048.0, 0.0, 0.0]),), forward=False)
case(neighbours, (1.3,), grad=lambda x: (2.0 * x + 1.0,))
case(close_enough, (1.3, 1.35))
