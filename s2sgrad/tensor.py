"""Eager tensors over NumPy arrays, and the conversion of Python and NumPy values to them."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from s2sgrad import dtypes
from s2sgrad.device import current as _current_device
from s2sgrad.dtypes import DType
from s2sgrad.errors import InvalidArgumentError
from s2sgrad.operators import OPS, Operators
from s2sgrad.shapes import TensorShape

_ids = itertools.count(1)


class Reference:
    """A hashable handle of a tensor or variable (which compare elementwise and so cannot be dictionary keys)."""

    __slots__ = ("_object",)

    def __init__(self, obj: Any) -> None:
        self._object = obj

    def deref(self) -> Any:
        return self._object

    def __eq__(self, o: object) -> bool:
        return isinstance(o, Reference) and self._object is o._object

    def __hash__(self) -> int:
        return id(self._object)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._object!r}>"


class IndexedSlices:
    """Rows of a larger tensor: `values[i]` belongs at position `indices[i]`. Converts to the dense tensor, repeated rows added up."""

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self.values, self.indices = convert_to_tensor(values), convert_to_tensor(indices)
        self.dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def dtype(self) -> DType:
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        return TensorShape(None if self.dense_shape is None else self.dense_shape.numpy().tolist())

    def dense(self) -> Tensor:
        if self.dense_shape is None:
            raise ValueError("Tensor conversion requested for IndexedSlices without dense_shape.")
        return OPS["tensor_scatter_nd_add"](OPS["zeros"](self.dense_shape, self.dtype), OPS["expand_dims"](self.indices, 1), self.values)

    def __repr__(self) -> str:
        return f"IndexedSlices(values={self.values!r}, indices={self.indices!r}, dense_shape={self.dense_shape!r})"


class Tensor(Operators):
    """An immutable value: a NumPy array of a dtype on a device.

    Made by `constant`, `convert_to_tensor` and by every operation. Works with Python numbers and NumPy arrays in arithmetic;
    `numpy()` gives a copy of the data.
    """

    __slots__ = ("__weakref__", "_array", "_device", "_dtype", "_id")
    __s2sgrad_leaf__ = "_array"  # inside a compiled function a captured tensor is its array

    def __init__(self, array: Any, dtype: DType | None = None, id: int | None = None) -> None:
        self._array: np.ndarray = np.asarray(array)
        self._dtype = dtype
        self._id: int = next(_ids) if id is None else id
        self._device = _current_device()

    # ---------------------------------------------------------------------------------------- properties

    def set_shape(self, shape: Any) -> None:
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {TensorShape(shape)}.")

    backing_device = Operators.device

    @property
    def name(self) -> str:
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    def numpy(self) -> Any:
        """The data: a NumPy array (a copy), for a scalar tensor a NumPy scalar."""
        return self._array.copy() if self._array.ndim else self._array[()]

    def ref(self) -> Reference:
        return Reference(self)

    def cpu(self) -> Tensor:
        return OPS["identity"](self)

    # ---------------------------------------------------------------------------------------- as Python values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self._array, dtype=dtype) if copy or copy is None else np.asarray(self._array, dtype=dtype)

    def __bool__(self) -> bool:
        return bool(self._array)

    def __int__(self) -> int:
        return int(self._array)

    def __float__(self) -> float:
        return float(self._array)

    def __complex__(self) -> complex:
        return complex(self._array)

    def __index__(self) -> int:
        return self._array.__index__()

    def __format__(self, spec: str) -> str:
        return format(self._array[()], spec) if self._array.ndim == 0 else format(self._array, spec)

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("Scalar tensor has no `len()`")
        return len(self._array)

    def __iter__(self) -> Iterator[Tensor]:
        if self._array.ndim == 0:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(len(self._array)))

    def __contains__(self, item: Any) -> bool:
        return bool(np.any(self._array == np.asarray(item)))

    def __getitem__(self, key: Any) -> Any:
        return OPS["getitem"](self, key)

    def __reduce__(self) -> Any:
        return Tensor, (self._array, self._dtype)

    def __copy__(self) -> Tensor:
        return OPS["identity"](self)

    def __deepcopy__(self, memo: Any) -> Tensor:
        return OPS["identity"](self)

    def __str__(self) -> str:
        return f"tf.Tensor({_text(self._array, False, self._dtype is not None)}, shape={self.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={_text(self._array, True, self._dtype is not None)}>"


def _text(array: np.ndarray, is_repr: bool, short: bool = False) -> str:
    """The data; `short`: numbers that hold fewer digits than their array's dtype."""
    if short and array.ndim == 0:
        return format(float(array), "g")
    text = repr(array) if is_repr and array.ndim else str(array if array.ndim or array.dtype != object else repr(array[()]))
    return "\n" + text if "\n" in text else text


# --------------------------------------------------------------------------------------------- conversion


