"""Operations that are neither views nor elementwise: how each makes its result.

`PRODUCERS[op](low, target, call)` binds `target` to a fresh array and returns its extents if they are known;
`SCALAR_PRODUCERS[op](low, call)` writes the statements that compute a number and returns it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from s2sgrad import ir
from s2sgrad.ir import Array, Assign, Call, Expr, For, If, Index, Multi, Scalar, Slice, Store, Var
from s2sgrad.optimise import ops  # noqa: F401 - registers the operations of the runtime
from s2sgrad.optimise.affine import add, is_literal, literal
from s2sgrad.optimise.extents import extents_of
from s2sgrad.optimise.nodes import cast, cheap_scalar, constant
from s2sgrad.optimise.reductions import argument, reduce_array, reduce_scalar
from s2sgrad.optimise.shapes import dim

if TYPE_CHECKING:
    from s2sgrad.optimise.lower import Lowering

Ext = tuple[Expr, ...] | None
PRODUCERS: dict[str, Callable[[Lowering, Var, Call], Ext]] = {}
SCALAR_PRODUCERS: dict[str, Callable[[Lowering, Call], Expr | None]] = {}


def producer(*names: str) -> Callable[[Callable[[Lowering, Var, Call], Ext]], Callable[[Lowering, Var, Call], Ext]]:
    def declare(f: Callable[[Lowering, Var, Call], Ext]) -> Callable[[Lowering, Var, Call], Ext]:
        for n in names:
            PRODUCERS[n] = f
        return f

    return declare


for _n in ("sum", "prod", "max", "min", "any", "all", "count_nonzero"):
    PRODUCERS[_n] = reduce_array
    SCALAR_PRODUCERS[_n] = reduce_scalar
for _n in ("argmax", "argmin"):
    PRODUCERS[_n] = lambda low, target, e: argument(low, e, target)  # type: ignore[assignment,return-value]
    SCALAR_PRODUCERS[_n] = lambda low, e: argument(low, e, None)  # type: ignore[assignment,return-value]


def contiguous(low: Lowering, e: Expr, dtype: str | None = None) -> Expr:
    """An operand for BLAS, LAPACK and flat loops: C or F contiguous, of the given dtype."""
    if dtype is not None and e.type.dtype != dtype:
        return low.temporary(ir.call("astype", e, dtype=dtype))
    x = low.operand(e)
    if isinstance(x.type, Array) and x.type.layout == "A":
        return low.temporary(ir.call("copy", x))
    return x


def c_contiguous(low: Lowering, e: Expr, dtype: str | None = None) -> Expr:
    x = contiguous(low, e, dtype)
    return x if isinstance(x.type, Array) and x.type.layout == "C" else low.temporary(ir.call("copy", x))


# ---------------------------------------------------------------------------------------------- creation


@producer("empty", "zeros", "ones")
def _created(low: Lowering, target: Var, e: Call) -> Ext:
    ext = tuple(low.scalar(d) for d in e.args)
    low.emit(Assign(target, Call(e.op, ext, e.attrs, e.type)))
    return ext if all(cheap_scalar(d) for d in ext) else None


@producer("empty_like", "zeros_like", "ones_like")
def _like(low: Lowering, target: Var, e: Call) -> Ext:
    ext = low.shape_of(e.args[0])
    if target.name in set().union(*(ir.names_in(n) for n in ext)) if ext else False:
        return _through_fresh(low, target, e)
    low.allocate(target, ext, e.op.removesuffix("_like"))
    return ext


def _through_fresh(low: Lowering, target: Var, e: Call) -> Ext:
    v = low.temporary(e)
    low.emit(Assign(target, v))
    return None


@producer("full")
def _full(low: Lowering, target: Var, e: Call) -> Ext:
    ext = tuple(low.hoisted(d) for d in e.args[1:])
    value = cast(low.scalar(e.args[0]), target.type.dtype)
    low.emit(Assign(target, Call("full", (value, *ext), (("dtype", target.type.dtype),), e.type)))
    return ext


@producer("full_like")
def _full_like(low: Lowering, target: Var, e: Call) -> Ext:
    if not isinstance(e.args[1].type, Scalar):
        place = low.fresh(target.name, Array(target.type.dtype, e.ndim))
        low.allocate(place, low.shape_of(e.args[0]))
        low.write(place, (), e.args[1], accumulate=False)
        low.emit(Assign(target, place))
        return None
    ext = tuple(low.clipped(n) for n in low.shape_of(e.args[0]))
    value = cast(low.scalar(e.args[1]), target.type.dtype)
    low.emit(Assign(target, Call("full", (value, *ext), (("dtype", target.type.dtype),), e.type)))
    return None


@producer("arange")
def _arange(low: Lowering, target: Var, e: Call) -> Ext:
    """The length from the bounds, the elements as start + k * step (as NumPy computes them)."""
    start, stop, step = (low.hoisted(x) for x in e.args)
    dtype = target.type.dtype
    inner = dtype if dtype.startswith(("float", "complex")) else "int64"
    if all(x.type.dtype == "int64" for x in (start, stop, step)):
        if is_literal(start, 0) and is_literal(step, 1):
            n: Expr = low.clipped(stop)
        else:
            n = low.scalar_temp("n", ir.call("range_length", start, stop, step))
    else:
        n = low.scalar_temp("n", ir.call("arange_length", *(cast(x, "float64") for x in (start, stop, step))))
    low.allocate(target, (n,))
    first = low.hoisted(cast(start, inner))
    if inner == "int64":
        delta: Expr = step
    else:
        delta = low.scalar_temp("delta", ir.call("sub", cast(ir.call("add", start, step), inner), first)) if not is_literal(step, 1) else constant(1, inner)

    def fill(idx: list[Expr]) -> None:
        i = cast(idx[0], inner)
        x = i if _is_one(delta) else Call("mul", (i, delta), (), Scalar(inner))
        x = x if _is_zero(first) else Call("add", (first, x), (), Scalar(inner))
        low.emit(Store(target, tuple(idx), cast(x, dtype)))

    low.nest((n,), fill)
    return (n,)


def _is_zero(e: Expr) -> bool:
    return isinstance(e, ir.Const) and e.value == 0


def _is_one(e: Expr) -> bool:
    return isinstance(e, ir.Const) and e.value == 1


@producer("linspace")
def _linspace(low: Lowering, target: Var, e: Call) -> Ext:
    dtype = "complex128" if any(ir.is_complex(a.type) for a in e.args[:2]) else "float64"
    start, stop = (low.hoisted(cast(low.scalar(a), dtype)) for a in e.args[:2])
    num = low.hoisted(cast(low.scalar(e.args[2]), "int64"))
    endpoint = e.attr("endpoint", True)
    low.allocate(target, (num,))
    parts = ir.call("sub", num, literal(1)) if endpoint else num
    step = low.scalar_temp("step", ir.call("div", ir.call("sub", stop, start), ir.call("astype", ir.call("pymax", parts, literal(1)), dtype="float64")))

    def fill(idx: list[Expr]) -> None:
        low.emit(Store(target, tuple(idx), ir.call("add", ir.call("mul", idx[0], step), start)))

    low.nest((num,), fill)
    if endpoint:
        low.emit(If(ir.call("gt", num, literal(1)), [Store(target, (ir.call("sub", num, literal(1)),), stop, place=low.place)]))
    return (num,)


@producer("eye")
def _eye(low: Lowering, target: Var, e: Call) -> Ext:
    n, m = (low.hoisted(x) for x in e.args)
    k = e.attr("k", 0) or 0
    low.emit(Assign(target, ir.call("zeros", n, m, dtype=target.type.dtype)))
    i = low.loop_var(low.depth)
    one = constant(1, target.type.dtype)
    stop = ir.call("pymin", n, add(m, literal(-k)))
    low.emit(For(i, literal(max(0, -k)), stop, literal(1), [Store(target, (i, add(i, literal(k))), one, place=low.place)]))
    return n, m


@producer("array_of")
def _array_of(low: Lowering, target: Var, e: Call) -> Ext:
    values = [low.hoisted(a) for a in e.args]
    shape = e.attr("shape")
    ext = tuple(literal(n) for n in shape)
    low.allocate(target, ext)
    for p, v in zip(itertools.product(*(range(n) for n in shape)), values, strict=True):
        low.emit(Store(target, tuple(literal(k) for k in p), v))
    return ext


@producer("diagonal_matrix")
def _diagonal_matrix(low: Lowering, target: Var, e: Call) -> Ext:
    v = low.nodes.build(e.args[0])
    n, m = (low.hoisted(x) for x in e.args[1:])
    low.emit(Assign(target, ir.call("zeros", n, m, dtype=target.type.dtype)))
    low.nest(v.ext, lambda idx: low.emit(Store(target, (idx[0], idx[0]), v.at(idx))))
    return n, m


@producer("tril", "triu")
def _triangle(low: Lowering, target: Var, e: Call) -> Ext:
    a = low.nodes.build(e.args[0])
    k = e.attr("k", 0) or 0
    low.allocate(target, a.ext)
    zero = constant(0, target.type.dtype)

    def fill(idx: list[Expr]) -> None:
        i, j = idx[-2:]
        inside = ir.call("le" if e.op == "tril" else "ge", j, add(i, literal(k)))
        low.emit(Store(target, tuple(idx), Call("ifexp", (inside, a.at(idx), zero), (), Scalar(target.type.dtype))))

    low.nest(a.ext, fill)
    return None


# ------------------------------------------------------------------------------------------ copies, joining


@producer("copy", "ascontiguous", "stop_gradient")
def _copy(low: Lowering, target: Var, e: Call) -> Ext:
    a = e.args[0]
    if isinstance(a, Var) and isinstance(a.type, Array) and a.type.layout == "C":
        ext = low.shapes.extents(a)
        low.emit(Assign(target, Call("copy", (a,), (), e.type)))
        return ext
    node = low.nodes.build(a)
    if target.name in ir.names_in(a):
        fresh = low.fresh(target.name, Array(target.type.dtype, target.ndim))
        low.fill_new(fresh, node)
        low.emit(Assign(target, fresh))
        return None
    low.fill_new(target, node)
    return node.ext


@producer("reshape_copy")
def _reshape_copy(low: Lowering, target: Var, e: Call) -> Ext:
    a = low.operand(e.args[0])
    flat = low.fresh(target.name, Array(target.type.dtype, e.args[0].ndim))
    low.bind(flat, ir.call("copy", a))
    dims = tuple(low.hoisted(d) for d in e.args[1:])
    low.emit(Assign(target, Call("reshape", (flat, *dims), (), e.type)))
    return None


@producer("reshape")
def _reshape_fresh(low: Lowering, target: Var, e: Call) -> Ext:
    """reshape of an expression that is not memory yet."""
    a = c_contiguous(low, e.args[0])
    dims = tuple(low.hoisted(d) for d in e.args[1:])
    low.emit(Assign(target, Call("reshape", (a, *dims), (), e.type)))
    return None


@producer("concatenate")
def _concatenate(low: Lowering, target: Var, e: Call) -> Ext:
    axis = e.attr("axis") or 0
    nodes = [low.nodes.build(a) for a in e.args]
    for n in nodes[1:]:
        for k in range(nodes[0].ndim):
            if k != axis:
                low.require_equal(n.ext[k], nodes[0].ext[k])
    total: Expr = low.clipped(nodes[0].ext[axis])
    for n in nodes[1:]:
        total = add(total, low.clipped(n.ext[axis]))
    ext = tuple(low.hoisted(total) if k == axis else nodes[0].ext[k] for k in range(nodes[0].ndim))
    out = target
    if target.name in ir.names_in(e):
        out = low.fresh(target.name, Array(target.type.dtype, e.ndim))
    low.allocate(out, ext)
    start: Expr = literal(0)
    for n in nodes:
        low.nest(n.ext, lambda idx, n=n, start=start: low.emit(  # type: ignore[misc]
            Store(out, tuple(add(start, i) if k == axis else i for k, i in enumerate(idx)), n.at(idx))))
        start = low.hoisted(add(start, low.clipped(n.ext[axis])), simple=len(nodes) > 2)
    if out is not target:
        low.emit(Assign(target, out))
        return None
    return ext


@producer("stack")
def _stack(low: Lowering, target: Var, e: Call) -> Ext:
    axis = e.attr("axis") or 0
    nodes = [low.nodes.build(a) for a in e.args]
    for n in nodes[1:]:
        for k in range(nodes[0].ndim):
            low.require_equal(n.ext[k], nodes[0].ext[k])
    ext = (*nodes[0].ext[:axis], literal(len(nodes)), *nodes[0].ext[axis:])
    out = low.fresh(target.name, Array(target.type.dtype, e.ndim)) if target.name in ir.names_in(e) else target
    low.allocate(out, ext)

    def fill(idx: list[Expr]) -> None:
        for m, n in enumerate(nodes):
            low.emit(Store(out, (*idx[:axis], literal(m), *idx[axis:]), n.at(idx)))

    low.nest(nodes[0].ext, fill)
    if out is not target:
        low.emit(Assign(target, out))
        return None
    return ext


# ------------------------------------------------------------------------------------------------- scans


@producer("cumsum", "cumprod")
def _scan(low: Lowering, target: Var, e: Call) -> Ext:
    node = low.nodes.build(e.args[0])
    axis = e.attr("axis") or 0
    dtype = target.type.dtype
    op, start = ("add", 0) if e.op == "cumsum" else ("mul", 1)
    out = low.fresh(target.name, Array(dtype, e.ndim)) if target.name in ir.names_in(e) else target
    low.allocate(out, node.ext)
    outer = [k for k in range(node.ndim) if k != axis]
    acc = low.fresh("total", constant(start, dtype).type)

    def lane(rest: list[Expr]) -> None:
        low.emit(Assign(acc, constant(start, dtype)))

        def step(inner: list[Expr]) -> None:
            it = iter(rest)
            idx = [inner[0] if k == axis else next(it) for k in range(node.ndim)]
            low.emit(Assign(acc, Call(op, (acc, node.at(idx)), (), acc.type)))
            low.emit(Store(out, tuple(idx), acc))

        low.nest((node.ext[axis],), step)

    low.nest([node.ext[k] for k in outer], lane)
    if out is not target:
        low.emit(Assign(target, out))
        return None
    return node.ext


@producer("sort", "argsort")
def _sort(low: Lowering, target: Var, e: Call) -> Ext:
    a = e.args[0]
    axis = e.attr("axis")
    axis = a.ndim - 1 if axis is None else axis % a.ndim
    if axis != a.ndim - 1:
        axes = tuple(axis if k == a.ndim - 1 else a.ndim - 1 if k == axis else k for k in range(a.ndim))
        inner = ir.call(e.op, ir.call("copy", ir.call("transpose", low.operand(a), axes=axes)), axis=a.ndim - 1)
        low.bind(target, ir.call("copy", ir.call("transpose", low.temporary(inner), axes=axes)))
        return None
    x = c_contiguous(low, a)
    low.emit(Assign(target, Call("sorted_lanes" if e.op == "sort" else "argsorted_lanes", (x,), (), target.type)))
    return None


@producer("unbroadcast")
def _unbroadcast(low: Lowering, target: Var, e: Call) -> Ext:
    g, like = e.args
    ext = low.shape_of(like)
    out = low.fresh(target.name, Array(target.type.dtype, e.ndim)) if target.name in ir.names_in(e) else target
    node = low.nodes.build(g)
    if node.ndim == len(ext) and all(low.shapes.same(a, b) for a, b in zip(node.ext, ext)):
        low.fill_new(out, node)
    else:
        if not all(low.shapes.nonnegative(n) for n in ext):
            ext = tuple(low.scalar_temp("n", low.clipped(n)) for n in ext)
        low.allocate(out, ext, "zeros")
        low.shapes.set(out, ext)
        low.accumulate_unbroadcast(out, (), e)
    if out is not target:
        low.emit(Assign(target, out))
        return None
    return ext


def _unbroadcast_scalar(low: Lowering, e: Call) -> Expr | None:
    g = e.args[0]
    if isinstance(g.type, Scalar):
        return low.scalar(g)
    return low.scalar(Call("sum", (g,), (("axis", None), ("keepdims", False)), e.type))


SCALAR_PRODUCERS["unbroadcast"] = _unbroadcast_scalar


# --------------------------------------------------------------------------------------------- matrices


@producer("matmul")
def _matmul(low: Lowering, target: Var, e: Call) -> Ext:
    a, b = e.args
    if a.ndim > 2 or b.ndim > 2:
        return _stacked_product(low, target, e)
    if e.type.dtype in ("float32", "float64", "complex64", "complex128"):
        x, y = (contiguous(low, v, e.type.dtype) for v in (a, b))
        ext = (*low.shape_of(x)[:-1], *low.shape_of(y)[1:])
        inner = low.shape_of(x)[-1], low.shape_of(y)[0]
        low.emit(Assign(target, Call("matmul", (x, y), (), e.type)))
        if target.name not in set().union(*map(ir.names_in, inner)):
            low.shapes.note_equal(*inner)
        return ext
    return _product_loops(low, target, e)


def _product_loops(low: Lowering, target: Var, e: Call) -> Ext:
    """The product of integer matrices, which BLAS does not have."""
    a, b = (low.operand_var(x) for x in e.args)
    low.require_equal(low.shapes.extents(a)[-1], low.shapes.extents(b)[0 if b.ndim == 1 else -2])
    rows, cols = low.shapes.extents(a)[:-1], low.shapes.extents(b)[1:]
    t = Scalar(e.type.dtype)
    out = low.fresh(target.name, Array(e.type.dtype, e.ndim))
    low.allocate(out, (*rows, *cols), "zeros")

    def fill(idx: list[Expr]) -> None:
        i, m, j = idx[:len(rows)], idx[len(rows)], idx[len(rows) + 1:]
        low.emit(ir.Accum(out, (*i, *j), Call("mul", (cast(Index(a, (*i, m), Scalar(a.type.dtype)), t.dtype),
                                                      cast(Index(b, (m, *j), Scalar(b.type.dtype)), t.dtype)), (), t)))

    low.nest((*rows, low.shapes.extents(a)[-1], *cols), fill)
    low.emit(Assign(target, out))
    return None


def _product_scalar(low: Lowering, e: Call) -> Expr | None:
    """The inner product of two vectors."""
    if e.type.dtype in ("float32", "float64", "complex64", "complex128"):
        x, y = (contiguous(low, v, e.type.dtype) for v in e.args)
        return low.scalar_temp("product", Call("matmul", (x, y), (), e.type))
    a, b = (low.operand_var(x) for x in e.args)
    low.require_equal(low.shapes.extents(a)[0], low.shapes.extents(b)[0])
    return low.scalar(Call("sum", (Call("mul", (a, b), (), Array(e.type.dtype, 1)),), (("axis", None), ("keepdims", False)), e.type))


SCALAR_PRODUCERS["matmul"] = _product_scalar


def _stacked_product(low: Lowering, target: Var, e: Call) -> Ext:
    """Products of stacks of matrices: one `@` for each, the leading axes broadcast."""
    u, v = e.args
    if u.ndim == 1 or v.ndim == 1:  # a vector is a matrix of one row or column
        axis = 0 if u.ndim == 1 else 1
        wide = ir.call("matmul", *(ir.call("expand_dims", x, axis=axis) if x.ndim == 1 else x for x in (u, v)))
        product = low.temporary(wide)
        low.bind(target, ir.call("copy", ir.call("squeeze", product, axis=product.ndim - 2 if axis == 0 else product.ndim - 1)))
        return None
    a, b = (c_contiguous(low, x, e.type.dtype) for x in e.args)
    assert isinstance(a, Var) and isinstance(b, Var)
    ea, eb = low.shapes.extents(a), low.shapes.extents(b)
    low.require_equal(ea[-1], eb[-2])
    lead = low.broadcast([ea[:-2], eb[:-2]])
    out = low.fresh(target.name, Array(e.type.dtype, e.ndim))
    low.allocate(out, (*lead, ea[-2], eb[-1]))
    row = Array(e.type.dtype, 2)

    def at(v: Var, ext: Sequence[Expr], idx: list[Expr]) -> Expr:
        if v.ndim == 2:
            return v
        own = ext[:-2]
        items = []
        for i, n, m in zip(idx[len(lead) - len(own):], own, lead[len(lead) - len(own):]):
            items.append(i if low.shapes.same(n, m) else literal(0) if is_literal(n, 1) else Call("mul", (i, low.flag(n)), (), ir.INT))
        return Index(v, (*items, Slice(), Slice()), row)

    def fill(idx: list[Expr]) -> None:
        if e.type.dtype.startswith(("float", "complex")):
            p = low.fresh("product", row)
            low.emit(Assign(p, Call("matmul", (at(a, ea, idx), at(b, eb, idx)), (), row)))
        else:
            x, y = low.fresh("a", row), low.fresh("b", row)
            low.emit(Assign(x, at(a, ea, idx)))
            low.emit(Assign(y, at(b, eb, idx)))
            p = low.temporary(Call("matmul", (x, y), (), row))
        t = Scalar(e.type.dtype)
        low.nest((ea[-2], eb[-1]), lambda ij: low.emit(Store(out, (*idx, *ij), Index(p, tuple(ij), t))))

    for own in (ea, eb):
        for n, m in zip(own[:-2], lead[len(lead) - len(own) + 2:]):
            if not low.shapes.same(n, m) and not is_literal(n, 1):
                low.flag(n)  # bound before the loops
    low.nest(lead, fill)
    low.emit(Assign(target, out))
    return None


def library_call(low: Lowering, e: Call) -> Call:
    """A call of numba's own function or of a helper, on contiguous operands; floating ones get the dtype of the result."""
    inexact = ir.is_inexact(e.type)
    args = []
    for a in e.args:
        if isinstance(a.type, Scalar):
            args.append(low.scalar(a))
        else:
            args.append(contiguous(low, a, e.type.dtype if inexact and a.type.dtype != "bool" and not _narrows(a, e) else None))
    return Call(e.op, tuple(args), e.attrs, e.type)


