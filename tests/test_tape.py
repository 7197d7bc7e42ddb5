"""Gradient tapes and forward accumulators."""

import threading

import numpy as np
import pytest

import s2sgrad as tf

RNG = np.random.default_rng(0)
A = np.array([[1.3, 2.1], [3.2, 4.4]])

FUNCTIONS = {
    "polynomial": lambda a: a ** 3 - 2.0 * a + 1.0 / a,
    "transcendental": lambda a: tf.exp(tf.sin(a)) * tf.math.log(a) + tf.sqrt(a) * tf.tanh(a),
    "inverse": lambda a: tf.asin(a / 5.0) + tf.acosh(a) + tf.atan2(a, a + 1.0),
    "broadcast": lambda a: a * a[0] + a[:, :1] - tf.constant([10.0, 20.0], tf.float64),
    "reductions": lambda a: tf.reduce_sum(a, axis=0) * tf.reduce_mean(a, axis=1) + tf.reduce_max(a) * tf.reduce_prod(a, axis=1) + tf.reduce_logsumexp(a),
    "moments": lambda a: tf.math.reduce_std(a, axis=0) + tf.math.reduce_variance(a, axis=1),
    "shapes": lambda a: tf.reshape(tf.transpose(a), [4]) * tf.concat([a[0], a[1]], 0) + tf.reshape(tf.reverse(a, [1]), [-1]),
    "joins": lambda a: tf.stack([a, a * a], axis=-1) * tf.tile(a[:, :, None], [1, 1, 2]),
    "gather": lambda a: tf.gather(a, [1, 0, 1]) * tf.gather(a, [0, 0], axis=1)[0],
    "scatter": lambda a: tf.tensor_scatter_nd_add(a, [[0], [0]], a * a),
    "segments": lambda a: tf.math.unsorted_segment_sum(a * a, [1, 1], 2),
    "products": lambda a: a @ a + tf.einsum("ij,kj->ik", a, a) + tf.tensordot(a, a, 1) + tf.matmul(a, a, transpose_a=True),
    "linalg": lambda a: tf.linalg.inv(a) + tf.linalg.det(a) + tf.linalg.solve(a, a * 2.0 + 1.0) + tf.linalg.trace(a),
    "cholesky": lambda a: tf.linalg.cholesky(a @ tf.transpose(a) + 5.0 * tf.eye(2, dtype=tf.float64)),
    "activations": lambda a: tf.nn.softmax(a) + tf.nn.relu(a - 2.0) + tf.sigmoid(a) + tf.nn.softplus(a) + tf.nn.gelu(a) + tf.nn.elu(a - 2.0),
    "losses": lambda a: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], a) + tf.nn.l2_loss(a),
    "clips": lambda a: tf.clip_by_value(a, 1.5, 3.0) * a + tf.clip_by_norm(a, 1.0) + tf.clip_by_global_norm([a], 2.0)[0][0],
    "order": lambda a: tf.sort(a, axis=0) * tf.constant([1.0, 2.0], tf.float64) + tf.math.top_k(a, 2).values,
    "cumulative": lambda a: tf.cumsum(a, axis=1, exclusive=True) + tf.math.cumprod(a, reverse=True),
    "where": lambda a: tf.where(a > 2.0, a * a, tf.maximum(a, 1.0)),
    "loops": lambda a: tf.map_fn(lambda r: r * tf.reduce_sum(r), a) + tf.scan(lambda s, r: s * r, a),
    "complex": lambda a: tf.math.real(tf.complex(a, a * a) * tf.complex(a, -a)) + tf.abs(tf.complex(a, a)),
    "special": lambda a: tf.math.erf(a) + tf.math.lgamma(a) + tf.math.xlogy(a, a),
}


def weighted(y):
    return tf.reduce_sum(y * np.cos(np.arange(y.numpy().size)).reshape(y.shape))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_against_differences(name):
    f, x = FUNCTIONS[name], tf.constant(A)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = weighted(f(x))
    got = tape.gradient(y, x).numpy()
    want, h = np.zeros_like(A), 1e-6
    for k in np.ndindex(*A.shape):
        up, down = A.copy(), A.copy()
        up[k] += h
        down[k] -= h
        want[k] = (float(weighted(f(tf.constant(up)))) - float(weighted(f(tf.constant(down))))) / (2 * h)
    assert np.allclose(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["polynomial", "transcendental", "broadcast", "reductions", "products", "activations", "gather", "shapes", "linalg", "scatter"])
def test_forward_over_reverse_is_reverse_over_reverse(name):
    f, x, v = FUNCTIONS[name], tf.constant(A), tf.constant(RNG.normal(size=A.shape))
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = weighted(f(x))
        d = inner.gradient(y, x)
    by_reverse = outer.gradient(d, x, output_gradients=v)
    with tf.autodiff.ForwardAccumulator(x, v) as acc:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = weighted(f(x))
        d = inner.gradient(y, x)
    assert np.allclose(by_reverse, acc.jvp(d), rtol=1e-8)
    assert np.allclose(acc.jvp(y), np.sum(d.numpy() * v.numpy()), rtol=1e-8)


def test_structures_of_sources():
    a, b = tf.constant(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = a * b
    g = tape.gradient(y, {"x": [a, (b,)], "a": tf.constant(1.0)})
    assert g["a"] is None and float(g["x"][0]) == 3.0 and float(g["x"][1][0]) == 2.0


def test_dtype_of_a_gradient_is_that_of_its_source():
    for dtype in (tf.float16, tf.float32, tf.float64, tf.complex64):
        x = tf.constant([1.0, 2.0], dtype)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x)
        assert tape.gradient(y, x).dtype == dtype


