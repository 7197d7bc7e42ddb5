"""Dead code: assignments, stores, loops and branches whose effect nobody sees.

Backward liveness over the structured program, with a fixpoint at loops. Facts are names (scalars and array bindings) and
memory classes ("@class"). Writes into the memory of parameters are seen by the caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from s2sgrad import ir
from s2sgrad.analysis.alias import memory_roots
from s2sgrad.analysis.reads import Effect, Effects
from s2sgrad.ir import (
    Accum,
    Append,
    Assign,
    CallFn,
    Comment,
    Custom,
    For,
    Function,
    If,
    Multi,
    Pop,
    Program,
    Recompute,
    Reserve,
    Return,
    Scalar,
    Slice,
    Stmt,
    Store,
    While,
)

Live = frozenset[str]


def eliminate(f: Function, program: Program | None = None) -> Function:
    """The function without dead code."""
    pass_ = _Dead(f, program)
    f = replace(f, body=pass_.block(f.body, pass_.at_end)[0])
    return without_needless_copies(f, pass_.effects)


def live_names(f: Function, program: Program | None = None) -> set[str]:
    """The names that are live at the start of the function."""
    pass_ = _Dead(f, program)
    return {n for n in pass_.block(f.body, pass_.at_end)[1] if not n.startswith("@")}


def own_copies(f: Function) -> set[str]:
    """Array parameters that start with `a = a.copy()`: the caller does not see what is written to them."""
    out = set()
    for s in f.body:
        if not (isinstance(s, Assign) and _copies_itself(s)):
            if isinstance(s, Comment):
                continue
            break
        out.add(s.target.name)
    return out


def _copies_itself(s: Assign) -> bool:
    """`a = a.copy()`, also as `a = a.T.copy().T`."""
    e = s.value
    while isinstance(e, ir.Call) and e.op in ("copy", "transpose"):
        e = e.args[0]
    return e == s.target and any(isinstance(x, ir.Call) and x.op == "copy" for x in ir.walk(s.value))


def without_needless_copies(f: Function, effects: Effects) -> Function:
    """The function without `a = a.copy()` of parameters that nothing writes and no result shares."""
    own = own_copies(f)
    if not own:
        return f
    stored = {c for s in f.body for c in effects.of(s).stores}
    shared = {effects.cls(r) for v in f.returns for r in memory_roots(v)}
    needless = {n for n in own if effects.cls(n) not in stored | shared}
    return replace(f, body=[s for s in f.body if not (isinstance(s, Assign) and s.target.name in needless and _copies_itself(s))])


class _Dead:
    def __init__(self, f: Function, program: Program | None) -> None:
        self.effects = Effects(f, program)
        self.program = program
        sizes: dict[str, int] = {}
        for c in self.effects.classes.values():
            sizes[c] = sizes.get(c, 0) + 1
        self.alone = {c for c, k in sizes.items() if k == 1}
        self.same_list = self.list_names(f)
        own = own_copies(f)
        self.params = {self.effects.cls(p.name) for p in f.params if not isinstance(p.type, Scalar)}
        seen = [p.name for p in f.params if not isinstance(p.type, Scalar) and p.name not in own]
        self.at_end: Live = frozenset("@" + self.effects.cls(name) for name in seen)

    # ---------------------------------------------------------------------------------------- facts

    def list_names(self, f: Function) -> dict[str, set[str]]:
        """The names that may mean the same list, for every list that may have several."""
        out: dict[str, set[str]] = {}
        for s in ir.walk_stmts(f.body):
            v = s.target if isinstance(s, (Assign, Pop)) else s.value if isinstance(s, Append) else None
            if isinstance(v, ir.Var) and isinstance(v.type, ir.ListType) and not (isinstance(s, Assign) and isinstance(s.value, ir.Call)):
                cls = self.effects.cls(v.name)
                out[cls] = {n for n, c in self.effects.classes.items() if c == cls}
        return out

    def holds(self, v: ir.Var, live: Live) -> bool:
        """May the contents of a list be seen later?"""
        return v.name in live or not live.isdisjoint(self.same_list.get(self.effects.cls(v.name), ()))

    def uses(self, x: Effect) -> set[str]:
        return x.reads | {"@" + m for m in x.memory}

    def memory(self, name: str) -> str:
        return "@" + self.effects.cls(name)

    # ------------------------------------------------------------------------------------ statements

    def block(self, body: Sequence[Stmt], live: Live) -> tuple[list[Stmt], Live]:
        """The block without dead statements, and what is live before it."""
        out: list[Stmt] = []
        lost = kept = False  # in the group of statements below the next comment
        for s in reversed(body):
            new, live = self.stmt(s, live)
            if isinstance(s, Comment):
                if kept or not lost:
                    out.append(s)
                lost = kept = False
            elif new is None:
                lost = True
            else:
                kept |= not isinstance(new, Return)
                out.append(new)
        out.reverse()
        return out, live

    def stmt(self, s: Stmt, live: Live) -> tuple[Stmt | None, Live]:
        method = getattr(self, "on_" + type(s).__name__.lower(), None)
        if method is not None:
            return method(s, live)
        return s, live | self.uses(self.effects.of(s))  # Print, Raise, Return, Comment

    def on_custom(self, s: Custom, live: Live) -> tuple[Stmt | None, Live]:
        if s.kept and not any(o.name in live for o in s.outputs):
            return None, live
        return s, live | self.uses(self.effects.of(s))

    def on_assign(self, s: Assign, live: Live) -> tuple[Stmt | None, Live]:
        name = s.target.name
        if name not in live or s.value == s.target:
            return None, live
        live -= {name}
        if not isinstance(s.target.type, Scalar) and not ir.is_alias(s.value) and self.effects.cls(name) in self.alone - self.params:
            live -= {self.memory(name)}
        return s, live | self.uses(self.effects.value(s.value))

    def on_store(self, s: Store, live: Live) -> tuple[Stmt | None, Live]:
        memory = self.memory(s.base.name)
        if memory not in live:
            return None, live
        if self.effects.cls(s.base.name) in self.alone and all(i == Slice() for i in s.index):
            live -= {memory}
        return s, live | {s.base.name} | self.uses(self.effects.expr(s.value)) | self.indices(s.index)

    def indices(self, index: Sequence[ir.IndexItem] | None) -> set[str]:
        return {u for i in index or () for u in self.uses(self.effects.expr(i))}

    def on_accum(self, s: Accum, live: Live) -> tuple[Stmt | None, Live]:
        seen = s.base.name if s.index is None else self.memory(s.base.name)
        if seen not in live:
            return None, live
        return s, live | {s.base.name} | self.uses(self.effects.expr(s.value)) | self.indices(s.index)

    def on_if(self, s: If, live: Live) -> tuple[Stmt | None, Live]:
        body, a = self.block(s.body, live)
        orelse, b = self.block(s.orelse, live)
        if not busy(body) and not busy(orelse):
            return None, live
        new = replace(s, body=body if busy(body) else [], orelse=orelse if busy(orelse) else [])
        return new, a | b | self.uses(self.effects.expr(s.cond))

    def loop(self, body: Sequence[Stmt], live: Live, always: set[str]) -> tuple[list[Stmt], Live]:
        """The body of a loop and what is live at the start of an iteration; `always` is read by every iteration."""
        at_start: Live = live
        while True:
            new, before = self.block(body, live | at_start | always)
            grown = at_start | before
            if grown == at_start:
                return new, at_start
            at_start = grown

    def on_for(self, s: For, live: Live) -> tuple[Stmt | None, Live]:
        flag = {s.exit.name} if s.exit is not None else set()
        body, inside = self.loop(s.body, live, set())
        if not busy(body) and s.var.name not in live:
            return None, live
        body, inside = self.loop(s.body, live, flag) if flag else (body, inside)
        bounds = set().union(*(self.uses(self.effects.expr(e)) for e in (s.start, s.stop, s.step)))
        if s.var.name not in live:
            inside -= {s.var.name}
        return replace(s, body=body), live | inside | bounds

    def on_while(self, s: While, live: Live) -> tuple[Stmt | None, Live]:
        if not busy(self.loop(s.body, live, set())[0]):
            return None, live
        cond = self.uses(self.effects.expr(s.cond)) | ({s.exit.name} if s.exit is not None else set())
        body, inside = self.loop(s.body, live, cond)
        return replace(s, body=body), live | inside | cond

    def on_multi(self, s: Multi, live: Live) -> tuple[Stmt | None, Live]:
        targets = [t if t is not None and t.name in live else None for t in s.targets]
        if not any(targets):
            return None, live
        live -= {t.name for t in targets if t is not None}
        return replace(s, targets=targets), live | {u for a in s.args for u in self.uses(self.effects.expr(a))}

    def on_append(self, s: Append, live: Live) -> tuple[Stmt | None, Live]:
        return (s, live | {s.list.name, s.value.name}) if self.holds(s.list, live) else (None, live)

    def on_pop(self, s: Pop, live: Live) -> tuple[Stmt | None, Live]:
        if s.target.name not in live and not self.holds(s.list, live):
            return None, live
        return s, (live - {s.target.name}) | {s.list.name}

    def on_reserve(self, s: Reserve, live: Live) -> tuple[Stmt | None, Live]:
        if s.buffer.name not in live:
            return None, live
        return s, live | {s.buffer.name} | self.uses(self.effects.expr(s.size))

    def on_callfn(self, s: CallFn, live: Live) -> tuple[Stmt | None, Live]:
        written = {self.memory(n) for n in self.effects.written_arguments(s)}
        if live.isdisjoint(t.name for t in s.targets) and live.isdisjoint(written) and not self.speaks(s.function, frozenset()):
            return None, live
        live -= {t.name for t in s.targets}
        return s, live | {u for a in s.args for u in self.uses(self.effects.expr(a))}

    def speaks(self, function: str, above: frozenset[str]) -> bool:
        """May a linked function print or raise?"""
        f = self.program.linked.get(function) if self.program is not None else None
        if f is None:
            return True
        if function in above:
            return False
        return any(
            isinstance(s, (ir.Print, ir.Raise)) or (isinstance(s, CallFn) and self.speaks(s.function, above | {function}))
            for s in ir.walk_stmts(f.body)
        )

    def on_recompute(self, s: Recompute, live: Live) -> tuple[Stmt | None, Live]:
        body, live = self.block(s.body, live)
        return (replace(s, body=body), live) if busy(body) else (None, live)

    def on_return(self, s: Return, live: Live) -> tuple[Stmt | None, Live]:
        return s, self.at_end | {u for v in s.values for u in self.uses(self.effects.expr(v))}

    def on_comment(self, s: Comment, live: Live) -> tuple[Stmt | None, Live]:
        return s, live


def busy(body: Sequence[Stmt]) -> bool:
    """Does a block hold anything but comments?"""
    return any(not isinstance(s, Comment) for s in body)
