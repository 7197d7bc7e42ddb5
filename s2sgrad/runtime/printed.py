"""How values print: the one formatter of eager and of generated code, whose source is copied into generated text.

Numbers show 6 significant digits (float64: 15) where that is exact, else 9 (17). Arrays show `summarize` elements at each end of each axis.
"""

from __future__ import annotations

import pprint
import re

import numpy as np


def format_number(x):  # type: ignore[no-untyped-def]
    """One element, digits as TensorFlow prints them."""
    if isinstance(x, (bytes, str)):
        text = x.decode(errors="replace") if isinstance(x, bytes) else x
        for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
            text = text.replace(plain, escaped)
        return '"' + text + '"'
    if type(x) in (bool, int, float, complex):
        return str(x)
    if x.dtype.kind == "c":
        return "(" + format_number(x.real) + "," + format_number(x.imag) + ")"
    if x.dtype.kind != "f":
        return str(int(x))
    if np.isnan(x):
        return "nan"
    if np.isinf(x):
        return "inf" if x > 0 else "-inf"
    double = x.dtype == np.float64
    kind = np.float64 if double else np.float32
    v = float(x)
    if not double and abs(v) < 1.1754943508222875e-38:  # float32 numbers below the normal range print as zero
        v = 0.0 * v
    text = format(v, ".15g" if double else ".6g")
    return text if kind(float(text)) == kind(v) else format(v, ".17g" if double else ".9g")


def format_array(a, ends, depth=0):  # type: ignore[no-untyped-def]
    """An array of any rank in brackets; `ends` elements at each end of an axis."""
    if np.ndim(a) == 0:
        return format_number(a[()] if isinstance(a, np.ndarray) else a)
    space = " " if a.ndim == 1 else "\n" * (a.ndim - 1) + " " * (depth + 1)
    n = len(a)
    text = "["
    for i in range(min(ends, n)):
        text += (space if i else "") + format_array(a[i], ends, depth + 1)
    if n > 2 * ends:
        text += space + "..."
    for i in range(max(ends, n - ends), n):
        text += space + format_array(a[i], ends, depth + 1)
    return text + "]"


def format_value(a, summarize):  # type: ignore[no-untyped-def]
    """A number or an array; `summarize` -1 shows everything. There are never more ends than elements: without elements, rows are dots."""
    if np.ndim(a) == 0 and summarize == 0:
        return "..."
    size = np.size(a)
    return format_array(a, size if summarize < 0 else min(summarize, size))


def print_tensors(pieces, summarize, stream):  # type: ignore[no-untyped-def]
    """Write text and values one after the other; stream is "stdout", "stderr" or "file://path"."""
    import sys

    text = ""
    for p in pieces:
        text += p if isinstance(p, str) else format_value(p, summarize)
    if stream.startswith("file://"):
        with open(stream[7:], "a") as f:
            f.write(text)
    else:
        out = sys.stdout if stream == "stdout" else sys.stderr
        out.write(text)
        out.flush()


class Hole:
    """What stands for a value that is written later, while the structure around it is laid out."""

    def __init__(self, value):  # type: ignore[no-untyped-def]
        self.value = value


def layout(structure):  # type: ignore[no-untyped-def]
    """Text and holes of a nested structure, as Python writes it in lines of 80 characters: a hole counts as `'{}'` there."""
    holes: list[Hole] = []

    def marked(x):  # type: ignore[no-untyped-def]
        if isinstance(x, Hole):
            holes.append(x)
            return "\u27e6" + chr(0x4E00 + len(holes) - 1)
        if isinstance(x, dict):
            return type(x)((k, marked(v)) for k, v in x.items())
        if isinstance(x, (tuple, list)):
            items = [marked(v) for v in x]
            return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
        return x

    if isinstance(structure, str):
        return [structure]
    parts = re.split("'\u27e6(.)'", pprint.pformat(marked(structure)))
    return [holes[ord(p) - 0x4E00] if k % 2 else p for k, p in enumerate(parts) if p or k % 2]
