"""Python's integers have no bound: where compiled ones would leave 64 bits, an error, never another number."""

import math

import numpy as np
import pytest

import s2sgrad
from tests.crossing import backend


def factorial_series(x, n):
    s, f = 0.0, 1
    for k in range(1, n):
        f *= k
        s += x ** k / f
    return s


def fibonacci(x, n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return x * (a % 1000)


def power(x, n):
    return x * (3 ** n % 1000)


def shift(x, n):
    return x * ((1 << n) / 2.0 ** n)


def doubling(x, n):
    k = 1
    for _ in range(n):
        k += k
    return x * (k % 1001)


def factorial(x, n):
    return x / math.factorial(n)


def binomial(x, n):
    return x * math.comb(n, n // 2)


def remainder(x, n):
    state = 12345
    s = 0.0
    while n > 0:
        state = (state * 1103515245 + 12345) % 2147483648
        s += x * (state / 2147483648)
        n -= 1
    return s


PROGRAMS = [(factorial_series, 20, 40), (fibonacci, 80, 100), (power, 30, 45), (shift, 50, 70), (doubling, 50, 70), (factorial, 20, 25), (binomial, 40, 75)]


@pytest.mark.parametrize("how", ["python", "numba"])
@pytest.mark.parametrize("f, small, large", PROGRAMS, ids=[p[0].__name__ for p in PROGRAMS])
def test_too_large_is_an_error(how, f, small, large):
    with backend(how):
        g = s2sgrad.value_and_grad(f)
        value, slope = g(0.5, small)
        assert value == pytest.approx(f(0.5, small), rel=1e-13)
        if f is not factorial_series:
            assert slope == pytest.approx(f(1.0, small), rel=1e-13)
        with pytest.raises(OverflowError, match="does not fit in 64 bits"):
            g(0.5, large)


@pytest.mark.parametrize("how", ["python", "numba"])
def test_a_random_number_generator(how):
    with backend(how):
        value, slope = s2sgrad.value_and_grad(remainder)(0.5, 6)
    assert value == pytest.approx(remainder(0.5, 6), rel=1e-14)
    assert slope == pytest.approx(remainder(1.0, 6), rel=1e-14)


@pytest.mark.parametrize("how", ["python", "numba"])
def test_numpy_integers_wrap(how):
    def f(x, n):
        a = np.array([3, 4])
        for _ in range(n):
            a = a * 7
        return x * (a[0] % 1000)

    with backend(how):
        assert s2sgrad.grad(f)(0.5, 30) == f(1.0, 30)
