"""Array expressions seen element by element.

A `Node` is an array expression with symbolic extents and a function from index expressions to the scalar expression of
an element. Views are folded into the indices of their base; anything that is not elementwise is computed into a
temporary first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from s2sgrad import ir
from s2sgrad.ir import Call, Const, Expr, Index, NewAxis, Scalar, Slice, Type, Var
from s2sgrad.optimise import affine
from s2sgrad.optimise.affine import is_literal, literal, plus

if TYPE_CHECKING:
    from s2sgrad.optimise.lower import Lowering

ELEMENTWISE = frozenset("""
    add sub mul div floordiv mod pow maximum minimum fmax fmin arctan2 hypot copysign logaddexp logaddexp2 fmod lt le gt ge eq ne
    bitand bitor bitxor lshift rshift logical_and logical_or logical_xor nextafter heaviside ldexp float_power neg pos abs sin cos tan
    arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp exp2 expm1 log log2 log10 log1p sqrt length cbrt square reciprocal sign floor
    ceil trunc rint round deg2rad rad2deg sinc erf erfc gamma lgamma digamma trigamma gcd lcm iscomplex_ isnan isinf isfinite
    signbit logical_not invert real imag conj
    angle where clip astype pycomplex spacing not ifexp
""".split())
CHEAP = frozenset(
    "add sub mul neg pos abs lt le gt ge eq ne logical_and"
    " logical_or logical_not not and or where astype maximum minimum real imag conj".split()
)


@dataclass
class Node:
    """ext: the extents (an extent expression may be negative, which means empty); at: element at given indices; cheap: may be
    evaluated again for each element of a broadcast; plain: the node is a variable indexed without offsets."""

    type: Type
    ext: tuple[Expr, ...]
    at: Callable[[Sequence[Expr]], Expr]
    cheap: bool = True
    plain: bool = False
    checks: list[Any] = field(default_factory=list)

    @property
    def ndim(self) -> int:
        return len(self.ext)


def element_type(t: Type) -> Scalar:
    return t if isinstance(t, Scalar) else Scalar(t.dtype)


class Nodes:
    """Builds nodes; `low` receives the statements that must run before the loop nest."""

    def __init__(self, low: Lowering) -> None:
        self.low = low

    def build(self, e: Expr) -> Node:
        if isinstance(e.type, Scalar):
            s = self.low.hoisted(e)
            return Node(e.type, (), lambda idx: s)
        if isinstance(e, Var):
            return self.variable(e)
        if isinstance(e, Index):
            return self.gather(e) if e.kind == "gather" else self.view(e)
        assert isinstance(e, Call), e
        special = getattr(self, "op_" + e.op, None)
        if special is not None:
            node: Node = special(e)
            return node
        if e.op in ELEMENTWISE:
            return self.elementwise(e)
        return self.variable(self.low.temporary(e))

    def knows(self, e: Call) -> bool:
        """Can elements of this call be computed one by one?"""
        return e.op in ELEMENTWISE or hasattr(self, "op_" + e.op)

    # -------------------------------------------------------------------------------------------- leaves

    def variable(self, v: Var) -> Node:
        t = Scalar(v.type.dtype)
        return Node(v.type, self.low.shapes.extents(v), lambda idx: Index(v, tuple(idx), t), plain=True)

    def bound_view(self, e: Expr) -> Node:
        """A view that does not fold: bind it to a name and index that."""
        return self.variable(self.low.bound(e))

    def base_of_view(self, e: Expr) -> Node:
        """The node below a view; an expensive expression is computed once."""
        if not ir.is_alias(e) and not isinstance(e.type, Scalar):
            n = self.build(e)
            return n if n.cheap else self.variable(self.low.temporary(e))
        return self.build(e)

    def view(self, e: Index) -> Node:
        items = e.index
        simple = all(isinstance(i, (NewAxis, Expr)) or folds(i) for i in items)
        if not simple:
            if ir.is_alias(e):
                return self.bound_view(e)
            return self.view(Index(self.low.temporary(e.base), e.index, e.type))
        b = self.base_of_view(e.base)
        ext: list[Expr] = []
        plan: list[tuple[str, Any]] = []
        k = 0
        for i in items:
            if isinstance(i, NewAxis):
                ext.append(literal(1))
                plan.append(("new", None))
            elif isinstance(i, Slice):
                lo, n = fold_slice(i, b.ext[k])
                ext.append(n)
                plan.append(("slice", lo))
                k += 1
            else:
                plan.append(("int", self.integer(i, b, k)))
                k += 1
        for m in range(k, b.ndim):  # a short row index
            ext.append(b.ext[m])
            plan.append(("slice", 0))

        def at(idx: Sequence[Expr]) -> Expr:
            it = iter(idx)
            inner = []
            for kind, x in plan:
                if kind == "new":
                    next(it)
                elif kind == "slice":
                    inner.append(plus(next(it), x))
                else:
                    inner.append(x)
            return b.at(inner)

        return Node(e.type, tuple(ext), at, b.cheap)

    def integer(self, i: Expr, b: Node, k: int) -> Expr:
        """An integer index of axis k: names and constants stay, the rest is evaluated once; negative ones become positions
        where the base is not a plain variable."""
        rest, c = affine.split(i)
        if rest is None:
            if c < 0:
                return literal(c) if b.plain else plus(b.ext[k], c)
            return literal(c)
        e = plus(self.low.hoisted(rest, simple=True), c)
        return e if b.plain else self.low.scalar_temp("at", ir.call("wrap_index", e, self.low.clipped(b.ext[k])))

    def gather(self, e: Index) -> Node:
        from s2sgrad.optimise.gather import gather_node
        return gather_node(self, e)

    # -------------------------------------------------------------------------------- views by operation

    def op_transpose(self, e: Call) -> Node:
        b = self.build(e.args[0])
        axes = e.attr("axes") or tuple(reversed(range(b.ndim)))
        inverse = [axes.index(k) for k in range(b.ndim)]
        return Node(e.type, tuple(b.ext[a] for a in axes), lambda idx: b.at([idx[k] for k in inverse]), b.cheap)

    def op_expand_dims(self, e: Call) -> Node:
        b = self.base_of_view(e.args[0])
        axis = e.attr("axis")
        new = {axis} if isinstance(axis, int) else set(axis)
        it = iter(b.ext)
        ext = tuple(literal(1) if k in new else next(it) for k in range(b.ndim + len(new)))
        return Node(e.type, ext, lambda idx: b.at([x for k, x in enumerate(idx) if k not in new]), b.cheap)

    def op_squeeze(self, e: Call) -> Node:
        b = self.build(e.args[0])
        drop = squeezed(e)
        ext = tuple(x for k, x in enumerate(b.ext) if k not in drop)

        def at(idx: Sequence[Expr]) -> Expr:
            it = iter(idx)
            return b.at([literal(0) if k in drop else next(it) for k in range(b.ndim)])

        return Node(e.type, ext, at, b.cheap)

    def op_broadcast_to(self, e: Call) -> Node:
        b = self.base_of_view(e.args[0])
        ext = tuple(self.low.hoisted(d) for d in e.args[1:])
        for own, n in zip(b.ext, ext[len(ext) - b.ndim:]):
            self.low.check_extent(own, n)
        return Node(e.type, ext, self.stretched(b, ext), b.cheap)

    def op_diagonal(self, e: Call) -> Node:
        b = self.build(e.args[0])
        if b.ndim != 2 or e.attrs:
            return self.bound_view(e)
        same = self.low.shapes.same(*b.ext)
        n = b.ext[0] if same else self.low.scalar_temp("n", ir.call("pymin", b.ext[0], b.ext[1]))
        return Node(e.type, (n,), lambda idx: b.at([idx[0], idx[0]]), b.cheap)

    def op_reshape(self, e: Call) -> Node:
        return self.bound_view(e) if ir.is_alias(e) else self.variable(self.low.temporary(e))

    def op_real_view(self, e: Call) -> Node:
        return self._part("real", e)

    def op_imag_view(self, e: Call) -> Node:
        return self._part("imag", e)

    def _part(self, op: str, e: Call) -> Node:
        b = self.build(e.args[0])
        return Node(e.type, b.ext, lambda idx: Call(op, (b.at(idx),), (), Scalar(e.type.dtype)), b.cheap)

    # ------------------------------------------------------------------------------------- constant arrays

    def op_zeros(self, e: Call) -> Node:
        return self._constant(e, 0, e.args)

    def op_ones(self, e: Call) -> Node:
        return self._constant(e, 1, e.args)

    def op_full(self, e: Call) -> Node:
        v = self.low.hoisted(e.args[0])
        return self._filled(e, v, e.args[1:])

    def op_zeros_like(self, e: Call) -> Node:
        return self._constant_like(e, 0)

    def op_ones_like(self, e: Call) -> Node:
        return self._constant_like(e, 1)

    def op_full_like(self, e: Call) -> Node:
        v = cast(self.low.hoisted(e.args[1]), e.type.dtype)
        return Node(e.type, self.low.shape_of(e.args[0]), lambda idx: v)

    def _constant(self, e: Call, v: int, dims: Sequence[Expr]) -> Node:
        return self._filled(e, constant(v, e.type.dtype), dims)

    def _constant_like(self, e: Call, v: int) -> Node:
        c = constant(v, e.type.dtype)
        return Node(e.type, self.low.shape_of(e.args[0]), lambda idx: c)

    def _filled(self, e: Call, v: Expr, dims: Sequence[Expr]) -> Node:
        ext = tuple(self.low.hoisted(d) for d in dims)
        v = cast(v, e.type.dtype)
        return Node(e.type, ext, lambda idx: v)

    # -------------------------------------------------------------------------------------- elementwise

    def op_stop_gradient(self, e: Call) -> Node:
        return self.build(e.args[0])

    def op_copy(self, e: Call) -> Node:
        return self.build(e.args[0])

    def op_ascontiguous(self, e: Call) -> Node:
        return self.build(e.args[0])

    def op_reshape_copy(self, e: Call) -> Node:
        return self.variable(self.low.temporary(e))

    def op_outer(self, e: Call) -> Node:
        a, b = (self.base_of_view(x) for x in e.args)
        if a.ndim != 1 or b.ndim != 1:
            return self.variable(self.low.temporary(e))
        t = Scalar(e.type.dtype)
        return Node(e.type, (a.ext[0], b.ext[0]), lambda idx: Call("mul", (a.at([idx[0]]), b.at([idx[1]])), (), t))

    def op_ifexp(self, e: Call) -> Node:
        """`a if c else b` of arrays: only one of them is evaluated."""
        return self.variable(self.low.temporary(e))

    def elementwise(self, e: Call) -> Node:
        nodes = [self.build(a) for a in e.args]
        ext = self.low.broadcast([n.ext for n in nodes])
        for k, n in enumerate(nodes):
            if not n.cheap and not self._covers(n, ext):
                nodes[k] = self.variable(self.low.temporary(e.args[k]))
        elems = [self.stretched(n, ext) for n in nodes]
        t = Scalar(e.type.dtype)
        make = element_call(e, t)
        cheap = e.op in CHEAP and all(n.cheap for n in nodes)
        return Node(e.type, ext, lambda idx: make([f(idx) for f in elems]), cheap)

    def _covers(self, n: Node, ext: tuple[Expr, ...]) -> bool:
        """Is every element of the node used once in this broadcast?"""
        return n.ndim == 0 or (n.ndim == len(ext) and all(self.low.shapes.same(a, b) for a, b in zip(n.ext, ext)))

    def stretched(self, n: Node, ext: tuple[Expr, ...]) -> Callable[[Sequence[Expr]], Expr]:
        """The element of `n` that meets an index of the broadcast shape `ext`."""
        if n.ndim == 0:
            return n.at
        lead = len(ext) - n.ndim
        factors: list[Expr | None] = []
        for own, out in zip(n.ext, ext[lead:]):
            if self.low.shapes.same(own, out):
                factors.append(None)
            elif is_literal(own, 1):
                factors.append(literal(0))
            else:
                factors.append(self.low.flag(own))
        if all(f is None for f in factors):
            return lambda idx: n.at(list(idx[lead:]))

        def at(idx: Sequence[Expr]) -> Expr:
            own = []
            for i, f in zip(idx[lead:], factors):
                own.append(i if f is None else literal(0) if is_literal(f, 0) or is_literal(i, 0) else Call("mul", (i, f), (), ir.INT))
            return n.at(own)

        return at


def squeezed(e: Call) -> set[int]:
    """The axes that np.squeeze drops (known from the ranks only if they are given)."""
    axis = e.attr("axis")
    rank = e.args[0].ndim
    if axis is None:
        assert e.ndim == 0 or rank == e.ndim, "squeeze needs its axes"
        return set(range(rank))
    return {axis % rank} if isinstance(axis, int) else {a % rank for a in axis}


def element_call(e: Call, t: Scalar) -> Callable[[list[Expr]], Expr]:
    """How an elementwise call looks on scalars."""
    if e.op == "where":
        return lambda a: Call("ifexp", tuple(a), (), t)
    if e.op == "clip":
        return lambda a: Call("minimum", (Call("maximum", (a[0], a[1]), (), t), a[2]), (), t)
    return lambda a: Call(e.op, tuple(a), e.attrs, t)


def constant(v: Any, dtype: str) -> Const:
    """A number of a dtype; the common ones print bare."""
    kind = {"f": float, "c": complex, "b": bool}.get(dtype[0], int)
    return Const(kind(v), Scalar(dtype, weak=dtype in ("float64", "int64", "bool", "complex128")))


def cast(e: Expr, dtype: str) -> Expr:
    if e.type.dtype == dtype:
        return e
    if isinstance(e, Const):
        return constant(e.value, dtype)
    return Call("astype", (e,), (("dtype", dtype),), Scalar(dtype))


def _literal_or_none(e: Expr | None) -> int | None:
    if e is None:
        return None
    rest, c = affine.split(e)
    return c if rest is None else None


def folds(s: Slice) -> bool:
    """A slice with literal bounds, a non-negative lower one, and step 1."""
    if s.step is not None and _literal_or_none(s.step) != 1:
        return False
    lo = 0 if s.lower is None else _literal_or_none(s.lower)
    hi = 0 if s.upper is None else _literal_or_none(s.upper)
    return lo is not None and lo >= 0 and hi is not None


def fold_slice(s: Slice, n: Expr) -> tuple[int, Expr]:
    """(offset, extent) of a slice of an axis of extent n."""
    lo = 0 if s.lower is None else _literal_or_none(s.lower)
    hi = _literal_or_none(s.upper)
    assert lo is not None
    if hi is None:
        return lo, plus(n, -lo)
    if hi < 0:
        return lo, plus(n, hi - lo)
    if is_literal(n):
        return lo, literal(max(0, min(hi, n.value) - lo))  # type: ignore[attr-defined]
    return lo, plus(ir.call("pymin", n, literal(hi)), -lo)


def cheap_scalar(e: Expr) -> bool:
    """Arithmetic on names and constants that the compiler moves out of loops by itself."""
    if isinstance(e, (Const, Var)):
        return True
    if isinstance(e, Call) and e.op == "dim":
        return True
    return isinstance(e, Call) and e.op in ("add", "sub", "mul", "neg", "astype", "pymax") and all(cheap_scalar(a) for a in e.args)
