"""What may raise at run time: tested beforehand where a handler of the program would catch it."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.exceptions import Exceptions
from s2sgrad.frontend.values import Num, Obj, Value
from s2sgrad.ir import Array, Const, Expr, Scalar

Test = Callable[..., Any]
EXP_MAX = math.log(float(np.finfo(float).max))


def test(op: str, x: Expr, y: Any) -> Expr:
    return ir.call(op, x, y)


def infinite(x: Expr) -> Expr:
    return ir.call("isinf", x)


DOMAIN = "math domain error"
RANGE = "math range error"
MATH: dict[int, list[tuple[type[BaseException], str, Test]]] = {
    id(math.sqrt): [(ValueError, DOMAIN, lambda x: test("lt", x, 0))],
    id(math.log): [(ValueError, DOMAIN, lambda x, base=None: test("le", x, 0))],
    id(math.log2): [(ValueError, DOMAIN, lambda x: test("le", x, 0))],
    id(math.log10): [(ValueError, DOMAIN, lambda x: test("le", x, 0))],
    id(math.log1p): [(ValueError, DOMAIN, lambda x: test("le", x, -1))],
    id(math.exp): [(OverflowError, RANGE, lambda x: both(test("gt", x, EXP_MAX), test("lt", x, math.inf)))],
    id(math.expm1): [(OverflowError, RANGE, lambda x: both(test("gt", x, EXP_MAX), test("lt", x, math.inf)))],
    id(math.exp2): [(OverflowError, RANGE, lambda x: both(test("ge", x, 1024), test("lt", x, math.inf)))],
    id(math.sinh): [(OverflowError, RANGE, lambda x: both(test("gt", abs(x), 710.4758600739439), test("lt", abs(x), math.inf)))],
    id(math.cosh): [(OverflowError, RANGE, lambda x: both(test("gt", abs(x), 710.4758600739439), test("lt", abs(x), math.inf)))],
    id(math.sin): [(ValueError, DOMAIN, infinite)],
    id(math.cos): [(ValueError, DOMAIN, infinite)],
    id(math.tan): [(ValueError, DOMAIN, infinite)],
    id(math.asin): [(ValueError, DOMAIN, lambda x: test("gt", abs(x), 1))],
    id(math.acos): [(ValueError, DOMAIN, lambda x: test("gt", abs(x), 1))],
    id(math.acosh): [(ValueError, DOMAIN, lambda x: test("lt", x, 1))],
    id(math.atanh): [(ValueError, DOMAIN, lambda x: test("ge", abs(x), 1))],
    id(math.fmod): [(ValueError, DOMAIN, lambda x, y: either(test("eq", y, 0), infinite(x)))],
    id(math.floor): [(OverflowError, "cannot convert float infinity to integer", infinite)],
    id(math.ceil): [(OverflowError, "cannot convert float infinity to integer", infinite)],
    id(math.trunc): [(OverflowError, "cannot convert float infinity to integer", infinite)],
    id(int): [(OverflowError, "cannot convert float infinity to integer", infinite)],
    id(round): [(OverflowError, "cannot convert float infinity to integer", infinite)],
}
for _f in (math.floor, math.ceil, math.trunc, int, round):
    MATH[id(_f)].append((ValueError, "cannot convert float NaN to integer", lambda x: ir.call("isnan", x)))
# the operations of `math` that cannot raise for real numbers
HARMLESS = {id(f) for f in (math.atan, math.atan2, math.asinh, math.tanh, math.fabs, math.copysign, math.erf, math.erfc, math.degrees, math.radians,
                            math.isnan, math.isinf, math.isfinite, math.isclose, math.hypot, math.dist, math.cbrt, math.prod)}
SINGULAR = (np.linalg.inv, np.linalg.solve)
EMPTY = (np.max, np.min, np.argmax, np.argmin)


def both(a: Expr, b: Expr) -> Expr:
    return ir.call("and", a, b)


def either(a: Expr, b: Expr) -> Expr:
    return ir.call("or", a, b)


class Checks(Exceptions):
    def check_arithmetic(self, op: Any, a: Num, b: Num) -> None:
        """Division by zero and overflow, as Python's own numbers have them (NumPy's do not raise)."""
        if not (weak(a) and weak(b)):
            return
        if op in (operator.truediv, operator.floordiv, operator.mod):
            if not (b.known and b.const != 0) and self.catches(ZeroDivisionError):
                self.raise_if(ir.call("eq", b.expr, 0), ZeroDivisionError, zero_message(op, a, b))
        elif op is operator.pow and "complex128" not in (a.type.dtype, b.type.dtype):
            if not (b.known and b.const >= 0) and self.catches(ZeroDivisionError):
                negative = ir.call("lt", b.expr, 0)
                self.raise_if(both(ir.call("eq", a.expr, 0), negative), ZeroDivisionError, "0.0 cannot be raised to a negative power")
            if "float64" in (a.type.dtype, b.type.dtype) and self.catches(OverflowError):
                x, y = (ir.call("astype", e, dtype="float64") for e in (a.expr, b.expr))
                finite = both(ir.call("isfinite", x), ir.call("isfinite", y))
                self.raise_if(both(both(infinite(ir.call("pow", x, y)), finite), ir.call("ne", x, 0)), OverflowError, "Numerical result out of range")

    def check_call(self, obj: Any, args: Sequence[Value], node: Any) -> None:
        """What a function of `math` or NumPy refuses at run time."""
        if id(obj) in MATH and all(isinstance(a, Num) and not a.is_array for a in args):
            if all(a.type.dtype.startswith(("int", "bool", "uint")) for a in args) and obj in (math.floor, math.ceil, math.trunc, int, round):  # type: ignore[attr-defined]
                return
            if obj is round and len(args) > 1:
                return
            for cls, message, test in MATH[id(obj)]:
                if self.catches(cls):
                    self.raise_if(test(*(a.expr for a in args)), cls, message)  # type: ignore[attr-defined]
        elif getattr(obj, "__module__", "") == "math" and id(obj) not in HARMLESS:
            for cls in (ValueError, OverflowError, ZeroDivisionError):
                if self.catches(cls):
                    raise self.error(f"math.{obj.__name__} inside of a `try` that catches {cls.__name__} is not supported", node,
                                     "Test the argument with `if`.")
        elif obj in SINGULAR and self.catches(np.linalg.LinAlgError):
            a = self.numeric(args[0])
            if a.expr.ndim != 2:
                raise self.error(f"np.linalg.{obj.__name__} of several matrices inside of a `try` that catches LinAlgError is not supported", node)
            sign = self.call(Obj(np.linalg.slogdet), [a], {}, node).items[0]
            self.raise_if(ir.call("eq", sign.expr, 0), np.linalg.LinAlgError, "Singular matrix")
        elif obj is np.linalg.cholesky and self.catches(np.linalg.LinAlgError):
            from s2sgrad.library.matrices import positive_definite

            good = self.call(Obj(positive_definite), [args[0]], {}, node)
            self.raise_if(ir.call("not", good.expr), np.linalg.LinAlgError, "Matrix is not positive definite")
        elif obj in EMPTY and len(args) == 1 and isinstance(args[0], Num) and args[0].is_array and self.catches(ValueError):
            self.raise_if(ir.call("eq", ir.call("size", args[0].expr), 0), ValueError, "zero-size array to reduction operation which has no identity")

    def check_index(self, base: Num, items: Sequence[Any]) -> None:
        """Positions outside of an array."""
        if not self.catches(IndexError):
            return
        axis = 0
        for i in items:
            if isinstance(i, ir.NewAxis):
                continue
            if isinstance(i, Expr) and isinstance(i.type, Array) and i.type.dtype == "bool":
                axis += i.type.ndim
                continue
            if isinstance(i, Expr):
                n = ir.call("dim", base.expr, axis=axis)
                outside = either(ir.call("ge", i, n), ir.call("lt", i, ir.call("neg", n)))
                if isinstance(i.type, Array):
                    outside = self.call(Obj(np.any), [Num(outside)], {}, None).expr
                    self.raise_if(outside, IndexError, "index is out of bounds")
                else:
                    self.raise_if(outside, IndexError, "index ", Num(i), f" is out of bounds for axis {axis} with size ", Num(n))
            axis += 1


def weak(n: Num) -> bool:
    return isinstance(n.type, Scalar) and n.type.weak


def zero_message(op: Any, a: Num, b: Num) -> str:
    """Python's own words."""
    values = {"float64": 1.0, "complex128": 1j}
    try:
        op(values.get(a.type.dtype, 1), type(values.get(b.type.dtype, 1))(0))
    except ZeroDivisionError as err:
        return str(err)
    raise AssertionError


__all__ = ["Checks", "Const"]
