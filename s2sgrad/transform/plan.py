"""Which overwritten values the reverse sweep needs again (to-be-recorded analysis).

A forward walk over the primal with a growing set of facts that the reverses of earlier statements will read. The needs are read
off the reverse statements themselves, so the two cannot disagree. A statement saves what it overwrites only when that is in
the set. See Hascoet, Naumann and Pascual, "'To be recorded' analysis in reverse-mode automatic differentiation" (FGCS 21, 2005).
"""

from __future__ import annotations

from collections.abc import Iterable

from s2sgrad import ir
from s2sgrad.analysis import effects
from s2sgrad.analysis.effects import Fact
from s2sgrad.transform.carried import Carried
from s2sgrad.transform.scopes import Block, order, subblocks
from s2sgrad.transform.setting import Record, Setting


class Plan:
    """Decides per statement which facts are saved (`saves`) and per block what is recomputed (`again`)."""

    def __init__(self, st: Setting, records: dict[int, Record], counts: dict[int, ir.Var], save_all: bool = False) -> None:
        self.st = st
        self.records = records
        self.counts = counts
        self.save_all = save_all
        self.primal_of = {bar.name: name for name, bar in st.bars.items()}
        self.saves: dict[int, set[Fact]] = {}
        self.again: dict[int, list[ir.Assign]] = {}  # per block, in program order
        self.skip: set[int] = set()  # statements whose target is recomputed at the block's end
        self._choose_recomputed(st.function.body, 0)
        self.carried = Carried(st, records, self.again)

    # ----------------------------------------------------------------------------- what reverses read

    def reads(self, body: Iterable[ir.Stmt]) -> set[Fact]:
        """Primal facts that reverse statements read; adjoint arrays stand for their primal's binding."""
        out: set[Fact] = set()
        for fact in effects.block_reads(list(body), self.st.classes):
            out |= self._primal(fact)
        for s in ir.walk_stmts(list(body)):
            if isinstance(s, ir.Store) or isinstance(s, ir.Accum):
                out |= self._primal(("b", s.base.name))
        return out

    def _primal(self, fact: Fact) -> set[Fact]:
        kind, name = fact
        if name in self.primal_of:
            return {("b", self.primal_of[name])} if kind == "b" and self.primal_of[name] in self.st.classes else set()
        return {fact}

    def own_reads(self, s: ir.Stmt) -> tuple[set[Fact], set[Fact]]:
        """(read in the state before the statement, read in the state after it)."""
        record = self.records[id(s)]
        before, after = self.reads(record.adjoint), self.reads(record.before)
        cl = self.st.classes
        if isinstance(s, ir.Store):
            index = {f for i in s.index for f in effects.reads(i, cl)} | {("b", s.base.name)}
            before |= index
            after |= index
        elif isinstance(s, (ir.If, ir.While, ir.For)):
            if id(s) in self.counts:
                after.add(("s", self.counts[id(s)].name))
            if isinstance(s, ir.If):
                after |= effects.reads(s.cond, cl)
            elif isinstance(s, ir.For):
                after |= {f for e in (s.start, s.stop, s.step) for f in effects.reads(e, cl)}
                if id(s) in self.counts:
                    after -= effects.reads(s.stop, cl) - effects.reads(s.start, cl) - effects.reads(s.step, cl)
        elif isinstance(s, ir.Assign) and ir.is_array(s.target.type) and record.adjoint and not self.st.is_eager(s.target):
            before.discard(("b", s.target.name))  # the adjoint array of a fresh array is read as it is after the statement
            after.add(("b", s.target.name))
        elif isinstance(s, (ir.Append, ir.Pop)):
            after |= {("b", s.list.name)}
            if isinstance(s, ir.Pop):
                after |= {("b", s.target.name)}
        elif isinstance(s, ir.CallFn):
            after |= {("b", a.name) for a in s.args if isinstance(a, ir.Var) and a.name in cl}
            before |= {f for a in s.args for f in effects.reads(a, cl)} if record.adjoint else set()
        return before, after

    def block_end(self, block: Block) -> set[Fact]:
        """Facts read at the start of the reversed block (the state at the block's end)."""
        cl, out = self.st.classes, set()
        for s in self.again.get(id(block), []):
            out |= effects.reads(s.value, cl)
        for s in self.st.views.get(id(block), []):
            out |= effects.reads(s.value, cl) - {f for f in effects.reads(s.value, cl) if f[0] == "m"}
        for r in self.st.lazy_roots.get(id(block), []):
            out |= {("b", v.name) for v in ir.assigned(r)}
        return out - {("s" if isinstance(s.target.type, ir.Scalar) else "b", s.target.name) for s in self.again.get(id(block), [])}

    # ------------------------------------------------------------------------------------- recomputing

    def _choose_recomputed(self, block: Block, depth: int) -> set[Fact]:
        """Bottom-up: everything the reverse of a block reads, minus what is recomputed there."""
        demand = set()
        for s in block:
            demand |= set().union(*self.own_reads(s))
            inner = 0 if isinstance(s, ir.Recompute) else depth + isinstance(s, (ir.For, ir.While))
            for b in subblocks(s):
                demand |= self._choose_recomputed(b, inner)
        demand |= self.block_end(block)
        if depth and not self.save_all:
            chosen: list[ir.Assign] = []
            for s in reversed(order(list(self.st.scopes.recomputable(block).values()), self.st.scopes)):
                assert isinstance(s, ir.Assign)
                fact = ("s" if isinstance(s.target.type, ir.Scalar) else "b", s.target.name)
                if fact in demand:
                    chosen.insert(0, s)
                    demand |= effects.reads(s.value, self.st.classes)
            self.again[id(block)] = chosen
        return demand

    # -------------------------------------------------------------------------------------------- walk

    def block(self, block: Block, needs: set[Fact], loop: bool) -> set[Fact]:
        """Facts needed after the block, given those needed before it."""
        again = {s.target.name: s for s in self.again.get(id(block), [])}
        if not loop:  # a branch: what must survive from before is saved the ordinary way
            kept = {n: s for n, s in again.items() if not ({("s", n), ("b", n)} & needs)}
            self.skip -= {id(s) for n, s in again.items() if n not in kept}
            again = kept
            if id(block) in self.again:
                self.again[id(block)] = [s for s in self.again[id(block)] if s.target.name in again]
        self.skip |= {id(s) for s in again.values()}
        for s in block:
            needs = self.statement(s, needs)
        needs = {f for f in needs if not (f[0] in "sb" and f[1] in again)}
        return needs | self.block_end(block)

    def statement(self, s: ir.Stmt, needs: set[Fact]) -> set[Fact]:
        before, after = self.own_reads(s)
        if isinstance(s, ir.If):
            needs = needs | after
            return self.block(s.body, needs, False) | self.block(s.orelse, needs, False)
        if isinstance(s, (ir.For, ir.While)):
            return self.loop(s, needs, after)
        if isinstance(s, ir.Recompute):
            return self.region(s, needs)
        if isinstance(s, ir.Custom):
            for t in s.body:
                needs = self.statement(t, needs)
            return needs | after
        earlier = needs
        needs = needs | before
        writes = effects.statement_writes(s, self.st.classes)
        if isinstance(s, ir.Reserve) or isinstance(s, (ir.Append, ir.Pop)):
            writes = {f for f in writes if f[0] != "m" and not isinstance(s, ir.Reserve)}
        if isinstance(s, ir.CallFn) and self.records[id(s)].adjoint:
            needs = needs | {f for f in writes if f[0] == "m"}
        if id(s) not in self.skip:
            saved = writes if self.save_all else {f for f in writes & needs if f in earlier or f[0] != "m" or not self.carried.beside(s, f[1])}
            if saved:
                self.saves.setdefault(id(s), set()).update(saved)
            if isinstance(s, ir.Accum) and s.index is not None and any(f[0] == "m" for f in saved):  # what is put back is put back there
                after = after | {f for i in s.index for f in effects.reads(i, self.st.classes)} | {("b", s.base.name)}
        needs = {f for f in needs if f not in writes or f[0] == "m"}
        return needs | after

    def loop(self, s: ir.For | ir.While, needs: set[Fact], after: set[Fact]) -> set[Fact]:
        own = {f for a in self.again.get(id(s.body), []) for f in [("s" if isinstance(a.target.type, ir.Scalar) else "b", a.target.name)]}
        if id(s) in self.counts:
            own.add(("s", self.counts[id(s)].name))
        if own & needs:
            self.saves.setdefault(id(s), set()).update(own & needs)
        inside = (needs - own) | after
        while True:
            needed = self.block(s.body, inside, True)
            grown = inside | {f for f in needed if f[0] != "m" or f in inside or not self.carried.free(s, f[1])}
            if grown == inside:
                return inside | needed
            inside = grown

    def region(self, s: ir.Recompute, needs: set[Fact]) -> set[Fact]:
        """The whole region overwrites at once; what its second run reads must come back first."""
        writes = effects.block_writes(s.body, self.st.classes)
        reads = effects.block_reads(s.body, self.st.classes)
        saved = (writes & (needs | reads)) - self.first_written(s.body)
        saved |= writes & needs
        self.saves.setdefault(id(s), set()).update(saved)
        self.block(s.body, needs, True)
        overwritten = {f for f in writes if f[0] != "m"}
        held = {("b", v.name) for v in self.st.region_arrays(s)}  # their adjoints are carried over the second run
        return (needs - overwritten) | (reads - overwritten) | {f for f in reads if f[0] == "m"} | held

    def first_written(self, body: Block) -> set[Fact]:
        """Scalars and bindings that the region gives a value before it reads them."""
        out, seen = set(), set()
        for s in body:
            reads = effects.block_reads([s], self.st.classes)
            seen |= reads
            for f in effects.statement_writes(s, self.st.classes):
                if f[0] != "m" and f not in seen:
                    out.add(f)
            seen |= effects.block_writes([s], self.st.classes)
        return out
