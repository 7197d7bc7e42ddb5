"""Core to readable, deterministic Python text."""

from s2sgrad.emit.highlight import highlight
from s2sgrad.emit.module import expression, helper_names, statements, text

__all__ = ["expression", "helper_names", "highlight", "statements", "text"]
