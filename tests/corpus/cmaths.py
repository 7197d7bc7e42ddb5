"""cmath: functions of Python complex numbers."""

import cmath

from tests.corpus import case


def cm1(x, c):
    z = complex(x, 0.3) * c
    w = cmath.cos(z) + 2 * cmath.sin(z) * cmath.tan(z) + cmath.cosh(z) - cmath.sinh(z) * 3 + cmath.tanh(z) + cmath.exp(z)
    return w.real * 2 + w.imag ** 2


case(cm1, (0.4, 0.8 + 0.2j), second=True)


def cm2(x, c):
    z = complex(x, 0.3) * c
    w = cmath.acos(z) + cmath.asin(z) * cmath.atan(z) + cmath.acosh(z) + 2 * cmath.asinh(z) + cmath.atanh(z)
    return w.real * 2 + w.imag ** 2


case(cm2, (0.4, 0.8 + 0.2j))


def cm3(x, c):
    z = complex(x, 0.3) * c
    w = cmath.log(z) + cmath.log10(z) * cmath.log(z, 2) + cmath.sqrt(z) + cmath.sqrt(-x)
    return w.real * 2 + w.imag ** 2


case(cm3, (0.4, 0.8 + 0.2j))


def cm_polar(z):
    r, p = cmath.polar(z)
    w = cmath.rect(r * r, p / 2)
    return w.real + 3 * w.imag + (1.0 if cmath.isclose(z, w) else 2.0) + cmath.tau + cmath.phase(z) * 2


case(cm_polar, (0.8 + 0.2j,))


def quad_roots(a, b, c):
    d = cmath.sqrt(b * b - 4 * a * c)
    r1, r2 = ((-b + d) / (2 * a), (-b - d) / (2 * a))
    return abs(r1) + 2 * r2.imag + r1.real


case(quad_roots, (1.2, 0.4, 0.9))
