"""The reverse of each kind of statement (see docs/design/002-reverse-sweep.md for the table)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sgrad import errors, ir
from s2sgrad.analysis.activity import dependencies, key
from s2sgrad.ir import Call, Const, Expr, Index, Var, call
from s2sgrad.rules import registry
from s2sgrad.transform.adjoint import Context, adjoint, match
from s2sgrad.transform.captures import check_captures
from s2sgrad.transform.setting import Record, Setting


def zero(t: ir.Type) -> Const:
    """The zero of an adjoint variable."""
    return Const(0j if ir.is_complex(t) else 0.0, ir.Scalar(t.dtype, t.weak if isinstance(t, ir.Scalar) else True))


class Recorder:
    """Builds the record of every statement of a function."""

    def __init__(self, st: Setting) -> None:
        self.st = st
        self.records: dict[int, Record] = {}
        self.reserved = {s.buffer.name for s in ir.walk_stmts(st.function.body) if isinstance(s, ir.Reserve)}

    def block(self, body: list[ir.Stmt]) -> None:
        for s in body:
            self.records[id(s)] = getattr(self, "on_" + type(s).__name__.lower(), self.on_other)(s)
            if not isinstance(s, ir.Custom):
                for b in ir.blocks(s):
                    self.block(b)

    def on_other(self, s: ir.Stmt) -> Record:
        return Record()

    # ------------------------------------------------------------------------------------- assignments

    def on_assign(self, s: ir.Assign) -> Record:
        t = s.target
        if isinstance(t.type, ir.ListType) or not self.st.is_active(t):
            return Record()
        if isinstance(t.type, ir.Scalar):
            return Record(adjoint=self.scalar(s, t, s.value, additive=False))
        if ir.is_alias(s.value):
            return Record()
        cx, record = self.st.context(s.place, t), Record()
        g: Expr = self.st.bar(t)
        if self.st.is_eager(t):
            held = Var(self.st.names.fresh("g"), t.type)
            self.st.shapes.known[held.name] = self.st.shapes.of(s.value)
            record.before.append(ir.Assign(held, g))
            g = held
        if not self.from_buffer(s, g, cx):
            adjoint(s.value, g, cx)
        record.adjoint = cx.out
        return record

    def from_buffer(self, s: ir.Assign, g: Expr, cx: Context) -> bool:
        """The adjoint of a copy from or into a buffer that grows: by now one may be longer than the other, what both have belongs to the copy."""
        if not (isinstance(s.value, Call) and s.value.op == "copy" and s.value.ndim == 1 and cx.is_active(s.value)):
            return False
        source = s.value.args[0]
        if not self.reserved & {s.target.name, source.name if isinstance(source, Var) else s.target.name}:
            return False
        if isinstance(source, Var):
            extent = call("pymin", call("dim", g, axis=0), call("dim", source, axis=0))
        else:
            extent = call("dim", source, axis=0)
        adjoint(Index(source, (ir.Slice(None, extent),), source.type), Index(g, (ir.Slice(None, extent),), s.value.type), cx)
        return True

    def on_accum(self, s: ir.Accum) -> Record:
        if s.index is None and isinstance(s.base.type, ir.Scalar):
            return Record(adjoint=self.scalar(s, s.base, s.value, additive=True)) if self.st.is_active(s.base) else Record()
        return Record(adjoint=self.added(s, s.base, s.index or (), s.value, negative=False, repeated=s.repeated))

    def scalar(self, s: ir.Stmt, t: Var, value: Expr, additive: bool) -> list[ir.Stmt]:
        """`t = value` or `t += value`: others first, then the target's own adjoint in one assignment."""
        cx, bar = self.st.context(s.place, t), self.st.bar(t)
        if not cx.is_active(value):
            return [] if additive else [ir.Assign(bar, zero(bar.type))]
        if _branches_on(value, t):
            g = cx.temporary("g", bar)
            if not additive:
                cx.emit(ir.Assign(bar, zero(bar.type)))
            adjoint(value, g, cx)
            return cx.out
        own: list[Expr] = [bar] if additive else []

        def redirect(target: Var, g: Expr) -> bool:
            if target.name == t.name:
                own.append(g)
            return target.name == t.name

        cx.redirect = redirect
        adjoint(value, bar, cx)
        total: Expr = zero(bar.type)
        for k, part in enumerate(own):
            total = part if k == 0 else call("add", total, part)
        if total != bar:
            cx.emit(ir.Assign(bar, total))
        return cx.out

    # ------------------------------------------------------------------------------------------ stores

    def region(self, base: Var, index: tuple[ir.IndexItem, ...], t: ir.Type) -> Expr:
        return Index(base, index, t) if index else base

    def on_store(self, s: ir.Store) -> Record:
        if not self.st.is_active(s.base):
            return Record()
        t = index_type(s.base.type, s.index)
        region = self.region(s.base, s.index, t)
        fancy = isinstance(region, Index) and region.kind == "gather"
        split = None if fancy else _additive(s.value, s.base, s.index)
        if split is not None:
            return Record(adjoint=self.added(s, s.base, s.index, *split))
        cx, bar = self.st.context(s.place, s.base), self.st.bar(s.base)
        cell = self.region(bar, s.index, t)
        if not cx.is_active(s.value):
            return Record(adjoint=[ir.Store(bar, s.index, zero(t))])
        if fancy:
            g = self.last_writers(s, bar, t, cx)
            adjoint(s.value, g, cx)
            return Record(adjoint=cx.out)
        if self.touches(s.value, s.base):
            g = cx.temporary("g", cell if isinstance(t, ir.Scalar) else call("copy", cell))
            cx.emit(ir.Store(bar, s.index, zero(t)))
            adjoint(s.value, g, cx)
        else:
            adjoint(s.value, cell, cx)
            cx.emit(ir.Store(bar, s.index, zero(t)))
        return Record(adjoint=cx.out)

    def touches(self, value: Expr, base: Var) -> bool:
        """Does the value depend on the memory that is stored into?"""
        unit = key(base, self.st.classes)
        return any(key(v, self.st.classes) == unit for v in dependencies(value))

    def added(self, s: ir.Stmt, base: Var, index: tuple[ir.IndexItem, ...], value: Expr, negative: bool, repeated: bool = False) -> list[ir.Stmt]:
        """`base[index] += value`: the cell's own adjoint stays."""
        cx = self.st.context(s.place, base)
        if not self.st.is_active(base) or not cx.is_active(value):
            return []
        t = index_type(base.type, index)
        g = self.region(self.st.bar(base), index, t)
        if self.touches(value, base):
            g = cx.temporary("g", g if isinstance(t, ir.Scalar) or repeated else call("copy", g))
        adjoint(value, call("neg", g) if negative else g, cx)
        return cx.out

    def last_writers(self, s: ir.Store, bar: Var, t: ir.Type, cx: Context) -> Expr:
        """The adjoint of `base[index] = value` for an index with arrays: where an entry was written twice only
        the last write counts, so the cells are emptied in reverse order."""
        arrays = [i for i in s.index if isinstance(i, Expr) and ir.is_array(i.type)]
        cell = Index(bar, s.index, t)
        if all(a.type.dtype == "bool" for a in arrays):
            g = cx.temporary("g", cell)
            cx.emit(ir.Store(bar, s.index, zero(t)))
            return g
        if any(a.type.dtype == "bool" and a.ndim != 1 for a in arrays) or any(isinstance(i, ir.NewAxis) for i in s.index):
            raise errors.Unsupported("a store through this combination of index arrays cannot be reversed", s.place,
                                     "use integer index arrays, a boolean mask, or a loop")
        g = cx.temporary("g", cell)
        index = tuple(call("flatnonzero", i) if isinstance(i, Expr) and i.type.dtype == "bool" else i for i in s.index)
        rank = max(i.ndim for i in index if isinstance(i, Expr))
        ks = [Var(self.st.names.fresh("k"), ir.INT) for _ in range(rank)]
        several = sum(isinstance(i, Expr) and ir.is_array(i.type) for i in index) > 1
        one = tuple(_entry(i, ks, several) if isinstance(i, Expr) and ir.is_array(i.type) else i for i in index)
        at = [n for n, i in enumerate(index) if isinstance(i, Expr)]  # a number among them counts as an index array
        adjacent = at == list(range(at[0], at[-1] + 1))
        front = at[0] if adjacent else 0
        here: tuple[ir.IndexItem, ...] = (*(ir.Slice() for _ in range(front)), *ks, *(ir.Slice() for _ in range(g.ndim - front - rank)))
        inner = index_type(bar.type, one)
        body: list[ir.Stmt] = [ir.Store(g, here, Index(bar, one, inner)), ir.Store(bar, one, zero(inner))]
        for axis in reversed(range(rank)):
            n = call("dim", g, axis=front + axis)
            body = [ir.For(ks[axis], call("sub", n, 1), Const(-1, ir.INT), Const(-1, ir.INT), body)]
        cx.emit(body[0])
        return g

    # -------------------------------------------------------------------------------- several results

    def on_multi(self, s: ir.Multi) -> Record:
        live = [t for t in s.targets if t is not None and self.st.is_active(t)]
        cx = self.st.context(s.place)
        if not live or not any(cx.is_active(a) for a in s.args):
            return Record(adjoint=[ir.Assign(self.st.bar(t), zero(t.type)) for t in live if isinstance(t.type, ir.Scalar)])
        op = registry.OPS[s.op]
        if op.adjoint is None:
            raise errors.NotDifferentiable(f"{op.name} has no derivative here: {op.why or 'no rule is declared for it'}", s.place)
        record = Record()
        gs: list[Expr | None] = []
        outs: list[Expr] = []
        types = _result_types(s)
        for t, u in zip(s.targets, types, strict=True):
            if t is None:
                held = Var(self.st.names.fresh("unused"), u)
                outs.append(held)
                gs.append(None)
                continue
            out = Var(self.st.names.fresh("out"), t.type)
            record.before.append(ir.Assign(out, t))
            outs.append(out)
            if self.st.is_active(t):
                g = Var(self.st.names.fresh("g"), t.type)
                record.before.append(ir.Assign(g, self.st.bar(t)))
                if isinstance(t.type, ir.Scalar):
                    record.before.append(ir.Assign(self.st.bar(t), zero(t.type)))
                gs.append(g)
            else:
                gs.append(None)
        wanted = tuple(cx.is_active(a) for a in s.args)
        if any(t is None for t in s.targets):
            cx.emit(ir.Multi([o if t is None else None for t, o in zip(s.targets, outs, strict=True)], s.op, s.args, s.attrs))  # type: ignore[misc]
        parts = op.adjoint(tuple(gs), *s.args, out=tuple(outs), wanted=wanted, **dict(s.attrs))
        for a, part, want in zip(s.args, parts, wanted, strict=True):
            if want and part is not None:
                adjoint(a, part, cx)
        record.adjoint = cx.out
        return record

    # ------------------------------------------------------------------------------------------- calls

    def on_callfn(self, s: ir.CallFn) -> Record:
        """`t = f(args)` of a linked function: its reverse runs the function again and pulls back."""
        cx = self.st.context(s.place)
        active_args = [a for a in s.args if cx.is_active(a)]
        live = [t for t in s.targets if self.st.is_active(t)]
        if not active_args:
            return Record(adjoint=[ir.Assign(self.st.bar(t), zero(t.type)) for t in live if isinstance(t.type, ir.Scalar)])
        record, seeds = Record(), []
        for t in s.targets:
            if not ir.is_inexact(t.type):
                continue
            g = Var(self.st.names.fresh("g"), t.type)
            if self.st.is_active(t):
                record.before.append(ir.Assign(g, self.st.bar(t)))
                if isinstance(t.type, ir.Scalar):
                    record.before.append(ir.Assign(self.st.bar(t), zero(t.type)))
            else:
                record.before.append(ir.Assign(g, call("zeros_like", t) if ir.is_array(t.type) else zero(t.type)))
            seeds.append(g)
        bars: list[Expr] = []
        scalar_bars: list[Var] = []
        for a, p in zip(s.args, self.st.linked[s.function].params, strict=True):
            if not ir.is_inexact(p.type):
                continue
            if not isinstance(p.type, ir.Scalar):
                if cx.is_active(a):
                    assert isinstance(a, Var)
                    bars.append(self.st.bar(a))
                elif isinstance(p.type, ir.ListType):
                    bars.append(zero_list(a, p.type, self.st.names, cx.emit))
                else:
                    bars.append(cx.temporary("unused_bar", Call("zeros_like", (a,), (), a.type)))
            else:
                scalar_bars.append(Var(self.st.names.fresh(p.name.partition("#")[0] + "_bar"), p.type))
        cx.emit(ir.CallFn(list(scalar_bars), s.function + "_rev", [*s.args, *bars, *seeds]))
        it = iter(scalar_bars)
        for a, p in zip(s.args, self.st.linked[s.function].params, strict=True):
            if ir.is_inexact(p.type) and isinstance(p.type, ir.Scalar):
                adjoint(a, next(it), cx)
        record.adjoint = cx.out
        return record

    def on_custom(self, s: ir.Custom) -> Record:
        """Seeds take the outputs' adjoints, the user's reverse body runs, its results are accumulated."""
        cx = self.st.context(s.place)
        check_captures(s, self.st.is_active, self.st.function, self.st.returned)
        live = [o for o in s.outputs if self.st.is_active(o)]
        if not live:
            return Record()
        for o, seed in zip(s.outputs, s.seeds, strict=True):
            if not ir.is_inexact(o.type):
                continue
            if not self.st.is_active(o):
                cx.emit(ir.Assign(seed, call("zeros_like", o) if ir.is_array(o.type) else zero(o.type)))
            elif isinstance(o.type, ir.Scalar):
                cx.emit(ir.Assign(seed, self.st.bar(o)))
                cx.emit(ir.Assign(self.st.bar(o), zero(o.type)))
            else:
                cx.emit(ir.Assign(seed, call("copy", self.st.bar(o))))
        cx.out.extend(ir.map_stmts(s.back, lambda e: e))
        for v, g in zip(s.inputs, s.grads, strict=True):
            if g is not None and cx.is_active(v):
                cx.emit(ir.Accum(self.st.bar(v), None if isinstance(v.type, ir.Scalar) else (), match(g, v, cx)))
        return Record(before=cx.out)


