"""`linalg`: linear algebra."""
# ruff: noqa: F401

from s2sgrad.ops.creation import eye
from s2sgrad.ops.linalg import (
    adjoint,
    band_part,
    cholesky,
    cholesky_solve,
    cross,
    det,
    diag,
    diag_part,
    eigh,
    eigvalsh,
    einsum,
    inv,
    logdet,
    lstsq,
    matmul,
    matvec,
    pinv,
    qr,
    set_diag,
    slogdet,
    solve,
    svd,
    tensordot,
    trace,
    triangular_solve,
)
from s2sgrad.ops.nn import global_norm, l2_normalize
from s2sgrad.ops.reductions import norm
from s2sgrad.ops.shaping import matrix_transpose
