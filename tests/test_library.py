"""Library functions, called as plain Python, give NumPy's values and dtypes."""

from __future__ import annotations

import bisect
import cmath
import heapq
import math

import numpy as np
import pytest
from scipy import special as sp

from s2sgrad import library
from s2sgrad.library import heaps, iteration
from s2sgrad.library.table import TABLE
from s2sgrad.rules.registry import canonical
from tests.expressions import EXPRESSIONS

RNG = np.random.default_rng(5)
A, B, X, Y = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 4)), RNG.normal(size=7), RNG.normal(size=4)
C = RNG.normal(size=(2, 3, 4))
XF, AF, K = X.astype(np.float32), A.astype(np.float32), np.array([3, 1, 2, 3, 0, 1])
N = np.where(X > 0.5, np.nan, X)
Z = X + 1j * RNG.normal(size=7)
S = A.T @ A + np.eye(3)
AXES = [{}, {"axis": 0}, {"axis": 1}, {"axis": -1}]

CALLS = [
    *((f, (a,), k) for f in (np.prod, np.mean, np.var, np.std, np.ptp, np.median, np.cumprod, np.nansum, np.nanmean, np.nanmax, np.nanmin, np.nanprod,
                             np.nanvar, np.nanstd, np.nancumsum) for a in (A, AF) for k in AXES),
    *((f, (a,), {}) for f in (np.prod, np.mean, np.var, np.std, np.ptp, np.cumprod, np.median) for a in (X, XF, K)),
    *((f, (N,), {}) for f in (np.nansum, np.nanmean, np.nanmax, np.nanmin, np.nanprod, np.nanvar, np.nanstd, np.nancumsum, np.nancumprod, np.nanmedian)),
    *((f, (A,), {"axis": 0, "keepdims": True}) for f in (np.mean, np.var, np.std, np.prod, np.median)),
    (np.mean, (C,), {"axis": (0, 2)}), (np.var, (X,), {"ddof": 1}), (np.std, (Z,), {}), (np.mean, ([1.0, 2.0],), {}), (np.prod, (X, None, None, None, False, 2.0), {}),
    (np.average, (X,), {}), (np.average, (X,), {"weights": X**2}), (np.average, (A,), {"axis": 0, "weights": Y}), (np.average, (A,), {"axis": 1, "weights": Y[:3]}),
    (np.percentile, (X, 30), {}), (np.percentile, (A, 75.0), {"axis": 0}), (np.quantile, (X, 0.5), {}), (np.quantile, (X, np.array([0.1, 0.31, 0.9])), {}),
    (np.percentile, (XF, 50), {}), (np.percentile, (X, [10, 90]), {}), (np.quantile, (A, np.array([0.2, 0.6])), {"axis": 1}),
    (np.cov, (B,), {}), (np.cov, (X,), {}), (np.cov, (X, X**2), {}), (np.cov, (A,), {"rowvar": False}), (np.cov, (B,), {"bias": True}), (np.corrcoef, (B,), {}),
    (np.diff, (X,), {}), (np.diff, (A,), {}), (np.diff, (A,), {"axis": 0, "n": 2}), (np.diff, (X,), {"prepend": 0.0}), (np.diff, (X,), {"append": X[:2]}), (np.ediff1d, (X,), {}),
    (np.gradient, (X,), {}), (np.gradient, (X, 0.5), {}), (np.gradient, (A,), {}), (np.gradient, (A,), {"axis": 1}), (np.gradient, (X, np.sort(X)), {}),
    (np.gradient, (X,), {"edge_order": 2}), (np.gradient, (XF,), {}),
    (np.trapezoid, (X,), {}), (np.trapezoid, (X, np.sort(X)), {}), (np.trapezoid, (A,), {"dx": 0.5}), (np.trapezoid, (A, Y), {"axis": 0}), (np.trapezoid, (XF,), {}),
    (np.interp, (np.linspace(-3, 3, 9), np.sort(X), X), {}), (np.interp, (0.3, np.sort(X), X), {}), (np.interp, (X + 0.01, np.sort(X), X), {"left": 0.0, "right": 1.0}),
    (np.interp, (A, np.sort(X), X), {}),
    (np.polyval, (X, 0.5), {}), (np.polyval, (X, Y), {}), (np.polyder, (X,), {}), (np.polyder, (X, 2), {}), (np.polyint, (X,), {}), (np.polyadd, (X, Y), {}),
    (np.polymul, (X, Y), {}), (np.polyfit, (X, X**2 + X, 2), {}), (np.vander, (X,), {}), (np.vander, (X, 3), {"increasing": True}),
    (np.polynomial.polynomial.polyval, (Y, X), {}),
    (np.unwrap, (np.cumsum(X * 3),), {}), (np.logspace, (0.0, 1.0, 5), {}), (np.geomspace, (1.0, 2.0, 5), {}),
    (np.take, (X, K), {}), (np.take, (A, 1), {"axis": 1}), (np.take, (A, K % 3), {"axis": 1}), (np.take, (A, K), {"axis": 0}), (np.take, (X, K + 9), {"mode": "wrap"}),
    (np.take, (X, K.reshape(2, 3)), {}), (np.take, (X, K + 9), {"mode": "clip"}), (np.take, (X, [0, 2]), {}),
    (np.take_along_axis, (A, np.argsort(A, 1), 1), {}), (np.take_along_axis, (A, np.argsort(A, 0), 0), {}), (np.take_along_axis, (C, np.argsort(C, 1), 1), {}),
    (np.sort, (X,), {}), (np.sort, (A,), {}), (np.sort, (A,), {"axis": 0}), (np.sort, (A,), {"axis": None}), (np.sort, (K,), {}),
    (np.compress, (X > 0, X), {}), (np.compress, (Y > 0, A), {"axis": 0}), (np.extract, (A > 0, A), {}),
    (np.roll, (X, 2), {}), (np.roll, (A, -1), {}), (np.roll, (A, 1), {"axis": 1}), (np.roll, (A, (1, 2)), {"axis": (0, 1)}),
    (np.repeat, (X, 3), {}), (np.repeat, (A, 2), {"axis": 1}), (np.repeat, (Y, np.array([0, 2, 1, 3])), {}), (np.repeat, (A, 2), {}), (np.repeat, (A, [1, 0, 2, 1]), {"axis": 0}),
    *((np.pad, (X, (2, 3)), {"mode": m}) for m in ("constant", "edge", "wrap", "reflect", "symmetric")), (np.pad, (A, 1), {}), (np.pad, (A, ((1, 2), (0, 1))), {"mode": "edge"}),
    (np.pad, (X, 2), {"constant_values": 1.5}),
    (np.split, (X[:6], 3), {}), (np.split, (X, [2, 5]), {}), (np.array_split, (X, 3), {}), (np.split, (A, 3), {"axis": 1}), (np.hsplit, (A, 3), {}), (np.vsplit, (A, 2), {}),
    (np.insert, (X, 2, 9.0), {}), (np.insert, (A, 1, 5.0), {"axis": 0}), (np.delete, (X, -2), {}), (np.delete, (X, [1, 3]), {}), (np.delete, (A, 1), {"axis": 1}), (np.resize, (X, (3, 4)), {}),
    (np.broadcast_arrays, (A, Y[:, None]), {}), (np.meshgrid, (X, Y), {}), (np.meshgrid, (X, Y), {"indexing": "ij"}),
    (np.diag, (X,), {}), (np.diag, (X, -1), {}), (np.diag, (A,), {}), (np.diag, (A, 1), {}), (np.diagflat, (A,), {}), (np.diagonal, (C,), {}), (np.trace, (A,), {}), (np.trace, (C,), {}),
    (np.tri, (3,), {}), (np.trace, (A, 1), {}),
    *((np.convolve, (a, b), {"mode": m}) for a, b in ((X, Y), (Y, X), (XF, XF[:2])) for m in ("full", "same", "valid")),
    *((np.correlate, (a, b), {"mode": m}) for a, b in ((X, Y), (Y, X), (Z, Y), (X, Y[:3])) for m in ("full", "same", "valid")),
    *((f, (a,), {"norm": m}) for f in (np.fft.fft, np.fft.ifft, np.fft.rfft) for a in (X, A, XF) for m in (None, "ortho", "forward")), (np.fft.fft, (X, 5), {}),
    (np.fft.fft, (X, 12), {}), (np.fft.irfft, (Z,), {}), (np.fft.irfft, (Z, 11), {}), (np.fft.fft2, (A,), {}), (np.fft.ifft2, (A,), {}), (np.fft.fftshift, (X,), {}),
    (np.fft.ifftshift, (A,), {}), (np.fft.fftfreq, (7, 0.1), {}), (np.fft.rfftfreq, (8,), {}), (np.fft.fft, (A,), {"axis": 0}),
    *((np.linalg.norm, (X, o), {}) for o in (None, 1, 2, 3, 0, np.inf, -np.inf)), *((np.linalg.norm, (A, o), {}) for o in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)),
    *((np.linalg.norm, (A,), {"axis": a, "keepdims": k}) for a in (0, 1, -1) for k in (False, True)), (np.linalg.norm, (Z,), {}), (np.linalg.norm, (XF,), {}), (np.linalg.norm, (K,), {}),
    (np.linalg.eigvalsh, (S,), {}), (np.linalg.cond, (S,), {}), (np.linalg.cond, (S, 1), {}), (np.linalg.lstsq, (A, Y), {}), (np.linalg.lstsq, (B, Y[:3]), {}),
    (np.linalg.matrix_power, (S, 3), {}), (np.linalg.matrix_power, (S, -2), {}), (np.linalg.matrix_power, (S, 0), {}), (np.linalg.multi_dot, ([A, B, A],), {}),
    (np.cross, (X[:3], Y[:3]), {}), (np.cross, (A, A + 1), {}), (np.cross, (B, B + 1), {"axis": 0}), (np.vecdot, (A, A), {}),
    (math.dist, ([1.0, 2.0], [3.0, 5.0]), {}), (math.prod, ([1.0, 2.0, 3.0],), {}), (math.fsum, ([1.0, 2.0],), {}), (math.isclose, (1.0, 1.0 + 1e-12), {}), (math.factorial, (6,), {}),
    (math.comb, (7, 3), {}), (math.perm, (7, 3), {}), (math.isqrt, (99,), {}), (math.modf, (-2.25,), {}), (math.remainder, (7.3, 2.0), {}), (divmod, (7, 3), {}), (np.modf, (X,), {}),
    (np.logaddexp.reduce, (X,), {}), (sp.logsumexp, (A,), {"axis": 1}), (sp.logsumexp, (X,), {}), (sp.logsumexp, (A,), {"axis": 0, "keepdims": True}), (sp.softmax, (A,), {"axis": 1}), (sp.log_softmax, (X,), {}),
    (sp.xlogy, (np.array([0.5, 1.0, 2.0]), np.array([0.3, 2.0, 3.0])), {}),
    (np.piecewise, (X, [X < 0, X >= 0], [lambda t: -t, lambda t: t * t]), {}), (np.piecewise, (X, [X < 0], [0.0, lambda t: t]), {}),
    (np.unique, (K,), {}), (np.unique, (K,), {"return_counts": True}), (np.digitize, (X, np.sort(Y)), {}), (np.bincount, (K,), {}), (np.bincount, (K, X[:6]), {}), (np.bincount, (K,), {"minlength": 9}),
    (np.histogram, (X,), {}), (np.histogram, (X, 4), {"range": (-1.0, 1.0)}), (np.histogram, (X, np.array([-1.0, 0.0, 2.0])), {}), (np.histogram, (X, 3), {"density": True}),
    (np.nonzero, (K,), {}), (np.nonzero, (A > 0,), {}), (np.nonzero, (C > 0,), {}), (np.argwhere, (A > 0,), {}), (np.isin, (K, [1, 3]), {}), (np.union1d, (K, K + 1), {}),
    (np.intersect1d, (K, K + 1), {}), (np.setdiff1d, (K, K + 1), {}), (np.tril_indices, (3,), {}), (np.triu_indices, (3, 1), {}), (np.diag_indices, (3,), {}),
    (np.hanning, (7,), {}), (np.hamming, (7,), {}), (np.blackman, (7,), {}), (np.bartlett, (7,), {}), (np.lib.stride_tricks.sliding_window_view, (X, 3), {}),
    (np.maximum.accumulate, (X,), {}), (np.maximum.accumulate, (A,), {"axis": 1}), (np.minimum.accumulate, (A,), {}), (np.logaddexp.accumulate, (X,), {}),
    (np.cumulative_sum, (X,), {}), (np.cumulative_prod, (X,), {}), (np.apply_along_axis, (np.sum, 0, A), {}), (np.apply_along_axis, (np.cumsum, 1, A), {}), (np.indices, ((2, 3),), {}), (np.tril_indices_from, (A,), {}),
    (np.triu_indices_from, (A,), {}), (np.diag_indices_from, (S,), {}), (np.asarray_chkfinite, (X,), {}), (np.array_equiv, (X, X), {}), (np.array_equal, (N, N), {"equal_nan": True}), (np.real_if_close, (X,), {}), (np.nanargmax, (N,), {}), (np.nanargmin, (N,), {}),
    (np.nanquantile, (N, 0.3), {}), (np.nanpercentile, (N, 30), {}), (np.matvec, (A, X[:3]), {}), (np.vecmat, (Y, A), {}), (np.block, ([[A, A], [B.T, A]],), {}), (np.block, ([X, Y],), {}),
    (np.unravel_index, (K, (2, 3)), {}), (np.ravel_multi_index, ((K[:2] % 2, K[:2] % 3), (2, 4)), {}), (np.ix_, (K[:2], K[2:4]), {}),
    *((getattr(cmath, f), (z,), {}) for z in (0.4 + 0.3j, -1.2 - 0.7j, 0.5, -2.0) for f in (
        "exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "phase", "polar",
        "isnan", "isinf", "isfinite")),
    (math.nextafter, (1.0, 2.0), {}), (math.frexp, (-6.5,), {}), (np.frexp, (X,), {}),
    (cmath.log, (0.4 + 0.3j, 2), {}), (cmath.rect, (1.5, 0.4), {}), (cmath.isclose, (0.4 + 0.3j, 0.4 + 0.3j), {}),
    (bisect.bisect, ([1.0, 2.0, 2.0, 3.0], 2.0), {}), (bisect.bisect_left, ([1.0, 2.0, 2.0, 3.0], 2.0), {}), (heapq.nlargest, (2, [1.0, 3.0, 2.0]), {}),
    (heapq.nsmallest, (2, [1.0, 3.0, 2.0]), {}), (bisect.bisect_left, ([3.0, 2.0, 1.0], -2.0), {"key": lambda v: -v}), (bisect.bisect, ([1, 2, 3], 2, 1, 3), {}),
]


