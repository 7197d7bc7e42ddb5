"""Exact scalar types: conversions inserted so that numba computes every scalar in the dtype that NumPy would use.

numba computes float32 * 2.0 in float64, int32 + int32 in int64, n ** -1 as an integer, and integer division by zero as 0.
After this pass every scalar expression has, compiled, the dtype of its Core type.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.ir import Accum, Assign, Call, Const, Expr, For, If, Scalar, Stmt, While

UFUNCS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide, "floordiv": np.floor_divide, "mod": np.remainder, "pow": np.power,
    "neg": np.negative, "pos": np.positive, "abs": np.absolute, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal, "bitand": np.bitwise_and, "bitor": np.bitwise_or, "bitxor": np.bitwise_xor, "lshift": np.left_shift,
    "rshift": np.right_shift, "invert": np.invert,
}
OPERATORS = frozenset(UFUNCS) | {"square", "sign", "reciprocal", "gcd", "lcm"}
LOOSE = frozenset({"sinc", "clip", "angle", "erf", "erfc", "gamma", "lgamma", "digamma", "trigamma", "round", "cbrt", "exp2", "logaddexp",
                   "logaddexp2", "nextafter", "ldexp", "heaviside", "spacing", "reassociated", "deg2rad", "rad2deg", "copysign", "rint", "reciprocal",
                   "sign", "fmod", "float_power"})
SMALL = frozenset({"int8", "int16", "int32", "uint8", "uint16", "uint32"})
NATIVE = frozenset({"float64", "int64", "bool", "complex128"})


def exact_body(body: Sequence[Stmt]) -> list[Stmt]:
    out: list[Stmt] = []
    for s in ir.map_stmts(body, exact_node):
        out.append(_statement(s))
    return out


def _statement(s: Stmt) -> Stmt:
    """Conversions where a value goes into a variable of another dtype."""
    if isinstance(s, Assign) and isinstance(s.target.type, Scalar):
        return replace(s, value=convert(s.value, s.target.type.dtype))
    if isinstance(s, Accum) and s.index is None:
        d = s.base.type.dtype
        if s.value.type.dtype != d or d in SMALL:
            total = exact_node(Call("add", (s.base, s.value), (), ir.call("add", s.base, s.value).type))
            return Assign(s.base, convert(total, d), place=s.place)
        return s
    if isinstance(s, If):
        return replace(s, body=[_statement(x) for x in s.body], orelse=[_statement(x) for x in s.orelse])
    if isinstance(s, (For, While)):
        return replace(s, body=[_statement(x) for x in s.body])
    return s


def strong(dtype: str) -> Scalar:
    """The type of a compiled scalar; those that Python's own numbers have print without a conversion."""
    return Scalar(dtype, weak=dtype in NATIVE)


def convert(e: Expr, dtype: str) -> Expr:
    """`e` as a number of a dtype."""
    d = e.type.dtype
    if d == dtype:
        return e
    if isinstance(e, Const):
        kind = {"f": float, "c": complex, "b": bool}.get(dtype[0], int)
        if not (isinstance(e.value, complex) and kind is not complex):
            with np.errstate(all="ignore"):
                try:
                    v = np.asarray(e.value, dtype=e.type.dtype).astype(dtype).item() if kind is int else kind(e.value)
                except (OverflowError, ValueError):
                    return Call("astype", (e,), (("dtype", dtype),), Scalar(dtype))
            return Const(v, strong(dtype))
    if d.startswith("complex") and not dtype.startswith("complex"):
        e = Call("real", (e,), (), Scalar("float32" if d == "complex64" else "float64"))
        if e.type.dtype == dtype:
            return e
    return Call("astype", (e,), (("dtype", dtype),), Scalar(dtype))


def exact_node(e: Any) -> Any:
    """One node whose operands are exact already."""
    if not isinstance(e, Call) or not isinstance(e.type, Scalar):
        return e
    if any(not isinstance(a.type, Scalar) for a in e.args):
        return e
    special = SPECIAL.get(e.op)
    if special is not None:
        e = special(e)
        if not isinstance(e, Call):
            return e
    if isinstance(e, Call) and e.op == "mul":
        for a, b in (e.args, e.args[::-1]):  # a factor 1 left by the derivative rules
            if isinstance(b, Const) and b.value == 1 and not isinstance(a, Const) and a.type.dtype == e.type.dtype and e.type.dtype[0] in "fi":
                return a
    if isinstance(e, Exact):
        return Call(e.op, e.args, e.attrs, e.type)
    d = e.type.dtype
    loop = loop_dtypes(e)
    if loop is not None:
        e = replace(e, args=operands(e.args, loop, e.op))
        if d in SMALL or (d not in NATIVE and e.op in LOOSE) or (d == "int64" and e.op in ("sign", "square") and loop[0] != "int64"):
            return _result(e, d)
        if loop[-1] != d:
            return _result(e, d)
    return e


def _result(e: Call, d: str) -> Call:
    return Call("astype", (e,), (("dtype", d),), Scalar(d))


