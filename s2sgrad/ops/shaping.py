"""Shapes, slices, joins: operations that move elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad.eager import Kernel, Op, differentiable, function_of_text, operation, static, takes_tensors
from s2sgrad.eager import tapes as _tapes
from s2sgrad.errors import InvalidArgumentError
from s2sgrad.library.table import refuse
from s2sgrad.operators import OPS, Operators
from s2sgrad.tensor import Tensor, convert_to_tensor

__all__ = [
    "boolean_mask",
    "broadcast_to",
    "concat",
    "ensure_shape",
    "expand_dims",
    "gather",
    "gather_nd",
    "newaxis",
    "pad",
    "repeat",
    "reshape",
    "reverse",
    "roll",
    "slice",
    "split",
    "squeeze",
    "stack",
    "strided_slice",
    "tile",
    "transpose",
    "unstack",
    "where",
]
newaxis = None


def _shape(statics: dict[str, Any]) -> None:
    dims = static(statics["shape"])
    statics["shape"] = dims if isinstance(dims, tuple) else (dims,)


def _same_size(tensor: Tensor, shape: Any) -> None:
    have, want = tensor._array.size, int(np.prod(shape, dtype=int))
    if -1 not in shape and have != want:
        raise InvalidArgumentError(f"Input to reshape is a tensor with {have} values, but the requested shape has {want} [Op:Reshape]")


@operation(tensors=("tensor",), prepare=_shape, check=_same_size)
def reshape(tensor, shape):
    return np.reshape(tensor, shape)


@operation(tensors=("a",))
def transpose(a, perm=None, conjugate=False):
    if conjugate:
        a = np.conj(a)
    return np.transpose(a, perm)


@operation()
def matrix_transpose(a, conjugate=False):
    if conjugate:
        a = np.conj(a)
    return np.swapaxes(a, -2, -1)


def _int_axis(statics: dict[str, Any]) -> None:
    statics["axis"] = int(static(statics["axis"]))


@operation(tensors=("input",), prepare=_int_axis)
def expand_dims(input, axis):
    return np.expand_dims(input, axis)


@operation(tensors=("input",))
def _squeeze(input, axis):
    return np.squeeze(input, axis=axis)


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Without axes of extent 1 (all of them, or those named)."""
    t = convert_to_tensor(input)
    named = static(axis)
    chosen = tuple(k for k, n in enumerate(t._array.shape) if n == 1) if named is None or named == () else named
    return OPS["_squeeze"](t, chosen) if chosen != () else OPS["identity"](t)


def _squeeze_in_compiled_code(input, axis=None, name=None):
    return np.squeeze(input, axis=axis)


squeeze.__s2sgrad_numpy__ = _squeeze_in_compiled_code  # type: ignore[attr-defined]


def _prepare_broadcast(statics: dict[str, Any]) -> None:
    _shape(statics)


@operation(tensors=("input",), prepare=_prepare_broadcast)
def broadcast_to(input, shape):
    return np.broadcast_to(input, shape)


@operation(lists=("values",), tensors=("values",))
def concat(values, axis):
    return np.concatenate(values, axis=axis)


@operation(lists=("values",), tensors=("values",))
def stack(values, axis=0):
    return np.stack(values, axis=axis)


@operation(tensors=("input",))
def tile(input, multiples):
    return np.tile(input, multiples)


@operation(tensors=("input",))
def repeat(input, repeats, axis=None):
    return np.repeat(input, repeats, axis=axis)


@operation(tensors=("tensor",))
def reverse(tensor, axis):
    return np.flip(tensor, axis=axis)


@operation(tensors=("input",))
def roll(input, shift, axis):
    return np.roll(input, shift, axis=axis)


@operation(tensors=("tensor",))
def _pad(tensor, paddings, constant_values=0):
    return np.pad(tensor, paddings, mode="constant", constant_values=constant_values)


@operation(tensors=("tensor",))
def _pad_mirror(tensor, paddings, mode):
    return np.pad(tensor, paddings, mode=mode)


def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None) -> Tensor:
    """Grow a tensor on each side; `mode` is CONSTANT, REFLECT or SYMMETRIC."""
    kind = mode.lower()
    if kind == "constant":
        return OPS["_pad"](tensor, paddings, constant_values=constant_values)
    if kind not in ("reflect", "symmetric"):
        raise ValueError(f"Value of argument `mode` expected to be one of 'CONSTANT', 'REFLECT', or 'SYMMETRIC'. Received `mode` = {mode}")
    return OPS["_pad_mirror"](tensor, paddings, kind)


