"""Small integer expressions: `e + constant` arithmetic with folding, and comparison of two index expressions."""

from __future__ import annotations

from s2sgrad import ir
from s2sgrad.ir import Call, Const, Expr


def literal(k: int) -> Const:
    return Const(k, ir.INT)


def is_literal(e: object, value: int | None = None) -> bool:
    """Is this an integer constant (of this value)?"""
    return isinstance(e, Const) and type(e.value) is int and (value is None or e.value == value)


def split(e: Expr) -> tuple[Expr | None, int]:
    """`e` as (rest, constant): n - 1 -> (n, -1), 3 -> (None, 3)."""
    if isinstance(e, Const) and type(e.value) is int:
        return None, e.value
    if isinstance(e, Call) and e.op == "neg" and is_literal(e.args[0]):
        return None, -e.args[0].value  # type: ignore[attr-defined]
    if isinstance(e, Call) and e.op in ("add", "sub") and len(e.args) == 2:
        a, b = e.args
        rest, c = split(b)
        if rest is None:
            r, k = split(a)
            return r, k + c if e.op == "add" else k - c
        rest, c = split(a)
        if rest is None and e.op == "add":
            r, k = split(b)
            return r, k + c
    return e, 0


def plus(e: Expr, k: int) -> Expr:
    """`e + k`, folded."""
    rest, c = split(e)
    c += k
    if rest is None:
        return literal(c)
    if c == 0:
        return rest
    return Call("add" if c > 0 else "sub", (rest, literal(abs(c))), (), ir.INT)


def add(a: Expr, b: Expr) -> Expr:
    """`a + b`, folded."""
    rest, c = split(b)
    if rest is None:
        return plus(a, c)
    ra, ca = split(a)
    if ra is None:
        return plus(b, ca)
    return plus(Call("add", (ra, rest), (), ir.INT), c + ca)


def difference(a: Expr, b: Expr) -> int | None:
    """`a - b` if it is a constant whatever the variables are."""
    ra, ca = split(a)
    rb, cb = split(b)
    return ca - cb if ra == rb else None
