"""Scattered stencils in gather form: the same sums, for every size of the box."""

import random

import numpy as np
import pytest

from s2sgrad import backends, emit, ir, optimise
from s2sgrad.ir import Accum, Array, Assign, Const, For, Function, Index, Param, Program, Return, Scalar, Store, Var, call
from s2sgrad.optimise.affine import literal, plus

F = Scalar("float64")


def stencil(seed):
    """A nest that scatters into one or two arrays and zeroes its source."""
    r = random.Random(seed)
    d = r.choice([1, 2])
    t = Array("float64", d)
    X, Z, Y, A = (Var(n, t) for n in "XZYA")
    n = [Var(f"n{k}", ir.INT) for k in range(d)]
    loops = [Var(f"i{k}", ir.INT) for k in range(d)]
    low = [r.choice([2, 2, 3]) for _ in range(d)]
    at = tuple(loops)
    body = []
    g = Var("g", F)
    body.append(Assign(g, Index(Y, at, F) * 0.5))
    for _ in range(r.randrange(1, 6)):
        offset = tuple(plus(v, r.choice([-2, -1, 0, 0, 1, 2])) for v in loops)
        value = r.choice([g, g * Index(A, at, F), g * Index(A, tuple(plus(v, 1) for v in loops), F), call("neg", g)])
        body.append(Accum(r.choice([X, X, Z]), offset, value))
    if r.random() < 0.7:
        body.append(Store(Y, at, Const(0.0, ir.FLOAT)))
    for k in reversed(range(d)):
        stop = n[k] - 2
        if r.random() < 0.5:
            body = [For(loops[k], literal(low[k]), stop, literal(1), body)]
        else:
            body = [For(loops[k], stop - 1, literal(low[k] - 1), literal(-1), body)]
    params = [Param(v.name, v.type, ("arg", i)) for i, v in enumerate((X, Z, Y, A, *n))]
    return d, Program(Function("f", params, [*body, Return([X, Z, Y])], written={"X", "Z", "Y"}))


@pytest.mark.parametrize("seed", range(60))
def test_gather_form(seed):
    d, p = stencil(seed)
    lowered = optimise.lower(p)
    before, after = emit.text(p), emit.text(lowered)
    rng = np.random.default_rng(seed)
    for size in (4, 5, 6, 7, 8, 12):
        shape = (size, size + 1)[:d]
        arrays = [np.round(rng.normal(size=shape) * 8) for _ in range(4)]
        run = lambda text: backends.load(text, "f", "python")(*(a.copy() for a in arrays), *shape)
        for w, g in zip(run(before), run(after)):
            np.testing.assert_array_equal(g, w, err_msg=after)


def test_they_are_gathered():
    texts = [emit.text(optimise.lower(stencil(s)[1])) for s in range(60)]
    assert sum("core" in t for t in texts) > 30


def test_compiled():
    d, p = next((d, p) for d, p in map(stencil, range(60)) if d == 2 and "core" in emit.text(optimise.lower(p)))
    a = [np.round(np.random.default_rng(k).normal(size=(9, 10)) * 8) for k in range(4)]
    run = lambda text, backend: backends.load(text, "f", backend)(*(x.copy() for x in a), 9, 10)
    for w, g in zip(run(emit.text(p), "python"), run(emit.text(optimise.lower(p)), "cpu")):
        np.testing.assert_array_equal(g, w)
