"""Shapes, views and joining of arrays."""

from __future__ import annotations

import operator

import numpy as np

from s2sgrad import ir
from s2sgrad.errors import Unsupported
from s2sgrad.ir import Array, Const, Expr, Index, Scalar, Slice
from s2sgrad.rules import build
from s2sgrad.rules.build import FULL, axis_of, cast, dims, flat, is_scalar, means, shape_args, static
from s2sgrad.rules.creation import array_literal
from s2sgrad.rules.registry import OPS, Op, as_expr, call, register

# ------------------------------------------------------------------------------------- extents and lists

flat("dim", fn=lambda a, axis: a.shape[axis], syntax=lambda c: f"_0.shape[{c.attr('axis')}]", result=lambda t, axis: ir.INT)
flat("size", fn=lambda a: a.size, syntax="_0.size", result=lambda t: ir.INT)
flat("len", fn=len, syntax="len(_0)", result=lambda t: ir.INT)
register(Op("item", "none", operator.getitem, "_0[_1]", result=lambda t, i: t.item, why="lists of arrays are differentiated as statements"))


@means(np.size)
def _(a, axis=None):
    a = as_expr(a)
    axis = axis_of(axis, a.ndim)
    if is_scalar(a):
        return Const(1, ir.INT)
    return a.dim(0) if a.ndim == 1 else call("size", a) if axis is None else a.dim(axis)


@means(np.ndim)
def _(a):
    return Const(as_expr(a).ndim, ir.INT)


# ------------------------------------------------------------------------------------------------ views


def _view(name, fn, syntax, result, adjoint, tangent, kind="linear"):
    register(Op(name, kind, fn, syntax, result=result, adjoint=adjoint, tangent=tangent))


def _reversed_axes(ndim):
    return tuple(reversed(range(ndim)))


def _transpose(a, axes=None):
    return np.transpose(a, axes)


def _transpose_text(c):
    return "_0.T" if c.attr("axes") is None else f"np.transpose(_0, {c.attr('axes')})"


def _transpose_type(t, axes=None):
    if axes in (None, _reversed_axes(t.ndim)):
        return Array(t.dtype, t.ndim, {"C": "F", "F": "C"}.get(t.layout, "A") if t.ndim > 1 else t.layout)
    return Array(t.dtype, t.ndim, t.layout if axes == tuple(range(t.ndim)) else "A")


def transpose(a: Expr, axes=None) -> Expr:
    """A transposed view, with attributes only where they say something."""
    if is_scalar(a) or a.ndim < 2 or axes == tuple(range(a.ndim)):
        return a
    return call("transpose", a) if axes in (None, _reversed_axes(a.ndim)) else call("transpose", a, axes=axes)


def _transpose_adjoint(g, a, *, out, wanted, axes=None):
    return (transpose(g, None if axes is None else tuple(int(i) for i in np.argsort(axes))),)


_view("transpose", _transpose, _transpose_text, _transpose_type, _transpose_adjoint,
      lambda dots, a, *, out, axes=None: transpose(dots[0], axes))


@means(np.matrix_transpose, np.linalg.matrix_transpose)
def _(x):
    a = as_expr(x)
    if a.ndim < 2:
        raise ValueError("matrix transpose with ndim < 2 is undefined")
    return transpose(a, (*range(a.ndim - 2), a.ndim - 1, a.ndim - 2))


@means(np.transpose)
def _(a, axes=None):
    a = as_expr(a)
    return transpose(a, None if axes is None else tuple(i % a.ndim for i in static(tuple(axes), "axes")))


def _reshape(a, *n):
    return np.reshape(a, n)


def _reshape_text(c):
    return f"_0.reshape({', '.join(f'_{i}' for i in range(1, len(c.args)))})"


def _contiguous(e: Expr) -> bool:
    return isinstance(e.type, Array) and e.type.layout == "C"


def reshaped(a: Expr, *n) -> Expr:
    """`a` with another shape: a view where NumPy gives one by the type alone."""
    return call("reshape" if _contiguous(a) else "reshape_copy", a, *n)


def _reshape_adjoint(g, a, *n, out, wanted):
    return (reshaped(g, *dims(a)), *(None for _ in n))


def _reshape_tangent(dots, a, *n, out):
    return reshaped(dots[0], *n)


def _reshape_type(t, *n):
    return Array(t.dtype, len(n))


