"""Scatters and segment sums: several elements may go to one place."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.eager import operation, static
from s2sgrad.operators import OPS
from s2sgrad.ops.shaping import _check_range
from s2sgrad.tensor import Tensor, convert_to_tensor

__all__ = [
    "scatter_nd",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
]


@operation(index=("rows",))
def _scatter_add(tensor, rows, updates):
    y = tensor.copy()
    for i in range(rows.shape[0]):
        y[rows[i]] += updates[i]
    return y


@operation(index=("rows",))
def _scatter_update(tensor, rows, updates):
    y = tensor.copy()
    for i in range(rows.shape[0]):
        y[rows[i]] = updates[i]
    return y


@operation(index=("rows",))
def _scatter_max(tensor, rows, updates):
    y = tensor.copy()
    for i in range(rows.shape[0]):
        y[rows[i]] = np.maximum(y[rows[i]], updates[i])
    return y


@operation(index=("rows",))
def _scatter_min(tensor, rows, updates):
    y = tensor.copy()
    for i in range(rows.shape[0]):
        y[rows[i]] = np.minimum(y[rows[i]], updates[i])
    return y


def _scatter(name: str, tensor: Any, indices: Any, updates: Any) -> Tensor:
    """Index tuples become row numbers of the tensor with its leading axes joined."""
    t, at = convert_to_tensor(tensor), convert_to_tensor(indices)._array
    u = convert_to_tensor(updates, dtype=t.dtype) if not isinstance(updates, Tensor) else updates
    shape, depth = t._array.shape, at.shape[-1]
    for d in range(depth):
        _check_range(at[..., d], shape[d])
    rows = np.ravel(np.ravel_multi_index(tuple(np.moveaxis(at, -1, 0)), shape[:depth]))
    inner = shape[depth:]
    flat = OPS["reshape"](t, (-1, *inner)) if depth != 1 else t
    new = OPS["reshape"](u, (len(rows), *inner)) if u._array.shape != (len(rows), *inner) else u
    out = OPS[name](flat, rows, new)
    return OPS["reshape"](out, shape) if depth != 1 else out


def tensor_scatter_nd_add(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A copy of the tensor with the updates added at the index tuples (repeated ones add up)."""
    return _scatter("_scatter_add", tensor, indices, updates)


def tensor_scatter_nd_sub(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    return _scatter("_scatter_add", tensor, indices, OPS["negative"](convert_to_tensor(updates, dtype=convert_to_tensor(tensor).dtype)))


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    return _scatter("_scatter_update", tensor, indices, updates)


def tensor_scatter_nd_max(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    return _scatter("_scatter_max", tensor, indices, updates)


def tensor_scatter_nd_min(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    return _scatter("_scatter_min", tensor, indices, updates)


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Tensor:
    u = convert_to_tensor(updates)
    return tensor_scatter_nd_add(Tensor(np.zeros(static(shape), u._array.dtype)), indices, u)


def _add_in_compiled_code(tensor, indices, updates, name=None):
    """Index tuples of one to three numbers, in a matrix."""
    at = np.asarray(indices)
    new = np.asarray(updates)
    depth = tensor.ndim - new.ndim + at.ndim - 1
    y = tensor.copy()
    for i in range(at.shape[0]):
        if depth == 1:
            y[at[i, 0]] += new[i]
        elif depth == 2:
            y[at[i, 0], at[i, 1]] += new[i]
        else:
            y[at[i, 0], at[i, 1], at[i, 2]] += new[i]
    return y


def _update_in_compiled_code(tensor, indices, updates, name=None):
    at = np.asarray(indices)
    new = np.asarray(updates)
    depth = tensor.ndim - new.ndim + at.ndim - 1
    y = tensor.copy()
    for i in range(at.shape[0]):
        if depth == 1:
            y[at[i, 0]] = new[i]
        elif depth == 2:
            y[at[i, 0], at[i, 1]] = new[i]
        else:
            y[at[i, 0], at[i, 1], at[i, 2]] = new[i]
    return y


tensor_scatter_nd_add.__s2sgrad_numpy__ = _add_in_compiled_code  # type: ignore[attr-defined]
tensor_scatter_nd_update.__s2sgrad_numpy__ = _update_in_compiled_code  # type: ignore[attr-defined]
for _f in (tensor_scatter_nd_add, tensor_scatter_nd_sub, tensor_scatter_nd_update, tensor_scatter_nd_max, tensor_scatter_nd_min):
    OPS[_f.__name__] = _f


@operation(tensors=("data", "segment_ids"), index=("segment_ids",))
def _segment_sum(data, segment_ids, num_segments):
    out = np.zeros((num_segments, *data.shape[1:]), dtype=data.dtype)
    ids = np.asarray(segment_ids)
    for i in range(ids.shape[0]):
        out[ids[i]] += data[i]
    return out


@operation(tensors=("data", "segment_ids"), index=("segment_ids",))
def _segment_prod(data, segment_ids, num_segments):
    out = np.ones((num_segments, *data.shape[1:]), dtype=data.dtype)
    ids = np.asarray(segment_ids)
    for i in range(ids.shape[0]):
        out[ids[i]] *= data[i]
    return out


def _extreme(name: str, lowest: bool) -> Any:
    def segment(data: Any, segment_ids: Any, num_segments: Any, name_: str | None = None) -> Tensor:
        t = convert_to_tensor(data)
        kind = np.finfo if t.dtype.is_floating else np.iinfo
        start = getattr(kind(t._array.dtype), "min" if lowest else "max")
        base = Tensor(np.full((int(num_segments), *t._array.shape[1:]), start, t._array.dtype))
        return OPS["_scatter_max" if lowest else "_scatter_min"](base, convert_to_tensor(segment_ids), t)

    segment.__name__ = name
    return segment


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Sums of the rows of `data` by segment number."""
    return OPS["_segment_sum"](data, segment_ids, num_segments)


def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    return OPS["_segment_prod"](data, segment_ids, num_segments)


unsorted_segment_max = _extreme("unsorted_segment_max", True)
unsorted_segment_min = _extreme("unsorted_segment_min", False)


def _counts(segment_ids: Any, n: int, like: Tensor) -> Tensor:
    c = np.maximum(np.bincount(convert_to_tensor(segment_ids)._array.ravel(), minlength=n), 1)
    return Tensor(c.reshape(n, *(1,) * (like.ndim - 1)).astype(like._array.dtype))


def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    t = convert_to_tensor(data)
    return unsorted_segment_sum(t, segment_ids, num_segments) / _counts(segment_ids, int(num_segments), t)


def _last(segment_ids: Any) -> int:
    ids = convert_to_tensor(segment_ids)._array
    return int(ids[-1]) + 1 if ids.size else 0


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    return unsorted_segment_sum(data, segment_ids, _last(segment_ids))


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    return unsorted_segment_prod(data, segment_ids, _last(segment_ids))


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    return unsorted_segment_mean(data, segment_ids, _last(segment_ids))


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    return unsorted_segment_max(data, segment_ids, _last(segment_ids))


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    return unsorted_segment_min(data, segment_ids, _last(segment_ids))
