"""One program, every way of running it: plain Python, emitted text before and after lowering, optimised or not, numba,
forward mode; compared with each other and with an independent derivative. Shared by the corpus and the fuzz."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from s2sgrad import pipeline
from s2sgrad.structure import Leaf, Node, children, describe, flatten, leaves
from tests import differences


class Mismatch(AssertionError):
    """What differed; `kind` is one word for counting."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


@contextmanager
def backend(name: str) -> Iterator[None]:
    """Run derivatives in plain Python ('python') or compiled ('numba')."""
    before = os.environ.get("S2SGRAD_DISABLE_JIT")
    os.environ["S2SGRAD_DISABLE_JIT"] = "1" if name == "python" else "0"
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if before is None:
            del os.environ["S2SGRAD_DISABLE_JIT"]
        else:
            os.environ["S2SGRAD_DISABLE_JIT"] = before


def plain(fn: Callable[..., Any]) -> Callable[..., Any]:
    return getattr(fn, "py_func", fn)


def same(a: Any, b: Any) -> bool:
    """Bitwise equal structures (nan equals nan)."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (bool, int, float, complex, str, type(None), np.generic)):
        return a == b or (a != a and b != b)
    return differences.opaque(a) or same(vars(a), vars(b))


def close(a: Any, b: Any, rtol: float, slack: float = 0.0) -> bool:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape:
        return False
    if a.size == 0:
        return True
    scale = max(1.0, float(np.max(np.abs(b[np.isfinite(b)]), initial=0.0)))
    return bool(np.all((np.abs(a - b) <= rtol * scale + slack) | (a == b) | (np.isnan(a) & np.isnan(b))))


def check_value(got: Any, want: Any, rtol: float, what: str) -> None:
    """Equal structure, dtype, shape and numbers."""
    if isinstance(want, (tuple, list)):
        if type(got) is not type(want) or len(got) != len(want):
            raise Mismatch("structure", f"{what}: {got!r} instead of {want!r}")
        for g, w in zip(got, want):
            check_value(g, w, rtol, what)
        return
    if isinstance(want, dict):
        if not isinstance(got, dict) or list(got) != list(want):
            raise Mismatch("structure", f"{what}: {got!r} instead of {want!r}")
        for k in want:
            check_value(got[k], want[k], rtol, what)
        return
    if hasattr(want, "__dict__"):
        if type(got) is not type(want):
            raise Mismatch("structure", f"{what}: {got!r} instead of {want!r}")
        return check_value(vars(got), vars(want), rtol, what)
    g, w = np.asarray(got), np.asarray(want)
    if g.dtype != w.dtype:
        raise Mismatch("dtype", f"{what}: {g.dtype} instead of {w.dtype}")
    if g.shape != w.shape:
        raise Mismatch("shape", f"{what}: {g.shape} instead of {w.shape}")
    parts = (lambda v: np.stack([v.real, v.imag])) if w.dtype.kind == "c" else (lambda v: v)
    if not close(parts(g), parts(w), rtol):
        raise Mismatch("value", f"{what}: {got!r} instead of {want!r}")


def check_like(grad: Any, arg: Any) -> None:
    """A gradient has its argument's structure, dtype and shape (what carries no derivative is not looked at)."""
    if isinstance(arg, (tuple, list)):
        if len(grad) != len(arg):
            raise Mismatch("structure", f"gradient {grad!r} for {arg!r}")
        for g, a in zip(grad, arg):
            check_like(g, a)
    elif isinstance(arg, dict):
        for k in arg:
            check_like(grad[k], arg[k])
    elif isinstance(arg, np.ndarray) and arg.dtype.kind in "fc":
        g = np.asarray(grad)
        if g.shape != arg.shape or g.dtype != arg.dtype:
            raise Mismatch("dtype", f"gradient is {g.dtype}{g.shape}, the argument {arg.dtype}{arg.shape}")
    elif isinstance(arg, (float, complex, np.floating, np.complexfloating)):
        if np.asarray(grad).shape != () or np.asarray(grad).dtype != np.asarray(arg).dtype:
            raise Mismatch("dtype", f"gradient is {grad!r}, the argument {arg!r}")


