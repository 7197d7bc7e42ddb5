"""tf_function: compiled functions of tensors."""

import sys
import warnings

import numpy as np
import pytest

import s2sgrad as tf


def gradient(f, sources, *args):
    with tf.GradientTape() as tape:
        tape.watch([s for s in sources if isinstance(s, tf.Tensor)])
        y = f(*args)
    return tape.gradient(y, sources)


@pytest.fixture(autouse=True)
def no_silent_fallback():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_variables_and_tensors_it_captures_have_gradients():
    v, k = tf.Variable(2.0), tf.constant([3.0, 4.0])

    @tf.function
    def f(x):
        return tf.reduce_sum(x * k) * v

    x = tf.constant([1.0, 2.0])
    gx, gv, gk = gradient(f, [x, v, k], x)
    assert gx.numpy().tolist() == [6.0, 8.0] and float(gv) == 11.0 and gk.numpy().tolist() == [2.0, 4.0]
    v.assign(10.0)
    assert float(f(x)) == 110.0 and f.experimental_get_tracing_count() == 1


def test_methods_read_their_object():
    class M(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(3.0)

        @tf.function
        def call(self, x):
            return x * self.w

    m = M()
    assert float(gradient(m.call, [m.w], tf.constant(2.0))[0]) == 2.0


def test_functions_call_functions():
    @tf.function
    def square(x):
        return x * x

    @tf.function
    def f(x):
        return tf.reduce_sum(square(x) + tf.sin(x))

    x = tf.constant([1.0, 2.0])
    assert np.allclose(gradient(f, [x], x)[0], 2 * x.numpy() + np.cos(x.numpy()))


def test_control_flow():
    @tf.function
    def f(x):
        n = 0
        while x < 10.0:
            x = x * 2.0
            n += 1
            if n > 100:
                break
        else:
            x = x + 1.0
        for _ in range(10):
            if x > 40.0:
                return x * 100.0
            x = x * 2.0
        return x

    x = tf.constant(3.0)
    assert float(f(x)) == 5200.0 and float(gradient(f, [x], x)[0]) == 1600.0


def test_structures_and_python_values():
    @tf.function
    def f(d, k, *, s=1.0):
        return {"o": d["a"] * k * s, "l": [d["b"][0], k], "n": None}

    r = f({"a": tf.constant(2.0), "b": (tf.constant(3.0),)}, 3, s=2.0)
    assert float(r["o"]) == 12.0 and r["l"][1].dtype == tf.int32 and r["n"] is None and r["o"].dtype == tf.float32


def test_one_specialisation_per_dtype_and_rank():
    @tf.function
    def f(x):
        return tf.reduce_sum(x)

    for v in ([1.0], [1.0, 2.0], [[1.0]], [1]):
        f(tf.constant(v))
    assert f.experimental_get_tracing_count() == 3
    assert f(tf.constant([1, 2])).dtype == tf.int32


def test_arrays_are_written_inside_but_tensors_never_change():
    @tf.function
    def f(x):
        x[0] = x[1] * 2.0
        return x

    x = tf.constant([1.0, 2.0])
    assert f(x).numpy().tolist() == [4.0, 2.0] and x.numpy().tolist() == [1.0, 2.0]
    assert gradient(f, [x], x)[0].numpy().tolist() == [0.0, 3.0]


def test_higher_order():
    @tf.function
    def f(x):
        return tf.reduce_sum(x ** 3)

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        d = inner.gradient(y, x)
    assert np.allclose(outer.jacobian(d, x), np.diag([6.0, 12.0]))


def test_forward_mode():
    @tf.function
    def f(x):
        return tf.sin(x) * x

    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = f(x)
    assert np.isclose(acc.jvp(y), np.sin(2.0) + 2.0 * np.cos(2.0), rtol=1e-6)


def test_what_was_made_can_be_read():
    @tf.function
    def f(x):
        return tf.reduce_sum(x * x)

    x = tf.constant([1.0, 2.0])
    assert "def f(x)" in f.source(x) and "x_bar" in f.adjoint_source(x) and {"primal", "lowered", "adjoint"} <= set(f.stages(x))
    assert f.grad()(x).numpy().tolist() == [2.0, 4.0]
    value, g = f.value_and_grad()(x)
    assert float(value) == 5.0 and g.dtype == tf.float32
    assert tf.grad(f)(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]


def test_a_custom_rule_is_spliced():
    @tf.custom_gradient
    def clip(x):
        return x, lambda dy: tf.clip_by_value(dy, -1.0, 1.0) * 7.0

    @tf.function
    def f(x):
        s = 0.0
        for _ in range(3):
            s += tf.reduce_sum(clip(x)) * 5.0
        return s

    x = tf.constant([1.0, 2.0])
    assert gradient(f, [x], x)[0].numpy().tolist() == [21.0, 21.0] and "7.0" in f.adjoint_source()


def test_prints_once_when_the_line_runs(capfd):
    @tf.function
    def f(x):
        for i in range(2):
            x = x * 2.0
            tf.print("x", i, x, [x, 1.5], output_stream=sys.stdout)
        return x

    x = tf.constant(0.15)
    assert float(gradient(f, [x], x)[0]) == 4.0
    assert capfd.readouterr().out == "x 0 0.3 [0.3, 1.5]\nx 1 0.6 [0.6, 1.5]\n"


def test_device_scopes_inside():
    @tf.function
    def f(x):
        with tf.device("/GPU:0"):
            return x * 2.0

    assert float(f(tf.constant(1.0))) == 2.0
    tf.config.set_soft_device_placement(False)
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="GPU:0"):
            f(tf.constant(1.0))
    finally:
        tf.config.set_soft_device_placement(True)


