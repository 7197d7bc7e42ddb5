"""Arguments of other layers' array classes (tensors): taken out of their wrapping before a derivative is computed, results put back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# class -> (to a NumPy value, from a NumPy value)
WRAPPERS: dict[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {}

# Computes a derivative object of wrapped arguments where somebody records: (derivative, args, kw) -> result, or NotImplemented.
RECORDERS: list[Callable[..., Any]] = []


def wrapper_in(value: Any) -> Callable[[Any], Any] | None:
    """How to wrap results again, for a value or nested containers that hold something wrapped; None for plain data."""
    found = WRAPPERS.get(type(value))
    if found is not None:
        return found[1]
    if isinstance(value, (tuple, list, dict)):
        items = value.values() if isinstance(value, dict) else value
        return next((w for v in items if (w := wrapper_in(v)) is not None), None)
    return None


def unwrapped(value: Any) -> Any:
    """Plain NumPy data in the same containers."""
    found = WRAPPERS.get(type(value))
    return found[0](value) if found is not None else rebuilt(value, unwrapped)


def rewrapped(value: Any, wrap: Callable[[Any], Any] | None) -> Any:
    """Arrays and numbers of a result wrapped, in the same containers."""
    if wrap is None:
        return value
    if isinstance(value, (np.ndarray, np.generic, float, int, complex)):
        return wrap(value)
    return rebuilt(value, lambda v: rewrapped(v, wrap))


def rebuilt(value: Any, f: Callable[[Any], Any]) -> Any:
    if isinstance(value, tuple):
        return type(value)(*map(f, value)) if hasattr(value, "_fields") else tuple(map(f, value))
    if isinstance(value, list):
        return [f(v) for v in value]
    return {k: f(v) for k, v in value.items()} if isinstance(value, dict) else value


def call_wrapped(call: Callable[..., Any], derivative: Callable[[], Any], args: Any, kw: dict[str, Any] | None) -> Any:
    """A derivative of wrapped arguments: recorded where somebody listens, else computed on the data."""
    for record in RECORDERS:
        result = record(derivative, args, kw or {})
        if result is not NotImplemented:
            return result
    wrap = wrapper_in((args, kw or {}))
    return rewrapped(call(unwrapped(tuple(args)), None if kw is None else unwrapped(kw)), wrap)
