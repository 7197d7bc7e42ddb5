"""Library functions inside a user's function: value and gradient of the specialised, emitted program."""

from __future__ import annotations

import bisect
import cmath
import heapq
import linecache
import math
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import special as sp

import s2sgrad
from s2sgrad import emit
from s2sgrad.frontend.specialise import specialise
from s2sgrad.structure import describe, flatten, unflatten

sys.path.insert(0, str(Path(__file__).parent))
from test_library import CALLS, compare  # noqa: E402

NAMES = {"np": np, "math": math, "cmath": cmath, "bisect": bisect, "heapq": heapq, "sp": sp, "inf": np.inf, "divmod": divmod}
ZERO = {"bincount", "unique", "digitize", "histogram", "nonzero", "argwhere", "isin", "union1d", "intersect1d", "setdiff1d", "tril_indices", "triu_indices",
        "diag_indices", "unravel_index", "ravel_multi_index", "ix_", "tril_indices_from", "triu_indices_from", "diag_indices_from", "array_equiv", "array_equal", "nanargmax", "nanargmin", "comb", "factorial", "perm", "isqrt", "isclose", "tri", "fftfreq", "rfftfreq"}


def spelling(f):
    if isinstance(getattr(f, "__self__", None), np.ufunc):
        return f"np.{f.__self__.__name__}.{f.__name__}"
    for prefix, module in (("np.lib.stride_tricks", np.lib.stride_tricks), ("np", np), ("np.linalg", np.linalg), ("np.fft", np.fft), ("math", math), ("sp", sp), ("cmath", cmath), ("bisect", bisect), ("heapq", heapq),
                           ("np.polynomial.polynomial", np.polynomial.polynomial)):
        if getattr(module, f.__name__, None) is f:
            return f"{prefix}.{f.__name__}"
    return f.__name__


def program(f, args, kw, tag):
    """`def program(x0, ...): return f(x0, 2, axis=1)`: arrays and floats are parameters, everything else is written out."""
    values, given = [], {}

    def text(a):
        if isinstance(a, (np.ndarray, np.floating)):
            values.append(a)
            return f"x{len(values) - 1}"
        if isinstance(a, (list, tuple)):
            inner = ", ".join(text(i) for i in a) + ("," if isinstance(a, tuple) and len(a) == 1 else "")
            return f"[{inner}]" if isinstance(a, list) else f"({inner})"
        if callable(a):
            given[a.__name__.replace("<lambda>", "given")] = a
            return a.__name__.replace("<lambda>", "given")
        return {"inf": "np.inf", "-inf": "-np.inf"}.get(repr(a), repr(a))

    parts = [text(a) for a in args] + [f"{k}={text(v)}" for k, v in kw.items()]
    source = f"def program({', '.join(f'x{i}' for i in range(len(values)))}):\n    return {spelling(f)}({', '.join(parts)})\n"
    name = f"<library {tag}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = NAMES | given
    exec(compile(source, name, "exec"), space)
    return space["program"], values


CASES = [pytest.param(*c, id=f"{c[0].__name__}-{i}") for i, c in enumerate(CALLS) if c[0] is not np.piecewise]


@pytest.mark.parametrize("f, args, kw", CASES)
def test_value(f, args, kw, request):
    fn, values = program(f, args, kw, request.node.name)
    specs = [describe(v) for v in values]
    sp_ = specialise(fn, specs)
    space = {}
    exec(compile(emit.text(sp_.program), "<emitted>", "exec"), space)
    leaves = [x for v, s in zip(values, specs) for x in flatten(v.copy() if isinstance(v, np.ndarray) else v, s)]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        r = space[sp_.program.main.name](*leaves)
        out = unflatten(sp_.result, list(r) if isinstance(r, tuple) else [r])
        compare(out, f(*args, **kw))


SMOOTH = [p for p in CASES if p.values[0].__name__ not in ZERO and any(isinstance(a, np.ndarray) and a.dtype == np.float64 for a in p.values[1])]