@operation(tensors=("params", "indices"), index=("indices",))
def _gather(params, indices, axis=0):
    return np.take(params, indices, axis=axis)


@operation(tensors=("params", "indices"), index=("indices",))
def _gather_rows(params, indices):
    return params[indices]


def gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: int = 0, name: str | None = None
) -> Tensor:
    """The slices of `params` along `axis` that `indices` names (negative ones are refused, as is anything past the end).

    batch_dims: so many leading axes are shared by `params` and `indices`.
    """
    p, i = convert_to_tensor(params), convert_to_tensor(indices)
    b = int(batch_dims) + (i.ndim if batch_dims < 0 else 0)
    k = b if axis is None else int(static(axis))
    k += p.ndim if k < 0 else 0
    _check_range(i._array, p._array.shape[k])
    if b:
        return OPS["_gather_batches"](p, i, axis=k, batch_dims=b)
    return OPS["_gather_rows"](p, i) if k == 0 and i.ndim == 1 else OPS["_gather"](p, i, axis=k)


@operation(tensors=("params", "indices"), index=("indices",))
def _gather_batches(params, indices, axis, batch_dims):
    """Each batch on its own: batches in one axis, what lies between them and `axis` in a second."""
    batches = 1
    for d in range(batch_dims):
        batches = batches * params.shape[d]
    between = 1
    for d in range(batch_dims, axis):
        between = between * params.shape[d]
    table = np.reshape(params, (batches, between) + params.shape[axis:])
    at = np.reshape(indices, (batches, -1))
    out = np.empty((batches, between, at.shape[1]) + params.shape[axis + 1 :], dtype=params.dtype)
    for i in range(batches):
        out[i] = np.take(table[i], at[i], axis=1)
    return np.reshape(out, params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1 :])


def _gather_in_compiled_code(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    at = np.asarray(indices)
    b = batch_dims if batch_dims >= 0 else batch_dims + at.ndim
    k = b if axis is None else axis
    if k < 0:
        k = k + params.ndim
    _refuse_range(at, params.shape[k])
    if b > 0:
        return _gather_batches.fn(params, at, k, b)
    return np.take(params, at, axis=k)


gather.__s2sgrad_numpy__ = _gather_in_compiled_code  # type: ignore[attr-defined]


def _refuse_range(at, n):
    """`_check_range` in compiled code."""
    if np.any(at < 0) or np.any(at >= n):
        raise InvalidArgumentError("an index is out of range [Op:GatherV2]")


def _check_range(at: np.ndarray, n: int) -> None:
    bad = (at < 0) | (at >= n)
    if bad.any():
        where_ = tuple(int(k) for k in np.argwhere(bad)[0])
        raise InvalidArgumentError(f"indices{list(where_)} = {at[where_]} is not in [0, {n}) [Op:GatherV2]")


def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: str | None = None) -> Tensor:
    """The elements or slices of `params` at the index tuples in the last axis of `indices`."""
    p, i = convert_to_tensor(params), convert_to_tensor(indices)._array
    depth = i.shape[-1]
    for d in range(depth):
        _check_range(i[..., d], p._array.shape[d])
    inner = p._array.shape[depth:]
    flat = np.ravel_multi_index(tuple(np.moveaxis(i, -1, 0)), p._array.shape[:depth]) if depth else np.zeros(i.shape[:-1], int)
    rows = OPS["_gather_rows"](OPS["reshape"](p, (-1, *inner)), np.ravel(flat))
    return OPS["reshape"](rows, (*i.shape[:-1], *inner))


def _gather_nd_in_compiled_code(params, indices, batch_dims=0, name=None):
    """The length of the index tuples decides the rank of the result: it is known where they are written out."""
    if not isinstance(indices, (list, tuple)):
        refuse("gather_nd in compiled code needs index tuples written as a list: their length decides the rank of the result")
    depth = _tuple_length(indices)
    at = np.asarray(indices)
    rows = at[..., 0]
    _refuse_range(rows, params.shape[0])
    for d in range(1, depth):
        _refuse_range(at[..., d], params.shape[d])
        rows = rows * params.shape[d] + at[..., d]
    return np.take(np.reshape(params, (-1,) + params.shape[depth:]), rows, axis=0)


def _tuple_length(indices):
    if not isinstance(indices[0], (list, tuple)):
        return len(indices)
    if not isinstance(indices[0][0], (list, tuple)):
        return len(indices[0])
    return len(indices[0][0])


