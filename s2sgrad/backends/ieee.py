"""Arithmetic of plain Python numbers as compiled code has it: infinities and nan, where Python would raise."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.emit.special import MATH


def _guarded(symbol: str, ufunc: Any) -> Callable[[Any, Any], Any]:
    python = eval(f"lambda a, b: a {symbol} b")

    def run(a: Any, b: Any) -> Any:
        try:
            return python(a, b)
        except (ZeroDivisionError, OverflowError):
            if isinstance(a, int) and isinstance(b, int):
                raise
            return ufunc(_wide(a), _wide(b)).item()

    return run


def _wide(x: Any) -> Any:
    return np.float64(x) if isinstance(x, int) else np.asarray(x)[()]


_power = _guarded("**", np.power)


def power(a: Any, b: Any) -> Any:
    """A negative number to a fractional power is nan, where Python gives a complex number."""
    if isinstance(a, float) and a < 0 and isinstance(b, float) and type(a) is float:
        return float(np.power(a, b))
    return _power(a, b)


NAMES: dict[str, Callable[..., Any]] = {
    "_quotient": _guarded("/", np.true_divide), "_floor_quotient": _guarded("//", np.floor_divide), "_remainder": _guarded("%", np.remainder),
    "_power": power,
}  # fmt: skip
OPERATOR_NAMES: dict[type[ast.operator], str] = {ast.Div: "_quotient", ast.FloorDiv: "_floor_quotient", ast.Mod: "_remainder", ast.Pow: "_power"}


def _at_poles(name: str) -> Callable[..., Any]:
    def gamma(x: float) -> float:
        return math.copysign(math.inf, x) if x == 0 or x > 0 else math.nan

    return gamma if name == "gamma" else lambda x: math.inf


def _math(name: str, operation: str) -> Callable[..., Any]:
    python = getattr(math, name)
    numpy = getattr(np, operation, None) or _at_poles(name)

    def run(*args: Any) -> Any:
        try:
            return python(*args)
        except (ValueError, OverflowError):
            return float(numpy(*args))

    return run


FUNCTIONS = {m: f"_math_{m}" for m in MATH.values()}
NAMES |= {f"_math_{m}": _math(m, op) for op, m in MATH.items() if op != "length"}


class _Rewrite(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        name = OPERATOR_NAMES.get(type(node.op))
        if name is None or (isinstance(node.right, ast.Constant) and node.right.value and not isinstance(node.op, ast.Pow)):
            return node
        return ast.copy_location(ast.Call(ast.copy_location(ast.Name(name, ast.Load()), node), [node.left, node.right], []), node)

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        f = node.func
        if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id == "math" and f.attr in FUNCTIONS:
            node.func = ast.copy_location(ast.Name(FUNCTIONS[f.attr], ast.Load()), f)
        return node


def rewritten(text: str, file: str) -> ast.Module:
    """The tree of a module with this arithmetic; every line stays where it is."""
    return ast.fix_missing_locations(_Rewrite().visit(ast.parse(text, file)))
