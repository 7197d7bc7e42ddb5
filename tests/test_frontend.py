"""The front end: programs mean the same in Core as in Python; refusals say what, where and why."""

from __future__ import annotations

import copy
import inspect
import linecache
import types

from tests import frontend_programs as programs
import numpy as np
import pytest

from s2sgrad import frontend, structure
from s2sgrad.errors import NoSource, Unsupported
from s2sgrad.testing import interpret


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
