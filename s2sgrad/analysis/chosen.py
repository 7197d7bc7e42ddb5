"""Where the adjoint of a value may be exactly zero because another one was chosen, and which values may be infinite.

    y = np.where(x > 20.0, x, np.log1p(np.exp(x)))        the adjoint of np.exp(x) is 0 where x = 1000, its partial is infinite

Zero times infinity is nan, so such products are guarded. Both sets are flow-insensitive, in the units of `activity`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from s2sgrad import ir
from s2sgrad.analysis.activity import closure, dependencies, edges, key
from s2sgrad.rules import registry

Path = tuple[int, ...]

CHOICES = frozenset({"where", "maximum", "minimum", "fmax", "fmin", "clip", "max", "min"})  # the value is one of the operands
FLAT_AT_INFINITY = frozenset({"div", "reciprocal", "pow", "exp", "exp2", "tanh", "arctan", "erf", "erfc", "logaddexp", "logaddexp2"})
GROWING = frozenset({"exp", "exp2", "expm1", "sinh", "cosh"})  # infinite for arguments of modest size
TESTS = frozenset({"isnan", "isinf", "isfinite"})


class Chosen:
    """Facts about one function: `zero`, units whose adjoint may be zero by choice; `infinite`, units that may be infinite or nan;
    `idle`: nothing grows, so none of this matters."""

    def __init__(self, function: ir.Function, classes: Mapping[str, str]) -> None:
        self.classes = classes
        flow = edges(function.body, classes)
        found: set[str] = set()
        grown: set[str] = set()
        for s in ir.walk_stmts(function.body):
            if any(isinstance(x, ir.Call) and x.op in TESTS for e in ir.exprs(s) for x in ir.walk(e)):
                grown |= {key(p.var, classes) for p in function.params}
            if isinstance(s, (ir.Assign, ir.Store, ir.Accum)):
                if any(_grows(x) for x in ir.walk(s.value)):
                    grown.add(key(s.target if isinstance(s, ir.Assign) else s.base, classes))
        self.infinite = closure(grown, flow, forward=True)
        self.zero: set[str] = set()
        self.idle = not grown and not any(_grows(x) for s in ir.walk_stmts(function.body) for e in ir.exprs(s) for x in ir.walk(e))
        if self.idle:
            return
        for s in ir.walk_stmts(function.body):
            for e in ir.exprs(s):
                found |= self.selected(e)
        found |= _conditional(function, classes) | _overwritten(function.body, classes)
        self.zero = closure(found, flow, forward=False)

    def may_be_infinite(self, e: Any) -> bool:
        return any(_grows(x) or isinstance(x, ir.Var) and key(x, self.classes) in self.infinite for x in ir.walk(e))

    def chooses(self, e: ir.Call, k: int) -> bool:
        """May the adjoint of operand `k` be zero though that of the value is not?"""
        if e.op in CHOICES:
            return True
        if e.op == "div":
            return k == 1 and self.may_be_infinite(e.args[1])
        return e.op in FLAT_AT_INFINITY and self.may_be_infinite(e.args[k])

    def vanishes(self, e: ir.Call, k: int) -> ir.Expr | None:
        """Where the partial by operand `k` is zero because that operand is infinite; None where it never is."""
        x = e.args[k]
        if e.op not in FLAT_AT_INFINITY or self.idle or not self.may_be_infinite(x):
            return None
        if e.op in ("exp", "exp2", "logaddexp", "logaddexp2"):
            return ir.call("eq", x, -math.inf)
        if e.op == "div" and k == 0 or e.op == "pow" and not (k == 0 and isinstance(e.args[1], ir.Const) and e.args[1].value < 0):
            return None
        return ir.call("isinf", x)

    def selected(self, e: Any, below: bool = False) -> set[str]:
        """Units in the operands that an expression may not choose."""
        if isinstance(e, ir.Var):
            return {key(e, self.classes)} if below and ir.is_inexact(e.type) else set()
        if isinstance(e, ir.Index):
            return self.selected(e.base, below or e.kind != "element")
        if not isinstance(e, ir.Call) or registry.OPS[e.op].kind == "zero":
            return set()
        return {u for k, a in enumerate(e.args) for u in self.selected(a, below or self.chooses(e, k))}


def _grows(e: Any) -> bool:
    return isinstance(e, ir.Call) and (e.op in GROWING or registry.OPS[e.op].is_singular(e.args))


def _conditional(function: ir.Function, classes: Mapping[str, str]) -> set[str]:
    """Units that are defined where nothing uses them unless a condition holds, or that a branch may replace."""
    defined: dict[str, set[Path]] = {key(p.var, classes): {()} for p in function.params}
    used: dict[str, set[Path]] = {}

    def uses(e: Any, path: Path) -> None:
        for v in dependencies(e, conditional=False):
            used.setdefault(key(v, classes), set()).add(path)
        for v in dependencies(e):
            used.setdefault(key(v, classes), set()).add((*path, id(e)))

    def visit(body: Sequence[ir.Stmt], path: Path) -> None:
        for s in body:
            for e in ir.exprs(s):
                uses(e, path)
            for v in ir.assigned(s):
                defined.setdefault(key(v, classes), set()).add(path)
            if isinstance(s, ir.If):
                visit(s.body, (*path, id(s)))
                visit(s.orelse, (*path, -id(s)))
            else:
                for b in ir.blocks(s):
                    visit(b, path)

    visit(function.body, ())
    out = set()
    for unit, places in defined.items():
        around = used.get(unit, set())
        hidden = any(not any(d[: len(u)] == u for u in around) for d in places)
        replaced = any(d != e and d[: len(e)] == e for d in places for e in places)
        if hidden or replaced:
            out.add(unit)
    return out


def _overwritten(body: Sequence[ir.Stmt], classes: Mapping[str, str]) -> set[str]:
    """Arrays made as a whole whose parts are stored into later."""
    made, stored = set(), set()
    for s in ir.walk_stmts(body):
        if isinstance(s, ir.Assign) and ir.is_array(s.target.type) and not ir.is_alias(s.value) and any(dependencies(s.value)):
            made.add(key(s.target, classes))
        elif isinstance(s, ir.Store) and s.index:
            stored.add(key(s.base, classes))
    return made & stored
