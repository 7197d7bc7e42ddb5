"""Temporaries that are used once move into the statement that uses them: `_t = e; x_bar += _t` becomes `x_bar += e`.

Legal where nothing between the two writes what `e` reads. A temporary that is copied into a variable gives it its place:
`_t = e; y = _t; z = _t + 1.0` becomes `y = e; z = y + 1.0`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from s2sgrad import ir
from s2sgrad.analysis.reads import Effects, count_reads, count_writes
from s2sgrad.ir import Array, Assign, CallFn, Custom, Expr, Function, ListType, Program, Scalar, Stmt, Var, While
from s2sgrad.optimise.copies import is_temporary
from s2sgrad.optimise.walk import map_blocks, own_exprs


def substitute_single(f: Function, program: Program | None = None) -> Function:
    """The function with single-use temporaries in their place of use."""
    return replace(f, body=_Forward(f, program).block(list(f.body)))


class _Forward:
    def __init__(self, f: Function, program: Program | None) -> None:
        self.effects = Effects(f, program)
        self.reads = count_reads(f.body)
        self.writes = count_writes(f)
        self.function = f

    def block(self, body: list[Stmt]) -> list[Stmt]:
        k = len(body) - 1
        while k >= 0:
            s = body[k]
            if isinstance(s, Assign) and self.candidate(s):
                body = self.use(body, k, s) or self.rename(body, k, s) or body
            k -= 1
        return [map_blocks(s, lambda b: self.block(list(b))) for s in body]

    def candidate(self, s: Assign) -> bool:
        name = s.target.name
        if not is_temporary(name, self.function) or self.writes.get(name) != 1 or not self.reads.get(name, 0):
            return False
        # What comes out of a list stays a statement of its own: so it is differentiated.
        listed = any(isinstance(x, ir.Call) and x.op == "item" for x in ir.walk(s.value))
        return not (listed or isinstance(s.target.type, ListType))

    def use(self, body: list[Stmt], k: int, s: Assign) -> list[Stmt] | None:
        """The block with the single use replaced by the value."""
        name = s.target.name
        if self.reads[name] != 1 or not same_kind(s.value.type, s.target.type):
            return None
        j = next((j for j in range(k + 1, len(body)) if name in self.effects.of(body[j]).reads), None)
        if j is None or isinstance(body[j], (While, Custom)) or not self.accepts(body[j], name, s.value):
            return None
        value = self.effects.value(s.value)
        if any(self.effects.of(body[m]).spoils(value) for m in range(k + 1, j)):
            return None
        new = own_exprs(body[j], lambda e: ir.substitute(e, {name: s.value}))
        return [*body[:k], *body[k + 1: j], new, *body[j + 1:]]

    def accepts(self, s: Stmt, name: str, value: Expr) -> bool:
        """Is the temporary an operand of the statement itself, where any expression may stand?"""
        inside = [x for e in ir.exprs(s) for x in ir.walk(e) if isinstance(x, Var) and x.name == name]
        if len(inside) != 1 or isinstance(s, ir.Append):
            return False
        if isinstance(s, (CallFn, ir.Return)) and not isinstance(value.type, Scalar):
            return not isinstance(s, CallFn) and not ir.is_alias(value)
        return not (fragile(s, name) and not isinstance(value, Var))

    def rename(self, body: list[Stmt], k: int, s: Assign) -> list[Stmt] | None:
        """The block in which the variable that the temporary is copied to takes its place."""
        name = s.target.name
        j = next((j for j in range(k + 1, len(body)) if name in self.effects.of(body[j]).reads), None)
        copied = body[j] if j is not None else None
        if j is None or not isinstance(copied, Assign) or copied.value != s.target or copied.target.type != s.target.type:
            return None
        y = copied.target
        between = [self.effects.of(body[m]) for m in range(k + 1, j)]
        if is_temporary(y.name, self.function) or any(y.name in e.reads or y.name in e.writes for e in between):
            return None
        last = max((m for m in range(j + 1, len(body)) if name in self.effects.of(body[m]).reads), default=j)
        rest = body[j + 1: last + 1]
        if count_reads(rest).get(name, 0) != self.reads[name] - 1 or any(y.name in self.effects.of(m).writes for m in rest):
            return None
        swapped = ir.map_stmts(rest, lambda e: y if isinstance(e, Var) and e.name == name else e)
        return [*body[:k], replace(copied, value=s.value), *body[k + 1: j], *swapped, *body[last + 1:]]


def same_kind(a: ir.Type, b: ir.Type) -> bool:
    """Equal types, array layouts apart."""
    return a == b or (isinstance(a, Array) and isinstance(b, Array) and (a.dtype, a.ndim) == (b.dtype, b.ndim))


def fragile(s: Stmt, name: str) -> bool:
    """Is the variable indexed or asked for its shape (an expression there would be computed as a whole first)?"""
    def below(e: Any) -> bool:
        if isinstance(e, ir.Index) and e.base == Var(name, e.base.type):
            return True
        if isinstance(e, ir.Call) and e.op in ("dim", "size") and any(isinstance(a, Var) and a.name == name for a in e.args):
            return True
        return any(below(c) for c in ir.children(e))

    return any(below(e) for e in ir.exprs(s))
