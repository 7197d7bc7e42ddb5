"""Several names for one piece of memory."""
import numpy as np

from tests.corpus import case

X = np.array([0.3, -1.2, 0.7, 2.1, -0.4, 0.9])
A = np.array([[0.2, 1.3, -0.7], [0.9, -0.5, 0.4], [1.1, 0.8, -1.6]])


def two_names(x):
    a = x.copy()
    b = a
    b += 1.0
    a[0] = b[1] * b[2]
    return np.sum(a * b)


def scalars_do_not_alias(x):
    a = x
    b = a
    b += 1.0
    return a * b


def alias_then_rebind(x):
    a = x * 1.0
    b = a
    a = a * 2.0
    b[0] = 5.0 * a[1]
    return np.sum(a) * np.sum(b)


def copy_source_read_later(x):
    a = x.copy()
    b = a.copy()
    b[0] = a[1] * a[2]
    a[1] = 3.0 * b[0]
    return np.sum(a * b)


def conditional_alias(x, flag):
    a = x.copy()
    b = x * 2.0
    c = a if flag > 0 else b
    c[0] = c[1] * c[2]
    return np.sum(a) * np.sum(b * b)


def one_arm_fresh(x, flag):
    a = x.copy()
    w = a if flag > 0 else np.sin(a)
    w *= 2.0
    return np.sum(a * w)


def alias_in_loop(x):
    a = x.copy()
    b = np.zeros(6)
    for k in range(3):
        c = a
        c[k] = c[k] * 2.0 + b[k]
        a, b = b, a
    return np.sum(a * b + a)


def helper_both(u, v):
    u[0] = v[0] * v[1]
    v[1] = u[0] + u[1]


def aliased_helper_arguments(x):
    a = x.copy()
    helper_both(a, a)
    helper_both(a[1:], a[:-1])
    return np.sum(a * a)


def same_array_twice(x, y):
    return np.sum(x * np.sin(y)) + x[0] * y[0]


def identity(v):
    return v


def returned_argument_is_alias(x):
    a = x.copy()
    b = identity(a)
    b[0] = b[1] * 4.0
    return np.sum(a * a)


def self_store(x):
    a = x.copy()
    a[:] = a
    a[1:3] = a[1:3] * a[0]
    return np.sum(a * a)


def alias_chain(x):
    a = x.copy()
    b = a[1:]
    c = b[::-1]
    d = c[1:4]
    d *= 2.0
    b[0] = c[0] * d[0]
    return np.sum(a * a * np.arange(6.0))


def frozen_operand_left_of_call(x):
    a = x.copy()

    def h(v):
        v[0] = v[0] * 3.0
        return v[0]
    a[0] += h(a)
    s = a[0] * h(a) + a[0]
    return s + np.sum(a)


def swap_in_helper(x, n):
    def step(u, v):
        for i in range(1, len(u)):
            v[i] = u[i] * 0.5 + u[i - 1] * u[i]
        return v, u
    a = x.copy()
    b = np.ones(len(x))
    for t in range(n):
        a, b = step(a, b)
    return np.sum(a * b)


def identity_of_objects(x):
    a = x.copy()
    b = a
    if a is b:
        b *= 2.0
    if a is not x:
        a += 1.0
    return np.sum(a * a)


case(two_names, (X,), numba="fast")
case(scalars_do_not_alias, (1.3,))
case(alias_then_rebind, (X,))
case(copy_source_read_later, (X,))
case(conditional_alias, (X, 1.0), wrt=(0,), numba="fast")
case(one_arm_fresh, (X, 1.0), wrt=(0,), numba="fast")
case(alias_in_loop, (X,))
case(aliased_helper_arguments, (X,))
case(same_array_twice, lambda: (lambda z: (z, z))(X.copy()))
case(returned_argument_is_alias, (X,))
case(self_store, (X,))
case(alias_chain, (X,), numba="fast")
case(frozen_operand_left_of_call, (X,))
case(swap_in_helper, (X, 3), wrt=(0,))
case(identity_of_objects, (X,))
