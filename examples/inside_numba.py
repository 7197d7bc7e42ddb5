"""An emitted derivative inside a numba-compiled loop: gradient descent without returning to Python."""

import numba
import numpy as np

import s2sgrad


def rosenbrock(x):
    s = 0.0
    for i in range(x.shape[0] - 1):
        s += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return s


slope = s2sgrad.grad(rosenbrock)


@numba.njit
def descend(x, rate, steps):
    x = x.copy()
    speed = np.zeros_like(x)
    for _ in range(steps):
        speed = 0.9 * speed - rate * slope(x)
        x += speed
    return x


def main():
    x = descend(np.array([-0.5, 0.6, 0.2]), 2e-4, 50000)
    print("minimum at", np.round(x, 4))


if __name__ == "__main__":
    main()
