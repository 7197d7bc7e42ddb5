"""Loops: ranges, while, for-else, iteration over data, reassigned and escaping loop variables."""
import numpy as np

from tests.corpus import case

X = np.array([0.3, -1.2, 0.7, 2.1, -0.4])
A = np.array([[0.2, 1.3, -0.7], [0.9, -0.5, 0.4], [1.1, 0.8, -1.6], [0.05, -0.3, 0.6]])


def range_forward(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 2 * (i + 1)
    return s


def range_negative_step(x):
    s = 1.0
    for i in range(x.shape[0] - 1, -1, -1):
        s = s * np.cos(x[i]) + x[i]
    return s


def range_step_two(x, start, step):
    s = 0.0
    for i in range(start, x.size, step):
        s += np.sin(x[i]) * s + x[i]
    return s


def nested_ragged(A):
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(i % 3 + 1):
            for k in range(j, 3):
                s = 0.9 * s + A[i, j] * A[i, k]
    return s


def zero_trip(x, n):
    s = x[0] * 2.0
    for i in range(n):
        s *= x[i]
    return s + x[1]


def empty_array(x, y):
    s = np.sum(y)
    for i in range(x.shape[0]):
        s += x[i]
    return s


def while_counter(x):
    i = 0
    s = 0.0
    while i < x.shape[0]:
        s += np.exp(0.3 * x[i]) * s + x[i]
        i += 1
    return s


def while_data_dependent(x, tol):
    y = x
    n = 0
    while abs(y * y - 2.0 * x) > tol and n < 40:
        y = 0.5 * (y + 2.0 * x / y)
        n += 1
    return y * n


def while_true_exits(x):
    s = 1.0
    k = 0
    while True:
        s = s * 1.5 + x * k
        k += 1
        if s > 30.0:
            s = s * x
            break
        if k > 20:
            break
    return s


def while_else(x):
    k = 0
    s = x
    while k < 3:
        s = s * s * 0.7
        k += 1
        if s > 1e6:
            break
    else:
        s += 5.0 * x
    return s


def for_else_taken(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 100.0:
            break
        s += x[i] ** 3
    else:
        s *= 2.0
    return s


def for_else_not_taken(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 1.0:
            break
        s += x[i] ** 3
    else:
        s *= 2.0
    return s


def loop_variable_after(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s * x[i] + i * x[0]


def loop_variable_reassigned(x):
    s = 0.0
    for i in range(4):
        i = i + 1
        s += x[i] * i
        i *= 3
    return s * i


def bound_reassigned(x):
    n = 3
    s = 0.0
    for i in range(n):
        n = n + 2
        s += x[i] * n
    return s


def float_bound(x):
    t = 0.0
    s = 0.0
    while t < 1.0:
        s += x[0] * t * t + np.sin(x[1] * t)
        t += 0.25
    return s


def computed_bounds(x, n):
    s = 0.0
    for i in range(max(0, n - 3), min(n, x.shape[0])):
        for j in range(i // 2, i + 1):
            s += x[i] * x[j]
    return s


def iterate_array(x):
    s = 1.0
    for v in x:
        s = s * 0.5 + v * v
    return s


def iterate_rows(A):
    s = 0.0
    for row in A:
        s += np.sum(row) ** 2
    return s


def iterate_rows_written(A):
    B = A.copy()
    for row in B:
        row *= 2.0
        row[0] = row[1] * row[2]
    return np.sum(B * B)


def iterate_tuple(x, y):
    s = 0.0
    for v in (x, y, x * y):
        s += v * v
    return s


def enumerate_array(x):
    s = 0.0
    for i, v in enumerate(x):
        s += v ** (i + 1)
    return s


def enumerate_start(x):
    s = 0.0
    for i, v in enumerate(x, 2):
        s += v * i
    return s


def zip_unequal(x, A):
    s = 0.0
    for v, row in zip(x, A):
        s += v * row[0] * row[1]
    return s


def nested_enumerate_zip(x, A):
    s = 0.0
    for i, (v, row) in enumerate(zip(x, A)):
        for j, (a, b) in enumerate(zip(row, x)):
            s += v * a * b * (i + 2 * j)
    return s


def reversed_range(x):
    s = 0.0
    for i in reversed(range(len(x))):
        s = s * 0.8 + x[i] ** 2
    return s


def reversed_array(x):
    s = 0.0
    for v in reversed(x):
        s = s * 0.8 + v * v
    return s


def triple_with_state(A, n):
    u = np.zeros(3)
    for t in range(n):
        for i in range(A.shape[0]):
            for j in range(3):
                u[j] = 0.5 * u[j] + A[i, j] * u[(j + 1) % 3] + A[i, j]
    return u[0] * u[1] + u[2]


def long_recurrence(x, n):
    s = x[0]
    for i in range(n):
        s = 3.2 * s * (1.0 - s) * 0.9 + 0.01 * x[1]
    return s


def accumulate_in_inner(A):
    p = 1.0
    for i in range(A.shape[0]):
        row = 0.0
        for j in range(A.shape[1]):
            row += A[i, j] * A[i, j]
        p *= 1.0 + 0.1 * row
    return p


def iterate_while_rebinding(x):
    s = 0.0
    y = x
    for v in y:
        y = y * 2.0
        s += v * y[0]
    return s


def early_exit_after_accumulation(x, limit):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            s += x[i] * x[j]
            if s > limit:
                break
        if s < -limit:
            break
        s += x[i]
    return s


def iterate_columns(A):
    s = 0.0
    for c in A.T:
        s += c[0] * np.prod(c)
    return s


def range_over_len_list(x):
    s = 0.0
    for i in range(0, 2 * len(x), 2):
        s += x[i // 2] * i
    return s


def tuple_of_values_rebound(x):
    s = x[1]
    for a in (x[0], s, s * s):  # the tuple holds the values that its items had when the loop began
        x[1] += a
        s += a
    for a, b in zip((s, x[2], 0.5), (x[0], s, s)):
        s += a * b
    return s + x[1]


def tuple_of_arrays_rebound(x):
    y = x * 2.0
    for a in (y, x, y[::-1]):
        y = a * 0.5
        a[0] += y[1]
    return np.sum(x * x) + np.sum(y)


def tuple_iterated_by_writers(x):
    s = x[1]

    def pushed(u):
        nonlocal s
        s += u
        x[0] += u * u
        return s * x[0]

    t = 0.0
    for a in (x[0], s, s * 0.5):
        t += pushed(a)
    t += sum([(s := s + a) for a in (s, 0.3 * s)]) + sum(pushed(a) for a in (x[0], s))
    return s + t


def map_is_lazy(x):
    s = 0.0
    for k, y in enumerate(map(lambda u: u * x[0], (1.0, 2.0, 0.5))):
        x[0] += 0.1 * y
        s += y * (k + 1)
    return s * x[1]



def condition_false_at_once(x):
    k = 0
    while (s := 0.5) > 0.9 and k < 3:
        k += 1
    return x * x * s

case(range_forward, (X,), numba="fast")
case(range_negative_step, (X,))
case(range_step_two, (X, 1, 2), wrt=(0,))
case(nested_ragged, (A,), numba="fast")
case(zero_trip, (X, 0), wrt=(0,))
case(empty_array, (np.zeros(0), np.array([1.0, 2.0])))
case(while_counter, (X,))
case(while_data_dependent, (1.7, 1e-8), wrt=(0,))
case(while_true_exits, (1.3,))
case(while_else, (1.1,))
case(for_else_taken, (X,))
case(for_else_not_taken, (X,))
case(loop_variable_after, (X,))
case(loop_variable_reassigned, (X,))
case(bound_reassigned, (X,))
case(float_bound, (X,))
case(computed_bounds, (X, 5), wrt=(0,))
case(iterate_array, (X,), numba="fast")
case(iterate_rows, (A,))
case(iterate_rows_written, (A,))
case(iterate_tuple, (1.2, 0.7))
case(enumerate_array, (X,))
case(enumerate_start, (X,))
case(zip_unequal, (X, A))
case(nested_enumerate_zip, (X, A))
case(reversed_range, (X,))
case(reversed_array, (X,))
case(triple_with_state, (A, 3), wrt=(0,), second=True)
case(long_recurrence, (np.array([0.31, 0.5]), 60), wrt=(0,))
case(accumulate_in_inner, (A,), second=True)
case(iterate_while_rebinding, (X,))
case(early_exit_after_accumulation, (X, 1.0), wrt=(0,))
case(iterate_columns, (A,))
case(range_over_len_list, (X,))
case(tuple_of_values_rebound, (X,), numba="fast")
case(tuple_of_arrays_rebound, (X,))
case(tuple_iterated_by_writers, (X,))
case(map_is_lazy, (X,))
case(condition_false_at_once, (3.0,))


def bound_on_one_path_and_again(x, c):
    """`c` is used where it was bound on one path, then bound again for all."""
    if x[0] > 0.38:
        c = np.sum(x[x > 0.1])
        s = c * x[0]
        w = x * c
        s += w[1] * w[2]
    else:
        s = c
    for k in range(2):
        if x[k] > 0.5:
            d = s * x[k]
            s += d * d
        d = s * 0.5
        s += d * x[2]
    c = np.sum(x[x > 0.2])
    w = x * s
    return c * s + c * c + np.sum(w * w)


case(bound_on_one_path_and_again, (np.array([0.1, 0.7, 0.3]), 0.4), numba="fast")


def largest_kept(x, c):
    """A name that is nothing before the loop, then the best so far: read, under a test, before the text binds it."""
    best = None
    for v in x:
        if best is None or v * c > best:
            best = v * c
    return best * best


case(largest_kept, (np.array([0.3, 1.2, 0.7]), 2.0), numba="fast")
