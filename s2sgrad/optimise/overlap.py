"""May a loop write an array in place, or does it read elements that it has already overwritten?"""

from __future__ import annotations

from collections.abc import Sequence

from s2sgrad import ir
from s2sgrad.ir import Append, Array, Assign, Call, CallFn, Expr, Function, Index, ListType, Multi, Pop, Var
from s2sgrad.optimise.affine import difference, split


class Aliases:
    """Names whose arrays may share memory (flow-insensitive). Different parameters do not overlap when one is written."""

    def __init__(self, fn: Function) -> None:
        self.parent: dict[str, str] = {}
        self.positions: set[str] = set()  # tables of distinct positions (of the true elements of masks)
        for s in ir.walk_stmts(fn.body):
            if isinstance(s, Assign) and isinstance(s.target.type, (Array, ListType)):
                self.join(s.target, s.value)
            elif isinstance(s, Append):
                self.join(s.list, s.value)
            elif isinstance(s, Pop):
                self.join(s.target, s.list)
            elif isinstance(s, (Multi, CallFn)):
                pass  # their results are fresh

    def find(self, name: str) -> str:
        while name in self.parent:
            name = self.parent[name]
        return name

    def join(self, target: Var, e: Expr) -> None:
        """`target` is bound to `e`."""
        if isinstance(e, Call) and e.op == "ifexp":
            for a in e.args[1:]:
                self.join(target, a)
            return
        r = ir.root(e) if ir.is_alias(e) or isinstance(e.type, ListType) else None
        if r is not None:
            own, other = self.find(target.name), self.find(r.name)
            if own != other:
                self.parent[own] = other

    def may(self, a: Var, b: Var) -> bool:
        return self.find(a.name) == self.find(b.name)


def reads(e: Expr) -> list[Index]:
    """The element loads of a scalar expression."""
    return [x for x in ir.walk(e) if isinstance(x, Index)]


def touches(aliases: Aliases, base: Var, e: Expr) -> bool:
    """Does a scalar expression read memory that `base` may own?"""
    return any(isinstance(x, Var) and not isinstance(x.type, ir.Scalar) and aliases.may(x, base) for x in ir.walk(e)
               ) and any(_root(r) is None or aliases.may(_root(r), base) for r in reads(e))  # type: ignore[arg-type]


def _root(e: Expr) -> Var | None:
    return ir.root(e)


def in_place(aliases: Aliases, target: Index, value: Expr, loops: Sequence[str]) -> bool:
    """May `target = value` run in an ascending loop nest over `loops` without a temporary?"""
    for r in reads(value):
        base = ir.root(r)
        if base is None or not isinstance(target.base, Var):
            return False
        if aliases.may(base, target.base) and not (r.base == target.base and _safe(aliases, r, target, loops)):
            return False
    return True


def _distinct(aliases: Aliases, write: Index, loops: Sequence[str]) -> bool:
    """Does every iteration write another element?"""
    for i in write.index:
        rest = split(i)[0]  # type: ignore[arg-type]
        plain = rest is None or isinstance(rest, Var) or not any(n in ir.names_in(rest) for n in loops)
        if not plain and not (isinstance(rest, Index) and isinstance(rest.base, Var) and rest.base.name in aliases.positions):
            return False
    return True


def _safe(aliases: Aliases, read: Index, write: Index, loops: Sequence[str]) -> bool:
    """Same element, or one that is written later."""
    if len(read.index) != len(write.index) or not _distinct(aliases, write, loops):
        return False
    deltas = [difference(a, b) for a, b in zip(read.index, write.index)]  # type: ignore[arg-type]
    if any(d is None for d in deltas):
        return False
    moving: list[int] = []
    fixed: list[tuple[int, Expr, Expr]] = []
    order: list[str] = []
    for d, a, b in zip(deltas, read.index, write.index):
        used = [n for n in loops if n in ir.names_in(b)]
        if used:
            rest, _ = split(b)  # type: ignore[arg-type]
            if not isinstance(rest, Var):
                return all(x == 0 for x in deltas)
            moving.append(d)  # type: ignore[arg-type]
            order.append(rest.name)
        else:
            fixed.append((d, a, b))  # type: ignore[arg-type]
    if all(d == 0 for d in moving):
        return True
    for d, a, b in fixed:
        if d:
            (ra, ca), (rb, cb) = split(a), split(b)
            return ra is None and rb is None and ca >= 0 and cb >= 0
    if order != [n for n in loops if n in order]:
        return False
    return next(d for d in moving if d) > 0
