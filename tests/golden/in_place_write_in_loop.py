import numpy as np


def in_place_write_in_loop_grad_x(x):
    """Reverse-mode derivative of in_place_write_in_loop with respect to x."""
    # forward sweep
    y = np.zeros(x.shape[0])
    y_saved = np.empty(x.shape[0])
    y_saved_1 = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        y_saved[i] = y[i]
        y[i] = x[i] * x[i]
        if i > 0:
            y_saved_1[i] = y[i]
            y[i] += y[i - 1] * x[i]
    # reverse sweep
    x_bar = np.zeros_like(x)
    y_bar = np.ones_like(y)
    for i in range(x.shape[0] - 1, -1, -1):
        if i > 0:
            # line 14: y[i] += y[i - 1] * x[i]
            y[i] = y_saved_1[i]
            g = y_bar[i]
            y_bar[i - 1] += g * x[i]
            x_bar[i] += g * y[i - 1]
        # line 12: y[i] = x[i] * x[i]
        y[i] = y_saved[i]
        g_1 = y_bar[i]
        x_bar[i] += g_1 * x[i]
        x_bar[i] += g_1 * x[i]
        y_bar[i] = 0.0
    return x_bar
