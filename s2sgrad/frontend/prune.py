"""Removes the specialiser's own bookkeeping where nothing reads it: flags of jumps and of unbound names, empty branches."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from s2sgrad import ir
from s2sgrad.ir import Assign, If, Stmt


def prune(body: list[Stmt], synthetic: Collection[str]) -> list[Stmt]:
    """The body without dead bookkeeping."""
    while True:
        body = [s for s in _clean(body)]
        used = _reads(body)
        dead = set(synthetic) - used
        smaller = _drop(body, dead)
        if _count(smaller) == _count(body):
            return smaller
        body = smaller


def _count(body: Sequence[Stmt]) -> int:
    return sum(1 for _ in ir.walk_stmts(body))


def _reads(body: Sequence[Stmt]) -> set[str]:
    out: set[str] = set()
    for s in ir.walk_stmts(body):
        for e in ir.exprs(s):
            out |= ir.names_in(e)
        exit_var = getattr(s, "exit", None)
        if exit_var is not None:
            out.add(exit_var.name)
    return out


def _drop(body: Sequence[Stmt], dead: set[str]) -> list[Stmt]:
    out: list[Stmt] = []
    for s in body:
        if isinstance(s, Assign) and s.target.name in dead:
            continue
        out.append(_inside(s, lambda b: _drop(b, dead)))
    return out


def _clean(body: Sequence[Stmt]) -> list[Stmt]:
    """Empty branches removed, `if c: pass else: x` turned round."""
    out: list[Stmt] = []
    for s in body:
        s = _inside(s, _clean)
        if isinstance(s, If):
            if not s.body and not s.orelse:
                continue
            if not s.body:
                cond = s.cond.args[0] if isinstance(s.cond, ir.Call) and s.cond.op == "not" else ir.call("not", s.cond)
                s = replace(s, cond=cond, body=s.orelse, orelse=[])
        if isinstance(s, ir.Recompute) and not s.body:
            continue
        out.append(s)
    return out


def _inside(s: Stmt, f: Any) -> Stmt:
    if isinstance(s, If):
        return replace(s, body=f(s.body), orelse=f(s.orelse))
    if isinstance(s, ir.For | ir.While | ir.Recompute):
        return replace(s, body=f(s.body))
    if isinstance(s, ir.Custom):
        return replace(s, body=f(s.body), back=f(s.back))
    return s
