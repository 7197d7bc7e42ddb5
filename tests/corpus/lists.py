"""Lists as Python uses them: sorting with keys, inserting, removing, slices, comparison; strings and enum members that decide."""

import enum
import functools

import numpy as np

from tests.corpus import case

X = np.array([0.3, 1.2, 0.7, 2.1])


def sort_with_key(x):
    items = [x[0], x[1], x[2]]
    items.sort(key=lambda v: -v)
    return items[0] * items[1] ** 2


def sort_growing_with_key(x, n):
    items = [x[i] for i in range(n)]
    items.sort(key=lambda v: abs(v - 1.0), reverse=True)
    return items[0] * items[1] ** 2 - items[2]


def sorted_tuples(x):
    items = sorted([(x[1], 1.0), (x[0], 2.0), (x[2], 3.0)])
    return items[0][0] * items[1][1] + items[2][0] ** 2


def sorted_by_tuple_key(x):
    items = sorted([(1.0, x[1]), (1.0, x[0]), (0.5, x[2])], key=lambda t: (t[0], -t[1]))
    return items[0][1] * 2.0 + items[1][1] ** 2 + items[2][1] * 5.0


def sorted_names(x):
    d = {"bbb": x[0], "a": x[1], "cc": x[2]}
    return sum(i * d[k] for i, k in enumerate(sorted(d))) + sum((i + 1) * d[k] ** 2 for i, k in enumerate(sorted(d, key=len, reverse=True)))


def largest_tuple(x, n):
    rows = []
    for i in range(n):
        rows.append((x[i] * (3 - i), i))
    best, k = max(rows)
    return best * x[k] * min((x[0], 2.0), (x[1], 1.0))[1]


def inserting(x, n):
    items = [x[i] for i in range(n)]
    items.insert(0, 2.0)
    items.insert(-1, x[0] * x[1])
    items.reverse()
    return sum(i * v for i, v in enumerate(items))


def taking_out(x, n):
    items = [x[i] * x[i] for i in range(n)]
    a = items.pop(1)
    b = items.pop(-2)
    del items[0]
    return a * b + sum(items)


def queue(x, n):
    waiting = [x[0], x[1]]
    total = 0.0
    steps = 0
    while waiting:
        steps += 1
        v = waiting.pop(0)
        total = total * 0.5 + v * steps
        if steps < n:
            waiting.append(v * x[2])
            waiting.append(v + x[3])
        if steps >= 2 * n:
            break
    return total


def growing_slices(x, n):
    items = [x[i] for i in range(n)]
    rest = items[1:]
    items[1:3] = [x[0] * 5.0]
    part = items[-2:]
    return sum(i * v for i, v in enumerate(rest)) + sum(items) * sum(part) + items[:n - 3][0]


def tuple_list_slices(x, n):
    rows = [(x[i], i) for i in range(n)]
    return sum(v * k for v, k in rows[1:]) * rows[:2][1][0]


def searching(x, n):
    items = [2 * i for i in range(n)]
    items.remove(4)
    total = x[0] * items.index(6) + x[1] * items.count(2)
    return total * x[2] if items == [0, 2, 6] else total


def fixed_methods(x):
    items = [x[0], x[1]]
    items.insert(0, x[2])
    items.extend([1.0, x[0]])
    items[1:3] = [x[1] * x[3]]
    del items[0]
    a, b = items.pop(0), items.pop(-1)
    return a * b + sum(items)


def equal_containers(x):
    y = x[0] * 2.0 if {"a": 1, "b": [2]} == {"b": [2], "a": 1} and (1, "u") != (1, "v") and [1, 2] < [1, 3] else x[1]
    return y * x[2] if slice(1) == slice(None, 1, None) and range(3) == range(0, 3, 1) else x[1]


def text_decides(x):
    n = 3
    name = f"layer{n:02d}"
    if name == "layer03" and "yer" in name and ",".join([name, str(n)]).endswith("3") and len(name) == 7:
        return x[0] * x[1]
    return x[1]


class Kind(enum.Enum):
    LINEAR = 1
    SQUARE = 2


def enum_argument(x, kind):
    y = x[0] * kind.value if kind is Kind.SQUARE and kind.name == "SQUARE" else x[1]
    table = {Kind.LINEAR: x[2], Kind.SQUARE: x[3]}
    return y * table[kind] * len(Kind) * sum(k.value for k in Kind)


class Lazy:
    def __init__(self, x):
        self.x = x
        self.runs = 0

    @functools.cached_property
    def square(self):
        self.runs += 1
        return self.x * self.x


def cached_property(x):
    a = Lazy(x)
    y = a.square + a.square
    a.x = 100.0
    return y * a.square * a.runs


def grown_after_branch(x):
    found = []
    if x[0] > 0:
        found.append(x[1])
    found.append(x[0] * x[1])
    found.append(x[2] * found[0])
    for i in range(3):
        found.append(found[-1] * x[i] + found[0])
    return found[0] * found[1] + found[-1] * 3.0 + len(found)


def filtered_then_iterated(x):
    s = x[1]
    for a in filter(lambda u: u > -1.0, (s, s * s, x[0])):
        s += a * x[2]
    return s


def grown_in_branches_of_loops(x):
    total = 0.0
    for k in range(2):
        found = []
        for i in range(len(x)):
            if x[i] > 0.0:
                found.append(x[i] * (k + 1.0))
            else:
                found.append(total)
                found.append(x[i] * x[0])
        if k == 1:
            found.append(x[1])
        for v in found:
            total = total * 0.5 + v * v
    return total


def copies_that_grow_apart(x):
    """The buffers of a list and of its copies have different lengths when the adjoint comes back to the copying."""
    c = []
    for i in range(len(x)):
        c.append(x[i] ** 2)
    f = list(c)
    g = c[1:]
    f.extend(c[:2])
    for i in range(len(x)):
        c.append(x[i] * f[i])
        f.append(2.0 * c[-1])
        g.append(x[i])
    return sum(v * k for k, v in enumerate(f)) + sum(c) + sum(v * k for k, v in enumerate(g))


case(sort_with_key, (X,), numba="fast")
case(sort_growing_with_key, (X, 4))
case(sorted_tuples, (X,))
case(sorted_by_tuple_key, (X,))
case(sorted_names, (X,))
case(largest_tuple, (X, 3))
case(inserting, (X, 4))
case(taking_out, (X, 4), numba="fast")
case(queue, (X, 3), second=True)
case(growing_slices, (X, 4))
case(tuple_list_slices, (X, 4))
case(searching, (X, 4))
case(fixed_methods, (X,))
case(equal_containers, (X,))
case(text_decides, (X,))
case(enum_argument, (X, Kind.SQUARE))
case(cached_property, (1.3,))
case(grown_after_branch, (np.array([0.7, 2.0, -0.5]),), numba="fast")
case(filtered_then_iterated, (np.array([1.0, 2.0, -0.5]),))
case(grown_in_branches_of_loops, (np.array([1.0, 2.0, -0.5]),), numba="fast")
case(copies_that_grow_apart, (X,))


def rows_on_one_path(x, n):
    rows = []
    if n != 1:
        rows.append(np.arange(4) * x[0])
    return np.sum(rows.pop() * x)


case(rows_on_one_path, (np.array([0.6, -0.3, 0.5, 0.1]), 3), wrt=(0,))
