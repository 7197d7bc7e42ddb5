"""Arrays that are written: stores, in-place operators, overlaps, rebinding, allocation in loops."""
import numpy as np

from tests.corpus import case

X = np.array([0.3, -1.2, 0.7, 2.1, -0.4, 0.9])
A = np.array([[0.2, 1.3, -0.7], [0.9, -0.5, 0.4], [1.1, 0.8, -1.6]])


def in_place_loop(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] = y[i] * y[i - 1] + np.sin(y[i])
    return np.sum(y)


def argument_overwritten(x):
    for i in range(len(x)):
        x[i] = x[i] ** 2 + (x[i - 1] if i > 0 else 0.0)
    return np.sum(x)


def argument_rebound(x):
    x = x * 2.0
    x = x + np.sin(x)
    x[0] = x[1] * x[2]
    return np.sum(x * x)


def slice_store(x):
    y = np.zeros(6)
    y[1:4] = x[:3] * x[3:6]
    y[::2] += x[::2]
    return np.sum(y ** 2)


def strided_store(x):
    y = x.copy()
    y[::2] = y[1::2] * y[::2]
    y[::-1] *= 1.5
    return np.sum(y ** 3)


def scalar_broadcast_store(x, c):
    y = np.empty(5)
    y[:] = c
    y[2:] *= x[2:5]
    y[0] = x[0] * c
    return np.sum(y * y)


def row_store(A, x):
    B = np.empty((3, 3))
    for i in range(3):
        B[i] = A[i] * x[i]
    B[1, :] += A[:, 2]
    B[:, 0] = x[:3]
    return np.sum(B * B)


def augmented_operators(x):
    y = x.copy()
    y += x
    y *= x
    y -= 0.5
    y /= 1.0 + x * x
    y **= 2
    return np.sum(y)


def augmented_element(x):
    y = x.copy()
    for i in range(5):
        y[i] += y[i + 1] * 2.0
        y[i] *= y[i]
        y[i + 1] -= y[i]
        y[i] /= 3.0 + y[i + 1] ** 2
    return np.sum(y)


def doubled_slice(v):
    w = v.copy()
    w[1:3] *= 2
    return np.sum(w * w)


def overlap_forward(x):
    b = x * 1.0
    b[2:5] += b[0:3]
    return np.sum(b * b * np.arange(6.0))


def overlap_backward(x):
    b = x * 1.0
    b[0:3] += b[2:5]
    b[0:5] = b[1:6] * 2.0
    b[1:6] = b[0:5] * b[0]
    return np.sum(b * b * np.arange(6.0))


def overlap_reversed(x):
    b = x * 1.0
    b += b[::-1]
    b *= b[::-1]
    b[:] = b[::-1]
    return np.sum(b * np.arange(6.0))


def overlap_transposed(A):
    B = A.copy()
    B += B.T
    B *= B.T + 1.0
    return np.sum(B * A)


def swap_elements(x):
    y = x.copy()
    for i in range(3):
        y[i], y[5 - i] = y[5 - i], y[i] * 2.0
    return np.sum(y * np.arange(1.0, 7.0) ** 2 * y)


def swap_rows_view_semantics(A):
    B = A.copy()
    B[0], B[1] = B[1], B[0]
    return np.sum(B * B * np.arange(9.0).reshape(3, 3))


def swap_rows_copy(A):
    B = A.copy()
    B[[0, 2]] = B[[2, 0]]
    B[0], B[1] = B[1].copy(), B[0].copy()
    return np.sum(B * B * np.arange(9.0).reshape(3, 3))


def buffer_swap(x, n):
    u = x.copy()
    v = np.zeros(len(x))
    for t in range(n):
        for i in range(1, len(x) - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i]
        u, v = v, u
    return np.sum(u * u)


def alternating_rows(x, n):
    buf = np.zeros((2, len(x)))
    buf[0] = x
    for t in range(n):
        src, dst = t % 2, (t + 1) % 2
        for i in range(len(x)):
            buf[dst, i] = buf[src, i] * 0.5 + buf[src, i - 1] ** 2 * 0.3
    return np.sum(buf[n % 2] ** 2)


def allocated_in_loop(x):
    s = 0.0
    for k in range(1, 4):
        t = np.zeros(k)
        for j in range(k):
            t[j] = x[j] * s + x[k]
        s += np.sum(t * t)
    return s


def rebound_to_other_shape(x):
    y = x
    for k in range(3):
        y = y[1:] * y[:-1] + 0.5
    return np.sum(y ** 2)


def growing_array(x):
    y = x[:1] * 2.0
    for k in range(1, 4):
        y = np.concatenate((y, x[k:k + 1] * y[-1:]))
    return np.sum(y * y)


def parallel_assignment(x, y):
    for k in range(4):
        x, y = y * 0.9, x + 0.1 * y
    return x * y


