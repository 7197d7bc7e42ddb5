"""Further functions of the `math`, `linalg` and `nn` namespaces: Bessel functions, losses, properties of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.eager import operation
from s2sgrad.library.windows import bessel_series
from s2sgrad.operators import OPS
from s2sgrad.ops.elementwise import _each, _math, _ndtri
from s2sgrad.shapes import TensorShape
from s2sgrad.tensor import Tensor, convert_to_tensor


def _scaled(x, order):
    """exp(-|x|) I(|x|) of order 0 or 1, divided by |x| for order 1: the series where it is short, else the asymptotic expansion."""
    a = np.abs(x)
    near = np.where(a < 30.0, a, 0.0)
    far = np.where(a < 30.0, 30.0, a)
    series = np.exp(-near) * bessel_series(near, order) * (0.5 if order == 1 else 1.0)
    term = far * 0.0 + 1.0
    total = term
    for k in range(1, 25):
        term = term * ((2 * k - 1) ** 2 - 4 * order) / (8.0 * k * far)
        total = total + term
    tail = total / np.sqrt(6.283185307179586 * far)
    return np.where(a < 30.0, series, tail / far if order == 1 else tail)


@operation()
def bessel_i0e(x):
    return _scaled(x, 0).astype(x.dtype)


@operation()
def bessel_i1e(x):
    return (x * _scaled(x, 1)).astype(x.dtype)


@operation()
def bessel_i0(x):
    return (np.exp(np.abs(x)) * _scaled(x, 0)).astype(x.dtype)


@operation()
def bessel_i1(x):
    return (x * np.exp(np.abs(x)) * _scaled(x, 1)).astype(x.dtype)


def _erfcinv_rule(x, dy):
    return -dy * (0.8862269254527579 * np.exp(np.square(_erfcinv(x))))


def _erfcinv(x):
    return -0.7071067811865476 * _ndtri(0.5 * x)


@operation(rules={"x": _erfcinv_rule}, spliced=True)
def erfcinv(x):
    return _erfcinv(x).astype(x.dtype)


@operation()
def lbeta(x):
    return np.sum(_each(_math.lgamma, x), axis=-1) - _each(_math.lgamma, np.sum(x, axis=-1))


@operation(links=())
def invert_permutation(x):
    return np.argsort(x).astype(x.dtype)


@operation(links=())
def is_non_decreasing(x):
    flat = np.reshape(x, -1)
    return np.all(flat[1:] >= flat[:-1])


@operation(links=())
def is_strictly_increasing(x):
    flat = np.reshape(x, -1)
    return np.all(flat[1:] > flat[:-1])


# ------------------------------------------------------------------------------------------- linear algebra


@operation(tensors=("a",), links=())
def matrix_rank(a, tol=None):
    s = np.linalg.svd(a, compute_uv=False)
    eps = np.finfo(a.dtype).eps
    least = eps * max(a.shape[-2], a.shape[-1]) * np.max(s, axis=-1, keepdims=True) if tol is None else tol
    return np.sum(s > least, axis=-1).astype(np.int32)


@operation()
def _tridiagonal(upper, main, lower, rhs):
    below = np.concatenate((np.zeros_like(rhs[..., :1, :]), rhs[..., :-1, :]), axis=-2)
    above = np.concatenate((rhs[..., 1:, :], np.zeros_like(rhs[..., :1, :])), axis=-2)
    return np.expand_dims(main, -1) * rhs + np.expand_dims(upper, -1) * above + np.expand_dims(lower, -1) * below


def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None) -> Tensor:
    """A tridiagonal matrix times `rhs`; "compact": [..., 3, n], "sequence": a tuple of the three diagonals (upper, main, lower), each of length n."""
    if diagonals_format not in ("compact", "sequence"):
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}. Use 'compact' or 'sequence'.")
    d = diagonals if diagonals_format == "sequence" else OPS["_unstack_rows"](diagonals)
    return OPS["_tridiagonal"](d[0], d[1], d[2], rhs)


@operation()
def _unstack_rows(x):
    return x[..., 0, :], x[..., 1, :], x[..., 2, :]


# ------------------------------------------------------------------------------------------- losses


@operation(tensors=("targets", "log_input"))
def log_poisson_loss(targets, log_input, compute_full_loss=False):
    loss = np.exp(log_input) - log_input * targets
    if not compute_full_loss:
        return loss
    safe = np.where(targets > 1.0, targets, 1.0)
    stirling = safe * np.log(safe) - safe + 0.5 * np.log(6.283185307179586 * safe)
    return loss + np.where(targets > 1.0, stirling, 0.0)


@operation()
def weighted_cross_entropy_with_logits(labels, logits, pos_weight):
    weight = 1.0 + (pos_weight - 1.0) * labels
    return (1.0 - labels) * logits + weight * np.logaddexp(0.0, -logits)


@operation(tensors=("x", "frequency_weights"))
def weighted_moments(x, axes, frequency_weights, keepdims=False):
    w = frequency_weights + np.zeros_like(x)
    total = np.sum(w, axis=axes, keepdims=True)
    mean = np.sum(w * x, axis=axes, keepdims=True) / total
    variance = np.sum(w * (x - mean) * (x - mean), axis=axes, keepdims=True) / total
    if keepdims:
        return mean, variance
    return np.squeeze(mean, axis=axes), np.squeeze(variance, axis=axes)


# ------------------------------------------------------------------------------------------- shapes


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape that two shapes broadcast to."""
    return TensorShape(np.broadcast_shapes(tuple(TensorShape(shape_x)), tuple(TensorShape(shape_y))))  # type: ignore[arg-type]


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    x, y = convert_to_tensor(shape_x), convert_to_tensor(shape_y)
    return Tensor(np.array(np.broadcast_shapes(tuple(x._array), tuple(y._array)), dtype=x._array.dtype))


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """The coordinates of flat indices, one row per dimension."""
    at = convert_to_tensor(indices)._array
    return Tensor(np.stack(np.unravel_index(at, tuple(convert_to_tensor(dims)._array))).astype(at.dtype))


__all__ = ["broadcast_dynamic_shape", "broadcast_static_shape", "unravel_index"]
