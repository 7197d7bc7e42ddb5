"""Activations, losses and normalisations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sgrad.eager import operation, takes_tensors
from s2sgrad.operators import OPS
from s2sgrad.ops.elementwise import _each
from s2sgrad.ops.reductions import _axis
from s2sgrad.tensor import Tensor, convert_to_tensor


@operation(kink=True)
def relu(features):
    return np.where(features <= 0, 0, features)


@operation(kink=True)
def crelu(features, axis=-1):
    return np.concatenate((np.where(features <= 0, 0, features), np.where(features >= 0, 0, -features)), axis=axis)


@operation(kink=True)
def relu6(features):
    return np.where(features <= 0, 0, np.where(features >= 6, 6, features))


@operation()
def leaky_relu(features, alpha=0.2):
    return np.where(features > 0, features, alpha * features)


@operation()
def elu(features):
    return np.where(features < 0, np.expm1(np.minimum(features, 0)), features)


@operation()
def selu(features):
    return 1.0507009873554805 * np.where(features < 0, 1.6732632423543772 * np.expm1(np.minimum(features, 0)), features)


@operation()
def silu(features, beta=1.0):
    return features * np.exp(-np.logaddexp(0, -beta * features))


@operation()
def softsign(features):
    return features / (1 + np.abs(features))


@operation()
def _gelu_tanh(features):
    return 0.5 * features * (1 + np.tanh(0.7978845608028654 * (features + 0.044715 * features * features * features)))


@operation()
def _gelu_erf(features):
    return 0.5 * features * (1 + _each(math.erf, features / 1.4142135623730951))


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    return OPS["_gelu_tanh" if approximate else "_gelu_erf"](features)


@operation(prepare=_axis)
def softmax(logits, axis=-1):
    e = np.exp(logits - np.max(logits, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


@operation(prepare=_axis)
def log_softmax(logits, axis=-1):
    d = logits - np.max(logits, axis=axis, keepdims=True)
    return d - np.log(np.sum(np.exp(d), axis=axis, keepdims=True))


@operation()
def l2_loss(t):
    return np.sum(t * t) / 2


@operation(prepare=_axis)
def l2_normalize(x, axis=None, epsilon=1e-12):
    return x * (1 / np.sqrt(np.maximum(np.sum(x * x, axis=axis, keepdims=True), epsilon)))


@operation()
def sigmoid_cross_entropy_with_logits(labels, logits):
    return np.logaddexp(0, logits) - logits * labels


@operation()
def _softmax_cross_entropy(labels, logits):
    d = logits - np.max(logits, axis=-1, keepdims=True)
    return np.sum(labels * (np.log(np.sum(np.exp(d), axis=-1, keepdims=True)) - d), axis=-1)


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    if axis != -1:
        labels, logits = (np.moveaxis(np.asarray(v), axis, -1) if not isinstance(v, Tensor) else _last(v, axis) for v in (labels, logits))
    return OPS["_softmax_cross_entropy"](labels, logits)


def _last(t: Tensor, axis: int) -> Tensor:
    order = [k for k in range(t.ndim) if k != axis % t.ndim]
    return OPS["transpose"](t, [*order, axis % t.ndim])


def _sparse_in_compiled_code(labels, logits, name=None):
    d = logits - np.max(logits, axis=-1, keepdims=True)
    picked = np.take_along_axis(d, np.expand_dims(np.asarray(labels), -1), axis=-1)
    return np.log(np.sum(np.exp(d), axis=-1)) - np.squeeze(picked, axis=-1)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    t = convert_to_tensor(logits)
    hot = np.arange(t._array.shape[-1]) == convert_to_tensor(labels)._array[..., None]
    return OPS["_softmax_cross_entropy"](hot.astype(t._array.dtype), t)


def moments(x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None) -> tuple[Tensor, Tensor]:
    return OPS["reduce_mean"](x, axis=axes, keepdims=keepdims), OPS["reduce_variance"](x, axis=axes, keepdims=keepdims)


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float, name: str | None = None
) -> Tensor:
    t = convert_to_tensor(x)
    inv = OPS["rsqrt"](variance + variance_epsilon)
    inv = inv if scale is None else inv * scale
    out = t * inv - mean * inv
    return out if offset is None else out + offset


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Tensor:
    return convert_to_tensor(value) + bias


def dropout(x: Any, rate: float, noise_shape: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    t = convert_to_tensor(x)
    shape = t.shape if noise_shape is None else noise_shape
    keep = OPS["random_uniform"](shape, seed=seed)._array >= rate
    return t * (keep / (1.0 - rate)).astype(t._array.dtype)


def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Tensor:
    return OPS["gather"](params, ids)


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    return Tensor(np.float32(np.mean(convert_to_tensor(value)._array == 0)))


# Clipping by norms: compositions of the operations above.


@operation(tensors=("t", "clip_norm"))
def clip_by_norm(t, clip_norm, axes=None):
    total = np.sum(t * t, axis=axes, keepdims=True)
    length = np.where(total > 0, np.sqrt(np.where(total > 0, total, 1)), total)
    return t * clip_norm / np.maximum(length, clip_norm)


def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The euclidean norm of several tensors together (None entries are left out)."""
    return OPS["sqrt"](OPS["add_n"]([OPS["reduce_sum"](t * t) for t in map(convert_to_tensor, (x for x in t_list if x is not None))]))


