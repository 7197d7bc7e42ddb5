"""Programs that cross every construct of the language: one function each, example arguments and what is asked of it.

`case(fn, args, ...)` registers a program. The programs are written as users write them; nothing in them is adapted to the tool.
"""

from __future__ import annotations

import copy
import functools
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Case:
    """fn: the program. args: a tuple (copied for each run) or a function that makes one.

    wrt: differentiated argument indices (None: all that carry float data).
    grad: the exact gradient, `grad(*args)` -> tuple over wrt (None: compare with differences of the plain run).
    rtol: tolerance of the comparison (None: double precision, or single where an argument is single).
    seeded: the result is not one real scalar: `vjp` with seeds instead of `grad`.
    second: also compare the Hessian-vector product with differences of the gradient.
    forward: also run forward mode. numba: 'yes' (in the slow tests), 'fast' (in the quick tests as well) or 'no'.
    """

    fn: Callable[..., Any]
    args: Any
    wrt: tuple[int, ...] | None = None
    grad: Callable[..., Any] | None = None
    rtol: float | None = None
    seeded: bool = False
    second: bool = False
    forward: bool = True
    numba: str = "yes"
    value: Any = None
    module: str = ""

    @property
    def name(self) -> str:
        return f"{self.module}-{getattr(self.fn, '__name__', type(self.fn).__name__)}"

    def make_args(self) -> tuple[Any, ...]:
        return self.args() if callable(self.args) else copy.deepcopy(self.args)


_current: list[Case] = []


def case(fn: Callable[..., Any], args: Any, **options: Any) -> None:
    _current.append(Case(fn, args, **options))


@functools.cache  # a module registers its cases when it is first imported
def load() -> list[Case]:
    """All cases of all modules of this package."""
    out: list[Case] = []
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda i: i.name):
        _current.clear()
        importlib.import_module(f"{__name__}.{info.name}")
        for c in _current:
            c.module = info.name
        out += _current
    names = [c.name for c in out]
    assert len(set(names)) == len(names), [n for n in names if names.count(n) > 1]
    return out
