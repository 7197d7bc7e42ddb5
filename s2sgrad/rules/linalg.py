"""Matrix products and linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.errors import NotDifferentiable, Unsupported
from s2sgrad.ir import Array, Scalar
from s2sgrad.rules import registry
from s2sgrad.rules.build import column, conj, flat, is_scalar, means, real_like, row, select, static
from s2sgrad.rules.registry import Op, as_expr, call, register
from s2sgrad.rules.shapes import transpose


def adj(a):
    """The conjugate transpose."""
    return conj(transpose(a))


def last(v):
    """`v[..., None]`."""
    return call("expand_dims", v, axis=v.ndim)


def swap(a):
    """The last two axes exchanged."""
    return transpose(a, (*range(a.ndim - 2), a.ndim - 1, a.ndim - 2))


# ----------------------------------------------------------------------------------------------- products


def _matmul_adjoint(g, a, b, *, out, wanted):
    return _left(g, a, b) if wanted[0] else None, _right(g, a, b) if wanted[1] else None


def _left(g, a, b):
    """What a @ b passes to a."""
    b_ = conj(b)
    if a.ndim == 1 and b.ndim == 1:
        r = g * b_
    elif b.ndim == 1:
        r = np.outer(g, b_) if g.ndim == 1 else last(g) * b_
    elif a.ndim == 1:
        r = b_ @ g if b.ndim == 2 else call("unbroadcast", call("matmul", b_, last(g)), last(a))
        return real_like(r if b.ndim == 2 else call("squeeze", r, axis=1), a)
    else:
        r = call("matmul", g, conj(swap(b)))
        r = r if r.ndim == a.ndim == b.ndim == 2 else call("unbroadcast", r, a)
    return real_like(r, a)


def _right(g, a, b):
    """What a @ b passes to b."""
    a_ = conj(a)
    if a.ndim == 1 and b.ndim == 1:
        r = a_ * g
    elif b.ndim == 1:
        r = call("matmul", conj(swap(a)), g) if a.ndim == 2 else np.sum(last(g) * a_, axis=tuple(range(a.ndim - 1)))
    elif a.ndim == 1:
        r = np.outer(a_, g) if g.ndim == 1 else call("expand_dims", a_, axis=1) * call("expand_dims", g, axis=g.ndim - 1)
    else:
        r = call("matmul", conj(swap(a)), g)
        r = r if r.ndim == a.ndim == b.ndim == 2 else call("unbroadcast", r, b)
    return real_like(r, b)


def product_tangent(name):
    def tangent(dots, a, b, *, out):
        left = None if dots[0] is None else call(name, dots[0], b)
        right = None if dots[1] is None else call(name, a, dots[1])
        return left if right is None else right if left is None else left + right

    return tangent


def _matmul_type(a, b):
    d = (np.ones(1, a.dtype) @ np.ones(1, b.dtype)).dtype.name
    if min(a.ndim, b.ndim) == 0:
        raise TypeError("matmul: an operand is a scalar")
    n = max(a.ndim, b.ndim, 2) - (a.ndim == 1) - (b.ndim == 1)
    return Array(d, n) if n else Scalar(d)


register(Op("matmul", "general", np.matmul, "_0 @ _1", adjoint=_matmul_adjoint, tangent=product_tangent("matmul"), result=_matmul_type))


@means(np.matmul, np.linalg.matmul)
def _(a, b):
    return call("matmul", a, b)


@means(np.dot)
def _(a, b, out=None):
    a, b = as_expr(a), as_expr(b)
    if is_scalar(a) or is_scalar(b):
        return np.multiply(a, b)
    if b.ndim > 2:
        return registry.call_python(np.tensordot, (a, b, ((a.ndim - 1,), (b.ndim - 2,))), {})
    return call("matmul", a, b)


def _outer_adjoint(g, a, b, *, out, wanted):
    return real_like(g @ conj(b), a) if wanted[0] else None, real_like(transpose(g) @ conj(a), b) if wanted[1] else None


register(Op("outer", "general", np.outer, "np.outer(_0, _1)", adjoint=_outer_adjoint, tangent=product_tangent("outer")))


@means(np.outer, np.linalg.outer)
def _(a, b, out=None):
    return call("outer", *(call("reshape_copy", x, call("size", x)) if x.ndim > 1 else x for x in map(as_expr, (a, b))))


# ------------------------------------------------------------------------------------------- triangles


def _triangle(name, f):
    register(Op(name, "linear", lambda a, k=0: f(a, k), lambda c: f"np.{name}(_0{', ' + str(c.attr('k')) if c.attr('k') else ''})",
                adjoint=lambda g, a, *, out, wanted, k=0: (call(name, g, k=k),),
                tangent=lambda dots, a, *, out, k=0: call(name, dots[0], k=k)))


_triangle("tril", np.tril)
_triangle("triu", np.triu)


@means(np.tril)
def _(m, k=0):
    return call("tril", m, k=int(static(k, "k")))


@means(np.triu)
def _(m, k=0):
    return call("triu", m, k=int(static(k, "k")))


# --------------------------------------------------------------------------------- solving, determinants


def float_dtype(*types) -> str:
    """The dtype np.linalg computes in."""
    d = np.result_type(*(np.dtype(t.dtype) for t in types))
    return d.name if d.kind in "fc" else "float64"


def _matrix(a):
    if is_scalar(a) or a.ndim != 2:
        raise Unsupported(f"np.linalg functions take one matrix here, not an array of rank {a.ndim}", hint="loop over the leading axes")
    return a


def _solve_adjoint(g, a, b, *, out, wanted):
    gb: Any = call("solve", adj(a), g)
    ga = -np.outer(gb, conj(out)) if b.ndim == 1 else -(gb @ adj(out))
    return real_like(ga, a) if wanted[0] else None, real_like(gb, b) if wanted[1] else None


def _solve_tangent(dots, a, b, *, out):
    rhs = dots[1]
    if dots[0] is not None:
        rhs = -(dots[0] @ out) if rhs is None else rhs - dots[0] @ out
    return call("solve", a, rhs)


register(Op("solve", "general", np.linalg.solve, "np.linalg.solve(_0, _1)", adjoint=_solve_adjoint, tangent=_solve_tangent,
            result=lambda a, b: Array(float_dtype(a, b), b.ndim, "C" if b.ndim == 1 else "A")))


@means(np.linalg.solve)
def _(a, b):
    return call("solve", _matrix(as_expr(a)), b)


def _inv_adjoint(g, a, *, out, wanted):
    h = adj(out)
    return (-(h @ g @ h),)


register(Op("inv", "general", np.linalg.inv, "np.linalg.inv(_0)", adjoint=_inv_adjoint,
            tangent=lambda dots, a, *, out: -(out @ dots[0] @ out), result=lambda a: Array(float_dtype(a), 2, "A")))


@means(np.linalg.inv)
def _(a):
    return call("inv", _matrix(as_expr(a)))


def cofactor(a):
    """The matrix of cofactors, det(a) * inv(a).T, also where a is singular."""
    d = np.linalg.det(a)
    if d != 0:
        return d * np.linalg.inv(a).T
    n = a.shape[0]
    u, s, vh = np.linalg.svd(a)
    others = np.ones(n, dtype=s.dtype)
    for i in range(n):
        for j in range(n):
            if i != j:
                others[i] *= s[j]
    return np.linalg.det(u) * np.linalg.det(vh) * ((u * others) @ vh)


def _cofactor_tangent(dots, a, *, out):
    return (call("sum", out * dots[0], axis=None, keepdims=False) * out - out @ dots[0].T @ out) / call("det", a)


def _cofactor_adjoint(g, a, *, out, wanted):
    h = conj(out)
    return ((call("sum", h * g, axis=None, keepdims=False) * h - h @ g.T @ h) / conj(call("det", a)),)


register(Op("cofactor", "general", cofactor, "cofactor(_0)", helper=cofactor, adjoint=_cofactor_adjoint, tangent=_cofactor_tangent,
            result=lambda a: Array(float_dtype(a), 2)))


def _det_adjoint(g, a, *, out, wanted):
    return (g * conj(call("cofactor", a)),)


register(Op("det", "general", np.linalg.det, "np.linalg.det(_0)", adjoint=_det_adjoint, result=lambda a: Scalar(float_dtype(a)),
            tangent=lambda dots, a, *, out: call("sum", call("cofactor", a) * dots[0], axis=None, keepdims=False)))


def trace(a: Any) -> Any:
    return call("sum", call("diagonal", a), axis=None, keepdims=False)


@means(np.linalg.det)
def _(a):
    return call("det", _matrix(as_expr(a)))


def _slogdet_types(a):
    d = float_dtype(a)
    return [Scalar(d), Scalar(np.zeros(0, d).real.dtype.name)]


def _slogdet_adjoint(g, a, *, out, wanted):
    sign, weight = g
    if sign is not None and ir.is_complex(a.type):
        turn = -1j * call("imag", out[0] * conj(sign))
        weight = turn if weight is None else weight + turn
    return (None,) if weight is None else (weight * adj(call("inv", a)),)


def _slogdet_tangent(dots, a, *, out):
    t = trace(call("solve", a, dots[0]))
    zero = 0.0 * out[0]
    return (1j * call("imag", t) * out[0], call("real", t)) if ir.is_complex(a.type) else (zero, t)


register(Op("slogdet", "general", np.linalg.slogdet, "np.linalg.slogdet(_0)", adjoint=_slogdet_adjoint, tangent=_slogdet_tangent,
            results=_slogdet_types))


# ----------------------------------------------------------------------------------------- factorisations


def half_tril(a):
    """The lower triangle with half the diagonal."""
    return 0.5 * (call("tril", a, k=0) + call("tril", a, k=-1))


def _cholesky_adjoint(g, a, *, out, wanted):
    p = half_tril(adj(out) @ g)
    s = call("solve", adj(out), adj(call("solve", adj(out), adj(p))))
    return (half_tril(s + adj(s)),)


def _cholesky_tangent(dots, a, *, out):
    s = call("solve", out, adj(call("solve", out, adj(from_lower(dots[0])))))
    return out @ half_tril(s)


def from_lower(a):
    """The Hermitian matrix that np.linalg.cholesky and eigh see: they read the lower triangle only."""
    low = half_tril(a)
    return low + adj(low)


register(Op("cholesky", "general", np.linalg.cholesky, "np.linalg.cholesky(_0)", adjoint=_cholesky_adjoint, tangent=_cholesky_tangent,
            result=lambda a, upper=False: Array(float_dtype(a), 2)))


@means(np.linalg.cholesky)
def _(a, *, upper=False):
    a = _matrix(as_expr(a))
    return adj(call("cholesky", adj(a))) if static(upper) else call("cholesky", a)


def real_dtype(dtype: str) -> str:
    return np.zeros(0, dtype).real.dtype.name


def _eigh_types(a):
    d = float_dtype(a)
    return [Array(real_dtype(d), 1), Array(d, 2, "A")]


def gaps(w):
    """1 / (w_j - w_i), and 0 between equal eigenvalues."""
    d = row(w) - column(w)
    same = np.abs(d) <= 10.0 * float(np.finfo(w.type.dtype).eps) * np.max(np.abs(w))
    return select(same, 0.0, 1.0 / select(same, 1.0, d))


def _eigh_adjoint(g, a, *, out, wanted):
    gw, gv = g
    w, v = out
    inner = None if gv is None else gaps(w) * (adj(v) @ gv)
    terms = []
    if gw is not None:
        terms.append((v * gw) @ adj(v))
    if inner is not None:
        terms.append(v @ inner @ adj(v))
    total = terms[0] if len(terms) == 1 else terms[0] + terms[1]
    return (half_tril(total + adj(total)),)


def _eigh_tangent(dots, a, *, out):
    w, v = out
    m = adj(v) @ from_lower(dots[0]) @ v
    dw = call("diagonal", m)
    return (call("real", dw) if ir.is_complex(m.type) else dw, v @ (gaps(w) * m))


register(Op("eigh", "general", np.linalg.eigh, "np.linalg.eigh(_0)", adjoint=_eigh_adjoint, tangent=_eigh_tangent, results=_eigh_types))


def _svd_types(a):
    d = float_dtype(a)
    return [Array(d, 2, "A"), Array(real_dtype(d), 1), Array(d, 2, "A")]


def _svd(a):
    return np.linalg.svd(a, full_matrices=False)


def safe_inverse(s):
    """1 / s, and 0 where s is 0."""
    return select(s.eq(0), 0.0, 1.0 / select(s.eq(0), 1.0, s))


def _svd_adjoint(g, a, *, out, wanted):
    gu, gs, gvh = g
    u, s, vh = out
    terms = []
    if gs is not None:
        terms.append((u * gs) @ vh)
    f, inv = gaps(s * s), safe_inverse(s)
    if gu is not None:
        m = f * (adj(u) @ gu)
        terms.append((u @ ((m + adj(m)) * row(s))) @ vh)
        terms.append(((gu - u @ (adj(u) @ gu)) * inv) @ vh)
    if gvh is not None:
        m = f * (vh @ adj(gvh))
        terms.append((u * s) @ ((m + adj(m)) @ vh))
        terms.append((u * inv) @ (gvh - (gvh @ adj(vh)) @ vh))
    if gu is not None and ir.is_complex(a.type):
        d = call("diagonal", adj(u) @ gu)
        terms.append((u * (1j * call("imag", d) * inv)) @ vh)
    total = terms[0]
    for t in terms[1:]:
        total = total + t
    return (total,)


def _svd_tangent(dots, a, *, out):
    u, s, vh = out
    da = dots[0]
    p = adj(u) @ da @ adj(vh)
    f, inv = gaps(s * s), safe_inverse(s)
    ds = call("diagonal", p)
    left, right = p * row(s), column(s) * p
    du = u @ (f * (left + adj(left))) + ((da @ adj(vh)) - u @ p) * inv
    if ir.is_complex(p.type):  # the phases of the pairs, which the adjoint leaves to u
        du = du + u * (1j * call("imag", ds) * inv)
    dv = (f * (right + adj(right)))
    dvh = adj(dv) @ vh + column(inv) * (adj(u) @ da - p @ vh)
    return du, call("real", ds) if ir.is_complex(p.type) else ds, dvh


register(Op("svd", "general", _svd, "np.linalg.svd(_0, full_matrices=False)", adjoint=_svd_adjoint, tangent=_svd_tangent,
            results=_svd_types))


def _qr_adjoint(g, a, *, out, wanted):
    gq, gr = g
    q, r = out
    m = None
    if gr is not None:
        m = r @ adj(gr)
    if gq is not None:
        m = -(adj(gq) @ q) if m is None else m - adj(gq) @ q
    low = call("tril", m, k=-1)
    sym = call("tril", m, k=0) + adj(low)
    if ir.is_complex(a.type):  # the diagonal of r is real
        sym = 0.5 * (sym + adj(sym))
    inner = q @ sym if gq is None else gq + q @ sym
    return (adj(call("solve", r, adj(inner))),)


def _qr_tangent(dots, a, *, out):
    q, r = out
    x = adj(call("solve", adj(r), adj(dots[0])))  # da @ inv(r)
    qx = adj(q) @ x
    low = call("tril", qx, k=-1)
    omega = low - adj(low)
    if ir.is_complex(a.type):  # the diagonal of r stays real
        omega = omega + 0.5 * (call("tril", qx, k=0) - low - adj(call("tril", qx, k=0) - low))
    dq = x - q @ (qx - omega)
    return dq, (qx - omega) @ r


register(Op("qr", "general", np.linalg.qr, "np.linalg.qr(_0)", adjoint=_qr_adjoint, tangent=_qr_tangent,
            results=lambda a: [Array(float_dtype(a), 2, "A"), Array(float_dtype(a), 2, "A")]))


def _eig_types(a):
    d = np.result_type(np.dtype(a.dtype), np.complex64).name if a.dtype == "float32" else "complex128"
    return [Array(d, 1), Array(d, 2, "A")]


def _eig_adjoint(g, a, *, out, wanted):
    """Of the eigenvalues: left eigenvectors times right eigenvectors. The phase of the eigenvectors is LAPACK's choice."""
    gw, gv = g
    if gv is not None:
        raise NotDifferentiable("the eigenvectors of np.linalg.eig are not differentiated", hint=EIG_HINT)
    vh = adj(out[1])
    return (real_like(call("solve", vh, column(gw) * vh), a),)


