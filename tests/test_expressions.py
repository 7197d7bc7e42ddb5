"""NumPy's functions with their options: value, dtype and gradient of one expression each."""

from __future__ import annotations

import copy
import linecache
import math
import random
import re
import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.special
from numpy.lib.stride_tricks import sliding_window_view

import s2sgrad
from tests import crossing, differences
from tests.expressions import DATA, EXPRESSIONS

NAMES = {"np": np, "math": math, "scipy": scipy, "sliding_window_view": sliding_window_view}


def function_of(text, k):
    """A function of the data that an expression names."""
    local = re.findall(r"lambda ([^:]*):", text)
    hidden = {n.strip() for names in local for n in names.split(",")}
    used = [n for n in DATA if n not in hidden and re.search(rf"(?<![\w.']){n}\b(?!')", text)]
    source = f"def f({', '.join(used)}):\n    return {text}\n"
    name = f"<expression {k}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = dict(NAMES)
    exec(compile(source, name, "exec"), space)
    return space["f"], tuple(DATA[n] for n in used)


def single(args):
    return any(getattr(a, "dtype", None) in (np.float32, np.complex64) for a in args)


def seeds_for(value, weights):
    s = differences.with_numbers(value, iter(weights))
    return s.astype(value.dtype) if isinstance(value, np.ndarray) else type(value)(s) if isinstance(value, np.generic) else s


def check(text, k):
    f, args = function_of(text, k)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = f(*copy.deepcopy(args))
        got, back = s2sgrad.vjp(f, *args)
        crossing.check_value(got, want, 1e-5 if single(args) else 1e-10, "value")
        flat, active = differences.numbers(want), [i for i, a in enumerate(args) if differences.numbers(a)]
        if not flat or not active:
            return
        rng = random.Random(1)
        weights = [round(rng.uniform(-1, 1), 3) for _ in flat]
        grads = back(seeds_for(want, weights))
        wide = tuple(differences.widen(a) if i in active else a for i, a in enumerate(args))
        for i in active:
            expected, errors = differences.gradient(lambda *z: sum(s * t for s, t in zip(weights, differences.numbers(f(*z)))), wide, i)
            expected = [0.0 if math.isnan(x) and math.isnan(o) else x for x, o in zip(expected, differences.numbers(args[i]))]  # skipped nans
            crossing.check_like(grads[i], args[i])
            slack = 100.0 * max((e for e in errors if math.isfinite(e)), default=0.0)
            assert crossing.close(crossing.gradient_numbers(grads[i], args[i]), expected, 3e-4 if single(args) else 1e-7, slack), (text, i, grads[i], expected)


@pytest.mark.parametrize("k", range(len(EXPRESSIONS)))
def test_expression(k):
    with crossing.backend("python"):
        check(EXPRESSIONS[k], k)


@pytest.mark.slow
@pytest.mark.parametrize("k", range(len(EXPRESSIONS)))
def test_expression_compiled(k):
    with crossing.backend("numba"):
        check(EXPRESSIONS[k], k)
