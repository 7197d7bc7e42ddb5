"""Second and higher derivatives through custom gradients: what is differentiated is the rule, wherever the value goes."""

import numpy as np
import pytest

import s2sgrad
import s2sgrad as tf


@s2sgrad.custom_gradient
def cubed(x):
    """x with the slope x**3."""
    return x * 1.0, lambda dy: dy * x**3


@s2sgrad.custom_gradient
def outer(x):
    """x**2 with the slope 2 x, whose own slope is -2."""

    def grad(dy):
        @s2sgrad.custom_gradient
        def slope(u):
            return 2.0 * u, lambda ddy: -2.0 * ddy

        return dy * slope(x)

    return x**2, grad


@s2sgrad.custom_gradient
def tanh_by_value(x):
    """tanh with a rule that uses the value: to the rule it is a function of x like any other."""
    y = np.tanh(x)
    return y, lambda dy: 7.0 * dy * (1.0 - y * y)


@s2sgrad.custom_gradient
def pair(u, w):
    t = np.sin(u)
    return (t * w, np.sum(t) * w), lambda da, db: (da * u * t + db * w, np.sum(da) * 3.0 * u[0])


def product(x):
    return cubed(x) * x  # first derivative x**4 + x, second 4 x**3 + x**3


def twice(x):
    return cubed(cubed(x))  # u**3 x**3 with u = x and du/dx = x**3, then 3 u**2 x**6 + 3 u**3 x**2


def inner_rule(x):
    return outer(x) * 3.0  # 6 x, then 3 * -2


def inner_rule_and_value(x):
    return outer(x) * x  # x**2 + 2 x x, then 2 x + 2 x * 2 + -2 * x, of which the slope's own is taken by its rule


def value_in_rule(x):
    return tanh_by_value(x) * x


def third_power(x):
    y = x
    for _ in range(2):
        y = cubed(y) * x
    return y


T1 = np.tanh(0.7)
SECOND = [
    (product, 2.0, 18.0, 40.0),
    (twice, 2.0, 64.0, 3 * 4 * 64 + 3 * 8 * 4.0),
    (inner_rule, 3.0, 18.0, -6.0),
    (inner_rule_and_value, 3.0, 27.0, 2 * 3.0 + 2 * 3.0 - 2 * 3.0),
    (value_in_rule, 0.7, 7 * (1 - T1**2) * 0.7 + T1, 7 * (1 - T1**2) * (2 - 2 * 0.7 * T1)),
    # y1 = c(x) x, y2 = c(y1) x with c' = u**3: y1' = x**4 + x, y2' = y1**3 y1' x + y1; at 1: y1 = 1, y1' = 2, y1'' = 5
    (third_power, 1.0, 3.0, 3 * 2 * 2 + 5 + 2 + 2),
]


@pytest.mark.parametrize("f, x, first, second", SECOND, ids=lambda p: getattr(p, "__name__", ""))
def test_second_derivative(f, x, first, second):
    g = s2sgrad.grad(f)
    assert np.isclose(g(x), first)
    assert np.isclose(s2sgrad.grad(g)(x), second)
    assert np.isclose(s2sgrad.jvp(g, (x,), (1.0,))[1], second)
    assert np.isclose(s2sgrad.hessian(lambda v: f(v[0]))(np.array([x]))[0, 0], second)


@pytest.mark.parametrize("f, x, first, second", SECOND, ids=lambda p: getattr(p, "__name__", ""))
def test_second_derivative_on_tapes(f, x, first, second):
    def d2(fn):
        t = tf.constant(x, tf.float64)
        with tf.GradientTape() as o:
            o.watch(t)
            with tf.GradientTape() as i:
                i.watch(t)
                y = fn(t)
            d = i.gradient(y, t)
        return float(d), float(o.gradient(d, t))

    @tf.function
    def inside(t):
        with tf.GradientTape() as o:
            o.watch(t)
            with tf.GradientTape() as i:
                i.watch(t)
                y = f(t)
            d = i.gradient(y, t)
        return d, o.gradient(d, t)

    assert np.allclose(d2(tf.function(f)), (first, second))
    assert np.allclose([float(v) for v in inside(tf.constant(x, tf.float64))], (first, second))


def test_several_outputs_in_a_loop():
    """The first derivative against one written by hand; the second the same in a differentiated function and on tapes."""

    def f(x):
        y, s = x, 0.0
        for i in range(2):
            y, b = pair(y, x[i])
            s = s + b * np.sum(y * y)
        return s

    def by_hand(x):
        y, state = x, []
        for i in range(2):
            w, t = x[i], np.sin(y)
            a, b = t * w, np.sum(t) * w
            state.append((y, t, w, a, b))
            y = a
        xb, yb = np.zeros_like(x), np.zeros_like(x)
        for i in (1, 0):
            u, t, w, a, b = state[i]
            da, db = yb + 2 * b * a, np.sum(a * a)
            yb = da * u * t + db * w
            xb[i] += np.sum(da) * 3.0 * u[0]
        return xb + yb

    @tf.custom_gradient
    def tensor_pair(u, w):
        t = tf.sin(u)
        return (t * w, tf.reduce_sum(t) * w), lambda da, db: (da * u * t + db * w, tf.reduce_sum(da) * 3.0 * u[0])

    def tensors(x):
        y, s = x, 0.0
        for i in range(2):
            y, b = tensor_pair(y, x[i])
            s = s + b * tf.reduce_sum(y * y)
        return s

    x = np.array([0.3, 0.5, 0.7])
    assert np.allclose(s2sgrad.grad(f)(x), by_hand(x))
    t = tf.constant(x)
    with tf.GradientTape() as o:
        o.watch(t)
        with tf.GradientTape() as i:
            i.watch(t)
            y = tensors(t)
        d = i.gradient(y, t)
    assert np.allclose(s2sgrad.hessian(f)(x), o.jacobian(d, t).numpy())


def test_the_second_derivative_of_a_custom_gradient_itself():
    assert np.isclose(s2sgrad.grad(s2sgrad.grad(cubed))(2.0), 12.0)


def test_a_rule_of_a_nested_custom_gradient_may_read_what_carries_a_derivative():
    @s2sgrad.custom_gradient
    def f(x, k):
        @s2sgrad.custom_gradient
        def g(u):
            return u * u, lambda dy: dy * k

        return g(x) * 2.0, lambda dy: (dy * k * 5.0, dy)

    assert np.isclose(s2sgrad.grad(lambda x: f(x, x))(3.0), 16.0)
    assert np.isclose(s2sgrad.grad(s2sgrad.grad(lambda x: f(x, x)))(3.0), 5.0)
