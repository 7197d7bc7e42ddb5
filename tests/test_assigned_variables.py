"""Variables that compiled functions assign: parts, scattered updates, variables that are arguments; values and gradients as in eager code."""

import numpy as np
import pytest

import s2sgrad as tf

v, m, x = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.constant(5.0)
START = {"v": v.numpy(), "m": m.numpy()}


def one(x):
    v[0].assign(x)
    return tf.reduce_sum(v * v)


def some(x):
    v[1:].assign([x, x * 2.0])
    return tf.reduce_sum(v * v)


def of_matrix(x):
    m[0, 1].assign_add(x)
    m[1].assign_sub([x, 1.0])
    return tf.reduce_sum(m * m)


def at_runtime(x):
    v[tf.cast(x, tf.int32) - 4].assign(x)
    return v[1] * v[0]


def in_loop(x):
    for k in range(3):
        v[k].assign(x * k)
    return tf.reduce_sum(v * x)


def in_branch(x):
    if x > 1.0:
        v[0].assign(v[2] * x)
    return v[0] * v[1]


def of_list(x):
    for w in [v, m]:
        w[0].assign(w[1] * 2.0)
    return tf.reduce_sum(m) * v[0]


def scatter_nd(x):
    v.scatter_nd_update([[0], [2]], [x, x * 2.0])
    v.scatter_nd_add([[0], [0]], [x, 1.0])
    v.scatter_nd_sub([[1]], [x])
    return tf.reduce_sum(v * v)


def scatter_rows(x):
    m.scatter_update(tf.IndexedSlices(tf.stack([[x, x]]), tf.constant([1])))
    m.scatter_add(tf.IndexedSlices([[x, 1.0]], [0]))
    m.scatter_sub(tf.IndexedSlices([[1.0, 1.0]], [0]))
    m.scatter_max(tf.IndexedSlices([[7.0, 0.0]], [0]))
    m.scatter_min(tf.IndexedSlices([[0.0, 9.0]], [1]))
    return tf.reduce_sum(m * m)


def gathered(x):
    return tf.reduce_sum(v.sparse_read([0, 2]) * x + v.gather_nd([[1], [1]]))


def gathered_then_assigned(x):
    v.assign(v * 2.0)
    return tf.reduce_sum(v.sparse_read([0, 2]) * x + v.gather_nd([[1], [1]]))


# function -> value, by x, by v, by m
WANT = {
    one: (38.0, None, [10.0, 4.0, 6.0], None), some: (126.0, None, [2.0, 10.0, 20.0], None), of_matrix: (63.0, None, None, [[2.0, 14.0], [-4.0, 6.0]]),
    at_runtime: (5.0, None, [5.0, 1.0, 0.0], None), in_loop: (75.0, 15.0, [5.0, 5.0, 5.0], None), in_branch: (30.0, None, [2.0, 15.0, 0.0], None),
    of_list: (84.0, None, [21.0, 0.0, 0.0], [[4.0, 4.0], [4.0, 4.0]]), scatter_nd: (230.0, None, [22.0, -6.0, 20.0], None),
    gathered: (24.0, 4.0, [5.0, 2.0, 5.0], None), gathered_then_assigned: (48.0, 8.0, [5.0, 2.0, 5.0], None), scatter_rows: (78.0, None, None, [[14.0, 4.0], [0.0, 10.0]]),
}


def plain(t):
    return None if t is None else np.asarray(t).tolist()


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("f", WANT)
def test_parts_and_scattered_updates(f, compiled):
    v.assign(START["v"])
    m.assign(START["m"])
    call = tf.function(f, jit_compile=True) if compiled else f
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
    assert (float(y), *map(plain, tape.gradient(y, [x, v, m]))) == WANT[f]


def test_a_part_is_in_the_emitted_text():
    f = tf.function(one, jit_compile=True)
    f(x)
    assert "v_1[0] = x" in f.source() or "v[0] = x" in f.source(), f.source()


def test_the_dtype_must_be_that_of_the_variable():
    for form in (lambda y: v.assign(y), lambda y: v[0].assign(y[0]), lambda y: v.assign_add(y)):
        for call in (form, tf.function(form)):
            with pytest.raises(ValueError, match="requested dtype float32 for Tensor with dtype float64"):
                call(tf.constant([1.0, 2.0, 3.0], tf.float64))


class Model:
    def __init__(self):
        self.w, self.b, self.n = tf.Variable([1.0, 2.0]), tf.Variable(0.5), 2.0


def scaled(w, x):
    w.assign(w * x)
    return tf.reduce_sum(w)


def of_arguments(ws, x):
    for w in ws:
        w.assign_sub(w * x)
    return tf.reduce_sum(ws[0]) * ws[1]


