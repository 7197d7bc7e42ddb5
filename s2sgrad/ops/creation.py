"""Tensors made from nothing: zeros, ones, ranges, identity matrices."""

from __future__ import annotations

import builtins
from collections import namedtuple
from typing import Any

import numpy as np

from s2sgrad import dtypes
from s2sgrad.eager import operation, static, takes_tensors
from s2sgrad.operators import OPS
from s2sgrad.tensor import Tensor, convert_to_tensor, make, to_array
from s2sgrad.tensor import _constant_in_compiled_code as _compiled_constant

__all__ = [
    "eye",
    "fill",
    "linspace",
    "meshgrid",
    "one_hot",
    "ones",
    "ones_like",
    "range",
    "rank",
    "sequence_mask",
    "shape",
    "size",
    "zeros",
    "zeros_like",
]


def _dims(shape: Any) -> tuple[int, ...]:
    dims = static(shape)
    return dims if isinstance(dims, tuple) else (int(dims),)


def _made(a: np.ndarray, dtype: Any) -> Tensor:
    want = dtypes.as_dtype(dtype)
    return make(a.astype(want.dtype), want)


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    return _made(np.zeros(_dims(shape)), dtype)


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    return _made(np.ones(_dims(shape)), dtype)


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    t = convert_to_tensor(value)
    return OPS["broadcast_to"](t, _dims(dims))


def zeros_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    t = convert_to_tensor(input)
    return _made(np.zeros(t._array.shape), dtype or t.dtype)


def ones_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    t = convert_to_tensor(input)
    return _made(np.ones(t._array.shape), dtype or t.dtype)


def eye(num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    a = np.eye(int(num_rows), None if num_columns is None else int(num_columns))
    return _made(np.broadcast_to(a, (*_dims(batch_shape), *a.shape)) if batch_shape is not None else a, dtype)


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = None) -> Tensor:
    """`range(limit)` or `range(start, limit, delta)`: int32 for Python ints, float32 for floats."""
    if limit is None:
        start, limit = 0, start
    parts = [to_array(v)[()] for v in (start, limit, delta)]
    if dtype is None:
        order = ["int32", "int64", "float32", "float64"]
        dtype = max((p.dtype.name for p in parts), key=order.index)
    if parts[2] == 0:
        raise ValueError("Requires delta != 0: 0")
    first, last, step = (p.item() for p in parts)
    return _made(np.arange(first, last, step), dtype)


@operation(tensors=("start", "stop"))
def _linspace_op(start, stop, num, axis=0):
    return np.linspace(start, stop, num, axis=axis).astype(start.dtype)


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    t = convert_to_tensor(start)
    t = t if t.dtype.is_floating else OPS["cast"](t, dtypes.float64)
    end = convert_to_tensor(stop, dtype_hint=t.dtype)
    return OPS["_linspace_op"](t, end if end.dtype == t.dtype else OPS["cast"](end, t.dtype), int(num), axis)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    at = convert_to_tensor(indices)._array
    on = 1 if on_value is None else to_array(on_value)[()]
    off = 0 if off_value is None else to_array(off_value)[()]
    if dtype is None:
        given = [v for v in (on_value, off_value) if v is not None]
        dtype = dtypes.as_dtype(to_array(given[0]).dtype) if given else dtypes.float32
    hot = np.where(at[..., None] == np.arange(int(depth)), on, off)
    return _made(np.moveaxis(hot, -1, at.ndim if axis in (None, -1) else axis), dtype)


