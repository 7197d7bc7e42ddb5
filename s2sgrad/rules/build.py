"""How operations are declared: decorators over `registry.Op`, and the builders that turn a Python call
(np.sum(x, axis=-1, keepdims=True)) into a registered operation with normal attributes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.errors import Unsupported
from s2sgrad.ir import Array, Call, Const, Expr, Index, NewAxis, Scalar, Slice, Type
from s2sgrad.rules import registry
from s2sgrad.rules.registry import BY_PYTHON, Op, as_expr, call, register

FULL = Slice()

# ------------------------------------------------------------------------------------ declaring operations


def elementwise(*python: Any, syntax: str = "", fn: Callable[..., Any] | None = None, singular: bool = False, safe: Any = None,
                name: str = "", helper: Any = None) -> Callable[[Callable[..., Any]], Op]:
    """Declare an elementwise operation; the decorated function returns its partial derivatives (one, or a tuple)."""

    def declare(rule: Callable[..., Any]) -> Op:
        op_name = name or rule.__name__.rstrip("_")
        f = fn or python[0]
        n = sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in inspect.signature(rule).parameters.values())
        text = syntax or f"{python_name(f)}({', '.join(f'_{i}' for i in range(n))})"
        partials = tuple(functools.partial(_pick, rule, i, n) for i in range(n))
        op = register(Op(op_name, "elementwise", f, text, partials=partials, singular=singular, safe=safe, helper=helper))
        spell(op_name, *python)
        return op

    return declare


def _pick(rule: Callable[..., Any], i: int, n: int, *args: Any, **kw: Any) -> Any:
    r = rule(*args, **kw)
    return r if n == 1 else r[i]


def adjoint_of(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the adjoint of an operation: `rule(g, *args, out, wanted, **attrs)` returns one contribution per argument."""

    def declare(rule: Callable[..., Any]) -> Callable[..., Any]:
        registry.OPS[name].adjoint = rule
        return rule

    return declare


