"""Every operation of the registry: result types, text, adjoint against an independent derivative, tangent against adjoint."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import s2sgrad.rules  # noqa: F401
from s2sgrad import ir
from s2sgrad.ir import Array, Scalar, Var
from s2sgrad.rules import build, registry
from s2sgrad.rules.registry import OPS, call, type_of
from s2sgrad.testing.evaluate import evaluate

RNG = np.random.default_rng(7)
UNIT = {"arcsin", "arccos", "arctanh"}


def sample(shape, low=0.2, high=0.9):
    return RNG.uniform(low, high, shape)


def spd(n):
    a = RNG.normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


A23, A33 = RNG.normal(size=(2, 3)), RNG.normal(size=(3, 3)) + 3 * np.eye(3)
C3 = RNG.normal(size=3) + 1j * RNG.normal(size=3)
C33 = A33 + 1j * RNG.normal(size=(3, 3))

# operation -> list of (arguments, attributes)
CASES = {
    "arccosh": [((sample(3) + 1.0,), {})],
    "abs": [((np.array([-1.5, 0.7]),), {}), ((C3,), {})],
    "sinc": [((np.array([0.3, -1.2, 0.04, 1e-3, 2.0]),), {})],
    "pow": [((sample(3), sample(3)), {}), ((np.array([-1.2, 0.5]), 3), {}), ((1.7, 2.5), {}), ((sample(3), np.array([2, 0, 1])), {}), ((C3, 2), {})],
    "float_power": [((sample(3), sample(3)), {}), ((1.7, 2.5), {})],
    "mod": [((np.array([3.3, -1.2]), np.array([0.7, 0.9])), {})],
    "fmod": [((np.array([3.3, -1.2]), np.array([0.7, 0.9])), {})],
    "clip": [((np.array([-1.0, 0.2, 3.0]), 0.0, 1.0), {}), ((sample(3), sample(3, 0.0, 0.5), sample(3, 0.5, 0.7)), {})],
    "where": [((np.array([True, False, True]), sample(3), sample(3)), {})],
    "ifexp": [((True, 0.3, 0.4), {}), ((False, 0.3, 0.4), {})],
    "ldexp": [((sample(3), np.array([1, 2, 3])), {})],
    "astype": [((sample(3),), {"dtype": "complex128"}), ((0.5,), {"dtype": "float64"})],
    "pyfloat": [((np.float64(0.3),), {})],
    "pycomplex": [((0.3, 0.4), {})],
    "full": [((0.7, 2, 3), {"dtype": "float64"})],
    "full_like": [((A23, 0.7), {}), ((A23, sample(3)), {})],
    "arange": [((0.5, 2.9, 0.7), {"dtype": "float64"})],
    "linspace": [((0.5, 2.9, 4), {"endpoint": True, "dtype": "float64"}), ((0.5, 2.9, 4), {"endpoint": False, "dtype": "float64"})],
    "array_of": [((0.1, 0.2, 0.3, 0.4, 0.5, 0.6), {"shape": (2, 3), "dtype": "float64"})],
    **{r: [((A23,), {"axis": a, "keepdims": k}) for a in (None, 0, 1, (0, 1)) for k in (False, True)] for r in ("sum", "max", "min")},
    "cumsum": [((sample(4),), {"axis": 0}), ((A23,), {"axis": 1}), ((A23,), {"axis": 0})],
    "of_shape": [((A23, A23 + 1.0), {})],
    "unbroadcast": [((A23, np.ones(3)), {}), ((A23, np.ones((2, 1))), {}), ((A23, 1.0), {})],
    "transpose": [((A23,), {}), ((RNG.normal(size=(2, 3, 4)),), {"axes": (1, 2, 0)})],
    "reshape": [((A23, 3, 2), {}), ((A23, 6), {})],
    "reshape_copy": [((A23.T, 6), {})],
    "expand_dims": [((A23,), {"axis": 1}), ((sample(3),), {"axis": (0, 2)})],
    "squeeze": [((A23[:, None],), {"axis": 1}), ((sample(1),), {"axis": 0})],
    "broadcast_to": [((sample(3), 2, 3), {})],
    "diagonal": [((A23,), {})],
    "windows": [((A23, A23[0]), {})],
    "diagonal_matrix": [((sample(2), 2, 3), {})],
    "concatenate": [((A23, A23[:1]), {"axis": 0}), ((A23, A23[:, :1]), {"axis": 1})],
    "stack": [((A23, A23 + 1), {"axis": a}) for a in (0, 1, 2)] + [((sample(3), sample(3)), {"axis": 0})],
    "tril": [((A33,), {"k": 0}), ((A33,), {"k": -1})],
    "triu": [((A33,), {"k": 1})],
    "matmul": [((A23, A33), {}), ((sample(3), sample(3)), {}), ((A23, sample(3)), {}), ((sample(2), A23), {}), ((C3, C33), {}), ((C33, sample(3)), {}),
               ((RNG.normal(size=(4, 2, 3)), RNG.normal(size=(4, 3, 5))), {}), ((RNG.normal(size=(4, 2, 3)), A33), {}),
               ((RNG.normal(size=(4, 2, 3)), sample(3)), {}), ((sample(2), RNG.normal(size=(4, 2, 3))), {}), ((A23, RNG.normal(size=(4, 3, 5))), {})],
    "outer": [((sample(3), sample(2)), {}), ((C3, sample(2)), {})],
    "solve": [((A33, sample(3)), {}), ((A33, RNG.normal(size=(3, 2))), {}), ((C33, C3), {})],
    "inv": [((A33,), {}), ((C33,), {})],
    "det": [((A33,), {}), ((C33,), {})],
    "cofactor": [((A33,), {}), ((C33,), {})],
    "slogdet": [((A33,), {}), ((-A33,), {})],
    "cholesky": [((spd(3),), {})],
    "eigh": [((spd(3),), {})],
    "svd": [((A23,), {}), ((A23.T.copy(),), {}), ((A33,), {})],
    "qr": [((A33,), {}), ((A23.T.copy(),), {})],
    "pinv": [((A23, 1e-15), {}), ((A23.T.copy(), 1e-15), {}), ((C33[:2], 1e-15), {})],
    "fft": [((sample(4),), {"axis": 0}), ((C33,), {"axis": 0})],
    "ifft": [((sample(4),), {"axis": 0}), ((C33,), {"axis": 1})],
    "real": [((C3,), {}), ((sample(2),), {})],
    "imag": [((C3,), {})],
    "real_view": [((C3,), {})],
    "imag_view": [((C3,), {})],
    "conj": [((C3,), {})],
    "angle": [((C3,), {})],
    "gamma": [((np.array([0.3, 2.5, -0.7]),), {})],
    "lgamma": [((np.array([0.3, 2.5, -0.7]),), {})],
    "digamma": [((np.array([0.3, 2.5, -0.7, 15.0]),), {})],
    "copy": [((A23,), {})],
    "ascontiguous": [((A23.T,), {})],
}
HOLOMORPHIC = ("neg pos sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp expm1 log log2 log10 log1p sqrt square reciprocal "
               "add sub mul div").split()


def cases(name):
    if name in CASES:
        return CASES[name]
    n = len(OPS[name].partials)
    out = [(tuple(sample(3) for _ in range(n)), {}), (tuple(float(sample(())) for _ in range(n)), {})]
    if n == 2:
        out += [((A23, sample(3)), {}), ((0.6, sample(3)), {}), ((np.float32(0.25), 0.75), {})] if name not in ("pow",) else []
    if name in HOLOMORPHIC:
        out.append((tuple(C3 * 0.4 + 0.1 * i for i in range(n)), {}))
    return out


DIFFERENTIABLE = [n for n, o in OPS.items() if o.kind in ("elementwise", "linear", "general") and n not in ("nextafter", "eig")]  # eig: see test_library_programs


def variables(args):
    return [Var(f"x{i}", type_of(a)) for i, a in enumerate(args)]


def active(name, args):
    skip = {"pinv": {1}, "where": {0}, "ifexp": {0}, "linspace": {2}, "arange": {1}, "unbroadcast": {1}, "of_shape": {1}, "full_like": {0}, "copysign": {1}, "ldexp": {1}, "windows": {1}}
    return [np.asarray(a).dtype.kind in "fc" and i not in skip.get(name, ()) for i, a in enumerate(args)]


def outputs(name, args, attrs):
    """The results as a list, made independent of free signs and phases."""
    r = OPS[name].fn(*args, **attrs)
    return list(r) if OPS[name].results else [r]


def seeds_like(outs):
    rng = np.random.default_rng(3)
    made = []
    for o in outs:
        s = rng.normal(size=np.shape(o))
        made.append(s + 1j * rng.normal(size=np.shape(o)) if np.iscomplexobj(o) else s)
    return [m[()] if isinstance(m, np.ndarray) else np.float64(m) for m in made]


def adjoint(name, args, attrs, g):
    """The contributions of the rule, evaluated and summed to the arguments' shapes."""
    op, xs = OPS[name], variables(args)
    outs = outputs(name, args, attrs)
    env = {x.name: a for x, a in zip(xs, args)}
    outv = [Var(f"out{i}", type_of(o)) for i, o in enumerate(outs)]
    gv = [Var(f"g{i}", type_of(s)) for i, s in enumerate(g)]
    env |= {v.name: o for v, o in zip(outv, outs)} | {v.name: s for v, s in zip(gv, g)}
    wanted = tuple(active(name, args))
    single = op.results is None
    if op.adjoint is not None:
        parts = op.adjoint(gv[0] if single else tuple(gv), *xs, out=outv[0] if single else tuple(outv), wanted=wanted, **attrs)
    else:
        parts = [p(*xs, out=outv[0], **attrs) if w else None for p, w in zip(op.partials, wanted)]
        parts = [None if p is None else gv[0] * build.conj(registry.as_expr(p)) for p in parts]
    res = []
    for a, w, p in zip(args, wanted, parts):
        if not w:
            res.append(None)
            continue
        v = np.zeros(np.shape(a)) if p is None else evaluate(registry.as_expr(p), env)
        v = v if np.iscomplexobj(a) else np.real(v)
        full = np.broadcast_to(v, np.broadcast_shapes(np.shape(v), np.shape(a)))
        res.append(OPS["unbroadcast"].fn(full, a))
    return res


