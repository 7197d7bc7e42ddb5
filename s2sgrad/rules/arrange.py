"""NumPy functions that only move, repeat or join elements: each is an expression of views, joins and products."""

from __future__ import annotations

import functools
import string

import numpy as np

from s2sgrad import ir
from s2sgrad.errors import Unsupported
from s2sgrad.ir import Array, Const, Expr, Index, Slice
from s2sgrad.rules import build
from s2sgrad.rules.build import FULL, axis_of, conj, dims, is_scalar, means, shape_args, static
from s2sgrad.rules.creation import array_literal
from s2sgrad.rules.registry import as_expr, call, call_python
from s2sgrad.rules.shapes import reshaped, transpose

ONE = Const(1, ir.INT)


def without_nan(x, nan=0.0, posinf=None, neginf=None):
    """The numbers with others instead of nan and the infinities."""
    return np.nan_to_num(x, True, nan, posinf, neginf)


def same_arrays(a, b):
    """Equal shapes and elements."""
    return np.array_equal(a, b)


def flat_view(a: Expr) -> Expr:
    """The elements in C order as one axis."""
    return call_python(np.ravel, (a,), {})


# ------------------------------------------------------------------------------------- order of the axes


@means(np.moveaxis)
def moveaxis(a, source, destination):
    a = as_expr(a)
    src, dst = (tuple(i % a.ndim for i in (static(x) if isinstance(x, (tuple, list)) else (static(x),))) for x in (source, destination))
    order = [i for i in range(a.ndim) if i not in src]
    for d, s in sorted(zip(dst, src, strict=True)):
        order.insert(d, s)
    return transpose(a, tuple(order))


@means(np.swapaxes)
def _(a, axis1, axis2):
    a = as_expr(a)
    i, j = axis_of(axis1, a.ndim), axis_of(axis2, a.ndim)
    order = list(range(a.ndim))
    order[i], order[j] = j, i
    return transpose(a, tuple(order))


@means(np.rollaxis)
def _(a, axis, start=0):
    a, start = as_expr(a), static(start)
    axis = axis_of(axis, a.ndim)
    start = start + a.ndim if start < 0 else start
    order = [i for i in range(a.ndim) if i != axis]
    order.insert(start - (axis < start), axis)
    return transpose(a, tuple(order))


@means(np.flip)
def flip(m, axis=None):
    a = as_expr(m)
    axes = axis_of(axis, a.ndim)
    axes = tuple(range(a.ndim)) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    back = Slice(None, None, Const(-1, ir.INT))
    return Index(a, tuple(back if i in axes else FULL for i in range(a.ndim)), Array(a.type.dtype, a.ndim, "A"))


means(np.flipud)(lambda m: flip(m, 0))
means(np.fliplr)(lambda m: flip(m, 1))


@means(np.rot90)
def _(m, k=1, axes=(0, 1)):
    a, k = as_expr(m), static(k) % 4
    i, j = (x % a.ndim for x in static(tuple(axes)))
    order = list(range(a.ndim))
    order[i], order[j] = j, i
    if k == 0:
        return a
    if k == 2:
        return flip(flip(a, i), j)
    return transpose(flip(a, j), tuple(order)) if k == 1 else flip(transpose(a, tuple(order)), j)


# ------------------------------------------------------------------------------------------- rank, joins


def _at_least(n):
    def one(x):
        a = array_literal(x)
        if a.ndim >= n:
            return a
        if is_scalar(a):
            return call("full", a, *(ONE for _ in range(n)), dtype=a.type.dtype)
        axes = {(2, 1): (0,), (3, 1): (0, 2), (3, 2): (2,)}[n, a.ndim]
        return call("expand_dims", a, axis=axes[0] if len(axes) == 1 else axes)

    def builder(*arrays):
        return one(arrays[0]) if len(arrays) == 1 else tuple(one(x) for x in arrays)

    return builder


for _n, _f in ((1, np.atleast_1d), (2, np.atleast_2d), (3, np.atleast_3d)):
    means(_f)(_at_least(_n))


