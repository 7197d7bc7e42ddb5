"""`print` of tensors and values: one formatter for eager and for compiled code.

Numbers show 6 significant digits (float64: 15) where that is exact, else 9 (17). Tensors show `summarize` elements at each end of each axis.
"""
# ruff: noqa: A001

from __future__ import annotations

import pprint
import re
import sys
from typing import Any

import numpy as np

from s2sgrad.namespaces import nest
from s2sgrad.operators import Operators

_MARK = "\u0001tensor{}\u0001"


# --------------------------------------------------------------------------------------------- numbers


def number(x: Any) -> str:
    """One element.

    >>> number(np.float32(1/3)), number(np.float64(0.1)), number(np.bool_(True))
    ('0.333333343', '0.1', '1')
    """
    x = np.asarray(x)[()]
    if isinstance(x, (bytes, str)):
        text = x.decode() if isinstance(x, bytes) else x
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if x.dtype.kind == "c":
        return f"({number(x.real)},{number(x.imag)})"
    if x.dtype.kind != "f":
        return str(int(x))
    if np.isnan(x):
        return "nan"
    if np.isinf(x):
        return "inf" if x > 0 else "-inf"
    short, long, kind = (15, 17, np.float64) if x.dtype == np.float64 else (6, 9, np.float32)
    v = float(x)
    if kind is np.float32 and abs(v) < np.finfo(np.float32).tiny:
        v = 0.0 * v
    text = f"{v:.{short}g}"
    return text if kind(float(text)) == kind(v) else f"{v:.{long}g}"


def array(a: Any, summarize: int = 3) -> str:
    """A whole array, shortened to `summarize` elements at each end of an axis (-1: all).

    >>> array(np.arange(7))
    '[0 1 2 ... 4 5 6]'
    """
    a = np.asarray(a)
    ends = max([1, *a.shape]) if summarize < 0 else summarize
    return _axis(a, 0, a.ndim, ends)


def _axis(a: Any, depth: int, ndim: int, ends: int) -> str:
    if depth == ndim:
        return number(a)
    n = len(a)
    space = " " if depth == ndim - 1 else "\n" * (ndim - depth - 1) + " " * (depth + 1)
    text = "["
    for i in range(min(ends, n)):
        text += (space if i else "") + _axis(a[i], depth + 1, ndim, ends)
    if n > 2 * ends:
        text += space + "..."
    for i in range(max(ends, n - ends), n):
        text += space + _axis(a[i], depth + 1, ndim, ends)
    return text + "]"


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
    return re.sub("\u0001(\\d+)\u0001", lambda m: array(tensors[int(m.group(1))]._array, summarize), text)


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
            f"Unsupported output stream, logging level, or file.{stream}. Supported streams are sys.stdout, sys.stderr, tf.logging.info, tf.logging.warning, "
            "tf.logging.error. File needs to be in the form of 'file://<filepath>'."
        )


def print(*inputs: Any, **kwargs: Any) -> None:
    """Print tensors and values, to standard error unless `output_stream` says otherwise.

    summarize: elements shown at each end of an axis (3; -1 for all). sep, end: as in Python. output_stream: sys.stdout, sys.stderr, a logging
    function or 'file://path' (appended). Inside a compiled function it prints when the code runs.
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


def compiled(parts: tuple[Any, ...], sep: str, end: str, summarize: int, stream: str) -> None:
    """What a print in generated code calls: `parts` mixes text and values; stream is 'stdout', 'stderr' or 'file://path'."""
    line = sep.join(p if isinstance(p, str) else array(p, summarize) for p in parts)
    write(line + end, {"stdout": sys.stdout, "stderr": sys.stderr}.get(stream, stream))
