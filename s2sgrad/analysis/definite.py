"""Definite assignment: the names that are bound whichever way a statement is reached."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from s2sgrad import ir
from s2sgrad.ir import Call, Const, Expr, Var


def bound_before(function: ir.Function, wanted: Collection[int]) -> dict[int, frozenset[str]]:
    """id of a statement in `wanted` -> the names certainly bound when it starts."""
    out: dict[int, frozenset[str]] = {}

    def see(s: ir.Stmt, bound: set[str]) -> None:
        if id(s) in wanted:
            out[id(s)] = frozenset(bound)

    _visit(function.body, {p.name for p in function.params}, see)
    return out


def read_unbound(params: Sequence[ir.Param], body: Sequence[ir.Stmt]) -> list[Var]:
    """The scalars that are read where they are perhaps not bound yet (a flag keeps the program from it), by name."""
    found: dict[str, Var] = {}

    def see(s: ir.Stmt, bound: set[str]) -> None:
        read = [x for e in ir.exprs(s) for x in ir.walk(e) if isinstance(x, Var)]
        read += [s.base] if isinstance(s, ir.Accum) else []
        found.update({v.name: v for v in read if v.name not in bound and isinstance(v.type, ir.Scalar)})

    _visit(body, {p.name for p in params}, see)
    assigned = {v.name for s in ir.walk_stmts(body) for v in ir.assigned(s)}
    return [found[n] for n in sorted(assigned & found.keys())]


def first_value(v: Var) -> Expr:
    """A value that nobody sees, for a name that must have one."""
    if isinstance(v.type, ir.Scalar):
        return Const({"b": False, "i": 0, "u": 0, "f": 0.0, "c": 0j}[v.type.dtype[0]], v.type)
    if isinstance(v.type, ir.ListType):
        return ir.call("list_new", item=v.type.item)
    return Call("empty", (Const(0, ir.INT),) * v.ndim, (("dtype", v.type.dtype),), v.type)


def _visit(block: Sequence[ir.Stmt], bound: set[str], see: Callable[[ir.Stmt, set[str]], None]) -> set[str]:
    """Show each statement with what is bound before it; what is bound after the block."""
    for s in block:
        see(s, bound)
        if isinstance(s, ir.If):
            ways = [_visit(b, set(bound), see) for b in (s.body, s.orelse)]
            going_on = [w for w, b in zip(ways, (s.body, s.orelse), strict=True) if not (b and isinstance(b[-1], ir.Raise))]
            bound |= set.intersection(*going_on) if going_on else set()
        elif isinstance(s, (ir.For, ir.While)):
            _visit(s.body, bound | {v.name for v in ir.assigned(s)}, see)  # there may be no trip
        elif isinstance(s, (ir.Recompute, ir.Custom)):
            bound = _visit(s.body, bound, see)
        else:
            bound |= {v.name for v in ir.assigned(s)}
    return bound
