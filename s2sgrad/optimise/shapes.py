"""What is known about the extents of arrays while a function is lowered.

A fact is an expression over names that do not change. Facts of variables that are bound once, outside loops, hold
everywhere below; others are forgotten when a name they mention is bound again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from s2sgrad import ir
from s2sgrad.ir import Call, Const, Expr, Function, Stmt, Var
from s2sgrad.optimise.affine import is_literal, plus, split


def dim(v: Expr, axis: int) -> Expr:
    return Call("dim", (v,), (("axis", axis),), ir.INT)


State = tuple[dict[str, tuple[Expr, ...]], set[tuple[Expr, Expr]], dict[Expr, Expr], dict[tuple[Expr, Expr], Expr]]


class Shapes:
    """facts: the extents of variables; fit: pairs (a, b) of extents where a is 1 or equal to b; equal: an expression -> another
    one of the same value; joined: pairs of extents -> the extent they broadcast to."""

    def __init__(self, fn: Function) -> None:
        self.facts: dict[str, tuple[Expr, ...]] = {}
        self.fit: set[tuple[Expr, Expr]] = set()
        self.equal: dict[Expr, Expr] = {}
        self.joined: dict[tuple[Expr, Expr], Expr] = {}

    def extents(self, v: Var) -> tuple[Expr, ...]:
        """The extents of an array variable, in terms of the oldest names known."""
        found = self.facts.get(v.name)
        return found if found is not None else tuple(dim(v, k) for k in range(v.ndim))

    def set(self, v: Var, ext: Sequence[Expr]) -> None:
        """`v` has just been bound to an array of these extents."""
        if not any(v.name in ir.names_in(x) for x in ext):
            self.facts[v.name] = tuple(ext)

    def note_fit(self, a: Expr, b: Expr) -> None:
        """`a` broadcasts to `b`."""
        self.fit.add((a, b))

    def fits(self, a: Expr, b: Expr) -> bool:
        """Is it known that an axis of extent `a` broadcasts to one of extent `b`?"""
        if self.same(a, b) or is_literal(a, 1) or (a, b) in self.fit:
            return True
        a, b = self.canonical(a), self.canonical(b)
        return any(self.canonical(x) == a and self.canonical(y) == b for x, y in self.fit)

    def canonical(self, e: Expr) -> Expr:
        """The oldest expression known to be equal."""
        rest, c = split(e)
        if rest is None:
            return e
        seen = 0
        while rest in self.equal and seen < 50:
            seen += 1
            rest, k = split(self.equal[rest])
            c += k
            if rest is None:
                return plus(Const(0, ir.INT), c)
        return plus(rest, c)

    def note_equal(self, a: Expr, b: Expr) -> None:
        """Two expressions have the same value from here on."""
        a, b = self.canonical(a), self.canonical(b)
        (ra, ca), (rb, cb) = split(a), split(b)
        if a == b or (ra is None and rb is None):
            return
        if ra is None or (rb is not None and isinstance(rb, Var) and not isinstance(ra, Var)):
            ra, ca, rb, cb = rb, cb, ra, ca
        if ra is not None:
            self.equal[ra] = plus(rb, cb - ca) if rb is not None else Const(cb - ca, ir.INT)

    def forget(self, names: Collection[str]) -> None:
        """These names are bound again: nothing said about them or in terms of them holds any more."""
        def holds(*e: Expr) -> bool:
            return all(ir.names_in(x).isdisjoint(names) for x in e)

        self.facts = {n: ext for n, ext in self.facts.items() if n not in names and holds(*ext)}
        self.equal = {k: v for k, v in self.equal.items() if holds(k, v)}
        self.joined = {k: v for k, v in self.joined.items() if holds(*k, v)}
        self.fit = {pair for pair in self.fit if holds(*pair)}

    def forget_all(self, body: Sequence[Stmt], kept: dict[str, tuple[Expr, ...]] | None = None) -> None:
        """Everything these statements bind, except facts known to survive them."""
        self.forget(bound_names(body))
        self.facts |= kept or {}

    def invariant_candidates(self, loop: Stmt) -> dict[str, tuple[Expr, ...]]:
        """Facts about arrays bound in a loop that may hold in every iteration: they mention nothing that the loop binds."""
        names = bound_names([loop])
        return {n: self.facts[n] for n in names if n in self.facts and not any(names & ir.names_in(x) for x in self.facts[n])}

    def copy(self) -> State:
        return dict(self.facts), set(self.fit), dict(self.equal), dict(self.joined)

    def restore(self, state: State) -> None:
        self.facts, self.fit, self.equal, self.joined = dict(state[0]), set(state[1]), dict(state[2]), dict(state[3])

    def meet(self, other: State) -> None:
        """Keep what two branches agree on."""
        self.facts = {n: x for n, x in self.facts.items() if other[0].get(n) == x}
        self.fit &= other[1]
        self.equal = {k: x for k, x in self.equal.items() if other[2].get(k) == x}
        self.joined = {k: x for k, x in self.joined.items() if other[3].get(k) == x}

    def same(self, a: Expr, b: Expr) -> bool:
        """Are two extents equal, as far as is known?"""
        return a == b or split(a) == split(b) or self.canonical(a) == self.canonical(b)

    @staticmethod
    def nonnegative(e: Expr) -> bool:
        """Can an extent expression not be negative?"""
        if isinstance(e, Call) and e.op == "pymax":
            return is_literal(e.args[1]) and e.args[1].value >= 0  # type: ignore[attr-defined]
        return isinstance(e, Var) or (isinstance(e, Call) and e.op in ("dim", "size", "len", "broadcast_extent")) or (
            is_literal(e) and e.value >= 0)  # type: ignore[attr-defined]


def bound_names(body: Sequence[Stmt]) -> set[str]:
    names = set()
    for s in ir.walk_stmts(body):
        names |= {v.name for v in ir.assigned(s)}
        if isinstance(s, ir.Reserve):
            names.add(s.buffer.name)
    return names