def tangent(name, args, attrs, dots):
    op, xs = OPS[name], variables(args)
    outs = outputs(name, args, attrs)
    outv = [Var(f"out{i}", type_of(o)) for i, o in enumerate(outs)]
    dv = [None if d is None else Var(f"d{i}", type_of(d)) for i, d in enumerate(dots)]
    env = {x.name: a for x, a in zip(xs, args)} | {v.name: o for v, o in zip(outv, outs)} | {v.name: d for v, d in zip(dv, dots) if v is not None}
    single = op.results is None
    if op.tangent is not None:
        r = op.tangent(dv, *xs, out=outv[0] if single else tuple(outv), **attrs)
    else:
        r = build.add_dots(dv, lambda i: 0.0 if (p := op.partials[i](*xs, out=outv[0], **attrs)) is None else registry.as_expr(p) * dv[i])
    return [evaluate(registry.as_expr(e), env) for e in ([r] if single else r)]


def directional(name, args, attrs, dirs):
    """Derivative along `dirs` by Richardson-extrapolated central differences."""

    def at(h):
        moved = [a if d is None else a + h * d for a, d in zip(args, dirs)]
        return [np.asarray(o) for o in outputs(name, moved, attrs)]

    def central(h):
        return [(p - m) / (2 * h) for p, m in zip(at(h), at(-h))]

    h = 1e-3 if name not in ("sinc",) else 1e-4
    a, b, c = central(h), central(h / 2), central(h / 4)
    one = [(4 * y - x) / 3 for x, y in zip(a, b)]
    two = [(4 * y - x) / 3 for x, y in zip(b, c)]
    return [(16 * y - x) / 15 for x, y in zip(one, two)]


