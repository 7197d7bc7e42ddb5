"""Options of NumPy functions that change what is computed, what is a view and what is a copy."""
import numpy as np

from tests.corpus import case

X = np.array([0.3, -1.2, 0.7, 2.1, 0.5])
M = np.array([[0.6, -0.4, 0.9], [0.5, 1.3, 0.2], [-0.7, 0.8, 1.1]])
W = np.array([[0.6, -0.4, 0.9, 0.3], [0.5, 1.3, 0.2, -1.1], [-0.7, 0.8, 1.1, 0.4]])
T = np.linspace(-1.0, 1.3, 24).reshape(2, 3, 4)


def filled_diagonals(x):
    tall = np.concatenate((x, x, x[:1])) * 1.0
    np.fill_diagonal(tall, x[0, 1] ** 2, wrap=True)
    cube = np.ones((3, 3, 3)) * x
    np.fill_diagonal(cube, x[1])
    few = x.copy()
    np.fill_diagonal(few, val=[x[2, 0], 2.0])
    return np.sum(tall ** 2) + np.sum(cube ** 3) + np.sum(few * x)


def triangles_read(x):
    upper = np.linalg.eigvalsh(x, UPLO="U")
    mirrored = np.linalg.pinv(x, hermitian=True)
    return np.sum(upper ** 3) + mirrored[0, 2] + np.linalg.matrix_rank(x, tol=1.2) * x[0, 0]


def polynomials_of_columns(x, c):
    return np.sum(np.polynomial.polynomial.polyval(x, c, tensor=False) ** 2) + np.sum(np.polynomial.polynomial.polyval(x, c) ** 3)


def places_of_grids(x):
    f = np.ravel_multi_index(([0, 1], [1, 2]), (2, 3), order="F")
    w = np.ravel_multi_index(([0, 3], [1, 4]), (2, 3), mode=("wrap", "clip"))
    i, j = np.unravel_index([3, 5], (3, 3), order="F")
    common, first, second = np.intersect1d([4, 1, 3], [3, 0, 4], return_indices=True)
    flat = x.ravel()
    return np.sum(flat[f] * flat[w]) + np.sum(x[i, j] ** 2) + np.sum(flat[first] * flat[second] * common)


def replaced_in_place(x):
    y = np.where(x > 0.4, np.nan, x)
    np.nan_to_num(y, copy=False, nan=x[0] * 3.0)
    same = np.array_equal(np.where(x > 0.4, np.nan, x), np.where(x > 0.4, np.nan, x), equal_nan=True)
    distinct = np.unique(np.where(x > 0.4, np.nan, x)).shape[0]
    return np.sum(y ** 2) * distinct if same else np.sum(y)


def copies_or_not(x):
    y = x * 1.0
    a = np.array(y, copy=None)
    a[0] = x[1] ** 2                       # writes y
    b = np.asarray(y, copy=True)
    b[1] = 9.0 * x[0]
    c = y.astype(float, copy=False)
    c[2] = x[3] * x[4]                     # writes y
    d = y.astype(float)
    d[3] = 2.0
    e = np.reshape(y, (5, 1), copy=True)
    e[4] = 7.0
    f = np.ascontiguousarray(y)
    f[3] *= x[0]                           # writes y
    g = y.conj()
    g[4] *= 3.0                            # writes y
    return np.sum(y * y) + np.sum(b * d) + e[0, 0] ** 2


def columns_in_memory(x):
    y = np.zeros((3, 4), order="F")
    y[...] = x
    z = y.reshape(-1)                      # a copy
    z[1] = 5.0 * x[0, 0]
    v = np.array(x, order="F")
    v.ravel()[2] = 1.0
    w = x.copy("F")
    w.ravel()[3] = 1.0
    u = np.asfortranarray(x * 1.0)
    u.ravel(order="K")[0] = x[1, 1]        # a view
    k = x.T.ravel(order="K")
    t = x.T.reshape(2, 6, order="A")
    return np.sum(y * v * w * u) + np.sum(z ** 2) + k[1] * t[0, 1] + np.sum(x.flatten("F")[:4] * k[:4])