def _parts(arrays, n):
    if not isinstance(arrays, (tuple, list)):
        raise Unsupported("a sequence of arrays is needed here", hint="pass a tuple or list written out")
    return [_at_least(n)(a) for a in arrays]


@means(np.hstack)
def _(tup, *, dtype=None, casting="same_kind"):
    parts = _cast_to(dtype, _parts(tup, 1))
    return call("concatenate", *parts, axis=0 if parts[0].ndim == 1 else 1)


def _cast_to(dtype, parts):
    return parts if dtype is None else [build.cast(p, build.dtype_name(static(dtype))) for p in parts]


@means(np.vstack)
def _(tup, *, dtype=None, casting="same_kind"):
    return call("concatenate", *_cast_to(dtype, _parts(tup, 2)), axis=0)


@means(np.dstack)
def _(tup):
    return call("concatenate", *_parts(tup, 3), axis=2)


@means(np.column_stack)
def _(tup):
    parts = [call("expand_dims", a, axis=1) if a.ndim == 1 else a for a in _parts(tup, 1)]
    return call("concatenate", *parts, axis=1)


@means(np.append)
def _(arr, values, axis=None):
    parts = (arr, values) if axis is not None else tuple(flat_view(_at_least(1)(a)) for a in (arr, values))
    return call_python(np.concatenate, (parts,), {"axis": 0 if axis is None else axis})


@means(np.tile)
def _(A, reps):
    a = _at_least(1)(A)
    r = list(shape_args(reps))
    n = max(a.ndim, len(r))
    r = [ONE] * (n - len(r)) + r
    extents = [ONE] * (n - a.ndim) + list(dims(a))
    split = reshaped(a, *(x for d in extents for x in (ONE, d)))
    wide = call("broadcast_to", split, *(x for k, d in zip(r, extents, strict=True) for x in (k, d)))
    return call("reshape_copy", wide, *(k * d for k, d in zip(r, extents, strict=True)))


# ---------------------------------------------------------------------------------------------- splitting


def _cut(a: Expr, bounds: list[Expr], axis: int) -> list[Expr]:
    """The slices between consecutive bounds along an axis."""
    parts: list[Expr] = []
    for start, stop in zip([None, *bounds], [*bounds, None], strict=True):
        layout = "C" if axis == 0 and a.type.layout == "C" else "A"  # type: ignore[union-attr]
        parts.append(Index(a, tuple(Slice(start, stop) if i == axis else FULL for i in range(a.ndim)), Array(a.type.dtype, a.ndim, layout)))
    return parts


