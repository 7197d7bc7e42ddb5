"""Indexing with arrays: integers (fancy indexing) and boolean masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from s2sgrad import ir
from s2sgrad.errors import Unsupported
from s2sgrad.ir import Array, Expr, Index, NewAxis, Scalar, Slice, Type, Var
from s2sgrad.optimise.affine import literal, plus

if TYPE_CHECKING:
    from s2sgrad.optimise.nodes import Node, Nodes


def is_index_array(i: Any) -> bool:
    return isinstance(i, Expr) and isinstance(i.type, Array)


def is_mask(i: Any) -> bool:
    return is_index_array(i) and i.type.dtype == "bool"


def index_type(base: Expr, index: Sequence[Any]) -> Type:
    """The type of `base[index]`."""
    dtype = base.type.dtype
    covered = sum(0 if isinstance(i, NewAxis) else i.ndim if is_mask(i) else 1 for i in index)
    rank = sum(isinstance(i, (Slice, NewAxis)) for i in index) + base.ndim - covered
    arrays = [i for i in index if is_index_array(i)]
    if arrays:
        rank += max(1 if is_mask(i) else i.ndim for i in arrays)
    if rank == 0:
        return Scalar(dtype)
    return Array(dtype, rank, "C" if arrays else "A")


def gather_node(nodes: Nodes, e: Index) -> Node:
    """`base[index]` with arrays among the items. Every index is checked; masks become lists of positions."""
    from s2sgrad.optimise.nodes import Node
    low = nodes.low
    if any(isinstance(i, Slice) and not (i.lower is None and i.upper is None and i.step is None) for i in e.index):
        return gather_node(nodes, _full_slices(nodes, e))
    base = nodes.build(e.base) if ir.is_alias(e.base) else nodes.variable(low.operand_var(e.base))
    entries: list[tuple[str, Any]] = []
    index_nodes: list[Node] = []
    axis = 0
    for i in e.index:
        if isinstance(i, NewAxis):
            entries.append(("new", None))
        elif isinstance(i, Slice):
            entries.append(("slice", axis))
            axis += 1
        elif is_mask(i):
            mask = low.operand_var(i)
            for k in range(mask.ndim):
                low.require_equal(low.shapes.extents(mask)[k], base.ext[axis + k])
            found = low.fresh("where", Array("int64", 2))
            low.aliases.positions.add(found.name)
            low.emit(ir.Assign(found, ir.Call("mask_positions", (mask,), (), found.type)))
            count = low.scalar_temp("n", low_dim(found, 0))
            for k in range(mask.ndim):
                index_nodes.append(Node(found.type, (count,), _column(found, k)))
                entries.append(("trusted", (len(index_nodes) - 1, axis + k)))
            axis += mask.ndim
        else:
            n = nodes.build(_unaliased(nodes, e.base, i)) if is_index_array(i) else nodes.build(i)
            if not n.cheap:
                n = nodes.variable(low.temporary(i))
            index_nodes.append(n)
            entries.append(("index", (len(index_nodes) - 1, axis)))
            axis += 1
    while axis < base.ndim:
        entries.append(("slice", axis))
        axis += 1
    shape = low.broadcast([n.ext for n in index_nodes])
    elems = [nodes.stretched(n, shape) for n in index_nodes]
    limits = [low.clipped(x) for x in base.ext]
    where = [k for k, (kind, _) in enumerate(entries) if kind in ("index", "trusted")]
    together = where == list(range(where[0], where[-1] + 1))
    ext: list[Expr] = []
    source: list[tuple[str, int]] = []  # per result axis: ("advanced", k) or ("slice", base axis) or ("new", 0)
    block = [("advanced", k) for k in range(len(shape))]
    if not together:
        source += block
    for k, (kind, x) in enumerate(entries):
        if together and k == where[0]:
            source += block
        if kind in ("slice", "new"):
            source.append((kind, x or 0))
    for kind, k in source:
        ext.append(shape[k] if kind == "advanced" else base.ext[k] if kind == "slice" else literal(1))

    def at(idx: Sequence[Expr]) -> Expr:
        adv: list[Expr] = [literal(0)] * len(shape)
        inner: list[Expr] = [literal(0)] * base.ndim
        for i, (kind, k) in zip(idx, source):
            if kind == "advanced":
                adv[k] = i
            elif kind == "slice":
                inner[k] = i
        for kind, x in entries:
            if kind in ("index", "trusted"):
                n, ax = x
                p = elems[n](adv)
                inner[ax] = p if kind == "trusted" else ir.call("wrap_index", p, limits[ax])
        return base.at(inner)

    return Node(e.type, tuple(ext), at)


def low_dim(v: Var, axis: int) -> Expr:
    from s2sgrad.optimise.shapes import dim
    return dim(v, axis)


def _column(v: Var, k: int) -> Any:
    return lambda idx: Index(v, (plus(idx[0], 0), literal(k)), Scalar("int64"))


def _unaliased(nodes: Nodes, base: Expr, i: Expr) -> Expr:
    """A copy of an index array that may share memory with the array it indexes."""
    b, r = ir.root(base), ir.root(i)
    return nodes.low.temporary(ir.call("copy", i)) if b is not None and r is not None and nodes.low.aliases.may(b, r) else i


def _full_slices(nodes: Nodes, e: Index) -> Index:
    """The partial slices of a gather are taken first, as a view."""
    first: list[Any] = []
    second: list[Any] = []
    for i in e.index:
        if isinstance(i, Slice):
            first.append(i)
            second.append(Slice())
        elif isinstance(i, NewAxis):
            second.append(i)
        else:
            first += [Slice()] * (i.ndim if is_mask(i) else 1)
            second.append(i)
    view = Index(e.base, tuple(first), Array(e.type.dtype, e.base.ndim, "A"))
    if not ir.is_alias(e.base):
        raise Unsupported("a gather from a slice of an expression")
    return Index(nodes.low.bound(view), tuple(second), e.type)
