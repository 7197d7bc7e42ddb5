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
    expm,
    inv,
    logdet,
    lstsq,
    matmul,
    matvec,
    normalize,
    pinv,
    qr,
    set_diag,
    slogdet,
    solve,
    svd,
    tensor_diag,
    tensor_diag_part,
    tensordot,
    trace,
    triangular_solve,
)
from s2sgrad.ops.nn import global_norm, l2_normalize
from s2sgrad.ops.reductions import norm
from s2sgrad.ops.shaping import matrix_transpose
from s2sgrad.ops.special import matrix_rank, tridiagonal_matmul
