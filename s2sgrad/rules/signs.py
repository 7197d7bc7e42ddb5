"""Signs that hold for every value: they tell where a partial derivative cannot be singular."""

from __future__ import annotations

from typing import Any

from s2sgrad.ir import Call, Const


def positive(e: Any, strictly: bool = True) -> bool:
    """Is `e` > 0 (or >= 0) for all values of its variables?"""
    if isinstance(e, Const):
        return not isinstance(e.value, complex) and (e.value > 0 if strictly else e.value >= 0)
    if not isinstance(e, Call):
        return False
    a = e.args
    if e.op == "exp":
        return not strictly  # underflows to zero
    if e.op in ("cosh",):
        return True
    if e.op in ("square", "abs", "sum_squares"):
        return not strictly
    if e.op in ("sqrt", "length"):
        return positive(a[0], strictly)
    if e.op == "mul" and a[0] == a[1]:
        return not strictly
    if e.op == "pow" and isinstance(a[1], Const) and isinstance(a[1].value, int) and a[1].value % 2 == 0 and a[1].value >= 0:
        return not strictly
    if e.op in ("mul", "div"):
        return not strictly and positive(a[0], False) and positive(a[1], False)
    if e.op == "add":
        return positive(a[0], False) and positive(a[1], False) and (not strictly or positive(a[0]) or positive(a[1]))
    if e.op == "maximum":
        return positive(a[0], strictly) or positive(a[1], strictly)
    return e.op in ("dim", "size") and not strictly


def nonzero(e: Any) -> bool:
    """Is `e` different from zero for all values of its variables?"""
    if isinstance(e, Const):
        return bool(e.value != 0)
    if isinstance(e, Call) and e.op == "neg":
        return nonzero(e.args[0])
    if isinstance(e, Call) and e.op in ("mul", "pyfloat", "astype"):
        return all(nonzero(a) for a in e.args)
    return positive(e)
