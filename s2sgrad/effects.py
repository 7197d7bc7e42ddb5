"""Python side effects that cannot be compiled (a counter, a list of the caller's): split off a function so that the rest compiles.

As in TensorFlow they run once per specialisation, when the function is prepared; values known only inside the function cannot be used
in them.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
import types
from collections.abc import Callable
from typing import Any

METHODS = frozenset({"append", "add", "extend", "insert", "update", "setdefault", "pop", "clear", "remove", "discard"})


def split(fn: Callable[..., Any]) -> tuple[Callable[[], None], Callable[..., Any]] | None:
    """(what to run once, the function without it), or None where there is nothing to split off."""
    if not isinstance(fn, types.FunctionType):
        return None
    try:
        lines, first = inspect.getsourcelines(fn)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return None
    node = tree.body[0]
    if not isinstance(node, ast.FunctionDef):
        return None
    found = [s for s in _always(node.body) if _is_effect(s, _locals(fn), fn)]
    if not found:
        return None
    text = textwrap.dedent("".join(lines)).splitlines()
    for s in reversed(found):
        top, last = s.lineno - 1, (s.end_lineno or s.lineno) - 1
        rest = text[last].encode()[s.end_col_offset :].decode()
        text[top : last + 1] = [text[top].encode()[: s.col_offset].decode() + "pass" + rest, *[""] * (last - top)]
    start = min([d.lineno for d in node.decorator_list] + [node.lineno]) - 1
    for k in range(start, node.lineno - 1):
        text[k] = ""
    once = ["def once():", *("    " + ast.unparse(s) for s in found)]
    if used := sorted({n for s in found if isinstance(s, (ast.AugAssign, ast.Assign)) for n in _plain_targets(s)}):
        free = set(fn.__code__.co_freevars)
        once[1:1] = [f"    nonlocal {n}" if n in free else f"    global {n}" for n in used]
    return _rebuild("\n".join(once), "once", fn, 1, False), _rebuild("\n".join(text), fn.__name__, fn, first, True)


def _always(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a function that run whatever happens: not in a branch or a loop, and before any way out."""
    leaves = [any(isinstance(n, (ast.Return, ast.Raise, ast.Assert)) for n in ast.walk(s)) for s in body]
    return body[: leaves.index(True)] if True in leaves else body


def _locals(fn: types.FunctionType) -> set[str]:
    return set(fn.__code__.co_varnames) | set(fn.__code__.co_cellvars)


def _plain_targets(s: Any) -> list[str]:
    targets = s.targets if isinstance(s, ast.Assign) else [s.target]
    return [t.id for t in targets if isinstance(t, ast.Name)]


def _is_effect(s: ast.stmt, local: set[str], fn: types.FunctionType) -> bool:
    """A statement that changes captured Python objects and uses no value of the function."""
    if any(isinstance(n, ast.Name) and n.id in local for n in ast.walk(s)):
        return False
    if isinstance(s, (ast.Assign, ast.AugAssign)):
        targets = s.targets if isinstance(s, ast.Assign) else [s.target]
        return all(isinstance(t, (ast.Subscript, ast.Attribute, ast.Name)) and not _numeric(t, fn) for t in targets)
    if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and isinstance(s.value.func, ast.Attribute):
        return s.value.func.attr in METHODS
    return False


def _numeric(target: ast.expr, fn: types.FunctionType) -> bool:
    """Is the object that would be written an array or a tensor (then the program itself is at stake)?"""
    while isinstance(target, (ast.Subscript, ast.Attribute)):
        target = target.value
    if not isinstance(target, ast.Name):
        return True
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    try:
        value = cells[target.id].cell_contents if target.id in cells else fn.__globals__.get(target.id)
    except ValueError:
        return True
    return hasattr(value, "__array__")


def _rebuild(text: str, name: str, fn: types.FunctionType, first: int, keep: bool) -> Any:
    """The function of a text, with the globals, closure and defaults of another one and its line numbers."""
    free = fn.__code__.co_freevars
    head = f"def factory({', '.join(free)}):"
    body = textwrap.indent(text, " ")
    lines = [""] * max(0, first - 2) + [head] + body.splitlines() + [f" return {name}"]
    file = f"{fn.__code__.co_filename} (compiled part of {fn.__name__} {id(fn)})" if keep else f"<once {fn.__name__}>"
    space: dict[str, Any] = {}
    source = "\n".join(lines) + "\n"
    exec(compile(source, file, "exec"), space)
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    code = next(c for c in space["factory"].__code__.co_consts if isinstance(c, types.CodeType) and c.co_name == name)
    cells = dict(zip(free, fn.__closure__ or (), strict=True))
    new = types.FunctionType(code, fn.__globals__, name, fn.__defaults__ if keep else None, tuple(cells[n] for n in code.co_freevars))
    if keep:
        new.__kwdefaults__, new.__doc__ = fn.__kwdefaults__, fn.__doc__
    return new
