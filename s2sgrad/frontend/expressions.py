"""Expressions of the user's program: constants, names, structures, subscripts, attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast

from s2sgrad import ir
from s2sgrad.frontend.arithmetic import Arithmetic
from s2sgrad.frontend.comparisons import Comparisons
from s2sgrad.frontend.comprehensions import Comprehensions
from s2sgrad.frontend.conditions import Conditions
from s2sgrad.frontend.exceptions import NeedsBranch
from s2sgrad.frontend.loops import Again
from s2sgrad.frontend.printing import spelled
from s2sgrad.frontend.stars import dynamic
from s2sgrad.frontend.values import (
    ASSIGNS,
    NONE,
    UNBOUND,
    VARIABLE_CHANGES,
    VARIABLE_GATHERS,
    VARIABLE_READS,
    Assigned,
    AssignedPart,
    Error,
    Iter,
    Maybe,
    Method,
    Num,
    Obj,
    OneOfThese,
    Range,
    SliceOf,
    Tape,
    Text,
    Tup,
    Unbound,
    Value,
    number,
)


class Expressions(Arithmetic, Comparisons, Conditions, Comprehensions):
    def eval(self, node: Any) -> Value:
        method = getattr(self, "eval_" + type(node).__name__, None)
        if method is None:
            raise self.error(f"{type(node).__name__} expressions are not supported", node)
        return method(node)

    def at(self, n: Any) -> None:
        if hasattr(n, "lineno"):
            self.node = n

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
        return self.listed(nodes, done)

    def listed(self, nodes: Sequence[Any], done: Sequence[Value]) -> list[Value]:
        """The elements of a display, those that are starred taken apart."""
        out: list[Value] = []
        for x, v in zip(nodes, done, strict=True):
            if isinstance(x, gast.Starred):
                out.extend(self.sequence_items(v))
            else:
                out.append(v)
        return out

    def eval_List(self, n: Any) -> Value:
        done = self.in_order([(lambda x=x: self.eval(x.value if isinstance(x, gast.Starred) else x)) for x in n.elts])  # type: ignore[misc]
        if not any(isinstance(x, gast.Starred) and (dynamic(self, v := self.present(w)) or self.uncounted(v)) for x, w in zip(n.elts, done, strict=True)):
            return self.new_list(self.listed(n.elts, done))
        ref = self.new_list([])
        for x, v in zip(n.elts, done, strict=True):
            self.list_method(ref, "extend" if isinstance(x, gast.Starred) else "append", [v], {})  # type: ignore[attr-defined]
        return ref

    def uncounted(self, v: Value) -> bool:
        """Is this an iterator over as many elements as only the run will tell?"""
        if not isinstance(v, Range | Iter) or not self.random(v):  # type: ignore[attr-defined]
            return False
        seq = self.sequence(v)  # type: ignore[attr-defined]
        return seq.fixed is None and not seq.length.known

    def eval_Set(self, n: Any) -> Value:
        return Obj(frozenset(self.static(v) for v in self.elements(n.elts)))

    def eval_Dict(self, n: Any) -> Value:
        fields: dict[Any, Value] = {}
        for k, v in zip(n.keys, n.values, strict=True):
            value = self.eval(v)
            if k is None:
                fields.update(self.contents(value).fields)  # type: ignore[]
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
                parts.append(spelled(x, "" if v.format_spec is None else str(self.static(self.eval(v.format_spec))), v.conversion))
        if all(isinstance(p, str) for p in parts):
            return Obj("".join(parts))
        return Text(tuple(parts))

    def eval_Lambda(self, n: Any) -> Value:
        return self.make_function(n)

    def eval_Starred(self, n: Any) -> Value:
        return self.eval(n.value)

    # ------------------------------------------------------------------------------------------- subscripts, attributes

    def eval_Subscript(self, n: Any) -> Value:
        return self.part_of(*self.subscripted(n))

    def subscripted(self, n: Any) -> tuple[Value, list[Value]]:
        """What is subscripted, and the items between the brackets."""
        base = self.eval(n.value)
        point = self.point()
        index = self.eval_index(n.slice)
        (base,) = self.after([base], point)
        self.at(n)
        return self.present(base), index

    def part_of(self, base: Value, index: Sequence[Value]) -> Value:
        if len(index) == 1 and isinstance(index[0], OneOfThese):
            return self.with_each(index[0], lambda key: self.part_of(base, [key]))
        part = self.element_view(self.subscript(base, index), index)
        return self.softened(part) if self.of_numpy(base) else part

    def assigned_part(self, n: Any) -> Value:
        """`base[index]` on whose result `assign` is called: a part of a variable, or what is there."""
        base = self.eval(n.value)
        if isinstance(base, Num):
            self.make_assignable(base)
        point = self.point()
        index = self.eval_index(n.slice)
        (base,) = self.after([base], point)
        self.at(n)
        return AssignedPart(base, tuple(index)) if isinstance(base, Assigned) else self.subscript(self.present(base), index)

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
        base = self.assigned_part(n.value) if n.attr in ASSIGNS and isinstance(n.value, gast.Subscript) else self.eval(n.value)
        self.at(n)
        if isinstance(base, Obj) and isinstance(base.value, Tape) or isinstance(base, AssignedPart):
            return Method(base, n.attr)
        if isinstance(base, Assigned) and n.attr in (*VARIABLE_READS, *VARIABLE_GATHERS, *VARIABLE_CHANGES):
            return Method(base, n.attr)
        return self.attribute(self.present(base), n.attr, n)
