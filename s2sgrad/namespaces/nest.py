"""Nested structures: tuples, lists, dicts (by sorted key), named tuples and dataclasses with any leaves."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def is_nested(x: Any) -> bool:
    return isinstance(x, (tuple, list, Mapping)) or dataclasses.is_dataclass(x) and not isinstance(x, type)


def _items(x: Any) -> list[Any]:
    if isinstance(x, Mapping):
        return [x[k] for k in sorted(x)]
    if isinstance(x, (tuple, list)):
        return list(x)
    return [getattr(x, f.name) for f in dataclasses.fields(x)]


def flatten(structure: Any) -> list[Any]:
    """The leaves in order.

    >>> flatten({"b": [1, (2,)], "a": 3})
    [3, 1, 2]
    """
    if not is_nested(structure):
        return [structure]
    return [leaf for item in _items(structure) for leaf in flatten(item)]


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any]) -> Any:
    """A structure like the given one with other leaves."""
    it = iter(flat_sequence)
    n = len(flatten(structure))
    if n != len(flat_sequence):
        raise ValueError(f"Structure had {n} atoms, but flat_sequence had {len(flat_sequence)} items. Structure: {structure}.")
    return _pack(structure, it)


def _pack(structure: Any, it: Any) -> Any:
    if not is_nested(structure):
        return next(it)
    new = [_pack(s, it) for s in _items(structure)]
    if isinstance(structure, Mapping):
        by_key = dict(zip(sorted(structure), new, strict=True))
        return type(structure)((k, by_key[k]) for k in structure)  # type: ignore[call-arg]
    if isinstance(structure, (tuple, list)):
        return type(structure)(*new) if hasattr(structure, "_fields") else type(structure)(new)
    return dataclasses.replace(structure, **{f.name: v for f, v in zip(dataclasses.fields(structure), new, strict=True)})


def map_structure(func: Callable[..., Any], *structures: Any, **kwargs: Any) -> Any:
    """Apply `func` to corresponding leaves of structures that match."""
    if not structures:
        raise ValueError("Must provide at least one structure")
    for other in structures[1:]:
        assert_same_structure(structures[0], other)
    flat = [flatten(s) for s in structures]
    return pack_sequence_as(structures[0], [func(*leaves, **kwargs) for leaves in zip(*flat, strict=True)])


def assert_same_structure(a: Any, b: Any, check_types: bool = True) -> None:
    """ValueError or TypeError where two structures differ."""
    if is_nested(a) != is_nested(b):
        raise ValueError(f"The two structures don't have the same nested structure: {a} and {b}.")
    if not is_nested(a):
        return
    if check_types and type(a) is not type(b):
        raise TypeError(f"The two structures don't have the same sequence type: {type(a).__name__} and {type(b).__name__}.")
    if isinstance(a, Mapping) and sorted(a) != sorted(b):
        raise ValueError(f"The two dictionaries don't have the same keys: {sorted(a)} and {sorted(b)}.")
    if len(_items(a)) != len(_items(b)):
        raise ValueError(f"The two structures don't have the same number of elements: {len(_items(a))} and {len(_items(b))}.")
    for x, y in zip(_items(a), _items(b), strict=True):
        assert_same_structure(x, y, check_types)