def fibonacci_pair(a, b, n):
    for _ in range(n):
        a, b = b, a * b + a
    return b


def tuple_target_order(x):
    a = x.copy()
    m = 0
    m, a[m] = 2, a[1] * 3.0
    return a[0] + a[2] ** 2 * m


def chained_assignment(x):
    a = b = x * x
    c = a + 1.0
    a += c
    return np.sum(a * b)


def time_stepping_2d(u, n):
    u = u.copy()
    for t in range(n):
        w = u.copy()
        w[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] - 4.0 * u[1:-1, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        w[0, :] = w[1, :] * w[0, 0]
        u = w * (1.0 - 0.05 * w)
    return np.sum(u * u)


def seidel(A, n):
    A = A.copy()
    for t in range(n):
        for i in range(1, A.shape[0] - 1):
            for j in range(1, A.shape[1] - 1):
                A[i, j] = (A[i - 1, j] + A[i, j - 1] + A[i, j] ** 2 + A[i + 1, j] + A[i, j + 1]) / 5.0
    return np.sum(A ** 2)


def cholesky_loops(A):
    n = A.shape[0]
    L = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            if i == j:
                L[i, i] = np.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return np.sum(np.log(np.diag(L)))


def lu_pivoting(A, b):
    A = A.copy()
    b = b.copy()
    n = len(b)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[p, k]):
                p = i
        if p != k:
            for j in range(n):
                t = A[k, j]
                A[k, j] = A[p, j]
                A[p, j] = t
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            A[i, k:] -= f * A[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - A[i, i + 1:] @ x[i + 1:]) / A[i, i]
    return np.sum(x * x)


def workspace_argument(x, work):
    for i in range(len(x)):
        work[i] = x[i] ** 2
    work[0] += work[1]
    return np.sum(work * work)


def out_argument(x):
    y = np.empty_like(x)
    np.multiply(x, x, out=y)
    np.add(y, x, out=y)
    return np.sum(y * x)


def full_slice_store(x):
    y = np.empty(6)
    y[...] = x * x
    z = np.empty((2, 3))
    z[...] = y.reshape(2, 3)
    z[:, :] *= z
    return np.sum(z)



def counter_moves_on(x):
    y = x * 1.0
    k = 0
    s = np.sin(y[0]) * y[1] ** 2
    y[k] += 2.0
    s += y[k] ** 2
    k = 1
    y[k] += 1.0
    k = 2
    return s + y[1] ** 3


def constants_added_under_another_name(x, y):
    s = x[0] * y[4]
    x, y = y, x
    y[1:5] += 1.33
    x, y = y, x
    return s


def integers_counted_up(x, q):
    s = np.sum(np.sin(x) * (q / 2))
    k = 0
    while k < 3:
        q[k % 4 - 4] += 1
        k += 1
    return s + np.sum(x * q)

case(in_place_loop, (X,), numba="fast")
case(argument_overwritten, (X,), numba="fast")
case(argument_rebound, (X,))
case(slice_store, (X,))
case(strided_store, (X,))
case(scalar_broadcast_store, (X, 1.3))
case(row_store, (A, X))
case(augmented_operators, (X,))
case(augmented_element, (X * 0.5,))
case(doubled_slice, (X,))
case(overlap_forward, (X,), numba="fast")
case(overlap_backward, (X,), numba="fast")
case(overlap_reversed, (X,), numba="fast")
case(overlap_transposed, (A,), numba="fast")
case(swap_elements, (X,))
case(swap_rows_view_semantics, (A,))
case(swap_rows_copy, (A,))
case(buffer_swap, (X, 5), wrt=(0,), numba="fast")
case(alternating_rows, (X, 5), wrt=(0,))
case(allocated_in_loop, (X,))
case(rebound_to_other_shape, (X,))
case(growing_array, (X,))
case(parallel_assignment, (0.7, 1.2))
case(fibonacci_pair, (0.7, 0.4, 4), wrt=(0, 1), second=True)
case(tuple_target_order, (X,))
case(chained_assignment, (X,))
case(time_stepping_2d, (np.outer(X[:5], X[1:6]) + 0.3, 3), wrt=(0,))
case(seidel, (np.outer(X[:5], X[1:6]) + 0.3, 3), wrt=(0,))
case(cholesky_loops, (A @ A.T + 2.0 * np.eye(3),))
case(lu_pivoting, (A, X[:3]))
case(workspace_argument, (X, np.zeros(6)), wrt=(0,))
case(out_argument, (X,))
case(full_slice_store, (X,))
case(counter_moves_on, (X,), numba="fast")
case(constants_added_under_another_name, (X, 2.0 * X))
case(integers_counted_up, (X[:4], np.array([1, 0, -2, 1])), wrt=(0,))
