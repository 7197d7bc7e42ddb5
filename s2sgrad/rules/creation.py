"""Operations that make arrays: zeros, full, arange, literals."""

from __future__ import annotations

import numpy as np

from s2sgrad import ir
from s2sgrad.errors import Unsupported
from s2sgrad.ir import Array, Const, Expr, Scalar
from s2sgrad.rules import build, registry
from s2sgrad.rules.build import cast, dtype_name, flat, is_scalar, is_weak, means, shape_args, static, strong
from s2sgrad.rules.casts import copied, dtype_text
from s2sgrad.rules.registry import Op, as_expr, call, call_python, register

# ------------------------------------------------------------------------------- filled with one value


def shape_text(first: int, n: int) -> str:
    """The shape made of the arguments from number `first` on: `_0`, `(_0, _1)`."""
    names = [f"_{i}" for i in range(first, n)]
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def dtype_suffix(dtype: str) -> str:
    return "" if dtype == "float64" else f", dtype={dtype_text(dtype)}"


def made(*types, dtype):
    """The type of an array of as many axes as there are extents."""
    return Array(dtype, len(types)) if types else Scalar(dtype)


def _creation(name, f):
    flat(name, fn=lambda *n, dtype: f(n, dtype=dtype)[()],
         syntax=lambda c: f"np.{name}({shape_text(0, len(c.args))}{dtype_suffix(c.attr('dtype'))})",
         result=made)

    @means(f)
    def _(shape, dtype=float, order="C"):
        n = shape_args(shape)
        d = dtype_name(static(dtype) or float)
        if build.columns_first(order) and len(n) > 1:
            return call("transpose", call(name, *reversed(n), dtype=d))
        return call(name, *n, dtype=d) if n else cast(Const(1.0 if name == "ones" else 0.0, ir.FLOAT), d)

    like = f"{name}_like"
    g = getattr(np, like)
    flat(like, fn=lambda a, dtype=None: g(a, dtype=dtype)[()], result=lambda t, dtype=None: _like(t, dtype),
         syntax=lambda c: f"np.{like}(_0{'' if c.attr('dtype') is None else ', dtype=' + dtype_text(c.attr('dtype'))})")

    @means(g)
    def _(a, dtype=None, order="K", subok=True, shape=None):
        a = as_expr(a)
        only_usual_order(order)
        d = None if dtype is None else dtype_name(static(dtype))
        if shape is not None:
            return call(name, *shape_args(shape), dtype=d or a.type.dtype)
        if is_scalar(a):
            return cast(Const(1.0 if name == "ones" else 0.0, ir.FLOAT), d or a.type.dtype)
        return call(like, a) if d is None or d == a.type.dtype else call(like, a, dtype=d)


def only_usual_order(order):
    if build.columns_first(order):
        raise Unsupported("order='F' is not supported here", hint="make an array with np.empty(shape, order='F') and fill it")


def _like(t, dtype):
    d = dtype or t.dtype
    return Scalar(d) if isinstance(t, Scalar) else Array(d, t.ndim, "F" if t.layout == "F" else "C")


for _name, _f in (("zeros", np.zeros), ("ones", np.ones), ("empty", np.empty)):
    _creation(_name, _f)


def _full_adjoint(g, value, *n, out, wanted, dtype=None):
    return (np.sum(g), *(None for _ in n))


def _full_tangent(dots, value, *n, out, dtype=None):
    return call("full", dots[0], *n, dtype=out.type.dtype)


def _full_text(c):
    value = c.args[0].type
    implied = dtype_name(type(c.args[0].value)) if isinstance(c.args[0], Const) and is_weak(value) else value.dtype
    return f"np.full({shape_text(1, len(c.args))}, _0{'' if implied == c.type.dtype else ', dtype=' + dtype_text(c.type.dtype)})"


register(Op("full", "linear", lambda v, *n, dtype: np.full(n, v, dtype=dtype), _full_text, adjoint=_full_adjoint, tangent=_full_tangent,
            result=lambda t, *n, dtype: made(*n, dtype=dtype)))


