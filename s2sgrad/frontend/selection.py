"""Lists chosen at run time: `bins[k].append(v)`, `len(bins[k])`, `(left if v < p else right).append(v)` as one branch for each list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gast

from s2sgrad import ir
from s2sgrad.frontend.exceptions import NeedsBranch
from s2sgrad.frontend.objects import Objects
from s2sgrad.frontend.values import Growing, Items, Method, Num, Ref, Tup, Value, is_list
from s2sgrad.ir import Expr

READS = frozenset({"len", "sum", "min", "max", "any", "all"})
CHANGES = frozenset({"append", "extend", "insert", "pop", "remove", "clear", "reverse", "sort"})
FEW = 4
MOST = 64  # lists that a run-time index may choose among: each is a branch


@dataclass(frozen=True, eq=False)
class OneOf(Value):
    """The list of the first condition that holds, else the last one."""

    cases: tuple[tuple[Expr, Ref], ...]
    last: Ref


class Selection(Objects):
    def eval_Attribute(self, n: Any) -> Value:
        if n.attr in CHANGES and isinstance(n.value, gast.Subscript | gast.IfExp):
            owner = self.chosen_list(n.value) if isinstance(n.value, gast.IfExp) else self.indexed_list(n.value)
            self.at(n)
            return Method(owner, n.attr) if isinstance(owner, OneOf) else self.attribute(self.present(owner), n.attr, n)
        return super().eval_Attribute(n)

    def eval_Subscript(self, n: Any) -> Value:
        if not isinstance(n.value, gast.Subscript):
            return super().eval_Subscript(n)
        base = self.indexed_list(n.value, grown=True)
        point = self.point()
        index = self.eval_index(n.slice)
        (base,) = self.after([base], point)
        self.at(n)
        if isinstance(base, OneOf):
            return self.in_each(base, lambda v: self.part_of(v, index))
        return self.part_of(self.present(base), index)

    def read_of_one(self, n: Any) -> Value | None:
        """`len(lists[k])` and the like, where the list is chosen at run time."""
        if not (isinstance(n.func, gast.Name) and n.func.id in READS and len(n.args) == 1 and not n.keywords and isinstance(n.args[0], gast.Subscript)):
            return None
        func = self.eval(n.func)
        arg = self.indexed_list(n.args[0], grown=True)
        self.at(n)
        use = lambda v: self.call_of(n, func, [v])
        return self.in_each(arg, use) if isinstance(arg, OneOf) else use(arg)

    def in_each(self, one: OneOf, use: Callable[[Value], Value]) -> Value:
        """What is done with the list that is chosen, in a branch for each."""
        if not one.cases:
            return use(one.last)
        (cond, ref), *rest = one.cases
        return self.choose(cond, lambda: use(ref), lambda: self.in_each(OneOf(tuple(rest), one.last), use))

    def chosen_list(self, n: Any) -> Value:
        """`a if c else b` of two names of lists."""
        if not all(isinstance(side, gast.Name) for side in (n.body, n.orelse)):
            return self.eval(n)
        cond = self.condition(n.test)
        if isinstance(cond, bool):
            return self.eval(n.body if cond else n.orelse)
        a, b = (self.present(self.eval(side)) for side in (n.body, n.orelse))
        if self.lazy:
            raise NeedsBranch
        if is_list(a) and is_list(b):
            return OneOf(((self.branch_var("first", ir.BOOL, cond), a),), b)  # type: ignore[arg-type]
        return self.conditional(cond, lambda: a, lambda: b)

    def indexed_list(self, n: Any, grown: bool = False) -> Value:
        """`lists[k]` with an index known at run time; `grown`: only lists that `stay_apart`."""
        base, index = self.subscripted(n)
        items = self.lists_inside(base)
        if grown and not self.stay_apart(items):
            items = ()
        if len(items) < 2 or self.may_unroll or len(index) != 1 or not isinstance(index[0], Num):
            return self.part_of(base, index)
        k = self.integer(index[0])
        if k.known or self.try_static(k) is not None:
            return self.part_of(base, index)
        return self.one_of(items, k)

    def lists_inside(self, base: Value) -> Sequence[Ref]:
        """The lists of a tuple or a list of known length that holds nothing else."""
        content = self.contents(base) if is_list(base) else base
        items = content.items if isinstance(content, Items | Tup) else ()
        return items if len(items) <= MOST and all(is_list(v) for v in items) else ()  # type: ignore[return-value]

    def one_of(self, items: Sequence[Ref], k: Num) -> OneOf:
        if self.lazy:
            raise NeedsBranch
        k, n = self.as_var(self.bind(k, "k"), "k"), len(items)
        outside = ir.call("or", ir.call("lt", k.expr, -n), ir.call("ge", k.expr, n))
        self.raise_if(outside, IndexError, "list index out of range")
        at = [ir.call("or", ir.call("eq", k.expr, j), ir.call("eq", k.expr, j - n)) for j in range(n)]
        return OneOf(tuple(zip(at[:-1], items[:-1], strict=True)), items[-1])

    def stay_apart(self, items: Sequence[Ref]) -> bool:
        """Are these few lists, or lists that have grown? (Many rows are read as one array.)"""
        contents = [self.contents(v) for v in items]
        return 1 < len(items) <= FEW or any(isinstance(c, Growing) or not c.items for c in contents)  # type: ignore[attr-defined]

    def read_one_of(self, items: Sequence[Ref], k: Num) -> Value:
        """The chosen list, to be read."""
        return self.in_each(self.one_of(items, k), lambda v: v)
