"""What expressions and statements read and write: names, and classes of memory.

A *name* is a scalar's value or the binding of an array or list variable; *memory* is what arrays of one alias class hold.
`b = a[1:]` reads the name `a` but no memory; `b[0] = x` reads the names `b` and `x` and writes the memory of b's class.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from s2sgrad import ir
from s2sgrad.analysis.alias import alias_classes, memory_roots
from s2sgrad.ir import (
    Accum,
    Append,
    Assign,
    Call,
    CallFn,
    Custom,
    Expr,
    For,
    Function,
    Index,
    Multi,
    Pop,
    Print,
    Program,
    Raise,
    Reserve,
    Return,
    Scalar,
    Slice,
    Stmt,
    Store,
    Var,
    While,
)

# Operations that look only at the shape of these arguments.
SHAPE_ONLY = {
    "dim": (0,), "size": (0,), "zeros_like": (0,), "ones_like": (0,), "empty_like": (0,), "full_like": (0,), "unbroadcast": (1,), "of_shape": (1,),
}


@dataclass
class Effect:
    """Names and memory classes read and written; `effect` marks output, exceptions and the like."""

    reads: set[str] = field(default_factory=set)
    memory: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)
    effect: bool = False

    def add(self, o: Effect) -> None:
        self.reads |= o.reads
        self.memory |= o.memory
        self.writes |= o.writes
        self.stores |= o.stores
        self.effect |= o.effect

    def spoils(self, o: Effect) -> bool:
        """Does executing this change what `o` reads?"""
        return not (self.writes.isdisjoint(o.reads) and self.stores.isdisjoint(o.memory))

    def commutes(self, o: Effect) -> bool:
        """May the two be executed in either order?"""
        return not (
            self.spoils(o) or o.spoils(self) or not self.writes.isdisjoint(o.writes) or not self.stores.isdisjoint(o.stores)
            or (self.effect and o.effect)
        )


class Effects:
    """Effects of the statements and expressions of one function (cached per statement object)."""

    def __init__(self, f: Function, program: Program | None = None) -> None:
        self.classes = alias_classes(f)
        self.linked = program.linked if program is not None else {}
        self._cache: dict[int, tuple[Stmt, Effect]] = {}

    def cls(self, name: str) -> str:
        return self.classes.get(name, name)

    def expr(self, e: Any, content: bool = True) -> Effect:
        """What evaluating an expression (or index item) reads; `content=False`: only names and shapes."""
        out = Effect()
        self._expr(e, content, out)
        return out

    def _expr(self, e: Any, content: bool, out: Effect) -> None:
        if isinstance(e, Var):
            out.reads.add(e.name)
            if content and not isinstance(e.type, Scalar):
                out.memory.add(self.cls(e.name))
        elif isinstance(e, Index):
            self._expr(e.base, content or e.kind == "gather", out)
            for i in e.index:
                self._expr(i, True, out)
        elif isinstance(e, Call):
            shape_only = SHAPE_ONLY.get(e.op, ())
            for k, a in enumerate(e.args):
                through = k == 0 and e.op in ir.VIEW_OPS
                self._expr(a, False if k in shape_only else content if through else True, out)
        elif isinstance(e, Slice):
            for x in ir.children(e):
                self._expr(x, True, out)

    def value(self, e: Expr) -> Effect:
        """What an assignment of this expression reads: a view reads no memory."""
        alias = not isinstance(e.type, Scalar) and ir.is_alias(e)
        return self.expr(e, content=not alias)

    def own(self, s: Stmt) -> Effect:
        """The effect of a statement without nested statements."""
        out = Effect()
        for e in ir.exprs(s):
            out.add(self.value(e) if isinstance(s, (Assign, Append)) else self.expr(e))
        out.writes |= {v.name for v in ir.assigned(s)}
        if isinstance(s, Store):
            out.reads.add(s.base.name)
            out.stores.add(self.cls(s.base.name))
        elif isinstance(s, Accum):
            out.reads.add(s.base.name)
            if s.index is not None:
                out.stores.add(self.cls(s.base.name))
                out.memory.add(self.cls(s.base.name))
        elif isinstance(s, (Append, Pop)):
            out.reads.add(s.list.name)
            out.writes.add(s.list.name)
            out.stores.add(self.cls(s.list.name))
            out.memory.add(self.cls(s.list.name))
        elif isinstance(s, Reserve):
            out.reads.add(s.buffer.name)
            out.writes.add(s.buffer.name)
            out.stores.add(self.cls(s.buffer.name))
            out.memory.add(self.cls(s.buffer.name))
        elif isinstance(s, CallFn):
            out.stores |= {self.cls(n) for n in self.written_arguments(s)}
            out.effect = True
        elif isinstance(s, Custom):
            names = [*s.inputs, *s.outputs, *s.seeds]
            out.reads |= {v.name for v in names}
            out.memory |= {self.cls(v.name) for v in names}
            out.writes |= {v.name for v in (*s.outputs, *s.seeds)}
        elif isinstance(s, (Print, Raise, Return)):
            out.effect = True
        if isinstance(s, (For, While)) and s.exit is not None:
            out.reads.add(s.exit.name)
        if isinstance(s, Multi):
            out.stores |= {self.cls(v.name) for v in ir.assigned(s) if not isinstance(v.type, Scalar)}
        return out

    def written_arguments(self, s: CallFn) -> set[str]:
        """The variables whose memory a linked function may write."""
        callee = self.linked.get(s.function)
        out: set[str] = set()
        for k, a in enumerate(s.args):
            if callee is None or callee.params[k].name in callee.written:
                out |= set(memory_roots(a))
        return out

    def of(self, s: Stmt) -> Effect:
        """The effect of a statement with everything nested in it."""
        found = self._cache.get(id(s))
        if found is not None and found[0] is s:
            return found[1]
        out = self.own(s)
        for b in ir.blocks(s):
            for inner in b:
                out.add(self.of(inner))
        self._cache[id(s)] = (s, out)
        return out


def count_reads(body: list[Stmt]) -> dict[str, int]:
    """How often each variable is mentioned other than as the target of an assignment."""
    n: dict[str, int] = {}

    def see(name: str) -> None:
        n[name] = n.get(name, 0) + 1

    for s in ir.walk_stmts(body):
        for e in ir.exprs(s):
            for x in ir.walk(e):
                if isinstance(x, Var):
                    see(x.name)
        for key in ("base", "list", "buffer", "exit"):
            v = getattr(s, key, None)
            if isinstance(v, Var):
                see(v.name)
        for key in ("inputs", "outputs", "seeds"):
            for v in getattr(s, key, ()):
                see(v.name)
    return n


def count_writes(f: Function) -> dict[str, int]:
    """How many definitions each variable has, parameters included."""
    n = {p.name: 1 for p in f.params}
    for s in ir.walk_stmts(f.body):
        more = [s.buffer] if isinstance(s, Reserve) else [*s.outputs, *s.seeds] if isinstance(s, Custom) else []
        for v in [*ir.assigned(s), *more]:
            n[v.name] = n.get(v.name, 0) + 1
    return n
