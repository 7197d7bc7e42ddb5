"""The extents of an array expression without its elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from s2sgrad.ir import Call, Expr, Index, NewAxis, Scalar, Slice, Var
from s2sgrad.optimise.affine import literal
from s2sgrad.optimise.nodes import ELEMENTWISE, fold_slice, folds, squeezed

if TYPE_CHECKING:
    from s2sgrad.optimise.lower import Lowering

Ext = tuple[Expr, ...] | None
SAME = frozenset("copy ascontiguous stop_gradient zeros_like ones_like empty_like full_like cumsum cumprod inv cholesky sort argsort fft ifft tril "
                 "triu real_view imag_view cofactor sorted_lanes argsorted_lanes fourier_lanes".split())


def extents_of(low: Lowering, e: Expr) -> Ext:
    """The extents, or None where they are known only by computing the array. Extents that have to be compared are compared."""
    if isinstance(e.type, Scalar):
        return ()
    if isinstance(e, Var):
        return low.shapes.extents(e)
    if isinstance(e, Index):
        return _indexed(low, e)
    if not isinstance(e, Call):
        return None
    if e.op in SAME:
        return extents_of(low, e.args[0])
    if e.op in ELEMENTWISE and e.op != "ifexp":
        parts = [extents_of(low, a) for a in e.args]
        return None if any(p is None for p in parts) else low.broadcast([p for p in parts if p is not None])
    rule = RULES.get(e.op)
    return rule(low, e) if rule is not None else None


def _indexed(low: Lowering, e: Index) -> Ext:
    base = extents_of(low, e.base)
    if base is None or e.kind != "view":
        return None
    out: list[Expr] = []
    k = 0
    for i in e.index:
        if isinstance(i, NewAxis):
            out.append(literal(1))
            continue
        if isinstance(i, Slice):
            if not folds(i):
                return None
            out.append(fold_slice(i, base[k])[1])
        k += 1
    return (*out, *base[k:])


def _transpose(low: Lowering, e: Call) -> Ext:
    x = extents_of(low, e.args[0])
    axes = e.attr("axes") or tuple(reversed(range(e.ndim)))
    return None if x is None else tuple(x[a] for a in axes)


def _expand(low: Lowering, e: Call) -> Ext:
    x = extents_of(low, e.args[0])
    if x is None:
        return None
    axis = e.attr("axis")
    new = {axis} if isinstance(axis, int) else set(axis)
    it = iter(x)
    return tuple(literal(1) if k in new else next(it) for k in range(e.ndim))


def _squeeze(low: Lowering, e: Call) -> Ext:
    x = extents_of(low, e.args[0])
    drop = squeezed(e)
    return None if x is None else tuple(n for k, n in enumerate(x) if k not in drop)


def _reduce(low: Lowering, e: Call) -> Ext:
    x = extents_of(low, e.args[0])
    if x is None:
        return None
    axis = e.attr("axis")
    axes = set(range(len(x))) if axis is None else {axis} if isinstance(axis, int) else set(axis)
    keep = bool(e.attr("keepdims"))
    return tuple(literal(1) if k in axes else n for k, n in enumerate(x) if keep or k not in axes)


def _dims(start: int):  # type: ignore[no-untyped-def]
    def rule(low: Lowering, e: Call) -> Ext:
        return tuple(low.hoisted(d) for d in e.args[start:])

    return rule


def _matmul(low: Lowering, e: Call) -> Ext:
    a, b = (extents_of(low, x) for x in e.args)
    if a is None or b is None or len(a) > 2 or len(b) > 2:
        return None
    return (*a[:-1], *b[1:])


def _outer(low: Lowering, e: Call) -> Ext:
    a, b = (extents_of(low, x) for x in e.args)
    return (a[0], b[0]) if a is not None and b is not None and len(a) == len(b) == 1 else None


def _second(low: Lowering, e: Call) -> Ext:
    return extents_of(low, e.args[1])


RULES = {
    "transpose": _transpose, "expand_dims": _expand, "squeeze": _squeeze, "broadcast_to": _dims(1), "full": _dims(1), "zeros": _dims(0),
    "ones": _dims(0), "empty": _dims(0), "eye": _dims(0), "matmul": _matmul, "outer": _outer, "unbroadcast": _second, "of_shape": _second, "solve": _second,
    "diagonal_matrix": _dims(1), **{n: _reduce for n in ("sum", "prod", "max", "min", "any", "all", "count_nonzero", "argmax", "argmin")},
}
