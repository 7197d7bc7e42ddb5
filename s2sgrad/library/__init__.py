"""NumPy functions written in the input language: the frontend inlines them as if the user had written them.

Values, derivatives of every order and numba support follow from the operations they use. Arguments such as `axis`, `mode` or
`ord` are constants while specialising, so that only the branch that applies remains.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from s2sgrad.library import calculus, complexes, grids, heaps, iteration, matrices, numbers, order, places, polynomials, sets, signals, statistics, windows  # noqa: F401
from s2sgrad.library.table import TABLE
from s2sgrad.rules.registry import canonical


def lookup(obj: Any) -> Callable[..., Any] | None:
    """The library function that does what `obj` does, if there is one."""
    obj = canonical(obj)
    found = TABLE.get(id(obj))
    if found is None and _learn_scipy():
        found = TABLE.get(id(obj))
    return None if found is None else found[1]


def _learn_scipy() -> bool:
    """Register the functions of scipy.special and scipy.linalg once these have been imported; tells whether they are new."""
    new = False
    if "scipy.special" in sys.modules and "s2sgrad.library.scipys" not in sys.modules:
        from s2sgrad.library import scipys  # noqa: F401
        from s2sgrad.rules.arrange import names_of_scipy
        names_of_scipy()
        new = True
    if "scipy.linalg" in sys.modules and "s2sgrad.library.scipy_linalg" not in sys.modules:
        from s2sgrad.library import scipy_linalg  # noqa: F401
        new = True
    return new