def clip_by_global_norm(t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None) -> tuple[list[Any], Tensor]:
    """The tensors scaled so that their global norm is at most `clip_norm`, and the norm before."""
    norm = global_norm(t_list) if use_norm is None else convert_to_tensor(use_norm)
    scale = clip_norm * OPS["minimum"](1.0 / norm, 1.0 / clip_norm) + (norm - norm)  # nan where the norm is not finite
    return [None if t is None else convert_to_tensor(t) * scale for t in t_list], norm


# The same compositions inside compiled code, on arrays.


def _global_norm(t_list, name=None):
    total = 0
    for t in t_list:
        total = total + np.sum(t * t)
    return np.sqrt(total)


def _clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    norm = _global_norm(t_list) if use_norm is None else use_norm
    scale = clip_norm * np.minimum(1.0 / norm, 1.0 / clip_norm) + (norm - norm)
    return [t * scale for t in t_list], norm


def _moments(x, axes, shift=None, keepdims=False, name=None):
    m = np.mean(x, axis=_tuple(axes), keepdims=True)
    v = np.mean((x - m) * (x - m), axis=_tuple(axes), keepdims=keepdims)
    return np.mean(x, axis=_tuple(axes), keepdims=keepdims), v


def _tuple(axes):
    return tuple(axes) if isinstance(axes, list) else axes


def _batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    inv = 1 / np.sqrt(variance + variance_epsilon)
    if scale is not None:
        inv = inv * scale
    out = x * inv - mean * inv
    return out if offset is None else out + offset


def _zero_fraction(value, name=None):
    return np.mean(value == 0).astype(np.float32)


def _bias_add(value, bias, data_format=None, name=None):
    return value + bias


for _f, _g in (
    (sparse_softmax_cross_entropy_with_logits, _sparse_in_compiled_code),
    (global_norm, _global_norm),
    (clip_by_global_norm, _clip_by_global_norm),
    (moments, _moments),
    (batch_normalization, _batch_normalization),
    (bias_add, _bias_add),
    (zero_fraction, _zero_fraction),
):
    _f.__s2sgrad_numpy__ = _g  # type: ignore

takes_tensors(sparse_softmax_cross_entropy_with_logits, "labels", "logits", index=("labels",))
takes_tensors(global_norm, "t_list", lists=("t_list",))
takes_tensors(clip_by_global_norm, "t_list", lists=("t_list",))
takes_tensors(moments, "x")
takes_tensors(batch_normalization, "x", "mean", "variance", "offset", "scale", name="multiply")
takes_tensors(bias_add, "value", "bias", name="add")
takes_tensors(zero_fraction, "value")