def active(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Indices of the arguments that carry a derivative."""
    return tuple(i for i, a in enumerate(args) if differences.numbers(a))


def gradient_numbers(grad: Any, arg: Any) -> list[float]:
    """The numbers of a gradient, in the order of the argument's numbers (static parts of the argument skipped)."""
    if isinstance(arg, (tuple, list)):
        return [x for g, a in zip(grad, arg) for x in gradient_numbers(g, a)]
    if isinstance(arg, dict):
        return [x for k in arg for x in gradient_numbers(grad[k], arg[k])]
    if isinstance(arg, (np.ndarray, np.generic, bool, int, float, complex, str, type(None))):
        return differences.numbers(grad) if differences.numbers(arg) else []
    if callable(arg) and not hasattr(arg, "__dict__"):
        return []
    get = grad.__getitem__ if isinstance(grad, dict) else lambda k: getattr(grad, k)
    return [x for k, a in vars(arg).items() if differences.numbers(a) for x in gradient_numbers(get(k), a)]


def tangent_like(value: Any, rng: np.random.Generator) -> Any:
    """A random direction with the structure and dtypes of a value; None where it carries no derivative."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return rng.standard_normal(value.shape).astype(value.dtype)
    if isinstance(value, np.ndarray) and value.dtype.kind == "c":
        return (rng.standard_normal(value.shape) + 1j * rng.standard_normal(value.shape)).astype(value.dtype)
    if isinstance(value, np.floating):
        return type(value)(rng.standard_normal())
    if type(value) is float:
        return float(rng.standard_normal())
    if isinstance(value, (complex, np.complexfloating)):
        return type(value)(complex(rng.standard_normal(), rng.standard_normal()))
    if isinstance(value, tuple):
        items = [tangent_like(v, rng) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, list):
        return [tangent_like(v, rng) for v in value]
    if isinstance(value, dict):
        return {k: tangent_like(v, rng) for k, v in value.items()}
    if isinstance(value, (np.ndarray, np.generic, bool, int, str, type(None))) or not hasattr(value, "__dict__"):
        return None
    out = copy.copy(value)
    for k, v in vars(value).items():
        object.__setattr__(out, k, tangent_like(v, rng))
    return out


def with_units(spec: Any, value: Any) -> Any:
    """The structure of a value, with the extents of its arrays that are 1."""
    if isinstance(value, np.ndarray) and isinstance(spec, Leaf):
        return replace(spec, units=tuple(n == 1 for n in value.shape))
    if isinstance(spec, Node):
        return replace(spec, children=tuple(with_units(c, v) for c, v in zip(spec.children, children(value)[2], strict=True)))
    return spec


def stage_runs(fn: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...], simplify: bool) -> tuple[Any, Callable[[str, str], Any]]:
    """The derived program and a function that runs the text of one of its stages under one backend, on the leaves."""
    from s2sgrad import backends, frontend

    fn = plain(fn)
    specs = [with_units(describe(a), a) for a in args]
    starts = np.cumsum([0] + [len(leaves(s)) for s in specs])
    chosen = [k for i in wrt for k, leaf in zip(range(starts[i], starts[i + 1]), leaves(specs[i])) if leaf.type.dtype[:5] in ("float", "compl")]
    d = pipeline.derive(fn, specs, "value_and_grad", chosen, options=pipeline.Options(simplify=simplify))

    def run(stage: str, backend_name: str) -> Any:
        call = backends.load(d.text(stage), d.name, backend_name, {})
        values = [leaf for a, s in zip(copy.deepcopy(args), specs) for leaf in flatten(a, s)]
        hidden = [frontend.read(fn, access) for access in d.primal.hidden]
        return call(*values, *hidden)

    return d, run