def of_dict(p, x):
    p["a"].assign_add(x * tf.ones_like(p["a"]))
    return tf.reduce_sum(p["a"] * p["b"])


def trained(model, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model.w * model.w) * x + model.b * model.n
    parameters = [model.w, model.b]
    for p, g in zip(parameters, tape.gradient(loss, parameters), strict=True):
        p.assign_sub(0.1 * g)
    return loss


ARGUMENTS = {
    scaled: (lambda: tf.Variable([1.0, 2.0]), [15.0, 3.0, [1.0, 1.0], [5.0, 10.0]]),
    of_arguments: (lambda: [tf.Variable([1.0, 2.0]), tf.Variable(3.0)], [144.0, -72.0, [-12.0, -12.0], -12.0, [-4.0, -8.0], -12.0]),
    of_dict: (lambda: {"a": tf.Variable([1.0, 2.0]), "b": tf.Variable([3.0, 4.0])}, [46.0, None, [3.0, 4.0], [6.0, 7.0], [6.0, 7.0], [3.0, 4.0]]),
    trained: (Model, [26.0, 5.0, [10.0, 20.0], 2.0, [0.0, 0.0], 0.3]),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("f", [of_dict, trained])
def test_variables_among_the_arguments(f, compiled):
    make, want = ARGUMENTS[f]
    call = tf.function(f, jit_compile=True) if compiled else f
    for _ in range(2):  # other variables: the same code
        given = make()
        variables = [given.w, given.b] if isinstance(given, Model) else tf.nest.flatten(given)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(given, x)
        got = [plain(y), *map(plain, tape.gradient(y, [x, *variables])), *map(plain, variables)]
        assert all(a is b or np.allclose(a, b, rtol=1e-6, atol=1e-7) for a, b in zip(got, want, strict=True)), got
    assert not compiled or call.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("f", [scaled, of_arguments])
def test_variables_among_the_arguments_as_in_eager_code(f):
    make, _ = ARGUMENTS[f]
    found = []
    for call in (f, tf.function(f, jit_compile=True)):
        given = make()
        variables = tf.nest.flatten(given)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(given, x)
        found.append([plain(y), *map(plain, tape.gradient(y, [x, *variables])), *map(plain, variables)])
    assert found[0] == found[1] and found[0][0] == ARGUMENTS[f][1][0]


def test_one_variable_for_two_arguments():
    @tf.function(jit_compile=True)
    def f(a, b):
        a.assign(b * 2.0)
        b.assign(a + 1.0)
        return tf.reduce_sum(a * b)

    a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    assert [float(f(a, b)), float(f(a, a)), float(f(b, a)), float(f(a, a))] == [114.0, 458.0, 1892.0, (55.0**2 + 71.0**2)]


def test_a_captured_variable_may_be_the_argument():
    c = tf.Variable([1.0, 1.0])

    @tf.function(jit_compile=True)
    def f(w):
        w.assign_add([1.0, 1.0])
        return tf.reduce_sum(c * w)

    assert [float(f(w)) for w in (tf.Variable([1.0, 1.0]), c, c, tf.Variable([1.0, 1.0]))] == [4.0, 8.0, 18.0, 12.0]


def test_methods_and_keywords_with_variables():
    class Layer:
        def __init__(self):
            self.w = tf.Variable([1.0, 2.0])

        @tf.function(jit_compile=True)
        def step(self, rate, x, *, k=1.0):
            self.w.assign_sub(rate * self.w * x * k)
            rate.assign(rate * 0.5)
            return tf.reduce_sum(self.w)

    a, b, rate, two = Layer(), Layer(), tf.Variable(0.125), tf.constant(2.0)
    assert [float(a.step(rate, two)), float(a.step(rate, two, k=2.0)), float(b.step(rate=rate, x=two))] == [2.25, 1.6875, 2.8125]
    assert float(rate) == 0.015625


def test_unique():
    def f(x):
        y, idx = tf.unique(x)
        r = tf.unique_with_counts(x, tf.int64)
        return y * x[0], idx, r.y, r.idx, r.count

    t = tf.constant([3.0, 2.0, 3.0, 1.0])
    want = [[9.0, 6.0, 3.0], [0, 1, 0, 2], [3.0, 2.0, 1.0], [0, 1, 0, 2], [2, 1, 1]]
    for call in (f, tf.function(f, jit_compile=True)):
        with tf.GradientTape() as tape:
            tape.watch(t)
            out = call(t)
        assert [plain(o) for o in out] == want and [o.dtype.name for o in out] == ["float32", "int32", "float32", "int64", "int64"]
        assert plain(tape.gradient(out[0], t)) == [6.0, 0.0, 0.0, 0.0]
