import numpy as np


def continue_past_grad_x(x):
    """Reverse-mode derivative of continue_past with respect to x."""
    # reverse sweep
    x_bar = np.zeros_like(x)
    for i in range(x.shape[0] - 1, -1, -1):
        if not x[i] < 0:
            # line 39: s += x[i] ** 2 * (i + 1)
            x_bar[i] += 1.0 * (i + 1) * (2 * x[i])
    return x_bar
