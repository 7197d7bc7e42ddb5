"""Every program of tests/corpus in every way of running it."""

import copy
import random

import numpy as np
import pytest

import s2sgrad
from tests import corpus, crossing, differences
from tests.crossing import Mismatch

CASES = {c.name: c for c in corpus.load()}
SEEDED = [n for n, c in CASES.items() if c.seeded]
SCALAR = [n for n, c in CASES.items() if not c.seeded]
SECOND = [n for n, c in CASES.items() if c.second]


def active(c, args):
    return c.wrt if c.wrt is not None else crossing.active(args)


def tolerance(c, args):
    return c.rtol or (1e-4 if any("float32" in str(getattr(a, "dtype", "")) for a in args) else 2e-8)


_expected = {}


def expected(c):
    """Value of the plain run, gradient numbers per differentiated argument, and how far they can be trusted."""
    if c.name not in _expected:
        f = crossing.plain(c.fn)
        args = c.make_args()
        wrt = active(c, args)
        with np.errstate(all="ignore"):
            value = f(*c.make_args())
            if c.grad is not None:
                grads = [differences.numbers(np.asarray(g)) for g in c.grad(*c.make_args())]
                errors = [0.0] * len(wrt)
            else:
                pairs = [differences.gradient(f, c.make_args(), i) for i in wrt]
                grads, errors = [g for g, _ in pairs], [max(e, default=0.0) for _, e in pairs]
        assert all(e <= 1e-6 for e in errors), f"the program is not smooth at its example point: {errors}"
        _expected[c.name] = value, grads, errors
    return _expected[c.name]


def check_gradient(c, args, wrt, got):
    _, grads, errors = expected(c)
    for k, i in enumerate(wrt):
        crossing.check_like(got[k], args[i])
        numbers = crossing.gradient_numbers(got[k], args[i])
        if not crossing.close(numbers, grads[k], tolerance(c, args), 100.0 * errors[k]):
            raise Mismatch("gradient", f"argument {i}: {numbers} instead of {grads[k]}")


def check_reverse(c, backend):
    value, _, _ = expected(c)
    args = c.make_args()
    wrt = active(c, args)
    with crossing.backend(backend):
        vg = s2sgrad.value_and_grad(c.fn, wrt=wrt)
        v, g = vg(*args)
        assert crossing.same(args, c.make_args()), "the arguments were changed"
        crossing.check_value(v, value, 1e-5 if tolerance(c, args) > 1e-6 else 1e-10, "value")
        check_gradient(c, args, wrt, g)
        again = vg(*c.make_args())
        assert crossing.same((v, g), again), "the second call differs"


@pytest.mark.parametrize("name", SCALAR)
def test_reverse(name):
    check_reverse(CASES[name], "python")


@pytest.mark.parametrize("name", [n for n in SCALAR if CASES[n].forward])
def test_forward(name):
    c = CASES[name]
    value, grads, _ = expected(c)
    args = c.make_args()
    wrt = active(c, args)
    rng = np.random.default_rng(0)
    tangents = tuple(crossing.tangent_like(a, rng) if i in wrt else None for i, a in enumerate(args))
    with crossing.backend("python"):
        v, dot = s2sgrad.jvp(c.fn, args, tangents)
    crossing.check_value(v, value, 1e-5 if tolerance(c, args) > 1e-6 else 1e-10, "value")
    want = sum(a * b for k, i in enumerate(wrt) for a, b in zip(grads[k], differences.numbers(tangents[i])))
    scale = sum(abs(a * b) for k, i in enumerate(wrt) for a, b in zip(grads[k], differences.numbers(tangents[i])))
    assert abs(dot - want) <= 10 * tolerance(c, args) * max(1.0, scale)


@pytest.mark.parametrize("name", SCALAR)
def test_stages(name):
    """The emitted text, before and after lowering, optimised or not."""
    c = CASES[name]
    args = c.make_args()
    wrt = active(c, args)
    _, grads, errors = expected(c)
    with crossing.backend("python"):
        for simplify in (True, False):
            derived, run = crossing.stage_runs(c.fn, args, wrt, simplify)
            for stage in (derived.last, "lowered"):
                out = run(stage, "python")
                got = [x for v in out[1:] for x in differences.numbers(v)]
                want = [x for g in grads for x in g]
                assert crossing.close(got, want, tolerance(c, args), 100.0 * max(errors, default=0.0)), (stage, simplify, got, want)


@pytest.mark.parametrize("name", SEEDED)
def test_pull_back(name):
    check_pull_back(CASES[name], "python")


def check_pull_back(c, backend):
    args = c.make_args()
    f = crossing.plain(c.fn)
    value = f(*c.make_args())
    weights = random.Random(1)
    seeds = differences.with_numbers(value, iter([round(weights.uniform(-1, 1), 3) for _ in differences.numbers(value)]))
    flat = differences.numbers(seeds)
    with crossing.backend(backend):
        v, back = s2sgrad.vjp(c.fn, *args)
        crossing.check_value(v, value, 1e-10, "value")
        grads = back(seeds)
    for i, a in enumerate(args):
        want, _ = differences.gradient(lambda *z: sum(w * x for w, x in zip(flat, differences.numbers(f(*z)))), c.make_args(), i)
        crossing.check_like(grads[i], a)
        assert crossing.close(crossing.gradient_numbers(grads[i], a), want, 1e-8)


@pytest.mark.parametrize("name", SECOND)
def test_second_order(name):
    """Hessian-vector products against differences of the gradient."""
    c = CASES[name]
    args = c.make_args()
    (i, *_) = active(c, args)
    v = crossing.tangent_like(args[i], np.random.default_rng(1))
    with crossing.backend("python"):
        g = s2sgrad.grad(c.fn, wrt=i)
        product = s2sgrad.hvp(c.fn, args, v, wrt=i)
        flat = differences.numbers(v)
        want, _ = differences.gradient(lambda *z: sum(a * b for a, b in zip(flat, differences.numbers(g(*z)))), copy.deepcopy(args), i)
    assert crossing.close(crossing.gradient_numbers(product, args[i]), want, 1e-6)


@pytest.mark.parametrize("name", [n for n in SCALAR if CASES[n].numba == "fast"])
def test_compiled(name):
    check_reverse(CASES[name], "numba")


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in CASES if CASES[n].numba == "yes"])
def test_compiled_all(name):
    (check_pull_back if CASES[name].seeded else check_reverse)(CASES[name], "numba")
