"""The registry of operations: how each is typed, printed and differentiated.

An operation is declared once. Its result type comes from NumPy itself (`fn` is run on tiny arrays of the
argument types), so dtypes follow NumPy's promotion (NEP 50) by construction. Its derivative rule is ordinary NumPy code, run
once on expressions (`ir.Expr` overloads the operators and NumPy's functions).
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.ir import Array, Call, Const, Expr, Scalar, Type

Rule = Callable[..., Any]


@dataclass
class Op:
    """One operation.

    kind: 'elementwise' (broadcasts; partials give both modes), 'linear' (in its differentiable arguments),
        'general' (explicit adjoint and tangent), 'zero' (derivative is zero everywhere: floor, comparisons, shapes,
        creation), 'none' (no derivative: using it on active data is refused with `why`).
    fn: the NumPy implementation `fn(*args, **attrs)`; also defines the result type.
    syntax: how a call prints: a Python expression in which `_0`, `_1`, ... stand for the arguments ("np.sin(_0)",
        "_0 + _1"), or a function of the `ir.Call` that returns such a template.
    partials: for elementwise: one function per argument, `p(*args, out=out, **attrs) -> Expr | None`.
    adjoint: `adjoint(g, *args, out=out, wanted=(bool, ...), **attrs) -> tuple[Expr | None, ...]`: contributions, each
        broadcastable to its argument.
    tangent: `tangent(dots, *args, out=out, **attrs) -> Expr`; `dots[i]` is None where inactive.
        Elementwise operations may declare both as well; they are then preferred to `partials` (complex arguments, better text).
        With several results `g` and `out` are tuples (`g[k]` None where the result is inactive) and `tangent` returns a
        tuple. Contributions may share equal subexpressions (one `np.linalg.solve`), which are worth a temporary. A
        contribution may have a wider dtype than the argument: it is cast when accumulated.
    singular: partials can be infinite or nan at finite arguments where the value is finite (or masked):
        a contribution is then forced to zero where the incoming adjoint is exactly zero.
        `is_singular(args)` tells for given arguments (division by a constant is not).
    """

    name: str
    kind: str
    fn: Callable[..., Any]
    syntax: Any = ""
    partials: tuple[Rule | None, ...] = ()
    adjoint: Rule | None = None
    tangent: Rule | None = None
    singular: bool = False
    result: Callable[..., Type] | None = None  # overrides typing by example
    results: Callable[..., list[Type]] | None = None  # several results: use with ir.Multi
    why: str = ""
    helper: Callable[..., Any] | None = None  # prints as a call of this function; the emitter adds its source to the module
    python: tuple[Any, ...] = field(default=())  # Python objects (np.sin, math.sin, operator.add) that mean this operation
    safe: Callable[..., bool] | None = None  # safe(*args): a singular operation is regular for these arguments

    def is_singular(self, args: Sequence[Expr]) -> bool:
        return self.singular and not (self.safe is not None and self.safe(*args))

    def template(self, call: Call) -> str:
        """The text of a call, with `_0`, `_1`, ... for the arguments."""
        return self.syntax(call) if callable(self.syntax) else self.syntax


OPS: dict[str, Op] = {}
BY_PYTHON: dict[int, tuple[Any, Callable[..., Expr]]] = {}  # id(object) -> (object, builder(args, kwargs) -> Expr)

MULTI: dict[int, tuple[Any, Callable[..., tuple[str, tuple[Expr, ...], dict[str, Any], Any]]]] = {}
"""Functions with several results: id(object) -> (object, builder(*args, **kwargs) -> (operation, args, attrs, named tuple or None))."""


def register(op: Op) -> Op:
    assert op.name not in OPS, f"operation {op.name} is declared twice"
    OPS[op.name] = op
    for p in op.python:
        BY_PYTHON[id(p)] = (p, functools.partial(call, op.name))
    return op


def as_expr(x: Any) -> Expr:
    """Python and NumPy numbers become constants."""
    if isinstance(x, Expr):
        return x
    if isinstance(x, (np.bool_, np.number)):
        return Const(x.item(), Scalar(x.dtype.name))
    if isinstance(x, bool):
        return Const(x, ir.BOOL)
    if isinstance(x, int):
        return Const(x, ir.INT)
    if isinstance(x, float):
        return Const(x, ir.FLOAT)
    if isinstance(x, complex):
        return Const(x, ir.COMPLEX)
    if isinstance(x, (list, tuple)):
        return literal(x)
    raise TypeError(f"{x!r} is not a number")


def literal(values: Sequence[Any]) -> Expr:
    """The array of a nested list; `rules.creation` says how it is made."""
    raise TypeError(f"{values!r} is not a number")


def example(t: Type, extent: int = 2) -> Any:
    """A tiny value of a type: what NumPy makes of it decides result types."""
    if isinstance(t, Scalar):
        if t.weak:
            return {"bool": True, "int64": 1, "float64": 1.0, "complex128": 1.0 + 0j}[t.dtype]
        return np.dtype(t.dtype).type(1)
    if isinstance(t, Array):
        a = np.ones((extent,) * t.ndim, dtype=t.dtype)
        return np.asfortranarray(a) if t.layout == "F" else a
    raise TypeError(f"no example of {t}")


def type_of(value: Any) -> Type:
    """The type of a Python number, NumPy scalar or array."""
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return Scalar(value.dtype.name)
        layout = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
        return Array(value.dtype.name, value.ndim, layout)
    if isinstance(value, (np.bool_, np.number)):
        return Scalar(value.dtype.name)
    for cls, t in ((bool, ir.BOOL), (int, ir.INT), (float, ir.FLOAT), (complex, ir.COMPLEX)):
        if isinstance(value, cls):
            return t
    raise TypeError(f"no type for {type(value).__name__}")


@functools.lru_cache(maxsize=None)
def infer(name: str, types: tuple[Type, ...], attrs: tuple[tuple[str, Any], ...]) -> Type:
    """The result type of an operation, by running NumPy on examples."""
    op = OPS[name]
    if op.result is not None:
        return op.result(*types, **dict(attrs))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        t = type_of(op.fn(*(example(t) for t in types), **dict(attrs)))
    return Array(t.dtype, t.ndim) if isinstance(t, Array) else t  # fresh results are C ordered


def call(name: str, *args: Any, **attrs: Any) -> Expr:
    """Build a typed call."""
    a = tuple(as_expr(x) for x in args)
    at = tuple(sorted(attrs.items()))
    return Call(name, a, at, infer(name, tuple(x.type for x in a), at))


@functools.lru_cache(maxsize=None)
def _ufunc_method(ufunc: np.ufunc, method: str) -> Any:
    return getattr(ufunc, method)


def canonical(obj: Any) -> Any:
    """The one object that stands for a Python function: methods of ufuncs (np.add.reduce) are new objects at each access."""
    owner = getattr(obj, "__self__", None)
    return _ufunc_method(owner, obj.__name__) if isinstance(owner, np.ufunc) else obj


def call_python(obj: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Expr:
    """Build the call that a Python function (np.sin, operator.add, ...) means."""
    found = BY_PYTHON.get(id(canonical(obj)))
    if found is None:
        raise TypeError(f"{getattr(obj, '__name__', obj)} is not a registered operation")
    return found[1](*args, **kwargs)


ir._make = call
