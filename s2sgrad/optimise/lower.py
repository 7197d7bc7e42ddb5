"""Lowering: Core in which array statements work on whole arrays -> Core of loop nests over scalars that numba compiles
with NumPy's values and dtypes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from s2sgrad import ir
from s2sgrad.analysis.definite import first_value, read_unbound
from s2sgrad.ir import (
    Accum,
    Append,
    Array,
    Assign,
    Call,
    CallFn,
    Comment,
    Const,
    Custom,
    Expr,
    For,
    Function,
    If,
    Index,
    ListType,
    Multi,
    Place,
    Pop,
    Print,
    Program,
    Raise,
    Recompute,
    Reserve,
    Return,
    Scalar,
    Slice,
    Stmt,
    Store,
    Type,
    Var,
    While,
)
from s2sgrad.optimise import overlap
from s2sgrad.optimise.affine import is_literal, literal
from s2sgrad.optimise.bounds import check_indices
from s2sgrad.optimise.exact import exact_body
from s2sgrad.optimise.extents import extents_of
from s2sgrad.optimise.nodes import Node, Nodes, cheap_scalar, squeezed
from s2sgrad.optimise.overflow import checked_integers
from s2sgrad.optimise.producers import PRODUCERS, SCALAR_PRODUCERS, library_call, lower_multi
from s2sgrad.optimise.shapes import Shapes, dim
from s2sgrad.optimise.stencils import gather_stencils
from s2sgrad.recursion import deep

LOOPS = "ijklmpqrst"


@deep
def lower(program: Program) -> Program:
    """The program with explicit loops and exact scalar types. The input is not changed."""
    return Program(lower_function(program.main), {n: lower_function(f) for n, f in program.linked.items()})


def lower_function(f: Function) -> Function:
    low = Lowering(f)
    body = low.block(f.body)
    body = check_indices(f, body)
    body = gather_stencils(body, low.aliases)
    body = [*(Assign(v, first_value(v)) for v in read_unbound(f.params, body)), *body]  # numba wants a binding before what it takes for a use
    return replace(f, body=exact_body(checked_integers(body)))


class Lowering:
    """The state of lowering one function: the statements written so far, names, and facts about extents."""

    def __init__(self, fn: Function) -> None:
        self.used = {p.name for p in fn.params} | {v.name for s in ir.walk_stmts(fn.body) for v in (*ir.assigned(s), *_named(s))}
        self.out: list[Stmt] = []
        self.shapes = Shapes(fn)
        self.aliases = overlap.Aliases(fn)
        self.nodes = Nodes(self)
        self.place: Place | None = None
        self.depth = 0
        self.flags: dict[Expr, Var] = {}
        self.last_comment: Place | None = None

    # ------------------------------------------------------------------------------------------ plumbing

    def fresh(self, base: str, t: Type) -> Var:
        base = base.split("#")[0]
        k = 1
        while f"{base}#L{k}" in self.used:
            k += 1
        self.used.add(f"{base}#L{k}")
        return Var(f"{base}#L{k}", t)

    def emit(self, s: Stmt) -> None:
        if s.place is None:
            s.place = self.place
        bound = {v.name for v in ir.assigned(s)}
        if bound:
            self.shapes.forget(bound)
            self.flags = {e: f for e, f in self.flags.items() if f.name not in bound and bound.isdisjoint(ir.names_in(e))}
        self.out.append(s)

    @contextmanager
    def inside(self) -> Iterator[list[Stmt]]:
        """Statements written inside the `with` go to the yielded list."""
        saved, self.out = self.out, []
        flags = dict(self.flags)
        try:
            yield self.out
        finally:
            self.out, self.flags = saved, flags

    def block(self, body: Sequence[Stmt]) -> list[Stmt]:
        with self.inside() as out:
            for s in body:
                self.statement(s)
        return out

    def scalar_temp(self, name: str, e: Expr) -> Var:
        v = self.fresh(name, e.type)
        self.emit(Assign(v, e))
        return v

    # ------------------------------------------------------------------------------------------ statements

    def statement(self, s: Stmt) -> None:
        self.place = s.place
        handler: Callable[[Any], None] = getattr(self, "do_" + type(s).__name__.lower())
        handler(s)

    def do_comment(self, s: Comment) -> None:
        self.emit(replace(s))

    def do_assign(self, s: Assign) -> None:
        if isinstance(s.target.type, Scalar):
            value = self.scalar(s.value)
            self.emit(Assign(s.target, value))
            if s.target.type.dtype == "int64" and cheap_scalar(value) and s.target.name not in ir.names_in(value):
                self.shapes.note_equal(s.target, value)
        elif isinstance(s.target.type, ListType):
            self.emit(Assign(s.target, self.view(s.value)))
            if isinstance(s.value, Call) and s.value.op == "list_new":
                self.show_items(s.target)
        else:
            self.bind(s.target, s.value)

    def show_items(self, v: Var) -> None:
        """numba finds the type of a list in what is appended; a list that may stay empty is shown an item without elements."""
        assert isinstance(v.type, ListType)
        t = v.type.item
        item = self.fresh("item", t)
        if isinstance(t, ListType):
            self.emit(Assign(item, ir.call("list_new", item=t.item)))
            self.show_items(item)
        else:
            nothing = Call("empty", (literal(0),) * t.ndim, (("dtype", t.dtype),), Array(t.dtype, t.ndim))
            self.emit(Assign(item, nothing if t.layout == "C" else Index(nothing, (Slice(step=literal(1)),) * t.ndim, t)))
        self.emit(Append(v, item))
        self.emit(Pop(self.fresh("item", t), v))

    def do_store(self, s: Store) -> None:
        self.write(s.base, s.index, s.value, accumulate=False)

    def do_accum(self, s: Accum) -> None:
        if s.index is None:
            value = self.scalar(s.value)
            self.emit(Accum(s.base, None, value))
        else:
            self.write(s.base, s.index, s.value, accumulate=True)

    def do_if(self, s: If) -> None:
        cond = self.scalar(s.cond)
        before = self.shapes.copy()
        body = self.block(s.body)
        after = self.shapes.copy()
        self.shapes.restore(before)
        orelse = self.block(s.orelse)
        self.shapes.meet(after)
        self.flags = {}
        self.emit(If(cond, body, orelse, place=s.place))

    def do_for(self, s: For) -> None:
        start, stop, step = (self.scalar(e) for e in (s.start, s.stop, s.step))
        body = self.loop_body(s, lambda: self.block(s.body))
        self.emit(For(s.var, start, stop, step, body, s.exit, s.parallel, place=s.place))

    def do_while(self, s: While) -> None:
        """A condition that needs statements is kept in a variable, computed before the loop and after each iteration."""
        go = self.fresh("go", ir.BOOL)

        def condition() -> tuple[list[Stmt], Expr]:
            with self.inside() as pre:
                self.place = s.place
                cond = self.scalar(s.cond)
            return pre, cond

        first = condition()

        def whole() -> list[Stmt]:
            pre, _ = condition()
            body = self.block(s.body)
            if not pre:
                return body
            again, cond = condition()
            again = [*again, Assign(go, cond, place=s.place)]
            return body + ([If(ir.call("not", s.exit), again, place=s.place)] if s.exit is not None else again)

        body = self.loop_body(s, whole)
        pre, cond = first
        if pre:
            for x in (*pre, Assign(go, cond, place=s.place)):
                self.emit(x)
        self.emit(While(go if pre else cond, body, s.exit, place=s.place))

    def loop_body(self, s: For | While, make: Callable[[], list[Stmt]]) -> list[Stmt]:
        """The lowered body. Facts about extents that hold before the loop and again at its end hold inside; the body is lowered
        again without those that do not."""
        before, names = self.shapes.copy(), set(self.used)
        kept = self.shapes.invariant_candidates(s)
        for _ in range(4):
            self.flags = {}
            self.shapes.restore(before)
            self.shapes.forget_all([s], kept)
            self.used = set(names)
            body = make()
            lost = {n for n, ext in kept.items() if self.shapes.facts.get(n) != ext}
            if not lost:
                break
            kept = {n: x for n, x in kept.items() if n not in lost} if _ < 2 else {}
        self.flags = {}
        self.shapes.restore(before)
        self.shapes.forget_all([s, *body], kept)
        return body

    def do_multi(self, s: Multi) -> None:
        lower_multi(self, s)

    def do_append(self, s: Append) -> None:
        self.emit(replace(s))

    def do_pop(self, s: Pop) -> None:
        self.emit(replace(s))

    def do_reserve(self, s: Reserve) -> None:
        size = self.scalar(s.size)
        self.emit(Assign(s.buffer, Call("reserve", (s.buffer, size), (), s.buffer.type)))

    def do_callfn(self, s: CallFn) -> None:
        self.emit(CallFn(s.targets, s.function, [self.scalar(a) if isinstance(a.type, Scalar) else self.operand(a) for a in s.args]))

    def do_custom(self, s: Custom) -> None:
        for inner in s.body:
            self.statement(inner)

    def do_recompute(self, s: Recompute) -> None:
        for inner in s.body:
            self.statement(inner)

    def do_print(self, s: Print) -> None:
        self.emit(Print([self.value(p) if isinstance(p, Expr) else p for p in s.parts], {**s.options, "compiled": True}))

    def do_raise(self, s: Raise) -> None:
        self.emit(Raise(s.exception, [self.value(p) if isinstance(p, Expr) else p for p in s.message]))

    def do_return(self, s: Return) -> None:
        self.emit(Return([self.value(v) for v in s.values]))

    # ------------------------------------------------------------------------------------------- scalars

    def value(self, e: Expr) -> Expr:
        """An expression that a library call, a print or a return can take."""
        return self.scalar(e) if isinstance(e.type, Scalar) else self.operand(e)

    def scalar(self, e: Expr) -> Expr:
        """A scalar expression without array operations; those are written before it."""
        if isinstance(e, (Const, Var)):
            return e
        if isinstance(e, Index):
            return self.element(e)
        assert isinstance(e, Call), e
        if e.op in ir.LAZY:
            return self.lazy(e)
        if e.op == "dim":
            return self.extent_of(e.args[0], e.attr("axis"))
        if e.op == "size":
            return self.size_of(e.args[0])
        if e.op in SCALAR_PRODUCERS and not isinstance(e.args[0].type, ListType) and (e.ndim == 0):
            made = SCALAR_PRODUCERS[e.op](self, e)
            if made is not None:
                return made
        if e.op == "where":
            return self.lazy(Call("ifexp", e.args, (), e.type))
        if e.op == "clip" and len(e.args) == 3:
            x, lo, hi = e.args
            return self.scalar(Call("minimum", (Call("maximum", (x, lo), (), e.type), hi), (), e.type))
        args = []
        for a in e.args:
            args.append(self.value(a))
        return Call(e.op, tuple(args), e.attrs, e.type)

    def lazy(self, e: Call) -> Expr:
        """`ifexp`, `and`, `or`: operands that need statements move into an If."""
        first = self.scalar(e.args[0])
        rest = []
        needed = False
        before = self.shapes.copy()
        for a in e.args[1:]:
            with self.inside() as pre:
                x = self.scalar(a)
            self.shapes.restore(before)  # what is found out in an operand that may not run is not known afterwards
            rest.append((pre, x))
            needed = needed or bool(pre)
        if not needed:
            return Call(e.op, (first, *(x for _, x in rest)), e.attrs, e.type)
        out = self.fresh("t", e.type)
        if e.op == "ifexp":
            (p, x), (q, y) = rest
            self.emit(If(first, [*p, Assign(out, x)], [*q, Assign(out, y)]))
        else:
            self.emit(Assign(out, first))
            pre, x = rest[0]
            cond: Expr = out if e.op == "and" else ir.call("not", out)
            self.emit(If(cond, [*pre, Assign(out, x)]))
        return out

    def element(self, e: Index) -> Expr:
        base = e.base
        if not isinstance(base, Var):
            if isinstance(base, Index) and base.kind == "view" and ir.is_alias(base) and _row(base) and _row(e):
                base_expr = self.view(base)
                return Index(base_expr, tuple(self.scalar(i) for i in e.index), e.type)  # type: ignore[arg-type]
            base = self.operand_var(base)
        return Index(base, tuple(self.scalar(i) if isinstance(i, Expr) else i for i in e.index), e.type)

    def extent_of(self, a: Expr, axis: int) -> Expr:
        if isinstance(a, Var):
            return dim(a, axis)
        if isinstance(a.type, ListType) or (isinstance(a, Call) and a.op == "item"):
            return dim(self.view(a), axis)
        return self.clipped(self.shape_of(a)[axis])

    def size_of(self, a: Expr) -> Expr:
        return Call("size", (a if isinstance(a, Var) else self.operand_var(a),), (), ir.INT)

    def hoisted(self, e: Expr, simple: bool = False) -> Expr:
        """A scalar that may stand inside a loop: a constant, a name, or cheap arithmetic of those; else a temporary."""
        s = self.scalar(e)
        if isinstance(s, (Const, Var)) or (not simple and cheap_scalar(s)):
            return s
        return self.scalar_temp("c", s)

    # ------------------------------------------------------------------------------------------- extents

    def clipped(self, n: Expr) -> Expr:
        """An extent expression without negative values."""
        return n if self.shapes.nonnegative(n) else ir.call("pymax", n, literal(0))

    def flag(self, n: Expr) -> Expr:
        """A variable that is 0 where an extent is 1 (its index does not move), else 1."""
        if n not in self.flags:
            self.flags[n] = self.scalar_temp("step", ir.call("pyint", ir.call("ne", n, literal(1))))
        return self.flags[n]

    def require_equal(self, own: Expr, other: Expr) -> None:
        """Two axes that do not broadcast."""
        if not self.shapes.same(own, other):
            self.scalar_temp("n", ir.call("equal_extent", own, other))
            self.shapes.note_equal(own, other)

    def shape_of(self, e: Expr) -> tuple[Expr, ...]:
        """The extents of any array expression, without computing its elements where that is possible."""
        known = extents_of(self, e)
        return self.nodes.build(e).ext if known is None else known

    def check_extent(self, own: Expr, out: Expr) -> None:
        """An axis of extent `own` is written to one of extent `out`."""
        if not self.shapes.fits(own, out):
            f = self.scalar_temp("step", ir.call("pyint", ir.call("check_extent", own, out)))
            self.flags[own] = f
            self.shapes.note_fit(own, out)

    def broadcast(self, shapes: Sequence[tuple[Expr, ...]]) -> tuple[Expr, ...]:
        """The extents of operands broadcast together; differences that are not known are checked at run time."""
        rank = max((len(s) for s in shapes), default=0)
        ext = []
        for k in range(rank):
            options: list[Expr] = []
            for s in shapes:
                j = k - rank + len(s)
                if j >= 0 and not is_literal(s[j], 1) and not any(self.shapes.same(s[j], o) for o in options):
                    options.append(s[j])
            out = options[0] if options else literal(1)
            for o in options[1:]:
                if self.shapes.fits(o, out):
                    continue
                if self.shapes.fits(out, o):
                    out = o
                    continue
                key = (self.shapes.canonical(out), self.shapes.canonical(o))
                known = self.shapes.joined.get(key) or self.shapes.joined.get((key[1], key[0]))
                if known is not None:
                    out = known
                    continue
                n = self.scalar_temp("n", ir.call("broadcast_extent", out, o))
                self.shapes.joined[key] = n
                self.shapes.note_fit(out, n)
                self.shapes.note_fit(o, n)
                out = n
            ext.append(out)
        return tuple(ext)

    # -------------------------------------------------------------------------------------------- arrays

    def temporary(self, e: Expr) -> Var:
        """A fresh array with the value of `e`."""
        name = e.op if isinstance(e, Call) else "t"
        v = self.fresh({"matmul": "product", "reshape_copy": "flat"}.get(name, "t"), Array(e.type.dtype, e.ndim))
        self.bind(v, e)
        return v

    def bound(self, e: Expr) -> Var:
        """A name for a view."""
        if isinstance(e, Var):
            return e
        v = self.fresh(ir.root(e).name if ir.root(e) is not None else "view", e.type)  # type: ignore[union-attr]
        self.aliases.join(v, e)
        ext = extents_of(self, e)
        self.emit(Assign(v, self.view(e)))
        if ext is not None:
            self.shapes.set(v, ext)
        return v

    def operand(self, e: Expr) -> Expr:
        """An array expression that numba's own functions take: a name or a view of one."""
        if isinstance(e, Var):
            return e
        return self.bound(e) if ir.is_alias(e) else self.temporary(e)

    def operand_var(self, e: Expr) -> Var:
        v = self.operand(e)
        assert isinstance(v, Var)
        return v

    def view(self, e: Expr) -> Expr:
        """A view expression numba compiles."""
        if isinstance(e, (Var, Const)):
            return e
        if isinstance(e, Index):
            index = tuple(self.index_item(i) for i in e.index)
            return Index(self.view(e.base), index, e.type)
        assert isinstance(e, Call), e
        if e.op == "squeeze":
            drop = squeezed(e)
            items = tuple(literal(0) if k in drop else Slice() for k in range(e.args[0].ndim))
            return Index(self.view(e.args[0]), items, e.type)
        if e.op == "expand_dims":
            axis = e.attr("axis")
            new = {axis} if isinstance(axis, int) else set(axis)
            return Index(self.view(e.args[0]), tuple(ir.NewAxis() if k in new else Slice() for k in range(e.ndim)), e.type)
        if e.op == "diagonal":
            return Call("diagonal_view", (self.view(e.args[0]),), e.attrs, e.type)
        args: list[Expr] = []
        for k, a in enumerate(e.args):
            if isinstance(a.type, Scalar):
                args.append(self.scalar(a))
            elif k == 0 and (ir.is_alias(a) or isinstance(a.type, ListType)):
                args.append(self.view(a))
            else:
                args.append(self.operand(a))
        return Call(e.op, tuple(args), e.attrs, e.type)

    def index_item(self, i: Any) -> Any:
        if isinstance(i, Slice):
            return Slice(*(None if x is None else self.scalar(x) for x in (i.lower, i.upper, i.step)))
        return self.scalar(i) if isinstance(i, Expr) else i

    def bind(self, target: Var, e: Expr) -> None:
        """`target = e` for an array."""
        if ir.is_alias(e):
            ext = self.alias_extents(e)
            self.emit(Assign(target, self.view(e)))
            if ext is not None:
                self.shapes.set(target, ext)
            return
        if isinstance(e, Call) and e.op == "ifexp":
            self.choose(target, e)
            return
        if isinstance(e, Call) and e.op in PRODUCERS:
            ext = PRODUCERS[e.op](self, target, e)
            if ext is not None:
                self.shapes.set(target, ext)
            return
        if isinstance(e, Call) and not self.nodes.knows(e):
            known = extents_of(self, e)
            self.emit(Assign(target, library_call(self, e)))
            if known is not None:
                self.shapes.set(target, known)
            return
        node = self.nodes.build(e)
        if target.name in ir.names_in(e):
            fresh = self.fresh(target.name, Array(target.type.dtype, target.ndim, "F" if target.type.layout == "F" else "C"))  # type: ignore[union-attr]
            self.fill_new(fresh, node)
            self.emit(Assign(target, fresh))
        else:
            self.fill_new(target, node)
        self.shapes.set(target, node.ext)

    def alias_extents(self, e: Expr) -> tuple[Expr, ...] | None:
        return extents_of(self, e)

    def choose(self, target: Var, e: Call) -> None:
        cond = self.scalar(e.args[0])
        before = self.shapes.copy()
        with self.inside() as body:
            self.bind(target, e.args[1])
        after = self.shapes.copy()
        self.shapes.restore(before)
        with self.inside() as orelse:
            self.bind(target, e.args[2])
        self.shapes.meet(after)
        self.emit(If(cond, body, orelse))

    def allocate(self, target: Var, ext: Sequence[Expr], op: str = "empty", *value: Expr) -> None:
        dims = tuple(self.clipped(n) for n in ext)
        if isinstance(target.type, Array) and target.type.layout == "F" and len(dims) > 1:  # views of its transpose must stay views
            self.emit(Assign(target, ir.call("transpose", ir.call(op, *value, *dims[::-1], dtype=target.type.dtype))))
            return
        self.emit(Assign(target, ir.call(op, *value, *dims, dtype=target.type.dtype)))

    def fill_new(self, target: Var, node: Node) -> None:
        """A new array with the elements of a node."""
        probe = node.at([literal(0)] * node.ndim)
        if isinstance(probe, Const):
            self.constant_array(target, node, probe)
            return
        self.allocate(target, node.ext)
        self.nest(node.ext, lambda idx: self.emit(Store(target, tuple(idx), node.at(idx))))

    def constant_array(self, target: Var, node: Node, value: Const) -> None:
        if value.value in (0, 1) and str(value.value) not in ("-0.0",):
            self.allocate(target, node.ext, "ones" if value.value == 1 else "zeros")
        else:
            self.allocate(target, node.ext, "full", value)

    def nest(self, ext: Sequence[Expr], fill: Callable[[list[Expr]], None], order: Sequence[int] | None = None) -> None:
        """Loops over a box around the statements that `fill(indices)` writes; axes of extent 1 need no loop."""
        idx: list[Expr] = [literal(0)] * len(ext)
        axes = [k for k in (order or range(len(ext))) if not is_literal(ext[k], 1)]
        depth = self.depth
        for k in axes:
            idx[k] = self.loop_var(depth + axes.index(k))
        self.depth += len(axes)
        before = self.shapes.copy()
        with self.inside() as body:
            fill(idx)
        self.shapes.restore(before)  # the loops may not run at all
        self.depth = depth
        for k in reversed(axes):
            body = [For(idx[k], literal(0), ext[k], literal(1), body, place=self.place)]  # type: ignore[arg-type]
        for s in body:
            self.emit(s)

    def loop_var(self, depth: int) -> Var:
        name = f"{LOOPS[depth % len(LOOPS)]}{depth // len(LOOPS) or ''}#L"
        self.used.add(name)
        return Var(name, ir.INT)

    # -------------------------------------------------------------------------------------------- writes

    def write(self, base: Var, index: Sequence[Any], value: Expr, accumulate: bool) -> None:
        """`base[index] = value` or `+=`."""
        target_type = _index_type(base, index)
        assert not isinstance(target_type, ListType)
        if isinstance(target_type, Scalar):
            idx = tuple(self.index_item(i) for i in index)
            v = self.scalar(value)
            self.emit(Accum(base, idx, v) if accumulate else Store(base, idx, v))
            return
        if isinstance(value, Call) and value.op == "unbroadcast" and accumulate and self.same_extents(base, index, value.args[1]):
            if value.args[0].ndim >= target_type.ndim:
                self.accumulate_unbroadcast(base, index, value)
                return
            value = value.args[0]
        place = self.nodes.build(Index(base, tuple(index), target_type) if index else base)
        node = self.nodes.build(value)
        lead = node.ndim - place.ndim
        if lead > 0:  # leading axes of extent 1
            for n in node.ext[:lead]:
                self.check_extent(n, literal(1))
            inner = node
            node = Node(node.type, node.ext[lead:], lambda idx: inner.at([literal(0)] * lead + list(idx)))
        for own, n in zip(node.ext, place.ext[place.ndim - node.ndim:]):
            self.check_extent(own, n)
        elem = self.nodes.stretched(node, place.ext)
        self.write_nest(base, place, elem, accumulate)

    def same_extents(self, base: Var, index: Sequence[Any], like: Expr) -> bool:
        """Has `like` the extents of `base[index]`? (It may itself broadcast against it: a sum with keepdims.)"""
        if isinstance(like.type, Scalar):
            return False
        place = self.nodes.build(Index(base, tuple(index), _index_type(base, index)) if index else base)
        own = self.shape_of(like)
        return len(own) == place.ndim and all(self.shapes.same(a, b) for a, b in zip(own, place.ext))

    def write_nest(self, base: Var, place: Node, elem: Callable[[Sequence[Expr]], Expr], accumulate: bool) -> None:
        probe = [self.loop_var(self.depth + k) for k in range(place.ndim)]
        target = place.at(probe)
        assert isinstance(target, Index)
        if not overlap.in_place(self.aliases, target, elem(probe), [v.name for v in probe]):
            copy = self.fresh("t", Array(elem(probe).type.dtype, place.ndim))
            self.allocate(copy, place.ext)
            self.nest(place.ext, lambda idx: self.emit(Store(copy, tuple(idx), elem(idx))))
            t = Scalar(copy.type.dtype)
            elem = lambda idx: Index(copy, tuple(idx), t)

        def fill(idx: list[Expr]) -> None:
            at = place.at(idx)
            assert isinstance(at, Index)
            self.emit(Accum(at.base, at.index, elem(idx)) if accumulate else Store(at.base, at.index, elem(idx)))  # type: ignore[arg-type]

        self.nest(place.ext, fill)

    def accumulate_unbroadcast(self, base: Var, index: Sequence[Any], value: Call) -> None:
        """`base[index] += unbroadcast(g, like)`: every element of g is added where it came from."""
        g = self.nodes.build(value.args[0])
        target_type = _index_type(base, index)
        place = self.nodes.build(Index(base, tuple(index), target_type) if index else base)
        probe = [self.loop_var(self.depth + k) for k in range(g.ndim)]
        if overlap.touches(self.aliases, base, g.at(probe)):
            seed = value.args[0]
            g = self.nodes.variable(self.temporary(ir.call("copy", seed) if ir.is_alias(seed) else seed))
        ext = self.broadcast([g.ext, place.ext])  # an axis of extent 1 of g goes to every element
        at, element = self.nodes.stretched(place, ext), self.nodes.stretched(g, ext)

        def fill(idx: list[Expr]) -> None:
            t = at(idx)
            assert isinstance(t, Index)
            self.emit(Accum(t.base, t.index, element(idx)))  # type: ignore[arg-type]

        self.nest(ext, fill)


def _named(s: Stmt) -> Iterator[Var]:
    for field in ("base", "list", "value", "buffer", "exit"):
        v = getattr(s, field, None)
        if isinstance(v, Var):
            yield v
    for e in ir.exprs(s):
        yield from (x for x in ir.walk(e) if isinstance(x, Var))


def _row(e: Index) -> bool:
    return all(isinstance(i, Expr) and isinstance(i.type, Scalar) for i in e.index)


def _index_type(base: Var, index: Sequence[Any]) -> Type:
    """The type of `base[index]`."""
    from s2sgrad.optimise.gather import index_type
    return index_type(base, index)
