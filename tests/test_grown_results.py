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


def test_refusals():
    with backend("python"):
        with pytest.raises(s2sgrad.errors.ResultError, match="a list whose length is known at run time only"):
            s2sgrad.grad(multiples)(X, 3)
        with pytest.raises(s2sgrad.errors.Unsupported, match="a list of arrays or lists whose length"):
            s2sgrad.vjp(rows, X, 3)
