"""A derivative is made for the kind of the captured data: another function, class, length or set of keys makes another one."""

import math

import numpy as np
import pytest

import s2sgrad
from s2sgrad import grad
from tests.crossing import backend


class Line:
    power = 2.0

    def e(self, t):
        return self.h(t) ** 2

    def h(self, t):
        return self.power * t


class Square(Line):
    def h(self, t):
        return t * t


def of_function(q):
    return lambda t: q(t)


def of_list(ws):
    return lambda t: sum(np.sum(w) for w in ws) * t


def of_dict(d):
    return lambda t: sum(v * (k + 1) for k, v in enumerate(d.values())) * t


def of_attribute(o):
    return lambda t: o.f(t)


class Holder:
    def __init__(self, f):
        self.f = f


@pytest.fixture(autouse=True)
def plain():
    with backend("python"):
        yield


def test_functions():
    for make in (of_function, lambda q: of_attribute(Holder(q)), lambda q: (lambda t: {"f": q}["f"](t)), lambda q: s2sgrad.grad(of_function(q))):
        got = [grad(make(q))(0.5) for q in (np.sin, np.exp, math.sin)]
        want = [np.cos(0.5), np.exp(0.5), np.cos(0.5)] if len(got) and isinstance(make(np.sin), type(lambda: 0)) else [-np.sin(0.5), np.exp(0.5), -np.sin(0.5)]
        np.testing.assert_allclose(got, want)


def test_a_global_that_is_bound_again(monkeypatch):
    assert grad(scaled)(0.5) == pytest.approx(np.cos(0.5))
    monkeypatch.setitem(globals(), "ACT", np.exp)
    assert grad(scaled)(0.5) == pytest.approx(np.exp(0.5))


ACT = np.sin


def scaled(t):
    return ACT(t)


def test_lengths_and_keys():
    assert [grad(of_list([np.ones(2)] * n))(1.0) for n in (2, 3, 2)] == [4.0, 6.0, 4.0]
    assert [grad(of_dict(d))(1.0) for d in ({"a": 1.0}, {"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.0})] == [1.0, 5.0, 4.0]
    grown = [1.0, 2.0]
    total = grad(lambda t: sum(grown) * t)
    assert total(1.0) == 3.0
    grown.append(5.0)
    assert total(1.0) == 8.0


def test_classes():
    assert [grad(c().e)(0.5) for c in (Line, Square)] == [4.0, 0.5]
    assert [grad((lambda o: lambda t: o.e(t))(c()))(0.5) for c in (Line, Square)] == [4.0, 0.5]


def test_a_pull_back_keeps_captured_arrays():
    a = np.ones(2)
    _, back = s2sgrad.vjp(lambda y: y * y * a, np.array([1.0, 2.0]))
    a[0] = 10.0
    np.testing.assert_array_equal(back(np.ones(2))[0], [2.0, 4.0])
