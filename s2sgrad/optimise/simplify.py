"""The simplifier: small passes repeated until nothing changes. Used on primal and adjoint programs alike.

    fold            constants, algebra, statements that do nothing
    contributions   x_bar = 0.0; x_bar += e   ->   x_bar = e
    sink            resets move behind the uses of what they overwrite
    copies          y = x; z = y * 2.0        ->   z = x * 2.0
    forward         _t = e; x_bar += _t       ->   x_bar += e
    dead            whatever nobody sees
    notes           comments whose statements are gone

and at last `common`: costly values that a statement needs twice are computed once.
"""

from __future__ import annotations

from collections.abc import Callable

from s2sgrad.ir import Function, Program
from s2sgrad.optimise.common import share_costly
from s2sgrad.optimise.contributions import merge_first
from s2sgrad.optimise.copies import propagate
from s2sgrad.optimise.dead import eliminate
from s2sgrad.optimise.fold_stmts import fold_function
from s2sgrad.optimise.forward import substitute_single
from s2sgrad.optimise.notes import drop_idle_notes
from s2sgrad.optimise.sink import sink_resets
from s2sgrad.recursion import deep

Pass = Callable[[Function, Program], Function]

PASSES: dict[str, Pass] = {
    "fold": lambda f, p: fold_function(f),
    "contributions": merge_first,
    "sink": sink_resets,
    "copies": propagate,
    "forward": substitute_single,
    "dead": eliminate,
    "notes": drop_idle_notes,
}
ROUNDS = 8


@deep
def simplify(program: Program) -> Program:
    """An equivalent program with less in it."""
    linked = {name: simplify_function(f, program) for name, f in program.linked.items()}
    return Program(simplify_function(program.main, program), linked)


def simplify_function(f: Function, program: Program) -> Function:
    """One function of a program, simplified."""
    for _ in range(ROUNDS):
        before = f.body
        for one in PASSES.values():
            f = one(f, program)
        if f.body == before:
            break
    return share_costly(f, program)
