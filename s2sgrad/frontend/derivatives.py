"""Derivatives that a program takes itself: `s2sgrad.grad(lambda y: x * y)(2.0)` inside of a differentiated function.

The call of the function becomes a program of what it reads from before; its pull-back (or its tangents) is inlined, and is differentiated
like everything else. The arguments of the inner function have variables of their own, so that the two derivatives never mix.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sgrad import errors, ir
from s2sgrad.frontend.customs import Customs
from s2sgrad.frontend.liveness import live_in, written_roots
from s2sgrad.frontend.machine import effects
from s2sgrad.frontend.tapes import PULLBACK
from s2sgrad.frontend.unify import same
from s2sgrad.frontend.values import (
    IDENTITY,
    NONE,
    UNBOUND,
    UNIT_AXES,
    Func,
    Growing,
    Maybe,
    Method,
    Num,
    Obj,
    OneOfThese,
    Partial,
    Pulled,
    Ref,
    Ruled,
    Transformed,
    Tup,
    Value,
    describe,
    number,
)
from s2sgrad.ir import Assign, Var
from s2sgrad.library.jacobians import jacobian_by_rows

PUSHFORWARD: list[Callable[..., Any]] = []
"""What gives tangents of a program: (program, wrt) -> Python function of parameters and tangents."""

OPTIONS = frozenset({"simplify", "fastmath", "parallel", "boundscheck"})  # of how a derivative is compiled: inside, it is compiled with the rest


@dataclass
class Record:
    """A call, as a program. entries: what the variables it reads held before it."""

    name: str
    args: dict[int | str, Value]  # its arguments, in variables of their own
    value: Value
    body: list[ir.Stmt]
    params: dict[str, Var] = field(default_factory=dict)
    entries: list[Value] = field(default_factory=list)


class Derivatives(Customs):
    def make_derivative(self, f: Obj, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        """`s2sgrad.grad(g)` written inside a function."""
        mode = f.value.__s2sgrad_transform__
        given = dict(zip(inspect.signature(f.value).parameters, args, strict=False)) | kwargs if mode != "vjp" else {"f": args[0]} if args else kwargs
        g = self.present(given.get("f", NONE))
        python = g.python if isinstance(g, Func) else g.value if isinstance(g, Obj) else None
        if python is not None and mode in ("grad", "value_and_grad"):  # made now; read again with the captured data
            rest = tuple(self.static(a) for a in args[1:])
            named = {k: self.static(v) for k, v in kwargs.items() if k != "f"}
            path = getattr(g, "access", None)
            access = None if path is None else (*path, ("derivative", f.value, rest, tuple(named.items())))
            return Obj(f.value(python, *rest, **named), access)
        if mode == "vjp":
            return self.vjp(g, args[1:], {k: v for k, v in kwargs.items() if k != "f"}, node)
        if mode in ("jvp", "hvp"):
            tangents = given.get("tangents", given.get("vector", NONE))
            wrt = self.static(given["wrt"]) if "wrt" in given else 0
            values = self.present(given["args"])
            points = list(self.sequence_items(values)) if isinstance(values, Tup | Ref) else [values]
            return self.jvp(g, points, tangents, node) if mode == "jvp" else self.hvp(g, points, tangents, wrt, node)
        for k in OPTIONS & set(given):
            self.static(given[k])
        return Transformed(mode, g, self.static(given["wrt"]) if "wrt" in given else 0)

    def call_transformed(self, f: Transformed, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        """`grad(g)(...)`, `value_and_grad(g)(...)`, `jacobian(g)(...)`, `hessian(g)(...)` of a function that the program defines."""
        if f.mode == "hessian":
            return self.call_transformed(Transformed("jacobian", Transformed("grad", f.function, f.wrt), f.wrt), args, kwargs, node)
        r = self.record(f.function, args, kwargs, node)
        wanted = [self.argument_of(r, f.function, w, node) for w in (f.wrt if isinstance(f.wrt, tuple | list) else (f.wrt,))]
        grads, value = self.jacobians(r, wanted, node) if f.mode == "jacobian" else self.gradients(r, wanted, f.mode == "value_and_grad", node)
        made = Tup(tuple(grads)) if isinstance(f.wrt, tuple | list) else grads[0]
        return Tup((value, made)) if f.mode == "value_and_grad" else made

    # ------------------------------------------------------------------------------------------- the call as a program

    def record(self, g: Value, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Record:
        name = called(g)
        own: dict[int | str, Value] = {k: self.own_argument(v, name) for k, v in enumerate(args)}
        own |= {k: self.own_argument(v, name) for k, v in kwargs.items()}
        before, outside = dict(self.state or {}), set(self.names)
        with self.apart(f"{name}, whose derivative is taken here"), self.block() as body:
            value = self.call(g, [own[k] for k in range(len(args))], {k: own[k] for k in kwargs}, node)
            if isinstance(value, Num):
                value = self.as_var(value, "y")
        r = Record(name, own, value, body)
        self.only_reads(r, before, outside, node)
        return r

    def own_argument(self, v: Value, name: str) -> Value:
        if isinstance(v, Ref) and isinstance(self.state and self.state.get(v.heap), Growing):
            raise self.error(f"a list that grows at run time is an argument of {name}, whose derivative is taken here", hint="Make it an array.")
        return self.rebuilt(self.current(v), self.own_number)

    def own_number(self, n: Num) -> Num:
        """Numbers and arrays that carry a derivative, in a variable of their own (other numbers may decide the structure)."""
        if not ir.is_inexact(n.type) and not n.is_array:
            return n
        var = self.fresh(n.expr.name if isinstance(n.expr, Var) else "x", n.type)
        self.emit(Assign(var, ir.call("copy", n.expr) if n.is_array else n.expr))
        return Num(var)

    def only_reads(self, r: Record, before: dict[Any, Value], outside: set[str], node: Any) -> None:
        """A function whose derivative is taken gives its result, and does nothing else."""
        assert self.state is not None
        own = {v.heap for v in r.args.values() if isinstance(v, Ref)}
        changed = [k for k, v in before.items() if k not in (IDENTITY, UNIT_AXES) and k not in own and not unchanged(v, self.state.get(k, UNBOUND))]
        if changed or effects(r.body)[0] & outside:
            raise self.error(f"{r.name} changes variables, lists or objects outside of it, and its derivative is taken here", node,
                             "Return the new value instead.")
        returns = ir.Return([n.expr for n in self.numbers(r.value)])
        if any(isinstance(s, ir.CallFn) for s in ir.walk_stmts(r.body)):
            raise self.error(f"{r.name} calls a recursive function, and its derivative is taken here: not supported", node, "Write it as a loop.")
        r.params = live_in([*r.body, returns])
        lists = [v.name for v in r.params.values() if not isinstance(v.type, ir.Scalar | ir.Array)]
        mine = {n.expr.name for v in r.args.values() for n in self.numbers(v) if isinstance(n.expr, Var)}
        written = written_roots(r.body)
        if lists or written & (set(r.params) - mine):
            what = f"reads a list of arrays ({lists[0]})" if lists else f"writes into {min(written & (set(r.params) - mine))}"
            raise self.error(f"{r.name} {what} outside of it, and its derivative is taken here", node, "Pass it as an argument.")
        for p in r.params.values():
            kept = self.fresh(p.name, p.type) if p.name in written else p
            if kept is not p:
                self.emit(Assign(kept, ir.call("copy", p)))
            r.entries.append(Num(kept))

    def numbers(self, v: Value) -> list[Num]:
        return [n for n in self.parts(v) if isinstance(n, Num)]

    def program_of(self, r: Record) -> ir.Program:
        """The call as a program whose results are its real and complex numbers."""
        returns = ir.Return([n.expr for n in self.numbers(r.value) if ir.is_inexact(n.type)])
        main = ir.Function("inner", [ir.Param(n, v.type) for n, v in r.params.items()], [*r.body, returns])
        main.written = written_roots(r.body) & set(r.params)
        return ir.Program(main, {})

    def argument_of(self, r: Record, g: Value, wrt: Any, node: Any) -> Value:
        """The argument that is meant by a position or a name."""
        names = parameters_of(g)
        k = names.index(wrt) if wrt in names else wrt
        if isinstance(k, int) and k < 0:
            k += len(names)
        v = r.args.get(k, r.args.get(names[k]) if isinstance(k, int) and k < len(names) else None)
        if v is None:
            raise self.error(f"{r.name} got no argument {wrt!r} to differentiate by", node, kind=errors.WrtError)
        if not any(ir.is_inexact(n.type) for n in self.numbers(v)):
            raise self.error(f"cannot differentiate {r.name} with respect to {wrt!r}: it is {describe(v)}", node, kind=errors.WrtError)
        return v

    # ------------------------------------------------------------------------------------------- reverse mode

    def gradients(self, r: Record, wanted: Sequence[Value], valued: bool, node: Any) -> tuple[list[Value], Value]:
        value = self.current(r.value)
        if not isinstance(value, Num) or value.is_array or not value.type.dtype.startswith("float"):
            raise self.error(f"grad needs a function with one real scalar result, but {r.name} returns {describe(value)}", node, kind=errors.ResultError)
        if valued or any(isinstance(s, ir.Print) for s in ir.walk_stmts(r.body)):
            self.out.extend(r.body)
        return self.pull(r, wanted, [one_of(value.type)], node), value

    def pull(self, r: Record, wanted: Sequence[Value], seeds: Sequence[Value], node: Any) -> list[Value]:
        """Gradients of arguments, each in the structure of its argument."""
        names = [n.expr.name for v in wanted for n in self.numbers(v) if ir.is_inexact(n.type)]  # type: ignore[attr-defined]
        reached, pull = PULLBACK[0](self.program_of(r), names)
        connected = [n for n in names if n in reached]
        grads: dict[str, Value] = {}
        if connected:
            made = self.call(Obj(pull), [*r.entries, *seeds], {}, node)
            grads = dict(zip(connected, made.items if isinstance(made, Tup) else [made], strict=True))

        def gradient(n: Num) -> Value:
            if not ir.is_inexact(n.type):
                return NONE
            assert isinstance(n.expr, Var)
            g = grads.get(n.expr.name)
            if g is None:
                return self.call(Obj(np.zeros_like), [n], {}, node) if n.is_array else number(one_of(n.type).const * 0)
            return self.of_type(g, n.type)

        return [self.rebuilt(v, gradient) for v in wanted]  # type: ignore[arg-type]

    def vjp(self, g: Value, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        r = self.record(g, args, kwargs, node)
        kept = []
        for e in r.entries:
            assert isinstance(e, Num)
            var = self.fresh("kept", e.type)
            self.emit(Assign(var, ir.call("copy", e.expr) if e.is_array else e.expr))
            kept.append(Num(var))
        r.entries = list(kept)
        self.out.extend(r.body)
        return Tup((r.value, Pulled(r, None)))

    def call_pulled(self, f: Pulled, args: Sequence[Value], node: Any) -> Value:
        """A pull-back is called with a seed: a tuple of gradients, or (for a row of a Jacobian) one of them."""
        r = f.record
        results = [n for n in self.numbers(r.value) if ir.is_inexact(n.type)]
        given = self.numbers(args[0])
        if len(given) != len(results):
            raise self.error(f"the seed of the pull-back of {r.name} has not the structure of its result", node)
        seeds = [self.like(s, n, node) for s, n in zip(given, results, strict=True)]
        if f.wanted is not None:
            return self.pull(r, [f.wanted], seeds, node)[0]
        every = list(r.args.values())
        able = [any(ir.is_inexact(n.type) for n in self.numbers(v)) for v in every]
        grads = iter(self.pull(r, [v for v, a in zip(every, able, strict=True) if a], seeds, node))
        return Tup(tuple(next(grads) if a else NONE for a in able))

    def jacobians(self, r: Record, wanted: Sequence[Value], node: Any) -> tuple[list[Value], Value]:
        value = self.current(r.value)
        if not isinstance(value, Num) or any(not isinstance(v, Num) for v in wanted):
            raise self.error(f"a jacobian inside of a function is one of a number or an array by numbers and arrays, not {describe(value)}", node,
                             kind=errors.ResultError)
        if not all(n.type.dtype.startswith("float") for n in (value, *wanted)):  # type: ignore[attr-defined]
            raise self.error(f"jacobian of {r.name}: result and arguments must be real", node, kind=errors.ResultError)
        self.out.extend(r.body)
        if not value.is_array:
            return self.pull(r, wanted, [one_of(value.type)], node), value
        rows = self.function(jacobian_by_rows, None)  # type: ignore[arg-type]
        return [self.call(rows, [value, v, Pulled(r, v)], {}, node) for v in wanted], value

    def like(self, v: Value, n: Num, node: Any) -> Value:
        """A seed or a tangent in the type of the number or array that it belongs to."""
        v = self.as_var(self.numeric(v), "seed")
        if v.is_array != n.is_array or (v.is_array and v.type.ndim != n.type.ndim):
            raise self.error("a seed or tangent has not the shape of what it belongs to", node)
        for k in range(n.type.ndim if n.is_array else 0):
            differ = ir.call("ne", ir.call("dim", v.expr, axis=k), ir.call("dim", n.expr, axis=k))
            self.raise_if(differ, ValueError, "a seed or tangent has not the shape of what it belongs to")
        return self.of_type(v, n.type)

    # ------------------------------------------------------------------------------------------- forward mode

    def jvp(self, g: Value, points: Sequence[Value], tangents: Value, node: Any) -> Value:
        r = self.record(g, points, {}, node)
        self.out.extend(r.body)
        return Tup((r.value, self.push(r, self.tangents_of(tangents), node)))

    def tangents_of(self, v: Value) -> list[Value]:
        v = self.present(v)
        return list(self.sequence_items(v)) if isinstance(v, Tup | Ref) else [v]

    def push(self, r: Record, tangents: Sequence[Value], node: Any) -> Value:
        """The tangents of the result, for those of the arguments (None: it is held fixed)."""
        names, dots = [], []
        for v, t in zip(r.args.values(), tangents, strict=False):
            if isinstance(t, Obj) and t.value is None:
                continue
            numbers, given = self.numbers(v), self.numbers(t)
            if len(numbers) != len(given):
                raise self.error(f"a tangent of {r.name} has not the structure of its argument", node)
            for n, d in zip(numbers, given, strict=True):
                assert isinstance(n.expr, Var)
                names.append(n.expr.name)
                dots.append(self.like(d, n, node))
        known = [(n, d) for n, d in zip(names, dots, strict=True) if n in r.params]
        push = PUSHFORWARD[0](self.program_of(r), [n for n, _ in known])
        made = self.call(Obj(push), [*r.entries, *(d for _, d in known)], {}, node)
        results = [n for n in self.numbers(r.value) if ir.is_inexact(n.type)]
        tangent = {id(n): t for n, t in zip(results, made.items if isinstance(made, Tup) else [made], strict=True)}
        return self.rebuilt(r.value, lambda n: tangent.get(id(n), NONE))  # type: ignore[arg-type, return-value]

    def hvp(self, g: Value, points: Sequence[Value], vector: Value, wrt: Any, node: Any) -> Value:
        r = self.record(Transformed("grad", g, wrt), points, {}, node)
        names = parameters_of(g)
        places = [names.index(w) if w in names else w % len(names) for w in (wrt if isinstance(wrt, tuple) else (wrt,))]
        given = self.tangents_of(vector) if isinstance(wrt, tuple) else [vector]
        tangents: list[Value] = [NONE] * len(points)
        for k, t in zip(places, given, strict=True):
            tangents[k] = t
        return self.push(r, tangents, node)


def unchanged(before: Value, after: Value) -> bool:
    """Has a variable its value still? (Reading one that may be absent makes it present.)"""
    return before is after or same(before, after) or (isinstance(before, Maybe) and same(before.value, after))


def one_of(t: ir.Scalar) -> Num:
    return number(1.0 if t.weak else np.dtype(t.dtype).type(1))


def called(g: Value) -> str:
    """The name of a callable value, for messages."""
    if isinstance(g, Transformed | Ruled):
        return called(g.function)
    if isinstance(g, Method):
        return g.name
    if isinstance(g, Partial):
        return called(g.func)
    return getattr(g.value, "__name__", "the function") if isinstance(g, Obj) else getattr(getattr(g, "node", None), "name", "lambda")


def parameters_of(g: Value) -> list[str]:
    """The names of the parameters of a callable value."""
    if isinstance(g, Func):
        a = g.node.args
        return [x.id for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
    if isinstance(g, Method) and g.func is not None:
        return parameters_of(g.func)[1:]
    if isinstance(g, Partial):
        return [n for n in parameters_of(g.func)[len(g.args) :] if n not in g.kwargs]
    if isinstance(g, Transformed | Ruled):
        return parameters_of(g.function)
    if isinstance(g, OneOfThese):
        return parameters_of(g.these[0])
    return list(inspect.signature(g.value).parameters) if isinstance(g, Obj) and callable(g.value) else []
