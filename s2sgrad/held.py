"""Arguments with variables in them, as a compiled function sees them: held by an object that the function captures.

What is captured can be assigned. So `f(v, x)` with a variable v is compiled as the method `f(self.v, x)` of an object that holds v.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any

from s2sgrad.eager import function_of_text
from s2sgrad.operators import Operators
from s2sgrad.structure import children, describe
from s2sgrad.variable import ResourceVariable

_adapters: dict[Any, Callable[..., Any]] = {}


class Held:
    """The arguments with variables, by name, and the object whose method is called."""

    def __init__(self, held: dict[str, Any]) -> None:
        vars(self).update(held)


def has_variable(value: Any, depth: int = 0) -> bool:
    if isinstance(value, ResourceVariable):
        return True
    if depth > 20 or isinstance(value, (int, float, complex, str)):
        return False
    inside = children(value)
    return inside is not None and any(has_variable(v, depth + 1) for v in inside[2])


def key(value: Any) -> Any:
    """The structure and types of an argument with variables."""
    if isinstance(value, ResourceVariable):
        return "variable", value._array.dtype, value._array.ndim, value.trainable
    if not has_variable(value):
        return describe(value._array if isinstance(value, Operators) else value)
    kind, keys, items = children(value)  # type: ignore[misc]
    return kind, type(value), tuple(keys), tuple(map(key, items))


def bound(fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Callable[..., Any], list[Any], dict[str, Any]]:
    """The function of the other arguments, which captures those with variables; the function itself where there are none."""
    places = [k for k, a in enumerate(args) if has_variable(a)]
    named = [k for k, a in kwargs.items() if has_variable(a)]
    if not places and not named or not isinstance(fn, (types.FunctionType, types.MethodType)):
        return fn, list(args), kwargs
    plain = fn.__func__ if isinstance(fn, types.MethodType) else fn
    names = _names(fn, len(args))
    held = {names[k]: args[k] for k in places} | {k: kwargs[k] for k in named}
    if isinstance(fn, types.MethodType):
        held["owner"] = fn.__self__
    key = plain, tuple(places), tuple(named), len(args), tuple(kwargs), isinstance(fn, types.MethodType)
    if key not in _adapters:
        _adapters[key] = _adapter(plain, names, places, named, list(kwargs), isinstance(fn, types.MethodType))
    rest = [a for k, a in enumerate(args) if k not in places]
    return types.MethodType(_adapters[key], Held(held)), rest, {k: v for k, v in kwargs.items() if k not in named}


def _names(fn: Callable[..., Any], count: int) -> list[str]:
    """Names for the positional arguments: those of the parameters."""
    known = [p.name for p in inspect.signature(fn).parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [*known[:count], *(f"arg_{k}" for k in range(len(known), count))]


def _adapter(plain: Any, names: list[str], places: list[int], named: list[str], keywords: list[str], method: bool) -> Callable[..., Any]:
    given = [f"held.{n}" if k in places else n for k, n in enumerate(names)] + [f"{k}=held.{k}" if k in named else f"{k}={k}" for k in keywords]
    params = ["held", *(n for k, n in enumerate(names) if k not in places)]
    params += ["*", *rest] if (rest := [k for k in keywords if k not in named]) else []
    name = plain.__name__ if plain.__name__.isidentifier() else "function"
    text = f"def {name}({', '.join(params)}):\n    return the_function({', '.join(['held.owner'] * method + given)})\n"
    return function_of_text(text, name, {"the_function": plain})
