"""Python's builtins and the NumPy functions that are about structure (not just numbers): where they are declared and found."""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sgrad import ir, library
from s2sgrad.frontend.array_methods import ArrayMethods
from s2sgrad.frontend.calls import qualified
from s2sgrad.frontend.values import Maybe, Num, Obj, Range, Tup, Value, number
from s2sgrad.library.iteration import from_iterable
from s2sgrad.rules import registry
from s2sgrad.rules.linalg import adj, result_class

Special = Callable[[Any, list[Value], dict[str, Value], Any], Value]
TABLE: dict[int, tuple[Any, Special]] = {}
FROMKEYS = dict.fromkeys  # made anew at each reading: this one stands for all


def means(*objects: Any) -> Callable[[Special], Special]:
    def declare(f: Special) -> Special:
        for o in objects:
            TABLE[id(o)] = o, f
        return f

    return declare


class Builtins(ArrayMethods):
    def special(self, obj: Any) -> Callable[..., Value] | None:
        found = TABLE.get(id(obj))
        if found is not None and found[0] is obj:
            return functools.partial(found[1], self)
        if isinstance(obj, types.BuiltinFunctionType) and isinstance(getattr(obj, "__self__", None), np.ufunc):
            return functools.partial(self.ufunc_method, obj.__self__, obj.__name__)
        if isinstance(obj, types.BuiltinFunctionType) and getattr(obj, "__self__", None) is itertools.chain and obj.__name__ == "from_iterable":
            return lambda args, kwargs, node: self.inline(self.function(from_iterable, None), args, kwargs, node)  # type: ignore[arg-type]
        if isinstance(obj, types.BuiltinFunctionType) and getattr(obj, "__self__", None) is dict and obj.__name__ == "fromkeys":
            return lambda args, kwargs, node: TABLE[id(FROMKEYS)][1](self, args, kwargs, node)
        name = getattr(obj, "__name__", "")
        if name == "prange" and (getattr(obj, "__module__", "") or "").startswith("numba"):
            return functools.partial(self.make_range, parallel=True)
        op = MULTI.get(id(obj))
        if op is not None and op[1] in registry.OPS:
            return functools.partial(self.several, op[1], obj)
        return None

    def make_range(self, args: list[Value], kwargs: dict[str, Value], node: Any, parallel: bool = False) -> Value:
        values = [self.integer(a) for a in args]
        start, stop, step = (number(0), values[0], number(1)) if len(values) == 1 else (*values, number(1)) if len(values) == 2 else values
        if step.known and step.const == 0:
            self.fail(ValueError, "range() arg 3 must not be zero")
        return Range(start, stop, step, False, parallel)

    def several(self, op: str, obj: Any, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        """An operation with several results."""
        return self.several_results(op, obj, args, kwargs, node)

    def several_results(self, op: str, obj: Any, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        named = POSITIONAL.get(op, ())
        kwargs = {**dict(zip(named, args[1:], strict=False)), **kwargs} if named else kwargs
        args = args[:1] if named else args
        a = tuple(self.numeric(x).expr for x in args)
        full = True
        if op == "svd":
            if "full_matrices" in kwargs:
                full = bool(self.static(kwargs.pop("full_matrices")))
            if "compute_uv" in kwargs and not self.static(kwargs.pop("compute_uv")):
                s = self.several_results(op, obj, args, {"full_matrices": number(False)}, node)
                assert isinstance(s, Tup)
                return s.items[1]
        if op == "lstsq":
            kwargs.pop("rcond", None)
        mode = self.static(kwargs.pop("mode", Obj("reduced"))) if op == "qr" else None
        if mode not in (None, "reduced", "r"):
            raise self.error("np.linalg.qr is supported with mode='reduced' and mode='r' only", node)
        if op == "eigh" and self.static(kwargs.pop("UPLO", Obj("L"))).upper() == "U":
            a = (adj(a[0]),)
        if len(args) > 1 and op != "lstsq":
            raise self.error(f"{qualified(obj)} takes its options as keywords here", node)
        if kwargs:
            raise self.error(f"the option {next(iter(kwargs))}= of {qualified(obj)} is not supported", node)
        types_ = registry.OPS[op].results(*(x.type for x in a))  # type: ignore[misc]
        names = RESULT_NAMES.get(op, ())
        targets: list[Any] = [self.fresh(names[k] if k < len(names) else "t", t) for k, t in enumerate(types_)]
        self.emit(ir.Multi(targets, op, a))
        items: list[Value] = [Num(t) for t in targets]
        if mode == "r":
            return items[1]
        if op == "svd" and full:  # the thin matrices are the full ones where the matrix is square: checked where they are used
            square = self.branch_var("square", ir.BOOL, ir.call("eq", ir.call("dim", a[0], axis=0), ir.call("dim", a[0], axis=1)))
            items = [Maybe(square, items[0], "full"), items[1], Maybe(square, items[2], "full")]
        return Tup(tuple(items), result_class(obj))

    def ordinary(self, f: Any, args: list[Value], kwargs: dict[str, Value], node: Any) -> Value:
        """A NumPy function as the registry or the library has it."""
        if id(f) in registry.BY_PYTHON:
            return self.primitive(f, args, kwargs, node)
        found = library.lookup(f)
        if found is None:
            raise self.error(f"{qualified(f)} is not supported", node)
        return self.inline(self.function(found, None), args, kwargs, node)  # type: ignore[arg-type]


MULTI = {id(f): (f, name) for f, name in (
    (np.linalg.eigh, "eigh"), (np.linalg.eig, "eig"), (np.linalg.slogdet, "slogdet"), (np.linalg.svd, "svd"), (np.linalg.qr, "qr"),
    (np.linalg.lstsq, "lstsq"), (np.nonzero, "nonzero"), (np.unique, "unique"))}
POSITIONAL = {"qr": ("mode",), "eigh": ("UPLO",), "svd": ("full_matrices", "compute_uv", "hermitian")}
RESULT_NAMES = {"eigh": ("eigenvalues", "eigenvectors"), "slogdet": ("sign", "logdet"), "svd": ("u", "s", "vt"), "qr": ("q", "r"),
                "eig": ("eigenvalues", "eigenvectors")}
