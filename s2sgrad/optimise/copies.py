"""Copy and constant propagation: `y = x; z = y * 2.0` becomes `y = x; z = x * 2.0` (and `y = x` is then dead).

Flow sensitive: what holds is dropped when either side is assigned, and merged where branches meet. Numbers are propagated from
temporaries and adjoints only, so that `h = 0.1` of the user stays a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from s2sgrad import ir
from s2sgrad.analysis.reads import Effects, count_writes
from s2sgrad.ir import (
    Accum,
    Array,
    Assign,
    Const,
    Custom,
    Expr,
    For,
    Function,
    If,
    ListType,
    Program,
    Recompute,
    Scalar,
    Stmt,
    Store,
    Var,
    While,
)
from s2sgrad.optimise.walk import own_exprs

Known = dict[str, Expr]


def propagate(f: Function, program: Program | None = None) -> Function:
    """The function with variables replaced by what they are known to equal."""
    pass_ = _Copies(f, program)
    return replace(f, body=pass_.block(f.body, {}))


def is_temporary(name: str, f: Function) -> bool:
    """A name no user chose to look at: one the transforms made, or one like `_t`."""
    return name.startswith("_") or (name in f.temporaries and not is_adjoint(name))


def is_adjoint(name: str) -> bool:
    return "_bar" in name.split("#")[0] or "_dot" in name.split("#")[0]


class _Copies:
    def __init__(self, f: Function, program: Program | None) -> None:
        self.effects = Effects(f, program)
        self.writes = count_writes(f)
        self.function = f

    def block(self, body: Sequence[Stmt], known: Known) -> list[Stmt]:
        return [self.stmt(s, known) for s in body]

    def stmt(self, s: Stmt, known: Known) -> Stmt:
        if isinstance(s, Custom):
            self.forget(self.effects.of(s).writes, known)
            return s
        if isinstance(s, While):
            self.forget(self.effects.of(s).writes, known)
        s = own_exprs(s, lambda e: ir.substitute(e, known))
        if isinstance(s, (Store, Accum)) and s.index is not None:
            same = known.get(s.base.name)
            s = replace(s, base=same) if isinstance(same, Var) else s
        if isinstance(s, If):
            return self.branches(s, known)
        if isinstance(s, (For, While)):
            self.forget(self.effects.of(s).writes, known)
            return replace(s, body=self.block(s.body, dict(known)))
        if isinstance(s, Recompute):
            return replace(s, body=self.block(s.body, known))
        self.forget(self.effects.own(s).writes, known)
        if isinstance(s, Assign) and self.worth(s):
            known[s.target.name] = self.source(s)
        return s

    def branches(self, s: If, known: Known) -> If:
        a, b = dict(known), dict(known)
        new = replace(s, body=self.block(s.body, a), orelse=self.block(s.orelse, b))
        known.clear()
        known.update({n: e for n, e in a.items() if b.get(n) == e})
        return new

    def forget(self, names: set[str], known: Known) -> None:
        for n in [n for n, e in known.items() if n in names or (isinstance(e, Var) and e.name in names)]:
            del known[n]

    def worth(self, s: Assign) -> bool:
        t, v = s.target, s.value
        ours = is_temporary(t.name, self.function)
        if isinstance(v, Const):
            return isinstance(t.type, Scalar) and (ours or is_adjoint(t.name) or t.type.dtype == "bool") and t.type.dtype == v.type.dtype
        if not isinstance(v, Var) or v.name == t.name or isinstance(t.type, ListType):
            return False
        alike = v.type == t.type or (isinstance(t.type, Array) and (t.type.dtype, t.type.ndim) == (v.type.dtype, v.type.ndim))  # type: ignore[union-attr]
        return alike and (ours or self.writes.get(t.name, 0) == 1)

    def source(self, s: Assign) -> Expr:
        return Const(s.value.value, s.target.type) if isinstance(s.value, Const) else s.value
