"""Loops that end by an exit flag, printed with `break`.

`for i in range(n): if c: done = True else: ...` with `exit=done` becomes `if c: break` where the flag is only ever set as the
last action of an iteration; the flag disappears if nobody reads it. Otherwise `if done: break` ends the body.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from s2sgrad.ir import (
    Assign,
    Const,
    Custom,
    For,
    Function,
    If,
    Raise,
    Recompute,
    Return,
    Stmt,
    Var,
    While,
    assigned,
    blocks,
    exprs,
    walk,
    walk_stmts,
)


@dataclass
class Break(Stmt):
    """`break` (exists only in the emitter)."""


def with_breaks(f: Function) -> Function:
    """A copy of the function in which no loop has an exit flag."""
    return replace(f, body=_Breaks(f).block(f.body))


def _reads(body: Sequence[Stmt]) -> Counter[str]:
    """How often each variable is read, exit flags not counted."""
    n: Counter[str] = Counter()
    for s in walk_stmts(body):
        for e in exprs(s):
            n.update(x.name for x in walk(e) if isinstance(x, Var))
        n.update(v.name for field in ("inputs", "outputs", "seeds") for v in getattr(s, field, ()))
    return n


def _sets(s: Stmt, flag: str, value: bool) -> bool:
    return isinstance(s, Assign) and s.target.name == flag and isinstance(s.value, Const) and s.value.value is value


def _tail_sets(body: Sequence[Stmt], flag: str) -> int:
    """How many `flag = True` end the body or a branch at its end."""
    if not body:
        return 0
    last = body[-1]
    if _sets(last, flag, True):
        return 1
    return sum(_tail_sets(b, flag) for b in blocks(last)) if isinstance(last, If) else 0


def _ends(body: Sequence[Stmt]) -> bool:
    """Does control never reach the end of this block?"""
    if not body:
        return False
    last = body[-1]
    return isinstance(last, (Break, Raise, Return)) or (isinstance(last, If) and _ends(last.body) and _ends(last.orelse))


class _Breaks:
    def __init__(self, f: Function) -> None:
        self.reads = _reads(f.body)
        self.loops = Counter(s.exit.name for s in walk_stmts(f.body) if isinstance(s, (For, While)) and s.exit is not None)

    def block(self, body: Sequence[Stmt]) -> list[Stmt]:
        out: list[Stmt] = []
        for k, s in enumerate(body):
            if isinstance(s, (For, While)) and s.exit is not None:
                out = self.loop(s, s.exit.name, body[:k], out)
            else:
                out.append(self.inside(s))
        return out

    def inside(self, s: Stmt) -> Stmt:
        if isinstance(s, If):
            return replace(s, body=self.block(s.body), orelse=self.block(s.orelse))
        if isinstance(s, Custom):
            return replace(s, body=self.block(s.body), back=self.block(s.back))
        if isinstance(s, (For, While, Recompute)):
            return replace(s, body=self.block(s.body))
        return s

    def loop(self, s: For | While, flag: str, before: Sequence[Stmt], out: list[Stmt]) -> list[Stmt]:
        starts = [k for k, b in enumerate(before) if any(v.name == flag for x in walk_stmts([b]) for v in assigned(x))]
        reset = bool(starts) and _sets(before[starts[-1]], flag, False)
        writes = sum(v.name == flag for x in walk_stmts(s.body) for v in assigned(x))
        if not (reset and writes and writes == _tail_sets(s.body, flag) and not _reads(s.body)[flag]):
            test = If(s.exit, [Break()], place=s.place)  # type: ignore[arg-type]
            return [*out, replace(s, body=[*self.block(s.body), test], exit=None)]
        unread = not self.reads[flag] and self.loops[flag] == 1
        body = self.block(self.tail(list(s.body), flag, keep=not unread))
        if unread:
            out = [x for x in out if not _sets(x, flag, False)]
        return [*out, replace(s, body=flat(body), exit=None)]

    def tail(self, body: list[Stmt], flag: str, keep: bool) -> list[Stmt]:
        if not body:
            return body
        last = body[-1]
        if _sets(last, flag, True):
            return [*body[:-1], *([last] if keep else []), Break()]
        if isinstance(last, If):
            last = replace(last, body=self.tail(last.body, flag, keep), orelse=self.tail(last.orelse, flag, keep))
            return [*body[:-1], last]
        return body


def flat(body: list[Stmt]) -> list[Stmt]:
    """`if c: ...; break` with an else: the else needs no indentation."""
    if body and isinstance(body[-1], If):
        last = body[-1]
        if _ends(last.body) and last.orelse:
            return [*body[:-1], replace(last, orelse=[]), *flat(last.orelse)]
    return body
