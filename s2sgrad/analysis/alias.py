"""Which variables may share memory: flow-insensitive classes (a union-find over names).

Distinct array parameters are taken to be distinct memory: the caller refuses overlapping arguments where one is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from s2sgrad import ir
from s2sgrad.ir import Append, Array, Assign, Call, Custom, Function, Index, ListType, Pop, Scalar, Var, walk_stmts

# Not in ir.VIEW_OPS (their results count as fresh), but NumPy may hand out the argument's own memory.
MAYBE_VIEWS = frozenset({
    "ascontiguous", "real", "imag", "stop_gradient", "reshape_copy", "unbroadcast", "of_shape", "broadcast_to", "diagonal",
})


def memory_roots(e: Any) -> Iterator[str]:
    """The variables whose memory the value of an array expression may be."""
    if isinstance(e.type, Scalar):
        return
    if isinstance(e, Var):
        yield e.name
    elif isinstance(e, Index):
        if e.kind == "view":
            yield from memory_roots(e.base)
    elif isinstance(e, Call):
        if e.op in ir.VIEW_OPS or e.op in MAYBE_VIEWS or e.op == "item":
            yield from memory_roots(e.args[0])
        elif e.op == "ifexp":
            for a in e.args[1:]:
                yield from memory_roots(a)


class Classes:
    """A union-find over names; the representative is the name seen first."""

    def __init__(self) -> None:
        self.parent: dict[str, str] = {}
        self.order: dict[str, int] = {}

    def find(self, name: str) -> str:
        if name not in self.parent:
            self.parent[name], self.order[name] = name, len(self.order)
        while self.parent[name] != name:
            self.parent[name] = self.parent[self.parent[name]]
            name = self.parent[name]
        return name

    def union(self, a: str, b: str) -> None:
        a, b = self.find(a), self.find(b)
        if a != b:
            first, second = (a, b) if self.order[a] <= self.order[b] else (b, a)
            self.parent[second] = first


def alias_classes(f: Function) -> dict[str, str]:
    """The class of every array and list variable: two variables may share memory only if their classes are equal."""
    c = Classes()
    for p in f.params:
        if isinstance(p.type, (Array, ListType)):
            c.find(p.name)
    for s in walk_stmts(f.body):
        for v in _array_vars(s):
            c.find(v.name)
        if isinstance(s, Assign) and not isinstance(s.target.type, Scalar):
            for r in memory_roots(s.value):
                c.union(s.target.name, r)
        elif isinstance(s, Append):
            c.union(s.list.name, s.value.name)
        elif isinstance(s, Pop):
            c.union(s.target.name, s.list.name)
        elif isinstance(s, Custom):
            for a in (*s.seeds, *(g for g in s.grads if g is not None)):
                for r in memory_roots(a):
                    c.find(r)
    return {n: c.find(n) for n in list(c.parent)}


def _array_vars(s: ir.Stmt) -> Iterator[Var]:
    for v in ir.assigned(s):
        if not isinstance(v.type, Scalar):
            yield v
    for field in ("base", "list", "buffer"):
        held = getattr(s, field, None)
        if isinstance(held, Var) and not isinstance(held.type, Scalar):
            yield held
    for e in ir.exprs(s):
        for x in ir.walk(e):
            if isinstance(x, Var) and not isinstance(x.type, Scalar):
                yield x
