"""Functions of `math` and `scipy.special` that NumPy does not have."""

from __future__ import annotations

import math

import numpy as np

from s2sgrad.rules.build import elementwise
from s2sgrad.rules.registry import Op, call, register

TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)


def _everywhere(f):
    """`f` on numbers and on arrays, in the dtype NumPy's functions would have."""

    def apply(x):
        dtype = np.sin(x).dtype
        out = np.array([f(float(v)) for v in np.ravel(x)]).reshape(np.shape(x)).astype(dtype)
        return out[()]

    return apply


def digamma(x):
    """Logarithmic derivative of the gamma function."""
    shift = 0.0
    if x <= 0.0:
        if x == math.floor(x):
            return math.nan
        shift = -math.pi / math.tan(math.pi * x)
        x = 1.0 - x
    while x < 10.0:
        shift -= 1.0 / x
        x += 1.0
    z = 1.0 / (x * x)
    tail = z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))))
    return shift + math.log(x) - 0.5 / x - tail


def trigamma(x):
    """Derivative of the digamma function."""
    if x <= 0.0:
        if x == math.floor(x):
            return math.inf
        s = math.pi / math.sin(math.pi * x)
        return s * s - trigamma(1.0 - x)
    shift = 0.0
    while x < 10.0:
        shift += 1.0 / (x * x)
        x += 1.0
    z = 1.0 / (x * x)
    tail = z * (1.0 / 6 - z * (1.0 / 30 - z * (1.0 / 42 - z * (1.0 / 30 - z * (5.0 / 66 - z * (691.0 / 2730 - z * 7.0 / 6))))))
    return shift + 1.0 / x + 0.5 * z + tail / x


@elementwise(math.erf, fn=_everywhere(math.erf), syntax="math.erf(_0)")
def erf(x, *, out):
    return TWO_OVER_ROOT_PI * np.exp(-x * x)


@elementwise(math.erfc, fn=_everywhere(math.erfc), syntax="math.erfc(_0)")
def erfc(x, *, out):
    return -TWO_OVER_ROOT_PI * np.exp(-x * x)


@elementwise(math.gamma, fn=_everywhere(math.gamma), syntax="math.gamma(_0)")
def gamma(x, *, out):
    return out * call("digamma", x)


@elementwise(math.lgamma, fn=_everywhere(math.lgamma), syntax="math.lgamma(_0)")
def lgamma(x, *, out):
    return call("digamma", x)


elementwise(fn=_everywhere(digamma), name="digamma", syntax="digamma(_0)", helper=digamma)(lambda x, *, out: call("trigamma", x))
register(Op("trigamma", "none", _everywhere(trigamma), "trigamma(_0)", helper=trigamma, why="its derivative (polygamma 2) is not there"))
