"""CPU seconds of the emitted value-and-gradient against the hand-written one (interleaved, medians)."""

import statistics
import sys
import time

import numba
import numpy as np

import s2sgrad
from tests.bench.kernels import arguments


def measure(calls, rounds=15):
    """Median CPU time per call of several functions, run in turn."""
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.process_time()
            call()
            times[name].append(time.process_time() - start)
    return {name: statistics.median(t) for name, t in times.items()}


def main(names):
    print(f"{'kernel':14} {'primal ms':>10} {'by hand':>10} {'s2sgrad':>10} {'s2sgrad/hand':>13}")
    ratios = []
    for name, (f, hand, args) in arguments().items():
        if names and name not in names:
            continue
        primal, by_hand, ours = numba.njit(error_model="numpy")(f), numba.njit(error_model="numpy")(hand), s2sgrad.value_and_grad(f)
        (v, g), (w, h) = ours(*args), by_hand(*args)
        assert np.isclose(v, w) and np.allclose(g, h), f"{name}: the hand-written adjoint and the emitted one differ"
        t = measure({"primal": lambda: primal(*args), "hand": lambda: by_hand(*args), "ours": lambda: ours(*args)})
        ratios.append(t["ours"] / t["hand"])
        print(f"{name:14} {t['primal'] * 1e3:10.3f} {t['hand'] * 1e3:10.3f} {t['ours'] * 1e3:10.3f} {ratios[-1]:13.2f}")
    print(f"geometric mean of s2sgrad/hand: {np.exp(np.mean(np.log(ratios))):.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
