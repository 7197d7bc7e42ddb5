"""Exceptions: a raise that a handler of the program catches is a jump to it; any other ends the run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from s2sgrad import ir
from s2sgrad.frontend.joins import Joins
from s2sgrad.frontend.machine import Path, Target
from s2sgrad.frontend.unify import skeleton
from s2sgrad.frontend.values import Cell, Error, Obj, Text, Value, describe
from s2sgrad.ir import Const, Expr, If, Stmt


class DeadCode(Exception):
    """The rest of this path cannot be reached (an exception is always raised before)."""


class NeedsBranch(Exception):
    """A lazily evaluated operand has effects: it must become a branch."""


@dataclass(eq=False)
class Caught:
    """The exceptions of one class that reach one handler."""

    clause: int
    cls: type[BaseException]
    target: Target
    cell: Cell


@dataclass(eq=False)
class Protected:
    """A `try` that is being run: its handlers, or its `finally`. `barrier` names what no exception may leave as a jump."""

    frame: Any = None
    loops: int = 0
    outer: tuple[Protected, ...] = ()
    clauses: list[tuple[Any, Any]] = field(default_factory=list)  # (classes, handler)
    final: Sequence[Any] = ()
    caught: dict[Any, Caught] = field(default_factory=dict)
    barrier: str = ""


class Exceptions(Joins):
    # ------------------------------------------------------------------------------------------- who catches

    def catcher(self, cls: type[BaseException]) -> tuple[Protected, int] | None:
        """The `try` and the clause that catch an exception of a class raised here."""
        for p in reversed(self.handlers):
            if p.barrier:
                inside, self.handlers = self.handlers, p.outer
                found = self.catcher(cls)
                self.handlers = inside
                if found is not None:
                    raise self.error(f"{cls.__name__} could be raised inside of {p.barrier} and caught outside of it: not supported")
                return None
            for k, (classes, _) in enumerate(p.clauses):
                if issubclass(cls, classes):
                    return p, k
        return None

    def catches(self, cls: type[BaseException]) -> bool:
        return bool(self.handlers) and self.catcher(cls) is not None

    @contextmanager
    def apart(self, what: str) -> Any:
        """Run something that no exception may leave as a jump."""
        kept, self.handlers = self.handlers, (Protected(outer=self.handlers, barrier=what),)
        try:
            yield
        finally:
            self.handlers = kept

    # ------------------------------------------------------------------------------------------- raising

    def throw(self, err: Error) -> None:
        """Raise here, on every path that comes here."""
        found = self.catcher(err.cls) if self.handlers else None
        if found is None:
            self.emit(ir.Raise(err.cls, self.message(err)))
            self.state = None
            return
        if self.lazy:
            raise NeedsBranch
        p, clause = found
        self.leave(p)
        if self.state is None:
            return
        caught = self.caught_by(p, clause, err)
        for loop in reversed(self.loops[p.loops:]):
            if not loop.unrolled:
                loop.exit_used = True
                self.emit(ir.Assign(loop.exit, Const(True, ir.BOOL)))
        self.state[caught.cell] = self.store((caught.cell,), err)
        self.emit(ir.Assign(caught.target.flag, Const(True, ir.BOOL)))
        caught.target.paths.append(Path(self.state, self.out))
        self.jumps.add(caught.target)
        self.state = None

    def leave(self, p: Protected) -> None:
        """Run the `finally` blocks between here and a handler."""
        handlers, frames = self.handlers, list(self.frames)
        for q in reversed(handlers[handlers.index(p) + 1:]):
            if q.final:
                self.handlers = q.outer
                del self.frames[len(frames) - frames[::-1].index(q.frame):]
                self.out = self.run(q.final)
                self.frames[:] = frames
                if self.state is None:
                    break
        self.handlers = handlers

    def caught_by(self, p: Protected, clause: int, err: Error) -> Caught:
        key = (clause, err.cls, skeleton(err))
        if key not in p.caught:
            flag = self.fresh("caught", ir.BOOL, synthetic=True)
            p.caught[key] = Caught(clause, err.cls, Target("except", flag), Cell("error"))
        return p.caught[key]

    def raise_if(self, cond: Expr, cls: type[BaseException], *message: Any) -> None:
        """Raise where a condition holds; what follows runs where it does not."""
        if not self.catches(cls):
            self.emit(If(cond, [ir.Raise(cls, list(message), place=self.place())]))
            return
        if self.lazy:
            raise NeedsBranch
        text = Obj(message[0]) if len(message) == 1 and isinstance(message[0], str) else Text(tuple(message))
        state = self.state
        assert state is not None
        with self.block(state) as out:
            self.throw(Error(cls, (text,)))
        self.state = state
        stmt = If(cond, out, [], place=self.place())
        self.emit(stmt)
        self.out = stmt.orelse

    def fail(self, cls: type[BaseException], message: str) -> Any:
        """The program raises here, whatever happens."""
        self.throw(Error(cls, (Obj(message),)))
        raise DeadCode

    def refusal(self, cls: type[BaseException], message: str, node: Any = None, hint: str = "", args: tuple[Any, ...] | None = None,
                **options: Any) -> Any:
        """What Python answers with an exception: raised where the program catches it, refused elsewhere."""
        if self.catches(cls):
            self.throw(Error(cls, tuple(Obj(a) for a in ((message,) if args is None else args))))
            raise DeadCode
        return self.error(message, node, hint, **options)

    def of_none(self, v: Value, cls: type[BaseException], message: str) -> None:
        """None stands where a value is needed. In a loop a later trip may have one there: the run that comes here raises."""
        if self.loops and isinstance(v, Obj) and v.value is None:
            self.fail(cls, message)

    def go_on(self, jumped: set[Target]) -> None:
        """What follows in this statement runs only on the paths that have not jumped."""
        flags = sorted({t.flag.name: t.flag for t in jumped}.items())
        cond: Expr = flags[0][1]
        for _, f in flags[1:]:
            cond = ir.call("or", cond, f)
        stmt = If(ir.call("not", cond), [])
        self.emit(stmt)
        self.out = stmt.body

    def branched(self, cond: Expr, then: Any, orelse: Any) -> None:
        """An `if` inside of an expression."""
        before, self.jumps = self.jumps, set()
        tail = self.branch(cond, then, orelse)
        mine, self.jumps = self.jumps, before | self.jumps
        if self.state is None:
            return
        if tail is not None:
            self.out = tail
        elif mine:
            self.go_on(mine)

    # ------------------------------------------------------------------------------------------- messages

    def message(self, err: Error) -> list[Any]:
        parts: list[Any] = []
        for k, a in enumerate(err.args):
            parts.extend([", "] if k else [])
            parts.extend(self.text_parts(a))
        return parts

    def error_text(self, err: Error) -> Value:
        """`str(e)`."""
        if not err.args:
            return Obj("")
        if len(err.args) > 1:
            return Text(("(", *(x for k, a in enumerate(err.args) for x in ((", ", a) if k else (a,))), ")"))
        a = err.args[0]
        if isinstance(a, Obj):
            return Obj(repr(a.value) if issubclass(err.cls, KeyError) else str(a.value))
        return a if isinstance(a, Text) else Text((a,))

    # ------------------------------------------------------------------------------------------- try

    def do_Try(self, s: Any, rest: list[Any]) -> list[Stmt] | None:
        outer, loops, frame = self.handlers, len(self.loops), self.frames[-1]
        if s.finalbody:
            self.handlers = (*self.handlers, Protected(frame, loops, outer, final=s.finalbody))
        clauses = [(self.exception_classes(h), h) for h in s.handlers]
        if s.finalbody and jumps(s.finalbody):
            if not ends_in_jump(s.finalbody):
                raise self.error("a jump out of `finally` that is not its last statement is not supported", s.finalbody[0])
            self.handlers = (*self.handlers, Protected(frame, loops, self.handlers, [(BaseException, None)]))
        swallow = self.handlers[-1] if s.finalbody and jumps(s.finalbody) else None
        before, self.jumps = self.jumps, set()
        mark, out = len(self.out), self.out
        p = Protected(frame, loops, self.handlers, clauses)
        around, self.handlers = self.handlers, (*self.handlers, p)
        tail = self.run([*s.body, _Unprotected(around), *s.orelse])
        self.handlers = around
        paths = [Path(self.state, tail)] if self.state is not None else []
        self.out = out
        paths += self.handle(p, mark)
        if swallow is not None:
            self.handlers = swallow.outer
            paths += self.handle(swallow, mark)
        self.handlers = outer
        mine, self.jumps = self.jumps, before
        self.state = self.join(paths)
        if self.state is None:
            self.jumps = before | mine
            return self.out
        if len(paths) == 1 and not mine and paths[0].out is not out:
            mine = set()
        self.jumps = before | mine
        rest = [*s.finalbody, *rest]
        if mine:
            return self.guard(mine, rest)
        return self.run(rest)

    do_TryStar = None

    def do__Unprotected(self, s: Any) -> None:
        self.handlers = s.outer

    def exception_classes(self, h: Any) -> Any:
        if h.type is None:
            return BaseException
        classes = self.static(self.eval(h.type))
        if not all(isinstance(c, type) and issubclass(c, BaseException) for c in (classes if isinstance(classes, tuple) else (classes,))):
            raise self.error("an `except` clause needs exception classes", h)
        if FloatingPointError in (classes if isinstance(classes, tuple) else (classes,)):
            raise self.error("FloatingPointError cannot be caught", h, "np.errstate(...='raise') has no effect in compiled code.")
        return classes

    def handle(self, p: Protected, mark: int) -> list[Path]:
        """The handlers that were reached, each under its flag; where they end."""
        out = self.out
        groups = list(p.caught.values())
        for c in groups:
            out.insert(mark, ir.Assign(c.target.flag, Const(False, ir.BOOL), place=self.place()))
        paths = []
        for c in groups:
            self.jumps.discard(c.target)
            state = self.join(c.target.paths)
            if state is None:
                continue
            with self.block(state) as body:
                tail = self.handler(p.clauses[c.clause][1], c)
            if self.state is not None:
                paths.append(Path(self.state, tail))
            stmt = If(c.target.flag, body, place=self.place())
            out.append(stmt)
        return paths

    def handler(self, h: Any, c: Caught) -> list[Stmt]:
        assert self.state is not None
        err = self.state.pop(c.cell)
        if h is None:
            return self.out
        before, self.node = self.node, h
        self.errors = (*self.errors, err)
        name = h.name.id if h.name is not None else ""
        if name:
            self.bind_name(name, err)
        try:
            return self.run([*h.body, _Forget(name)])
        finally:
            self.node = before
            self.errors = self.errors[:-1]

    def do__Forget(self, s: Any) -> None:
        if s.name and self.state is not None:
            self.state.pop(self.frames[-1].scope.find(s.name), None)

    def do_Raise(self, s: Any) -> None:
        if s.exc is None:
            if not self.errors:
                raise self.error("raise without an exception to raise again", s)
            self.throw(self.errors[-1])
            return
        v = self.eval(s.exc)
        self.node = s
        if isinstance(v, Obj) and isinstance(v.value, type) and issubclass(v.value, BaseException):
            v = Error(v.value, ())
        if isinstance(v, Obj) and isinstance(v.value, BaseException):
            v = Error(type(v.value), tuple(Obj(a) for a in v.value.args))
        if not isinstance(v, Error):
            raise self.error(f"raise of {describe(v)} is not supported", s)
        self.throw(v)


class _Unprotected:
    """Marks the end of a `try` body in a list of statements."""

    def __init__(self, outer: Any) -> None:
        self.outer = outer


class _Forget:
    """The end of a handler: the name of the exception is deleted."""

    def __init__(self, name: str) -> None:
        self.name = name


def jumps(body: Sequence[Any]) -> bool:
    """Do these statements hold a return, break or continue of their own?"""
    import gast

    todo: list[tuple[Any, bool]] = [(s, False) for s in body]
    while todo:
        n, inner = todo.pop()
        if isinstance(n, gast.Return) or (isinstance(n, gast.Break | gast.Continue) and not inner):
            return True
        if not isinstance(n, gast.FunctionDef | gast.Lambda | gast.ClassDef):
            todo.extend((c, inner or isinstance(n, gast.For | gast.While)) for c in gast.iter_child_nodes(n))
    return False


def ends_in_jump(body: Sequence[Any]) -> bool:
    import gast

    return isinstance(body[-1], gast.Return | gast.Break | gast.Continue) and not jumps(body[:-1])


__all__ = ["DeadCode", "Exceptions", "NeedsBranch", "Protected"]
