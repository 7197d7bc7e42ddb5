"""Programs of the tensor interface against what TensorFlow does with them.

Each sets `out` (numbers, nested; tensors count as their data) or prints, or raises. The values were worked out by hand.
"""

import linecache
import sys
import warnings

import numpy as np
import pytest

import s2sgrad as tf
from tests.tensor_programs import edge, functions, more, tapes
from tests.tensor_programs.forms import Printed, Raises

PROGRAMS = {**edge.PROGRAMS, **tapes.PROGRAMS, **functions.PROGRAMS, **more.PROGRAMS}


def plain(v):
    """Tensors, arrays and containers as nested lists, dicts and numbers."""
    v = v.numpy() if hasattr(v, "numpy") else v
    if isinstance(v, (np.ndarray, np.generic)):
        v = v.tolist()
    if isinstance(v, (list, tuple)):
        return [plain(x) for x in v]
    return {str(k): plain(x) for k, x in v.items()} if isinstance(v, dict) else v


def same(a, b):
    if isinstance(b, dict):
        return isinstance(a, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in b)
    if isinstance(a, list) or isinstance(b, list):
        return isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if a is None or b is None or isinstance(a, (str, bool, bytes)) or isinstance(b, (str, bool)):
        return a == b
    return bool(np.isclose(a, b, rtol=2e-5, atol=1e-6, equal_nan=True))


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, capsys):
    code, want = PROGRAMS[name]
    file = f"<{name}>"
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)
    names = {"tf": tf, "np": np, "sys": sys, "nan": np.nan, "inf": np.inf, "__name__": "program"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(want, Raises):
            with pytest.raises(Exception) as caught:
                exec(compile(code, file, "exec"), names)
            assert want.name in [c.__name__ for c in type(caught.value).__mro__] and want.text in str(caught.value)
            return
        exec(compile(code, file, "exec"), names)
    if isinstance(want, Printed):
        assert capsys.readouterr().out == want.text
    else:
        assert same(plain(names["out"]), plain(want)), (plain(names["out"]), plain(want))
