"""The CPU backend: every function of a generated text is compiled by numba."""

from __future__ import annotations

import gc
import types
import weakref
from collections.abc import Callable
from typing import Any

import numba
from numba.core import event

from s2sgrad.backends.cache import DiskCache
from s2sgrad.backends.python import digest, execute
from s2sgrad.runtime import generated

DEFAULTS: dict[str, Any] = {"error_model": "numpy", "fastmath": False, "boundscheck": False, "parallel": False}
# sums whose order is free: the two flags allow a vectorised accumulation and change nothing else
FLAGS: dict[str, Any] = {"reassociated": {"fastmath": {"reassoc", "nsz"}, "inline": "never"}}

# only compiled code calls it: neither Python nor a function pointer enters
CALLED: dict[str, Any] = {"parallel": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

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
    alone = recursive(found)
    for k, f in found.items():
        if k == name or alone:
            # numba names machine code after the qualified name: it must tell texts apart
            f.__qualname__ = f"s{key[:16]}.{k}"
            names[k] = numba.njit(**(chosen if k == name else for_callee(k, chosen)))(f)
        else:
            names[k] = shared(f, chosen, found)
    main = names[name]
    if not alone:  # numba's machine code of recursive functions crashes when it is loaded again
        main._cache = DiskCache(text, name, chosen)
    return main  # type: ignore[no-any-return]


def for_callee(name: str, chosen: dict[str, Any]) -> dict[str, Any]:
    """numba's options for a function that the main function calls."""
    flags = FLAGS.get(name, {}) if not chosen["fastmath"] else {}
    return {**chosen, **flags, **CALLED}


_shared: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()


def shared(f: types.FunctionType, chosen: dict[str, Any], functions: dict[str, types.FunctionType]) -> Any:
    """A function of a text that its main function calls, compiled once for all texts that have the same one."""
    options = for_callee(f.__name__, chosen)
    key = digest(repr((meaning(f, functions), sorted(options.items(), key=str))))
    found = _shared.get(key)
    if found is None:
        used = {n: f.__globals__[n] for n in ("__name__", "__file__", *names_of(f.__code__)) if n in f.__globals__}
        used |= {n: shared(functions[n], chosen, functions) for n in used if n in functions}
        own = types.FunctionType(f.__code__, used, f.__name__, f.__defaults__)
        own.__qualname__ = f"s{key[:16]}.{f.__name__}"
        found = _shared[key] = numba.njit(**options)(own)
    return found


def meaning(f: types.FunctionType, functions: dict[str, types.FunctionType]) -> Any:
    """What a function computes: its code, its defaults and what its global names mean, wherever it stands in a text."""
    used = [n for n in names_of(f.__code__) if n in f.__globals__]
    return code_of(f.__code__), f.__defaults__, [meaning(functions[n], functions) if n in functions else f.__globals__[n] for n in used]


def code_of(c: types.CodeType) -> Any:
    constants = [code_of(k) if isinstance(k, types.CodeType) else k for k in c.co_consts]
    return c.co_name, c.co_code, c.co_names, c.co_varnames, c.co_freevars, constants


def names_of(c: types.CodeType) -> list[str]:
    """The global names (and attributes) that a code mentions."""
    return sorted({*c.co_names, *(n for k in c.co_consts if isinstance(k, types.CodeType) for n in names_of(k))})


class CollectorPause(event.Listener):
    """No garbage collection while numba compiles generated code: it would take a fifth of the time and find little."""

    def __init__(self) -> None:
        self.depth = 0
        self.resume = False

    def on_start(self, event: Any) -> None:
        if ours(event):
            if self.depth == 0:
                self.resume = gc.isenabled()
                gc.disable()
            self.depth += 1

    def on_end(self, event: Any) -> None:
        if ours(event):
            self.depth -= 1
            if self.depth == 0 and self.resume:
                gc.enable()


def ours(event: Any) -> bool:
    """Is it generated code that is compiled? (Everything that numba compiles in this process is announced.)"""
    function = getattr(event.data["dispatcher"], "py_func", None)
    return getattr(function, "__module__", None) == generated.__name__


event.register("numba:compile", CollectorPause())  # events come under numba's compiler lock, one thread at a time


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
