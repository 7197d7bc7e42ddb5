"""Recursive functions whose end is known at run time only, and what they read of their surroundings."""

import numpy as np

from tests.corpus import case


def counted_twice(x):
    k = 2

    def rec(v):
        return k * v if v < 0.1 else rec(v * 0.5) * 1.1

    a = rec(x)
    k = 2.5
    b = rec(x)
    k = x * 3
    return a + 10 * b + 100 * rec(x)


def mode_between_calls(x):
    mode = "steep"

    def rec(v):
        return (3 if mode == "steep" else 2) * v if v < 0.1 else rec(v * 0.5) * 1.1

    a = rec(x)
    mode = "flat"
    return a + 10 * rec(x)


def function_between_calls(x):
    g = lambda v: v * 2

    def rec(v):
        return g(v) if v < 0.1 else rec(v * 0.5) * 1.1

    a = rec(x)
    g = lambda v: v * x
    return a + 10 * rec(x)


def tuple_between_calls(x):
    pair = (x, 2)

    def product():
        return pair[0] * pair[1]

    def rec(v):
        return product() * v if v < 0.1 else rec(v * 0.5) * 1.1

    a = rec(x)
    pair = (x * x, 3)
    return a + 10 * rec(x)


def list_between_calls(x):
    seen = [x]

    def rec(v):
        return seen[0] * v if v < 0.1 else rec(v * 0.5) * 1.1

    a = rec(x)
    seen[0] = 2 * x * x
    b = rec(x)
    seen[0] = x ** 3
    return a + 10 * b + 100 * rec(x)


def list_grows_between_calls(x, n):
    seen = [x]
    d = {"a": x}

    def rec(v):
        return seen[-1] * v * d["a"] if v < 0.1 else rec(v * 0.5) * 1.1

    a = 0.0
    for i in range(n):
        a = a + rec(x)
        seen.append(x * i)
        d["a"] = x + i
    return a


class Decay:
    def __init__(self, rate):
        self.rate = rate

    def run(self, v):
        return self.rate * v if v < 0.1 else self.run(v * 0.5) * 1.1


def object_between_calls(x):
    p = Decay(x)
    a = p.run(x)
    p.rate = x * 3
    b = p.run(x)
    q = Decay(5 * x)

    def rec(v):
        return p.rate * v if v < 0.1 else rec(v * 0.5) * 1.1

    c = rec(x)
    p = q
    return a + 10 * b + 100 * q.run(x) + c * rec(x)


def trace(scene, p, depth):
    c = 0.0
    for o in scene:
        c = c + o["r"] * p
    if p < 0.1:
        return c
    return c + 0.5 * trace(scene, p * c * 0.5 if c < 1 else p * 0.3, depth + 1)


def scene_between_calls(x):
    scene = [{"r": x}, {"r": x * x}]
    a = trace(scene, 0.9, 0)
    scene[0]["r"] = 0.5
    b = trace(scene, 0.9, 0)
    scene.append({"r": 0.1 * x})
    return a + 10 * b + 100 * trace(scene, x, 0)


def defaults_of_lambdas(x):
    def quad(f, a, b, tol):
        m = 0.5 * (a + b)
        s = (b - a) * f(m)
        t = 0.5 * (b - a) * (f(0.5 * (a + m)) + f(0.5 * (m + b)))
        if abs(s - t) < tol:
            return t
        return quad(f, a, m, tol / 2) + quad(f, m, b, tol / 2)

    out = 0.0
    for k in (1, 2, 3):
        out = out * 2 + quad(lambda t, k=k: x * t ** k, 0.0, x, 1e-3)
    for k in range(3):
        out = out * 2 + quad(lambda t: x * t ** k, 0.0, x, 1e-3)  # noqa: B023
    return out


def memo_in_a_list(x, n):
    memo = [-1.0] * (n + 1)

    def fib(k):
        if memo[k] >= 0:
            return memo[k]
        memo[k] = x if k < 2 else fib(k - 1) + x * fib(k - 2)
        return memo[k]

    return fib(n)


def rows_of_a_list(x, n):
    rows = []
    for i in range(n):
        rows.append([x * i, x + i])

    def rec(k, v):
        if k < 0:
            return v
        return rec(k - 1, v * 0.5 + rows[k][0] * rows[k][1])

    return rec(n - 1, x)


def arrays_of_a_list(x, n):
    weights = []
    for i in range(n):
        weights.append(np.outer(x, x) * i * 0.1)

    def rec(k, v):
        if k < 0:
            return v
        return rec(k - 1, np.tanh(weights[k] @ v) + v)

    return rec(n - 1, x).sum()


def constant_arrays_of_a_list(x, n):
    weights = []
    for i in range(n):
        weights.append(np.ones(2) * i * 0.1)

    def rec(k, v):
        if k < 0:
            return v
        return rec(k - 1, weights[k] * v + v ** 2)

    return rec(n - 1, x).sum()


def visited_places(x, n):
    seen = [False] * n

    def walk(k):
        if seen[k]:
            return 0.0
        seen[k] = True
        return x[k] ** 2 + 0.5 * walk((2 * k + 1) % n) + walk((k + 1) % n)

    return walk(0)


for f in (counted_twice, mode_between_calls, function_between_calls, tuple_between_calls, list_between_calls, object_between_calls,
          scene_between_calls, defaults_of_lambdas):
    case(f, (0.7,))
case(list_grows_between_calls, (0.7, 3))
case(memo_in_a_list, (0.7, 6))
case(rows_of_a_list, (0.7, 4))
for f in (arrays_of_a_list, constant_arrays_of_a_list):
    case(f, (np.array([0.7, 0.2]), 4))
case(visited_places, (np.array([0.7, 0.2, 0.4, 1.0]), 4))


def memo_that_grows(x):
    n = 6
    memo = []
    out = 0.0

    def fib(k):
        if memo[k] >= 0:
            return memo[k]
        memo[k] = x if k < 2 else fib(k - 1) + x * fib(k - 2)
        return memo[k]

    for i in range(n):
        memo.append(-1.0)
        out += fib(i)
        memo[i] *= 1.1
    return out


case(memo_that_grows, (0.7,))
