"""Second derivatives of every elementwise function and of the matrix functions, through programs."""

from __future__ import annotations

import linecache
import math

import numpy as np
import pytest

import s2sgrad

UNARY = ("sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt square reciprocal "
         "deg2rad sinc abs").split()
BINARY = "arctan2 hypot logaddexp logaddexp2 power maximum minimum fmax fmin copysign fmod float_power".split()
MATH = "sin asin atan tanh exp log sqrt erf erfc gamma lgamma".split()


def build(text, **names):
    """A function from text that s2sgrad can read."""
    name = f"<second {text}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"np": np, "math": math, **names}
    exec(compile(text, name, "exec"), space)
    return space["f"]


def check(f, x, rtol=2e-6):
    h = s2sgrad.hessian(f)(x)
    g = s2sgrad.grad(f)
    d = np.array([0.3, -0.7, 0.5, 0.9, -0.2, 0.4, 0.8, -0.5, 0.6])[:x.size].reshape(x.shape)
    step = 1e-4
    one = (g(x + step * d) - g(x - step * d)) / (2 * step)
    two = (g(x + step / 2 * d) - g(x - step / 2 * d)) / step
    want = (4 * two - one) / 3
    got = np.asarray(h).reshape(x.size, x.size) @ d.ravel()
    np.testing.assert_allclose(got.reshape(x.shape), want, rtol=rtol, atol=rtol)


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")


X = np.array([0.31, 0.62, 0.47])


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    check(build(f"def f(x):\n    return np.sum(np.{name}(x) * np.array([1.0, -0.5, 2.0]))\n"), X)


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    check(build(f"def f(x):\n    return np.sum(np.{name}(x[:2], x[1:]) * np.array([1.0, -0.5]))\n"), X)


@pytest.mark.parametrize("name", MATH)
def test_math(name):
    check(build(f"def f(x):\n    return math.{name}(x[0]) + 2.0 * math.{name}(x[1])\n"), X[:2].copy())


MATRICES = ["np.sum(np.linalg.inv(x) ** 2)", "np.linalg.det(x) ** 2", "np.linalg.slogdet(x)[1] * x[0, 0]", "np.sum(np.linalg.solve(x, x[0] * x[1]))",
            "np.sum(np.linalg.cholesky(x @ x.T) ** 3)", "np.sum(np.linalg.eigh(x + x.T)[0] ** 3)", "np.linalg.norm(x)", "np.sum((x @ x) ** 2)",
            "np.sum(np.einsum('ij,jk->ik', x, x) ** 2)", "np.max(x) ** 2 + np.prod(x[0])", "np.sum(np.cumsum(x, axis=0) ** 3)",
            "np.var(x) + np.sum(np.mean(x, axis=0) ** 3)", "np.sum(np.linalg.pinv(x[:, :2]) ** 2)", "np.sum(np.linalg.qr(x)[1] ** 3)",
            "np.sum(np.linalg.svd(x, full_matrices=False)[1] ** 3)", "np.sum(np.abs(np.fft.fft(x[0] ** 2)) ** 2)", "np.trace(x @ x @ x)"]


@pytest.mark.parametrize("text", MATRICES)
def test_matrices(text):
    x = np.array([[2.0, 0.3, -0.4], [0.2, 1.5, 0.1], [0.5, -0.3, 1.1]])
    check(build(f"def f(x):\n    return {text}\n"), x, 1e-5)
