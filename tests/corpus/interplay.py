"""Exceptions, generators, iterators, lists and loops that take out their first trip, together."""

import numpy as np, math, functools, itertools

import s2sgrad
from tests.corpus import case

X = np.array([0.3, 1.2, 0.7, 2.1])


def risky(v):
    if v > 1.5:
        raise ValueError('v')
    return v * v


def v_gen_try(x):

    def g():
        for v in x:
            try:
                yield risky(v)
            except ValueError:
                yield (v * 10)
    return sum(g())


def v_while_try(x, n):
    i = 0
    s = 0.0
    while True:
        try:
            s += risky(x[i]) * s + x[i]
        except ValueError:
            s *= 2
        except IndexError:
            break
        i += 1
    return s


def v_try_in_comp(x, n):

    def safe(v):
        try:
            return risky(v)
        except ValueError:
            return v
    l = [safe(x[i]) for i in range(n)]
    return sum(l) * l[3]


def v_try_append(x, n):
    l = []
    for i in range(n):
        try:
            l.append(x[i])
            l.append(risky(x[i]))
        except ValueError:
            l.append(5 * x[i])
    return sum((k * v for k, v in enumerate(l)))


def v_dict_try(x, n):
    d = {}
    for i in range(3):
        try:
            d['a'] = d['a'] * x[i]
        except KeyError:
            d['a'] = x[3]
    return d['a']


def v_nested_fn(x, n):

    def outer(v):

        def inner(w):
            if w > 2:
                raise KeyError(1)
            return w * v
        try:
            return inner(v) + 1
        except KeyError:
            return inner(1.0)
        finally:
            pass
    return sum((outer(x[i]) for i in range(n)))


def v_arr_write(x, n):
    y = np.zeros(4)
    for i in range(6):
        try:
            y[i] = risky(x[i])
        except (ValueError, IndexError) as e:
            y[0] += x[1] if isinstance(e, ValueError) else x[0]
    return np.sum(y * x)


def v_raise_loop_else(x, n):
    s = 0.0
    try:
        for v in x:
            if v > 100:
                raise ValueError
            s += v
        else:
            s *= 2
    except ValueError:
        s = -1.0
    return s


def v_two_handlers(x, n):
    s = 0.0
    for i in range(n):
        try:
            if i == 1:
                raise KeyError
            if i == 2:
                raise ValueError
            s += x[i]
        except KeyError:
            s += 2 * x[i]
            continue
        except ValueError:
            s += 3 * x[i]
            break
        else:
            s *= 1.1
        s += 0.1
    return s


def v_finally_write(x, n):
    y = x.copy()

    def f(i):
        try:
            y[i] *= 2
            if i == 2:
                raise ValueError
            return y[i]
        except ValueError:
            return 7.0 * y[i]
        finally:
            y[i] += 1.0
    return f(0) * f(2) + np.sum(y * y)


def v_zip_gen_break(x, n):

    def g():
        k = 1.0
        while True:
            yield k
            k = k * x[1]
    s = 0.0
    for a, b in zip(x, g()):
        if b > 1.3:
            break
        s += a * b
    return s


def v_gen_two(x, n):

    def g(m):
        for i in range(m):
            yield x[i]
    s = 0.0
    for a in g(n):
        for b in g(2):
            if b > a:
                break
            s += a * b
        else:
            s += 10 * a
    return s


def v_gen_return_in_body(x, n):

    def g():
        for i in range(n):
            yield x[i]

    def first_big():
        for v in g():
            if v > 1:
                return v * 2
        return 0.0
    return first_big() * x[0]


def v_iter_shared(x, n):
    it = iter(x)
    s = 0.0
    for v in it:
        s += v
        if v > 1:
            break
    return s * sum(it)


def v_iter_loop_next(x, n):
    it = iter([x[0], x[1], x[2], x[3]])
    s = 1.0
    for i in range(3):
        s = s * next(it) + i
    return s


def v_peel_brk(x, n):
    s = 0
    for i in range(n):
        if i == 3:
            break
        if i == 1:
            continue
        s = s + x * i
    return np.sum(s)


def v_peel_ret(x, n):

    def f():
        s = 1.0
        for i in range(n):
            s = s * x
            if np.sum(s) > 5:
                return s
        return s
    return np.sum(f())


def v_peel_while(x, n):
    s, k = (1.0, 0)
    while k < n:
        k += 1
        if k == 2:
            continue
        s = s * x + 1
    return np.sum(s)


case(v_gen_try, (X,))
case(v_while_try, (X, 4,))
case(v_try_in_comp, (X, 4,))
case(v_try_append, (X, 4,))
case(v_dict_try, (X, 4,))
case(v_nested_fn, (X, 4,))
case(v_arr_write, (X, 4,))
case(v_raise_loop_else, (X, 4,))
case(v_two_handlers, (X, 4,))
case(v_finally_write, (X, 4,))
case(v_zip_gen_break, (X, 4,))
case(v_gen_two, (X, 4,))
case(v_gen_return_in_body, (X, 4,))
case(v_iter_shared, (X, 4,))
case(v_iter_loop_next, (X, 4,))
case(v_peel_brk, (X, 4,))
case(v_peel_ret, (X, 4,))
case(v_peel_while, (X, 4,))


def recomputed_writes_outside(x):
    """A recomputed function changes a variable and a list around it."""
    t = 0.0
    out = [x[0]]

    @s2sgrad.recompute_grad
    def step(v):
        nonlocal t
        t += v * v
        out.append(v * t)
        return v * t

    s = 0.0
    for k in range(4):
        s += step(x[k]) * t
    return s + t + sum(out)


def custom_writes_outside(x):
    t = 0.0
    out = [1.0]

    @s2sgrad.custom_gradient
    def step(v):
        nonlocal t
        t += 1.0
        out.append(2.0)

        def grad(dy):
            return dy * 2 * v

        return v * v, grad

    s = 0.0
    for k in range(4):
        s += step(x[k]) * t
    return s + t + sum(out) * x[0]


case(recomputed_writes_outside, (np.array([0.3, 0.5, 0.9, 0.4]),))
case(custom_writes_outside, (np.array([0.3, 0.5, 0.9, 0.4]),))
