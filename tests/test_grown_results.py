"""Forward mode, Jacobians and seeds of functions whose result is a list that grew at run time."""

import numpy as np
import pytest

import s2sgrad
from tests.crossing import backend

X = np.array([0.5, 2.0, 3.0])


def multiples(x, n):
    out = []
    for i in range(n):
        out.append(x[i % 3] * x[0] * i)
    return out


def rows(x, n):
    out = []
    for i in range(n):
        out.append((i, x * i))
    return out


@pytest.mark.parametrize("kind", ["python", "numba"])
def test_jacobian(kind):
    want = np.array([[0.0, 0.0, 0.0], [2.0, 0.5, 0.0], [6.0, 0.0, 1.0], [3.0, 0.0, 0.0]])
    with backend(kind):
        assert np.allclose(s2sgrad.jacobian(multiples)(X, 4), want)
        long = s2sgrad.jacobian(multiples)(X, 2)  # fewer results than arguments
        assert np.allclose(long, want[:2])
        value, dot = s2sgrad.jvp(multiples, (X, 4), (np.array([1.0, 0.0, 2.0]),))
        assert value == multiples(X, 4)
        assert isinstance(dot, list) and np.allclose(dot, want @ [1.0, 0.0, 2.0])


def test_seeds():
    with backend("python"):
        value, back = s2sgrad.vjp(multiples, X, 3)
        assert value == multiples(X, 3)
        assert np.allclose(back([1.0, None, 2.0])[0], [12.0, 0.0, 2.0])
        assert np.allclose(back(np.array([0.0, 1.0, 0.0]))[0], [2.0, 0.5, 0.0])
        with pytest.raises(s2sgrad.errors.ArgumentError, match="a list of 3 elements, but its seed has 2"):
            back([1.0, 1.0])


def parts(x, n):
    out = []
    for i in range(n):
        out.append(x[i % 3 :] * x[0] * i)
    return out


def history(a, n):
    u, states = a, [a]
    while len(states) < n:
        u = u @ a
        states.append(u)
    return {"states": states, "last": u}


def pairs(x, n):
    out = []
    for i in range(n):
        out.append([float(x[0]) * i, 2.0 * i])
    return out, np.sum(x)


@pytest.mark.parametrize("kind", ["python", "numba"])
def test_lists_of_arrays_and_of_lists(kind):
    """Their arrays may differ in shape; values, tangents and seeds have the structure of the plain result."""
    a = np.array([[0.5, 1.0], [-1.0, 0.25]])
    e = np.array([[0.0, 1.0], [0.0, 0.0]])
    with backend(kind):
        for f, args, dot in ((parts, (X, 5), np.array([1.0, 0.0, 2.0])), (history, (a, 3), e)):
            value, back = s2sgrad.vjp(f, *args)
            plain, slope = f(*args), s2sgrad.jvp(f, args, (dot,))[1]
            h = 1e-6
            wide = [f(args[0] + s * h * dot, args[1]) for s in (1.0, -1.0)]
            lists = [v["states"] if isinstance(v, dict) else v for v in (value, plain, slope, *wide)]
            assert len({len(v) for v in lists}) == 1
            for got, want, tangent, up, down in zip(*lists, strict=True):
                assert got.shape == want.shape and np.array_equal(got, want)
                assert np.allclose(tangent, (up - down) / (2 * h), atol=1e-8)
            grad = back(plain)[0]
            every = [*lists[2], *([slope["last"]] if isinstance(slope, dict) else [])]
            weights = [*lists[1], *([plain["last"]] if isinstance(plain, dict) else [])]
            assert np.isclose(np.sum(grad * dot), sum(np.sum(w * t) for w, t in zip(weights, every, strict=True)))
        (listed, total), back = s2sgrad.vjp(pairs, X, 3)
        assert listed == [[0.0, 0.0], [0.5, 2.0], [1.0, 4.0]] and total == 5.5
        assert np.allclose(back(([[1.0, 1.0], [2.0, 0.0], [3.0, 0.0]], 1.0))[0], [9.0, 1.0, 1.0])
        assert s2sgrad.vjp(pairs, X, 0)[0] == ([], 5.5)
        numbered, back = s2sgrad.vjp(rows, X, 3)
        assert [i for i, _ in numbered] == [0, 1, 2] and np.array_equal(numbered[2][1], 2 * X)
        assert np.allclose(back(numbered)[0], 5 * X)


def test_refusals():
    with backend("python"):
        with pytest.raises(s2sgrad.errors.ResultError, match="a list whose length is known at run time only"):
            s2sgrad.grad(multiples)(X, 3)
