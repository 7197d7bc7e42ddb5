"""What every generated program must satisfy; a program that is itself unfit (not smooth, not finite) is told apart."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

from tests import crossing, differences
from tests.crossing import Mismatch
from tests.fuzz.program import Program

BIG = 1e5


class Unfit(Exception):
    """The program fails by itself, is not finite, or is not smooth at the example point."""


def reference(p: Program) -> tuple[Any, list[list[float]], list[float]]:
    """(value of the plain run, gradient by differences per active argument, error estimates per argument)."""
    f = p.load()
    with crossing.backend("python"), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with np.errstate(over="raise", invalid="raise"):  # what overflows has no derivative, also where the result does not depend on it
                value = f(*p.args())
            wide, args = p.load(widened=True), p.args(widened=True)
        except Exception as e:
            raise Unfit(f"the plain run raises {e!r}") from e
        if np.ndim(value) != 0 or not np.isfinite(value) or abs(value) > BIG or isinstance(value, (bool, int, np.integer)):
            raise Unfit(f"the value is {value!r}")
        precise = wide(*copy.deepcopy(args))
        if not abs(precise - value) <= (1e-3 if p.single else 1e-9) * max(1.0, abs(value)):
            raise Unfit("rounding decides")
        grads, errors = [], []
        for i in crossing.active(args):
            try:
                g, e = differences.gradient(wide, args, i)
            except Exception as error:
                raise Unfit(f"differences fail: {error!r}") from error
            scale = max(1.0, float(np.max(np.abs(g), initial=0.0)))
            if not np.all(np.isfinite(g)) or scale > (BIG / 100 if p.single else BIG * 10) or not max(e, default=0.0) <= 1e-6 * scale:
                raise Unfit("not smooth here")
            grads.append(g)
            errors.append(max(*e, 1e-14 * abs(value)))  # the rounding of the value over the smallest step, a hundredth of it
            if p.single:
                errors[-1] = max(errors[-1], moved(wide, args, i, g))
    return value, grads, errors


def moved(wide: Any, args: tuple[Any, ...], i: int, g: list[float]) -> float:
    """What the rounding of single precision arguments does to the gradient of an ill-conditioned program (of which `check` takes a hundredfold)."""
    near = copy.deepcopy(args)
    for a in near:
        if isinstance(a, np.ndarray) and a.dtype.kind in "fc":
            a *= 1 + 1.2e-7
    try:
        return 0.04 * max((abs(a - b) for a, b in zip(differences.gradient(wide, near, i)[0], g)), default=0.0)
    except Exception as error:
        raise Unfit(f"differences fail: {error!r}") from error


def check(f: Any, args: tuple[Any, ...], value: Any = None, grads: Any = None, errors: Any = None, *, backends: tuple[str, ...] = ("python",),
          single: bool = False, deep: bool = True, unoptimised: bool = False, simplify: tuple[bool, ...] = (True, False)) -> None:
    """Raise Mismatch when anything about the derivative of f at args is not right.

    deep: also run forward mode, the text before lowering, and (in plain Python) the unoptimised text. unoptimised: also compile that.
    """
    import s2sgrad

    if value is None:
        with np.errstate(all="ignore"):
            value = f(*copy.deepcopy(args))
    wrt = crossing.active(args)
    if grads is None:
        pairs = [differences.gradient(f, args, i) for i in wrt]
        grads, errors = [g for g, _ in pairs], [max(e, default=0.0) for _, e in pairs]
    rtol = 3e-4 if single else 1e-8
    reach = sum(abs(a * b) for k, i in enumerate(wrt) for a, b in zip(grads[k], differences.numbers(args[i])))
    noise = 1e-14 * reach / max(1.0, abs(float(value)))  # what rounding does to the value of an ill-conditioned program
    vg = s2sgrad.value_and_grad(f, wrt=wrt)
    first = None
    for name in backends:
        with crossing.backend(name):
            given = copy.deepcopy(args)
            v, g = vg(*given)
            if not crossing.same(given, args):
                raise Mismatch("inputs", f"changed to {given!r} ({name})")
            crossing.check_value(v, value, (1e-5 if single else 1e-11 if name == "python" else 1e-9) + noise, f"value ({name})")
            for k, i in enumerate(wrt):
                crossing.check_like(g[k], args[i])
                got = crossing.gradient_numbers(g[k], args[i])
                if not crossing.close(got, grads[k], rtol, 100.0 * errors[k]):
                    raise Mismatch("gradient", f"argument {i}: {got} instead of {grads[k]} ({name})")
            again = vg(*copy.deepcopy(args))
            if not crossing.same((v, g), again):
                raise Mismatch("unstable", f"second call gives {again!r} instead of {(v, g)!r} ({name})")
            if first is None:
                first = g
            if deep:
                _forward(s2sgrad, f, args, wrt, g, value, single, name)
    if deep:
        _stages(f, args, wrt, first, single, simplify)
    if unoptimised:
        with crossing.backend("numba"):
            _, run = crossing.stage_runs(f, args, wrt, False)
            _same_gradient(run("lowered", "cpu"), first, args, wrt, single, "the unoptimised text, compiled")


def _forward(s2sgrad: Any, f: Any, args: Any, wrt: Any, g: Any, value: Any, single: bool, name: str) -> None:
    rng = np.random.default_rng(0)
    tangents = tuple(crossing.tangent_like(a, rng) for a in args)
    v, dot = s2sgrad.jvp(f, copy.deepcopy(args), tuple(t if i in wrt else None for i, t in enumerate(tangents)))
    crossing.check_value(v, value, 1e-5 if single else 1e-9, f"value of forward mode ({name})")
    want = sum(a * b for k, i in enumerate(wrt) for a, b in zip(crossing.gradient_numbers(g[k], args[i]), differences.numbers(tangents[i])))
    scale = sum(abs(a * b) for k, i in enumerate(wrt) for a, b in zip(crossing.gradient_numbers(g[k], args[i]), differences.numbers(tangents[i])))
    if not abs(float(dot) - want) <= (1e-3 if single else 1e-8) * max(1.0, scale):
        raise Mismatch("forward", f"tangent {dot!r} instead of {want!r} ({name})")


def _stages(f: Any, args: Any, wrt: Any, g: Any, single: bool, simplify: tuple[bool, ...]) -> None:
    """The emitted text before lowering, optimised and not, in plain Python."""
    with crossing.backend("python"):
        for on in simplify:
            derived, run = crossing.stage_runs(f, args, wrt, on)
            for stage in (derived.last, "lowered") if not on else (derived.last,):
                _same_gradient(run(stage, "python"), g, args, wrt, single, f"stage {stage}, optimised={on}")


def _same_gradient(out: Any, g: Any, args: Any, wrt: Any, single: bool, what: str) -> None:
    """The leaves `out` (the value and the gradients) of another text of the same derivative."""
    want = [x for k, i in enumerate(wrt) for x in crossing.gradient_numbers(g[k], args[i])]
    got = [x for v in out[1:] for x in differences.numbers(v)]
    if not crossing.close(got, want, 1e-4 if single else 1e-9):
        raise Mismatch("stages", f"{what}: {got} instead of {want}")


def check_program(p: Program, backends: tuple[str, ...] = ("python",), deep: bool = True, unoptimised: bool = False) -> None:
    """Raise Unfit or Mismatch (any other exception of s2sgrad is turned into one)."""
    value, grads, errors = reference(p)
    try:
        check(p.load(), p.args(), value, grads, errors, backends=backends, single=p.single, deep=deep, unoptimised=unoptimised)
    except Mismatch:
        raise
    except Exception as e:
        text = str(e).strip().splitlines()
        raise Mismatch(f"raises {type(e).__name__}", text[0] if text else "") from e
