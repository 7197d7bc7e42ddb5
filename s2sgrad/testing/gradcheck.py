"""Comparison of a gradient with an independent derivative: Richardson-extrapolated central differences of the plain function."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sgrad.api import grad
from s2sgrad.derivative import bind_arguments
from s2sgrad.structure import describe, flatten, leaves, unflatten


@dataclass(frozen=True)
class Row:
    """One compared element: `where` it is, the derivative by s2sgrad, the independent one and its own estimated error."""

    where: str
    ours: complex
    theirs: complex
    uncertainty: float
    ok: bool


@dataclass(frozen=True)
class Report:
    """The outcome of `gradcheck`; true when everything agrees."""

    rows: tuple[Row, ...]

    def __bool__(self) -> bool:
        return all(r.ok for r in self.rows)

    @property
    def worst(self) -> float:
        """The largest difference relative to the size of the derivative."""
        return max((abs(r.ours - r.theirs) / max(1e-12, abs(r.theirs), 1.0) for r in self.rows), default=0.0)

    def __str__(self) -> str:
        bad = [r for r in self.rows if not r.ok]
        lines = [f"{len(self.rows)} derivatives compared, {len(bad)} differ, largest relative difference {self.worst:.1e}"]
        lines += [f"  {r.where}: s2sgrad {r.ours:.12g}, differences {r.theirs:.12g} +- {r.uncertainty:.1e}" for r in bad[:20]]
        return "\n".join(lines)


def gradcheck(
    f: Callable[..., Any], *args: Any, wrt: Any = 0, rtol: float = 1e-6, atol: float = 1e-8, limit: int = 40, seed: int = 0, g: Any = None
) -> Report:
    """Compare `s2sgrad.grad(f, wrt)` at `args` with differences of `f` run by plain Python.

    At most `limit` elements per argument are compared (chosen at random with `seed`). Differences carry an error estimate of their own,
    which is added to the tolerance. `g`: the gradient function to check, instead of `grad(f, wrt)`.

    Example:
        >>> import numpy as np
        >>> from s2sgrad.testing import gradcheck
        >>> bool(gradcheck(lambda x: np.sum(np.sin(x)), np.array([0.1, 0.2])))
        True
    """
    d = grad(f, wrt)
    values, kw = bind_arguments(f, d.parameters, args, {})
    names = list(d.parameters)
    request = d.template.request
    got = (d if g is None else g)(*copy.deepcopy(values), **kw)
    plain = getattr(f, "py_func", f)
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    positions = request.wrt or ()
    for gradient, k in zip((got,) if request.single else got, positions, strict=True):
        rows += _compare(plain, values, kw, k, names[k], gradient, rtol, atol, limit, rng)
    return Report(tuple(rows))


def _compare(f: Any, values: Sequence[Any], kw: Any, k: int, name: str, gradient: Any, rtol: float, atol: float, limit: int, rng: Any) -> list[Row]:
    spec = describe(values[k])
    ours = _gradient_leaves(gradient, spec)
    parts = flatten(copy.deepcopy(values[k]), spec)
    rows = []
    for n, (leaf, mine) in enumerate(zip(leaves(spec), ours, strict=True)):
        if mine is None:
            continue
        single = leaf.type.dtype in ("float32", "complex64")
        loose = max(rtol, 2e-3) if single else rtol
        indices = list(np.ndindex(np.shape(parts[n])))
        chosen = [indices[i] for i in sorted(rng.permutation(len(indices))[:limit])]
        for index in chosen:
            for step in (1.0, 1j) if leaf.type.dtype.startswith("complex") else (1.0,):
                def at(h: float, n: int = n, index: Any = index, step: complex = step) -> float:
                    moved = [np.array(p, dtype=np.result_type(p, np.float64), copy=True) if j == n else copy.deepcopy(p) for j, p in enumerate(parts)]
                    moved[n][index] += h * step
                    moved[n] = moved[n] if np.ndim(parts[n]) else moved[n][()].item()
                    args = [copy.deepcopy(v) for v in values]
                    args[k] = unflatten(spec, moved)
                    return float(np.real(f(*args, **copy.deepcopy(kw))))

                theirs, error = richardson(at, float(abs(np.asarray(parts[n])[index])))
                value = np.asarray(mine)[index]
                value = value.real if step == 1.0 else value.imag
                ok = abs(value - theirs) <= atol + loose * max(1.0, abs(theirs)) + 3.0 * error
                label = name + ("" if len(ours) == 1 else f" leaf {n}") + (f"[{', '.join(map(str, index))}]" if index else "")
                rows.append(Row(label, value, theirs, error, bool(ok)))
    return rows


def _gradient_leaves(gradient: Any, spec: Any) -> list[Any]:
    from s2sgrad.structure import Leaf, Static, children

    if isinstance(spec, Leaf):
        return [gradient]
    if isinstance(spec, Static):
        return []
    found = children(gradient)
    assert found is not None
    return [x for g, s in zip(found[2], spec.children, strict=True) for x in _gradient_leaves(g, s)]


def richardson(f: Callable[[float], float], size: float = 1.0, steps: int = 6) -> tuple[float, float]:
    """The derivative of `f` at 0 by Ridders' method (central differences, extrapolated), and an estimate of its error."""
    h, shrink = 1e-2 * max(1.0, size), 2.0
    table: list[list[float]] = []
    best, error = float("nan"), float("inf")
    for i in range(steps):
        row = [(f(h) - f(-h)) / (2.0 * h)]
        factor = shrink**2
        for j in range(1, i + 1):
            row.append((row[j - 1] * factor - table[i - 1][j - 1]) / (factor - 1.0))
            factor *= shrink**2
            spread = max(abs(row[j] - row[j - 1]), abs(row[j] - table[i - 1][j - 1]))
            if spread <= error:
                best, error = row[j], spread
        table.append(row)
        h /= shrink
    return best, error
