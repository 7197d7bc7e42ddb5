"""The public derivative functions, end to end."""

import dataclasses
import doctest
import inspect
import pickle
from collections import namedtuple

import numpy as np
import pytest
from numba import njit
from scipy.optimize import minimize

import s2sgrad
from s2sgrad.testing import gradcheck
from tests import crossing


def power_sum(x, n):
    y = 1.0
    for i in range(n):
        y = y * np.sin(x)
    return y


def loss(w, x, y):
    total = 0.0
    for i in range(x.shape[0]):
        z = 0.0
        for j in range(x.shape[1]):
            z += w[j] * x[i, j]
        total += np.log1p(np.exp(-y[i] * z))
    return total


def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=3), rng.normal(size=(5, 3)), np.sign(rng.normal(size=5))


def expected_gradient(w, x, y):
    s = 1 / (1 + np.exp(y * (x @ w)))
    return -(x.T @ (y * s))


def test_gradient_of_plain_loops():
    w, x, y = data()
    np.testing.assert_allclose(s2sgrad.grad(loss)(w, x, y), expected_gradient(w, x, y), rtol=1e-12)


def test_value_and_gradient_by_index_and_name():
    w, x, y = data()
    value, (dw, dx) = s2sgrad.value_and_grad(loss, wrt=(0, "x"))(w, x, y)
    assert value == pytest.approx(loss(w, x, y), rel=1e-14)
    np.testing.assert_allclose(dw, expected_gradient(w, x, y), rtol=1e-12)
    assert dx.shape == x.shape


def test_negative_index_and_one_tuple():
    w, x, y = data()
    assert isinstance(s2sgrad.grad(loss, wrt=(0,))(w, x, y), tuple)
    np.testing.assert_array_equal(s2sgrad.grad(loss, wrt=-3)(w, x, y), s2sgrad.grad(loss)(w, x, y))


def test_keywords_and_defaults():
    def f(x, k=3.0, *, offset=1.0):
        return k * x**2 + offset * x

    g = s2sgrad.grad(f)
    assert g(2.0) == 13.0
    assert g(2.0, 1.0) == 5.0
    assert g(k=1.0, x=2.0, offset=0.0) == 4.0
    assert s2sgrad.grad(f, wrt="offset")(2.0) == 2.0
    assert str(inspect.signature(g)) == "(x, k=3.0, *, offset=1.0)"
    assert g.__wrapped__ is f and g.__name__ == "f_grad_x"


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gradients_have_the_argument_s_type(dtype):
    def f(x, a):
        return np.sum(a * x)

    dx, da = s2sgrad.grad(f, wrt=(0, 1))(dtype(2.0), np.ones(3, dtype))
    assert type(dx) is dtype and da.dtype == dtype and da.shape == (3,)


def test_python_floats_give_floats_and_zero_d_arrays_give_zero_d_arrays():
    def f(x):
        return x * x

    g = s2sgrad.grad(f)
    assert type(g(3.0)) is float
    out = g(np.array(3.0))
    assert isinstance(out, np.ndarray) and out.shape == () and out == 6.0


def test_the_caller_s_arrays_are_never_changed():
    def f(a):
        a *= 2.0
        a[0] = 1.0
        return np.sum(a * a)

    a = np.array([1.0, 2.0, 3.0])
    for x in (a, np.asfortranarray(np.stack([a, a])), np.stack([a, a])[:, ::2]):
        before = x.copy()
        s2sgrad.grad(f)(x)
        np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(s2sgrad.grad(f)(a), [0.0, 16.0, 24.0])


def test_a_gradient_never_shares_memory_with_an_argument():
    def dot(w, x):
        return np.sum(w * x)

    w, x = np.ones(3), np.arange(3.0)
    assert not np.shares_memory(s2sgrad.grad(dot)(w, x), x)


Pair = namedtuple("Pair", "a b")


@dataclasses.dataclass
class Layer:
    w: np.ndarray
    bias: float
    units: int
    name: str = "dense"


def test_structures():
    def f(p):
        return np.sum(p["w"]) * p["pair"][0] + p["pair"][1] ** 2

    out = s2sgrad.grad(f)({"w": np.ones(2), "pair": (2.0, 3.0)})
    assert list(out) == ["w", "pair"] and out["pair"] == (2.0, 6.0)
    np.testing.assert_array_equal(out["w"], [2.0, 2.0])