def tangent_of(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the tangent of an operation: `rule(dots, *args, out, **attrs)`."""

    def declare(rule: Callable[..., Any]) -> Callable[..., Any]:
        registry.OPS[name].tangent = rule
        return rule

    return declare


def flat(name: str, *python: Any, fn: Callable[..., Any] | None = None, syntax: Any = "", arity: int = 1, **more: Any) -> Op:
    """Declare an operation whose derivative is zero wherever it exists (floor, comparisons, shapes)."""
    f = fn or python[0]
    op = register(Op(name, "zero", f, syntax or f"{python_name(f)}({', '.join(f'_{i}' for i in range(arity))})", **more))
    spell(name, *python)
    return op


def python_name(f: Any) -> str:
    """How a NumPy or math function is written."""
    if getattr(f, "__module__", "") == "math":
        return f"math.{f.__name__}"
    if getattr(f, "__module__", "") == "numpy.linalg":
        return f"np.linalg.{f.__name__}"
    return f"np.{f.__name__}"


# -------------------------------------------------------------------------------- what Python calls mean


def means(*objects: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The decorated builder says which expression a call of these Python objects is."""

    def declare(builder: Callable[..., Any]) -> Callable[..., Any]:
        for o in objects:
            assert o is not None
            o = registry.canonical(o)
            BY_PYTHON[id(o)] = (o, builder)
        return builder

    return declare


def spell(name: str, *objects: Any) -> None:
    """These Python functions mean operation `name`. NumPy functions give NumPy scalars, functions of `math` Python
    floats, operators and builtins keep Python numbers Python numbers."""
    for o in objects:
        if isinstance(o, np.ufunc) or getattr(o, "__module__", None) in ("numpy", "numpy.linalg"):
            means(o)(functools.partial(_numpy_call, name))
        elif getattr(o, "__module__", None) == "math":
            means(o)(functools.partial(_math_call, name))
        else:
            means(o)(functools.partial(_plain_call, name))


def _plain_call(name: str, *args: Any) -> Expr:
    return call(name, *args)


def _numpy_call(name: str, *args: Any, dtype: Any = None, **kw: Any) -> Expr:
    if kw:
        raise Unsupported(f"the option {next(iter(kw))}= of np.{name} is not supported", hint="assign into the array instead")
    if dtype is not None:
        args = tuple(cast(a, dtype_name(dtype)) for a in args)
    return strong(call(name, *args))


def _math_call(name: str, *args: Any) -> Expr:
    out = call(name, *(to_float(a) for a in args))
    return out if out.type in (ir.FLOAT, ir.BOOL) else call("pybool" if out.type.dtype == "bool" else "pyfloat", out)


def to_float(x: Any) -> Expr:
    """The argument of a `math` function: a Python float."""
    x = as_expr(x)
    if not isinstance(x.type, Scalar):
        raise Unsupported("functions of the math module take numbers, not arrays", hint="use the function of numpy")
    if isinstance(x, Const) and x.type.dtype in ("int64", "bool"):
        return Const(float(x.value), ir.FLOAT)
    return x if x.type.dtype == "float64" else call("pyfloat", x)


def strong(e: Expr) -> Expr:
    """The NumPy scalar of a Python number (NumPy functions never return Python numbers)."""
    return call("astype", e, dtype=e.type.dtype) if isinstance(e.type, Scalar) and e.type.weak else e


def cast(e: Any, dtype: str) -> Expr:
    """Conversion to a dtype, nothing where the type is that already."""
    e = as_expr(e)
    if e.type.dtype == dtype and not (isinstance(e.type, Scalar) and e.type.weak):
        return e
    return call("astype", e, dtype=dtype)


# -------------------------------------------------------------------------------------- normal attributes


def static(x: Any, what: str = "this argument") -> Any:
    """The Python value of an argument that must be known at specialisation."""
    if isinstance(x, Const):
        return x.value
    if isinstance(x, Call) and x.op == "neg" and isinstance(x.args[0], Const):
        return -x.args[0].value
    if isinstance(x, tuple):
        return tuple(static(i, what) for i in x)
    if isinstance(x, list):
        return [static(i, what) for i in x]
    if isinstance(x, Expr):
        raise Unsupported(f"{what} must be a constant", hint="its value decides the rank or the kind of the result")
    return x


def contiguous(a: Expr) -> Expr:
    """np.ascontiguousarray: the array itself where it is contiguous."""
    if not isinstance(a.type, Array) or a.type.layout != "C":
        return call("ascontiguous", a)
    return a if a.ndim == 1 else call("reshape", a, *(a.dim(k) for k in range(a.ndim)))


def columned(a: Expr) -> Expr:
    """An array in Fortran's order: the array itself where it has that order."""
    return call("transpose", contiguous(call("transpose", a)))


def columns_first(order: Any) -> bool:
    """Does `order=` ask for Fortran's order?"""
    return static(order) in ("F", "f")


def axis_of(axis: Any, ndim: int) -> Any:
    """None, a non-negative int or a sorted tuple of them."""
    axis = static(axis, "axis")
    if axis is None:
        return None
    if isinstance(axis, (tuple, list)):
        axes = tuple(sorted(_axis(a, ndim) for a in axis))
        if len(set(axes)) < len(axes):
            raise ValueError("duplicate value in 'axis'")
        return axes
    return _axis(axis, ndim)


def _axis(axis: Any, ndim: int) -> int:
    a = axis.__index__()
    if not -ndim <= a < ndim:
        raise Unsupported(f"axis {a} is out of bounds for an array of rank {ndim}")
    return a % ndim


def dtype_name(dtype: Any) -> str:
    d = np.dtype(dtype)
    if d.kind not in "biufc":
        raise Unsupported(f"arrays of dtype {d} are not supported", hint="use one array of numbers for each field")
    return d.name


def shape_args(shape: Any) -> tuple[Expr, ...]:
    """The extents given as one int or a tuple, or as an array that is written out."""
    if isinstance(shape, (tuple, list)):
        return tuple(_extent(as_expr(s)) for s in shape)
    e = as_expr(shape)
    if isinstance(e, Call) and e.op == "array_of" and e.ndim == 1:
        return tuple(e.args)
    return (_extent(e),)


def _extent(e: Expr) -> Expr:
    if e.ndim:
        raise Unsupported("an array as a shape is not supported: the rank would depend on its length", hint="Write the extents as a tuple.")
    return e


def dims(a: Expr) -> tuple[Expr, ...]:
    """The extents of an array, as expressions."""
    return tuple(a.dim(i) for i in range(a.ndim))


def is_weak(t: Type) -> bool:
    return isinstance(t, Scalar) and t.weak


def is_scalar(e: Expr) -> bool:
    return isinstance(e.type, Scalar)


# ------------------------------------------------------------------------------------ words rules are made of


def conj(x: Any) -> Any:
    """Complex conjugate; nothing to do for real data."""
    return call("conj", x) if isinstance(x, Expr) and ir.is_complex(x.type) else x


def real_like(g: Any, x: Expr) -> Any:
    """The part of a contribution that a real argument receives."""
    return call("real", g) if isinstance(g, Expr) and ir.is_complex(g.type) and not ir.is_complex(x.type) else g


def select(cond: Any, a: Any, b: Any) -> Expr:
    """`where` for rules: on scalars a conditional expression that keeps the type of the non-constant branch."""
    c, a, b = as_expr(cond), as_expr(a), as_expr(b)
    if not all(is_scalar(e) for e in (c, a, b)):
        return call("where", c, a, b)
    if isinstance(a, Const) and is_weak(a.type):
        a = retype(a, b.type)
    if isinstance(b, Const) and is_weak(b.type):
        b = retype(b, a.type)
    return call("ifexp", c, a, b)


def retype(c: Const, t: Type) -> Const:
    """A constant with the type of its partner."""
    kind = {"f": float, "c": complex}.get(np.dtype(t.dtype).kind)
    return Const(kind(c.value), t) if kind and isinstance(t, Scalar) else c


def flip(a: Expr, axis: int) -> Expr:
    """The view with one axis reversed."""
    back = Slice(None, None, Const(-1, ir.INT))
    return Index(a, tuple(back if i == axis else FULL for i in range(a.ndim)), Array(a.type.dtype, a.ndim, "A"))


def put_back(g: Any, x: Expr, axis: Any, keepdims: bool = False) -> Any:
    """A reduced value with extent-1 axes where `axis` was, so that it broadcasts against `x`."""
    if axis is None or keepdims or not isinstance(g, Expr) or is_scalar(g) and x.ndim == 0:
        return g
    if is_scalar(g):
        return g
    return call("expand_dims", g, axis=axis)


def column(v: Expr) -> Expr:
    """`v[:, None]`."""
    return Index(v, (FULL, NewAxis()), Array(v.type.dtype, 2, getattr(v.type, "layout", "C")))


def row(v: Expr) -> Expr:
    """`v[None, :]`."""
    return Index(v, (NewAxis(), FULL), Array(v.type.dtype, 2, getattr(v.type, "layout", "C")))


def add_dots(dots: Sequence[Any], terms: Callable[[int], Any]) -> Any:
    """Sum of the terms of the active arguments."""
    parts = [terms(i) for i, d in enumerate(dots) if d is not None]
    return functools.reduce(lambda a, b: a + b, parts)


def bound(signature: str, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments bound to a signature written as text ("a, axis=None, *, keepdims=False")."""
    b = _signature(signature).bind(*args, **kwargs)
    b.apply_defaults()
    return b.arguments


@functools.lru_cache(maxsize=None)
def _signature(text: str) -> inspect.Signature:
    return inspect.signature(eval(f"lambda {text}: None"))

