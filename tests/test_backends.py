"""Loading generated text: CPython, numba, the cache on disk."""

import gc
import os
import subprocess
import sys
import traceback

import numpy as np
import pytest
from numba.core.errors import NumbaError

from s2sgrad import backends
from s2sgrad.backends import cache

TEXT = '''import math
import numpy as np


def double(x):
    return 2.0 * x


def f(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += double(x[i]) / (1.0 if i >= 0 else 0.0)
    return s
'''
X = np.arange(4.0)


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("S2SGRAD_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("S2SGRAD_CACHE", raising=False)


def files(folder):
    return sorted(folder.rglob("*.bin"))


def test_python_backend_shows_lines():
    f = backends.load("def f(x):\n    return x[10]\n", "f", "python")
    with pytest.raises(IndexError) as e:
        f(X)
    assert "return x[10]" in "".join(traceback.format_exception(e.value))
    assert backends.load(TEXT, "f", "python")(X) == 12.0


def test_cpu_backend_and_its_files(tmp_path):
    f = backends.load(TEXT, "f")
    assert f(X) == 12.0
    assert len(files(tmp_path)) == 1
    again = backends.load(TEXT, "f")
    assert again(X) == 12.0
    assert again._cache.hits == 1
    assert f.py_func.__module__ == "s2sgrad.runtime.generated"


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_damaged_files_are_compiled_again(tmp_path, damage):
    assert backends.load(TEXT, "f")(X) == 12.0
    (path,) = files(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] if damage is None else damage)
    f = backends.load(TEXT, "f")
    assert f(X) == 12.0 and f._cache.hits == 0
    assert path.read_bytes()[:32] != b"nonsense"


def test_another_text_or_option_is_another_file(tmp_path):
    assert backends.load(TEXT, "f")(X) == 12.0
    assert backends.load(TEXT.replace("2.0", "3.0"), "f")(X) == 18.0
    assert backends.load(TEXT, "f", "cpu", {"fastmath": True})(X) == 12.0
    assert len(files(tmp_path)) == 3


def test_no_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("S2SGRAD_CACHE", "0")
    assert backends.load(TEXT, "f")(X) == 12.0
    assert not files(tmp_path)


def test_unwritable_folder(monkeypatch):
    monkeypatch.setenv("S2SGRAD_CACHE_DIR", "/proc/nowhere")
    assert backends.load(TEXT, "f")(X) == 12.0


def test_other_process_uses_the_file(tmp_path):
    code = f"import numpy as np\nfrom s2sgrad import backends\nf = backends.load({TEXT!r}, 'f')\nassert f(np.arange(4.0)) == 12.0\nprint(f._cache.hits)"
    run = lambda: subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "S2SGRAD_CACHE_DIR": str(tmp_path)})
    assert run().stdout.strip() == "0"
    assert run().stdout.strip() == "1"


def test_recursive_functions_are_not_kept_on_disk(tmp_path):
    """Loaded again, numba's machine code of a recursive function crashes the process."""
    text = "def down(x, n):\n    if n == 0:\n        return x\n    return down(x * 0.5, n - 1)\n\n\ndef f(x, n):\n    return down(x, n) + 1.0\n"
    code = f"from s2sgrad import backends\nassert backends.load({text!r}, 'f')(8.0, 3) == 2.0"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "S2SGRAD_CACHE_DIR": str(tmp_path)})
    assert not files(tmp_path)


def test_cached_and_fresh_functions_of_one_name_do_not_collide():
    from numba import njit
    one = "def g(x):\n    return x + 1.0\n"
    two = "def g(x):\n    return x + 2.0\n"
    backends.load(one, "g")(1.0)
    a, b = backends.load(one, "g"), backends.load(two, "g")
    a(1.0)

    @njit
    def both(x):
        return a(x), b(x)

    assert both(1.0) == (2.0, 3.0)


def test_texts_share_what_they_call():
    f, g = backends.load(TEXT, "f"), backends.load(TEXT.replace("s = 0.0", "s = 1.0"), "f")
    other = backends.load(TEXT.replace("2.0 * x", "3.0 * x"), "f")
    checked = backends.load(TEXT, "f", options={"boundscheck": True})
    doubles = [h.py_func.__globals__["double"] for h in (f, g, other, checked)]
    assert doubles[0] is doubles[1] and len(set(map(id, doubles))) == 3
    assert (f(X), g(X), other(X), checked(X)) == (12.0, 13.0, 18.0, 12.0)
    assert len(doubles[0].overloads) == 1


def test_functions_with_equal_code_and_other_callees_are_not_shared():
    text = "def a(x):\n    return x + {0}\n\n\ndef b(x):\n    return a(x) * 2.0\n\n\ndef f(x):\n    return b(x)\n"
    assert [backends.load(text.format(c), "f")(1.0) for c in ("1.0", "2.0", "-0.0", "0.0", "1.0")] == [4.0, 6.0, 2.0, 2.0, 4.0]
    signed = "def a(x):\n    return {0}\n\n\ndef f(x):\n    return np.copysign(1.0, a(x))\n"
    assert [backends.load("import numpy as np\n\n\n" + signed.format(c), "f")(1.0) for c in ("-0.0", "0.0")] == [-1.0, 1.0]


def test_the_collector_runs_again_after_compiling():
    assert gc.isenabled()
    backends.load(TEXT.replace("0.0\n", "0.5\n"), "f")(X)
    assert gc.isenabled()
    with pytest.raises(NumbaError):
        backends.load("def f(x):\n    return x.nothing\n", "f")(X)
    assert gc.isenabled()
    gc.disable()
    try:
        backends.load(TEXT.replace("0.0\n", "0.25\n"), "f")(X)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_names_and_options_that_do_not_exist():
    with pytest.raises(ValueError, match="unknown backend"):
        backends.load(TEXT, "f", "gpu")
    with pytest.raises(NotImplementedError, match="not available"):
        backends.load(TEXT, "f", "cuda")
    with pytest.raises(ValueError, match="unknown option"):
        backends.load(TEXT, "f", "cpu", {"fast": True})


def test_switch_off(monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")
    f = backends.load(TEXT, "f")
    assert not hasattr(f, "overloads") and f(X) == 12.0


def test_division_follows_numpy_and_bounds_can_be_checked():
    f = backends.load("def f(x, y):\n    return x / y\n", "f")
    assert f(1.0, 0.0) == np.inf
    g = backends.load("def g(x, i):\n    return x[i]\n", "g", "cpu", {"boundscheck": True})
    with pytest.raises(IndexError):
        g(X, 9)


def test_folder(monkeypatch, tmp_path):
    assert cache.folder() == tmp_path
    monkeypatch.delenv("S2SGRAD_CACHE_DIR")
    assert cache.folder().name == "s2sgrad"