def test_dataclass_and_namedtuple_with_integers():
    def f(layer, pair):
        return np.sum(layer.w) * layer.bias * layer.units + pair.a * pair.b

    dl, dp = s2sgrad.grad(f, wrt=(0, 1))(Layer(np.ones(2), 3.0, 4), Pair(2.0, 5))
    assert isinstance(dl, Layer) and dl.bias == 8.0 and dl.units is None and dl.name is None
    np.testing.assert_array_equal(dl.w, [12.0, 12.0])
    assert dp == Pair(5.0, None)


def test_vjp_with_any_result():
    def f(x, k):
        return {"y": k * x, "s": (np.sum(x * x), 3)}

    value, pullback = s2sgrad.vjp(f, np.array([1.0, 2.0]), 3.0)
    np.testing.assert_array_equal(value["y"], [3.0, 6.0])
    assert value["s"] == (5.0, 3)
    dx, dk = pullback({"y": np.array([1.0, 0.0]), "s": (1.0, None)})
    np.testing.assert_array_equal(dx, [5.0, 4.0])
    assert dk == 1.0
    assert pullback({"y": None, "s": (2.0, None)})[1] == 0.0


def test_vjp_seeds_final_contents():
    def scale(a, k):
        a *= k

    a = np.array([1.0, 2.0])
    value, pullback = s2sgrad.vjp(scale, a, 3.0)
    assert value is None and pullback.written == ("a",)
    np.testing.assert_array_equal(a, [1.0, 2.0])
    da, dk = pullback(finals={"a": np.array([1.0, 10.0])})
    np.testing.assert_array_equal(da, [3.0, 30.0])
    assert dk == 21.0


def test_jvp():
    def f(x, y):
        return np.sum(x) * y, x[0]

    value, dot = s2sgrad.jvp(f, (np.array([1.0, 2.0]), 4.0), (np.array([1.0, 0.0]), None))
    assert value == (12.0, 1.0) and dot == (4.0, 1.0)


def test_forward_against_reverse():
    w, x, y = data()
    v = np.array([1.0, -2.0, 0.5])
    _, dot = s2sgrad.jvp(loss, (w, x, y), (v,))
    assert dot == pytest.approx(s2sgrad.grad(loss)(w, x, y) @ v, rel=1e-12)


def test_jacobian_both_ways():
    def f(x):
        r = np.zeros(x.shape[0] + 1)
        for i in range(x.shape[0]):
            r[i] = (3.0 - 2.0 * x[i]) * x[i]
            r[x.shape[0]] += r[i] * x[0]
        return r

    x = np.array([0.5, -1.0])
    j = s2sgrad.jacobian(f)(x)
    np.testing.assert_allclose(j, [[1.0, 0.0], [0.0, 7.0], [(-5 + 1.0) + 0.5, 3.5]], rtol=1e-12)
    row = s2sgrad.jacobian(lambda x: f(x)[:1])(x)
    np.testing.assert_allclose(row, j[:1])


def test_hessian_and_hvp():
    def f(x, k):
        return x[0] ** 2 * x[1] * k + np.sin(x[1])

    x = np.array([2.0, 3.0])
    h = s2sgrad.hessian(f)(x, 2.0)
    np.testing.assert_allclose(h, [[12.0, 8.0], [8.0, -np.sin(3.0)]])
    np.testing.assert_allclose(s2sgrad.hvp(f, (x, 2.0), np.array([1.0, 1.0])), h @ [1.0, 1.0])
    blocks = s2sgrad.hessian(f, wrt=(0, 1))(x, 2.0)
    np.testing.assert_allclose(blocks[0][1], [12.0, 4.0])


def test_third_derivative():
    g = s2sgrad.grad(s2sgrad.grad(s2sgrad.grad(lambda x: x**4)))
    assert g(2.0) == pytest.approx(48.0)


def test_derivative_of_a_loop_s_derivative():
    g2 = s2sgrad.grad(s2sgrad.grad(power_sum))
    s, c = np.sin(0.5), np.cos(0.5)
    assert g2(0.5, 3) == pytest.approx(6 * s * c**2 - 3 * s**3)


def test_derivative_inside_a_differentiated_function():
    inner = s2sgrad.grad(lambda x, k: k * x**3)

    def f(x):
        return inner(x, 2.0) ** 2

    assert s2sgrad.grad(f)(1.5) == pytest.approx(2 * 6 * 1.5**2 * 12 * 1.5)


def test_njit_function_and_njit_caller():
    @njit
    def f(x):
        return (x * x - 2.0) ** 2

    g = s2sgrad.grad(f)

    @njit
    def descend(x):
        for _ in range(200):
            x = x - 0.05 * g(x)
        return x

    assert descend(1.0) == pytest.approx(np.sqrt(2.0))