def zero_list(e: Expr, t: ir.ListType, names: Any, emit: Any) -> Var:
    """A list of zeros like the arrays of another one."""
    new, k, item = Var(names.fresh("zeros"), t), Var(names.fresh("k"), ir.INT), Var(names.fresh("item"), t.item)
    fresh = Var(names.fresh("zero"), call("zeros_like", item).type)
    emit(ir.Assign(new, Call("list_new", (), (("item", t.item),), t)))
    body: list[ir.Stmt] = [ir.Assign(item, Call("item", (e, k), (), t.item)), ir.Assign(fresh, call("zeros_like", item)), ir.Append(new, fresh)]
    emit(ir.For(k, ir.Const(0, ir.INT), call("len", e), ir.Const(1, ir.INT), body))
    return new


def _result_types(s: ir.Multi) -> list[ir.Type]:
    results = registry.OPS[s.op].results
    assert results is not None
    return results(*(a.type for a in s.args), **dict(s.attrs))


def index_type(base: ir.Type, index: tuple[ir.IndexItem, ...]) -> ir.Type:
    """The type of `base[index]`."""
    assert isinstance(base, ir.Array)
    if not index:
        return base
    ndim, arrays, used, simple_rows = 0, [], 0, True
    for i in index:
        if isinstance(i, ir.NewAxis):
            ndim += 1
            simple_rows = False
        elif isinstance(i, ir.Slice):
            ndim, used = ndim + 1, used + 1
            simple_rows = simple_rows and i == ir.Slice()
        elif ir.is_array(i.type):
            arrays.append(i)
            used += i.ndim if i.type.dtype == "bool" else 1
        else:
            used += 1
            simple_rows = simple_rows and ndim == 0
    ndim += base.ndim - used
    if arrays:
        ndim += max(1 if a.type.dtype == "bool" else a.ndim for a in arrays)
        return ir.Array(base.dtype, ndim, "C")
    if ndim == 0:
        return ir.Scalar(base.dtype)
    return ir.Array(base.dtype, ndim, "C" if base.layout == "C" and simple_rows else "A")


