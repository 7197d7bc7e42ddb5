"""s2sgrad: source-to-source automatic differentiation of NumPy and numba code.

    import numpy as np, s2sgrad

    def loss(w, x): ...
    g = s2sgrad.grad(loss)            # a compiled function of (w, x)
    print(g.source(w, x))             # its readable text
"""

import s2sgrad.rules
from s2sgrad.api import Derivative, Pullback, emit_module, grad, hessian, hvp, jacobian, jvp, source, stages, value_and_grad, vjp
from s2sgrad.errors import (
    AliasError,
    ArgumentError,
    CustomGradientError,
    NoSource,
    NotDifferentiable,
    ResultError,
    S2SGradError,
    TypeConflict,
    Unsupported,
    WrtError,
)
from s2sgrad.interface import *  # noqa: F403  (the TensorFlow-style names: constant, GradientTape, custom_gradient, ...)

__version__ = "0.1.0"

__all__ = [
    "AliasError", "ArgumentError", "CustomGradientError", "Derivative", "NoSource", "NotDifferentiable", "Pullback", "ResultError",
    "S2SGradError", "TypeConflict", "Unsupported", "WrtError", "emit_module", "grad", "hessian", "hvp", "jacobian", "jvp", "source",
    "stages", "value_and_grad", "vjp",
]  # fmt: skip
