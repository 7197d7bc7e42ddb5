"""Differentiate through a `while` loop: Kepler's equation by Newton's method, against the exact derivative."""

import numpy as np

import s2sgrad


def eccentric_anomaly(e, mean):
    """Solve E - e sin E = M."""
    x = mean
    while abs(x - e * np.sin(x) - mean) > 1e-13:
        x = x - (x - e * np.sin(x) - mean) / (1.0 - e * np.cos(x))
    return x


def main():
    e, mean = 0.3, 1.2
    x = eccentric_anomaly(e, mean)
    g = s2sgrad.grad(eccentric_anomaly, wrt=("e", "mean"))
    print("by s2sgrad:", np.round(g(e, mean), 10))
    print("exact:     ", np.round((np.sin(x) / (1 - e * np.cos(x)), 1 / (1 - e * np.cos(x))), 10))
    print()
    print(g.source())


if __name__ == "__main__":
    main()
