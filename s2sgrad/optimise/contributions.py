"""The first contribution to an adjoint: `x_bar = 0.0; ...; x_bar += e` becomes `...; x_bar = e`.

In straight-line code, where nothing in between mentions the adjoint. A short second contribution right behind joins the first.
"""

from __future__ import annotations

from dataclasses import replace

from s2sgrad.analysis.reads import Effects
from s2sgrad.ir import Accum, Assign, Const, Expr, Function, Program, Scalar, Stmt, call, walk
from s2sgrad.optimise.copies import is_adjoint, is_temporary
from s2sgrad.optimise.walk import map_blocks


def merge_first(f: Function, program: Program | None = None) -> Function:
    """The function in which zeros that are only added to are gone."""
    effects = Effects(f, program)
    return replace(f, body=_block(list(f.body), effects, f))


def _block(body: list[Stmt], effects: Effects, f: Function) -> list[Stmt]:
    waiting: dict[str, int] = {}  # adjoint -> where it was set to zero, nothing having mentioned it since
    gone: set[int] = set()
    for k, s in enumerate(body):
        e = effects.of(s)
        for name in sorted((e.reads | e.writes) & waiting.keys()):
            zero = waiting.pop(name)
            if _first(s, name, effects):
                body[k] = Assign(s.base, s.value, place=s.place)  # type: ignore[attr-defined]
                gone.add(zero)
        if _is_zero(s, f):
            waiting[s.target.name] = k  # type: ignore[attr-defined]
    kept = _joined([s for k, s in enumerate(body) if k not in gone], effects)
    return [map_blocks(s, lambda b: _block(list(b), effects, f)) for s in kept]


def _joined(body: list[Stmt], effects: Effects) -> list[Stmt]:
    """`t_bar = a; t_bar += b` becomes `t_bar = a + b`, while that stays short."""
    out: list[Stmt] = []
    for s in body:
        last = out[-1] if out else None
        if (
            isinstance(last, Assign) and is_adjoint(last.target.name) and isinstance(s, Accum) and _first(s, last.target.name, effects)
            and s.value.type == last.value.type == last.target.type and _size(last.value) + _size(s.value) <= SHORT
        ):
            out[-1] = replace(last, value=call("add", last.value, s.value))
        else:
            out.append(s)
    return out


SHORT = 12  # operations and operands of a sum on one line


def _size(e: Expr) -> int:
    return sum(1 for x in walk(e) if isinstance(x, Expr))


def _is_zero(s: Stmt, f: Function) -> bool:
    return (
        isinstance(s, Assign) and isinstance(s.value, Const) and isinstance(s.target.type, Scalar) and s.value.value == 0
        and s.target.type.dtype != "bool" and (is_adjoint(s.target.name) or is_temporary(s.target.name, f))
    )


def _first(s: Stmt, name: str, effects: Effects) -> bool:
    """Is this `x += e` with e of x's dtype and not reading x?"""
    return (
        isinstance(s, Accum) and s.index is None and s.base.name == name and s.value.type.dtype == s.base.type.dtype
        and isinstance(s.value.type, Scalar) and name not in effects.expr(s.value).reads
    )
