"""Generated derivatives of recorded calls: the same road as `grad`, on the leaves.

A recorded function is specialised for the types of its inputs, reversed (or pushed forward), simplified and printed; the printed text
runs as plain Python over NumPy and is itself a function in the input language, so recording its call and differentiating that again
gives higher orders.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad import emit, frontend, ir, optimise, transform
from s2sgrad.connections import connections
from s2sgrad.eager import Kernel, differentiable, function_of_text
from s2sgrad.frontend.derivatives import PUSHFORWARD
from s2sgrad.frontend.tapes import PULLBACK
from s2sgrad.ir import Program
from s2sgrad.pipeline import fresh_results, own_arguments
from s2sgrad.runtime.rules import custom_rule
from s2sgrad.structure import Spec, describe
from s2sgrad.tensor import Tensor

_lock = threading.RLock()


class Fixed(Tensor):
    """A Python number among the inputs of a recorded call: it keeps its weak type."""

    __slots__ = ("value_",)

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value_ = value


def leaf(t: Tensor) -> Any:
    """The array of a tensor, a NumPy scalar for a scalar tensor."""
    if type(t) is Fixed:
        return t.value_
    return t._array if t._array.ndim else t._array[()]


def specs_of(inputs: Sequence[Tensor]) -> tuple[Spec, ...]:
    return tuple(describe(leaf(t)) for t in inputs)


class Derived:
    """A generated function of leaves: its program (in the input language), text and Python function."""

    def __init__(self, program: Program, read: Program | None = None) -> None:
        """`read`: the program as it is differentiated again, where that is another (see `transform.ties`)."""
        self.program, self.name = program, program.main.name
        self.text = emit.text(read or program, imports=False, rules=True)
        self.fn = function_of_text(self.text, self.name, {"math": math, "custom_rule": custom_rule})
        self.params = [p.name for p in program.main.params]


def primal(kernel: Kernel, specs: tuple[Spec, ...]) -> Any:
    """The specialisation of a kernel's function, kept."""
    key = ("primal", specs)
    if key not in kernel.cache:
        kernel.cache[key] = frontend.specialise(kernel.fn, specs)
    return kernel.cache[key]


def pullback(kernel: Kernel, inputs: Sequence[Tensor], wanted: tuple[int, ...]) -> Kernel:
    """inputs, adjoints of the inexact results -> adjoints of the wanted inputs."""
    specs = specs_of(inputs)
    with _lock:
        key = ("vjp", specs, wanted)
        if key not in kernel.cache:
            kernel.cache[key] = _given(kernel, wanted) if any(k in kernel.rules for k in wanted) else _generated(kernel, specs, wanted)
        return kernel.cache[key]


def _generated(kernel: Kernel, specs: tuple[Spec, ...], wanted: tuple[int, ...]) -> Kernel:
    program = primal(kernel, specs).program
    names = [p.name for p in program.main.params]
    derived = reversed_program(program, [names[k] for k in wanted], f"{kernel.name.strip('_')}_vjp", kernel.guard)
    return Generated(derived, list(wanted), kernel.kink)


def _given(kernel: Kernel, wanted: tuple[int, ...]) -> Kernel:
    """The pull-back by the operation's own rules."""
    rules = [kernel.rules[k] for k in wanted]
    if len(rules) == 1:
        fn = rules[0]
    else:
        calls = ", ".join(f"rule_{k}(*args)" for k in range(len(rules)))
        fn = function_of_text(f"def rules_call(*args):\n    return {calls}\n", "rules_call", {f"rule_{k}": r for k, r in enumerate(rules)})
    return Generated(fn, list(wanted), kernel.kink, name=f"{kernel.name.strip('_')}_vjp")


def reversed_program(program: Program, wrt: Sequence[str], name: str, guard: bool = True) -> Derived:
    """The pull-back of a program, printed. What the program prints has been seen when it was called."""
    program = silent(program)
    written = [p.name for p in program.main.params if p.name in program.main.written]

    def derived(p: Program) -> Program:
        raw = transform.reverse(optimise.in_pieces(p), wrt, seeds="params", value=False, name=name, guard=guard)
        return fresh_results(optimise.simplify(own_arguments(raw, written)))

    return Derived(derived(program), derived(transform.with_ties(program)) if transform.has_customs(program) else None)


