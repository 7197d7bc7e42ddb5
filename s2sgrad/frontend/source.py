"""From a Python function to the syntax tree of its definition."""

from __future__ import annotations

import functools
import inspect
import linecache
import types
from dataclasses import dataclass
from typing import Any

import gast

from s2sgrad.errors import NoSource
from s2sgrad.ir import Place
from s2sgrad.recursion import deep


@dataclass(frozen=True)
class Source:
    """The definition of a function: its tree (FunctionDef or Lambda) and the file it stands in."""

    node: Any
    file: str
    lines: tuple[str, ...]
    name: str

    def place(self, node: Any) -> Place:
        line = getattr(node, "lineno", self.node.lineno)
        return Place(self.file, line, self.text(line).strip(), self.name)

    def text(self, line: int) -> str:
        return self.lines[line - 1].rstrip("\n") if 0 < line <= len(self.lines) else ""

    def caret(self, node: Any) -> tuple[int, int] | None:
        """Columns of a node within the stripped line."""
        line, col = getattr(node, "lineno", None), getattr(node, "col_offset", None)
        if line is None or col is None:
            return None
        raw = self.text(line)
        indent = len(raw) - len(raw.lstrip())
        end = node.end_col_offset if getattr(node, "end_lineno", line) == line and node.end_col_offset is not None else len(raw)
        col, end = (len(raw.encode()[:c].decode(errors="ignore")) for c in (col, end))
        return max(0, col - indent), max(0, end - indent)


def plain_function(fn: Any) -> types.FunctionType:
    """The plain function whose code runs when `fn` is called: behind numba dispatchers and C wrappers."""
    seen = 0
    while not isinstance(fn, types.FunctionType):
        if isinstance(fn, types.MethodType):
            fn = fn.__func__
        elif hasattr(fn, "py_func"):
            fn = fn.py_func
        elif hasattr(fn, "__wrapped__"):
            fn = fn.__wrapped__
        else:
            raise no_source(fn)
        seen += 1
        if seen > 50:
            raise no_source(fn)
    return fn


def no_source(fn: Any, why: str = "") -> NoSource:
    name = getattr(fn, "__name__", None) or repr(fn)
    return NoSource(
        f"no Python source for {name}" + (f": {why}" if why else ""),
        hint="s2sgrad reads the text of a function: write it in a file, a notebook cell or a Python function around it, "
        "or give it a derivative with s2sgrad.custom_gradient.",
    )


@deep
def source_of(fn: types.FunctionType) -> Source:
    """The definition of a plain function. Raises NoSource."""
    return _source_of_code(fn.__code__, fn.__name__, _lines(fn))


def _lines(fn: types.FunctionType) -> tuple[str, ...]:
    code = fn.__code__
    lines = linecache.getlines(code.co_filename, fn.__globals__)
    if not lines:
        try:  # doctest and similar loaders answer only through inspect
            lines = inspect.findsource(fn)[0]
        except (OSError, TypeError, IndexError):
            raise no_source(fn, "its text is not available") from None
    return tuple(lines)


@functools.lru_cache(maxsize=1024)
def _source_of_code(code: types.CodeType, name: str, lines: tuple[str, ...]) -> Source:
    tree, offset = _tree(lines, code.co_firstlineno)
    wanted = gast.Lambda if code.co_name == "<lambda>" else gast.FunctionDef
    found = [n for n in gast.walk(tree) if isinstance(n, wanted) and _first_line(n) + offset == code.co_firstlineno]
    if wanted is gast.FunctionDef:
        found = [n for n in found if n.name == code.co_name]
    found = [n for n in found if _parameters(n) == code.co_varnames[: _count(code)]]
    if len(found) > 1:
        found = [n for n in found if _same_positions(n, code, offset)]
        inner = [n for n in found if not any(m is not n and _contains(n, m) for m in found)]  # of nested lambdas, the innermost that holds it all
        found = inner or found
    if len(found) > 1:
        raise NoSource(f"{len(found)} functions that look the same stand on line {code.co_firstlineno} of {code.co_filename}",
                       hint="Put each lambda on a line of its own.")
    if not found:
        raise NoSource(f"the text of {code.co_filename} has no {name} at line {code.co_firstlineno}; did the file change?")
    node = found[0]
    if offset:
        gast.increment_lineno(node, offset)
    return Source(node, code.co_filename, lines, name if name.isidentifier() else "lambda")


@functools.lru_cache(maxsize=64)
def _parse(text: str) -> Any:
    return _Mangle().visit(gast.parse(text))


class _Mangle(gast.NodeTransformer):
    """Private names (`self.__x`) as the compiler spells them."""

    def __init__(self) -> None:
        self.owner = ""

    def visit_ClassDef(self, n: Any) -> Any:
        before, self.owner = self.owner, n.name.lstrip("_")
        self.generic_visit(n)
        self.owner = before
        return n

    def visit_Name(self, n: Any) -> Any:
        n.id = self.spelled(n.id)
        return self.generic_visit(n)

    def visit_Attribute(self, n: Any) -> Any:
        n.attr = self.spelled(n.attr)
        return self.generic_visit(n)

    def spelled(self, name: str) -> str:
        return f"_{self.owner}{name}" if self.owner and name.startswith("__") and not name.endswith("__") else name


def _tree(lines: tuple[str, ...], first: int) -> tuple[Any, int]:
    """The tree of the file, or of the block at `first` where the file as a whole does not parse (notebook magics)."""
    try:
        return _parse("".join(lines)), 0
    except SyntaxError:
        block = inspect.getblock(list(lines[first - 1:]))
        indent = len(block[0]) - len(block[0].lstrip())
        try:
            text = "".join(block) if not indent else "if True:\n" + "".join(block)
            return gast.parse(text), first - 1 - (1 if indent else 0)
        except SyntaxError as e:
            raise NoSource(f"the text around line {first} does not parse: {e.msg}") from None


def _first_line(node: Any) -> int:
    decorators = getattr(node, "decorator_list", ())
    return min([node.lineno, *(d.lineno for d in decorators)])


def _count(code: types.CodeType) -> int:
    """How many of a code object's variables are parameters."""
    flags = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + flags


def _contains(outer: Any, inner: Any) -> bool:
    return any(x is inner for x in gast.walk(outer))


def _parameters(node: Any) -> tuple[str, ...]:
    a = node.args
    names = [x.id for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
    return tuple(names + [x.id for x in (a.vararg, a.kwarg) if x is not None])


def _same_positions(node: Any, code: types.CodeType, offset: int) -> bool:
    """Does the code object's last instruction stand where the node's body ends?"""
    body = node.body if isinstance(node, gast.Lambda) else node.body[-1]
    spans = [p for p in code.co_positions() if None not in p]
    lo = (body.lineno + offset, body.col_offset)
    hi = (body.end_lineno + offset, body.end_col_offset)
    inside = [p for p in spans if p[2:] != (0, 0)]
    return all(lo <= (p[0], p[2]) and (p[1], p[3]) <= hi for p in inside) if inside else True
