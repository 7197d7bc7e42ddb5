"""The user's functions: their name, signature and place."""

from __future__ import annotations

import inspect
import keyword
import linecache
import types
from typing import Any

from s2sgrad.errors import NoSource
from s2sgrad.ir import Place


def unwrap(fn: Any) -> Any:
    """The plain Python function behind a numba dispatcher or a bound method."""
    fn = getattr(fn, "py_func", fn)
    return fn.__func__ if isinstance(fn, types.MethodType) else fn


def plain(fn: Any) -> Any:
    """The Python function whose text is read: that of a custom gradient or a compiled function is behind the object."""
    fn = unwrap(fn)
    while not isinstance(fn, types.FunctionType) and hasattr(fn, "function"):
        fn = unwrap(fn.function)
    return fn


def function_name(fn: Any) -> str:
    """An identifier for a callable: its own name, 'function' for a lambda."""
    name = getattr(unwrap(fn), "__name__", type(fn).__name__)
    if not name.isidentifier() or keyword.iskeyword(name):
        return "function"
    return str(name)


def place_of(fn: Any) -> Place | None:
    """Where a function is defined: its `def` line (or the line of a lambda)."""
    code = getattr(unwrap(fn), "__code__", None)
    if code is None:
        return None
    line = code.co_firstlineno
    text = linecache.getline(code.co_filename, line).strip()
    while text.startswith("@"):  # decorators
        line += 1
        text = linecache.getline(code.co_filename, line).strip()
    return Place(code.co_filename, line, text, code.co_name if code.co_name.isidentifier() else "")


def signature(fn: Any) -> inspect.Signature:
    """The parameters of a function; a builtin without one is refused."""
    try:
        return inspect.signature(fn)
    except (ValueError, TypeError):
        raise NoSource(
            f"{getattr(fn, '__name__', fn)!s} has no Python source to differentiate",
            hint="Wrap it in a Python function, or give it a derivative with s2sgrad.custom_gradient.",
        ) from None
