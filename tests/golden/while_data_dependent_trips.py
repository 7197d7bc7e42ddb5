import numpy as np


def reserve(buffer, size):
    """The buffer itself if it holds `size` elements, else a larger copy."""
    if size <= buffer.shape[0]:
        return buffer
    grown = np.empty(max(size, 2 * buffer.shape[0]), buffer.dtype)
    for k in range(buffer.shape[0]):
        grown[k] = buffer[k]
    return grown


def while_data_dependent_trips_grad_x(x):
    """Reverse-mode derivative of while_data_dependent_trips with respect to x."""
    # forward sweep
    s = x
    s_saved = np.empty(16)
    s_top = 0
    count_20 = 0
    while s < 10.0:
        count_20 += 1
        s_saved = reserve(s_saved, s_top + 1)
        s_saved[s_top] = s
        s_top += 1
        s = s * s + 0.5
    # reverse sweep
    s_bar = 1.0
    for k in range(count_20):
        # line 21: s = s * s + 0.5
        s_top = s_top - 1
        s = s_saved[s_top]
        s_bar = s_bar * s + s_bar * s
    return s_bar
