"""`print` of tensors and values. Numbers and arrays are written by `s2sgrad.runtime.printed`, in eager and in compiled code alike."""

from __future__ import annotations

import sys
from typing import Any

from s2sgrad.namespaces import nest
from s2sgrad.operators import Operators
from s2sgrad.runtime.printed import Hole, format_value, layout


def text_of(value: Any, summarize: int = 3) -> str:
    """What `print` shows for one argument."""
    holes = nest.map_structure(lambda x: Hole(x) if isinstance(x, Operators) else x, value) if not isinstance(value, str) else value
    return "".join(p if isinstance(p, str) else format_value(p.value._array, summarize) for p in layout(holes))


def line_of(inputs: Any, sep: str, summarize: int) -> str:
    """What `print` shows for all arguments. A string tensor alone is shown as it is."""
    if len(inputs) == 1 and isinstance(inputs[0], Operators) and inputs[0].dtype.name == "string" and inputs[0].ndim == 0:
        return str(inputs[0].numpy().decode())  # type: ignore[attr-defined]
    return sep.join(text_of(i, summarize) for i in inputs)


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
    write(line_of(inputs, sep, summarize) + end, sys.stderr if stream is None else stream)


print.__s2sgrad_print__ = True  # type: ignore[attr-defined]  # the frontend turns calls into ir.Print with style "tensor"
