"""Long expressions in pieces: `y = a * b * ... * z` with hundreds of factors becomes `part = a * ... ; y = part * ...`.

The adjoint of a product needs the product of the other factors, for every factor: one expression of n factors has an adjoint of n^2 of
them, and a tangent nested n deep. With pieces of bounded length both grow with n.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from s2sgrad import ir
from s2sgrad.ir import Assign, Call, Custom, Expr, Function, Program, Return, Stmt, Var, While
from s2sgrad.names import Names, names_of
from s2sgrad.optimise.walk import map_blocks, own_exprs
from s2sgrad.recursion import deep

LONG = 96  # nodes of a statement's expressions from which on it is taken apart
PIECE = 20  # nodes of a piece, at least
SUMS = frozenset({"add", "sub", "neg", "pos"})  # their adjoints do not need the operands


@deep
def in_pieces(program: Program) -> Program:
    """An equivalent program whose statements are of bounded length."""
    return Program(_function(program.main), {name: _function(f) for name, f in program.linked.items()})


def _function(f: Function) -> Function:
    names = Names(names_of(f))
    return replace(f, body=_block(f.body, names))


def _block(body: list[Stmt], names: Names) -> list[Stmt]:
    out: list[Stmt] = []
    for s in body:
        s = map_blocks(s, lambda b: _block(b, names))
        if not isinstance(s, (While, Custom)) and sum(1 for e in ir.exprs(s) for _ in ir.walk(e)) > LONG:
            pieces = _Pieces(names, None if isinstance(s, Return) else s.place)
            s = own_exprs(s, pieces.whole)
            out += pieces.made
        out.append(s)
    return out


class _Pieces:
    """Takes the expressions of one statement apart."""

    def __init__(self, names: Names, place: ir.Place | None) -> None:
        self.names, self.place = names, place
        self.made: list[Stmt] = []

    def whole(self, e: Any) -> Any:
        """The expression of a statement, which stays, over the pieces that go before it."""
        return self.rebuilt(e)[0] if isinstance(e, Call) else e

    def rebuilt(self, e: Call) -> tuple[Call, int]:
        """The call over the pieces of its operands, and how many nodes are left of it."""
        args, size = [], 1
        for k, a in enumerate(e.args):
            a, n = (a, _size(a)) if e.op in ir.LAZY and k > 0 else self.operand(a, e.op in SUMS)
            args.append(a)
            size += n
        return replace(e, args=tuple(args)), size

    def operand(self, e: Expr, summed: bool) -> tuple[Expr, int]:
        if not isinstance(e, Call):
            return e, _size(e)
        e, size = self.rebuilt(e)
        if size < PIECE or summed or ir.is_alias(e):
            return e, size
        v = Var(self.names.fresh("part"), e.type)
        self.made.append(Assign(v, e, place=self.place))
        return v, 1


def _size(e: Expr) -> int:
    return sum(1 for _ in ir.walk(e))