OPS["gather"], OPS["gather_nd"] = gather, gather_nd
gather_nd.__s2sgrad_numpy__ = _gather_nd_in_compiled_code  # type: ignore[attr-defined]


@operation(index=("condition",))
def _where(condition, x, y):
    return np.where(condition, x, y)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Elements of `x` where the condition holds, else of `y`; with the condition alone, the indices where it holds."""
    if x is None and y is None:
        return Tensor(np.argwhere(convert_to_tensor(condition)._array))
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return OPS["_where"](condition, x, y)


def _where_in_compiled_code(condition, x=None, y=None, name=None):
    if x is None:
        return np.argwhere(np.asarray(condition))
    return OPS["_where"](condition, x, y)


where.__s2sgrad_numpy__ = _where_in_compiled_code  # type: ignore[attr-defined]


def boolean_mask(tensor: Any, mask: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    t, m = convert_to_tensor(tensor), convert_to_tensor(mask)._array
    k = axis or 0
    flat = OPS["reshape"](t, (*t._array.shape[:k], -1, *t._array.shape[k + m.ndim :]))
    return OPS["_gather"](flat, np.flatnonzero(m), axis=k)


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    t = convert_to_tensor(value)
    lead = (builtin_slice(None),) * (axis % t.ndim)
    return [t[(*lead, k)] for k in range(t._array.shape[axis])]


def split(value: Any, num_or_size_splits: Any, axis: int = 0, num: int | None = None, name: str = "split") -> list[Tensor]:
    t, sizes = convert_to_tensor(value), static(num_or_size_splits)
    n = t._array.shape[axis]
    if isinstance(sizes, int):
        if n % sizes:
            raise InvalidArgumentError(f"Dimension size, {n}, is not evenly divisible by num_split {sizes} [Op:Split]")
        sizes = (n // sizes,) * sizes
    if -1 in sizes:
        sizes = tuple(n - (sum(sizes) + 1) if s == -1 else s for s in sizes)
    if sum(sizes) != n:
        raise InvalidArgumentError(f"Sizes {list(sizes)} of the parts do not sum to {n} [Op:SplitV]")
    lead, out, at = (builtin_slice(None),) * (axis % t.ndim), [], 0
    for s in sizes:
        out.append(t[(*lead, builtin_slice(at, at + s))])
        at += s
    return out


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    b, n = static(begin), static(size)
    return convert_to_tensor(input_)[tuple(builtin_slice(p, None if s == -1 else p + s) for p, s in zip(b, n, strict=True))]


def strided_slice(input_: Any, begin: Any, end: Any, strides: Any = None, name: str | None = None) -> Tensor:
    b, e = static(begin), static(end)
    s = static(strides) if strides is not None else (1,) * len(b)
    return convert_to_tensor(input_)[tuple(builtin_slice(*k) for k in zip(b, e, s, strict=True))]


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    t = convert_to_tensor(x)
    if not t.shape.is_compatible_with(shape):
        raise InvalidArgumentError(f"Shape of tensor x {t.shape} is not compatible with expected shape {shape}. [Op:EnsureShape]")
    return OPS["identity"](t)


import builtins  # noqa: E402  (after the names that hide builtins are defined)

builtin_slice, range = builtins.slice, builtins.range


# The same compositions inside compiled code, on arrays.


def _ensure_shape_in_compiled_code(x, shape, name=None):
    if x.ndim != len(shape):
        raise InvalidArgumentError("the rank of tensor x is not compatible with the expected shape. [Op:EnsureShape]")
    for k in range(x.ndim):
        if shape[k] is not None:
            if x.shape[k] != shape[k]:
                raise InvalidArgumentError("the shape of tensor x is not compatible with the expected shape. [Op:EnsureShape]")
    return x


def _split_in_compiled_code(value, num_or_size_splits, axis=0, num=None, name=None):
    if isinstance(num_or_size_splits, int):
        return np.split(value, num_or_size_splits, axis=axis)
    ends = []
    at = 0
    for n in num_or_size_splits:
        at += n
        ends.append(at)
    return np.split(value, ends[:-1], axis=axis)


def _unstack_in_compiled_code(value, num=None, axis=0, name=None):
    """A list as long as the array; in a list that is unpacked the length must be known (`num`, or a shape that is fixed)."""
    n = value.shape[axis] if num is None else num
    if n != value.shape[axis]:
        raise InvalidArgumentError("the number of slices is not the extent of the axis [Op:Unpack]")
    return [np.take(value, k, axis=axis) for k in range(n)]


def _slice_in_compiled_code(input_, begin, size, name=None):
    return input_[tuple(builtin_slice(p, None if s == -1 else p + s) for p, s in zip(begin, size))]


def _boolean_mask_in_compiled_code(tensor, mask, axis=None, name=None):
    if axis is None or axis == 0:
        return tensor[mask]
    if mask.ndim > 1:
        refuse("a boolean mask of several axes that does not begin at the first is not supported in compiled code")
    return np.moveaxis(np.moveaxis(tensor, axis, 0)[mask], 0, axis)


for _f, _g in (
    (split, _split_in_compiled_code),
    (slice, _slice_in_compiled_code),
    (boolean_mask, _boolean_mask_in_compiled_code),
    (unstack, _unstack_in_compiled_code),
    (ensure_shape, _ensure_shape_in_compiled_code),
):
    _f.__s2sgrad_numpy__ = _g  # type: ignore


class GetItem:
    """`tensor[key]`: whole numbers of the key are arguments of the plain function, so that loops over indices share one."""

    def __init__(self) -> None:
        self.kernels: dict[str, Kernel] = {}

    def __call__(self, tensor: Any, key: Any) -> Tensor:
        t = convert_to_tensor(tensor)
        items = key if isinstance(key, tuple) else (key,)
        if len(items) == 1 and isinstance(items[0], (Tensor, np.ndarray)) and np.asarray(items[0]).dtype == bool:
            return boolean_mask(t, items[0])
        numbers: list[int] = []
        text = ", ".join(self.item(i, numbers) for i in items)
        try:
            value = t._array[tuple(self.plain(i) for i in items)]
        except IndexError as e:
            raise InvalidArgumentError(f"{_out_of_bounds(items, t._array.shape) or e} [Op:StridedSlice]") from e
        out = Tensor(value, t._dtype)
        if _tapes() and differentiable(t):
            kernel = self.kernels.get(text) or self.kernels.setdefault(text, self.kernel(text, len(numbers)))
            kernel.note([t, *(Tensor(np.int64(n)) for n in numbers)], [out])
        return out

    def kernel(self, text: str, count: int) -> Kernel:
        params = "".join(f", i{k}" for k in range(count))
        fn = function_of_text(f"def getitem(tensor{params}):\n    return tensor[{text}]\n", "getitem", {})
        return Kernel(fn, "getitem", lambda kernel, inputs, outputs: [[0]])

    def item(self, i: Any, numbers: list[int]) -> str:
        if i is None or i is Ellipsis:
            return "None" if i is None else "..."
        if isinstance(i, builtin_slice):
            ends = ["" if e is None else self.number(e, numbers) for e in (i.start, i.stop)]
            step = "" if i.step is None or int(i.step) == 1 else f":{int(i.step)}"
            return f"{ends[0]}:{ends[1]}{step}"
        return self.number(i, numbers)

    def number(self, i: Any, numbers: list[int]) -> str:
        ok = isinstance(i, (int, np.integer)) and not isinstance(i, bool)
        ok = ok or isinstance(i, (Operators, np.ndarray)) and i.ndim == 0 and np.asarray(i).dtype.kind in "iu"
        if not ok:
            raise TypeError(
                "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
                f"tf.int32/tf.int64 tensors are valid indices, got {i!r}"
            )
        numbers.append(int(i))
        return f"i{len(numbers) - 1}"

    def plain(self, i: Any) -> Any:
        if isinstance(i, builtin_slice):
            return builtin_slice(*(None if e is None else int(e) for e in (i.start, i.stop, i.step)))
        return i if i is None or i is Ellipsis else int(i)


def _out_of_bounds(items: Sequence[Any], shape: Sequence[int]) -> str:
    if Ellipsis in items or None in items:
        return ""
    if len(items) > len(shape):
        return f"Index out of range using input dim {len(shape)}; input has only {len(shape)} dims"
    for d, i in enumerate(items):
        if not isinstance(i, builtin_slice) and not -shape[d] <= int(i) < shape[d]:
            return f"slice index {int(i)} of dimension {d} out of bounds."
    return ""


OPS["getitem"] = GetItem()
assert isinstance(reshape, Op)

takes_tensors(squeeze, "input")
takes_tensors(gather, "params", "indices", index=("indices",))
takes_tensors(gather_nd, "params")
takes_tensors(boolean_mask, "tensor", "mask", index=("mask",))
takes_tensors(unstack, "value")
takes_tensors(split, "value")
takes_tensors(slice, "input_")
takes_tensors(ensure_shape, "x")
