"""Is a function free of Python side effects, as far as its text shows?

Used to decide whether a custom gradient that is called on tensors may run as generated code: only what cannot be told apart from
running the Python function itself. Anything unknown counts as an effect.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad.operators import Operators

BUILTINS = frozenset(
    {"abs", "bool", "enumerate", "float", "int", "len", "list", "max", "min", "range", "reversed", "round", "sum", "tuple", "zip"}
)
METHODS = frozenset({"astype", "copy", "dot", "max", "mean", "min", "prod", "ravel", "reshape", "sum", "transpose"})
MODULES = ("numpy", "math")


def pure(function: Callable[..., Any]) -> bool:
    """True where every statement computes, and every call is of a known numeric function."""
    plain = function.__func__ if isinstance(function, types.MethodType) else function
    if not isinstance(plain, types.FunctionType):
        return False
    try:
        tree = ast.parse(_text(plain))
    except (OSError, TypeError, SyntaxError, ValueError):
        return False
    return not isinstance(function, types.MethodType) and _Check(plain, tree).ok()


def _text(f: types.FunctionType) -> str:
    text = textwrap.dedent(inspect.getsource(f))
    if f.__name__ != "<lambda>":
        return text
    if text.count("lambda") != 1:  # which of them is it?
        raise ValueError("several lambdas")
    start = text.index("lambda")
    for end in range(len(text), start, -1):
        try:
            ast.parse(text[start:end], mode="eval")
        except SyntaxError:
            continue
        return text[start:end]
    raise ValueError("no lambda found")


class _Check:
    def __init__(self, f: types.FunctionType, tree: ast.AST) -> None:
        self.tree = tree
        self.known = dict(vars(builtins)) | f.__globals__
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            try:
                self.known[name] = cell.cell_contents
            except ValueError:
                self.known.pop(name, None)
        self.inner = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        self.local = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.local |= {a.arg for n in ast.walk(tree) if isinstance(n, ast.arguments) for a in [*n.posonlyargs, *n.args, *n.kwonlyargs]}

    def ok(self) -> bool:
        nodes = [n for b in (self.tree.body if isinstance(self.tree, ast.Module) else [self.tree]) for n in _below(b, top=True)]
        return all(self.node(n) for n in nodes)

    def node(self, n: ast.AST) -> bool:
        if isinstance(
            n,
            (
                ast.Global,
                ast.Nonlocal,
                ast.Import,
                ast.ImportFrom,
                ast.With,
                ast.Try,
                ast.Raise,
                ast.Delete,
                ast.Yield,
                ast.Await,
                ast.ClassDef,
                ast.NamedExpr,
                ast.Assert,
                ast.JoinedStr,
            ),
        ):
            return False
        if isinstance(n, (ast.Attribute, ast.Subscript)) and not isinstance(n.ctx, ast.Load):
            return False
        if isinstance(n, ast.Expr):
            return isinstance(n.value, ast.Constant)
        if isinstance(n, ast.FunctionDef):
            return not n.decorator_list or n is getattr(self.tree, "body", [None])[0]
        if isinstance(n, ast.arguments):
            return n.vararg is None and n.kwarg is None and all(a.arg != "variables" for a in [*n.args, *n.kwonlyargs])
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id not in self.local and n.id not in self.inner:
            return self.value(self.known.get(n.id, self))
        if isinstance(n, ast.Call):
            return self.call(n.func)
        return True

    def value(self, v: Any) -> bool:
        """May a captured value be used? Variables have rules of their own; unknown objects may do anything."""
        if isinstance(v, Operators):
            return hasattr(v, "_array") and not hasattr(v, "assign")
        return (
            v is None
            or isinstance(v, (bool, int, float, complex, str, np.ndarray, np.generic, types.ModuleType, type, tuple))
            or self.function(v)
        )

    def function(self, f: Any) -> bool:
        if hasattr(f, "__s2sgrad_numpy__"):
            return True
        if f in [getattr(builtins, b) for b in BUILTINS]:
            return True
        return isinstance(f, np.ufunc) or (getattr(f, "__module__", None) or "").split(".")[0] in MODULES

    def call(self, func: ast.expr) -> bool:
        if isinstance(func, ast.Name):
            if func.id in self.inner or func.id in self.local:
                return func.id in self.inner
            return self.function(self.known.get(func.id))
        if isinstance(func, ast.Attribute):
            owner = self.resolve(func.value)
            if owner is None:
                return func.attr in METHODS
            return self.function(getattr(owner, func.attr, None))
        return False

    def resolve(self, n: ast.expr) -> Any:
        """The module or object that a dotted name means; None for a computed value."""
        if isinstance(n, ast.Name) and n.id not in self.local and n.id not in self.inner:
            v = self.known.get(n.id)
            return None if isinstance(v, (Operators, np.ndarray)) else v
        if isinstance(n, ast.Attribute):
            owner = self.resolve(n.value)
            return None if owner is None else getattr(owner, n.attr, None)
        return None


def _below(n: ast.AST, top: bool = False) -> list[ast.AST]:
    """The nodes of a function, its own decorators and annotations left out."""
    out = [n]
    for name, value in ast.iter_fields(n):
        if name in ("annotation", "returns") or top and name == "decorator_list":
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                out += _below(child)
    return out
