"""Linear algebra."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from s2sgrad.eager import operation, takes_tensors
from s2sgrad.errors import InvalidArgumentError
from s2sgrad.operators import OPS
from s2sgrad.ops.reductions import _norm_in_compiled_code as _norm
from s2sgrad.rules.casts import stop_gradient
from s2sgrad.tensor import Tensor, convert_to_tensor

__all__ = ["einsum", "matmul", "tensordot"]


def _matrices(a: Tensor, b: Tensor, **_: Any) -> None:
    for t in (a, b):
        if t.ndim < 2:
            raise InvalidArgumentError(f"In[0] and In[1] ndims must be == 2: {t.ndim} [Op:MatMul]")
    n, m = a._array.shape, b._array.shape
    if _["transpose_a"] or _["adjoint_a"]:
        n = (*n[:-2], n[-1], n[-2])
    if _["transpose_b"] or _["adjoint_b"]:
        m = (*m[:-2], m[-1], m[-2])
    if n[-1] != m[-2]:
        shapes = [str(list(t.shape)).replace(" ", "") for t in (a, b)]
        raise InvalidArgumentError(f"Matrix size-incompatible: In[0]: {shapes[0]}, In[1]: {shapes[1]} [Op:MatMul]")


@operation(check=_matrices)
def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False):
    if transpose_a:
        a = np.swapaxes(a, -2, -1)
    if adjoint_a:
        a = np.conj(np.swapaxes(a, -2, -1))
    if transpose_b:
        b = np.swapaxes(b, -2, -1)
    if adjoint_b:
        b = np.conj(np.swapaxes(b, -2, -1))
    return a @ b


@operation()
def matvec(a, b, transpose_a=False):
    if transpose_a:
        a = np.swapaxes(a, -2, -1)
    return np.sum(a * np.expand_dims(b, -2), axis=-1)


@operation(tensors=("a", "b"))
def tensordot(a, b, axes):
    return np.tensordot(a, b, axes)


@operation(lists=("inputs",), tensors=("inputs",))
def _einsum(inputs, equation):
    return np.einsum(equation, *inputs)


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """The sum of products that the equation names, as in `einsum("ij,jk->ik", a, b)`."""
    return OPS["_einsum"](list(inputs), equation)


def _einsum_in_compiled_code(equation, *inputs, optimize="greedy", name=None):
    return OPS["_einsum"](list(inputs), equation)


einsum.__s2sgrad_numpy__ = _einsum_in_compiled_code  # type: ignore[attr-defined]


@operation()
def det(input):
    return np.linalg.det(input)


@operation()
def inv(input, adjoint=False):
    if adjoint:
        input = np.conj(np.swapaxes(input, -2, -1))
    return np.linalg.inv(input)


@operation()
def solve(matrix, rhs, adjoint=False):
    if adjoint:
        matrix = np.conj(np.swapaxes(matrix, -2, -1))
    return np.linalg.solve(matrix, rhs)


def _symmetric(matrix):
    """The matrix itself, whose gradient is shared by both triangles (the factorisation reads the lower one)."""
    mean = 0.5 * (matrix + np.conj(np.swapaxes(matrix, -2, -1)))
    return mean + stop_gradient(matrix - mean)


@operation()
def cholesky(input):
    return np.linalg.cholesky(_symmetric(input))


@operation()
def logdet(matrix):
    return 2 * np.sum(np.log(np.diagonal(np.linalg.cholesky(_symmetric(matrix)), axis1=-2, axis2=-1)), axis=-1)


@operation()
def pinv(a):
    return np.linalg.pinv(a)


LogDet = namedtuple("LogDet", "sign log_abs_determinant")
QR = namedtuple("QR", "q r")


@operation()
def slogdet(input):
    sign, logabs = np.linalg.slogdet(input)
    return LogDet(sign, logabs)


@operation()
def eigh(tensor):
    w, v = np.linalg.eigh(tensor)
    return w, v


@operation()
def eigvalsh(tensor):
    w, _ = np.linalg.eigh(tensor)
    return w


@operation()
def _svd(tensor):
    u, s, vt = np.linalg.svd(tensor, full_matrices=False)
    return s, u, np.swapaxes(vt, -2, -1)


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """(s, u, v) with tensor = u @ diag(s) @ transpose(v), or s alone."""
    if full_matrices:
        u, s, vt = np.linalg.svd(convert_to_tensor(tensor)._array)
        return (Tensor(s), Tensor(u), Tensor(np.swapaxes(vt, -2, -1))) if compute_uv else Tensor(s)
    out = OPS["_svd"](tensor)
    return out if compute_uv else out[0]


@operation()
def _qr(input):
    q, r = np.linalg.qr(input)
    return QR(q, r)


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    return OPS["_qr"](input)


@operation()
def trace(x):
    return np.sum(np.diagonal(x, axis1=-2, axis2=-1), axis=-1)


@operation()
def diag_part(input):
    return np.diagonal(input, axis1=-2, axis2=-1)


@operation()
def tensor_diag_part(input):
    return np.diagonal(input)


@operation()
def diag(diagonal):
    n = diagonal.shape[-1]
    return np.where(np.eye(n) > 0, np.expand_dims(diagonal, -1), 0).astype(diagonal.dtype)


@operation()
def tensor_diag(diagonal):
    n = diagonal.shape[0]
    return np.where(np.eye(n) > 0, np.expand_dims(diagonal, -1), 0).astype(diagonal.dtype)


@operation(tensors=("input",))
def band_part(input, num_lower, num_upper):
    rows, columns = input.shape[-2], input.shape[-1]
    d = np.expand_dims(np.arange(rows), 1) - np.expand_dims(np.arange(columns), 0)
    keep = (d <= (num_lower if num_lower >= 0 else rows)) & (-d <= (num_upper if num_upper >= 0 else columns))
    return np.where(keep, input, 0)


@operation()
def set_diag(input, diagonal):
    m = input.copy()
    for i in range(diagonal.shape[-1]):
        m[..., i, i] = diagonal[..., i]
    return m


@operation()
def expm(input):
    """The exponential by its series on a scaled matrix, squared again."""
    norm = np.max(np.sum(np.abs(input), axis=-1)) if input.size > 0 else 0.0
    squarings = 0
    while norm > 0.125:
        norm = norm / 2
        squarings += 1
    a = input / 2.0**squarings
    one = np.eye(input.shape[-1], dtype=input.dtype)
    e = one + a * 0
    for k in range(13, 0, -1):
        e = one + (a @ e) / k
    for _ in range(squarings):
        e = e @ e
    return e


@operation()
def cross(a, b):
    return np.cross(a, b)


@operation()
def triangular_solve(matrix, rhs, lower=True, adjoint=False):
    m = np.tril(matrix) if lower else np.triu(matrix)
    if adjoint:
        m = np.conj(np.swapaxes(m, -2, -1))
    return np.linalg.solve(m, rhs)


@operation()
def cholesky_solve(chol, rhs):
    return np.linalg.solve(chol @ np.swapaxes(chol, -2, -1), rhs)


def _lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    at = np.swapaxes(matrix, -2, -1)
    return np.linalg.solve(at @ matrix + l2_regularizer * np.eye(matrix.shape[-1], dtype=matrix.dtype), at @ rhs)


def lstsq(matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None) -> Tensor:
    """The least-squares solution by the normal equations, with an optional ridge."""
    a = convert_to_tensor(matrix)
    at = OPS["matrix_transpose"](a)
    gram = OPS["matmul"](at, a)
    if l2_regularizer:
        gram = gram + l2_regularizer * np.eye(a._array.shape[-1], dtype=a._array.dtype)
    return OPS["solve"](gram, OPS["matmul"](at, rhs))


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    return OPS["matrix_transpose"](matrix, conjugate=convert_to_tensor(matrix).dtype.is_complex)


def _adjoint(matrix, name=None):
    return np.conj(np.swapaxes(matrix, -2, -1))


lstsq.__s2sgrad_numpy__ = _lstsq  # type: ignore[attr-defined]
adjoint.__s2sgrad_numpy__ = _adjoint  # type: ignore[attr-defined]


def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The tensor divided by its norm, and the norm."""
    t = convert_to_tensor(tensor)
    norm = OPS["norm"](t, ord=ord, axis=axis, keepdims=True)
    return t / norm, norm


def _normalize(tensor, ord="euclidean", axis=None, name=None):
    norm = _norm(tensor, ord, axis, True)
    return tensor / norm, norm


normalize.__s2sgrad_numpy__ = _normalize  # type: ignore[attr-defined]

takes_tensors(lstsq, "matrix", "rhs")
takes_tensors(adjoint, "matrix")
takes_tensors(normalize, "tensor")
