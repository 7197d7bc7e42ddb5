"""Calls of NumPy functions that are taken apart before they are looked up: `out=`, `where=`, stacks of matrices, `np.vectorize`."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Sequence
from typing import Any

import gast
import numpy as np

from s2sgrad import library
from s2sgrad.frontend.selection import Selection
from s2sgrad.frontend.source import source_of
from s2sgrad.frontend.values import NONE, Func, Num, Obj, Partial, Ref, Tup, Value, number
from s2sgrad.library.stacks import stacked
from s2sgrad.library.ufuncs import vectorized
from s2sgrad.rules.registry import canonical

NEUTRAL = {id(canonical(f)): value for f, value in (
    (np.sum, 0), (np.prod, 1), (np.any, False), (np.all, True), (np.add.reduce, 0), (np.multiply.reduce, 1), (np.logical_or.reduce, False),
    (np.logical_and.reduce, True), (np.nansum, 0), (np.nanprod, 1), (np.count_nonzero, 0))}
EXTREMA = {id(canonical(f)) for f in (np.max, np.min, np.amax, np.amin, np.maximum.reduce, np.minimum.reduce, np.nanmax, np.nanmin)}
ACCUMULATED_IN_OUT = {id(canonical(f)) for f in (np.sum, np.prod, np.add.reduce, np.multiply.reduce, np.add.accumulate, np.multiply.accumulate)}
DTYPE = 2  # the position of dtype in these functions


def _given(v: Value | None) -> bool:
    return v is not None and not (isinstance(v, Obj) and v.value is None)


def of_numpy(obj: Any) -> bool:
    owner = getattr(obj, "__self__", None)
    module = getattr(obj, "__module__", None) or ""
    return isinstance(obj, np.ufunc) or isinstance(owner, np.ufunc) or module.split(".")[0] == "numpy"


class NumPyCalls(Selection):
    def with_options(self, f: Obj, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value | None:
        """The call without `out=`, `where=` and `casting=`, stored or selected as they say; None where there are none."""
        if not of_numpy(f.value):
            return None
        args, rest = list(args), dict(kwargs)
        targets = self.taken_out(f.value, args, rest)
        mask = rest.pop("where", None) if self.selects(f.value) else None
        casting = rest.pop("casting", None) if "dtype" not in rest else None
        if isinstance(mask, Num) and mask.known and mask.const is True:
            mask = None
        if not targets and mask is None:
            return None if len(rest) == len(kwargs) else self.call(f, args, rest, node)
        if mask is not None and not isinstance(f.value, np.ufunc):
            args[0] = self.masked(f.value, args[0], mask, rest, node)
            if not targets:
                return self.call(f, args, rest, node)
        if not targets:
            raise self.error(f"where= of np.{f.value.__name__} without out= leaves elements undefined", node, "Give out=, an array of the result's shape.")
        targets = [self.as_var(self.numeric(t), "view") for t in targets]
        if id(canonical(f.value)) in ACCUMULATED_IN_OUT:
            if len(args) > DTYPE and not _given(args[DTYPE]):
                del args[DTYPE:]
            if len(args) <= DTYPE:
                rest.setdefault("dtype", Obj(np.dtype(targets[0].type.dtype)))
        result = self.call(f, args, rest, node)
        values = result.items if isinstance(result, Tup) else (result,)
        unsafe = casting is not None and self.static(casting) == "unsafe"
        for target, v in zip(targets, values, strict=True):
            r = self.numeric(v)
            if not unsafe:
                self.check_cast(r.type, target.type)
            if mask is not None and isinstance(f.value, np.ufunc):
                r = self.numeric(self.call(Obj(np.where), [mask, self.as_var(r, "result"), target], {}, node))
            self.store_item(target, [Obj(Ellipsis)], r, node)
        return Tup(tuple(targets)) if isinstance(result, Tup) else targets[0]

    def stack(self, f: Obj, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value | None:
        """A function of matrices called with stacks of them; None where it is not."""
        found = stacked(f.value)
        if found is None or not any(isinstance(a, Num) and a.expr.ndim > 2 for a in args):
            return None
        whole = [self.as_array(a) if isinstance(a, Ref) else a for a in args]
        return self.inline(self.function(found, None), whole, kwargs, node)

    def vectorized(self, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        """np.vectorize(f): its calls go through the library."""
        given = dict(zip(("pyfunc", "otypes", "doc", "excluded", "cache", "signature"), args, strict=False)) | kwargs
        for name in ("excluded", "signature"):
            if name in given and self.static(given[name]) is not None:
                raise self.error(f"np.vectorize with {name}= is not supported", node, "Write the loop.")
        if "pyfunc" not in given:
            return Partial(Obj(np.vectorize), (), dict(kwargs))
        otypes = self.static(given.get("otypes", NONE))
        dtype = NONE if otypes is None else Obj(np.dtype(otypes[0]))
        f = given["pyfunc"]
        if otypes is None and (c := _integer_result(f)) is not None:
            raise self.error(f"np.vectorize takes the dtype of the first result, and this function may return the integer {c}", node,
                             "Give otypes=[float], or write a float.")
        return Partial(Obj(vectorized), (f, dtype), {})

    def selects(self, obj: Any) -> bool:
        return isinstance(obj, np.ufunc) or id(canonical(obj)) in NEUTRAL or id(canonical(obj)) in EXTREMA

    def taken_out(self, obj: Any, args: list[Value], kwargs: dict[str, Value]) -> list[Any]:
        """The arrays given as `out`, by keyword or by position, taken from the arguments."""
        given: Value | None = kwargs.pop("out", None)
        if isinstance(obj, np.ufunc):
            if len(args) > obj.nin:
                given = Tup(tuple(args[obj.nin:]))
                del args[obj.nin:]
        elif (place := _place_of_out(obj)) is not None and len(args) > place:
            given, args[place] = args[place], NONE
        items = given.items if isinstance(given, Tup) else (given,)
        return [i for i in items if _given(i)]

    def masked(self, obj: Any, a: Value, mask: Value, kwargs: dict[str, Value], node: Any) -> Value:
        """The argument of a reduction with the elements that do not take part replaced by one that changes nothing."""
        if id(canonical(obj)) in NEUTRAL:
            fill: Value = number(NEUTRAL[id(canonical(obj))])
        elif "initial" in kwargs:
            fill = kwargs["initial"]
        else:
            raise self.error(f"reduction operation '{obj.__name__}' with where= needs initial=", node)
        return self.call(Obj(np.where), [mask, self.numeric(a), fill], {}, node)


def _integer_result(f: Value) -> Any:
    """An integer literal that the function may return where it also returns something else."""
    node = f.node if isinstance(f, Func) else source_of(f.value).node if isinstance(f, Obj) and isinstance(f.value, types.FunctionType) else None
    if node is None:
        return None
    bodies = [node.body] if isinstance(node, gast.Lambda) else [s.value for s in gast.walk(node) if isinstance(s, gast.Return | gast.Assign)]
    leaves: list[Any] = []
    while bodies:
        e = bodies.pop()
        if isinstance(e, gast.IfExp):
            bodies += [e.body, e.orelse]
        else:
            leaves.append(e)
    whole = [e.value for e in leaves if isinstance(e, gast.Constant) and type(e.value) is int]
    return whole[0] if whole and len(leaves) > 1 else None


@functools.lru_cache(maxsize=None)
def _place_of_out(obj: Any) -> int | None:
    """The position of the parameter `out` of a function."""
    found = library.lookup(obj)
    try:
        names = list(inspect.signature(found if found is not None else obj).parameters.values())
    except (TypeError, ValueError):
        return 2 if obj in (np.dot,) else None
    return next((k for k, p in enumerate(names) if p.name == "out" and p.kind is not p.KEYWORD_ONLY), None)