def _sections(a: Expr, sections, axis: int, even: bool) -> list[Expr]:
    if isinstance(sections, (tuple, list)):
        return _cut(a, [as_expr(i) for i in sections], axis)
    if isinstance(sections, Expr) and not is_scalar(sections):
        raise Unsupported("the places where to split must be written out", hint="pass a list")
    k = static(sections, "the number of sections")
    n = a.dim(axis)
    if even:
        return _cut(a, [i * (n // k) if i > 1 else n // k for i in range(1, k)], axis)
    return _cut(a, [i * (n // k) + call_python(min, (Const(i, ir.INT), n % k), {}) for i in range(1, k)], axis)


@means(np.split)
def _(ary, indices_or_sections, axis=0):
    a = as_expr(ary)
    return _sections(a, indices_or_sections, axis_of(axis, a.ndim), True)


@means(np.array_split)
def _(ary, indices_or_sections, axis=0):
    a = as_expr(ary)
    return _sections(a, indices_or_sections, axis_of(axis, a.ndim), False)


@means(np.hsplit)
def _(ary, indices_or_sections):
    a = as_expr(ary)
    return _sections(a, indices_or_sections, 0 if a.ndim == 1 else 1, True)


@means(np.vsplit)
def _(ary, indices_or_sections):
    return _sections(as_expr(ary), indices_or_sections, 0, True)


@means(np.dsplit)
def _(ary, indices_or_sections):
    return _sections(as_expr(ary), indices_or_sections, 2, True)


# ---------------------------------------------------------------------------------------------- products


def contract(a: Expr, la: str, b: Expr, lb: str, keep: str) -> tuple[Expr, str]:
    """Multiply two arrays whose axes have labels and sum over the labels that are not in `keep`."""
    shared = [c for c in la if c in lb]
    batch, summed = [c for c in shared if c in keep], [c for c in shared if c not in keep]
    free_a, free_b = [c for c in la if c not in lb], [c for c in lb if c not in la]
    if summed and not batch and len(summed) == 1 and len(free_a) <= 1 and len(free_b) <= 1:
        x, y = ordered(a, la, free_a + summed), ordered(b, lb, summed + free_b)
        return call("matmul", x, y), "".join(free_a + free_b)
    if summed and not batch:
        x, y = ordered(a, la, free_a + summed), ordered(b, lb, summed + free_b)
        inner = functools.reduce(lambda p, q: p * q, (a.dim(la.index(c)) for c in summed))
        rows, columns = ([x.dim(i) for i in range(len(free_a))], [y.dim(len(summed) + i) for i in range(len(free_b))])
        p = call("matmul", _merge(x, rows, inner, True), _merge(y, columns, inner, False))
        return (reshaped(p, *rows, *columns) if rows or columns else p), "".join(free_a + free_b)
    labels = free_a + batch + free_b + summed
    p = _spread(a, la, labels) * _spread(b, lb, labels)
    if summed:
        p = call_python(np.sum, (p,), {"axis": tuple(range(len(labels) - len(summed), len(labels)))})
    return p, "".join(free_a + batch + free_b)


def ordered(a: Expr, labels: str, wanted: list[str]) -> Expr:
    return transpose(a, tuple(labels.index(c) for c in wanted))


def _merge(a: Expr, outer: list[Expr], inner: Expr, left: bool) -> Expr:
    """A matrix (or vector) of an array whose axes are `outer` and the summed ones."""
    if not outer:
        return reshaped(a, inner) if a.ndim > 1 else a
    n = functools.reduce(lambda p, q: p * q, outer)
    if a.ndim == 2 and len(outer) == 1:
        return a
    return reshaped(a, n, inner) if left else reshaped(a, inner, n)


def _spread(a: Expr, labels: str, wanted: list[str]) -> Expr:
    """The axes in the order of `wanted`, with extent-1 axes for missing labels."""
    x = ordered(a, labels, [c for c in wanted if c in labels])
    missing = tuple(i for i, c in enumerate(wanted) if c not in labels)
    if not missing or is_scalar(x):
        return x
    return call("expand_dims", x, axis=missing[0] if len(missing) == 1 else missing)


@means(np.einsum)
def _(*operands, optimize=False, out=None, dtype=None, order="K", casting="safe"):
    text, arrays = _operands(operands)
    inputs, output = _subscripts(text, arrays)
    terms = [_simple(o, lab, "".join(x for j, x in enumerate(inputs) if j != i) + output)
             for i, (o, lab) in enumerate(zip(arrays, inputs, strict=True))]
    x, labels = terms[0]
    for k in range(1, len(terms)):
        other, theirs = terms[k]
        x, labels = contract(x, labels, other, theirs, "".join(lab for _, lab in terms[k + 1:]) + output)
    rest = [i for i, c in enumerate(labels) if c not in output]
    if rest:
        x = call_python(np.sum, (x,), {"axis": tuple(rest)})
        labels = "".join(c for c in labels if c in output)
    r = ordered(x, labels, list(output)) if labels else x
    d = np.result_type(*(np.dtype(o.type.dtype) for o in arrays)).name if dtype is None else build.dtype_name(static(dtype))
    return build.cast(build.strong(r) if is_scalar(r) else r, d)


def _operands(given):
    """Subscripts as text and the arrays, of np.einsum("ij,j", a, b) or np.einsum(a, [0, 1], b, [1])."""
    if isinstance(given[0], str):
        return given[0], [array_literal(o) for o in given[1:]]
    lists = [static(s, "subscripts") for s in given[1::2]] + ([static(given[-1], "subscripts")] if len(given) % 2 else [])
    words = ["".join("..." if s is Ellipsis else string.ascii_letters[s] for s in each) for each in lists]
    arrays = [array_literal(o) for o in given[:2 * (len(given) // 2):2]]
    return ",".join(words[:len(arrays)]) + ("->" + words[-1] if len(words) > len(arrays) else ""), arrays


def _subscripts(text, ops):
    """Labels of each operand and of the result; an ellipsis becomes labels of its own."""
    text = text.replace(" ", "")
    left, arrow, output = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ops):
        raise Unsupported(f"np.einsum: {len(inputs)} operands in {text!r}, {len(ops)} given")
    spare = [c for c in string.ascii_uppercase + string.ascii_lowercase if c not in text]
    deepest = max((o.ndim - len(s.replace("...", "")) for s, o in zip(inputs, ops, strict=True) if "..." in s), default=0)
    dots = "".join(spare[:deepest])
    hidden = [o.ndim - len(s) + 3 for s, o in zip(inputs, ops, strict=True)]  # how many axes an ellipsis stands for
    inputs = [s.replace("...", dots[deepest - n:] if n else "") for s, n in zip(inputs, hidden, strict=True)]
    if not arrow:
        every = "".join(inputs)
        output = dots + "".join(sorted(c for c in set(every) if every.count(c) == 1 and c not in dots))
    output = output.replace("...", dots)
    for s, o in zip(inputs, ops, strict=True):
        if len(s) != o.ndim:
            raise Unsupported(f"np.einsum: operand of rank {o.ndim} has subscripts {s!r}")
    return inputs, output


def _simple(a, labels, others):
    """An operand without repeated labels and without labels that only it has."""
    while len(set(labels)) < len(labels):
        c = next(c for c in labels if labels.count(c) > 1)
        i, j = [k for k, x in enumerate(labels) if x == c][:2]
        a, labels = _diagonal(a, i, j), labels[:j] + labels[j + 1:]
    alone = tuple(i for i, c in enumerate(labels) if c not in others)
    if alone:
        a = call_python(np.sum, (a,), {"axis": alone})
    return a, "".join(c for c in labels if c in others)


def _diagonal(a, i, j):
    """Two axes of equal extent taken together, at the place of the first."""
    if a.ndim == 2:
        return call("diagonal", a)
    n = call("arange", 0, a.dim(i), 1, dtype="int64")
    front = transpose(a, (i, j, *(k for k in range(a.ndim) if k not in (i, j))))
    d = Index(front, (n, n, *(FULL for _ in range(a.ndim - 2))), Array(a.type.dtype, a.ndim - 1))
    return transpose(d, (*range(1, i + 1), 0, *range(i + 1, a.ndim - 1)))


@means(np.tensordot, np.linalg.tensordot)
def _(a, b, axes=2):
    a, b, axes = as_expr(a), as_expr(b), static(axes, "axes")
    if isinstance(axes, int):
        pairs = [(a.ndim - axes + i, i) for i in range(axes)]
    else:
        first, second = (x if isinstance(x, (tuple, list)) else (x,) for x in axes)
        pairs = [(i % a.ndim, j % b.ndim) for i, j in zip(first, second, strict=True)]
    la = list(string.ascii_lowercase[:a.ndim])
    lb = list(string.ascii_uppercase[:b.ndim])
    for i, j in pairs:
        lb[j] = la[i]
    keep = "".join(c for c in la + lb if (c in la) != (c in lb))
    return contract(a, "".join(la), b, "".join(lb), keep)[0]


@means(np.inner)
def _(a, b):
    a, b = as_expr(a), as_expr(b)
    if is_scalar(a) or is_scalar(b):
        return call_python(np.multiply, (a, b), {})
    if b.ndim <= 2:
        return call("matmul", a, transpose(b))
    return call_python(np.tensordot, (a, b, ((a.ndim - 1,), (b.ndim - 1,))), {})


@means(np.vdot)
def _(a, b):
    a, b = as_expr(a), as_expr(b)
    if is_scalar(a):
        return call_python(np.multiply, (conj(a), b), {})
    return call("matmul", conj(flat_view(a)), flat_view(b))


@means(np.kron)
def _(a, b):
    a, b = as_expr(a), as_expr(b)
    if is_scalar(a) or is_scalar(b):
        return call_python(np.multiply, (a, b), {})
    n = max(a.ndim, b.ndim)
    da, db = ([ONE] * (n - x.ndim) + list(dims(x)) for x in (a, b))
    x = reshaped(a, *(e for d in da for e in (d, ONE)))
    y = reshaped(b, *(e for d in db for e in (ONE, d)))
    return reshaped(x * y, *(p * q for p, q in zip(da, db, strict=True)))


# -------------------------------------------------------------------------------------------- selections


@means(np.select)
def _(condlist, choicelist, default=0):
    out = as_expr(default)
    for c, v in reversed(list(zip(condlist, choicelist, strict=True))):
        out = call_python(np.where, (c, v, out), {})
    return out


@means(np.choose)
def _(a, choices, out=None, mode="raise"):
    index = as_expr(a)
    if not isinstance(choices, (tuple, list)):
        raise Unsupported("np.choose of an array of choices is not supported", hint="pass a list of its rows, or index the array")
    r = as_expr(choices[-1])
    if static(mode) == "wrap":
        index = index % len(choices)
    elif static(mode) == "clip":
        index = call_python(np.clip, (index, 0, len(choices) - 1), {})
    for k in range(len(choices) - 2, -1, -1):
        r = call_python(np.where, (index.eq(k), choices[k], r), {})
    return r


@means(without_nan)
def _(x, nan=0.0, posinf=None, neginf=None):
    x = as_expr(x)
    if ir.is_complex(x.type):
        re, im = (call_python(without_nan, (call(p, x), nan, posinf, neginf), {}) for p in ("real", "imag"))
        return re + 1j * im
    if not ir.is_inexact(x.type):
        return call("pos", x)
    info = np.finfo(x.type.dtype)
    hi = float(info.max) if posinf is None else posinf
    lo = float(info.min) if neginf is None else neginf
    where = functools.partial(call_python, np.where)
    r = where((call("isnan", x), nan, x), {})
    r = where((x.eq(np.inf), hi, r), {})
    return where((x.eq(-np.inf), lo, r), {})


@means(np.isreal)
def _(x):
    x = as_expr(x)
    return call("imag", x).eq(0) if ir.is_complex(x.type) else Const(True, ir.BOOL) if is_scalar(x) else call("ones_like", x, dtype="bool")


@means(np.iscomplex)
def _(x):
    x = as_expr(x)
    return call("imag", x).ne(0) if ir.is_complex(x.type) else Const(False, ir.BOOL) if is_scalar(x) else call("zeros_like", x, dtype="bool")


@means(np.isclose)
def _(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    a, b = as_expr(a), as_expr(b)
    near = np.abs(a - b) <= atol + rtol * np.abs(b)
    r = np.logical_or(np.logical_and(near, np.isfinite(b)), a.eq(b))
    return np.logical_or(r, np.logical_and(np.isnan(a), np.isnan(b))) if static(equal_nan) else r


@means(np.allclose)
def _(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    r = call_python(np.isclose, (a, b, rtol, atol, equal_nan), {})
    return call("pybool", call_python(np.all, (r,), {}))


@means(same_arrays)
def _(a1, a2):
    a, b = as_expr(a1), as_expr(a2)
    if a.ndim != b.ndim:
        return Const(False, ir.BOOL)
    same = call("pybool", call_python(np.all, (a.eq(b),), {}))
    for i in reversed(range(a.ndim)):
        same = call("and", a.dim(i).eq(b.dim(i)), same)
    return same


def names_of_scipy() -> None:
    """Let functions of scipy.special mean our operations; called when scipy.special has been imported."""
    from scipy import special as sp  # type: ignore[import-untyped]
    for function, op in ((sp.erf, "erf"), (sp.erfc, "erfc"), (sp.gamma, "gamma"), (sp.gammaln, "lgamma"), (sp.psi, "digamma"),
                         (sp.digamma, "digamma"), (sp.log1p, "log1p"), (sp.expm1, "expm1"), (sp.cbrt, "cbrt"), (sp.exp2, "exp2")):
        build.spell(op, function)
    means(sp.logit)(lambda x: np.log(as_expr(x) / (1.0 - as_expr(x))))
