"""Warnings and log records: a derivative issues none, their arguments are evaluated all the same."""

from __future__ import annotations

import logging
import warnings
from typing import Any

from s2sgrad.frontend.builtin import Builtins, means
from s2sgrad.frontend.printing import LEVELS
from s2sgrad.frontend.values import NONE, Error, Obj, Value


def said(a: list[Value], k: dict[str, Value]) -> Value:
    """What a message says is read, and nothing is done with it."""
    assert [*a, *k.values()]
    return NONE


@means(warnings.warn)
def _warn(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    kind = a[1] if len(a) > 1 else k.get("category", Obj(UserWarning))
    cls = a[0].cls if isinstance(a[0], Error) else m.static(kind)
    if m.catches(UserWarning if cls is None else cls):
        raise m.error("a warning that is caught as an exception is not supported", n, "Raise it.")
    return said(a, k)


@means(*(getattr(logging, name) for name in LEVELS))
def _log(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return said(a, k)


@means(warnings.simplefilter, warnings.filterwarnings)
def _filter(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return said(a, k)


@means(logging.getLogger)
def _logger(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return Obj(logging.getLogger(*(m.static(v) for v in (*a, *k.values()))))
