"""Programs built by hand for the tests of the lowering: statements over named variables, run before and after."""

from __future__ import annotations

import copy

import numpy as np

import s2sgrad.rules  # noqa: F401
from s2sgrad import backends, emit, ir, optimise
from s2sgrad.ir import Assign, Function, Param, Program, Return, Var
from s2sgrad.rules.registry import type_of


def program(body, **arguments):
    """A program whose parameters have the types of the arguments; `body(vars, add)` writes statements and returns the results."""
    params = [Param(n, type_of(v), ("arg", k)) for k, (n, v) in enumerate(arguments.items())]
    stmts = []
    values = body(*(p.var for p in params), stmts.append)
    values = list(values) if isinstance(values, (tuple, list)) else [values]
    return Program(Function("f", params, [*stmts, Return(values)]))


def let(add, name, e):
    """`name = e`, returns the variable."""
    v = Var(name, e.type)
    add(Assign(v, e))
    return v


def run(text, arguments, backend):
    f = backends.load(text, "f", backend)
    return f(*(copy.deepcopy(a) for a in arguments.values()))


def results(x):
    return x if isinstance(x, tuple) else (x,)


def check(body, jit=False, rtol=1e-12, dtypes=True, error=None, **arguments):
    """The lowered program gives NumPy's values and dtypes. Returns the lowered text."""
    p = program(body, **arguments)
    before = emit.text(p)
    after = emit.text(optimise.lower(p))
    for backend in ("python", "cpu") if jit else ("python",):
        if error is not None:
            for text in (before, after):
                try:
                    run(text, arguments, "python" if text == before else backend)
                except error:
                    continue
                raise AssertionError(f"no {error.__name__} from\n{text}")
            continue
        with np.errstate(all="ignore"):
            want = results(run(before, arguments, "python"))
        try:
            got = results(run(after, arguments, backend))
        except Exception as e:
            raise AssertionError(f"{backend}: {type(e).__name__}: {e}\n{after}") from e
        assert len(want) == len(got)
        for v, w, g in zip(p.main.returns, want, got, strict=True):
            assert np.shape(w) == np.shape(g), f"{backend}: shape {np.shape(g)}, NumPy {np.shape(w)}\n{after}"
            if isinstance(w, np.ndarray) and dtypes:
                assert w.dtype == g.dtype, f"{backend}: dtype {g.dtype}, NumPy {w.dtype}\n{after}"
            np.testing.assert_allclose(g, w, rtol=rtol if "32" not in v.type.dtype and v.type.dtype != "complex64" else 3e-6, atol=1e-14, err_msg=f"{backend}\n{before}\n{after}")
    return after


__all__ = ["check", "ir", "let", "program", "run"]
