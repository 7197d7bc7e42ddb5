"""Norms, factorisations and products of matrices."""

from __future__ import annotations

import numpy as np

from s2sgrad.library.statistics import count
from s2sgrad.library.table import implements, refuse
from s2sgrad.rules.elementwise import length
from s2sgrad.rules.linalg import numerical_rank, whole_pinv


def squares(x):
    """Squared absolute values."""
    if x.dtype.kind == "c":
        return np.real(x * np.conj(x))
    return x * x


@implements(np.linalg.norm)
def norm(x, ord=None, axis=None, keepdims=False):
    a = np.asarray(x)
    if a.dtype.kind in "iub":
        a = a.astype(np.float64)
    if axis is None and (ord is None or a.ndim == 1 and ord == 2):
        return length(np.sum(squares(a), keepdims=keepdims))
    if axis is None and a.ndim == 1:
        return _vector_norm(a, ord, 0, keepdims)
    if axis is not None and not isinstance(axis, tuple):
        return _vector_norm(a, ord, axis, keepdims)
    if isinstance(axis, tuple) and len(axis) == 1:
        return _vector_norm(a, ord, axis[0], keepdims)
    if axis is None and a.ndim != 2:
        refuse("Improper number of dimensions to norm.")
    axes = (0, 1) if axis is None else axis
    n = _matrix_norm(np.moveaxis(a, axes, (-2, -1)), ord)
    return np.expand_dims(n, tuple(k % a.ndim for k in axes)) if keepdims else n


def _vector_norm(a, ord, axis, keepdims):
    """The p-norm along one axis."""
    if ord is None or ord == 2:
        return length(np.sum(squares(a), axis, keepdims=keepdims))
    if ord == np.inf:
        return np.max(np.abs(a), axis, keepdims=keepdims)
    if ord == -np.inf:
        return np.min(np.abs(a), axis, keepdims=keepdims)
    if ord == 1:
        return np.sum(np.abs(a), axis, keepdims=keepdims)
    if ord == 0:
        return np.sum((a != 0).astype(np.abs(a).dtype), axis, keepdims=keepdims)
    s = np.sum(np.abs(a) ** ord, axis, keepdims=keepdims)
    if ord < 1:
        return s ** (1.0 / ord)
    return np.where(s == 0, s, np.where(s == 0, 1.0, s) ** (1.0 / ord))  # at 0 the derivative is taken to be 0


def _matrix_norm(a, ord):
    """Norms of the matrices in the last two axes."""
    if ord is None or ord == "fro":
        return length(np.sum(squares(a), axis=(-2, -1)))
    if ord == "nuc":
        return np.sum(svdvals(a), axis=-1)
    if ord == 2:
        return np.max(svdvals(a), axis=-1)
    if ord == -2:
        return np.min(svdvals(a), axis=-1)
    if ord == 1 or ord == -1:
        sums = np.sum(np.abs(a), axis=-2)
    else:
        sums = np.sum(np.abs(a), axis=-1)
    return np.max(sums, axis=-1) if ord == 1 or ord == np.inf else np.min(sums, axis=-1)


@implements(getattr(np.linalg, "vector_norm", None))
def vector_norm(x, *, axis=None, keepdims=False, ord=2):
    a = np.asarray(x)
    if a.dtype.kind in "iub":
        a = a.astype(np.float64)
    if axis is None:
        n = _vector_norm(a.ravel(), ord, 0, False)
        return np.reshape(n, (1,) * a.ndim) if keepdims else n
    return _vector_norm(a, ord, axis, keepdims)


@implements(getattr(np.linalg, "svdvals", None))
def svdvals(x):
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    return s


@implements(np.linalg.eigvalsh)
def eigvalsh(a, UPLO="L"):
    w, v = np.linalg.eigh(a, UPLO)
    return w


@implements(np.linalg.eigvals)
def eigvals(a):
    w, v = np.linalg.eig(a)
    return w


@implements(np.linalg.cond)
def cond(x, p=None):
    if p is None or p == 2:
        s = svdvals(x)
        return s[..., 0] / s[..., s.shape[-1] - 1]
    if p == -2:
        s = svdvals(x)
        return s[..., s.shape[-1] - 1] / s[..., 0]
    return norm(x, p, (-2, -1)) * norm(np.linalg.inv(x), p, (-2, -1))


