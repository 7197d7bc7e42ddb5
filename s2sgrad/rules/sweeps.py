"""Operations that only generated code uses: saved values, lists of references, shapes of adjoints."""

from __future__ import annotations

from typing import Any

from s2sgrad import ir
from s2sgrad.rules.registry import Op, register


def list_new(item: ir.Array | ir.ListType) -> Any:
    """An empty list of arrays."""
    raise TypeError("lists are created by emitted code")


register(Op("list_new", "zero", list_new, syntax="", result=lambda *t, item: ir.ListType(item)))
register(Op("pymax", "zero", max, syntax="max(_0, _1)", result=lambda a, b: ir.INT))
register(Op("pymin", "zero", min, syntax="min(_0, _1)", result=lambda a, b: ir.INT))

