"""The classes that random programs use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclass
class Box:
    w: Any
    k: float
    n: int


class Scale:
    def __init__(self, w: Any, k: float) -> None:
        self.w = w
        self.k = k

    def apply(self, v: Any, q: float) -> float:
        v[0] = v[-1] * self.k + q
        self.w[1] += v[0] * 0.3
        return v[0] * self.w[-1]
