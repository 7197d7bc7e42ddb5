"""The structure of arguments and results: nested containers with numeric leaves.

`describe` turns a value into a hashable `Spec`; `flatten` lists its numeric leaves (scalars and arrays) in order;
`unflatten` builds a value of the same structure from new leaves.
"""

from __future__ import annotations

import dataclasses
import enum
import logging
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from s2sgrad.ir import Type
from s2sgrad.rules.registry import canonical, type_of

FUNCTION_MAKERS = ("s2sgrad", "numba", "numpy", "scipy", "functools")  # their callable objects are functions, not data


@dataclass(frozen=True)
class Leaf:
    """A number or an array. `zero_d` marks a 0-d array (handled as a scalar inside); `readonly` an array whose
    memory may not be written (numba gives it a type of its own); `units` says which extents are 1, where the program depends on it."""

    type: Type
    zero_d: bool = False
    readonly: bool = False
    units: tuple[bool, ...] | None = None



UNITS = "the extents that are 1"  # the last step of a path that means these instead of an argument's value


@dataclass(frozen=True)
class Structure:
    """The class and the keys of a container (of a list and a tuple how many elements it has)."""

    cls: Any
    keys: Any


class Static:
    """A value fixed at specialisation: string, None, type, function, module, any other object.

    Compared by equality for plain immutable data and by identity otherwise.
    """

    __slots__ = ("value",)
    PLAIN = (str, bytes, type(None), np.dtype, slice, type(Ellipsis), frozenset, Structure)
    AGAIN = (types.MethodType, types.BuiltinMethodType)  # made anew at each reading

    def __init__(self, value: Any) -> None:
        self.value = canonical(value)

    def __eq__(self, o: object) -> bool:
        if not isinstance(o, Static):
            return False
        return self.value is o.value or (type(self.value) is type(o.value) and isinstance(self.value, self.PLAIN + self.AGAIN) and self.value == o.value)

    def __hash__(self) -> int:
        if isinstance(self.value, self.AGAIN):
            return hash(self.value)
        return hash(repr(self.value)) if isinstance(self.value, self.PLAIN) else id(self.value)

    def __repr__(self) -> str:
        return f"Static({self.value!r})"


@dataclass(frozen=True)
class Node:
    """A container. kind: 'tuple', 'list', 'dict', 'namedtuple', 'dataclass', 'object' (plain class, attributes), 'growing' (a list whose length is
    known at run time only, of a result: the child says what an element is, and for each number of it there is one array), 'pieces' (an array in such
    an element, whose shape is known at run time only: the children are all of them, one after the other, and their extents; the key is the rank,
    and cls is list where it stands for lists of numbers)."""

    kind: str
    cls: Any
    keys: tuple[Any, ...]
    children: tuple[Spec, ...]


Spec = Union[Leaf, Static, Node]


def describe(value: Any) -> Spec:
    """The structure of a value, with a `Type` at each numeric leaf."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "fcbiu":
            return Static(value)
        return Leaf(type_of(value), zero_d=value.ndim == 0, readonly=value.ndim > 0 and not value.flags.writeable)
    if isinstance(value, (bool, int, float, complex, np.number, np.bool_)):
        return Leaf(type_of(value))
    kids = children(value)
    if kids is None:
        return Static(value)
    kind, keys, items = kids
    return Node(kind, type(value), tuple(keys), tuple(describe(v) for v in items))


def children(value: Any) -> tuple[str, Sequence[Any], Sequence[Any]] | None:
    """(kind, keys, items) of a container, None for anything else."""
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        return ("namedtuple", fields, list(value)) if fields is not None else ("tuple", range(len(value)), list(value))
    if isinstance(value, list):
        return "list", range(len(value)), value
    if isinstance(value, dict):
        return "dict", list(value), list(value.values())
    if getattr(type(value), "__s2sgrad_object__", False):
        return "object", list(vars(value)), list(vars(value).values())
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type, types.MethodType, np.ufunc, np.dtype)):
        return None
    if callable(value) and not _is_model(value):
        return None
    if isinstance(value, enum.Enum | logging.Logger | logging.LoggerAdapter):
        return None
    if dataclasses.is_dataclass(value):
        names = [f.name for f in dataclasses.fields(value)]
        return "dataclass", names, [getattr(value, n) for n in names]
    if type(value).__module__ not in ("builtins", "numpy") and isinstance(getattr(value, "__dict__", None), dict):
        return "object", list(vars(value)), list(vars(value).values())
    return None


def structure_of(value: Any) -> Structure:
    if isinstance(value, list) or type(value) is tuple:
        return Structure(type(value), len(value))
    found = children(value)
    return Structure(type(value), None if found is None else tuple(found[1]))


def _is_model(value: Any) -> bool:
    """Is this callable an object of a user's class with numbers in its attributes (a layer, a network), not a function in another form?"""
    call = getattr(type(value), "__call__", None)  # noqa: B004
    if not isinstance(call, types.FunctionType) or type(value).__module__.split(".")[0] in FUNCTION_MAKERS or hasattr(value, "__wrapped__"):
        return False
    return any(isinstance(leaf, Leaf) for v in getattr(value, "__dict__", {}).values() for leaf in _parts(describe(v)))


def _parts(spec: Spec) -> Iterator[Spec]:
    if isinstance(spec, Node):
        for c in spec.children:
            yield from _parts(c)
    else:
        yield spec


def flatten(value: Any, spec: Spec) -> list[Any]:
    """The numeric leaves of a value, in order."""
    if isinstance(spec, Leaf):
        return [value[()] if spec.zero_d else value]
    if isinstance(spec, Static):
        return []
    _, _, items = children(value)  # type: ignore[misc]
    return [leaf for v, s in zip(items, spec.children, strict=True) for leaf in flatten(v, s)]


def leaves(spec: Spec) -> list[Leaf]:
    """The leaf specs, in the order of `flatten`."""
    if isinstance(spec, Leaf):
        return [spec]
    if isinstance(spec, Static):
        return []
    return [x for c in spec.children for x in leaves(c)]


def columns_of(spec: Spec) -> list[Spec]:
    """The numbers and arrays of an element of a list that has grown."""
    if isinstance(spec, Node) and spec.kind != "pieces":
        return [x for c in spec.children for x in columns_of(c)]
    return [] if isinstance(spec, Static) else [spec]


def unflatten(spec: Spec, values: Sequence[Any], static: Callable[[Any], Any] = lambda v: v) -> Any:
    """A value of this structure from its leaves. `static` maps the static parts."""
    it = iter(values)
    out = _build(spec, it, static)
    assert next(it, it) is it, "leaves left over"
    return out


def _build(spec: Spec, it: Any, static: Callable[[Any], Any]) -> Any:
    if isinstance(spec, Leaf):
        v = next(it)
        return np.asarray(v) if spec.zero_d else v
    if isinstance(spec, Static):
        return static(spec.value)
    return assemble(spec, [_build(c, it, static) for c in spec.children])


def assemble(spec: Node, items: list[Any]) -> Any:
    """A container of the spec's kind."""
    if spec.kind == "tuple":
        return tuple(items)
    if spec.kind == "list":
        return items
    if spec.kind == "dict":
        return dict(zip(spec.keys, items, strict=True))
    if spec.kind == "namedtuple":
        return spec.cls(*items)
    obj = object.__new__(spec.cls)
    for k, v in zip(spec.keys, items, strict=True):
        object.__setattr__(obj, k, v)
    return obj