def operands(args: Sequence[Expr], loop: Sequence[str], op: str) -> tuple[Expr, ...]:
    """The operands in the dtypes of NumPy's loop, converted only where numba would not do it by itself."""
    have = [a.type.dtype for a in args]
    want = ["float64" if w == "float16" else w for w in loop[:len(args)]]
    if have == want:
        return tuple(args)
    if all(w == "float64" for w in want) and all(h in ("float64", "int64", "float32") for h in have) and "float64" in have:
        return tuple(args)
    if want == ["float64"] and have == ["int64"] and op not in LOOSE:
        return tuple(args)
    if op == "div" and have == ["int64", "int64"]:
        return tuple(args)
    return tuple(convert(a, w) for a, w in zip(args, want))


def loop_dtypes(e: Call) -> tuple[str, ...] | None:
    """The dtypes of the loop that NumPy's ufunc runs for these operands (inputs, then output)."""
    ufunc = UFUNCS.get(e.op) or getattr(np, e.op, None)
    if not isinstance(ufunc, np.ufunc) or ufunc.nin != len(e.args):
        if e.op in LOOSE and e.type.dtype.startswith(("float", "complex")):
            return (*(a.type.dtype for a in e.args), "float64" if e.type.dtype == "float32" else e.type.dtype)
        return None
    if all(isinstance(a.type, Scalar) and a.type.weak for a in e.args) and e.op in UFUNCS:
        return None if e.type.dtype in NATIVE else (*(a.type.dtype for a in e.args), e.type.dtype)
    return _resolve(e.op, tuple(a.type for a in e.args), ufunc)  # type: ignore[arg-type]


@functools.lru_cache(maxsize=None)
def _resolve(op: str, types: tuple[Scalar, ...], ufunc: np.ufunc) -> tuple[str, ...] | None:
    weak = {"int64": int, "float64": float, "complex128": complex}
    given: list[Any] = [weak[t.dtype] if t.weak and t.dtype in weak else np.dtype(t.dtype) for t in types]
    if all(isinstance(g, type) for g in given):
        given = [np.dtype(t.dtype) for t in types]
    try:
        found = ufunc.resolve_dtypes((*given, None))
    except (TypeError, ValueError):
        return None
    return tuple(d.name for d in found)


# --------------------------------------------------------------------------------- operations with rules of their own


def _conditional(e: Call) -> Expr:
    c, a, b = e.args
    return replace(e, args=(c, convert(a, e.type.dtype), convert(b, e.type.dtype)))


def _is_int(t: Any) -> bool:
    return bool(t.dtype.startswith(("int", "uint")))


def _power(e: Call) -> Expr:
    x, k = e.args
    d = e.type.dtype
    if _is_int(x.type) and _is_int(k.type):
        if not _is_int(e.type):
            return Call("pow", (convert(x, d), k), (), e.type)
        if not (isinstance(k, Const) and k.value >= 0) and not (isinstance(k, Const) and isinstance(x, Const)):
            return convert(Call("integer_power", (convert(x, "int64"), convert(k, "int64")), (), ir.INT), d)
        return convert(Call("pow", (convert(x, "int64"), k), (), ir.INT), d) if d != "int64" else e
    if isinstance(k, Const) and isinstance(k.value, float) and k.value in (2.0, 3.0):
        k = Const(int(k.value), ir.INT)
    if x.type.dtype == d and isinstance(k, Const) and type(k.value) is int and d.startswith(("float", "complex")):
        return Exact("pow", (x, Const(k.value, ir.INT)), (), e.type)
    return replace(e, args=(convert(x, d), convert(k, d)))


class Exact(Call):
    """A call whose operands are exact."""


def _divide(e: Call) -> Expr:
    a, b = e.args
    python = all(_is_int(x.type) and isinstance(x.type, Scalar) and x.type.weak for x in e.args)
    if python and not (isinstance(b, Const) and b.value != 0):
        b = Call("nonzero_divisor", (b,), (), ir.INT)
    return replace(e, args=(a, b))


def _bool_arithmetic(name: str) -> Any:
    def rule(e: Call) -> Expr:
        if e.type.dtype == "bool":
            return Call(name, e.args, (), e.type)
        return e

    return rule


def _extremum(name: str) -> Any:
    def rule(e: Call) -> Expr:
        return Call(name, e.args, (), e.type) if e.type.dtype == "bool" else e

    return rule


def _astype(e: Call) -> Expr:
    x, d = e.args[0], e.type.dtype
    if x.type.dtype == d:
        return x if isinstance(x.type, Scalar) and (not x.type.weak or d != "float64" or isinstance(x, Const)) else Exact(e.op, e.args, e.attrs, e.type)
    r = convert(x, d)
    return Exact(r.op, r.args, r.attrs, r.type) if isinstance(r, Call) else r


def _pyfloat(e: Call) -> Expr:
    x = e.args[0]
    if x.type.dtype in ("float64", "int64", "bool"):
        return Exact(e.op, e.args, e.attrs, e.type)
    return convert(x, "float64")


def _pyint(e: Call) -> Expr:
    x = e.args[0]
    if x.type.dtype in ("float64", "int64", "bool", "float32"):
        return Exact(e.op, e.args, e.attrs, e.type)
    return convert(x, "int64")


