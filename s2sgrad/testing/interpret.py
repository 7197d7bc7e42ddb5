"""A small interpreter of Core: the reference meaning that every pass is tested against.

`run(program, leaves)` executes a program on NumPy values with NumPy's own semantics, statement by statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.rules.registry import OPS


class Interpreter:
    def __init__(self, program: ir.Program) -> None:
        self.program = program

    def call(self, f: ir.Function, args: Sequence[Any]) -> list[Any]:
        env: dict[str, Any] = {p.name: cast(a, p.type) for p, a in zip(f.params, args, strict=True)}
        self.block(f.body[:-1], env)
        return [self.eval(v, env) for v in f.returns]

    # ------------------------------------------------------------------------------------------- statements

    def block(self, body: Sequence[ir.Stmt], env: dict[str, Any]) -> None:
        for s in body:
            getattr(self, "do_" + type(s).__name__)(s, env)

    def do_Assign(self, s: ir.Assign, env: dict[str, Any]) -> None:
        env[s.target.name] = cast(self.eval(s.value, env), s.target.type)

    def do_Store(self, s: ir.Store, env: dict[str, Any]) -> None:
        value = self.eval(s.value, env)
        env[s.base.name][self.index(s.index, env) if s.index else ...] = value

    def do_Accum(self, s: ir.Accum, env: dict[str, Any]) -> None:
        value = self.eval(s.value, env)
        if s.index is None:
            env[s.base.name] = cast(env[s.base.name] + value, s.base.type)
            return
        at = self.index(s.index, env) if s.index else ...
        if s.repeated:
            np.add.at(env[s.base.name], at, value)  # type: ignore[arg-type]
        else:
            env[s.base.name][at] += value

    def do_If(self, s: ir.If, env: dict[str, Any]) -> None:
        self.block(s.body if self.eval(s.cond, env) else s.orelse, env)

    def do_For(self, s: ir.For, env: dict[str, Any]) -> None:
        for i in range(*(int(self.eval(e, env)) for e in (s.start, s.stop, s.step))):
            env[s.var.name] = cast(i, s.var.type)
            self.block(s.body, env)
            if s.exit is not None and env[s.exit.name]:
                break

    def do_While(self, s: ir.While, env: dict[str, Any]) -> None:
        while self.eval(s.cond, env):
            self.block(s.body, env)
            if s.exit is not None and env[s.exit.name]:
                break

    def do_Multi(self, s: ir.Multi, env: dict[str, Any]) -> None:
        results = OPS[s.op].fn(*(self.eval(a, env) for a in s.args), **dict(s.attrs))
        for t, r in zip(s.targets, results, strict=True):
            if t is not None:
                env[t.name] = r[()] if isinstance(r, np.ndarray) and r.ndim == 0 else r

    def do_Append(self, s: ir.Append, env: dict[str, Any]) -> None:
        env[s.list.name].append(env[s.value.name])

    def do_Pop(self, s: ir.Pop, env: dict[str, Any]) -> None:
        env[s.target.name] = env[s.list.name].pop()

    def do_Reserve(self, s: ir.Reserve, env: dict[str, Any]) -> None:
        size, old = int(self.eval(s.size, env)), env[s.buffer.name]
        if size > old.size:
            new = np.zeros(max(size, 2 * old.size), old.dtype)
            new[: old.size] = old
            env[s.buffer.name] = new

    def do_CallFn(self, s: ir.CallFn, env: dict[str, Any]) -> None:
        out = self.call(self.program.linked[s.function], [self.eval(a, env) for a in s.args])
        for t, r in zip(s.targets, out, strict=True):
            env[t.name] = cast(r, t.type)

    def do_Custom(self, s: ir.Custom, env: dict[str, Any]) -> None:
        self.block(s.body, env)

    def do_Recompute(self, s: ir.Recompute, env: dict[str, Any]) -> None:
        self.block(s.body, env)

    def do_Print(self, s: ir.Print, env: dict[str, Any]) -> None:
        print("".join(str(self.eval(p, env)) if isinstance(p, ir.Expr) else str(p) for p in s.parts))

    def do_Raise(self, s: ir.Raise, env: dict[str, Any]) -> None:
        raise s.exception("".join(str(self.eval(p, env)) if isinstance(p, ir.Expr) else str(p) for p in s.message))

    def do_Comment(self, s: ir.Comment, env: dict[str, Any]) -> None:
        """Nothing happens."""

    # ------------------------------------------------------------------------------------------- expressions

    def eval(self, e: Any, env: dict[str, Any]) -> Any:
        if isinstance(e, ir.Const):
            return e.value if e.type.weak else np.dtype(e.type.dtype).type(e.value)  # type: ignore[union-attr]
        if isinstance(e, ir.Var):
            return env[e.name]
        if isinstance(e, ir.Index):
            return self.eval(e.base, env)[self.index(e.index, env)]
        assert isinstance(e, ir.Call), e
        lazy = getattr(self, "lazy_" + e.op, None)
        if lazy is not None:
            return cast(lazy(e, env), e.type)
        args = [self.eval(a, env) for a in e.args]
        if e.op == "item":
            return args[0][args[1]]
        if e.op == "list_new":
            return []
        return cast(OPS[e.op].fn(*args, **dict(e.attrs)), e.type)

    def lazy_ifexp(self, e: ir.Call, env: dict[str, Any]) -> Any:
        return self.eval(e.args[1] if self.eval(e.args[0], env) else e.args[2], env)

    def lazy_and(self, e: ir.Call, env: dict[str, Any]) -> Any:
        return self.eval(e.args[0], env) and self.eval(e.args[1], env)

    def lazy_or(self, e: ir.Call, env: dict[str, Any]) -> Any:
        return self.eval(e.args[0], env) or self.eval(e.args[1], env)

    def index(self, items: Sequence[Any], env: dict[str, Any]) -> Any:
        out: list[Any] = []
        for i in items:
            if isinstance(i, ir.NewAxis):
                out.append(None)
            elif isinstance(i, ir.Slice):
                out.append(slice(*(None if x is None else self.eval(x, env) for x in (i.lower, i.upper, i.step))))
            else:
                out.append(self.eval(i, env))
        return tuple(out)


def cast(value: Any, t: ir.Type) -> Any:
    """A scalar as the Python or NumPy number its type says."""
    if not isinstance(t, ir.Scalar):
        if isinstance(t, ir.Array) and not isinstance(value, np.ndarray):
            return np.asarray(value)
        return value
    if isinstance(value, np.ndarray):
        value = value[()]
    if t.weak:
        if t.dtype == "int64" and isinstance(value, float | np.floating):
            return value
        return {"bool": bool, "int64": int, "float64": float, "complex128": complex}[t.dtype](value)
    return np.dtype(t.dtype).type(value)


def run(program: ir.Program, leaves: Sequence[Any]) -> list[Any]:
    """The results of a program for leaf arguments."""
    return Interpreter(program).call(program.main, leaves)
