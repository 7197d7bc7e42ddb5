"""Which results of a program depend on which parameters through operations that have a derivative.

A gradient that does not reach a source is None, one that is zero is zeros: the difference is this analysis. It ignores the order of
statements (a dependence anywhere counts) and everything that only steers: conditions, indices, shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sgrad import ir
from s2sgrad.analysis.reads import SHAPE_ONLY
from s2sgrad.ir import Array, Call, Const, Expr, Index, Var
from s2sgrad.rules.registry import OPS

COMPARISONS = frozenset(
    {
        "lt",
        "le",
        "gt",
        "ge",
        "eq",
        "ne",
        "logical_and",
        "logical_or",
        "logical_not",
        "isnan",
        "isinf",
        "isfinite",
        "bitand",
        "bitor",
        "invert",
    }
)
NONE: frozenset[str] = frozenset()


def connections(program: ir.Program, kink: bool = False) -> list[frozenset[str]]:
    """For each result of the main function the parameters it depends on. `kink`: comparisons count too (their derivative is zero)."""
    a = _Analysis(program, kink)
    main = program.main
    for p in main.params:
        a.depends[p.name] = frozenset({p.name})
    while a.pass_over(main.body):
        continue
    return [a.of(v) for v in main.returns]


class _Analysis:
    def __init__(self, program: ir.Program, kink: bool) -> None:
        self.program, self.kink = program, kink
        self.depends: dict[str, frozenset[str]] = {}
        self.changed = False

    def of(self, e: Any) -> frozenset[str]:
        if isinstance(e, Const) or not isinstance(e, Expr):
            return NONE
        if not self.kink and not ir.is_inexact(e.type):
            return NONE
        if isinstance(e, Var):
            return self.depends.get(e.name, NONE)
        if isinstance(e, Index):
            return self.of(e.base)
        assert isinstance(e, Call)
        if e.op in ("where", "ifexp"):
            return self.all_of(e.args if self.kink else e.args[1:])
        if OPS[e.op].kind == "zero" and e.op != "sign" and not (self.kink and e.op in COMPARISONS):
            return NONE
        shape_only = SHAPE_ONLY.get(e.op, ())
        return self.all_of([a for k, a in enumerate(e.args) if k not in shape_only])

    def all_of(self, items: Sequence[Any]) -> frozenset[str]:
        return NONE.union(*(self.of(x) for x in items))

    def add(self, name: str, more: frozenset[str]) -> None:
        old = self.depends.get(name, NONE)
        if not more <= old:
            self.depends[name] = old | more
            self.changed = True

    def pass_over(self, body: Sequence[ir.Stmt]) -> bool:
        self.changed = False
        self.block(body)
        return self.changed

    def block(self, body: Sequence[ir.Stmt]) -> None:
        for s in body:
            self.statement(s)

    def statement(self, s: ir.Stmt) -> None:
        if isinstance(s, ir.Assign):
            self.add(s.target.name, self.of(s.value))
            base = ir.root(s.value) if isinstance(s.target.type, Array) and ir.is_alias(s.value) else None
            if base is not None:  # one memory under two names
                self.add(base.name, self.depends.get(s.target.name, NONE))
        elif isinstance(s, (ir.Store, ir.Accum)):
            self.add(s.base.name, self.of(s.value))
        elif isinstance(s, ir.Multi):
            more = NONE if OPS[s.op].kind == "zero" else self.all_of(s.args)
            for t in s.targets:
                if t is not None:
                    self.add(t.name, more)
        elif isinstance(s, ir.Append):
            self.add(s.list.name, self.of(s.value))
        elif isinstance(s, ir.Pop):
            self.add(s.target.name, self.depends.get(s.list.name, NONE))
        elif isinstance(s, ir.CallFn):
            self.linked(s)
        elif isinstance(s, ir.Custom):
            given = self.all_of([v for v, g in zip(s.inputs, s.grads, strict=True) if g is not None])
            for v in s.outputs:
                self.add(v.name, given)
        else:
            for b in ir.blocks(s):
                self.block(b)

    def linked(self, s: ir.CallFn) -> None:
        """A linked call: every result and every array argument may depend on every argument."""
        more = self.all_of(s.args)
        for t in s.targets:
            if ir.is_inexact(t.type):
                self.add(t.name, more)
        for a in s.args:
            if isinstance(a.type, Array) and ir.is_inexact(a.type) and (base := ir.root(a)) is not None:
                self.add(base.name, more)