def _keep_int(e: Call) -> Expr:
    """floor, ceil, trunc of an integer."""
    x = e.args[0]
    return convert(x, e.type.dtype) if not x.type.dtype.startswith(("float", "complex")) and _is_int(e.type) | (e.type.dtype == "bool") else e


def _abs(e: Call) -> Expr:
    return e.args[0] if e.type.dtype == "bool" or e.args[0].type.dtype.startswith("uint") else e


def _part(e: Call) -> Expr:
    x = e.args[0]
    if x.type.dtype.startswith("complex"):
        return Exact(e.op, e.args, e.attrs, e.type)
    if e.op in ("real", "conj"):
        return convert(x, e.type.dtype)
    return convert(Const(0, ir.INT), e.type.dtype)


def _round(e: Call) -> Expr:
    x, decimals = e.args[0], e.attr("decimals", 0) or 0
    if _is_int(x.type) and decimals >= 0:
        return convert(x, e.type.dtype)
    if decimals == 0:
        return Call("rint", (x,), (), e.type)
    return convert(Call("round_to", (convert(x, "float64"), Const(decimals, ir.INT)), (), Scalar("float64")), e.type.dtype)


def _float_power(e: Call) -> Expr:
    return Call("pow", tuple(convert(a, e.type.dtype) for a in e.args), (), e.type)


def _heaviside(e: Call) -> Expr:
    x, h = (convert(a, e.type.dtype) for a in e.args)
    zero, one = convert(Const(0, ir.INT), e.type.dtype), convert(Const(1, ir.INT), e.type.dtype)
    t = e.type
    is_zero = Call("eq", (x, zero), (), ir.BOOL)
    negative = Call("lt", (x, zero), (), ir.BOOL)
    nan = Call("ne", (x, x), (), ir.BOOL)
    return Exact("ifexp", (is_zero, h, Call("ifexp", (negative, zero, Call("ifexp", (nan, x, one), (), t)), (), t)), (), t)


def _sign(e: Call) -> Expr:
    x = e.args[0]
    return convert(Call("ne", (x, convert(Const(0, ir.INT), x.type.dtype)), (), ir.BOOL), e.type.dtype) if x.type.dtype.startswith("uint") else e


def _wide(e: Call) -> Expr:
    """Computed in float64: numba mixes up the float32 and the float64 version within one function, or lacks one of them."""
    x = e.args[0]
    if x.type.dtype in ("float64", "complex64", "complex128"):
        return e
    r = convert(replace(e, args=(convert(x, "float64"),), type=Scalar("float64")), e.type.dtype)
    return Exact(r.op, r.args, r.attrs, r.type) if isinstance(r, Call) else r


def _fmod(e: Call) -> Expr:
    if not _is_int(e.type):
        if not all(isinstance(a.type, Scalar) and a.type.weak for a in e.args):
            return e
        strong = Scalar("float64")  # numba has no math.fmod: NumPy's, of NumPy's numbers
        return Exact(e.op, tuple(Call("astype", (a,), (("dtype", "float64"),), strong) for a in e.args), e.attrs, e.type)
    return convert(Call("integer_fmod", tuple(convert(a, "int64") for a in e.args), (), ir.INT), e.type.dtype)


def _order(e: Call) -> Expr:
    """Complex numbers are ordered by their real parts, then by their imaginary parts."""
    if not any(a.type.dtype.startswith("complex") for a in e.args):
        return e
    (ar, ai), (br, bi) = (tuple(exact_node(Call(p, (convert(a, "complex128"),), (), Scalar("float64"))) for p in ("real", "imag")) for a in e.args)
    strict = Call("lt" if e.op in ("lt", "le") else "gt", (ar, br), (), ir.BOOL)
    last = Call(e.op, (ai, bi), (), ir.BOOL)
    return Exact("or", (strict, Call("and", (Call("eq", (ar, br), (), ir.BOOL), last), (), ir.BOOL)), (), ir.BOOL)


SPECIAL = {
    "ifexp": _conditional, "where": lambda e: _conditional(Call("ifexp", e.args, (), e.type)), "pow": _power, "div": _divide, "floordiv": _divide,
    "mod": _divide, "add": _bool_arithmetic("logical_or"), "mul": _bool_arithmetic("logical_and"), "maximum": _extremum("logical_or"),
    "minimum": _extremum("logical_and"), "fmax": _extremum("logical_or"), "fmin": _extremum("logical_and"),
    "astype": _astype, "pyfloat": _pyfloat, "pyint": _pyint, "floor": _keep_int, "ceil": _keep_int, "trunc": _keep_int, "abs": _abs,
    "real": _part, "imag": _part, "conj": _part, "round": _round, "float_power": _float_power, "heaviside": _heaviside,
    "sign": _sign, "exp2": _wide, "sinc": _wide, "angle": _wide, "fmod": _fmod, "lt": _order, "le": _order, "gt": _order, "ge": _order,
    "stop_gradient": lambda e: e.args[0],
}

