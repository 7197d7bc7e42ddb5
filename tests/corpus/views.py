"""Views: slices, rows, transposes, reshapes and diagonals that are read and written through."""
import numpy as np

from tests.corpus import case

X = np.array([0.3, -1.2, 0.7, 2.1, -0.4, 0.9])
A = np.array([[0.2, 1.3, -0.7, 0.6], [0.9, -0.5, 0.4, 1.2], [1.1, 0.8, -1.6, -0.2]])


def write_through_slice(x):
    a = x.copy()
    v = a[1:4]
    v[0] = v[1] * v[2]
    v *= 2.0
    return np.sum(a * a)


def view_survives_overwrite(x):
    a = x.copy()
    v = a[::2]
    a[2] = a[0] * a[1]
    s = v[1] * v[1]
    v[2] = s
    a = a * 2.0
    return s + np.sum(v) * a[4]


def negative_stride_view(x):
    a = x.copy()
    r = a[::-1]
    r[0] = r[1] * r[2]
    r[1:3] += r[3:5]
    return np.sum(a * np.arange(6.0) * a)


def row_view(A):
    B = A.copy()
    r = B[1]
    r[0] = r[1] * B[0, 0]
    B[1, 2] = r[0] * 2.0
    return np.sum(r * r) + np.sum(B)


def row_handed_to_helper(A):
    def normalise(v):
        s = 0.0
        for k in range(len(v)):
            s += v[k] ** 2
        for k in range(len(v)):
            v[k] /= np.sqrt(s)
    B = A.copy()
    for i in range(B.shape[0]):
        normalise(B[i])
    return np.sum(B[:, 0] * B[:, 1])


def column_handed_to_helper(A):
    def scale(v, c):
        v *= c
    B = A.copy()
    for j in range(B.shape[1]):
        scale(B[:, j], B[0, j] + j)
    return np.sum(B * B)


def transpose_write(A):
    B = A.copy()
    T = B.T
    T[0] = T[1] * T[2]
    T[1:, 0] *= 3.0
    return np.sum(B * B)


def transpose_chain(A):
    B = A.copy()
    B.T[1][:2] = B[0, :2] * B[1, :2]
    B[1][2] = B[0][1] * 5.0
    return np.sum(B ** 3)


def reshape_view(x):
    a = x.copy()
    M = a.reshape(2, 3)
    M[0] *= M[1]
    M[:, 1] = 2.0 * a[:2]
    return np.sum(a * a)


def reshape_minus_one(x):
    M = x.reshape(-1, 2)
    return np.sum(M[:, 0] * M[:, 1])


def reshape_of_strided_is_copy(A):
    B = A.copy()
    v = B.T.reshape(12)
    v *= 2.0
    return np.sum(B) + np.sum(v * v)


def ravel_view(A):
    B = A.copy()
    v = B.ravel()
    v[2:6] *= v[0]
    w = B.T.ravel()
    w *= 0.0
    return np.sum(B * B)


def flatten_copy(A):
    B = A.copy()
    v = B.flatten()
    v *= 2.0
    return np.sum(B * B) + np.sum(v)


def newaxis_view(x):
    a = x.copy()
    c = a[:, None]
    r = a[None, :]
    c *= 2.0
    return np.sum(c * r)


def diagonal_read(A):
    B = A[:, :3] * 1.0
    return np.sum(np.diag(B) ** 2) + np.trace(B)


def ellipsis_index(A):
    B = A.copy()
    B[..., 0] = B[..., 1] * 2.0
    B[1, ...] *= B[0]
    return np.sum(B * B)


def three_d(x):
    C = np.zeros((2, 3, 4))
    for i in range(2):
        for j in range(3):
            C[i, j] = x[j] * x[2:6] * (i + 1)
    D = C.transpose(2, 0, 1)
    D[1:3, 1] += x[:3]
    E = np.swapaxes(C, 0, 2)
    return np.sum(D * D) + np.sum(E[0] * C[:, :, 1].T)


def negative_indices(x):
    a = x.copy()
    a[-1] = a[-2] * a[-3]
    a[-3:] += a[:3]
    return np.sum(a[:-1] * a[1:])


def variable_slices(x, k):
    a = x.copy()
    for i in range(1, k):
        a[i:] += a[:-i] * a[i]
        a[:i] *= 0.9
    return np.sum(a * a)


def slice_past_end(x):
    a = x.copy()
    a[3:100] *= 2.0
    b = a[-100:2]
    return np.sum(a) * np.sum(b * b)


def persistent_view_in_loop(x):
    a = x.copy()
    v = a[1:5]
    s = 0.0
    for k in range(4):
        v[k] = v[k] * a[0] + s
        s += v[k] * a[k]
        a[0] = a[0] * 1.1
    return s


