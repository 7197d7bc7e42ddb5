"""List and tuple comprehensions, generator expressions, growing and shrinking lists."""
import numpy as np

from tests.corpus import case

X = np.array([0.3, -1.2, 0.7, 2.1])
A = np.array([[0.2, 1.3, -0.7], [0.9, -0.5, 0.4], [1.1, 0.8, -1.6]])


def generator_sum(x):
    return sum(v * v for v in x) + sum(x[i] * x[i - 1] for i in range(1, len(x)))


def generator_condition(x):
    return sum(v ** 3 for v in x if v > 0.0)


def generator_max_min(x):
    return max(v * v for v in x) - min(v * 2.0 for v in x)


def generator_any_all(x):
    if any(v > 2.0 for v in x) and not all(v > 0.0 for v in x):
        return np.sum(x * x)
    return np.sum(x)


def nested_generator(A):
    return sum(A[i, j] * A[j, i] for i in range(3) for j in range(i))


def list_comprehension_array(x):
    y = np.array([v * v + 1.0 for v in x])
    return np.sum(y * x)


def list_comprehension_sum(x):
    terms = [np.sin(v) * i for i, v in enumerate(x)]
    s = 0.0
    for t in terms:
        s = s * 0.5 + t
    return s


def nested_comprehension(x):
    M = np.array([[a * b + i for a in x] for i, b in enumerate(x)])
    return np.sum(M * M)


def comprehension_with_condition(x):
    pos = [v for v in x if v > 0.0]
    s = 1.0
    for v in pos:
        s *= v + 1.0
    return s * len(pos)


def tuple_comprehension(x, y):
    a, b, c = (k * x + y ** k for k in range(3))
    return a * b * c


def comprehension_scope(x):
    v = x[0]
    t = [v * 2.0 for v in x]
    return v * t[1] + t[2]


def list_append(x):
    out = []
    for i in range(len(x)):
        out.append(x[i] * x[i])
        if i > 0:
            out.append(out[-1] * out[-2])
    return sum(out) * len(out)


def list_append_array(x):
    ys = []
    for i in range(3):
        ys.append(x * (i + 1.0))
    s = 0.0
    for y in ys:
        s += np.sum(y * y)
    return s + np.sum(np.stack(ys)[1] ** 3)


def list_pop(x):
    stack = [x[0], x[1]]
    s = 0.0
    for i in range(2, 4):
        stack.append(x[i] * s + stack[-1])
        s += stack.pop(0) * 2.0
    while len(stack) > 0:
        s = s * 0.5 + stack.pop() ** 2
    return s


def list_stored(x):
    ys = [0.0] * 4
    for i in range(4):
        ys[i] = x[i] * x[i - 1]
    ys[1] = ys[2] * ys[3]
    return sum(ys)


def list_of_states(x, n):
    us = [x]
    for t in range(n):
        us.append(us[-1] * 0.9 + 0.1 * us[0] * us[-1])
    return np.sum(us[-1]) + np.sum(us[n // 2])


def list_to_array(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * 2.0)
    y = np.array(out)
    return np.sum(y * y)


def list_concatenation(x, y):
    a = [x, y]
    b = a + [x * y]
    s = 0.0
    for v in b:
        s += v * v
    return s


def while_stack(x):
    todo = [0]
    s = 0.0
    while todo:
        k = todo.pop()
        s += x[k] * (k + 1.0) + s * 0.1
        if 2 * k + 1 < len(x):
            todo.append(2 * k + 1)
        if 2 * k + 2 < len(x):
            todo.append(2 * k + 2)
    return s


def array_literal(x, y):
    R = np.array([[np.cos(x), -np.sin(x)], [np.sin(x), np.cos(x)]])
    v = np.array([x, y])
    w = R @ v
    return w[0] * w[1] + R[0, 0]


case(generator_sum, (X,))
case(generator_condition, (X,))
case(generator_max_min, (X,))
case(generator_any_all, (X,))
case(nested_generator, (A,))
case(list_comprehension_array, (X,), numba="fast")
case(list_comprehension_sum, (X,))
case(nested_comprehension, (X,))
case(comprehension_with_condition, (X,))
case(tuple_comprehension, (0.7, 1.2))
case(comprehension_scope, (X,))
case(list_append, (X,), numba="fast")
case(list_append_array, (X,), numba="fast")
case(list_pop, (X,))
case(list_stored, (X,))
case(list_of_states, (X, 4), wrt=(0,))
case(list_to_array, (X,))
case(list_concatenation, (0.7, 1.2))
case(while_stack, (X,))
case(array_literal, (0.7, 1.2))
