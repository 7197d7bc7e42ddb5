import numpy as np


def reserve(buffer, size):
    """The buffer itself if it holds `size` elements, else a larger copy."""
    if size <= buffer.shape[0]:
        return buffer
    grown = np.empty(max(size, 2 * buffer.shape[0]), buffer.dtype)
    for k in range(buffer.shape[0]):
        grown[k] = buffer[k]
    return grown


def early_return_grad_x(x):
    """Reverse-mode derivative of early_return with respect to x."""
    took_47 = False
    # forward sweep
    returned = False
    s = 1.0
    done = False
    s_saved = np.empty(16)
    s_top = 0
    took_47_saved = np.empty(16, dtype=np.bool_)
    took_47_top = 0
    count_45 = 0
    for i in range(x.shape[0]):
        count_45 += 1
        s_saved = reserve(s_saved, s_top + 1)
        s_saved[s_top] = s
        s_top += 1
        s = s * (1.5 + x[i])
        took_47_saved = reserve(took_47_saved, took_47_top + 1)
        took_47_saved[took_47_top] = took_47
        took_47_top += 1
        took_47 = s > 1.2
        if took_47:
            done = True
            returned = True
        if done:
            break
    # reverse sweep
    x_bar = np.zeros_like(x)
    s_bar = 0.0
    result_bar = 1.0
    if not returned:
        # line 49: return s
        s_bar += 1.0
        result_bar = 0.0
    for i in range(count_45 - 1, -1, -1):
        if took_47:
            # line 48: return s * x[i]
            s_bar += result_bar * x[i]
            x_bar[i] += result_bar * s
            result_bar = 0.0
        # line 47: if s > 1.2:
        took_47_top = took_47_top - 1
        took_47 = took_47_saved[took_47_top]
        # line 46: s *= 1.5 + x[i]
        s_top = s_top - 1
        s = s_saved[s_top]
        x_bar[i] += s_bar * s
        s_bar = s_bar * (1.5 + x[i])
    return x_bar
