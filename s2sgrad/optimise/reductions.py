"""Reductions as loops, fused with the elementwise expression that they reduce."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from s2sgrad import ir
from s2sgrad.errors import Unsupported
from s2sgrad.ir import Accum, Array, Assign, Call, Expr, If, Scalar, Store, Var
from s2sgrad.optimise.affine import is_literal, literal
from s2sgrad.optimise.nodes import Node, cast, constant

if TYPE_CHECKING:
    from s2sgrad.optimise.lower import Lowering


def axes_of(e: Call) -> tuple[int, ...]:
    axis = e.attr("axis")
    rank = e.args[0].ndim
    return tuple(range(rank)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)


class Reducer:
    """One reduction: the neutral element, how an element joins, the dtype of the running value."""

    def __init__(self, low: Lowering, op: str, source: str, result: str) -> None:
        self.low, self.op, self.source, self.result = low, op, source, result
        # NumPy adds float32 pairwise; a running float64 is at least as accurate
        self.dtype = {"float32": "float64", "complex64": "complex128"}.get(result, result) if op in ("sum", "prod") else result
        kind = result[0]
        if op == "max":
            v = -np.inf if kind == "f" else (False if kind == "b" else int(np.iinfo(result).min))
        elif op == "min":
            v = np.inf if kind == "f" else (True if kind == "b" else int(np.iinfo(result).max))
        else:
            v = {"sum": 0, "count_nonzero": 0, "prod": 1, "any": False, "all": True}[op]
        if op in ("max", "min") and kind == "c":
            raise Unsupported("the maximum of complex numbers is not supported")
        self.neutral = v

    def start(self, dtype: str) -> Expr:
        return constant(self.neutral, dtype)

    def join(self, acc: Expr, x: Expr, dtype: str) -> Expr:
        """acc with x."""
        t = Scalar(dtype, weak=False)
        x = x if self.op in ("any", "all", "count_nonzero") else cast(x, dtype)
        if self.op == "sum":
            return Call("reassociated", (acc, x), (), t) if dtype.startswith("float") else Call("add", (acc, x), (), t)
        if self.op == "prod":
            return Call("mul", (acc, x), (), t)
        if self.op in ("max", "min"):
            if dtype == "bool":
                return Call("logical_or" if self.op == "max" else "logical_and", (acc, x), (), t)
            return Call("maximum" if self.op == "max" else "minimum", (acc, x), (), t)
        truth = x if x.type.dtype == "bool" else Call("ne", (x, constant(0, x.type.dtype)), (), ir.BOOL)
        if self.op == "count_nonzero":
            return Call("add", (acc, Call("astype", (truth,), (("dtype", "int64"),), Scalar("int64"))), (), t)
        return Call("logical_or" if self.op == "any" else "logical_and", (acc, truth), (), t)


def check_nonempty(low: Lowering, e: Call, node: Node, axes: Sequence[int]) -> None:
    if e.op in ("max", "min", "argmax", "argmin"):
        for k in axes:
            if not (is_literal(node.ext[k]) and node.ext[k].value > 0):  # type: ignore[attr-defined]
                low.scalar_temp("n", ir.call("nonempty", node.ext[k]))


def reduce_scalar(low: Lowering, e: Call) -> Expr:
    """A reduction to one number."""
    node = low.nodes.build(e.args[0])
    check_nonempty(low, e, node, range(node.ndim))
    r = Reducer(low, e.op, e.args[0].type.dtype, e.type.dtype)
    acc = low.fresh({"sum": "total", "max": "largest", "min": "smallest", "prod": "product", "count_nonzero": "count"}.get(e.op, "t"),
                    Scalar(r.dtype))
    low.emit(Assign(acc, r.start(r.dtype)))
    low.nest(node.ext, lambda idx: low.emit(Assign(acc, r.join(acc, node.at(idx), r.dtype))))
    return cast(acc, e.type.dtype)


def reduce_array(low: Lowering, target: Var, e: Call) -> tuple[Expr, ...] | None:
    """A reduction along some axes. Rows that end in reduced axes use a running number; else the result is updated in memory order."""
    node = low.nodes.build(e.args[0])
    axes = axes_of(e)
    keep = bool(e.attr("keepdims"))
    check_nonempty(low, e, node, axes)
    r = Reducer(low, e.op, e.args[0].type.dtype, target.type.dtype)
    ext = tuple(literal(1) if k in axes else node.ext[k] for k in range(node.ndim) if keep or k not in axes)
    out = low.fresh(target.name, Array(target.type.dtype, target.ndim)) if target.name in ir.names_in(e) else target
    kept = [k for k in range(node.ndim) if k not in axes]

    def place(idx: Sequence[Expr]) -> tuple[Expr, ...]:
        return tuple(literal(0) if k in axes else idx[k] for k in range(node.ndim) if keep or k not in axes)

    if not kept or max(kept) < min(axes):
        low.allocate(out, ext)
        acc = low.fresh("total" if e.op == "sum" else "t", Scalar(r.dtype))

        def row(outer: list[Expr]) -> None:
            low.emit(Assign(acc, r.start(r.dtype)))
            full = [literal(0)] * node.ndim

            def step(inner: list[Expr]) -> None:
                idx: list[Expr] = list(full)
                for k, i in zip(kept, outer):
                    idx[k] = i
                for k, i in zip(axes, inner):
                    idx[k] = i
                low.emit(Assign(acc, r.join(acc, node.at(idx), r.dtype)))

            low.nest([node.ext[k] for k in axes], step)
            idx: list[Expr] = list(full)
            for k, i in zip(kept, outer):
                idx[k] = i
            low.emit(Store(out, place(idx), cast(acc, target.type.dtype)))

        low.nest([node.ext[k] for k in kept], row)
    else:
        dims = tuple(low.clipped(n) for n in ext)
        start = r.start(target.type.dtype)
        low.emit(Assign(out, ir.call("zeros", *dims, dtype=target.type.dtype) if r.neutral in (0, False) and e.op not in ("max", "min")
                        else ir.call("full", start, *dims, dtype=target.type.dtype)))
        t = Scalar(target.type.dtype)

        def update(idx: list[Expr]) -> None:
            at = place(idx)
            x = node.at(idx)
            if e.op == "sum":
                low.emit(Accum(out, at, cast(x, t.dtype)))
            else:
                low.emit(Store(out, at, r.join(ir.Index(out, at, t), x, t.dtype)))

        low.nest(node.ext, update)
    if out is not target:
        low.emit(Assign(target, out))
        return None
    return ext if all(low.shapes.nonnegative(n) for n in ext) else None


def argument(low: Lowering, e: Call, target: Var | None) -> Expr | tuple[Expr, ...] | None:
    """argmax and argmin: the first place, NaN before everything, as NumPy."""
    node = low.nodes.build(e.args[0])
    axes = axes_of(e)
    check_nonempty(low, e, node, axes)
    dtype = e.args[0].type.dtype
    if dtype.startswith("complex"):
        raise Unsupported(f"np.{e.op} of complex numbers is not supported")
    best, where, k = low.fresh("best", Scalar(dtype)), low.fresh("where", ir.INT), low.fresh("place", ir.INT)
    kept = [a for a in range(node.ndim) if a not in axes]
    x = low.fresh("x", Scalar(dtype))

    def lane(outer: list[Expr]) -> None:
        first: list[Expr] = [literal(0)] * node.ndim
        for a, i in zip(kept, outer):
            first[a] = i
        low.emit(Assign(best, node.at(first)))
        low.emit(Assign(where, literal(0)))
        if len(axes) > 1:
            low.emit(Assign(k, literal(-1)))

        def step(inner: list[Expr]) -> None:
            idx = list(first)
            for a, i in zip(axes, inner):
                idx[a] = i
            place: Expr = inner[0]
            if len(axes) > 1:
                low.emit(Assign(k, ir.call("add", k, literal(1))))
                place = k
            low.emit(Assign(x, node.at(idx)))
            better = Call("gt" if e.op == "argmax" else "lt", (x, best), (), ir.BOOL)
            if dtype.startswith("float"):
                nan = Call("and", (Call("ne", (x, x), (), ir.BOOL), Call("eq", (best, best), (), ir.BOOL)), (), ir.BOOL)
                better = Call("or", (better, nan), (), ir.BOOL)
            with low.inside() as body:
                low.emit(Assign(best, x))
                low.emit(Assign(where, place))
            low.emit(If(better, body))

        low.nest([node.ext[a] for a in axes], step)

    if target is None:
        lane([])
        return where
    ext = tuple(node.ext[a] for a in kept)
    out = low.fresh(target.name, Array("int64", target.ndim))
    low.allocate(out, ext)

    def store(outer: list[Expr]) -> None:
        lane(outer)
        low.emit(Store(out, tuple(outer), where))

    low.nest(ext, store)
    low.emit(Assign(target, out))
    return None
