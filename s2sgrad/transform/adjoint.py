"""The adjoint of an expression: from the adjoint of its value to contributions to its variables' adjoints.

Rules come from the registry. The statements built here run in the state before the statement whose
right-hand side is reversed (SEMANTICS: every name and memory cell has its earlier value).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from s2sgrad import errors, ir
from s2sgrad.analysis.activity import key
from s2sgrad.analysis.chosen import Chosen
from s2sgrad.analysis.shapes import Shapes
from s2sgrad.ir import Call, Const, Expr, Index, Var, call
from s2sgrad.names import Names
from s2sgrad.rules import registry

ARITHMETIC = frozenset({"add", "sub", "mul", "neg", "div", "dim", "size", "item", "pyfloat", "pyint", "astype", "lt", "le", "gt", "ge", "eq", "ne",
                        "and", "or", "not", "transpose", "reshape", "expand_dims", "squeeze", "real", "imag", "abs", "square", "pos"})

LINEAR = frozenset({"add", "sub", "neg", "pos", "real", "imag", "conj", "where", "maximum", "minimum", "fmax", "fmin", "clip"})


@dataclass
class Context:
    """What the adjoint of one statement needs to know."""

    active: set[str]  # units of activity
    classes: dict[str, str]
    shapes: Shapes
    names: Names
    bars: Callable[[Var], Var]  # the adjoint variable of a variable
    guard: bool = True  # a zero adjoint times a singular partial is zero (not nan, as the formula says)
    place: ir.Place | None = None
    out: list[ir.Stmt] = field(default_factory=list)
    bound: dict[Expr, Var] = field(default_factory=dict)
    chosen: Chosen | None = None  # tells where a zero adjoint may meet an infinite partial of a regular operation
    zero: bool = False  # may the adjoint at hand be zero by choice?
    redirect: Callable[[Var, Expr], bool] | None = None  # takes contributions to the statement's own target
    uses: dict[int, tuple[Expr, int]] = field(default_factory=dict)  # of `occurrences`, by identity (the expression is held: its id stays its own)

    def emit(self, s: ir.Stmt) -> None:
        self.out.append(s)

    def temporary(self, base: str, value: Expr) -> Var:
        """Bind a value to a fresh local."""
        v = Var(self.names.fresh(base), value.type)
        self.shapes.known[v.name] = self.shapes.of(value)
        self.emit(ir.Assign(v, value))
        return v

    def is_active(self, e: Any) -> bool:
        """Does this expression depend on an active variable?"""
        return self.occurrences(e) > 0

    def occurrences(self, e: Any) -> int:
        """How many contributions the adjoint of `e` will make."""
        if isinstance(e, Var):
            return int(ir.is_inexact(e.type) and key(e, self.classes) in self.active)
        if isinstance(e, Index):
            return min(self.occurrences(e.base), 1)
        if not isinstance(e, Call) or registry.OPS[e.op].kind == "zero":
            return 0
        if id(e) not in self.uses:
            self.uses[id(e)] = e, sum(self.occurrences(a) for a in e.args)
        return self.uses[id(e)][1]

    def masks(self, e: Call, k: int) -> bool:
        """Must the contribution of an elementwise operation to operand `k` stay zero where the incoming adjoint is?"""
        if not self.guard:
            return False
        if registry.OPS[e.op].is_singular(e.args):
            return True
        if not self.zero or self.chosen is None or e.op in LINEAR:
            return False
        return self.chosen.may_be_infinite(e.args[1 - k] if e.op == "mul" else e)

    def below(self, e: Call, k: int) -> bool:
        """`zero`, for operand `k` of an operation."""
        return self.zero or self.chosen is not None and not self.chosen.idle and self.chosen.chooses(e, k)

    def refuse(self, e: Call, why: str) -> errors.NotDifferentiable:
        return errors.NotDifferentiable(f"{registry.OPS[e.op].name} has no derivative here: {why}", self.place)


def adjoint(e: Any, g: Expr, cx: Context) -> None:
    """Send the adjoint `g` of the value of `e` (broadcastable to its shape) to the variables in `e`."""
    if not cx.is_active(e) or (isinstance(g, Const) and g.value == 0):
        return
    if isinstance(e, Var):
        accumulate(e, None if isinstance(e.type, ir.Scalar) else (), e, g, cx)
    elif isinstance(e, Index):
        _index(e, g, cx)
    elif e.op == "ifexp":
        _conditional(e, match(g, e, cx), cx)
    elif registry.OPS[e.op].kind == "elementwise":  # a broadcast operand is summed down once, at the leaves
        _elementwise(e, match(g, e, cx) if isinstance(e.type, ir.Scalar) else g, cx)
    else:
        _general(e, match(g, e, cx), cx)


def match(g: Expr, like: Expr, cx: Context) -> Expr:
    """`g` with the dtype class and the shape that an accumulation into an adjoint of `like` needs."""
    if ir.is_complex(g.type) and not ir.is_complex(like.type):
        g = call("real", g)
    if isinstance(like.type, ir.Scalar):
        if ir.is_array(g.type):
            g = call("sum", g, axis=None, keepdims=False)
        if g.type.dtype != like.type.dtype and not (isinstance(g.type, ir.Scalar) and g.type.weak):
            g = call("astype", g, dtype=like.type.dtype)
        return g
    if ir.is_array(g.type):
        have, want = cx.shapes.of(g), cx.shapes.of(like)
        if len(have) > len(want) or any(h not in (w, 1) for h, w in zip(reversed(have), reversed(want), strict=False)):
            g = call("unbroadcast", g, like)
    return g


def accumulate(like: Expr, index: tuple[ir.IndexItem, ...] | None, target: Var, g: Expr, cx: Context, repeated: bool = False) -> None:
    """`target_bar[index] += g`, where `like` is the primal expression that the cell belongs to."""
    g = match(g, like, cx)
    if index is None and cx.redirect is not None and cx.redirect(target, g):
        return
    cx.emit(ir.Accum(cx.bars(target), index, g, repeated))


def mirrored(e: Any, of: Callable[[Var], Var]) -> Any:
    """The same view, of the adjoint (or the tangent) of the variable at its root."""
    if isinstance(e, Var):
        return of(e)
    if isinstance(e, Index):
        return Index(mirrored(e.base, of), e.index, e.type)
    return Call(e.op, (mirrored(e.args[0], of), *e.args[1:]), e.attrs, e.type)


def _index(e: Index, g: Expr, cx: Context) -> None:
    repeated = e.kind == "gather"
    if isinstance(e.base, Var):
        accumulate(e, e.index, e.base, g, cx, repeated)
    elif ir.root(e.base) is not None and ir.is_alias(e.base):
        view = mirrored(e.base, cx.bars)
        v = cx.temporary("view", view)
        cx.emit(ir.Accum(v, e.index, match(g, e, cx), repeated))
    else:  # an index into a computed array: scatter into a zero array of its shape
        value = bind(e.base, cx)
        total = cx.temporary("part_bar", call("zeros_like", value))
        cx.emit(ir.Accum(total, e.index, match(g, e, cx), repeated))
        zero, cx.zero = cx.zero, True
        adjoint(e.base, total, cx)
        cx.zero = zero


def _conditional(e: Call, g: Expr, cx: Context) -> None:
    """`a if c else b`: the branch taken gets the adjoint."""
    cond, then, other = e.args
    g = simple(g, cx)
    saved, redirect = cx.out, cx.redirect
    branches: list[list[ir.Stmt]] = []
    for part in (then, other):
        cx.out = []
        keep = dict(cx.bound)
        adjoint(part, g, cx)
        cx.bound = keep
        branches.append(cx.out)
    cx.out, cx.redirect = saved, redirect
    if branches[0] or branches[1]:
        if branches[0]:
            cx.emit(ir.If(cond, branches[0], branches[1]))
        else:
            cx.emit(ir.If(call("not", cond), branches[1], []))


def costly(e: Any) -> bool:
    """Worth a temporary when an adjoint needs the value again?"""
    return any(isinstance(x, Call) and x.op not in ARITHMETIC for x in ir.walk(e))


def bind(e: Expr, cx: Context) -> Expr:
    """The value of a costly expression in a temporary, shared within the statement."""
    if isinstance(e, (Var, Const)):
        return e
    if e in cx.bound:
        return cx.bound[e]
    v = cx.temporary("value", e)
    cx.bound[e] = v
    return v


def simple(g: Expr, cx: Context) -> Expr:
    """An adjoint that may be printed more than once."""
    if isinstance(g, (Var, Const)):
        return g
    if isinstance(g, Call) and g.op == "neg" and isinstance(g.args[0], Var):
        return g
    if isinstance(g, Index) and g.kind == "view" and ir.is_alias(g):
        return cx.temporary("g", call("copy", g))
    return cx.temporary("g", g)


def guarded(g: Expr, product: Expr) -> Expr:
    """Zero where the incoming adjoint or tangent is exactly zero, whatever the singular partial is."""
    if isinstance(g, Const):
        return product
    if ir.is_array(product.type) or ir.is_array(g.type):
        return call("where", call("ne", g, 0.0), product, 0.0)
    return call("ifexp", call("ne", g, 0.0), product, 0.0)


def times(g: Expr, p: Any) -> Expr:
    """`g * p` without the noise of unit factors."""
    if isinstance(p, (int, float)):
        p = registry.as_expr(float(p))
    if isinstance(p, Const) and not ir.is_complex(p.type):
        if p.value == 1:
            return g
        if p.value == -1:
            return call("neg", g)
    if isinstance(p, Call) and p.op == "neg":
        return call("neg", times(g, p.args[0]))
    if isinstance(p, Call) and p.op == "div" and isinstance(p.args[0], Const) and p.args[0].value == 1:
        return call("div", g, p.args[1])
    if isinstance(g, Const) and g.value == 1 and isinstance(g.type, ir.Scalar) and g.type.weak and ir.is_inexact(p.type):
        return p  # type: ignore[no-any-return]
    return call("mul", g, p)


def _elementwise(e: Call, g: Expr, cx: Context) -> None:
    op = registry.OPS[e.op]
    args = list(e.args)
    nonlinear = e.op not in ("add", "sub", "neg", "pos", "real", "imag", "conj")
    if nonlinear:
        args = [bind(a, cx) if costly(a) and (e.op != "mul" or _value_uses(e, k, cx) > 1) else a for k, a in enumerate(args)]
    wanted = [cx.is_active(a) for a in e.args]
    masked, zero = [want and cx.masks(e, k) for k, want in enumerate(wanted)], cx.zero
    if sum(cx.occurrences(a) for a in e.args) > 1 or (any(masked) and not isinstance(g, (Var, Const))):
        g = simple(g, cx)
    out: Expr = Call(e.op, tuple(args), e.attrs, e.type)
    if op.adjoint is not None:
        parts = op.adjoint(g, *args, out=out, wanted=tuple(wanted), **dict(e.attrs))
        for k, (a, part) in enumerate(zip(e.args, parts, strict=True)):
            if part is not None:
                part = registry.as_expr(part)
                cx.zero = zero or cx.below(e, k)
                adjoint(a, _real_if(_expanded(guarded(g, part) if masked[k] else part, a, e, cx), a), cx)
        cx.zero = zero
        return
    if nonlinear and costly(out) and _uses_out(op):
        out = bind(out, cx)
    for k, (a, want) in enumerate(zip(e.args, wanted, strict=True)):
        if not want:
            continue
        rule = op.partials[k]
        p = rule(*args, out=out, **dict(e.attrs)) if rule is not None else None
        if p is None or (isinstance(p, (int, float)) and p == 0):
            continue
        if isinstance(p, Expr) and ir.is_complex(p.type):
            p = call("conj", p)
        part = times(g, p)
        if masked[k]:
            part = guarded(g, part)
        cx.zero = zero or cx.below(e, k)
        adjoint(a, _real_if(_expanded(part, a, e, cx), a), cx)
    cx.zero = zero


def _expanded(part: Expr, operand: Expr, e: Call, cx: Context) -> Expr:
    """A contribution to an operand that was broadcast has one number per element of the result: they are summed, so none may be missing."""
    whole = cx.shapes.of(e)
    if cx.shapes.of(operand) == whole or cx.shapes.broadcast([cx.shapes.of(part), whole]) == cx.shapes.of(part):
        return part
    dims = [_extent(e, k, cx) for k in range(e.ndim)]
    if isinstance(part.type, ir.Scalar) and isinstance(operand.type, ir.Scalar):
        count = dims[0]
        for d in dims[1:]:
            count = call("mul", count, d)
        return call("mul", part, count)
    if isinstance(part.type, ir.Scalar):
        return call("full", part, *dims, dtype=part.type.dtype)
    have = cx.shapes.of(part)
    if all(h in (w, 1) for h, w in zip(reversed(have), reversed(whole), strict=False)):
        return call("broadcast_to", part, *dims)
    return call("mul", part, call("ones_like", e))


def _whole(g: Expr, e: Call, cx: Context) -> Expr:
    """The adjoint of an array operation in the shape of its result (rules index, transpose, reverse and sum it)."""
    if cx.shapes.of(g) == cx.shapes.of(e):
        return g
    dims = [_extent(e, k, cx) for k in range(e.ndim)]
    if isinstance(g.type, ir.Scalar):
        return call("full", g, *dims, dtype=e.type.dtype)
    return call("broadcast_to", g, *dims)


def _extent(e: Expr, axis: int, cx: Context) -> Expr:
    """The extent of an axis of an expression, read off one of its operands where that is possible."""
    if isinstance(e, Call) and registry.OPS[e.op].kind == "elementwise":
        for a in e.args:
            k = axis - e.ndim + a.ndim
            if k >= 0 and cx.shapes.of(a)[k] == cx.shapes.of(e)[axis]:
                return _extent(a, k, cx)
    if isinstance(e, Call) and e.op in ("full", "broadcast_to", "zeros", "ones", "empty"):
        return e.args[axis + (e.op in ("full", "broadcast_to"))]
    if isinstance(e, Call) and e.op in ("copy", "ascontiguous", "astype", "cumsum", "cumprod", "sort") and e.args[0].ndim == e.ndim:
        return _extent(e.args[0], axis, cx)
    if isinstance(e, Call) and e.op == "transpose":
        axes = e.attr("axes")
        return _extent(e.args[0], e.ndim - 1 - axis if axes is None else axes[axis], cx)
    if isinstance(e, Call) and e.op in ("matmul", "outer") and e.ndim == 2 and all(a.ndim == 2 or e.op == "outer" for a in e.args):
        return _extent(e.args[axis], axis if e.op == "matmul" else 0, cx)
    return call("dim", e, axis=axis)


def _real_if(part: Expr, like: Expr) -> Expr:
    return call("real", part) if ir.is_complex(part.type) and not ir.is_complex(like.type) else part


def _value_uses(product: Call, k: int, cx: Context) -> int:
    """How often the adjoint of a product needs the value of its k-th factor."""
    factor = product.args[k]
    again = isinstance(factor, Call) and cx.is_active(factor) and _uses_out(registry.OPS[factor.op])
    return int(cx.is_active(product.args[1 - k])) + int(again)


def _uses_out(op: registry.Op) -> bool:
    """Do the partials use the value itself (exp, tanh, sqrt)?"""
    return op.name in {"exp", "exp2", "expm1", "tanh", "sqrt", "length", "cbrt", "tan", "hypot", "reciprocal", "logaddexp", "logaddexp2", "pow"}


def _general(e: Call, g: Expr, cx: Context) -> None:
    op = registry.OPS[e.op]
    if op.kind == "none" or op.adjoint is None:
        raise cx.refuse(e, op.why or "no rule is declared for it")
    args = [bind(a, cx) if costly(a) else a for a in e.args] if op.kind != "linear" else list(e.args)
    wanted = tuple(cx.is_active(a) for a in e.args)
    if ir.is_array(e.type) and e.op not in ("copy", "astype", "ascontiguous"):
        g = _whole(g, e, cx)
    if sum(cx.occurrences(a) for a in e.args) > 1 or op.kind != "linear":
        g = simple(g, cx)
    out: Expr = Call(e.op, tuple(args), e.attrs, e.type)
    if op.kind != "linear" and costly(out):
        out = bind(out, cx)
    parts = op.adjoint(g, *args, out=out, wanted=wanted, **dict(e.attrs))
    zero = cx.zero
    for k, (a, part, want) in enumerate(zip(e.args, parts, wanted, strict=True)):
        if want and part is not None:
            cx.zero = zero or cx.below(e, k)
            adjoint(a, _real_if(registry.as_expr(part), a), cx)
    cx.zero = zero