def view_rebound_in_loop(x):
    a = x.copy()
    v = a[0:2]
    for k in range(1, 4):
        v[0] = v[1] * v[0] + 1.0
        v = a[k:k + 2]
    return np.sum(a * a) + v[0]


def view_of_view_of_row(A):
    B = A.copy()
    r = B[2]
    m = r[1:]
    m[::-1][0] = m[0] * r[0]
    return np.sum(B * B)


def broadcast_view(x):
    B = np.broadcast_to(x, (3, 6))
    return np.sum(B * np.arange(18.0).reshape(3, 6) * B)


def squeeze_expand(x):
    a = np.expand_dims(x, 0)
    b = np.squeeze(a * a, 0)
    return np.sum(b * x)


def strided_argument(x):
    s = 0.0
    for i in range(len(x)):
        x[i] = x[i] * x[i - 1]
        s += x[i]
    return s


def ravel_of_the_transpose(a):
    """A view where the argument is Fortran-contiguous, a copy where it is not."""
    flat = a.T.ravel()
    b = np.zeros_like(a)
    b[1] = flat[:4] * flat[3]
    return np.sum(flat[1:5] ** 2) + np.sum(b * a.T.reshape(-1)[2])


def zeros_in_the_order_of_the_argument(a):
    """NumPy keeps Fortran order, so the reshaped transpose is a view."""
    b = np.zeros_like(a)
    flat = b.T.reshape(-1)
    flat[1] = a[0, 1] ** 2
    flat[2:] = a[1, 1]
    return np.sum(b * a)


def written_argument_in_fortran_order(a):
    """The copy that is made of a written argument keeps its order: the reshaped transpose is a view."""
    b = a.T
    b[0] += b[1]
    v = b.reshape(-1)
    v *= v[::-1]
    return np.sum(a ** 2)


case(write_through_slice, (X,), numba="fast")
case(view_survives_overwrite, (X,), numba="fast")
case(negative_stride_view, (X,), numba="fast")
case(ravel_of_the_transpose, lambda: (np.asfortranarray(A),))
case(zeros_in_the_order_of_the_argument, lambda: (np.asfortranarray(A),))
case(written_argument_in_fortran_order, lambda: (np.asfortranarray(A),))
case(row_view, (A,))
case(row_handed_to_helper, (A,), numba="fast")
case(column_handed_to_helper, (A,))
case(transpose_write, (A,))
case(transpose_chain, (A,))
case(reshape_view, (X,))
case(reshape_minus_one, (X,))
case(reshape_of_strided_is_copy, (A,))
case(ravel_view, (A,))
case(flatten_copy, (A,))
case(newaxis_view, (X,))
case(diagonal_read, (A,))
case(ellipsis_index, (A,))
case(three_d, (X,))
case(negative_indices, (X,))
case(variable_slices, (X, 4), wrt=(0,))
case(slice_past_end, (X,))
case(persistent_view_in_loop, (X,))
case(view_rebound_in_loop, (X,))
case(view_of_view_of_row, (A,))
case(broadcast_view, (X,))
case(squeeze_expand, (X,))


def squeezed_sums(x):
    rows = np.sum(x, axis=1, keepdims=True)
    flat = np.squeeze(rows)
    flat[1] = 3.0 * flat[0]
    return np.sum(rows**2) + np.sum(x[None, :, 1:2].squeeze() ** 3)


def squeezed_arguments(w, x, y):
    """Which extents are 1 decides the ranks: of a column, a matrix and a row."""
    total = 0.0
    for _ in range(3):
        a = 1.0 / (1.0 + np.exp(-np.dot(w.T, x)))
        cost = np.squeeze(-np.dot(y, np.log(a).T))
        total += cost
        w = w - 0.1 * np.dot(x, (a - y).T)
    return total + np.sum(np.squeeze(w) * np.arange(len(w)))


def squeezed_on_either_path(x, n):
    y = x[:1]
    if n > 2:
        y = x * 2.0
    return np.sum(np.squeeze(y) ** 2)


COLUMN = np.array([[0.3], [-0.7]])
case(squeezed_sums, (np.arange(6.0).reshape(2, 3) + 0.5,), numba="fast")
case(squeezed_arguments, (COLUMN, np.array([[0.4, 1.3, -0.8], [0.9, -0.2, 0.5]]), np.array([[1.0, 0.0, 1.0]])), second=True)
case(squeezed_on_either_path, (np.arange(6.0).reshape(2, 3) + 0.5, 3))
case(strided_argument, lambda: (np.repeat(X, 2)[::2],))
