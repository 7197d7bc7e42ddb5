"""Core to Core: simplification, and the lowering to what numba compiles."""

from s2sgrad.optimise.lower import lower
from s2sgrad.optimise.pieces import in_pieces
from s2sgrad.optimise.simplify import simplify

__all__ = ["in_pieces", "lower", "simplify"]
