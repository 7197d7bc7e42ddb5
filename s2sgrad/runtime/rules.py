"""Custom gradients in generated text that is read again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def custom_rule(function: Callable[..., Any]) -> Callable[..., Any]:
    """`custom_gradient` on plain arrays and numbers: the function returns its value and its rule; a call gives the value."""
    return lambda *args: function(*args)[0]


custom_rule.__s2sgrad_rule__ = "own"  # type: ignore[attr-defined]
