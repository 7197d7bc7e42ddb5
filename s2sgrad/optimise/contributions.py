"""The first contribution to an adjoint: `x_bar = 0.0; ...; x_bar += e` becomes `...; x_bar = e`.

In straight-line code, where nothing in between mentions the adjoint. A short second contribution right behind joins the first.
"""

from __future__ import annotations

from dataclasses import replace

from s2sgrad.analysis.alias import memory_roots
from s2sgrad.analysis.reads import Effects
from s2sgrad.analysis.shapes import Shapes, moves
from s2sgrad.ir import Accum, Array, Assign, Call, Const, Expr, Function, Program, Scalar, Stmt, Store, call, names_in, walk
from s2sgrad.optimise.copies import is_adjoint, is_temporary
from s2sgrad.optimise.walk import map_blocks


def merge_first(f: Function, program: Program | None = None) -> Function:
    """The function in which zeros that are only added to are gone."""
    effects = Effects(f, program)
    return replace(f, body=_block(list(f.body), effects, Shapes(f), f))


def _block(body: list[Stmt], effects: Effects, shapes: Shapes, f: Function) -> list[Stmt]:
    waiting: dict[str, int] = {}  # adjoint -> where it was set to zero, nothing having mentioned it since
    likes: dict[int, frozenset[str]] = {}
    gone: set[int] = set()
    for k, s in enumerate(body):
        e = effects.of(s)
        for name in [n for n, z in waiting.items() if likes[z] and not e.writes.isdisjoint(likes[z])]:
            del waiting[name]  # the shape it was made after is another one now
        for name in sorted((e.reads | e.writes) & waiting.keys()):
            zero = waiting.pop(name)
            value = s.value if _first(s, name, effects) else _whole(s, body[zero], effects, shapes)  # type: ignore[attr-defined]
            if value is not None:
                body[k] = Assign(s.base, value, place=s.place)  # type: ignore[attr-defined]
                gone.add(zero)
        if _is_zero(s, f) or _is_zeros(s, f):
            waiting[s.target.name], likes[k] = k, names_in(s.value)  # type: ignore[attr-defined]
    kept = _joined([s for k, s in enumerate(body) if k not in gone], effects)
    return [map_blocks(s, lambda b: _block(list(b), effects, shapes, f)) for s in kept]


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


def _is_zeros(s: Stmt, f: Function) -> bool:
    """Is this `x_bar = np.zeros_like(x)`?"""
    return (
        isinstance(s, Assign) and isinstance(s.value, Call) and s.value.op == "zeros_like" and isinstance(s.target.type, Array)
        and s.value.args[0].type.dtype == s.target.type.dtype and (is_adjoint(s.target.name) or is_temporary(s.target.name, f))
    )


def _whole(s: Stmt, zero: Stmt, effects: Effects, shapes: Shapes) -> Expr | None:
    """The fresh array that `x_bar` is after `x_bar += e` (or `x_bar[...] = e`), if e is known to have its shape."""
    if not (isinstance(zero, Assign) and isinstance(zero.value, Call) and isinstance(s, (Accum, Store)) and s.base == zero.target):
        return None
    e, name = s.value, zero.target.name
    if s.index != () or getattr(s, "repeated", False) or name in effects.expr(e).reads or e.type.dtype != zero.target.type.dtype:
        return None
    like = zero.value.args[0]
    if isinstance(e.type, Scalar):
        out = call("ones_like", like) if isinstance(e, Const) and e.value == 1 else call("full_like", like, e)
    elif shapes.of(e) == shapes.of(like) and not any(moves(d) for d in shapes.of(e)):
        out = call("copy", e) if any(True for _ in memory_roots(e)) else e
    else:
        return None
    return out if out.type == zero.target.type else None


def _first(s: Stmt, name: str, effects: Effects) -> bool:
    """Is this `x += e` with e of x's dtype and not reading x?"""
    return (
        isinstance(s, Accum) and s.index is None and s.base.name == name and s.value.type.dtype == s.base.type.dtype
        and isinstance(s.value.type, Scalar) and name not in effects.expr(s.value).reads
    )
