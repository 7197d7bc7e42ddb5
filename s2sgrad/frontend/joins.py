"""Where paths of the abstract program meet: one state for all, and the copies that bring each path there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sgrad import ir
from s2sgrad.frontend.machine import Path, State, keys_of, slot_name
from s2sgrad.frontend.options import Options, can_be_chosen
from s2sgrad.frontend.unify import convert, fits, promote, same, same_const, same_shape, skeleton
from s2sgrad.frontend.units import UnitAxes
from s2sgrad.frontend.values import (
    IDENTITY,
    UNBOUND,
    UNIT_AXES,
    UNKNOWN,
    Element,
    Error,
    Fields,
    Func,
    Growing,
    Heap,
    Identities,
    Items,
    Iter,
    Maybe,
    Method,
    Num,
    Obj,
    OneOfThese,
    Partial,
    Poison,
    Range,
    Ref,
    Ruled,
    SliceOf,
    Text,
    Transformed,
    Tup,
    Unbound,
    Units,
    Value,
    describe,
    is_zero_d,
    map_nums,
    number,
    nums,
)
from s2sgrad.ir import Array, Const, Expr, Scalar, Type, Var


class Copies(list[tuple[Var, Expr]]):
    """Assignments that happen at once; those whose target is in `guards` only where the flag is set."""

    def __init__(self) -> None:
        super().__init__()
        self.guards: dict[str, Expr] = {}


class Joins(UnitAxes, Options):
    def join(self, paths: Sequence[Path], force: bool = False) -> State | None:
        """The state where paths meet; conversions are appended to the paths."""
        if not paths:
            return None
        if len(paths) == 1 and not force:
            return paths[0].state
        target = self.merge_states([p.state for p in paths])
        for p in paths:
            self.reconcile(p, target)
        if self.follows_units:
            target[UNIT_AXES] = self.common_units([p.state.get(UNIT_AXES, UNBOUND) for p in paths])
        return target

    def merge_states(self, states: Sequence[State], born: float = float("inf")) -> State:
        """The common state of several paths, of what is older than `born`; where they differ it stands in variables of its own."""
        out: State = {}
        todo: list[Any] = []
        self.merging = states
        for k in dict.fromkeys(k for s in states for k in s if k.number < born):
            if isinstance(k, Heap):
                out[k] = self.merge((k,), [s[k] for s in states if k in s], todo)
            else:
                vals = [s.get(k, UNBOUND) for s in states]
                if any(isinstance(v, Num) for v in vals):  # the object on one path, a number of its own on another
                    vals = [s[v.heap] if is_zero_d(v) else v for s, v in zip(states, vals, strict=True)]
                out[k] = self.merge((k,), vals, todo)
        while todo:
            heap, refs = todo.pop()
            contents = [s[r] for r in refs for s in states if r in s]
            whole = all(isinstance(v, Element) and same_shape(v, contents[0]) for v in contents)  # the same variable may hold positions of several trips
            rows = all(isinstance(v, Growing) and v.window for v in contents)
            out[heap] = (self.merge_elements((heap,), contents, todo) if whole else self.merge_growing((heap,), contents) if rows
                         else self.merge((heap,), contents, todo))
            if all(r.row is not None for r in refs):
                heap.row = heap.row or refs[0].row
            if not isinstance(out[heap], Element):
                for h in (*refs, heap):
                    self.freeze(h, "it may be one of several objects here")
        self.merging = ()
        if self.follows_units:
            self.forget_moved(out, states)
        return out

    def merge(self, slot: tuple[Any, ...], vals: Sequence[Value], todo: list[Any]) -> Value:
        """One value for several paths, held in variables of the slot where they differ."""
        first = vals[0]
        if isinstance(first, Identities) or slot[0] is IDENTITY:
            tables = [v.tokens if isinstance(v, Identities) else {} for v in vals]
            return Identities({k: t for k, t in tables[0].items() if all(o.get(k) is t for o in tables[1:])})
        if slot[0] is UNIT_AXES:
            return self.common_units(vals)
        if all(v is first or same(v, first) for v in vals[1:]) and not any(self.is_volatile(v) for v in vals):
            return first
        for v in vals:
            if isinstance(v, Poison):
                return v
        for absent, test in (("unbound", _is_unbound), ("none", _is_none), ("conflict", _never), ("full", _never)):
            if any(test(v) or (isinstance(v, Maybe) and v.absent == absent) for v in vals):
                inner = [v.value if isinstance(v, Maybe) and v.absent == absent else v for v in vals if not test(v)]
                if not inner:
                    return first
                if absent == "conflict":  # what does not go with the value that is kept is where the flag is false
                    base = next(v.value for v in vals if isinstance(v, Maybe) and v.absent == absent)
                    inner = [x for x in inner if isinstance(x, Num) and isinstance(base, Num) and promote(x.type, base.type) is not None] or [base]
                return Maybe(self.flag_var((*slot, absent)), self.merge(slot, inner, todo), absent)
        if any(isinstance(v, Element) for v in vals) and all(isinstance(v, Element | Fields) for v in vals):
            return self.merge_elements(slot, vals, todo)
        if all(isinstance(v, Num) for v in vals):
            return self.merge_nums(slot, vals)  # type: ignore[arg-type]
        kind = type(first)
        if can_be_chosen(vals):
            return self.merge_options(slot, vals)
        if all(isinstance(v, Ref) for v in vals):
            return self.merge_refs(slot, vals, todo)  # type: ignore[arg-type]
        if any(isinstance(v, Growing) for v in vals) and all(isinstance(v, Growing | Items) for v in vals):
            return self.merge_growing(slot, vals)
        if not all(type(v) is kind for v in vals):
            return Poison(f"{' on one path and '.join(dict.fromkeys(describe(v) for v in vals))} on another")
        if isinstance(first, Tup):
            if all(len(v.items) == len(first.items) and v.cls is first.cls for v in vals):
                cols = zip(*(v.items for v in vals), strict=True)
                return Tup(tuple(self.merge((*slot, k), c, todo) for k, c in zip(keys_of(first), cols, strict=True)), first.cls)
            return Poison("tuples of different lengths on different paths")
        if isinstance(first, Items):
            if all(len(v.items) == len(first.items) for v in vals):
                cols = zip(*(v.items for v in vals), strict=True)
                return Items(tuple(self.merge((*slot, k), c, todo) for k, c in enumerate(cols)))
            return self.merge_growing(slot, vals)
        if isinstance(first, Fields):
            keys = list(dict.fromkeys(k for v in vals for k in v.fields))
            return Fields({k: self.merge((*slot, k), [v.fields.get(k, UNBOUND) for v in vals], todo) for k in keys})
        if isinstance(first, Func) and all(v.node is first.node and v.scope is first.scope for v in vals):
            merged = self.merge((*slot, "d"), [Tup(v.defaults) for v in vals], todo)
            if isinstance(merged, Tup):
                return Func(first.node, first.scope, first.source, merged.items, first.kw_defaults, first.python, first.access)
        if (isinstance(first, Range | SliceOf) and all(same_shape(v, first) for v in vals)) or (
                isinstance(first, Error | Text) and all(skeleton(v) == skeleton(first) for v in vals)):
            parts = [Tup(tuple(nums(v))) for v in vals]
            merged = self.merge((*slot, "r"), parts, todo)
            if isinstance(merged, Tup):
                it = iter(merged.items)
                return map_nums(first, lambda n: next(it))  # type: ignore[arg-type, return-value]
        return Poison(" on one path and ".join(dict.fromkeys(describe(v) for v in vals)) + " on another")

    def is_volatile(self, v: Value) -> bool:
        return bool(self.volatile) and any(ir.names_in(n.expr) & self.volatile for n in nums(v))

    def merge_nums(self, slot: tuple[Any, ...], vals: Sequence[Num]) -> Value:
        entry = self.loop_entry.get(slot[0], UNKNOWN) if len(slot) == 1 else UNKNOWN
        t = vals[0].type
        for v in vals[1:]:
            t = promote(t, v.type)
            if t is not None and not all(fits(x.type, x.const if x.known else entry, t) for x in vals):
                t = None
            if t is None and self.conflicts and len(vals) == 2:
                return Maybe(self.flag_var((*slot, "conflict")), self.merge_nums(slot, vals[:1]), "conflict")
            if t is None:
                ranks = sorted({_shape(v.type) for v in vals})
                return Poison(f"{ranks[0]} on one path and {ranks[-1]} on another")
        const = vals[0].const if all(v.known and same_const(v.const, vals[0].const) for v in vals) else UNKNOWN
        exprs = {v.expr for v in vals}
        if len(exprs) == 1 and not self.is_volatile(vals[0]) and isinstance(vals[0].expr, Var | Const):
            return Num(vals[0].expr, const)
        var = self.slot_var(slot, t)
        if len(slot) == 1 and any(isinstance(v.expr, Var) and v.expr.name in self.volatile for v in vals):
            self.synthetic.add(var.name)  # a loop variable read after its loop: dropped where nobody reads it
        return Num(var, const)

    def merge_refs(self, slot: tuple[Any, ...], vals: Sequence[Ref], todo: list[Any]) -> Value:
        heaps = list(dict.fromkeys(v.heap for v in vals))
        if len(heaps) == 1:
            return vals[0]
        h = heaps[0]
        if any(x.kind != h.kind or x.cls is not h.cls for x in heaps):
            return Poison(" on one path and ".join(dict.fromkeys(describe(v) for v in vals)) + " on another")
        key = (slot, h.kind, h.cls)
        merged = self.merged_heaps.get(key)
        if merged is None:
            merged = self.merged_heaps[key] = Heap(h.kind, h.cls, slot_name(slot))
        todo.append((merged, heaps))
        return Ref(merged)

    def merge_elements(self, slot: tuple[Any, ...], vals: Sequence[Value], todo: list[Any]) -> Value:
        """Elements of one list: one element, whose position depends on the path. Else an object that may not be changed any more."""
        first = vals[0]
        if isinstance(first, Element) and all(same_shape(v, first) for v in vals):
            return Element(first.list, Num(self.slot_var((*slot, "at"), ir.INT)), first.first, first.shape)
        for v in vals:
            if isinstance(v, Element):
                self.share(v.list)
        self.freeze(slot[0], "it is an element of a list on one path only")
        return self.merge(slot, [self.fields_of_shape(v) if isinstance(v, Element) else v for v in vals], todo)

    def reconcile(self, path: Path, target: State) -> None:
        """Append to a path what makes its state look like the target."""
        copies = Copies()
        saved, self.out = self.out, path.out
        saved_state, self.state = self.state, path.state
        for k, t in target.items():
            if k in path.state or not isinstance(k, Heap):
                self.moving = k if isinstance(k, Heap) else None
                self.move(path.state, path.state.get(k, UNBOUND), t, target, copies)
        self.copy_all(copies, copies.guards)
        self.out, self.state = saved, saved_state

    def move(self, state: State, v: Value, t: Value, target: State, copies: Copies) -> None:
        if v is t or isinstance(t, Poison | Identities | Units) or (
                isinstance(v, Maybe) and isinstance(t, Maybe) and v.flag == t.flag and same(v.value, t.value)):
            return
        if isinstance(t, Maybe):
            conflict = t.absent == "conflict" and isinstance(v, Num) and isinstance(t.value, Num) and promote(v.type, t.value.type) is None
            if conflict or {"unbound": _is_unbound, "none": _is_none}.get(t.absent, _never)(v):
                copies.append((t.flag, Const(False, ir.BOOL)))
            elif isinstance(v, Maybe) and v.absent == t.absent:
                if v.flag != t.flag:
                    copies.append((t.flag, v.flag))
                self.move_present(state, v, t, target, copies)
            else:
                copies.append((t.flag, Const(True, ir.BOOL)))
                self.move(state, v, t.value, target, copies)
        elif isinstance(t, OneOfThese):
            code = self.code_expr(v)
            if code != t.which.expr:
                copies.append((t.which.expr, code))  # type: ignore[arg-type]
        elif isinstance(t, Num) and is_zero_d(v):
            self.move(state, state[v.heap], t, target, copies)
        elif isinstance(t, Num) and isinstance(v, Num):
            if v.expr != t.expr:
                e = number(v.const).expr if v.known and v.type != t.type and isinstance(v.type, Scalar) and v.type.weak else v.expr
                copies.append((t.expr, convert(e, t.type)))  # type: ignore[arg-type]
        elif isinstance(t, Tup) and isinstance(v, Tup):
            for a, b in zip(v.items, t.items, strict=True):
                self.move(state, a, b, target, copies)
        elif isinstance(t, Items) and isinstance(v, Items):
            for a, b in zip(v.items, t.items, strict=True):
                self.move(state, a, b, target, copies)
        elif isinstance(t, Growing):
            self.move_growing(v, t, copies)
        elif isinstance(t, Element) and isinstance(v, Element):
            self.move(state, v.position, t.position, target, copies)
        elif isinstance(t, Fields) and isinstance(v, Element):
            now = self.element_fields(v)
            for k, n in now.fields.items():
                held = t.fields[k]
                if isinstance(n, Num) and isinstance(held, Num) and promote(n.type, held.type) != held.type:
                    raise self.error(f"the attribute {k} of an element is of another type on one path")
            self.move(state, now, t, target, copies)
        elif isinstance(t, Fields) and isinstance(v, Fields):
            for k, b in t.fields.items():
                self.move(state, v.fields.get(k, UNBOUND), b, target, copies)
        elif isinstance(t, Ref) and isinstance(v, Ref):
            if t.heap is not v.heap and v.heap in state:
                self.move(state, state[v.heap], target[t.heap], target, copies)
        elif isinstance(t, Func) and isinstance(v, Func):
            for a, b in zip(v.defaults, t.defaults, strict=True):
                self.move(state, a, b, target, copies)
        elif isinstance(t, Range | SliceOf | Iter | Partial | Error | Text):
            for a, b in zip(nums(v), nums(t), strict=True):
                self.move(state, a, b, target, copies)

    def move_present(self, state: State, v: Maybe, t: Maybe, target: State, copies: Copies) -> None:
        """Move what is inside of `v` where it is there: elsewhere its variables are not bound."""
        saved, self.out = self.out, []
        first = len(copies)
        self.move(state, v.value, t.value, target, copies)
        made, self.out = self.out, saved
        if made:
            self.emit(ir.If(v.flag, made))
        for var, _ in copies[first:]:
            outer = copies.guards.get(var.name)
            copies.guards[var.name] = v.flag if outer is None else ir.call("and", v.flag, outer)

    def keep_names(self, snap: Any, state: State) -> None:
        """Names that a state uses survive a rollback to `snap`."""
        used: set[str] = set()
        for v in state.values():
            _value_names(v, used)
        names, slots = snap[0], snap[1]
        for key, var in self.slot_vars.items():
            if var.name in used:
                slots[key] = var
                names[var.name] = var.type

    def reachable(self, roots: Sequence[Value], state: State) -> set[Any]:
        """The cells and heap objects that values lead to."""
        out: set[Any] = set()
        todo = list(roots)
        while todo:
            v = todo.pop()
            keys: list[Any] = []
            if isinstance(v, Ref):
                keys = [v.heap]
            elif isinstance(v, Element):
                keys = [v.list]
            elif isinstance(v, Func):
                scope = v.scope
                while scope is not None:
                    keys.extend(scope.cells.values())
                    scope = scope.parent
                todo.extend(v.defaults)
            todo.extend(parts_of(v))
            for k in keys:
                if k not in out:
                    out.add(k)
                    if k in state:
                        todo.append(state[k])
        return out


def parts_of(v: Value) -> list[Value]:
    """The values directly inside a value."""
    if isinstance(v, Tup | Items):
        return list(v.items)
    if isinstance(v, Fields):
        return list(v.fields.values())
    if isinstance(v, Maybe):
        return [v.value]
    if isinstance(v, Method):
        return [v.owner, *([v.func] if v.func is not None else [])]
    if isinstance(v, Partial):
        return [v.func, *v.args, *v.kwargs.values()]
    if isinstance(v, Transformed):
        return [v.function]
    if isinstance(v, Ruled):
        return [v.function, *([v.grad] if v.grad is not None else [])]
    if isinstance(v, OneOfThese):
        return list(v.these)
    if isinstance(v, Iter):
        return [*v.parts, *([v.extra] if isinstance(v.extra, Value) else [])]
    return []


def poisonous(v: Value) -> bool:
    """Does a value hold something that no variable can stand for?"""
    return isinstance(v, Poison | OneOfThese) or any(poisonous(p) for p in parts_of(v))


def _value_names(v: Value, out: set[str]) -> None:
    if isinstance(v, Growing):
        out.update(s.name for s in v.stores)
        out.update(ir.names_in(v.length))
        return
    if isinstance(v, Maybe):
        out.add(v.flag.name)
    if isinstance(v, Func):
        for d in v.defaults:
            _value_names(d, out)
    for n in nums(v):
        out.update(ir.names_in(n.expr))
    for p in parts_of(v):
        _value_names(p, out)


def _is_unbound(v: Value) -> bool:
    return isinstance(v, Unbound)


def _is_none(v: Value) -> bool:
    return isinstance(v, Obj) and v.value is None


def _never(v: Value) -> bool:
    return False


def _shape(t: Type) -> str:
    return f"a number ({t})" if isinstance(t, Scalar) else f"an array of rank {t.ndim} ({t.dtype})" if isinstance(t, Array) else "a list"
