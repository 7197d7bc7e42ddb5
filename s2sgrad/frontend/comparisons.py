"""Comparisons: `==`, `<`, `is`, `in`."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.arithmetic import METHOD, fold
from s2sgrad.frontend.conditions import negated
from s2sgrad.frontend.exceptions import DeadCode
from s2sgrad.frontend.extents import is_extents
from s2sgrad.frontend.iterators import VIEWS, Iterators
from s2sgrad.frontend.values import (
    UNKNOWN,
    Cell,
    Fields,
    Func,
    Growing,
    Iter,
    Maybe,
    Method,
    Num,
    Obj,
    OneOfThese,
    Range,
    Ref,
    SliceOf,
    Text,
    Tup,
    Value,
    describe,
    is_dict,
    is_list,
    map_nums,
    number,
    nums,
)
from s2sgrad.ir import Const, Expr
from s2sgrad.rules import registry

COMPARE = {"Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge}
TENSOR_NAMES = {"Eq": "equal", "NotEq": "not_equal", "Lt": "less", "LtE": "less_equal", "Gt": "greater", "GtE": "greater_equal"}
OPNAME = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}
REFLECTED = {"Eq": "Eq", "NotEq": "NotEq", "Lt": "Gt", "LtE": "GtE", "Gt": "Lt", "GtE": "LtE"}


class Comparisons(Iterators):
    def eval_Compare(self, n: Any) -> Value:
        if len(n.ops) == 1:
            a, b = self.in_order([lambda: self.eval(n.left), lambda: self.eval(n.comparators[0])])
            self.at(n)
            return self.compare_values(type(n.ops[0]).__name__, a, b)
        # a < b < c: the middle operands are evaluated once
        left = self.eval(n.left)
        conds: list[Any] = []
        for i, (op, right) in enumerate(zip(n.ops, n.comparators, strict=True)):
            point = self.point()
            r = self.eval(right)
            (left, *_) = self.after([left], point)
            last = i == len(n.ops) - 1
            if not last:
                point = self.point()
                r = map_nums(r, lambda x: x if isinstance(x.expr, ir.Var | Const) else self.bind(x, "m"))
                (left, *_) = self.after([left], point)
            conds.append(self.truth(self.compare_values(type(op).__name__, left, r)))
            left = r
        c = self.every(conds)
        return number(c) if isinstance(c, bool) else Num(c)

    def compare_values(self, op: str, a: Value, b: Value) -> Value:
        if op in ("Is", "IsNot"):
            return self.identity(op == "Is", a, b)
        if op in ("In", "NotIn"):
            c = self.contains(b, a)
            if isinstance(c, bool):
                return number(c if op == "In" else not c)
            return Num(c if op == "In" else negated(c))
        if isinstance(a, Maybe) or isinstance(b, Maybe):
            if isinstance(b, Obj) and b.value is None and op in ("Eq", "NotEq"):
                return self.identity(op == "Eq", a, b)
            if op in ("Eq", "NotEq") and (isinstance(a, Maybe) and a.absent == "none") != (isinstance(b, Maybe) and b.absent == "none"):
                return self.equal_if_present(op == "Eq", a, b)
            a, b = self.present(a), self.present(b)
        a, b = self.operands(self.vector(a), self.vector(b), TENSOR_NAMES[op], TENSOR_NAMES[REFLECTED[op]])
        if isinstance(a, Num) and isinstance(b, Num):
            const = fold(COMPARE[op], a.const, b.const) if a.known and b.known else UNKNOWN
            try:
                e = registry.call(OPNAME[op], a.expr, b.expr)
            except TypeError as err:
                raise self.error(str(err)) from None
            if isinstance(e.type, ir.Scalar) and a.type.weak and b.type.weak:
                pass
            return Num(e, const)
        if op != "Eq":  # `equal` looks for __eq__ itself
            own = self.own_operator(METHOD[op], METHOD[REFLECTED[op]], a, b)
            if own is not None:
                return own
        if op in ("Eq", "NotEq"):
            c = self.equal(a, b)
            if isinstance(c, bool):
                return number(c if op == "Eq" else not c)
            return Num(c if op == "Eq" else negated(c))
        if isinstance(a, Obj) and isinstance(b, Obj):
            return self.lift(COMPARE[op](a.value, b.value), None)
        if isinstance(a, Num | Ref | Tup) and isinstance(b, Num | Ref | Tup) and (isinstance(a, Num) or isinstance(b, Num)):
            return self.compare_values(op, self.numeric(a), self.numeric(b))
        if op in ("Lt", "LtE", "Gt", "GtE") and (isinstance(a, Tup) and isinstance(b, Tup) or is_list(a) and is_list(b)):
            return self.lexicographic(op, self.new_tuple(a), self.new_tuple(b))
        if isinstance(a, Text | Obj) and isinstance(b, Text | Obj):
            return number(COMPARE[op](self.static(a), self.static(b)))
        if isinstance(a, Ref) and isinstance(b, Ref) and a.heap.cls is b.heap.cls and self.own_method(a, METHOD[op]) is not None:
            return self.lexicographic(op, self.fields_tuple(a), self.fields_tuple(b))  # written by @dataclass(order=True)
        for v in (a, b):
            self.of_none(v, TypeError, "None cannot be ordered")
        raise self.error(f"comparing {describe(a)} with {describe(b)} is not supported")

    def equal_if_present(self, positive: bool, a: Value, b: Value) -> Value:
        """`a == b` where one of them may be None, which equals nothing else."""
        maybe, other, turned = (a, b, False) if isinstance(a, Maybe) and a.absent == "none" else (b, a, True)
        assert isinstance(maybe, Maybe)
        if isinstance(maybe.value, Num) and maybe.value.is_array or isinstance(other, Num) and other.is_array:
            return self.compare_values("Eq" if positive else "NotEq", self.present(a), self.present(b))
        inner = self.truth(self.compare_values("Eq", *((other, maybe.value) if turned else (maybe.value, other))))
        c = self.every([maybe.flag, inner])
        return number(c if positive else not c) if isinstance(c, bool) else Num(c if positive else negated(c))

    def fields_tuple(self, v: Ref) -> Tup:
        c = self.contents(v)
        assert isinstance(c, Fields)
        return Tup(tuple(c.fields[f.name] for f in dataclasses.fields(v.heap.cls) if f.compare))

    def lexicographic(self, op: str, a: Tup, b: Tup) -> Value:
        strict = "Lt" if op.startswith("Lt") else "Gt"
        if not a.items or not b.items:
            return number(COMPARE[op](len(a.items), len(b.items)))
        if len(a.items) == 1 or len(b.items) == 1:
            return self.compare_values(op if len(a.items) == len(b.items) else strict, a.items[0], b.items[0])
        first = self.truth(self.compare_values(strict, a.items[0], b.items[0]))
        tie = self.truth(self.compare_values("Eq", a.items[0], b.items[0]))
        more = self.truth(self.lexicographic(op, Tup(a.items[1:]), Tup(b.items[1:])))
        c = self.either([first, self.every([tie, more])])
        return number(c) if isinstance(c, bool) else Num(c)

    def equal(self, a: Value, b: Value) -> Any:
        """`a == b` as a Python bool or a boolean expression."""
        own = self.own_operator("__eq__", "__eq__", a, b)
        if own is not None:
            return self.truth(own)
        if isinstance(a, OneOfThese):
            return self.for_each(a, lambda x: self.equal(x, b))
        if isinstance(b, OneOfThese):
            return self.for_each(b, lambda x: self.equal(a, x))
        if a is b and not isinstance(a, Num):
            return True
        if isinstance(a, Num) and isinstance(b, Num):
            return self.truth(self.compare_values("Eq", a, b))
        if isinstance(a, Obj) and isinstance(b, Obj):
            return bool(a.value == b.value)
        if isinstance(a, Text) or isinstance(b, Text):
            return self.equal_texts(a, b)
        if isinstance(a, Tup) and isinstance(b, Tup) or (is_list(a) and is_list(b)) or is_extents(a) and is_list(b) or is_list(a) and is_extents(b):
            return self.equal_sequences(a, b)
        if is_dict(a) and is_dict(b):
            return self.equal_dicts(a, b)
        if any(isinstance(v, Ref) and v.heap.kind == "set" or isinstance(v, Iter) and v.kind == "keys" for v in (a, b)):
            return bool(self.set_of(a) == self.set_of(b))
        if isinstance(a, Ref) and isinstance(b, Ref):
            if a.heap is b.heap:
                return True
            if self.same_element(a, b) is not None and self.own_method(a, "__eq__") is None:
                return self.same_element(a, b)
            if a.heap.cls is b.heap.cls and self.own_method(a, "__eq__") is not None:
                return self.equal(self.fields_tuple(a), self.fields_tuple(b))  # written by @dataclass
            return False
        if isinstance(a, Num) and a.is_array or isinstance(b, Num) and b.is_array:
            if not (isinstance(a, Num | Tup) or is_list(a)) or not (isinstance(b, Num | Tup) or is_list(b)):
                raise self.error(f"comparing {describe(a)} with {describe(b)} is not supported")
            return self.truth(self.compare_values("Eq", self.numeric(a), self.numeric(b)))
        if isinstance(a, Func) and isinstance(b, Func):
            return a.node is b.node and a.scope is b.scope
        if isinstance(a, Range) and isinstance(b, Range) and all(n.known for n in (*nums(a), *nums(b))):
            return bool(range(*(n.const for n in nums(a))) == range(*(n.const for n in nums(b))))
        if isinstance(a, SliceOf) and isinstance(b, SliceOf):
            return self.every([self.equal(x, y) for x, y in ((a.lower, b.lower), (a.upper, b.upper), (a.step, b.step))])
        if isinstance(a, Method) and isinstance(b, Method) and a.name == b.name and isinstance(a.owner, Ref) and isinstance(b.owner, Ref):
            return a.owner.heap is b.owner.heap
        if type(a) is not type(b) and isinstance(a, Num | Obj | Tup | Ref) and isinstance(b, Num | Obj | Tup | Ref):
            return False
        raise self.error(f"comparing {describe(a)} with {describe(b)} is not supported")

    def equal_sequences(self, a: Value, b: Value) -> Any:
        if any(isinstance(v, Ref) and isinstance(self.contents(v), Growing) for v in (a, b)):
            return self.equal_lists(a, b)
        x, y = list(self.sequence_items(a)), list(self.sequence_items(b))
        return len(x) == len(y) and self.every([self.equal(p, q) for p, q in zip(x, y, strict=True)])

    def equal_dicts(self, a: Value, b: Value) -> Any:
        x, y = self.contents(a).fields, self.contents(b).fields
        if any(isinstance(v, Maybe) and v.absent == "unbound" for v in (*x.values(), *y.values())):
            raise self.error("comparing dicts whose keys are known at run time only is not supported")
        return x.keys() == y.keys() and self.every([self.equal(self.checked(x[k]), self.checked(y[k])) for k in x])

    def equal_texts(self, a: Value, b: Value) -> Any:
        """A string with run-time parts against another: the parts must be constants to decide it."""
        if not all(isinstance(v, Text) or (isinstance(v, Obj) and isinstance(v.value, str)) for v in (a, b)):
            return False
        return self.static(a) == self.static(b)

    def identity(self, positive: bool, a: Value, b: Value) -> Value:
        for x, y in ((a, b), (b, a)):
            if isinstance(x, Maybe) and x.absent == "none" and isinstance(y, Obj) and y.value is None:
                return Num(negated(x.flag) if positive else x.flag)
        same = self.same_object(a, b)
        if isinstance(same, bool):
            return number(same if positive else not same)
        return Num(same if positive else negated(same))

    def same_object(self, a: Value, b: Value) -> Any:
        """`a is b` as a Python bool or a boolean expression."""
        if a is b and not isinstance(a, Num):
            return True
        if isinstance(a, OneOfThese):
            return self.for_each(a, lambda x: self.same_object(x, b))
        if isinstance(b, OneOfThese):
            return self.for_each(b, lambda x: self.same_object(a, x))
        if isinstance(a, Obj) and isinstance(b, Obj):
            return a.value is b.value
        if isinstance(a, Ref) and isinstance(b, Ref):
            element = self.same_element(a, b)
            return a.heap is b.heap if element is None else element
        if isinstance(a, Num) and isinstance(b, Num):
            return self.same_number(a, b)
        if isinstance(a, Func) and isinstance(b, Func):
            return a.node is b.node and a.scope is b.scope
        if type(a) is not type(b) and not isinstance(a, Maybe | Text) and not isinstance(b, Maybe | Text):
            return False
        raise self.error(f"`is` between {describe(a)} and {describe(b)} is not supported", hint="Use ==.")

    def same_number(self, a: Num, b: Num) -> Any:
        for x, y in ((a, b), (b, a)):
            if x.known and isinstance(x.const, bool):
                if y.is_array or not (y.type.weak and y.type.dtype == "bool"):
                    return False
                return y.const is x.const if y.known else y.expr if x.const else negated(y.expr)
        if a.is_array and b.is_array and (known := self.same_array(a.expr, b.expr)) is not None:
            return known
        if a.is_array != b.is_array:
            return False
        raise self.error("`is` between numbers or arrays is not supported", hint="Use ==.")

    def same_array(self, a: Expr, b: Expr) -> bool | None:
        """Are two array expressions one object? None where that is not known."""
        if a == b and isinstance(a, ir.Var):
            return True
        if not (isinstance(a, ir.Var) and isinstance(b, ir.Var)):
            return False
        s, t = self.token(a), self.token(b)
        if s is None or t is None or (isinstance(s, str) and isinstance(t, str) and s != t):
            return None  # two arguments may be one array
        return s is t or s == t

    def found(self, v: Value, test: Callable[[Value], Any]) -> Any:
        """Is there an element that passes a test? Those behind the first one are not asked for."""
        cell = Cell("found")
        self.set_cell(cell, number(False))

        def see(x: Value, stop: Callable[[], Any]) -> None:
            c = test(x)

            def hit() -> list[Any]:
                self.set_cell(cell, number(True))
                return stop()

            if c is True:
                hit()
            elif c is not False:
                self.branched(c, hit, lambda: None)

        self.until(v, see)
        if self.state is None:
            raise DeadCode
        return self.truth(self.checked(self.state.pop(cell)))

    def among(self, x: Value, keys: Sequence[Any], there: Callable[[Any], Any]) -> Any:
        """Is a value one of these constants (each of them there on a condition)?"""
        if isinstance(x, Num) and not x.known and not x.is_array:
            numbers = [k for k in keys if isinstance(k, bool | int | float | complex | np.number)]
            return self.either([self.every([there(k), self.truth(self.compare_values("Eq", x, number(k)))]) for k in numbers])
        key = self.key_of(x)
        return there(key) if key in keys else False

    def contains(self, box: Value, x: Value) -> Any:
        if isinstance(x, OneOfThese):
            return self.for_each(x, lambda v: self.contains(box, v))
        if isinstance(x, Maybe) and x.absent == "none":
            here = isinstance(box, Tup) and any(isinstance(i, Obj) and i.value is None for i in box.items)
            return self.either([self.every([x.flag, self.contains(box, x.value)]), self.every([negated(x.flag), here])])
        own = self.own_method(box, "__contains__")
        if own is not None:
            return self.truth(self.call(own, [box, x], {}, None))
        if self.is_iterator(box) or (isinstance(box, Iter) and box.kind not in VIEWS):
            return self.found(box, lambda v: self.equal(v, x))
        if isinstance(box, Iter):
            return self.either([self.equal(i, x) for i in self.view_items(box)])
        if is_dict(box) or (isinstance(box, Ref) and box.heap.kind == "set"):
            keys = list(self.contents(box).fields)
            return self.among(x, keys, lambda k: self.has_key(box, k))
        if isinstance(box, Obj) and isinstance(box.value, frozenset | set | dict):
            return self.among(x, list(box.value), lambda k: True)
        self.of_none(box, TypeError, "None holds nothing")
        if isinstance(box, Obj | Text):
            return bool(self.static(x) in self.static(box))
        if isinstance(box, Range) and isinstance(x, Num):
            low = self.truth(self.compare_values("GtE", x, box.start))
            high = self.truth(self.compare_values("Lt", x, box.stop))
            if box.step.known and box.step.const == 1:
                return self.every([low, high])
        if isinstance(box, Num) and box.is_array:
            return self.truth(self.call(Obj(np.any), [self.compare_values("Eq", box, x)], {}, None))
        if isinstance(box, Ref) and isinstance(self.contents(box), Growing):
            return self.truth(self.call(Obj(np.any), [self.compare_values("Eq", self.as_array(box), x)], {}, None))
        return self.either([self.equal(i, x) for i in self.sequence_items(box)])
