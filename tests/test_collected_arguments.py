"""Derivatives by what `*args` and `**kwargs` collect, and by parameters that stand behind them."""

import numpy as np
import pytest

import s2sgrad
from tests.crossing import backend


def f(x, *rest, k=1.0, **named):
    s = x * k
    for r in rest:
        s = s + r * r * k
    for v in named.values():
        s = s + np.sum(v * v * v)
    return s


def powers(x, *rest):
    s = x * x
    for i, r in enumerate(rest):
        s = s * r + r ** (i + 2)
    return s


ARGS, NAMED = (2.0, 3.0, 4.0), {"k": 5.0, "a": 2.0, "b": np.array([3.0])}


@pytest.mark.parametrize("kind", ["python", "numba"])
def test_gradient(kind):
    with backend(kind):
        assert s2sgrad.grad(f, wrt="rest")(*ARGS, **NAMED) == (30.0, 40.0)
        assert s2sgrad.grad(f, wrt=1)(*ARGS, **NAMED) == (30.0, 40.0)
        assert s2sgrad.grad(f, wrt="k")(*ARGS, **NAMED) == 27.0
        assert s2sgrad.grad(f, wrt="k")(2.0, k=5.0) == 2.0
        value, (named, x) = s2sgrad.value_and_grad(f, wrt=("named", "x"))(*ARGS, **NAMED)
        assert value == f(*ARGS, **NAMED) and x == 5.0
        assert named["a"] == 12.0 and np.array_equal(named["b"], [27.0])


def test_what_carries_no_derivative_is_none():
    with backend("python"):
        assert s2sgrad.grad(powers, wrt="rest")(2.0, 3, 4.0) == (None, 69.0)


def test_products():
    with backend("python"):
        assert s2sgrad.vjp(f, *ARGS, k=5.0, a=2.0)[1](1.0) == (5.0, 30.0, 40.0, 27.0, 12.0)
        assert s2sgrad.jvp(powers, (2.0, 3.0, 4.0), (None, 1.0)) == (powers(2.0, 3.0, 4.0), 40.0)
        assert s2sgrad.hvp(powers, (2.0, 3.0, 4.0), (1.0, 0.0), wrt="rest") == (8.0, 10.0)


def test_matrices():
    def g(x, *r):
        return np.array([x * r[0], r[1]])

    with backend("python"):
        rest, x = s2sgrad.jacobian(g, wrt=("r", 0))(2.0, 3.0, 4.0)
        assert np.array_equal(rest[0], [2.0, 0.0]) and np.array_equal(rest[1], [0.0, 1.0]) and np.array_equal(x, [3.0, 0.0])
        assert s2sgrad.hessian(powers, wrt="rest")(2.0, 3.0, 4.0) == ((8.0, 10.0), (10.0, 24.0))
        (xx, xr), (rx, rr) = s2sgrad.hessian(powers, wrt=("x", "rest"))(2.0, 3.0, 4.0)
        assert xx == 24.0 and xr == rx == (16.0, 12.0) and rr == ((8.0, 10.0), (10.0, 24.0))


def test_called_inside_of_a_function():
    def h(x):
        a, b = s2sgrad.grad(powers, wrt="rest")(x, x, 3.0)
        return a * b

    def by_hand(x):  # s = ((x x) r + r^2) q + q^3
        return (x * x + 2 * x) * 3.0 * (x * x * x + x * x + 27.0)

    with backend("python"):
        e = 1e-20
        assert s2sgrad.grad(h)(2.0) == pytest.approx(np.imag(by_hand(2.0 + 1j * e)) / e)


def test_refusals():
    with backend("python"):
        with pytest.raises(s2sgrad.errors.WrtError, match="rest: it is empty in this call"):
            s2sgrad.grad(powers, wrt="rest")(2.0)
        with pytest.raises(s2sgrad.errors.WrtError, match="it is an integer"):
            s2sgrad.grad(powers, wrt="rest")(2.0, 3)
