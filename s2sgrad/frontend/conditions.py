"""The truth of values: `and`, `or`, conditional expressions, what may be evaluated without a branch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gast

from s2sgrad import ir
from s2sgrad.frontend.exceptions import DeadCode, NeedsBranch
from s2sgrad.frontend.iterators import Iterators
from s2sgrad.frontend.unify import convert, fits, promote
from s2sgrad.frontend.values import (
    Cell,
    Error,
    Func,
    Growing,
    Items,
    Iter,
    Maybe,
    Method,
    Num,
    Obj,
    OneOfThese,
    Partial,
    Range,
    Ref,
    SliceOf,
    Spelled,
    Text,
    Tup,
    Value,
    describe,
    number,
)
from s2sgrad.ir import Const, Expr


class Conditions(Iterators):
    def condition(self, node: Any) -> Any:
        """The truth of an expression: a Python bool, or a boolean expression."""
        if isinstance(node, gast.BoolOp):
            return self.short_circuit(isinstance(node.op, gast.And), list(node.values))
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            c = self.condition(node.operand)
            return not c if isinstance(c, bool) else negated(c)
        v = self.eval(node)
        self.at(node)
        return self.truth(v)

    def truth(self, v: Value) -> Any:
        v = self.current(v)
        if isinstance(v, Maybe) and v.absent == "none":
            inner = self.truth(v.value)
            return v.flag if inner is True else False if inner is False else ir.call("and", v.flag, inner)
        if isinstance(v, Num):
            if v.known:
                return bool(v.const)
            if v.is_array:
                raise self.error("the truth value of an array is ambiguous", hint="Use np.any(...) or np.all(...).")
            if v.type.dtype == "bool":
                return v.expr
            return ir.call("ne", v.expr, 0)
        if isinstance(v, Obj):
            return bool(v.value)
        if isinstance(v, OneOfThese):
            return self.for_each(v, self.truth)
        if isinstance(v, Tup):
            own = self.own_method(v, "__bool__")
            return bool(v.items) if own is None else self.truth(self.call(own, [v], {}, None))
        if isinstance(v, Ref) and v.heap.kind != "object":
            c = self.contents(v)
            if isinstance(c, Growing):
                return ir.call("gt", c.length, 0)
            return bool(c.items) if isinstance(c, Items) else self.either([self.has_key(v, k) for k in c.fields])
        if isinstance(v, Ref):
            for name in ("__bool__", "__len__"):
                f = getattr(v.heap.cls, name, None)
                if f is not None:
                    return self.truth(self.call(Obj(f), [v], {}, None))
        if isinstance(v, Range):
            return self.truth(self.range_length(v))
        if isinstance(v, Text):
            return any(isinstance(p, Num | Spelled) or (isinstance(p, Value) and self.truth(p)) or (isinstance(p, str) and p) for p in v.parts)
        if isinstance(v, Func | Method | Partial | Iter | Error | SliceOf):
            return True
        raise self.error(f"the truth of {describe(v)} is not known")

    def short_circuit(self, conjunction: bool, nodes: Sequence[Any]) -> Any:
        """`a and b and ...` as a condition; operands with side effects go into a branch."""
        c = self.condition(nodes[0])
        if len(nodes) == 1:
            return c
        if isinstance(c, bool):
            return self.short_circuit(conjunction, nodes[1:]) if c is conjunction else c
        more = self.pure(lambda: self.short_circuit(conjunction, nodes[1:]))
        if more is not None:
            if isinstance(more, bool):
                if more is conjunction:
                    return c
                return ir.call("and" if conjunction else "or", c, Const(more, ir.BOOL))
            return ir.call("and" if conjunction else "or", c, more)

        def rest() -> Value:
            r = self.short_circuit(conjunction, nodes[1:])
            return number(r) if isinstance(r, bool) else Num(r)

        short = lambda: number(not conjunction)
        return self.truth(self.choose(c, rest, short) if conjunction else self.choose(c, short, rest))

    def pure(self, thunk: Callable[[], Any]) -> Any:
        """The result of a thunk that emits nothing; None where it would (nothing has happened then)."""
        snap, state = self.snapshot(), dict(self.state or {})
        self.lazy += 1
        try:
            with self.block() as out:
                r = thunk()
        except (NeedsBranch, DeadCode):
            r, out = None, [None]
        self.lazy -= 1
        if out or any(k not in state or self.state[k] is not state[k] for k in (self.state or {})):  # type: ignore[index]
            self.rollback(snap)
            self.state = state
            return None
        return r

    def choose(self, cond: Expr, a: Callable[[], Value], b: Callable[[], Value]) -> Value:
        """A conditional expression as a branch: the chosen value in variables of its own."""
        if self.lazy:
            raise NeedsBranch
        cell = Cell("t")

        def side(thunk: Callable[[], Value]) -> Callable[[], None]:
            def run() -> None:
                v = thunk()
                assert self.state is not None
                self.state[cell] = self.store((cell,), v) if not isinstance(v, Num) or not isinstance(v.expr, Const) else v
            return run

        node = self.node
        self.branched(cond, side(a), side(b))
        self.node = node
        if self.state is None:
            raise DeadCode
        v = self.state.pop(cell)
        return self.checked(v)

    def eval_BoolOp(self, n: Any) -> Value:
        return self.boolean(isinstance(n.op, gast.And), list(n.values))

    def boolean(self, conjunction: bool, nodes: Sequence[Any]) -> Value:
        v = self.eval(nodes[0])
        if len(nodes) == 1:
            return v
        c = self.truth(v)
        if isinstance(c, bool):
            return self.boolean(conjunction, nodes[1:]) if c is conjunction else v
        rest = lambda: self.boolean(conjunction, nodes[1:])
        more = self.pure(rest)
        if isinstance(more, Num) and isinstance(v, Num) and v.type.dtype == "bool" and more.type.dtype == "bool" and not more.is_array:
            return Num(ir.call("and" if conjunction else "or", v.expr, more.expr))
        v = self.bind_all(v) if not self.lazy else v
        keep = lambda: v.value if isinstance(v, Maybe) and not conjunction else v
        return self.conditional(c, rest, keep) if conjunction else self.conditional(c, keep, rest)

    def eval_IfExp(self, n: Any) -> Value:
        cond = self.condition(n.test)
        if isinstance(cond, bool):
            return self.eval(n.body if cond else n.orelse)
        return self.conditional(cond, lambda: self.eval(n.body), lambda: self.eval(n.orelse))

    def conditional(self, cond: Expr, a: Callable[[], Value], b: Callable[[], Value]) -> Value:
        """`a if cond else b`: an expression where both are pure numbers, else a branch."""
        x = self.pure(a)
        if isinstance(x, Num) and not x.is_array:
            y = self.pure(b)
            if isinstance(y, Num) and not y.is_array:
                t = promote(x.type, y.type)
                if t is not None and fits(x.type, x.const, t) and fits(y.type, y.const, t):
                    e, f = convert(x.expr, t), convert(y.expr, t)
                    return Num(ir.call("ifexp", cond, e, f))
        return self.choose(cond, a, b)


def negated(c: Expr) -> Expr:
    if isinstance(c, ir.Call) and c.op == "not":
        return c.args[0]
    return ir.call("not", c)
