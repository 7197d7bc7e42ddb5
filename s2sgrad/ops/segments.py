"""Segment sums, products, means and extremes: rows that share a number are joined."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.eager import operation, takes_tensors
from s2sgrad.errors import InvalidArgumentError
from s2sgrad.operators import OPS
from s2sgrad.tensor import Tensor, convert_to_tensor

# Segments. Rows with a negative segment number are left out. `missing` is what a segment without rows holds.


def _by_segment(data, segment_ids):
    """The segment numbers in one axis, and the rows of the data for each of them."""
    ids = np.asarray(segment_ids)
    return np.reshape(ids, -1), np.reshape(data, (-1,) + data.shape[ids.ndim :])


@operation(tensors=("data", "segment_ids"), index=("segment_ids",))
def _segment_sum(data, segment_ids, num_segments):
    ids, rows = _by_segment(data, segment_ids)
    out = np.zeros((num_segments,) + rows.shape[1:], dtype=rows.dtype)
    for i in range(ids.shape[0]):
        if ids[i] >= 0:
            out[ids[i]] += rows[i]
    return out


@operation(tensors=("data", "segment_ids"), index=("segment_ids",))
def _segment_prod(data, segment_ids, num_segments):
    ids, rows = _by_segment(data, segment_ids)
    out = np.ones((num_segments,) + rows.shape[1:], dtype=rows.dtype)
    for i in range(ids.shape[0]):
        if ids[i] >= 0:
            out[ids[i]] *= rows[i]
    return out


@operation(tensors=("data", "segment_ids"), index=("segment_ids",))
def _segment_mean(data, segment_ids, num_segments, root=False):
    """Sums divided by the number of rows, or by its square root."""
    ids, rows = _by_segment(data, segment_ids)
    out = np.zeros((num_segments,) + rows.shape[1:], dtype=rows.dtype)
    count = np.zeros(num_segments, dtype=rows.dtype)
    for i in range(ids.shape[0]):
        if ids[i] >= 0:
            out[ids[i]] += rows[i]
            count[ids[i]] += 1
    count = np.maximum(count, 1)
    if root:
        count = np.sqrt(count)
    return out / np.reshape(count, (-1,) + (1,) * (out.ndim - 1))


def _extreme(data, segment_ids, num_segments, missing, lowest):
    ids, rows = _by_segment(data, segment_ids)
    out = np.full((num_segments,) + rows.shape[1:], missing, dtype=rows.dtype)
    met = np.zeros(num_segments, dtype=np.bool_)
    for i in range(ids.shape[0]):
        k = ids[i]
        if k >= 0:
            if not met[k]:
                out[k] = rows[i]
                met[k] = True
            elif lowest:
                out[k] = np.minimum(out[k], rows[i])
            else:
                out[k] = np.maximum(out[k], rows[i])
    return out


def _extreme_rule(data, segment_ids, dy, num_segments, missing, lowest):
    """Rows that share the extreme value share its gradient evenly."""
    ids, rows = _by_segment(data, segment_ids)
    out = _extreme(data, segment_ids, num_segments, missing, lowest)
    ties = np.zeros(out.shape, dtype=rows.dtype)
    for i in range(ids.shape[0]):
        if ids[i] >= 0:
            ties[ids[i]] += rows[i] == out[ids[i]]
    grad = np.zeros(rows.shape, dtype=rows.dtype)
    for i in range(ids.shape[0]):
        if ids[i] >= 0:
            grad[i] = np.where(rows[i] == out[ids[i]], dy[ids[i]] / ties[ids[i]], 0)
    return np.reshape(grad, data.shape)


def _max_rule(data, segment_ids, dy, num_segments, missing=0):
    return _extreme_rule(data, segment_ids, dy, num_segments, missing, False)


def _min_rule(data, segment_ids, dy, num_segments, missing=0):
    return _extreme_rule(data, segment_ids, dy, num_segments, missing, True)


@operation(tensors=("data", "segment_ids"), index=("segment_ids",), rules={"data": _max_rule}, spliced=True)
def _segment_max(data, segment_ids, num_segments, missing=0):
    return _extreme(data, segment_ids, num_segments, missing, False)


@operation(tensors=("data", "segment_ids"), index=("segment_ids",), rules={"data": _min_rule}, spliced=True)
def _segment_min(data, segment_ids, num_segments, missing=0):
    return _extreme(data, segment_ids, num_segments, missing, True)


def _unsorted(segment_ids: Any, num_segments: Any) -> tuple[Tensor, int]:
    """The segment numbers, checked, and how many there are."""
    ids, n = convert_to_tensor(segment_ids), int(num_segments)
    bad = np.argwhere(ids._array >= n)
    if len(bad):
        at = tuple(int(k) for k in bad[0])
        raise InvalidArgumentError(f"segment_ids{list(at)} = {ids._array[at]} is out of range [0, {n}) [Op:UnsortedSegment]")
    return ids, n


def _limit(dtype, highest):
    info = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    return info.max if highest else info.min


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Sums of the rows of `data` by segment number; rows with a negative number are left out."""
    return OPS["_segment_sum"](data, *_unsorted(segment_ids, num_segments))


