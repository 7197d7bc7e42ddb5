"""Where saved values live.

    outside loops               a local:            y_saved = y
    loops with known trips      one array per save: y_saved[i, j] = y
    other loops                 a growable stack:   y_saved[y_top] = y; y_top += 1
    references (to arrays and lists)    a list of them
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from s2sgrad import ir
from s2sgrad.analysis.effects import Fact
from s2sgrad.ir import Call, Const, Expr, Index, Slice, Var, call
from s2sgrad.transform.records import index_type
from s2sgrad.transform.setting import Setting

ZERO, ONE = Const(0, ir.INT), Const(1, ir.INT)


@dataclass
class Loop:
    """A loop around the current statement. `extent` bounds `index` from above; None when not known on entry."""

    stmt: ir.For | ir.While
    index: Expr | None
    extent: Expr | None
    written: set[Fact]
    entry: list[ir.Stmt] = field(default_factory=list)  # statements to run before the loop


@dataclass
class Slot:
    """The storage of one saved fact at one statement."""

    kind: str  # 'local', 'array', 'stack', 'list'
    store: Var
    top: Var | None = None
    bar: Var | None = None
    index: tuple[Expr, ...] = ()


class Storage:
    """Makes slots and the statements that save to and restore from them."""

    def __init__(self, st: Setting) -> None:
        self.st = st
        self.slots: dict[tuple[int, Fact], Slot] = {}
        self.loops: list[Loop] = []

    # ------------------------------------------------------------------------------------------- loops

    def enter(self, s: ir.For | ir.While, exact: bool) -> Loop:
        """Push a loop. `exact`: it runs exactly its range."""
        index, extent = _counted(s) if exact and isinstance(s, ir.For) else (None, None)
        loop = Loop(s, index, extent, self.st.scopes.writes[id(s.body)])
        self.loops.append(loop)
        return loop

    def leave(self) -> Loop:
        return self.loops.pop()

    def _shape(self) -> tuple[list[Expr], list[Expr]] | None:
        """(indices, extents) of the current loop nest when every trip count is known where it is entered."""
        table = {l.stmt.var.name: l.stmt for l in self.loops if isinstance(l.stmt, ir.For)}
        changed = set().union(*(l.written for l in self.loops)) if self.loops else set()
        indices, extents = [], []
        for l in self.loops:
            if l.index is None or l.extent is None:
                return None
            low = _bound(l.index, table, False)
            high = _bound(l.extent, table, True)
            if high is None or not (isinstance(low, Const) and low.value >= 0 or l.index != l.stmt.var):  # type: ignore[union-attr]
                return None
            if l.index != l.stmt.var and any(n in table for n in ir.names_in(l.extent)):  # type: ignore[union-attr]
                return None
            if any(("s", n) in changed or ("b", n) in changed for n in ir.names_in(high)):
                return None
            indices.append(l.index)
            extents.append(high if _never_negative(high) else call("pymax", high, ZERO))
        return indices, extents

    # ------------------------------------------------------------------------------------------- slots

    def slot(self, s: ir.Stmt, fact: Fact, v: Var, dtype: str, block: bool = False, base: str = "") -> Slot:
        """The slot for one value (`block`: a piece of an array, of any size) of a dtype."""
        key = (id(s), fact)
        if key in self.slots:
            return self.slots[key]
        names, base = self.st.names, (base or v.name)
        fresh = names.derived(base, "_saved")
        if not self.loops:
            t: ir.Type = v.type if not block else ir.Array(dtype, 1)
            slot = Slot("local", Var(fresh, t))
        else:
            nest = None if block else self._shape()
            entry = self.loops[0].entry
            if nest is not None:
                indices, extents = nest
                slot = Slot("array", Var(fresh, ir.Array(dtype, len(extents))), index=tuple(indices))
                entry.append(ir.Assign(slot.store, call("empty", *extents, dtype=dtype)))
            else:
                top = Var(names.derived(base, "_top"), ir.INT)
                slot = Slot("stack", Var(fresh, ir.Array(dtype, 1)), top=top)
                entry.append(ir.Assign(slot.store, call("empty", Const(16, ir.INT), dtype=dtype)))
                entry.append(ir.Assign(top, ZERO))
        self.slots[key] = slot
        return slot

    # ----------------------------------------------------------------------------------------- scalars

    def save_value(self, slot: Slot, value: Expr) -> list[ir.Stmt]:
        if slot.kind == "local":
            return [ir.Assign(slot.store, value)]
        if slot.kind == "array":
            return [ir.Store(slot.store, slot.index, value)]
        assert slot.top is not None
        return [ir.Reserve(slot.store, call("add", slot.top, ONE)), ir.Store(slot.store, (slot.top,), value), ir.Accum(slot.top, None, ONE)]

    def load_value(self, slot: Slot, t: ir.Type) -> tuple[list[ir.Stmt], Expr]:
        if slot.kind == "local":
            return [], slot.store
        index: tuple[Any, ...] = slot.index if slot.kind == "array" else (slot.top,)
        strong = ir.Scalar(t.dtype)
        value: Expr = Index(slot.store, index, strong)  # type: ignore[arg-type]
        if isinstance(t, ir.Scalar) and t.weak:
            value = Index(slot.store, index, t)  # type: ignore[arg-type]
        if slot.kind == "array":
            return [], value
        assert slot.top is not None
        return [ir.Assign(slot.top, call("sub", slot.top, ONE))], value

    # ------------------------------------------------------------------------------------------ blocks

    def save_block(self, s: ir.Stmt, fact: Fact, region: Expr, base: Var) -> list[ir.Stmt]:
        """Save a piece of an array."""
        key = (id(s), fact)
        if not self.loops:
            if key not in self.slots:
                self.slots[key] = Slot("local", Var(self.st.names.derived(base.name, "_saved"), call("copy", region).type))
            return [ir.Assign(self.slots[key].store, call("copy", region))]
        extents = self._fixed_extents(region)
        nest = self._shape() if extents is not None else None
        if key not in self.slots and nest is not None:
            assert extents is not None
            store = Var(self.st.names.derived(base.name, "_saved"), ir.Array(region.type.dtype, len(nest[1]) + region.ndim))  # type: ignore[attr-defined]
            self.slots[key] = Slot("array", store, index=tuple(nest[0]))
            self.loops[0].entry.append(ir.Assign(store, call("empty", *nest[1], *extents, dtype=region.type.dtype)))
        if key in self.slots and self.slots[key].kind == "array":
            slot = self.slots[key]
            return [ir.Store(slot.store, (*slot.index, *(Slice() for _ in range(region.ndim))), region)]
        slot = self.slot(s, fact, base, region.type.dtype, block=True)
        assert slot.top is not None
        part = Var(self.st.names.fresh("part"), call("copy", region).type)
        end = call("add", slot.top, call("size", part))
        return [ir.Assign(part, call("copy", region)), ir.Reserve(slot.store, end),
                ir.Store(slot.store, (Slice(slot.top, end),), _flat(part)), ir.Accum(slot.top, None, call("size", part))]

    def load_block(self, s: ir.Stmt, fact: Fact, region: Expr) -> tuple[list[ir.Stmt], Expr]:
        slot = self.slots[(id(s), fact)]
        if slot.kind == "local":
            return [], slot.store
        if slot.kind == "array":
            index: tuple[ir.IndexItem, ...] = (*slot.index, *(Slice() for _ in range(region.ndim)))
            return [], Index(slot.store, index, index_type(slot.store.type, index))
        assert slot.top is not None
        like = Var(self.st.names.fresh("part"), region.type if ir.is_alias(region) else call("copy", region).type)
        pre: list[ir.Stmt] = [ir.Assign(like, region), ir.Assign(slot.top, call("sub", slot.top, call("size", like)))]
        piece = Index(slot.store, (Slice(slot.top, call("add", slot.top, call("size", like))),), ir.Array(region.type.dtype, 1))
        if region.ndim == 1:
            return pre, piece
        return pre, Call("reshape", (piece, *(call("dim", like, axis=k) for k in range(region.ndim))), (), ir.Array(region.type.dtype, region.ndim))

    def _fixed_extents(self, region: Expr) -> list[Expr] | None:
        """The region's extents, if they can be computed where the loop nest is entered."""
        changed = set().union(*(l.written for l in self.loops))
        loop_vars = {l.stmt.var.name for l in self.loops if isinstance(l.stmt, ir.For)}

        def steady(e: Any) -> bool:
            return not any(("s", n) in changed or ("b", n) in changed or n in loop_vars for n in ir.names_in(e))

        base = region if isinstance(region, Var) else region.base if isinstance(region, Index) else None
        if not isinstance(base, Var) or not steady(base) or not self._bound_before(base):
            return None
        if isinstance(region, Var):
            return [call("dim", base, axis=k) for k in range(base.ndim)]
        assert isinstance(region, Index)
        out: list[Expr] = []
        axis = 0
        for i in region.index:
            if isinstance(i, ir.NewAxis) or (isinstance(i, Expr) and ir.is_array(i.type)):
                return None
            if isinstance(i, Slice):
                n = call("dim", base, axis=axis)
                if i == Slice():
                    out.append(n)
                elif i.step is None and all(x is None or (isinstance(x, Const)) for x in (i.lower, i.upper)):
                    out.append(_extent(n, i))
                else:
                    return None
            axis += 1
        out.extend(call("dim", base, axis=k) for k in range(axis, base.ndim))
        return out

    def _bound_before(self, v: Var) -> bool:
        """Is the array bound when the outermost loop is entered? (It is never bound inside, see `steady`.)"""
        if v.name in self.st.params:
            return True
        first = self.st.scopes.position[id(self.loops[0].stmt)]
        return any(self.st.scopes.position[id(s)] < first for s, _ in self.st.definitions.get(v.name, []))

    # ---------------------------------------------------------------------------------------- bindings

    def save_binding(self, s: ir.Stmt, fact: Fact, v: Var, mirrored: bool) -> list[ir.Stmt]:
        key, names = (id(s), fact), self.st.names
        if key not in self.slots:
            item = v.type
            assert isinstance(item, (ir.Array, ir.ListType))
            if not self.loops:
                slot = Slot("local", Var(names.derived(v.name, "_saved"), item), bar=Var(names.derived(v.name, "_bar_saved"), item) if mirrored else None)
            else:
                lt = ir.ListType(item)
                slot = Slot("list", Var(names.derived(v.name, "_saved"), lt), bar=Var(names.derived(v.name, "_bar_saved"), lt) if mirrored else None)
                for store in (slot.store, slot.bar):
                    if store is not None:
                        self.loops[0].entry.append(ir.Assign(store, call("list_new", item=item)))
            self.slots[key] = slot
        slot = self.slots[key]
        pairs = [(slot.store, v)] + ([(slot.bar, self.st.bar(v))] if slot.bar is not None else [])
        if slot.kind == "local":
            return [ir.Assign(a, b) for a, b in pairs]
        return [ir.Append(a, b) for a, b in pairs]

    def load_binding(self, s: ir.Stmt, fact: Fact, v: Var) -> list[ir.Stmt]:
        slot = self.slots[(id(s), fact)]
        pairs = [(slot.store, v)] + ([(slot.bar, self.st.bar(v))] if slot.bar is not None else [])
        if slot.kind == "local":
            return [ir.Assign(b, a) for a, b in pairs]
        return [ir.Pop(b, a) for a, b in pairs]


