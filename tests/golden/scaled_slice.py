import numpy as np


def unbroadcast(g, like):
    """Sum over the axes along which `like` was broadcast to the shape of `g`."""
    lead = np.ndim(g) - np.ndim(like)
    g = np.sum(g, axis=tuple(range(lead))) if lead else g
    axes = tuple(i for i, n in enumerate(np.shape(like)) if n == 1 and g.shape[i] != 1)
    return np.sum(g, axis=axes, keepdims=True) if axes else g


def scaled_slice_grad_x(x):
    """Reverse-mode derivative of scaled_slice with respect to x."""
    # forward sweep
    v = x.copy()
    v[:] = v * 2
    v_saved = v[1:].copy()
    v[1:] = v[1:] * v[:-1]
    # reverse sweep
    v_bar = np.ones_like(v)
    # line 68: v[1:] *= v[:-1]
    v[1:] = v_saved
    g = v_bar[1:].copy()
    v_bar[1:] = 0.0
    v_bar[1:] += unbroadcast(g * v[:-1], v[1:])
    v_bar[:-1] += unbroadcast(g * v[1:] * np.ones_like(v[1:] * v[:-1]), v[:-1])
    # line 67: v *= 2
    g_1 = v_bar.copy()
    v_bar[:] = 0.0
    v_bar += g_1 * 2
    # line 66: v = x.copy()
    x_bar = v_bar.copy()
    return x_bar