def pushed_program(program: Program, wrt: Sequence[str], name: str) -> Derived:
    """The forward-mode derivative of a program, its tangents only."""
    program = silent(program)
    written = [p.name for p in program.main.params if p.name in program.main.written]

    def derived(p: Program) -> Program:
        raw = transform.tangent(optimise.in_pieces(p), wrt, name=name)
        body = raw.main.body
        tangents = body[-1].values[len(program.main.returns) :]  # type: ignore[attr-defined]
        main = ir.Function(raw.main.name, raw.main.params, [*body[:-1], ir.Return(tangents)], raw.main.doc, raw.main.written)
        return fresh_results(optimise.simplify(own_arguments(ir.Program(main, raw.linked), written)))

    return Derived(derived(program), derived(transform.with_ties(program)) if transform.has_customs(program) else None)


def silent(program: Program) -> Program:
    """The program without the print statements of its forward sweep (those inside custom rules belong to the reverse sweep)."""

    def quiet(body: Sequence[ir.Stmt]) -> list[ir.Stmt]:
        out = []
        for s in body:
            parts = {name: quiet(getattr(s, name)) for name in ("body", "orelse") if isinstance(getattr(s, name, None), list)}
            if not isinstance(s, ir.Print):
                out.append(replace(s, **parts) if parts else s)  # type: ignore[arg-type]
        return out

    functions = [program.main, *program.linked.values()]
    if not any(isinstance(s, ir.Print) for f in functions for s in ir.walk_stmts(f.body)):
        return program
    return Program(
        replace(program.main, body=quiet(program.main.body)), {k: replace(f, body=quiet(f.body)) for k, f in program.linked.items()}
    )


def pushforward(kernel: Kernel, inputs: Sequence[Tensor], given: tuple[int, ...]) -> Kernel:
    """inputs, tangents of the given inputs -> tangents of the inexact results."""
    specs = specs_of(inputs)
    with _lock:
        key = ("jvp", specs, given)
        if key not in kernel.cache:
            program = primal(kernel, specs).program
            names = [p.name for p in program.main.params]
            derived = pushed_program(program, [names[k] for k in given], f"{kernel.name.strip('_')}_jvp")
            like = [r.type.dtype for r in program.main.returns if ir.is_inexact(r.type)]
            kernel.cache[key] = Generated(derived, like, kernel.kink)
        return kernel.cache[key]


def of_taped(program: Program, wrt: Sequence[str]) -> tuple[set[str], Callable[..., Any]]:
    """What a tape in compiled code needs: which variables the results depend on, and the pull-back by some of them."""
    reached = set().union(*connections(program))
    return reached, reversed_program(program, [n for n in wrt if n in reached], "taped_vjp").fn


PULLBACK.append(of_taped)
PUSHFORWARD.append(lambda program, wrt: pushed_program(program, wrt, f"{program.main.name}_jvp").fn)


class Generated(Kernel):
    """A kernel whose function was generated. Result k takes the dtype and shape of input like[k] (an int), or the dtype like[k] (a name).

    `run` computes the values where a compiled form exists; the Python function `fn` is what is differentiated again.
    """

    def __init__(
        self,
        derived: Derived | Callable[..., Any],
        like: Sequence[int | str],
        kink: bool = False,
        run: Callable[..., Any] | None = None,
        name: str = "",
    ) -> None:
        fn = derived.fn if isinstance(derived, Derived) else derived
        super().__init__(fn, name or fn.__name__, None, kink)
        self.derived, self.like, self.run = derived, list(like), run or fn

    def __call__(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        with np.errstate(all="ignore"):
            out = self.run(*(leaf(t) for t in inputs))
        parts = out if isinstance(out, tuple) else (out,)
        outputs = [self.result(v, like, inputs) for v, like in zip(parts, self.like, strict=True)]
        self.note(inputs, outputs)
        return outputs

    def result(self, value: Any, like: int | str, inputs: Sequence[Tensor]) -> Tensor:
        if isinstance(like, str):
            return Tensor(np.asarray(value, dtype=like))
        source = inputs[like]
        a = np.asarray(value, dtype=source._array.dtype)
        if a.shape != source._array.shape:
            a = np.broadcast_to(a, source._array.shape).copy()
        return Tensor(a, source._dtype)

    def links(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> list[list[int]]:
        specs = specs_of(inputs)
        key = ("links", specs)
        if key not in self.cache:
            program = primal(self, specs).program
            names = [p.name for p in program.main.params]
            reach = connections(program, self.kink)
            self.cache[key] = [[k for k, n in enumerate(names) if n in r] for r in reach]
        found = self.cache[key]
        possible = {k for k, t in enumerate(inputs) if differentiable(t)}
        return [[k for k in links if k in possible] if differentiable(o) else [] for links, o in zip(found, outputs, strict=True)]
