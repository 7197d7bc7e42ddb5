"""Every refusal, with its whole message."""

import numpy as np
import pytest

import s2sgrad


def two(x, n):
    return x * n


def vector(x):
    return x * 2.0


def nothing(x):
    y = x  # noqa: F841


def writes(a, b):
    a[0] = 0.0
    return np.sum(a * b)


LINE = {f.__name__: f.__code__.co_firstlineno for f in (two, vector, nothing, writes)}
FILE = __file__


def message(error, call, *args, **kwargs):
    with pytest.raises(error) as caught:
        call(*args, **kwargs)
    return str(caught.value)


def at(name, text):
    return f'\n  File "{FILE}", line {LINE[name]}, in {name}\n    {text}'


def test_unknown_name():
    assert message(s2sgrad.WrtError, s2sgrad.grad, two, "q") == (
        "two has no parameter 'q'; its parameters are x, n" + at("two", "def two(x, n):") + "\n  Name one of them in wrt."
    )


def test_position_out_of_range():
    assert message(s2sgrad.WrtError, s2sgrad.grad, two, 2) == (
        "wrt=2 is out of range for two: its parameters are x, n" + at("two", "def two(x, n):") + "\n  Positions count from 0."
    )


def test_wrt_of_a_wrong_kind():
    assert message(s2sgrad.WrtError, s2sgrad.grad, two, 1.5) == (
        "wrt must be a position, a name or a tuple of them, not 1.5" + at("two", "def two(x, n):")
    )


def test_integer_argument():
    assert message(s2sgrad.WrtError, s2sgrad.grad(two), 2, 3) == (
        "cannot differentiate two with respect to x: it is an integer (int)" + at("two", "def two(x, n):")
        + "\n  Pass float(x), for example 2.0 instead of 2."
    )


def test_integer_array():
    assert message(s2sgrad.WrtError, s2sgrad.grad(two), np.arange(3), 3) == (
        "cannot differentiate two with respect to x: it is an integer array (int64[:])" + at("two", "def two(x, n):") + "\n  Pass x.astype(float)."
    )


def test_string_argument():
    assert message(s2sgrad.WrtError, s2sgrad.grad(two, "n"), 2.0, "three") == (
        "cannot differentiate two with respect to n: it is a str" + at("two", "def two(x, n):")
        + "\n  Only numbers, arrays and structures of them have a gradient."
    )


def test_result_is_an_array():
    assert message(s2sgrad.ResultError, s2sgrad.grad(vector), np.ones(2)) == (
        "grad needs a function with one real scalar result, but vector returns an array float64[:]" + at("vector", "def vector(x):")
        + "\n  Return a real scalar (np.sum(...), np.real(...)), or use s2sgrad.jacobian(vector) or s2sgrad.vjp(vector, ...)."
    )


def test_result_is_none():
    assert message(s2sgrad.ResultError, s2sgrad.grad(nothing), 1.0).startswith(
        "grad needs a function with one real scalar result, but nothing returns None\n"
    )


def test_builtin():
    assert message(s2sgrad.NoSource, s2sgrad.grad, len) == (
        "len has no Python source to differentiate\n  Wrap it in a Python function, or give it a derivative with s2sgrad.custom_gradient."
    )


def test_not_a_function():
    assert message(s2sgrad.NoSource, s2sgrad.grad, 3.0) == "3.0 is not a function\n  Pass the function itself, not its result: s2sgrad.grad(f)(x)."


def test_overlapping_arguments():
    a = np.ones(4)
    assert message(s2sgrad.AliasError, s2sgrad.grad(writes), a[:3], a[1:]) == (
        "arguments a and b of writes overlap in memory, and writes writes into a" + at("writes", "def writes(a, b):") + "\n  Pass a copy: a.copy()."
    )
    a2 = np.ones(8)
    s2sgrad.grad(writes)(a2[::2], a2[1::2])  # interleaved, but no common element


def test_the_same_array_twice_is_fine_when_nothing_is_written():
    a = np.ones(3)
    np.testing.assert_array_equal(s2sgrad.grad(lambda x, y: np.sum(x * y))(a, a), a)


def test_wrong_rank():
    def f(x):
        return x[0, 0]

    text = message(s2sgrad.S2SGradError, s2sgrad.grad(f), np.ones(3))
    assert "x[0, 0]" in text and "line" in text


def test_objects_that_are_not_arrays():
    class Series:
        def __array__(self):
            return np.ones(2)

    assert message(s2sgrad.ArgumentError, s2sgrad.grad(vector), Series()) == (
        "argument x is a Series, not a NumPy array" + at("vector", "def vector(x):") + "\n  Pass a NumPy array: np.asarray(x)."
    )
    assert "argument x is an array of Python objects" in message(s2sgrad.ArgumentError, s2sgrad.grad(vector), np.array([1, None]))
    assert "its operators mean something else" in message(s2sgrad.ArgumentError, s2sgrad.grad(vector), np.ma.ones(2))


def test_missing_argument_is_python_s_own_error():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'n'"):
        s2sgrad.grad(two)(1.0)


def test_seeds_must_fit():
    _, pullback = s2sgrad.vjp(vector, np.ones(2))
    assert message(s2sgrad.ArgumentError, pullback, np.ones(3)) == "the result has shape (2,), but its seed or tangent has shape (3,)"


def test_unsupported_names_the_place():
    def f(x):
        with open("file") as handle:  # noqa: F841
            return x

    text = message(s2sgrad.Unsupported, s2sgrad.grad(f), 1.0)
    assert f'File "{FILE}", line {f.__code__.co_firstlineno + 1}' in text


def emptied(x, y):
    s = 0.8
    for _ in range(2):
        left = [x[0] * 1.0, y[0] * 1.0]
        while len(left) > 0:
            s = s * left.pop()
    return s


def test_a_list_of_two_dtypes_that_is_emptied_at_run_time():
    text = message(s2sgrad.TypeConflict, s2sgrad.grad(emptied), np.ones(2, dtype=np.float32), np.ones(2))
    assert text.startswith("this value would be a list of elements that differ in dtype or rank\n")
    assert "while len(left) > 0:" in text
