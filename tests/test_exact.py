"""Compiled scalar operations have NumPy's values and dtypes (NEP 50)."""

import numpy as np
import pytest

from s2sgrad import backends, emit, ir, optimise
from s2sgrad.ir import Array, Assign, Function, Param, Program, Return, Scalar, Store, Var, call
from s2sgrad.rules.registry import type_of

BINARY = ["add", "sub", "mul", "div", "floordiv", "mod", "pow", "maximum", "minimum", "arctan2", "hypot", "copysign", "logaddexp", "fmod",
          "lt", "eq", "ne", "heaviside", "float_power", "fmax", "bitand", "bitxor", "lshift", "logical_and", "logical_xor"]
UNARY = ["neg", "abs", "sin", "exp", "sqrt", "square", "sign", "floor", "ceil", "rint", "log1p", "cbrt", "tanh", "deg2rad", "sinc", "isnan",
         "signbit", "logical_not", "reciprocal", "conj", "real", "imag", "angle", "exp2", "expm1", "invert"]
VALUES = {
    "f32": np.float32(1.1), "f64": np.float64(1.7), "i32": np.int32(7), "i64": np.int64(-5), "u8": np.uint8(200), "b": np.bool_(True),
    "c64": np.complex64(1 + 2j), "c128": np.complex128(0.5 - 1j), "float": 2.3, "int": 3, "bool": True, "complex": 1 + 1j,
}


def programs(op, names):
    """One program with all the combinations that NumPy has, and NumPy's results."""
    params, body, want = [], [], []
    for n in names:
        params.append(Param(n + "_v", type_of(VALUES[n]), ("arg", len(params))))
    table = {p.name[:-2]: p.var for p in params}
    combos = [(a,) for a in names] if op in UNARY else [(a, b) for a in names for b in names]
    values = []
    for combo in combos:
        if op in UNARY and combo[0] in ("float", "int", "bool", "complex"):
            continue
        try:
            with np.errstate(all="ignore"):
                e = call(op, *(table[c] for c in combo))
                w = ir.call and s_fn(op)(*(VALUES[c] for c in combo))
        except (TypeError, ValueError, OverflowError):
            continue
        if (op == "lshift" and combo[1] != "int") or (op == "pow" and combo[1] == "u8"):
            continue  # shifts beyond the width, overflow
        d = e.type.dtype
        if d == "float16" or not isinstance(e.type, Scalar):
            continue
        v = Var(f"r{len(values)}", Array(d, 1))
        body.append(Assign(v, call("empty", 1, dtype=d)))
        body.append(Store(v, (ir.Const(0, ir.INT),), e))
        x = Var(f"s{len(values)}", Scalar(d))
        body.append(Assign(x, e))  # the compiled dtype shows in a comparison with itself doubled
        values.append((combo, v, e.type))
        want.append(w)
    body.append(Return([v for _, v, _ in values]))
    return Program(Function("f", params, body)), values, want


def s_fn(op):
    from s2sgrad.rules.registry import OPS
    return OPS[op].fn


@pytest.mark.parametrize("op", BINARY + UNARY)
def test_scalars(op):
    p, values, want = programs(op, list(VALUES))
    assert values
    text = emit.text(optimise.lower(p))
    args = [VALUES[q.name[:-2]] for q in p.main.params]
    f = backends.load(text, "f", "cpu")
    got = f(*args)
    got = got if isinstance(got, tuple) else (got,)
    for (combo, _v, t), g, w in zip(values, got, want, strict=True):
        rtol = 2e-6 if t.dtype in ("float32", "complex64") else 1e-13
        np.testing.assert_allclose(g[0], w, rtol=rtol, err_msg=f"{op}{combo}\n{text}")
    # the compiled types of the scalars
    from numba import typeof
    sig = f.signatures[0] if f.signatures else None
    if sig is not None and not f.stats.cache_hits:
        types = f.overloads[sig].type_annotation.typemap if f.overloads[sig].type_annotation else {}
        for k, (combo, _v, t) in enumerate(values):
            found = types.get(f"s{k}")
            if found is not None:
                assert str(found).replace("Literal[int]", "") .startswith(t.dtype), f"{op}{combo}: {found}, NumPy {t.dtype}\n{text}"
    assert typeof is not None
