"""A program as a standalone module text."""

from __future__ import annotations

import inspect
import textwrap
import types
from collections.abc import Callable, Sequence
from typing import Any

import gast

from s2sgrad import ir
from s2sgrad.emit.breaks import with_breaks
from s2sgrad.emit.build import PLAIN_DTYPES, Builder, narrow
from s2sgrad.emit.names import Names, mentioned
from s2sgrad.emit.templates import constant
from s2sgrad.emit.unparser import unparse
from s2sgrad.recursion import deep

IMPORTS = {
    "math": "import math", "sys": "import sys", "np": "import numpy as np", "prange": "from numba import prange",
    "objmode": "from numba import objmode", "custom_rule": "from s2sgrad.runtime.rules import custom_rule",
}


@deep
def text(program: ir.Program, *, header: str = "", imports: bool = True, rules: bool = False) -> str:
    """The module text of a program: header comment, imports, helpers, linked functions, main function.
    With `rules` custom gradients stay what they are, for a reader that differentiates the text again.

    The same program gives the same bytes. The text needs NumPy only (numba where a loop is parallel).
    """
    functions = [*program.linked.values(), program.main]
    typed = narrow(functions)
    found: dict[str, Callable[..., Any]] = {}
    modules: set[str] = set()
    chunks = []
    reserved = frozenset(f.name for f in functions) | helper_names()
    for f in functions:
        node, builder = function(f, typed, reserved, rules)
        chunks += [printed(n) for n in (*builder.functions, node)]
        modules |= builder.modules
        found |= builder.helpers
    sources = [helper_source(h) for h in with_callees(found.values())]
    for h in with_callees(found.values()):
        modules |= {m for m in ("np", "math") if m in h.__code__.co_names}
    parts = ["\n".join(f"# {line}".rstrip() for line in header.strip().splitlines())] if header.strip() else []
    head = import_lines(modules) if imports else ""
    if head:
        parts.append(head)
    body = "\n\n\n".join([*sources, *chunks])
    return "\n".join(parts) + ("\n\n\n" if parts else "") + body + "\n"


def function(f: ir.Function, typed: bool = False, reserved: frozenset[str] = frozenset(), rules: bool = False) -> tuple[gast.AST, Builder]:
    """The gast tree of a function, and what it needs."""
    f = with_breaks(f)
    builder = Builder(Names(mentioned(f), reserved), typed, rules, f.name)
    body = list(f.body)
    if body and isinstance(body[-1], ir.Return) and not body[-1].values and len(body) > 1:
        body.pop()
    nodes = builder.block(body)
    if f.doc:
        nodes.insert(0, gast.Expr(gast.Constant(f.doc, None)))
    params = [gast.Name(builder.names[p.name], gast.Param(), None, None) for p in f.params]
    defaults = trailing_defaults(f.params)
    args = gast.arguments(params, [], None, [], [], None, defaults)
    return gast.FunctionDef(f.name, args, nodes, [], None, None, []), builder


def trailing_defaults(params: Sequence[ir.Param]) -> list[gast.AST]:
    """Defaults of the last parameters: origin ('seed', k, 1.0) prints `y_bar=1.0`."""
    out: list[gast.AST] = []
    for p in reversed(params):
        if not (len(p.origin) == 3 and p.origin[0] == "seed"):
            break
        out.insert(0, constant(p.origin[2]))
    return out


def printed(node: gast.AST) -> str:
    return unparse(gast.gast_to_ast(gast.Module([node], []))).rstrip("\n")


def statements(body: Sequence[ir.Stmt]) -> str:
    """The text of a list of statements, for debugging."""
    f = with_breaks(ir.Function("f", [], list(body)))
    nodes = Builder(Names(mentioned(f))).block(f.body)
    return unparse(gast.gast_to_ast(gast.Module(nodes, [])))


def expression(e: Any) -> str:
    """The text of an expression."""
    names = Names(x.name for x in ir.walk(e) if isinstance(x, ir.Var))
    node = Builder(names, any(isinstance(x, ir.Expr) and x.type.dtype not in PLAIN_DTYPES for x in ir.walk(e))).expr(e)
    return unparse(gast.gast_to_ast(gast.Expression(node))).rstrip("\n")


# ---------------------------------------------------------------------------------------------- helpers


def import_lines(modules: set[str]) -> str:
    groups: list[list[str]] = [[], []]
    for m in sorted(modules, key=lambda m: (m not in ("math", "sys"), m != "np", m)):
        groups[m not in ("math", "sys")].append(IMPORTS.get(m, m))
    return "\n\n".join("\n".join(g) for g in groups if g)


def helper_names() -> frozenset[str]:
    """The names of all helpers: variables avoid them."""
    from s2sgrad.rules import registry
    return frozenset({"reserve"} | {op.helper.__name__ for op in registry.OPS.values() if op.helper is not None})


def callees(h: Callable[..., Any]) -> list[Callable[..., Any]]:
    """Our own functions that a helper calls."""
    found = [h.__globals__.get(n) for n in h.__code__.co_names]
    return [g for g in found if isinstance(g, types.FunctionType) and g.__module__.startswith("s2sgrad") and g is not h]


def with_callees(helpers: Any) -> list[Callable[..., Any]]:
    """The helpers and everything of ours they call, callees first, by name."""
    out: list[Callable[..., Any]] = []

    def visit(h: Callable[..., Any], above: tuple[Any, ...]) -> None:
        if h in out or h in above:
            return
        for g in sorted(callees(h), key=lambda g: g.__name__):
            visit(g, (*above, h))
        out.append(h)

    for h in sorted(helpers, key=lambda h: h.__name__):
        visit(h, ())
    return out


def helper_source(h: Callable[..., Any]) -> str:
    """The source of a helper without remarks to type checkers."""
    lines = textwrap.dedent(inspect.getsource(h)).rstrip().splitlines()
    return "\n".join(line.split("  # type:")[0] for line in lines)
