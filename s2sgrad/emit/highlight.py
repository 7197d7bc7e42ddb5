"""Colour for terminals."""

from __future__ import annotations


def highlight(text: str) -> str:
    """Python text with terminal colours if pygments is installed, else the text itself."""
    try:
        from pygments import highlight as colour
        from pygments.formatters import TerminalFormatter
        from pygments.lexers import PythonLexer
    except ImportError:
        return text
    return colour(text, PythonLexer(), TerminalFormatter())
