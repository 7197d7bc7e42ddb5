"""Which overwritten cells are saved: loop nests over arrays with linear indices, against adjoints that save everything."""

import random

import numpy as np
import pytest

import s2sgrad
import s2sgrad.rules  # noqa: F401
from s2sgrad import emit
from s2sgrad.ir import FLOAT, INT, Array, Assign, Const, Expr, For, Function, If, Index, Param, Program, Return, Scalar, Stmt, Store, Var, call
from s2sgrad.transform import reverse
from tests import differences

F = Scalar("float64")
SIZE = 12


class Nests:
    """Random loop nests: loop variables run within 2..5, indices are linear in them and stay inside 0..11 (or count from the end)."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.arrays = [Var("u", Array("float64", 1)), Var("v", Array("float64", 1)), Var("m", Array("float64", 2))]
        self.count = 0

    def number(self, k: int) -> Expr:
        return Const(k, INT)

    def index(self, loops: list[Var]) -> Expr:
        r = self.r.random()
        if not loops or r < 0.1:
            return self.number(self.r.randrange(0, 6))
        i = self.r.choice(loops)
        if r < 0.2:
            return call("sub", self.number(SIZE - 3), i)
        if r < 0.3 and len(loops) > 1:
            return call("add", i, self.r.choice(loops))
        if r < 0.36:
            return call("sub", i, self.number(6))  # negative: from the end
        k = self.r.choice([0, 0, 0, 1, 1, 2, -1, -2])
        return i if k == 0 else call("add" if k > 0 else "sub", i, self.number(abs(k)))

    def cell(self, loops: list[Var]) -> Index:
        a = self.r.choice(self.arrays)
        return Index(a, tuple(self.index(loops) for _ in range(a.ndim)), F)

    def value(self, loops: list[Var], target: Index) -> Expr:
        a, b = self.cell(loops), self.r.choice([self.cell(loops), Var("s", FLOAT), target])
        kind = self.r.randrange(5)
        if kind == 0:
            return call("sub", target, call("mul", a, b))
        if kind == 1:
            return call("sin", call("mul", a, b))
        if kind == 2:
            return call("mul", target, call("cos", a))
        if kind == 3:
            return call("mul", 0.5, call("add", a, b))
        return call("add", call("mul", a, a), call("mul", 0.3, b))

    def block(self, loops: list[Var], depth: int) -> list[Stmt]:
        out: list[Stmt] = []
        for _ in range(self.r.randrange(1, 4)):
            k = self.r.random()
            if depth and k < 0.45:
                out.append(self.loop(loops, depth - 1))
            elif 0.45 <= k < 0.55:
                out.append(If(call("gt", self.cell(loops), 0.1), self.block(loops, 0)))
            elif k < 0.65:
                out.append(Assign(Var("s", FLOAT), call("sin", self.cell(loops))))
            else:
                c = self.cell(loops)
                assert isinstance(c.base, Var)
                out.append(Store(c.base, c.index, self.value(loops, c)))
        return out

    def loop(self, loops: list[Var], depth: int) -> Stmt:
        self.count += 1
        i = Var(f"i#{self.count}", INT)
        low: Expr = self.number(self.r.choice([2, 2, 3]))
        high: Expr = self.number(self.r.choice([4, 5, 6]))
        if loops and self.r.random() < 0.4:  # triangular
            high = self.r.choice(loops)
        elif loops and self.r.random() < 0.3:
            low = self.r.choice(loops)
        body = self.block([*loops, i], depth)
        if self.r.random() < 0.3:
            return For(i, call("sub", high, 1), call("sub", low, 1), Const(-1, INT), body)
        return For(i, low, high, Const(self.r.choice([1, 1, 1, 2]), INT), body)

    def program(self) -> Program:
        body: list[Stmt] = [Assign(Var("s", FLOAT), Const(0.7, FLOAT)), *(self.loop([], 2) for _ in range(2))]
        params = [Param(v.name, v.type) for v in self.arrays]
        total = call("add", call("sum", self.arrays[0], axis=None, keepdims=False), call("sum", self.arrays[1], axis=None, keepdims=False))
        total = call("add", call("add", total, Var("s", FLOAT)), call("sum", self.arrays[2], axis=None, keepdims=False))
        return Program(Function("f", params, [*body, Return([total])], "", {v.name for v in self.arrays}))


def run(program, args):
    space = {}
    exec(emit.text(program), space)
    with np.errstate(all="ignore"):
        return space[program.main.name](*(a.copy() for a in args))


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_what_is_not_saved_is_not_needed(first):
    spared = 0
    for seed in range(first, first + 20):
        program = Nests(seed).program()
        r = np.random.default_rng(seed)
        args = r.uniform(-1, 1, size=SIZE), r.uniform(-1, 1, size=SIZE), r.uniform(-1, 1, size=(SIZE, SIZE))
        some, every = (reverse(program, ["u", "v", "m"], save_all=all_) for all_ in (False, True))
        spared += emit.text(every).count("_saved") - emit.text(some).count("_saved")
        for g, want in zip(run(some, args), run(every, args)):
            assert np.all(np.isfinite(want)) and np.allclose(g, want, rtol=1e-10, atol=1e-10), f"seed {seed}"
    assert spared > 0


def trajectory(x0, n):
    x = np.zeros((n + 1, 2))
    x[0] = x0
    for t in range(n):
        x[t + 1] = x[t] + 0.1 * np.sin(x[t]) * x[t, 0]
    return np.sum(x * x)


def from_the_end(x, n):
    y = np.zeros(n)
    y[n - 1] = x
    for t in range(n - 2, -1, -1):
        y[t] = np.sin(y[t + 1]) * x
    return np.sum(y * y)


def lower_triangle(a):
    n = a.shape[0]
    m = a.copy()
    for i in range(n):
        for j in range(i):
            for k in range(j):
                m[i, j] -= m[i, k] * m[j, k]
            m[i, j] /= m[j, j]
        for k in range(i):
            m[i, i] -= m[i, k] ** 2
        m[i, i] = np.sqrt(m[i, i])
    return sum(m[i, j] * (i + 2 * j + 1) for i in range(4) for j in range(i + 1))


B = np.random.default_rng(0).normal(size=(4, 4))


@pytest.mark.parametrize(("f", "args", "saves"), [
    (trajectory, (np.array([0.3, 0.5]), 4), 0), (from_the_end, (0.7, 5), 0), (lower_triangle, (B @ B.T + 4.0 * np.eye(4),), 3),
], ids=["trajectory", "from the end", "triangle"])
def test_no_value_is_saved_that_no_iteration_needs(f, args, saves):
    gradient = s2sgrad.grad(f, wrt=0)
    want, _ = differences.gradient(f, args, 0)
    np.testing.assert_allclose(np.ravel(gradient(*args)), want, rtol=1e-7)
    text = gradient.source(*args)
    assert text.count("_saved = np.empty") + text.count("_saved_1 = np.empty") + text.count("_saved_2 = np.empty") == saves
    assert "(max(n, 0), max(n - 1, 0), max(n - 2, 0))" not in text
