"""The front end: programs mean the same in Core as in Python; refusals say what, where and why."""

from __future__ import annotations

import copy
import functools
import inspect
import linecache
import types

import numpy as np
import pytest

from s2sgrad import errors, frontend, structure
from s2sgrad.errors import NoSource, S2SGradError, Unsupported
from s2sgrad.testing import interpret
from tests import frontend_programs as programs


def check(fn, *args):
    """Core and Python give the same values of the same types."""
    s = frontend.specialise(fn, [structure.describe(a) for a in args])
    want = fn(*copy.deepcopy(args))
    leaves = [x for a, spec in zip(copy.deepcopy(args), s.param_specs, strict=True) for x in structure.flatten(a, spec)]
    got = interpret.run(s.program, [*leaves, *(frontend.read(fn, h) for h in s.hidden)])
    expected = structure.flatten(want, structure.describe(want))
    assert len(got) == len(expected)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)
        assert np.asarray(a).dtype == np.asarray(b).dtype
        assert structure.describe(a).type.weak == structure.describe(b).type.weak if np.ndim(b) == 0 else True
    return s


def functions():
    for name, f in vars(programs).items():
        if isinstance(f, types.FunctionType) and f.__module__ == programs.__name__ and f.__defaults__:
            if len(f.__defaults__) == len(inspect.signature(f).parameters) and name != "decorated":
                yield pytest.param(f, id=name)


@pytest.mark.parametrize("fn", list(functions()))
def test_program(fn):
    check(fn, *copy.deepcopy(fn.__defaults__))


# ------------------------------------------------------------------------------------------------ roots and sources


def in_file(tmp_path, text, name="f"):
    """A function of a module of its own."""
    import importlib.util

    path = tmp_path / "module_under_test.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("module_under_test", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def test_methods_and_callables():
    model = programs.Model(2.0)
    assert len(check(model.m, 0.5).hidden) == 2
    check(model, 0.5)
    check(functools.partial(lambda a, b, c: a * b + c, 2.0, c=3.0), 0.5)
    check(programs.jitted.py_func, 0.5)
    check(programs.decorated, 0.5, 2.0)


def test_lambdas_on_one_line():
    pair = [lambda x: x * 2.0, lambda x: x * 3.0]
    check(pair[0], 0.5)
    check(pair[1], 0.5)


def test_text_with_a_linecache_entry():
    text = "def g(x):\n    return x * x + K\n"
    linecache.cache["<typed>"] = (len(text), None, text.splitlines(True), "<typed>")
    space = {"K": 4.0}
    exec(compile(text, "<typed>", "exec"), space)
    s = check(space["g"], 0.5)
    assert s.hidden == [(("global", "K"),)]


def test_text_without_source():
    space = {}
    exec("def g(x):\n    return x\n", space)
    with pytest.raises(NoSource, match="no Python source for g"):
        frontend.specialise(space["g"], [structure.describe(1.0)])


@pytest.mark.parametrize("fn", [len, np.sin, int])
def test_builtins_have_no_source(fn):
    with pytest.raises(NoSource):
        frontend.specialise(fn, [structure.describe(1.0)])


def test_captured_data_are_hidden_parameters():
    w, t, n = np.array([1.0, 2.0]), (1.0, {"a": np.array([3.0])}), 2

    def f(x):
        return np.sum(w[:n]) * x + t[1]["a"][0] * t[0]

    s = check(f, 0.5)
    assert s.hidden == [(("closure", "w"),), (("closure", "n"),), (("closure", "t"), ("item", 0)), (("closure", "t"), ("item", 1), ("item", "a"))]
    assert [p.name for p in s.program.main.params] == ["x", "w", "n", "t_0", "a_1"]
    assert frontend.read(f, s.hidden[3]) is t[1]["a"]


def test_captured_number_that_decides_the_structure():
    axis = 1

    def f(x):
        return np.sum(x, axis=axis)[0]

    s = check(f, np.ones((2, 3)))
    assert not s.hidden
    assert [(a, v.value) for a, v in s.guards] == [((("closure", "axis"),), 1)]


def test_argument_that_decides_the_structure():
    with pytest.raises(errors.Unsupported, match="must be a constant") as e:
        frontend.specialise(lambda x, k: np.sum(x, axis=k), [structure.describe(np.ones((2, 2))), structure.describe(1)])
    assert e.value.origin == ("arg", 1)


def test_written_parameters():
    def helper(v):
        v[0] = 1.0

    def f(a, b, c):
        helper(a[1:])
        d = b.T
        d[0] = 2.0
        return np.sum(a) + np.sum(b) + np.sum(c)

    s = frontend.specialise(f, [structure.describe(np.ones((3, 3)))] * 3)
    assert s.program.main.written == {"a", "b"}
    assert s.final == ["a", "b"]


# ------------------------------------------------------------------------------------------------ refusals

