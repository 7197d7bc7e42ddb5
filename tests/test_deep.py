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


def test_long_product(tmp_path, monkeypatch):
    """300 factors: the adjoint grows with their number, not with its square; arrays and operands that may not run are in it too."""
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")
    factors = [f"(x[{i % 3}] + {i}e-3)" for i in range(300)]
    lazy = " * ".join(f"(x[0] if x[1] > 0.0 else 1.0 / (x[1] - x[1])) * (x + {i}e-3)" for i in range(8))
    m = module(tmp_path, f"def f(x):\n    return {' * '.join(factors)}\n\ndef g(x):\n    return np.sum({lazy})\n")
    x = np.array([0.9, 1.0, 0.95])
    each = x[np.arange(300) % 3] + np.arange(300) * 1e-3
    want = np.array([np.sum(np.prod(each) / each[k::3]) for k in range(3)])
    f = s2sgrad.grad(m.f)
    np.testing.assert_allclose(f(x), want, rtol=1e-12)
    assert len(f.source(x).splitlines()) < 800
    value, tangent = s2sgrad.jvp(m.f, (x,), (np.array([0.3, -0.2, 0.5]),))
    np.testing.assert_allclose((value, tangent), (np.prod(each), want @ [0.3, -0.2, 0.5]), rtol=1e-12)
    assert np.max([len(line) for line in f.source(x).splitlines()]) < 400
    rows = x + np.arange(8)[:, None] * 1e-3
    p = np.prod(rows, axis=0)
    want = x[0] ** 8 * p * np.sum(1.0 / rows, axis=0)
    want[0] += 8 * x[0] ** 7 * np.sum(p)
    np.testing.assert_allclose(s2sgrad.grad(m.g)(x), want, rtol=1e-12)


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