def test_newton_with_second_derivative_in_njit():
    g = s2sgrad.grad(np_cosh_shift)
    h = s2sgrad.grad(g)

    @njit
    def newton(x, a):
        for _ in range(20):
            x = x - g(x, a) / h(x, a)
        return x

    assert newton(0.5, 0.3) == pytest.approx(0.3)


def np_cosh_shift(x, a):
    return np.cosh(x - a)


def test_scipy_minimize():
    w, x, y = data()

    def ridge(w):
        return loss(w, x, y) + 0.5 * np.sum(w * w)

    out = minimize(s2sgrad.value_and_grad(ridge), np.zeros(3), jac=True)
    assert out.success
    np.testing.assert_allclose(expected_gradient(out.x, x, y) + out.x, 0.0, atol=1e-4)


def test_source_without_arguments():
    def annotated(x: "float64[:]", n: int):  # noqa: F821
        s = 0.0
        for i in range(n):
            s += x[i] ** 2
        return s

    def used(x, a, n):
        s = 0.0
        for i in range(n):
            s += x[i] * a[i, 0]
        return s

    assert "x_bar = np.zeros" in s2sgrad.grad(annotated).source()
    g = s2sgrad.grad(used, wrt="a")
    assert g.source() == g.source("float64[:]", "float64[:, :]", "int64")
    assert 'Reverse-mode derivative of used with respect to a."""' in g.source()


def test_source_is_deterministic_and_runs():
    w, x, y = data()
    g = s2sgrad.grad(loss)
    text = g.source(w, x, y)
    assert text == s2sgrad.source(g, w, x, y)
    for stage in ("adjoint", "lowered"):
        scope = {}
        exec(g.source(w, x, y, stage=stage), scope)
        np.testing.assert_allclose(scope["loss_grad_w"](w, x, y), expected_gradient(w, x, y), rtol=1e-12)


def test_every_stage_runs():
    found = s2sgrad.stages(power_sum, 0.5, 3)
    assert list(found) == ["primal", "reverse", "adjoint", "lowered"]
    for name, text in found.items():
        scope = {}
        exec(text, scope)
        value = scope["power_sum" if name == "primal" else "power_sum_grad_x"](0.5, 3)
        assert value == pytest.approx(np.sin(0.5) ** 3 if name == "primal" else 3 * np.sin(0.5) ** 2 * np.cos(0.5))


def test_standalone_module():
    w, x, y = data()
    scope = {}
    exec(compile(s2sgrad.emit_module(s2sgrad.grad(loss), w, x, y), "<test>", "exec"), scope)
    np.testing.assert_allclose(scope["loss_grad_w"](w, x, y), expected_gradient(w, x, y), rtol=1e-12)


def test_pickling():
    g = pickle.loads(pickle.dumps(s2sgrad.grad(power_sum)))
    assert g(0.5, 1) == pytest.approx(np.cos(0.5))
    assert g is s2sgrad.grad(power_sum)


def test_gradcheck_accepts_right_and_reports_wrong():
    w, x, y = data()
    assert gradcheck(loss, w, x, y, wrt=(0, 1, 2))
    report = gradcheck(power_sum, 0.5, 2, g=lambda x, n: 0.0)
    assert not report and "x: s2sgrad 0" in str(report)


@pytest.mark.parametrize("module", ["s2sgrad.api", "s2sgrad.testing.gradcheck"])
def test_docstrings(module):
    import importlib

    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0 and result.failed == 0


def cube(x, k):
    return k * x**3


def test_grad_written_inside_a_function():
    def f(x):
        value, slope = s2sgrad.value_and_grad(cube)(x, 2.0)
        return value * slope

    assert s2sgrad.grad(f)(1.5) == pytest.approx(60 * 1.5**4)
    assert s2sgrad.grad(lambda p: s2sgrad.grad(lambda q: q**3 * p)(p))(2.0) == pytest.approx(9 * 2.0**2)


def test_errors_of_derivatives_written_inside():
    with pytest.raises(s2sgrad.WrtError, match="cannot differentiate lambda with respect to 'n'"):
        s2sgrad.grad(lambda x: s2sgrad.grad(lambda y, n: x * y**n, wrt="n")(2.0, 3))(1.0)
    with pytest.raises(s2sgrad.ResultError, match="one real scalar result, but lambda returns an array"):
        s2sgrad.grad(lambda x: s2sgrad.grad(lambda y: np.array([x, y]))(2.0))(1.0)

    def slope_or_zero(x):
        def root(y):
            if y < 0:
                raise ValueError("negative")
            return x * np.sqrt(y)

        try:
            return s2sgrad.grad(root)(x)
        except ValueError:
            return 0.0

    with pytest.raises(s2sgrad.Unsupported, match="ValueError could be raised inside of root, whose derivative is taken here"):
        s2sgrad.grad(slope_or_zero)(1.0)


