def aliased_names_grad_x(x):
    """Reverse-mode derivative of aliased_names with respect to x."""
    # forward sweep
    a = x.copy()
    a[0] = 3.0 * a[1]
    # reverse sweep
    a_bar = x.copy()
    x_bar = a.copy()
    # line 81: b[0] = 3.0 * a[1]
    g = a_bar[0]
    a_bar[0] = 0.0
    a_bar[1] += g * 3.0
    # line 79: a = x.copy()
    x_bar += a_bar
    return x_bar
