"""Gather, scatter, masks and data-dependent shapes."""
import numpy as np

from tests.corpus import case

X = np.array([0.3, -1.2, 0.7, 2.1, -0.4, 0.9])
A = np.array([[0.2, 1.3, -0.7, 0.6], [0.9, -0.5, 0.4, 1.2], [1.1, 0.8, -1.6, -0.2]])
I = np.array([0, 2, 2, -1, 4])


def gather_repeated(x, idx):
    return np.sum(x[idx] ** 2 * np.arange(1.0, 6.0))


def gather_of_gather(x, idx):
    p = idx[idx]
    y = x[p]
    return np.sum(y[idx] * y)


def scatter_repeated_last_wins(x, idx):
    y = np.zeros(6)
    y[idx] = x[:5] * 3.0
    return np.sum(y * y)


def scatter_augmented_duplicates(x, idx):
    y = x.copy()
    y[idx] += x[:5] * x[1:]
    y[idx] *= 2.0
    return np.sum(y * y)


def add_at(x, idx):
    y = np.zeros(6)
    np.add.at(y, idx, x[:5] ** 2)
    return np.sum(y * y)


def scatter_scalar(x, idx):
    y = x.copy()
    y[idx] = x[0] * x[1]
    return np.sum(y * y)


def self_modifying_index(x):
    p = np.array([1, 2, 3, 0])
    s = 0.0
    for k in range(4):
        s += x[p[k]] * (k + 1)
        p[p[k]] = k
        s *= 1.0 + x[p[0]]
    return s


def mutable_index_in_loop(x, idx):
    idx = idx.copy()
    y = x.copy()
    for k in range(len(idx)):
        y[idx[k]] = y[idx[k]] * y[idx[k - 1]] + 0.5
        idx[k] = (idx[k] + 1) % 6
    return np.sum(y[idx] * x[idx])


def mask_read(x):
    y = x[x > 0.0]
    return np.sum(y * y) + y[0]


def mask_write(x):
    y = x.copy()
    y[y < 0.0] = 0.5
    y[x > 1.0] *= 3.0
    y[y > 2.0] = y[y > 2.0] ** 2
    return np.sum(y * y)


def mask_2d(A):
    B = A.copy()
    B[B < 0.0] = 0.0
    B[B > 1.0] += 2.0
    return np.sum(B * B) + np.sum(A[A > 0.5] ** 3)


def mask_rows(A):
    m = A[:, 0] > 0.5
    return np.sum(A[m] ** 2) + np.sum(A[m, 1])


def mask_in_loop(x):
    y = x.copy()
    s = 0.0
    for k in range(3):
        m = y > s
        s += 0.3 * np.sum(y[m])
        y[m] = y[m] * 0.5
    return s


def nonzero_indices(x):
    k = np.nonzero(x > 0.0)[0]
    return np.sum(x[k] ** 3)


def where_indices(x):
    (k,) = np.where(x < 0.0)
    y = x.copy()
    y[k] = -2.0 * y[k] * y[0]
    return np.sum(y)


def pairs(A, idx):
    i = np.array([0, 2, 1, 0])
    j = np.array([1, 3, 3, 1])
    return np.sum(A[i, j] ** 2 * np.arange(1.0, 5.0)) + np.sum(A[:, idx % 4]) ** 2


def pair_scatter(x):
    B = np.zeros((3, 3))
    i = np.array([0, 1, 2, 0])
    j = np.array([0, 2, 1, 0])
    B[i, j] = x[:4] ** 2
    np.add.at(B, (i, j), x[1:5])
    return np.sum(B * B)


def row_gather_scatter(A):
    k = np.array([2, 0, 2])
    B = A[k] * 2.0
    B[k] = A * B
    return np.sum(B * B)


def mixed_scalar_and_array(A):
    k = np.array([1, 3, 1])
    B = A.copy()
    B[1, k] = B[0, k] * 2.0
    return np.sum(B * B) + np.sum(B[k % 3, 0])


def take(x, A, idx):
    return np.sum(np.take(x, idx) ** 2) + np.sum(A.take(np.array([1, 3]), axis=1) ** 2)


def fancy_with_new_axis(x, idx):
    d = x[idx][:, None] - x[idx][None, :]
    return np.sum(d * d * np.arange(25.0).reshape(5, 5))


def argsort_gather(x):
    k = np.argsort(x)
    y = x[k]
    return np.sum(y * y * np.arange(6.0))


def argmax_index(x):
    k = np.argmax(x)
    return x[k] ** 2 * x[np.argmin(x)]


def histogram(x):
    h = np.zeros(4)
    for v in x:
        k = int(np.floor(v + 1.5))
        w = v + 1.5 - k
        h[k] += 1.0 - w
        if k < 3:
            h[k + 1] += w
    return np.sum(h * h)


def searchsorted_interpolation(x, t):
    grid = np.linspace(-2.0, 3.0, 11)
    s = 0.0
    for v in x:
        k = np.searchsorted(grid, v) - 1
        w = (v - grid[k]) / (grid[k + 1] - grid[k])
        s += (1.0 - w) * t[k % 6] + w * t[(k + 1) % 6]
    return s


case(gather_repeated, (X, I), wrt=(0,), numba="fast")
case(gather_of_gather, (X, I), wrt=(0,))
case(scatter_repeated_last_wins, (X, I), wrt=(0,), numba="fast")
case(scatter_augmented_duplicates, (X, I), wrt=(0,), numba="fast")
case(add_at, (X, I), wrt=(0,))
case(scatter_scalar, (X, I), wrt=(0,))
case(self_modifying_index, (X,))
case(mutable_index_in_loop, (X, I), wrt=(0,))
case(mask_read, (X,), numba="fast")
case(mask_write, (X,), numba="fast")
case(mask_2d, (A,), numba="fast")
case(mask_rows, (A,))
case(mask_in_loop, (X,))
case(nonzero_indices, (X,))
case(where_indices, (X,))
case(pairs, (A, I), wrt=(0,))
case(pair_scatter, (X,))
case(row_gather_scatter, (A,))
case(mixed_scalar_and_array, (A,))
case(take, (X, A, I), wrt=(0, 1))
case(fancy_with_new_axis, (X, I), wrt=(0,))
case(argsort_gather, (X,))
case(argmax_index, (X,))
case(histogram, (X,))
case(searchsorted_interpolation, (X, X[::-1].copy()))
