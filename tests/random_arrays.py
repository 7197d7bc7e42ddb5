"""Random programs of array statements: views, overlapping writes, broadcasting, reductions, gathers, loops."""

from __future__ import annotations

import random

import numpy as np

from s2sgrad import ir
from s2sgrad.ir import Accum, Array, Assign, Const, For, Function, If, Index, NewAxis, Param, Program, Return, Scalar, Slice, Store, Var, call

DTYPES = ["float64", "float64", "float64", "float32", "int64", "int32", "complex128"]


def number(k):
    c = Const(abs(k), ir.INT)
    return call("neg", c) if k < 0 else c


class Generator:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.np = np.random.default_rng(seed)
        n = self.r.choice([0, 1, 2, 3, 4, 4])
        self.sizes = self.r.choice([[n], [n, n, n, 1], [n, n, n, n, n + 1]])
        self.arguments, self.params = {}, []
        for name in "abcd":
            rank = self.r.choice([1, 1, 2, 2, 3])
            shape = tuple(self.r.choice(self.sizes) for _ in range(rank))
            d = self.r.choice(DTYPES)
            v = np.round(self.np.normal(size=shape) * 4)
            v = (v + 1j * np.round(self.np.normal(size=shape))).astype(d) if d.startswith("complex") else v.astype(d)
            layout = "C"
            if rank == 2 and self.r.random() < 0.2:
                v, layout = np.asfortranarray(v), "F"
            self.arguments[name] = v
            self.params.append(Param(name, Array(d, rank, layout), ("arg", len(self.params))))
        self.arguments["s"] = 1.5
        self.params.append(Param("s", ir.FLOAT, ("arg", 4)))
        self.arguments["q"] = self.np.integers(-n, max(n, 1), max(n, 1)) if n else self.np.integers(0, 1, 0)
        self.params.append(Param("q", Array("int64", 1), ("arg", 5)))
        self.vars = [p.var for p in self.params[:4]]
        self.count = 0
        self.loop = None

    def fresh(self, t):
        self.count += 1
        return Var(f"v{self.count}", t)

    def item(self):
        """One index of an axis, and whether the axis stays."""
        k = self.r.random()
        if k < 0.4:
            return Slice(), True
        if k < 0.8:
            lo, hi = self.r.choice([(1, None), (None, -1)] * 4 + [(2, None), (0, 2), (1, -1), (-2, None), (1, 3), (None, None), (5, None)])
            step = self.r.choice([None] * 6 + [-1, 2, -2])
            if step == -1:
                lo, hi = self.r.choice([(None, None), (None, 0), (-2, None)])
            s = self.r.random() < 0.15
            lower = None if lo is None else call("add", number(lo), Const(0, ir.INT)) if s else number(lo)
            return Slice(lower, None if hi is None else number(hi), None if step is None else number(step)), True
        if self.loop is not None and k < 0.9:
            return self.loop, False
        return number(self.r.choice([0, 0, -1])), False

    def view(self, v):
        k = self.r.random()
        if v.ndim == 0:
            return v
        if k < 0.15 and v.ndim >= 2:
            return call("transpose", v)
        if k < 0.22:
            return call("expand_dims", v, axis=self.r.randrange(v.ndim + 1))
        items = [self.item() for _ in range(v.ndim)]
        rank = sum(keep for _, keep in items)
        if rank < v.ndim and rank < 1:
            return Index(v, tuple(i for i, _ in items), Scalar(v.type.dtype))
        index = [i for i, _ in items]
        if self.r.random() < 0.1:
            index.insert(self.r.randrange(len(index) + 1), NewAxis())
            rank += 1
        return Index(v, tuple(index), Array(v.type.dtype, rank, "A"))

    def leaf(self):
        k = self.r.random()
        if k < 0.12:
            return Var("s", ir.FLOAT)
        if k < 0.2:
            return Const(self.r.choice([2.0, 0.5, -1.0]), ir.FLOAT)
        v = self.r.choice(self.vars)
        return self.view(v) if self.r.random() < 0.6 else v

    def expr(self, depth=2):
        k = self.r.random()
        if depth == 0 or k < 0.2:
            return self.leaf()
        if k < 0.65:
            op = self.r.choice(["add", "sub", "mul", "mul", "add", "maximum", "div"])
            a, b = self.expr(depth - 1), self.expr(depth - 1)
            if op == "maximum" and any(x.type.dtype.startswith("complex") for x in (a, b)):
                op = "add"
            return call(op, a, b)
        if k < 0.75:
            x = self.expr(depth - 1)
            return call(self.r.choice(["neg", "square", "conj", "cos"]), x)
        if k < 0.82:
            x = self.expr(depth - 1)
            c = x > 0.0 if not x.type.dtype.startswith("complex") else call("real", x) > 0.0 if x.ndim == 0 else x.ne(0.0)
            return call("where", c, x, self.expr(depth - 1))
        if k < 0.94:
            x = self.expr(depth - 1)
            if x.ndim == 0:
                return x
            op = self.r.choice(["sum", "sum", "max", "cumsum"])
            if op == "max" and x.type.dtype.startswith("complex"):
                op = "sum"
            axis = self.r.randrange(x.ndim)
            if op == "cumsum":
                return call(op, x, axis=axis)
            axes = self.r.choice([None, axis, axis, tuple(range(x.ndim))])
            return call(op, x, axis=axes, keepdims=self.r.random() < 0.4)
        if k < 0.97:
            v = self.r.choice(self.vars)
            return Index(v, (Var("q", Array("int64", 1)), *(Slice() for _ in range(v.ndim - 1))), Array(v.type.dtype, v.ndim))
        x = self.leaf()
        return call("zeros_like", x) if x.ndim else x

    def statement(self):
        k = self.r.random()
        if k < 0.45 or not [v for v in self.vars if v.name.startswith("v")]:
            e = self.expr(3)
            if e.ndim == 0 or e.ndim > 4:
                return []
            if ir.is_alias(e) and e.ndim and self.r.random() < 0.3:
                e = call("copy", e)
            if isinstance(e, Var):
                return []
            v = self.fresh(e.type if ir.is_alias(e) else Array(e.type.dtype, e.ndim))
            out = [Assign(v, e)]
            if self.loop is None:
                self.vars.append(v)
            return out
        base = self.r.choice([v for v in self.vars if v.name.startswith("v")])
        target = self.view(base)
        index = target.index if isinstance(target, Index) and target.base == base else ()
        if self.r.random() < 0.1 and base.ndim == 1:
            index = (Var("q", Array("int64", 1)),)
        value = self.expr(2)
        if value.type.dtype.startswith("complex") and not base.type.dtype.startswith("complex"):
            value = call("real", value) if value.ndim == 0 else call("abs", value)
        if base.type.dtype.startswith("int") and not value.type.dtype.startswith("int"):
            value = call("astype", value, dtype=base.type.dtype)
        kind = Accum if self.r.random() < 0.4 else Store
        if kind is Accum:
            return [Accum(base, index, value, repeated=any(isinstance(i, Var) and i.name == "q" for i in index))]
        return [Store(base, index, value)]

    def program(self):
        body = []
        for _ in range(self.r.randrange(2, 7)):
            k = self.r.random()
            if k < 0.15:
                self.loop = Var(f"i{self.count}", ir.INT)
                self.count += 1
                inner = [s for _ in range(3) for s in self.statement() if not isinstance(s, Assign)]
                if inner:
                    body.append(For(self.loop, Const(0, ir.INT), Const(self.r.choice([1, 2]), ir.INT), Const(1, ir.INT), inner))
                self.loop = None
            elif k < 0.22:
                known = list(self.vars)
                inner = [s for s in self.statement() if not isinstance(s, Assign)]
                self.vars = known
                if inner:
                    body.append(If(Var("s", ir.FLOAT) > 1.0, inner))
            else:
                body += self.statement()
        values = [v for v in self.vars if v.name.startswith("v")] or [self.vars[0]]
        return Program(Function("f", self.params, [*body, Return(values)]))
