"""The value of an expression, computed by NumPy: the meaning of Core expressions, independent of the emitter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.ir import Array, Call, Const, Expr, Index, NewAxis, Scalar, Slice, Var
from s2sgrad.rules.registry import OPS


def evaluate(e: Expr, env: Mapping[str, Any]) -> Any:
    """The value of `e` with the variables' values in `env`."""
    if isinstance(e, Const):
        return e.value if not isinstance(e.type, Scalar) or e.type.weak else np.dtype(e.type.dtype).type(e.value)
    if isinstance(e, Var):
        return env[e.name]
    if isinstance(e, Index):
        return evaluate(e.base, env)[tuple(_item(i, env) for i in e.index)]
    assert isinstance(e, Call), e
    if e.op in ir.LAZY:
        return _lazy(e, env)
    value = OPS[e.op].fn(*(evaluate(a, env) for a in e.args), **dict(e.attrs))
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def _lazy(e: Call, env: Mapping[str, Any]) -> Any:
    first = evaluate(e.args[0], env)
    if e.op == "ifexp":
        return convert(evaluate(e.args[1] if first else e.args[2], env), e.type)
    decided = not first if e.op == "and" else first
    return first if decided else evaluate(e.args[1], env)


def convert(value: Any, t: ir.Type) -> Any:
    """A number in the representation of its type: Python numbers where weak, NumPy scalars otherwise."""
    if isinstance(t, Array):
        return np.asarray(value, dtype=t.dtype)
    if isinstance(t, Scalar) and t.weak:
        return {"bool": bool, "int64": int, "float64": float, "complex128": complex}[t.dtype](value)
    return np.dtype(t.dtype).type(value)


def _item(i: Any, env: Mapping[str, Any]) -> Any:
    if isinstance(i, NewAxis):
        return None
    if isinstance(i, Slice):
        return slice(*(None if x is None else evaluate(x, env) for x in (i.lower, i.upper, i.step)))
    return evaluate(i, env)