def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    return OPS["_segment_prod"](data, *_unsorted(segment_ids, num_segments))


def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    return OPS["_segment_mean"](data, *_unsorted(segment_ids, num_segments))


def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """Sums divided by the square root of the number of rows."""
    return OPS["_segment_mean"](data, *_unsorted(segment_ids, num_segments), root=True)


def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The largest rows by segment number; the lowest number of the dtype for a segment without rows."""
    t = convert_to_tensor(data)
    return OPS["_segment_max"](t, *_unsorted(segment_ids, num_segments), missing=_limit(t._array.dtype, False))


def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    t = convert_to_tensor(data)
    return OPS["_segment_min"](t, *_unsorted(segment_ids, num_segments), missing=_limit(t._array.dtype, True))


def _sorted(segment_ids: Any) -> tuple[Tensor, int]:
    """Ascending segment numbers, and how many segments they name."""
    ids = convert_to_tensor(segment_ids)
    if (np.diff(ids._array) < 0).any():
        raise InvalidArgumentError("segment ids are not increasing [Op:Segment]")
    return ids, int(ids._array[-1]) + 1 if ids._array.size else 0


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Sums of the rows of `data` by ascending segment number."""
    return OPS["_segment_sum"](data, *_sorted(segment_ids))


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    return OPS["_segment_prod"](data, *_sorted(segment_ids))


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    return OPS["_segment_mean"](data, *_sorted(segment_ids))


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    return OPS["_segment_max"](data, *_sorted(segment_ids))


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    return OPS["_segment_min"](data, *_sorted(segment_ids))


# The same inside compiled code.


def _count(segment_ids):
    ids = np.asarray(segment_ids)
    return ids[ids.shape[0] - 1] + 1 if ids.shape[0] > 0 else 0


def _sum(data, segment_ids, name=None):
    return _segment_sum.fn(data, segment_ids, _count(segment_ids))


def _prod(data, segment_ids, name=None):
    return _segment_prod.fn(data, segment_ids, _count(segment_ids))


def _mean(data, segment_ids, name=None):
    return _segment_mean.fn(data, segment_ids, _count(segment_ids))


def _max(data, segment_ids, name=None):
    return _segment_max(data, segment_ids, _count(segment_ids), 0)


def _min(data, segment_ids, name=None):
    return _segment_min(data, segment_ids, _count(segment_ids), 0)


def _unsorted_mean(data, segment_ids, num_segments, name=None):
    return _segment_mean.fn(data, segment_ids, num_segments)


def _unsorted_sqrt_n(data, segment_ids, num_segments, name=None):
    return _segment_mean.fn(data, segment_ids, num_segments, True)


def _unsorted_max(data, segment_ids, num_segments, name=None):
    return _segment_max(data, segment_ids, num_segments, _limit(data.dtype, False))


def _unsorted_min(data, segment_ids, num_segments, name=None):
    return _segment_min(data, segment_ids, num_segments, _limit(data.dtype, True))


for _f, _g in (
    (segment_sum, _sum),
    (segment_prod, _prod),
    (segment_mean, _mean),
    (segment_max, _max),
    (segment_min, _min),
    (unsorted_segment_sum, _segment_sum.fn),
    (unsorted_segment_prod, _segment_prod.fn),
    (unsorted_segment_mean, _unsorted_mean),
    (unsorted_segment_sqrt_n, _unsorted_sqrt_n),
    (unsorted_segment_max, _unsorted_max),
    (unsorted_segment_min, _unsorted_min),
):
    _f.__s2sgrad_numpy__ = _g  # type: ignore

for _f in (segment_sum, segment_prod, segment_mean, segment_max, segment_min, unsorted_segment_sum, unsorted_segment_prod,
           unsorted_segment_mean, unsorted_segment_sqrt_n, unsorted_segment_max, unsorted_segment_min):  # fmt: skip
    takes_tensors(_f, "data", "segment_ids", index=("segment_ids",))
