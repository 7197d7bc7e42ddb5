"""The command line: `s2sgrad show|stages|check FILE.py:FUNC`."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from s2sgrad import guess
from s2sgrad.api import grad, value_and_grad
from s2sgrad.derivative import Derivative
from s2sgrad.errors import S2SGradError
from s2sgrad.ir import Array, Scalar
from s2sgrad.structure import Leaf


class UsageError(Exception):
    """Something on the command line is wrong; printed without a traceback."""


def main(argv: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Run the command line; returns the exit status: 0 fine, 1 a gradient is wrong or cannot be made, 2 wrong usage."""
    out = sys.stdout if out is None else out
    options = parser().parse_args(argv)
    try:
        return int(options.run(options, out))
    except (S2SGradError, UsageError) as e:
        print(f"s2sgrad: {e}", file=sys.stderr)
        return 2 if isinstance(e, UsageError) else 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="s2sgrad", description="Derivatives of NumPy and numba code as readable source.")
    commands = p.add_subparsers(required=True, metavar="COMMAND")
    show = commands.add_parser("show", help="print the emitted derivative")
    show.add_argument("--stage", default="adjoint", help='"adjoint" (default), "lowered" (what is compiled) or "primal"')
    show.add_argument("--value", action="store_true", help="value and gradient together")
    show.set_defaults(run=run_show)
    stages = commands.add_parser("stages", help="print the program after every pass")
    stages.add_argument("--value", action="store_true", help="value and gradient together")
    stages.set_defaults(run=run_stages)
    check = commands.add_parser("check", help="compare the gradient with an independent derivative")
    check.add_argument("--seed", type=int, default=0, help="of the random arguments")
    check.add_argument("--size", type=int, default=4, help="extent of the axes of random arrays")
    check.add_argument("--rtol", type=float, default=1e-6)
    check.set_defaults(run=run_check)
    for c in (show, stages, check):
        c.add_argument("function", metavar="FILE.py:FUNC")
        c.add_argument("--wrt", default="", help="parameter names or positions, separated by commas (default: the first)")
        c.add_argument("--types", default="", help='one per parameter, such as "float64[:], float64[:, :], int64" (default: annotations or use)')
        c.add_argument("--colour", choices=("auto", "always", "never"), default="auto")
    return p


def load_function(where: str) -> tuple[Any, Any]:
    """(function, module) named by FILE.py:FUNC."""
    file, _, name = where.rpartition(":")
    if not file or not name:
        raise UsageError(f"{where!r} does not name a function; write FILE.py:FUNC")
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"there is no file {file}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    sys.path.insert(0, str(path.resolve().parent))
    spec.loader.exec_module(module)
    f: Any = module
    for part in name.split("."):
        f = getattr(f, part, None)
        if f is None:
            names = sorted(n for n, v in vars(module).items() if callable(v) and getattr(v, "__module__", "") == module.__name__)
            raise UsageError(f"{file} has no function {name}; it has {', '.join(names) or 'none'}")
    return f, module


def wrt_of(text: str) -> Any:
    parts = [p.strip() for p in text.split(",") if p.strip()]
    found = [int(p) if p.lstrip("-").isdigit() else p for p in parts]
    return 0 if not found else found[0] if len(found) == 1 else tuple(found)


def derivative_of(options: Any) -> tuple[Derivative, list[Any]]:
    f, _ = load_function(options.function)
    make = value_and_grad if getattr(options, "value", False) else grad
    return make(f, wrt_of(options.wrt)), list(guess.parse_types(options.types))


def run_show(options: Any, out: TextIO) -> int:
    g, types = derivative_of(options)
    write(g.derived(*types).text(options.stage), options.colour, out)
    return 0


def run_stages(options: Any, out: TextIO) -> int:
    g, types = derivative_of(options)
    for name, text in g.derived(*types).stages.items():
        write(f"# {'-' * 20} {name} {'-' * 20}\n{text}\n", options.colour, out)
    return 0


def run_check(options: Any, out: TextIO) -> int:
    """Compares on the arguments that the file offers as `args` or `example_args` (a tuple, a function that returns one, or a dict or function per
    FUNC), else on random ones."""
    from s2sgrad.testing.gradcheck import gradcheck

    f, module = load_function(options.function)
    name = options.function.rpartition(":")[2]
    args = offered(module, name)
    g = grad(f, wrt_of(options.wrt))
    if args is None:
        args = random_arguments(g, guess.parse_types(options.types), options)
    report = gradcheck(f, *args, wrt=wrt_of(options.wrt), rtol=options.rtol)
    print(f"{name} by {', '.join(g.wrt_names)}: {report}", file=out)
    return 0 if report else 1


def offered(module: Any, name: str) -> tuple[Any, ...] | None:
    """Example arguments that the file offers."""
    for attribute in (f"{name}_args", "example_args", "args"):
        found = getattr(module, attribute, None)
        if found is None:
            continue
        found = found() if callable(found) else found
        found = found.get(name) if isinstance(found, dict) else found
        if found is not None:
            return tuple(found) if isinstance(found, (tuple, list)) else (found,)
    return None


def random_arguments(g: Derivative, types: Sequence[Leaf], options: Any) -> tuple[Any, ...]:
    rng = np.random.default_rng(options.seed)
    specs = list(types)
    if not specs:
        specs, keyword = guess.specs(g.fn, g.parameters, wrt=g.template.request.wrt or ())  # type: ignore[assignment]
        if keyword:
            raise UsageError("keyword-only parameters: offer arguments in the file (example_args = ...)")
    return tuple(random_value(s, rng, options.size) for s in specs)


def random_value(spec: Any, rng: Any, extent: int) -> Any:
    """Positive numbers around one: inside the domain of most functions."""
    if not isinstance(spec, Leaf):
        return getattr(spec, "value", None)
    t = spec.type
    shape = (extent,) * t.ndim if isinstance(t, Array) else ()
    if t.dtype[0] in "iu":
        v = rng.integers(1, extent + 1, shape)
        v = v - 1 if shape else v  # arrays of integers may be indices
    elif t.dtype == "bool":
        v = rng.random(shape) < 0.5
    else:
        v = rng.uniform(0.25, 1.5, shape)
        if t.dtype.startswith("complex"):
            v = v + 1j * rng.uniform(0.25, 1.5, shape)
    if isinstance(t, Array):
        return np.asarray(v, dtype=t.dtype, order="F" if t.layout == "F" else "C")
    return np.dtype(t.dtype).type(v).item() if isinstance(t, Scalar) and t.weak else np.dtype(t.dtype).type(v)


def write(text: str, colour: str, out: TextIO) -> None:
    """Print program text, coloured for a terminal."""
    wanted = colour == "always" or (colour == "auto" and out.isatty() and "NO_COLOR" not in os.environ)
    if wanted:
        from s2sgrad.emit.highlight import highlight

        text = highlight(text)
    out.write(text if text.endswith("\n") else text + "\n")