def _narrows(a: Expr, e: Call) -> bool:
    """Would the dtype of the result lose something of the operand?"""
    return ir.is_complex(a.type) and not ir.is_complex(e.type)


def _library(low: Lowering, target: Var, e: Call) -> Ext:
    ext = extents_of(low, e)
    low.emit(Assign(target, library_call(low, e)))
    return ext


for _n in ("solve", "inv", "cholesky", "cofactor"):
    PRODUCERS[_n] = _library


def _library_scalar(low: Lowering, e: Call) -> Expr | None:
    dtype = e.type.dtype if e.type.dtype in ("float32", "float64", "complex64", "complex128") else None
    if dtype is None and e.args[0].type.dtype in ("int64", "int32", "bool"):
        dtype = "float64"
    args = [contiguous(low, a, dtype) if isinstance(a.type, Array) else low.scalar(a) for a in e.args]
    return low.scalar_temp(e.op, Call(e.op, tuple(args), e.attrs, e.type))


SCALAR_PRODUCERS["det"] = SCALAR_PRODUCERS["matrix_rank"] = _library_scalar


@producer("fft", "ifft")
def _fourier(low: Lowering, target: Var, e: Call) -> Ext:
    a = e.args[0]
    axis = e.attr("axis")
    axis = a.ndim - 1 if axis is None else axis % a.ndim
    if axis != a.ndim - 1:
        axes = tuple(axis if k == a.ndim - 1 else a.ndim - 1 if k == axis else k for k in range(a.ndim))
        moved = low.temporary(ir.call("copy", ir.call("transpose", low.operand(a), axes=axes)))
        done = low.temporary(ir.call(e.op, moved, axis=a.ndim - 1))
        low.bind(target, ir.call("copy", ir.call("transpose", done, axes=axes)))
        return None
    x = c_contiguous(low, a, "complex128")
    sign = constant(-1 if e.op == "fft" else 1, "float64")
    if target.type.dtype == "complex128":
        low.emit(Assign(target, Call("fourier_lanes", (x, sign), (), e.type)))
    else:
        wide = low.fresh("wide", Array("complex128", e.ndim))
        low.emit(Assign(wide, Call("fourier_lanes", (x, sign), (), wide.type)))
        low.bind(target, ir.call("astype", wide, dtype=target.type.dtype))
    return None


def lower_multi(low: Lowering, s: Multi) -> None:
    """Operations with several results are numba's own, on contiguous operands of one floating dtype."""
    dtype = next((t.type.dtype for t in s.targets if t is not None and t.type.dtype.startswith(("float", "complex"))), None)
    if s.args and ir.is_complex(s.args[0].type):
        dtype = s.args[0].type.dtype
    args = tuple(contiguous(low, a, dtype) if isinstance(a.type, Array) else low.scalar(a) for a in s.args)
    low.emit(Multi(s.targets, s.op, args, s.attrs))


__all__ = ["PRODUCERS", "SCALAR_PRODUCERS", "dim", "lower_multi"]
