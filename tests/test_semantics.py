"""What must hold besides the gradient: exceptions as Python raises them, purity, threads, NumPy's arithmetic."""

import itertools
import threading

import numpy as np
import pytest

import s2sgrad
from tests.crossing import backend

BACKENDS = ["python", "numba"]
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def uninitialised(x, flag):
    if flag > 0:
        y = x * 2.0
    return y * x


def uninitialised_in_loop(x, n):
    s = 0.0
    for i in range(n):
        if i > 0:
            s += t * x  # noqa: F821
        if x > 5.0:
            t = x * i  # noqa: F841
    return s


def loop_variable_of_empty_loop(x, n):
    for i in range(n):
        x = x * 2.0
    return x * i


@pytest.mark.parametrize("name", BACKENDS)
def test_uninitialised_reads_raise(name):
    with backend(name):
        assert s2sgrad.grad(uninitialised)(3.0, 1) == 12.0
        with pytest.raises(UnboundLocalError):
            s2sgrad.grad(uninitialised)(3.0, 0)
        with pytest.raises(UnboundLocalError):
            s2sgrad.grad(uninitialised_in_loop)(3.0, 3)
        with pytest.raises(UnboundLocalError):
            s2sgrad.grad(loop_variable_of_empty_loop)(3.0, 0)
        assert s2sgrad.grad(loop_variable_of_empty_loop)(3.0, 2) == 4.0


def checked(x, limit):
    assert x.shape[0] > 1, "needs two values"
    s = 0.0
    for v in x:
        if v > limit:
            raise ValueError("value above the limit")
        s += v * v
    return s


@pytest.mark.parametrize("name", BACKENDS)
def test_assert_and_raise_are_kept(name):
    with backend(name):
        g = s2sgrad.grad(checked)
        with pytest.raises(ValueError, match="value above the limit"):
            g(np.array([1.0, 7.0]), 5.0)
        with pytest.raises(AssertionError, match="needs two values"):
            g(np.array([1.0]), 5.0)
        assert np.array_equal(g(np.array([1.0, 2.0]), 5.0), [2.0, 4.0])


