"""Random programs of array statements, lowered: the same values, dtypes, shapes and errors as NumPy."""

import copy

import numpy as np
import pytest

from s2sgrad import backends, emit, optimise
from tests.random_arrays import Generator

# errors of NumPy that the lowering leaves out: bounds of constant indices, extra axes of extent 1 on the right of +=
LENIENT = ("out of bounds", "read-only", "non-broadcastable", "not broadcastable", "Python scalars")


def run(text, g, backend="python"):
    try:
        out = backends.load(text, "f", backend)(*copy.deepcopy(list(g.arguments.values())))
    except (ValueError, IndexError, TypeError) as e:
        return e
    return out if isinstance(out, tuple) else (out,)


@pytest.mark.parametrize("block", range(20))
def test_random_programs(block):
    compared = 0
    for seed in range(100 * block, 100 * block + 100):
        g = Generator(seed)
        try:
            p = g.program()
        except (ValueError, TypeError):  # shapes that NumPy refuses by rank
            continue
        before = emit.text(p)
        with np.errstate(all="ignore"):
            want, text = run(before, g), emit.text(optimise.lower(p))
            got = run(text, g)
        if isinstance(want, Exception):
            assert isinstance(got, Exception) or any(t in str(want) for t in LENIENT), f"{seed}: {want!r}\n{before}\n{text}"
            continue
        if isinstance(got, ValueError) and got.args[1:] == (0, 1):  # NumPy does not look at shapes when it stores nothing
            continue
        assert not isinstance(got, Exception), f"{seed}: {got!r}\n{before}\n{text}"
        narrow = "float32" in str([q.type for q in p.main.params])
        for w, x in zip(want, got, strict=True):
            assert (w.shape, w.dtype) == (x.shape, x.dtype), f"{seed}\n{before}\n{text}"
            tolerance = 1e-4 if narrow else 1e-9
            np.testing.assert_allclose(x, w, rtol=tolerance, atol=tolerance, err_msg=f"{seed}\n{before}\n{text}")
        compared += 1
    assert compared > 10
