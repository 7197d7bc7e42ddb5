"""Run many random programs: `python -m tests.fuzz --seeds 0:1000 --backend python|numba|both [--jobs 2] [--show 3]`.

Compiling takes most of the time of a compiled run. It therefore uses smaller programs, compiles one module for each (value and gradient), and
only for every eighth also the tangent and for every eighth the unoptimised text; numba's own optimiser is off (switch it on with NUMBA_OPT=3).
"""

from __future__ import annotations

import argparse
import collections
import gc
import multiprocessing
import os
import signal
import sys
import time
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numba

from s2sgrad import frontend, ir, structure
from s2sgrad.frontend import conditions, joins, unify
from tests.crossing import Mismatch
from tests.fuzz.checks import Unfit, check_program
from tests.fuzz.generator import generate
from tests.fuzz.program import Program, as_test
from tests.fuzz.shrink import shrink

# Refusals that random programs meet: a name with another dtype on another path or in each trip of a loop, a list of numbers and arrays or one of several,
# a reshape that is a view or a copy by chance.
REFUSED = (
    "raises TypeConflict", "is changed, but it may be one of several objects here", "a list of elements that differ in dtype or rank",
    "NumPy may give a view or a copy here", "do not settle", "since its loop made no trip",
)


class Timeout(Exception):
    pass


def _alarm(*_: Any) -> None:
    raise Timeout


@dataclass(frozen=True)
class Checks:
    """What is asked of the program of each seed. deep: forward mode and the stages for every k-th program (0: never)."""

    backends: tuple[str, ...]
    deep: int
    limit: int

    @property
    def compiled(self) -> bool:
        return "numba" in self.backends

    def program(self, seed: int) -> Program:
        return generate(seed, 3 + seed % 8) if self.compiled else generate(seed)

    def outcome(self, p: Program) -> tuple[str, str]:
        """(verdict, message); the verdict is 'ok', 'unfit' or the kind of fault."""
        signal.signal(signal.SIGALRM, _alarm)
        signal.alarm(self.limit)
        turn = p.seed % self.deep if self.deep else -1
        try:
            check_program(p, self.backends, turn == 0, self.compiled and turn == self.deep // 2)
            return "ok", ""
        except Unfit as e:
            return "unfit", str(e)
        except Mismatch as e:
            documented = any(r in str(e) for r in REFUSED) or (e.kind == "dtype" and joins_two_types(p))
            return ("refused" if documented else e.kind), str(e)
        except Timeout:
            return "timeout", ""
        except Exception as e:  # a fault of the harness itself
            return f"harness {type(e).__name__}", str(e)
        finally:
            signal.alarm(0)


def joins_two_types(p: Program) -> bool:
    """Do numbers of two types meet from two paths, or in min and max (docs/numerics.md: the type then is the wider one)?"""
    met: list[bool] = []

    def promote(a: ir.Type, b: ir.Type) -> ir.Type | None:
        if isinstance(a, ir.Scalar) and isinstance(b, ir.Scalar):
            met.append(a.weak != b.weak)
        return unify.promote(a, b)

    with mock.patch.object(joins, "promote", promote), mock.patch.object(conditions, "promote", promote):
        primal = frontend.specialise(p.load(), [structure.describe(a) for a in p.args()])
    for s in ir.walk_stmts(primal.program.main.body):
        chosen = [x.args for e in ir.exprs(s) for x in ir.walk(e) if isinstance(x, ir.Call) and x.op in ("pymin", "pymax", "ifexp")]
        met += [len({a.type for a in args[-2:] if isinstance(a.type, ir.Scalar)}) > 1 for args in chosen]
    return any(met)


def one(job: tuple[int, Checks]) -> tuple[int, str, str, set[str]]:
    seed, checks = job
    p = checks.program(seed)
    verdict, message = checks.outcome(p)
    return seed, verdict, message, p.kinds


def prepare(compiled: bool) -> None:
    """In each process: nothing on disk, no time for numba's optimiser, a collector that is seldom called."""
    os.environ.setdefault("S2SGRAD_CACHE", "0")
    gc.freeze()
    if compiled and "NUMBA_OPT" not in os.environ:
        numba.config.OPT = type(numba.config.OPT)(0)  # type: ignore[attr-defined]


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0:200", help="first:last")
    parser.add_argument("--backend", default="python", choices=("python", "numba", "both"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--show", type=int, default=3, help="how many failing programs to shrink and print")
    parser.add_argument("--deep-every", type=int, help="forward mode and the stages for every k-th program only (0: never; 8 where numba compiles)")
    parser.add_argument("--limit", type=int, default=120, help="seconds a program may take")
    a = parser.parse_args()
    lo, hi = (int(x) for x in a.seeds.split(":"))
    backends = ("python", "numba") if a.backend == "both" else (a.backend,)
    every = a.deep_every if a.deep_every is not None else 1 if a.backend == "python" else 8
    checks = Checks(backends, every, a.limit)
    counts: collections.Counter[str] = collections.Counter()
    kinds: collections.Counter[str] = collections.Counter()
    failed: list[tuple[int, str, str]] = []
    begin = time.time()
    jobs = ((seed, checks) for seed in range(lo, hi))
    with multiprocessing.get_context("fork").Pool(a.jobs, prepare, (checks.compiled,), maxtasksperchild=20 if checks.compiled else 100) as pool:
        for seed, verdict, message, used in pool.imap_unordered(one, jobs, chunksize=4):
            counts[verdict] += 1
            if verdict == "ok":
                kinds.update(used)
            elif verdict not in ("unfit", "refused"):
                failed.append((seed, verdict, message))
                print(f"seed {seed}: {message or verdict}"[:300], flush=True)
            if sum(counts.values()) % 100 == 0:
                print(f"{sum(counts.values())} programs, {time.time() - begin:.0f} s", flush=True)
    print(f"{hi - lo} programs ({a.backend}), {time.time() - begin:.0f} s:", ", ".join(f"{k} {n}" for k, n in counts.most_common()))
    print("statement kinds in the good ones:", ", ".join(f"{k} {n}" for k, n in kinds.most_common()))
    shown: set[str] = set()
    for seed, verdict, message in sorted(failed):
        key = verdict + message[:40] if verdict.startswith("raises") else verdict
        if len(shown) >= a.show or key in shown:
            continue
        shown.add(key)

        def same_fault(q: Program) -> bool:
            kind, text = checks.outcome(q)
            return kind == verdict and (not verdict.startswith("raises") or text[:40] == message[:40])

        small = shrink(checks.program(seed), same_fault)
        print(f"\n# seed {seed}: {message}\n{as_test(small, checks.outcome(small)[1])}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
