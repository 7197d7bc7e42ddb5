"""Activity: which variables carry a derivative (they depend on an independent and influence a result).

Flow-insensitive: scalars by name, arrays by memory class. See Hascoet and Pascual, "The Tapenade automatic
differentiation tool" (ACM TOMS 39(3), 2013), section 4, for varied and useful variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from s2sgrad import ir
from s2sgrad.rules import registry


def key(v: ir.Var, classes: Mapping[str, str]) -> str:
    """The unit of activity a variable belongs to."""
    return v.name if isinstance(v.type, ir.Scalar) else "m:" + classes.get(v.name, v.name)


def dependencies(e: Any, conditional: bool = True) -> Iterable[ir.Var]:
    """The inexact variables an expression depends on through operations that are not flat. Without `conditional`: whatever its
    conditional expressions choose."""
    if isinstance(e, ir.Call) and e.op == "ifexp" and not conditional:
        return
    if isinstance(e, ir.Var):
        if ir.is_inexact(e.type):
            yield e
    elif isinstance(e, ir.Call):
        if registry.OPS[e.op].kind != "zero":
            for a in e.args:
                yield from dependencies(a, conditional)
    elif isinstance(e, ir.Index):
        yield from dependencies(e.base, conditional)


def edges(body: Sequence[ir.Stmt], classes: Mapping[str, str]) -> list[tuple[str, set[str]]]:
    """(target, sources) for every flow of values in a block."""
    out: list[tuple[str, set[str]]] = []

    def add(target: ir.Var, *values: Any) -> None:
        if ir.is_inexact(target.type):
            out.append((key(target, classes), {key(v, classes) for e in values for v in dependencies(e)}))

    for s in ir.walk_stmts(body):
        if isinstance(s, ir.Assign):
            add(s.target, s.value)
        elif isinstance(s, (ir.Store, ir.Accum)):
            add(s.base, s.value)
        elif isinstance(s, ir.Multi):
            for t in s.targets:
                if t is not None:
                    add(t, *s.args)
        elif isinstance(s, ir.Append):
            add(s.list, s.value)
        elif isinstance(s, ir.CallFn):
            for t in (*s.targets, *s.touched):
                add(t, *s.args)
        elif isinstance(s, ir.Custom):
            for t in s.outputs:
                add(t, *s.inputs)
    return out


def closure(start: set[str], flow: Iterable[tuple[str, set[str]]], forward: bool) -> set[str]:
    """Everything reachable from `start` along (forward) or against the flow."""
    found, changed = set(start), True
    flow = list(flow)
    while changed:
        changed = False
        for target, sources in flow:
            if forward:
                if target not in found and sources & found:
                    found.add(target)
                    changed = True
            elif target in found and not sources <= found:
                found |= sources
                changed = True
    return found


def active_units(function: ir.Function, classes: Mapping[str, str],
                 wrt: Iterable[ir.Var], results: Iterable[Any]) -> set[str]:
    """Units (see `key`) that are varied from `wrt` and useful for `results`."""
    flow = edges(function.body, classes)
    varied = closure({key(v, classes) for v in wrt}, flow, True)
    useful = closure({key(v, classes) for e in results for v in dependencies(e)}, flow, False)
    return varied & useful


def varied_units(function: ir.Function, classes: Mapping[str, str], wrt: Iterable[ir.Var]) -> set[str]:
    """Units that depend on `wrt` (forward mode)."""
    return closure({key(v, classes) for v in wrt}, edges(function.body, classes), True)
