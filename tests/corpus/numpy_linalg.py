"""Linear algebra."""
import numpy as np

from tests.corpus import case

A = np.array([[2.2, 0.3, -0.7], [0.9, 1.5, 0.4], [0.1, 0.8, 1.6]])
S = A @ A.T + np.eye(3)
b = np.array([0.3, -1.2, 0.7])


def solve_vector(A, b):
    x = np.linalg.solve(A, b)
    return np.sum(x * x)


def solve_matrix(A):
    X = np.linalg.solve(A, A.T * 2.0)
    return np.sum(X * X)


def inverse(A):
    return np.sum(np.linalg.inv(A) ** 2)


def determinants(A):
    sign, logdet = np.linalg.slogdet(A)
    return np.linalg.det(A) ** 2 + sign * logdet


def norms(A, b):
    return np.linalg.norm(b) + np.linalg.norm(A) * np.linalg.norm(b, 1) + np.linalg.norm(b, np.inf)


def cholesky_factor(A):
    L = np.linalg.cholesky(A @ A.T + np.eye(3))
    return np.sum(L * np.arange(9.0).reshape(3, 3))


def symmetric_eigenvalues(A):
    w, V = np.linalg.eigh(A + A.T)
    return np.sum(w * w * np.arange(3.0)) + V[0, 0] ** 2


def singular_values(A):
    U, s, Vt = np.linalg.svd(A)
    return np.sum(s ** 3)


def qr_factor(A):
    Q, R = np.linalg.qr(A)
    return np.sum(R * R * np.arange(9.0).reshape(3, 3)) + Q[0, 0] ** 2


def least_squares(A, b):
    x = np.linalg.lstsq(A[:, :2], b, rcond=None)[0]
    return np.sum(x * x)


def matrix_power(A):
    return np.sum(np.linalg.matrix_power(A, 3))


def matmul_chain(A, b):
    B = A
    for k in range(3):
        B = B @ A * 0.3
    return b @ B @ b


def batched_matmul(A):
    T = np.stack((A, A.T, A * 2.0))
    return np.sum((T @ T) ** 2) + np.sum(np.matmul(T, A))


def pseudo_inverse(A):
    return np.sum(np.linalg.pinv(A[:, :2]) ** 2)


def solve_in_loop(A, b):
    x = b
    for k in range(3):
        x = np.linalg.solve(A + k * np.eye(3), x) + 0.1 * b
    return np.sum(x * x)


def multi_dot(A, b):
    return np.sum(np.linalg.multi_dot([A, A.T, b]) ** 2) + np.sum(np.kron(A[0], b))


def flattened_factors(A):
    s = 0.0
    for f in (np.linalg.inv(A), np.linalg.solve(A, A.T), np.linalg.pinv(A[:, :2]), np.linalg.qr(A)[1]):
        s += np.sum(f.reshape(-1)[1:] ** 2) + np.trace(f) + np.ravel(f.T)[1]
    return s


case(flattened_factors, (A,), numba="fast")
case(solve_vector, (A, b), numba="fast")
case(solve_matrix, (A,))
case(inverse, (A,))
case(determinants, (A,))
case(norms, (A, b))
case(cholesky_factor, (A,))
case(symmetric_eigenvalues, (A,))
case(singular_values, (A,))
case(qr_factor, (A,))
case(least_squares, (A, b))
case(matrix_power, (A,))
case(matmul_chain, (A, b), numba="fast")
case(batched_matmul, (A,))
case(pseudo_inverse, (A,))
case(solve_in_loop, (A, b))
case(multi_dot, (A, b))
