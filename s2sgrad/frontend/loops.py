"""Loops: a fixpoint over the types of what the body changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gast

from s2sgrad import ir
from s2sgrad.frontend.contexts import Step
from s2sgrad.frontend.exceptions import DeadCode
from s2sgrad.frontend.machine import NeedsStatic, Path, Target, effects
from s2sgrad.frontend.scope import Loop, bound_names, read_outside
from s2sgrad.frontend.statements import Statements
from s2sgrad.frontend.unify import same
from s2sgrad.frontend.values import (
    IDENTITY,
    NONE,
    UNBOUND,
    UNKNOWN,
    Cell,
    Fields,
    Growing,
    Items,
    Iter,
    Maybe,
    Num,
    Obj,
    Poison,
    Range,
    Ref,
    Tup,
    Unbound,
    Value,
    describe,
    map_nums,
    number,
    nums,
)
from s2sgrad.ir import Const, Expr, Stmt, Var

PEELS = 3  # so many first trips are taken out of a loop whose variables get their types in them
UNROLL = 64  # loops of at most this many constant trips may be unrolled where the body needs constants


@dataclass
class Seq:
    """Something to iterate over: how many elements, and the k-th."""

    length: Num
    get: Callable[[Num], Value]
    fixed: int | None = None  # the length where the elements differ in kind, so that the loop must be unrolled
    arange: Range | None = None


class Loops(Statements):
    def do_For(self, s: Any, rest: list[Any]) -> list[Stmt] | None:
        iterable = self.frozen_iterable(self.eval(s.iter), self.rebound(s.body))
        return self.iterate(iterable, s, lambda v: self.assign(s.target, v), lambda: self.run(s.body), s.orelse, rest)

    def iterate(self, iterable: Value, node: Any, assign: Callable[[Value], None], body: Callable[[], list[Stmt] | None],
                orelse: Sequence[Any] = (), rest: Sequence[Any] = ()) -> list[Stmt] | None:
        """`for target in iterable: body`."""
        if isinstance(iterable, Ref) and iterable.heap.kind == "object":
            return self.iterate(self.object_iterator(iterable), node, assign, body, orelse, rest)
        if isinstance(iterable, Ref) and iterable.heap.kind == "iterator":
            source, _ = self.position(iterable)
            self.check_left(source)
            if self.random(source):
                if self.sequence(source).fixed is not None:
                    return self.changing(iterable, node, assign, body, orelse, rest)
                self.iterator_loop(iterable, node, assign, body, orelse)
                return None
            mark = len(self.taken)
            inner = self.opened_iterator(iterable)
            tail = self.pushed(inner, node, assign, body, [Step(lambda: self.release(mark)), *orelse], [Step(lambda: self.lose(mark)), *rest])
            return tail
        if not self.random(iterable) or (isinstance(iterable, Iter) and iterable.kind in ("generator", "count", "repeat")):
            return self.pushed(iterable, node, assign, body, orelse, rest)
        if isinstance(iterable, Ref) and iterable.heap.kind == "list" and isinstance(self.contents(iterable), Items):
            return self.changing(iterable, node, assign, body, orelse, rest)
        seq = self.sequence(iterable)
        if seq.fixed is not None:
            return self.unrolled(seq, seq.fixed, node, assign, body, orelse, rest)
        if isinstance(iterable, Ref) and isinstance(self.contents(iterable), Growing):
            self.list_loop(iterable, seq, node, assign, body, orelse)
            return None
        small = seq.length.known and 0 <= seq.length.const <= UNROLL
        if small and self.unrolling:
            return self.unrolled(seq, seq.length.const, node, assign, body, orelse, rest)
        if not small:
            point = self.mark()
            try:
                self.range_loop(iterable, seq, node, assign, body, orelse)
            except NeedsStatic as e:
                if not e.origin and self.keep_apart(iterable):
                    self.restore(point)
                    return self.iterate(iterable, node, assign, body, orelse, rest)
                e.origin = e.origin or self.integer_origin([seq.length.expr])
                raise
            return None
        point = self.mark()
        self.may_unroll += 1
        try:
            try:
                self.range_loop(iterable, seq, node, assign, body, orelse)
            finally:
                self.may_unroll -= 1
            return None
        except NeedsStatic as first:
            self.restore(point)
            seq = self.sequence(iterable)
            assert seq.length.known
            try:
                return self.unrolled(seq, seq.length.const, node, assign, body, orelse, rest)
            except NeedsStatic as second:  # it may know which argument has to be fixed
                raise (second if second.origin else first) from None

    def list_loop(self, v: Ref, seq: Seq, node: Any, assign: Callable[[Value], None], body: Callable[[], list[Stmt] | None],
                  orelse: Sequence[Any]) -> None:
        """A loop over a list that grows at run time: a counted one where the body leaves its length alone."""
        point = self.mark()
        before = self.contents(v)
        assert isinstance(before, Growing) and isinstance(before.length, Expr)
        self.range_loop(v, seq, node, assign, body, orelse)
        changed = effects(self.out[point[2]:])[0] & ir.names_in(before.length)
        if self.state is None or v.heap not in self.state or not same(self.contents(v), before) or changed:
            self.restore(point)
            self.growing_loop(v, node, assign, body, orelse)

    def open_targets(self) -> list[Target]:
        out = [f.ret for f in self.frames if f.ret is not None]
        for loop in self.loops:
            out.extend(t for t in (loop.brk, loop.cont) if t is not None)
        out.extend(c.target for p in self.handlers for c in p.caught.values())
        return out

    def opened(self) -> dict[Target, int]:
        """How many paths have come to each target so far."""
        return {t: len(t.paths) for t in self.open_targets()}

    def rewind(self, opened: dict[Target, int]) -> None:
        """Forget the paths that came since (after `rollback`)."""
        for p in self.handlers:
            p.caught = {k: c for k, c in p.caught.items() if c.target.flag.name in self.names}
        for t in self.open_targets():
            del t.paths[opened.get(t, 0):]

    # ------------------------------------------------------------------------------------------- unrolled

    def unrolled(self, seq: Seq, count: int, node: Any, assign: Callable[[Value], None], body: Callable[[], list[Stmt] | None],
                 orelse: Sequence[Any], rest: Sequence[Any]) -> list[Stmt] | None:
        """One copy of the body for each element, which is made when its turn comes."""
        loop = Loop(("unrolled", id(node)), unrolled=True)
        loop.brk = Target("break", self.branch_var("brk", ir.BOOL, Const(False, ir.BOOL)), loop=loop)
        todo: list[Any] = [Step(lambda k=k: self.unrolled_step(loop, seq.get(number(k)), assign, body)) for k in range(count)]  # type: ignore[misc]
        return self.in_loop(loop, todo, orelse, rest)

    def in_loop(self, loop: Loop, todo: Sequence[Any], orelse: Sequence[Any], rest: Sequence[Any]) -> list[Stmt] | None:
        """The trips of a loop that is written out; `break` leads behind it."""
        start = self.out
        self.loops.append(loop)
        before, self.jumps = self.jumps, set()
        tail = self.run([*todo, *orelse])
        if loop in self.loops:
            self.loops.remove(loop)
        mine, self.jumps = self.jumps, before
        mine.discard(loop.brk)
        paths = ([Path(self.state, tail)] if self.state is not None else []) + loop.brk.paths
        self.out = start
        self.state = self.join(paths)
        self.jumps = before | mine
        if self.state is None:
            return self.out
        if mine and self.frames[-1].comprehension:
            self.go_on(mine)
        elif mine:
            return self.guard(mine, rest)
        return self.run(rest)

    def unrolled_step(self, loop: Loop, v: Value, assign: Callable[[Value], None], body: Callable[[], list[Stmt] | None]) -> list[Stmt] | None:
        loop.cont = Target("continue", self.branch_var("cont", ir.BOOL, Const(False, ir.BOOL)), loop=loop)
        assign(v)
        before, self.jumps = self.jumps, set()
        tail = body() or self.out
        mine, self.jumps = self.jumps, before
        mine.discard(loop.cont)
        self.jumps = before | mine
        self.state = self.join(([Path(self.state, tail)] if self.state is not None else []) + loop.cont.paths)
        return None

    def do_Step(self, s: Any) -> list[Stmt] | None:
        return s.run()

    # ------------------------------------------------------------------------------------------- counted

    def range_loop(self, iterable: Value, seq: Seq, node: Any, assign: Callable[[Value], None], body: Callable[[], list[Stmt] | None],
                   orelse: Sequence[Any]) -> None:
        r = seq.arange or Range(number(0), seq.length, number(1))
        t = ir.Scalar("int64") if r.strong else ir.INT
        name, cell = self.counter_name(node, iterable)
        var = self.slot_var((cell, "loop"), t) if cell is not None else self.fresh(name, t)
        once = trips(r)

        def iteration(loop: Loop) -> list[Stmt]:
            loop.var, loop.range = var, r
            if cell is not None:
                assert self.state is not None
                self.state[cell] = Num(var)
                if isinstance(node.target, gast.Tuple):  # for i, x in enumerate(...): the counter is i itself
                    value = seq.get(Num(var))
                    assert isinstance(value, Tup)
                    self.assign(node.target.elts[1], value.items[1])
            else:
                assign(Num(var) if seq.arange is not None else seq.get(Num(var)))
            return body() or self.out

        def make(loop: Loop, stmts: list[Stmt]) -> Stmt:
            return ir.For(var, r.start.expr, r.stop.expr, r.step.expr, stmts, loop.exit if loop.exit_used else None, r.parallel)

        if once == 0:
            self.run(orelse)
            return
        point = self.mark()
        try:
            self.loop(node, iteration, make, orelse, bool(once), None, r.step.known and not r.parallel and self.can_peel(node, orelse))
        except NeedsPeel:
            self.restore(point)
            self.peel(r, seq, node, assign, body, once)

    def can_peel(self, node: Any, orelse: Sequence[Any]) -> bool:
        """May the first trip be taken out of the loop?"""
        return not orelse and self.peeled.count(node) < PEELS

    def peel(self, r: Range, seq: Seq, node: Any, assign: Callable[[Value], None], body: Callable[[], list[Stmt] | None], once: int | None) -> None:
        """A variable is of another kind after the first trip: `if there is a trip: first trip; loop over the rest`."""
        start = self.bind(r.start, "start")
        later = Range(self.add(start, r.step), r.stop, r.step, r.strong)

        def others() -> None:
            rest = Seq(seq.length, seq.get, None, later if seq.arange is not None else None)
            if seq.arange is None:
                rest = Seq(self.sub(seq.length, number(1)), lambda k: seq.get(self.add(k, number(1))))
            self.range_loop(later if seq.arange is not None else NONE, rest, node, assign, body, ())

        cond: Any = bool(once) or ir.call("lt" if r.step.const > 0 else "gt", start.expr, r.stop.expr)
        self.first_trip(cond, node, lambda: assign(start if seq.arange is not None else seq.get(start)), body, others)

    def first_trip(self, cond: Any, node: Any, assign: Callable[[], None], body: Callable[[], list[Stmt] | None], others: Callable[[], None]) -> None:
        """`if cond: the first trip, then the others`; a `break` in the first one leaves out the others."""
        loop = Loop(("peeled", id(node)), unrolled=True)
        loop.brk = Target("break", self.branch_var("brk", ir.BOOL, Const(False, ir.BOOL)), loop=loop)

        def first() -> list[Stmt] | None:
            self.conflicts = False  # they are for the two ways to come here
            try:
                return both()
            finally:
                self.conflicts = True

        def both() -> list[Stmt] | None:
            trip = Step(lambda: self.unrolled_step(loop, NONE, lambda _: assign(), body))
            return self.in_loop(loop, [trip, Step(others)], (), ())

        self.peeled.append(node)
        kept = self.conflicts
        try:
            if cond is True:
                tail = first()
                self.out = self.out if tail is None else tail
            elif cond is not False:
                self.conflicts = True
                self.branched(cond, first, lambda: None)
        finally:
            self.peeled.pop()
            self.conflicts = kept

    def counter_name(self, node: Any, iterable: Value) -> tuple[str, Any]:
        """The user's own loop variable where it can be the counter itself, else a hidden one."""
        target = getattr(node, "target", None)
        simple = isinstance(iterable, Range)
        if isinstance(iterable, Iter) and iterable.kind == "enumerate" and isinstance(target, gast.Tuple) and len(target.elts) == 2:
            start = iterable.extra
            simple = isinstance(start, Num) and start.known and start.const == 0
            if simple and isinstance(target.elts[0], gast.Name):
                others = bound_names([target.elts[1]])
                target = target.elts[0]
                if target.id in others:
                    return "k", None
        if simple and isinstance(target, gast.Name):
            name = target.id
            frame = self.frames[-1]
            taken = bound_names(node.body if isinstance(getattr(node, "body", None), list) else [])
            cell = frame.scope.find(name)
            if name not in taken and name not in frame.info.shared and name not in frame.info.globals and cell is not None:
                if name not in frame.info.nonlocals:
                    return name, cell
            return name, None
        return "k", None

    def do_While(self, s: Any, rest: list[Any]) -> list[Stmt] | None:
        self.while_loop(s, lambda: self.condition(s.test), lambda: self.run(s.body), s.orelse)
        return None

    def while_loop(self, node: Any, test: Callable[[], Any], trip: Callable[[], list[Stmt]], orelse: Sequence[Any]) -> None:
        holder: dict[str, Any] = {}

        def iteration(loop: Loop) -> list[Stmt]:
            start, loop.endless = self.out, True  # it is left through the body where evaluating the condition raises
            cond = test()
            holder["cond"], holder["pure"] = cond, not start
            if cond is False:
                holder["never"] = test
                self.state = None
                return self.out
            loop.endless = cond is True or not holder["pure"]
            if isinstance(cond, bool) or holder["pure"]:
                return trip()

            def leave() -> list[Stmt]:
                tail = self.run(orelse)
                if self.state is not None:
                    saved, self.out = self.out, tail
                    self.jump(loop.brk)
                    self.out = saved
                return tail

            marker = Step(trip)
            tail = self.branch(cond, lambda: None, leave, [marker])
            return trip() if tail is None else tail

        def make(loop: Loop, stmts: list[Stmt]) -> Stmt:
            cond = holder["cond"] if holder.get("pure") and not isinstance(holder["cond"], bool) else Const(True, ir.BOOL)
            return ir.While(cond, stmts, loop.exit if loop.exit_used else None)

        point = self.mark()
        try:
            self.loop(node, iteration, make, orelse, False, holder, self.can_peel(node, orelse))
        except NeedsPeel:
            self.restore(point)
            self.first_trip(test(), node, lambda: None, trip, lambda: self.while_loop(node, test, trip, orelse))

    # ------------------------------------------------------------------------------------------- the fixpoint

    def loop(self, node: Any, iteration: Callable[[Loop], list[Stmt]], make: Callable[[Loop, list[Stmt]], Stmt], orelse: Sequence[Any],
             once: bool, holder: dict[str, Any] | None = None, peel: bool = False) -> None:
        assert self.state is not None
        entry = dict(self.state)
        written = bound_names(getattr(node, "body", None) if isinstance(getattr(node, "body", None), list) else [node])
        if isinstance(node, gast.While):
            written |= bound_names([node.test])
        frame = self.frames[-1]
        cells = {frame.scope.find(n) for n in written}
        head = {k: _forget(v) if k in cells else v for k, v in entry.items()}
        self.forget_identities(head)
        snap = self.snapshot()
        opened = self.opened()
        node_before = self.node
        out = self.out
        mark = len(out)
        born = Cell("").number
        demanded: set[Any] = set()
        for _ in range(40):
            freezes = len(self.freezes)
            self.rollback(snap)
            del out[mark:]
            self.out, self.node = out, node_before
            self.rewind(opened)
            if holder is not None:
                holder.clear()
            loop = Loop((frame.key, id(node)), demanded=demanded)
            loop.dropped = {c for c in self.trip_locals(node, cells) if c not in head} - demanded
            loop.exit = self.fresh("done", ir.BOOL)
            loop.brk = Target("break", loop.exit, loop=loop)
            before, self.jumps = self.jumps, set()
            self.loops.append(loop)
            with self.block(head) as body:
                loop.cont = Target("continue", self.branch_var("skip", ir.BOOL, Const(False, ir.BOOL)), loop=loop)
                flag_init = list(body)
                del body[:]
                try:
                    tail = iteration(loop)
                except DeadCode:
                    self.state, tail = None, body
                except Again as again:
                    if again.demanded is not demanded:
                        raise
                    continue
                body[:0] = flag_init
            self.loops.pop()
            jumped, self.jumps = self.jumps - {loop.brk, loop.cont}, before
            backs = ([Path(self.state, tail)] if self.state is not None else []) + loop.cont.paths
            exits = [] if orelse or loop.endless else loop.brk.paths
            for p in (*backs, *loop.brk.paths):
                for c in loop.dropped:
                    p.state.pop(c, None)
            self.volatile = {loop.var.name} if loop.var is not None else set()
            self.loop_entry = {k: v.const for k, v in entry.items() if isinstance(v, Num) and v.known}
            new = self.merge_states([head, *(p.state for p in backs), *(p.state for p in exits)], born)
            self.loop_entry = {}
            if peel and any(changes_kind(head.get(k), v) for k, v in new.items()):
                raise NeedsPeel
            self.adopt(new, [*backs, *exits])
            settled = all(k in head and same(head[k], v) for k, v in new.items() if k is not IDENTITY and (k in head or not isinstance(v, Unbound)))
            if settled and not any(h.number < born for h in self.freezes[freezes:]):  # what came before must have been refused
                break
            self.volatile = set()
            grown = {k: v for k, v in new.items() if isinstance(v, Growing) and isinstance(head.get(k), Items)}
            new = {**head, **grown} if grown else new  # what else was found depended on the length
            self.keep_names(snap, new)
            head = new
            self.forget_identities(head)
        else:
            names = [str(getattr(k, "name", "a variable")) for k, v in new.items() if k is not IDENTITY and not (k in head and same(head[k], v))]
            raise self.error(f"the types of the variables of this loop do not settle ({', '.join(names) or 'they change from trip to trip'})", node,
                             "Give each variable one type before the loop.")
        self.node = node_before
        for p in (*backs, *exits):
            self.reconcile(p, head)
        self.reconcile(Path(entry, self.out), head)
        if loop.exit_used:
            self.emit(ir.Assign(loop.exit, Const(False, ir.BOOL)))
        if holder is not None and holder.get("never"):
            del out[mark:]
            self.state = dict(head)
            self.volatile = set()
            holder["never"]()  # the condition is evaluated once, with what it assigns
            self.run(orelse)
            return
        self.emit(make(loop, body))
        self.after_loop(loop, head, entry, backs, orelse, once)
        self.volatile = set()
        self.jumps = self.jumps | jumped
        if jumped and self.state is not None and self.frames[-1].comprehension:
            self.go_on(jumped)

    def trip_locals(self, node: Any, cells: set[Any]) -> set[Any]:
        """Cells that are written in a loop and read nowhere else: each trip has its own."""
        frame = self.frames[-1]
        if frame.comprehension:
            return {c for c in frame.scope.cells.values()}
        if frame.node is None or not isinstance(getattr(node, "body", None), list):
            return set()
        read = read_outside(frame.node, node) | frame.info.captured | frame.info.shared
        return {c for n, c in frame.scope.cells.items() if c in cells and n not in read}

    def adopt(self, new: dict[Any, Value], paths: Sequence[Path]) -> None:
        """Objects made inside the loop that are still reachable at its head."""
        for p in paths:
            for k in self.reachable(list(new.values()), p.state):
                if k not in new and k in p.state:
                    new[k] = p.state[k]

    def after_loop(self, loop: Loop, head: dict[Any, Value], entry: dict[Any, Value], backs: Sequence[Path], orelse: Sequence[Any],
                   once: bool) -> None:
        """The state behind the loop."""
        normal: dict[Any, Value] | None = None if loop.endless else dict(head)
        if normal is not None and once:
            paths = [*backs, *([] if orelse else loop.brk.paths)]
            for k, v in head.items():
                if isinstance(v, Maybe) and isinstance(entry.get(k, UNBOUND), Unbound):
                    if all(not isinstance(p.state.get(k, UNBOUND), Unbound | Maybe) for p in paths):
                        normal[k] = v.value
            if not backs:
                normal = None
        if loop.endless:
            self.state = self.join(loop.brk.paths)
        elif not orelse:
            self.state = normal if normal is not None else self.join(loop.brk.paths, force=True)
        elif not loop.brk.paths and not loop.exit_used:
            self.state = normal
            self.volatile = set()
            self.run(orelse)
        else:
            with self.block(normal) as out:
                volatile, self.volatile = self.volatile, set()
                tail = self.run(orelse) if normal is not None else out
                self.volatile = volatile
            paths = ([Path(self.state, tail)] if self.state is not None and normal is not None else []) + loop.brk.paths
            self.state = self.join(paths, force=True)
            if normal is not None:
                self.emit(ir.If(ir.call("not", loop.exit), out))

    # ------------------------------------------------------------------------------------------- what is iterated

    def rebound(self, body: Sequence[Any]) -> set[str]:
        """The variables that hold what the names bound in these statements mean now."""
        assert self.state is not None
        out = set(self.unshareable)
        for name in bound_names(body):
            cell = self.frames[-1].scope.find(name)
            if cell is not None and cell in self.state:
                out.update(x for n in nums(self.state[cell]) for x in ir.names_in(n.expr))
        return out

    def frozen_iterable(self, v: Value, rebound: set[str] | None = None, inner: bool = False) -> Value:
        """The object that is iterated, kept while names are rebound."""
        unsafe = self.unshareable if rebound is None else rebound
        if isinstance(v, Num) and v.is_array:
            if not isinstance(v.expr, Var):
                return self.as_var(v, "seq")
            return self.bind(v, "seq") if v.expr.name in unsafe else v
        if isinstance(v, Range) and inner:
            return map_nums(v, lambda n: n if isinstance(n.expr, Var) and n.expr.name not in unsafe else self.bind(n, "n"))
        if isinstance(v, Tup):
            return map_nums(v, lambda n: self.bind(n, "item") if not isinstance(n.expr, Var) or n.expr.name in unsafe else n)
        if isinstance(v, Iter):
            return Iter(v.kind, tuple(self.frozen_iterable(p, rebound, True) for p in v.parts), v.extra)
        return v

    def sequence(self, v: Value) -> Seq:
        """How to iterate over a value."""
        if isinstance(v, Range):
            n, start, step = self.range_length(v), v.start, v.step
            return Seq(n, lambda k: self.affine(start, step, k), None, v)
        if isinstance(v, Num):
            if not v.is_array:
                raise self.refusal(TypeError, f"{describe(v)} cannot be iterated over")
            return Seq(Num(ir.call("dim", v.expr, axis=0)), lambda k: self.subscript(v, [k]))
        if isinstance(v, Ref) and v.heap.kind == "iterator":
            return self.sequence(self.opened_iterator(v))
        if isinstance(v, Iter):
            return self.iterator(v)
        if isinstance(v, Ref) and v.heap.kind == "list" and isinstance(self.contents(v), Items):
            return self.live_items(v, len(self.sequence_items(v)))
        if isinstance(v, Ref) and v.heap.kind == "list" and isinstance(self.contents(v), Growing):
            g = self.contents(v)
            assert isinstance(g, Growing)
            return Seq(Num(g.length), lambda k: self.growing_item(self.contents(v), k, v.heap))
        items = list(self.sequence_items(v))
        return Seq(number(len(items)), lambda k: items[k.const], len(items))

    def iterator(self, v: Iter) -> Seq:
        if v.kind in ("keys", "values", "items"):
            return self.live_items(v, len(self.view_items(v)))
        if v.kind in ("count", "repeat"):
            first, step = (*v.parts, NONE)[:2]
            return Seq(number(1 << 62), (lambda k: first) if v.kind == "repeat" else (lambda k: self.add(first, self.mul(k, step))))
        if v.kind == "rest":
            return self.rest_of(v)
        if v.kind == "lost":
            self.check_left(v)
        if v.kind == "generator" and self.random(v):
            return self.lazy_elements(v)
        if v.kind == "zip" and self.same_iterator(v.parts) or not self.random(v) and not any(self.is_iterator(p) for p in v.parts):
            return self.sequence(self.collect(v))
        parts = [self.sequence(p) for p in v.parts]
        if v.kind == "enumerate":
            (p,), start = parts, v.extra
            return Seq(p.length, lambda k: Tup((self.add(start, k), p.get(k))), p.fixed)
        if v.kind == "reversed":
            (p,) = parts
            if p.fixed is not None:
                n = p.fixed
                return Seq(p.length, lambda k: p.get(number(n - 1 - k.const)), n)
            length = self.bind(p.length, "n")
            return Seq(length, lambda k: p.get(self.sub(self.sub(length, number(1)), k)))
        if v.kind == "map":
            func = v.extra
            if len(v.parts) == 1:
                (p,) = parts
                return Seq(p.length, lambda k: self.call(func, [p.get(k)], {}, None), p.fixed)
            z = self.iterator(Iter("zip", v.parts))
            return Seq(z.length, lambda k: self.call(func, list(z.get(k).items), {}, None), z.fixed)  # type: ignore[attr-defined]
        if v.kind == "zip":
            if any(p.fixed is not None for p in parts):
                if all(p.fixed is not None or p.length.known for p in parts):
                    n = min(self.fixed_length(p) for p in parts)
                    return Seq(number(n), lambda k: Tup(tuple(p.get(k) for p in parts)), n)
                parts = [p if p.fixed is None else self.sequence(self.as_array(q)) for p, q in zip(parts, v.parts, strict=True)]
            return Seq(self.shortest(parts), lambda k: Tup(tuple(p.get(k) for p in parts)))
        raise self.error(f"iterating over {v.kind} is not supported")

    def fixed_length(self, p: Seq) -> int:
        if p.fixed is not None:
            return p.fixed
        if p.length.known:
            return int(p.length.const)
        raise self.error("a tuple and an array of unknown length are iterated together here")

    def shortest(self, parts: Sequence[Seq]) -> Num:
        parts = [p for p in parts if not (p.length.known and p.length.const == 1 << 62)] or parts
        out = parts[0].length
        for p in parts[1:]:
            if p.length.expr != out.expr:
                out = self.call_number(min, out, p.length)
        return out

    def range_length(self, r: Range) -> Num:
        if all(x.known for x in (r.start, r.stop, r.step)):
            return number(len(range(r.start.const, r.stop.const, r.step.const)))
        if r.step.known and r.step.const == 1:
            if r.start.known and r.start.const == 0:
                return Num(r.stop.expr) if not isinstance(r.stop.expr, Const) else r.stop
            return self.sub(r.stop, r.start)
        d = self.sub(r.stop, r.start)
        if r.step.known and r.step.const < 0:
            return self.call_number(max, number(0), Num(ir.call("floordiv", self.add(d, number(r.step.const + 1)).expr, r.step.expr)))
        return self.call_number(max, number(0), Num(ir.call("neg", ir.call("floordiv", ir.call("neg", d.expr), r.step.expr))))

    def affine(self, start: Num, step: Num, k: Num) -> Num:
        if isinstance(k.expr, Var) and not k.known and k.expr.name and start.known and start.const == 0 and step.known and step.const == 1:
            return k
        scaled = k if step.known and step.const == 1 else self.mul(k, step)
        return scaled if start.known and start.const == 0 else self.add(start, scaled)


