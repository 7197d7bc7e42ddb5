"""`autodiff`: the two recorders."""

from s2sgrad.forward import ForwardAccumulator
from s2sgrad.tape import GradientTape

__all__ = ["ForwardAccumulator", "GradientTape"]
