"""What statements read from before, and which arrays they write, by name."""

from __future__ import annotations

from collections.abc import Sequence

from s2sgrad import ir
from s2sgrad.ir import Var


def written_roots(body: Sequence[ir.Stmt]) -> set[str]:
    """The arrays that are written, under every name they may have."""
    bound: dict[str, set[str]] = {}
    for s in ir.walk_stmts(body):
        r = ir.root(s.value) if isinstance(s, ir.Assign) and isinstance(s.target.type, ir.Array) and ir.is_alias(s.value) else None
        if r is not None:
            bound.setdefault(s.target.name, set()).add(r.name)  # type: ignore[attr-defined]
    out = {s.base.name for s in ir.walk_stmts(body) if isinstance(s, ir.Store) or isinstance(s, ir.Accum) and s.index is not None}
    while more := {r for n in out for r in bound.get(n, ())} - out:
        out |= more
    return out


def used(body: Sequence[ir.Stmt]) -> set[str]:
    """All variables that statements read."""
    return {n for s in ir.walk_stmts(body) for n in reads(s)}


def reads(s: ir.Stmt) -> set[str]:
    """The variables that a statement itself reads."""
    out = {n for e in ir.exprs(s) for n in ir.names_in(e)}
    out |= {v.name for a in ("base", "list", "buffer") if isinstance(v := getattr(s, a, None), Var)}
    if isinstance(s, ir.Print | ir.Raise):
        out |= {n for p in (s.parts if isinstance(s, ir.Print) else s.message) if isinstance(p, ir.Expr) for n in ir.names_in(p)}
    if isinstance(s, ir.Custom):
        out |= {v.name for v in s.inputs} | {n for g in s.grads if g is not None for n in ir.names_in(g)}
    return out


def live_in(body: Sequence[ir.Stmt]) -> dict[str, Var]:
    """The variables whose value from before the statements is read by them."""
    types = {x.name: x for s in ir.walk_stmts(body) for e in ir.exprs(s) for x in ir.walk(e) if isinstance(x, Var)}
    for s in ir.walk_stmts(body):
        types.update({v.name: v for v in ir.assigned(s)})
        types.update({v.name: v for a in ("base", "list", "buffer") if isinstance(v := getattr(s, a, None), Var)})
        types.update({v.name: v for v in s.inputs} if isinstance(s, ir.Custom) else {})
    return {n: types[n] for n in sorted(_before(body, set()))}


def _before(body: Sequence[ir.Stmt], after: set[str]) -> set[str]:
    live = set(after)
    for s in reversed(body):
        if isinstance(s, ir.If):
            live = _before(s.body, live) | _before(s.orelse, live) | reads(s)
        elif isinstance(s, ir.For | ir.While):
            inside = _before(s.body, live | reads(s))
            inside = _before(s.body, live | inside | reads(s))
            live = live | (inside - ({s.var.name} if isinstance(s, ir.For) else set())) | reads(s)
        elif isinstance(s, ir.Custom):
            back = _before(s.back, {n for g in s.grads if g is not None for n in ir.names_in(g)}) - {v.name for v in s.seeds}
            live = _before(s.body, (live | back) - set()) | {v.name for v in s.inputs}
            live -= {v.name for v in s.outputs}
        elif isinstance(s, ir.Recompute):
            live = _before(s.body, live)
        else:
            live = (live - {v.name for v in ir.assigned(s) if not isinstance(s, ir.Accum)}) | reads(s)
    return live


def on_every_path(body: Sequence[ir.Stmt], names: set[str]) -> bool:
    """Are these variables read whichever path is taken, and first in the same order?"""
    seen: set[str] = set()
    clear = _along(body, names, seen)
    return seen == names and (clear or len(names) < 2)


def _along(body: Sequence[ir.Stmt], names: set[str], seen: set[str]) -> bool:
    """Adds what is always read to `seen`; False where a branch reads a variable first."""
    clear = True
    for s in body:
        if isinstance(s, ir.Custom | ir.Recompute):
            clear &= _along(s.body, names, seen)
            continue
        for e in ir.exprs(s):
            clear &= _always(e, names, seen)
        if isinstance(s, ir.If):
            one, other = set(seen), set(seen)
            _along(s.body, names, one)
            _along(s.orelse, names, other)
            clear &= not (used([*s.body, *s.orelse]) & names - seen)
            seen |= one & other
        elif isinstance(s, ir.For) and _runs(s):
            clear &= _along(s.body, names, seen)
        elif isinstance(s, ir.For | ir.While):
            clear &= not (used(s.body) & names - seen)
        else:
            seen |= reads(s) & names
    return clear


def _always(e: ir.Expr, names: set[str], seen: set[str]) -> bool:
    lazy = [x for x in ir.walk(e) if isinstance(x, ir.Call) and x.op in ir.LAZY]
    if not lazy:
        seen |= ir.names_in(e) & names
        return True
    return ir.names_in(e) & names <= seen


def _runs(s: ir.For) -> bool:
    """Has the loop at least one trip?"""
    bounds = [b.value for b in (s.start, s.stop, s.step) if isinstance(b, ir.Const)]
    return len(bounds) == 3 and len(range(*bounds)) > 0
