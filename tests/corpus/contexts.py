"""`with`: objects with __enter__ and __exit__, generators made contexts, contextlib."""

import contextlib

import numpy as np

from tests.corpus import case

X = np.array([0.3, 1.2, 0.7, 2.1])


class Counted:
    def __init__(self, name):
        self.name = name
        self.entered = 0

    def __enter__(self):
        self.entered += 1
        return self

    def __exit__(self, *error):
        return False


class Doubled:
    """Its number is twice as large inside."""

    def __init__(self, k):
        self.k = k

    def __enter__(self):
        self.k = self.k * 2
        return self

    def __exit__(self, kind, value, traceback):
        self.k = self.k / 2


@contextlib.contextmanager
def scaled(x, k):
    y = x * k
    yield y
    x[0] = x[0] * 3.0


@contextlib.contextmanager
def restored(x):
    old = x[1]
    x[1] = old * 5.0
    try:
        yield
    finally:
        x[1] = old


def named_manager(x):
    with Counted("outer") as a, Counted("inner") as b:
        y = x[0] * x[1]
    with a:
        y = y * x[2]
    return y * a.entered + b.entered * x[3]


def manager_with_numbers(x):
    d = Doubled(x[0])
    with d as inside:
        y = x[1] * inside.k
    return y + d.k ** 2


def return_from_a_manager(x):
    d = Doubled(x[0])

    def inner():
        with d:
            return d.k * x[1]

    return inner() * d.k


def manager_in_a_loop(x, n):
    d = Doubled(x[0])
    s = 0.0
    for i in range(n):
        with d:
            if x[i] > 2.0:
                break
            if x[i] < 0.5:
                continue
            s += d.k * x[i]
        s += d.k
    return s * d.k


def generator_context(x):
    with scaled(x, 2.0) as y:
        s = y[0] * x[1]
    return s * x[0]


def generator_context_with_finally(x, n):
    s = 0.0
    for i in range(n):
        with restored(x):
            s += x[1] * x[i]
        s = s * x[1]
    return s


def null_context(x):
    with contextlib.nullcontext(x[0] * 2.0) as y, contextlib.nullcontext():
        s = y * x[1]
    return s + x[2]


def yields_inside_of_finally(x, n):
    last = [0.0]

    def squares():
        try:
            for i in range(n):
                yield x[i] ** 2
        finally:
            last[0] = x[0]

    s = 0.0
    for v in squares():
        s += v * v
    return s + sum(squares()) * last[0]


case(named_manager, (X,))
case(manager_with_numbers, (X,), numba="fast")
case(return_from_a_manager, (X,))
case(manager_in_a_loop, (X, 4))
case(generator_context, (X,))
case(generator_context_with_finally, (X, 3), numba="fast")
case(null_context, (X,))
case(yields_inside_of_finally, (X, 4))
