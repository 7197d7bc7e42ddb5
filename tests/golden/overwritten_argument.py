import numpy as np


def overwritten_argument_grad_x(x):
    """Reverse-mode derivative of overwritten_argument with respect to x."""
    x = x.copy()
    # forward sweep
    x[0] = x[1] * x[2]
    x_saved = x.copy()
    # reverse sweep
    x_bar = np.ones_like(x)
    # line 74: x *= x
    x[:] = x_saved
    g = x_bar.copy()
    x_bar[:] = 0.0
    x_bar += g * x
    x_bar += g * x
    # line 73: x[0] = x[1] * x[2]
    g_1 = x_bar[0]
    x_bar[0] = 0.0
    x_bar[1] += g_1 * x[2]
    x_bar[2] += g_1 * x[1]
    return x_bar
