"""Operations whose printed form depends on more than their registry template."""

from __future__ import annotations

from collections.abc import Callable

from s2sgrad.ir import Array, Call, Const, Expr, Scalar

# pyfloat(np.sin(x)) prints as math.sin(x): (operation -> function of the math module)
MATH = {
    "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "exp": "exp", "expm1": "expm1", "log": "log",
    "log2": "log2", "log10": "log10", "log1p": "log1p", "sqrt": "sqrt", "length": "sqrt", "arctan2": "atan2", "hypot": "hypot", "copysign": "copysign",
    "erf": "erf", "erfc": "erfc", "gamma": "gamma", "lgamma": "lgamma", "fmod": "fmod", "deg2rad": "radians", "rad2deg": "degrees",
    "abs": "fabs",
}


def _weak_float(e: Expr) -> bool:
    return isinstance(e.type, Scalar) and e.type.weak and e.type.dtype in ("float64", "int64")


def _math(c: Call) -> Call | None:
    """The call below a conversion to a Python number, if the math module has it."""
    x = c.args[0] if len(c.args) == 1 else None
    return x if isinstance(x, Call) and all(_weak_float(a) for a in x.args) else None


def pyfloat(c: Call) -> str:
    x = _math(c)
    if x is not None and x.op in MATH and not x.attrs:
        return f"math.{MATH[x.op]}(__args)"  # arguments of the inner call
    t = c.args[0].type
    return "_0" if isinstance(t, Scalar) and t.weak and t.dtype == "float64" else "float(_0)"


def pyint(c: Call) -> str:
    x = _math(c)
    if x is not None and x.op in ("floor", "ceil", "trunc") and x.args[0].type.dtype == "float64":
        return f"math.{x.op}(__args)"
    t = c.args[0].type
    return "_0" if isinstance(t, Scalar) and t.weak and t.dtype == "int64" else "int(_0)"


def pybool(c: Call) -> str:
    t = c.args[0].type
    return "_0" if isinstance(t, Scalar) and t.weak and t.dtype == "bool" else "bool(_0)"


def created(function: str, default: str | None = "float64") -> Callable[[Call], str]:
    """zeros(n, m; dtype): the dtype is dropped where it is NumPy's default, `a.shape` stands for all extents of an array."""

    def syntax(c: Call) -> str:
        first = 1 if function == "np.full" else 0
        shape = whole_shape(c.args[first:])
        dims = f"_{first}.shape" if shape is not None else ("_shape1" if first else "_shape")
        if shape is not None:
            dims = "__shape"
        value = "_0" if first else ""
        given = c.attr("dtype")
        if first and given is not None and c.args[0].type.dtype == given and not isinstance(c.args[0], Const):
            given = None
        if first and isinstance(c.args[0], Const) and given == c.args[0].type.dtype and given in ("float64", "int64", "bool", "complex128"):
            given = None
        tail = "" if given is None or given == default else ", dtype=_dtype"
        return f"{function}({', '.join(x for x in (dims, value) if x)}{tail})"

    return syntax


def whole_shape(dims: tuple[Expr, ...]) -> Expr | None:
    """The array whose extents these are, all of them in order (two or more)."""
    base = None
    for k, d in enumerate(dims):
        if not (isinstance(d, Call) and d.op == "dim" and d.attr("axis") == k):
            return None
        base = d.args[0] if base is None else base
        if d.args[0] != base:
            return None
    return base if base is not None and isinstance(base.type, Array) and base.type.ndim == len(dims) > 1 else None


def transpose(c: Call) -> str:
    axes = c.attr("axes")
    n = c.type.ndim if isinstance(c.type, Array) else 0
    return "_0.T" if axes is None or tuple(axes) == tuple(reversed(range(n))) else "np.transpose(_0, _axes)"


def astype(c: Call) -> str:
    return "_0.astype(_dtype)" if isinstance(c.args[0].type, Array) else "_dtype(_0)"


def arange(c: Call) -> str:
    start, _, step = c.args if len(c.args) == 3 else (None, None, None)
    args = "_args"
    if step is not None and isinstance(step, Const) and step.value == 1 and step.type.dtype == "int64":
        args = "_1" if isinstance(start, Const) and start.value == 0 and start.type.dtype == "int64" else "_0, _1"
    natural = "int64" if all(a.type.dtype in ("int64", "bool") for a in c.args) else "float64"
    return f"np.arange({args})" if c.attr("dtype") in (None, natural) else f"np.arange({args}, dtype=_dtype)"


def array_of(c: Call) -> str:
    """np.array([[a, b], [c, d]])"""
    shape = c.attr("shape") or (len(c.args),)
    it = iter(range(len(c.args)))

    def nest(dims: tuple[int, ...]) -> str:
        return f"_{next(it)}" if not dims else "[" + ", ".join(nest(dims[1:]) for _ in range(dims[0])) + "]"

    natural = {a.type.dtype for a in c.args}
    given = c.attr("dtype")
    exact = all(not isinstance(a, Const) or (isinstance(a.type, Scalar) and a.type.weak) for a in c.args)
    plain = given is None or (natural == {given} and exact and bool(c.args))
    if given == "float64" and not c.args:
        plain = True
    return f"np.array({nest(tuple(shape))}{'' if plain else ', dtype=_dtype'})"


def absolute(c: Call) -> str:
    return "abs(_0)" if isinstance(c.type, Scalar) and c.type.weak else "np.abs(_0)"


SPECIAL: dict[str, Callable[[Call], str]] = {
    "pyfloat": pyfloat, "pyint": pyint, "pybool": pybool,
    "pycomplex": lambda c: "complex(_args)",
    "zeros": created("np.zeros"), "ones": created("np.ones"), "empty": created("np.empty"), "full": created("np.full", None),
    "transpose": transpose, "astype": astype, "arange": arange, "array_of": array_of, "abs": absolute,
    "dim": lambda c: "_0.shape[_axis]",
    "size": lambda c: "_0.size",
    "len": lambda c: "len(_0)",
    "item": lambda c: "_0[_1]",
    "list_new": lambda c: "[]",
    "reshape": lambda c: "_0.reshape(__shape1)" if whole_shape(c.args[1:]) is not None else "_0.reshape(_rest)",
    "ifexp": lambda c: "_1 if _0 else _2",
    "and": lambda c: " and ".join(f"_{k}" for k in range(len(c.args))),
    "or": lambda c: " or ".join(f"_{k}" for k in range(len(c.args))),
    "not": lambda c: "not _0",
}
