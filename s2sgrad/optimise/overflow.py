"""Python's integers have no bound, compiled ones have 64 bits: products that grow from one trip of a loop to the next, powers and shifts are checked.

An integer that a loop multiplies into itself (a factorial, a power, a state of a random number generator) leaves 64 bits after a few
dozen trips. Other products (`i * n + j`) are of sizes and positions and stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from s2sgrad import ir
from s2sgrad.ir import Accum, Assign, Call, Const, Expr, For, Stmt, While

GROWING = {"mul": "exact_product", "add": "exact_sum"}


def checked_integers(body: Sequence[Stmt]) -> list[Stmt]:
    """The body with the operations that may leave 64 bits replaced by those that raise OverflowError then."""
    out = ir.map_stmts(body, _checked_node)
    return [_checked_loops(s) for s in out]


def _checked_node(e: Expr) -> Expr:
    if isinstance(e, Call) and e.op in ("lshift", "pow") and _python_integers(e) and not all(isinstance(a, Const) for a in e.args):
        if e.op == "lshift":
            return replace(e, op="exact_shift")
        if not (isinstance(e.args[1], Const) and e.args[1].value <= 3):
            return replace(e, op="exact_power")
    return e


def _python_integers(e: Expr) -> bool:
    return e.type == ir.INT and isinstance(e, Call) and all(a.type == ir.INT for a in e.args)


def _checked_loops(s: Stmt) -> Stmt:
    if isinstance(s, For | While):
        growing = carried(s.body)
        if growing:
            s = replace(s, body=[_checked_statement(x, growing) for x in s.body])
        return replace(s, body=[_checked_loops(x) for x in s.body])
    if isinstance(s, ir.If):
        return replace(s, body=[_checked_loops(x) for x in s.body], orelse=[_checked_loops(x) for x in s.orelse])
    return s


def carried(body: Sequence[Stmt]) -> dict[str, set[str]]:
    """Integer variable -> the variables it passes on its way into itself, from one trip to the next."""
    reads: dict[str, set[str]] = {}
    for s in ir.walk_stmts(body):
        if isinstance(s, Assign) and s.target.type == ir.INT:
            reads.setdefault(s.target.name, set()).update(ir.names_in(s.value))
        elif isinstance(s, Accum) and s.index is None and s.base.type == ir.INT:
            reads.setdefault(s.base.name, set()).update(ir.names_in(s.value) | {s.base.name})
    reads = {n: r & reads.keys() for n, r in reads.items()}
    reached = {n: _reachable(n, reads) for n in reads}
    return {n: {m for m in r if n in reached[m]} for n, r in reached.items() if n in r}


def _reachable(name: str, reads: dict[str, set[str]]) -> set[str]:
    out: set[str] = set()
    todo = list(reads[name])
    while todo:
        n = todo.pop()
        if n not in out:
            out.add(n)
            todo.extend(reads[n])
    return out


def _checked_statement(s: Stmt, growing: dict[str, set[str]]) -> Stmt:
    if isinstance(s, Assign) and s.target.name in growing:
        return replace(s, value=_checked_value(s.value, growing[s.target.name]))
    if isinstance(s, Accum) and s.index is None and s.base.name in growing and ir.names_in(s.value) & growing[s.base.name]:
        total = Call("add", (s.base, s.value), (), ir.INT)
        return Assign(s.base, _checked_value(total, growing[s.base.name]), place=s.place)
    if isinstance(s, ir.If):
        return replace(s, body=[_checked_statement(x, growing) for x in s.body], orelse=[_checked_statement(x, growing) for x in s.orelse])
    return s


def _checked_value(e: Expr, cycle: set[str]) -> Expr:
    """Products of what comes from the trip before, and sums of two such terms, are checked."""
    def node(x: Expr) -> Expr:
        if isinstance(x, Call) and x.op in GROWING and _python_integers(x):
            grown = [bool(ir.names_in(a) & cycle) for a in x.args]
            if any(grown) if x.op == "mul" else all(grown):
                return replace(x, op=GROWING[x.op])
        return x

    return ir.map_expr(e, node)
