"""Single indices in compiled code: Python's value, or Python's IndexError."""

import numpy as np
import pytest

import s2sgrad
from tests import crossing

X = np.array([1.0, 2.0, 3.0])
A = np.arange(6.0).reshape(2, 3)


def constant(x):
    return x[3] * 2.0


def counted(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] ** 2
    return s


def downwards(x, n):
    s = 0.0
    for i in range(n, -1, -1):
        s += x[i] ** 2
    return s


def strided(x, n):
    s = 0.0
    for i in range(0, n, 2):
        s += x[i] ** 2
    return s


def neighbours(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i + 1]
    return s


def guarded(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * (x[i + 1] if i + 1 < len(x) else 1.0)
        if i > 0 and x[i - 1] > 1.5:
            s += x[i - 1]
    return s


def wrapped(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i - 1] * x[(i + 1) % len(x)] * x[-1]
    return s


def triangle(a, n):
    s = 0.0
    for i in range(n):
        for j in range(i):
            s += a[i, j] ** 2
    return s


def falling(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i, 2):
            s += x[i + j] ** 2
    return s


def searched(x, limit):
    i = 0
    while x[i] < limit:
        i += 1
    return x[i] ** 2


def stopped(x, n):
    s = 0.0
    for i in range(n):
        if i == 3:
            break
        s += x[i] ** 2
    return s


def stored(x, k):
    y = x * 1.0
    y[k] = y[0] * 2.0
    return np.sum(y * y)


def row(a, k):
    r = a[k]
    return np.sum(r * r)


def rows_by_factor(a, n):
    s = 0.0
    for i in range(n):
        s += np.sum(np.sin(a[2 * i]))
    return s


def element_of_expression(x, k):
    return (x * 2.0)[k] + np.sin(x)[3 - k]


def by_table(x, k):
    table = np.array([0, 2, 5])
    return x[table[k]] ** 2


def raised_before(x, n):
    s = 0.0
    for i in range(n):
        if i >= len(x):
            raise ValueError("too many")
        s += x[i] ** 2
    return s


INSIDE = [
    (counted, (X, 3)), (counted, (X[:0], 0)), (downwards, (X, 2)), (downwards, (X[:0], -1)), (strided, (X, 4)), (guarded, (X,)), (wrapped, (X,)),
    (triangle, (A, 2)), (triangle, (A, 1)), (falling, (X, 1)), (falling, (np.arange(4.0), 2)), (falling, (X, 0)), (searched, (X, 2.5)),
    (stopped, (X, 9)), (stored, (X, -3)), (stored, (X, 2)), (row, (A, -2)), (by_table, (X, 1)), (rows_by_factor, (A, 1)), (element_of_expression, (X, 2)), (raised_before, (X, 3)),
]
OUTSIDE = [
    (constant, (X,), IndexError), (counted, (X, 4), IndexError), (downwards, (X, 3), IndexError), (strided, (X, 5), IndexError),
    (neighbours, (X,), IndexError), (triangle, (A, 3), IndexError), (falling, (X[:2], 2), IndexError), (searched, (X, 9.0), IndexError),
    (stopped, (X[:2], 9), IndexError), (stored, (X, 3), IndexError), (stored, (X, -4), IndexError), (row, (A, 2), IndexError),
    (row, (A, -3), IndexError), (by_table, (X, 2), IndexError), (rows_by_factor, (A, 2), IndexError), (element_of_expression, (X, 3), IndexError),
    (element_of_expression, (X, 0), IndexError), (by_table, (X, 3), IndexError), (raised_before, (X, 4), ValueError),
]


def name(case):
    return f"{case[0].__name__}-{case[1][1:]}"


@pytest.mark.parametrize("case", INSIDE, ids=name)
@pytest.mark.parametrize("backend", ["python", "numba"])
def test_inside(case, backend):
    f, args = case
    with crossing.backend(backend):
        value, gradient = s2sgrad.value_and_grad(f, wrt=0)(*args)
        compiled = s2sgrad.tf_function(f)
        assert np.isclose(np.asarray(compiled(*args)), f(*args))
    assert value == pytest.approx(f(*args)) and gradient.shape == args[0].shape


@pytest.mark.parametrize("case", OUTSIDE, ids=name)
@pytest.mark.parametrize("backend", ["python", "numba"])
def test_outside(case, backend):
    f, args, error = case
    with pytest.raises(error):
        f(*args)
    with crossing.backend(backend):
        with pytest.raises(error):
            s2sgrad.value_and_grad(f, wrt=0)(*args)
        with pytest.raises(error):
            s2sgrad.grad(f, wrt=0)(*args)


def test_loops_stay_free_of_checks():
    text = s2sgrad.value_and_grad(counted, wrt=0).source(X, 3, stage="lowered")
    assert text.count("raise IndexError") == 1 and "if n > x.shape[0]:\n        raise IndexError('index is out of bounds for axis 0 of x')" in text
    assert "IndexError" not in s2sgrad.grad(wrapped).source(X, stage="lowered")
