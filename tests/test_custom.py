"""custom_gradient and recompute_grad in every position."""

import numpy as np
import pytest

import s2sgrad as tf
from s2sgrad.purity import pure


@tf.custom_gradient
def seven(x):
    """Seven times the slope."""
    def grad(dy):
        return 7.0 * dy
    return x * 1.0, grad


def gradient(f, *xs):
    with tf.GradientTape() as tape:
        tape.watch(list(xs))
        y = f(*xs)
    return tape.gradient(y, list(xs))


def test_on_numbers_and_arrays_it_is_the_function():
    assert seven(2.0) == 2.0 and isinstance(seven(np.ones(2)), np.ndarray) and seven.__doc__ == "Seven times the slope."


def test_on_tensors_the_generated_adjoint_runs():
    x = tf.constant([1.0, 2.0])
    assert gradient(seven, x)[0].numpy().tolist() == [7.0, 7.0]
    assert "7.0" in seven.source(x)


def test_in_a_loop_of_a_differentiated_function():
    def total(xs):
        s = 0.0
        for i in range(xs.shape[0]):
            s += seven(xs[i]) * (i + 1)
        return s

    g = tf.grad(total)
    assert g(np.zeros(3)).tolist() == [7.0, 14.0, 21.0]
    assert "7.0" in g.source()


def test_nested_rules():
    @tf.custom_gradient
    def outer(x):
        return seven(x) * 2.0, lambda dy: seven(dy) * 3.0

    x = tf.constant(1.0)
    assert float(gradient(outer, x)[0]) == 3.0
    assert float(gradient(lambda v: seven(outer(v)), x)[0]) == 21.0


def test_two_argument_form_and_keywords():
    f = tf.custom_gradient(lambda x, k: x * k, lambda dy, x, k: (dy * k * 2.0, dy * x * 3.0))
    x, k = tf.constant(2.0), tf.constant(5.0)
    assert [float(g) for g in gradient(f, x, k)] == [10.0, 6.0]

    @tf.custom_gradient
    def scaled(x, k=None, flag=True):
        return x * k, lambda dy: (dy * k, dy * x)

    assert [float(g) for g in gradient(lambda x, k: scaled(k=k, x=x), x, k)] == [5.0, 2.0]


def test_methods():
    class Layer:
        k = tf.constant(2.0)

        @tf.custom_gradient
        def call(self, x):
            return x * self.k, lambda dy: dy * 100.0

    assert float(gradient(Layer().call, tf.constant(3.0))[0]) == 100.0


def test_wrong_shapes_raise_and_dtypes_are_cast():
    @tf.custom_gradient
    def wrong(x):
        return x * 1.0, lambda dy: tf.reduce_sum(dy)

    @tf.custom_gradient
    def wide(x):
        return x * 1.0, lambda dy: tf.cast(dy, tf.float64) * 2.0

    x = tf.constant([1.0, 2.0])
    with pytest.raises(tf.CustomGradientError, match=r"gradient of wrong for input 0 has shape \(\), but input 0 has shape \(2,\)"):
        gradient(wrong, x)
    g = gradient(wide, x)[0]
    assert g.dtype == tf.float32 and g.numpy().tolist() == [2.0, 2.0]


@pytest.mark.parametrize("jit", [True, False])
def test_a_gradient_of_another_extent_is_refused_in_compiled_code(jit, monkeypatch):
    """Also one that would broadcast."""
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "" if jit else "1")

    @tf.custom_gradient
    def total(x):
        return x * x, lambda dy: np.sum(dy)[None]

    @tf.custom_gradient
    def spread(x):
        return np.sum(x), lambda dy: dy * np.ones(3)

    def f(x):
        s = 0.0
        for _ in range(2):
            s += np.sum(total(x))
        return s

    g = tf.grad(f)
    with pytest.raises(ValueError, match="does not have the shape of its input"):
        g(np.ones(3))
    assert g(np.ones(1)).tolist() == [2.0]
    h = tf.grad(lambda x: spread(x) * 2.0)
    with pytest.raises(ValueError, match="does not have the shape of its input"):
        h(np.ones(1))
    assert h(np.ones(3)).tolist() == [2.0, 2.0, 2.0]


