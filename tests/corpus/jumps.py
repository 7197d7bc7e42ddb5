"""Branches, break, continue, early returns, short circuits and everything else that jumps."""
import numpy as np

from tests.corpus import case

X = np.array([0.3, -1.2, 0.7, 2.1, -0.4])


def branch_data_dependent(x, y):
    if x > y:
        z = x * x - y
    elif x == y:
        z = 0.0 * x
    else:
        z = np.sin(x) * y
    return z * 2.0


def branch_on_element(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            s += x[i] ** 2
        else:
            s -= np.exp(x[i]) * s
    return s


def break_in_loop(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
        if s > 1.5:
            break
        s *= 1.1
    return s


def continue_in_loop(x):
    s = 1.0
    for i in range(len(x)):
        if x[i] < 0.0:
            continue
        s *= x[i] + 1.0
    return s


def continue_after_update(x):
    s = 0.0
    t = 1.0
    for i in range(len(x)):
        t = t * 0.5 + x[i]
        if t < 0.2:
            continue
        s += t * t
    return s + t


def early_return_in_loop(x, limit):
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 2
        if s > limit:
            return s * x[i]
    return s


def early_return_nested(x, limit):
    s = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            s += x[i] * x[j] * 0.3
            if s > limit:
                return s * s + x[j]
            if s < -limit:
                break
    return -s


def return_from_while(x):
    k = 0
    while True:
        x = x * 1.3
        k += 1
        if x > 5.0:
            return x * k


def guard_clauses(x, mode):
    if mode < 0:
        return x
    if mode == 0:
        return x * x
    if mode > 10:
        raise ValueError("mode")
    return x * x * x * mode


def break_and_continue(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i + 1):
            if x[j] < -1.0:
                continue
            if x[i] > 2.0:
                break
            s += x[i] * x[j]
        if s > 3.0:
            break
        s += 0.1 * x[i]
    return s


def conditional_expression(x, y):
    a = x if x > y else y * 2.0
    b = (x * y if x < 0 else x + y) if y > 0 else x - y
    return a * b


def chained_comparison(x):
    s = 0.0
    for v in x:
        if -1.0 < v <= 1.0:
            s += v * v
        elif 1.0 < v < 5.0 and s > 0.0:
            s += 3.0 * v
    return s


def boolean_operators(x, y):
    if (x > 0 and y > 0) or not x < 10.0:
        return x * y
    return x - y


def short_circuit_value(x, i):
    if i < len(x) and x[i] > 0.5:
        return x[i] ** 2
    return x[0]


def side_effect(a, k):
    a[k] = a[k] * 2.0
    return a[k]


def short_circuit_side_effects(x):
    a = x.copy()
    s = 0.0
    if side_effect(a, 0) > 0.0 and side_effect(a, 1) > 0.0:
        s = 1.0
    if side_effect(a, 2) > 100.0 or side_effect(a, 3) > 100.0:
        s = 2.0
    return np.sum(a * a) + s


def walrus(x):
    s = 0.0
    i = 0
    while (v := x[i]) < 2.0:
        s += v * v
        i += 1
    if (t := s * 2.0) > 0.1:
        s = t * v
    return s


def branch_then_overwrite(x):
    y = x * 2.0
    if y > 1.0:
        y = y * y
        x = x + y
    else:
        x = -x
    return x * y


def assigned_in_both_branches(x):
    if x[0] > x[1]:
        a, b = x[0], x[1]
    else:
        a, b = x[1], x[0]
    return a ** 2 / b


def match_constants(x, mode):
    match mode:
        case 0:
            return x * x
        case 1 | 2:
            return np.sin(x) * mode
        case _:
            return x


def match_tuple(x, y, k):
    match (k, 1):
        case (0, 1):
            z = x * y
        case (1, 1):
            z = x + y * y
        case _:
            z = x
    return z * z


def try_finally(x):
    s = 0.0
    try:
        s += x[0] * x[1]
    finally:
        s *= x[2]
    return s


def with_errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / (1.0 + x * x)
    return np.sum(y)


def assert_and_raise(x):
    assert x.shape[0] > 2, "too short"
    s = 0.0
    for v in x:
        if v > 1e9:
            raise ValueError(f"value {v} is too large")
        s += v ** 2
    return s


def delete_name(x):
    y = x * 2.0
    z = y * y
    del y
    y = z + x
    return y * z


def nested_function_return_in_branch(x):
    def inner(v):
        if v < 0:
            return -v * 2.0
        for k in range(3):
            v = v * 1.5
            if v > 2.0:
                return v
        return v * v
    s = 0.0
    for i in range(len(x)):
        s += inner(x[i]) * (i + 1)
    return s


def unused_paths(x, flag):
    if flag:
        y = x * 3.0
    if not flag:
        y = x * x
    return y


def any_all(x):
    if np.any(x > 2.0) and not np.all(x > 0.0):
        return np.sum(x * x)
    return np.sum(x)


case(branch_data_dependent, (0.5, 1.5))
case(branch_on_element, (X,), numba="fast")
case(break_in_loop, (X,), numba="fast")
case(continue_in_loop, (X,))
case(continue_after_update, (X,))
case(early_return_in_loop, (X, 1.4), wrt=(0,), numba="fast")
case(early_return_nested, (X, 0.4), wrt=(0,))
case(return_from_while, (1.1,))
case(guard_clauses, (1.3, 4), wrt=(0,))
case(break_and_continue, (X,))
case(conditional_expression, (0.7, 0.4))
case(chained_comparison, (X,))
case(boolean_operators, (0.7, 0.4))
case(short_circuit_value, (X, 7), wrt=(0,))
case(short_circuit_side_effects, (X,))
case(walrus, (X,))
case(branch_then_overwrite, (0.8,))
case(assigned_in_both_branches, (X[:2] + 2.0,))
case(match_constants, (0.8, 2), wrt=(0,))
case(match_tuple, (0.8, 0.3, 1), wrt=(0, 1))
case(try_finally, (X,))
case(with_errstate, (X,))
case(assert_and_raise, (X,))
case(delete_name, (0.8,))
case(nested_function_return_in_branch, (X,))
case(unused_paths, (0.8, False), wrt=(0,))
case(any_all, (X,))
