"""Names of the user's functions: which are local, which are shared with nested functions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import gast

from s2sgrad.frontend.values import Cell
from s2sgrad.ir import Var

SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda, gast.ClassDef)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


@dataclass
class Info:
    """What the text of one function says about its names."""

    params: tuple[str, ...]
    counts: Counter[str] = field(default_factory=Counter)  # bindings in the body (twice where in a loop)
    nonlocals: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    captured: set[str] = field(default_factory=set)  # read by nested functions
    shared: set[str] = field(default_factory=set)  # written by nested functions

    @property
    def locals(self) -> set[str]:
        return (set(self.params) | set(self.counts)) - self.nonlocals - self.globals


_infos: dict[int, tuple[Any, Info]] = {}


def info(node: Any) -> Info:
    """Cached `Info` of a FunctionDef or Lambda."""
    found = _infos.get(id(node))
    if found is None:
        found = _infos[id(node)] = node, _scan(node)
    return found[1]


def parameters(args: Any) -> tuple[str, ...]:
    names = [x.id for x in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    return tuple(names + [x.id for x in (args.vararg, args.kwarg) if x is not None])


def _scan(node: Any) -> Info:
    out = Info(parameters(node.args))
    for s in node.body if isinstance(node.body, list) else [node.body]:
        _visit(s, out, 1)
    return out


def _visit(n: Any, out: Info, weight: int) -> None:
    if isinstance(n, SCOPES):
        if not isinstance(n, gast.Lambda):
            out.counts[n.name] += weight
        _nested(n, out)
        return
    if isinstance(n, gast.Global):
        out.globals.update(n.names)
    elif isinstance(n, gast.Nonlocal):
        out.nonlocals.update(n.names)
    elif isinstance(n, gast.Import | gast.ImportFrom):
        for a in n.names:
            out.counts[a.asname or a.name.split(".")[0]] += weight
    elif isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store | gast.Del):
        out.counts[n.id] += weight
    elif isinstance(n, gast.MatchAs | gast.MatchStar) and n.name:
        out.counts[n.name] += weight
    elif isinstance(n, gast.MatchMapping) and n.rest:
        out.counts[n.rest] += weight
    elif isinstance(n, COMPREHENSIONS):
        targets = {x.id for g in n.generators for x in gast.walk(g.target) if isinstance(x, gast.Name)}
        inner = Info(())
        for c in gast.iter_child_nodes(n):
            _visit(c, inner, 2)
        for name, k in inner.counts.items():
            if name not in targets:
                out.counts[name] += k
        out.captured |= {x.id for x in gast.walk(n) if isinstance(x, gast.Name)} - targets if isinstance(n, gast.GeneratorExp) else set()
        out.captured |= inner.captured - targets
        out.shared |= inner.shared
        return
    inside = 2 if isinstance(n, gast.For | gast.While) else weight
    for c in gast.iter_child_nodes(n):
        _visit(c, out, inside)


def _nested(n: Any, out: Info) -> None:
    for d in [*getattr(n, "decorator_list", ()), *getattr(getattr(n, "args", None), "defaults", ())]:
        _visit(d, out, 1)
    if isinstance(n, gast.ClassDef):
        return
    inner = info(n)
    out.captured |= free_names(n)
    out.shared |= inner.nonlocals | (inner.shared - inner.locals)


def free_names(function: Any) -> set[str]:
    """Names in a function's text that are not its own variables."""
    inner = info(function)
    return ({x.id for x in gast.walk(function) if isinstance(x, gast.Name)} | inner.captured) - inner.locals


def bound_names(nodes: Any) -> set[str]:
    """Names bound by statements (nested functions' own names excluded)."""
    out = Info(())
    for n in nodes:
        _visit(n, out, 1)
    return set(out.counts) | out.shared


_outside: dict[tuple[int, int], tuple[Any, Any, set[str]]] = {}


def read_outside(function: Any, loop: Any) -> set[str]:
    """Names that the function's text reads outside the body of a loop."""
    key = (id(function), id(loop))
    found = _outside.get(key)
    if found is None:
        inside = {id(s) for s in loop.body} | {id(getattr(loop, "test", None))}
        out: set[str] = set()
        todo = [function]
        while todo:
            n = todo.pop()
            if id(n) in inside:
                continue
            if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Store):
                out.add(n.id)
            elif isinstance(n, gast.AugAssign) and isinstance(n.target, gast.Name):
                out.add(n.target.id)
            todo.extend(gast.iter_child_nodes(n))
        found = _outside[key] = (function, loop, out)
    return found[2]


@dataclass(eq=False)
class Scope:
    """Cells of one activation. `outside` is where names not found go: (python function, access path)."""

    cells: dict[str, Cell]
    parent: Scope | None = None
    outside: Any = None

    def find(self, name: str) -> Cell | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.cells:
                return scope.cells[name]
            scope = scope.parent
        return None

    def origin(self) -> Any:
        scope: Scope | None = self
        while scope is not None:
            if scope.outside is not None:
                return scope.outside
            scope = scope.parent
        return None


@dataclass(eq=False)
class Frame:
    """One activation of a user function while it is being inlined."""

    source: Any
    node: Any
    scope: Scope
    info: Info
    key: tuple[Any, ...]
    ret: Any = None
    ret_cell: Cell | None = None
    loop_base: int = 0
    signature: Any = None
    comprehension: bool = False
    yields: Any = None  # a generator function: what gets its elements
    called_from: Any = None  # the caller's node


@dataclass(eq=False)
class Loop:
    """A loop being specialised."""

    key: Any
    exit: Var | None = None
    exit_used: bool = False
    brk: Any = None
    cont: Any = None
    var: Var | None = None
    range: Any = None
    unrolled: bool = False
    endless: bool = False
    dropped: set[Any] = field(default_factory=set)  # cells without a value at the head (they are not carried round)
    demanded: set[Any] = field(default_factory=set)  # shared by all attempts: cells that must be carried after all
