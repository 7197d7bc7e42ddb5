"""Every error s2sgrad raises: what, where (file, line, caret), why, and what to do."""

from __future__ import annotations

from typing import Any

from s2sgrad.ir import Place


class S2SGradError(Exception):
    """Base class. `place` and `hint` are printed below the message."""

    def __init__(self, message: str, place: Place | None = None, hint: str = "", caret: tuple[int, int] | None = None) -> None:
        self.message, self.place, self.hint, self.caret = message, place, hint, caret
        text = message
        if place is not None:
            text += f'\n  File "{place.file}", line {place.line}' + (f", in {place.function}" if place.function else "")
            if place.text:
                text += f"\n    {place.text}"
                if caret:
                    text += "\n    " + " " * caret[0] + "^" * max(1, caret[1] - caret[0])
        if hint:
            text += f"\n  {hint}"
        super().__init__(text)


class Unsupported(S2SGradError):
    """A construct or a function outside the language (refused, never mis-differentiated).

    `origin` names the argument that could be fixed to make it possible, where there is one.
    """

    origin: tuple[Any, ...] = ()


class NotDifferentiable(S2SGradError):
    """An operation without a derivative is applied to active data."""


class NoSource(S2SGradError, TypeError):
    """The function's source cannot be found (builtin, C function, text typed without linecache)."""


class WrtError(S2SGradError, TypeError):
    """`wrt` names no parameter, or one that cannot carry a derivative (integer, bool, string, ...)."""


class ResultError(S2SGradError, TypeError):
    """`grad` of a function whose result is not one real scalar."""


class ArgumentError(S2SGradError, TypeError):
    """An argument of the wrong rank, kind or structure."""


class AliasError(S2SGradError, ValueError):
    """Array arguments that overlap in memory while one of them is written."""


class TypeConflict(S2SGradError, TypeError):
    """A variable would need two types at one place (a scalar on one path, an array on another)."""


class CustomGradientError(S2SGradError, ValueError):
    """A custom gradient returned the wrong number or shape of gradients."""


class OpError(S2SGradError):
    """An operation failed."""


class InvalidArgumentError(OpError, ValueError):
    """A tensor operation got values it cannot work with: mixed dtypes, shapes that do not fit, a device that is not there."""