def test_what_a_derivative_written_inside_may_not_change():
    def counts(x):
        total = 0.0

        def f(y):
            nonlocal total
            total = total + y
            return x * y * y

        return s2sgrad.grad(f)(2.0) + total

    def stores(x):
        kept = np.zeros(3)

        def f(y):
            kept[0] = y
            return x * y * kept[0]

        return s2sgrad.grad(f)(2.0) + kept[0]

    def of_a_list(x):
        grown = []
        for v in x:
            grown.append(2.0 * v)
        return sum(s2sgrad.grad(lambda a: a[0] * a[1])(grown))

    with pytest.raises(s2sgrad.Unsupported, match="f changes variables, lists or objects outside of it"):
        s2sgrad.grad(counts)(1.0)
    with pytest.raises(s2sgrad.Unsupported, match="f writes into kept outside of it"):
        s2sgrad.grad(stores)(1.0)
    with pytest.raises(s2sgrad.Unsupported, match="a list that grows at run time is an argument of lambda"):
        s2sgrad.grad(of_a_list)(np.ones(3))


def test_forward_mode_with_arguments_that_are_fixed():
    """An axis decides the structure of the program: the tangents of the arguments after it are still theirs."""
    def f(axis, x, y):
        return np.sum(np.sum(x * x * y, axis=axis) ** 2)

    x, y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.5, 2.0], [1.0, 0.3]])
    sums = np.sum(x * x * y, axis=0)
    with crossing.backend("python"):
        for tangents, inner in (((None, np.ones((2, 2)), None), 2 * x * y), ((None, None, np.ones((2, 2))), x * x), ((None, x, y), 3 * x * x * y)):
            _, dot = s2sgrad.jvp(f, (0, x, y), tangents)
            assert dot == pytest.approx(np.sum(2 * sums * np.sum(inner, axis=0)), rel=1e-13)


def test_integers_that_decide_the_keys_of_a_dict_are_fixed():
    def chebyshev(x, n):
        terms = {0: 1.0, 1: x}
        for k in range(2, n + 1):
            terms[k] = 2 * x * terms[k - 1] - terms[k - 2]
        return terms[n]

    def fibonacci(x, n):
        def term(k, known):
            if k < 2:
                return x
            if k not in known:
                known[k] = term(k - 1, known) + x * term(k - 2, known)
            return known[k]

        return term(n, {})

    x = 0.3
    for n, slope in ((3, 12 * x**2 - 3), (5, 80 * x**4 - 60 * x**2 + 5)):
        assert s2sgrad.grad(chebyshev)(x, n) == pytest.approx(slope)
    polynomials = {2: [0, 1, 1], 4: [0, 1, 2 + 1, 1], 6: [0, 1, 5, 6, 1]}  # of x, by recursion
    for n, p in polynomials.items():
        p = np.polynomial.Polynomial(p)
        assert fibonacci(x, n) == pytest.approx(p(x))
        assert s2sgrad.grad(fibonacci)(x, n) == pytest.approx(p.deriv()(x))


def test_integers_in_a_list_that_are_keys_are_fixed():
    def totals(x, bins):
        d = {}
        for i, (k, v) in enumerate(zip(bins, x)):
            d[k] = d.get(k, 0.0) + i * v * v
        return d[0] * d[1]

    x = np.array([0.5, 2.0, 3.0])
    for bins in ([0, 1, 0], (1, 0, 1)):
        a, b = (sum(i * v * v for i, (k, v) in enumerate(zip(bins, x)) if k == j) for j in (0, 1))
        want = [2 * i * v * (b if k == 0 else a) for i, (k, v) in enumerate(zip(bins, x))]
        np.testing.assert_allclose(s2sgrad.grad(totals)(x, bins), want)


def test_the_number_of_lists_is_fixed_by_itself():
    from tests.corpus.selection import bucket_sort

    x = np.array([0.9, 0.1, 0.5, 0.3])
    g = s2sgrad.grad(bucket_sort)
    for n in (2, 3):
        np.testing.assert_array_equal(g(x, n), [4.0, 1.0, 3.0, 2.0])
