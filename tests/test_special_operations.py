"""Operations of the `math`, `linalg` and `nn` namespaces against SciPy and closed forms; gradients against difference quotients."""

import numpy as np
import pytest
from scipy import special as sp

import s2sgrad as tf
from tests.test_tensor_operations import P, R

POINTS = np.array([-60.0, -29.0, -3.5, -0.2, 0.0, 0.7, 12.0, 31.0, 100.0, 650.0])
UNIT = np.array([1e-12, 1e-3, 0.3, 1.0, 1.4, 1.999])
VALUES = {
    "bessel_i0": (tf.math.bessel_i0, sp.i0, POINTS), "bessel_i1": (tf.math.bessel_i1, sp.i1, POINTS), "bessel_i0e": (tf.math.bessel_i0e, sp.i0e, POINTS),
    "bessel_i1e": (tf.math.bessel_i1e, sp.i1e, POINTS), "erfcinv": (tf.math.erfcinv, sp.erfcinv, UNIT), "softsign": (tf.math.softsign, lambda x: x / (1 + abs(x)), POINTS),
    "erfinv": (tf.math.erfinv, sp.erfinv, np.array([-1.0, -0.99, 0.0, 1e-20, 1e-5, 0.3, 0.5, 0.9, 1 - 1e-15, 1.0])),
    "ndtri": (tf.math.ndtri, sp.ndtri, np.array([0.0, 1e-300, 1e-20, 1e-6, 0.3, 0.5, 0.8, 1.0 - 1e-9, 1.0])),
    "lbeta": (tf.math.lbeta, lambda x: sp.betaln(x[..., 0], x[..., 1]), np.array([[0.5, 2.0], [3.0, 40.0]])),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", VALUES)
def test_values(name, compiled, monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")
    f, want, x = VALUES[name]
    f = tf.function(f, jit_compile=True) if compiled else f
    assert np.allclose(f(tf.constant(x)), want(x), rtol=1e-12, atol=1e-15)
    single = f(tf.constant(x, tf.float32))
    assert single.dtype == tf.float32
    assert np.allclose(single, want(x.astype(np.float32)).astype(np.float32), rtol=2e-4, atol=1e-7, equal_nan=True)


GRADIENTS = {
    "i0": (tf.math.bessel_i0, [R(3)]), "i1": (tf.math.bessel_i1, [R(3)]), "i0e": (tf.math.bessel_i0e, [40.0 * R(3)]), "i1e": (tf.math.bessel_i1e, [40.0 * R(3)]),
    "erfcinv": (tf.math.erfcinv, [P(3)]), "lbeta": (tf.math.lbeta, [P(2, 3)]), "poisson": (tf.nn.log_poisson_loss, [P(3), R(3)]),
    "poisson_full": (lambda t, x: tf.nn.log_poisson_loss(t * 4.0, x, compute_full_loss=True), [P(3), R(3)]),
    "weighted": (tf.nn.weighted_cross_entropy_with_logits, [P(3), R(3), P()]), "moments": (lambda x, w: tf.nn.weighted_moments(x, [0], w)[1], [R(3, 2), P(3, 2)]),
    "tridiagonal": (lambda a, b: tf.linalg.tridiagonal_matmul(a, b), [R(3, 4), R(4, 2)]),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name, compiled, monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")
    f, xs = GRADIENTS[name]
    analytic, numeric = tf.test.compute_gradient(tf.function(f) if compiled else f, xs, delta=1e-5)
    for a, n in zip(analytic, numeric, strict=True):
        assert np.allclose(a, n, rtol=1e-5, atol=1e-6)


def test_losses():
    labels, logits = np.array([0.0, 1.0, 0.3]), np.array([-800.0, 2.0, 0.5])
    want = labels * -3.0 * np.minimum(sp.log_expit(logits), 0.0) - (1 - labels) * sp.log_expit(-logits)
    want[0] = 0.0
    assert np.allclose(tf.nn.weighted_cross_entropy_with_logits(tf.constant(labels), tf.constant(logits), 3.0), want)
    x = tf.constant([0.0, 0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.nn.weighted_cross_entropy_with_logits(tf.constant([1.0, 0.0]), x, 2.0)
    assert tape.gradient(loss, x).numpy().tolist() == [-1.0, 0.5]
    assert np.allclose(tf.nn.log_poisson_loss(tf.constant([2.0, 0.5]), tf.constant([0.1, 0.2])), np.exp([0.1, 0.2]) - np.array([0.2, 0.1]))
    full = tf.nn.log_poisson_loss(tf.constant([2.0, 0.5]), tf.constant([0.1, 0.2]), compute_full_loss=True)
    assert np.allclose(full, np.exp([0.1, 0.2]) - np.array([0.2, 0.1]) + np.array([2 * np.log(2) - 2 + 0.5 * np.log(4 * np.pi), 0.0]))
    mean, variance = tf.nn.weighted_moments(tf.constant([[1.0, 2.0], [3.0, 6.0]]), [0], tf.constant([[1.0], [3.0]]))
    assert np.allclose(mean, [2.5, 5.0]) and np.allclose(variance, [0.75, 3.0])


def test_matrices():
    a = tf.constant([[1.0, 2.0], [2.0, 4.0], [0.0, 0.0]])
    assert int(tf.linalg.matrix_rank(a)) == 1 and tf.linalg.matrix_rank(tf.stack([tf.eye(3), tf.zeros([3, 3])])).numpy().tolist() == [3, 0]
    assert int(tf.linalg.matrix_rank(tf.constant([[1.0, 0.0], [0.0, 1e-3]]), tol=0.01)) == 1
    upper, main, lower, x = tf.constant([1.0, 2.0, 9.0]), tf.constant([4.0, 5.0, 6.0]), tf.constant([9.0, 7.0, 8.0]), tf.constant([[1.0], [2.0], [3.0]])
    dense = np.array([[4.0, 1.0, 0.0], [7.0, 5.0, 2.0], [0.0, 8.0, 6.0]])
    for call in (tf.linalg.tridiagonal_matmul, tf.function(tf.linalg.tridiagonal_matmul)):
        assert np.allclose(call(tf.stack([upper, main, lower]), x), dense @ x.numpy())
    assert np.allclose(tf.linalg.tridiagonal_matmul((upper, main, lower), x, diagonals_format="sequence"), dense @ x.numpy())


def test_vectors_and_shapes():
    assert tf.math.invert_permutation(tf.constant([2, 0, 1])).numpy().tolist() == [1, 2, 0]
    assert [bool(tf.math.is_non_decreasing(tf.constant(v))) for v in ([1.0, 1.0, 2.0], [2.0, 1.0], [[1.0], [0.0]])] == [True, False, False]
    assert [bool(tf.math.is_strictly_increasing(tf.constant(v))) for v in ([1.0, 1.0, 2.0], [1.0, 2.0])] == [False, True]
    assert tf.nn.in_top_k([1, 0], tf.constant([[0.1, 0.9], [0.2, 0.8]]), 1).numpy().tolist() == [True, False]
    assert tf.broadcast_static_shape([3, 1], [4]) == [3, 4] and tf.broadcast_dynamic_shape([3, 1], [4]).numpy().tolist() == [3, 4]
    assert tf.unravel_index([5, 2], [3, 2]).numpy().tolist() == [[2, 1], [1, 0]]