def is_tensor(x: Any) -> bool:
    """Is this a Tensor or a Variable?"""
    return isinstance(x, Operators)


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """A tensor of a tensor, variable, NumPy array, Python number or nested list.

    Python floats become float32 and ints int32 unless `dtype` (or, where possible, `dtype_hint`) says otherwise; NumPy data keep
    their dtype. ValueError for a tensor of another dtype than asked for, for ragged lists and for None.
    """
    want = None if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, IndexedSlices):
        value = value.dense()
    if isinstance(value, Operators):
        t = value if isinstance(value, Tensor) else value.value()  # type: ignore[attr-defined]
        if want is not None and t.dtype != want:
            raise ValueError(f"Tensor conversion requested dtype {want.name} for Tensor with dtype {t.dtype.name}: {t!r}")
        return t
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        hint = want or next(x.dtype for x in _leaves(value) if isinstance(x, Operators))
        return OPS["stack"]([convert_to_tensor(v, dtype=hint) for v in value])
    if want is None and dtype_hint is not None and _adapts(value, hint := dtypes.as_dtype(dtype_hint)):
        try:
            return make(to_array(value, hint), hint)
        except TypeError:  # a hint only: the value keeps its own kind
            return make(to_array(value))
    return make(to_array(value, want), want)


def make(array: Any, dtype: DType | None = None) -> Tensor:
    """A tensor of data that belong to us; a dtype that NumPy lacks is noted beside the array."""
    if dtype is not None and dtype.name == "bfloat16":
        return Tensor(dtypes.round_bfloat16(array), dtype)
    return Tensor(array)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from _leaves(v)
    else:
        yield value


def _holds_tensor(value: Any) -> bool:
    return any(isinstance(x, Operators) for x in _leaves(value))


def _adapts(value: Any, want: DType) -> bool:
    """May a Python or NumPy value take the dtype of the tensor it meets?"""
    rank = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
    for x in _leaves(value):
        if isinstance(x, (np.ndarray, np.generic)):
            if x.dtype.kind not in rank or rank[x.dtype.kind] > rank.get(want.dtype.kind, -1) or (x.dtype.kind == "b") != want.is_bool:
                return False
        elif not isinstance(x, numbers.Number):
            return False
    return True


def to_array(value: Any, want: DType | None = None) -> np.ndarray:
    """A fresh NumPy array of a Python or NumPy value, of the wanted or the default dtype."""
    if isinstance(value, Operators):
        return np.array(value._array, dtype=None if want is None else want.dtype)  # type: ignore[attr-defined]
    if isinstance(value, range):
        value = list(value)
    if isinstance(value, TensorShape):
        value = value.as_list()
        if None in value:
            raise ValueError(f"Cannot convert a partially known TensorShape {TensorShape(value)} to a Tensor.")
    if value is None or isinstance(value, (list, tuple)) and any(x is None for x in _leaves(value)):
        raise ValueError("Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.")
    if isinstance(value, (np.ndarray, np.generic)) or not isinstance(value, (list, tuple, numbers.Number, str, bytes)):
        return _from_numpy(value, want)
    leaves = list(_leaves(value))
    if want is not None:
        for x in leaves:
            _fits(x, want)
        return _strings(value) if want.name == "string" else _rectangular(value, want.dtype)
    return _default(value, leaves)


