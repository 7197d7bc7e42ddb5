"""The front end: from a Python function to typed Core.

`specialise(fn, specs)` interprets the function's syntax tree abstractly: every Python value is either a typed expression
(numbers, arrays) or known while specialising (functions, structures, strings). The user's functions are inlined.
"""

from __future__ import annotations

from s2sgrad import rules  # noqa: F401 - registers the operations
from s2sgrad.frontend.specialise import Specialised, read, specialise

__all__ = ["Specialised", "read", "specialise"]
