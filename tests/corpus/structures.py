"""Tuples, named tuples, dataclasses, dicts and lists as arguments, inside and as results."""
from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.corpus import case

X = np.array([0.3, -1.2, 0.7, 2.1])
Params = namedtuple("Params", ["w", "b"])


class Typed(NamedTuple):
    scale: float
    shift: np.ndarray


@dataclass
class Spring:
    k: float
    rest: float
    mass: np.ndarray

    def force(self, x):
        return -self.k * (x - self.rest)

    @property
    def total(self):
        return np.sum(self.mass)


@dataclass(frozen=True)
class Layer:
    w: np.ndarray
    b: float
    kind: str = "tanh"

    def __call__(self, x):
        z = np.sum(self.w * x) + self.b
        if self.kind == "tanh":
            return np.tanh(z)
        return z


class Plain:
    def __init__(self, a, n):
        self.a = a
        self.n = n

    def value(self, x):
        return self.a[0] * x ** self.n + self.a[1]


def tuple_argument(p, x):
    w, b = p
    return np.sum(w * x) * b


def nested_tuple_argument(p):
    (a, b), c = p
    return a * b[0] + c * b[1] * a


def namedtuple_argument(p, x):
    return np.sum(p.w * x) + p.b * p.w[0] ** 2


def namedtuple_made(x, y):
    p = Params(x * y, x + y)
    q = p._replace(w=p.b * 2.0)
    return p.w * q.w + q[1]


def typed_namedtuple(t, x):
    return t.scale * np.sum(t.shift * x)


def dict_argument(d, x):
    return np.sum(d["w"] * x) ** 2 + d["b"]


def dict_inside(x):
    d = {"a": x * 2.0, "b": x * x}
    d["c"] = d["a"] * d["b"]
    s = 0.0
    for k in ("a", "b", "c"):
        s += np.sum(d[k])
    for k, v in d.items():
        if k != "a":
            s += np.sum(v)
    return s


def list_argument(ws, x):
    for w in ws:
        x = np.tanh(w * x)
    return np.sum(x)


def dataclass_argument(s, x):
    f = s.force(x)
    return f * f / s.total + s.mass[0] * s.k


def frozen_dataclass(layer, x):
    return layer(x) ** 2


def plain_class(p, x):
    return p.value(x) * 2.0


def layers_in_list(layers, x):
    y = x
    for layer in layers:
        y = y * layer(y)
    return np.sum(y)


def tuple_inside(x, y):
    t = (x, y, x * y)
    a, *rest = t
    b = rest[0] + rest[1]
    return a * b + t[-1] * len(t)


def star_unpacking(x):
    first, *middle, last = x[0], x[1], x[2], x[3]
    return first * last + middle[0] * middle[1]


def tuple_swap_in_loop(x, y):
    state = (x, y)
    for k in range(3):
        a, b = state
        state = (b * 0.9, a + 0.1 * b)
    return state[0] * state[1]


def helper_several_returns(x):
    def stats(v):
        m = np.mean(v)
        return m, np.mean((v - m) ** 2)
    m, var = stats(x)
    return m / (1.0 + var)


def tuple_result(x, y):
    return x * y, np.sin(x) + y


def structured_result(x, p):
    return {"loss": np.sum(x) * p[0], "aux": (x * p[1], p[0] ** 2)}


def array_result(x):
    y = np.empty(3)
    y[0] = x[0] * x[1]
    y[1:] = np.sin(x[2:])
    return y


def namedtuple_result(x):
    return Params(x * x, np.sum(x))


def written_dict_values(d):
    d["w"][0] = d["w"][1] * d["b"]
    d["b"] = d["b"] * 2.0
    return np.sum(d["w"]) * d["b"]


def dict_of_dicts(p, x):
    h = np.tanh(p["one"]["w"] @ x + p["one"]["b"])
    return np.sum(p["two"]["w"] * h) + p["two"]["b"]


W = np.array([[0.1, 0.2, -0.3, 0.4], [0.5, -0.6, 0.7, 0.8]])
def list_bound_again_in_loop(x, n):
    rows = [x]
    s = 0.0
    for i in range(n):
        s += np.sum(rows[-1] * rows[0]) * 0.1
        rows = []
        for j in range(i + 1):
            rows.append(np.sin(x * (j + s)))
            if j > 1:
                rows[j][0] = rows[j - 1][1] * s
    return s + np.sum(rows[0])


def list_with_two_names_in_loop(x, n):
    rows = [x]
    s = 0.0
    for i in range(n):
        before = rows
        rows = []
        for k in range(len(before)):
            rows.append(before[k] * x + i)
        rows.append(x * i)
        s += np.sum(rows[-1] * rows[0])
    return s


def list_of_masks(x, n):
    s = 0.0
    for i in range(n):
        masks = []
        for j in range(3):
            masks.append(x > 0.37 * j - i)
        for j in range(3):
            s += np.sum(x[masks[j]]) ** 2
    return s


