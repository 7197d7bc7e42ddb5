"""Peak memory and time of the gradient of a long time loop: as written, and with `recompute_grad` in blocks.

    python -m tests.bench.memory            # all forms, each in a process of its own
"""

import resource
import subprocess
import sys
import time

import numpy as np

import s2sgrad

BLOCKS, STEPS, SIZE = 16, 16, 100_000


def step(u):
    new = u.copy()
    new[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - 0.01 * u[1:-1] ** 3
    return new


def plain(u, n, m):
    for _ in range(n * m):
        u = step(u)
    return np.sum(u * u)


@s2sgrad.recompute_grad
def one(u):
    return step(u)


def every_step(u, n, m):
    for _ in range(n * m):
        u = one(u)
    return np.sum(u * u)


@s2sgrad.recompute_grad
def block(u, m):
    for _ in range(m):
        u = step(u)
    return u


def blocks(u, n, m):
    for _ in range(n):
        u = block(u, m)
    return np.sum(u * u)


FORMS = {"as written": plain, "recompute_grad per step": every_step, "recompute_grad per block": blocks}


def measure(name):
    """(milliseconds, MiB of growth, gradient sum) in this process."""
    u = np.sin(np.linspace(0.0, 3.0, SIZE))
    g = s2sgrad.grad(FORMS[name])
    g(u[:10], 2, 2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    d = g(u, BLOCKS, STEPS)
    took = time.perf_counter() - start
    return 1e3 * took, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, float(np.sum(d))


def main():
    print(f"{BLOCKS * STEPS} steps of {SIZE} numbers, blocks of {STEPS}")
    for name in FORMS:
        done = subprocess.run([sys.executable, "-m", "tests.bench.memory", name], capture_output=True, text=True, check=True)
        ms, mib, total = map(float, done.stdout.split())
        print(f"{name:28s} {ms:7.0f} ms {mib:7.0f} MiB   sum of the gradient {total:.9g}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(*measure(sys.argv[1]))
    else:
        main()
