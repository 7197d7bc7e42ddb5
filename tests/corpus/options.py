"""Strings and functions that a path or a loop chooses: modes, states, steps."""

import math

import numpy as np

from tests.corpus import case


def state_machine(x, n):
    state, y = "idle", 0.0
    for k in range(n):
        if state == "idle":
            y += x
            state = "work"
        elif state == "work":
            y *= x
            state = "rest" if k % 2 else "idle"
        else:
            y -= x * x
            state = "idle"
    return y


def until_converged(a):
    status, x, trips = "running", 1.0, 0
    while status == "running":
        new = 0.5 * (x + a / x)
        trips += 1
        if abs(new - x) < 1e-12:
            status = "converged"
        elif trips >= 50:
            status = "too many trips"
        x = new
    return x if status == "converged" else -x


RATES = {"slow": 0.1, "fast": 0.5}


def looked_up(x, n):
    mode = "slow"
    for _ in range(n):
        x = x - RATES[mode] * x * x
        if mode not in ("fast", "stopped") and x < 0.7:
            mode = "fast"
    return x


def functions_in_turn(x, n):
    f = math.sin
    for k in range(n):
        x = f(x) + 0.1
        if x < 0.5:
            f = math.cos
        elif k > 3:
            f = lambda z: z * z * x
    return x


class Walker:
    def __init__(self):
        self.mode = "run"
        self.steps = 0

    def step(self, x):
        self.steps += 1
        if self.steps > 3:
            self.mode = "stop"
        return x * 1.1


def mode_of_an_object(x):
    w = Walker()
    while w.mode == "run":
        x = w.step(x)
    return x


def judged(x, k):
    if x > 2.0:
        return "large", x * 0.5
    if k > 2:
        return "late", x + 1.0
    return "small", x * 1.5


def status_in_a_tuple(x, n):
    status, total = "small", 0.0
    for k in range(n):
        status, x = judged(x, k)
        if status == "large":
            total += x
        if status == "late":
            break
    return total + x if status != "small" else -x


def none_at_first(x, n):
    before = None
    for k in range(n):
        if before is None:
            x = x * 2.0
        elif before == "even":
            x = x + 1.0
        else:
            x = x * x
        before = "even" if k % 2 == 0 else "odd"
    return x


def matched(x, n):
    mode = "a"
    for _ in range(n):
        match mode:
            case "a":
                x, mode = x * 2.0, "b"
            case "b":
                x, mode = x + 1.0, "c"
            case _:
                x, mode = x * x, "a"
    return x


def string_operations(x, n):
    mode = "a"
    for _ in range(n):
        key = mode + "1"
        x = x * {"a1": 2.0, "b1": 3.0}[key]
        mode = "b" if mode.upper() == "A" else "a"
    return x


def in_a_condition(x):
    go, mode, trips = {"on": True, "off": False}, "on", 0
    while go[mode]:
        x = x * 2.0
        trips += 1
        if trips == 3:
            mode = "off"
    return x


def another_kind_for_each(x, c):
    mode = "vector" if c > 0 else "number"
    weights = np.array([x, 2.0 * x]) if mode == "vector" else x
    return np.sum(weights * 3.0)


def in_messages(x, n):
    status, kind = "fine", ValueError
    for k in range(n):
        if x > 100.0:
            status, kind = "too large", OverflowError
        x = x * 2.0
    if status != "fine":
        raise kind(f"status: {status}")
    return x


def jumps_by_mode(x, n):
    mode = "p"
    for i in range(n):
        for _ in range(i):
            if mode == "q" and x > 3.0:
                return 10.0 * x
            x = x * 1.5
            if x > 2.0:
                mode = "q"
    return x if mode == "p" else -x


def scaled_by(a):
    def scale(y):
        return a * y

    return scale


def made_anew_in_each_trip(x, n):
    total, last = 0.0, None
    for k in range(n):
        last = scaled_by(x * k)
        total += last(2.0)
    return total if last is not None else x


case(made_anew_in_each_trip, (1.3, 4), grad=lambda x, n: (12.0,))
case(state_machine, (1.3, 9), second=True, numba="fast")
case(until_converged, (3.0,), grad=lambda a: (0.5 / np.sqrt(a),))
case(looked_up, (0.9, 6), numba="fast")
case(functions_in_turn, (1.4, 7))
case(mode_of_an_object, (1.4,), grad=lambda x: (1.1**4,))
case(status_in_a_tuple, (1.4, 6))
case(none_at_first, (1.1, 5))
case(matched, (1.1, 5))
case(string_operations, (1.1, 3), grad=lambda x, n: (12.0,))
case(in_a_condition, (1.1,), grad=lambda x: (8.0,))
case(another_kind_for_each, (1.1, 1), grad=lambda x, c: (9.0,))
case(in_messages, (1.4, 3), grad=lambda x, n: (8.0,))
case(jumps_by_mode, (1.1, 5))
