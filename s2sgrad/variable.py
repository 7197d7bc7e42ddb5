"""Variables: tensors whose value can be assigned. Tapes watch trainable ones by themselves when they are read."""

from __future__ import annotations

import contextlib
import itertools
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from s2sgrad import dtypes
from s2sgrad.device import current as _current_device
from s2sgrad.dtypes import DType
from s2sgrad.eager import watch_access
from s2sgrad.operators import OPS, Operators
from s2sgrad.shapes import TensorShape
from s2sgrad.tensor import IndexedSlices, Reference, Tensor, _ids, _text, convert_to_tensor

_numbers = itertools.count()


_made: list[list[weakref.ref[Any]]] = []  # one list for each context that watches


@contextlib.contextmanager
def made_variables() -> Iterator[list[weakref.ref[Any]]]:
    """The variables made in a context, weakly: what is gone at its end was not kept anywhere."""
    _made.append([])
    try:
        yield _made[-1]
    finally:
        _made.pop()


class ResourceVariable(Operators):
    """A value of fixed dtype and shape that `assign`, `assign_add` and `assign_sub` replace.

    `trainable=False` keeps tapes from watching it. Inside compiled functions it is read at every call.
    """

    __slots__ = ("__weakref__", "_array", "_device", "_dtype", "_id", "_name", "_shape", "_trainable", "constraint")
    __s2sgrad_leaf__ = "_array"

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> None:
        if initial_value is None:
            raise ValueError("The `initial_value` arg to `tf.Variable` must not be None.")
        if callable(initial_value) and not isinstance(initial_value, Operators):
            initial_value = initial_value()
        want = None if dtype is None else dtypes.as_dtype(dtype)
        if want is not None and isinstance(initial_value, Operators):
            initial_value = OPS["cast"](initial_value, want)
        value = convert_to_tensor(initial_value, dtype=want)
        self._array: np.ndarray = np.array(value._array)
        self._dtype: DType | None = value._dtype
        self._id: int = next(_ids)
        self._device = _current_device()
        self._name = f"{name or 'Variable'}:0"
        self._trainable = trainable is not False
        self._shape = TensorShape(self._array.shape if shape is None else shape)  # what may be assigned
        self.constraint = constraint
        for watching in _made:
            watching.append(weakref.ref(self))
        if validate_shape and not self._shape.is_compatible_with(self._array.shape):
            raise ValueError(f"Initial value shape {TensorShape(self._array.shape)} is not compatible with the variable shape {self._shape}.")

    # ---------------------------------------------------------------------------------------- properties

    @property
    def name(self) -> str:
        return self._name

    @property
    def trainable(self) -> bool:
        return self._trainable

    @property
    def shape(self) -> TensorShape:
        """The shape that values must fit; dimensions left open by `shape=` are None."""
        return self._shape

    def ref(self) -> Reference:
        return Reference(self)

    def is_initialized(self, name: str | None = None) -> Tensor:
        return OPS["constant"](True)

    # ---------------------------------------------------------------------------------------- reading

    def value(self) -> Tensor:
        """The present value; to a tape it is the variable itself."""
        watch_access(self)
        return Tensor(self._array, self._dtype, id=self._id)

    def read_value(self) -> Tensor:
        return OPS["identity"](self)

    def initialized_value(self) -> Tensor:
        return self.read_value()

    def numpy(self) -> Any:
        return self._array.copy() if self._array.ndim else self._array[()]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self._array, dtype=dtype)

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

    def __len__(self) -> int:
        return len(self.value())

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.value())

    def __getitem__(self, key: Any) -> SliceOfVariable:
        t = OPS["getitem"](self, key)
        return SliceOfVariable(self, key, t)

    # ---------------------------------------------------------------------------------------- writing

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> ResourceVariable | None:
        """Replace the value. ValueError for another shape."""
        t = convert_to_tensor(value, dtype=self.dtype)
        if not self._shape.is_compatible_with(t._array.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self._name}': Shape mismatch."
                f"The variable shape {self.shape}, and the assigned value shape {t.shape} are incompatible."
            )
        self._array = np.array(t._array)
        return self if read_value else None

    def assign_add(self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> ResourceVariable | None:
        return self._change(np.add, delta, read_value)

    def assign_sub(self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> ResourceVariable | None:
        return self._change(np.subtract, delta, read_value)

    def _change(self, ufunc: Any, delta: Any, read_value: bool) -> ResourceVariable | None:
        d = convert_to_tensor(delta, dtype=self.dtype)
        return self.assign(Tensor(ufunc(self._array, d._array), self._dtype), read_value=read_value)

    def _assign_at(self, key: Any, value: Any) -> ResourceVariable:
        new = self._array.copy()
        new[key] = convert_to_tensor(value, dtype=self.dtype)._array
        self._array = new
        return self

    def _scatter(self, name: str, indices: Any, updates: Any) -> ResourceVariable:
        with_now = OPS[name](Tensor(self._array, self._dtype), indices, updates)
        self._array = np.array(with_now._array)
        return self

    def _scatter_slices(self, name: str, slices: IndexedSlices) -> ResourceVariable:
        return self._scatter(name, OPS["expand_dims"](slices.indices, -1), slices.values)

    def scatter_update(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> ResourceVariable:
        return self._scatter_slices("tensor_scatter_nd_update", sparse_delta)

    def scatter_add(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> ResourceVariable:
        return self._scatter_slices("tensor_scatter_nd_add", sparse_delta)

    def scatter_sub(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> ResourceVariable:
        return self._scatter_slices("tensor_scatter_nd_sub", sparse_delta)

    def scatter_max(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> ResourceVariable:
        return self._scatter_slices("tensor_scatter_nd_max", sparse_delta)

    def scatter_min(self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None) -> ResourceVariable:
        return self._scatter_slices("tensor_scatter_nd_min", sparse_delta)

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        return OPS["gather"](self, indices)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        return OPS["gather_nd"](self, indices)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> ResourceVariable:
        return self._scatter("tensor_scatter_nd_update", indices, updates)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> ResourceVariable:
        return self._scatter("tensor_scatter_nd_add", indices, updates)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> ResourceVariable:
        return self._scatter("tensor_scatter_nd_sub", indices, updates)

    def __deepcopy__(self, memo: Any) -> ResourceVariable:
        return ResourceVariable(self._array, trainable=self._trainable, name=self._name[:-2], constraint=self.constraint, shape=self._shape)

    def __repr__(self) -> str:
        return f"<tf.Variable '{self._name}' shape={self.shape} dtype={self.dtype.name}, numpy={_text(self._array, True, self._dtype is not None)}>"


class SliceOfVariable(Tensor):
    """What `v[key]` gives: a tensor that also writes that part of the variable."""

    __slots__ = ("_key", "_variable")

    def __init__(self, variable: ResourceVariable, key: Any, value: Tensor) -> None:
        super().__init__(value._array, value._dtype, id=value._id)
        self._variable, self._key = variable, key

    def assign(self, value: Any, name: str | None = None) -> ResourceVariable:
        return self._variable._assign_at(self._key, value)

    def assign_add(self, value: Any, name: str | None = None) -> ResourceVariable:
        return self.assign(Tensor(self._variable._array[self._key]) + value)

    def assign_sub(self, value: Any, name: str | None = None) -> ResourceVariable:
        return self.assign(Tensor(self._variable._array[self._key]) - value)


Variable = ResourceVariable
