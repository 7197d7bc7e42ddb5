"""`print` in differentiated functions writes what Python writes."""

import numpy as np
import pytest

import s2sgrad


def separated(x):
    print("value", x, 3, True, None, 1e10)
    return x * 2.0


def in_a_string(x):
    print(f"v={x:.3f} {x!r} {x} {{}}", x, "done", sep="-", end="!\n")
    return x * 2.0


def directives(x):
    print("%.2f|%5d|%-5d|%05d|%s|%r|%8.3e|%+g|100%%" % (x, 3, 3, 3, x, x, x, x))
    print("%s" % x, "%.1f" % x)
    return x * 2.0


def fields(x):
    print("{:.2f} {} {{}}".format(x, 3), "{1:>8.3f}|{0}|{k!r}".format(x, x, k=x), format(x, ".1f"), str(x), repr(x))
    return x * 2.0


def structures(x):
    print((x, 1), [x, 2.5], {"k": x, 3: (x,)}, (x,))
    return x * 2.0


def lines(x):
    print()
    print("a", end="")
    print("b\nc", x > 1.0, flush=True)
    return x * 2.0


def arrays(x):
    print("a:", np.array([x, 2.0]), np.zeros((2, 2)))
    return x * 2.0


@pytest.mark.parametrize("f", [separated, in_a_string, directives, fields, structures, lines, arrays], ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [1.2345678, np.float32(0.1), 1e-7])
def test_print_writes_what_python_writes(f, x, capfd):
    f(x)
    want = capfd.readouterr().out
    assert s2sgrad.grad(f)(x) == 2.0
    assert capfd.readouterr().out == want


@pytest.mark.parametrize(
    "f, message",
    [
        (lambda x: (print("%d" % x), x)[1], "%d is not supported"),
        (lambda x: (print("%s %s" % (x, x, x)), x)[1], "not all arguments converted"),  # noqa: F507
        (lambda x: (print("{0.real}".format(x)), x)[1], "0.real"),
    ],
)
def test_other_formats_are_refused(f, message):
    with pytest.raises(s2sgrad.S2SGradError, match=message):
        s2sgrad.grad(f)(1.5)


def test_in_the_second_derivative(capfd):
    def f(x):
        print(f"x is {x:.2f}", end=";")
        return x**3

    assert s2sgrad.grad(s2sgrad.grad(f))(2.0) == 12.0
    assert capfd.readouterr().out == "x is 2.00;"


def branches(x):
    for i in range(3):
        if x[i] > 0.5:
            print(f"{x} large", x)
        else:
            print(f"{i}: {x[i]:.1f}", x[i:], end=" ")
    return np.sum(x * x)


def test_in_branches(capfd):
    x = np.array([1.0, 0.25, 2.0])
    branches(x)
    want = capfd.readouterr().out
    assert np.array_equal(s2sgrad.grad(branches)(x), 2 * x)
    assert capfd.readouterr().out == want


def test_tensors_in_branches(capfd):
    @s2sgrad.function(jit_compile=True)
    def f(x):
        if s2sgrad.reduce_sum(x) > 0.0:
            s2sgrad.print("positive", x)
        else:
            s2sgrad.print("negative", x)
        return x

    f(s2sgrad.constant([1.0, 2.0]))
    f(s2sgrad.constant([-1.0, -2.0]))
    assert capfd.readouterr().err == "positive [1 2]\nnegative [-1 -2]\n"
