"""The plain Python backend: generated text runs in CPython, with its lines in tracebacks and in pdb."""

from __future__ import annotations

import hashlib
import linecache
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.backends import ieee
from s2sgrad.runtime import generated


def jit_disabled() -> bool:
    """Has the user switched compilation off?"""
    return any(os.environ.get(v, "0") not in ("", "0") for v in ("S2SGRAD_DISABLE_JIT", "NUMBA_DISABLE_JIT"))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def file_name(text: str, name: str) -> str:
    """The pseudo file that a generated text lives in."""
    return f"<s2sgrad {name}-{digest(text)[:12]}>"


def execute(text: str, name: str, interpreted: bool = False) -> dict[str, Any]:
    """The global names of a generated module. Its lines are registered, so that tracebacks show them. `interpreted`: for CPython."""
    file = file_name(text, name)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": generated.__name__, "__file__": file}
    if interpreted:
        names |= ieee.NAMES
    exec(compile(ieee.rewritten(text, file) if interpreted else text, file, "exec"), names)
    return names


def load(text: str, name: str, options: dict[str, Any]) -> Callable[..., Any]:
    """The function, run by CPython. Floating-point warnings are off, as in compiled code."""
    names = execute(text, name, interpreted=True)
    f = names[name]

    def call(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return f(*args)

    call.__name__ = name
    call.__wrapped__ = f  # type: ignore[attr-defined]
    return call