def quotient(x, n):
    return x * (7 // n)


def remainder(x, n):
    return x * (7 % n)


@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.parametrize("f", [quotient, remainder])
def test_integer_division_by_zero_raises(f, name):
    with backend(name):
        with pytest.raises(ZeroDivisionError):
            s2sgrad.grad(f)(1.0, 0)
        assert s2sgrad.grad(f)(1.0, 4) == f(1.0, 4)


def reciprocals(x):
    return np.sum(1.0 / x) + np.sum(np.log(x))


@pytest.mark.parametrize("name", BACKENDS)
def test_float_division_by_zero_follows_numpy(name):
    with backend(name):
        value, gradient = s2sgrad.value_and_grad(reciprocals)(np.array([0.0, 2.0]))
    assert np.isnan(value) or np.isinf(value)
    assert np.isclose(gradient[1], -0.25 + 0.5)


def index_error(x, k):
    return x[k] * 2.0


def test_index_errors_in_plain_python():
    with backend("python"), pytest.raises(IndexError):
        s2sgrad.grad(index_error)(np.ones(3), 5)


def writes_everything(x, a):
    for i in range(x.shape[0]):
        x[i] = x[i] * a[i % 3]
        a[i % 3] += x[i]
    return np.sum(x) * np.sum(a)


@pytest.mark.parametrize("name", BACKENDS)
def test_arguments_are_never_changed(name):
    x, a = np.arange(1.0, 6.0), np.ones(3)
    with backend(name):
        for g in (s2sgrad.grad(writes_everything), s2sgrad.value_and_grad(writes_everything, wrt=(0, 1))):
            first, second = g(x, a), g(x, a)
            assert repr(first) == repr(second)
    assert np.array_equal(x, np.arange(1.0, 6.0)) and np.array_equal(a, np.ones(3))


def returns_its_argument(x):
    return x


def test_results_do_not_share_memory_with_arguments():
    x = np.arange(3.0)
    value, back = s2sgrad.vjp(returns_its_argument, x)
    assert not np.shares_memory(value, x)
    seed = np.ones(3)
    (gradient,) = back(seed)
    assert not np.shares_memory(gradient, seed)


def work(x, n):
    s = 0.0
    y = x.copy()
    for t in range(n):
        y[t % x.shape[0]] = np.sin(y[t % x.shape[0]]) + 0.1 * s
        s += y[(t + 1) % x.shape[0]]
    return s


@pytest.mark.parametrize("name", BACKENDS)
def test_threads(name):
    g = s2sgrad.grad(work)
    inputs = [np.linspace(0.1, 1.0 + k, 7) for k in range(8)]
    results = [None] * 8
    with backend(name):
        def call(k):
            for _ in range(5):
                results[k] = g(inputs[k], 40)
        threads = [threading.Thread(target=call, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for k in range(8):
            assert np.array_equal(results[k], g(inputs[k], 40))




def overlap_add(x):
    b = x * 1.0
    b[2:5] += b[0:3]
    b += b[::-1]
    return b


def overlap_transpose(a):
    b = a * 1.0
    b += b.T
    b[1:] += b[:-1]
    return b


@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.parametrize("f, shape", [(overlap_add, (6,)), (overlap_transpose, (3, 3))])
def test_values_of_overlapping_stores_are_numpys(f, shape, name):
    x = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
    with backend(name):
        value, _ = s2sgrad.vjp(f, x)
    assert np.array_equal(value, f(x))


def used_twice(x):
    pairs = zip([x, 2.0 * x], [1.0, 3.0])
    first = sum(a * b for a, b in pairs)
    return first + sum(a * b for a, b in pairs)


@pytest.mark.parametrize("name", ["python", "numba"])
def test_an_iterator_gives_its_elements_once(name):
    with backend(name):
        assert s2sgrad.value_and_grad(used_twice)(2.0) == (used_twice(2.0), 7.0)


def grouped(x):
    return sum(k * x for k, _ in itertools.groupby([x, 1.0, 3.0]))


def test_errors_inside_the_library_show_the_users_line():
    with pytest.raises(s2sgrad.Unsupported, match="in grouped"):
        s2sgrad.grad(grouped)(2.0)


def test_extents_compared_in_an_operand_that_does_not_run_are_compared_again():
    """The product's extent is worked out inside the conditional operand; the sum after it must not rely on that."""
    def f(x, y):
        s = np.sum(x * y) if x[0] > 0.0 else 1.0
        return s + np.sum(x * y)

    def g(x):  # its tangent multiplies arrays of separate parameters
        return (np.sum(x * x) if x[0] > 0.0 else 1.0) + np.sum(x * x)

    y = np.array([2.0, 3.0])
    for x, factor in ((np.array([0.5, 1.0]), 2.0), (np.array([-0.5, 1.0]), 1.0)):
        for name in ("python", "numba"):
            with backend(name):
                np.testing.assert_allclose(s2sgrad.grad(f)(x, y), factor * y)
                value, dot = s2sgrad.jvp(g, (x,), (y,))
                np.testing.assert_allclose((value, dot), (g(x), 2.0 * factor * (x @ y)))


def test_an_array_chosen_by_a_condition_has_the_extents_of_the_one_chosen():
    def f(x, y, c):
        a = x * 2.0 if c > 0.0 else y * 3.0
        return np.sum(a * a)

    x, y = np.array([1.0, 2.0]), np.array([1.0, -1.0, 0.5])
    for name in ("python", "numba"):
        with backend(name):
            np.testing.assert_allclose(s2sgrad.grad(f, wrt=(0, 1))(x, y, 1.0)[0], 8.0 * x)
            np.testing.assert_allclose(s2sgrad.grad(f, wrt=(0, 1))(x, y, -1.0)[1], 18.0 * y)


def lengths_of_nothing(x):
    d = x - x.copy()
    return np.linalg.norm(d) + np.linalg.norm(d.reshape(2, 2)) + np.sum(np.linalg.norm(d.reshape(2, 2), axis=1)) + np.std(d) + np.sum(x)


def length_beside_nothing(x):
    return np.sum(np.linalg.norm(np.stack((x, x - x)), axis=1))


@pytest.mark.parametrize("name", BACKENDS)
def test_a_length_of_zero_has_the_subgradient_zero(name):
    x = np.array([3.0, 0.0, 4.0, 0.0])
    with backend(name):
        np.testing.assert_array_equal(s2sgrad.grad(lengths_of_nothing)(x), np.ones(4))
        np.testing.assert_allclose(s2sgrad.grad(length_beside_nothing)(x), [0.6, 0.0, 0.8, 0.0], rtol=1e-15)


@pytest.mark.parametrize("shape", [(3, 2), (3, 1), (1, 3)])
def test_a_reshape_of_a_transposed_array_that_is_written(shape):
    """NumPy copies it unless all elements stand along one axis, where it is a view: an error then, never another value."""

    def f(x):
        a = x * 1.0
        r = a.T.ravel()
        r[0] = 5.0
        return np.sum(a**2) + np.sum(r * r)

    x = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
    with backend("python"):
        if 1 in shape:
            with pytest.raises(ValueError, match="the reshape of this array is a view here"):
                s2sgrad.value_and_grad(f)(x)
        else:
            value, grad = s2sgrad.value_and_grad(f)(x)
            assert value == f(x)
            want = 4.0 * x
            want[0, 0] = 2.0 * x[0, 0]
            np.testing.assert_allclose(grad, want)
