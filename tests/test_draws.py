"""Random numbers inside compiled functions and recomputed functions: the same draws in every run of the derivative."""

import warnings

import numpy as np
import pytest

import s2sgrad as tf

x = tf.constant([1.0, 2.0, 3.0])


def global_draws(x):
    inner = tf.recompute_grad(lambda z: z * z * tf.random.normal([3]))
    return tf.reduce_sum(inner(x) * tf.random.uniform([3])), ()


def in_loop(x):
    inner, kept = tf.recompute_grad(lambda z: z * z * tf.random.normal([3])), []
    total = tf.constant(0.0)
    for _ in range(3):
        total += tf.reduce_sum(inner(x))
    return total, kept


def stateless(x):
    inner = tf.recompute_grad(lambda z: z * z * tf.random.stateless_normal([3], seed=[1, 2]))
    return tf.reduce_sum(inner(x) * tf.random.stateless_uniform([3], seed=[3, 4])), ()


def weights(f):
    """The factors of x * x that a run of f draws."""
    if f is stateless:
        return tf.random.stateless_normal([3], seed=[1, 2]) * tf.random.stateless_uniform([3], seed=[3, 4])
    tf.random.set_seed(7)
    if f is in_loop:
        return tf.random.normal([3]) + tf.random.normal([3]) + tf.random.normal([3])
    return tf.random.normal([3]) * tf.random.uniform([3])


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("f", [global_draws, in_loop, stateless])
def test_the_gradient_is_that_of_the_numbers_drawn(f, compiled):
    w = weights(f)
    after = tf.random.normal([2])
    tf.random.set_seed(7)
    call = tf.function(f) if compiled else f
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # compiled: it runs as Python
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, _ = call(x)
    g = tape.gradient(y, x)
    assert np.allclose(y, np.sum(w.numpy() * x.numpy() ** 2), rtol=1e-5) and np.allclose(g, 2.0 * w * x, rtol=1e-5)
    if f is not stateless:  # the draws of the second run do not count
        assert np.array_equal(tf.random.normal([2]), after)


def test_every_call_draws_anew():
    f = tf.function(lambda x: x * tf.random.normal([3]))
    with pytest.warns(RuntimeWarning, match="random numbers"):
        first = f(x)
    assert not np.array_equal(first, f(x))
