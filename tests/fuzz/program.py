"""A generated program: its text, its arguments, and how to load it."""

from __future__ import annotations

import ast
import copy
import itertools
import linecache
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.fuzz.kit import Box, Pair, Scale

HEADER = "from functools import partial\n\nimport numpy as np\n\nimport s2sgrad\nfrom tests.fuzz.kit import Box, Pair, Scale\n\n\n"
_serial = itertools.count()


@dataclass
class Program:
    """`text` defines `f`; `setup` makes its arguments (text, so that a failing program can be printed as a test)."""

    seed: int
    text: str
    setup: str
    kinds: set[str] = field(default_factory=set)

    @property
    def single(self) -> bool:
        """Is something in single precision?"""
        return "float32" in self.text + self.setup or "complex64" in self.text + self.setup

    def load(self, widened: bool = False) -> Callable[..., Any]:
        """The function f. `widened`: every explicit single precision in the text becomes double."""
        text = HEADER + (wide(self.text) if widened else self.text)
        name = f"<fuzz {self.seed} {next(_serial)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        space: dict[str, Any] = {"__name__": f"fuzz_{self.seed}"}
        exec(compile(text, name, "exec"), space)
        return space["f"]

    def args(self, widened: bool = False) -> tuple[Any, ...]:
        return copy.deepcopy(eval(wide(self.setup) if widened else self.setup, {"np": np, "Box": Box, "Pair": Pair, "Scale": Scale}))

    def replaced(self, tree: ast.Module) -> Program:
        return Program(self.seed, ast.unparse(tree) + "\n", self.setup, self.kinds)


def wide(text: str) -> str:
    """The text in double precision."""
    return text.replace("np.float32", "np.float64").replace("np.complex64", "np.complex128")


def as_test(p: Program, failure: str) -> str:
    """A ready test."""
    body = "".join("    " + line + "\n" if line else "\n" for line in p.text.rstrip().splitlines())
    return (
        f"def test_fuzz_{p.seed}():\n    # {failure}\n{body}\n    check(f, {p.setup})\n"
    )
