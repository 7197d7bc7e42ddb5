"""Core to readable, deterministic Python text."""

from s2sgrad.emit.highlight import highlight
from s2sgrad.emit.module import expression, statements, text

__all__ = ["expression", "highlight", "statements", "text"]
