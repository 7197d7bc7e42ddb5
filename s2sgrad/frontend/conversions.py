"""Numbers and text: round, int, float, divmod, str, print."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.builtin import Builtins, Special, means
from s2sgrad.frontend.given import in_order
from s2sgrad.frontend.printing import print_statement, spelled
from s2sgrad.frontend.values import NONE, Error, Num, Obj, Text, Tup, Value, number
from s2sgrad.ir import Const


@means(round)
def _round(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    a, k = in_order(round, a, k)
    x = m.numeric(a[0])
    digits = m.static(a[1]) if len(a) > 1 else None
    if x.known and not x.is_array:
        return number(round(x.const) if digits is None else round(x.const, digits))
    if x.type.dtype.startswith("int") and (digits is None or digits >= 0):
        return x
    if digits:
        r = m.call(Obj(np.round), [x, number(digits)], {}, n)
    else:
        r = Num(ir.call("rint", x.expr))
    assert isinstance(r, Num)
    if digits is None:
        return Num(ir.call("pyint", r.expr)) if not x.is_array else r
    return Num(ir.call("pyfloat", r.expr)) if x.type == ir.FLOAT and r.type != ir.FLOAT else r


@means(bool)
def _bool(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    if not a:
        return number(False)
    if isinstance(a[0], Num):
        return m.primitive(bool, a, k, n)
    c = m.truth(a[0])
    return number(c) if isinstance(c, bool) else Num(c)


def _from_text(f: Any) -> Special:
    def special(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
        if a and isinstance(a[0], Obj | Text):
            try:
                return number(f(*(m.static(x) for x in a)))
            except ValueError as err:
                m.fail(ValueError, str(err))
        return m.primitive(f, a, k, n) if a else number(f())

    return special


for _f in (int, float, complex):
    means(_f)(_from_text(_f))


@means(print)
def _print(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    if "file" in k:
        raise m.error("print to a file is not supported", n)
    options = {name: m.static(v) for name, v in k.items() if name != "flush"}
    sep, end = options.get("sep"), options.get("end")
    m.emit(print_statement(m, a, " " if sep is None else sep, "\n" if end is None else end))
    return NONE


def _text(f: Any) -> Special:
    def special(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
        v = a[0] if a else Obj("")
        if isinstance(v, Error) and f is str:
            v = m.error_text(v)
        if isinstance(v, Obj) or (isinstance(v, Num) and isinstance(v.expr, Const)):
            return Obj(f(m.static(v), *(m.static(x) for x in a[1:])))
        if isinstance(v, Num):
            return Text((spelled(v, str(m.static(a[1])) if f is format and a[1:] else "", {repr: 114, str: 115}.get(f, -1)),))
        return v if isinstance(v, Text) else Text((v,))

    return special


for _f in (str, repr, format):  # type: ignore[assignment]
    means(_f)(_text(_f))


@means(id)
def _id(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    raise m.error("id() is not supported", n)


@means(divmod)
def _divmod(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return Tup((m.binary(operator.floordiv, a[0], a[1]), m.binary(operator.mod, a[0], a[1])))
