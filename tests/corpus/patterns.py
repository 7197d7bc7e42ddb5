"""`match` with class and mapping patterns."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.corpus import case

X = np.array([0.3, 1.2, 0.7, 2.1])


@dataclass
class Circle:
    radius: float


@dataclass
class Box:
    width: float
    height: float
    scale: float = 1.0


class Segment(NamedTuple):
    start: float
    end: float


class Plain:
    def __init__(self, value):
        self.value = value


def area(shape):
    match shape:
        case Circle(radius=r):
            return np.pi * r**2
        case Box(w, h, scale=2.0):
            return 4.0 * w * h
        case Box(width=w, height=h) if w > h:
            return w * h
        case Box(w):
            return w * w
        case Segment(a, b):
            return b - a
        case Plain(value=v):
            return v * 3.0
        case float(v):
            return v
        case _:
            return 0.0


def classes(x):
    shapes = [Circle(x[0]), Box(x[1], x[2], 2.0), Box(x[1], x[2]), Box(x[2], x[1]), Segment(x[0], x[3]), Plain(x[1]), x[2], "none"]
    return sum(area(s) * (k + 1) for k, s in enumerate(shapes))


def numbers(x):
    match x[0]:
        case int(v):
            return v * x[1]
        case float(v):
            return v * v * x[2]


def mappings(x):
    total = 0.0
    for entry in ({"kind": "a", "value": x[0]}, {"kind": "b", "value": x[1], "more": x[2]}, {"other": x[3]}):
        match entry:
            case {"kind": "a", "value": v}:
                total += v**2
            case {"kind": "b", "value": v, **rest}:
                total += v * rest["more"] * len(rest)
            case {}:
                total += entry["other"] * 5.0
    return total


def inside_of_sequences(x):
    match (Circle(x[0]), [Segment(x[1], 2.0), x[2]]):
        case (Circle(r), [Segment(a, 2.0), b]):
            return r * a * b
        case _:
            return x[0]


case(classes, (X,), numba="fast")
case(numbers, (X,))
case(mappings, (X,))
case(inside_of_sequences, (X,))
