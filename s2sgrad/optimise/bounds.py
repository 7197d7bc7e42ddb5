"""Checks of single indices: compiled code reads and writes what Python would, or raises IndexError as Python does.

numba does not check `x[i]`. Here every access of the user's arrays by a single index is proven to be inside, or checked: before the
loops around it where the first and the last iteration tell for all of them, else where it stands. Accesses that an array statement was
turned into are inside by construction; accesses of the reverse sweep repeat those of the forward sweep.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from s2sgrad import ir
from s2sgrad.analysis.linear import Atom, Atoms, Linear, at_least, linear, lone
from s2sgrad.analysis.reads import count_writes
from s2sgrad.ir import Call, Const, Expr, For, Function, If, Index, Stmt, Var, While
from s2sgrad.optimise.affine import plus
from s2sgrad.optimise.shapes import bound_names, dim

NEGATED = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
FRESH = {"zeros": 0, "ones": 0, "empty": 0, "full": 1, "broadcast_to": 1}  # the first extent among the arguments
ALIKE = frozenset({"copy", "zeros_like", "ones_like", "empty_like", "full_like", "ascontiguous"})


@dataclass
class Check:
    """Raise before `anchor` (in the list `home`) where `wrong >= 0`, all `guards >= 0` and `when`."""

    wrong: Linear
    base: str
    axis: int
    home: list[Stmt]
    anchor: Stmt
    guards: tuple[Linear, ...] = ()
    when: Expr | None = None

    def names(self) -> set[str]:
        return self.wrong.names().union(*(g.names() for g in self.guards))


@dataclass(frozen=True)
class Range:
    """The values of a loop variable: low <= var <= high, taken where `nonempty >= 0`."""

    var: Atom
    low: Linear
    high: Linear
    nonempty: Linear


def check_indices(f: Function, body: Sequence[Stmt]) -> list[Stmt]:
    """The body of a lowered function with its single indices checked."""
    return _Bounds(f, body).run(body)


class _Bounds:
    """A walk in program order with what is known so far: `facts` are forms that are not negative here, `known` the forms of integers
    that are assigned once, `extents` those of arrays that are bound once, `loops` the ranges of the open loops."""

    def __init__(self, f: Function, body: Sequence[Stmt]) -> None:
        self.writes = count_writes(replace(f, body=list(body)))
        self.atoms = Atoms()
        self.loops: list[Range] = []
        self.facts: list[Linear] = []
        self.known: dict[str, Linear] = {}
        self.extents: dict[tuple[str, int], Linear] = {}
        self.seen: set[tuple[str, tuple[Any, ...]]] = set()
        self.reverse = False
        self.adjoint_of, self.stores = f.adjoint_of, f.stores
        self.counting = counting(body, f.stores)
        self.inside_by_construction = positions(body)
        self.buffers = {s.target.name for s in ir.walk_stmts(body) if isinstance(s, ir.Assign) and isinstance(s.value, Call) and s.value.op == "reserve"}

    def run(self, body: Sequence[Stmt]) -> list[Stmt]:
        out, pending = self.block(body, top=True)
        self.settle(pending)
        return out

    # ------------------------------------------------------------------------------------------- statements

    def block(self, body: Sequence[Stmt], more: Iterable[Linear] = (), top: bool = False) -> tuple[list[Stmt], list[Check]]:
        """(the statements, the checks that every run of the block needs)."""
        facts, known, extents = list(self.facts), dict(self.known), dict(self.extents)
        self.facts += more
        out: list[Stmt] = []
        pending: list[Check] = []
        for s in body:
            if top and isinstance(s, ir.Comment) and s.text == "reverse sweep":
                self.reverse = True
            pending += self.statement(s, out)
        self.facts, self.known, self.extents = facts, known, extents
        return out, pending

    def statement(self, s: Stmt, out: list[Stmt]) -> list[Check]:
        if isinstance(s, If):
            return self.on_if(s, out)
        if isinstance(s, While):
            return self.on_while(s, out)
        if isinstance(s, For):
            return self.on_for(s, out)
        new = s
        if isinstance(s, ir.Recompute):
            inner, below = self.block(s.body)
            self.settle(below)
            new = replace(s, body=inner)
        checks = self.checks(s, new, out)
        out.append(new)
        self.forget(bound_names([s]))
        if isinstance(s, ir.Assign):
            self.learn(s)
        return checks

    def on_if(self, s: If, out: list[Stmt]) -> list[Check]:
        new = replace(s)
        checks = self.checks(s, new, out)
        for field, holds in (("body", True), ("orelse", False)):
            inner, below = self.block(getattr(s, field), self.conditions(s.cond, holds))
            self.settle(below)
            setattr(new, field, inner)
        out.append(new)
        self.forget(bound_names([s]))
        return checks

    def on_while(self, s: While, out: list[Stmt]) -> list[Check]:
        self.forget(bound_names([s]))
        new = replace(s)
        checks = self.checks(s, new, out)
        inner, below = self.block(s.body, self.conditions(s.cond, True))
        end = ir.Comment("end")
        inner.append(end)
        again = [replace(c, home=inner, anchor=end, when=_and(c.when, ir.call("not", s.exit) if s.exit is not None else None)) for c in checks]
        self.settle([*below, *again])
        inner.remove(end)
        new.body = inner
        out.append(new)
        self.forget(bound_names([s]))
        return checks

    def on_for(self, s: For, out: list[Stmt]) -> list[Check]:
        new = replace(s)
        checks = self.checks(s, new, out)
        written = bound_names(s.body)
        r = self.range(s)
        self.forget(written | {s.var.name})
        steady = r is not None and not (r.low + r.high + r.nonempty).names() & (written | {s.var.name})
        if r is not None and steady:
            self.loops.append(r)
        inner, below = self.block(s.body, [r.nonempty] if r is not None and steady else [])
        if r is not None and steady:
            self.loops.pop()
        closed = any(isinstance(t, (ir.Raise, ir.CallFn, ir.Print)) for t in ir.walk_stmts(s.body))
        stay: list[Check] = []
        for c in below:
            moved = self.outside(c, s, r, written) if r is not None and steady and not closed and c.when is None else None
            if moved is None:
                stay.append(c)
            elif not self.proven(-moved.wrong.plus(1)):
                checks.append(replace(moved, home=out, anchor=new))
                if not moved.guards:
                    self.facts.append(-moved.wrong.plus(1))
        self.settle(stay)
        new.body = inner
        out.append(new)
        return checks

    def outside(self, c: Check, s: For, r: Range, written: set[str]) -> Check | None:
        """The check of the iteration that decides for all of them, if there is one."""
        atoms = [a for form in (c.wrong, *c.guards) for a, _ in form.terms]
        if c.names() & written or any(a is not r.var and s.var.name in a.names for a in atoms):
            return None
        if any(isinstance(x, Index) for a in atoms for x in ir.walk(a.expr)):
            return None
        signs = {k > 0 for k in (form.coefficient(r.var) for form in (c.wrong, *c.guards)) if k}
        if len(signs) > 1 or (signs and s.exit is not None):
            return None
        end = r.high if True in signs else r.low
        guards = tuple(g for g in dict.fromkeys((*(g.replaced(r.var, end) for g in c.guards), r.nonempty)) if not self.proven(g))
        return replace(c, wrong=c.wrong.replaced(r.var, end), guards=guards)

    def settle(self, checks: Sequence[Check]) -> None:
        """Write the checks where they stand; of several of one kind the strictest is enough."""
        strictest: dict[Any, Check] = {}
        for c in checks:
            key = (id(c.home), id(c.anchor), c.wrong.terms, c.guards, c.when)
            if key not in strictest or strictest[key].wrong.const < c.wrong.const:
                strictest[key] = c
        for c in strictest.values():
            cond = c.when
            for g in (*(g for g in c.guards if not self.follows(g, c.wrong)), c.wrong):
                cond = _and(cond, at_least(g))
            assert cond is not None
            text = f"index is out of bounds for axis {c.axis} of {c.base}"
            at = next(k for k, t in enumerate(c.home) if t is c.anchor)
            place = c.anchor.place
            c.home.insert(at, If(cond, [ir.Raise(IndexError, [text], place=place)], place=place))

    def follows(self, guard: Linear, wrong: Linear) -> bool:
        """Is the guard not negative where `wrong` is not?"""
        return self.positive(guard - wrong, 1)

    # ---------------------------------------------------------------------------------------------- accesses

    def checks(self, s: Stmt, anchor: Stmt, home: list[Stmt]) -> list[Check]:
        """The checks of the accesses that a statement makes itself."""
        out: list[Check] = []
        for base, index, when in self.accesses(s):
            key = (self.adjoint_of.get(base.name, base.name) if isinstance(base, Var) else str(base), index)
            if self.reverse and key in self.seen:
                continue
            self.seen.add(key)
            axis = 0
            for i in index:
                if isinstance(i, ir.NewAxis):
                    continue
                if isinstance(i, Expr) and isinstance(i.type, ir.Scalar) and not ir.names_in(i) & self.inside_by_construction:
                    out += self.required(base, axis, i, when, anchor, home)
                axis += i.ndim if isinstance(i, Expr) and ir.is_array(i.type) and i.type.dtype == "bool" else 1
        return out

    def required(self, base: Expr, axis: int, i: Expr, when: Expr | None, anchor: Stmt, home: list[Stmt]) -> Iterator[Check]:
        """`-extent <= i < extent`."""
        e, n = self.form(i), self.form(dim(base, axis))
        facts = list(self.facts)
        if when is not None:
            self.facts += self.conditions(when, True)
        wrongs = [e - n] if self.proven(e) else [e - n, -n - e.plus(1)]
        wrongs = [w for w in wrongs if not self.proven(-w.plus(1))]
        self.facts = facts
        root = ir.root(base)
        for w in wrongs:
            if when is None:
                self.facts.append(-w.plus(1))
            name = self.adjoint_of.get(root.name, root.name).partition("#")[0] if root is not None else "an array"
            yield Check(w, name, axis, home, anchor, when=when)

    def accesses(self, s: Stmt) -> Iterator[tuple[Expr, tuple[Any, ...], Expr | None]]:
        """(array, index, condition) of every access by index that a statement makes itself, inner ones first."""
        for e in ir.exprs(s):
            yield from self.inside(e, None)
        if isinstance(s, (ir.Store, ir.Accum)) and s.index and self.mine(s.base):
            yield s.base, s.index, None

    def inside(self, e: Any, when: Expr | None) -> Iterator[tuple[Expr, tuple[Any, ...], Expr | None]]:
        if isinstance(e, Call) and e.op in ir.LAZY and isinstance(e.args[0].type, ir.Scalar):
            yield from self.inside(e.args[0], when)
            first = e.args[0] if e.op != "or" else ir.call("not", e.args[0])
            if e.op == "ifexp":
                yield from self.inside(e.args[1], _and(when, first))
                yield from self.inside(e.args[2], _and(when, ir.call("not", first)))
                return
            for a in e.args[1:]:
                when = _and(when, first)
                yield from self.inside(a, when)
                first = a if e.op == "and" else ir.call("not", a)
            return
        for x in ir.children(e):
            yield from self.inside(x, when)
        if isinstance(e, Index) and self.mine(e.base):
            yield e.base, e.index, when

    def mine(self, base: Expr) -> bool:
        """Is this an array of the user's (or its adjoint), not one that holds saved values?"""
        root = ir.root(base)
        if root is None or root.name in self.buffers | self.stores:
            return False
        return not any(isinstance(x, Call) and x.op == "item" for x in ir.walk(base))

    # ------------------------------------------------------------------------------------------------- facts

    def form(self, e: Expr) -> Linear:
        return linear(e, self.atom)

    def atom(self, e: Expr) -> Linear:
        if isinstance(e, Var):
            return self.known.get(e.name, lone(self.atoms[e]))
        if isinstance(e, Call):
            if e.op == "size" and e.args[0].ndim == 1:
                e = dim(e.args[0], 0)
                assert isinstance(e, Call)
            if e.op == "dim" and isinstance(e.args[0], Var):
                return self.extents.get((e.args[0].name, e.attr("axis")), lone(self.atoms[e]))
            if e.op == "pymax" and isinstance(e.args[1], Const) and self.proven(self.form(e.args[0]).plus(-e.args[1].value)):
                return self.form(e.args[0])
        return lone(self.atoms[e])

    def learn(self, s: ir.Assign) -> None:
        """What a definition says, if it is the only one and made of what does not change."""
        if self.writes.get(s.target.name) != 1 or isinstance(s.target.type, ir.ListType):
            return
        if isinstance(s.target.type, ir.Scalar):
            if s.target.type.dtype.startswith("int") and s.value.type.dtype.startswith("int"):
                form = self.form(s.value)
                if self.stable(form):
                    self.known[s.target.name] = form
            return
        for axis, form in enumerate(self.shape(s.value)):
            if self.stable(form):
                self.extents[(s.target.name, axis)] = form

    def shape(self, e: Expr) -> list[Linear]:
        if isinstance(e, Call) and e.op in ALIKE:
            e = e.args[0]
        if isinstance(e, Var):
            return [self.form(dim(e, k)) for k in range(e.ndim)]
        if isinstance(e, Call) and e.op in FRESH:
            return [self.form(a) for a in e.args[FRESH[e.op]:]]
        return []

    def stable(self, form: Linear) -> bool:
        """Does the form stay the same as long as the names in it are in scope?"""
        open_ = {n for r in self.loops for n in r.var.names}
        return all(n in open_ or self.writes.get(n, 0) == 1 for n in form.names()) and not any(
            isinstance(x, Index) for a, _ in form.terms for x in ir.walk(a.expr))

    def forget(self, names: set[str]) -> None:
        """These are assigned."""
        if names:
            self.facts = [f for f in self.facts if not f.names() & names]

    def range(self, s: For) -> Range | None:
        if not isinstance(s.step, Const) or s.step.value == 0:
            return None
        start, stop, k = self.form(s.start), self.form(s.stop), s.step.value
        span = (stop - start if k > 0 else start - stop).plus(-1)  # not negative where there is an iteration
        if abs(k) == 1:
            last = stop.plus(-k)
        else:
            trips = ir.call("floordiv", ir.call("sub", ir.call("sub", s.stop, s.start) if k > 0 else ir.call("sub", s.start, s.stop), 1), abs(k))
            last = start + lone(self.atoms[trips]).scaled(k)
        return Range(self.atoms[s.var], *((start, last) if k > 0 else (last, start)), span)

    def conditions(self, cond: Expr, holds: bool) -> list[Linear]:
        """Forms that are not negative where a condition holds (or does not)."""
        if not isinstance(cond, Call):
            return []
        if cond.op == "not":
            return self.conditions(cond.args[0], not holds)
        if cond.op == ("and" if holds else "or"):
            return [f for a in cond.args for f in self.conditions(a, holds)]
        op = cond.op if holds else NEGATED.get(cond.op, "")
        if op not in NEGATED or not all(isinstance(a.type, ir.Scalar) and a.type.dtype.startswith("int") for a in cond.args):
            return []
        if any(isinstance(x, Index) for a in cond.args for x in ir.walk(a)):
            return []
        a, b = (self.form(x) for x in cond.args)
        return {"lt": [(b - a).plus(-1)], "le": [b - a], "gt": [(a - b).plus(-1)], "ge": [a - b], "eq": [a - b, b - a], "ne": []}[op]

    # ------------------------------------------------------------------------------------------------ proofs

    def proven(self, form: Linear, depth: int = 2) -> bool:
        """Is the form not negative here?"""
        if self.positive(form, depth):
            return True
        if depth < 1:
            return False
        near = [f for f in self.facts if not f.names().isdisjoint(form.names())]
        return any(self.positive(form - f, depth) for f in near) or any(self.positive(form - f - g, 0) for f, g in combinations(near[-8:], 2))

    def positive(self, form: Linear, depth: int) -> bool:
        """Are all terms not negative, with every loop variable at its worse end?"""
        for r in reversed(self.loops):
            c = form.coefficient(r.var)
            form = form.replaced(r.var, r.low if c > 0 else r.high)
        if form.const >= 0 and all(c > 0 for _, c in form.terms) and all(self.natural(a, depth) for a, _ in form.terms):
            return True
        return depth > 0 and any(self.positive(better, depth - 1) for better in self.estimates(form, depth))

    def natural(self, atom: Atom, depth: int) -> bool:
        """Can this number not be negative?"""
        a = atom.expr
        if isinstance(a, Call) and a.op in ("dim", "size", "len", "abs"):
            return True
        if isinstance(a, Call) and a.op == "pymax":
            return any(isinstance(x, Const) and x.value >= 0 for x in a.args)
        if isinstance(a, Call) and a.op in ("mod", "floordiv") and depth > 0:
            return self.divides(a.args[1], depth - 1) and (a.op == "mod" or self.proven(self.form(a.args[0]), depth - 1))
        return (isinstance(a, Var) and a.name in self.counting) or lone(atom) in self.facts

    def divides(self, e: Expr, depth: int) -> bool:
        """Is this divisor positive? (A checked one is not zero.)"""
        return self.proven(self.form(e).plus(0 if isinstance(e, Call) and e.op == "nonzero_divisor" else -1), depth)

    def estimates(self, form: Linear, depth: int) -> Iterator[Linear]:
        """Forms that are not larger."""
        for atom, c in form.terms:
            a = atom.expr
            if not isinstance(a, Call) or len(a.args) != 2:
                continue
            if a.op == "mod" and c < 0 and self.divides(a.args[1], depth - 1):
                yield form.replaced(atom, self.form(a.args[1]).plus(-1))
            elif a.op == "floordiv" and c < 0 and isinstance(a.args[1], Const) and a.args[1].value > 0 and self.proven(self.form(a.args[0]), depth - 1):
                yield form.replaced(atom, self.form(a.args[0]))
            elif a.op == ("pymin" if c < 0 else "pymax"):
                yield from (form.replaced(atom, self.form(x)) for x in a.args)