REFUSALS = [
    ("def f(x):\n    return y + x\n", "name 'y' is not defined"),
    ("y = 1.0\ndef f(x):\n    global y\n    y = x\n    return x\n", "the global variable y is assigned"),
    ("def f(x):\n    if x > 0:\n        y = 'a'\n    else:\n        y = x\n    return y\n", "the result would be str 'a' on one path and a number (float) on another"),
    ("def f(x):\n    class A:\n        pass\n    return x\n", "a class defined inside a differentiated function"),
    ("def f(x):\n    return open('f')\n", "io.open is not supported"),
    ("def f(x):\n    yield x\n", "an iterator is returned"),
    ("def f(x):\n    a, b = 1, 2, 3\n    return x\n", "3 values for 2 names"),
    ("def f(x):\n    return x[0]\n", "a number cannot be subscripted"),
    ("def f(x):\n    return x.shape[3]\n", "index 3 is out of range for 0 items"),
    ("ls = []\ndef f(x):\n    ls.append(x)\n    return x\n", "a list is changed, but it is captured from outside the function"),
    ("def f(x):\n    def g(n):\n        return g(n - 1)\n    return g(x)\n", "the recursive function g never returns"),
    ("def f(x):\n    with open('f') as g:\n        return x\n", "this `with` is not supported"),
    ("import numpy as np\ndef f(x):\n    a = np.zeros(2, dtype=np.int64)\n    a += x\n    return a\n", "Cannot cast the result from float64 to int64 in place"),
]


@pytest.mark.parametrize(("text", "message"), REFUSALS, ids=[m for _, m in REFUSALS])
def test_refusal(tmp_path, text, message):
    f = in_file(tmp_path, text)
    with pytest.raises(S2SGradError) as e:
        frontend.specialise(f, [structure.describe(0.5)])
    assert e.value.message.startswith(message)
    assert 'module_under_test.py", line ' in str(e.value)
    assert "\n    " in str(e.value)


def test_whole_message(tmp_path):
    f = in_file(tmp_path, "import numpy as np\n\n\ndef f(x):\n    y = x * 2.0\n    return np.sort_complex(y) + 1.0\n")
    with pytest.raises(Unsupported) as e:
        frontend.specialise(f, [structure.describe(np.ones(3))])
    assert str(e.value).replace(str(tmp_path), "") == (
        "np.sort_complex is not supported\n"
        '  File "/module_under_test.py", line 6, in f\n'
        "    return np.sort_complex(y) + 1.0\n"
        "           ^^^^^^^^^^^^^^^^^^\n"
        "  Write it with supported functions, or give it a derivative with s2sgrad.custom_gradient."
    )


def test_uninitialised_name_raises_as_python_does():
    def f(x):
        if x > 1.0:
            y = x
        return y

    s = frontend.specialise(f, [structure.describe(0.5)])
    assert interpret.run(s.program, [2.0]) == [2.0]
    with pytest.raises(UnboundLocalError, match="'y'"):
        interpret.run(s.program, [0.5])


def test_path_without_a_return_raises():
    def f(x):
        if x > 1.0:
            return x

    s = frontend.specialise(f, [structure.describe(0.5)])
    assert interpret.run(s.program, [2.0]) == [2.0]
    with pytest.raises(TypeError, match="some path ends without a return"):
        interpret.run(s.program, [0.5])


def test_reshape_that_may_be_a_view():
    def read_only(x):
        v = x[::-1].reshape(2, 2)
        return np.sum(v * v)

    def written(x):
        v = x[::-1].reshape(2, 2)
        x[0] = 5.0
        return np.sum(v * v)

    def written_before(x):
        x[0] = 5.0
        v = x[::-1].reshape(2, 2)
        return np.sum(v * v)

    check(read_only, np.arange(4.0))
    check(written_before, np.arange(4.0))
    with pytest.raises(Unsupported, match="not contiguous is reshaped"):
        check(written, np.arange(4.0))


A33 = np.sin(np.arange(9.0).reshape(3, 3))
MAKERS = [lambda a: a * 2.0, lambda a: np.exp(a.T) + 1.0, np.copy, np.array, lambda a: np.cumsum(a, axis=0), lambda a: np.where(a > 0, a, 2.0 * a), np.ones_like,
          np.zeros_like, lambda a: a.T.copy(), lambda a: a + a.T, lambda a: a @ a, lambda a: a[[0, 2, 1]], lambda a: np.sin(a[::2].T), lambda a: a.astype(float)]


@pytest.mark.parametrize("array", [A33, np.asfortranarray(A33), A33.T[::-1]], ids=["C", "F", "other"])
@pytest.mark.parametrize("k", range(len(MAKERS)))
def test_order_in_memory_is_numpys_or_refused(k, array):
    """NumPy's results keep the order of their operands, which decides whether a reshape is a view."""
    make = MAKERS[k]

    def written(a):
        b = make(a)
        v = b.reshape(-1)
        v[1] = a[1, 1] ** 2
        return np.sum(b * 3.0)

    try:
        check(written, array)
    except Unsupported as e:
        assert "not contiguous" in str(e)
        assert array is not A33 or k in (1, 12)
