"""The plain Python backend computes with infinities and nan, as compiled code does."""

import math

import numpy as np
import pytest

import s2sgrad
from s2sgrad import backends
from tests import crossing


def root(x):
    return x**0.5


def inverse(x):
    return 1.0 / x


def logarithm(x):
    return math.log(x)


def exponential(x):
    return math.exp(x)


def remainder(x):
    return x % (x - x) + x // (x - x)


CASES = [(root, 0.0, (0.0, math.inf)), (inverse, 0.0, (math.inf, -math.inf)), (logarithm, 0.0, (-math.inf, math.inf)),
         (logarithm, -1.0, (math.nan, -1.0)), (exponential, 1000.0, (math.inf, math.inf)), (root, -1.0, (math.nan, math.nan))]  # fmt: skip


@pytest.mark.parametrize("kind", ["python", "numba"])
@pytest.mark.parametrize("f, x, want", CASES)
def test_special_points(f, x, want, kind):
    with crossing.backend(kind):
        np.testing.assert_equal(s2sgrad.value_and_grad(f)(x), want)
        np.testing.assert_equal(s2sgrad.jvp(f, (x,), (1.0,)), want)


def test_second_derivative_at_a_pole():
    with crossing.backend("python"):
        assert s2sgrad.grad(s2sgrad.grad(lambda x: x**1.5))(0.0) == math.inf
        assert math.isnan(s2sgrad.value_and_grad(remainder)(1.5)[0])


def test_gamma_at_its_poles_and_beyond_its_range():
    text = "import math\ndef f(x):\n    return math.gamma(x), math.lgamma(x)\n"
    f = backends.load(text, "f", "python")
    assert f(0.0) == (math.inf, math.inf)
    assert f(-0.0) == (-math.inf, math.inf)
    assert math.isnan(f(-2.0)[0])
    assert f(200.0)[0] == math.inf


def test_integers_divided_by_zero_raise():
    f = backends.load("def f(n):\n    return 1 // n\n", "f", "python")
    with pytest.raises(ZeroDivisionError):
        f(0)
