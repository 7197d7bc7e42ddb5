"""Sums, extrema and scans along axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.errors import Unsupported
from s2sgrad.ir import Array, Scalar, is_complex
from s2sgrad.rules.build import axis_of, cast, dtype_name, flat, flip, is_scalar, means, put_back, select, static, strong
from s2sgrad.rules.registry import Op, as_expr, call, register


def _text(name):
    def template(c):
        axis, keep = c.attr("axis"), c.attr("keepdims")
        return f"np.{name}(_0{'' if axis is None else f', axis={axis}'}{', keepdims=True' if keep else ''})"

    return template


def _fn(f):
    return lambda a, axis=None, keepdims=False: f(a, axis=axis, keepdims=keepdims)


def reduced(name, x, axis, keepdims=False):
    """A reduction with normal attributes."""
    return call(name, x, axis=axis, keepdims=keepdims)


def _reduction(name, f, kind="zero", **rules):
    register(Op(name, kind, _fn(f), _text(name), **rules))


def _arguments(a, axis, keepdims):
    a = as_expr(a)
    axes = axis_of(axis, a.ndim)
    if axes == () and not is_scalar(a):  # nothing is reduced: the elements are groups of one
        return call("expand_dims", a, axis=0), 0, False
    return a, axes, bool(static(keepdims, "keepdims"))


# ------------------------------------------------------------------------------------------------ sums


def _sum_adjoint(g, x, *, out, wanted, axis, keepdims):
    return (put_back(g, x, axis, keepdims),)


def _sum_tangent(dots, x, *, out, axis, keepdims):
    return reduced("sum", dots[0], axis, keepdims)


_reduction("sum", np.sum, "linear", adjoint=_sum_adjoint, tangent=_sum_tangent)


@means(np.sum, np.add.reduce)
def _(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    _refuse("np.sum", out=out, where=where)
    a, axis, keepdims = _arguments(a, axis, keepdims)
    if dtype is not None:
        a = cast(a, dtype_name(static(dtype)))
    if is_scalar(a):
        return strong(call("add", a, 0)) if a.type.dtype == "bool" else strong(a)
    s = reduced("sum", a, axis, keepdims)
    s = s if initial is None else s + initial
    return s if dtype is None else cast(s, dtype_name(static(dtype)))  # sums of small integers are wider by default


def _refuse(function, **options):
    for name, value in options.items():
        if value is not None:
            raise Unsupported(f"{function} with {name}= is not supported")


# --------------------------------------------------------------------------------------------- extrema


def _share(x, out, axis, keepdims):
    """Which elements attain the extremum, and among how many it is shared."""
    hit = x.eq(put_back(out, x, axis, keepdims))
    return hit, cast(reduced("count_nonzero", hit, axis, keepdims), x.type.dtype)


def _extremum_adjoint(g, x, *, out, wanted, axis, keepdims):
    hit, count = _share(x, out, axis, keepdims)
    return (select(hit, put_back(g / count, x, axis, keepdims), 0.0),)


def _extremum_tangent(dots, x, *, out, axis, keepdims):
    hit, count = _share(x, out, axis, keepdims)
    return reduced("sum", select(hit, dots[0], 0.0), axis, keepdims) / count


EXTREMA: tuple[tuple[str, Any], ...] = (("max", np.max), ("min", np.min))
for _name, _f in EXTREMA:
    _reduction(_name, _f, "general", adjoint=_extremum_adjoint, tangent=_extremum_tangent)


def _extremum(name, pair):
    def builder(a, axis=None, out=None, keepdims=False, initial=None, where=None):
        _refuse(f"np.{name}", out=out, where=where)
        a, axis, keepdims = _arguments(a, axis, keepdims)
        if is_complex(a.type):
            raise Unsupported(f"np.{name} of complex data is not supported", hint="NumPy orders complex numbers by their real parts first")
        m = strong(a) if is_scalar(a) else reduced(name, a, axis, keepdims)
        return m if initial is None else call(pair, m, initial)

    return builder


means(np.max, np.amax, np.maximum.reduce)(_extremum("max", "maximum"))
means(np.min, np.amin, np.minimum.reduce)(_extremum("min", "minimum"))

# ------------------------------------------------------------------------------------- counts and places

COUNTS: tuple[tuple[str, Any], ...] = (("any", np.any), ("all", np.all), ("count_nonzero", np.count_nonzero))
for _name, _f in COUNTS:
    _reduction(_name, _f)

    @means(_f)
    def _(a, axis=None, out=None, keepdims=False, *, _name=_name):
        _refuse(f"np.{_name}", out=out)
        a, axis, keepdims = _arguments(a, axis, keepdims)
        if not is_scalar(a):
            return reduced(_name, a, axis, keepdims)
        b = a if a.type.dtype == "bool" else a.ne(0)
        return call("astype", b, dtype="int64") if _name == "count_nonzero" else strong(b)


def _place_text(name):
    return lambda c: f"np.{name}(_0{'' if c.attr('axis') is None else ', axis=' + str(c.attr('axis'))})"


PLACES: tuple[tuple[str, Any], ...] = (("argmax", np.argmax), ("argmin", np.argmin))
for _name, _f in PLACES:
    flat(_name, fn=lambda a, axis=None, _f=_f: _f(a, axis=axis), syntax=_place_text(_name))

    @means(_f)
    def _(a, axis=None, out=None, *, keepdims=False, _name=_name):
        _refuse(f"np.{_name}", out=out)
        a, axis, keepdims = _arguments(a, axis, keepdims)
        r = call(_name, a, axis=axis)
        if keepdims and axis is None:
            return call("full", r, *(1 for _ in range(a.ndim)), dtype="int64")
        return call("expand_dims", r, axis=axis) if keepdims else r


# ----------------------------------------------------------------------------------------------- scans


def _cumsum_adjoint(g, x, *, out, wanted, axis):
    return (flip(call("cumsum", flip(g, axis), axis=axis), axis),)


def _cumsum_tangent(dots, x, *, out, axis):
    return call("cumsum", dots[0], axis=axis)


register(Op("cumsum", "linear", lambda a, axis: np.cumsum(a, axis=axis), lambda c: "np.cumsum(_0)" if c.args[0].ndim == 1 else
            f"np.cumsum(_0, axis={c.attr('axis')})", adjoint=_cumsum_adjoint, tangent=_cumsum_tangent))


@means(np.cumsum, np.add.accumulate)
def _(a, axis=None, dtype=None, out=None):
    _refuse("np.cumsum", out=out)
    a = as_expr(a)
    if dtype is not None:
        a = cast(a, dtype_name(static(dtype)))
    if is_scalar(a):
        a = call("array_of", a, shape=(1,), dtype=a.type.dtype)
    axis = axis_of(axis, a.ndim)
    if axis is None and a.ndim > 1:
        a = call("reshape_copy", a, call("size", a))
    c = call("cumsum", a, axis=axis or 0)
    return c if dtype is None else cast(c, dtype_name(static(dtype)))


# ------------------------------------------------------------------------------------ undoing broadcasts


def unbroadcast(g, like):
    """Sum over the axes along which `like` was broadcast to the shape of `g`."""
    lead = np.ndim(g) - np.ndim(like)
    g = np.sum(g, axis=tuple(range(lead))) if lead else g
    axes = tuple(i for i, n in enumerate(np.shape(like)) if n == 1 and g.shape[i] != 1)
    return np.sum(g, axis=axes, keepdims=True) if axes else g


def _unbroadcast_adjoint(h, g, like, *, out, wanted):
    if is_scalar(h):
        return h, None
    if is_scalar(g):
        return call("sum", h, axis=None, keepdims=False), None
    return call("unbroadcast", h + call("zeros_like", g), g), None  # g may also be smaller than `like`: it is then added to all of it


def _unbroadcast_tangent(dots, g, like, *, out):
    return call("unbroadcast", dots[0], like) if dots[0] is not None else 0.0


def _unbroadcast_type(g, like):
    return Scalar(g.dtype) if isinstance(like, Scalar) or isinstance(g, Scalar) else Array(g.dtype, like.ndim)


register(Op("unbroadcast", "linear", unbroadcast, "unbroadcast(_0, _1)", adjoint=_unbroadcast_adjoint, tangent=_unbroadcast_tangent,
            result=_unbroadcast_type, helper=unbroadcast))


# ------------------------------------------------------------------------------------ gradients of the user's own

WRONG_SHAPE = "a custom gradient does not have the shape of its input"


def of_shape(g, like):
    """`g`, which a rule gives as the gradient of `like`: it must have its shape."""
    if g.shape != like.shape:
        raise ValueError("a custom gradient does not have the shape of its input")
    return g


register(Op("of_shape", "linear", of_shape, "of_shape(_0, _1)", adjoint=lambda h, g, like, *, out, wanted: (h, None),
            tangent=lambda dots, g, like, *, out: 0.0 if dots[0] is None else dots[0], result=lambda g, like: Array(g.dtype, g.ndim),
            helper=of_shape))