def dot(a, b):
    return float(np.sum(np.real(np.conj(a) * b)))


def all_cases():
    return [pytest.param(n, a, k, id=f"{n}-{i}") for n in DIFFERENTIABLE for i, (a, k) in enumerate(cases(n))]


@pytest.mark.parametrize("name, args, attrs", all_cases())
def test_derivatives(name, args, attrs):
    rng = np.random.default_rng(11)
    dirs = []
    for a, w in zip(args, active(name, args)):
        d = rng.normal(size=np.shape(a))
        d = d + 1j * rng.normal(size=np.shape(a)) if np.iscomplexobj(a) else d
        if name in ("cholesky", "eigh"):
            d = d + d.T
        dirs.append((d[()] if isinstance(d, np.ndarray) else np.float64(d)) if w else None)
    if name == "arange":
        dirs[1] = None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = directional(name, args, attrs, dirs)
        got = tangent(name, args, attrs, dirs)
        g = seeds_like(outputs(name, args, attrs))
        bars = adjoint(name, args, attrs, g)
    tolerance = 2e-6 if "float32" in str([np.asarray(a).dtype for a in args]) else 1e-8
    for w, t in zip(want, got):
        np.testing.assert_allclose(np.broadcast_to(t, w.shape), w, rtol=tolerance, atol=tolerance)
    lhs = sum(dot(s, np.broadcast_to(t, np.shape(s))) for s, t in zip(g, got))
    rhs = sum(dot(b, d) for b, d in zip(bars, dirs) if b is not None and d is not None)
    assert lhs == pytest.approx(rhs, rel=1e-9 if tolerance < 1e-7 else 1e-6, abs=1e-9)


