"""Expressions of the user's program."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Sequence
from typing import Any

import gast
import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.exceptions import DeadCode, NeedsBranch
from s2sgrad.frontend.iterators import VIEWS, Iterators
from s2sgrad.frontend.loops import UNROLL, Again
from s2sgrad.frontend.machine import NeedsStatic, Path, convert, fits, promote
from s2sgrad.frontend.scope import Frame, Scope
from s2sgrad.frontend.statements import BINARY, DUNDER
from s2sgrad.frontend.values import (
    NONE,
    UNBOUND,
    UNKNOWN,
    VARIABLE_CHANGES,
    VARIABLE_READS,
    Assigned,
    Cell,
    Error,
    Fields,
    Func,
    Growing,
    Items,
    Iter,
    Maybe,
    Method,
    Num,
    Obj,
    Partial,
    Poison,
    Range,
    Ref,
    SliceOf,
    Spelled,
    Tape,
    Text,
    Tup,
    Unbound,
    Value,
    describe,
    map_nums,
    number,
    nums,
    of,
)
from s2sgrad.ir import Const, Expr
from s2sgrad.rules import registry

METHOD = {"Eq": "__eq__", "NotEq": "__ne__", "Lt": "__lt__", "LtE": "__le__", "Gt": "__gt__", "GtE": "__ge__"}
COMPARE = {"Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge}
OPNAME = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}
REFLECTED = {"Eq": "Eq", "NotEq": "NotEq", "Lt": "Gt", "LtE": "GtE", "Gt": "Lt", "GtE": "LtE"}
BIG = 1 << 62


class Expressions(Iterators):
    def eval(self, node: Any) -> Value:
        method = getattr(self, "eval_" + type(node).__name__, None)
        if method is None:
            raise self.error(f"{type(node).__name__} expressions are not supported", node)
        return method(node)

    def eval_Constant(self, n: Any) -> Value:
        v = n.value
        if isinstance(v, bool | int | float | complex):
            if isinstance(v, int) and abs(v) >= 1 << 63:
                raise self.error("this integer does not fit in 64 bits", n)
            return number(v)
        return NONE if v is None else Obj(v)

    def eval_Name(self, n: Any) -> Value:
        return self.read_name(n.id, n)

    def read_name(self, name: str, node: Any = None) -> Value:
        frame = self.frames[-1]
        cell = None if name in frame.info.globals else frame.scope.find(name)
        if cell is None:
            return self.outside(name, node)
        assert self.state is not None
        v = self.state.get(cell, UNBOUND)
        if isinstance(v, Unbound):
            for loop in self.loops:
                if cell in loop.dropped:
                    loop.demanded.add(cell)
                    raise Again(loop.demanded)
            if self.lazy:
                raise NeedsBranch
            self.fail(UnboundLocalError, f"cannot access local variable '{name}' where it is not associated with a value")
        if isinstance(v, Maybe) and v.absent != "none":
            self.require(v, name)
            v = self.state[cell] = v.value
        return self.checked(v, name)

    def require(self, v: Maybe, name: str) -> None:
        if self.lazy:
            raise NeedsBranch
        absent = ir.call("not", v.flag)
        if v.absent == "unbound":
            self.raise_if(absent, UnboundLocalError, f"cannot access local variable '{name}' where it is not associated with a value")
        elif v.absent == "none":
            self.raise_if(absent, TypeError, f"{name} is None here")
        else:
            cls, why = (ValueError, "np.linalg.svd of a matrix that is not square is supported with full_matrices=False only") if v.absent == "full" else (
                TypeError, f"{name} is of another kind here, since its loop made no trip")
            self.emit(ir.If(absent, [ir.Raise(cls, [why], place=self.place())]))

    def present(self, v: Value, what: str = "this value") -> Value:
        """A value that must not be None."""
        if isinstance(v, Maybe):
            self.require(v, what)
            return self.checked(v.value)
        return self.checked(self.current(v))

    # ------------------------------------------------------------------------------------------- arithmetic

    def eval_BinOp(self, n: Any) -> Value:
        a, b = self.in_order([lambda: self.eval(n.left), lambda: self.eval(n.right)])
        self.at(n)
        return self.binary(BINARY[type(n.op).__name__], a, b)

    def at(self, n: Any) -> None:
        if hasattr(n, "lineno"):
            self.node = n

    def binary(self, op: Any, a: Value, b: Value) -> Value:
        a, b = self.operands(self.vector(self.present(a)), self.vector(self.present(b)))
        if isinstance(a, Num) and isinstance(b, Num):
            return self.arithmetic(op, a, b)
        special = self.structure_binary(op, a, b)
        if special is not None:
            return special
        if isinstance(a, Num | Tup | Ref) and isinstance(b, Num | Tup | Ref) and (isinstance(a, Num) or isinstance(b, Num)):
            return self.arithmetic(op, self.numeric(a), self.numeric(b))
        raise self.refusal(TypeError, f"{describe(a)} {symbol(op)} {describe(b)} is not supported") if python_refuses(op, a, b) else self.error(
            f"{describe(a)} {symbol(op)} {describe(b)} is not supported")

    def arithmetic(self, op: Any, a: Num, b: Num) -> Num:
        const: Any = UNKNOWN
        if a.known and b.known and not a.is_array and not b.is_array:
            const = fold(op, a.const, b.const)
        if self.handlers and const is UNKNOWN:
            self.check_arithmetic(op, a, b)
        try:
            entry = registry.BY_PYTHON.get(id(op))
            e = entry[1](a.expr, b.expr) if entry is not None else registry.call(OPERATOR_OPS[op], a.expr, b.expr)
        except (TypeError, ValueError) as err:
            raise self.error(str(err)) from None
        if const is not UNKNOWN:
            folded = number(const)
            if folded.type != e.type or (isinstance(a.expr, Const) and isinstance(b.expr, Const) and isinstance(const, int)):
                return folded if folded.type.weak and getattr(e.type, "weak", False) else Num(e)
        return Num(e, const)

    def structure_binary(self, op: Any, a: Value, b: Value) -> Value | None:
        """Operators on tuples, lists, strings, objects."""
        name = DUNDER.get(op.__name__, "?")
        own = self.own_operator(f"__{name}__", f"__r{name}__", a, b)
        if own is not None:
            return own
        if op is operator.add and isinstance(a, Tup) and isinstance(b, Tup):
            return Tup(a.items + b.items)
        if op is operator.add and is_list(a) and is_list(b):
            return self.concatenate_lists(a, b)
        if op is operator.mul and (is_list(a) or isinstance(a, Tup)) and isinstance(b, Num) and not b.is_array:
            return self.repeat(a, b)
        if op is operator.mul and (is_list(b) or isinstance(b, Tup)) and isinstance(a, Num) and not a.is_array:
            return self.repeat(b, a)
        if op is operator.mul and isinstance(a, Obj | Num) and isinstance(b, Obj | Num) and (is_text(a) or is_text(b)):
            return Obj(self.static(a) * self.static(b))
        if isinstance(a, Obj | Text) and (isinstance(a, Text) or isinstance(a.value, str)):
            if op is operator.mod:
                return Text((a, " % ", b)) if not isinstance(a, Obj) else self.percent(a.value, b)
            if op is operator.add and isinstance(b, Obj | Text):
                return Obj(a.value + b.value) if isinstance(a, Obj) and isinstance(b, Obj) else Text((a, b))
        if isinstance(a, Obj) and isinstance(b, Obj):
            try:
                return self.lift(op(a.value, b.value), None)
            except TypeError:
                return None
        if any(isinstance(v, Ref) and v.heap.kind == "set" or isinstance(v, Iter) for v in (a, b)) and op in (
                operator.or_, operator.and_, operator.sub, operator.xor):
            return self.new_object("set", set, dict.fromkeys(op(self.set_of(a), self.set_of(b)), NONE))  # type: ignore[attr-defined]
        if op is operator.or_ and is_dict(a) and is_dict(b):
            return self.new_dict({**self.contents(a).fields, **self.contents(b).fields})  # type: ignore[attr-defined]
        return None

    def own_method(self, v: Value, name: str) -> Obj | None:
        """The special method that the class of an object or a named tuple defines."""
        if isinstance(v, Ref) and v.heap.kind == "object":
            cls, plain = v.heap.cls, object
        elif isinstance(v, Tup) and v.cls is not None:
            cls, plain = v.cls, tuple
        else:
            return None
        f = getattr(cls, name, None)
        return None if f is None or f is getattr(plain, name, None) else Obj(f)

    def own_operator(self, name: str, reflected: str, a: Value, b: Value) -> Value | None:
        """The result of an operator that the class of an operand defines."""
        order = [(a, b, name), (b, a, reflected)]
        p, q = (v.heap.cls if isinstance(v, Ref) else getattr(v, "cls", None) for v in (a, b))
        if isinstance(p, type) and isinstance(q, type) and p is not q and issubclass(q, p):
            comparison = name in METHOD.values()
            if comparison or class_attribute_of(q, reflected) is not class_attribute_of(p, reflected):
                order.reverse()  # the operand of the more special class is asked first
        for x, y, method in order:
            f = self.own_method(x, method)
            if f is not None and not generated(f.value):
                if x is b and isinstance(a, Num) and a.is_array and not defers(b):
                    raise self.error(f"NumPy applies this operator to each element of the array, not to {describe(b)}",
                                     hint="Write the object first, or give its class __array_ufunc__ = None.")
                v = self.call(f, [x, y], {}, None)
                if not (isinstance(v, Obj) and v.value is NotImplemented):
                    return v
        return None

    def percent(self, text: str, v: Value) -> Value:
        items = list(v.items) if isinstance(v, Tup) else [v]
        if all(isinstance(i, Obj) for i in items):
            return Obj(text % tuple(i.value for i in items))  # type: ignore[attr-defined]
        import re

        pieces = re.split(r"%[-+ 0-9.]*[a-zA-Z]", text)
        parts: list[Any] = [pieces[0]]
        for piece, i in zip(pieces[1:], items, strict=False):
            parts.extend([i, piece])
        return Text(tuple(parts))

    def eval_UnaryOp(self, n: Any) -> Value:
        if isinstance(n.op, gast.Not):
            c = self.condition(n.operand)
            return number(not c) if isinstance(c, bool) else Num(negated(c))
        v = self.present(self.eval(n.operand))
        self.at(n)
        return self.unary({"USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert}[type(n.op).__name__], v)

    def unary(self, op: Any, v: Value) -> Value:
        if isinstance(v, Num):
            if isinstance(v.expr, Const) and v.known and v.type.weak:
                return number(op(v.const))
            if op is operator.pos and not v.type.dtype == "bool":
                return v
            const = op(v.const) if v.known else UNKNOWN
            name = {operator.neg: "neg", operator.pos: "pos", operator.invert: "invert"}[op]
            try:
                return Num(registry.call(name, v.expr), const)
            except TypeError as err:
                raise self.error(str(err)) from None
        f = self.own_method(v, {operator.neg: "__neg__", operator.pos: "__pos__", operator.invert: "__invert__"}[op])
        if f is not None:
            return self.call(f, [v], {}, None)
        raise self.error(f"{symbol(op)} of {describe(v)} is not supported")

    def add(self, a: Value, b: Value) -> Num:
        return self.binary(operator.add, a, b)  # type: ignore[return-value]

    def sub(self, a: Value, b: Value) -> Num:
        return self.binary(operator.sub, a, b)  # type: ignore[return-value]

    def mul(self, a: Value, b: Value) -> Num:
        return self.binary(operator.mul, a, b)  # type: ignore[return-value]

    def call_number(self, f: Any, *args: Num) -> Num:
        if all(a.known for a in args):
            return number(f(*(a.const for a in args)))
        return of(registry.call_python(f, [a.expr for a in args], {}))

    # ------------------------------------------------------------------------------------------- comparisons

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
            a, b = self.present(a), self.present(b)
        a, b = self.operands(self.vector(a), self.vector(b))
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
            return self.lexicographic(op, self.new_tuple(a), self.new_tuple(b))  # type: ignore[attr-defined]
        if isinstance(a, Text | Obj) and isinstance(b, Text | Obj):
            return number(COMPARE[op](self.static(a), self.static(b)))
        if isinstance(a, Ref) and isinstance(b, Ref) and a.heap.cls is b.heap.cls and self.own_method(a, METHOD[op]) is not None:
            return self.lexicographic(op, self.fields_tuple(a), self.fields_tuple(b))  # written by @dataclass(order=True)
        raise self.error(f"comparing {describe(a)} with {describe(b)} is not supported")

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
        if a is b and not isinstance(a, Num):
            return True
        if isinstance(a, Num) and isinstance(b, Num):
            return self.truth(self.compare_values("Eq", a, b))
        if isinstance(a, Obj) and isinstance(b, Obj):
            return bool(a.value == b.value)
        if isinstance(a, Text) or isinstance(b, Text):
            return self.equal_texts(a, b)
        if isinstance(a, Tup) and isinstance(b, Tup) or (is_list(a) and is_list(b)):
            return self.equal_sequences(a, b)
        if is_dict(a) and is_dict(b):
            return self.equal_dicts(a, b)
        if any(isinstance(v, Ref) and v.heap.kind == "set" or isinstance(v, Iter) and v.kind == "keys" for v in (a, b)):
            return bool(self.set_of(a) == self.set_of(b))
        if isinstance(a, Ref) and isinstance(b, Ref):
            if a.heap is b.heap:
                return True
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
            return self.equal_lists(a, b)  # type: ignore[attr-defined]
        x, y = list(self.sequence_items(a)), list(self.sequence_items(b))
        return len(x) == len(y) and self.every([self.equal(p, q) for p, q in zip(x, y, strict=True)])

    def equal_dicts(self, a: Value, b: Value) -> Any:
        x, y = self.contents(a).fields, self.contents(b).fields  # type: ignore[attr-defined]
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
        if isinstance(a, Obj) and isinstance(b, Obj):
            return a.value is b.value
        if isinstance(a, Ref) and isinstance(b, Ref):
            return a.heap is b.heap
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
        own = self.own_method(box, "__contains__")
        if own is not None:
            return self.truth(self.call(own, [box, x], {}, None))
        if self.is_iterator(box) or (isinstance(box, Iter) and box.kind not in VIEWS):
            return self.found(box, lambda v: self.equal(v, x))
        if isinstance(box, Iter):
            return self.either([self.equal(i, x) for i in self.view_items(box)])
        if is_dict(box) or (isinstance(box, Ref) and box.heap.kind == "set"):
            keys = list(self.contents(box).fields)  # type: ignore[attr-defined]
            return self.among(x, keys, lambda k: self.has_key(box, k))  # type: ignore[attr-defined]
        if isinstance(box, Obj) and isinstance(box.value, frozenset | set | dict):
            return self.among(x, list(box.value), lambda k: True)
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

    # ------------------------------------------------------------------------------------------- truth

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
        if isinstance(v, Tup):
            own = self.own_method(v, "__bool__")
            return bool(v.items) if own is None else self.truth(self.call(own, [v], {}, None))
        if isinstance(v, Ref) and v.heap.kind != "object":
            c = self.contents(v)
            if isinstance(c, Growing):
                return ir.call("gt", c.length, 0)
            return bool(c.items) if isinstance(c, Items) else self.either([self.has_key(v, k) for k in c.fields])  # type: ignore[attr-defined]
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
            r, out = None, [None]  # type: ignore[list-item]
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

    def eval_NamedExpr(self, n: Any) -> Value:
        if self.lazy:
            raise NeedsBranch
        v = self.eval(n.value)
        frame = self.frames[-1]
        scope = frame.scope
        while n.target.id not in scope.cells and scope.parent is not None:
            scope = scope.parent
        self.set_cell(scope.cells[n.target.id], v)
        return self.read_name(n.target.id, n)

    # ------------------------------------------------------------------------------------------- structures

    def eval_Tuple(self, n: Any) -> Value:
        return Tup(tuple(self.elements(n.elts)))

    def elements(self, nodes: Sequence[Any]) -> list[Value]:
        done = self.in_order([(lambda x=x: self.eval(x.value if isinstance(x, gast.Starred) else x)) for x in nodes])  # type: ignore[misc]
        out: list[Value] = []
        for x, v in zip(nodes, done, strict=True):
            if isinstance(x, gast.Starred):
                out.extend(self.sequence_items(v))
            else:
                out.append(v)
        return out

    def eval_List(self, n: Any) -> Value:
        return self.new_list(self.elements(n.elts))

    def eval_Set(self, n: Any) -> Value:
        return Obj(frozenset(self.static(v) for v in self.elements(n.elts)))

    def eval_Dict(self, n: Any) -> Value:
        fields: dict[Any, Value] = {}
        for k, v in zip(n.keys, n.values, strict=True):
            value = self.eval(v)
            if k is None:
                fields.update(self.contents(value).fields)  # type: ignore[attr-defined, arg-type]
            else:
                fields[self.key_of(self.eval(k))] = value
        return self.new_dict(fields)

    def eval_JoinedStr(self, n: Any) -> Value:
        parts: list[Any] = []
        for v in n.values:
            if isinstance(v, gast.Constant):
                parts.append(v.value)
            else:
                x = self.eval(v.value)
                if isinstance(x, Error) and v.conversion < 0:
                    x = self.error_text(x)
                spec = "" if v.format_spec is None else "".join(str(p.value) for p in v.format_spec.values if isinstance(p, gast.Constant))
                known = isinstance(x, Obj) or (isinstance(x, Num) and isinstance(x.expr, Const))
                if known:
                    value = x.value if isinstance(x, Obj) else x.const  # type: ignore[union-attr]
                    parts.append(format(repr(value) if v.conversion == 114 else value, spec))
                elif isinstance(x, Num) and (spec or v.conversion > 0):
                    parts.append(Spelled(x, spec, v.conversion))
                else:
                    parts.append(x)
        if all(isinstance(p, str) for p in parts):
            return Obj("".join(parts))
        return Text(tuple(parts))

    def eval_Lambda(self, n: Any) -> Value:
        return self.make_function(n)

    def eval_Starred(self, n: Any) -> Value:
        return self.eval(n.value)

    # ------------------------------------------------------------------------------------------- subscripts, attributes

    def eval_Subscript(self, n: Any) -> Value:
        base = self.eval(n.value)
        point = self.point()
        index = self.eval_index(n.slice)
        (base,) = self.after([base], point)
        self.at(n)
        return self.subscript(self.present(base), index)

    def eval_index(self, node: Any) -> list[Value]:
        """The items between the brackets."""
        if isinstance(node, gast.Tuple):
            return self.elements(node.elts)
        v = self.eval(node)
        if isinstance(v, Tup):
            return [v]
        return [v]

    def eval_Slice(self, n: Any) -> Value:
        parts = [NONE if x is None else None for x in (n.lower, n.upper, n.step)]
        nodes = [x for x in (n.lower, n.upper, n.step) if x is not None]
        values = iter(self.in_order([(lambda x=x: self.eval(x)) for x in nodes]))  # type: ignore[misc]
        return SliceOf(*(p if p is not None else next(values) for p in parts))

    def eval_Attribute(self, n: Any) -> Value:
        base = self.eval(n.value)
        self.at(n)
        if isinstance(base, Obj) and isinstance(base.value, Tape):
            return Method(base, n.attr)
        if isinstance(base, Assigned) and n.attr in (*VARIABLE_READS, *VARIABLE_CHANGES):
            return Method(base, n.attr)
        return self.attribute(self.present(base), n.attr, n)

    # ------------------------------------------------------------------------------------------- comprehensions

    def eval_ListComp(self, n: Any) -> Value:
        return self.collect(self.generator(n, n.elt))

    def eval_GeneratorExp(self, n: Any) -> Value:
        return self.generator(n, n.elt)

    def eval_SetComp(self, n: Any) -> Value:
        ref = self.new_object("set", set, {})  # type: ignore[attr-defined]
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
            self.change(ref, {**self.contents(ref).fields, k: value})  # type: ignore[attr-defined]

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
        self.iterate(iterable, holder, lambda v: self.assign(c.target, v), body)  # type: ignore[arg-type]

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


OPERATOR_OPS = {operator.add: "add", operator.sub: "sub", operator.mul: "mul", operator.truediv: "div", operator.floordiv: "floordiv",
                operator.mod: "mod", operator.pow: "pow", operator.matmul: "matmul", operator.and_: "bitand", operator.or_: "bitor",
                operator.xor: "bitxor", operator.lshift: "lshift", operator.rshift: "rshift"}
SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@", "and_": "&", "or_": "|",
           "xor": "^", "lshift": "<<", "rshift": ">>", "neg": "-", "pos": "+", "invert": "~"}


def symbol(op: Any) -> str:
    return SYMBOLS.get(op.__name__, op.__name__)


def fold(op: Any, a: Any, b: Any) -> Any:
    """The value of an operation on known numbers, where Python can compute it."""
    if op is operator.pow and (abs(a) > 1e6 or abs(b) > 512):
        return UNKNOWN
    if op is operator.lshift and abs(b) > 62:
        return UNKNOWN
    try:
        r = op(a, b)
    except (ArithmeticError, TypeError, ValueError):
        return UNKNOWN
    return UNKNOWN if isinstance(r, int) and abs(r) > BIG else r


def class_attribute_of(cls: type, name: str) -> Any:
    return getattr(cls, name, None)


def defers(v: Value) -> bool:
    """Does NumPy leave a binary operator to the other operand?"""
    cls = v.heap.cls if isinstance(v, Ref) else getattr(v, "cls", None) or tuple
    if hasattr(cls, "__array_ufunc__"):
        return cls.__array_ufunc__ is None
    return bool(getattr(cls, "__array_priority__", -1.0) > 0.0)


def python_refuses(op: Any, a: Value, b: Value) -> bool:
    """Is an operator a TypeError in Python for operands of these kinds?"""
    examples = []
    for v in (a, b):
        if isinstance(v, Num):
            examples.append(registry.example(v.type))
        elif isinstance(v, Obj):
            examples.append(v.value)
        elif isinstance(v, Tup) and v.cls is None or (isinstance(v, Ref) and v.heap.cls in (list, dict)):
            examples.append(() if isinstance(v, Tup) else v.heap.cls())
        else:
            return False
    try:
        op(*examples)
    except TypeError:
        return True
    except Exception:  # the kinds are accepted, only these values are not (a zero divisor)
        return False
    return False


def negated(c: Expr) -> Expr:
    if isinstance(c, ir.Call) and c.op == "not":
        return c.args[0]
    return ir.call("not", c)


def is_text(v: Value) -> bool:
    return isinstance(v, Obj) and isinstance(v.value, str | bytes)


def is_list(v: Value) -> bool:
    return isinstance(v, Ref) and v.heap.kind == "list"


def is_dict(v: Value) -> bool:
    return isinstance(v, Ref) and v.heap.kind == "dict"


def generated(f: Any) -> bool:
    """Was this method written by @dataclass?"""
    return getattr(getattr(f, "__wrapped__", f), "__code__", None) is not None and getattr(f, "__wrapped__", f).__code__.co_filename == "<string>"


__all__ = ["Expressions", "Method", "NeedsBranch", "NeedsStatic", "Path", "Poison", "nums"]
