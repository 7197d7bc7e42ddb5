"""Specialisation, hidden arguments, caches."""

import gc
import threading
import weakref

import numpy as np
import pytest
from numba import njit

import s2sgrad
from s2sgrad import pipeline

SCALE = 2.0
TABLE = np.array([1.0, 2.0, 3.0])


@pytest.fixture
def compilations(monkeypatch):
    """Counts how often a program is derived."""
    count = []
    original = pipeline.derive

    def counted(*args, **kwargs):
        count.append(args)
        return original(*args, **kwargs)

    monkeypatch.setattr("s2sgrad.dispatch.derive", counted)
    return count


def test_grad_in_a_loop_compiles_once(compilations):
    for k in range(5):
        x = np.array([1.0, 2.0]) * k
        np.testing.assert_array_equal(s2sgrad.grad(lambda w: np.sum(w * w * x))(np.ones(2)), 2 * x)
    assert len(compilations) == 1


def test_another_type_of_captured_data_compiles_again(compilations):
    def make(k):
        return lambda w: w * k

    assert s2sgrad.grad(make(2.0))(1.0) == 2.0
    assert s2sgrad.grad(make(3))(1.0) == 3.0
    assert s2sgrad.grad(make(5.0))(1.0) == 5.0
    assert len(compilations) == 2


def test_globals_are_read_at_the_call(monkeypatch):
    def f(x):
        return SCALE * x * np.sum(TABLE)

    g = s2sgrad.grad(f)
    assert g(1.0) == 12.0
    monkeypatch.setitem(globals(), "SCALE", 10.0)
    assert g(1.0) == 60.0
    monkeypatch.setitem(globals(), "TABLE", np.ones(5))
    assert g(1.0) == 50.0


def helper(x):
    return 2.0 * x


def other_helper(x):
    return 3.0 * x


def test_a_replaced_helper_is_noticed(monkeypatch):
    def f(x):
        return helper(x)

    g = s2sgrad.grad(f)
    assert g(1.0) == 2.0
    monkeypatch.setitem(globals(), "helper", other_helper)
    assert g(1.0) == 3.0
    monkeypatch.undo()
    assert g(1.0) == 2.0


def test_captured_helpers_made_anew_each_time(compilations):
    def make(k):
        def inner(x):
            return k * x

        return lambda x: inner(x) ** 2

    assert [s2sgrad.grad(make(float(k)))(1.0) for k in range(4)] == [0.0, 2.0, 8.0, 18.0]
    assert len(compilations) == 1


def test_a_variable_captured_and_changed():
    k = 1.0

    def f(x):
        return k * x

    g = s2sgrad.grad(f)
    assert g(1.0) == 1.0
    k = 4.0
    assert g(1.0) == 4.0


def test_the_same_object_for_a_function_without_captures():
    assert s2sgrad.grad(helper) is s2sgrad.grad(helper)
    assert s2sgrad.grad(helper) is not s2sgrad.value_and_grad(helper)


def test_captured_data_are_not_kept_alive():
    class Data:
        pass

    def run():
        x = np.ones(3)
        owner = Data()
        watch = weakref.ref(owner)
        f = lambda w: (owner, np.sum(w * x))[1]  # noqa: E731
        s2sgrad.grad(lambda w: np.sum(w * x))(np.ones(3))
        del f
        return watch

    watch = run()
    gc.collect()
    assert watch() is None


def test_layouts_and_readonly():
    def f(a):
        return np.sum(a[0] * a[1])

    a = np.arange(6.0).reshape(2, 3)
    expected = a[::-1]
    frozen = a.copy()
    frozen.setflags(write=False)
    for x in (a, np.asfortranarray(a), np.repeat(a, 2, axis=1)[:, ::2], frozen):
        np.testing.assert_array_equal(s2sgrad.grad(f)(x), expected)


def test_static_arguments():
    def f(x, kind, power=None):
        y = np.sin(x) if kind == "sin" else np.cos(x)
        return y if power is None else y**power

    g = s2sgrad.grad(f)
    assert g(0.0, "sin") == 1.0
    assert g(0.0, "cos") == 0.0
    assert g(0.5, "sin", 2) == pytest.approx(2 * np.sin(0.5) * np.cos(0.5))


