"""Backends: generated text -> a callable.

A backend is a module with `load(text, name, options) -> callable`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from s2sgrad.recursion import deep

# name -> module; what is None has no implementation in this version
BACKENDS: dict[str, str | None] = {"python": "s2sgrad.backends.python", "cpu": "s2sgrad.backends.cpu", "cuda": None}


@deep
def load(text: str, name: str, backend: str = "cpu", options: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """The function `name` of a generated module.

    backend: "cpu" (numba), "python" (plain CPython, for debuggers). options: fastmath, boundscheck, parallel, error_model of numba.
    Raises ValueError for an unknown backend and NotImplementedError for one that is not there yet.
    """
    if backend not in BACKENDS:
        raise ValueError(f"unknown backend {backend!r}; there are {', '.join(map(repr, BACKENDS))}")
    module = BACKENDS[backend]
    if module is None:
        raise NotImplementedError(f"the backend {backend!r} is not available in this version; use 'cpu' or 'python'")
    if backend == "cpu" and importlib.import_module("s2sgrad.backends.python").jit_disabled():
        module = BACKENDS["python"]
    function: Callable[..., Any] = importlib.import_module(str(module)).load(text, name, dict(options or {}))
    return function