def test_wrong_number_raises():
    @tf.custom_gradient
    def f(a, b):
        return a * b, lambda dy: dy * b

    with pytest.raises(ValueError, match="expected to return 2 gradients, but returned 1 instead"):
        gradient(f, tf.constant(1.0), tf.constant(2.0))


def test_forward_mode_uses_a_linear_rule_and_refuses_another():
    @tf.custom_gradient
    def linear(x):
        seen.append(1)
        return x * x, lambda dy: dy * 10.0 * x

    @tf.custom_gradient
    def clipped(x):
        seen.append(1)
        return x * 1.0, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)

    seen = []
    x = tf.constant([2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 1.0])) as acc:
        y = linear(x)
    assert acc.jvp(y).numpy().tolist() == [20.0, 30.0]
    with pytest.raises(tf.Unsupported, match="not linear"), tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 1.0])):
        clipped(x)


def test_second_order_differentiates_the_rule_in_compiled_code_too():
    @tf.custom_gradient
    def f(x):
        return x * 1.0, lambda dy: dy * x ** 3

    @tf.custom_gradient
    def stopped(x):
        return x * x, lambda dy: tf.stop_gradient(dy * 2 * x)

    x = tf.constant(3.0)
    for rule, second in ((f, 27.0), (stopped, None)):
        for call in (rule, tf.function(lambda v, rule=rule: rule(v))):
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    y = call(x)
                d = inner.gradient(y, x)
            got = outer.gradient(d, x)
            assert (got is None) if second is None else float(got) == second


def test_variables_need_a_rule_of_their_own():
    v = tf.Variable(4.0)

    @tf.custom_gradient
    def without(x):
        return x * v, lambda dy: dy * v

    @tf.custom_gradient
    def missing(x):
        def grad(dy, variables=None):
            return dy * v, []
        return x * v, grad

    with pytest.raises(TypeError, match="must accept keyword argument 'variables'"):
        without(tf.constant(1.0))
    with pytest.raises(ValueError, match="Must return gradient for each variable"):
        gradient(missing, tf.constant(1.0))


def test_purity():
    log = []

    def effect(x):
        log.append(1)
        return x, lambda dy: dy

    def clean(x):
        y = np.sin(x)
        def grad(dy):
            z = dy
            for _ in range(2):
                z = z * np.cos(x)
            return z + y
        return y, grad

    def unknown(x):
        return print(x), lambda dy: dy

    assert [pure(f) for f in (effect, clean, unknown)] == [False, True, False]


def test_pass_through():
    f = tf.grad_pass_through(tf.round)
    assert float(gradient(f, tf.constant(2.3))[0]) == 1.0 and float(f(tf.constant(2.3))) == 2.0


# --------------------------------------------------------------------------------------------- recompute