@means(np.full)
def _(shape, fill_value, dtype=None, order="C"):
    v = as_expr(fill_value)
    d = v.type.dtype if dtype is None else dtype_name(static(dtype))
    n = shape_args(shape)
    if build.columns_first(order) and len(n) > 1:
        return build.columned(call("copy", call("broadcast_to", cast(v, d), *n)))
    if not is_scalar(v):
        return call("copy", call("broadcast_to", cast(v, d), *n))
    return call("full", v, *n, dtype=d) if n else cast(v, d)


def _full_like_adjoint(g, a, value, *, out, wanted, dtype=None):
    return None, np.sum(g) if is_scalar(value) else g


def _full_like_tangent(dots, a, value, *, out, dtype=None):
    return call("full_like", a, 0.0 if dots[1] is None else dots[1], dtype=out.type.dtype)


register(Op("full_like", "linear", lambda a, v, dtype=None: np.full_like(a, v, dtype=dtype),
            lambda c: f"np.full_like(_0, _1{'' if c.type.dtype == c.args[0].type.dtype else ', dtype=' + dtype_text(c.type.dtype)})",
            adjoint=_full_like_adjoint, tangent=_full_like_tangent, result=lambda a, v, dtype=None: _like(a, dtype)))


@means(np.full_like)
def _(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    only_usual_order(order)
    a, v = as_expr(a), as_expr(fill_value)
    d = a.type.dtype if dtype is None else dtype_name(static(dtype))
    if shape is not None:
        return call("full", v, *shape_args(shape), dtype=d)
    if is_scalar(a):
        return cast(v, d)
    return call("full_like", a, v) if dtype is None else call("full_like", a, v, dtype=d)


# ------------------------------------------------------------------------------------------- sequences


def _arange(start, stop, step, dtype):
    return np.arange(start, stop, step, dtype=dtype)


def _arange_text(c):
    start, _, step = c.args
    unit = isinstance(step, Const) and step.value == 1
    zero = isinstance(start, Const) and start.value == 0
    body = "_1" if unit and zero else "_0, _1" if unit else "_0, _1, _2"
    natural = range_dtype(*c.args) if all(a.type.dtype in ("int64", "float64") for a in c.args) else None
    return f"np.arange({body}{'' if natural == c.type.dtype else ', dtype=' + dtype_text(c.type.dtype)})"


def range_dtype(*args: Expr) -> str:
    """The dtype of np.arange: double precision integers, floats or complex numbers, whatever the precision of the arguments."""
    kinds = {np.dtype(a.type.dtype).kind for a in args}
    return "complex128" if "c" in kinds else "float64" if "f" in kinds else "int64"


def _arange_adjoint(g, start, stop, step, *, out, wanted, dtype):
    k = call("arange", 0, call("size", g), 1, dtype=g.type.dtype)
    return np.sum(g), None, np.sum(g * k) if wanted[2] else None


def _arange_tangent(dots, start, stop, step, *, out, dtype):
    k = call("arange", 0, call("size", out), 1, dtype=dtype)
    return (0.0 if dots[0] is None else dots[0]) + k * (0.0 if dots[2] is None else dots[2])


register(Op("arange", "linear", _arange, _arange_text, adjoint=_arange_adjoint, tangent=_arange_tangent,
            result=lambda *t, dtype: Array(dtype, 1)))


@means(np.arange)
def _(start, stop=None, step=1, dtype=None):
    if stop is None:
        start, stop = 0, start
    a = tuple(as_expr(x) for x in (start, stop, step))
    d = range_dtype(*a) if dtype is None else dtype_name(static(dtype))
    return call("arange", *a, dtype=d)


def _linspace(start, stop, num, endpoint=True, dtype="float64"):
    return np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype)


def _between(a: Expr, b: Expr, num, endpoint: bool) -> Expr:
    """Points on the lines between two arrays, along a new first axis."""
    change = b - a
    d = np.result_type(np.dtype(change.type.dtype), np.float16 if np.dtype(change.type.dtype).kind in "fc" else np.float64)
    t = call("linspace", 0.0, 1.0, num, endpoint=endpoint, dtype=np.zeros(0, d).real.dtype.name)
    axes = tuple(range(1, change.ndim + 1))
    return a + change * call("expand_dims", t, axis=axes[0] if len(axes) == 1 else axes)


