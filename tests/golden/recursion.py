import numpy as np


def recursion_2(x, n):
    if n == 0:
        result = np.float64(x)
    else:
        r = recursion_2(x, n - 1)
        result = np.sin(r) * x
    return result


def recursion_2_rev(x, n, result_bar_in):
    """Pull-back of recursion_2."""
    # forward sweep
    if not n == 0:
        r = recursion_2(x, n - 1)
    # reverse sweep
    x_bar = 0.0
    if n == 0:
        # line 55: return np.sin(recursion(x, n - 1)) * x
        x_bar += result_bar_in
    else:
        r_bar = result_bar_in * x * np.cos(r)
        x_bar += result_bar_in * np.sin(r)
        x_bar_1 = recursion_2_rev(x, n - 1, r_bar)
        x_bar += x_bar_1
    return x_bar


def recursion_grad_x(x, n):
    """Reverse-mode derivative of recursion with respect to x."""
    # line 52: def recursion(x, n):
    x_bar = recursion_2_rev(x, n, 1.0)
    return x_bar