@pytest.mark.parametrize("name", [n for n, o in OPS.items() if o.kind == "elementwise" and n not in ("where", "ifexp", "clip", "ldexp", "angle")])
def test_dtypes(name):
    op = OPS[name]
    n = len(op.partials)
    values = [2.0, 2, np.float32(0.5), np.float64(0.5), np.ones(2, np.float32), np.ones((2, 2)), np.ones(2, np.int32)]
    with np.errstate(all="ignore"):
        for args in [(v,) for v in values] if n == 1 else [(v, w) for v in values for w in values]:
            try:
                want = op.fn(*args)
            except (TypeError, ZeroDivisionError):
                continue
            e = call(name, *variables(args))
            assert e.type == type_of(want) or isinstance(e.type, Array) and (e.type.dtype, e.type.ndim) == (want.dtype, want.ndim)


@pytest.mark.parametrize("name", [n for n, o in OPS.items() if o.kind == "elementwise" and n not in ("where", "ifexp", "clip", "ldexp", "float_power",
                                                                                              "angle", "copysign", "nextafter", "digamma")])
@pytest.mark.parametrize("scalar", [False, True])
def test_partials_keep_float32(name, scalar):
    op = OPS[name]
    t = Scalar("float32") if scalar else Array("float32", 1)
    xs = [Var(f"x{i}", t) for i in range(len(op.partials))]
    for p in op.partials:
        e = p(*xs, out=Var("out", t))
        if isinstance(e, ir.Expr):
            assert e.type.dtype in ("float32", "bool"), e


@pytest.mark.parametrize("name", [n for n in DIFFERENTIABLE if n not in ("item",)])
def test_text_is_the_operation(name):
    """The printed call, evaluated by Python, is the operation."""
    for args, attrs in cases(name)[:4]:
        c = call(name, *variables(args), **attrs) if not OPS[name].results else ir.Call(name, tuple(variables(args)), tuple(sorted(attrs.items())), ir.FLOAT)
        names = {"np": np, "math": math, **{f"_{i}": a for i, a in enumerate(args)}}
        text = OPS[name].template(c)
        if OPS[name].helper is not None:
            names[OPS[name].helper.__name__] = OPS[name].fn
        if text.startswith("math.") and isinstance(args[0], np.ndarray):
            continue
        got = eval(text, names)
        for a, b in zip(outputs(name, args, attrs), got if OPS[name].results else [got]):
            np.testing.assert_array_equal(a, b)


def value_of(builder, *args, **kw):
    xs = [Var(f"x{i}", type_of(a)) if isinstance(a, (np.ndarray, np.generic, float)) else a for i, a in enumerate(args)]
    e = registry.call_python(builder, xs, kw)
    return e, evaluate(e, {f"x{i}": a for i, a in enumerate(args)})


