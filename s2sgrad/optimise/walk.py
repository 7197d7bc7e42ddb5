"""Rebuilding statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from s2sgrad.ir import (
    Accum,
    Assign,
    CallFn,
    Expr,
    For,
    If,
    Multi,
    Print,
    Raise,
    Recompute,
    Reserve,
    Return,
    Stmt,
    Store,
    While,
)


def own_exprs(s: Stmt, f: Callable[[Any], Any]) -> Stmt:
    """The statement with `f` applied to the expressions it evaluates itself (nested statements and targets untouched)."""
    if isinstance(s, Assign):
        return replace(s, value=f(s.value))
    if isinstance(s, (Store, Accum)):
        index = None if s.index is None else tuple(f(i) for i in s.index)
        return replace(s, index=index, value=f(s.value))  # type: ignore[arg-type]
    if isinstance(s, (If, While)):
        return replace(s, cond=f(s.cond))
    if isinstance(s, For):
        return replace(s, start=f(s.start), stop=f(s.stop), step=f(s.step))
    if isinstance(s, Multi):
        return replace(s, args=tuple(f(a) for a in s.args))
    if isinstance(s, Reserve):
        return replace(s, size=f(s.size))
    if isinstance(s, CallFn):
        return replace(s, args=[f(a) for a in s.args])
    if isinstance(s, Print):
        return replace(s, parts=[f(p) if isinstance(p, Expr) else p for p in s.parts])
    if isinstance(s, Raise):
        return replace(s, message=[f(p) if isinstance(p, Expr) else p for p in s.message])
    if isinstance(s, Return):
        return replace(s, values=[f(v) for v in s.values])
    return s


def map_blocks(s: Stmt, f: Callable[[list[Stmt]], list[Stmt]]) -> Stmt:
    """The statement with `f` applied to the statement lists directly inside it (custom gradients stay closed)."""
    if isinstance(s, If):
        return replace(s, body=f(s.body), orelse=f(s.orelse))
    if isinstance(s, (For, While, Recompute)):
        return replace(s, body=f(s.body))
    return s


