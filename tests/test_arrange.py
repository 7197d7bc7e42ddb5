"""NumPy functions that are built from views, joins and products: values and types against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import s2sgrad.rules  # noqa: F401
from s2sgrad.ir import Var
from s2sgrad.rules import registry
from s2sgrad.rules.registry import type_of
from s2sgrad.testing.evaluate import evaluate

RNG = np.random.default_rng(0)
A, B, C = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 5)), RNG.normal(size=(2, 3, 4))
X, Y = RNG.normal(size=4), RNG.normal(size=4)
S = A @ A.T


def check(f, *args, **kw):
    """The expression of a call has NumPy's value, dtype and rank."""
    env = {}

    def convert(a):
        if isinstance(a, np.ndarray):
            env[f"x{len(env)}"] = a
            return Var(f"x{len(env) - 1}", type_of(a))
        return type(a)(convert(i) for i in a) if isinstance(a, (tuple, list)) else a

    e = registry.call_python(f, [convert(a) for a in args], kw)
    want = f(*args, **kw)
    np.testing.assert_allclose(evaluate(e, env), want, rtol=1e-12, atol=1e-12)
    t = type_of(want if isinstance(want, bool) else np.asarray(want)[()])
    assert (e.type.dtype, e.type.ndim) == (t.dtype, t.ndim)


CALLS = [
    *((np.rot90, (A, k)) for k in (-1, 0, 1, 2, 3)), (np.rot90, (C, 1, (1, 2))),
    (np.moveaxis, (C, 0, -1)), (np.moveaxis, (C, (0, 1), (-1, 0))), (np.swapaxes, (C, 0, 2)), (np.rollaxis, (C, 2)), (np.rollaxis, (C, 0, 2)),
    (np.flip, (A,)), (np.flip, (A, 1)), (np.flipud, (A,)), (np.fliplr, (A,)),
    (np.atleast_1d, (X,)), (np.atleast_2d, (X,)), (np.atleast_3d, (X,)), (np.atleast_3d, (A,)), (np.atleast_2d, (2.0,)),
    (np.hstack, ((X, Y),)), (np.hstack, ((A, A),)), (np.vstack, ((X, Y),)), (np.vstack, ((A, X),)), (np.dstack, ((X, Y),)), (np.dstack, ((A, A),)),
    (np.column_stack, ((X, Y),)), (np.column_stack, ((A.T, X),)), (np.append, (X, Y)), (np.append, (X, 2.0)), (np.append, (A, A, 0)),
    (np.tile, (X, 3)), (np.tile, (X, (2, 3))), (np.tile, (A, 2)), (np.tile, (A, (2, 3))), (np.tile, (A, (2, 1, 3))),
    (np.tensordot, (A, B, 1)), (np.tensordot, (C, C, ((1, 2), (1, 2)))), (np.tensordot, (A, A)), (np.tensordot, (A, B, 0)), (np.tensordot, (C, A, (1, 0))),
    (np.inner, (X, Y)), (np.inner, (A, A)), (np.inner, (A, X)), (np.inner, (C, A)), (np.vdot, (A, A)), (np.vdot, (X + 1j * Y, Y)),
    (np.kron, (A, B)), (np.kron, (X, Y)), (np.kron, (X, A)),
    (np.select, ([A > 0, A < -1], [A, 2 * A])), (np.select, ([A > 0], [A], 3.0)), (np.choose, ((A > 0).astype(int), (A, 2 * A))),
    (np.isclose, (A, A + 1e-9)), (np.allclose, (A, A)),
]
EINSUMS = [
    ("ij,jk->ik", A, B), ("ij,jk", A, B), ("ij->ji", A), ("ij->i", A), ("ij,ij->", A, A), ("ii->i", S), ("ii", S), ("i,i", X, Y), ("i,j->ij", X, Y),
    ("ij,j->i", A, X), ("bij,jk->bik", C, B), ("bij,bij->b", C, C), ("bij,bkj->bik", C, C), ("ij,jk,k->i", A, B, B[0]), ("...ij,jk->...ik", C, B),
    ("...i,...i->...", C, A), ("ij,kj->ik", A, A), ("i,ij,j->", A[:, 0].copy(), A, X), ("bij,bij->", C, C), ("ij,ik->kj", A, S), ("i->", X),
    ("ij,kl->ijkl", A, B), ("abc,cab->", C, C.transpose(2, 0, 1).copy()),
]


@pytest.mark.parametrize("f, args", CALLS, ids=[f"{f.__name__}-{i}" for i, (f, _) in enumerate(CALLS)])
def test_calls(f, args):
    check(f, *args)


@pytest.mark.parametrize("args", EINSUMS, ids=[e[0] for e in EINSUMS])
def test_einsum(args):
    check(np.einsum, *args)
