"""What all parts of the reverse transform know about one function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from s2sgrad import ir
from s2sgrad.analysis import activity, effects
from s2sgrad.analysis.chosen import Chosen
from s2sgrad.analysis.shapes import Shapes
from s2sgrad.ir import Var
from s2sgrad.names import Names, names_of
from s2sgrad.transform.adjoint import Context
from s2sgrad.transform.normalise import normalise
from s2sgrad.transform.scopes import Block, Scopes, subblocks


@dataclass
class Record:
    """The reverse of one statement. `before` runs in the state after it, before anything is restored;
    `adjoint` runs in the state before it."""

    before: list[ir.Stmt] = field(default_factory=list)
    adjoint: list[ir.Stmt] = field(default_factory=list)


class Setting:
    """One function under reversal: names, memory classes, activity, scopes, adjoint variables."""

    def __init__(self, function: ir.Function, linked: dict[str, ir.Function], wrt: Sequence[str], results: Sequence[ir.Expr],
                 guard: bool = True) -> None:
        self.names = Names(names_of(function))
        note_kept(function, linked)
        self.function = normalise(function, self.names)
        self.linked = linked
        self.guard = guard
        self.classes = effects.memory_classes(self.function)
        self.params = {p.name: p for p in function.params}
        self.wrt = [self.params[n].var for n in wrt]
        self.active = activity.active_units(self.function, self.classes, self.wrt, results)
        self.active |= {activity.key(v, self.classes) for v in self.wrt}
        self.returned = {n for r in self.function.returns for n in ir.names_in(r)}
        self.scopes = Scopes(self.function, self.classes, self.returned)
        self.shapes = Shapes(self.function)
        self.chosen = Chosen(self.function, self.classes)
        self.bars: dict[str, Var] = {}
        self.eager = self._eager_classes()
        self.lazy_roots, self.views = self._placements()

    def bar(self, v: Var) -> Var:
        """The adjoint variable."""
        if v.name not in self.bars:
            self.bars[v.name] = Var(self.names.derived(v.name, "_bar"), v.type)
            self.shapes.known[self.bars[v.name].name] = () if isinstance(v.type, ir.ListType) else self.shapes.of(v)
        return self.bars[v.name]

    def context(self, place: ir.Place | None = None, target: Var | None = None) -> Context:
        """A context for the adjoint of one statement, which assigns or stores into `target`."""
        zero = target is not None and activity.key(target, self.classes) in self.chosen.zero
        return Context(self.active, self.classes, self.shapes, self.names, self.bar, self.guard, place, chosen=self.chosen, zero=zero)

    def is_active(self, v: Var) -> bool:
        return ir.is_inexact(v.type) and activity.key(v, self.classes) in self.active

    def is_eager(self, v: Var) -> bool:
        """Is the adjoint of this array made in the forward sweep, mirroring every binding?"""
        return self.classes.get(v.name) in self.eager

    def region_arrays(self, s: ir.Recompute) -> list[Var]:
        """Arrays with eager adjoints that a recomputed region binds."""
        found = {v.name: v for t in ir.walk_stmts(s.body) for v in ir.assigned(t)}
        return [v for v in found.values() if ir.is_array(v.type) and self.is_active(v) and self.is_eager(v)]

    def _array_definitions(self) -> dict[str, list[tuple[ir.Stmt, Block]]]:
        out: dict[str, list[tuple[ir.Stmt, Block]]] = {}

        def visit(block: Block) -> None:
            for s in block:
                for v in ir.assigned(s):
                    if not isinstance(v.type, ir.Scalar):
                        out.setdefault(v.name, []).append((s, block))
                for b in subblocks(s):
                    visit(b)

        visit(self.function.body)
        return out

    def _eager_classes(self) -> set[str]:
        """Active memory classes whose adjoints cannot be made at the start of a reversed block.

        They can when the class has one root (a parameter or one fresh array local to its block) and all other names are
        views, bound once, whose defining expression still means the same at their block's end.
        """
        self.definitions = self._array_definitions()
        members: dict[str, list[str]] = {}
        for n, c in self.classes.items():
            members.setdefault(c, []).append(n)
        eager = set()
        for c, names in members.items():
            if "m:" + c in self.active and not self._lazy(names):
                eager.add(c)
        return eager

    def _lazy(self, names: Iterable[str]) -> bool:
        roots = 0
        for n in names:
            found = self.definitions.get(n, [])
            if n in self.params:
                roots += 1
                if found:
                    return False
                continue
            if len(found) != 1:
                return False
            s, block = found[0]
            if isinstance(s, ir.Assign) and isinstance(s.target.type, ir.ListType):
                return False
            fresh = not (isinstance(s, ir.Assign) and ir.is_alias(s.value))
            if fresh:
                roots += 1
                if not self._local(s, n, block):
                    return False
            elif not (self.scopes.local_definition(s, block) and n in self.scopes.recomputable(block)):
                return False
        return roots <= 1

    def _local(self, s: ir.Stmt, name: str, block: Block) -> bool:
        """Is the fresh array bound by `s` mentioned nowhere outside `block` and never before `s`?"""
        if block is self.function.body:
            return True
        if isinstance(s, ir.Assign):
            return self.scopes.local_definition(s, block)
        return False

    def _placements(self) -> tuple[dict[int, list[ir.Stmt]], dict[int, list[ir.Assign]]]:
        """Per block: definitions of active fresh arrays (their adjoints start there) and of views."""
        roots: dict[int, list[ir.Stmt]] = {}
        views: dict[int, list[ir.Assign]] = {}
        for found in self.definitions.values():
            for s, block in found:
                target = next(v for v in ir.assigned(s) if not isinstance(v.type, ir.Scalar))
                if not self.is_active(target) or self.is_eager(target):
                    continue
                if isinstance(s, ir.Assign) and ir.is_alias(s.value):
                    views.setdefault(id(block), []).append(s)
                elif s not in roots.setdefault(id(block), []):
                    roots[id(block)].append(s)
        return roots, views


def note_kept(function: ir.Function, linked: dict[str, ir.Function]) -> None:
    """Say at each call of a linked function which arrays it leaves as they are."""
    for s in ir.walk_stmts(function.body):
        if isinstance(s, ir.CallFn) and (callee := linked.get(s.function)) is not None:
            s.kept = frozenset(k for k, p in enumerate(callee.params) if p.name not in callee.written)
