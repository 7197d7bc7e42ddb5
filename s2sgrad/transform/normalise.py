"""Prepare a primal function for the sweeps: loop variables of their own, decisions and bounds in variables.

    if x[i] > 0.0: ...            took_3 = x[i] > 0.0
                            ->    if took_3: ...

A condition or a bound that is the same wherever it is evaluated stays where it is. The saving pass then treats
decisions like any other variable: still there, recomputed, or saved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from s2sgrad import ir
from s2sgrad.analysis.effects import memory_classes, reads
from s2sgrad.names import Names


def normalise(function: ir.Function, names: Names) -> ir.Function:
    """A deep copy in which every loop has its own variable and conditions are cheap and stable."""
    body = _own_loop_variables(ir.map_stmts(function.body, lambda e: e), {}, names, Counter())
    out = replace(function, params=list(function.params), body=body)
    out.body = _Stable(out, names).block(out.body)
    return out


def _own_loop_variables(body: list[ir.Stmt], table: dict[str, ir.Expr], names: Names, seen: Counter[str]) -> list[ir.Stmt]:
    out: list[ir.Stmt] = []
    for s in body:
        if isinstance(s, ir.For):
            own = s.var
            seen[own.name] += 1
            if seen[own.name] > 1:
                own = ir.Var(_version(own.name, names), own.type)
            inner = ir.map_stmts(s.body, _renaming(s.var.name, own))
            s = replace(s, var=own, body=_own_loop_variables(inner, table, names, seen))
        elif isinstance(s, ir.If):
            s = replace(s, body=_own_loop_variables(s.body, table, names, seen), orelse=_own_loop_variables(s.orelse, table, names, seen))
        elif isinstance(s, (ir.While, ir.Recompute)):
            s = replace(s, body=_own_loop_variables(s.body, table, names, seen))
        elif isinstance(s, ir.Custom):
            s = replace(s, body=_own_loop_variables(s.body, table, names, seen), back=_own_loop_variables(s.back, table, names, seen))
        out.append(s)
    return out


def _renaming(old: str, new: ir.Var) -> Callable[[Any], Any]:
    return lambda e: new if isinstance(e, ir.Var) and e.name == old else e


def _version(name: str, names: Names) -> str:
    base, k = name.partition("#")[0], 1
    while f"{base}#L{k}" in names.used:
        k += 1
    names.used.add(f"{base}#L{k}")
    return f"{base}#L{k}"


def bound_outside_loops(body: list[ir.Stmt]) -> Iterator[str]:
    """Names bound by statements that run at most once."""
    for s in body:
        if not isinstance(s, ir.For):
            yield from (v.name for v in ir.assigned(s))
        if isinstance(s, ir.If):
            yield from bound_outside_loops(s.body)
            yield from bound_outside_loops(s.orelse)


class _Stable:
    def __init__(self, function: ir.Function, names: Names) -> None:
        self.names = names
        self.classes: Mapping[str, str] = memory_classes(function)
        self.bindings = Counter(p.name for p in function.params)
        self.permanent = {p.name for p in function.params} | set(bound_outside_loops(function.body))
        self.stored: set[str] = set()
        for s in ir.walk_stmts(function.body):
            for v in ir.assigned(s):
                self.bindings[v.name] += 1
            if isinstance(s, ir.For):
                self.permanent.add(s.var.name)
            if isinstance(s, ir.Store) or (isinstance(s, ir.Accum) and s.index is not None):
                self.stored.add(self.classes[s.base.name])
            elif isinstance(s, ir.CallFn):
                self.stored |= {self.classes[a.name] for a in s.touched}
            elif isinstance(s, (ir.Append, ir.Pop)):
                self.stored.add(self.classes[s.list.name])

    def fixed(self, e: Any) -> bool:
        """Cheap, and the same value in the reverse sweep without saving anything."""
        for kind, name in reads(e, self.classes):
            if kind == "m":
                if name in self.stored:
                    return False
            elif not (name in self.permanent and self.bindings[name] == 1):
                return False
        return not any(isinstance(x, ir.Call) and any(ir.is_array(a.type) for a in x.args) and x.op not in ("dim", "size") for x in ir.walk(e))

    def held(self, e: ir.Expr, base: str, out: list[ir.Stmt], place: ir.Place | None) -> ir.Expr:
        if isinstance(e, ir.Const) or self.fixed(e):
            return e
        v = ir.Var(self.names.fresh(f"{base}_{place.line}" if place else base), e.type)
        out.append(ir.Assign(v, e, place=place))
        return v

    def before(self, i: Any, s: ir.Store, out: list[ir.Stmt]) -> Any:
        """An item of the index of a store that reads the memory stored into, held from before the store (the reverse reads it after)."""
        if isinstance(i, ir.Slice):
            return ir.Slice(*(x if x is None else self.before(x, s, out) for x in (i.lower, i.upper, i.step)))
        if not isinstance(i, ir.Expr) or ("m", self.classes[s.base.name]) not in set(reads(i, self.classes)):
            return i
        v = ir.Var(self.names.fresh("mask" if i.type.dtype == "bool" else "at"), i.type)
        out.append(ir.Assign(v, ir.call("copy", i) if ir.is_alias(i) else i, place=s.place))
        return v

    def block(self, body: list[ir.Stmt]) -> list[ir.Stmt]:
        out: list[ir.Stmt] = []
        for s in body:
            if isinstance(s, ir.If):
                s = replace(s, cond=self.held(s.cond, "took", out, s.place), body=self.block(s.body), orelse=self.block(s.orelse))
            elif isinstance(s, ir.For):
                s = replace(s, start=self.held(s.start, "start", out, s.place), stop=self.held(s.stop, "stop", out, s.place),
                            step=self.held(s.step, "step", out, s.place), body=self.block(s.body), parallel=False)
            elif isinstance(s, (ir.While, ir.Recompute)):
                s = replace(s, body=self.block(s.body))
            elif isinstance(s, ir.Custom):
                s = replace(s, body=self.block(s.body))
            elif isinstance(s, ir.Store):
                s = replace(s, index=tuple(self.before(i, s, out) for i in s.index))
            out.append(s)
        return out