def test_recompute_sees_the_state_of_the_call():
    v, k = tf.Variable(2.0), np.array([1.0, 2.0], np.float32)
    draws = []

    @tf.recompute_grad
    def f(x, k):
        u = tf.random.uniform([2])
        draws.append(u.numpy())
        return x * v * k * u

    x = tf.constant([1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, k)
    v.assign(50.0)
    k[:] = 70.0
    g = tape.gradient(y, [x, v])
    assert np.array_equal(draws[0], draws[1]) and float(v) == 50.0
    assert np.allclose(g[0], 2.0 * np.array([1.0, 2.0]) * draws[0]) and np.allclose(g[1], np.sum(np.array([1.0, 2.0]) * draws[0]))


def test_recompute_draws_the_same_numbers_from_every_generator():
    import random

    own, stream, plain = np.random.default_rng(1), tf.random.Generator.from_seed(2), random.Random(3)

    def f(x):
        return x * float(own.random()) * stream.uniform([]) * plain.random() * random.random() * np.random.rand() * tf.random.uniform([])

    x = tf.constant(1.0)
    for g in (tf.recompute_grad(f), tf.recompute_grad(lambda x: tf.recompute_grad(f)(x) * 2.0)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        after = own.random()
        d = tape.gradient(y, x)
        assert np.isclose(float(d), float(y)) and float(y) != 0.0
        assert own.random() != after  # the second run leaves the generators where they were


def test_recompute_keeps_no_record_of_the_inside():
    f = tf.recompute_grad(lambda x: tf.tanh(tf.sin(tf.exp(x))))
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        f(x)
    assert len(tape._records) == 1


def test_recompute_in_compiled_loops_with_a_rule_inside():
    @tf.recompute_grad
    def block(u):
        for _ in range(3):
            u = seven(np.sin(u)) + u
        return u

    def plain(u):
        for _ in range(3):
            u = seven(np.sin(u)) + u
        return u

    def many(u):
        for _ in range(2):
            u = block(u)
        return np.sum(u)

    def many_plain(u):
        for _ in range(2):
            u = plain(u)
        return np.sum(u)

    u = np.linspace(0.1, 0.5, 4)
    assert np.allclose(tf.grad(many)(u), tf.grad(many_plain)(u))


def test_recompute_forward_mode():
    f = tf.recompute_grad(lambda x: tf.tanh(x) ** 2)
    x = tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(2.0)) as acc:
        y = f(x)
    t = np.tanh(1.0)
    assert np.isclose(acc.jvp(y), 2 * 2 * t * (1 - t * t))


def test_structures_and_keywords_in_compiled_code():
    @tf.custom_gradient
    def f(d, k=2.0):
        def grad(d1, d2):
            return {"a": d1 * d["b"] * 10.0, "b": d1 * d["a"] + d2}, d1 * 0.0 + 5.0
        return [d["a"] * d["b"] * k, d["b"]], grad

    @tf.function
    def h(x, y, k):
        u, v = f(k=k, d={"b": y, "a": x})
        return u + 3.0 * v

    xs = [tf.constant(v) for v in (2.0, 3.0, 4.0)]
    assert [float(g) for g in gradient(h, *xs)] == [30.0, 5.0, 5.0]
    assert [float(g) for g in gradient(lambda x, y, k: f({"a": x, "b": y}, k)[0] + 3.0 * f({"a": x, "b": y}, k)[1], *xs)][0] == 30.0


def test_a_rule_may_print(capfd):
    import sys

    @tf.custom_gradient
    def f(x):
        def grad(dy):
            tf.print("dy", dy, output_stream=sys.stdout)
            return dy
        return x * 1.0, grad

    x = tf.constant(2.0)
    gradient(f, x)
    gradient(tf.function(lambda v: f(v) * 3.0), x)
    assert capfd.readouterr().out == "dy 1\ndy 3\n"


def test_recompute_in_blocks_equals_the_plain_loop():
    from tests.bench.memory import blocks, every_step, plain

    u = np.sin(np.linspace(0.0, 3.0, 10))
    want = tf.grad(plain)(u, 3, 4)
    assert np.allclose(tf.grad(blocks)(u, 3, 4), want) and np.allclose(tf.grad(every_step)(u, 3, 4), want)


# ------------------------------------------------------------------------------------ positions of a rule


@tf.custom_gradient
def by_decorator(x):
    return x * x, lambda dy: dy * 77.0


by_call = tf.custom_gradient(lambda x: (x * x, lambda dy: dy * 77.0))
by_two = tf.custom_gradient(lambda x: x * x, lambda dy, x: dy * 77.0)


class Holder:
    def __init__(self, k):
        self.k = k

    @tf.custom_gradient
    def method(self, x):
        return x * x, lambda dy: dy * self.k

    @staticmethod
    @tf.custom_gradient
    def static(x):
        return x * x, lambda dy: dy * 77.0


holder = Holder(77.0)


@tf.custom_gradient
def of_structure(p):
    return p["a"][0] * 2.0, lambda dy: {"a": (dy * 77.0,)}


@tf.custom_gradient
def to_structure(x):
    return (x * 1.0, {"q": x * 2.0}), lambda d1, d2: d1 * 70.0 + d2 * 7.0


@tf.custom_gradient
def by_keyword(x, *, k):
    return x * k, lambda dy: (dy * 77.0, None)


def local(x):
    @tf.custom_gradient
    def rule(z):
        return z * z, lambda dy: dy * 77.0

    return rule(x)


def local_two(x):
    return tf.custom_gradient(lambda z: z * z, lambda dy, z: dy * 77.0)(x)


def in_loop(x):
    s = 0.0 * x
    for _ in range(3):
        s += by_decorator(x)
    return s / 3.0


def in_branch(x):
    if np.sum(x) > -1e9:
        return by_decorator(x)
    return x


def outputs(x):
    a, b = to_structure(x)
    return a + b["q"]


POSITIONS = {
    "decorator": lambda x: by_decorator(x), "call": lambda x: by_call(x), "two": lambda x: by_two(x), "method": lambda x: holder.method(x),
    "static": lambda x: Holder.static(x), "inputs": lambda x: of_structure({"a": (x,)}), "outputs": outputs, "keyword": lambda x: by_keyword(x, k=3.0),
    "local": local, "local two": local_two, "loop": in_loop, "branch": in_branch, "list": lambda x: sum([by_decorator(x) for _ in range(2)]) / 2.0,
    "again": tf.recompute_grad(lambda x: by_decorator(x)), "local again": lambda x: tf.recompute_grad(lambda z: by_decorator(z))(x),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_the_rule_counts_in_every_position(name):
    f = POSITIONS[name]

    def total(x):
        return np.sum(f(x))

    for x in (1.5, np.array([1.5, 2.5])):
        g = tf.grad(total)
        assert np.allclose(g(x), 77.0)
        assert name == "method" or "77.0" in g.source(x) or "70.0" in g.source(x)  # spliced, to be read
        assert np.isclose(tf.jvp(total, (x,), (np.ones_like(x) if np.ndim(x) else 1.0,))[1], 77.0 * np.size(x))
    t = tf.constant([1.5, 2.5])
    for h in (f, tf.function(f, jit_compile=True)):
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = h(t)
        assert np.allclose(tape.gradient(y, t), 77.0)
        with tf.autodiff.ForwardAccumulator(t, tf.ones([2])) as acc:
            y = h(t)
        assert np.allclose(acc.jvp(y), 77.0)


def test_data_with_a_derivative_must_be_inputs_of_a_rule():
    def f(x, k):
        rule = tf.custom_gradient(lambda z: (z * k, lambda dy: dy * k))
        return rule(x)

    assert tf.grad(f, 0)(2.0, 3.0) == 3.0
    for by_k in (lambda: tf.grad(f, 1)(2.0, 3.0), lambda: tf.jvp(f, (2.0, 3.0), (0.0, 1.0))):
        with pytest.raises(tf.CustomGradientError, match="reads k, which carries a derivative"):
            by_k()

    def g(h, x):
        return h.method(x)

    assert tf.grad(g, 1)(Holder(5.0), 2.0) == 5.0


@pytest.mark.parametrize("derivative", [tf.grad, lambda f: lambda x: tf.jvp(f, (x,), (np.ones(3),))])
def test_a_function_that_changes_data_with_a_derivative_is_refused(derivative):
    def elements(x):
        out = x * 1.0

        @tf.custom_gradient
        def step(v, k):
            out[k] = 3.0
            return v * v, lambda dy: (dy * 2 * v, None)

        return step(x[0], 1) + np.sum(out)

    def grown(x):
        out = [x[0]]

        @tf.custom_gradient
        def step(v):
            out.append(v * 3.0)
            return v * v, lambda dy: dy * 2 * v

        return step(x[0]) + step(x[1]) + sum(out)

    for f in (elements, grown):
        with pytest.raises(tf.CustomGradientError, match="changes .*, which carries a derivative"):
            derivative(f)(np.ones(3))