def positions(body: Sequence[Stmt]) -> set[str]:
    """Variables of the lowering that hold positions: counters of its own loops, indices that were wrapped, entries of its tables."""
    out: set[str] = set()
    for s in ir.walk_stmts(body):
        if isinstance(s, For) and "#L" in s.var.name:
            out.add(s.var.name)
        elif isinstance(s, ir.Assign) and "#L" in s.target.name:
            if any((isinstance(x, Call) and x.op == "wrap_index") or isinstance(x, Index) for x in ir.walk(s.value)):
                out.add(s.target.name)
    return out


def counting(body: Sequence[Stmt], stores: set[str]) -> set[str]:
    """The integer variables that are never negative: all they are assigned is made of such variables, extents and positive constants."""
    given: dict[str, list[Expr]] = {}
    for s in ir.walk_stmts(body):
        if isinstance(s, For):
            up = isinstance(s.step, Const) and s.step.value > 0
            given.setdefault(s.var.name, []).append(s.start if up else plus(s.stop, 1))
            continue
        for v in ir.assigned(s):
            if isinstance(v.type, ir.Scalar) and v.type.dtype.startswith("int"):
                value = s.value if isinstance(s, (ir.Assign, ir.Accum)) else Const(-1, ir.INT)
                restored = isinstance(value, Index) and isinstance(value.base, Var) and value.base.name in stores
                given.setdefault(v.name, []).extend([] if restored else [value])
    out = set(given)

    def natural(e: Expr) -> bool:
        if isinstance(e, Const):
            return bool(e.value >= 0)
        if isinstance(e, Var):
            return e.name in out
        if not isinstance(e, Call):
            return False
        if e.op in ("dim", "size", "len", "abs"):
            return True
        if e.op == "pymax":
            return any(natural(a) for a in e.args)
        return e.op in ("add", "mul", "mod", "floordiv", "pyint", "pymin", "ifexp") and all(natural(a) for a in e.args[e.op == "ifexp":])

    while True:
        kept = {n for n in out if all(natural(e) for e in given[n])}
        if kept == out:
            return out
        out = kept


def _and(a: Expr | None, b: Expr | None) -> Expr | None:
    return ir.call("and", a, b) if a is not None and b is not None else a if a is not None else b
