"""The CPU backend: every function of a generated text is compiled by numba."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numba

from s2sgrad.backends.cache import DiskCache
from s2sgrad.backends.python import digest, execute

DEFAULTS: dict[str, Any] = {"error_model": "numpy", "fastmath": False, "boundscheck": False, "parallel": False}
# sums whose order is free: the two flags allow a vectorised accumulation and change nothing else
FLAGS: dict[str, Any] = {"reassociated": {"fastmath": {"reassoc", "nsz"}, "inline": "never"}}

INTERPRETED = frozenset({"print_tensors", "format_value", "format_array", "format_number"})  # run by the interpreter (numba.objmode)


def load(text: str, name: str, options: dict[str, Any]) -> Callable[..., Any]:
    """The compiled function. It is specialised for its argument types at the first call, and machine code is kept on disk."""
    unknown = set(options) - set(DEFAULTS)
    if unknown:
        raise ValueError(f"unknown option {sorted(unknown)[0]!r} of the cpu backend; there are {', '.join(DEFAULTS)}")
    chosen = {**DEFAULTS, **options}
    key = digest(text + repr(sorted(chosen.items())))
    names = execute(text, name)
    found = {k: f for k, f in names.items() if isinstance(f, types.FunctionType) and f.__globals__ is names and k not in INTERPRETED}
    for k, f in found.items():
        # numba names machine code after the qualified name: it must tell texts apart
        f.__qualname__ = f"s{key[:16]}.{k}"
        how = dict(chosen)
        if k in FLAGS and not how["fastmath"]:
            how.update(FLAGS[k])
        if k != name:
            how["parallel"] = False
        names[k] = numba.njit(**how)(f)
    main = names[name]
    if not recursive(found):  # numba's machine code of recursive functions crashes when it is loaded again
        main._cache = DiskCache(text, name, chosen)
    return main  # type: ignore[no-any-return]


def recursive(functions: dict[str, types.FunctionType]) -> bool:
    """Does a chain of calls among these functions come back to where it started?"""
    calls = {k: {c for c in f.__code__.co_names if c in functions} for k, f in functions.items()}

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        todo = [start]
        while todo:
            new = calls[todo.pop()] - seen
            seen |= new
            todo += new
        return seen

    return any(k in reached(k) for k in calls)