@pytest.mark.parametrize("f, args, kw", SMOOTH)
def test_gradient(f, args, kw, request, monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")
    fn, values = program(f, args, kw, request.node.name)
    wrt = tuple(i for i, v in enumerate(values) if isinstance(v, np.ndarray) and v.dtype in (np.float64, np.complex128))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        out, pull = s2sgrad.vjp(fn, *values)
        rng = np.random.default_rng(1)
        seeds = seed_of(out, rng)
        bars = pull(seeds)
        bars = bars if isinstance(bars, tuple) else (bars,)
        for i in wrt:
            bar = bars[i]
            rng = np.random.default_rng(2)
            d = rng.normal(size=values[i].shape)
            d = d + d.T if f.__name__ == "eigvalsh" else d
            d = d + 1j * rng.normal(size=values[i].shape) if np.iscomplexobj(values[i]) else d
            want = along(lambda v: fn(*values[:i], v, *values[i + 1:]), values[i], d, seeds)
            assert np.sum(np.real(np.conj(bar) * d)) == pytest.approx(want, rel=1e-6, abs=1e-7)


def seed_of(r, rng):
    if isinstance(r, (tuple, list)):
        return type(r)(seed_of(x, rng) for x in r)
    r = np.asarray(r)
    if r.dtype.kind in "ib":
        return np.zeros(r.shape)[()]
    s = rng.normal(size=r.shape)
    return (s + 1j * rng.normal(size=r.shape) if np.iscomplexobj(r) else s)[()]


def pair(s, r):
    if isinstance(r, (tuple, list)):
        return sum(pair(x, y) for x, y in zip(s, r))
    return float(np.sum(np.real(np.conj(s) * r)))


def along(f, x, d, seeds):
    h = 1e-4
    one = (pair(seeds, f(x + h * d)) - pair(seeds, f(x - h * d))) / (2 * h)
    two = (pair(seeds, f(x + h / 2 * d)) - pair(seeds, f(x - h / 2 * d))) / h
    return (4 * two - one) / 3


def single(a):
    """The same data in single precision."""
    if isinstance(a, np.ndarray) and a.dtype.kind in "fc":
        return a.astype(np.float32 if a.dtype.kind == "f" else np.complex64)
    return type(a)(single(i) for i in a) if isinstance(a, (tuple, list)) else a


@pytest.mark.parametrize("f, args, kw", SMOOTH)
def test_float32(f, args, kw, request, monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")
    fn, values = program(f, args, kw, "double " + request.node.name)
    small_args, small_kw = single(list(args)), {k: single(v) for k, v in kw.items()}
    small, few = program(f, small_args, small_kw, "single " + request.node.name)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        out, pull = s2sgrad.vjp(fn, *values)
        low, pull_low = s2sgrad.vjp(small, *few)
        want, wide, narrow = (x if isinstance(x, (tuple, list)) else (x,) for x in (f(*small_args, **small_kw), pull(seed_of(out, np.random.default_rng(1))),
                                                                                      pull_low(seed_of(low, np.random.default_rng(1)))))
    assert [np.asarray(x).dtype for x in (low if isinstance(low, (tuple, list)) else (low,))] == [np.asarray(x).dtype for x in want]
    for v, b, c in zip(few, wide, narrow):
        if isinstance(v, np.ndarray) and v.dtype.kind in "fc":
            assert c.dtype == v.dtype
            np.testing.assert_allclose(c, b, rtol=2e-3, atol=2e-3 * max(1.0, np.abs(b).max()))


def test_writes(monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")

    def f(x):
        a = np.zeros(4)
        np.put(a, np.array([0, 2]), x[:2] ** 2)
        np.putmask(a, np.array([False, True, False, False]), x[2] * x)
        b = np.zeros((2, 4))
        np.put_along_axis(b, np.array([[1], [3]]), np.expand_dims(x[:2] ** 3, 1), 1)
        return np.sum(a * np.arange(4.0)) + np.sum(b)

    x = np.array([0.5, 1.5, -2.0, 0.3])
    g = s2sgrad.grad(f)(x)
    d = np.array([0.3, -0.2, 0.8, 0.1])
    assert g @ d == pytest.approx(along(f, x, d, 1.0), rel=1e-7)


def test_eigenvalues(monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")

    def f(a):
        w = np.linalg.eigvals(a)
        return np.sum(np.real(w) ** 3) + np.sum(np.abs(w) ** 2)

    a = np.random.default_rng(5).normal(size=(4, 4))
    d = np.random.default_rng(6).normal(size=(4, 4))
    assert np.sum(s2sgrad.grad(f)(a) * d) == pytest.approx(along(f, a, d, 1.0), rel=1e-6)


def test_named_results(monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")

    def f(a):
        e = np.linalg.eigh(a + a.T)
        return e.eigenvalues[0] + e.eigenvectors[0, 0] ** 2 + np.linalg.slogdet(a).logabsdet

    a = np.random.default_rng(5).normal(size=(3, 3))
    d = np.random.default_rng(6).normal(size=(3, 3))
    assert np.sum(s2sgrad.grad(f)(a) * d) == pytest.approx(along(f, a, d, 1.0), rel=1e-6)


def test_full_matrices_are_refused(monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")

    def f(a):
        u, s, vh = np.linalg.svd(a)
        return np.sum(s) + u[0, 0]

    with pytest.raises(ValueError, match="full_matrices=False"):
        s2sgrad.grad(f)(np.ones((2, 3)))
