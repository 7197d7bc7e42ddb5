"""What a custom gradient may read: inputs, and what carries no derivative."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from s2sgrad import ir
from s2sgrad.analysis.reads import count_reads
from s2sgrad.errors import CustomGradientError
from s2sgrad.ir import Var
from s2sgrad.transform.scopes import subblocks


def _run(body: Sequence[ir.Stmt]) -> Iterator[ir.Stmt]:
    """The statements that the function itself runs: those of nested rules are not among them."""
    for s in body:
        yield s
        for b in subblocks(s):
            yield from _run(b)


def check_captures(s: ir.Custom, is_active: Callable[[Var], bool], function: ir.Function, returned: Collection[str] = ()) -> None:
    """The rule says nothing about data that its function reads from outside or changes there: they must not carry a derivative.

    returned: names that the results of `function` are made of.
    """
    if s.name.endswith(".assign"):  # an assigned variable: to a derivative what is assigned is the variable itself
        return
    run = list(_run(s.body))
    outputs = {v.name for v in s.outputs}
    bound = outputs | {v.name for t in run for v in (t.outputs if isinstance(t, ir.Custom) else ir.assigned(t))}
    whole = {t.target.name: r for t in run if isinstance(t, ir.Assign) and ir.is_alias(t.value) and (r := ir.root(t.value)) is not None}
    own = bound | {v.name for v in s.inputs}
    carrying = _carrying(run, {v.name for v in s.inputs if is_active(v)})
    everywhere, inside = count_reads(function.body), count_reads([s])
    for t in run:
        for v in ir.assigned(t) if not isinstance(t, ir.Custom) else ():
            seen = v.name in returned or everywhere.get(v.name, 0) > inside.get(v.name, 0)
            if seen and v.name not in outputs and (is_active(v) or v.name in carrying):
                raise _changes(s, v)
        changed = t.buffer if isinstance(t, ir.Reserve) else t.base if isinstance(t, ir.Store | ir.Accum) else t.list if isinstance(t, ir.Append) else None
        while changed is not None and changed.name in whole:
            changed = whole.pop(changed.name)
        if changed is not None and changed.name not in bound and is_active(changed):
            raise _changes(s, changed)
        read = t.inputs if isinstance(t, ir.Custom) else [x for e in ir.exprs(t) for x in ir.walk(e) if isinstance(x, Var)]
        for v in read:
            if v.name not in own and ir.is_inexact(v.type) and is_active(v):
                raise CustomGradientError(
                    f"the function of the custom gradient {s.name} reads {v.name.split('#')[0]}, which carries a derivative and is not among its inputs",
                    s.place, "Make it an argument, and give its gradient; or use stop_gradient(...) of it.",
                )  # fmt: skip


def _carrying(run: Sequence[ir.Stmt], names: set[str]) -> set[str]:
    """The inexact variables whose values depend on these."""
    out: set[str] = set()
    while True:
        found = {v.name for t in run if not isinstance(t, ir.Custom) and any((names | out) & ir.names_in(e) for e in ir.exprs(t))
                 for v in ir.assigned(t) if ir.is_inexact(v.type)}
        if found <= out:
            return out
        out |= found


def _changes(s: ir.Custom, v: Var) -> CustomGradientError:
    return CustomGradientError(f"the function of the custom gradient {s.name} changes {v.name.split('#')[0]}, which carries a derivative", s.place,
                               "Change a copy, or return the new value and store it outside of the function.")
