"""Which Python functions are written in the input language (see `lookup`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from s2sgrad.errors import Unsupported
from s2sgrad.rules.build import means, static
from s2sgrad.rules.registry import canonical

F = TypeVar("F", bound=Callable[..., Any])
TABLE: dict[int, tuple[Any, Callable[..., Any]]] = {}  # id(object) -> (object, function)


def implements(*objects: Any) -> Callable[[F], F]:
    """The decorated function does what these functions do, in the input language."""

    def declare(f: F) -> F:
        for o in objects:
            if o is not None:
                o = canonical(o)
                TABLE[id(o)] = (o, f)
        return f

    return declare


def refuse(message: str) -> None:
    """Refuse an option at specialisation."""
    raise Unsupported(message)


means(refuse)(lambda message: refuse(static(message)))  # type: ignore[arg-type, func-returns-value, return-value]