def test_effects_that_can_be_split_off_run_once_per_specialisation():
    calls, count = [], {"n": 0}

    @tf.function
    def f(x):
        calls.append("traced")
        count["n"] += 1
        return x * 2.0

    assert float(f(tf.constant(1.0))) == 2.0 and float(f(tf.constant(2.0))) == 4.0
    assert calls == ["traced"] and count == {"n": 1}
    f(tf.constant([1.0]))
    assert len(calls) == 2


def test_other_effects_run_every_time_with_a_warning():
    seen = []

    @tf.function
    def f(x):
        seen.append(float(x))
        return x * 2.0

    with pytest.warns(RuntimeWarning, match="f runs as plain Python on tensors, it cannot be compiled"):
        f(tf.constant(1.0))
    assert float(f(tf.constant(2.0))) == 4.0 and seen == [1.0, 2.0]

    @tf.function(jit_compile=True)
    def g(x):
        seen.append(float(x))
        return x

    with pytest.raises(tf.Unsupported):
        g(tf.constant(1.0))


def test_a_tape_inside_runs_as_python():
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x ** 3
        return tape.gradient(y, x)

    x = tf.constant(2.0)
    with pytest.warns(RuntimeWarning, match="cannot be compiled"):
        assert float(gradient(f, [x], x)[0]) == 12.0


def test_input_signature():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x):
        return tf.reduce_sum(x)

    assert float(f([1.0, 2.0])) == 3.0 and float(f(x=tf.constant([1.0]))) == 1.0
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(1,\), dtype=tf.int32, name=None\)"):
        f(tf.constant([1]))
    with pytest.raises(TypeError, match="Can not cast"):
        f(tf.constant([[1.0]]))


def test_run_functions_eagerly():
    n = []

    @tf.function
    def f(x):
        n.append(1)
        return x

    tf.config.run_functions_eagerly(True)
    try:
        f(tf.constant(1.0))
        f(tf.constant(1.0))
        assert len(n) == 2 and tf.config.functions_run_eagerly()
    finally:
        tf.config.run_functions_eagerly(False)
