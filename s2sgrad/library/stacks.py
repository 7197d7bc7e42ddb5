"""np.linalg on stacks of matrices: the function of one matrix for every matrix of the stack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.library.table import implements

STACKED: dict[int, tuple[Any, Callable[..., Any]]] = {}

SlogdetResult = type(np.linalg.slogdet(np.eye(2)))
EighResult = type(np.linalg.eigh(np.eye(2)))
EigResult = type(np.linalg.eig(np.eye(2)))
QRResult = type(np.linalg.qr(np.eye(2)))
SVDResult = type(np.linalg.svd(np.eye(2)))


def stacks(*objects: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The decorated function does what these functions do with arrays of rank 3 and more."""

    def declare(f: Callable[..., Any]) -> Callable[..., Any]:
        for o in objects:
            STACKED[id(o)] = (o, f)
        return f

    return declare


def stacked(obj: Any) -> Callable[..., Any] | None:
    """The function for stacks of matrices that belongs to one for matrices."""
    found = STACKED.get(id(obj))
    return None if found is None else found[1]


@implements(np.broadcast_shapes)
def broadcast_shapes(*args):
    shape = ()
    for s in args:
        shape = joint(shape, s if isinstance(s, tuple) else (s,))
    return shape


def joint(s, t):
    """The common shape of two stacks."""
    if len(s) < len(t):
        return joint(t, s)
    return tuple(s[k] if k < len(s) - len(t) or t[k - len(s) + len(t)] == 1 else t[k - len(s) + len(t)] for k in range(len(s)))


def matrices(a):
    """A stack with one leading axis."""
    x = np.asarray(a)
    return x.reshape((-1,) + x.shape[-2:])


def floating(x):
    """The dtype np.linalg computes in."""
    return (x[:1] * np.float64(1.0)).dtype if x.dtype.kind in "iub" else x.dtype


@stacks(np.linalg.solve)
def solve(a, b):
    lead = joint(a.shape[:-2], b.shape[:-2])
    n = a.shape[-1]
    if b.ndim == 1:
        left = matrices(a)
        x = np.empty((left.shape[0], n), dtype=np.result_type(floating(a), b))
        for k in range(left.shape[0]):
            x[k] = np.linalg.solve(left[k], b)
        return x.reshape(lead + (n,))
    left = np.broadcast_to(a, lead + a.shape[-2:]).reshape((-1,) + a.shape[-2:])
    right = np.broadcast_to(b, lead + b.shape[-2:]).reshape((-1,) + b.shape[-2:])
    y = np.empty(right.shape, dtype=np.result_type(floating(a), b))
    for k in range(left.shape[0]):
        y[k] = np.linalg.solve(left[k], right[k])
    return y.reshape(lead + b.shape[-2:])


@stacks(np.linalg.inv)
def inv(a):
    m = matrices(a)
    y = np.empty(m.shape, dtype=floating(m))
    for k in range(m.shape[0]):
        y[k] = np.linalg.inv(m[k])
    return y.reshape(a.shape)


@stacks(np.linalg.pinv)
def pinv(a, rcond=None, hermitian=False):
    m = matrices(a)
    y = np.empty((m.shape[0], m.shape[2], m.shape[1]), dtype=floating(m))
    for k in range(m.shape[0]):
        y[k] = np.linalg.pinv(m[k], rcond, hermitian)
    return y.reshape(a.shape[:-2] + (a.shape[-1], a.shape[-2]))


@stacks(np.linalg.det)
def det(a):
    m = matrices(a)
    d = np.empty(m.shape[0], dtype=floating(m))
    for k in range(m.shape[0]):
        d[k] = np.linalg.det(m[k])
    return d.reshape(a.shape[:-2])


@stacks(np.linalg.slogdet)
def slogdet(a):
    m = matrices(a)
    signs = np.empty(m.shape[0], dtype=floating(m))
    logs = np.empty(m.shape[0], dtype=np.real(np.zeros(1, dtype=floating(m))).dtype)
    for k in range(m.shape[0]):
        signs[k], logs[k] = np.linalg.slogdet(m[k])
    return SlogdetResult(signs.reshape(a.shape[:-2]), logs.reshape(a.shape[:-2]))


@stacks(np.linalg.cholesky)
def cholesky(a, *, upper=False):
    m = matrices(a)
    y = np.empty(m.shape, dtype=floating(m))
    for k in range(m.shape[0]):
        y[k] = np.linalg.cholesky(m[k], upper=upper)
    return y.reshape(a.shape)


@stacks(np.linalg.eigh)
def eigh(a, UPLO="L"):
    m = matrices(a)
    w = np.empty((m.shape[0], m.shape[1]), dtype=np.real(np.zeros(1, dtype=floating(m))).dtype)
    v = np.empty(m.shape, dtype=floating(m))
    for k in range(m.shape[0]):
        w[k], v[k] = np.linalg.eigh(m[k], UPLO=UPLO)
    return EighResult(w.reshape(a.shape[:-1]), v.reshape(a.shape))


@stacks(np.linalg.eig)
def eig(a):
    m = matrices(a)
    kind = np.complex64 if m.dtype == np.float32 or m.dtype == np.complex64 else np.complex128
    w = np.empty((m.shape[0], m.shape[1]), dtype=kind)
    v = np.empty(m.shape, dtype=kind)
    for k in range(m.shape[0]):
        w[k], v[k] = np.linalg.eig(m[k])
    return EigResult(w.reshape(a.shape[:-1]), v.reshape(a.shape))


@stacks(np.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    m = matrices(a)
    few = min(m.shape[1], m.shape[2])
    s = np.empty((m.shape[0], few), dtype=np.real(np.zeros(1, dtype=floating(m))).dtype)
    if not compute_uv:
        for k in range(m.shape[0]):
            s[k] = np.linalg.svd(m[k], compute_uv=False)
        return s.reshape(a.shape[:-2] + (few,))
    u = np.empty((m.shape[0], m.shape[1], m.shape[1] if full_matrices else few), dtype=floating(m))
    vh = np.empty((m.shape[0], m.shape[2] if full_matrices else few, m.shape[2]), dtype=floating(m))
    for k in range(m.shape[0]):
        u[k], s[k], vh[k] = np.linalg.svd(m[k], full_matrices=full_matrices)
    lead = a.shape[:-2]
    return SVDResult(u.reshape(lead + u.shape[1:]), s.reshape(lead + (few,)), vh.reshape(lead + vh.shape[1:]))


@stacks(np.linalg.qr)
def qr(a, mode="reduced"):
    m = matrices(a)
    few = min(m.shape[1], m.shape[2])
    q = np.empty((m.shape[0], m.shape[1], few), dtype=floating(m))
    r = np.empty((m.shape[0], few, m.shape[2]), dtype=floating(m))
    for k in range(m.shape[0]):
        q[k], r[k] = np.linalg.qr(m[k])
    lead = a.shape[:-2]
    if mode == "r":
        return r.reshape(lead + r.shape[1:])
    return QRResult(q.reshape(lead + q.shape[1:]), r.reshape(lead + r.shape[1:]))


@stacks(np.linalg.matrix_rank)
def matrix_rank(A, tol=None, hermitian=False):
    m = matrices(A)
    ranks = np.empty(m.shape[0], dtype=np.int64)
    for k in range(m.shape[0]):
        ranks[k] = np.linalg.matrix_rank(m[k], tol, hermitian)
    return ranks.reshape(A.shape[:-2])
