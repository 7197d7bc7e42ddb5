"""What a call was given, with a note of what has been read: an option that nobody read must not be ignored."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from s2sgrad.frontend.values import Value


class Options(dict[str, Value]):
    """Keyword arguments that remember which of them were read."""

    def __init__(self, given: dict[str, Value]) -> None:
        super().__init__(given)
        self.unread = set(given)

    def _all(self) -> None:
        self.unread.clear()

    def __getitem__(self, key: str) -> Value:
        self.unread.discard(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.unread.discard(key)  # type: ignore[arg-type]
        return super().__contains__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.unread.discard(key)
        return super().get(key, default)

    def pop(self, key: str, *default: Any) -> Any:
        self.unread.discard(key)
        return super().pop(key, *default)

    def setdefault(self, key: str, default: Any = None) -> Any:
        self.unread.discard(key)
        return super().setdefault(key, default)

    def __iter__(self) -> Iterator[str]:
        self._all()
        return super().__iter__()

    def keys(self) -> Any:
        self._all()
        return super().keys()

    def values(self) -> Any:
        self._all()
        return super().values()

    def items(self) -> Any:
        self._all()
        return super().items()


class Arguments(list[Value]):
    """Positional arguments that remember up to which place they were read."""

    def __init__(self, given: list[Value]) -> None:
        super().__init__(given)
        self.read = 0

    def __getitem__(self, at: Any) -> Any:
        self.read = len(self) if isinstance(at, slice) or at < 0 else max(self.read, at + 1)
        return super().__getitem__(at)

    def __iter__(self) -> Iterator[Value]:
        self.read = len(self)
        return super().__iter__()

    def __add__(self, other: Any) -> Any:
        self.read = len(self)
        return super().__add__(other)


def in_order(obj: Any, args: list[Value], kwargs: dict[str, Value]) -> tuple[list[Value], dict[str, Value]]:
    """The arguments that a builtin takes by position as well as by name, by position."""
    try:
        parameters = list(inspect.signature(obj).parameters.values())
    except (TypeError, ValueError):
        return args, kwargs
    args, kwargs = list(args), dict(kwargs)
    for p in parameters[len(args):]:
        if p.kind is not p.POSITIONAL_OR_KEYWORD or p.name not in kwargs:
            break
        args.append(kwargs.pop(p.name))
    return args, kwargs