def changes_kind(before: Value | None, after: Value) -> bool:
    """Is a variable of another kind after the first trip, so that no variable could hold both exactly?"""
    if not isinstance(before, Num):
        return False
    if isinstance(after, Poison):
        return True
    if not isinstance(after, Num) or before.is_array or before.type.dtype == after.type.dtype:
        return False
    return not before.type.weak and before.type.dtype.startswith(("float", "complex"))


class Again(Exception):
    """A loop must be specialised again with a variable carried round that was taken for local to one trip."""

    def __init__(self, demanded: Any) -> None:
        self.demanded = demanded


class NeedsPeel(Exception):
    """A number becomes an array in the first trip of a loop."""


def trips(r: Range) -> int | None:
    """0 for no trip, 1 for at least one, None where unknown."""
    if all(x.known for x in (r.start, r.stop, r.step)) and r.step.const != 0:
        return min(1, len(range(r.start.const, r.stop.const, r.step.const)))
    return None


def _forget(v: Value) -> Value:
    """The value without its constant."""
    if isinstance(v, Num):
        return Num(v.expr)
    if isinstance(v, Maybe):
        return Maybe(v.flag, _forget(v.value), v.absent)
    if isinstance(v, Tup):
        return Tup(tuple(_forget(i) for i in v.items), v.cls)
    return v


__all__ = ["UNKNOWN", "Expr", "Fields", "Items", "Loops", "Obj", "Poison", "Seq"]
