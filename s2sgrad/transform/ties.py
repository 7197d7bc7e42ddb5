"""Custom gradients in programs that are differentiated again.

The sweeps write the body of a custom gradient out, because its rule may use what the body has computed. What comes later must see the
outputs under the rule also when that program is differentiated: a tie is a custom gradient of its own, at the end of the body, that
hands the outputs on unchanged, with the same rule. The forward sweep keeps it as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from s2sgrad import ir
from s2sgrad.ir import Var
from s2sgrad.names import Names, names_of


def has_customs(program: ir.Program) -> bool:
    """Is there a custom gradient in any function of the program?"""
    return any(isinstance(s, ir.Custom) for f in (program.main, *program.linked.values()) for s in ir.walk_stmts(f.body))


def with_ties(program: ir.Program) -> ir.Program:
    """The program with a tie at the end of every custom gradient's body."""
    linked = {k: _tied_function(f) for k, f in program.linked.items()}
    return ir.Program(_tied_function(program.main), linked)


def _tied_function(f: ir.Function) -> ir.Function:
    names = Names(names_of(f))
    return replace(f, body=_block(f.body, names))


def _block(body: Sequence[ir.Stmt], names: Names) -> list[ir.Stmt]:
    out: list[ir.Stmt] = []
    for s in body:
        if isinstance(s, ir.Custom):
            out.append(_tied(s, names))
        elif ir.blocks(s):
            parts = {k: _block(b, names) for k in ("body", "orelse") if isinstance(b := getattr(s, k, None), list)}
            out.append(replace(s, **parts))  # type: ignore[arg-type]
        else:
            out.append(s)
    return out


def _tied(s: ir.Custom, names: Names) -> ir.Custom:
    own = {o.name: Var(names.fresh(o.name.partition("#")[0] + "_own"), o.type) for o in s.outputs}
    rename = _renaming({k: v.name for k, v in own.items()})
    body, back = ir.map_stmts(s.body, rename), ir.map_stmts(s.back, rename)
    grads = [None if g is None else ir.map_expr(g, rename) for g in s.grads]
    tie = fresh_rule(replace(s, inputs=[*own.values(), *s.inputs], back=back, grads=[*[None] * len(own), *grads], kept=True), names)
    tie.body = [ir.Assign(o, ir.call("copy", v) if ir.is_array(v.type) else v) for o, v in zip(s.outputs, own.values(), strict=True)]
    return replace(s, body=[*_block(body, names), tie], back=back, grads=grads)


def fresh_rule(s: ir.Custom, names: Names) -> ir.Custom:
    """The custom gradient with variables of its own in its rule, which is a second copy."""
    bound = {v.name for t in ir.walk_stmts(s.back) for v in (*ir.assigned(t), *(t.outputs if isinstance(t, ir.Custom) else ()))}
    bound |= {t.seeds[k].name for t in ir.walk_stmts(s.back) if isinstance(t, ir.Custom) for k in range(len(t.seeds))}
    rename = _renaming({n: names.fresh(n.partition("#")[0]) for n in sorted(bound | {v.name for v in s.seeds})})
    back = ir.map_stmts(s.back, rename)
    return replace(s, seeds=[rename(v) for v in s.seeds], back=back, grads=[None if g is None else ir.map_expr(g, rename) for g in s.grads])


def _renaming(table: dict[str, str]) -> Callable[[Any], Any]:
    return lambda e: Var(table[e.name], e.type) if isinstance(e, Var) and e.name in table else e
