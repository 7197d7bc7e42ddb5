"""How a call of an operation prints: templates in Python syntax.

`Op.syntax` is a template or a function `syntax(call: ir.Call) -> template` (to choose by types or attributes).
Placeholders in a template:

    _0, _1, ...      an argument
    _args            all arguments, as separate operands: "np.concatenate((_args,), axis=_axis)"
    _rest            all arguments after the first: "_0.reshape(_rest)"
    _shape, _shape1  all arguments (after the first) as a shape: `n` if there is one, else `(n, m)`
    _<attr>          the value of an attribute; dtype names print as np.float32 etc.

An argument or keyword whose value is an attribute that is None, missing, or the usual default (`keepdims=False`) is dropped.
An operation with a helper and no template prints as `helper(args, attr=value)`.
"""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import gast

DEFAULTS = {"keepdims": False, "k": 0, "endpoint": True, "decimals": 0, "ddof": 0}


def name(text: str) -> gast.Name:
    return gast.Name(text, gast.Load(), None, None)


def attribute(path: str) -> gast.AST:
    """`np.linalg.solve` as a node."""
    first, *others = path.split(".")
    node: gast.AST = name(first)
    for o in others:
        node = gast.Attribute(node, o, gast.Load())
    return node


def constant(value: Any) -> gast.AST:
    """A literal. Negative numbers become unary minus, infinities and nan come from NumPy."""
    if isinstance(value, tuple):
        return gast.Tuple([constant(v) for v in value], gast.Load())
    if isinstance(value, complex):
        if value.real == 0 and not str(value.real).startswith("-") and value.imag == value.imag and abs(value.imag) != float("inf"):
            if str(value.imag).startswith("-"):
                return gast.Call(name("complex"), [constant(value.real), constant(value.imag)], [])
            return gast.Constant(value, None)
        return gast.Call(name("complex"), [constant(value.real), constant(value.imag)], [])
    if isinstance(value, float):
        if value != value:
            return attribute("np.nan")
        if value in (float("inf"), float("-inf")):
            inf = attribute("np.inf")
            return inf if value > 0 else gast.UnaryOp(gast.USub(), inf)
        if str(value).startswith("-"):
            return gast.UnaryOp(gast.USub(), gast.Constant(-value, None))
    if isinstance(value, int) and not isinstance(value, bool) and value < 0:
        return gast.UnaryOp(gast.USub(), gast.Constant(-value, None))
    return gast.Constant(value, None)


def dtype(text: str) -> gast.AST:
    return attribute("np.bool_" if text == "bool" else f"np.{text}")


def attr_node(key: str, value: Any) -> gast.AST:
    return dtype(value) if key == "dtype" and isinstance(value, str) else constant(value)


@functools.lru_cache(maxsize=None)
def parse(template: str) -> gast.AST:
    return gast.parse(template.strip(), mode="eval").body


@functools.lru_cache(maxsize=None)
def modules(template: str) -> frozenset[str]:
    """Which of np, math, sys a template refers to."""
    return frozenset(re.findall(r"\b(np|math|sys)\.", template))


class Fill:
    """Put arguments and attributes into a template."""

    def __init__(self, args: Sequence[gast.AST], attrs: dict[str, Any], extra: dict[str, Any] | None = None) -> None:
        self.args, self.attrs, self.extra = args, attrs, extra or {}

    def dropped(self, node: Any) -> bool:
        """Is this operand an attribute that need not be printed?"""
        if not (isinstance(node, gast.Name) and node.id.startswith("_")) or self.splice(node) is not None or node.id in self.extra:
            return False
        key = node.id[1:]
        if key.isdigit() or key in ("shape", "shape1"):
            return False
        value = self.attrs.get(key)
        return value is None or (key in DEFAULTS and type(value) is type(DEFAULTS[key]) and value == DEFAULTS[key])

    def splice(self, node: Any) -> list[gast.AST] | None:
        if isinstance(node, gast.Name):
            if node.id in ("_args", "_rest"):
                return list(self.args[node.id == "_rest":])
            found = self.extra.get(node.id)
            return found if isinstance(found, list) else None
        return None

    def operands(self, nodes: Sequence[gast.AST]) -> list[gast.AST]:
        out: list[gast.AST] = []
        for n in nodes:
            many = self.splice(n)
            if many is not None:
                out += many
            elif not self.dropped(n):
                out.append(self(n))
        return out

    def __call__(self, node: Any) -> Any:
        if isinstance(node, gast.Name):
            return self.placeholder(node)
        if isinstance(node, gast.Call):
            keywords = [gast.keyword(k.arg, self(k.value)) for k in node.keywords if not self.dropped(k.value)]
            return gast.Call(self(node.func), self.operands(node.args), keywords)
        if isinstance(node, gast.Tuple):
            return gast.Tuple(self.operands(node.elts), gast.Load())
        if isinstance(node, gast.List):
            return gast.List(self.operands(node.elts), gast.Load())
        if isinstance(node, gast.AST):
            new = copy.copy(node)
            for field in node._fields:
                setattr(new, field, self(getattr(node, field, None)))
            return new
        if isinstance(node, list):
            return [self(n) for n in node]
        return node

    def placeholder(self, node: gast.Name) -> gast.AST:
        key = node.id[1:] if node.id.startswith("_") else None
        if node.id in self.extra:
            return self.extra[node.id]
        if not key:
            return node
        if key.isdigit():
            return self.args[int(key)]
        if key in ("shape", "shape1"):
            dims = list(self.args[key == "shape1":])
            return dims[0] if len(dims) == 1 else gast.Tuple(dims, gast.Load())
        if key in self.attrs:
            return attr_node(key, self.attrs[key])
        return node


def fill(template: str, args: Sequence[gast.AST], attrs: dict[str, Any], extra: dict[str, Any] | None = None) -> gast.AST:
    """A template with its placeholders replaced; `extra` holds further placeholders (a node, or a list of operands)."""
    return Fill(args, attrs, extra)(parse(template))


Syntax = str | Callable[[Any], str]
