"""Statements whose fate is known: `if True`, loops without iterations, `x += 0.0`, `x = x`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from s2sgrad.ir import Accum, Assign, Call, Const, Expr, For, Function, If, Scalar, Stmt, Store, While
from s2sgrad.optimise.fold import fold, is_op, number
from s2sgrad.optimise.walk import map_blocks, own_exprs


def fold_function(f: Function) -> Function:
    """The function with folded expressions and without statements that do nothing."""
    return replace(f, body=_block(f.body))


def _block(body: Sequence[Stmt]) -> list[Stmt]:
    return [n for s in body for n in _stmt(s)]


def _stmt(s: Stmt) -> list[Stmt]:
    s = map_blocks(own_exprs(s, fold), _block)
    if isinstance(s, (If, While)):
        s = replace(s, cond=_truth(s.cond))
    if isinstance(s, If):
        return _branch(s)
    if isinstance(s, For) and s.exit is None and _no_iterations(s):
        return []
    if isinstance(s, While) and isinstance(s.cond, Const) and not s.cond.value:
        return []
    if isinstance(s, Assign) and s.value == s.target:
        return []
    if isinstance(s, Accum) and s.index is None and (number(s.value, 0) or number(s.value, -0.0)):
        return []
    if isinstance(s, (Store, Accum)) and is_op(s.value, "copy") and not isinstance(s.value.type, Scalar):
        return [replace(s, value=s.value.args[0])]  # type: ignore[attr-defined]
    return [s]


def _truth(e: Expr) -> Expr:
    """A condition: only its truth counts, not which kind of bool it is."""
    while is_op(e, "pybool") or is_op(e, "not") and is_op(e.args[0], "not"):
        inner = e.args[0] if e.op == "pybool" else e.args[0].args[0]  # type: ignore[attr-defined]
        if inner.type.dtype != "bool":
            break
        e = inner
    return e


def _branch(s: If) -> list[Stmt]:
    if isinstance(s.cond, Const):
        return list(s.body if s.cond.value else s.orelse)
    if s.body and s.orelse and isinstance(s.cond, Call) and s.cond.op == "not":
        return [replace(s, cond=s.cond.args[0], body=s.orelse, orelse=s.body)]
    return [s]


def _no_iterations(s: For) -> bool:
    a, b, c = s.start, s.stop, s.step
    return isinstance(a, Const) and isinstance(b, Const) and isinstance(c, Const) and not len(range(a.value, b.value, c.value))


