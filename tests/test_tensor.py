"""Tensors, variables, dtypes, shapes, devices, printing, and the operations on values."""

import copy
import io
import pickle

import numpy as np
import pytest

import s2sgrad as tf
from s2sgrad.device import DeviceSpec
from s2sgrad.runtime.printed import format_value


def test_str_and_repr():
    assert str(tf.constant(9.0)) == "tf.Tensor(9.0, shape=(), dtype=float32)"
    assert repr(tf.constant([1.5])) == "<tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.5], dtype=float32)>"
    assert repr(tf.Variable(4.0)) == "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=4.0>"
    assert str(tf.constant([[1, 2], [3, 4]])) == "tf.Tensor(\n[[1 2]\n [3 4]], shape=(2, 2), dtype=int32)"


@pytest.mark.parametrize(("value", "dtype"), [
    (1.0, "float32"), (1, "int32"), (2**40, "int64"), (True, "bool"), (1j, "complex128"), ([1, 2.5], "float32"), ([], "float32"), (np.float64(1.0), "float64"),
    (np.arange(2), "int64"), ([np.float64(1.0)], "float64"), ("text", "string"), (range(3), "int32"),
])
def test_default_dtypes(value, dtype):
    assert tf.constant(value).dtype == dtype


def test_conversion_errors():
    with pytest.raises(ValueError, match="non-rectangular"):
        tf.constant([[1.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="None"):
        tf.constant(None)
    with pytest.raises(TypeError, match="Cannot convert 2.5 to EagerTensor of dtype int32"):
        tf.constant([1]) * 2.5
    with pytest.raises(ValueError, match="requested dtype float64 for Tensor with dtype float32"):
        tf.convert_to_tensor(tf.constant(1.0), tf.float64)
    with pytest.raises(ValueError, match="mixed types"):
        tf.constant([True, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot compute Mul as input #1"):
        tf.constant(1.0) * tf.constant(1.0, tf.float64)


def test_arithmetic_mixes_with_numbers_and_arrays():
    x = tf.constant([1.0, 2.0])
    for y in (x + 1, 1 + x, x * np.ones(2), np.ones(2) * x, 2.0 ** x, x / 3, 1 - x, x // 2, x % 2, abs(-x)):
        assert isinstance(y, tf.Tensor) and y.dtype == tf.float32
    assert (tf.constant(7) / 2).dtype == tf.float64
    assert ((x > 1.0) & ~(x > 5.0)).numpy().tolist() == [False, True]
    assert (x == x).numpy().all() and (x != None) is True and (x == None) is False  # noqa: E711, PLR0124
    assert not bool(x == tf.constant([1.0, 2.0, 3.0]))


def test_protocols():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert len(x) == 2 and [r.shape for r in x] == [(2,), (2,)] and 3.0 in x
    assert float(tf.constant(2.5)) == 2.5 and int(tf.constant(3)) == 3 and [10, 20][tf.constant(1)] == 20
    assert f"{tf.constant(1.0):.2f}" == "1.00"
    assert np.asarray(x).sum() == 10.0 and np.sum(x) == 10.0
    assert {x.ref(): 1}[x.ref()] == 1 and x.ref().deref() is x
    with pytest.raises(TypeError):
        hash(x)
    for again in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert np.array_equal(again, x) and again is not x
    with pytest.raises(TypeError, match="scalar tensor"):
        iter(tf.constant(1.0))
    with pytest.raises(TypeError, match="item assignment"):
        x[0] = 1.0


def test_data_are_not_shared():
    a = np.ones(2)
    t = tf.constant(a)
    a[0] = 5.0
    t.numpy()[1] = 7.0
    assert t.numpy().tolist() == [1.0, 1.0]


def test_indexing():
    x = tf.reshape(tf.range(24.0), [2, 3, 4])
    for key in (0, -1, (0, 1), (slice(None), 1), (..., 2), (None, 0), (slice(None, None, 2), slice(1, None)), (0, slice(None, None, -1))):
        assert np.array_equal(x[key], x.numpy()[key])
    assert float(x[tf.constant(1), 0, tf.constant(2)]) == 14.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index 5 of dimension 0 out of bounds"):
        x[5]
    with pytest.raises(TypeError, match="Only integers, slices"):
        x[[0, 1]]


def test_variables():
    v = tf.Variable([1.0, 2.0], name="w")
    v.assign_add([1.0, 1.0]).assign_sub([0.5, 0.5])
    v[0].assign(9.0)
    v[1].assign_add(1.0)
    assert v.numpy().tolist() == [9.0, 3.5] and v.name == "w:0" and v.trainable
    with pytest.raises(ValueError, match="Shape mismatch"):
        v.assign([1.0])
    assert tf.Variable(lambda: 2.0).numpy() == 2.0 and tf.Variable(1, dtype=tf.float64).dtype == "float64"
    assert (v + 1.0).numpy().tolist() == [10.0, 4.5] and tf.reduce_sum(v).numpy() == 12.5


def test_dtypes_and_shapes():
    assert tf.float32 == "float32" == tf.as_dtype(np.float32) and repr(tf.int64) == "tf.int64" and str(tf.bool) == "<dtype: 'bool'>"
    assert tf.float32.is_floating and tf.int8.max == 127 and tf.complex64.real_dtype == tf.float32
    assert tf.float32 in {tf.float32: 1} and tf.float32 != tf.float64 and tf.float32 is not None
    s = tf.TensorShape([None, 3])
    assert str(s) == "(None, 3)" and s.rank == 2 and not s.is_fully_defined() and s.is_compatible_with([5, 3]) and s[1] == 3
    assert tf.TensorShape([2]) + [3] == [2, 3] and tf.constant([[1.0]]).shape.num_elements() == 1
    assert repr(tf.TensorSpec([None], tf.float32)) == "TensorSpec(shape=(None,), dtype=tf.float32, name=None)"


CASES = {
    "reduce_sum": lambda m, x: (tf.reduce_sum(x, axis=[0, 1]), np.sum(x)),
    "reduce_mean": lambda m, x: (tf.reduce_mean(x, axis=-1, keepdims=True), np.mean(x, axis=-1, keepdims=True)),
    "concat": lambda m, x: (tf.concat([m, m], axis=1), np.concatenate([x, x], axis=1)),
    "stack": lambda m, x: (tf.stack([m, m], axis=-1), np.stack([x, x], axis=-1)),
    "split": lambda m, x: (tf.stack(tf.split(m, 2, axis=1)), np.stack(np.split(x, 2, axis=1))),
    "pad": lambda m, x: (tf.pad(m, [[1, 0], [0, 2]], constant_values=7.0), np.pad(x, [[1, 0], [0, 2]], constant_values=7.0)),
    "gather": lambda m, x: (tf.gather(m, [1, 0, 1], axis=1), x[:, [1, 0, 1]]),
    "gather_nd": lambda m, x: (tf.gather_nd(m, [[0, 1], [1, 0]]), x[[0, 1], [1, 0]]),
    "tile": lambda m, x: (tf.tile(m, [2, 1]), np.tile(x, [2, 1])),
    "cumsum": lambda m, x: (tf.cumsum(m, axis=1, exclusive=True, reverse=True), np.array([[2.0, 0.0], [4.0, 0.0]])),
    "cumprod": lambda m, x: (tf.math.cumprod(m, axis=1, exclusive=True), np.array([[1.0, 1.0], [1.0, 3.0]])),
    "top_k": lambda m, x: (tf.math.top_k(m, 1).indices, np.array([[1], [1]])),
    "softmax": lambda m, x: (tf.nn.softmax(m), np.exp(x) / np.exp(x).sum(-1, keepdims=True)),
    "sigmoid": lambda m, x: (tf.sigmoid(-50.0 * m), 1 / (1 + np.exp(50.0 * x))),
    "einsum": lambda m, x: (tf.einsum("ij,kj->ik", m, m), x @ x.T),
    "matmul": lambda m, x: (tf.matmul(m, m, transpose_b=True), x @ x.T),
    "tensordot": lambda m, x: (tf.tensordot(m, m, [[0], [1]]), np.tensordot(x, x, [[0], [1]])),
    "clip_by_norm": lambda m, x: (tf.clip_by_norm(m, 1.0), x / np.linalg.norm(x)),
    "one_hot": lambda m, x: (tf.one_hot([1, 0], 3), np.array([[0.0, 1, 0], [1, 0, 0]])),
    "segment": lambda m, x: (tf.math.segment_mean(m, [0, 0]), x.mean(0, keepdims=True)),
    "band": lambda m, x: (tf.linalg.band_part(m, 0, -1), np.triu(x)),
    "eigh": lambda m, x: (tf.linalg.eigh(m + tf.transpose(m))[0], np.linalg.eigvalsh(x + x.T)),
    "solve": lambda m, x: (tf.linalg.solve(m, m), np.eye(2)),
    "map_fn": lambda m, x: (tf.map_fn(tf.reduce_sum, m), x.sum(1)),
    "scan": lambda m, x: (tf.scan(lambda a, e: a + e, m), np.cumsum(x, axis=0)),
    "where": lambda m, x: (tf.where(m > 2.0, m, 0.0), np.where(x > 2, x, 0)),
    "argsort": lambda m, x: (tf.argsort(m, direction="DESCENDING"), np.argsort(-x)),
    "roll": lambda m, x: (tf.roll(m, 1, axis=0), np.roll(x, 1, axis=0)),
    "cross_entropy": lambda m, x: (tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], m), np.log(np.exp(x).sum(1)) - x[[0, 1], [0, 1]]),
}


@pytest.mark.parametrize("name", CASES)
def test_operation(name):
    x = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    got, want = CASES[name](tf.constant(x), x)
    assert np.allclose(got, want, rtol=1e-5, atol=1e-6)
    assert tuple(got.shape) == np.shape(want)


def test_integer_reductions_keep_their_dtype():
    x = tf.constant([1, 2, 4])
    assert tf.reduce_sum(x).dtype == tf.reduce_mean(x).dtype == tf.cumsum(x).dtype == tf.int32
    assert int(tf.reduce_mean(x)) == 2


def test_empty():
    x = tf.constant([])
    assert float(tf.reduce_max(x)) == -np.inf and float(tf.reduce_min(x)) == np.inf and np.isnan(float(tf.reduce_mean(x))) and float(tf.reduce_sum(x)) == 0.0


def test_random_is_reproducible():
    tf.random.set_seed(3)
    a = tf.random.uniform([4])
    tf.random.set_seed(3)
    assert np.array_equal(a, tf.random.uniform([4])) and a.dtype == tf.float32
    assert tf.random.uniform([3], maxval=5, dtype=tf.int32).dtype == tf.int32


@pytest.mark.parametrize(("value", "text"), [
    (np.float32(1 / 3), "0.333333343"), (np.float32(0.1), "0.1"), (np.float64(0.1), "0.1"), (np.float64(2 / 3), "0.66666666666666663"), (np.float32(1e6), "1e+06"),
    (np.float32(np.nan), "nan"), (np.float32(-np.inf), "-inf"), (np.bool_(True), "1"), (np.int32(-7), "-7"), (np.float32(1e-45), "0"), (1.0, "1.0"),
    (np.complex64(1 + 2j), "(1,2)"), (np.arange(7), "[0 1 2 ... 4 5 6]"), (np.zeros((2, 0)), "[\n ...]"),
])
def test_print_format(value, text):
    assert format_value(value, 3) == text


def test_print(tmp_path, capsys):
    out = io.StringIO()
    tf.print("a", {"k": tf.constant([1.0]), "n": None}, (tf.constant(2), "s"), sep=";", end="!", output_stream=out)
    assert out.getvalue() == "a;{'k': [1], 'n': None};(2, 's')!"
    tf.print(tf.range(5), summarize=1)
    assert capsys.readouterr().err == "[0 ... 4]\n"
    file = f"file://{tmp_path / 'log'}"
    tf.print("x", output_stream=file)
    tf.print("y", output_stream=file)
    assert (tmp_path / "log").read_text() == "x\ny\n"


def test_device_names():
    assert DeviceSpec.from_string("/job:w/replica:1/task:2/device:GPU:3") == DeviceSpec("w", 1, 2, "GPU", 3)
    assert DeviceSpec.from_string("gpu:1").to_string() == "/device:GPU:1"
    with pytest.raises(ValueError, match="Multiple device types"):
        tf.device("/CPU:0/GPU:0")
    with tf.device("/GPU:0"), tf.device(None):
        assert tf.constant(1.0).device.endswith("device:CPU:0")


def test_hard_placement_names_what_is_missing():
    tf.config.set_soft_device_placement(False)
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"device:GPU:0'. There is no backend that compiles for GPU devices here."), tf.device("/GPU:0"):
            pass
        with tf.device("cpu"):
            assert tf.constant(1.0).device == tf.Variable(1.0).device
    finally:
        tf.config.set_soft_device_placement(True)


def test_nest():
    s = {"b": [1, (2,)], "a": 3}
    assert tf.nest.flatten(s) == [3, 1, 2] and tf.nest.map_structure(lambda x: x + 1, s) == {"b": [2, (3,)], "a": 4}
    with pytest.raises(ValueError, match="3 atoms"):
        tf.nest.pack_sequence_as(s, [1])


def test_module_finds_its_variables():
    class M(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(1.0)
            self.parts = [tf.Variable(2.0, trainable=False)]

    m = M()
    assert len(m.variables) == 2 and m.trainable_variables == (m.w,) or m.trainable_variables[0] is m.w


def test_a_shape_is_a_vector_where_a_tensor_is_wanted():
    shape = tf.zeros([2, 3]).shape
    assert int(tf.reduce_prod(shape)) == 6 and tf.constant(shape).dtype == tf.int32 and tf.constant(shape).numpy().tolist() == [2, 3]
    with pytest.raises(ValueError, match="partially known"):
        tf.constant(tf.TensorShape([None, 3]))


def test_texts_are_not_cast():
    for value, dtype in (("1.0", tf.float32), (1.0, tf.string)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not supported"):
            tf.cast(value, dtype)
