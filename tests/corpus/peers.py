"""Twelve small programs on which other tools are wrong or refuse."""
import numpy as np

from tests.corpus import case

X = np.array([0.3, -1.2, 0.7, 2.1])


def in_place_write_in_loop(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] * x[i]
        if i > 0:
            y[i] += y[i - 1] * x[i]
    return y.sum()


def while_data_dependent_trips(x):
    s = x
    while s < 10.0:
        s = s * s + 0.5
    return s


def break_out(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 2
        if s > 1.0:
            break
    return s


def continue_past(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0:
            continue
        s += x[i] ** 2 * (i + 1)
    return s


def early_return(x):
    s = 1.0
    for i in range(len(x)):
        s *= 1.5 + x[i]
        if s > 1.2:
            return s * x[i]
    return s


def recursion(x, n):
    if n == 0:
        return x
    return np.sin(recursion(x, n - 1)) * x


def write_through_view(x):
    a = x * 1.0
    v = a[1:3]
    v[0] = a[0] * a[3]
    return np.sum(a * a)


def scaled_slice(x):
    v = x.copy()
    v *= 2
    v[1:] *= v[:-1]
    return np.sum(v)


def overwritten_argument(x):
    x[0] = x[1] * x[2]
    x *= x
    return np.sum(x)


def aliased_names(x):
    a = x.copy()
    b = a
    b[0] = 3.0 * a[1]
    return np.sum(a * x)


def data_dependent_branch(x):
    s = 0.0
    for v in x:
        if v > s:
            s = s + v * v
        else:
            s = s - v
    return s


def dynamic_product(x, n):
    s = 1.0
    for i in range(n):
        s *= x[i]
    return s


case(in_place_write_in_loop, (X,), numba="fast")
case(while_data_dependent_trips, (0.7,), numba="fast")
case(break_out, (X,), numba="fast")
case(continue_past, (X,), numba="fast")
case(early_return, (X,), numba="fast")
case(recursion, (0.7, 3), wrt=(0,), numba="fast")
case(write_through_view, (X,), numba="fast")
case(scaled_slice, (X,), numba="fast")
case(overwritten_argument, (X,), numba="fast")
case(aliased_names, (X,), numba="fast")
case(data_dependent_branch, (X,), numba="fast")
case(dynamic_product, (X, 4), wrt=(0,), numba="fast")