@implements(np.linalg.pinv)
def pinv(a, rcond=None, hermitian=False):
    if hermitian and np.asarray(a).dtype.kind == "c":
        refuse("np.linalg.pinv with hermitian=True for complex matrices is not supported")
    x = np.tril(a) + np.tril(a, -1).T if hermitian else a
    if rcond is None:
        return whole_pinv(x)
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    kept = s > rcond * np.max(s)
    return (np.conj(vh.T) * np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)) @ np.conj(u.T)


@implements(np.linalg.lstsq)
def lstsq(a, b, rcond=None):
    if rcond is None:
        rcond = float(np.finfo(a.dtype if a.dtype.kind in "fc" else np.float64).eps) * max(a.shape[0], a.shape[1])
    x = pinv(a, rcond) @ b if rcond > 1e-12 else whole_pinv(a, rcond) @ b
    s = svdvals(a)
    rank = np.sum(s > (float(np.finfo(s.dtype).eps) if rcond < 0 else rcond) * np.max(s))
    r = b - a @ x
    whole = np.atleast_1d(np.sum(squares(r), axis=0))
    residuals = whole[:whole.shape[0] if rank == a.shape[1] and a.shape[0] > a.shape[1] else 0]
    return x, residuals, np.int32(rank), s


@implements(np.linalg.matrix_rank)
def matrix_rank(A, tol=None, hermitian=False):
    if tol is None and not hermitian:
        return numerical_rank(A)
    s = np.abs(np.linalg.eigvalsh(A)) if hermitian else svdvals(A)
    limit = np.max(s) * max(A.shape) * float(np.finfo(s.dtype).eps) if tol is None else tol
    return np.sum(s > limit)


@implements(np.linalg.matrix_power)
def matrix_power(a, n):
    if n < 0:
        return matrix_power(np.linalg.inv(a), -n)
    if n == 0:
        return np.eye(a.shape[0], dtype=a.dtype)
    p = a.copy()
    for _ in range(n - 1):
        p = p @ a
    return p


@implements(np.linalg.multi_dot)
def multi_dot(arrays, *, out=None):
    p = arrays[0]
    for a in arrays[1:]:
        p = p @ a
    return p


@implements(np.cross)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    x = np.asarray(a)
    y = np.asarray(b)
    if x.shape[axisa if axis is None else axis] != 3 or y.shape[axisb if axis is None else axis] != 3:
        raise ValueError("np.cross takes vectors of three components here")
    if x.ndim == 1 and y.ndim == 1:
        return np.array([x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]])
    x = np.moveaxis(x, axisa if axis is None else axis, 0)
    y = np.moveaxis(y, axisb if axis is None else axis, 0)
    c = np.stack((x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]))
    return np.moveaxis(c, 0, axisc if axis is None else axis)


@implements(getattr(np, "vecdot", None), getattr(np.linalg, "vecdot", None))
def vecdot(x1, x2, axis=-1):
    return np.sum(np.conj(x1) * x2, axis=axis)


@implements(getattr(np.linalg, "matrix_norm", None))
def matrix_norm(x, *, keepdims=False, ord="fro"):
    return norm(x, ord, (-2, -1), keepdims)


@implements(np.linalg.tensorinv)
def tensorinv(a, ind=2):
    n = 1
    for k in range(ind, a.ndim):
        n = n * a.shape[k]
    return np.linalg.inv(a.reshape(n, -1)).reshape(a.shape[ind:] + a.shape[:ind])


@implements(np.linalg.tensorsolve)
def tensorsolve(a, b, axes=None):
    if axes is not None:
        refuse("np.linalg.tensorsolve with axes= is not supported")
    x = np.linalg.solve(a.reshape(b.size, -1), b.ravel())
    return x.reshape(a.shape[b.ndim:])


@implements(np.linalg.trace)
def matrix_trace(x, /, *, offset=0, dtype=None):
    return np.trace(x, offset, -2, -1, dtype)


@implements(np.linalg.diagonal)
def matrix_diagonal(x, /, *, offset=0):
    return np.diagonal(x, offset, -2, -1)


def mean_of_squares(x):
    """The mean squared absolute value."""
    return np.sum(squares(x)) / count(x, None)


def positive_definite(a):
    """Has a symmetric matrix a Cholesky factor? (Its lower triangle is read.)"""
    n = a.shape[0]
    m = a.copy()
    good = True
    for j in range(n):
        for k in range(j):
            m[j, j] = m[j, j] - abs(m[j, k]) ** 2
        if not np.real(m[j, j]) > 0:
            good = False
            break
        root = np.sqrt(m[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                m[i, j] = m[i, j] - m[i, k] * np.conj(m[j, k])
            m[i, j] = m[i, j] / root
    return good