def compare(got, want):
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            compare(g, w)
        return
    rtol = 2e-5 if np.asarray(want).dtype in (np.float32, np.complex64) else 1e-9
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * 0.1)
    assert np.asarray(got).dtype == np.asarray(want).dtype
    assert np.shape(got) == np.shape(want)


IN_LANGUAGE = [c for c in CALLS if library.lookup(c[0]) is not None]


@pytest.mark.parametrize("f, args, kw", IN_LANGUAGE, ids=[f"{f.__name__}-{i}" for i, (f, _, _) in enumerate(IN_LANGUAGE)])
def test_value(f, args, kw):
    compare(library.lookup(f)(*args, **kw), f(*args, **kw))


def test_every_function_is_tested():
    library.lookup(sp.softmax)
    tested = {id(canonical(f)) for f, _, _ in CALLS}
    done = {id(fn) for o, fn in TABLE.values() if id(o) in tested}
    skip = {"put", "putmask", "put_along_axis", "nanmedian", "fma", "sumprod", "ulp", "partition", "polynomial_polyval", "svdvals", "eigvals", "vector_norm", "matrix_norm", "xlog1py", "entr", "beta", "betaln", "dsplit", "copyto", "place", "fill_diagonal", "nan_to_num", "matrix_rank", "trim_zeros", "argpartition", "hfft", "ihfft"}
    named = " ".join(EXPRESSIONS)
    done |= {id(fn) for o, fn in TABLE.values() if f".{getattr(o, '__name__', '?')}(" in named}
    assert [fn.__name__ for o, fn in TABLE.values() if id(fn) not in done and fn.__name__ not in skip and fn.__module__ not in (iteration.__name__, heaps.__name__)] == []


def test_unknown_is_none():
    assert library.lookup(np.sin) is None