def _flat(part: Var) -> Expr:
    if part.ndim == 1:
        return part
    return Call("reshape", (part, Const(-1, ir.INT)), (), ir.Array(part.type.dtype, 1))


def _extent(n: Expr, i: Slice) -> Expr:
    """Elements of `[lower:upper]` with literal bounds on an axis of extent n."""
    def at(x: Expr | None, default: Expr) -> Expr:
        if x is None:
            return default
        assert isinstance(x, Const)
        if x.value >= 0:
            return ZERO if x.value == 0 else call("pymin", x, n)
        return call("pymax", call("sub", n, -x.value), ZERO)
    lower, upper = at(i.lower, ZERO), at(i.upper, n)
    return upper if lower == ZERO else call("pymax", call("sub", upper, lower), ZERO)


def _counted(s: ir.For) -> tuple[Expr | None, Expr | None]:
    """(index, extent) for a `range` loop: the loop variable itself where it runs over 0..n-1 in either direction."""
    if s.step == ONE:
        if isinstance(s.start, Const) and s.start.value >= 0:
            return s.var, s.stop
        return s.var, s.stop
    if s.step == Const(-1, ir.INT):
        if isinstance(s.stop, Const) and s.stop.value >= -1:
            return s.var, call("add", s.start, ONE)
        return None, None
    if isinstance(s.step, Const) and s.step.value > 1 and s.start == ZERO:
        return call("floordiv", s.var, s.step), call("floordiv", call("add", s.stop, s.step.value - 1), s.step)
    return None, None


