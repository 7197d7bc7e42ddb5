"""Every registered operation and its adjoint, lowered: plain Python and compiled, against the unlowered text."""

import numpy as np
import pytest

from s2sgrad import backends, emit, optimise
from s2sgrad.ir import Assign, Function, Multi, Param, Program, Return, Var
from s2sgrad.rules import build, registry
from s2sgrad.rules.registry import OPS, type_of
from tests.test_rules import DIFFERENTIABLE, active, cases, outputs, seeds_like

OTHER = {
    "max": [], "any": [((np.array([[True, False], [False, False]]),), {"axis": 0, "keepdims": False})],
    "argmax": [((np.array([[1.0, 3.0, 3.0], [4.0, 0.0, 1.0]]),), {"axis": 1})],
}


def program(name, args, attrs):
    """The value and, where there is one, the adjoint of an operation."""
    op = OPS[name]
    params = [Param(f"x{i}", type_of(a), ("arg", i)) for i, a in enumerate(args)]
    xs = [p.var for p in params]
    values = list(args)
    body, results = [], []
    if op.results is not None:
        at = tuple(sorted(attrs.items()))
        outv = [Var(f"out{i}", t) for i, t in enumerate(op.results(*(x.type for x in xs), **attrs))]
        body.append(Multi(list(outv), name, tuple(xs), at))
    else:
        e = registry.call(name, *xs, **attrs)
        outv = [Var("out0", e.type)]
        body.append(Assign(outv[0], e))
    results += outv
    if name in DIFFERENTIABLE:
        seeds = [np.complex128(0.3 - 1j) if np.iscomplexobj(o) and np.ndim(o) == 0 else seeds_like([o])[0] for o in outputs(name, args, attrs)]
        gv = []
        for i, s in enumerate(seeds):
            params.append(Param(f"g{i}", type_of(s), ("seed", i)))
            gv.append(params[-1].var)
            values.append(s)
        wanted = tuple(active(name, args))
        single = op.results is None
        if op.adjoint is not None:
            parts = op.adjoint(gv[0] if single else tuple(gv), *xs, out=outv[0] if single else tuple(outv), wanted=wanted, **attrs)
        else:
            parts = [p(*xs, out=outv[0], **attrs) if w and p is not None else None for p, w in zip(op.partials, wanted)]
            parts = [None if p is None else gv[0] * build.conj(registry.as_expr(p)) for p in parts]
        for i, (p, w) in enumerate(zip(parts, wanted)):
            if p is None or not w:
                continue
            v = Var(f"bar{i}", registry.as_expr(p).type)
            body.append(Assign(v, registry.as_expr(p)))
            results.append(v)
    return Program(Function("f", params, [*body, Return(results)])), values


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_operation(name, jit):
    for args, attrs in cases(name):
        p, values = program(name, args, attrs)
        before = emit.text(p)
        after = emit.text(optimise.lower(p))
        with np.errstate(all="ignore"):
            try:
                want = backends.load(before, "f", "python")(*values)
            except (TypeError, ValueError):
                assert "math." in before or "digamma" in before  # functions of numbers, which only the lowered text applies to arrays
                continue
            got = backends.load(after, "f", "cpu" if jit else "python")(*values)
        want, got = (x if isinstance(x, tuple) else (x,) for x in (want, got))
        for w, g in zip(want, got, strict=True):
            assert np.shape(w) == np.shape(g), f"{np.shape(g)} {np.shape(w)}\n{before}\n{after}"
            narrow = "float32" in str([q.type for q in p.main.params])
            if isinstance(w, np.ndarray):
                assert w.dtype == g.dtype, f"{g.dtype} {w.dtype}\n{after}"
            np.testing.assert_allclose(g, w, rtol=3e-6 if narrow else 1e-11, atol=1e-6 if narrow else 1e-12, err_msg=f"{before}\n{after}")
