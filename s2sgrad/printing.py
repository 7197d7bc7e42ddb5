"""`print` of tensors and values. Numbers and arrays are written by `s2sgrad.runtime.printed`, in eager and in compiled code alike."""

from __future__ import annotations

import pprint
import re
import sys
from typing import Any

from s2sgrad.namespaces import nest
from s2sgrad.operators import Operators
from s2sgrad.runtime.printed import format_value

_MARK = "\u0001tensor{}\u0001"


def template(value: Any) -> tuple[str, list[Any]]:
    """A value as text with a mark per tensor, and the tensors."""
    if isinstance(value, str):
        return value, []
    tensors: list[Any] = []

    def mark(x: Any) -> Any:
        if isinstance(x, Operators):
            tensors.append(x)
            return _MARK.format(len(tensors) - 1)
        return x

    marked = nest.map_structure(mark, value)
    text = pprint.pformat(marked)
    return re.sub("'\\\\x01tensor(\\d+)\\\\x01'", lambda m: f"\u0001{m.group(1)}\u0001", text), tensors


def text_of(value: Any, summarize: int = 3) -> str:
    """What `print` shows for one argument."""
    text, tensors = template(value)
    if isinstance(value, Operators) and value.dtype.name == "string" and value.ndim == 0:  # type: ignore[attr-defined]
        s = value.numpy()  # type: ignore[attr-defined]
        return s.decode() if isinstance(s, bytes) else str(s)
    return re.sub("\u0001(\\d+)\u0001", lambda m: format_value(tensors[int(m.group(1))]._array, summarize), text)


# --------------------------------------------------------------------------------------------- streams


def write(text: str, stream: Any) -> None:
    """Write to a stream: a text stream, a logging function or 'file://path'. ValueError for anything else."""
    if isinstance(stream, str) and stream.startswith("file://"):
        with open(stream[7:], "a") as f:
            f.write(text)
    elif hasattr(stream, "write"):
        stream.write(text)
        stream.flush()
    elif callable(stream):
        stream(text.rstrip("\n"))
    else:
        raise ValueError(
            f"Unsupported output stream, logging level, or file.{stream}. Supported streams are sys.stdout, "
            "sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error. File needs to be in the form of 'file://<filepath>'."
        )


def print(*inputs: Any, **kwargs: Any) -> None:
    """Print tensors and values, to standard error unless `output_stream` says otherwise.

    summarize: elements shown at each end of an axis (3; -1 for all). sep, end: as in Python. output_stream: sys.stdout, sys.stderr, a
    logging function or 'file://path' (appended). Inside a compiled function it prints when the code runs.
    """
    stream = kwargs.pop("output_stream", None)
    summarize = kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    summarize = 3 if summarize is None else int(summarize)
    line = sep.join(text_of(i, summarize) for i in inputs)
    write(line + end, sys.stderr if stream is None else stream)


print.__s2sgrad_print__ = True  # type: ignore[attr-defined]  # the frontend turns calls into ir.Print with style "tensor"
