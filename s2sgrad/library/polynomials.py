"""Polynomials: values, arithmetic, derivatives, fits, roots; the classes np.poly1d and np.polynomial.Polynomial."""

from __future__ import annotations

import numpy as np

from s2sgrad.library.table import implements, refuse


@implements(np.polyval)
def polyval(p, x):
    c = np.asarray(p)
    v = np.asarray(x)
    y = 0 * v + c[0]
    for k in range(1, c.shape[0]):
        y = y * v + c[k]
    return y


@implements(np.polynomial.polynomial.polyval)
def polynomial_polyval(x, c, tensor=True):
    c = np.asarray(c)
    n = c.shape[0]
    if tensor and isinstance(x, np.ndarray):
        c = np.reshape(c, c.shape + (1,) * x.ndim)
    y = c[n - 1] + x * 0
    for k in range(n - 2, -1, -1):
        y = c[k] + y * x
    return y


@implements(np.polyder)
def polyder(p, m=1):
    c = np.asarray(p)
    if m == 0:
        return c
    n = c.shape[0]
    d = c[:n - 1] * np.arange(n - 1, 0, -1)
    for _ in range(m - 1):
        d = d[:d.shape[0] - 1] * np.arange(d.shape[0] - 1, 0, -1)
    return d


@implements(np.polyint)
def polyint(p, m=1, k=None):
    c = np.asarray(p)
    for j in range(m):
        constant = 0.0 if k is None else k[j] if isinstance(k, (list, tuple)) else k
        c = np.concatenate((c / np.arange(c.shape[0], 0, -1), np.atleast_1d(constant)))
    return c


@implements(np.polyadd)
def polyadd(a1, a2):
    a = np.asarray(a1)
    b = np.asarray(a2)
    n = max(a.shape[0], b.shape[0])
    c = np.zeros(n, dtype=(a[:1] + b[:1]).dtype)
    c[n - a.shape[0]:] = a
    c[n - b.shape[0]:] += b
    return c


@implements(np.polymul)
def polymul(a1, a2):
    return np.convolve(a1, a2)


@implements(np.polyfit)
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    if full or cov:
        refuse("np.polyfit with full or cov is not supported")
    points = np.asarray(x) + 0.0
    a = np.vander(points, deg + 1)
    b = np.asarray(y) + 0.0
    if w is not None:
        a = a * w[:, None]
        b = b * w if b.ndim == 1 else b * w[:, None]
    scale = np.sqrt(np.sum(a * a, axis=0))
    cut = points.shape[0] * float(np.finfo(points.dtype).eps) if rcond is None else rcond
    c = np.linalg.pinv(a / scale, cut) @ b
    return c / scale if c.ndim == 1 else c / scale[:, None]


@implements(np.vander)
def vander(x, N=None, increasing=False):
    v = np.asarray(x)
    n = v.shape[0] if N is None else N
    a = np.ones((v.shape[0], n), dtype=(v[:1] * np.int64(1)).dtype)
    for k in range(1, n):
        if increasing:
            a[:, k] = a[:, k - 1] * v
        else:
            a[:, n - 1 - k] = a[:, n - k] * v
    return a


@implements(np.polysub)
def polysub(a1, a2):
    return polyadd(np.asarray(a1), -np.asarray(a2))


@implements(np.polydiv)
def polydiv(u, v):
    rest = np.asarray(u) + 0.0
    divisor = np.asarray(v) + 0.0
    m = divisor.shape[0]
    n = rest.shape[0] - m + 1
    if n <= 0:
        return np.zeros(1), rest
    work = rest.copy()
    q = np.empty(n, dtype=(work[:1] / divisor[:1]).dtype)
    for k in range(n):
        q[k] = work[k] / divisor[0]
        work[k:k + m] = work[k:k + m] - q[k] * divisor
    start = n
    while start < work.shape[0] - 1 and abs(work[start]) <= 1e-14:  # numpy drops leading zeros of the remainder
        start += 1
    return q, work[min(start, work.shape[0] - 1):] if m > 1 else np.zeros(1, dtype=work.dtype)


