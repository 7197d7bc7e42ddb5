"""The module that all generated code names as its own.

numba imports the module of a function when it loads machine code from a cache. One real module serves every generated function;
nothing of theirs is ever stored in it.
"""

# numba looks up the names of interpreted blocks (printing) in the module of a function, which is this one
import numpy as np  # noqa: F401

from s2sgrad.runtime.printed import format_array, format_number, format_value, print_tensors  # noqa: F401
