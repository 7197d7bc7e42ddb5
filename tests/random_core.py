"""Random small Core programs over scalars, arrays, views, loops and branches, for testing passes."""

from __future__ import annotations

import random

from s2sgrad.ir import (
    BOOL,
    FLOAT,
    INT,
    Accum,
    Array,
    Assign,
    Comment,
    Const,
    Expr,
    For,
    Function,
    If,
    Index,
    Param,
    Program,
    Return,
    Scalar,
    Slice,
    Stmt,
    Store,
    Var,
    While,
    call,
)

F = Scalar("float64")
V, A = Array("float64", 1), Array("float64", 1, "A")
N = 4  # every array has this many elements


class Generator:
    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.scalars = [Var(n, F) for n in ("x", "y", "s", "_t", "_g", "x_bar", "y_bar", "_u#1")]
        self.arrays = [Var(n, V) for n in ("a", "b", "c", "_w", "a_bar", "b_bar")]
        self.loops: list[Var] = []
        self.counter = 0

    def fresh(self, name: str, t: object) -> Var:
        self.counter += 1
        return Var(f"{name}#{self.counter}", t)  # type: ignore[arg-type]

    def index(self) -> Expr:
        if self.loops and self.r.random() < 0.7:
            return self.r.choice(self.loops)
        return Const(self.r.randrange(N), INT)

    def scalar(self, depth: int = 2) -> Expr:
        k = self.r.random()
        if depth == 0 or k < 0.25:
            return self.r.choice(self.scalars)
        if k < 0.35:
            return Const(self.r.choice([0.0, 1.0, -1.0, 2.0, 0.5]), FLOAT)
        if k < 0.5:
            return Index(self.r.choice(self.arrays), (self.index(),), F)
        if k < 0.55:
            return call("sum", self.array(0), axis=None, keepdims=False)
        if k < 0.65:
            return call(self.r.choice(["sin", "cos", "neg"]), self.scalar(depth - 1))
        if k < 0.7:
            return call("ifexp", self.cond(), call("astype", self.scalar(0), dtype="float64"), call("astype", self.scalar(0), dtype="float64"))
        return call(self.r.choice(["add", "sub", "mul"]), self.scalar(depth - 1), self.scalar(depth - 1))

    def array(self, depth: int = 1) -> Expr:
        k = self.r.random()
        if depth == 0 or k < 0.3:
            return self.r.choice(self.arrays)
        if k < 0.45:
            return call("copy", self.array(0))
        if k < 0.55:
            return Index(self.array(0), (Slice(None, None, Const(-1, INT)),), A)
        if k < 0.65:
            return call("zeros_like", self.array(0))
        if k < 0.8:
            return call("mul", self.array(depth - 1), self.scalar(1))
        return call("add", self.array(depth - 1), self.array(depth - 1))

    def cond(self) -> Expr:
        c = self.scalar(1) > self.scalar(1)
        return call("not", c) if self.r.random() < 0.2 else c

    def stmt(self, depth: int) -> list[Stmt]:
        k = self.r.random()
        if k < 0.3:
            e = self.scalar()
            t = self.r.choice(self.scalars)
            return [Assign(t, e if e.type == t.type else call("astype", e, dtype="float64"))]
        if k < 0.4:
            return [Accum(self.r.choice(self.scalars), None, call("astype", self.scalar(), dtype="float64"))]
        if k < 0.5:
            return [Store(self.r.choice(self.arrays), (self.index(),), self.scalar())]
        if k < 0.55:
            return [Accum(self.r.choice(self.arrays), (self.index(),), self.scalar())]
        if k < 0.65:
            e = self.array()
            return [Assign(self.r.choice([v for v in self.arrays if v.name not in ("a", "b")]), e)]
        if k < 0.7:
            return [Store(self.r.choice(self.arrays), (), self.array())]
        if k < 0.73:
            return [Accum(self.r.choice(self.arrays), (), self.array())]
        if k < 0.76:
            g, y = self.r.sample(self.scalars, 2)
            return [Assign(g, y), Assign(y, Const(0.0, F)), Accum(self.r.choice(self.scalars), None, g * self.scalar(1)), Accum(y, None, g * 2.0)]
        if k < 0.78:
            return [Comment(f"line {self.r.randrange(99)}")]
        if depth == 0:
            return [Assign(self.r.choice(self.scalars), Const(0.0, F))]
        if k < 0.88:
            return [If(self.cond(), self.block(depth - 1), self.block(depth - 1) if self.r.random() < 0.5 else [])]
        return self.loop(depth)

    def loop(self, depth: int) -> list[Stmt]:
        i = self.fresh("i", INT)
        flag = self.fresh("done", BOOL) if self.r.random() < 0.4 else None
        if self.r.random() < 0.25:
            inside = [Assign(i, i + 1), *self.block(depth - 1)]
            head: list[Stmt] = [Assign(i, Const(0, INT))]
            loop: Stmt = While(i < 3, inside, exit=flag)
        else:
            self.loops.append(i)
            inside = self.block(depth - 1)
            head = []
            up = self.r.random() < 0.5
            bounds = (Const(0, INT), Const(N, INT), Const(1, INT)) if up else (Const(N - 1, INT), Const(-1, INT), Const(-1, INT))
            self.loops.pop()
            loop = For(i, *bounds, inside, exit=flag)
        if flag is not None:
            head.append(Assign(flag, Const(False, BOOL)))
            setter: Stmt = Assign(flag, Const(True, BOOL))
            if self.r.random() < 0.5:
                inside.append(If(self.cond(), [setter], self.block(0)))
            else:
                inside.insert(self.r.randrange(len(inside) + 1), If(self.cond(), [setter]))
        return [*head, loop]

    def block(self, depth: int) -> list[Stmt]:
        return [s for _ in range(self.r.randrange(1, 5)) for s in self.stmt(depth)]

    def program(self) -> Program:
        """f(x, y, a, b): everything else starts from them."""
        start: list[Stmt] = [Assign(v, Const(0.5, F)) for v in self.scalars[2:]]
        start += [Assign(v, call("mul", Var("a", V), 1.5)) for v in self.arrays[2:]]
        body = [s for _ in range(5) for s in self.block(2)]
        results: list[Expr] = [*self.r.sample(self.scalars, 2), call("copy", self.r.choice(self.arrays))]
        params = [Param("x", F), Param("y", F), Param("a", V), Param("b", V)]
        return Program(Function("f", params, [*start, *body, Return(results)], written={"a", "b"}))
