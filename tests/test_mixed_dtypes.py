"""Tensors of different dtypes, numbers and NumPy data that meet: compiled code does what eager code does, results and errors."""

import itertools
import linecache
import warnings

import numpy as np
import pytest

import s2sgrad as tf

TENSORS = {
    "a32": tf.constant([1.5, 2.5]), "a64": tf.constant([1.5, 2.5], tf.float64), "i32": tf.constant([1, 2]), "i64": tf.constant([1, 2], tf.int64),
    "flag": tf.constant([True, False]), "c": tf.constant([1 + 2j, 2.0], tf.complex128), "v": tf.Variable([1.0, 2.0]),
}
DATA = {"arr": np.array([1.0, 2.0]), "ints": np.array([1, 2]), "f32": np.array([1.0, 2.0], np.float32), "scalar": np.float64(2.0), "count": np.int64(3)}
OTHERS = [*DATA, "2", "2.5", "True", "1j", "[1.0, 2.0]", "[1, 2]"]
FORMS = [
    "x + y", "x * y", "x / y", "x // y", "x % y", "x ** y", "x < y", "x == y", "tf.add(x, y)", "tf.maximum(x, y)", "tf.where(TENSORS['flag'], x, y)",
    "tf.concat([x, y], 0)", "tf.stack([x, y])", "tf.divide(x, y)", "tf.math.squared_difference(x, y)", "tf.atan2(x, y)", "tf.math.divide_no_nan(x, y)",
]


def function_of(text, k):
    file = f"<mixed {text} {k}>"
    code = f"def f(x):\n    return {text}\n"
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)
    names = {"tf": tf, "np": np, "TENSORS": TENSORS, **DATA}
    exec(compile(code, file, "exec"), names)
    return names["f"]


def outcome(f, x):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            y = f(x)
    except Exception as e:
        return type(e).__name__, str(e).split("\n")[0]
    return y.dtype.name, np.asarray(y).tolist()


def agree(a, b):
    if "cannot be compiled" in str(b[1]):  # runs as it does eagerly
        return True
    return a == b or a[0] == b[0] and "Error" not in a[0] and np.shape(a[1]) == np.shape(b[1]) and np.allclose(a[1], b[1], equal_nan=True)


@pytest.fixture
def plain(monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")


@pytest.mark.parametrize("form", FORMS)
def test_what_meets_a_tensor(form, plain):
    for k, (p, other) in enumerate(itertools.product(TENSORS, [*OTHERS, *(f"TENSORS['{q}']" for q in TENSORS)])):
        for a, b in (("x", other), (other, "x")):
            f = function_of("(lambda x, y: " + form + f")({a}, {b})", k) if "(" in form else function_of(form.replace("x", "_").replace("y", b).replace("_", a), k)
            eager, compiled = outcome(f, TENSORS[p]), outcome(tf.function(f), TENSORS[p])
            assert agree(eager, compiled), (p, a, b)


def test_the_error_names_the_line():
    @tf.function
    def f(x, y):
        z = x + 1.0
        return z * y

    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot compute Mul as input #1") as e:
        f(tf.constant(1.0), tf.constant(1.0, tf.float64))
    assert "return z * y" in str(e.value) and "tf.cast(x, tf.float32)" in str(e.value)
    assert float(f(tf.constant(1.0), tf.constant(3.0))) == 6.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="AddV2"):
        tf.function(tf.nn.bias_add)(tf.constant([1.0]), tf.constant([1.0], tf.float64))


NUMPY = [
    "x * np.sqrt(2.0)", "x * (2.0 * np.log(2 * np.pi) + 1.0) / np.sqrt(2.0)", "-np.sqrt(2.0) * x", "x * np.zeros(2) + np.ones_like(arr) * 2.0 * x",
    "x * (arr / arr.sum())", "(arr * 2.0 - 1.0) * x + arr", "x * np.arange(2.0)", "x * np.float64(2.0) + np.float32(3.0)", "x / np.sqrt(float(x.shape[0]))",
    "x * arr[0]", "np.sin(arr) * x", "tf.matmul(np.eye(2), x[:, None])", "tf.constant(np.sqrt(2.0)) * tf.cast(x, tf.float64)", "abs(np.sqrt(2.0) - 3.0) * x",
    "tf.cast(np.sqrt(2.0), tf.float32) * x", "tf.add(np.sqrt(2.0), x)",
]


@pytest.mark.parametrize("form", NUMPY)
def test_results_of_numpy_take_the_dtype_of_the_tensor(form, plain):
    x, f = TENSORS["a32"], function_of(form, "numpy")
    found = []
    for call in (f, tf.function(f, jit_compile=True)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        found.append((y, tape.gradient(y, x)))
    for a, b in zip(*found, strict=True):
        assert a.dtype == b.dtype and np.allclose(a, b, rtol=1e-6)


def test_what_may_be_no_tensor_runs_as_python():
    def f(x):
        s = np.zeros(2)
        for _ in range(2):
            s = s + np.ones(2)
        return s * x

    with pytest.warns(RuntimeWarning, match="not told apart"):
        y = tf.function(f)(tf.constant([1.0, 2.0]))
    assert y.dtype == tf.float32 and y.numpy().tolist() == [2.0, 4.0]
