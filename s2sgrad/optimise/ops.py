"""Operations that only lowered programs contain: calls of the functions of `s2sgrad.runtime`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sgrad import ir
from s2sgrad.ir import Array, Scalar, Type
from s2sgrad.rules.registry import OPS, Op, register
from s2sgrad.runtime import arrays, extents, transforms

FLAT = frozenset({"check_extent", "mask_positions", "argsorted_lanes"})  # results that carry no derivative


def helper(name: str, fn: Callable[..., Any], result: Callable[..., Type]) -> None:
    if name not in OPS:
        n = fn.__code__.co_argcount
        kind = "zero" if result is integer or name in FLAT else "none"
        text = f"{fn.__name__}({', '.join(f'_{i}' for i in range(n))})"
        why = "it belongs to lowered text; differentiate the adjoint stage instead"
        register(Op(name, kind, fn, text, result=result, helper=fn, why=why))


def integer(*types: Type) -> Type:
    return ir.INT


def first(*types: Type) -> Type:
    return types[0]


def fresh_like_first(*types: Type) -> Type:
    t = types[0]
    assert isinstance(t, Array)
    return Array(t.dtype, t.ndim)


for _name in ("broadcast_extent", "equal_extent", "nonempty", "wrap_index", "nonzero_divisor", "integer_power", "integer_fmod",
              "exact_product", "exact_sum", "exact_power", "exact_shift"):
    helper(_name, getattr(extents, _name), integer)
helper("check_extent", extents.check_extent, lambda *t: ir.BOOL)
helper("reassociated", extents.reassociated, first)
helper("reserve", extents.reserve, first)
helper("range_length", extents.range_length, integer)
helper("arange_length", extents.arange_length, integer)
helper("fourier_lanes", transforms.fourier_lanes, lambda a, s: Array("complex128", a.ndim))
helper("mask_positions", arrays.mask_positions, lambda *t: Array("int64", 2))
helper("diagonal_view", arrays.diagonal_view, lambda t: Array(t.dtype, 1, "A"))
helper("sorted_lanes", arrays.sorted_lanes, fresh_like_first)
helper("argsorted_lanes", arrays.argsorted_lanes, lambda t: Array("int64", t.ndim))
helper("round_to", arrays.round_to, lambda x, d: Scalar("float64"))
