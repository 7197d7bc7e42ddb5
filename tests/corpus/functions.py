"""Calls: helpers that read, write and return; recursion; functions as arguments; defaults, keywords, star arguments."""
import functools

import numba
import numpy as np

from tests.corpus import case

X = np.array([0.3, -1.2, 0.7, 2.1])


def square(v):
    return v * v


def helper_scalar(x):
    s = 0.0
    for v in x:
        s += square(v) * square(s + 1.0)
    return s


def overwrite_parameter(v):
    v = v * 2.0
    v = v + np.sin(v)
    return v


def helper_overwrites_parameter(x):
    s = 0.0
    for i in range(len(x)):
        s += overwrite_parameter(x[i]) * x[i]
    return s


def fill(out, x, c):
    for i in range(len(x)):
        out[i] = c * x[i] ** 2


def helper_fills(x):
    out = np.zeros(4)
    fill(out, x, 2.0)
    fill(out[1:], out[:3], x[0])
    return np.sum(out)


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def self_recursion(x):
    return power(x, 5) + power(x, 0)


def tree_sum(a, lo, hi):
    if hi - lo == 1:
        return np.sin(a[lo])
    mid = (lo + hi) // 2
    return tree_sum(a, lo, mid) * 1.1 + tree_sum(a, mid, hi) * a[lo]


def tree_recursion(x):
    return tree_sum(x, 0, len(x))


def is_even_product(x, n):
    if n == 0:
        return x
    return is_odd_product(x * 1.1, n - 1) + x


def is_odd_product(x, n):
    if n == 0:
        return -x
    return is_even_product(x * x * 0.5, n - 1)


def mutual_recursion(x):
    return is_even_product(x, 4)


def recursion_that_writes(a, k):
    if k < len(a):
        a[k] = a[k] * a[k - 1] + 0.5
        recursion_that_writes(a, k + 1)


def writing_recursion(x):
    y = x.copy()
    recursion_that_writes(y, 1)
    return np.sum(y * y)


def apply_n(f, x, n):
    for _ in range(n):
        x = f(x)
    return x


def function_argument(x):
    return apply_n(np.sin, x, 3) + apply_n(lambda v: v * v + 0.1, x, 2)


def functions_in_tuple(x):
    s = 0.0
    for f, c in ((np.sin, 1.0), (np.exp, 0.5), (square, 2.0)):
        s += c * f(x)
    return s


def with_defaults(a, b=2.0, *, c=3.0):
    return a * b + c * a * a


def defaults_and_keywords(x):
    return with_defaults(x) + with_defaults(x, x) + with_defaults(x, c=x * 2.0) + with_defaults(b=x, a=1.0)


def star(*args, scale=1.0):
    s = 0.0
    for a in args:
        s += a * a * scale
    return s


def star_arguments(x, y):
    t = (x, y)
    return star(x, y, x * y) + star(*t, scale=x) + star()


def double_star(x):
    opts = {"b": x * x, "c": 0.5}
    return with_defaults(x, **opts)


@numba.njit
def jitted(v, n):
    s = 0.0
    for i in range(n):
        s += v ** i
    return s


def calls_njit(x):
    return jitted(x, 4) * 2.0


def logged(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)
    return wrapper


@logged
def decorated_helper(v):
    return v * np.exp(v)


def calls_decorated(x):
    return decorated_helper(x) + 1.0


class Model:
    offset = 0.5

    def __init__(self, w):
        self.w = w

    def predict(self, x):
        return np.sum(self.w * x) + self.offset

    @staticmethod
    def link(z):
        return 1.0 / (1.0 + np.exp(-z))

    def loss(self, x):
        return self.link(self.predict(x)) ** 2


MODEL = Model(np.array([0.5, 0.2, -0.3, 0.1]))


def method_of_global(x):
    return MODEL.loss(x) * 2.0


def view_returning_helper(x):
    def middle(v):
        return v[1:3]
    y = x.copy()
    m = middle(y)
    m *= y[0]
    middle(y)[0] = 5.0 * y[3]
    return np.sum(y * y)


def helper_in_condition(x):
    def bump(v, k):
        v[k] += 1.0
        return v[k]
    y = x.copy()
    k = 0
    while bump(y, k) < 2.0:
        k += 1
    return np.sum(y * y) * (k + 1)


def helper_mutates_then_expression(x):
    def h(v):
        v[0] = v[0] * 2.0
        return v[0]
    a = x.copy()
    t = a[0] + h(a) * a[0]
    a[1:3] += h(a)
    a[0] += h(a)
    return t * np.sum(a)


def evaluation_order_of_arguments(x):
    a = x.copy()

    def h(v):
        v[1] = v[1] + 1.0
        return v[1]
    return (a[1] + 0.0) * h(a) - h(a) * a[1] + max(h(a), a[1])


def return_none_helper(x):
    def log_and_scale(v):
        if v[0] > 100.0:
            return
        v *= 2.0
    y = x.copy()
    log_and_scale(y)
    return np.sum(y * y)


def recursion_on_slices(x):
    """Each call gets a view made in the call: a fast Fourier transform."""
    def transform(v):
        n = len(v)
        if n == 1:
            return v
        even = transform(v[::2])
        odd = np.exp(-2j * np.pi * np.arange(n // 2) / n) * transform(v[1::2])
        return np.concatenate((even + odd, even - odd))
    return np.sum(np.abs(transform(x.astype(complex))) ** 2 * np.arange(len(x)))


def recursion_merges(x):
    def merged(v):
        n = len(v)
        if n < 2:
            return v
        a = merged(v[:n // 2])
        b = merged(v[n // 2:])
        out = np.empty(n)
        i = 0
        j = 0
        for k in range(n):
            if j >= len(b) or (i < len(a) and a[i] <= b[j]):
                out[k] = a[i]
                i += 1
            else:
                out[k] = b[j]
                j += 1
        return out
    return np.dot(merged(x), np.arange(len(x)) ** 2.0)


def recursion_in_loop(x):
    """Backtracking: the array is changed and changed back around each call."""
    def permanent(a, k):
        n = len(a)
        if k == n:
            return np.prod(a * np.arange(1, n + 1) + 1.0)
        s = 0.0
        for i in range(k, n):
            a[k], a[i] = a[i], a[k]
            s += permanent(a, k + 1) * a[k]
            a[k], a[i] = a[i], a[k]
        return s
    return permanent(x[:3].copy(), 0)


case(helper_scalar, (X,), numba="fast")
case(helper_overwrites_parameter, (X,))
case(helper_fills, (X,))
case(self_recursion, (1.3,), numba="fast")
case(tree_recursion, (X,), numba="fast")
case(recursion_on_slices, (X,))
case(recursion_merges, (X,))
case(recursion_in_loop, (X,))
case(mutual_recursion, (0.9,))
case(writing_recursion, (X,))
case(function_argument, (0.7,))
case(functions_in_tuple, (0.7,))
case(defaults_and_keywords, (0.7,))
case(star_arguments, (0.7, 0.2))
case(double_star, (0.7,))
case(calls_njit, (0.7,), numba="fast")
case(calls_decorated, (0.7,))
case(method_of_global, (X,))
case(view_returning_helper, (X,))
case(helper_in_condition, (X,))
case(helper_mutates_then_expression, (X,), numba="fast")
case(evaluation_order_of_arguments, (X,))
case(return_none_helper, (X,))
case(numba.njit(square), (0.7,), numba="fast")
