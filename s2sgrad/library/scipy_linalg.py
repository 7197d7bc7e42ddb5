"""Functions of scipy.linalg."""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg as sl  # type: ignore[import-untyped]

from s2sgrad.library.matrices import norm as matrix_norm
from s2sgrad.library.matrices import svdvals as singular_values
from s2sgrad.library.table import implements, refuse


@implements(sl.solve)
def solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None, transposed=False):
    if assume_a is not None and assume_a != "gen" and assume_a != "general":
        refuse("scipy.linalg.solve with assume_a= is not supported")
    return np.linalg.solve(a.T if transposed else a, b)


@implements(sl.solve_triangular)
def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    t = np.tril(a) if lower else np.triu(a)
    if unit_diagonal:
        t = t - np.diag(np.diag(t)) + np.eye(t.shape[0])
    if trans == 0 or trans == "N":
        return np.linalg.solve(t, b)
    return np.linalg.solve(np.conj(t.T) if trans == 2 or trans == "C" else t.T, b)


@implements(sl.cholesky)
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    return np.linalg.cholesky(a) if lower else np.linalg.cholesky(a, upper=True)


@implements(sl.cho_factor)
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    c = cholesky(a, lower)
    return (c + np.triu(a, 1) if lower else c + np.tril(a, -1)), lower  # LAPACK leaves the other triangle as it was


@implements(sl.cho_solve)
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    if lower:
        return solve_triangular(c, solve_triangular(c, b, 0, True), 2, True)
    return solve_triangular(c, solve_triangular(c, b, 2, False), 0, False)


@implements(sl.inv)
def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False):
    if assume_a is not None and assume_a != "gen" and assume_a != "general":
        refuse("scipy.linalg.inv with assume_a= is not supported")
    return np.linalg.inv(a)


@implements(sl.det)
def det(a, overwrite_a=False, check_finite=True):
    return np.linalg.det(a)


@implements(sl.norm)
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    return matrix_norm(a, ord, axis, keepdims)


@implements(sl.svdvals)
def svdvals(a, overwrite_a=False, check_finite=True):
    return singular_values(a)


@implements(sl.eigh)
def eigh(a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1, check_finite=True,
         subset_by_index=None, subset_by_value=None, driver=None):
    if b is not None or subset_by_index is not None or subset_by_value is not None:
        refuse("scipy.linalg.eigh of a pencil or of some of the eigenvalues is not supported")
    w, v = np.linalg.eigh(a, "L" if lower else "U")
    return w if eigvals_only else (w, v)


@implements(sl.eigvalsh)
def eigvalsh(a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, type=1, check_finite=True, subset_by_index=None,
             subset_by_value=None, driver=None):
    return eigh(a, b, lower=lower, eigvals_only=True, subset_by_index=subset_by_index, subset_by_value=subset_by_value)


@implements(sl.expm)
def expm(A):
    if A.ndim != 2:
        refuse("scipy.linalg.expm of a stack of matrices is not supported")
    size = np.max(np.sum(np.abs(A), axis=0))
    halvings = max(int(math.ceil(math.log2(size))) + 1, 0) if size > 0.0 else 0
    small = A / 2.0 ** halvings
    term = np.eye(A.shape[0], dtype=small.dtype)
    total = term.copy()
    for k in range(1, 19):  # the norm is at most one half: what is left out is below 1e-22
        term = term @ small / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total


@implements(sl.block_diag)
def block_diag(*arrs):
    blocks = tuple(np.atleast_2d(a) for a in arrs)
    rows = 0
    columns = 0
    for a in blocks:
        rows = rows + a.shape[0]
        columns = columns + a.shape[1]
    out = np.zeros((rows, columns), dtype=np.result_type(*blocks))
    i = 0
    j = 0
    for a in blocks:
        out[i:i + a.shape[0], j:j + a.shape[1]] = a
        i = i + a.shape[0]
        j = j + a.shape[1]
    return out


@implements(sl.toeplitz)
def toeplitz(c, r=None):
    down = np.asarray(c)
    right = np.conj(down) if r is None else np.asarray(r)
    values = np.concatenate((down[::-1], right[1:]))
    place = np.arange(right.shape[0])[None, :] - np.arange(down.shape[0])[:, None] + down.shape[0] - 1
    return values[place]


@implements(sl.circulant)
def circulant(c):
    n = np.asarray(c).shape[0]
    return np.asarray(c)[(np.arange(n)[:, None] - np.arange(n)[None, :]) % n]


@implements(sl.lu_factor)
def lu_factor(a, overwrite_a=False, check_finite=True):
    lu = a.copy()
    n = lu.shape[0]
    pivots = np.empty(n, dtype=np.int32)
    for k in range(n):
        p = k + np.argmax(np.abs(lu[k:, k]))
        pivots[k] = p
        if p != k:
            row = lu[k].copy()
            lu[k] = lu[p]
            lu[p] = row
        for i in range(k + 1, n):
            lu[i, k] /= lu[k, k]
            lu[i, k + 1:] -= lu[i, k] * lu[k, k + 1:]
    return lu, pivots


@implements(sl.lu_solve)
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    lu, pivots = lu_and_piv
    if trans != 0:
        refuse("scipy.linalg.lu_solve with trans= is not supported")
    x = b + lu[0, 0] * 0
    for k in range(pivots.shape[0]):
        p = pivots[k]
        if p != k:
            row = x[k] * 1
            x[k] = x[p]
            x[p] = row
    return solve_triangular(lu, solve_triangular(lu, x, 0, True, True), 0, False)


@implements(sl.solve_banded)
def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    lower, upper = l_and_u
    n = ab.shape[1]
    a = np.zeros((n, n), dtype=ab.dtype)
    for d in range(lower + upper + 1):
        shift = upper - d  # the diagonal that stands in row d
        for j in range(max(shift, 0), min(n + shift, n)):
            a[j - shift, j] = ab[d, j]
    return np.linalg.solve(a, b)
