"""Captured, global and static data."""
import functools
import math

import numpy as np

from tests.corpus import case

X = np.array([0.3, -1.2, 0.7, 2.1])
TABLE = np.array([1.0, 2.0, 0.5, -1.0])
RATE = 0.7
N = 3


def reads_globals(x):
    s = 0.0
    for i in range(N):
        s += x[i] * TABLE[i] * RATE
    return s * math.pi


def make_closure(scale, table):
    def closure_over_data(x):
        return scale * np.sum(table * x * x)
    return closure_over_data


def late_binding(x):
    fs = []
    for k in range(3):
        fs.append(lambda v: v * k)
    s = 0.0
    for f in fs:
        s += f(x)
    return s


def default_argument_binding(x):
    s = 0.0
    for k in range(3):
        f = lambda v, k=k: v ** (k + 1)
        s += f(x)
    return s


def nonlocal_write(x):
    total = 0.0
    count = 0

    def add(v):
        nonlocal total, count
        total = total + v * v * (count + 1)
        count += 1
    for i in range(len(x)):
        add(x[i])
    return total * count


def closure_sees_rebinding(x):
    y = x * 2.0

    def f():
        return y * y
    a = f()
    y = a + 1.0
    return f() * a


def closure_writes_array(x):
    buf = np.zeros(4)

    def put(k, v):
        buf[k] = v * v + buf[k - 1]
    for i in range(4):
        put(i, x[i])
    return np.sum(buf * buf)


def nested_closures(x):
    a = x * 2.0

    def outer(v):
        b = v * a

        def inner(w):
            return w * b + a
        return inner
    return outer(x)(x + 1.0)


def lambda_immediately(x):
    return (lambda a, b: a * b + a)(x, x * 3.0)


def compose(f, g):
    return lambda v: f(g(v))


def composed(x):
    h = compose(np.sin, lambda v: v * v)
    return h(x) * 2.0


def partial_application(x):
    def power(base, n, scale=1.0):
        return scale * base ** n
    cube = functools.partial(power, n=3, scale=2.0)
    return cube(x) + functools.partial(power, x)(2)


def string_option(x, mode="a", *, extra=None):
    if mode == "a":
        y = x * x
    elif mode in ("b", "c"):
        y = x
    else:
        raise ValueError("mode " + mode)
    if extra is not None:
        y = y + extra
    return np.sum(y)


def captured_loop_function(x):
    ops = {"sin": np.sin, "sq": lambda v: v * v}
    s = 0.0
    for name in ("sin", "sq", "sin"):
        s = s * 0.5 + ops[name](x)
    return s


case(reads_globals, (X,), numba="fast")
case(make_closure(0.3, TABLE), (X,), numba="fast")
case(late_binding, (1.3,))
case(default_argument_binding, (1.3,))
case(nonlocal_write, (X,))
case(closure_sees_rebinding, (0.7,))
case(closure_writes_array, (X,))
case(nested_closures, (0.7,))
case(lambda_immediately, (0.7,))
case(composed, (0.7,))
case(partial_application, (0.7,))
case(string_option, (X, "b"), wrt=(0,))
case(captured_loop_function, (0.7,))


def recursion_that_writes_outside(x):
    """Variables, lists and objects around a recursive function whose end is known."""
    best, leaves, seen = 0.0, [], {"deep": 0.0}

    def visit(k, acc):
        nonlocal best
        if k == 3:
            best = best + acc * acc
            leaves.append(acc)
            return
        seen["deep"] += acc * k
        visit(k + 1, acc * x[k])
        visit(k + 1, acc + 0.5)

    visit(0, x[0])
    return best * leaves[2] + sum(leaves) + seen["deep"] * x[1]


case(recursion_that_writes_outside, (np.array([0.3, 0.5, 0.9]),))
