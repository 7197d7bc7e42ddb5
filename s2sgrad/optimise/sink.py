"""Later resets: `_g = y_bar; y_bar = 0.0; x_bar += _g * c` becomes `_g = y_bar; x_bar += _g * c; y_bar = 0.0`.

A statement that overwrites what a temporary holds is moved behind the temporary's last use, if it commutes with everything in
between; the temporary can then be replaced by what it holds.
"""

from __future__ import annotations

from dataclasses import replace

from s2sgrad import ir
from s2sgrad.analysis.reads import Effect, Effects, count_reads
from s2sgrad.ir import Assign, Call, Function, Index, Program, Scalar, Stmt, Var
from s2sgrad.optimise.copies import is_temporary
from s2sgrad.optimise.walk import map_blocks


def sink_resets(f: Function, program: Program | None = None) -> Function:
    """The function with resets moved behind the uses of temporaries."""
    return replace(f, body=_Sink(f, program).block(list(f.body)))


class _Sink:
    def __init__(self, f: Function, program: Program | None) -> None:
        self.effects = Effects(f, program)
        self.reads = count_reads(f.body)
        self.function = f

    def block(self, body: list[Stmt]) -> list[Stmt]:
        for k in range(len(body)):
            s = body[k]
            if isinstance(s, Assign) and is_temporary(s.target.name, self.function) and self.replaceable(s):
                body = self.delay(body, k, s)
        return [map_blocks(s, lambda b: self.block(list(b))) for s in body]

    def replaceable(self, s: Assign) -> bool:
        """Will the temporary go once nothing overwrites its source?"""
        v = s.value
        if isinstance(v, Var):
            return isinstance(v.type, Scalar)
        load = isinstance(v, Index) or (isinstance(v, Call) and v.op == "copy")
        return load and self.reads.get(s.target.name, 0) == 1

    def delay(self, body: list[Stmt], k: int, s: Assign) -> list[Stmt]:
        name = s.target.name
        source = self.effects.expr(s.value)
        new = list(body)
        for _ in range(len(body)):
            last = self.last_use(new, k, name)
            spoiler = next((j for j in range(k + 1, last) if self.effects.of(new[j]).spoils(source)), None)
            if spoiler is None:
                return new
            if not self.movable(new[spoiler], new[spoiler + 1: last + 1]):
                return body
            new.insert(last, new.pop(spoiler))
        return body

    def last_use(self, body: list[Stmt], k: int, name: str) -> int:
        """The last statement behind k in which the name is read (k if there is none)."""
        last, left = k, self.reads.get(name, 0)
        for j in range(k + 1, len(body)):
            if left <= 0:
                break
            if name in self.effects.of(body[j]).reads:
                last, left = j, left - count_reads([body[j]]).get(name, 0)
        return last

    def movable(self, s: Stmt, past: list[Stmt]) -> bool:
        e: Effect = self.effects.of(s)
        leaves = any(isinstance(p, (ir.Return, ir.Raise)) for p in ir.walk_stmts(past))
        return not (ir.blocks(s) or e.effect or leaves) and all(e.commutes(self.effects.of(p)) for p in past)
