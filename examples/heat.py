"""Find the conductivity of a rod from its final temperatures: the adjoint of a time-stepping loop with buffer swaps."""

import numpy as np
from scipy.optimize import minimize

import s2sgrad


def simulate(k, u0, steps, dt):
    """Explicit heat equation with a conductivity k between each two cells; returns the final temperatures."""
    u = u0.copy()
    new = np.zeros_like(u0)
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            new[i] = u[i] + dt * (k[i] * (u[i + 1] - u[i]) - k[i - 1] * (u[i] - u[i - 1]))
        new[0] = new[1]
        new[-1] = new[-2]
        u, new = new, u
    return u


def misfit(k, u0, steps, dt, measured):
    final = simulate(k, u0, steps, dt)
    return np.sum((final - measured) ** 2)


def main():
    n = 24
    u0 = np.exp(-((np.arange(n) - 8.0) ** 2) / 8.0)
    truth = np.where(np.arange(n - 1) < 12, 1.0, 0.4)
    measured = simulate(truth, u0, 200, 0.2)

    g = s2sgrad.value_and_grad(misfit)
    fit = minimize(g, np.full(n - 1, 0.7), args=(u0, 200, 0.2, measured), jac=True, bounds=[(0.05, 2.0)] * (n - 1))
    print(f"misfit {fit.fun:.1e} after {fit.nfev} evaluations")
    print("left half ", np.round(fit.x[2:10].mean(), 1), " right half", np.round(fit.x[14:20].mean(), 1))


if __name__ == "__main__":
    main()
