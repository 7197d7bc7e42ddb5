"""cmath: functions of a Python complex number."""

from __future__ import annotations

import cmath
import math

import numpy as np

from s2sgrad.library.table import implements


@implements(cmath.exp)
def exp(z):
    return complex(np.exp(complex(z)))


@implements(cmath.log)
def log(z, base=None):
    w = complex(np.log(complex(z)))
    return w if base is None else w / log(base)


@implements(cmath.log10)
def log10(z):
    return complex(np.log(complex(z))) / math.log(10.0)


@implements(cmath.sqrt)
def sqrt(z):
    return complex(np.sqrt(complex(z)))


@implements(cmath.sin)
def sin(z):
    return complex(np.sin(complex(z)))


@implements(cmath.cos)
def cos(z):
    return complex(np.cos(complex(z)))


@implements(cmath.tan)
def tan(z):
    return complex(np.tan(complex(z)))


@implements(cmath.sinh)
def sinh(z):
    return complex(np.sinh(complex(z)))


@implements(cmath.cosh)
def cosh(z):
    return complex(np.cosh(complex(z)))


@implements(cmath.tanh)
def tanh(z):
    return complex(np.tanh(complex(z)))


@implements(cmath.asin)
def asin(z):
    return complex(np.arcsin(complex(z)))


@implements(cmath.acos)
def acos(z):
    return complex(np.arccos(complex(z)))


@implements(cmath.atan)
def atan(z):
    return complex(np.arctan(complex(z)))


@implements(cmath.asinh)
def asinh(z):
    return complex(np.arcsinh(complex(z)))


@implements(cmath.acosh)
def acosh(z):
    return complex(np.arccosh(complex(z)))


@implements(cmath.atanh)
def atanh(z):
    return complex(np.arctanh(complex(z)))


@implements(cmath.phase)
def phase(z):
    w = complex(z)
    return math.atan2(w.imag, w.real)


@implements(cmath.polar)
def polar(z):
    return abs(complex(z)), phase(z)


@implements(cmath.rect)
def rect(r, phi):
    return complex(r * math.cos(phi), r * math.sin(phi))


@implements(cmath.isclose)
def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    return a == b or abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)


@implements(cmath.isnan)
def isnan(z):
    w = complex(z)
    return math.isnan(w.real) or math.isnan(w.imag)


@implements(cmath.isinf)
def isinf(z):
    w = complex(z)
    return math.isinf(w.real) or math.isinf(w.imag)


@implements(cmath.isfinite)
def isfinite(z):
    w = complex(z)
    return math.isfinite(w.real) and math.isfinite(w.imag)
