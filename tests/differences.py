"""An independent derivative: Ridders' extrapolated central differences of the plain Python run, with an error estimate.

Used by the tests only; the product contains no finite differences.
"""

from __future__ import annotations

import copy
import dataclasses
import enum
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def numbers(value: Any) -> list[float]:
    """The real numbers a value carries a derivative for, in order (a complex number counts as two)."""
    if isinstance(value, (bool, np.bool_, int, np.integer, str, bytes, type(None))):
        return []
    if isinstance(value, (float, np.floating)):
        return [float(value)]
    if isinstance(value, (complex, np.complexfloating)):
        return [float(value.real), float(value.imag)]
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            return [float(v) for v in value.ravel()]
        if value.dtype.kind == "c":
            return [float(p) for v in value.ravel() for p in (v.real, v.imag)]
        return []
    return [x for v in _items(value) for x in numbers(v)]


def with_numbers(value: Any, numbers_: Iterator[float]) -> Any:
    """The same structure with other real numbers; single precision is widened."""
    if isinstance(value, (bool, np.bool_, int, np.integer, str, bytes, type(None))):
        return value
    if isinstance(value, (float, np.floating)):
        x = next(numbers_)
        return x if type(value) is float else np.float64(x)
    if isinstance(value, (complex, np.complexfloating)):
        z = complex(next(numbers_), next(numbers_))
        return z if type(value) is complex else np.complex128(z)
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            out = np.empty_like(value, dtype=np.float64)
            out[...] = np.array([next(numbers_) for _ in range(value.size)]).reshape(value.shape)
            return out
        if value.dtype.kind == "c":
            out = np.empty_like(value, dtype=np.complex128)
            out[...] = np.array([complex(next(numbers_), next(numbers_)) for _ in range(value.size)]).reshape(value.shape)
            return out
        return value.copy()
    if isinstance(value, tuple):
        items = [with_numbers(v, numbers_) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, list):
        return [with_numbers(v, numbers_) for v in value]
    if isinstance(value, dict):
        return {k: with_numbers(v, numbers_) for k, v in value.items()}
    if opaque(value):
        return value
    out = copy.copy(value)
    for k, v in vars(value).items():
        object.__setattr__(out, k, with_numbers(v, numbers_))
    return out


def opaque(value: Any) -> bool:
    """A function, not an object of a class that defines __call__."""
    called = getattr(type(value), "__call__", None)  # noqa: B004
    return callable(value) and (not isinstance(called, types.FunctionType) or isinstance(value, type | enum.Enum))


def _items(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return list(value)
    if isinstance(value, dict):
        return list(value.values())
    if opaque(value):
        return []
    if dataclasses.is_dataclass(value) or hasattr(value, "__dict__"):
        return list(vars(value).values())
    return []


def ridders(f: Callable[[float], float], x: float, h: float, levels: int = 5) -> tuple[float, float]:
    """df/dx at x and an estimate of its error, by extrapolating central differences to h = 0."""
    best, error = np.nan, np.inf
    row: list[float] = []
    for k in range(levels):
        up, down = x + h, x - h
        new = [(f(up) - f(down)) / (up - down)]
        factor = 4.0
        for j in range(k):
            new.append(new[j] + (new[j] - row[j]) / (factor - 1.0))
            factor *= 4.0
            e = max(abs(new[j + 1] - new[j]), abs(new[j + 1] - row[j]))
            if e <= error:
                best, error = new[j + 1], e
        if k and abs(new[k] - row[k - 1]) >= 2.0 * error:
            break
        row = new
        h *= 0.5
    return best, error


def gradient(f: Callable[..., float], args: tuple[Any, ...], wrt: int, step: float = 2e-3, accept: float = 1e-7) -> tuple[list[float], list[float]]:
    """The gradient of the real scalar f(*args) for argument `wrt`, as flat real numbers (order of `numbers`), with
    error estimates. A step that meets a kink shows in the estimate; smaller steps are then tried."""
    base = numbers(args[wrt])
    grads, errors = [], []
    for k, x in enumerate(base):
        def along(t: float, k: int = k) -> float:
            moved = base[:k] + [t] + base[k + 1:]
            call = [copy.deepcopy(a) if i != wrt else with_numbers(a, iter(moved)) for i, a in enumerate(args)]
            return float(f(*call))

        best = (np.nan, np.inf)
        for shrink in (1.0, 0.02, 1e-3):
            d = ridders(along, x, step * shrink * max(1.0, abs(x)))
            if d[1] < best[1]:
                best = d
            if best[1] <= accept * max(1.0, abs(best[0])):
                break
        grads.append(best[0])
        errors.append(best[1] if _continuous(along, x, best[0]) else np.inf)
    return grads, errors


def _continuous(f: Callable[[float], float], x: float, slope: float) -> bool:
    """Does the value at x fit the values beside it? (A comparison of equal numbers may be decided by rounding at x alone.)"""
    h, here = 1e-9 * max(1.0, abs(x)), f(x)
    return not any(abs(f(x + d) - here) > 2.0 * h * abs(slope) + 1e-9 * max(1.0, abs(here)) for d in (-h, h))


def widen(value: Any) -> Any:
    """Single precision data in double precision."""
    return with_numbers(value, iter(numbers(value)))
