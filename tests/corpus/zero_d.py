"""Arrays without axes: objects that hold one number, which all of their holders see change."""

import math

import numpy as np

from tests.corpus import case


def zd_alias(x):
    a = np.zeros(())
    b = a
    a += x * 2
    return b * x


case(zd_alias, (0.7,))


def zd_param(x, loss):

    def add(l, v):
        l += v ** 2
    for v in x:
        add(loss, v)
    return loss * 2.0


case(zd_param, (np.array([0.5, 0.2]), np.array(0.1)))


def zd_store(x):
    loss = np.zeros(())
    for i in range(3):
        loss[()] += x[i] ** 2
        loss[...] = loss * 1.1
    return loss


case(zd_store, (np.array([0.5, 0.2, 0.9]),))


def zd_rebind(x):
    loss = np.array(0.0)
    for v in x:
        loss = loss + v * v
    return loss


case(zd_rebind, (np.array([0.5, 0.2]),))


def zd_branch(x):
    y = np.asarray(x)
    if y > 0:
        y = y * 2
    z = np.array(x, dtype=float)
    w = z
    if x > 0.5:
        z += x
    else:
        z *= 3
    while w < 10:
        w += x
    return float(y) * z + np.sum(w)


case(zd_branch, (0.7,))


def zd_list(x):
    L = [np.zeros(()), np.ones(())]
    d = {'a': L[0]}
    L[0] += x
    L[1] *= x
    d['a'] -= 3 * x * x
    np.add(L[0], 1.0, out=L[0])
    return sum(L) * d['a'] + L[0].item() + L[1].copy() + np.array(L) @ np.array([1.0, 2.0]) + np.stack(L).sum() + max(L) + math.sin(L[0]) + L[0].sum()


case(zd_list, (0.7,))


def zd_obj(x):
    class_ = Acc()
    class_.add(x)
    class_.add(2 * x)
    t = class_.total
    class_.total += x
    return t * x


class Acc:

    def __init__(self):
        self.total = np.array(0.0)

    def add(self, v):
        self.total += v


case(zd_obj, (0.7,))


def zd_int(x, k):
    n = np.array(3)
    m = n
    n += 1
    return x[m - 2] * n + np.zeros(3)[0] + x[np.array(1)] + x[k]


case(zd_int, (np.array([0.5, 0.2, 0.9]), np.array(2)))


def zd_rec(x, n):
    return x if n == 0 else zd_rec(x * x + 0.1, n - 1)


case(zd_rec, (np.array(0.5), 3))


def zd_rec2(x):
    return x if x > 10 else zd_rec2(x * 2)


case(zd_rec2, (np.array(0.5),))


def zd_args(x, y):
    return np.sin(x) * y + np.maximum(x, y) + np.stack([x, y]).sum() + np.array([x, y, 1.0]).prod() + np.where(x > y, x, y) + abs(x) + -x + x ** 2 + np.zeros_like(x) + np.full_like(x, 2.0) * y + x.reshape(1)[0] + np.dot(x, y) + np.atleast_1d(x)[0] + x.ravel()[0] + np.clip(x, 0, 1) + np.linspace(x, y, 3)[1] + min(x, y) + float(x) + round(float(x), 1)


case(zd_args, (np.array(0.5), np.array(0.3)))


def elements_by_ellipsis(p):
    x, y, z = p[..., 0], p[..., 1], p[..., 2]
    r = np.sqrt(x * x + y ** 2)
    out = np.empty(3)
    out[..., 0] = r
    out[..., 1] = np.arctan2(y, x)
    out[..., 2] = z
    out[..., 1] += x
    if x > 0.1:
        r = r + x
    t = np.stack([x, y], axis=-1)
    return out.sum() + r * p[0, ...] + t.prod() + max(x, y) + float(z)


def recursion_on_an_element(p):
    return p[..., 0] if p[..., 0] > 3 else recursion_on_an_element(p * 1.5)


case(elements_by_ellipsis, (np.array([0.3, 0.5, 0.7]),))
case(recursion_on_an_element, (np.array([0.3, 0.5, 0.7]),))


def arrays_without_axes_in_a_growing_list(x):
    made = []
    for v in x:
        a = np.zeros(())
        a += v * v
        made.append(a)
    return sum(made) * made[0]


case(arrays_without_axes_in_a_growing_list, (np.array([0.3, 0.5, 0.7]),))


def zd_views_show_the_element(y, n):
    """Views without axes are read after the element has changed; the names they were made with are bound again."""
    y = y * 1.0
    i = n - 1
    u, v, w = y[..., i], y[1:2].reshape(()), np.squeeze(y[:1], axis=0)
    z = y
    i = 0
    for k in range(n):
        z[k] += z[k - 1] * u + v * w
        if k == 1:
            y = y * 2.0
    return u * y[2] * y[i] + v * w


def zd_choice_of_two_types(x, c):
    """max of a Python integer and a float in a list that grows."""
    rows = [max(c, 3)]
    for k in range(4):
        rows.append(np.max(x) * rows[-1])
    return sum(rows) * 0.3


case(zd_views_show_the_element, (np.array([1.0, 0.2, 0.3]), 3), wrt=(0,), numba="fast")
case(zd_choice_of_two_types, (np.array([0.5, -0.8, -0.2]), 1.2))
