"""Arrays and lists of any length as starred arguments, displays and columns; ranges that are sliced; messages that are logged."""

import logging
import warnings
from functools import partial
from typing import NamedTuple

import numpy as np

from tests.corpus import case

logger = logging.getLogger(__name__)


class Point:
    def __init__(self, a, b):
        self.a = a * b


def model(t, a, b, c=0.1):
    return a * np.exp(-b * t) + c


def decay(t, a, b):
    return a * np.exp(-b * t)


def parameters_of_a_model(p, t):
    return np.sum(decay(t, *p) ** 2) + np.hypot(*p) + Point(*p).a + np.sum(partial(model, t, c=0.3)(*p)) + (lambda a, b: a * b)(*p)


class Controller:
    def __init__(self, kp, ki, limits=(-2.0, 2.0)):
        self.kp, self.ki, self.total = kp, ki, 0.0
        self.low, self.high = limits

    def __call__(self, e):
        self.total += e * self.ki
        return np.clip(self.kp * e + self.total, self.low, self.high)


def parameters_before_defaults(p, n):
    c = Controller(*p)
    s = model(0.5, *p)
    for k in range(n):
        s += c(0.3 * k)
    return s


def generators_in_a_display(mu, m):
    points = np.vstack([mu, *(mu + a for a in m.T), *(mu - 2 * a for a in m.T)])
    return np.sum(points ** 3)


def gains_from_the_end(m, x):
    n = 3
    gains = [None] * n
    p = m
    for t in reversed(range(n)):
        gains[t] = m @ p
        p = p + 0.1 * gains[t]
    for k in gains:
        x = k @ x
    return x @ x


def extremes_of_parameters(p):
    return max(*p) * 2 + min(*p)


def displays(p, n):
    grown = []
    for i in range(n):
        grown.append(p[0] * i)
    q = [*p, 1.0, *grown]
    return sum(q) + np.sum(np.array([*p, *p]) ** 2) + decay(0.5, *grown)


def columns_of_an_array(m):
    s = 0.0
    for x, y in zip(*m):
        s += x * y ** 2
    for column in zip(*m):
        s = s * 0.9 + column[0] * sum(column)
    return s + sum(x * y for x, y, z in zip(*m.T))


def columns_of_a_history(x, end):
    history = []
    t = 0.0
    while t < end:
        t += 0.7
        history.append((t, x * t))
    ts, ys = zip(*history)
    return np.trapezoid(np.array(ys) ** 2, ts) + sum(ys)


def ranges(x, a, b):
    n = len(x)
    s = 0.0
    for i in range(n)[::-1]:
        s = s * 0.9 + x[i]
    for i in range(n)[a:b]:
        s = s * 0.8 + x[i]
    for i in range(n)[a::2]:
        s = s * 0.7 + x[i]
    for i in range(n)[-3:]:
        s = s * 0.6 + x[i]
    for i in range(1, n, 2)[::-1]:
        s = s * 0.9 + x[i]
    for i in range(n, 0, -1)[::-1]:
        s = s * 0.8 + x[i - 1]
    for i in range(n, 0, -2)[1:]:
        s = s * 0.7 + x[i - 1]
    s = s * (1 + len(range(a, b))) + x[range(n)[-1]] + x[range(n)[::-1][b % n]]
    return s + x[range(1, n)[-2]] * len(range(n)[a:b]) + sum(range(n)[::2])


class Root:
    def __init__(self, tol):
        self.log = logging.getLogger("root")
        self.tol = tol

    def solve(self, x):
        y = x
        for k in range(50):
            dy = (y * y - x) / (2 * y)
            y = y - dy
            self.log.debug("trip %d: %g", k, dy)
            if abs(dy) < self.tol:
                break
        else:
            warnings.warn(f"no convergence: {dy}", RuntimeWarning, stacklevel=2)
            logger.warning("no convergence")
            logging.info("stopped")
        return y


def logged(x):
    return Root(1e-9).solve(x) + Root(1e-12).solve(2.0 * x)


class Node:
    def __init__(self, v):
        self.v, self.parent, self.children = v, None, []


root, child = Node(1.5), Node(2.5)
child.parent = root
root.children.append(child)


def nodes_that_know_each_other(x):
    return x ** 2 * root.children[0].v * child.parent.v


class Quadrature(NamedTuple):
    nodes: np.ndarray
    weights: np.ndarray

    def __call__(self, f, a=-1.0, b=1.0):
        x = 0.5 * ((b - a) * self.nodes + a + b)
        return 0.5 * (b - a) * sum(w * f(t) for w, t in zip(self.weights, x))


rule = Quadrature(np.array([-np.sqrt(0.6), 0, np.sqrt(0.6)]), np.array([5, 8, 5]) / 9)


def tuple_that_is_called(p, n):
    edges = np.linspace(0, p[0], n + 1)
    return sum(rule(lambda t: np.exp(-p[1] * t) * np.cos(t), a, b) for a, b in zip(edges[:-1], edges[1:]))


case(tuple_that_is_called, (np.array([2.0, 0.5]), 4))
case(parameters_of_a_model, (np.array([1.0, 2.0]), np.array([0.1, 0.2, 0.3])))
def attention_with_a_cache(xs, wq, wk, wv):
    keys, values, outs = [], [], []
    for x in xs:
        q = wq @ x
        keys.append(wk @ x)
        values.append(wv @ x)
        s = np.array([q @ k for k in keys]) / np.sqrt(len(q))
        p = np.exp(s - s.max())
        p /= p.sum()
        outs.append(sum(w * v for w, v in zip(p, values)))
    return np.sum(np.array(outs) ** 2)


def sums_of_arrays_in_a_list(w, d):
    out = []
    for row in d:
        out.append(sum(x * row for x in w))
    return np.sum(np.array(out) ** 2)


case(attention_with_a_cache, (np.arange(6.0).reshape(3, 2) / 5, np.eye(2) + 0.1, np.eye(2) - 0.2, np.array([[0.3, -0.5], [0.2, 1.0]])))
case(sums_of_arrays_in_a_list, (np.array([0.3, 1.0]), np.arange(6.0).reshape(3, 2) / 5))
case(parameters_before_defaults, (np.array([1.0, 2.0]), 4))
case(generators_in_a_display, (np.array([0.3, -0.5]), np.arange(6.0).reshape(2, 3) / 4))
case(gains_from_the_end, (np.array([[1.0, 0.2], [-0.1, 0.9]]), np.array([0.3, 0.5])))
case(extremes_of_parameters, (np.array([1.0, 3.0, 2.0]),))
case(displays, (np.array([0.7, 3.0, 2.0]), 2))
case(columns_of_an_array, (np.arange(6.0).reshape(2, 3),), numba="fast")
case(columns_of_a_history, (0.7, 3.0), wrt=(0,))
for a, b in ((1, 3), (-2, 5), (0, -1), (4, 2), (-9, 9)):
    def ranged(x, a=a, b=b):
        return ranges(x, a, b)

    ranged.__name__ = f"ranged_{a}_{b}".replace("-", "m")
    case(ranged, (np.arange(6.0) / 3,))
case(ranges, (np.arange(6.0) / 3, 2, 5))
case(logged, (0.7,))
case(nodes_that_know_each_other, (0.7,))
