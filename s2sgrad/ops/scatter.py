"""Scatters and segment sums: several elements may go to one place."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.eager import operation, static, takes_tensors
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


# The same inside compiled code. How many numbers an index tuple has must be clear from the ranks.


def _plan(tensor, indices, updates):
    """Row numbers of the index tuples in the tensor with its leading axes joined, that tensor, and the updates by row."""
    at, new = np.asarray(indices), np.asarray(updates)
    depth = tensor.ndim - new.ndim + at.ndim - 1
    rows = at[..., 0]
    for d in range(1, depth):
        rows = rows * tensor.shape[d] + at[..., d]
    inner = tensor.shape[depth:]
    return np.reshape(tensor, (-1,) + inner), np.reshape(rows, -1), np.reshape(new, (-1,) + inner)


def _add_in_compiled_code(tensor, indices, updates, name=None):
    flat, rows, new = _plan(tensor, indices, updates)
    return np.reshape(_scatter_add.fn(flat, rows, new), tensor.shape)


def _sub_in_compiled_code(tensor, indices, updates, name=None):
    return _add_in_compiled_code(tensor, indices, -np.asarray(updates))


def _update_in_compiled_code(tensor, indices, updates, name=None):
    flat, rows, new = _plan(tensor, indices, updates)
    return np.reshape(_scatter_update.fn(flat, rows, new), tensor.shape)


def _max_in_compiled_code(tensor, indices, updates, name=None):
    flat, rows, new = _plan(tensor, indices, updates)
    return np.reshape(_scatter_max.fn(flat, rows, new), tensor.shape)


def _min_in_compiled_code(tensor, indices, updates, name=None):
    flat, rows, new = _plan(tensor, indices, updates)
    return np.reshape(_scatter_min.fn(flat, rows, new), tensor.shape)


def _scatter_nd_in_compiled_code(indices, updates, shape, name=None):
    return _add_in_compiled_code(np.zeros(shape, dtype=updates.dtype), indices, updates)


for _f, _g in (
    (tensor_scatter_nd_add, _add_in_compiled_code),
    (tensor_scatter_nd_sub, _sub_in_compiled_code),
    (tensor_scatter_nd_update, _update_in_compiled_code),
    (tensor_scatter_nd_max, _max_in_compiled_code),
    (tensor_scatter_nd_min, _min_in_compiled_code),
    (scatter_nd, _scatter_nd_in_compiled_code),
):
    _f.__s2sgrad_numpy__ = _g  # type: ignore
for _f in (tensor_scatter_nd_add, tensor_scatter_nd_sub, tensor_scatter_nd_update, tensor_scatter_nd_max, tensor_scatter_nd_min):
    OPS[_f.__name__] = _f

for _f in (tensor_scatter_nd_add, tensor_scatter_nd_sub, tensor_scatter_nd_update, tensor_scatter_nd_max, tensor_scatter_nd_min):
    takes_tensors(_f, "tensor", "indices", "updates", index=("indices",))
takes_tensors(scatter_nd, "indices", "updates", index=("indices",))
