import numpy as np


def break_out_grad_x(x):
    """Reverse-mode derivative of break_out with respect to x."""
    # forward sweep
    s = 0.0
    count_27 = 0
    for i in range(x.shape[0]):
        count_27 += 1
        s += x[i]**2
        if s > 1.0:
            break
    # reverse sweep
    x_bar = np.zeros_like(x)
    for i in range(count_27 - 1, -1, -1):
        # line 28: s += x[i] ** 2
        x_bar[i] += 2 * x[i]
    return x_bar