def _from_numpy(value: Any, want: DType | None) -> np.ndarray:
    if not hasattr(value, "__array__"):
        raise ValueError(f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor.")
    a = np.array(value)
    if a.dtype.kind in "USO":
        return _strings(a.tolist())
    dtypes.as_dtype(a.dtype)  # refuses what tensors cannot hold
    return a if want is None else a.astype(want.dtype)


def _strings(value: Any) -> np.ndarray:
    """An array of byte strings (text is encoded as UTF-8). ValueError for anything else in it."""

    def encoded(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            return [encoded(v) for v in x]
        if not isinstance(x, (str, bytes)):
            raise ValueError(f"Attempt to convert a value ({x!r}) with an unsupported type ({type(x)}) to a Tensor.")
        return x.encode() if isinstance(x, str) else x

    return _rectangular(encoded(value), object)


def _rectangular(value: Any, dtype: Any) -> np.ndarray:
    try:
        return np.array(value, dtype=dtype)
    except ValueError as e:
        if "inhomogeneous" in str(e) or "sequence" in str(e):
            raise ValueError("Can't convert non-rectangular Python sequence to Tensor.") from None
        raise


def _fits(x: Any, want: DType) -> None:
    """TypeError for a Python number that the dtype cannot hold without a change of kind."""
    if isinstance(x, (bool, np.bool_)):
        ok = want.is_bool
    elif isinstance(x, (int, np.integer)):
        ok = want.is_numeric
    elif isinstance(x, (float, np.floating)):
        ok = want.is_floating or want.is_complex
    elif isinstance(x, complex):
        ok = want.is_complex
    else:
        ok = not isinstance(x, (str, bytes)) or want.name == "string"
    if not ok:
        raise TypeError(f"Cannot convert {x!r} to EagerTensor of dtype {want.name}")


def _default(value: Any, leaves: list[Any]) -> np.ndarray:
    if any(isinstance(x, (np.ndarray, np.generic)) for x in leaves):
        return _rectangular(value, None)
    kinds = {
        "b"
        if isinstance(x, bool)
        else "i"
        if isinstance(x, int)
        else "f"
        if isinstance(x, float)
        else "c"
        if isinstance(x, complex)
        else "s"
        for x in leaves
    }
    if len(kinds) > 1 and kinds & {"b", "s"}:
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    if not kinds or kinds <= {"i", "f"} and "f" in kinds:
        return _rectangular(value, np.float32)
    if kinds == {"i"}:
        return _rectangular(value, np.int32 if all(-(2**31) <= x < 2**31 for x in leaves) else np.int64)
    if kinds == {"s"}:
        return _strings(value)
    return _rectangular(value, {"b": np.bool_}.get(next(iter(kinds)), np.complex128))


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor of Python or NumPy data (copied). `shape` reshapes, or fills from a scalar.

    >>> constant([1, 2.5]).dtype, constant(7).dtype, constant(0.0, shape=[2]).shape
    (tf.float32, tf.int32, TensorShape([2]))
    """
    want = None if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        t = convert_to_tensor(value, dtype=want)
    else:
        t = make(to_array(value, want), want)
    if shape is None:
        return t
    dims: Any = tuple(TensorShape(shape).as_list())
    n = int(np.prod(dims, dtype=int))
    if t._array.size == n:
        return make(t._array.reshape(dims), want)
    if t._array.size == 1:
        return make(np.full(dims, t._array.reshape(())[()]), want)
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. Tensor {t} (converted from {value}) has {t._array.size} elements, "
        f"but got `shape` {dims} with {n} elements)."
    )


def _constant_in_compiled_code(value, dtype=None, shape=None, name=None):
    a = value
    if dtype is not None:
        a = np.asarray(value).astype(dtype)
    elif isinstance(value, (list, tuple, bool, int, float, complex)):
        a = OPS["identity"](value)
    if shape is None:
        return a
    return np.reshape(a, shape) if np.ndim(a) > 0 else np.full(shape, a)


def _convert_in_compiled_code(value, dtype=None, dtype_hint=None, name=None):
    return _constant_in_compiled_code(value, dtype)


constant.__s2sgrad_numpy__ = _constant_in_compiled_code  # type: ignore[attr-defined]
convert_to_tensor.__s2sgrad_numpy__ = _convert_in_compiled_code  # type: ignore[attr-defined]


TITLES = {
    "add": "AddV2", "subtract": "Sub", "multiply": "Mul", "truediv": "RealDiv", "floordiv": "FloorDiv", "floormod": "FloorMod",
    "truncatediv": "TruncateDiv", "truncatemod": "TruncateMod", "negative": "Neg", "matmul": "MatMul", "concat": "ConcatV2", "stack": "Pack",
    "reduce_sum": "Sum", "reduce_mean": "Mean", "reduce_max": "Max", "reduce_min": "Min", "reduce_prod": "Prod", "reduce_all": "All",
    "reduce_any": "Any", "_where": "SelectV2", "expand_dims": "ExpandDims", "_squeeze": "Squeeze", "inv": "MatrixInverse", "solve": "MatrixSolve",
    "det": "MatrixDeterminant", "gather": "GatherV2",
}  # fmt: skip


def title_of(name: str) -> str:
    """reduce_sum -> Sum, as error messages name an operation."""
    return TITLES.get(name) or "".join(w.capitalize() for w in name.strip("_").split("_"))


def same_dtype(name: str, found: Sequence[Any], place: Any = None) -> None:
    """InvalidArgumentError (for a division TypeError) where the tensors of one operation differ in dtype: nothing is promoted silently."""
    first, *others = map(dtypes.as_dtype, found)
    for i, other in enumerate(others, 1):
        if other != first and name == "truediv":
            raise TypeError(f"`x` and `y` must have the same dtype, got {first!r} != {other!r}.")
        if other != first:
            title = title_of(name)
            kind = {"float32": "float", "float64": "double"}
            a, b = kind.get(first.name, first.name), kind.get(other.name, other.name)
            raise InvalidArgumentError(
                f"cannot compute {title} as input #{i}(zero-based) was expected to be a {a} tensor but is a {b} tensor [Op:{title}]",
                place,
                f"Convert one with tf.cast(x, tf.{first.name}).",
            )


OPS["constant"] = constant
