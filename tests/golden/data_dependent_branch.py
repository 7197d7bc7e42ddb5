import numpy as np


def data_dependent_branch_grad_x(x):
    """Reverse-mode derivative of data_dependent_branch with respect to x."""
    took_88 = False
    # forward sweep
    s = 0.0
    took_88_saved = np.empty(x.shape[0], dtype=np.bool_)
    for k in range(x.shape[0]):
        v = x[k]
        took_88_saved[k] = took_88
        took_88 = v > s
        if took_88:
            s = s + v * v
        else:
            s = s - v
    # reverse sweep
    x_bar = np.zeros_like(x)
    for k in range(x.shape[0] - 1, -1, -1):
        v_bar = 0.0
        v = x[k]
        if took_88:
            # line 89: s = s + v * v
            v_bar += v
            v_bar += v
        else:
            # line 91: s = s - v
            v_bar += -1.0
        # line 88: if v > s:
        took_88 = took_88_saved[k]
        # line 87: for v in x:
        x_bar[k] += v_bar
    return x_bar
