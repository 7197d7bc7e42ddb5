"""Linear forms over integer expressions: sums of `coefficient * atom` and a constant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from s2sgrad import ir
from s2sgrad.ir import Call, Const, Expr


@dataclass(frozen=True, eq=False)
class Atom:
    """A part that is not a sum. One object per expression (see `Atoms`), so that comparing is cheap."""

    expr: Expr
    names: frozenset[str]


class Atoms(dict[Expr, Atom]):
    """The atom of every expression."""

    def __missing__(self, e: Expr) -> Atom:
        self[e] = a = Atom(e, frozenset(ir.names_in(e)))
        return a


NONE: frozenset[tuple[Atom, int]] = frozenset()


@dataclass(frozen=True)
class Linear:
    """`sum(c * atom) + const`; no coefficient is zero, no atom occurs twice."""

    terms: frozenset[tuple[Atom, int]] = NONE
    const: int = 0

    def coefficient(self, atom: Atom) -> int:
        return next((c for a, c in self.terms if a is atom), 0)

    def __add__(self, o: Linear) -> Linear:
        total = dict(self.terms)
        for a, c in o.terms:
            total[a] = total.get(a, 0) + c
        return Linear(frozenset((a, c) for a, c in total.items() if c), self.const + o.const)

    def __sub__(self, o: Linear) -> Linear:
        return self + o.scaled(-1)

    def __neg__(self) -> Linear:
        return self.scaled(-1)

    def plus(self, k: int) -> Linear:
        return Linear(self.terms, self.const + k)

    def scaled(self, k: int) -> Linear:
        return Linear(frozenset((a, c * k) for a, c in self.terms) if k else NONE, self.const * k)

    def replaced(self, atom: Atom, by: Linear) -> Linear:
        """The form with another one in the place of an atom."""
        c = self.coefficient(atom)
        return Linear(self.terms - {(atom, c)}, self.const) + by.scaled(c) if c else self

    def names(self) -> set[str]:
        return {n for a, _ in self.terms for n in a.names}


def linear(e: Expr, atom: Callable[[Expr], Linear]) -> Linear:
    """An integer expression as a linear form; `atom` says what stands for a part that is not a sum."""
    if isinstance(e, Const) and isinstance(e.value, (bool, int)):
        return Linear(NONE, int(e.value))
    if isinstance(e, Call):
        if e.op in ("add", "sub"):
            a, b = (linear(x, atom) for x in e.args)
            return a + b if e.op == "add" else a - b
        if e.op == "neg":
            return -linear(e.args[0], atom)
        if e.op in ("pyint", "pos", "nonzero_divisor") and e.args[0].type.dtype.startswith("int"):
            return linear(e.args[0], atom)
        if e.op == "mul":
            a, b = (linear(x, atom) for x in e.args)
            if not a.terms or not b.terms:
                return b.scaled(a.const) if not a.terms else a.scaled(b.const)
    return atom(e)


def lone(a: Atom) -> Linear:
    """The form that is one atom."""
    return Linear(frozenset({(a, 1)}))


def at_least(a: Linear) -> Expr:
    """The condition `a >= 0`, with positive terms on its left and negative ones on its right."""
    left, right = (_sum([(x.expr, abs(c)) for x, c in sorted(a.terms, key=lambda t: str(t[0].expr)) if (c > 0) == positive]) for positive in (True, False))
    zero = Const(0, ir.INT)
    if left is None:
        return ir.call("le", right if right is not None else zero, Const(a.const, ir.INT))
    if right is None:
        return ir.call("ge", left, Const(-a.const, ir.INT))
    if a.const == -1:
        return ir.call("gt", left, right)
    if a.const > 0:
        left = ir.call("add", left, a.const)
    elif a.const < 0:
        right = ir.call("add", right, -a.const)
    return ir.call("ge", left, right)


def _sum(terms: list[tuple[Expr, int]]) -> Expr | None:
    total: Expr | None = None
    for x, c in terms:
        x = x if isinstance(x.type, ir.Scalar) and x.type == ir.INT else ir.call("pyint", x)
        part = x if c == 1 else ir.call("mul", c, x)
        total = part if total is None else ir.call("add", total, part)
    return total