def _branches_on(e: Any, t: Var) -> bool:
    """Does the variable occur under a conditional expression?"""
    return any(isinstance(x, Call) and x.op == "ifexp" and t.name in {n for a in x.args[1:] for n in ir.names_in(a)} for x in ir.walk(e))


def _additive(value: Expr, base: Var, index: tuple[ir.IndexItem, ...]) -> tuple[Expr, bool] | None:
    """(e, negative) when the value is `base[index] + e` or `base[index] - e`."""
    if not isinstance(value, Call) or value.op not in ("add", "sub"):
        return None

    def is_cell(x: Expr) -> bool:
        if not index or all(i == ir.Slice() for i in index):
            return x == base or (isinstance(x, Index) and x.base == base and all(i == ir.Slice() for i in x.index))
        return isinstance(x, Index) and x.base == base and x.index == index

    if is_cell(value.args[0]):
        return value.args[1], value.op == "sub"
    if value.op == "add" and is_cell(value.args[1]):
        return value.args[0], False
    return None


def _entry(i: Expr, ks: Sequence[Var], several: bool) -> Expr:
    """The entry of an index array at a place of the broadcast index arrays."""
    own = ks[len(ks) - i.ndim:]
    places = tuple(call("mod", k, call("dim", i, axis=n)) if several else k for n, k in enumerate(own))  # an extent may be 1
    return Index(i, places, ir.Scalar(i.type.dtype))
