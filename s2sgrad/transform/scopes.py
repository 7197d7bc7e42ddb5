"""Where variables live: the innermost block a variable is local to, and what can be recomputed at a block's end.

The reverse sweep visits a block backwards, so "at the start of the reversed block" means: in the state at the
block's end. A variable that is local to a block is dead there, hence its adjoint starts at zero there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from s2sgrad import ir
from s2sgrad.analysis import effects
from s2sgrad.analysis.effects import Fact

Block = list[ir.Stmt]

CHEAP = frozenset({"add", "sub", "mul", "div", "neg", "pos", "dim", "size", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not",
                   "pyfloat", "pyint", "pybool", "astype", "abs", "square", "minimum", "maximum", "pymax", "pymin", "ifexp", "pow", "sqrt", "item", "len",
                   "transpose", "reshape", "expand_dims", "squeeze", "broadcast_to", "diagonal", "real_view", "imag_view", "floor", "sin", "cos", "exp",
                   "log", "tanh", "real", "imag", "conj", "sign", "reciprocal", "logical_not", "logical_and", "logical_or", "isnan", "isfinite"})


def subblocks(s: ir.Stmt) -> list[Block]:
    """The blocks that the sweeps run (a custom gradient's own reverse body is not one of them)."""
    return [s.body] if isinstance(s, ir.Custom) else ir.blocks(s)


def mentions(s: ir.Stmt) -> set[str]:
    """Every name in a statement, nested ones included."""
    out: set[str] = set()
    for t in ir.walk_stmts([s]):
        out |= own_mentions(t)
    return out


def own_mentions(s: ir.Stmt) -> set[str]:
    """Names in a statement itself: its expressions, targets and bases."""
    out = {v.name for v in ir.assigned(s)}
    for e in ir.exprs(s):
        out |= ir.names_in(e)
    if isinstance(s, (ir.Store, ir.Accum)):
        out.add(s.base.name)
    elif isinstance(s, (ir.Append, ir.Pop)):
        out.add(s.list.name)
    elif isinstance(s, ir.Reserve):
        out.add(s.buffer.name)
    elif isinstance(s, ir.Custom):
        out |= {v.name for v in (*s.inputs, *s.outputs, *s.seeds)}
    elif isinstance(s, (ir.For, ir.While)) and s.exit is not None:
        out.add(s.exit.name)
    return out


def defines(s: ir.Stmt, name: str) -> bool:
    """Does this statement itself give the variable a new value without reading the old one?"""
    if not any(v.name == name for v in ir.assigned(s)) or isinstance(s, (ir.Accum, ir.For)):
        return False
    return not any(name in ir.names_in(e) for e in ir.exprs(s)) and not (isinstance(s, ir.Custom))


class Scopes:
    """Scopes of one function."""

    def __init__(self, function: ir.Function, classes: Mapping[str, str], pinned: set[str]) -> None:
        self.classes = classes
        self.root: Block = function.body
        self.params = {p.name for p in function.params}
        self.bindings: Counter[str] = Counter(p.name for p in function.params)
        self.writes: dict[int, set[Fact]] = {}
        self.depth: dict[int, int] = {}  # loops around a block
        self.home: dict[str, Block] = {}  # innermost block a name is local to
        self.position: dict[int, int] = {}
        self._index(function.body, 0)
        for s in ir.walk_stmts(function.body):
            for v in ir.assigned(s):
                self.bindings[v.name] += 1
        for name in self.params | pinned:
            self.home[name] = self.root
        self._descend(self.root, {n for s in self.root for n in self._names[id(s)]} - self.home.keys())

    def _index(self, block: Block, depth: int) -> None:
        self.depth[id(block)] = depth
        self.writes[id(block)] = effects.block_writes(block, self.classes)
        for s in block:
            self.position[id(s)] = len(self.position)
            inner = depth + isinstance(s, (ir.For, ir.While))
            for b in subblocks(s):
                self._index(b, inner)
        if depth == 0 and block is self.root:
            self._names = {id(s): mentions(s) for s in ir.walk_stmts(block)}

    def _descend(self, block: Block, names: set[str]) -> None:
        """Place each of `names`, all of whose mentions lie in `block`."""
        where: dict[str, list[ir.Stmt]] = defaultdict(list)
        for s in block:
            for n in self._names[id(s)] & names:
                where[n].append(s)
        inner: dict[int, tuple[Block, set[str]]] = {}
        for n, users in where.items():
            target = self._inner(users[0], n) if len(users) == 1 else None
            if target is None:
                self.home[n] = block
            else:
                inner.setdefault(id(target), (target, set()))[1].add(n)
        for b, group in inner.values():
            self._descend(b, group)

    def _inner(self, s: ir.Stmt, name: str) -> Block | None:
        """The one sub-block of `s` that has all mentions of a name and does not carry it around a loop."""
        if name in own_mentions(s) or isinstance(s, (ir.Custom, ir.Recompute)):
            return None
        having = [b for b in subblocks(s) if any(name in self._names[id(t)] for t in b)]
        if len(having) != 1:
            return None
        first = next(t for t in having[0] if name in self._names[id(t)])
        if isinstance(s, (ir.For, ir.While)) and not defines(first, name):
            # a deeper block may still define it before every use
            return having[0] if self._defined_below(first, name) else None
        return having[0]

    def _defined_below(self, s: ir.Stmt, name: str) -> bool:
        if defines(s, name):
            return True
        if name in own_mentions(s) or not isinstance(s, (ir.If, ir.For, ir.While)):
            return False
        having = [b for b in subblocks(s) if any(name in self._names[id(t)] for t in b)]
        if len(having) != 1:
            return False
        return self._defined_below(next(t for t in having[0] if name in self._names[id(t)]), name)

    def local_definition(self, s: ir.Stmt, block: Block) -> bool:
        """Is `s` (a direct child of `block`) the only binding of its target, before every other mention?"""
        if not isinstance(s, ir.Assign):
            return False
        n = s.target.name
        if self.bindings[n] != 1 or n in self.params or n in ir.names_in(s.value):
            return False
        return self.home.get(n) is block and next(t for t in block if n in self._names[id(t)]) is s

    def defined_once_in(self, s: ir.Stmt, block: Block) -> bool:
        """Is `s` the only assignment of its scalar target in `block`, before every other mention there?"""
        if not isinstance(s, ir.Assign):
            return False
        n = s.target.name
        if n in ir.names_in(s.value):
            return False
        users = [t for t in block if n in self._names[id(t)]]
        if users[0] is not s:
            return False
        fact = ("s" if isinstance(s.target.type, ir.Scalar) else "b", n)
        return not any(fact in effects.statement_writes(t, self.classes) for u in users[1:] for t in ir.walk_stmts([u]))

    def recomputable(self, block: Block) -> dict[str, ir.Assign]:
        """Scalars and views of this block whose defining expression has the same value at the block's end."""
        out: dict[str, ir.Assign] = {}
        written = self.writes[id(block)]
        for s in block:
            if not (isinstance(s, ir.Assign) and self.defined_once_in(s, block)):
                continue
            if not isinstance(s.target.type, ir.Scalar) and not ir.is_alias(s.value):
                continue
            if not self._cheap(s.value):
                continue
            changed = {f for f in effects.reads(s.value, self.classes) if f in written}
            if all(f[0] in "sb" and f[1] in out for f in changed):
                out[s.target.name] = s
        return out

    def _cheap(self, e: Any) -> bool:
        for x in ir.walk(e):
            if isinstance(x, ir.Call) and x.op not in CHEAP:
                return False
            if isinstance(x, ir.Index) and x.kind == "gather":
                return False
            if isinstance(x, ir.Call) and not isinstance(x.type, ir.Scalar) and x.op not in ir.VIEW_OPS and x.op != "item":
                return False
        return True


def order(assigns: Sequence[ir.Stmt], scopes: Scopes) -> list[ir.Stmt]:
    """In program order."""
    return sorted(assigns, key=lambda s: scopes.position[id(s)])
