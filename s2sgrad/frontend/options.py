"""Strings and functions that a path or a loop chooses: `state = "done" if err < tol else state`.

Each of them has a number, which a variable holds. Comparisons and calls ask for the number; a statement that needs the object itself is
written once for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from s2sgrad import errors, ir
from s2sgrad.frontend.machine import Machine, State
from s2sgrad.frontend.unify import same
from s2sgrad.frontend.values import Error, Fields, Func, Items, Maybe, Num, Obj, OneOfThese, Partial, Text, Tup, Value, describe
from s2sgrad.ir import Const, Expr

MOST = 16  # objects that one variable may hold


class Undecided(errors.TypeConflict):
    """A statement needs to know which object it has. It may be written for each of them."""

    chosen: OneOfThese


def can_be_chosen(vals: Sequence[Value]) -> bool:
    """Are these a few strings and functions? (Not closures that are made anew at each turn: there would be more of them with every trip of a loop.)"""
    these = [x for v in vals for x in (v.these if isinstance(v, OneOfThese) else (v,))]
    functions = {(id(f.node), id(f.scope)) for f in these if isinstance(f, Func)}
    few = max((len(v.these) for v in vals if isinstance(v, OneOfThese)), default=0) <= MOST
    return few and all(map(may_be_chosen, these)) and len({node for node, _ in functions}) == len(functions)


def may_be_chosen(v: Value) -> bool:
    if isinstance(v, Func):
        return not v.defaults and not any(d is not None for d in v.kw_defaults)
    return isinstance(v, Obj) and (isinstance(v.value, str) or callable(v.value))


class Options(Machine):
    def code(self, v: Value) -> int:
        """The number of an object."""
        for k, known in enumerate(self.options):
            if same(known, v):
                return k
        self.options.append(v)
        return len(self.options) - 1

    def merge_options(self, slot: tuple[Any, ...], vals: Sequence[Value]) -> Value:
        codes = {k for v in vals for k in ([self.code(x) for x in v.these] if isinstance(v, OneOfThese) else [self.code(v)])}
        return OneOfThese(Num(self.slot_var((*slot, "which"), ir.INT)), tuple(self.options[k] for k in sorted(codes)))

    def code_expr(self, v: Value) -> Expr:
        return v.which.expr if isinstance(v, OneOfThese) else Const(self.code(v), ir.INT)

    def is_this(self, v: OneOfThese, option: Value) -> Expr:
        return ir.call("eq", v.which.expr, self.code(option))

    def for_each(self, v: OneOfThese, test: Callable[[Value], Any]) -> Any:
        """A condition on the object, as one on its number."""
        return self.either([self.every([self.is_this(v, x), test(x)]) for x in v.these])

    def with_each(self, v: OneOfThese, use: Callable[[Value], Value]) -> Value:
        """What is made of the object, in a branch for each; where no variable can hold it the statement is written for each of them."""

        def one(these: Sequence[Value]) -> Value:
            if len(these) == 1:
                return use(these[0])
            return self.choose(self.is_this(v, these[0]), lambda: use(these[0]), lambda: one(these[1:]))

        try:
            return one(v.these)
        except Undecided:
            raise
        except errors.TypeConflict:
            raise self.undecided(v) from None

    def undecided(self, v: OneOfThese, name: str = "") -> Undecided:
        kinds = " on one path and ".join(describe(x) for x in v.these)
        err = self.error(f"{name or 'this value'} would be {kinds} on another", kind=Undecided,
                         hint="Use two names, or give the variable the same kind of value on every path.")
        assert isinstance(err, Undecided)
        err.chosen = v
        return err

    def holds(self, state: State, v: OneOfThese) -> bool:
        """Does the choice stand in a variable there?"""
        return any(narrowed(x, v.which.expr, v.these[0]) is not x for x in state.values())

    def narrow(self, v: OneOfThese, option: Value) -> None:
        """Where we are the choice is made."""
        assert self.state is not None
        self.state = {k: narrowed(x, v.which.expr, option) for k, x in self.state.items()}

    def statement_for_each(self, v: OneOfThese, s: Any, rest: Sequence[Any]) -> list[ir.Stmt] | None:
        """A statement once for each of the objects it may have."""
        first, others = v.these[0], v.these[1:]

        def this() -> list[ir.Stmt] | None:
            self.narrow(v, first)
            return self.run([s])

        def another() -> list[ir.Stmt] | None:
            if len(others) == 1:
                self.narrow(v, others[0])
                return self.run([s])
            return self.statement_for_each(replace(v, these=others), s, ())

        return self.branch(self.is_this(v, first), this, another, rest)


def narrowed(v: Value, which: Expr, option: Value) -> Value:
    """The value where the choice that `which` holds has been made."""
    if isinstance(v, OneOfThese):
        return option if v.which.expr == which else v
    if isinstance(v, Maybe):
        inner = narrowed(v.value, which, option)
        return v if inner is v.value else replace(v, value=inner)
    parts: Any = None
    if isinstance(v, Tup | Items):
        parts = [narrowed(x, which, option) for x in v.items]
        return v if all(a is b for a, b in zip(parts, v.items, strict=True)) else replace(v, items=tuple(parts))
    if isinstance(v, Fields):
        made = {k: narrowed(x, which, option) for k, x in v.fields.items()}
        return v if all(made[k] is x for k, x in v.fields.items()) else Fields(made)
    if isinstance(v, Text | Error | Partial):
        field = "parts" if isinstance(v, Text) else "args"
        old = getattr(v, field)
        parts = tuple(narrowed(x, which, option) if isinstance(x, Value) else x for x in old)
        return v if all(a is b for a, b in zip(parts, old, strict=True)) else replace(v, **{field: parts})
    return v
