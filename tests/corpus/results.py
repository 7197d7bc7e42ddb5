"""Results that are lists whose length is known at run time only."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.corpus import case

X = np.array([0.3, 1.2, 0.7, 2.1])


class State(NamedTuple):
    x: float
    step: int


@dataclass
class Point:
    x: float
    y: float


def trajectory(x, n):
    out = []
    v = x[0]
    for i in range(n):
        v = v * x[1] + x[2]
        out.append(v)
    return out


def comprehension(x):
    return [v * v for v in x if v > 0.5]


def beside_a_number(x, n):
    out = [x[0] * i for i in range(n)]
    return out, sum(out) * x[1]


def list_of_tuples(x, n):
    out = []
    for i in range(n):
        out.append((i, x[i] * x[0], State(x[i] ** 2, i)))
    return out


def list_of_objects(x, n):
    return [Point(x[i] * 2.0, x[i] * x[0]) for i in range(n)]


def list_of_dicts(x, n):
    history = []
    while len(history) < n:
        history.append({"loss": x[len(history)] ** 2, "step": len(history)})
    return {"history": history, "last": history[-1]["loss"]}


def empty_list(x, n):
    out = []
    for i in range(n - 4):
        out.append(x[i])
    return out, x[0] * x[1]


def integers_only(x, n):
    return [i for i in range(n)], x[0] ** 2


case(trajectory, (X, 5), seeded=True, numba="yes")
case(comprehension, (X,), seeded=True)
case(beside_a_number, (X, 3), seeded=True)
case(list_of_tuples, (X, 3), seeded=True)
case(list_of_objects, (X, 3), seeded=True)
case(list_of_dicts, (X, 3), seeded=True)
case(empty_list, (X, 4), seeded=True)
case(integers_only, (X, 3), seeded=True)
