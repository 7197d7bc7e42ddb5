"""Derivatives where a formula has 0/0, 0 times infinity or several answers: the expected values are the analytic ones, or the convention of docs/numerics.md."""

import numpy as np
import pytest

import s2sgrad
from tests.crossing import backend

A = np.array
BIG = A([1000.0, -1000.0, 0.0])


def where_softplus(x):
    return np.sum(np.where(x > 20.0, x, np.log1p(np.exp(x))))


def where_softplus_named(x):
    e = np.exp(x)
    y = np.log1p(e)
    return np.sum(np.where(x > 20.0, x, y))


def branch_softplus(x):
    s = 0.0
    for i in range(len(x)):
        e = np.exp(x[i])
        if x[i] > 20.0:
            s += x[i]
        else:
            s += np.log1p(e)
    return s


def masked_softplus(x):
    y = np.log1p(np.exp(x))
    y[x > 20.0] = x[x > 20.0]
    return np.sum(y)


def replaced_when_large(x):
    s = 0.0
    for i in range(len(x)):
        e = np.log1p(np.exp(x[i]))
        if x[i] > 20.0:
            e = x[i]
        s += e
    return s


def sigmoid(x):
    return np.sum(1.0 / (1.0 + np.exp(-x)))


def gumbel(x):
    return np.sum(np.exp(-np.exp(-x)))


def entropy(x):
    return np.sum(np.where(x > 0, x * np.log(x), 0.0))


def selected_entropy(x):
    return np.sum((x * np.log(x))[x > 0])


def squares_that_are_numbers(x):
    return np.nansum(x * x)


def norm(x):
    return np.linalg.norm(x)


def norms_of_rows(x):
    return np.sum(np.linalg.norm(x, axis=1))


def cubic_norms_of_columns(x):
    return np.sum(np.linalg.norm(x, 3, axis=0))


def norm_one_and_a_half(x):
    return np.linalg.norm(x, 1.5)


def saturated(x):
    e = np.exp(-x)
    return np.sum(np.tanh(e) + np.arctan(e) + (1.0 + e) ** -0.5 + np.reciprocal(1.0 + e))


def deviation(x):
    return np.std(x)


def determinant(x):
    return np.linalg.det(x)


def angle(x):
    return np.arctan2(x[0], x[1])


def shares(x):
    return np.logaddexp(x[0], x[1])


POINTS = [
    (where_softplus, BIG, A([1.0, 0.0, 0.5])),
    (where_softplus_named, BIG, A([1.0, 0.0, 0.5])),
    (branch_softplus, BIG, A([1.0, 0.0, 0.5])),
    (masked_softplus, BIG, A([1.0, 0.0, 0.5])),
    (replaced_when_large, BIG, A([1.0, 0.0, 0.5])),
    (sigmoid, BIG, A([0.0, 0.0, 0.25])),
    (gumbel, BIG, A([0.0, 0.0, np.exp(-1.0)])),
    (entropy, A([0.0, 1.0, np.e]), A([0.0, 1.0, 2.0])),
    (selected_entropy, A([0.0, 1.0, np.e]), A([0.0, 1.0, 2.0])),
    (squares_that_are_numbers, A([1.0, np.nan, 3.0]), A([2.0, 0.0, 6.0])),
    (norm, np.zeros(3), np.zeros(3)),
    (norms_of_rows, A([[0.0, 0.0], [3.0, 4.0]]), A([[0.0, 0.0], [0.6, 0.8]])),
    (cubic_norms_of_columns, A([[0.0, 2.0], [0.0, 0.0]]), A([[0.0, 1.0], [0.0, 0.0]])),
    (norm_one_and_a_half, np.zeros(3), np.zeros(3)),
    (saturated, BIG, A([0.0, 0.0, 0.25 - 0.5 - 1.0 / np.cosh(1.0) ** 2 + 0.5**2.5])),
    (deviation, np.ones(3), np.zeros(3)),
    (determinant, A([[1.0, 2.0], [2.0, 4.0]]), A([[4.0, -2.0], [-2.0, 1.0]])),
    (determinant, np.outer([1.0, 2.0, 3.0], np.ones(3)), np.zeros((3, 3))),
    (angle, np.zeros(2), np.zeros(2)),
    (angle, A([0.0, -1.0]), A([-1.0, 0.0])),
    (shares, A([-np.inf, 1.0]), A([0.0, 1.0])),
    (shares, A([-np.inf, -np.inf]), np.zeros(2)),
]


@pytest.mark.parametrize("f,x,want", POINTS, ids=lambda p: getattr(p, "__name__", ""))
def test_special_point(f, x, want):
    with backend("python"):
        np.testing.assert_allclose(s2sgrad.grad(f)(x), want, atol=1e-12)


@pytest.mark.parametrize("f,x,want", POINTS, ids=lambda p: getattr(p, "__name__", ""))
def test_special_point_forward(f, x, want):
    with backend("python"):
        for k in range(x.size):
            e = np.zeros(x.shape)
            e.flat[k] = 1.0
            np.testing.assert_allclose(s2sgrad.jvp(f, (x,), (e,))[1], want.flat[k], atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("f,x,want", POINTS, ids=lambda p: getattr(p, "__name__", ""))
def test_special_point_compiled(f, x, want):
    np.testing.assert_allclose(s2sgrad.grad(f)(x), want, atol=1e-12)


def test_no_guards_where_nothing_is_chosen():
    def f(x):
        return np.sum(np.exp(x) * x)

    with backend("python"):
        g = s2sgrad.grad(f)
        g(np.ones(2))
        assert "where" not in g.source()


def test_second_derivative_of_a_linear_function():
    def f(a):
        return np.sum(a.ravel() * np.arange(6))

    a = np.ones((2, 3))
    with backend("python"):
        assert np.array_equal(s2sgrad.hvp(f, (a,), a), np.zeros((2, 3)))