def _linspace_text(c):
    num = isinstance(c.args[2], Const) and c.args[2].value == 50
    more = ("" if c.attr("endpoint", True) else ", endpoint=False") + dtype_suffix(c.type.dtype)
    return f"np.linspace(_0, _1{'' if num else ', _2'}{more})"


def _weights(num, like, endpoint):
    """How far each point is along the way from start to stop."""
    return call("linspace", 0.0, 1.0, num, endpoint=endpoint, dtype=like.type.dtype)


def _linspace_adjoint(g, start, stop, num, *, out, wanted, endpoint=True, dtype="float64"):
    t = _weights(num, g, endpoint)
    return np.sum(g * (1.0 - t)) if wanted[0] else None, np.sum(g * t) if wanted[1] else None, None


def _linspace_tangent(dots, start, stop, num, *, out, endpoint=True, dtype="float64"):
    return call("linspace", *(0.0 if d is None else d for d in dots[:2]), num, endpoint=endpoint, dtype=dtype)


register(Op("linspace", "linear", _linspace, _linspace_text, adjoint=_linspace_adjoint, tangent=_linspace_tangent,
            result=lambda *t, endpoint=True, dtype="float64": Array(dtype, 1)))


@means(np.linspace)
def _(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    a, b = as_expr(start), as_expr(stop)
    if not (is_scalar(a) and is_scalar(b)):
        if static(retstep):
            raise Unsupported("np.linspace of arrays with retstep is not supported")
        lines = _between(a, b, num, bool(static(endpoint)))
        lines = call_python(np.moveaxis, (lines, 0, axis), {}) if static(axis) != 0 else lines
        return lines if dtype is None else cast(lines, dtype_name(static(dtype)))
    if static(retstep):
        n = as_expr(num)
        step = (b - a) / (n - 1 if static(endpoint) else n)
        return call_python(np.linspace, (a, b, num, endpoint), {"dtype": dtype}), strong(step)
    d = "complex128" if ir.is_complex(a.type) or ir.is_complex(b.type) else "float64"
    if dtype is None and any(not is_weak(t) and t.dtype == "float32" for t in (a.type, b.type)):
        first, last = (1.0 if is_weak(t) else np.dtype(t.dtype).type(1) for t in (a.type, b.type))
        d = np.linspace(first, last, 2).dtype.name
    return call("linspace", a, b, num, endpoint=bool(static(endpoint)), dtype=dtype_name(static(dtype)) if dtype is not None else d)


def _eye(n, m, k=0, dtype="float64"):
    return np.eye(n, m, k, dtype=dtype)


def _eye_text(c):
    square = c.args[0] == c.args[1]
    k = c.attr("k", 0)
    return f"np.eye(_0{'' if square and not k else ', _1'}{f', {k}' if k else ''}{dtype_suffix(c.type.dtype)})"


flat("eye", fn=_eye, syntax=_eye_text, result=lambda *t, k=0, dtype="float64": Array(dtype, 2))


@means(np.eye)
def _(N, M=None, k=0, dtype=float, order="C"):
    only_usual_order(order)
    return call("eye", N, N if M is None else M, k=int(static(k, "k")), dtype=dtype_name(static(dtype)))


@means(np.identity)
def _(n, dtype=None):
    return call("eye", n, n, k=0, dtype=dtype_name(static(dtype) or float))


# -------------------------------------------------------------------------------------------- literals


def _array_of(*values, shape, dtype):
    return np.array(values, dtype=dtype).reshape(shape)


def _array_of_text(c):
    shape = c.attr("shape")
    names = [f"_{i}" for i in range(len(c.args))]
    for n in reversed(shape[1:]):
        names = ["[" + ", ".join(names[i:i + n]) + "]" for i in range(0, len(names), n)] if n else names
    if 0 in shape:
        return f"np.empty({shape if len(shape) > 1 else shape[0]}{dtype_suffix(c.type.dtype)})"
    natural = joined_dtype(c.args)
    return f"np.array([{', '.join(names)}]{'' if natural == c.type.dtype else ', dtype=' + dtype_text(c.type.dtype)})"


def joined_dtype(values) -> str:
    """The dtype of an array made of these numbers (here a Python number counts as much as a NumPy one)."""
    return np.result_type(*(np.dtype(v.type.dtype) for v in values)).name


def _array_of_adjoint(g, *values, out, wanted, shape, dtype):
    places = list(np.ndindex(*shape))
    return tuple(element(g, *p) if w else None for p, w in zip(places, wanted, strict=True))


def element(a: Expr, *index: int) -> Expr:
    """One element at constant places."""
    return ir.Index(a, tuple(Const(i, ir.INT) for i in index), Scalar(a.type.dtype))


def _array_of_tangent(dots, *values, out, shape, dtype):
    return call("array_of", *(0.0 if d is None else d for d in dots), shape=shape, dtype=dtype)


register(Op("array_of", "linear", _array_of, _array_of_text, adjoint=_array_of_adjoint, tangent=_array_of_tangent,
            result=lambda *t, shape, dtype: Array(dtype, len(shape))))


def array_literal(value, dtype=None) -> Expr:
    """The array of nested lists and tuples of numbers and arrays."""
    if not isinstance(value, (list, tuple)):
        e = as_expr(value)
        return e if dtype is None else cast(e, dtype)
    if not value:
        return call("array_of", shape=(0,), dtype=dtype or "float64")
    shape, leaves = _nest(value)
    if leaves is not None:
        return call("array_of", *leaves, shape=shape, dtype=dtype or joined_dtype(leaves))
    parts = [array_literal(v) for v in value]
    d = dtype or np.result_type(*(np.dtype(p.type.dtype) for p in parts)).name
    if any(is_scalar(p) for p in parts):
        raise Unsupported("the rows of this array have different shapes")
    return call("stack", *(cast(p, d) for p in parts), axis=0)


def _nest(value):
    """Shape and numbers of a nested list, (.., None) when it holds arrays."""
    if not isinstance(value, (list, tuple)):
        e = as_expr(value)
        return (), [e] if is_scalar(e) else None
    inner = [_nest(v) for v in value]
    shapes = {s for s, _ in inner}
    if any(x is None for _, x in inner):
        return (), None
    if len(shapes) != 1:
        raise Unsupported("the rows of this array have different shapes")
    return (len(value), *shapes.pop()), [e for _, x in inner for e in x]


@means(np.array)
def _(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None):
    a = _array(object, None if dtype is None else dtype_name(static(dtype)))
    if build.columns_first(order) and a.ndim > 1:
        a = build.columned(a)
    elif static(order) in ("C", "c") and not is_scalar(a) and a.type.layout != "C":
        a = call("copy", a)
    lead = static(ndmin) - a.ndim
    if lead <= 0:
        return a
    if is_scalar(a):
        return call("full", a, *(Const(1, ir.INT) for _ in range(lead)), dtype=a.type.dtype)
    return call("expand_dims", a, axis=0 if lead == 1 else tuple(range(lead)))


def _array(object, d):
    if isinstance(object, (list, tuple)):
        return array_literal(object, d)
    e = as_expr(object)
    if is_scalar(e):
        return cast(e, d or e.type.dtype)
    return copied(e) if d is None or d == e.type.dtype else cast(e, d)


registry.literal = array_literal  # type: ignore[assignment]


@means(np.asarray, np.asanyarray)
def _(a, dtype=None, order=None, *, copy=None, device=None, like=None):
    d = None if dtype is None else dtype_name(static(dtype))
    if isinstance(a, (list, tuple)):
        return array_literal(a, d)
    e = as_expr(a)
    if build.columns_first(order) and e.ndim > 1:
        return build.columned(cast(e, d or e.type.dtype))
    if static(order) in ("C", "c") and not is_scalar(e):
        return build.contiguous(cast(e, d or e.type.dtype))
    return cast(e, d or e.type.dtype)

