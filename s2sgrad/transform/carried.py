"""Does one iteration of a loop overwrite cells that an earlier iteration's reverse reads?

`x[t + 1] = f(x[t])` never does: what iteration t overwrites, x[t + 1], no earlier iteration has read. A store like that needs no saved
value on account of the loop. Cells are compared axis by axis, through bounds of their indices that are linear in the loop variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from s2sgrad import ir
from s2sgrad.analysis import effects
from s2sgrad.analysis.linear import Atom, Atoms, Linear, linear, lone
from s2sgrad.transform.setting import Record, Setting

Axes = tuple[Any, ...]  # an index, one item per axis; None: more than one position
Access = tuple[Axes, list[ir.For]]  # an index and the loops around it


@dataclass(frozen=True)
class Span:
    """What a loop variable runs over: low <= var <= high, upwards or downwards."""

    var: Atom
    low: Linear
    high: Linear
    up: bool


class Carried:
    """Answers for the loops of one function."""

    def __init__(self, st: Setting, records: dict[int, Record], again: dict[int, list[ir.Assign]]) -> None:
        self.st, self.records = st, records
        self.recomputed = {id(s) for found in again.values() for s in found}
        self.atoms = Atoms()
        self.spans: dict[int, Span | None] = {}
        self.around: dict[int, list[ir.For]] = {}
        self._nest(st.function.body, [])
        self.answers: dict[tuple[int, str], bool] = {}

    def _nest(self, body: Sequence[ir.Stmt], outer: list[ir.For]) -> None:
        for s in body:
            self.around[id(s)] = outer
            for b in ir.blocks(s):
                self._nest(b, [*outer, s] if isinstance(s, ir.For) else outer)

    def beside(self, s: ir.Stmt, cls: str) -> bool:
        """Does a store write another cell than those that its own reverse reads?"""
        if not isinstance(s, (ir.Store, ir.Accum)) or not s.index:
            return False
        written = self._axes(s.index)
        around = self.spans_of(self.around[id(s)])
        for u in ir.walk_stmts(self.records[id(s)].adjoint):
            for e in (*ir.exprs(u), *((u.index or ()) if isinstance(u, (ir.Store, ir.Accum)) else ())):
                for name, axes in self._uses(e, cls):
                    if name != s.base.name or axes is None or not any(
                            a is not None and b is not None and self._different(a, b, around) for a, b in zip(written, axes, strict=False)):
                        return False
        return True

    def _different(self, written: ir.Expr, read: ir.Expr, around: list[Span]) -> bool:
        w, r = self.form(written), self.form(read)
        if any(isinstance(x, ir.Index) for e in (written, read) for x in ir.walk(e)) or not (positive(w, around) and positive(r, around)):
            return False
        return positive((w - r).plus(-1), around) or positive((r - w).plus(-1), around)

    def free(self, s: ir.For | ir.While, cls: str) -> bool:
        """Are the cells of a memory class that an iteration writes different from all that the reverses of earlier iterations read?"""
        if (id(s), cls) not in self.answers:
            self.answers[(id(s), cls)] = isinstance(s, ir.For) and self._free(s, cls)
        return self.answers[(id(s), cls)]

    def _free(self, s: ir.For, cls: str) -> bool:
        span = self._span(s)
        found = self._accesses(s, cls) if span is not None else None
        if span is None or found is None:
            return False
        reads, writes, inner = found
        changed = {n for k, n in self.st.scopes.writes[id(s.body)] if k in ("s", "b")} | inner
        sight = _Sight(self, span, self.spans_of(self.around[id(s)]), len(self.around[id(s)]) + 1, changed)
        return all(sight.apart(w, r) for w in writes for r in reads)

    def spans_of(self, nest: Sequence[ir.For]) -> list[Span]:
        return [x for x in (self._span(t) for t in nest) if x is not None]

    def _span(self, s: ir.For) -> Span | None:
        """The range of a loop, if what it is made of stays as it is in the body."""
        if id(s) not in self.spans:
            self.spans[id(s)] = None
            if isinstance(s.step, ir.Const) and s.step.value != 0:
                start, stop = self.form(s.start), self.form(s.stop)
                up = s.step.value > 0
                changed = {n for k, n in self.st.scopes.writes[id(s.body)] if k in ("s", "b")}
                if not (start.names() | stop.names()) & (changed | {s.var.name}) and not any(
                        isinstance(x, ir.Index) for e in (s.start, s.stop) for x in ir.walk(e)):
                    self.spans[id(s)] = Span(self.atoms[s.var], *((start, stop.plus(-1)) if up else (stop.plus(1), start)), up)
        return self.spans[id(s)]

    def form(self, e: ir.Expr) -> Linear:
        return linear(e, lambda x: lone(self.atoms[x]))

    # ---------------------------------------------------------------------------------------------- accesses

    def _accesses(self, s: ir.For, cls: str) -> tuple[list[Access], list[Access], set[str]] | None:
        """(read by reverses, written, variables of the loops inside), or None where that is other than by index through one name."""
        names: set[str] = set()
        reads: list[Access] = []
        writes: list[Access] = []
        inner: set[str] = set()
        for t in ir.walk_stmts(s.body):
            if isinstance(t, ir.For):
                inner.add(t.var.name)
            if isinstance(t, (ir.Custom, ir.Recompute, ir.CallFn)) or any(self._in(v, cls) for v in ir.assigned(t) if not isinstance(v.type, ir.Scalar)):
                return None
            for kind in ("list", "buffer"):
                if self._in(getattr(t, kind, None), cls):
                    return None
            if isinstance(t, (ir.Store, ir.Accum)) and t.index is not None and self._in(t.base, cls):
                names.add(t.base.name)
                writes.append((self._axes(t.index), self.around[id(t)]))
            for e in self._read_again(t):
                for name, axes in self._uses(e, cls):
                    if axes is None:
                        return None
                    names.add(name)
                    reads.append((axes, self.around[id(t)]))
        return (reads, writes, inner) if len(names) == 1 else None

    def _read_again(self, t: ir.Stmt) -> Iterator[Any]:
        """What the reverse of a statement evaluates."""
        if isinstance(t, (ir.If, ir.For, ir.While)):
            yield from ir.exprs(t)
        elif isinstance(t, (ir.Store, ir.Accum)):
            yield from t.index or ()
        elif id(t) in self.recomputed:
            yield from ir.exprs(t)
        record = self.records.get(id(t), Record())
        for u in ir.walk_stmts([*record.before, *record.adjoint]):
            yield from ir.exprs(u)
            if isinstance(u, (ir.Store, ir.Accum)):
                yield from u.index or ()

    def _in(self, v: Any, cls: str) -> bool:
        return isinstance(v, ir.Var) and self.st.classes.get(v.name) == cls

    def _uses(self, e: Any, cls: str) -> Iterator[tuple[str, Axes | None]]:
        """(name, index) of every use of the class in an expression; None: the whole array."""
        if isinstance(e, ir.Var):
            if self._in(e, cls):
                yield e.name, None
        elif isinstance(e, ir.Index) and self._in(e.base, cls):
            assert isinstance(e.base, ir.Var)
            yield e.base.name, self._axes(e.index)
            for i in e.index:
                yield from self._uses(i, cls)
        elif isinstance(e, ir.Call):
            only = effects.SHAPE_ONLY.get(e.op, ())
            for k, a in enumerate(e.args):
                if not (k in only and isinstance(a, ir.Var)):
                    yield from self._uses(a, cls)
        else:
            for x in ir.children(e):
                yield from self._uses(x, cls)

    def _axes(self, index: Sequence[Any]) -> Axes:
        out: list[Any] = []
        for i in index:
            if isinstance(i, ir.NewAxis):
                continue
            if isinstance(i, ir.Expr) and ir.is_array(i.type):
                out += [None] * (i.ndim if i.type.dtype == "bool" else 1)
            else:
                out.append(i if isinstance(i, ir.Expr) else None)
        return tuple(out)


@dataclass
class _Sight:
    """One loop: its own variable, the loops around it, their number (its own included), and the names whose values change in it."""

    carried: Carried
    own: Span
    outer: list[Span]
    depth: int
    changed: set[str]

    def apart(self, w: Access, r: Access) -> bool:
        """Is the cell written now different from the cell touched in an earlier iteration?"""
        return any(self._apart(a, w[1], b, r[1]) for a, b in zip(w[0], r[0], strict=False) if a is not None and b is not None)

    def _apart(self, written: ir.Expr, around_w: list[ir.For], read: ir.Expr, around_r: list[ir.For]) -> bool:
        if any(isinstance(x, ir.Index) for e in (written, read) for x in ir.walk(e)):
            return False
        w_low, w_high = (self._bound(written, around_w, upper) for upper in (False, True))
        r_low, r_high = (self._bound(read, around_r, upper) for upper in (False, True))
        if w_low is None or w_high is None or r_low is None or r_high is None:
            return False
        nest = [*self.outer, self.own]
        if not (positive(w_low, nest) and positive(r_low, nest)):  # negative indices count from the end
            return False
        return positive((w_low - self._earlier(r_high, True)).plus(-1), nest) or positive((self._earlier(r_low, False) - w_high).plus(-1), nest)

    def _bound(self, e: ir.Expr, around: list[ir.For], upper: bool) -> Linear | None:
        """A bound of an index in terms of what the loop leaves alone and its own variable."""
        form = self.carried.form(e)
        for span in reversed(self.carried.spans_of(around[self.depth:])):
            c = form.coefficient(span.var)
            form = form.replaced(span.var, span.high if (c > 0) == upper else span.low)
        steady = not form.names() & self.changed and all(a is self.own.var or not a.names & self.own.var.names for a, _ in form.terms)
        return form if steady else None

    def _earlier(self, form: Linear, largest: bool) -> Linear:
        """The largest (smallest) value that a form has in an iteration before the current one."""
        c = form.coefficient(self.own.var)
        previous = lone(self.own.var).plus(-1 if self.own.up else 1)
        first = self.own.low if self.own.up else self.own.high
        return form.replaced(self.own.var, previous if ((c > 0) == largest) == self.own.up else first)


def positive(form: Linear, nest: Sequence[Span]) -> bool:
    """Is the form not negative, whatever the loop variables (outer loops first) are?"""
    for span in reversed(nest):
        c = form.coefficient(span.var)
        form = form.replaced(span.var, span.low if c > 0 else span.high)
    return form.const >= 0 and not form.terms