@pytest.mark.parametrize("f, args, kw", [
    (np.sum, (A23,), {"axis": -1}), (np.sum, (A23,), {"axis": (-1, 0), "keepdims": True}), (np.max, (A23, 1), {}), (np.sum, (A23, None, np.float32), {}),
    (np.clip, (A23, None, 0.5), {}), (np.clip, (A23, -0.1, 0.5), {}), (np.reshape, (A23, (3, -1)), {}), (np.ravel, (A23.T,), {}),
    (np.reshape, (A23, (3, 2)), {"order": "F"}), (np.transpose, (A23,), {}), (np.add, (1.0, 2.0), {}), (np.where, (np.bool_(True), 1.0, 2), {}),
    (math.sin, (0.5,), {}), (math.hypot, (1.0, 2.0, 2.0), {}), (np.power, (2.0, 3.0), {}), (np.full, ((2, 3), 0.5), {}), (np.zeros, (3,), {}),
    (np.ones, ((2, 2), np.float32), {}), (np.arange, (3,), {}), (np.arange, (0.0, 1.0, 0.25), {}), (np.eye, (3,), {}), (np.linspace, (0.0, 1.0, 5), {}),
    (np.cumsum, (A23,), {}), (np.argmax, (A23,), {"axis": 1}), (np.expand_dims, (A23, -1), {}), (np.squeeze, (A23[None], 0), {}),
    (np.asarray, (A23, np.float32), {}), (np.round, (A23, 2), {}), (np.dot, (2.0, A23), {}), (np.abs, (-2.0,), {}), (abs, (-2.0,), {}), (math.log, (8.0, 2), {}),
    (np.angle, (C3,), {"deg": True}), (np.count_nonzero, (A23 > 0,), {}), (np.concatenate, ((A23, A23),), {"axis": None}),
])
def test_python_calls(f, args, kw):
    if f is np.concatenate:
        xs = tuple(Var(f"x{i}", type_of(a)) for i, a in enumerate(args[0]))
        e = registry.call_python(f, (xs,), kw)
        got = evaluate(e, {f"x{i}": a for i, a in enumerate(args[0])})
    else:
        e, got = value_of(f, *args, **kw)
    want = f(*args, **kw)
    want = want[()] if isinstance(want, np.ndarray) else want
    np.testing.assert_allclose(got, want, rtol=1e-15)
    t = type_of(want)
    assert (e.type.dtype, e.type.ndim, getattr(e.type, "weak", None)) == (t.dtype, t.ndim, getattr(t, "weak", None))


def test_special_points():
    def at(name, *args, arg=0, **attrs):
        g = np.ones(np.shape(OPS[name].fn(*args, **attrs)))[()]
        with np.errstate(all="ignore"):
            return adjoint(name, args, attrs, [g])[arg]

    assert at("maximum", 0.0, 0.0) == 1.0
    assert at("maximum", 0.0, 0.0, arg=1) == 0.0
    assert at("minimum", 1.0, 1.0) == 1.0
    assert at("abs", 0.0) == 0.0
    assert at("hypot", 0.0, 0.0) == 0.0
    np.testing.assert_array_equal(at("clip", np.array([0.0, 1.0, 2.0]), 0.0, 1.0), [1.0, 1.0, 0.0])
    np.testing.assert_array_equal(at("max", np.array([1.0, 3.0, 3.0]), axis=None, keepdims=False), [0.0, 0.5, 0.5])
    np.testing.assert_array_equal(at("pow", np.zeros(3), np.array([0, 1, 2])), [0.0, 1.0, 0.0])
    assert at("pow", np.float64(0.0), np.float64(2.0), arg=1) == 0.0
    assert at("pow", np.float64(0.0), np.float64(2.0)) == 0.0


def test_degenerate_eigenvalues():
    a = np.diag([2.0, 2.0, 1.0])
    w, v = np.linalg.eigh(a)
    (bar,) = adjoint("eigh", (a,), {}, [3 * w * w, np.zeros((3, 3))])
    np.testing.assert_allclose(bar, np.diag([12.0, 12.0, 3.0]), atol=1e-12)