def _eig_tangent(dots, a, *, out):
    raise NotDifferentiable("np.linalg.eig has no forward mode", hint=EIG_HINT)


EIG_HINT = "Use its eigenvalues only, in reverse mode, or np.linalg.eigh for a symmetric matrix."
register(Op("eig", "general", np.linalg.eig, "np.linalg.eig(_0)", adjoint=_eig_adjoint, tangent=_eig_tangent, results=_eig_types))


def several(function, op, **fixed):
    """A NumPy function with several results: `function(a)` is the operation `op`."""

    def builder(a, **options):
        for key, value in options.items():
            if static(value, key) not in (fixed.get(key), None):
                raise Unsupported(f"np.linalg.{function.__name__} with {key}={static(value, key)!r} is not supported")
        return op, (_matrix(as_expr(a)),), {}, result_class(function)

    registry.MULTI[id(function)] = (function, builder)


def result_class(function):
    """The named tuple NumPy returns (EighResult, ...), None for a plain tuple."""
    kind = type(function(np.eye(2)))
    return kind if hasattr(kind, "_fields") else None


several(np.linalg.slogdet, "slogdet")
several(np.linalg.eigh, "eigh", UPLO="L")
several(np.linalg.qr, "qr", mode="reduced")
several(np.linalg.eig, "eig")


