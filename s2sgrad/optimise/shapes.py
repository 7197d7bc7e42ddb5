"""What is known about the extents of arrays while a function is lowered.

A fact is an expression over names that do not change. Facts of variables that are bound once, outside loops, hold
everywhere below; others are forgotten when a name they mention is bound again.
"""

from __future__ import annotations

from collections.abc import Sequence

from s2sgrad import ir
from s2sgrad.ir import Call, Expr, Function, Stmt, Var
from s2sgrad.optimise.affine import is_literal, split


def dim(v: Expr, axis: int) -> Expr:
    return Call("dim", (v,), (("axis", axis),), ir.INT)


class Shapes:
    def __init__(self, fn: Function) -> None:
        self.facts: dict[str, tuple[Expr, ...]] = {}
        self.mentions: dict[str, set[str]] = {}

    def extents(self, v: Var) -> tuple[Expr, ...]:
        """The extents of an array variable, in terms of the oldest names known."""
        found = self.facts.get(v.name)
        return found if found is not None else tuple(dim(v, k) for k in range(v.ndim))

    def of_expr(self, e: Expr) -> tuple[Expr, ...]:
        assert isinstance(e, Var), e
        return self.extents(e)

    def set(self, v: Var, ext: Sequence[Expr]) -> None:
        """`v` has just been bound to an array of these extents."""
        names = set().union(*(ir.names_in(x) for x in ext)) if ext else set()
        if v.name in names:
            return
        self.facts[v.name] = tuple(ext)
        for n in names:
            self.mentions.setdefault(n, set()).add(v.name)

    def forget(self, name: str) -> None:
        """`name` is bound again: nothing said about it or in terms of it holds any more."""
        self.facts.pop(name, None)
        for other in self.mentions.pop(name, ()):  # noqa: B020
            self.facts.pop(other, None)

    def forget_all(self, body: Sequence[Stmt]) -> None:
        for s in ir.walk_stmts(body):
            for v in ir.assigned(s):
                self.forget(v.name)
            if isinstance(s, ir.Reserve):
                self.forget(s.buffer.name)

    def snapshot(self) -> dict[str, tuple[Expr, ...]]:
        return dict(self.facts)

    def meet(self, a: dict[str, tuple[Expr, ...]], b: dict[str, tuple[Expr, ...]]) -> None:
        """Keep what two branches agree on."""
        self.facts = {n: x for n, x in a.items() if b.get(n) == x}
        self.mentions = {}
        for n, ext in self.facts.items():
            for m in set().union(*(ir.names_in(x) for x in ext)) if ext else ():
                self.mentions.setdefault(m, set()).add(n)

    @staticmethod
    def same(a: Expr, b: Expr) -> bool:
        return a == b or split(a) == split(b)

    @staticmethod
    def nonnegative(e: Expr) -> bool:
        """Can an extent expression not be negative?"""
        return isinstance(e, Var) or (isinstance(e, Call) and e.op in ("dim", "size", "len", "imax", "broadcast_extent")) or (
            is_literal(e) and e.value >= 0)  # type: ignore[attr-defined]
