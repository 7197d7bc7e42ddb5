"""Argument types without arguments: from type strings, from annotations, from how a parameter is used."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.callables import function_name, place_of, unwrap
from s2sgrad.errors import ArgumentError
from s2sgrad.ir import Array, Scalar
from s2sgrad.structure import Leaf, Spec, describe

_TYPE = re.compile(r"\s*(?P<dtype>[A-Za-z]\w*)\s*(\[\s*(?P<dims>:(?:\s*,\s*:)*|::1|(?::\s*,\s*)+::1)\s*\]\s*(?P<layout>[CFA]?))?\s*$")
_SCALARS = {"float": ir.FLOAT, "int": ir.INT, "bool": ir.BOOL, "complex": ir.COMPLEX, "float64": ir.FLOAT, "int64": ir.INT, "complex128": ir.COMPLEX}
_ALIASES = {"float": "float64", "int": "int64", "complex": "complex128", "double": "float64", "f8": "float64", "f4": "float32"}


def is_type(text: Any) -> bool:
    """Is this a type string such as "float64[:, :]" or a spec?"""
    if not isinstance(text, str):
        return isinstance(text, Leaf)
    m = _TYPE.match(text)
    return m is not None and _is_dtype(_ALIASES.get(m["dtype"], m["dtype"]))


def _is_dtype(name: str) -> bool:
    try:
        return np.dtype(name).kind in "fcbiu"
    except TypeError:
        return False


def parse_type(text: str) -> Leaf:
    """`float64[:,:]` -> the spec of a C-ordered matrix; a trailing F or A names another layout."""
    m = _TYPE.match(text)
    if m is None or not _is_dtype(_ALIASES.get(m["dtype"], m["dtype"])):
        raise ArgumentError(f"{text!r} is not a type", hint='Write types like "float64", "float64[:]", "float32[:, :]", "int64".')
    name = _ALIASES.get(m["dtype"], m["dtype"])
    if m["dims"] is None:
        return Leaf(_SCALARS.get(m["dtype"], _SCALARS.get(name, Scalar(name))))
    return Leaf(Array(np.dtype(name).name, m["dims"].count(",") + 1, m["layout"] or "C"))


def parse_types(text: str) -> list[Leaf]:
    """A comma-separated list of types; commas inside brackets belong to the type."""
    return [parse_type(t) for t in re.split(r",(?![^\[]*\])", text) if t.strip()]


def default_spec(p: inspect.Parameter) -> Spec:
    """The spec of a default value."""
    if p.default is p.empty:
        raise ArgumentError(f"no type is given for {p.name}", hint="Give one type per parameter.")
    return describe(p.default)


def specs(fn: Any, parameters: dict[str, inspect.Parameter], wrt: Sequence[int] = ()) -> tuple[list[Spec], dict[str, Spec]]:
    """Specs of all parameters, from annotations, defaults or use: a name that is subscripted (or has its shape, length or
    elements taken) is a float64 array of as many dimensions as it has indices, one that counts a range is an integer,
    everything else is a float."""
    usage = Usage(fn)
    positional, keyword = [], {}
    for k, p in enumerate(parameters.values()):
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        spec = _annotated(p.annotation)
        if spec is None and p.default is not p.empty and k not in wrt:
            spec = describe(p.default)
        if spec is None:
            spec = usage.spec(p.name, k in wrt)
        if p.kind is p.KEYWORD_ONLY:
            keyword[p.name] = spec
        else:
            positional.append(spec)
    return positional, keyword


def _annotated(annotation: Any) -> Spec | None:
    if annotation in (float, int, bool, complex):
        return Leaf({float: ir.FLOAT, int: ir.INT, bool: ir.BOOL, complex: ir.COMPLEX}[annotation])
    if isinstance(annotation, str) and is_type(annotation):
        return parse_type(annotation)
    name = str(annotation)
    if type(annotation).__module__.startswith("numba"):  # float64[:, ::1] and friends
        text = re.sub(r"array\((\w+), (\d+)d, (\w)\)", lambda m: f"{m[1]}[{','.join(':' * int(m[2]))}]{m[3]}", name)
        return parse_type(text) if is_type(text) else None
    if isinstance(annotation, type) and issubclass(annotation, np.number):
        return Leaf(Scalar(np.dtype(annotation).name))
    return None


class Usage(ast.NodeVisitor):
    """How a function uses its parameters."""

    ARRAY_ATTRIBUTES = frozenset({"shape", "size", "ndim", "T", "sum", "mean", "dot", "copy", "reshape", "ravel", "dtype"})

    def __init__(self, fn: Any) -> None:
        self.rank: dict[str, int] = {}
        self.integer: set[str] = set()
        self.fn = fn
        plain = unwrap(getattr(fn, "fn", fn))
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(plain)))
        except (OSError, TypeError, SyntaxError):
            raise ArgumentError(f"the argument types of {function_name(fn)} are not known yet", place_of(fn),
                                "Call the derivative first, or pass example arguments to source().") from None  # fmt: skip
        self.visit(tree)

    def spec(self, name: str, wanted: bool) -> Leaf:
        if name in self.rank:
            return Leaf(Array("int64" if name in self.integer and not wanted else "float64", max(1, self.rank[name])))
        return Leaf(ir.INT if name in self.integer and not wanted else ir.FLOAT)

    def _seen(self, name: str, rank: int) -> None:
        self.rank[name] = max(self.rank.get(name, 0), rank)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        base, count = node.value, len([i for i in items if not (isinstance(i, ast.Constant) and i.value in (None, Ellipsis))])
        while isinstance(base, ast.Subscript):  # a[i][j]
            inner = base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]
            base, count = base.value, count + len(inner)
        if isinstance(base, ast.Name):
            self._seen(base.id, count)
        if isinstance(base, ast.Attribute) and base.attr == "shape" and isinstance(base.value, ast.Name):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
                self._seen(base.value.id, node.slice.value + 1 if node.slice.value >= 0 else 1)
        for item in items:  # an index is an integer
            for x in ast.walk(item):
                if isinstance(x, ast.Name) and not isinstance(item, ast.Slice):
                    self.integer.add(x.id)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and node.attr in self.ARRAY_ATTRIBUTES:
            self._seen(node.value.id, 2 if node.attr == "T" else 1)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        value, target = node.value, node.targets[0]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Attribute) and value.attr == "shape" and isinstance(value.value, ast.Name):
            self._seen(value.value.id, len(target.elts))  # n, m = x.shape
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name == "range":
            self.integer.update(a.id for a in node.args if isinstance(a, ast.Name))
        elif name in ("len", "sum", "mean", "enumerate", "zip", "dot", "cumsum", "prod", "norm", "concatenate"):
            for a in node.args:
                if isinstance(a, ast.Name):
                    self._seen(a.id, 1)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.MatMult):
            for side, rank in ((node.left, 2), (node.right, 1)):
                if isinstance(side, ast.Name):
                    self._seen(side.id, rank)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        if isinstance(node.iter, ast.Name):
            self._seen(node.iter.id, 1)
        self.generic_visit(node)
