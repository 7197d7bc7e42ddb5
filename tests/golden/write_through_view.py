import numpy as np


def write_through_view_grad_x(x):
    """Reverse-mode derivative of write_through_view with respect to x."""
    # forward sweep
    a = x.copy()
    a_bar = np.zeros_like(a)
    v_bar = a_bar[1:3]
    v = a[1:3]
    v_saved = v[0]
    v[0] = a[0] * a[3]
    # reverse sweep
    a_bar += a
    a_bar += a
    # line 61: v[0] = a[0] * a[3]
    v[0] = v_saved
    g = v_bar[0]
    v_bar[0] = 0.0
    a_bar[0] += g * a[3]
    a_bar[3] += g * a[0]
    # line 59: a = x * 1.0
    x_bar = a_bar.copy()
    return x_bar
