"""Run many random programs: `python -m tests.fuzz --seeds 0:1000 --backend python|numba|both [--jobs 2] [--shrink]`."""

from __future__ import annotations

import argparse
import collections
import multiprocessing
import os
import signal
import sys
import time
from typing import Any

from tests.crossing import Mismatch
from tests.fuzz.checks import Unfit, check_program
from tests.fuzz.generator import generate
from tests.fuzz.program import Program, as_test
from tests.fuzz.shrink import shrink

# Documented refusals that random programs meet: a name with another dtype on another path, a reshape that is a view or a copy by chance.
REFUSED = ("raises TypeConflict", "NumPy may give a view or a copy here")


class Timeout(Exception):
    pass


def _alarm(*_: Any) -> None:
    raise Timeout


def outcome(p: Program, backends: tuple[str, ...], deep: bool, limit: int) -> tuple[str, str]:
    """(verdict, message); the verdict is 'ok', 'unfit' or the kind of fault."""
    signal.signal(signal.SIGALRM, _alarm)
    signal.alarm(limit)
    try:
        check_program(p, backends, deep)
        return "ok", ""
    except Unfit as e:
        return "unfit", str(e)
    except Mismatch as e:
        return ("refused" if any(r in str(e) for r in REFUSED) else e.kind), str(e)
    except Timeout:
        return "timeout", ""
    except Exception as e:  # a fault of the harness itself
        return f"harness {type(e).__name__}", str(e)
    finally:
        signal.alarm(0)


def deep(seed: int, every: int) -> bool:
    return every > 0 and seed % every == 0


def one(job: tuple[int, tuple[str, ...], bool, int]) -> tuple[int, str, str, set[str]]:
    seed, backends, deep, limit = job
    p = generate(seed)
    verdict, message = outcome(p, backends, deep, limit)
    return seed, verdict, message, p.kinds


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    parser.add_argument("--seeds", default="0:200", help="first:last")
    parser.add_argument("--backend", default="python", choices=("python", "numba", "both"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--show", type=int, default=3, help="how many failing programs to shrink and print")
    parser.add_argument("--deep-every", type=int, default=1, help="forward mode and the stages for every k-th program only (0: never)")
    parser.add_argument("--limit", type=int, default=120, help="seconds a program may take")
    a = parser.parse_args()
    lo, hi = (int(x) for x in a.seeds.split(":"))
    backends = ("python", "numba") if a.backend == "both" else (a.backend,)
    counts: collections.Counter[str] = collections.Counter()
    kinds: collections.Counter[str] = collections.Counter()
    failed: list[tuple[int, str, str]] = []
    begin = time.time()
    jobs = ((seed, backends, deep(seed, a.deep_every), a.limit) for seed in range(lo, hi))
    with multiprocessing.get_context("fork").Pool(a.jobs, maxtasksperchild=400 if a.backend == "python" else 40) as pool:
        for seed, verdict, message, used in pool.imap_unordered(one, jobs, chunksize=4):
            counts[verdict] += 1
            if verdict == "ok":
                kinds.update(used)
            elif verdict not in ("unfit", "refused"):
                failed.append((seed, verdict, message))
                print(f"seed {seed}: {message or verdict}"[:300], flush=True)
    print(f"{hi - lo} programs ({a.backend}), {time.time() - begin:.0f} s:", ", ".join(f"{k} {n}" for k, n in counts.most_common()))
    print("statement kinds in the good ones:", ", ".join(f"{k} {n}" for k, n in kinds.most_common()))
    shown: set[str] = set()
    for seed, verdict, message in sorted(failed):
        key = verdict + message[:40] if verdict.startswith("raises") else verdict
        if len(shown) >= a.show or key in shown:
            continue
        shown.add(key)
        is_deep = deep(seed, a.deep_every)

        def same_fault(q: Program) -> bool:
            kind, text = outcome(q, backends, is_deep, a.limit)
            return kind == verdict and (not verdict.startswith("raises") or text[:40] == message[:40])

        small = shrink(generate(seed), same_fault)
        print(f"\n# seed {seed}: {message}\n{as_test(small, outcome(small, backends, is_deep, a.limit)[1])}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
