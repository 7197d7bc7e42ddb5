"""Variables that are None until the first trip of a loop has set them, and are used behind a test of another kind."""

import math

import numpy as np

from tests.corpus import case

X = np.array([0.4, 1.3, 0.8])


def largest_so_far(x, n):
    best = None
    for k in range(n):
        v = np.sin(x * k)
        if k == 0 or v > best:
            best = v
    return best


def differences(x, n):
    before, total = None, 0.0
    for i in range(n):
        v = x * (i + 1)
        if i > 0:
            total += (v - before) ** 2 + abs(before)
        before = v
    return total


def vectors(x, n):
    before, total = None, 0.0
    for i in range(n):
        x = np.sin(x) + 0.1
        if i > 1:
            total += np.dot(before, x) + before[0] * len(before) + np.sum(-before[1:])
        before = x.copy()
    return total + np.sum(before)


def weighted(p, y):
    t = 0.0
    for j in range(len(p)):
        t += p[j] * y
    return t


def through_a_helper(x, n):
    kept, have, total = None, False, x
    for i in range(n):
        if have:
            total += weighted(kept, x)
            a, b = kept
            total *= a + b
        kept, have = (x * i, x + 1.0), True
    return total


def loops_over_it(x, n):
    row, total = None, 0.0
    for i in range(n):
        if i:
            for v in row:
                total += v * v
            total += sum(row) + max(row)
        row = [x * i, x + 1.0]
    return total


def in_conditions_of_while(x, n):
    k, m = 0, None
    while k < n and (k == 0 or m < 50.0):
        k += 1
        m = x * k * 10.0
    while True:
        if k > n and m > 500.0:
            break
        k += 1
        m = m * 1.5
    return m * x


def functions_and_dicts(x, n):
    f, d = None, None
    for i in range(n):
        if i > 0:
            x = f(x)
        if i % 2 == 1:
            x += d["a"] * d["b"] + (0.5 if "a" in d else 0.0)
        f = np.cos if i < 2 else math.sin
        d = {"a": x * i, "b": x}
    return x


class Point:
    def __init__(self, a):
        self.a = a

    def twice(self):
        return 2.0 * self.a


def objects(x, n):
    p, total = None, 0.0
    for i in range(n):
        if i > 0:
            total += p.a * p.twice()
        p = Point(x * i)
    return total


def written_into(x, n):
    row, total = None, 0.0
    for i in range(n):
        if i > 0:
            row[0] = 3.0 * x
            row += 1.0
            total += np.sum(row * row)
        row = np.array([x * i, x + 1.0])
    return total


def caught(x, n):
    m, k = None, 0
    try:
        while m + 1.0 > 0 and k < n:
            k += 1
            m = x * k
    except TypeError:
        return 3.0 * x
    return m


case(largest_so_far, (1.3, 4), numba="fast")
case(differences, (1.3, 4), grad=lambda x, n: (6.0 * x + 6.0,), second=True)
case(vectors, (X, 5))
case(through_a_helper, (1.3, 4))
case(loops_over_it, (1.3, 4), numba="fast")
case(in_conditions_of_while, (1.3, 4))
case(functions_and_dicts, (1.3, 5))
case(objects, (1.3, 4), grad=lambda x, n: (20.0 * x,))
case(written_into, (1.3, 4))
case(caught, (1.3, 4), grad=lambda x, n: (3.0,))