_view("reshape", _reshape, _reshape_text, _reshape_type, _reshape_adjoint, _reshape_tangent)
_view("reshape_copy", lambda a, *n: np.reshape(a, n).copy(),
      lambda c: _reshape_text(c) + (".copy()" if _may_be_view(c.args[0]) else ""), _reshape_type, _reshape_adjoint, _reshape_tangent)


def _may_be_view(a: Expr) -> bool:
    """Can NumPy reshape this array without copying it?"""
    return _contiguous(a) or ir.is_alias(a) or isinstance(a, ir.Call) and a.op in ("broadcast_to", "diagonal", "transpose")


def _known_extents(a: Expr, shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The shape with -1 replaced by the extent it stands for."""
    unknown = [i for i, s in enumerate(shape) if isinstance(s, Const) and s.value == -1]
    if not unknown:
        return shape
    if len(unknown) > 1:
        raise Unsupported("can only specify one unknown dimension")
    n: Expr = a.dim(0) if a.ndim == 1 else call("size", a)
    for i, s in enumerate(shape):
        if i != unknown[0] and not (isinstance(s, Const) and s.value == 1):
            n = n // s
    return tuple(n if i == unknown[0] else s for i, s in enumerate(shape))


@means(np.reshape)
def _(a, shape, order="C", *, copy=None):
    n = shape_args(shape)
    r = _reshape_columns(as_expr(a), n) if _reads_columns(as_expr(a), order) else _reshape_to(as_expr(a), n)
    return call("copy", r) if static(copy) and not is_scalar(r) else r


def _reshape_columns(a: Expr, shape: tuple[Expr, ...]) -> Expr:
    """The elements read and placed in Fortran's order."""
    return transpose(reshaped(transpose(a), *reversed(_known_extents(a, shape))))


def _reshape_to(a: Expr, shape: tuple[Expr, ...]) -> Expr:
    if is_scalar(a):
        return call("full", a, *(Const(1, ir.INT) for _ in shape), dtype=a.type.dtype) if shape else a
    if not shape:
        return Index(a, tuple(Const(0, ir.INT) for _ in range(a.ndim)), Scalar(a.type.dtype))
    return reshaped(a, *_known_extents(a, shape))


@means(np.ndarray.reshape)
def _(a, *shape, order="C", copy=None):
    n = shape_args(shape[0] if len(shape) == 1 else shape)
    r = _reshape_columns(as_expr(a), n) if _reads_columns(as_expr(a), order) else _reshape_to(as_expr(a), n)
    return call("copy", r) if static(copy) and not is_scalar(r) else r


def _reads_columns(a: Expr, order) -> bool:
    """Are the elements read in Fortran's order?"""
    if static(order) not in ("A", "K", "a", "k") or not isinstance(a.type, Array) or a.ndim < 2:
        return build.columns_first(order)
    if a.type.layout == "A":
        raise Unsupported(f"order={static(order)!r} follows the memory of an array, which is not known here", hint="give order='C' or order='F'")
    return a.type.layout == "F"


@means(np.ravel)
def _(a, order="C"):
    a = as_expr(a)
    if _reads_columns(a, order):
        a = transpose(a)
    return a if a.ndim == 1 and _contiguous(a) else _reshape_to(a, (Const(-1, ir.INT),))


@means(np.ndarray.flatten)
def _(a, order="C"):
    a = as_expr(a)
    if _reads_columns(a, order):
        a = transpose(a)
    return call("copy", a) if a.ndim == 1 else call("reshape_copy", a, call("size", a))


def _squeeze_axes(axis):
    return axis if isinstance(axis, tuple) else (axis,)


def expand_dims(g: Expr, axis) -> Expr:
    return call("expand_dims", g, axis=axis)


def _expand_text(c):
    axes = _squeeze_axes(c.attr("axis"))
    marks = ["None" if i in axes else ":" for i in range(c.ndim)]
    while len(marks) > 1 and marks[-1] == ":":
        marks.pop()
    return f"_0[{', '.join(marks)}]"


_view("expand_dims", lambda a, axis: np.expand_dims(a, axis), _expand_text,
      lambda t, axis: Array(t.dtype, (0 if isinstance(t, Scalar) else t.ndim) + len(_squeeze_axes(axis)), getattr(t, "layout", "C")),
      lambda g, a, *, out, wanted, axis: (call("squeeze", g, axis=axis),), lambda dots, a, *, out, axis: expand_dims(dots[0], axis))


def _ones_shape(g, ndim):
    """A number as an array of `ndim` axes of extent 1."""
    return call("full", g, *(1 for _ in range(ndim)), dtype=g.type.dtype)


def _squeeze_text(c):
    axes = _squeeze_axes(c.attr("axis"))
    marks = ["0" if i in axes else ":" for i in range(c.args[0].ndim)]
    while len(marks) > 1 and marks[-1] == ":":
        marks.pop()
    return f"_0[{', '.join(marks)}]"


_view("squeeze", lambda a, axis: np.squeeze(a, axis)[()], _squeeze_text,
      lambda t, axis: Array(t.dtype, t.ndim - len(_squeeze_axes(axis)), t.layout) if t.ndim > len(_squeeze_axes(axis)) else Scalar(t.dtype),
      lambda g, a, *, out, wanted, axis: (expand_dims(g, axis) if isinstance(g.type, Array) else _ones_shape(g, a.ndim),),
      lambda dots, a, *, out, axis: call("squeeze", dots[0], axis=axis))


@means(np.expand_dims)
def _(a, axis):
    a, axis = as_expr(a), static(axis, "axis")
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    n = a.ndim + len(axes)
    if is_scalar(a):
        return call("full", a, *(1 for _ in range(n)), dtype=a.type.dtype)
    r = axis_of(axes, n)
    return expand_dims(a, r[0] if len(r) == 1 else r)


@means(np.squeeze)
def _(a, axis=None):
    a = as_expr(a)
    if axis is None:
        if is_scalar(a):
            return a
        raise Unsupported("np.squeeze without an axis: the rank of the result would depend on the shape", hint="give axis=")
    r = axis_of(axis, a.ndim)
    return call("squeeze", a, axis=r[0] if isinstance(r, tuple) and len(r) == 1 else r)


def _broadcast_text(c):
    names = [f"_{i}" for i in range(1, len(c.args))]
    return f"np.broadcast_to(_0, ({', '.join(names)}{',' if len(names) == 1 else ''}))"


_view("broadcast_to", lambda a, *n: np.broadcast_to(a, n), _broadcast_text, lambda t, *n: Array(t.dtype, len(n), "A"),
      lambda g, a, *n, out, wanted: (call("unbroadcast", g, a), *(None for _ in n)),
      lambda dots, a, *n, out: call("broadcast_to", dots[0], *n))


@means(np.broadcast_to)
def _(array, shape, subok=False):
    return call("broadcast_to", array, *shape_args(shape))


def _diagonal_adjoint(g, a, *, out, wanted):
    return (call("diagonal_matrix", g, *dims(a)),)


_view("diagonal", lambda a: np.diagonal(a), "np.diag(_0)", lambda t: Array(t.dtype, t.ndim - 1, "A"), _diagonal_adjoint,
      lambda dots, a, *, out: call("diagonal", dots[0]))


def diagonal_matrix(v, n, m):
    """The n x m matrix with v on its diagonal."""
    a = np.zeros((n, m), dtype=v.dtype)
    for i in range(v.shape[0]):
        a[i, i] = v[i]
    return a


_view("diagonal_matrix", diagonal_matrix, "diagonal_matrix(_0, _1, _2)", lambda t, *n: Array(t.dtype, 2),
      lambda g, v, n, m, *, out, wanted: (call("diagonal", g), None, None),
      lambda dots, v, n, m, *, out: call("diagonal_matrix", dots[0], n, m))
OPS["diagonal_matrix"].helper = diagonal_matrix


def windows_of(windows, x):
    """Gathered windows of x, in NumPy a view of it."""
    return windows


register(Op("windows", "linear", windows_of, "_0", adjoint=lambda g, w, x, *, out, wanted: (g, None), tangent=lambda dots, w, x, *, out: dots[0],
            result=lambda w, x: Array(w.dtype, w.ndim)))
means(windows_of)(lambda w, x: call("windows", w, x))


# ---------------------------------------------------------------------------------------------- joining


def _tuple_text(name):
    def template(c):
        names = ", ".join(f"_{i}" for i in range(len(c.args))) + ("," if len(c.args) == 1 else "")
        axis = c.attr("axis")
        return f"np.{name}(({names}){'' if axis == 0 else f', axis={axis}'})"

    return template


def _concatenate_adjoint(g, *arrays, out, wanted, axis):
    parts, start = [], None
    for a, w in zip(arrays, wanted, strict=True):
        stop = a.dim(axis) if start is None else start + a.dim(axis)
        item = Slice(start, stop)
        parts.append(Index(g, tuple(item if i == axis else FULL for i in range(g.ndim)), Array(g.type.dtype, g.ndim, "C" if axis == 0 and
                                                                                             g.type.layout == "C" else "A")) if w else None)
        start = stop
    return tuple(parts)


def _filled(dots, arrays):
    return [call("zeros_like", a) if d is None else d for d, a in zip(dots, arrays, strict=True)]


register(Op("concatenate", "linear", lambda *a, axis: np.concatenate(a, axis=axis), _tuple_text("concatenate"),
            adjoint=_concatenate_adjoint, tangent=lambda dots, *a, out, axis: call("concatenate", *_filled(dots, a), axis=axis)))


def _stack_adjoint(g, *arrays, out, wanted, axis):
    layout = "C" if axis == 0 and g.type.layout == "C" else "A"
    t = Array(g.type.dtype, g.ndim - 1, layout) if g.ndim > 1 else Scalar(g.type.dtype)
    places = [tuple(Const(k, ir.INT) if i == axis else FULL for i in range(g.ndim)) for k in range(len(arrays))]
    return tuple(Index(g, p, t) if w else None for p, w in zip(places, wanted, strict=True))


register(Op("stack", "linear", lambda *a, axis: np.stack(a, axis=axis), _tuple_text("stack"), adjoint=_stack_adjoint,
            tangent=lambda dots, *a, out, axis: call("stack", *_filled(dots, a), axis=axis)))


def _sequence(arrays):
    """The arrays of a tuple or list, or the rows of one array of known extent."""
    if isinstance(arrays, (tuple, list)):
        return [array_literal(a) for a in arrays]
    raise Unsupported("a sequence of arrays is needed here", hint="pass a tuple or list written out")


@means(np.concatenate)
def _(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    parts = _sequence(arrays)
    if dtype is not None:
        parts = [cast(p, np.dtype(static(dtype)).name) for p in parts]
    if static(axis) is None:
        return call("concatenate", *(_reshape_to(p, (Const(-1, ir.INT),)) for p in parts), axis=0)
    return call("concatenate", *parts, axis=axis_of(axis, parts[0].ndim))


@means(np.stack)
def _(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    parts = _sequence(arrays)
    if dtype is not None:
        parts = [cast(p, np.dtype(static(dtype)).name) for p in parts]
    if all(is_scalar(p) for p in parts):
        return array_literal(tuple(parts))
    return call("stack", *parts, axis=axis_of(axis, parts[0].ndim + 1))


# --------------------------------------------------------------------------------- order and search

flat("argsort", fn=lambda a, axis=0: np.argsort(a, axis=axis, kind="stable"), result=lambda t, axis=0: Array("int64", t.ndim),
     syntax=lambda c: "np.argsort(_0, kind='stable')" if c.ndim == 1 else f"np.argsort(_0, axis={c.attr('axis')}, kind='stable')")
flat("flatnonzero", np.flatnonzero, result=lambda t: Array("int64", 1))
flat("searchsorted", fn=lambda a, v, side="left": np.searchsorted(a, v, side), result=lambda a, v, side="left": Array("int64", v.ndim) if
     isinstance(v, Array) else Scalar("int64"), syntax=lambda c: "np.searchsorted(_0, _1)" if c.attr("side", "left") == "left" else
     f"np.searchsorted(_0, _1, side='{c.attr('side')}')")


@means(np.argsort)
def _(a, axis=-1, kind=None, order=None, *, stable=None):
    a = as_expr(a)
    if static(axis) is None:
        a = call("reshape_copy", a, call("size", a))
    return call("argsort", a, axis=axis_of(-1 if static(axis) is None else axis, a.ndim))


@means(np.searchsorted)
def _(a, v, side="left", sorter=None):
    if sorter is not None:
        s = as_expr(sorter)
        a = Index(as_expr(a), (s,), Array(as_expr(a).type.dtype, 1))
    return call("searchsorted", a, v, side=static(side))
