"""The passes recurse over programs: a long sum or a deep recursion of the user needs more frames than Python allows by default."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

FRAMES = 30_000

_lock = threading.Lock()
_inside = 0
_before = 0


def deep(f: Callable[P, R]) -> Callable[P, R]:
    """`f` with room for deep recursion; Python's own limit comes back when no such function runs any more."""

    @functools.wraps(f)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        global _inside, _before
        with _lock:
            if _inside == 0:
                _before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(_before, FRAMES))
            _inside += 1
        try:
            return f(*args, **kwargs)
        finally:
            with _lock:
                _inside -= 1
                if _inside == 0:
                    _restore()

    return run


def _restore() -> None:
    try:
        sys.setrecursionlimit(_before)
    except RecursionError:  # called from a stack that is deeper than the limit already: leave the room
        pass
