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


v3 = tf.Variable(3.0)


@tf.custom_gradient
def hundred(x):
    return x * x, lambda dy: dy * 100.0


def cube(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x ** 3
    return tape.gradient(y, x)


def hessian_diagonal(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(x ** 3)
        d = inner.gradient(y, x)
    return d, outer.gradient(d, x)


def by_variable(x):
    with tf.GradientTape() as tape:
        y = v3 * v3 * x
    return tape.gradient(y, v3), tape.gradient(y, x)


def loops_and_branches(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        s = 0.0
        for _ in tf.range(4):
            if tf.reduce_sum(x) > 0.0:
                s += tf.reduce_sum(x * x)
            else:
                s -= 1.0
    return tape.gradient(s, {"a": x, "b": [v3]}), s


def several(x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a, b = x * 3.0, x + 2.0
    return (tape.gradient([a, b], [x]), tape.gradient(b, x, output_gradients=5.0 * tf.ones_like(x)),
            tape.gradient(v3 * 1.0, x, unconnected_gradients="zero"))


def descent(x):
    i = 0
    while i < 3:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * x
        x = x - 0.1 * tape.gradient(y, x)
        i += 1
    return x


def own_rule(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = hundred(x) * 2.0
    return tape.gradient(y, x)


def two_tapes(x):
    with tf.GradientTape() as a, tf.GradientTape() as b:
        a.watch(x)
        b.watch(x)
        y = x * x
    return a.gradient(y, x) + b.gradient(y, x)


@pytest.mark.parametrize("f", [cube, hessian_diagonal, by_variable, loops_and_branches, several, descent, own_rule, two_tapes])
@pytest.mark.parametrize("x", [2.0, [2.0, -1.0]])
def test_a_tape_inside_is_compiled(f, x):
    x = tf.constant(x)
    want, got = tf.nest.flatten(f(x)), tf.nest.flatten(tf.function(f, jit_compile=True)(x))
    assert [w is None for w in want] == [g is None for g in got]
    for w, g in zip(want, got, strict=True):
        assert w is None or (w.dtype == g.dtype and np.allclose(w, g, rtol=1e-6))


def test_what_a_tape_cannot_be_in_compiled_code_runs_as_python():
    def by_intermediate(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            z = y * y
        return tape.gradient(z, y)

    def source_renamed(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        x = x + 1.0
        return tape.gradient(y, x)

    def alias(x):
        t = x
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = x * x
        return tape.gradient(y, x)

    for f, want in ((by_intermediate, 8.0), (source_renamed, None), (alias, 4.0)):
        with pytest.warns(RuntimeWarning, match="cannot be compiled"):
            got = tf.function(f)(tf.constant(2.0))
        assert got is None if want is None else float(got) == want


def test_variables_are_assigned_in_compiled_code():
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(1.0)

    @tf.function(jit_compile=True)
    def f(x, n):
        a = w  # the variable, not its value
        v.assign(v * x)
        v.assign_sub([1.0, 1.0])
        for _ in range(n):
            if x > 0.0:
                w.assign(w * 2.0)
            else:
                w.assign_add(x)
        return tf.reduce_sum(v) + a

    assert float(f(tf.constant(2.0), 3)) == 12.0 and v.numpy().tolist() == [1.0, 3.0] and float(w) == 8.0
    assert float(f(tf.constant(-1.0), 2)) == 0.0 and v.numpy().tolist() == [-2.0, -4.0] and float(w) == 6.0

    @tf.function(jit_compile=True)
    def g(x):
        v.assign(x)

    with pytest.raises(ValueError, match="shape"):
        g(tf.ones([3]))
    assert g(tf.ones([2])) is None and v.numpy().tolist() == [1.0, 1.0]


def test_an_assigned_value_is_the_variable_to_a_tape():
    v, x = tf.Variable(3.0), tf.constant(1.0)

    @tf.function(jit_compile=True)
    def f(x):
        y = v * v
        v.assign(10.0 * x)
        return y * v * x

    gv, gx = gradient(f, [v, x], x)
    assert float(gv) == 69.0 and float(gx) == 90.0 and float(v) == 10.0


def test_a_training_step_is_compiled():
    w = tf.Variable(5.0)

    @tf.function(jit_compile=True)
    def step(rate):
        with tf.GradientTape() as tape:
            loss = w * w
        w.assign_sub(rate * tape.gradient(loss, w))
        return loss

    assert [round(float(step(tf.constant(0.1))), 5) for _ in range(2)] == [25.0, 16.0] and abs(float(w) - 3.2) < 1e-6
    assert "lr" not in step.source() and "w - rate * w_bar" in step.source()


def test_methods_of_several_objects_share_their_code():
    class Counter:
        def __init__(self, start):
            self.n = tf.Variable(start)

        @tf.function(jit_compile=True)
        def add(self, x):
            self.n.assign_add(x)
            return self.n * 2.0

    a, b = Counter(1.0), Counter(10.0)
    assert [float(c.add(tf.constant(1.0))) for c in (a, b, a)] == [4.0, 22.0, 6.0]
    with tf.GradientTape() as tape:
        y = b.add(tf.constant(1.0))
    ga, gb = tape.gradient(y, [a.n, b.n])
    assert ga is None and float(gb) == 2.0


def test_numbers_lists_and_arrays_take_the_dtype_of_the_tensor():
    data = np.array([1.0, 2.0])

    def f(x):
        return x * data, [1.0, 2.0] * x, tf.add([1.0], [2.0]), tf.sqrt(2.0), tf.range(3), tf.fill([2], 1.5), tf.math.divide_no_nan(x, 0.0), tf.shape(x) * 2

    x = tf.constant([1.5, 2.5])
    for want, got in zip(f(x), tf.function(f, jit_compile=True)(x), strict=True):
        assert want.dtype == got.dtype and np.array_equal(want, got)


def test_an_array_as_a_shape_runs_as_python():
    def f(x):
        s = tf.concat([[3], tf.shape(x)], 0)
        return tf.broadcast_to(x, s) + tf.zeros(s) + tf.reshape(tf.tile(x, s[1:])[:2, :2], s[1:]) + tf.eye(2, batch_shape=[3])

    x = tf.constant([[3.0, 4.0], [1.0, 2.0]])
    with pytest.warns(RuntimeWarning, match="an array as a shape"):
        y = tf.function(f)(x)
    assert y.shape == (3, 2, 2) and np.array_equal(y, f(x))
    g = lambda x: tf.eye(2, batch_shape=[3]) * x + tf.transpose(x, range(1, -1, -1))
    assert np.array_equal(tf.function(g, jit_compile=True)(x), g(x))


def test_half_precision():
    """float16 runs as generated text over NumPy; bfloat16 is rounded in eager code, where the function then runs."""
    for dtype in (tf.float16, tf.bfloat16):
        x, v = tf.constant([1.1, 2.3], dtype), tf.Variable([1.5, 0.3], dtype=dtype)
        for f in (lambda x: x * x * 1.001, lambda x: tf.cast(tf.cast(x, tf.float32) * 1.7, dtype) * 3.3, lambda x: v * 2.1 + x):
            with warnings.catch_warnings():
                warnings.simplefilter("error" if dtype == tf.float16 else "ignore", RuntimeWarning)
                got = tf.function(f)(x)
            assert got.dtype == dtype and np.array_equal(got, f(x))
    f = tf.function(lambda x: x * 1.001)  # one function for both
    assert f(tf.constant(1.5)).dtype == tf.float32
    with pytest.warns(RuntimeWarning, match="bfloat16"):
        assert float(f(tf.constant(1.5, tf.bfloat16))) == 1.5


def test_effects_in_branches_are_not_split_off():
    log = []

    @tf.function
    def f(x, loud):
        if loud: log.append(1)
        return x * 2.0

    with pytest.warns(RuntimeWarning, match="cannot be compiled"):
        f(tf.constant(1.0), False)
    assert log == []
    f(tf.constant(1.0), True)
    assert log == [1]


def test_concrete_functions_take_what_they_were_made_for():
    @tf.function
    def f(x):
        return x * 2.0

    c = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    assert c(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 4.0] and c.inputs == [tf.TensorSpec([None], tf.float32)]
    with pytest.raises(TypeError, match="made for x"):
        c(tf.constant([1]))


def test_a_variable_made_in_every_call_is_refused():
    @tf.function
    def f(x):
        return x * tf.Variable(1.0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="singleton"):
            f(tf.constant(1.0))


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


def test_the_class_of_what_is_given():
    """Arrays stand for tensors in compiled code, and say so."""
    v = tf.Variable(1.0)

    @tf.function(jit_compile=True)
    def f(x, n, s=2.0):
        doubled = x * 2.0 if isinstance(x, tf.Tensor) else x
        return (
            doubled, isinstance(n, int), isinstance(s, float), tf.is_tensor(x), tf.is_tensor(v), tf.is_tensor(n), isinstance(v, tf.Variable),
            isinstance(v, tf.Tensor), isinstance(x, np.ndarray), isinstance(doubled, (float, tf.Tensor)), type(x) is tf.Tensor,
        )  # fmt: skip

    doubled, *rest = f(tf.constant(3.0), 4)
    assert float(doubled) == 6.0
    assert [bool(r) for r in rest] == [True, True, True, True, False, True, False, False, True, True]


@pytest.mark.parametrize("n, dtype", [(3, "int32"), (tf.constant(3), "int32"), (tf.constant(3, tf.int64), "int64")])
def test_the_dtype_of_a_range(n, dtype):
    @tf.function(jit_compile=True)
    def f(n):
        s = 0
        for i in tf.range(n):
            s += i * i
        return s

    assert f(n).dtype.name == dtype and int(f(n)) == 5


def test_a_gradient_passes_through_in_compiled_code():
    @tf.function(jit_compile=True)
    def f(x):
        return tf.grad_pass_through(tf.round)(x) * 3.0

    x = tf.constant([1.4])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(y[0]) == 3.0 and float(tape.gradient(y, x)[0]) == 3.0


class Dense(tf.Module):
    def __init__(self, k):
        super().__init__()
        self.w, self.b = tf.Variable([[k, 0.2], [0.3, k]]), tf.Variable([0.5, 0.1])

    def __call__(self, x):
        return tf.tanh(x @ self.w + self.b)


def test_modules_that_are_called_are_compiled():
    model, layers = Dense(1.0), [Dense(1.0), Dense(2.0)]

    def one(x):
        return tf.reduce_sum(model(x) ** 2)

    def chain(x):
        with tf.name_scope("chain"):
            for layer in layers:
                x = layer(x)
        return tf.reduce_sum(x)

    x = tf.constant([[0.5, -1.2]])
    for f, variables in ((one, model.trainable_variables), (chain, [v for m in layers for v in m.trainable_variables])):
        sources = [x, *variables]
        eager, compiled = gradient(f, sources, x), gradient(tf.function(f, jit_compile=True), sources, x)
        assert all(np.allclose(a, b, rtol=1e-5) for a, b in zip(eager, compiled, strict=True))
    before = float(tf.function(one)(x))
    model.w.assign_add([[1.0, 0.0], [0.0, 1.0]])
    assert float(tf.function(one)(x)) == pytest.approx(float(one(x))) != before


def test_results_of_linear_algebra_can_be_flattened():
    @tf.function(jit_compile=True)
    def f(a):
        return tf.linalg.trace(tf.linalg.inv(a)) + tf.reduce_sum(tf.reshape(tf.linalg.inv(a), [-1])[1:])

    a = tf.constant([[2.0, 1.0], [0.5, 1.0]])
    inverse = np.linalg.inv(a.numpy())
    assert float(f(a)) == pytest.approx(np.trace(inverse) + np.sum(inverse.ravel()[1:]), rel=1e-6)
