"""What a random program may name at a place, and the tools to write it down."""

from __future__ import annotations

import random
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Scope:
    """Names that certainly are bound here.

    vecs, cvecs, ivecs, masks: real, complex, integer and boolean vectors, name -> length; mats, cubes: name -> shape;
    idx: index arrays, name -> (length, bound), entries from -bound to bound - 1; ints: name -> exclusive upper bound of a non-negative int.
    """

    scalars: list[str] = field(default_factory=list)
    vecs: dict[str, int] = field(default_factory=dict)
    mats: dict[str, tuple[int, int]] = field(default_factory=dict)
    idx: dict[str, tuple[int, int]] = field(default_factory=dict)
    ints: dict[str, int] = field(default_factory=dict)
    bools: list[str] = field(default_factory=list)
    masks: dict[str, int] = field(default_factory=dict)
    ivecs: dict[str, int] = field(default_factory=dict)
    cscalars: list[str] = field(default_factory=list)
    cvecs: dict[str, int] = field(default_factory=dict)
    cubes: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    frozen: set[str] = field(default_factory=set)  # may not be rebound here (being iterated, captured, a view others rely on)

    def copy(self) -> Scope:
        return Scope(**{k: v.copy() for k, v in vars(self).items()})


class Writer:
    """Lines, indentation, names and chances."""

    def __init__(self, seed: int, size: int = 14) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 0
        self.budget = size
        self.kinds: set[str] = set()
        self.counter = 0
        self.scope = Scope()
        self.loops = 0
        self.helpers: dict[str, str] = {}  # name -> signature kind
        self.top: list[str] = []
        self.allow_single = self.rng.random() < 0.15
        self.allow_complex = self.rng.random() < 0.2

    def put(self, line: str) -> None:
        self.lines.append("    " * (self.depth + 1) + line)

    def fresh(self, base: str) -> str:
        self.counter += 1
        return f"{base}{self.counter}"

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def number(self) -> str:
        return repr(round(self.rng.uniform(0.2, 1.6) * self.rng.choice((1, 1, -1)), 2))

    def datum(self) -> float:
        """A number of an argument; it never equals a constant of the program, where there might be a kink."""
        return round(round(self.rng.uniform(-1.5, 1.5), 3) + 0.0003, 4)

    @contextmanager
    def block(self, header: str) -> Any:
        """An indented block; names made inside are forgotten after it."""
        self.put(header)
        outer = self.scope
        self.scope = outer.copy()
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.put("pass")
        self.depth -= 1
        self.scope = outer
