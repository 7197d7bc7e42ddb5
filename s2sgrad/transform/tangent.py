"""Forward mode: every statement together with the statement of its tangent, from the same rules.

    y = y * np.sin(x)    ->    y_dot = y_dot * np.sin(x) + y * (np.cos(x) * x_dot)
                               y = y * np.sin(x)

Tangent arrays mirror the primal's memory: a view of an array has the same view of its tangent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from s2sgrad import errors, ir
from s2sgrad.analysis import activity, effects
from s2sgrad.analysis.chosen import Chosen
from s2sgrad.analysis.shapes import Shapes
from s2sgrad.ir import Call, Const, Expr, Index, Var, call
from s2sgrad.names import Names, names_of
from s2sgrad.recursion import deep
from s2sgrad.rules import registry
from s2sgrad.transform.adjoint import guarded, mirrored, times
from s2sgrad.transform.captures import check_captures
from s2sgrad.transform.records import index_type, zero, zero_list
from s2sgrad.transform.sweeps import zeros_like

SHAPE_OF_OTHERS = frozenset({"unbroadcast", "of_shape"})  # of the arguments after the first only the shape counts


@deep
def tangent(program: ir.Program, wrt: Sequence[str], name: str = "") -> ir.Program:
    """The forward-mode derivative of a program's main function.

    Parameters: those of the primal, then one `<p>_dot` per name in `wrt`. Results: the primal's results, then one tangent per
    inexact result.
    """
    linked = dict(program.linked)
    main = _Tangent(program.main, program.linked, wrt)
    function = main.function_with_results(name or program.main.name + "_jvp", False)
    todo = set(main.pushed)
    while todo:
        f = todo.pop()
        t = _Tangent(program.linked[f], program.linked, [p.name for p in program.linked[f].params if ir.is_inexact(p.type)])
        linked[f + "_jvp"] = t.function_with_results(f + "_jvp", True)
        todo |= {g for g in t.pushed if g + "_jvp" not in linked}
    return ir.Program(function, linked)


class _Tangent:
    def __init__(self, function: ir.Function, linked: dict[str, ir.Function], wrt: Sequence[str]) -> None:
        self.primal, self.linked, self.wrt = function, linked, list(wrt)
        self.names = Names(names_of(function))
        self.classes = effects.memory_classes(function)
        params = {p.name: p for p in function.params}
        self.varied = activity.varied_units(function, self.classes, [params[n].var for n in wrt])
        self.dots: dict[str, Var] = {}
        self.shapes = Shapes(function)
        self.chosen = Chosen(function, self.classes)
        self.pushed: set[str] = set()
        self.place: ir.Place | None = None
        self.pre: list[ir.Stmt] = []

    def dot(self, v: Var) -> Var:
        """The tangent variable."""
        if v.name not in self.dots:
            self.dots[v.name] = Var(self.names.derived(v.name, "_dot"), v.type)
            self.shapes.known[self.dots[v.name].name] = () if isinstance(v.type, ir.ListType) else self.shapes.of(v)
        return self.dots[v.name]

    def is_active(self, v: Var) -> bool:
        return ir.is_inexact(v.type) and activity.key(v, self.classes) in self.varied

    # ------------------------------------------------------------------------------------- expressions

    def push(self, e: Any) -> Expr | None:
        """The tangent of an expression, None where it is zero."""
        if isinstance(e, Const) or not isinstance(e, Expr) or not ir.is_inexact(e.type):
            return None
        if isinstance(e, Var):
            return self.dot(e) if self.is_active(e) else None
        if isinstance(e, Index):
            d = self.whole(e.base)
            return None if d is None else Index(d, e.index, e.type)
        assert isinstance(e, Call)
        op = registry.OPS[e.op]
        if op.kind == "zero":
            return None
        if e.op == "ifexp":
            a, b = self.push(e.args[1]), self.push(e.args[2])
            if a is None and b is None:
                return None
            return call("ifexp", e.args[0], zero(e.type) if a is None else a, zero(e.type) if b is None else b)
        dots = [self.push(a) if op.kind == "elementwise" else self.whole(a) for a in e.args]
        if all(d is None for d in dots) or e.op in SHAPE_OF_OTHERS and dots[0] is None:
            return None
        dots = [d if d is None else self._bounded(d, self.chosen.vanishes(e, k)) for k, d in enumerate(dots)]
        if op.kind == "elementwise" and op.tangent is None:
            return self._elementwise(e, op, dots)
        if op.tangent is None:
            raise errors.NotDifferentiable(f"{op.name} has no derivative here: {op.why or 'no tangent rule is declared for it'}", self.place)
        if e.op in ir.VIEW_OPS:
            d = dots[0]
            assert d is not None
            return Call(e.op, (d, *e.args[1:]), e.attrs, e.type)
        d = self._fit(op.tangent(tuple(dots), *e.args, out=e, **dict(e.attrs)), e)
        if op.kind == "elementwise" and op.is_singular(e.args):
            d = self._masked([x for x in dots if x is not None], d)
        return d

    def whole(self, e: Any) -> Expr | None:
        """The tangent of an expression in its full shape (where an operand is broadcast, `push` gives the tangent of that operand alone)."""
        d = self.push(e)
        if d is None or not ir.is_array(e.type) or not self._may_be_smaller(d, e):
            return d
        return call("add", d, call("zeros_like", e))

    def _masked(self, dots: list[Expr], part: Expr) -> Expr:
        """The tangent, forced to zero where all incoming tangents are zero."""
        tests = [call("ne", d, 0.0) for d in dots]
        some = tests[0]
        for t in tests[1:]:
            some = call("logical_or", some, t)
        return call("where" if ir.is_array(part.type) else "ifexp", some, part, 0.0)

    def _bounded(self, d: Expr, flat: Expr | None) -> Expr:
        """A tangent, zero where the operation is flat at infinity (the tangent may be infinite there)."""
        return d if flat is None else call("where" if ir.is_array(d.type) or ir.is_array(flat.type) else "ifexp", flat, 0.0, d)

    def _fit(self, d: Any, e: Expr) -> Expr:
        d = registry.as_expr(d)
        return call("real", d) if ir.is_complex(d.type) and not ir.is_complex(e.type) else d

    def _elementwise(self, e: Call, op: registry.Op, dots: list[Expr | None]) -> Expr | None:
        total: Expr | None = None
        for k, d in enumerate(dots):
            rule = op.partials[k] if d is not None else None
            p = rule(*e.args, out=e, **dict(e.attrs)) if rule is not None else None
            if d is None or p is None or (isinstance(p, (int, float)) and p == 0):
                continue
            part = times(d, p)
            if op.is_singular(e.args):
                part = guarded(d, part)
            total = part if total is None else call("sub", total, part.args[0]) if isinstance(part, Call) and part.op == "neg" else call("add", total, part)
        return None if total is None else self._fit(total, e)

    # -------------------------------------------------------------------------------------- statements

    def block(self, body: Sequence[ir.Stmt]) -> list[ir.Stmt]:
        out: list[ir.Stmt] = []
        for s in body:
            self.place = s.place
            out += self.statement(s)
        return out

    def statement(self, s: ir.Stmt) -> list[ir.Stmt]:
        if isinstance(s, ir.If):
            return [replace(s, body=self.block(s.body), orelse=self.block(s.orelse))]
        if isinstance(s, (ir.For, ir.While)):
            return [replace(s, body=self.block(s.body))]
        if isinstance(s, ir.Recompute):
            return self.block(s.body)
        method = getattr(self, "on_" + type(s).__name__.lower(), None)
        return [s] if method is None else method(s)

    def on_assign(self, s: ir.Assign) -> list[ir.Stmt]:
        t = s.target
        if not self.is_active(t):
            return [s]
        if isinstance(t.type, ir.ListType):
            value = s.value if isinstance(s.value, Call) and s.value.op == "list_new" else mirrored(s.value, self.dot)
            return [ir.Assign(self.dot(t), value), s]
        if isinstance(t.type, ir.Scalar):
            d = self.push(s.value)
            return [ir.Assign(self.dot(t), self.cast(zero(t.type) if d is None else d, t)), s]
        if ir.is_alias(s.value):
            return [ir.Assign(self.dot(t), mirrored(s.value, self.dot)), s]
        d = self.push(s.value)
        if d is None:
            return [s, ir.Assign(self.dot(t), zeros_like(t))]
        fresh = d if not ir.is_alias(d) else call("copy", d)
        if self._may_be_smaller(d, s.value):
            held = Var(self.names.fresh("part"), fresh.type)
            return [ir.Assign(held, fresh), s, ir.Assign(self.dot(t), zeros_like(t)), ir.Store(self.dot(t), (), held)]
        return [ir.Assign(self.dot(t), fresh), s]

    def _may_be_smaller(self, d: Expr, value: Expr) -> bool:
        """Could the tangent have fewer elements than the value (an operand was broadcast)?"""
        return not ir.is_array(d.type) or self.shapes.of(d) != self.shapes.of(value)

    def cast(self, d: Expr, t: Var) -> Expr:
        if ir.is_array(d.type):
            d = call("sum", d, axis=None, keepdims=False)
        weak = isinstance(d.type, ir.Scalar) and d.type.weak
        return d if d.type.dtype == t.type.dtype or weak else call("astype", d, dtype=t.type.dtype)

    def on_accum(self, s: ir.Accum) -> list[ir.Stmt]:
        d = self.push(s.value) if self.is_active(s.base) else None
        if d is None:
            return [s]
        if s.index is None:
            return [ir.Accum(self.dot(s.base), None, self.cast(d, s.base)), s]
        return [ir.Accum(self.dot(s.base), s.index, d, s.repeated), s]

    def on_store(self, s: ir.Store) -> list[ir.Stmt]:
        if not self.is_active(s.base):
            return [s]
        d = self.push(s.value)
        t = index_type(s.base.type, s.index)
        return [ir.Store(self.dot(s.base), s.index, zero(t) if d is None else d), s]

    def on_multi(self, s: ir.Multi) -> list[ir.Stmt]:
        live = [t for t in s.targets if t is not None and self.is_active(t)]
        dots = [self.whole(a) for a in s.args]
        if not live or all(d is None for d in dots):
            return [s]
        op = registry.OPS[s.op]
        if op.tangent is None:
            raise errors.NotDifferentiable(f"{op.name} has no derivative here: {op.why or 'no tangent rule is declared for it'}", self.place)
        results = op.results(*(a.type for a in s.args), **dict(s.attrs))  # type: ignore[misc]
        outs = [Var(self.names.fresh("out"), u) for u in results]
        parts = op.tangent(tuple(dots), *s.args, out=tuple(outs), **dict(s.attrs))
        held = [Var(self.names.fresh("part"), registry.as_expr(p).type) for p in parts]
        out: list[ir.Stmt] = [replace(s, targets=list(outs))]
        out += [ir.Assign(h, registry.as_expr(p)) for h, p in zip(held, parts, strict=True)]
        for t, o, h in zip(s.targets, outs, held, strict=True):
            if t is None:
                continue
            out.append(ir.Assign(t, o))
            if self.is_active(t):
                out.append(ir.Assign(self.dot(t), h if ir.is_array(h.type) or isinstance(t.type, ir.Scalar) else zeros_like(t)))
        return out

    def on_append(self, s: ir.Append) -> list[ir.Stmt]:
        return [s, ir.Append(self.dot(s.list), self.dot(s.value))] if self.is_active(s.list) else [s]

    def on_pop(self, s: ir.Pop) -> list[ir.Stmt]:
        return [s, ir.Pop(self.dot(s.target), self.dot(s.list))] if self.is_active(s.list) else [s]

    def on_reserve(self, s: ir.Reserve) -> list[ir.Stmt]:
        return [s, ir.Reserve(self.dot(s.buffer), s.size)] if self.is_active(s.buffer) else [s]

    def on_callfn(self, s: ir.CallFn) -> list[ir.Stmt]:
        callee = self.linked[s.function]
        if all(self.push(a) is None for a in s.args):
            return [s]
        self.pushed.add(s.function)
        out: list[ir.Stmt] = []
        extra: list[Expr] = []
        for a, p in zip(s.args, callee.params, strict=True):
            if not ir.is_inexact(p.type):
                continue
            d = self.whole(a)
            if d is None and isinstance(p.type, ir.ListType):
                d = zero_list(a, p.type, self.names, out.append)
            elif d is None and ir.is_array(p.type):
                d = Var(self.names.fresh("unused_dot"), p.type)
                out.append(ir.Assign(d, Call("zeros_like", (a,), (), p.type)))
            extra.append(zero(p.type) if d is None else d)
        dots = [self.dot(t) if self.is_active(t) else Var(self.names.fresh("unused_dot"), t.type) for t in s.targets if ir.is_inexact(t.type)]
        return [*out, ir.CallFn([*s.targets, *dots], s.function + "_jvp", [*s.args, *extra])]

    def on_custom(self, s: ir.Custom) -> list[ir.Stmt]:
        """The given rule is a pull-back, linear in its seeds; its transpose is the push-forward."""
        from s2sgrad.transform.transpose import transpose_custom
        check_captures(s, self.is_active, self.primal)
        pushed = [(v, self.push(v)) for v in s.inputs]
        held: list[ir.Stmt] = []
        dots: list[Expr | None] = []
        for _, d in pushed:
            if d is None:
                dots.append(None)
                continue
            h = Var(self.names.fresh("in_dot"), d.type)
            held.append(ir.Assign(h, call("copy", d) if ir.is_array(d.type) else d))
            dots.append(h)
        out = [*held, *s.body]
        outputs = [o for o in s.outputs if self.is_active(o)]
        out += [ir.Assign(self.dot(o), zeros_like(o) if ir.is_array(o.type) else zero(o.type)) for o in outputs]
        if any(d is not None for d in dots):
            out += transpose_custom(s, dots, {o.name: self.dot(o) for o in outputs}, self.names, self.linked)
        return out

    # ---------------------------------------------------------------------------------------- function

    def function_with_results(self, name: str, all_results: bool) -> ir.Function:
        """`all_results`: a tangent for every inexact result and final contents in place (linked functions)."""
        params = list(self.primal.params)
        by_name = {p.name: p for p in params}
        start: list[ir.Stmt] = []
        extra: list[ir.Param] = []
        for k, n in enumerate(self.wrt):
            v = self.dot(by_name[n].var)
            extra.append(ir.Param(v.name, v.type, ("tangent", k)))
        for p in params:
            if p.name not in self.wrt and self.is_active(p.var):
                start.append(ir.Assign(self.dot(p.var), zeros_like(p.var) if ir.is_array(p.type) else zero(p.type)))
        body = [*start, *self.block(self.primal.body[:-1])]
        dots: list[Expr] = []
        for e in self.primal.returns:
            if not ir.is_inexact(e.type):
                continue
            d = self.push(e)
            if isinstance(e.type, ir.Scalar):
                dots.append(zero(e.type) if d is None else d)
            else:
                v = Var(self.names.fresh("result_dot"), ir.Array(e.type.dtype, e.ndim))
                body.append(ir.Assign(v, call("zeros_like", e)))
                if d is not None:
                    body.append(ir.Store(v, (), d))
                dots.append(v)
        body.append(ir.Return([*self.primal.returns, *dots]))
        doc = f"Forward-mode derivative of {self.primal.name} with respect to {', '.join(self.wrt)}."
        written = set(self.primal.written) | {self.dot(by_name[n].var).name for n in self.wrt if n in self.primal.written}
        return ir.Function(name, [*params, *extra], body, doc, written, self.primal.temporaries | self.names.made)
