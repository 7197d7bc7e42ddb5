"""Programs and their value-and-gradient functions as an expert writes them (all compiled by numba)."""

import numpy as np


def logistic(w, x, y):
    total = 0.0
    for i in range(x.shape[0]):
        z = 0.0
        for j in range(x.shape[1]):
            z += w[j] * x[i, j]
        total += np.log1p(np.exp(-y[i] * z))
    return total


def logistic_hand(w, x, y):
    total = 0.0
    w_bar = np.zeros_like(w)
    for i in range(x.shape[0]):
        z = 0.0
        for j in range(x.shape[1]):
            z += w[j] * x[i, j]
        e = np.exp(-y[i] * z)
        total += np.log1p(e)
        z_bar = -y[i] * e / (1.0 + e)
        for j in range(x.shape[1]):
            w_bar[j] += z_bar * x[i, j]
    return total, w_bar


def recurrence(x, n):
    s = x[0]
    for t in range(n):
        s = np.sin(s) * x[t % x.shape[0]] + 0.5 * s
    return s


def recurrence_hand(x, n):
    s = x[0]
    saved = np.empty(n)
    for t in range(n):
        saved[t] = s
        s = np.sin(s) * x[t % x.shape[0]] + 0.5 * s
    value = s
    x_bar = np.zeros_like(x)
    s_bar = 1.0
    for t in range(n - 1, -1, -1):
        s = saved[t]
        x_bar[t % x.shape[0]] += s_bar * np.sin(s)
        s_bar = s_bar * (x[t % x.shape[0]] * np.cos(s) + 0.5)
    x_bar[0] += s_bar
    return value, x_bar


def stencil(u, k, steps):
    u = u.copy()
    v = u.copy()
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                v[i, j] = u[i, j] + k * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])
        u, v = v, u
    total = 0.0
    for i in range(u.shape[0]):
        for j in range(u.shape[1]):
            total += u[i, j] * u[i, j]
    return total


def stencil_hand(u, k, steps):
    a = u.copy()
    b = u.copy()
    n, m = u.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b[i, j] = a[i, j] + k * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4.0 * a[i, j])
        a, b = b, a
    total = 0.0
    bar = np.empty_like(u)
    for i in range(n):
        for j in range(m):
            total += a[i, j] * a[i, j]
            bar[i, j] = 2.0 * a[i, j]
    other = np.zeros_like(u)
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                g = bar[i, j]
                bar[i, j] = 0.0
                other[i, j] += (1.0 - 4.0 * k) * g
                other[i - 1, j] += k * g
                other[i + 1, j] += k * g
                other[i, j - 1] += k * g
                other[i, j + 1] += k * g
        bar, other = other, bar
    for i in range(n):
        for j in range(m):
            bar[i, j] += other[i, j]
    return total, bar


def bodies(x, mass):
    energy = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            r2 = 1e-3
            for d in range(3):
                r2 += (x[i, d] - x[j, d]) ** 2
            energy -= mass[i] * mass[j] / np.sqrt(r2)
    return energy


def bodies_hand(x, mass):
    energy = 0.0
    x_bar = np.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(i):
            dx = x[i, 0] - x[j, 0]
            dy = x[i, 1] - x[j, 1]
            dz = x[i, 2] - x[j, 2]
            r2 = 1e-3 + dx * dx + dy * dy + dz * dz
            r = np.sqrt(r2)
            m = mass[i] * mass[j]
            energy -= m / r
            g = m / (r2 * r)
            x_bar[i, 0] += g * dx
            x_bar[i, 1] += g * dy
            x_bar[i, 2] += g * dz
            x_bar[j, 0] -= g * dx
            x_bar[j, 1] -= g * dy
            x_bar[j, 2] -= g * dz
    return energy, x_bar


def gauss_seidel(a, steps):
    a = a.copy()
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            a[i] = np.tanh(0.4 * (a[i - 1] + a[i] + a[i + 1]))
    return np.sum(a)


def gauss_seidel_hand(a, steps):
    a = a.copy()
    n = a.shape[0]
    saved = np.empty((steps, n))
    for t in range(steps):
        for i in range(1, n - 1):
            a[i] = np.tanh(0.4 * (a[i - 1] + a[i] + a[i + 1]))
            saved[t, i] = a[i]
    value = np.sum(a)
    bar = np.ones(n)
    for t in range(steps - 1, -1, -1):
        for i in range(n - 2, 0, -1):
            g = 0.4 * bar[i] * (1.0 - saved[t, i] ** 2)
            bar[i] = g
            bar[i - 1] += g
            bar[i + 1] += g
    return value, bar


def arguments():
    rng = np.random.default_rng(0)
    return {
        "logistic": (logistic, logistic_hand, (rng.normal(size=20), rng.normal(size=(2000, 20)), np.sign(rng.normal(size=2000)))),
        "recurrence": (recurrence, recurrence_hand, (rng.normal(size=50), 100_000)),
        "stencil": (stencil, stencil_hand, (rng.normal(size=(100, 100)), 0.2, 50)),
        "bodies": (bodies, bodies_hand, (rng.normal(size=(300, 3)), rng.uniform(1.0, 2.0, 300))),
        "gauss_seidel": (gauss_seidel, gauss_seidel_hand, (rng.normal(size=1000), 50)),
    }
