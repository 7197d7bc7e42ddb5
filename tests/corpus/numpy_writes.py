"""NumPy functions that write: out=, where=, put, place, copyto, ufunc.at, stores through several index arrays, views of diagonals."""
import numpy as np

from tests.corpus import case

X = np.array([0.3, -0.6, 0.7, 0.15, 1.1])
Y = np.array([1.2, 0.4, -0.9, 0.65, -0.35])
A = np.array([[0.2, 1.3, -0.7, 0.4], [0.9, -0.5, 0.45, 1.1], [1.15, 0.8, -1.6, 0.3]])
S = A[:, :3] + 2.0 * np.eye(3)


def outputs(x, y, A):
    r = np.zeros(5)
    np.multiply(x, y, out=r)
    s = np.exp(r, r)
    np.add(s, 1.0, out=r[::-1])
    m = np.zeros(4)
    np.mean(A, axis=0, out=m)
    t = np.zeros((3, 3))
    np.einsum("ij,kj->ik", A, A, out=t)
    return np.sum(r * x) + np.sum(m * m) + np.sum(t * t) + np.sum(A.sum(axis=1, out=np.zeros(3)) ** 2)


def guarded(x, y):
    q = np.divide(x, y, out=np.zeros_like(x), where=y > 0)
    l = np.log(x, where=x > 0, out=np.full(5, 0.5))
    w = x.copy()
    np.sqrt(w, where=w > 0.2, out=w)
    return np.sum(q * q) + np.sum(l * y) + np.sum(w * y)


def selected_reductions(A):
    keep = A > 0
    return (np.sum(A, where=keep) ** 2 + np.sum(np.mean(A, axis=0, where=keep) ** 2) + np.var(A, where=keep)
            + np.sum(np.max(A, axis=1, where=A < 1.0, initial=-9.0) ** 2) + np.prod(A, where=keep))


def scattered(x, y):
    r = x.copy()
    np.put(r, [0, -1], y[:2] * 2.0)
    np.place(r, y > 0, [x[0] * y[1], y[2]])
    np.copyto(r, y * y, where=y < -0.5)
    np.putmask(r, x > 1.0, x * y)
    a = np.outer(x, y)
    np.put(a, [1, 7, 13], y[:3] ** 2)
    np.put_along_axis(a, np.array([[1], [0], [2], [4], [3]]), 0.5 * x[:, None], axis=1)
    return np.sum(r * r) + np.sum(a * a)


def updated_at(x, y):
    i = np.array([2, 0, 2, 1, 2])
    r = x + 2.0
    np.multiply.at(r, i, y)
    np.maximum.at(r, [0, 3], y[:2])
    np.add.at(r, i, x * y)
    np.negative.at(r, [1, 4])
    t = np.zeros((5, 5))
    np.add.at(t, (i, i[::-1]), y)
    np.subtract.at(t, (slice(None), [1, 1]), x[:2])
    return np.sum(r * r * x) + np.sum(t * t * y)


def index_grids(A, x):
    B = A.copy()
    B[np.ix_([0, 2], [1, 3])] *= x[:2]
    B[[0, 2], [1]] = x[3:] * x[0]
    C = np.stack((A, 2.0 * A))
    C[0, :, [0, 1, 0]] = A[:, :3] * x[1]
    C[:, 1, [2, 2]] = np.outer(x[:2], x[2:4])
    J = np.array([[0, 2], [1, 0]])
    C[1, J, [1, 3]] = x[1:3] ** 2
    return np.sum(B * B) + np.sum(C * C * np.arange(24.0).reshape(2, 3, 4))


def diagonal_views(S, x):
    B = S.copy()
    d = np.diagonal(B)
    B[0, 0] = x[0] * x[1]
    e = np.diag(B, 1)
    B[1, 2] *= x[2]
    return np.sum(d ** 2) * np.sum(e) + np.trace(B, 1)


def stacked_solvers(A, x):
    K = np.stack([A[:, :3] @ A[:, :3].T + (k + 1.0) * np.eye(3) for k in range(2)])
    L = np.linalg.cholesky(K)
    sol = np.linalg.solve(K, x[:3])
    w, V = np.linalg.eigh(K)
    return np.sum(L) + np.sum(sol ** 2) + np.sum(np.log(w)) + np.sum(np.linalg.inv(K) @ L) + np.sum(np.linalg.slogdet(K).logabsdet * x[3:])


def only_the_lower_half(x):
    K = np.eye(4) * 3.0
    for i in range(4):
        for j in range(i):
            K[i, j] = x[i] * x[j]  # np.linalg reads one triangle only
    return np.sum(np.linalg.cholesky(K) ** 3) + np.sum(np.linalg.eigvalsh(K) ** 2)


case(outputs, (X, Y, A), numba="fast")
case(guarded, (X, Y))
case(selected_reductions, (A,))
case(scattered, (X, Y))
case(updated_at, (X, Y))
case(index_grids, (A, X), numba="fast")
case(diagonal_views, (S, X))
case(stacked_solvers, (A, X), numba="fast")
case(only_the_lower_half, (X,))
