"""Programs of the input language: each function is called with its default arguments and must mean the same in Core."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections import namedtuple

import numba
import numpy as np

X = np.array([0.5, -1.0, 2.0, 0.3])
M = np.sin(np.arange(12.0)).reshape(3, 4)
K = 3
SCALE = 1.5
WEIGHTS = {"a": 2.0, "b": np.array([1.0, 2.0])}
AXIS = 1
Pair = namedtuple("Pair", "first second")


@dataclasses.dataclass
class Params:
    k: float
    w: np.ndarray
    n: int = 2

    def energy(self, x):
        return self.k * np.sum(self.w * x) + self.n

    @property
    def double(self):
        return 2.0 * self.k


class Spring:
    def __init__(self, k, rest=0.5):
        self.k = k
        self.rest = rest
        self.count = 0

    def force(self, x):
        self.count += 1
        return -self.k * (x - self.rest)

    def __call__(self, x):
        return self.force(x) * 2.0


class Vec:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __mul__(self, s):
        return Vec(self.x * s, self.y * s)

    def norm2(self):
        return self.x * self.x + self.y * self.y


# ------------------------------------------------------------------------------------------------ loops


def for_else(x=X):
    s = 0.0
    for v in x:
        if v > 5.0:
            break
        s += v
    else:
        s *= 2.0
    return s


def while_else(n=5):
    k, s = 0, 1.0
    while k < n:
        s *= 1.1
        k += 1
        if s > 100.0:
            break
    else:
        s += 10.0
    return s + k


def while_true_exits(x=X):
    i, s = 0, 0.0
    while True:
        if i >= len(x):
            return s
        if x[i] < -5.0:
            break
        s += x[i] ** 2
        i += 1
    return -s


def float_bounds(a=0.0, b=1.0):
    t, s, dt = a, 0.0, 0.125
    while t < b:
        s += math.sin(t) * dt
        t += dt
    return s


def variable_step(x=X, st=-1):
    s = 0.0
    for i in range(len(x) - 1, -1, st):
        s = s * 0.5 + x[i]
    return s + i


def loop_variable_after(x=X):
    s = 0.0
    for i in range(3):
        s += x[i]
    return s * i


def loop_variable_reassigned(x=X):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        i = i * 2
        s += i
    return s + i


def zip_unequal(x=X):
    s = 0.0
    for a, b in zip(x, x[1:]):
        s += a * b
    return s


def nested_enumerate_zip(x=X, m=M):
    s = 0.0
    for i, (a, row) in enumerate(zip(x, m)):
        s += a * row[i] + i
    return s


def zero_trip(n=0):
    s = 1.0
    for i in range(n):
        s *= 2.0
    return s


def ragged(n=4):
    s = 0.0
    for i in range(n):
        for j in range(i, n - i):
            s += i * j + 1.0
    return s


def rows(m=M):
    s = 0.0
    for row in m:
        for v in row:
            s += v * v
    return s


def over_tuple(x=X):
    s = 0.0
    for c, p in ((1.0, 1), (2.0, 2), (0.5, 3)):
        s += c * x[0] ** p
    return s


def reversed_loops(x=X):
    s = 0.0
    for v in reversed(x):
        s = s * 0.5 + v
    for i in reversed(range(1, 4)):
        s = s * 0.5 + x[i]
    for t in reversed((1.0, 2.0)):
        s = s - t
    return s


def deep_break(x=X):
    s = 0.0
    for i in range(4):
        for j in range(4):
            for k in range(4):
                if i * j * k > 3:
                    break
                if k == 2:
                    continue
                s += x[i] * x[j] + k
            if j == 2:
                break
        if s > 3.0:
            s -= 1.0
            continue
        s += 0.25
    return s


def return_from_depth(x=X):
    for i in range(len(x)):
        for j in range(i):
            if x[i] * x[j] < -1.0:
                return x[i] + 2.0 * x[j]
            if x[i] > 100.0:
                return 3.0
    return 7.0


def buried_jumps(x=X):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            s += 1.0
            if x[i] > 1.0:
                s += 10.0
                continue
            s += 0.5
        else:
            s -= 1.0
            if i == 1:
                s *= 2.0
                if s < -100.0:
                    break
        s += x[i]
    return s


def iterate_arange(n=4):
    s = 0.0
    for i in np.arange(n):
        s += i * 0.5
    return s


def prange_loop(x=X):
    out = np.zeros(4)
    for i in numba.prange(4):
        out[i] = x[i] * 2.0
    return np.sum(out)


# ------------------------------------------------------------------------------------------------ control


def early_returns(x=0.7):
    if x < 0.0:
        return -1.0
    elif x < 0.5:
        return x * x
    if x > 0.6:
        y = math.exp(x)
        if y > 2.0:
            return y
    return 0.0


def tuple_returns(x=0.7):
    def split(v):
        if v > 1.0:
            return v, 1
        return 2.0 * v, 0

    a, b = split(x)
    c, d = split(2.0 * x)
    return a + b + c * d


def walrus(x=X):
    if (n := len(x)) > 3 and (m := x[0] * 2.0) > 0.0:
        return n * m
    return 0.0


def chained(x=0.5):
    s = 0.0
    if 0.0 < x < 1.0 <= 1.5:
        s += 1.0
    if 0.0 < x > 0.7:
        s += 2.0
    return s


def short_circuit(x=X):
    count = np.zeros(1)

    def check(v):
        count[0] += 1.0
        return v > 0.0

    s = 0.0
    for i in range(len(x)):
        if check(x[i]) and check(x[i] - 1.0):
            s += x[i]
        if check(x[i]) or check(-x[i]):
            s += 0.5
    return s + count[0]


def nested_ifexp(x=0.4):
    return (1.0 if x < 0.0 else 2.0 * x if x < 0.5 else 3.0) + (x if x > 1 else 1)


def array_ifexp(x=X):
    y = x if x[0] > 1.0 else x * 2.0
    y[0] = 7.0
    return np.sum(y)


def unpacking(x=X):
    a, *b, c = (1.0, 2.0, 3.0, 4.0)
    (d, e), f = (x[0], x[1]), x[2]
    g, h = x[:2]
    [p, q] = [g, h]
    return a + b[0] * b[1] + c * d + e + f + p * q


def swaps(x=0.3, y=0.8):
    x, y = y, x + y
    a = np.array([1.0, 2.0, 3.0])
    a[0], a[2] = a[2], a[0]
    i = 0
    i, a[i] = 1, 5.0
    m, n, k = 1.0, 2.0, 3.0
    m, n, k = k, m, n
    return x * y + a[0] * 10 + a[1] + a[2] * 100 + m * n - k


def row_swap(m=M):
    a = m.copy()
    a[0], a[1] = a[1], a[0]
    return np.sum(a * np.arange(12.0).reshape(3, 4))


def buffers(x=X):
    u, v = x.copy(), np.zeros(4)
    for _ in range(3):
        for i in range(4):
            v[i] = 0.5 * u[i] + u[i - 1]
        u, v = v, u
    return np.sum(u) + v[0]


def deletion(x=0.3):
    y = x * 2
    z = y + 1
    del y
    return z


def matching(mode="b", k=2, t=(1, 2)):
    match mode:
        case "a":
            s = 1.0
        case "b" | "c":
            s = 2.0
        case _:
            s = 3.0
    match k:
        case 1:
            s += 10.0
        case 2:
            s += 20.0
        case n if n > 5:
            s += n
    match t:
        case (1, y):
            s += y * 100
        case _:
            s = 0.0
    return s


def finally_block(x=X):
    s = 0.0
    for i in range(4):
        try:
            if x[i] < 0.0:
                continue
            s += x[i]
        finally:
            s += 100.0
    return s


def finally_return(x=0.5):
    log = np.zeros(1)

    def f(v):
        try:
            if v > 0.0:
                return v * 2.0
            log[0] += 5.0
        finally:
            log[0] += 1.0
        return v

    return f(x) + f(-x) + log[0]


def error_state(x=X):
    with np.errstate(divide="ignore"):
        y = 1.0 / x
    return np.sum(y)


def prints(x=0.5):
    print(f"x = {x:.3f}", x, "done")
    if x > 100:
        raise ValueError(f"too large: {x}")
    assert x < 10, "message"
    pass
    return x


def flags_and_none(x=X, mode=None, name="sq"):
    s = 0.0
    if mode is None:
        s += 1.0
    if not mode and name == "sq" and name != "cube" and name in ("sq", "x"):
        s += np.sum(x * x)
    return s


def best_of(x=X):
    best = None
    for v in x:
        if best is None or v < best:
            best = v
    return best


def maybe_missing(x=X):
    for i in range(len(x)):
        if x[i] > 1.0:
            found = x[i]
    return found * 2.0


def type_changes(x=X):
    a = x
    a = np.sum(a)
    n = 3
    n = n / 2
    v = 0
    for i in range(4):
        v = v + x[i]
    w = 1
    if a > 0:
        w = 2.5
    return a * n + v + w


# ------------------------------------------------------------------------------------------------ functions


def closure_reads_and_writes(x=0.5):
    total = 0.0

    def add(v):
        nonlocal total
        total += v
        return total

    a = add(x) * add(2.0)
    return a + total


def operand_order(x=0.5):
    total = 1.0

    def add(v):
        nonlocal total
        total += v
        return total

    return total * 10.0 + add(x) + total


def memory_order(x=X):
    a = x.copy()

    def touch(b):
        b[0] += 1.0
        return 2.0

    a[0] += touch(a)
    s = a[0] * touch(a) + a[0]
    a[1:3] += touch(a)
    return s + np.sum(a)


def late_binding(x=0.5):
    k = 1.0
    f = lambda t: t * k  # noqa: E731
    k = 3.0
    return f(x)


def closures_in_loop(x=0.5):
    s = 0.0
    for k in range(3):
        f = lambda t: t * k  # noqa: E731
        s += f(x)
    return s


def maker(x=0.5):
    def make(k):
        return lambda t: t * k + x

    k = 2.0
    double = make(k)
    k = 10.0
    triple = make(3.0)
    return double(x) + triple(double(1.0)) + k


def functions_in_tuples(x=0.5):
    fs = (np.sin, lambda t: t * t, math.exp)
    s = 0.0
    for f in fs:
        s += f(x)
    for i in range(3):
        s += fs[i](x)
    return s + fs[-1](x)


def defaults_and_keywords(x=0.5):
    def f(a, b=2.0, *args, c=3.0, **kw):
        s = a * b + c
        for v in args:
            s += v
        for k in kw:
            s += kw[k]
        return s

    return f(x) + f(x, 1.0) + f(x, 1.0, 5.0, 6.0) + f(x, c=1.0, d=7.0) + f(b=x, a=2.0)


def keyword_spread(x=0.5):
    def f(a, b, c):
        return a + 2 * b + 3 * c

    t = (x, 2.0)
    d = {"c": 5.0}
    return f(*t, **d)


def partials(x=0.5):
    def f(a, b, c=1.0):
        return a * b - c

    g = functools.partial(f, x, c=2.0)
    return g(3.0)


def square(x):
    return x * x


@numba.njit
def jitted(x):
    return x * 2.0


def decorate(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs) * 10.0

    return inner


@decorate
def decorated(x, y=1.0):
    return x + y


def other_functions(x=0.5):
    return square(x) + jitted(x) + decorated(x, y=2.0)


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def recursive_constant(x=0.5):
    return factorial(5) * x


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def recursive_dynamic(x=0.5, n=5):
    return power(x, n) + power(2.0 * x, n - 2)


def even(x, n):
    if n == 0:
        return x
    return odd(x * 1.1, n - 1)


def odd(x, n):
    if n == 0:
        return -x
    return even(x + 0.5, n - 1)


def mutual(x=0.5, n=4):
    return even(x, n) + odd(x, n + 1)


def nested_recursion(x=X, n=4):
    scale = 2.0

    def walk(k):
        if k == 0:
            return 0.0
        return scale * x[k - 1] + walk(k - 1)

    return walk(n)


def recursive_array(a, lo, hi):
    if hi - lo < 2:
        return
    mid = (lo + hi) // 2
    recursive_array(a, lo, mid)
    recursive_array(a, mid, hi)
    for i in range(lo, mid):
        s, d = a[i] + a[i + mid - lo], a[i] - a[i + mid - lo]
        a[i], a[i + mid - lo] = s, d


def hadamard(x=X):
    a = x.copy()
    recursive_array(a, 0, len(a))
    return np.sum(a * np.arange(4.0))


# ------------------------------------------------------------------------------------------------ data


def tuples(x=0.5):
    t = (x, (2.0, x * 3))
    u = t[1] + (1.0,)
    n = Pair(x, second=2.0)
    return t[0] + u[0] * u[1] + len(u) + n.first * n.second + n[0] + t[-1][1]


def structure_arguments(p=Pair(0.5, X), d={"a": 2.0, "b": X}, ls=[1.0, X], q=Params(0.5, X), t=(1.0, (2.0, X))):
    s = p.first * np.sum(p.second) + d["a"] * d["b"][0] + ls[0] + ls[1][1]
    return s + q.k + q.energy(X) + q.double + t[0] * t[1][0] + t[1][1][2]


def structure_results(x=0.5):
    return {"a": x * 2, "b": (x, [x * 3, X * x])}, Pair(x, 1.0), Params(x, X * x, 3)


def objects(x=0.5):
    s = Spring(2.0)
    f = 0.0
    for _ in range(3):
        f += s.force(x) + s(x)
    s.rest = x
    return f + s.force(x) + s.count * 100


def operators(x=0.5):
    v = Vec(x, 1.0) + Vec(2.0, x) * 3.0
    for _ in range(2):
        v = v + Vec(1.0, x)
    return v.norm2()


def dicts(x=0.5):
    d = {"a": x, "b": 2.0}
    d["c"] = d["a"] * 3
    d["a"] += 1.0
    s = 0.0
    for k, v in d.items():
        s += v
        if k == "b":
            s *= 2.0
    for v in d.values():
        s += v
    return s + d.get("z", 5.0) + len(d) + ("a" in d) + sum(d.values())


def dict_in_loop(x=X):
    d = {"sum": 0.0, "prod": 1.0}
    for v in x:
        d["sum"] += v
        d["prod"] *= v
    return d["sum"] + d["prod"]


def lists(x=X):
    a = []
    for v in x:
        if v > 0.0:
            a.append(v * 2.0)
    a.append(5.0)
    last = a.pop()
    s = 0.0
    for v in a:
        s += v
    b = np.array(a)
    return s + last + a[0] + a[-1] + len(a) + sum(a) + max(a) + np.sum(b * b)


def list_of_arrays(x=X):
    states = [x]
    for i in range(3):
        states.append(states[-1] * 0.5 + i)
    s = 0.0
    for a in states:
        s += np.sum(a)
    t = np.array(states)
    return s + np.sum(t[1] * t[2]) + states[1][0] + len(states)


def stack_machine(x=0.5):
    stack = [x]
    for k in range(5):
        if len(stack) > 1 and k % 2 == 0:
            stack.append(stack.pop() * stack.pop())
        else:
            stack.append(stack[-1] + k)
    return stack[0] + stack[-1] + len(stack)


def list_repeat(n=4):
    a = [0.0] * n
    for i in range(n):
        a[i] = i * 1.5
    a[1] += 2.0
    return sum(a) + a[2]


def fixed_lists(x=0.5):
    a = [x, 2.0, 3.0]
    a[1] = x * x
    b = a + [4.0]
    b[0], b[3] = b[3], b[0]
    a.append(9.0)
    return b[0] + b[1] * b[2] + b[3] + len(a) + a[-1] + a[1:][0]


def lists_of_tuples(x=X):
    a = []
    for i in range(len(x)):
        a.append((x[i], i))
    s = 0.0
    for v, k in a:
        s += v * k
    return s + a[1][0]


def comprehensions(x=X, m=M):
    a = [v * v for v in x]
    b = [x[i] * x[j] for i in range(3) for j in range(i) if x[i] > x[j]]
    c = np.array([[i * j + x[i] for j in range(3)] for i in range(2)])
    d = {k: v * 2.0 for k, v in (("p", x[0]), ("q", x[1]))}
    t = tuple(v + 1.0 for v in (x[0], x[1]))
    return sum(a) + sum(b) + len(b) + np.sum(c) + d["p"] + d["q"] + t[0] * t[1] + sum([row[0] for row in m])


def generators(x=X):
    s = sum(v * v for v in x) + max(abs(v) for v in x) + min(v for v in x if v > -0.5)
    if any(v > 1.0 for v in x) and all(v < 5.0 for v in x):
        s += 1.0
    return s + sum(x[i] * k for i, k in enumerate((1.0, 2.0, 3.0)))


def maps(x=0.5):
    return sum(map(lambda v: v * 2, (x, 1.0, 2.0))) + sum(map(square, X)) + len(list(filter(lambda v: v > 0, X)))


# ------------------------------------------------------------------------------------------------ captured data


def globals_read(x=X):
    return SCALE * np.sum(x) + K + WEIGHTS["a"] * WEIGHTS["b"][1] + np.sum(X * x) + np.sum(M, axis=AXIS)[0]


def helper_with_global(x):
    return x * SCALE


def helper_reads_global(x=0.5):
    return helper_with_global(x) + math.pi + np.e


# ------------------------------------------------------------------------------------------------ arrays


def views(m=M):
    a = m.copy()
    r = a[1]
    r[0] = 5.0
    a.T[2][:2] = 7.0
    b = a[::2, 1:]
    b *= 2.0
    c = a.reshape(4, 3)
    c[0, 0] = -1.0
    d = a.ravel()
    d[-1] = 3.0
    e = a[..., None]
    return np.sum(a) + e.shape[0] + e.ndim + np.sum(a[:, -1]) + a[-1, -1] + a[1][2]


def alias(x=X):
    a = x.copy()
    b = a
    b += 1.0
    c = a
    c = c + 1.0
    s = a[0]
    t = s
    t += 5.0
    return np.sum(a) + np.sum(c) + s + t


def fancy(x=X):
    idx = np.array([0, 2, 2, -1])
    a = x[idx] * 2.0
    b = x.copy()
    b[idx] += 1.0
    b[x > 0.4] = 0.0
    np.add.at(b, idx, 1.0)
    p = np.array([1, 0, 3, 2])
    p[p] = p
    return np.sum(a) + np.sum(b * np.arange(4.0)) + p[0] + x[[0, 1]].sum()


def masks_nd(m=M):
    a = m.copy()
    a[a > 0.5] *= 2.0
    a[a < 0.0] = -1.0
    return np.sum(a) + np.sum(m[m > 0.2])


def attributes(m=M):
    return np.sum(m.T @ m) + m.size + m.shape[1] + len(m) + m.ndim + np.sum(m.T.shape[0]) + m.max() + m.sum(axis=0)[1] + m.mean()


def methods(x=X):
    a = x.copy()
    a.fill(2.0)
    b = x.reshape(2, 2).T.ravel()
    c = x.astype(np.float32)
    x2 = x.copy()
    x2.sort()
    return np.sum(a) + b[1] + float(c[0]) + x2[0] + x.dot(a) + x.item(1) + x.argmax() + x.tolist()[2]


def creation(n=3):
    a = np.zeros((n, 2)) + np.ones(2) + np.full((n, 2), 0.5) + np.arange(2) + np.eye(n, 2)
    b = np.linspace(0.0, 1.0, n + 1)
    c = np.zeros_like(a)
    c[:] = 2
    return np.sum(a) + np.sum(b) + np.sum(c) + np.array([1.0, n, 3]).sum() + np.array([[1, 2], [3, n]])[1, 1]


def out_arguments(x=X):
    a = np.empty_like(x)
    np.multiply(x, x, out=a)
    np.add(a, 1.0, a)
    np.maximum(a, 1.5, out=a)
    return np.sum(a) + np.add.reduce(a) + np.maximum.reduce(a) + np.sum(np.multiply.outer(x, x)) + np.add.accumulate(a)[2]


def linear_algebra(m=M):
    a = m @ m.T + 2.0 * np.eye(3)
    w, v = np.linalg.eigh(a)
    s, ld = np.linalg.slogdet(a)
    return np.sum(w) + ld * s + np.linalg.det(a) + np.sum(np.linalg.solve(a, m[:, 0])) + np.linalg.norm(m)


def dtypes(x=np.array([1.0, 2.0], dtype=np.float32)):
    s = 0.0
    for v in x:
        s += v * 2
    k = np.float32(0.5) * x[0]
    return s * k


def integers(n=7):
    return n // 2 + n % 3 + (n << 1) + (n & 3) + divmod(n, 3)[1] + int(n / 2) + round(2.6) + abs(-n) + max(n, 3) + min(2, n) + pow(n, 2)


def complexes(z=1.0 + 2.0j):
    w = z * z + 1j
    return w.real + abs(w) + w.imag * 2 + z.conjugate().imag + complex(1.0, 2.0).imag


def statics(x=X):
    s = 0.0
    if isinstance(x, np.ndarray) and x.ndim == 1 and not callable(x) and hasattr(x, "shape"):
        s += 1.0
    if isinstance(s, float) and type(s) is float:
        s += 2.0
    if x.dtype == np.float64 and np.finfo(x.dtype).eps < 1e-10:
        s += 3.0
    return s + getattr(x, "size") + len((1, 2))


# ------------------------------------------------------------------------------------------------ more


class Model:
    def __init__(self, k):
        self.k = k
        self.w = np.array([1.0, 2.0])

    def m(self, x):
        return self.k * x + np.sum(self.w)

    def __call__(self, x):
        return self.m(x) * 2.0


def acc_rows(x=X):
    acc = 0.0
    for r in np.outer(x, x):
        acc = acc + r
    return np.sum(acc)


def poly(n=3):
    x = np.ones(n)
    y = sum([x * 2, x * 3])
    return np.sum(y)


def gen_arr(x=X):
    return np.sum(sum((x * k for k in range(3))))


def varargs(x=0.5):

    def f(*a):
        return a[0] + len(a)
    return f(x, 1, 2)


def star(x=X):
    a = [x[0], x[1]]
    return max(*a) + min(a)


def while_walrus(x=0.5):
    n = 0
    while (x := (x * 0.5)) > 0.01:
        n += 1
    return x * n


def enumerate_start(x=X):
    s = 0.0
    for i, v in enumerate(x, 1):
        s += i * v
    return s * i


def two_d(m=M):
    s = 0.0
    n, k = m.shape
    for i in range(n):
        for j in range(k):
            if i == j:
                continue
            if m[i, j] < -0.9:
                break
            s += m[i][j]
    return s


def store_chain(m=M):
    a = m.copy()
    a[0][1] = 5.0
    a[1:][0][2] = 6.0
    a[0:2, 1:3][1] = 7.0
    a[[0, 2]][0] = 100.0
    return np.sum(a)


def nan_cmp(x=X):
    if x[0] != x[0]:
        return 0.0
    return x[0] if not (x[0] > 1 or x[1] > 1) else -x[0]


def str_opt(x=X):
    opts = {'mode': 'sq', 'p': 2}
    if opts['mode'] == 'sq':
        y = x ** opts['p']
    else:
        y = x
    return y.sum()


def nested_list(x=X):
    a = [[0.0] * 3 for _ in range(2)]
    for i in range(2):
        for j in range(3):
            a[i][j] = x[i] * j
    return a[1][2] + a[0][1]


def nested_list_n(x=X, n=5):
    a = [[0.0] * 3 for _ in range(n)]
    for i in range(n):
        for j in range(3):
            a[i][j] = x[0] * j + i
    return a[1][2] + a[0][1] + a[n - 1][0]


def list_objs(x=X):
    ps = [Model(x[0]), Model(x[1])]
    s = 0.0
    for p in ps:
        s += p.m(2.0)
    return s


def fib(x=X):
    a, b = (0, 1)
    for _ in range(10):
        a, b = (b, a + b)
    return a * x[0]


def any_list(x=X):
    return float(any([v > 1 for v in x])) + float(all(x > -5))


def sort_list(x=X):
    l = sorted([x[0], x[1], x[2]])
    l.sort(reverse=True)
    return l[0] * 100 + l[1] * 10 + l[2]


def bool_ops(x=0.3):
    a = x or 5.0
    b = 0.0 or x
    c = x and 2.0
    d = (x > 0.1) & (x < 1)
    return a + b + c + d


def global_math(x=0.3):
    import math as mm
    from math import sin
    return sin(x) + mm.cos(x)


def slices(x=X):
    s = slice(1, 3)
    i = (slice(None), 0)
    m = np.outer(x, x)
    return np.sum(x[s]) + np.sum(m[i])


def shape_tuple(x=X):
    m = np.zeros((2,) + x.shape)
    m[:] = x
    return m.sum() + m.reshape(-1).shape[0] + m.reshape((4, 2))[0, 1] + np.ones(x.shape).sum()


def while_nested(n=5):
    s = 0
    while n > 0:
        k = n
        while k > 0:
            k -= 1
            if k == 2:
                break
            s += k
        else:
            s += 100
        n -= 1
    return s


def multi_assign(x=X):
    a = b = x.copy()
    a[0] = 9
    c = d = 1.0
    c += 1
    return np.sum(b) + c + d


def neg_steps(x=X):
    return np.sum(x[::-1] * x) + x[-2] + np.sum(x[-3:-1]) + x[::-2][0]


def ternary_arr(x=X):
    v = x[:2] if x[0] > 0 else x[2:]
    return v[0]


def inner_class_use(x=0.5):
    c = Model(x)
    c.w[0] = x * 3
    c.k += 1
    return c(2.0)


def cumulative(x=X):
    return np.sum([np.sum(x[:i]) for i in range(len(x))])


def dyn_stack(x=X):
    rows = []
    for i in range(3):
        rows.append(x * i)
    return np.sum(np.stack(rows) * np.concatenate(rows).reshape(3, 4)) + np.vstack(rows)[1, 2]


def lambda_default(x=X):
    fs = [lambda v, k=k: v * k for k in (1.0, 2.0, 3.0)]
    return sum((f(x[0]) for f in fs))


def raise_guard(x=0.7):

    def chk(v):
        if v < 0:
            raise ValueError('neg')
        return math.sqrt(v)
    return chk(x) + chk(2 * x)


def retnone(x=X):

    def upd(a):
        a *= 2
    b = x.copy()
    upd(b)
    r = upd(b)
    return np.sum(b) + (1.0 if r is None else 2.0)


def dictloop(x=X):
    p = {'w': x.copy(), 'b': 0.5}
    for it in range(3):
        g = {'w': p['w'] * 0.1, 'b': 1.0}
        p = {k: p[k] - 0.1 * g[k] for k in p}
    return p['w'].sum() + p['b']


def tupleloop(x=X):
    st = (x[0], x[1], 0)
    for i in range(3):
        a, b, n = st
        st = (b, a + b, n + 1)
    return st[0] * st[1] + st[2]


def objloop(x=X):
    v = Vec(0.0, 0.0)
    for i in range(4):
        v = v + Vec(x[i], 1.0) * 2.0
    return v.norm2()


def optional_loop(x=X):
    prev = None
    s = 0.0
    for v in x:
        if prev is not None:
            s += v * prev
        prev = v
    return s


def return_skips_else(x=X):
    s = 0.0
    for i in range(3):
        if x[i] < 0.0:
            return s + 1.0
        s += x[i]
    else:
        for j in range(2):
            s += 100.0
            if s > 1000.0:
                return s
    return s * 2.0
