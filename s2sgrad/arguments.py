"""Arguments: fingerprints for the fast path, checks for the slow one, and results in the user's structure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from s2sgrad.errors import AliasError, ArgumentError, WrtError
from s2sgrad.ir import Array, Place, Scalar, Type, is_inexact
from s2sgrad.structure import Leaf, Node, Spec, Static, assemble, children, columns_of, describe, leaves

SCALARS = frozenset({float, int, bool, complex, np.float64, np.float32, np.int64, np.int32, np.bool_, np.complex128, np.complex64})
LAYOUT = 0x1 | 0x2 | 0x100 | 0x400  # of ndarray.flags.num: C, F, aligned, writeable
NUMERIC = frozenset("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split())


def fingerprint(value: Any) -> Any:
    """A hashable key that determines the spec of a value."""
    t = type(value)
    if t is np.ndarray:
        return value.dtype, value.ndim, value.flags.num & LAYOUT
    if t in SCALARS:
        return t
    return describe(value)


def checked(value: Any, name: str, place: Place | None = None) -> Spec:
    """The spec of an argument; kinds of data that would be misread are refused."""
    check(value, name, place)
    return describe(value)


def check(value: Any, name: str, place: Place | None) -> None:
    if isinstance(value, np.ndarray):
        check_array(value, name, place)
    elif isinstance(value, np.generic):
        if value.dtype.name not in NUMERIC and value.dtype.kind in "fcbiu":
            raise ArgumentError(f"argument {name} is {article(value.dtype.name)}, which is not supported", place, "Convert it to float64 or float32.")
    elif hasattr(type(value), "__array__") and not isinstance(value, type):
        raise ArgumentError(
            f"argument {name} is {article(type(value).__name__)}, not a NumPy array", place, f"Pass a NumPy array: np.asarray({name})."
        )
    elif (kids := children(value)) is not None:
        _, keys, items = kids
        for k, v in zip(keys, items, strict=True):
            check(v, f"{name}[{k!r}]" if isinstance(value, (tuple, list, dict)) else f"{name}.{k}", place)


def check_array(value: np.ndarray, name: str, place: Place | None) -> None:
    if type(value) is not np.ndarray and type(value) is not np.memmap:
        kind = type(value).__name__
        raise ArgumentError(f"argument {name} is {article(kind)}; its operators mean something else than those of an array", place, f"Pass np.asarray({name}).")
    if value.dtype.kind in "fcbiu":
        if not value.dtype.isnative:
            raise ArgumentError(f"argument {name} has a foreign byte order ({value.dtype.str})", place, f'Pass {name}.astype({name}.dtype.newbyteorder("=")).')
        if value.dtype.name not in NUMERIC:
            raise ArgumentError(f"argument {name} is an array of {value.dtype.name}, which is not supported", place, "Convert it to float64 or float32.")
    elif value.dtype.kind == "O":
        raise ArgumentError(f"argument {name} is an array of Python objects", place, f"Convert it to numbers: {name}.astype(float).")


def article(noun: str) -> str:
    return ("an " if noun[:1].lower() in "aeiou" else "a ") + noun


def check_differentiable(spec: Spec, name: str, function: str, place: Place | None) -> None:
    """Something in the argument must be able to carry a derivative."""
    if any(is_inexact(leaf.type) for leaf in leaves(spec)):
        return
    what, hint = "it holds no real or complex numbers", ""
    if isinstance(spec, Leaf):
        kind = {"b": "a boolean", "i": "an integer", "u": "an integer"}[spec.type.dtype[0]]
        array = isinstance(spec.type, Array)
        what = f"it is {kind}{' array' if array else ''} ({spec.type})"
        hint = f"Pass {name}.astype(float)." if array else f"Pass float({name}), for example 2.0 instead of 2."
    elif isinstance(spec, Static):
        what = f"it is {'None' if spec.value is None else article(type(spec.value).__name__)}"
        hint = "Only numbers, arrays and structures of them have a gradient."
    raise WrtError(f"cannot differentiate {function} with respect to {name}: {what}", place, hint)


def check_overlap(values: Sequence[Any], names: Sequence[str], written: Sequence[int], function: str, place: Place | None) -> None:
    """Refuse two arguments that share memory when one of them is written: their adjoints would not be independent."""
    for w in written:
        for k, v in enumerate(values):
            if k != w and isinstance(v, np.ndarray) and np.may_share_memory(v, values[w]) and overlap(v, values[w]):
                raise AliasError(
                    f"arguments {names[min(k, w)]} and {names[max(k, w)]} of {function} overlap in memory, and {function} writes into {names[w]}",
                    place,
                    f"Pass a copy: {names[w]}.copy().",
                )


def overlap(a: np.ndarray, b: np.ndarray) -> bool:
    try:
        return np.shares_memory(a, b, max_work=100_000)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


# ------------------------------------------------------------------------------------------- results


def to_type(t: Type, zero_d: bool = False) -> Callable[[Any], Any] | None:
    """What turns a computed number into one of the type NumPy gives; None for arrays, which are right already."""
    if isinstance(t, Scalar):
        if zero_d:
            return lambda v: np.asarray(v, dtype=t.dtype)
        if t.weak:
            return {"float64": float, "int64": int, "bool": bool, "complex128": complex}[t.dtype]
        return np.dtype(t.dtype).type
    return None


def leaf_maker(leaf: Leaf) -> Callable[[Any], Any] | None:
    return to_type(leaf.type, leaf.zero_d)


def build(spec: Spec, take: Iterator[Any], static: Callable[[Any], Any] = lambda v: v, active: Callable[[Leaf], bool] = lambda leaf: True) -> Any:
    """A value of this structure. Leaves come from `take` in order; an inactive leaf becomes None."""
    if isinstance(spec, Leaf):
        if not active(spec):
            return None
        make = leaf_maker(spec)
        value = next(take)
        return value if make is None or value is None else make(value)
    if isinstance(spec, Static):
        return static(spec.value)
    if spec.kind == "growing":
        return build_list(spec.children[0], take, static, active)
    if spec.kind == "pieces":
        return next(take) if active(spec.children[0]) else None  # type: ignore[arg-type]
    items = [build(c, take, static, active) for c in spec.children]
    return assemble(spec, items)


def build_list(spec: Spec, take: Iterator[Any], static: Callable[[Any], Any], active: Callable[[Leaf], bool]) -> list[Any] | None:
    """A list of elements of this structure, from one array for each number (for arrays two of them); None where no leaf is active."""
    columns = []
    for c in columns_of(spec):
        if isinstance(c, Leaf) and active(c):
            columns.append(next(take))
        elif isinstance(c, Node) and active(c.children[0]):  # type: ignore[arg-type]
            columns.append(pieces(c, next(take), next(take)))
    if not columns:
        return None
    return [build(spec, iter([c[k] for c in columns]), static, active) for k in range(len(columns[0]))]


def pieces(spec: Node, data: np.ndarray, extents: np.ndarray) -> list[Any]:
    """The arrays that stand one after the other, or the lists of numbers that they stand for."""
    (rank, weak), out, at = spec.keys, [], 0
    for k in range(len(extents) // rank):
        shape = tuple(extents[k * rank : (k + 1) * rank])
        size = int(np.prod(shape))
        a = data[at : at + size].reshape(shape)
        out.append(a.tolist() if weak else listed(a) if spec.cls is list else a.copy())
        at += size
    return out


def listed(a: np.ndarray) -> list[Any]:
    return list(a) if a.ndim == 1 else [listed(row) for row in a]


def with_extents(spec: Spec, raw: Sequence[Any], tangents: Iterator[Any]) -> Iterator[Any]:
    """The tangents of a result's leaves, with the extents of the arrays whose shapes are known at run time only."""
    it = iter(raw)
    for s in [x for part in result_parts(spec) for x in (columns_of(part.children[0]) if isinstance(part, Node) else [part])]:
        values = [next(it) for _ in leaves(s)]
        if is_inexact(leaves(s)[0].type):
            yield next(tangents)
            yield from values[1:]


def result_parts(spec: Spec) -> list[Leaf | Node]:
    """The leaves of a result, and its lists that have grown."""
    if isinstance(spec, Leaf) or isinstance(spec, Node) and spec.kind == "growing":
        return [spec]
    return [x for c in spec.children for x in result_parts(c)] if isinstance(spec, Node) else []


def gradient_maker(spec: Spec) -> Callable[[Iterator[Any]], Any]:
    """A function that takes the gradients of the real and complex leaves and gives them in the argument's structure;
    integers, booleans and everything that is not a number become None."""
    if isinstance(spec, Leaf):
        make = leaf_maker(spec)
        return next if make is None else lambda it: make(next(it))
    return lambda it: build(spec, it, lambda v: None, lambda leaf: is_inexact(leaf.type))
