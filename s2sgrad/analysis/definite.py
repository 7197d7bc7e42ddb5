"""Definite assignment: the names that are bound whichever way a statement is reached."""

from __future__ import annotations

from collections.abc import Collection

from s2sgrad import ir


def bound_before(function: ir.Function, wanted: Collection[int]) -> dict[int, frozenset[str]]:
    """id of a statement in `wanted` -> the names certainly bound when it starts."""
    out: dict[int, frozenset[str]] = {}

    def visit(block: list[ir.Stmt], bound: set[str]) -> set[str]:
        for s in block:
            if id(s) in wanted:
                out[id(s)] = frozenset(bound)
            if isinstance(s, ir.If):
                ways = [visit(b, set(bound)) for b in (s.body, s.orelse) if not (b and isinstance(b[-1], ir.Raise))]
                bound |= set.intersection(*ways) if ways else set()
            elif isinstance(s, (ir.For, ir.While)):
                visit(s.body, bound | {v.name for v in ir.assigned(s)})  # there may be no trip
            elif isinstance(s, (ir.Recompute, ir.Custom)):
                bound = visit(s.body, bound)
            else:
                bound |= {v.name for v in ir.assigned(s)}
        return bound

    visit(function.body, {p.name for p in function.params})
    return out
