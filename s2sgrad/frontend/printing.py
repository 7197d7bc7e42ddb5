"""Strings that are made when the code runs: formats of `str.format`, `%` and f-strings, and what `print` writes."""

from __future__ import annotations

import logging
import re
import string
from collections.abc import Callable, Sequence
from typing import Any

from s2sgrad import ir
from s2sgrad.frontend.values import Fields, Num, Obj, Ref, Spelled, Text, Tup, Value

Piece = str | Spelled
LEVELS = ("debug", "info", "warning", "warn", "error", "exception", "critical", "log")
CONVERSIONS = {None: -1, "r": 114, "s": 115, "a": 97}
DIRECTIVE = re.compile(r"%(?P<flags>[-+ 0#]*)(?P<width>\d*)(?P<precision>\.\d+)?(?P<type>[a-zA-Z%])")


def spelled(v: Value, spec: str, conversion: int) -> Any:
    """A value in a string: text where it is known."""
    if isinstance(v, Obj) or (isinstance(v, Num) and isinstance(v.expr, ir.Const)):
        value = v.value if isinstance(v, Obj) else v.const
        shown: dict[int, Callable[[Any], Any]] = {114: repr, 115: str, 97: ascii}
        return format(shown[conversion](value) if conversion in shown else value, spec)
    return Spelled(v, spec, conversion) if isinstance(v, Num) and (spec or conversion > 0) else v


def formatted(text: str, args: Sequence[Value], kwargs: dict[str, Value], fail: Callable[[str], Exception]) -> Text:
    """`text.format(*args, **kwargs)`. Fields that name attributes or items, or take their format from a value, fail."""
    parts: list[Any] = []
    count = 0
    for literal, field, spec, conversion in string.Formatter().parse(text):
        parts.append(literal)
        if field is None:
            continue
        if not field:
            field, count = str(count), count + 1
        found: Any = args[int(field)] if field.isdigit() and int(field) < len(args) else kwargs.get(field)
        if found is None or "{" in (spec or ""):
            raise fail(f"the field {{{field}}} of a format string is not supported here")
        parts.append(spelled(found, spec or "", CONVERSIONS[conversion]))
    return Text(tuple(p for p in parts if p != ""))


def percent(text: str, items: Sequence[Value], fail: Callable[[str], Exception]) -> Text:
    """`text % items`."""
    parts: list[Any] = []
    given, at = list(items), 0
    for m in DIRECTIVE.finditer(text):
        parts.append(text[at : m.start()])
        at = m.end()
        if m["type"] == "%":
            parts.append("%")
            continue
        if not given:
            raise fail("not enough arguments for format string")
        v = given.pop(0)
        whole = not (isinstance(v, Num) and (v.is_array or not v.type.dtype.startswith(("int", "uint", "bool"))))
        if m["type"] not in "srdieEfFgG" or (m["type"] in "di" and not whole) or "#" in m["flags"]:
            raise fail(f"the format {m[0]} is not supported here")
        words = m["type"] in "sr"
        align = "<" if "-" in m["flags"] else ">" if words and m["width"] else ""
        sign = "" if words else next((c for c in "+ " if c in m["flags"]), "")
        zero = "0" if "0" in m["flags"] and not align and not words else ""
        kind = {"s": "", "r": "", "i": "d"}.get(m["type"], m["type"])
        parts.append(spelled(v, align + sign + zero + m["width"] + (m["precision"] or "") + kind, {"s": 115, "r": 114}.get(m["type"], -1)))
    if given:
        raise fail("not all arguments converted during string formatting")
    return Text(tuple(p for p in (*parts, text[at:]) if p != ""))


def printed(m: Any, v: Value, inside: bool = False) -> list[Piece]:
    """What `print` writes for a value; `inside` a container items are written by their repr."""
    if isinstance(v, Text):
        return [x for p in v.parts for x in ([Spelled(p, "", -1)] if isinstance(p, Num) else printed(m, p) if isinstance(p, Value) else [p])]
    if isinstance(v, Spelled):
        return [v]
    if isinstance(v, Num):
        return [(repr if inside else str)(v.const)] if isinstance(v.expr, ir.Const) and v.type.weak else [Spelled(v, "", 114 if inside else 115)]
    if isinstance(v, Obj):
        return [(repr if inside else str)(v.value)]
    if isinstance(v, Ref) and v.heap.kind == "dict" and isinstance(content := m.contents(v), Fields):
        return row([[repr(k) + ": ", *printed(m, x, True)] for k, x in content.fields.items()], "{", "}")
    if isinstance(v, Tup):
        names = getattr(v.cls, "_fields", None)
        items = [printed(m, x, True) for x in v.items]
        if names:
            return row([[n + "=", *i] for n, i in zip(names, items, strict=True)], f"{v.cls.__name__}(", ")")  # type: ignore[union-attr]
        return row(items, "(", ",)" if len(items) == 1 else ")")
    if isinstance(v, Ref) and v.heap.kind == "list":
        return row([printed(m, x, True) for x in m.sequence_items(v)], "[", "]")
    return [x if isinstance(x, str) else Spelled(Num(x), "", -1) for x in m.text_parts(v)]


def row(items: list[list[Piece]], start: str, end: str) -> list[Piece]:
    return [start, *(x for k, i in enumerate(items) for x in ([", ", *i] if k else i)), end]


def print_statement(m: Any, args: Sequence[Value], sep: str, end: str) -> ir.Print:
    """`print(*args, sep=sep, end=end)`: values one by one where `print` itself writes them, otherwise a format."""
    pieces = [printed(m, v) for v in args]
    if sep == " " and end == "\n" and all(len(p) == 1 and (isinstance(x := p[0], str) or plain(x)) for p in pieces):
        return ir.Print([x if isinstance(x, str) else x.value.expr for (x,) in pieces], {})
    flat = [x for k, p in enumerate(pieces) for x in ([sep, *p] if k else p)]
    formats = tuple(None if isinstance(x, str) else format_of(x) for x in flat)
    return ir.Print([x if isinstance(x, str) else x.value.expr for x in flat], {"formats": formats} | ({} if end == "\n" else {"end": end}))


def plain(x: Spelled) -> bool:
    """Is this what `print` writes for the value itself?"""
    return not x.spec and (x.conversion == 115 or (x.conversion < 0 and x.value.type.dtype != "float32"))


def format_of(x: Spelled) -> str:
    """The field of a format string."""
    return "{" + (f"!{chr(x.conversion)}" if x.conversion > 0 else "") + (f":{x.spec}" if x.spec else "") + "}"


def logs(owner: Any, name: str) -> bool:
    """Is this a logger, and its method of this name one that writes a record?"""
    return isinstance(owner, logging.Logger | logging.LoggerAdapter) and name in LEVELS
