"""Reductions, cumulative sums and products, sorting."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from s2sgrad.eager import operation, takes_tensors
from s2sgrad.operators import OPS
from s2sgrad.tensor import Tensor

__all__ = [
    "argmax",
    "argmin",
    "argsort",
    "cumprod",
    "cumsum",
    "norm",
    "reduce_all",
    "reduce_any",
    "reduce_euclidean_norm",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "searchsorted",
    "sort",
    "top_k",
]


def _axis(statics: dict[str, Any]) -> None:
    """A list of axes becomes a tuple; no axes at all reduce nothing."""
    statics["axis"] = _plain(statics["axis"])
    if "keepdims" in statics:
        statics["keepdims"] = bool(statics["keepdims"])


def _plain(axis: Any) -> Any:
    from s2sgrad.eager import static

    return static(axis)


def _lowest(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return np.max(input_tensor, axis=axis, keepdims=keepdims, initial=_limit(input_tensor.dtype, "min"))


def _highest(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return np.min(input_tensor, axis=axis, keepdims=keepdims, initial=_limit(input_tensor.dtype, "max"))


def _limit(dtype: Any, which: str) -> Any:
    return (-np.inf if which == "min" else np.inf) if dtype.kind == "f" else getattr(np.iinfo(dtype), which)


def _no_mean(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    total = np.sum(input_tensor, axis=axis, keepdims=keepdims)
    return total / (np.size(input_tensor) / max(np.size(total), 1))


def _no_logsumexp(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return np.log(np.sum(np.exp(input_tensor), axis=axis, keepdims=keepdims))


@operation(as_input=True, prepare=_axis)
def reduce_sum(input_tensor, axis=None, keepdims=False):
    return np.sum(input_tensor, axis=axis, keepdims=keepdims, dtype=input_tensor.dtype)


@operation(as_input=True, prepare=_axis, empty=_no_mean)
def reduce_mean(input_tensor, axis=None, keepdims=False):
    return np.mean(input_tensor, axis=axis, keepdims=keepdims).astype(input_tensor.dtype)


@operation(as_input=True, prepare=_axis)
def reduce_prod(input_tensor, axis=None, keepdims=False):
    return np.prod(input_tensor, axis=axis, keepdims=keepdims, dtype=input_tensor.dtype)


def _extreme_rule(input_tensor, dy, axis=None, keepdims=False, largest=True):
    """Ties share evenly; where nothing equals the extremum (nan), all is nan."""
    top = np.max(input_tensor, axis=axis, keepdims=True) if largest else np.min(input_tensor, axis=axis, keepdims=True)
    hit = (input_tensor == top).astype(input_tensor.dtype)
    if axis is not None and not keepdims:
        dy = np.expand_dims(dy, axis)
    return hit / np.sum(hit, axis=axis, keepdims=True) * dy


def _max_rule(input_tensor, dy, axis=None, keepdims=False):
    return _extreme_rule(input_tensor, dy, axis, keepdims, True)


def _min_rule(input_tensor, dy, axis=None, keepdims=False):
    return _extreme_rule(input_tensor, dy, axis, keepdims, False)


@operation(prepare=_axis, empty=_lowest, rules={"input_tensor": _max_rule})
def reduce_max(input_tensor, axis=None, keepdims=False):
    return np.max(input_tensor, axis=axis, keepdims=keepdims)


@operation(prepare=_axis, empty=_highest, rules={"input_tensor": _min_rule})
def reduce_min(input_tensor, axis=None, keepdims=False):
    return np.min(input_tensor, axis=axis, keepdims=keepdims)


@operation(prepare=_axis, links=())
def reduce_all(input_tensor, axis=None, keepdims=False):
    return np.all(input_tensor, axis=axis, keepdims=keepdims)


@operation(prepare=_axis, links=())
def reduce_any(input_tensor, axis=None, keepdims=False):
    return np.any(input_tensor, axis=axis, keepdims=keepdims)


@operation(prepare=_axis)
def reduce_variance(input_tensor, axis=None, keepdims=False):
    d = input_tensor - np.mean(input_tensor, axis=axis, keepdims=True)
    return np.mean(d * d, axis=axis, keepdims=keepdims)


@operation(prepare=_axis)
def reduce_std(input_tensor, axis=None, keepdims=False):
    d = input_tensor - np.mean(input_tensor, axis=axis, keepdims=True)
    return np.sqrt(np.mean(d * d, axis=axis, keepdims=keepdims))


@operation(prepare=_axis)
def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False):
    return np.sqrt(np.sum(input_tensor * input_tensor, axis=axis, keepdims=keepdims))


@operation(prepare=_axis, empty=_no_logsumexp)
def reduce_logsumexp(input_tensor, axis=None, keepdims=False):
    top = np.max(input_tensor, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    inner = np.log(np.sum(np.exp(input_tensor - top), axis=axis, keepdims=True)) + top
    return np.sum(inner, axis=axis, keepdims=keepdims)


@operation(links=())
def count_nonzero(input, axis=None, keepdims=False):
    return np.sum(input != 0, axis=axis, keepdims=keepdims)


@operation(links=())
def argmax(input, axis=0, output_type="int64"):
    return np.argmax(input, axis=axis).astype(output_type)


@operation(links=())
def argmin(input, axis=0, output_type="int64"):
    return np.argmin(input, axis=axis).astype(output_type)


@operation(as_input=True)
def cumsum(x, axis=0, exclusive=False, reverse=False):
    y = np.moveaxis(x, axis, 0)
    if reverse:
        y = y[::-1]
    c = np.cumsum(y, axis=0, dtype=x.dtype)
    if exclusive:
        c = np.concatenate((np.zeros_like(c[:1]), c[:-1]), axis=0)
    if reverse:
        c = c[::-1]
    return np.moveaxis(c, 0, axis)


@operation(as_input=True)
def cumprod(x, axis=0, exclusive=False, reverse=False):
    y = np.moveaxis(x, axis, 0)
    if reverse:
        y = y[::-1]
    c = np.cumprod(y, axis=0, dtype=x.dtype)
    if exclusive:
        c = np.concatenate((np.ones_like(c[:1]), c[:-1]), axis=0)
    if reverse:
        c = c[::-1]
    return np.moveaxis(c, 0, axis)


@operation(as_input=True)
def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False):
    y = np.moveaxis(x, axis, 0)
    if reverse:
        y = y[::-1]
    out = np.empty_like(y)
    for k in range(y.shape[0]):
        if exclusive:
            out[k] = np.logaddexp(out[k - 1], y[k - 1]) if k > 0 else np.full_like(y[k], -np.inf)
        else:
            out[k] = np.logaddexp(out[k - 1], y[k]) if k > 0 else y[k]
    if reverse:
        out = out[::-1]
    return np.moveaxis(out, 0, axis)


@operation(tensors=("targets", "predictions"), index=("targets",), links=())
def in_top_k(targets, predictions, k):
    best = np.take_along_axis(predictions, np.expand_dims(targets, -1), axis=-1)
    return np.logical_and(np.sum(predictions > best, axis=-1) < k, np.isfinite(np.squeeze(best, axis=-1)))


@operation()
def sort(values, axis=-1, direction="ASCENDING"):
    s = np.sort(values, axis=axis)
    if direction == "DESCENDING":
        s = np.flip(s, axis=axis)
    return s


@operation(links=())
def argsort(values, axis=-1, direction="ASCENDING", stable=False):
    if direction == "DESCENDING":
        values = -values
    return np.argsort(values, axis=axis, kind="stable").astype(np.int32)


@operation(index=("values",), links=())
def searchsorted(sorted_sequence, values, side="left"):
    return np.searchsorted(sorted_sequence, values, side=side).astype(np.int32)


TopK = namedtuple("TopK", "values indices")


@operation()
def top_k(input, k=1, sorted=True):
    order = np.argsort(-input, axis=-1, kind="stable")[..., :k]
    return TopK(np.take_along_axis(input, order, axis=-1), order.astype(np.int32))


def norm(tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool | None = None, name: str | None = None) -> Tensor:
    """A vector norm ('euclidean', 1, 2, inf or any p > 0), over all elements or along `axis`; 'fro' is the euclidean one."""
    keep = bool(keepdims)
    if ord in ("euclidean", "fro", 2):
        return OPS["reduce_euclidean_norm"](tensor, axis=axis, keepdims=keep)
    if ord == 1:
        return OPS["_norm1"](tensor, axis=axis, keepdims=keep)
    if ord == np.inf:
        return OPS["_norm_inf"](tensor, axis=axis, keepdims=keep)
    if isinstance(ord, (int, float)) and ord > 0:
        return OPS["_norm_p"](tensor, ord=float(ord), axis=axis, keepdims=keep)
    raise ValueError(f"'ord' must be a supported vector norm, got {ord}")


@operation(prepare=_axis)
def _norm1(tensor, axis=None, keepdims=False):
    return np.sum(np.abs(tensor), axis=axis, keepdims=keepdims)


@operation(prepare=_axis)
def _norm_inf(tensor, axis=None, keepdims=False):
    return np.max(np.abs(tensor), axis=axis, keepdims=keepdims)


@operation(prepare=_axis)
def _norm_p(tensor, ord=2.0, axis=None, keepdims=False):
    return np.sum(np.abs(tensor) ** ord, axis=axis, keepdims=keepdims) ** (1.0 / ord)


def _norm_in_compiled_code(tensor, ord="euclidean", axis=None, keepdims=False, name=None):
    if ord == 1:
        return np.sum(np.abs(tensor), axis=axis, keepdims=keepdims)
    if ord == np.inf:
        return np.max(np.abs(tensor), axis=axis, keepdims=keepdims)
    if ord == "euclidean" or ord == "fro" or ord == 2:
        return np.sqrt(np.sum(tensor * tensor, axis=axis, keepdims=keepdims))
    return np.sum(np.abs(tensor) ** ord, axis=axis, keepdims=keepdims) ** (1.0 / ord)


norm.__s2sgrad_numpy__ = _norm_in_compiled_code  # type: ignore[attr-defined]
OPS["norm"] = norm

takes_tensors(norm, "tensor")