def _bound(e: Any, table: dict[str, Any], upper: bool) -> Expr | None:
    """An expression without loop variables that bounds `e` from above (or below)."""
    if isinstance(e, Var) and e.name in table:
        loop = table[e.name]
        if loop.step == ONE:
            return _minus(_bound(loop.stop, table, True), 1) if upper else _bound(loop.start, table, False)
        if loop.step == Const(-1, ir.INT):
            return _bound(loop.start, table, True) if upper else _minus(_bound(loop.stop, table, False), -1)
        return None
    if isinstance(e, (Var, Const)):
        return e
    if isinstance(e, Call) and e.op in ("dim", "size") and isinstance(e.args[0], Var):
        return e
    if isinstance(e, Call) and e.op in ("add", "sub"):
        a = _bound(e.args[0], table, upper)
        b = _bound(e.args[1], table, upper if e.op == "add" else not upper)
        if a is None or b is None:
            return None
        if isinstance(a, Const) and isinstance(b, Const):
            return Const(a.value + b.value if e.op == "add" else a.value - b.value, ir.INT)
        return _minus(a, b.value if e.op == "sub" else -b.value) if isinstance(b, Const) else call(e.op, a, b)
    if isinstance(e, Call) and e.op == "floordiv" and not any(n in table for n in ir.names_in(e)):
        return e
    return e if isinstance(e, Call) and not any(n in table for n in ir.names_in(e)) and not any(isinstance(x, Index) for x in ir.walk(e)) else None


def _minus(e: Expr | None, k: int) -> Expr | None:
    """`e - k`, folded."""
    if e is None or k == 0:
        return e
    if isinstance(e, Const):
        return Const(e.value - k, ir.INT)
    if isinstance(e, Call) and e.op in ("add", "sub") and isinstance(e.args[1], Const):
        c = e.args[1].value if e.op == "sub" else -e.args[1].value
        return _minus(e.args[0], c + k)
    return call("sub", e, k) if k > 0 else call("add", e, -k)


def _never_negative(e: Any) -> bool:
    if isinstance(e, Const):
        return bool(e.value >= 0)
    return isinstance(e, Call) and (e.op in ("dim", "size") or (e.op == "add" and all(_never_negative(a) for a in e.args)))
