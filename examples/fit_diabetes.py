"""Fit a small neural network to real data with an emitted gradient.

The loss below is written as plain loops. s2sgrad turns it into the source of its gradient, numba compiles that, and
scipy minimises. Run it with `make demo`.
"""

import time

import numba
import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_diabetes

import s2sgrad

HIDDEN = 8


def loss(p, x, y):
    """Mean pseudo-Huber loss of a network with one hidden layer; p holds all its weights."""
    samples, features = x.shape
    total = 0.0
    for s in range(samples):
        out = p[-1]
        k = 0
        for h in range(HIDDEN):
            z = p[k + features]
            for j in range(features):
                z += p[k + j] * x[s, j]
            out += p[k + features + 1] * np.tanh(z)
            k += features + 2
        r = out - y[s]
        total += np.sqrt(1.0 + r * r) - 1.0
    penalty = 0.0
    for w in p:
        penalty += w * w
    return total / samples + 1e-3 * penalty


def finite_differences(f, p, *data, h=1e-6):
    """What one would do without a derivative: two runs of the loss per weight."""
    g = np.empty_like(p)
    for k in range(p.size):
        step = np.zeros_like(p)
        step[k] = h
        g[k] = (f(p + step, *data) - f(p - step, *data)) / (2 * h)
    return g


def best_time(call, repeat=5):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    x, y = load_diabetes(return_X_y=True)
    x = x / x.std(axis=0)
    y = (y - y.mean()) / y.std()
    train, test = slice(0, 350), slice(350, None)
    p = np.random.default_rng(0).normal(0.0, 0.3, HIDDEN * (x.shape[1] + 2) + 1)

    value_and_grad = s2sgrad.value_and_grad(loss)
    _, g = value_and_grad(p, x[train], y[train])
    print("The emitted adjoint of the loss:\n")
    print(s2sgrad.source(value_and_grad))

    compiled = numba.njit(loss)
    by_differences = finite_differences(compiled, p, x[train], y[train])
    print(f"largest difference to finite differences: {np.max(np.abs(g - by_differences)):.1e}")
    ours = best_time(lambda: value_and_grad(p, x[train], y[train]))
    theirs = best_time(lambda: finite_differences(compiled, p, x[train], y[train]))
    once = best_time(lambda: compiled(p, x[train], y[train]))
    print(f"{p.size} weights: the loss takes {once * 1e3:.2f} ms (numba), loss and gradient {ours * 1e3:.2f} ms,")
    print(f"compiled finite differences {theirs * 1e3:.2f} ms: {theirs / ours:.0f} times slower.\n")

    start = time.perf_counter()
    fit = minimize(value_and_grad, p, args=(x[train], y[train]), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    print(f"scipy.optimize.minimize: loss {fit.fun:.4f} after {fit.nit} iterations in {time.perf_counter() - start:.2f} s")

    def predict(p, x):
        layers = p[:-1].reshape(HIDDEN, -1)
        return np.tanh(x @ layers[:, :-2].T + layers[:, -2]) @ layers[:, -1] + p[-1]

    rest = np.mean((predict(fit.x, x[test]) - y[test]) ** 2) / np.var(y[test])
    print(f"explained variance on {x[test].shape[0]} patients not used in the fit: {1.0 - rest:.2f}")


if __name__ == "__main__":
    main()
