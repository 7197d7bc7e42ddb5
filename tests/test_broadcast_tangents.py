"""Forward mode where an operand is broadcast: the tangent is that of the whole operand, not of the smaller one."""

import numpy as np
import pytest

import s2sgrad
from tests import crossing, differences

B = np.arange(3.0) * 0.1
PROGRAMS = {
    "sum": lambda p: np.sum(p[0] + B),
    "mean": lambda p: np.mean(p[0] + B),
    "cumsum": lambda p: np.sum(np.cumsum(p[0] + B)**2),
    "index": lambda p: (p[0] + B)[1]**2,
    "slice": lambda p: np.sum((p[0] + B)[1:]**2),
    "outer": lambda p: np.sum(np.outer(B, p[0] + B)**2),
    "dot": lambda p: np.dot(B, p[0] + B)**2,
    "matmul": lambda p: np.sum((B @ (p[0]+np.outer(B,B)))**2),
    "T": lambda p: np.sum((p[:1]+np.outer(B,B)).T[0]**2),
    "concat": lambda p: np.sum(np.concatenate((p[0] + B, B))**2),
    "max": lambda p: np.max(p[0] + B),
    "sort": lambda p: np.sum(np.sort(p[0]-B)*B),
    "rows": lambda p: np.sum(((p+np.ones((3,2)))**2).sum(axis=0)),
    "rows2": lambda p: np.sum(np.sum(p+np.ones((3,2)),axis=0)**2),
    "prod": lambda p: np.prod(p[0] + B),
    "reshape": lambda p: np.sum((p[0]+np.ones((2,3))).reshape(3,2)[0]**2),
    "where": lambda p: np.sum(np.where(B>0.1, p[0] + B, 0.0)),
    "stack": lambda p: np.sum(np.stack((p[0] + B, B))[0]**2),
    "flip": lambda p: np.sum(np.flip(p[0] + B)*B),
    "roll": lambda p: np.sum(np.roll(p[0] + B,1)*B),
    "diff": lambda p: np.sum(np.diff((p[0]*B))**2),
    "var": lambda p: np.var(p[0]*B+p[1]),
    "einsum": lambda p: np.einsum('i,i->',B,p[0] + B),
    "take": lambda p: np.sum(np.take(p[0] + B,[0,2])**2),
    "trace": lambda p: np.trace(p[0]+np.ones((2,2))),
    "solve": lambda p: np.sum(np.linalg.solve(np.eye(3)*2, p[0] + B)),
    "repeat": lambda p: np.sum(np.repeat(p[0] + B,2)**2),
    "fft": lambda p: np.sum(np.abs(np.fft.fft(p[0] + B))**2),
    "norm": lambda p: np.linalg.norm(p[0] + B),
    "cross": lambda p: np.sum(np.cross(B,p[0] + B)**2),
    "kron": lambda p: np.sum(np.kron(B,p[0] + B)**2),
    "tri": lambda p: np.sum(np.tril(p[0]+np.ones((2,2)))**2),
    "diag": lambda p: np.sum(np.diag(p[0]+np.ones(2))**2),
    "pad": lambda p: np.sum(np.pad(p[0] + B,1)**2),
    "interp": lambda p: np.interp(0.15,B,p[0] + B**2),
    "clip": lambda p: np.sum(np.clip(p[0] + B,0,10)),
    "outer stored": lambda p: outer_stored(p),
}
P, D = np.array([0.7, 1.3]), np.array([0.4, -0.2])


def outer_stored(p):
    a = np.outer(np.arange(3) + 1.0, p[0] + np.arange(3) * 0.1)
    a[1, 0] = a[0, 0] * p[1]
    return np.sum(a * a)


def matrix_result(p):
    return p[:1] + np.outer(B, B)


@pytest.mark.parametrize("name", PROGRAMS)
def test_tangent(name):
    f = PROGRAMS[name]
    want = np.array(differences.gradient(f, (P,), 0)[0]) @ D
    with crossing.backend("python"):
        value, tangent = s2sgrad.jvp(f, (P,), (D,))
    assert value == pytest.approx(f(P)) and tangent == pytest.approx(want, abs=1e-8)


def test_compiled():
    for name in ("sum", "matmul", "outer stored", "rows2"):
        f = PROGRAMS[name]
        assert s2sgrad.jvp(f, (P,), (D,))[1] == pytest.approx(np.array(differences.gradient(f, (P,), 0)[0]) @ D, abs=1e-8)


def test_a_result_has_its_whole_shape():
    np.testing.assert_allclose(s2sgrad.jvp(matrix_result, (P,), (D,))[1], np.full((3, 3), 0.4))
