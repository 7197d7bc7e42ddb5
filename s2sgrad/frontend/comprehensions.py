"""Comprehensions and generator expressions; running code on each element of an iterable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2sgrad.frontend.iterators import Iterators
from s2sgrad.frontend.loops import UNROLL
from s2sgrad.frontend.scope import Frame, Scope
from s2sgrad.frontend.values import Cell, Iter, Num, Range, Value


class Comprehensions(Iterators):
    def eval_ListComp(self, n: Any) -> Value:
        source = self.generator(n, n.elt)
        count = source.parts[0]
        if isinstance(n.elt, gast.List) and not n.elt.elts and isinstance(count, Range) and not self.sequence(count).length.known:
            self.need_static(count.stop, "the number of empty lists")  # each is a variable of its own
        return self.collect(source)

    def eval_GeneratorExp(self, n: Any) -> Value:
        return self.generator(n, n.elt)

    def eval_SetComp(self, n: Any) -> Value:
        ref = self.new_object("set", set, {})
        self.run_generator(self.generator(n, n.elt), lambda x: self.set_method(ref, "add", [x]))
        return ref

    def generator(self, n: Any, elt: Any) -> Iter:
        """A comprehension not yet run; the first iterable is evaluated now, as Python does."""
        first = self.frozen_iterable(self.eval(n.generators[0].iter))
        return Iter("generator", (first,), (n, elt, self.frames[-1]))

    def eval_DictComp(self, n: Any) -> Value:
        ref = self.new_dict({})

        def put(key: Value) -> None:
            k = self.key_of(key)
            value = self.bind_all(self.eval(n.value))
            self.change(ref, {**self.contents(ref).fields, k: value})

        self.run_generator(self.generator(n, n.key), put)
        return ref

    def run_generator(self, g: Iter, use: Callable[[Value], Any]) -> None:
        """Run a generator's loops; `use` gets each element."""
        n, elt, frame = g.extra
        self.frames.append(self.comprehension_frame(n, frame))
        try:
            self.clauses(n, list(n.generators), g.parts[0], lambda: use(self.eval(elt)))
        finally:
            self.frames.pop()

    def comprehension_frame(self, n: Any, frame: Frame) -> Frame:
        """The frame in which a comprehension runs: its targets are names of its own."""
        names = {x.id for c in n.generators for x in gast.walk(c.target) if isinstance(x, gast.Name)}
        scope = Scope({name: Cell(name) for name in names}, frame.scope)
        inner = Frame(frame.source, n, scope, frame.info, (*frame.key, id(n)), frame.ret, frame.ret_cell, len(self.loops))
        inner.info, inner.comprehension = _comprehension_info(frame.info, names), True
        return inner

    def clauses(self, n: Any, generators: list[Any], iterable: Value, use: Callable[[], Any]) -> None:
        c, more = generators[0], generators[1:]

        def inner() -> None:
            if more:
                self.clauses(n, more, self.frozen_iterable(self.eval(more[0].iter)), use)
            else:
                use()

        def body() -> None:
            conds = gast.BoolOp(gast.And(), c.ifs) if len(c.ifs) > 1 else c.ifs[0] if c.ifs else None
            cond = True if conds is None else self.condition(conds)
            if cond is True:
                inner()
            elif cond is not False:
                self.branched(cond, inner, lambda: None)

        holder = _Clause(c)
        self.iterate(iterable, holder, lambda v: self.assign(c.target, v), body)

    def collect(self, v: Value) -> Value:
        """A list of what an iterator gives."""
        ref = self.new_list([])
        ref.heap.capacity = self.capacity(v)
        append = lambda x: self.list_method(ref, "append", [x], {})
        self.each(v, append)
        ref.heap.capacity = None
        return ref

    def capacity(self, v: Value) -> Any:
        """The number of elements an iterator will give, where it is known before it runs."""
        if isinstance(v, Iter) and v.kind == "generator":
            n = v.extra[0]
            if len(n.generators) != 1 or n.generators[0].ifs:
                return None
            v = v.parts[0]
        if isinstance(v, Range | Num) and not (isinstance(v, Num) and not v.is_array):
            length = self.sequence(v).length
            if not length.known or length.const > UNROLL:
                return self.bind(length, "n").expr if isinstance(v, Num) else length.expr
        return None

    def each(self, v: Value, use: Callable[[Value], Any]) -> None:
        """Run `use` on every element of an iterable."""
        mark = len(self.taken)
        self.drive(v, use if isinstance(v, Iter) and v.kind == "generator" else self.resumed(use))
        self.release(mark)

    def each_element(self, v: Value, use: Callable[[Value], Any]) -> None:
        """Run `use` on every element of something that is read by position."""
        self.until(v, lambda x, stop: use(x))

    def until(self, v: Value, use: Callable[[Value, Callable[[], Any]], Any]) -> None:
        """Run `use` on the elements, until it stops."""
        cell = Cell("v")
        frame = self.frames[-1]
        scope = Scope({"v": cell}, frame.scope)
        inner = Frame(frame.source, frame.node, scope, _comprehension_info(frame.info, {"v"}), (*frame.key, "each"), frame.ret, frame.ret_cell,
                      len(self.loops))
        inner.comprehension = True
        self.frames.append(inner)
        try:
            self.iterate(self.frozen_iterable(v), _Clause(None), lambda x: self.set_cell(cell, x),
                         lambda: use(self.read_name("v"), lambda: self.jump(self.loops[-1].brk)) and None)
        finally:
            self.frames.pop()


class _Clause:
    """Stands for the `for` clause of a comprehension."""

    def __init__(self, c: Any) -> None:
        self.body = [c] if c is not None else []
        self.target = getattr(c, "target", None)
        if self.target is not None:
            self.lineno, self.col_offset = self.target.lineno, self.target.col_offset
            self.end_lineno, self.end_col_offset = self.target.end_lineno, self.target.end_col_offset
            self.body = list(c.ifs)


def _comprehension_info(info: Any, names: set[str]) -> Any:
    from collections import Counter

    from s2sgrad.frontend.scope import Info

    return Info((), Counter({n: 2 for n in names}), set(), info.globals - names, set(), set(info.shared))
