"""A gradient tape inside a compiled function: the statements it has seen become a function, whose pull-back is inlined.

What the tape cannot be in compiled code is refused: the function then runs on tensors.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.liveness import live_in, used, written_roots
from s2sgrad.frontend.machine import effects
from s2sgrad.frontend.values import NONE, Fields, Items, Num, Obj, Ref, Tape, Tup, Value, describe, number
from s2sgrad.frontend.variables import Variables
from s2sgrad.ir import Var

PULLBACK: list[Callable[..., Any]] = []
"""What differentiates a program: (program, wrt) -> (which results depend on which of wrt, Python function of parameters and seeds)."""


class Tapes(Variables):
    def make_tape(self, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        given = dict(zip(("persistent", "watch_accessed_variables"), args, strict=False)) | kwargs
        options = {k: self.static(v) for k, v in given.items()}
        return Obj(Tape(bool(options.get("watch_accessed_variables", True))))

    def with_tape(self, tape: Tape, body: Sequence[Any], rest: Sequence[Any], node: Any) -> list[ir.Stmt] | None:
        if tape.out is not None:
            raise self.error("a tape that is entered twice", node)
        out = tape.out = self.out
        tape.mark = len(out)
        jumps = set(self.jumps)
        tail = self.run(body)
        if tail is not out or self.out is not out or self.jumps != jumps or self.state is None:
            raise self.error("leaving the context of a tape early", node, "Compute inside it, and return after it.")
        tape.statements = out[tape.mark :]
        return self.run(rest)

    def tape_method(self, tape: Tape, name: str, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        if name == "watch" and len(args) == 1 and not kwargs:
            self.watch(tape, args[0], node)
            return NONE
        if name == "gradient":
            given = dict(zip(("target", "sources", "output_gradients", "unconnected_gradients"), args, strict=False)) | kwargs
            return self.tape_gradient(tape, node=node, **given)
        raise self.error(f"GradientTape.{name} is not supported in compiled code", node)

    def watch(self, tape: Tape, v: Value, node: Any) -> None:
        if tape.out is None or tape.statements is not None:
            raise self.error("watching outside the context of the tape", node)
        seen = used(tape.out[tape.mark :])
        for n in self.tensors_in(v):
            name = self.source_name(n, node)
            if name in seen:
                raise self.error("a tensor is watched after it has been used", node)
            tape.watched.add(name)

    def source_name(self, n: Num, node: Any) -> str:
        if not isinstance(n.expr, Var):
            raise self.error("the tensor of a tape must have a name", node, "Give it one: t = ...")
        return n.expr.name

    def tensors_in(self, v: Value) -> list[Num]:
        """The tensors of a nested structure, dicts by key."""
        v = self.vector(self.present(v))
        if isinstance(v, Num):
            return [v]
        if isinstance(v, Tup):
            return [n for i in v.items for n in self.tensors_in(i)]
        content = self.contents(v) if isinstance(v, Ref) else None
        if isinstance(content, Items):
            return [n for i in content.items for n in self.tensors_in(i)]
        if isinstance(content, Fields) and isinstance(v, Ref) and v.heap.kind == "dict":
            return [n for k in sorted(content.fields, key=str) for n in self.tensors_in(content.fields[k])]
        raise self.error(f"{describe(v)} among the tensors of a tape")

    def packed(self, like: Value, items: Any) -> Value:
        """The structure of `like` with other leaves."""
        like = self.vector(self.present(like))
        if isinstance(like, Tup):
            return Tup(tuple(self.packed(i, items) for i in like.items), like.cls)
        content = self.contents(like) if isinstance(like, Ref) else None
        if isinstance(content, Items):
            return self.new_list([self.packed(i, items) for i in content.items])
        if isinstance(content, Fields):
            made = {k: self.packed(content.fields[k], items) for k in sorted(content.fields, key=str)}
            return self.new_dict({k: made[k] for k in content.fields})
        return next(items)  # type: ignore[no-any-return]

    # ------------------------------------------------------------------------------------------- gradients

    def tape_gradient(self, tape: Tape, target: Value, sources: Value, output_gradients: Value = NONE, unconnected_gradients: Value = NONE,
                      *, node: Any) -> Value:  # fmt: skip
        if tape.statements is None or self.out is not tape.out:
            raise self.error("a gradient is asked of a tape in its own context, or on another path than it was recorded", node)
        zero = self.wants_zeros(unconnected_gradients, node)
        targets, wanted = self.tensors_in(target), self.tensors_in(sources)
        names = [self.source_name(n, node) for n in wanted]
        program, params = self.taped(tape, [t for t in targets if ir.is_inexact(t.type)], names, node)
        seen = [n for n in dict.fromkeys(names) if n in params and ir.is_inexact(params[n].type) and self.watches(tape, n)]
        reached, pull = PULLBACK[0](program, seen) if program.main.returns and seen else ([], None)
        connected = [n for n in seen if n in reached]
        grads: dict[str, Value] = {}
        if connected:
            reached, pull = PULLBACK[0](program, connected)
            seeds = self.tape_seeds(targets, output_gradients, node)
            made = self.call(Obj(pull), [*(Num(self.entry_value(tape, p, node)) for p in params.values()), *seeds], {}, node)
            parts = list(made.items) if isinstance(made, Tup) else [made]
            grads = {n: self.of_type(g, params[n].type) for n, g in zip(connected, parts, strict=True)}  # type: ignore[arg-type]
        missing = [self.call(Obj(np.zeros_like), [n], {}, node) if zero else NONE for n in wanted]
        return self.packed(sources, iter([grads.get(k, m) for k, m in zip(names, missing, strict=True)]))

    def wants_zeros(self, v: Value, node: Any) -> bool:
        value = self.static(v)
        value = getattr(value, "value", value)
        if value not in (None, "none", "zero"):
            raise self.error(f"Unknown value for unconnected_gradients: {value!r}", node)
        return value == "zero"

    def watches(self, tape: Tape, name: str) -> bool:
        if name in tape.watched:
            return True
        access = self.variable_behind(Num(Var(name, self.names[name]))) if tape.variables else None
        return access is not None and any(a == access and v.trainable for a, v in self.variables.values())

    def taped(self, tape: Tape, targets: Sequence[Num], sources: Sequence[str], node: Any) -> tuple[ir.Program, dict[str, Var]]:
        """The statements of the tape as a program of what they read from before."""
        assert tape.statements is not None
        body = tape.statements
        changed, _ = effects(body)
        if any(n in changed for n in sources):
            raise self.error("a gradient by something that was computed in the context of the tape", node)
        if any(isinstance(s, ir.CallFn | ir.Append | ir.Pop | ir.Reserve) for s in ir.walk_stmts(body)):
            raise self.error("recursion and lists in the context of a tape", node)
        returns: ir.Stmt = ir.Return([t.expr for t in targets])
        params = live_in([*body, returns])
        alike = {*sources, *tape.watched, *params}
        if any(a in alike and b in alike and a != b for a, b in self.copied):
            raise self.error("a tensor has two names in the context of a tape", node)
        after = tape.out[tape.mark + len(body) :] if tape.out is not None else []
        rebound, _ = effects(after)
        if any(n in rebound for n in sources):
            raise self.error("a source of a tape has changed since it was recorded", node)
        if any(n in rebound for t in targets for n in ir.names_in(t.expr)):
            raise self.error("the target of a tape has changed since it was recorded", node)
        main = ir.Function("taped", [ir.Param(n, v.type) for n, v in params.items()], [*body, returns])
        program = ir.Program(main, {})
        if written_roots([*body, *after]) & set(params):
            raise self.error("an array is written in the context of a tape, or after it", node)
        return program, params

    def entry_value(self, tape: Tape, p: Var, node: Any) -> ir.Expr:
        """What a variable held when the tape began."""
        assert tape.out is not None and tape.statements is not None
        changed, _ = effects(tape.out[tape.mark :])
        if p.name not in changed:
            return p
        kept = self.fresh(p.name, p.type)
        tape.out.insert(tape.mark, ir.Assign(kept, p))
        tape.mark += 1
        return kept

    def tape_seeds(self, targets: Sequence[Num], given: Value, node: Any) -> list[Value]:
        weights: list[Any] = [None] * len(targets)
        if not (isinstance(given, Obj) and given.value is None):
            weights = list(self.tensors_in(given))
            if len(weights) != len(targets):
                raise self.error("output_gradients does not have the structure of the target", node)
        out: list[Value] = []
        for t, w in zip(targets, weights, strict=True):
            if ir.is_inexact(t.type):
                ones = self.call(Obj(np.ones_like), [t], {}, node) if t.is_array else number(np.dtype(t.type.dtype).type(1))
                out.append(ones if w is None else self.of_type(self.binary(operator.mul, ones, w), t.type))
        return out

    def of_type(self, v: Value, t: Any) -> Value:
        assert isinstance(v, Num)
        if v.type.dtype == t.dtype and not getattr(v.type, "weak", False) or getattr(t, "weak", False):
            return v
        return Num(ir.call("astype", v.expr, dtype=t.dtype))