def pieces(x):
    y = np.piecewise(x, [x < 0, x > 0.6], [lambda v, s: v / v.sum() * s, lambda v, s: v * v.size, 3.0], 2.0)
    z = np.piecewise(x, [x > 0.4], [lambda v: v ** 3])
    return np.sum(y * x) + np.sum(z)


def chosen_clipped(x):
    return np.sum(np.choose([0, 3, -1, 1, 1], [x, x * x], mode="clip") * x) + round(x[0] * 10.0, ndigits=1) * x[1] + pow(base=x[2], exp=3)


def axes_by_default(x, axis=(0, 2), keepdims=True):
    return np.sum(x * np.sum(x, axis=()) + np.max(x, axis=())) + np.sum(np.prod(x, axis=axis, keepdims=keepdims) ** 2) + np.sum(np.median(x, axis=axis) ** 2) + np.sum(np.sum(x, axis=axis) ** 3)


def item_of_numbers(a, b, i, y):
    return np.sum((a, b)[i] * y) + np.sum([b, a][i] * y)


def ends_of_lists(x, n):
    kept = [v for v in x[:n] if v > 0.0]
    return max(kept, default=x[1]) * max([v for v in kept if v > 9.0], default=x[0] ** 2) + min(kept, default=0.5)


def windows_summed(x):
    w = np.lib.stride_tricks.sliding_window_view(x * x, 3)
    a, b, c = w
    t = np.trim_zeros(np.concatenate(([0.0, 0.0], x, [0.0])))
    t[0] = x[1] * x[2]
    return np.sum(a * b * c) + np.sum(t ** 2) + np.real_if_close(x)[0]


def rows_of_any_order(x, n):
    out = []
    row = x * 1.0
    for k in range(n):
        out.append(row)
        row = row[::-1] * 1.5 if k % 2 else row[::-1]
    out.append(x[::2] * x[1::2])
    for k in range(n):
        out.append(out[k][::-1])
    out[0][0] = x[3] ** 2                  # seen in every view of the first row
    return sum(np.sum(v * v[0] ** 2) for v in out)


def complex_factors(x):
    z = x + 1j * x[::-1] ** 2
    q, r = np.linalg.qr(z)
    sign, size = np.linalg.slogdet(z)
    u, s, vh = np.linalg.svd(z, full_matrices=False)
    near = (u[:, :2] * s[:2]) @ vh[:2]
    return np.abs(q[0, 1] + r[0, 2] ** 2) + r[1, 1].real ** 2 + q[2, 0].imag + sign.real * size + sign.imag + np.abs(near[0, 1]) ** 2 + near[2, 1].imag


def cut_off(x, b):
    inverse = np.linalg.pinv(x, rcond=0.5)
    solution, _, rank, _ = np.linalg.lstsq(x, b, rcond=0.5)
    return np.sum(inverse ** 2) * inverse[0, 1] + np.sum(solution ** 3) * rank + np.sum(np.linalg.pinv(x + 1j * x.T, 0.4).imag ** 2)



case(filled_diagonals, (M,), numba="fast")
case(triangles_read, (M,))
case(polynomials_of_columns, (X[:3].copy(), M))
case(places_of_grids, (M,))
case(replaced_in_place, (X,))
case(copies_or_not, (X,), numba="fast")
case(columns_in_memory, (W,), numba="fast")
case(pieces, (X,))
case(chosen_clipped, (X,))
case(axes_by_default, (T,))
case(item_of_numbers, (0.5, 0.75, 1, np.array([0.25, 1.5], dtype=np.float32)))
case(ends_of_lists, (X, 4))
case(windows_summed, (X,))
case(rows_of_any_order, (np.array([0.4, -0.9, 1.2, 0.7]), 3), second=True)
case(cut_off, (M, X[:3].copy()), second=True)
case(complex_factors, (M,), second=True)
