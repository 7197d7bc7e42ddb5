import numpy as np


def dynamic_product_grad_x(x, n):
    """Reverse-mode derivative of dynamic_product with respect to x."""
    # forward sweep
    s = 1.0
    s_saved = np.empty(max(n, 0))
    for i in range(n):
        s_saved[i] = s
        s = s * x[i]
    # reverse sweep
    x_bar = np.zeros_like(x)
    s_bar = 1.0
    for i in range(n - 1, -1, -1):
        # line 98: s *= x[i]
        s = s_saved[i]
        x_bar[i] += s_bar * s
        s_bar = s_bar * x[i]
    return x_bar
