"""The shape of a tensor inside a compiled function: a tuple with TensorShape's methods, which are written in the input language."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from s2sgrad.frontend.values import Tup


def _as_list(self):  # type: ignore[no-untyped-def]
    return list(self)


def _rank(self):  # type: ignore[no-untyped-def]
    return len(self)


def _num_elements(self):  # type: ignore[no-untyped-def]
    n = 1
    for extent in self:
        n = n * extent
    return n


def _is_fully_defined(self):  # type: ignore[no-untyped-def]
    return True


def _add(self, other):  # type: ignore[no-untyped-def]
    return EXTENTS[len(self) + len(other)](*self, *other)


def _radd(self, other):  # type: ignore[no-untyped-def]
    return EXTENTS[len(self) + len(other)](*other, *self)


def _text(self: Any) -> str:
    return f"TensorShape({list(self)!r})"


def _made(rank: int) -> Any:
    base: Any = namedtuple("TensorShape", [f"axis_{k}" for k in range(rank)])  # type: ignore[misc]
    made: Any = type("TensorShape", (base,), {"__add__": _add, "__radd__": _radd, "__repr__": _text, "__slots__": ()})
    made.as_list, made.num_elements, made.is_fully_defined, made.concatenate = _as_list, _num_elements, _is_fully_defined, _add
    made.rank, made.ndims, made.dims = property(_rank), property(_rank), property(_as_list)
    return made


EXTENTS = {rank: _made(rank) for rank in range(33)}
CLASSES = frozenset(EXTENTS.values())


def extents(items: Any) -> Tup:
    items = tuple(items)
    return Tup(items, EXTENTS[len(items)])


def is_extents(v: Any) -> bool:
    return isinstance(v, Tup) and v.cls in CLASSES