case(tuple_argument, ((X, 0.4), X[::-1].copy()))
case(nested_tuple_argument, (((0.3, X), 1.2),))
case(namedtuple_argument, (Params(X, 0.4), X[::-1].copy()))
case(namedtuple_made, (0.3, 0.9))
case(typed_namedtuple, (Typed(0.3, X), X + 1.0))
case(dict_argument, ({"w": X, "b": 0.4}, X + 1.0), numba="fast")
case(dict_inside, (X,))
case(list_argument, ([X, X + 1.0, X * 2.0], X * 0.5))
case(dataclass_argument, (Spring(2.0, 0.1, X + 3.0), 0.7))
case(frozen_dataclass, (Layer(X, 0.2), X * 0.3))
case(plain_class, (Plain(X, 3), 0.7), wrt=(0, 1))
case(layers_in_list, ([Layer(X, 0.2), Layer(X * 2.0, 0.1, "linear")], X * 0.3))
case(tuple_inside, (0.3, 0.9))
case(star_unpacking, (X,))
case(tuple_swap_in_loop, (0.3, 0.9))
case(helper_several_returns, (X,))
case(tuple_result, (0.3, 0.9), seeded=True)
case(structured_result, (X, (0.3, 0.9)), seeded=True)
case(array_result, (X,), seeded=True, numba="fast")
case(namedtuple_result, (X,), seeded=True)
case(written_dict_values, ({"w": X, "b": 0.4},))
case(dict_of_dicts, ({"one": {"w": W, "b": X[:2]}, "two": {"w": X[2:], "b": 0.1}}, X))


class Dual(NamedTuple):
    r: float
    e: float = 0.0

    def __mul__(self, o):
        return Dual(self.r * o.r, self.r * o.e + self.e * o.r)

    def __add__(self, o):
        return Dual(self.r + o.r, self.e + o.e)


def operators_of_a_namedtuple(x):
    a = Dual(x, 1.0)
    b = a * a + a
    return b.r * b.e


class Ranked:
    def __init__(self, value, rank):
        self.value, self.rank = value, rank

    @classmethod
    def first(cls, value):
        return cls(value, 1.0)

    def __eq__(self, o):
        return self.rank > o.rank

    def __lt__(self, o):
        return self.value < o.value

    def __iadd__(self, v):
        self.value = self.value + 7.0 * v
        return self

    def __contains__(self, v):
        return v > self.rank

    def __iter__(self):
        return iter([self.value, self.rank])

    def __abs__(self):
        return 5.0 * self.value


class Derived(Ranked):
    pass


def operators_of_an_object(x):
    a, b = Derived(x, x * x), Derived(2.0 * x, 0.1 * x)
    s = x if a == b else 2.0 * x
    s = s * (3.0 if a != b else 1.0) + (x if b > a else 0.0)
    c = a
    c += x * x
    s += abs(a) if 0.7 in b else 0.0
    for v in a:
        s = s * v
    return s + Ranked.first(x).value


@dataclass(order=True)
class Ordered:
    a: float
    b: float


class Later(Ordered):
    pass


def generated_comparisons(x):
    s = x if Ordered(x, x) < Ordered(x, 2.0 * x) else 2.0 * x
    s = s * (x if Later(x, x) == Later(x, x) else 2.0)
    return s * (x if Ordered(x, 1.0) != Ordered(x, 2.0) else 5.0)


def choices_by_key(x):
    y = sorted([x, 3.0 * x, x - 1.0, x * x], key=lambda v: -v)
    best = min([(x, 1.0), (x * x, -1.0), (3.0 * x, 0.5)], key=lambda p: p[1])
    a = np.array([x, -4.0 * x, 1.0])
    return y[0] * y[3] + best[0] * y[1] + max(a, key=abs) + max(x, 3.0, x * x, key=lambda v: -v)


def list_of_one_path_of_two_dtypes(x, a, c):
    """`held` is bound on one path only, in either of two states (c is a float32 or a Python float)."""
    if a[0] > 0.9:
        c *= a[1]
    s = x[1]
    if x[0] > 0.5:
        held = [x, x, a[::1]]
    c = 2.0
    return s * s + c * (held[2][0] * held[0][1] if x[0] > 0.5 else x[0])


def list_of_the_path_taken(x, a, c):
    return list_of_one_path_of_two_dtypes(x, a, c) * x[0]


case(list_of_one_path_of_two_dtypes, (np.array([0.3, 0.7]), np.array([0.4, 0.5], dtype=np.float32), 0.5), wrt=(0,))
case(list_of_the_path_taken, (np.array([0.8, 0.7]), np.array([1.4, 0.5], dtype=np.float32), 0.5), wrt=(0,))
case(operators_of_a_namedtuple, (1.5,))
case(operators_of_an_object, (1.5,))
case(generated_comparisons, (1.5,))
case(choices_by_key, (1.5,))
case(list_bound_again_in_loop, (np.array([0.3, 0.7, -0.2]), 4), wrt=(0,), numba="fast")
case(list_with_two_names_in_loop, (np.array([0.3, 0.7, -0.2]), 3), wrt=(0,))
case(list_of_masks, (np.array([0.31, 0.72, -0.2]), 2), wrt=(0,))
