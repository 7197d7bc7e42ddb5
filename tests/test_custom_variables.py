"""Custom gradients that read variables: compiled code gives the gradients that eager code gives, and that the rule says."""

import warnings

import numpy as np
import pytest

import s2sgrad as tf

v, w, x = tf.Variable(4.0), tf.Variable(2.0), tf.constant(3.0)


@tf.custom_gradient
def product(x):
    """True: its second derivatives are those of v * x."""
    def grad(dy, variables=None):
        (own,) = variables
        return dy * own, [dy * x]
    return x * v, grad


@tf.custom_gradient
def odd(x):
    """Not true, so that what comes out is the rule's."""
    def grad(dy, variables=None):
        return dy * 2.0 * x, [dy * v * 10.0]
    return x * v, grad


@tf.custom_gradient
def two(x):
    def grad(dy, variables):
        a, b = variables
        return dy * a, (dy * 10.0 * b, dy * 20.0 * a)
    return v * (w * x), grad


@tf.custom_gradient
def none(x):
    def grad(dy, variables=None):
        return dy * 5.0
    return x * 2.0, grad


@tf.custom_gradient
def factor(x, u):
    def grad(dy, variables=None):
        return dy * 5.0, dy * 7.0
    return x * u, grad


@tf.custom_gradient
def read(x):
    now = v.read_value()
    def grad(*dys, **kwargs):
        return dys[0], [dys[0] * now for _ in kwargs["variables"]]
    return x * now, grad


@tf.custom_gradient
def around(x):
    y = product(x) * w
    def grad(dy, variables=None):
        return dy * 11.0, [dy, dy * 2.0]
    return y, grad


@tf.custom_gradient
def some(x):
    y = x * v if x > 0.0 else x * w
    def grad(dy, variables=None):
        return dy, [dy] * len(variables)
    return y, grad


@tf.custom_gradient
def both(x):
    if x > 0.0:
        y = x * v
    else:
        y = v - x
    def grad(dy, variables=None):
        return dy, [dy * 3.0] * len(variables)
    return y, grad


two_argument = tf.custom_gradient(lambda x: x * v, lambda dy, x, variables=None: (dy * 2.0, [dy * x * 6.0]))


class Layer:
    def __init__(self):
        self.k = tf.Variable(4.0)

    @tf.custom_gradient
    def __call__(self, x):
        def grad(dy, variables=None):
            return dy * 2.0, [dy * 3.0]
        return x * self.k, grad


layer = Layer()


def loop(x):
    for _ in range(3):
        x = product(x) * 0.5
        if x > 10.0:
            x = x + v
    return x


def assigned(x):
    y = odd(x)
    v.assign(v * 2.0)
    return y + odd(x)


def assigned_in_loop(x):
    s = 0.0 * x
    for _ in range(2):
        s = s + odd(x)
        v.assign_add(1.0)
    return s


def tape_inside(x):
    with tf.GradientTape() as tape:
        y = odd(x)
    return tape.gradient(y, v) * x


# function -> by x, by v, by w: worked out from the rules
CASES = [
    (lambda x: odd(x) * 1.0, 6.0, 40.0, None),
    (two, 2.0, 40.0, 40.0),  # w is read first
    (none, 5.0, None, None),
    (lambda x: factor(x, v), 5.0, 7.0, None),
    (read, 1.0, 4.0, None),
    (around, 11.0, 1.0, 2.0),
    (both, 1.0, 3.0, None),
    (two_argument, 2.0, 18.0, None),
    (assigned, 12.0, 120.0, None),
    (assigned_in_loop, 12.0, 90.0, None),
    (tf.recompute_grad(lambda x: odd(x) * x), 12.0 + 18.0, 120.0, None),
    (tape_inside, 40.0, 30.0, None),
]


def gradients(f, sources):
    v.assign(4.0)
    w.assign(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, sources)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("k", range(len(CASES)))
def test_the_rule_gives_the_gradients_of_variables(k, compiled):
    f, *want = CASES[k]
    got = gradients(tf.function(lambda x: f(x), jit_compile=True) if compiled else f, [x, v, w])
    assert [g if g is None else float(g) for g in got] == want


@pytest.mark.parametrize("compiled", [False, True])
def test_in_a_loop_with_branches(compiled):
    def values(x, v):
        for _ in range(3):
            x = 0.5 * v * x
            x = x + v if np.real(x) > 10.0 else x
        return x

    h = 1e-20
    want = [np.imag(values(3.0 + 1j * h, 4.0)) / h, np.imag(values(3.0, 4.0 + 1j * h)) / h]
    got = gradients(tf.function(loop, jit_compile=True) if compiled else loop, [x, v])
    assert np.allclose([float(g) for g in got], want, rtol=1e-6)


def test_methods():
    f = tf.function(lambda x: layer(x) * 2.0, jit_compile=True)
    assert [float(g) for g in gradients(f, [x, layer.k])] == [4.0, 6.0]


def test_the_rule_stands_in_the_adjoint():
    f = tf.function(odd, jit_compile=True)
    gradients(f, [x, v])
    assert "v_bar = y_bar_in * v * 10.0" in f.adjoint_source()


def test_second_derivatives():
    """x v (x v): by x twice 2 v^2, by x and v 4 x v."""
    f = tf.function(lambda x: product(x) * product(x), jit_compile=True)
    v.assign(4.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        d = inner.gradient(y, x)
    assert [float(g) for g in outer.gradient(d, [x, v])] == [32.0, 48.0]


def test_what_is_read_on_some_paths_only_runs_as_python():
    f = tf.function(lambda x: some(x) * 1.0)
    with pytest.warns(RuntimeWarning, match="depends on the path"):
        got = gradients(f, [x, v, w])
    assert [g if g is None else float(g) for g in got] == [1.0, 1.0, None]


def test_the_rule_must_know_of_variables():
    @tf.custom_gradient
    def without(x):
        return x * v, lambda dy: dy * v

    @tf.custom_gradient
    def missing(x):
        def grad(dy, variables=None):
            return dy * v, []
        return x * v, grad

    with pytest.raises(TypeError, match="must accept keyword argument 'variables'"):
        tf.function(without)(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="Must return gradient for each variable"):
            gradients(tf.function(missing), [x, v])


def test_the_rule_sees_the_variable_as_it_was():
    v.assign(4.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = odd(x)
    v.assign(7.0)
    assert float(tape.gradient(y, v)) == 40.0 and float(v) == 7.0