def _svd_call(a, full_matrices=True, compute_uv=True, hermitian=False):
    if static(full_matrices) and static(compute_uv):
        raise Unsupported("np.linalg.svd with full_matrices=True is not supported", hint="pass full_matrices=False")
    return "svd", (_matrix(as_expr(a)),), {}, result_class(np.linalg.svd)


registry.MULTI[id(np.linalg.svd)] = (np.linalg.svd, _svd_call)


# ---------------------------------------------------------------------------------------- pseudo-inverse


def _pinv_adjoint(g, a, rcond, *, out, wanted):
    """Golub and Pereyra's derivative of the pseudo-inverse (constant rank)."""
    p, ph, gh = out, adj(out), adj(g)
    t = -(ph @ g @ ph)
    u, v = gh @ p @ ph, ph @ p @ gh
    return t + (u - a @ (p @ u)) + (v - (v @ p) @ a), None


def _pinv_tangent(dots, a, rcond, *, out):
    p, ph, d = out, adj(out), dots[0]
    dh = adj(d)
    u, v = p @ ph @ dh, dh @ ph @ p
    return -(p @ d @ p) + (u - (u @ a) @ p) + (v - p @ (a @ v))


register(Op("pinv", "general", np.linalg.pinv, "np.linalg.pinv(_0, _1)", adjoint=_pinv_adjoint, tangent=_pinv_tangent,
            result=lambda a, rcond: Array(float_dtype(a), 2, "A")))


def whole_pinv(a, rcond=1e-15):
    """The pseudo-inverse, where `rcond` cuts off nothing but rounding."""
    return np.linalg.pinv(a, rcond)


means(whole_pinv)(lambda a, rcond=1e-15: call("pinv", _matrix(as_expr(a)), rcond))


flat("matrix_rank", fn=np.linalg.matrix_rank, syntax="np.linalg.matrix_rank(_0)", result=lambda a: Scalar("int64"))


def numerical_rank(a):
    """np.linalg.matrix_rank without options."""
    return np.linalg.matrix_rank(a)


means(numerical_rank)(lambda a: call("matrix_rank", a))
