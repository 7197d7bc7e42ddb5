"""Where adjoints must be summed down to their operand's shape, and where the text need not say so."""

import numpy as np
import pytest

import s2sgrad
from tests.crossing import backend


def rebound_product(y):
    c = y * 2.0
    y = y[:1] * 1.0
    return np.sum(c * y)


def rebound_sum(y):
    c = y * 2.0
    y = y[:1] * 1.0
    return np.sum(c + y)


@pytest.mark.parametrize(("f", "want"), [(rebound_product, [14.0, 2.0, 2.0]), (rebound_sum, [5.0, 2.0, 2.0])])
def test_a_name_that_is_bound_to_another_shape(f, want):
    with backend("python"):
        np.testing.assert_allclose(s2sgrad.grad(f)(np.array([1.0, 2.0, 3.0])), want)


def chained(a, b):
    c = a * 2.0 + b
    return np.sum(np.where(c > 0.5, c * np.exp(-b), c))


def test_extents_that_may_differ_are_summed():
    with backend("python"):
        df = s2sgrad.grad(chained, wrt=(0, 1))
        for a, b in ((np.ones(3), np.ones(1)), (np.ones(1), np.ones(3)), (np.ones(3), np.ones(3))):
            da, db = df(a, b)
            e = 1e-6
            assert da.shape == a.shape and db.shape == b.shape
            for g, (u, v) in ((da, (a, 0 * b)), (db, (0 * a, b))):
                up, down = chained(a + e * u, b + e * v), chained(a - e * u, b - e * v)
                np.testing.assert_allclose(np.sum(g), (up - down) / (2 * e), rtol=1e-6)


def alike(x):
    c = np.where(x < 1.0, x, np.log(np.maximum(x, 0.001)))
    return np.sum(c * np.sqrt(x))


def test_no_sums_where_shapes_are_known_to_agree():
    text = s2sgrad.grad(alike).source(np.ones(3))
    assert "unbroadcast" not in text and "ones_like" not in text
