"""Constant folding and algebra that keeps IEEE results (the sign of a zero apart).

>>> import s2sgrad.rules
>>> from s2sgrad.emit import expression
>>> from s2sgrad.ir import FLOAT, INT, Var
>>> x, n = Var("x", FLOAT), Var("n", INT)
>>> expression(fold(1.0 * x + -(-x))), expression(fold(n - 1 + 1)), expression(fold(x + -(x * 2.0)))
('x + x', 'n', 'x - x * 2.0')
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeGuard

from s2sgrad import ir
from s2sgrad.analysis.alias import MAYBE_VIEWS
from s2sgrad.ir import BOOL, FLOAT, INT, Array, Call, Const, Expr, Scalar, call
from s2sgrad.rules import registry

PYTHON: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne, "not": operator.not_, "floordiv": operator.floordiv,
    "mod": operator.mod,
}

COMPARISONS = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})

# Elementwise operations make a fresh result: a copied operand is a wasted copy.
COPIES = frozenset({"copy"})
READERS = frozenset({"sum", "prod", "max", "min", "mean", "matmul", "outer", "concatenate", "stack", "cumsum"})


def fold(e: Any) -> Any:
    """The simplified expression (or index item); its type is unchanged."""
    return ir.map_expr(e, _node)


def _node(e: Any) -> Any:
    if not isinstance(e, Call):
        return e
    rule = RULES.get(e.op)
    new = _constants(e) or (rule(e) if rule is not None else None) or _copied_operands(e)
    if new is None and e.type == INT and e.op in ("add", "sub", "mul", "neg"):
        new = _linear(e)
    if new is None or not _same_type(new.type, e.type):
        return e
    # An operation's result is a fresh array: it may be stored into without changing its operand.
    return call("copy", new) if isinstance(new.type, Array) and ir.is_alias(new) and not ir.is_alias(e) else new


def _same_type(a: ir.Type, b: ir.Type) -> bool:
    return a == b or (isinstance(a, Array) and isinstance(b, Array) and (a.dtype, a.ndim) == (b.dtype, b.ndim))


def number(e: Any, value: float) -> bool:
    """Is this the constant `value` (0.0 is not -0.0)?"""
    return isinstance(e, Const) and e.value == value and math.copysign(1.0, _real(e.value)) == math.copysign(1.0, value)


def _real(v: Any) -> float:
    return v.real if isinstance(v, complex) else float(v)


def _constants(e: Call) -> Expr | None:
    """Operations on Python numbers, as Python computes them."""
    f = PYTHON.get(e.op)
    if e.op in COMPARISONS and all(isinstance(a, Const) and isinstance(a.type, Scalar) and not ir.is_complex(a.type) for a in e.args):
        return Const(bool(PYTHON[e.op](*(a.value for a in e.args))), e.type)  # type: ignore[attr-defined]
    if f is None or not e.args or not all(isinstance(a, Const) and isinstance(a.type, Scalar) and a.type.weak for a in e.args):
        return None
    values = [a.value for a in e.args]  # type: ignore[attr-defined]
    if e.op in ("floordiv", "mod") and values[1] == 0 or any(isinstance(v, complex) for v in values):
        return None
    out = f(*values)
    kind = {BOOL: bool, INT: int, FLOAT: float}.get(e.type)  # type: ignore[arg-type]
    if kind is None or (isinstance(out, int) and abs(out) >= 2**62):
        return None
    return Const(kind(out), e.type)


# ------------------------------------------------------------------------------------------ arithmetic


def is_op(e: Any, op: str) -> TypeGuard[Call]:
    return isinstance(e, Call) and e.op == op


def _typed(new: Expr, e: Call) -> Expr | None:
    """A replacement, if it has the type of what it replaces."""
    return new if _same_type(new.type, e.type) else None


def _add(e: Call) -> Expr | None:
    a, b = e.args
    if number(a, 0):
        return _typed(b, e)
    if number(b, 0):
        return _typed(a, e)
    if is_op(b, "neg"):
        return call("sub", a, b.args[0])
    if is_op(a, "neg"):
        return call("sub", b, a.args[0])
    if isinstance(b, Const) and isinstance(b.value, (int, float)) and not isinstance(b.value, bool) and b.value < 0:
        return call("sub", a, replace(b, value=-b.value))
    return None


def _sub(e: Call) -> Expr | None:
    a, b = e.args
    if number(b, 0):
        return _typed(a, e)
    if number(a, 0):
        return _typed(call("neg", b), e)
    if is_op(b, "neg"):
        return call("add", a, b.args[0])
    return None


def _mul(e: Call) -> Expr | None:
    a, b = e.args
    for x, y in ((a, b), (b, a)):
        if number(x, 1):
            return _typed(y, e)
        if number(x, -1):
            return _typed(call("neg", y), e)
    if is_op(a, "neg") and is_op(b, "neg"):
        return call("mul", a.args[0], b.args[0])
    if is_op(a, "neg"):
        return call("neg", call("mul", a.args[0], b))
    if is_op(b, "neg"):
        return call("neg", call("mul", a, b.args[0]))
    return None


def _div(e: Call) -> Expr | None:
    a, b = e.args
    if number(b, 1):
        return _typed(a, e)
    if is_op(a, "neg"):
        return call("neg", call("div", a.args[0], b))
    return None


def _neg(e: Call) -> Expr | None:
    (a,) = e.args
    if is_op(a, "neg"):
        return a.args[0]
    if isinstance(a, Const) and isinstance(a.value, (int, float)) and not isinstance(a.value, bool):
        return replace(a, value=-a.value)
    if is_op(a, "mul") and isinstance(a.args[0], Const) and not isinstance(a.args[0].value, bool) and _real(a.args[0].value) < 0:
        return call("mul", replace(a.args[0], value=-a.args[0].value), a.args[1])
    return None


def _pow(e: Call) -> Expr | None:
    return _typed(e.args[0], e) if number(e.args[1], 1) else None


def _floordiv(e: Call) -> Expr | None:
    return _typed(e.args[0], e) if e.type == INT and number(e.args[1], 1) else None


# ---------------------------------------------------------------------------------------- linear integers


def _linear(e: Call) -> Expr | None:
    """Integer sums: like terms collected, if that makes the expression smaller."""
    terms: dict[Expr | None, int] = {}
    if not _collect(e, 1, terms):
        return None
    new = _sum(terms)
    return new if _weight(new) < _weight(e) else None


def _collect(e: Expr, factor: int, terms: dict[Expr | None, int]) -> bool:
    if e.type != INT:
        return False
    if isinstance(e, Const):
        terms[None] = terms.get(None, 0) + factor * int(e.value)
        return True
    if isinstance(e, Call) and e.op in ("add", "sub"):
        return _collect(e.args[0], factor, terms) and _collect(e.args[1], -factor if e.op == "sub" else factor, terms)
    if is_op(e, "neg"):
        return _collect(e.args[0], -factor, terms)
    if is_op(e, "mul"):
        for k, x in ((0, 1), (1, 0)):
            c = e.args[k]
            if isinstance(c, Const) and c.type == INT:
                return _collect(e.args[x], factor * int(c.value), terms)
    terms[e] = terms.get(e, 0) + factor
    return True


def _sum(terms: dict[Expr | None, int]) -> Expr:
    order = [t for t in terms if t is not None and terms[t] > 0] + [t for t in terms if t is not None and terms[t] < 0]
    out: Expr | None = None
    for t in order:
        c = terms[t]
        piece = t if abs(c) == 1 else call("mul", abs(c), t)
        if out is None:
            out = piece if c > 0 else call("neg", piece)
        else:
            out = call("add" if c > 0 else "sub", out, piece)
    c = terms.get(None, 0)
    if out is None:
        return Const(c, INT)
    return out if c == 0 else call("add" if c > 0 else "sub", out, abs(c))


def _weight(e: Expr) -> int:
    return sum(1 for x in ir.walk(e))


# -------------------------------------------------------------------------------- selections, conversions


def _not(e: Call) -> Expr | None:
    (a,) = e.args
    if is_op(a, "not"):
        return a.args[0]
    if isinstance(a, Call) and a.op in ("eq", "ne") and isinstance(a.type, Scalar):
        return call("ne" if a.op == "eq" else "eq", *a.args)
    return None


def _choose(e: Call) -> Expr | None:
    c = e.args[0]
    return e.args[1 if c.value else 2] if isinstance(c, Const) else None


def _and(e: Call) -> Expr | None:
    a, b = e.args
    if isinstance(a, Const):
        return b if a.value else a
    return a if isinstance(b, Const) and b.value else None


def _or(e: Call) -> Expr | None:
    a, b = e.args
    if isinstance(a, Const):
        return a if a.value else b
    return a if isinstance(b, Const) and not b.value else None


def _conversion(e: Call) -> Expr | None:
    """A conversion to the type at hand, or of a constant."""
    (a,) = e.args[:1]
    if len(e.args) > 1:
        return None
    if isinstance(a.type, Scalar):
        if a.type == e.type:
            return a
        if isinstance(a, Const) and _exact(a, e.type):
            kind = {"f": float, "i": int, "u": int, "b": bool, "c": complex}[e.type.dtype[0]]
            return Const(kind(a.value), e.type)
        inner = a.args[0] if isinstance(a, Call) and a.op == e.op and len(a.args) == 1 else None
        return inner if inner is not None and inner.type == e.type else None
    return None


def _exact(a: Const, t: ir.Type) -> bool:
    """Does the constant convert without a change of value (floats to narrower floats are rounded when used)?"""
    v = a.value
    if isinstance(v, bool):
        return not t.dtype.startswith("bool") or True
    if isinstance(v, int):
        return t.dtype in ("int64", "float64", "float32", "int32", "complex128", "complex64") and abs(v) < 2**24
    if isinstance(v, float):
        return t.dtype.startswith(("float", "complex")) and (a.type.weak or a.type.dtype == "float64") and t.dtype != "float16"  # type: ignore[union-attr]
    return isinstance(v, complex) and t.dtype.startswith("complex")


def _real_part(e: Call) -> Expr | None:
    return e.args[0] if not ir.is_complex(e.args[0].type) and e.args[0].type == e.type else None


def _copy(e: Call) -> Expr | None:
    a = e.args[0]
    fresh = isinstance(a, Call) and a.op not in ir.VIEW_OPS and a.op not in MAYBE_VIEWS and a.op not in ("item", "ifexp")
    return a if fresh or isinstance(a.type, Scalar) else None


def _copied_operands(e: Call) -> Expr | None:
    """f(copy(a)) = f(a) where f reads its operands and returns something fresh."""
    op = registry.OPS.get(e.op)
    reads_only = e.op in READERS or (op is not None and op.kind == "elementwise")
    if not (reads_only and any(isinstance(a, Call) and a.op in COPIES for a in e.args)):
        return None
    return replace(e, args=tuple(a.args[0] if isinstance(a, Call) and a.op in COPIES else a for a in e.args))


RULES: dict[str, Callable[[Call], Expr | None]] = {
    "add": _add, "sub": _sub, "mul": _mul, "div": _div, "neg": _neg,
    "pow": _pow, "floordiv": _floordiv, "not": _not, "ifexp": _choose, "and": _and, "or": _or, "pyfloat": _conversion, "pyint": _conversion,
    "pybool": _conversion, "astype": _conversion, "conj": _real_part, "real": _real_part, "copy": _copy,
}