def shape(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    return _made(np.array(convert_to_tensor(input)._array.shape, np.int64), out_type)


def size(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    return _made(np.array(convert_to_tensor(input)._array.size), out_type)


def rank(input: Any, name: str | None = None) -> Tensor:
    return _made(np.array(convert_to_tensor(input)._array.ndim), dtypes.int32)


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool, name: str | None = None) -> Tensor:
    n = convert_to_tensor(lengths)._array
    return _made(np.arange(int(n.max() if maxlen is None else maxlen)) < n[..., None], dtype)


def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    parts = [convert_to_tensor(a) for a in args]
    grid = np.broadcast_shapes() if not parts else tuple(p._array.size for p in parts)
    dims = list(grid)
    order: list[Any] = np.arange(len(parts)).tolist()
    if indexing == "xy" and len(parts) > 1:
        order[:2] = [1, 0]
        dims[:2] = dims[1::-1]
    out = []
    for k, p in enumerate(parts):
        at = [1] * len(parts)
        at[order.index(k)] = p._array.size
        out.append(OPS["broadcast_to"](OPS["reshape"](p, at), dims))
    return out


# The same functions inside compiled code, on arrays.


def _zeros(shape, dtype=np.float32, name=None):
    return np.zeros(shape, dtype)


def _ones(shape, dtype=np.float32, name=None):
    return np.ones(shape, dtype)


def _zeros_like(input, dtype=None, name=None):
    return np.zeros_like(input) if dtype is None else np.zeros_like(input, dtype=dtype)


def _ones_like(input, dtype=None, name=None):
    return np.ones_like(input) if dtype is None else np.ones_like(input, dtype=dtype)


def _sequence_mask(lengths, maxlen=None, dtype=np.bool_, name=None):
    n = np.asarray(lengths)
    last = np.max(n) if maxlen is None else maxlen
    return (np.arange(last) < np.expand_dims(n, -1)).astype(dtype)


def _eye(num_rows, num_columns=None, batch_shape=None, dtype=np.float32, name=None):
    a = np.eye(num_rows, num_rows if num_columns is None else num_columns, dtype=dtype)
    return a if batch_shape is None else np.broadcast_to(a, (*batch_shape, *a.shape)).copy()


def _range(start, limit=None, delta=1, dtype=None, name=None):
    first = 0 if limit is None else start
    last = start if limit is None else limit
    if dtype is not None:
        return np.arange(first, last, delta, dtype=dtype)
    return _default(np.arange(first, last, delta), first, last, delta)


def _default(a, first, last, delta):
    """The widest dtype of the ends and the step, where Python numbers count as float32 and int32."""
    ends = (first, last, delta)
    if a.dtype.kind == "f":
        return a if any([isinstance(v, np.float64) for v in ends]) else a.astype(np.float32)
    return a if any([isinstance(v, np.int64) for v in ends]) else a.astype(np.int32)


def _vector(rank: int, dtype: str) -> Any:
    """The class of a shape that is a tensor: a tuple where a shape is asked for, an array in arithmetic and as a result."""
    made = namedtuple("Shape", [f"axis_{k}" for k in builtins.range(rank)])  # type: ignore[misc]
    made.__s2sgrad_vector__ = dtype  # type: ignore[attr-defined]
    return made


_SHAPES = {dtype: {rank: _vector(rank, dtype) for rank in builtins.range(9)} for dtype in ("int32", "int64")}


def _shape(input, out_type="int32", name=None):
    return _SHAPES["int64" if out_type == "int64" else "int32"][np.ndim(input)](*np.shape(input))


def _size(input, out_type=None, name=None):
    return input.size


def _rank(input, name=None):
    return input.ndim


def _linspace(start, stop, num, name=None, axis=0):
    return OPS["_linspace_op"](start, stop, num, axis)


def _one_hot(indices, depth, on_value=1, off_value=0, axis=-1, dtype=np.float32, name=None):
    hot = np.expand_dims(np.asarray(indices), -1) == np.arange(depth)
    return np.moveaxis(np.where(hot, on_value, off_value).astype(dtype), -1, axis)


def _meshgrid(*args, indexing="xy", name=None):
    return np.meshgrid(*[_compiled_constant(a) for a in args], indexing=indexing)


def _fill(dims, value, name=None):
    return np.full(dims, value)


for _f, _g in (
    (zeros, _zeros),
    (ones, _ones),
    (zeros_like, _zeros_like),
    (ones_like, _ones_like),
    (eye, _eye),
    (range, _range),
    (shape, _shape),
    (size, _size),
    (rank, _rank),
    (linspace, _linspace),
    (fill, _fill),
    (one_hot, _one_hot),
    (meshgrid, _meshgrid),
    (sequence_mask, _sequence_mask),
):
    _f.__s2sgrad_numpy__ = _g  # type: ignore
    OPS[_f.__name__] = _f

takes_tensors(zeros_like, "input")
takes_tensors(fill, "value")
takes_tensors(linspace, "start", "stop")
takes_tensors(ones_like, "input")
takes_tensors(shape, "input")
takes_tensors(size, "input")
takes_tensors(rank, "input")
takes_tensors(one_hot, "indices", index=("indices",))
