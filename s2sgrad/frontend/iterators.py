"""Iterators: objects with a position, generators that run in step with who uses them, lists that change while they are iterated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from s2sgrad import ir
from s2sgrad.frontend import scope as scoping
from s2sgrad.frontend.contexts import Step
from s2sgrad.frontend.exceptions import DeadCode, NeedsBranch
from s2sgrad.frontend.loops import Loops, Seq
from s2sgrad.frontend.machine import Path, Target
from s2sgrad.frontend.scope import Frame, Loop, Scope
from s2sgrad.frontend.values import NONE, Cell, Fields, Func, Growing, Heap, Items, Iter, Num, Obj, Partial, Poison, Range, Ref, Tup, Value, number
from s2sgrad.ir import Const, Expr, Stmt
from s2sgrad.library import iteration

ONE_SHOT = ("enumerate", "zip", "reversed", "map", "filter", "generator", "call", "count", "repeat", "rest", "lost")
VIEWS = ("keys", "values", "items")
END = 1 << 62
STEPS = 400  # trips of a loop over a list that changes, where every element is a variable


class Iterators(Loops):
    # ------------------------------------------------------------------------------------------- identity

    def identified(self, v: Value) -> Value:
        """An iterator that is kept somewhere becomes an object with a position."""
        if isinstance(v, Iter) and v.kind in ONE_SHOT:
            assert self.state is not None
            heap = Heap("iterator", Iterator, "iterator")
            self.state[heap] = Fields({"source": self.held(v), "at": number(0)})
            return Ref(heap)
        if isinstance(v, Tup) and any(isinstance(i, Iter | Tup) for i in v.items):
            return Tup(tuple(self.identified(i) for i in v.items), v.cls)
        if isinstance(v, Partial):
            return Partial(v.func, tuple(self.identified(a) for a in v.args), {k: self.identified(a) for k, a in v.kwargs.items()})
        return v

    def held(self, v: Iter) -> Iter:
        """The iterator with its numbers in variables of its own."""
        return Iter(v.kind, tuple(self.held(p) if isinstance(p, Iter) else self.bind_all(p) for p in v.parts), v.extra)

    def is_iterator(self, v: Value) -> bool:
        return isinstance(v, Ref) and v.heap.kind == "iterator"

    def position(self, ref: Ref) -> tuple[Value, Num]:
        content = self.contents(ref)
        assert isinstance(content, Fields)
        source, at = content.fields["source"], self.checked(content.fields["at"])
        if isinstance(source, Poison):
            raise self.error("how far this iterator has come is known at run time only: not supported", hint="Make it a list.")
        assert isinstance(at, Num)
        return source, at

    def set_position(self, ref: Ref, source: Value, at: Num) -> None:
        if ref.heap.frozen:
            raise self.error(f"this iterator is used, but {ref.heap.frozen}")
        assert self.state is not None
        self.state[ref.heap] = self.store((ref.heap,), Fields({"source": source, "at": at}))

    def opened_iterator(self, v: Value) -> Value:
        """What an iterator has left; it has nothing after that."""
        if not self.is_iterator(v):
            return v
        assert isinstance(v, Ref)
        source, at = self.position(v)
        self.check_left(source)
        self.set_position(v, Iter("lost", (), "is iterated over"), number(END))
        self.taken.append((v, source))
        return Tup(()) if at.known and at.const == END else source if at.known and at.const == 0 else Iter("rest", (source, at))

    def check_left(self, source: Value) -> None:
        if isinstance(source, Iter) and source.kind == "lost":
            raise self.error(f"this iterator {source.extra}, and is used again: not supported", hint="Make it a list, which can be read again.")

    def release(self, mark: int) -> None:
        """What was opened since is at its end now."""
        if self.state is not None:
            for ref, source in self.taken[mark:]:
                if ref.heap in self.state:
                    self.set_position(ref, source, number(END))
        del self.taken[mark:]

    def lose(self, mark: int) -> None:
        """How far those opened since have come is not known."""
        if self.state is not None:
            for ref, _ in self.taken[mark:]:
                if ref.heap in self.state:
                    self.set_position(ref, Iter("lost", (), "was left before its end"), number(END))
        del self.taken[mark:]

    def object_iterator(self, v: Ref) -> Value:
        """`iter` of an object of the user's."""
        cls = v.heap.cls
        if not hasattr(cls, "__iter__"):
            if not hasattr(cls, "__getitem__"):
                raise self.refusal(TypeError, f"{cls.__name__!r} object is not iterable")
            return self.call(Obj(iteration.positions), [v], {}, None)
        it = self.call(self.class_attribute(v, cls, "__iter__", None), [], {}, None)
        if isinstance(it, Ref) and it.heap.kind == "object" and hasattr(it.heap.cls, "__next__"):
            return self.call(Obj(iteration.steps), [it], {}, None)
        if isinstance(it, Iter) and it.kind not in VIEWS or self.is_iterator(it):
            return it
        raise self.refusal(TypeError, f"iter() returned something that is not an iterator for {cls.__name__!r}")

    # ------------------------------------------------------------------------------------------- access by position

    def random(self, v: Value) -> bool:
        """Can the k-th element be had without those before it?"""
        if isinstance(v, Iter):
            if v.kind in ("count", "repeat"):
                return True
            if v.kind in ("zip", "map") and self.uneven(v.parts):
                return False
            if v.kind in ("enumerate", "zip", "map"):
                return all(self.random(p) and not self.is_iterator(p) for p in v.parts)
            if v.kind in ("reversed", "rest", *VIEWS):
                return v.kind in VIEWS or self.random(v.parts[0])
            if v.kind == "generator":
                clauses = v.extra[0].generators
                return len(clauses) == 1 and not clauses[0].ifs and self.random(v.parts[0])
            return False
        if isinstance(v, Ref) and v.heap.kind == "object":
            return False
        return not self.is_iterator(v)

    def uneven(self, parts: Sequence[Value]) -> bool:
        """Is something of known length that no array can hold beside something whose length is known at run time only?"""
        if len(parts) < 2 or any(self.is_iterator(p) or not self.random(p) for p in parts):
            return False
        rigid = [p for p in parts if isinstance(p, Tup | Obj) or (isinstance(p, Ref) and isinstance(self.contents(p), Items | Fields))]
        others = [p for p in parts if p not in rigid]
        return bool(rigid) and any(not self.sequence(p).length.known for p in others) and (any(id(p) in self.apart_parts for p in rigid) or not all(
            isinstance(i, Num) and not i.is_array for p in rigid for i in self.sequence_items(p)))

    def keep_apart(self, v: Value) -> bool:
        """From now on each element of a tuple or list that is iterated over beside an array is known by itself. Was it not so before?"""
        parts = v.parts if isinstance(v, Iter) and v.kind in ("zip", "enumerate") else ()
        inner = [self.keep_apart(p) for p in parts]
        known = {id(p) for p in parts if isinstance(p, Tup) or (isinstance(p, Ref) and isinstance(self.contents(p), Items))}
        new = len(parts) > 1 and bool(known - self.apart_parts)
        self.apart_parts |= known
        return new or any(inner)

    def lazy_elements(self, v: Iter) -> Seq:
        """A generator expression with one clause: its elements are computed when they are asked for."""
        n, elt, frame = v.extra
        p = self.sequence(v.parts[0])
        inner = self.comprehension_frame(n, frame)

        def get(k: Num) -> Value:
            x = p.get(k)
            self.frames.append(inner)
            try:
                self.assign(n.generators[0].target, x)
                return self.eval(elt)
            finally:
                self.frames.pop()

        return Seq(p.length, get, p.fixed)

    def rest_of(self, v: Iter) -> Seq:
        source, at = v.parts
        assert isinstance(at, Num)
        p = self.sequence(source)
        if p.fixed is not None:
            first = self.static(at)
            return Seq(number(max(0, p.fixed - first)), lambda k: p.get(number(k.const + first)), max(0, p.fixed - first))
        left = self.call_number(max, self.sub(p.length, at), number(0))
        return Seq(left, lambda k: p.get(self.add(k, at)))

    def live_items(self, v: Value, length: int) -> Seq:
        """A list whose elements are variables, or a dict: read when their turn comes."""

        def get(k: Num) -> Value:
            items = self.sequence_items(v) if isinstance(v, Ref) else self.view_items(v)
            if len(items) != length:
                if not isinstance(v, Ref):
                    self.fail(RuntimeError, "dictionary changed size during iteration")
                raise self.error("the length of this list changes while it is iterated over: not supported here")
            return items[k.const]

        return Seq(number(length), get, length)

    def view_items(self, v: Any) -> Sequence[Value]:
        fields = self.contents(v.parts[0]).fields  # type: ignore[attr-defined]
        pick: dict[str, Callable[[Any], Value]] = {
            "keys": lambda k: self.lift(k, None), "values": lambda k: self.checked_item(fields[k], k),
            "items": lambda k: Tup((self.lift(k, None), self.checked_item(fields[k], k)))}
        self.certain_keys(v.parts[0])
        return [pick[v.kind](k) for k in fields]

    def checked_item(self, v: Value, k: Any) -> Value:
        return self.checked(v, f"item {k!r}")

    # ------------------------------------------------------------------------------------------- in step

    def drive(self, v: Value, use: Callable[[Value], Any]) -> Value:
        """Give every element to `use`, in step with what makes them; the value that a generator returns."""
        v = self.opened_iterator(v)
        if isinstance(v, Iter) and v.kind == "call":
            return self.run_call(v, use)
        if isinstance(v, Iter) and v.kind == "generator":
            self.run_generator(v, use)
            return NONE
        if isinstance(v, Iter) and v.kind in ("count", "repeat"):
            return self.drive(self.call(Obj(iteration.count if v.kind == "count" else iteration.repeat), list(v.parts), {}, None), use)
        if isinstance(v, Iter) and not self.random(v):
            if v.kind == "lost":
                self.check_left(v)
            if v.kind == "rest":
                raise self.error("how far this iterator has come is known at run time only: not supported", hint="Make it a list.")
            driver = getattr(self, "drive_" + v.kind, None)
            if driver is None:
                raise self.error(f"iterating over {v.kind} of this is not supported")
            driver(v, use)
            return NONE
        if isinstance(v, Ref) and v.heap.kind == "object":
            return self.drive(self.object_iterator(v), use)
        self.each_element(v, use)
        return NONE

    def drive_filter(self, v: Iter, use: Callable[[Value], Any]) -> None:
        def keep(x: Value) -> None:
            own = isinstance(v.extra, Obj) and v.extra.value in (None, bool)
            cond = self.truth(x if own else self.call(v.extra, [x], {}, None))
            if cond is True:
                use(x)
            elif cond is not False:
                self.branched(cond, lambda: use(x), lambda: None)

        self.drive(v.parts[0], keep)

    def drive_map(self, v: Iter, use: Callable[[Value], Any]) -> None:
        self.drive(Iter("zip", v.parts) if len(v.parts) > 1 else v.parts[0],
                   lambda x: use(self.call(v.extra, list(x.items) if len(v.parts) > 1 else [x], {}, None)))  # type: ignore[attr-defined]

    def drive_enumerate(self, v: Iter, use: Callable[[Value], Any]) -> None:
        cell = Cell("k")
        self.set_cell(cell, v.extra)

        def count(x: Value) -> None:
            assert self.state is not None
            k = self.bind(self.numeric(self.state[cell]), "k")
            self.set_cell(cell, self.add(k, number(1)))
            use(Tup((k, x)))

        self.drive(v.parts[0], count)

    def drive_zip(self, v: Iter, use: Callable[[Value], Any]) -> None:
        """One part gives the pace; the others are read by position."""
        parts = [self.opened_iterator(p) if self.is_iterator(p) and not self.same_iterator(v.parts) else p for p in v.parts]
        if self.same_iterator(v.parts):
            parts = list(self.grouped(v))
            return self.drive_groups(parts[0], len(v.parts), use)
        slow = [k for k, p in enumerate(parts) if not self.random(p)]
        if len(slow) > 1:
            raise self.error("zip of more than one generator is not supported", hint="Make all but one of them lists.")
        if not slow:
            every = [self.sequence(p) for p in parts]

            def abreast(stop: Callable[[Any], None]) -> None:
                for k in range(min(p.fixed for p in every if p.fixed is not None)):
                    for p in every:
                        stop(self.none_left(p, number(k)) if p.fixed is None else False)
                    use(Tup(tuple(p.get(number(k)) for p in every)))

            self.stoppable(abreast)
            return
        (pace,) = slow
        seqs = {k: self.sequence(p) for k, p in enumerate(parts) if k != pace}
        cell = Cell("k")
        self.set_cell(cell, number(0))

        def at() -> Num:
            assert self.state is not None
            return self.numeric(self.state[cell])

        def run(stop: Callable[[Any], None]) -> None:
            for k in range(pace):
                stop(self.none_left(seqs[k], number(0)))

            def step(x: Value) -> None:
                k = at()
                for j in range(pace + 1, len(parts)):
                    stop(self.none_left(seqs[j], k))
                k = self.bind(k, "k")
                self.set_cell(cell, self.add(k, number(1)))
                use(Tup(tuple(x if j == pace else seqs[j].get(k) for j in range(len(parts)))))
                for j in range(pace):
                    stop(self.none_left(seqs[j], at()))

            self.drive(parts[pace], step)

        self.stoppable(run)

    def same_iterator(self, parts: Sequence[Value]) -> bool:
        return len(parts) > 1 and all(isinstance(p, Ref) and self.is_iterator(p) and p.heap is parts[0].heap for p in parts)  # type: ignore[attr-defined]

    def grouped(self, v: Iter) -> Sequence[Value]:
        return [self.opened_iterator(v.parts[0])]

    def drive_groups(self, v: Value, n: int, use: Callable[[Value], Any]) -> None:
        """zip(it, it): n elements of one iterator at a time."""
        if not self.random(v):
            raise self.error("zip of one generator with itself is not supported", hint="Make it a list first.")
        p = self.sequence(v)
        if p.fixed is not None:
            for k in range(p.fixed // n):
                use(Tup(tuple(p.get(number(k * n + j)) for j in range(n))))
            return
        trips = Num(ir.call("floordiv", p.length.expr, n))
        self.each_element(Range(number(0), self.bind(trips, "n"), number(1)), lambda k: use(Tup(tuple(
            p.get(self.add(self.mul(k, number(n)), number(j))) for j in range(n)))))

    def none_left(self, p: Seq, k: Num) -> Any:
        if p.length.known and k.known:
            return k.const >= p.length.const
        return ir.call("ge", k.expr, p.length.expr)

    def stoppable(self, run: Callable[[Callable[[Any], None]], None]) -> None:
        """Run something that may end early where a condition holds."""
        loop = Loop(("stoppable", id(run)), unrolled=True)
        loop.brk = Target("break", self.branch_var("stop", ir.BOOL, Const(False, ir.BOOL)), loop=loop)
        frame = self.frames[-1]

        def leave() -> list[Stmt]:
            for inner in reversed(self.loops[self.loops.index(loop) + 1:]):
                if not inner.unrolled:
                    inner.exit_used = True
                    self.emit(ir.Assign(inner.exit, Const(True, ir.BOOL)))
            self.emit(ir.Assign(loop.brk.flag, Const(True, ir.BOOL)))
            assert self.state is not None
            loop.brk.paths.append(Path(self.state, self.out))
            self.jumps.add(loop.brk)
            self.state = None
            return self.out

        def stop(cond: Any) -> None:
            if cond is True:
                leave()
                raise DeadCode
            if cond is not False:
                self.branched(cond, leave, lambda: None)

        del frame
        self.loops.append(loop)
        before, self.jumps = self.jumps, set()
        start = self.out
        try:
            run(stop)
        except DeadCode:
            self.state = None
        self.loops.remove(loop)
        mine, self.jumps = self.jumps - {loop.brk}, before
        paths = ([Path(self.state, self.out)] if self.state is not None else []) + loop.brk.paths
        self.out = start
        kept, self.conflicts = self.conflicts, True  # a sum may become an array with its first element
        self.state = self.join(paths)
        self.conflicts = kept
        self.jumps = before | mine
        if self.state is None:
            raise DeadCode
        if mine:
            self.go_on(mine)

    # ------------------------------------------------------------------------------------------- bodies of functions

    def returning(self, frame: Frame, body: Sequence[Any]) -> list[Path]:
        """Run the body of a function: the paths on which it returns."""
        frame.ret_cell = Cell("result")
        frame.ret = Target("return", self.branch_var("returned", ir.BOOL, Const(False, ir.BOOL)))
        tail = self.run(body)
        paths = list(frame.ret.paths)
        if self.state is not None:
            self.state[frame.ret_cell] = NONE
            paths.append(Path(self.state, tail))
        return paths

    def returned(self, frame: Frame, paths: list[Path]) -> Value:
        """Go on after a function where its returning paths meet: its result."""
        self.state = self.join(paths)
        left = self.jumps - {frame.ret}
        if self.state is None:
            raise DeadCode
        if left:
            self.go_on(left)
        assert self.state is not None
        return self.state.pop(frame.ret_cell)

    # ------------------------------------------------------------------------------------------- generator functions

    def run_call(self, v: Iter, use: Callable[[Value], Any]) -> Value:
        """Run the body of a generator function; each `yield` gives its value to `use`."""
        f, names, node = v.extra
        signature = tuple(map(outline, v.parts))
        active = [fr.signature for fr in self.logical_frames() if fr.node is f.node]
        if signature in active or len(active) > 30:
            raise self.error("a generator that calls itself is not supported where its depth is known at run time only", node)
        info = scoping.info(f.node)
        cells = {n: Cell(n, shared=n in info.shared) for n in sorted(info.locals)}
        key = (*self.frames[-1].key, id(node), "generator")
        frame = Frame(f.source, f.node, Scope(cells, f.scope), info, key, loop_base=len(self.loops))
        frame.signature = signature
        kept_node, kept_jumps, kept_out = self.node, self.jumps, self.out
        frame.called_from = node if hasattr(node, "lineno") else kept_node
        for name, x in zip(names, v.parts, strict=True):
            self.bind_parameter(cells[name], x, info, name)
        frame.yields = use
        self.frames.append(frame)
        self.jumps = set()
        try:
            paths = self.returning(frame, f.node.body)
            self.out = kept_out
            kept_jumps = kept_jumps | self.jumps - {frame.ret}
            return self.returned(frame, paths)
        finally:
            self.frames.pop()
            self.node, self.jumps = kept_node, kept_jumps

    def logical_frames(self) -> list[Frame]:
        """The activations that are open, without those that wait at a `yield`."""
        out: list[Frame] = []
        for fr in self.frames:
            if fr in out:
                del out[out.index(fr) + 1:]
            else:
                out.append(fr)
        return out

    def eval_Yield(self, n: Any) -> Value:
        v = NONE if n.value is None else self.eval(n.value)
        self.give(v, n)
        return NONE

    def give(self, v: Value, node: Any) -> None:
        if self.lazy:
            raise NeedsBranch
        frame = self.frames[-1]
        if frame.yields is None:
            raise self.error("yield is not supported here", node)
        final = any(p.frame is frame and p.final for p in self.handlers)
        if final and any(p.frame is not frame and p.clauses for p in self.handlers):
            raise self.error("yield inside of `try` with `finally`, used inside of a `try`, is not supported", node)
        before, self.jumps = self.jumps, set()
        frame.yields(v)
        mine, self.jumps = self.jumps, before | self.jumps
        if final and mine:
            raise self.error("a generator that yields inside of `try` with `finally` is left before its end: not supported", node)
        if self.state is None:
            raise DeadCode
        if mine:
            self.go_on(mine)

    def eval_YieldFrom(self, n: Any) -> Value:
        v = self.eval(n.value)
        frame = self.frames[-1]
        return self.drive(v, self.resumed(lambda x: self.give(x, n), frame))

    def resumed(self, use: Callable[[Value], Any], frame: Any = None) -> Callable[[Value], Any]:
        """`use` as it runs where it was written: its names, and the handlers around it."""
        frame, handlers = frame or self.frames[-1], self.handlers

        def run(v: Value) -> Any:
            kept, node = self.handlers, self.node
            self.frames.append(frame)
            self.handlers = handlers
            try:
                return use(v)
            finally:
                self.frames.pop()
                self.handlers, self.node = kept, node

        return run

    # ------------------------------------------------------------------------------------------- loops

    def pushed(self, v: Value, node: Any, assign: Callable[[Value], None], body: Callable[[], list[Stmt] | None], orelse: Sequence[Any],
               rest: Sequence[Any]) -> list[Stmt] | None:
        """A `for` loop that runs inside of the generator it iterates over."""
        loop = Loop(("pushed", id(node)), unrolled=True)
        loop.brk = Target("break", self.branch_var("brk", ir.BOOL, Const(False, ir.BOOL)), loop=loop)

        def trip(x: Value) -> None:
            one = Loop(("trip", id(node)), unrolled=True)
            one.brk = loop.brk
            self.loops.append(one)
            try:
                self.unrolled_step(one, x, assign, body)
            finally:
                if one in self.loops:
                    self.loops.remove(one)

        use = self.resumed(trip)
        return self.in_loop(loop, [Step(lambda: self.drive(v, use) and None)], orelse, rest)

    def changing(self, v: Ref, node: Any, assign: Callable[[Value], None], body: Callable[[], list[Stmt] | None], orelse: Sequence[Any],
                 rest: Sequence[Any]) -> list[Stmt] | None:
        """A loop over a list of variables, or the rest of an iterator: one copy of the body for each, as long as there are any."""
        loop = Loop(("unrolled", id(node)), unrolled=True)
        loop.brk = Target("break", self.branch_var("brk", ir.BOOL, Const(False, ir.BOOL)), loop=loop)
        return self.in_loop(loop, [_More(0, lambda k: self.next_item(v, k), lambda x: self.unrolled_step(loop, x, assign, body))], orelse, rest)

    def next_item(self, v: Ref, k: int) -> Value | None:
        """Element k of a list as it is now, or the next one of an iterator; None at the end."""
        if self.is_iterator(v):
            source, at = self.position(v)
            self.check_left(source)
            p, i = self.sequence(source), self.static(at)
            if p.fixed is None and not p.length.known:
                raise self.error("how many elements this iterator has is known at run time only")
            if i >= self.fixed_length(p):
                return None
            x = self.bind_all(p.get(number(i)))
            self.set_position(v, source, number(i + 1))
            return x
        content = self.contents(v)
        if not isinstance(content, Items):
            raise self.error("the length of this list changes while it is iterated over, in a way that is known at run time only: not supported",
                             hint="Iterate over a copy, or use `while`.")
        return content.items[k] if k < len(content.items) else None

    def do__More(self, s: Any, rest: list[Any]) -> list[Stmt] | None:
        x = s.take(s.k)
        if x is None:
            return self.run(rest)
        if s.k > STEPS:
            raise self.error("this loop over a list that changes does not end")
        return self.run([Step(lambda: s.use(x)), _More(s.k + 1, s.take, s.use), *rest])

    def stepwise(self, more: Callable[[], Expr], take: Callable[[], Value], node: Any, assign: Callable[[Value], None],
                 body: Callable[[], list[Stmt] | None], orelse: Sequence[Any]) -> None:
        """A loop that asks before each trip whether there is another element."""

        def trip() -> list[Stmt]:
            assign(take())
            return body() or self.out

        self.while_loop(node, more, trip, orelse)

    def growing_loop(self, v: Ref, node: Any, assign: Callable[[Value], None], body: Callable[[], list[Stmt] | None], orelse: Sequence[Any]) -> None:
        """A loop over a list that gets longer or shorter on the way."""
        cell = Cell("k")
        self.set_cell(cell, number(0))

        def here() -> Num:
            assert self.state is not None
            return self.numeric(self.state[cell])

        def take() -> Value:
            k = self.bind(here(), "k")
            self.set_cell(cell, self.add(k, number(1)))
            return self.growing_item(self.contents(v), k, v.heap)

        def more() -> Expr:
            g = self.contents(v)
            assert isinstance(g, Growing)
            return ir.call("lt", here().expr, g.length)

        self.stepwise(more, take, node, assign, body, orelse)

    def iterator_loop(self, v: Ref, node: Any, assign: Callable[[Value], None], body: Callable[[], list[Stmt] | None], orelse: Sequence[Any]) -> None:
        """A loop over what an iterator has left, which may be left and gone on with later."""
        source, _ = self.position(v)
        length = self.bind(self.sequence(source).length, "n")

        def take() -> Value:
            source, at = self.position(v)
            k = self.bind(at, "k")
            self.set_position(v, source, self.add(k, number(1)))
            return self.sequence(source).get(k)

        self.stepwise(lambda: ir.call("lt", self.position(v)[1].expr, length.expr), take, node, assign, body, orelse)

    # ------------------------------------------------------------------------------------------- next

    def next_of(self, v: Value, default: Value | None, node: Any) -> Value:
        v = self.identified(v)
        if isinstance(v, Ref) and v.heap.kind == "object":
            return self.call(self.class_attribute(v, v.heap.cls, "__next__", node), [], {}, node)
        if not self.is_iterator(v):
            raise self.refusal(TypeError, f"{type(v).__name__.lower()} object is not an iterator", node)
        assert isinstance(v, Ref)
        source, at = self.position(v)
        self.check_left(source)
        if not self.random(source):
            return self.first_of(v, source, at, default, node)
        p = self.sequence(source)
        if p.fixed is not None:
            i = self.static(at)
            if i >= p.fixed:
                return self.fail(StopIteration, "") if default is None else default
            x = self.bind_all(p.get(number(i)))
            self.set_position(v, source, number(i + 1))
            return x

        def take() -> Value:
            assert isinstance(v, Ref)
            x = self.bind_all(p.get(at), "item")
            self.set_position(v, source, self.add(at, number(1)))
            return x

        if default is None:
            self.raise_if(ir.call("ge", at.expr, p.length.expr), StopIteration)
            return take()
        return self.choose(ir.call("lt", at.expr, p.length.expr), take, lambda: default)

    def first_of(self, v: Ref, source: Value, at: Num, default: Value | None, node: Any) -> Value:
        """The first element of a generator, which is left there."""
        if at.known and at.const == END:
            return self.fail(StopIteration, "") if default is None else default
        if self.lazy:
            raise NeedsBranch
        cell = Cell("first")

        def end() -> None:
            if default is None:
                self.throw_stop()
            else:
                self.set_cell(cell, default)

        self.set_position(v, Iter("lost", (), "was left after its first element"), number(END))
        before, self.jumps = self.jumps, set()
        tail = self.pushed(source, node, lambda x: self.set_cell(cell, x), lambda: self.jump(self.loops[-1].brk), [Step(end)], [])
        mine, self.jumps = self.jumps, before | self.jumps
        if self.state is None:
            raise DeadCode
        if tail is not None and tail is not self.out:
            self.out = tail
        elif mine:
            self.go_on(mine)
        return self.checked(self.state.pop(cell))

    def throw_stop(self) -> None:
        from s2sgrad.frontend.values import Error

        self.throw(Error(StopIteration, ()))


def outline(v: Value) -> Any:
    """What must change from call to call so that a recursion comes to an end while specialising."""
    if isinstance(v, Num):
        return repr(v.const) if v.known else "?"
    if isinstance(v, Tup):
        return tuple(map(outline, v.items))
    return id(v.heap) if isinstance(v, Ref) else id(v.value) if isinstance(v, Obj) else type(v).__name__


class _More:
    """The next trip of a loop whose number of trips is found out on the way."""

    def __init__(self, k: int, take: Callable[[int], Value | None], use: Callable[[Value], Any]) -> None:
        self.k, self.take, self.use = k, take, use


__all__ = ["ONE_SHOT", "VIEWS", "Func", "Iterators"]
