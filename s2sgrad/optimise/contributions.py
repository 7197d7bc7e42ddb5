"""The first contribution to an adjoint: `x_bar = 0.0; ...; x_bar += e` becomes `...; x_bar = e`.

In straight-line code, where nothing in between mentions the adjoint.
"""

from __future__ import annotations

from dataclasses import replace

from s2sgrad.analysis.reads import Effects
from s2sgrad.ir import Accum, Assign, Const, Function, Program, Scalar, Stmt
from s2sgrad.optimise.copies import is_adjoint, is_temporary
from s2sgrad.optimise.walk import map_blocks


def merge_first(f: Function, program: Program | None = None) -> Function:
    """The function in which zeros that are only added to are gone."""
    effects = Effects(f, program)
    return replace(f, body=_block(list(f.body), effects, f))


def _block(body: list[Stmt], effects: Effects, f: Function) -> list[Stmt]:
    k = 0
    while k < len(body):
        s = body[k]
        if _is_zero(s, f):
            j = _next_mention(body, k + 1, s.target.name, effects)  # type: ignore[attr-defined]
            if j is not None and _first(body[j], s, effects):  # type: ignore[arg-type]
                a = body[j]
                body[j] = Assign(a.base, a.value, place=a.place)  # type: ignore[attr-defined]
                del body[k]
                continue
        k += 1
    return [map_blocks(s, lambda b: _block(list(b), effects, f)) for s in body]


def _is_zero(s: Stmt, f: Function) -> bool:
    return (
        isinstance(s, Assign) and isinstance(s.value, Const) and isinstance(s.target.type, Scalar) and s.value.value == 0
        and s.target.type.dtype != "bool" and (is_adjoint(s.target.name) or is_temporary(s.target.name, f))
    )


def _next_mention(body: list[Stmt], start: int, name: str, effects: Effects) -> int | None:
    for j in range(start, len(body)):
        e = effects.of(body[j])
        if name in e.reads or name in e.writes:
            return j
    return None


def _first(s: Stmt, zero: Assign, effects: Effects) -> bool:
    """Is this `x += e` with e of x's dtype and not reading x?"""
    name = zero.target.name
    return (
        isinstance(s, Accum) and s.index is None and s.base.name == name and s.value.type.dtype == s.base.type.dtype
        and isinstance(s.value.type, Scalar) and name not in effects.expr(s.value).reads
    )