def test_methods():
    class Model:
        def __init__(self, k):
            self.k = k

        def energy(self, x):
            return self.k * x * x

    m = Model(3.0)
    g = s2sgrad.grad(m.energy)
    assert g(2.0) == 12.0
    m.k = 1.0
    assert g(2.0) == 4.0


def test_threads():
    def f(x):
        return np.sum(x**3)

    results, errors = [], []

    def work(k):
        try:
            results.append(s2sgrad.grad(f)(np.full(3, float(k)))[0] == 3.0 * k * k)
        except Exception as e:  # noqa: BLE001  (reported below)
            errors.append(e)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors and results == [True] * 8


def test_after_an_error_the_next_call_works():
    def f(x):
        return np.sum(x)

    g = s2sgrad.grad(f)
    with pytest.raises(s2sgrad.WrtError):
        g(np.arange(3))
    np.testing.assert_array_equal(g(np.arange(3.0)), np.ones(3))


def test_without_jit(monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")

    def f(x):
        return np.sum(np.exp(x))

    x = np.array([0.0, 1.0])
    g = s2sgrad.grad(f)
    np.testing.assert_allclose(g(x), np.exp(x))
    assert not hasattr(g.template.last.fn, "overloads")


def test_hidden_values_in_compiled_callers():
    def make(k):
        return lambda x: k * x * x

    def caller(g):
        return njit(lambda x: g(x))

    assert caller(s2sgrad.grad(make(1.0)))(3.0) == 6.0
    assert caller(s2sgrad.grad(make(2.0)))(3.0) == 12.0


def test_tuples_and_defaults_in_compiled_callers():
    def f(p, x, k=2.0):
        return p[0] * x * k + p[1]

    g = s2sgrad.grad(f)
    v = s2sgrad.value_and_grad(f, wrt=("p", "x"))

    @njit
    def run(x):
        return g((1.0, 2.0), x), v((1.0, 2.0), x, k=3.0)

    assert run(5.0) == ((10.0, 1.0), (17.0, ((15.0, 1.0), 3.0)))


def test_arguments_that_decide_the_structure(compilations):
    def f(x, axis, *, which=1):
        s = np.sum(x**2, axis=axis)
        return s[0] * (x, 2.0 * x)[which][0, 0]

    x = np.arange(1.0, 7.0).reshape(2, 3)
    g = s2sgrad.grad(f)
    first = np.zeros((2, 3))
    first[:, 0] = 2 * x[:, 0]
    first[0, 0] += np.sum(x[:, 0] ** 2)
    np.testing.assert_allclose(g(x, 0, which=0), first)
    second = np.zeros((2, 3))
    second[0] = 2 * 2 * x[0]
    second[0, 0] += 2 * np.sum(x[0] ** 2)
    for _ in range(2):
        np.testing.assert_allclose(g(x, 1), second)
        np.testing.assert_allclose(g(x, -1, which=1), second)


def test_what_numba_cannot_compile_is_told_apart(monkeypatch):
    from numba.core.errors import TypingError

    def f(x):
        return x * x

    g = s2sgrad.grad(f)
    entry = g.template.entry(f, (1.0,))[0]

    def fails(*args):
        raise TypingError("Failed in nopython mode pipeline\nno such thing")

    monkeypatch.setattr(entry, "fn", fails)
    with pytest.raises(s2sgrad.Unsupported, match="numba cannot compile the derivative of f: no such thing"):
        entry.call(f, (1.0,), ())


def test_cached_callers_notice_an_edited_primal(tmp_path):
    import subprocess
    import sys

    (tmp_path / "lib.py").write_text("import s2sgrad\ndef f(x):\n    return 2.0 * x\ng = s2sgrad.grad(f)\n")
    (tmp_path / "caller.py").write_text("from numba import njit\nfrom lib import g\n@njit(cache=True)\ndef h(x):\n    return g(x)\nprint(h(1.0))\n"
                                        "print(sum(h.stats.cache_hits.values()))\n")  # fmt: skip

    def run():
        return subprocess.run([sys.executable, "caller.py"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split()

    assert run() == ["2.0", "0"]
    assert run() == ["2.0", "1"]
    (tmp_path / "lib.py").write_text("import s2sgrad\ndef f(x):\n    return 30.0 * x\ng = s2sgrad.grad(f)\n")
    assert run() == ["30.0", "0"]