@implements(np.poly)
def poly(seq_of_zeros):
    zeros = np.asarray(seq_of_zeros)
    if zeros.ndim == 2:
        zeros = np.linalg.eigvals(zeros)
    c = np.ones(1, dtype=(zeros[:1] * 1.0).dtype)
    for r in zeros:
        c = np.concatenate((c, np.zeros(1, dtype=c.dtype))) - r * np.concatenate((np.zeros(1, dtype=c.dtype), c))
    return c


@implements(np.roots)
def roots(p):
    c = np.asarray(p) + 0.0
    n = c.shape[0] - 1
    companion = np.zeros((n, n), dtype=c.dtype)
    for k in range(n - 1):
        companion[k + 1, k] = 1.0
    companion[0] = -c[1:] / c[0]
    return np.linalg.eigvals(companion)


class Poly1d:
    """np.poly1d in the input language: coefficients from the highest power down."""

    def __init__(self, c_or_r, r=False, variable=None):
        self.coeffs = np.atleast_1d(np.asarray(poly(c_or_r) if r else c_or_r))

    @property
    def c(self):
        return self.coeffs

    @property
    def coef(self):
        return self.coeffs

    @property
    def order(self):
        return self.coeffs.shape[0] - 1

    @property
    def o(self):
        return self.coeffs.shape[0] - 1

    @property
    def roots(self):
        return roots(self.coeffs)

    @property
    def r(self):
        return roots(self.coeffs)

    def __call__(self, val):
        return polyval(self.coeffs, val)

    def deriv(self, m=1):
        return Poly1d(polyder(self.coeffs, m))

    def integ(self, m=1, k=0):
        return Poly1d(polyint(self.coeffs, m, None if k == 0 else k))

    def __getitem__(self, power):
        return self.coeffs[self.coeffs.shape[0] - 1 - power]

    def __len__(self):
        return self.coeffs.shape[0] - 1

    def __neg__(self):
        return Poly1d(-self.coeffs)

    def __add__(self, other):
        return Poly1d(polyadd(self.coeffs, coefficients(other)))

    def __radd__(self, other):
        return Poly1d(polyadd(self.coeffs, coefficients(other)))

    def __sub__(self, other):
        return Poly1d(polysub(self.coeffs, coefficients(other)))

    def __rsub__(self, other):
        return Poly1d(polysub(coefficients(other), self.coeffs))

    def __mul__(self, other):
        return Poly1d(polymul(self.coeffs, coefficients(other)))

    def __rmul__(self, other):
        return Poly1d(polymul(self.coeffs, coefficients(other)))

    def __truediv__(self, other):
        return Poly1d(self.coeffs / other)

    def __pow__(self, n):
        p = Poly1d(np.ones(1))
        for _ in range(n):
            p = p * self
        return p


def coefficients(other):
    """Of a polynomial, or of a number."""
    return other.coeffs if isinstance(other, Poly1d) else np.atleast_1d(np.asarray(other))


class Polynomial:
    """np.polynomial.Polynomial over its default domain: coefficients from the constant up."""

    def __init__(self, coef, domain=None, window=None, symbol="x"):
        if domain is not None or window is not None:
            refuse("a Polynomial with its own domain or window is not supported")
        self.coef = np.atleast_1d(np.asarray(coef)) + 0.0

    def __call__(self, arg):
        return polynomial_polyval(arg, self.coef)

    def degree(self):
        return self.coef.shape[0] - 1

    def deriv(self, m=1):
        return Polynomial(polyder(self.coef[::-1], m)[::-1])

    def integ(self, m=1, k=0):
        return Polynomial(polyint(self.coef[::-1], m, None if k == 0 else k)[::-1])

    def __neg__(self):
        return Polynomial(-self.coef)

    def __add__(self, other):
        return Polynomial(polyadd(self.coef[::-1], rising(other)[::-1])[::-1])

    def __sub__(self, other):
        return Polynomial(polysub(self.coef[::-1], rising(other)[::-1])[::-1])

    def __mul__(self, other):
        return Polynomial(polymul(self.coef, rising(other)))

    def __rmul__(self, other):
        return Polynomial(polymul(self.coef, rising(other)))


def rising(other):
    """Coefficients of a polynomial, or of a number."""
    return other.coef if isinstance(other, Polynomial) else np.atleast_1d(np.asarray(other))


CLASSES = {np.poly1d: Poly1d, np.polynomial.Polynomial: Polynomial}
"""Classes of NumPy that stand for these."""
