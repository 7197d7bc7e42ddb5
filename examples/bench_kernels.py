"""How much does a gradient cost? Times of value and gradient against the compiled function itself, one core.

    python examples/bench_kernels.py [repeats]
"""

import sys
import time

import numba
import numpy as np

import s2sgrad


def jacobi(A0, steps):
    """Five-point smoothing, 2 * steps sweeps; loss 0.5 * sum(A**2)."""
    A = A0.copy()
    B = A0.copy()
    n = A.shape[0]
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
    return 0.5 * np.sum(A * A)


def two_layers(W, V, x):
    """A small network: tanh(x W) V, loss sum of squares."""
    y = np.tanh(x @ W) @ V
    return np.sum(y * y)


def springs(x, v, steps):
    """A chain of masses and nonlinear springs, symplectic Euler."""
    q = x.copy()
    p = v.copy()
    n = q.shape[0]
    for t in range(steps):
        for i in range(1, n - 1):
            left = q[i] - q[i - 1]
            right = q[i + 1] - q[i]
            p[i] += 0.01 * (right - left + 0.3 * (right**3 - left**3))
        for i in range(1, n - 1):
            q[i] += 0.01 * p[i]
    return np.sum(q * q) + np.sum(p * p)


def price(s, k, t, sigma):
    """The sum of exp(-d**2) terms of many options: one independent iteration each."""
    total = 0.0
    for i in range(s.shape[0]):
        root = np.sqrt(t[i])
        d = (np.log(s[i] / k[i]) + 0.5 * sigma[i] ** 2 * t[i]) / (sigma[i] * root)
        total += s[i] * np.exp(-d * d)
    return total


def best(f, args, repeats):
    """The least time of a call, in milliseconds."""
    f(*args)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        f(*args)
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def main():
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    rng = np.random.default_rng(0)
    r = rng.random
    cases = [
        (jacobi, (r((150, 150)), 20), (0,)),
        (two_layers, (r((50, 64)), r((64, 10)), r((200, 50))), (0, 1)),
        (springs, (np.sort(r(500)), np.zeros(500), 100), (0, 1)),
        (price, (1.0 + r(20000), 1.0 + r(20000), 0.5 + r(20000), 0.1 + r(20000)), (0, 1, 2, 3)),
    ]
    print(f"{'kernel':12}{'function ms':>14}{'with gradient ms':>19}{'ratio':>8}")
    for f, args, wrt in cases:
        compiled = numba.njit(error_model="numpy")(f)
        gradient = s2sgrad.value_and_grad(f, wrt=wrt)
        a, b = best(compiled, args, repeats), best(gradient, args, repeats)
        print(f"{f.__name__:12}{a:14.3f}{b:19.3f}{b / a:8.1f}")


if __name__ == "__main__":
    main()
