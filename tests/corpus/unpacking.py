"""Starred targets where the number of elements is known at run time only; attributes of floating-point types."""

import sys

import numpy as np

from tests.corpus import case

X = np.array([0.3, 1.2, 0.7, 2.1])


def head_and_list(x):
    a, b, *c = x
    return a * b + c[0] * len(c) + c[1] ** 2


def list_in_the_middle(x):
    a, *b, c = x
    b.append(a * c)
    return a * c + sum(b) * b[0]


def list_first(x):
    *a, b = x * 2.0
    return sum(a) * b + len(a)


def nothing_left(x):
    a, b, c, d, *e = x
    return a * b + c * d + len(e)


def rows_of_a_matrix(m):
    first, *rest = m
    return np.sum(first) * 2.0 + rest[0][1] ** 2 * rest[1][0]


def in_a_loop(m):
    s = 0.0
    for a, *b in m:
        s = s * 0.5 + a * sum(b)
    return s


def of_a_list(x, n):
    items = [x[i] * x[i] for i in range(n)]
    a, *b, c = items
    return a * c + sum(b) * b[0]


def floating_point_limits(x):
    return x * (sys.float_info.max * 1e-307) + sys.float_info.epsilon * x + np.finfo(np.float64).eps + sys.float_info.dig * x


case(head_and_list, (X,), numba="fast")
case(list_in_the_middle, (X,))
case(list_first, (X,))
case(nothing_left, (X,))
case(rows_of_a_matrix, (np.array([[1.0, 2.0], [0.5, -1.0], [0.3, 0.4]]),))
case(in_a_loop, (np.array([[1.0, 2.0, 0.1], [0.5, -1.0, 3.0]]),))
case(of_a_list, (X, 4))
case(floating_point_limits, (1.3,))
