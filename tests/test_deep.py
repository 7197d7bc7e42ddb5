"""Deep programs: long sums, many levels of calls and branches. The passes recurse over them, so Python's limit must not be in the way."""

import importlib.util
import sys

import numpy as np

import s2sgrad
from s2sgrad.recursion import deep


def module(tmp_path, text):
    path = tmp_path / "deep_program.py"
    path.write_text("import numpy as np\n" + text)
    spec = importlib.util.spec_from_file_location("deep_program", path)
    m = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(m)
    return m


def test_long_sum(tmp_path, monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")
    m = module(tmp_path, "def f(x):\n    return " + " + ".join(f"x[{i}] * {i}.0" for i in range(400)) + "\n")
    before = sys.getrecursionlimit()
    np.testing.assert_allclose(s2sgrad.grad(m.f)(np.ones(400)), np.arange(400.0))
    assert sys.getrecursionlimit() == before


def test_many_branches_and_calls(tmp_path, monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")
    branches = "".join(f"    {'el' if k else ''}if k == {k}:\n        y = x * {k}.0\n" for k in range(150))
    m = module(tmp_path, f"def f(x, k):\n{branches}    else:\n        y = x\n    return y * y\n\n"
                         "def g(x):\n    def half(y, n):\n        return y if n == 0 else half(0.99 * y + 0.01, n - 1)\n    return half(x, 59)\n")
    assert s2sgrad.grad(m.f)(0.5, 7) == 49.0
    np.testing.assert_allclose(s2sgrad.grad(m.g)(0.5), 0.99 ** 59)


def test_the_limit_comes_back_after_an_error():
    @deep
    def fails(n):
        return fails.__wrapped__(n - 1) if n else 1 / 0

    before = sys.getrecursionlimit()
    try:
        fails(5000)
    except ZeroDivisionError:
        assert sys.getrecursionlimit() == before
    else:
        raise AssertionError("the error is lost")
