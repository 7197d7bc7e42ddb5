"""`with`: contexts that mean nothing to numbers, objects with __enter__ and __exit__, generators made contexts by contextlib."""

from __future__ import annotations

import contextlib
import inspect
import types
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sgrad.frontend.checks import Checks
from s2sgrad.frontend.exceptions import jumps
from s2sgrad.frontend.values import NONE, Func, Method, Obj, Ref, Value, describe
from s2sgrad.ir import Stmt

IDLE = ("catch_warnings", "nullcontext", "printoptions", "_scope")
MADE = contextlib.contextmanager(lambda: iter(())).__code__  # what contextlib makes of a generator function


class Contexts(Checks):
    def do_With(self, s: Any, rest: list[Any]) -> list[Stmt] | None:
        for k, item in enumerate(s.items):
            ctx = item.context_expr
            inner = [gast.copy_location(gast.With(s.items[k + 1:], s.body, None), s)] if s.items[k + 1:] else s.body
            tape = self.tape_of(item) if isinstance(ctx, gast.Call) else None
            if tape is not None:
                return self.with_tape(tape, inner, rest, ctx)
            f = self.eval(ctx.func) if isinstance(ctx, gast.Call) else None
            idle = isinstance(f, Obj) and (f.value is np.errstate or getattr(f.value, "__name__", "") in IDLE) and item.optional_vars is None
            made = None if idle else made_context(f)
            if made is not None:
                return self.with_generator(made, item, inner, rest)
            if self.may_be_manager(f, ctx):
                return self.with_manager(self.eval(ctx), item, inner, rest)
            if isinstance(f, Obj) and getattr(f.value, "__s2sgrad_scope__", False):  # a device: entered once, to check its name
                with f.value(*(self.static(self.eval(a)) for a in ctx.args)):
                    continue
            if isinstance(f, Obj) and f.value is contextlib.suppress and item.optional_vars is None:
                caught = gast.copy_location(gast.ExceptHandler(gast.Tuple(ctx.args, gast.Load()), None, [gast.Pass()]), ctx)
                return self.do_Try(gast.copy_location(gast.Try(inner, [caught], [], []), s), rest)
            if isinstance(f, Obj) and f.value is contextlib.nullcontext:
                value = self.eval(ctx.args[0]) if ctx.args else NONE
                if item.optional_vars is not None:
                    self.assign(item.optional_vars, value)
                continue
            if not idle:
                raise self.error("this `with` is not supported", ctx, "np.errstate is accepted and has no effect in compiled code.")
        return self.splice(s.body, rest)

    def tape_of(self, item: Any) -> Any:
        """The tape that a `with` makes, bound to its name; None for another context."""
        f = self.eval(item.context_expr.func)
        if not (isinstance(f, Obj) and inspect.getattr_static(f.value, "__s2sgrad_tape__", False)):
            return None
        made = self.eval(item.context_expr)
        if item.optional_vars is not None:
            self.assign(item.optional_vars, made)
        return made.value

    def may_be_manager(self, f: Value | None, ctx: Any) -> bool:
        """Could this give an object with methods __enter__ and __exit__ that are written in Python?"""
        if f is None or isinstance(f, Func | Method):
            return True
        if not isinstance(f, Obj) or getattr(f.value, "__name__", "") in IDLE or getattr(f.value, "__s2sgrad_scope__", False):
            return False
        if isinstance(f.value, type):
            return isinstance(getattr(f.value, "__enter__", None), types.FunctionType) and f.value.__module__ not in ("contextlib", "numpy", "warnings")
        return isinstance(f.value, types.FunctionType)

    def with_manager(self, v: Value, item: Any, inner: Sequence[Any], rest: list[Any]) -> list[Stmt] | None:
        """`with manager as target: inner`."""
        ctx = item.context_expr
        cls = v.heap.cls if isinstance(v, Ref) and v.heap.kind == "object" else None
        if not all(isinstance(getattr(cls, name, None), types.FunctionType) for name in ("__enter__", "__exit__")):
            raise self.error(f"{describe(v)} is not a context that is supported", ctx)
        if any(p.clauses for p in self.handlers):
            raise self.error("a context of your own inside of a `try` is not supported", ctx)
        entered = self.call(self.class_attribute(v, cls, "__enter__", ctx), [], {}, ctx)
        if item.optional_vars is not None:
            self.assign(item.optional_vars, entered)

        def leave() -> None:
            swallows = self.truth(self.call(self.class_attribute(v, cls, "__exit__", ctx), [NONE, NONE, NONE], {}, ctx))
            if swallows is not False:
                raise self.error(f"{describe(v)} may swallow an exception in its __exit__: not supported", ctx)

        return self.do_Try(gast.copy_location(gast.Try(list(inner), [], [], [Step(leave)]), ctx), rest)

    def with_generator(self, made: Value, item: Any, inner: Sequence[Any], rest: list[Any]) -> list[Stmt] | None:
        """A context made of a generator function: its one element is the target, its rest runs after the block."""
        ctx = item.context_expr
        if jumps(inner):
            raise self.error("a jump out of a context that is made of a generator is not supported", ctx, "Leave the `with` first.")
        generator = self.call_of(ctx, made)

        def entered(x: Value) -> None:
            if item.optional_vars is not None:
                self.assign(item.optional_vars, x)

        return self.iterate(generator, ctx, entered, lambda: self.run(inner), (), rest)


class Step:
    """A thunk standing in a list of statements."""

    _fields = ()

    def __init__(self, run: Any) -> None:
        self.run = run


def made_context(f: Value | None) -> Value | None:
    """The generator function of a context made by contextlib.contextmanager; None for others."""
    if isinstance(f, Method) and f.func is not None:
        own = made_context(f.func)
        return None if own is None else replace(f, func=own)
    if isinstance(f, Obj) and getattr(f.value, "__code__", None) is MADE:
        return Obj(f.value.__wrapped__, None if f.access is None else (*f.access, ("attr", "__wrapped__")))
    return None


__all__ = ["Contexts", "Step"]
