"""Operators: arithmetic on numbers and arrays, operators on structures and text, those that a class defines."""

from __future__ import annotations

import operator
from typing import Any

import gast

from s2sgrad.frontend.conditions import negated
from s2sgrad.frontend.iterators import Iterators
from s2sgrad.frontend.printing import percent
from s2sgrad.frontend.statements import BINARY, DUNDER
from s2sgrad.frontend.values import NONE, UNKNOWN, Iter, Num, Obj, OneOfThese, Ref, Text, Tup, Value, describe, is_dict, is_list, is_text, number, of
from s2sgrad.ir import Const
from s2sgrad.rules import registry

METHOD = {"Eq": "__eq__", "NotEq": "__ne__", "Lt": "__lt__", "LtE": "__le__", "Gt": "__gt__", "GtE": "__ge__"}
OPERATOR_OPS = {operator.add: "add", operator.sub: "sub", operator.mul: "mul", operator.truediv: "div", operator.floordiv: "floordiv",
                operator.mod: "mod", operator.pow: "pow", operator.matmul: "matmul", operator.and_: "bitand", operator.or_: "bitor",
                operator.xor: "bitxor", operator.lshift: "lshift", operator.rshift: "rshift"}
SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@", "and_": "&", "or_": "|",
           "xor": "^", "lshift": "<<", "rshift": ">>", "neg": "-", "pos": "+", "invert": "~"}
TENSOR_NAMES = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "truediv", "floordiv": "floordiv", "mod": "floormod", "pow": "pow",
                "matmul": "matmul", "and_": "_and", "or_": "_or", "xor": "_xor"}
BIG = 1 << 62


class Arithmetic(Iterators):
    def eval_BinOp(self, n: Any) -> Value:
        a, b = self.in_order([lambda: self.eval(n.left), lambda: self.eval(n.right)])
        self.at(n)
        return self.binary(BINARY[type(n.op).__name__], a, b)

    def binary(self, op: Any, a: Value, b: Value) -> Value:
        a, b = self.vector(self.present(a)), self.vector(self.present(b))
        for v in (a, b):
            if isinstance(v, OneOfThese):
                raise self.undecided(v)
        if self.of_numpy(a, b):
            return self.softened(self.arithmetic(op, a, b))  # type: ignore[arg-type]
        a, b = self.operands(a, b, TENSOR_NAMES.get(op.__name__, ""))
        if isinstance(a, Num) and isinstance(b, Num):
            return self.arithmetic(op, a, b)
        special = self.structure_binary(op, a, b)
        if special is not None:
            return special
        if isinstance(a, Num | Tup | Ref) and isinstance(b, Num | Tup | Ref) and (isinstance(a, Num) or isinstance(b, Num)):
            return self.arithmetic(op, self.numeric(a), self.numeric(b))
        for v in (a, b):
            self.of_none(v, TypeError, f"unsupported operand for {symbol(op)}: None")
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
            return self.new_object("set", set, dict.fromkeys(op(self.set_of(a), self.set_of(b)), NONE))
        if op is operator.or_ and is_dict(a) and is_dict(b):
            return self.new_dict({**self.contents(a).fields, **self.contents(b).fields})
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
            return Obj(text % tuple(i.value for i in items))
        return percent(text, items, self.error)

    def eval_UnaryOp(self, n: Any) -> Value:
        if isinstance(n.op, gast.Not):
            c = self.condition(n.operand)
            return number(not c) if isinstance(c, bool) else Num(negated(c))
        v = self.present(self.eval(n.operand))
        self.at(n)
        result = self.unary({"USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert}[type(n.op).__name__], v)
        return self.softened(result) if self.of_numpy(v) else result

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
        self.of_none(v, TypeError, f"bad operand for {symbol(op)}: None")
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


def generated(f: Any) -> bool:
    """Was this method written by @dataclass?"""
    return getattr(getattr(f, "__wrapped__", f), "__code__", None) is not None and getattr(f, "__wrapped__", f).__code__.co_filename == "<string>"