def test_step_functions_have_no_gradient_and_kinks_have_zero_second_derivatives():
    x = tf.constant([1.5, -2.5])
    for f in (tf.floor, tf.round, tf.math.ceil, lambda v: v // 1.0, lambda v: tf.cast(v > 0.0, tf.float32), lambda v: tf.cast(tf.argmax(v), tf.float32)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert tape.gradient(y, x) is None
    for f in (tf.abs, tf.nn.relu, tf.nn.relu6):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            d = inner.gradient(y, x)
        assert outer.gradient(d, x).numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("f", [
    lambda v: -v, lambda v: tf.reduce_sum(v, axis=0), lambda v: tf.transpose(v) @ tf.ones([2, 1]), lambda v: v[0], lambda v: tf.concat([v, v], 0),
    lambda v: tf.reshape(v, [-1]), lambda v: tf.broadcast_to(v, [2, 2, 2]), lambda v: tf.gather(v, [0, 0]), lambda v: tf.cumsum(v), tf.linalg.trace,
    lambda v: tf.pad(v, [[1, 1], [0, 0]]), lambda v: tf.math.segment_mean(v, [0, 0]), lambda v: tf.maximum(v, 0.5), lambda v: tf.clip_by_value(v, -1.0, 1.0),
])
def test_a_linear_function_has_no_second_derivative(f):
    """Where only the shape of the source counts, the gradient does not depend on it: None, not zeros."""
    x = tf.constant([[1.0, 2.0], [-3.0, 4.0]])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        d = inner.gradient(y, x)
    assert d is not None and outer.gradient(d, x) is None


def test_derivatives_take_tensors_and_variables_and_give_tensors():
    def f(x, k=2.0):
        return np.sum(x ** 3) * k

    def square(x):
        return x * x

    x = tf.constant([1.0, 2.0])
    for t in (x, tf.Variable([1.0, 2.0])):
        value, pullback = tf.vjp(square, t)
        for got, want in [
            (tf.grad(f)(t), [6.0, 24.0]), (tf.value_and_grad(f)(t)[0], 18.0), (tf.grad(f, "k")(t, k=tf.constant(3.0)), 9.0), (value, [1.0, 4.0]),
            (pullback(tf.ones([2]))[0], [2.0, 4.0]), (tf.jvp(square, (t,), (tf.constant([1.0, 0.0]),))[1], [2.0, 0.0]),
            (tf.jacobian(square)(t), [[2.0, 0.0], [0.0, 4.0]]), (tf.hessian(f)(t), [[12.0, 0.0], [0.0, 24.0]]),
            (tf.hvp(f, (t,), tf.constant([1.0, 0.0])), [12.0, 0.0]), (tf.grad(lambda d: np.sum(d["a"] * d["b"]))({"a": t, "b": x})["a"], [1.0, 2.0]),
        ]:
            assert isinstance(got, tf.Tensor) and got.dtype == tf.float32 and got.numpy().tolist() == want


def test_a_tape_records_a_derivative():
    def f(x):
        return np.sum(np.sin(x) * x)

    for x in (tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])):
        with tf.GradientTape() as tape:
            if isinstance(x, tf.Tensor):
                tape.watch(x)
            y = tf.grad(f)(x)
        a = x.numpy().astype(float)
        assert np.allclose(tape.gradient(y, x), 2.0 * np.cos(a) - a * np.sin(a), rtol=1e-5)


def test_a_derivative_on_a_watched_tensor_is_not_lost_silently():
    def f(x):
        return np.sum(x * x)

    g, x = tf.grad(f), tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        for call in (lambda: tf.vjp(f, x), lambda: tf.jacobian(g)(x), lambda: tf.jvp(f, (x,), (x,))):
            with pytest.raises(tf.Unsupported, match="would not be recorded"):
                call()

    @tf.function
    def h(x):
        return g(x)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = h(x)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 2.0]


def test_tapes_belong_to_their_thread():
    x, seen = tf.constant(2.0), []

    def work():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        seen.append(float(tape.gradient(y, x)))

    with tf.GradientTape() as tape:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert seen == [4.0] * 4 and not tape._records


def test_persistent_tape_sees_its_own_gradients():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x ** 3
        d = tape.gradient(y, x)
    assert float(tape.gradient(d, x)) == 18.0


def test_variables_of_a_tape():
    v, w = tf.Variable(1.0), tf.Variable(2.0, trainable=False)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(w)
        y = v * w
    assert tape.gradient(y, v) is None and float(tape.gradient(y, w)) == 1.0 and [u is w for u in tape.watched_variables()] == [True]


def test_batch_jacobian_needs_matching_batches():
    x = tf.ones([2, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.concat([x, x], 0)
    with pytest.raises(ValueError, match="first dimension"):
        tape.batch_jacobian(y, x)


def test_jacobian_of_a_matrix():
    x = tf.constant(A)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x @ x
    j = tape.jacobian(y, x).numpy()
    assert j.shape == (2, 2, 2, 2)
    for i, k, p, q in np.ndindex(2, 2, 2, 2):
        assert np.isclose(j[i, k, p, q], (i == p) * A[q, k] + (k == q) * A[i, p])


def test_accumulator_refuses_shapes_that_do_not_match():
    with pytest.raises(ValueError, match="tangent"):
        tf.autodiff.ForwardAccumulator(tf.constant([1.0]), tf.constant([1.0, 2.0]))


def test_a_source_that_is_a_target():
    """Its own gradient is one, whether it has been used or not."""
    v, x = tf.Variable(2.0), tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * v
    assert float(tape.gradient(v, v)) == 1.0 and tape.gradient(x, x).numpy().tolist() == [1.0, 1.0]
    assert [float(g) for g in tape.gradient([v, y], [v])] == [5.0]
    assert tape.gradient(y, x) is None
