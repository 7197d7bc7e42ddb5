"""The specialiser's machine: names, emitted statements, the state of the abstract program and how paths join."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sgrad import errors, ir
from s2sgrad.frontend.values import (
    IDENTITY,
    NONE,
    UNBOUND,
    UNKNOWN,
    Cell,
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
    Partial,
    Poison,
    Range,
    Ref,
    SliceOf,
    Spelled,
    Text,
    Tup,
    Unbound,
    Value,
    describe,
    map_nums,
    number,
    nums,
    of,
)
from s2sgrad.ir import Array, Assign, Call, Const, Expr, Scalar, Stmt, Type, Var

State = dict[Any, Value]
PACKAGE = os.path.dirname(errors.__file__) + os.sep
RANK = {"bool": 0, "int64": 1, "float64": 2, "complex128": 3}


class NeedsStatic(errors.Unsupported):
    """A value known at run time only stands where a constant is needed: a loop may be unrolled. Users see `Unsupported`."""


@dataclass
class Path:
    """A way to reach a point of the program: the state there, and where statements for it can still be added."""

    state: State
    out: list[Stmt]


@dataclass(eq=False)
class Target:
    """Where a jump goes: the end of an iteration, the end of a loop, the end of a function."""

    kind: str
    flag: Var
    paths: list[Path] = field(default_factory=list)
    loop: Any = None


class Machine:
    """State shared by all parts of the specialiser (the parts are mixed into one class, see `specialise`)."""

    def __init__(self) -> None:
        self.names: dict[str, Type] = {}
        self.slot_vars: dict[Any, Var] = {}
        self.synthetic: set[str] = set()
        self.stable: set[str] = set()
        self.volatile: set[str] = set()
        self.out: list[Stmt] = []
        self.state: State | None = {}
        self.frames: list[Any] = []
        self.handlers: tuple[Any, ...] = ()  # the `try` statements that are open
        self.errors: tuple[Any, ...] = ()  # the exceptions that are being handled
        self.loops: list[Any] = []
        self.taken: list[Any] = []  # iterators that are being iterated over
        self.jumps: set[Target] = set()
        self.node: Any = None
        self.merged_heaps: dict[Any, Heap] = {}
        self.lazy = 0
        self.reserved: dict[str, Type] = {}
        self.hidden: dict[Any, Num] = {}
        self.guards: dict[Any, Any] = {}
        self.static_accesses: set[Any] = set()
        self.lifted: dict[Any, Any] = {}
        self.accesses: dict[Any, Any] = {}
        self.origins: dict[str, Any] = {}
        self.building: set[Any] = set()
        self.linked: dict[str, ir.Function] = {}
        self.functions: dict[Any, Any] = {}
        self.root_globals: Any = None
        self.conflicts = False
        self.unrolling = 0
        self.may_unroll = 0  # loops around that are unrolled when something inside must be static
        self.splits = 0
        self.peeled: list[Any] = []
        self.loop_entry: dict[Any, Any] = {}
        self.copies: dict[Any, int] = {}
        self.to_link: set[Any] = set()
        self.unshareable: set[str] = set()
        self.tensors = False
        self.soft: set[str] = set()
        self.variables: dict[int, Any] = {}
        self.assigned: dict[Any, Any] = {}
        self.assigned_accesses: list[Any] = []
        self.inside_rule = 0
        self.copied: set[tuple[str, str]] = set()

    if TYPE_CHECKING:  # the parts of the specialiser call each other's methods

        def __getattr__(self, name: str) -> Any: ...

    # ------------------------------------------------------------------------------------------- places, errors

    def place(self, node: Any = None) -> ir.Place | None:
        node = node if node is not None and hasattr(node, "lineno") else self.node
        if not self.frames or node is None:
            return None
        return self.frames[-1].source.place(node)

    def error(self, message: str, node: Any = None, hint: str = "", kind: type[errors.S2SGradError] = errors.Unsupported) -> errors.S2SGradError:
        node = node if node is not None and hasattr(node, "lineno") else self.node
        k = len(self.frames) - 1
        while k > 0 and self.frames[k].source.file.startswith(PACKAGE):  # a function of the library: the user's call of it is shown
            node, k = self.frames[k].called_from or node, k - 1
        if k < 0 or node is None:
            return kind(message, None, hint, None)
        source = self.frames[k].source
        return kind(message, source.place(node), hint, source.caret(node))

    def emit(self, s: Stmt) -> None:
        if s.place is None:
            s.place = self.place()
        self.out.append(s)
        if isinstance(s, Assign) and isinstance(s.value, Var):
            self.copied.add((s.target.name, s.value.name))
        if isinstance(s, Assign) and isinstance(s.target.type, Array) and self.state is not None:
            tokens = self.identities()
            token = self.token(s.value) if isinstance(s.value, Var) else object()
            self.state[IDENTITY] = Identities({**tokens, s.target.name: token})

    def identities(self) -> dict[str, Any]:
        known = None if self.state is None else self.state.get(IDENTITY)
        return known.tokens if isinstance(known, Identities) else {}

    def token(self, v: Var) -> Any:
        """The identity of the object a variable is bound to; None where it is not known."""
        return v.name if v.name in self.stable else self.identities().get(v.name)

    def forget_identities(self, state: State) -> None:
        """At the head of a loop only what is never rebound is known."""
        state.pop(IDENTITY, None)

    # ------------------------------------------------------------------------------------------- names

    def fresh(self, base: str, t: Type, synthetic: bool = False) -> Var:
        base = base.split("#")[0] or "t"
        name, k = base, 1
        while name in self.names or name in self.reserved:
            k += 1
            name = f"{base}#{k}"
        self.names[name] = t
        if synthetic:
            self.synthetic.add(name)
        return Var(name, t)

    def slot_var(self, slot: tuple[Any, ...], t: Type) -> Var:
        found = self.slot_vars.get((slot, t))
        if found is None:
            found = self.slot_vars[slot, t] = self.fresh(slot_name(slot), t)
            if isinstance(slot[0], Heap) or getattr(slot[0], "shared", False):
                self.unshareable.add(found.name)
        return found

    def flag_var(self, slot: tuple[Any, ...]) -> Var:
        key = (slot, "bound")
        if key not in self.slot_vars:
            self.slot_vars[key] = self.fresh(slot_name(slot) + "_set", ir.BOOL, synthetic=True)
        return self.slot_vars[key]

    def snapshot(self) -> Any:
        return (dict(self.names), dict(self.slot_vars), set(self.jumps), len(self.frames), len(self.loops), self.node, self.lazy, self.out, self.state,
                self.handlers, self.errors)

    def rollback(self, s: Any) -> None:
        names, slots, jumps, frames, loops, self.node, self.lazy, self.out, self.state, self.handlers, self.errors = s
        self.names, self.slot_vars, self.jumps = dict(names), dict(slots), set(jumps)
        del self.frames[frames:]
        del self.loops[loops:]

    # ------------------------------------------------------------------------------------------- binding

    def bind(self, n: Num, base: str = "t") -> Num:
        """The value in a variable (or constant) that keeps it whatever follows."""
        e = n.expr
        if isinstance(e, Const) or (isinstance(e, Var) and e.name in self.stable):
            return n
        v = self.fresh(base if not isinstance(e, Var) else e.name, e.type)
        self.emit(Assign(v, e))
        return Num(v, n.const)

    def as_var(self, n: Num, base: str = "t") -> Num:
        """The value in some variable."""
        if isinstance(n.expr, Var):
            return n
        v = self.fresh(base, n.expr.type)
        self.emit(Assign(v, n.expr))
        return Num(v, n.const)

    def bind_all(self, v: Value, base: str = "t") -> Value:
        return map_nums(self.identified(v), lambda n: self.bind(n, base))

    def store(self, slot: tuple[Any, ...], v: Value) -> Value:
        """Bind a value to the variables of a slot; the stored value."""
        copies: list[tuple[Var, Expr]] = []
        new = self._store(slot, v, copies)
        self.copy_all(copies)
        return new

    def _store(self, slot: tuple[Any, ...], v: Value, copies: list[tuple[Var, Expr]]) -> Value:
        if isinstance(v, Num):
            e = v.expr
            if len(slot) > 1 and (isinstance(e, Const) or (isinstance(e, Var) and e.name in self.stable)):
                return v
            var = self.slot_var(slot, e.type)
            if e != var:
                copies.append((var, e))
            return Num(var, v.const)
        if isinstance(v, Tup):
            return Tup(tuple(self._store((*slot, k), i, copies) for k, i in zip(_keys(v), v.items, strict=True)), v.cls)
        if isinstance(v, Items):
            return Items(tuple(self._store((*slot, k), i, copies) for k, i in enumerate(v.items)))
        if isinstance(v, Fields):
            return Fields({k: self._store((*slot, k), i, copies) for k, i in v.fields.items()})
        if isinstance(v, Growing | Unbound | Maybe | Poison):
            return v
        if isinstance(v, Iter | Partial):
            if slot[-1] == "source":
                return v
            v = self.identified(v)
        count = iter(range(10**6))
        return map_nums(v, lambda n: self._store((*slot, next(count)), n, copies))  # type: ignore[arg-type, return-value]

    def copy_all(self, copies: Sequence[tuple[Var, Expr]], out: list[Stmt] | None = None) -> None:
        """Assignments that happen at once: order them, with temporaries for cycles."""
        todo = list(copies)
        saved, self.out = self.out, self.out if out is None else out
        while todo:
            for i, (var, _) in enumerate(todo):
                if not any(var.name in ir.names_in(e) for j, (_, e) in enumerate(todo) if j != i):
                    var, e = todo.pop(i)
                    self.emit(Assign(var, e))
                    break
            else:
                var = todo[0][0]
                tmp = self.fresh(var.name, var.type)
                self.emit(Assign(tmp, var))
                todo = [(v, ir.substitute(e, {var.name: tmp})) for v, e in todo]
        self.out = saved

    def branch_var(self, name: str, t: Type, value: Expr) -> Var:
        v = self.fresh(name, t, synthetic=True)
        self.emit(Assign(v, value))
        return v

    # ------------------------------------------------------------------------------------------- order of evaluation

    def protect(self, v: Value, stmts: Sequence[Stmt]) -> Value:
        """A value computed before `stmts` ran, kept from their effects."""
        if not nums(v):
            return v
        assigned, writes = effects(stmts)
        if not assigned and not writes:
            return v
        return map_nums(v, lambda n: self.bind(n) if at_risk(n.expr, assigned, writes) else n)

    def point(self) -> tuple[list[Stmt], int]:
        """Where the next statement will stand."""
        return self.out, len(self.out)

    def after(self, done: list[Value], point: tuple[list[Stmt], int]) -> list[Value]:
        """Protect the operands in `done` from the statements emitted since `point`."""
        out, mark = point
        new = out[mark:]
        if not new or not done:
            return done
        del out[mark:]
        here, self.out = self.out, out
        done = [self.protect(v, new) for v in done]
        self.out = here
        out.extend(new)
        return done

    def in_order(self, thunks: Sequence[Callable[[], Value]]) -> list[Value]:
        """Evaluate operands left to right."""
        done: list[Value] = []
        for t in thunks:
            point = self.point()
            v = t()
            done = self.after(done, point)
            done.append(v)
        return done

    # ------------------------------------------------------------------------------------------- joining paths

    @contextmanager
    def block(self, state: State | None = None) -> Any:
        """Collect statements in a list of their own."""
        saved, self.out = self.out, []
        if state is not None:
            self.state = dict(state)
        try:
            yield self.out
        finally:
            self.out = saved

    def join(self, paths: Sequence[Path], force: bool = False) -> State | None:
        """The state where paths meet; conversions are appended to the paths."""
        if not paths:
            return None
        if len(paths) == 1 and not force:
            return paths[0].state
        target = self.merge_states([p.state for p in paths])
        for p in paths:
            self.reconcile(p, target)
        return target

    def merge_states(self, states: Sequence[State], born: float = float("inf")) -> State:
        """The common state of several paths, of what is older than `born`; where they differ it stands in variables of its own."""
        out: State = {}
        todo: list[Any] = []
        for k in dict.fromkeys(k for s in states for k in s if k.number < born):
            if isinstance(k, Heap):
                out[k] = self.merge((k,), [s[k] for s in states if k in s], todo)
            else:
                out[k] = self.merge((k,), [s.get(k, UNBOUND) for s in states], todo)
        while todo:
            heap, refs = todo.pop()
            out[heap] = self.merge((heap,), [s[r] for r in refs for s in states if r in s], todo)
        return out

    def merge(self, slot: tuple[Any, ...], vals: Sequence[Value], todo: list[Any]) -> Value:
        """One value for several paths, held in variables of the slot where they differ."""
        first = vals[0]
        if isinstance(first, Identities) or slot[0] is IDENTITY:
            tables = [v.tokens if isinstance(v, Identities) else {} for v in vals]
            return Identities({k: t for k, t in tables[0].items() if all(o.get(k) is t for o in tables[1:])})
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
        if all(isinstance(v, Num) for v in vals):
            return self.merge_nums(slot, vals)  # type: ignore[arg-type]
        kind = type(first)
        if all(isinstance(v, Ref) for v in vals):
            return self.merge_refs(slot, vals, todo)  # type: ignore[arg-type]
        if any(isinstance(v, Growing) for v in vals) and all(isinstance(v, Growing | Items) for v in vals):
            return self.merge_growing(slot, vals)
        if not all(type(v) is kind for v in vals):
            return Poison(f"{' on one path and '.join(dict.fromkeys(describe(v) for v in vals))} on another")
        if isinstance(first, Tup):
            if all(len(v.items) == len(first.items) and v.cls is first.cls for v in vals):  # type: ignore[attr-defined]
                cols = zip(*(v.items for v in vals), strict=True)  # type: ignore[attr-defined]
                return Tup(tuple(self.merge((*slot, k), c, todo) for k, c in zip(_keys(first), cols, strict=True)), first.cls)
            return Poison("tuples of different lengths on different paths")
        if isinstance(first, Items):
            if all(len(v.items) == len(first.items) for v in vals):  # type: ignore[attr-defined]
                cols = zip(*(v.items for v in vals), strict=True)  # type: ignore[attr-defined]
                return Items(tuple(self.merge((*slot, k), c, todo) for k, c in enumerate(cols)))
            return self.merge_growing(slot, vals)
        if isinstance(first, Fields):
            keys = list(dict.fromkeys(k for v in vals for k in v.fields))  # type: ignore[attr-defined]
            return Fields({k: self.merge((*slot, k), [v.fields.get(k, UNBOUND) for v in vals], todo) for k in keys})  # type: ignore[attr-defined]
        if isinstance(first, Func) and all(v.node is first.node and v.scope is first.scope for v in vals):  # type: ignore[attr-defined]
            merged = self.merge((*slot, "d"), [Tup(v.defaults) for v in vals], todo)  # type: ignore[attr-defined]
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
        for x in (*heaps, merged):
            x.frozen = x.frozen or "it may be one of several objects here"
        todo.append((merged, heaps))
        return Ref(merged)

    def merge_growing(self, slot: tuple[Any, ...], vals: Sequence[Value]) -> Value:
        raise NotImplementedError

    # -------------------------------------------------------------------------------------------

    def reconcile(self, path: Path, target: State) -> None:
        """Append to a path what makes its state look like the target."""
        copies: list[tuple[Var, Expr]] = []
        saved, self.out = self.out, path.out
        saved_state, self.state = self.state, path.state
        for k, t in target.items():
            if k in path.state or not isinstance(k, Heap):
                self.move(path.state, path.state.get(k, UNBOUND), t, target, copies)
        self.copy_all(copies)
        self.out, self.state = saved, saved_state

    def move(self, state: State, v: Value, t: Value, target: State, copies: list[tuple[Var, Expr]]) -> None:
        if v is t or isinstance(t, Poison | Identities) or (isinstance(v, Maybe) and isinstance(t, Maybe) and v.flag == t.flag and same(v.value, t.value)):
            return
        if isinstance(t, Maybe):
            conflict = t.absent == "conflict" and isinstance(v, Num) and isinstance(t.value, Num) and promote(v.type, t.value.type) is None
            if conflict or {"unbound": _is_unbound, "none": _is_none}.get(t.absent, _never)(v):
                copies.append((t.flag, Const(False, ir.BOOL)))
            elif isinstance(v, Maybe) and v.absent == t.absent:
                if v.flag != t.flag:
                    copies.append((t.flag, v.flag))
                self.move(state, v.value, t.value, target, copies)
            else:
                copies.append((t.flag, Const(True, ir.BOOL)))
                self.move(state, v, t.value, target, copies)
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
            elif isinstance(v, Func):
                scope = v.scope
                while scope is not None:
                    keys.extend(scope.cells.values())
                    scope = scope.parent
                todo.extend(v.defaults)
            todo.extend(_parts(v))
            for k in keys:
                if k not in out:
                    out.add(k)
                    if k in state:
                        todo.append(state[k])
        return out

    def move_growing(self, v: Value, t: Growing, copies: list[tuple[Var, Expr]]) -> None:
        raise NotImplementedError


def _parts(v: Value) -> list[Value]:
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
    if isinstance(v, Iter):
        return [*v.parts, *([v.extra] if isinstance(v.extra, Value) else [])]
    return []


def poisonous(v: Value) -> bool:
    """Does a value hold something that no variable can stand for?"""
    return isinstance(v, Poison) or any(poisonous(p) for p in _parts(v))


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
    for p in _parts(v):
        _value_names(p, out)


def slot_name(slot: tuple[Any, ...]) -> str:
    parts = [getattr(slot[0], "name", str(slot[0])), *(str(p) for p in slot[1:] if p not in ("unbound", "none", "conflict", "loop"))]
    return "_".join(p for p in parts if p) or "t"


def _keys(v: Tup) -> Sequence[Any]:
    return v.cls._fields if v.cls is not None else range(len(v.items))


def _is_unbound(v: Value) -> bool:
    return isinstance(v, Unbound)


def _is_none(v: Value) -> bool:
    return isinstance(v, Obj) and v.value is None


def _never(v: Value) -> bool:
    return False


def _shape(t: Type) -> str:
    return f"a number ({t})" if isinstance(t, Scalar) else f"an array of rank {t.ndim} ({t.dtype})" if isinstance(t, Array) else "a list"


def same_const(a: Any, b: Any) -> bool:
    return type(a) is type(b) and repr(a) == repr(b)


def same(v: Value, w: Value) -> bool:
    """Do two abstract values denote the same value on every path?"""
    if v is w or isinstance(v, Identities):
        return True
    if type(v) is not type(w):
        return False
    if isinstance(v, Num):
        return v.expr == w.expr and ((v.known and w.known and same_const(v.const, w.const)) or (not v.known and not w.known))  # type: ignore[attr-defined]
    if isinstance(v, Tup):
        return v.cls is w.cls and len(v.items) == len(w.items) and all(map(same, v.items, w.items))  # type: ignore[attr-defined]
    if isinstance(v, Items):
        return len(v.items) == len(w.items) and all(map(same, v.items, w.items))  # type: ignore[attr-defined]
    if isinstance(v, Fields):
        return list(v.fields) == list(w.fields) and all(same(v.fields[k], w.fields[k]) for k in v.fields)  # type: ignore[attr-defined]
    if isinstance(v, Obj):
        return same_object(v.value, w.value)  # type: ignore[attr-defined]
    if isinstance(v, Ref):
        return v.heap is w.heap  # type: ignore[attr-defined]
    if isinstance(v, Maybe):
        return v.flag == w.flag and v.absent == w.absent and same(v.value, w.value)  # type: ignore[attr-defined]
    if isinstance(v, Growing):
        return v.stores == w.stores and v.length == w.length and same_layout(v.shape, w.shape)  # type: ignore[attr-defined]
    if isinstance(v, Func):
        return v.node is w.node and v.scope is w.scope and all(map(same, v.defaults, w.defaults))  # type: ignore[attr-defined]
    if isinstance(v, Unbound):
        return True
    if isinstance(v, Poison):
        return v.reason == w.reason  # type: ignore[attr-defined]
    return same_shape(v, w) and all(map(same, nums(v), nums(w)))


def same_layout(v: Value, w: Value) -> bool:
    """Same structure and leaf types."""
    a, b = nums(v), nums(w)
    return type(v) is type(w) and len(a) == len(b) and all(x.type == y.type for x, y in zip(a, b, strict=True))


def same_shape(v: Value, w: Value) -> bool:
    if type(v) is not type(w):
        return False
    if isinstance(v, Range):
        return v.strong == w.strong  # type: ignore[attr-defined]
    if isinstance(v, SliceOf):
        pairs = ((v.lower, w.lower), (v.upper, w.upper), (v.step, w.step))  # type: ignore[attr-defined]
        return all(type(a) is type(b) for a, b in pairs)
    return False


def skeleton(v: Value) -> Any:
    """What must agree for two exceptions to be held by one variable."""
    if isinstance(v, Num):
        return ("number", v.type)
    if isinstance(v, Spelled):
        return ("spelled", v.spec, v.conversion, v.value.type)
    if isinstance(v, Text):
        return ("text", *(skeleton(p) if isinstance(p, Value) else p for p in v.parts))
    if isinstance(v, Error):
        return ("error", v.cls, *(skeleton(a) for a in v.args), *((k, skeleton(a)) for k, a in v.fields))
    if isinstance(v, Tup):
        return ("tuple", *(skeleton(i) for i in v.items))
    if isinstance(v, Obj):
        return ("object", v.value if isinstance(v.value, str) else id(v.value))
    return ("value", id(v))


def same_object(a: Any, b: Any) -> bool:
    if a is b:
        return True
    return type(a) is type(b) and isinstance(a, str | bytes | np.dtype | type(Ellipsis)) and bool(a == b)


def promote(a: Type, b: Type) -> Type | None:
    """The type of a variable that holds either."""
    if a == b:
        return a
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        if a.weak and b.weak:
            return a if RANK[a.dtype] >= RANK[b.dtype] else b
        if a.dtype == b.dtype:
            return a if not a.weak else b
        if not a.weak and not b.weak and a.dtype.startswith(("float", "complex")) and b.dtype.startswith(("float", "complex")):
            return None  # single and double precision: arithmetic would differ
        return Scalar(str(np.result_type(_example(a), _example(b))))
    if isinstance(a, Array) and isinstance(b, Array) and (a.ndim, a.dtype) == (b.ndim, b.dtype):
        return Array(a.dtype, a.ndim, "A")
    return None


def fits(t: Type, const: Any, target: Type) -> bool:
    """Does a Python float keep its value in a variable of single precision?"""
    if not (isinstance(t, Scalar) and t.weak and isinstance(target, Scalar) and target.dtype in ("float16", "float32", "complex64")):
        return True
    if not t.dtype.startswith(("float", "complex")):
        return True
    return const is not UNKNOWN and bool(np.dtype(target.dtype).type(const) == const)


def _example(s: Scalar) -> Any:
    if s.weak:
        return {"bool": False, "int64": 0, "float64": 0.0, "complex128": 0j}[s.dtype]
    return np.dtype(s.dtype)


def convert(e: Expr, t: Type) -> Expr:
    """The same value in a variable of another type."""
    if e.type == t:
        return e
    if isinstance(t, Scalar):
        if isinstance(e, Const):
            kind = np.dtype(t.dtype).kind
            make = {"f": float, "c": complex, "i": int, "u": int, "b": bool}[kind]
            return Const(make(e.value), t)
        if t.weak:
            return ir.call({"int64": "pyint", "float64": "pyfloat", "complex128": "pycomplex", "bool": "pybool"}[t.dtype], e)
        return ir.call("astype", e, dtype=t.dtype)
    if isinstance(t, Array) and isinstance(e.type, Array) and e.type.dtype != t.dtype:
        return ir.call("astype", e, dtype=t.dtype)
    return e  # another layout of the same kind


def effects(stmts: Sequence[Stmt]) -> tuple[set[str], bool]:
    """(variables assigned, is memory written)."""
    names: set[str] = set()
    writes = False
    for s in ir.walk_stmts(stmts):
        names.update(v.name for v in ir.assigned(s))
        if isinstance(s, ir.Store | ir.CallFn | ir.Reserve) or (isinstance(s, ir.Accum) and s.index is not None):
            writes = True
        if isinstance(s, ir.Reserve):
            names.add(s.buffer.name)
        if isinstance(s, ir.Append | ir.Pop):
            names.add(s.list.name)
        if isinstance(s, ir.Custom):
            names.update(v.name for v in s.outputs)
    return names, writes


def at_risk(e: Expr, assigned: set[str], writes: bool) -> bool:
    """Would the value of an expression differ if it were evaluated after the writes?"""
    if isinstance(e, Const):
        return False
    if ir.names_in(e) & assigned:
        return True
    return writes and reads_memory(e)


def reads_memory(e: Expr) -> bool:
    """Does evaluating the expression read array contents? (A view or a name does not.)"""
    if isinstance(e, Var | Const):
        return False
    if isinstance(e, Call) and e.op in ("dim", "size", "len"):
        return reads_memory(e.args[0])
    if isinstance(e, ir.Index):
        if e.kind == "view":
            return reads_memory(e.base) or any(reads_memory(i) for x in e.index for i in ir.children(x) if isinstance(x, ir.Slice)) or any(
                reads_memory(x) for x in e.index if isinstance(x, Expr))
        return True
    if isinstance(e, Call):
        if e.op in ir.VIEW_OPS or e.op == "item":
            return any(reads_memory(a) for a in e.args)
        return any(reads_memory(a) or isinstance(a.type, Array) for a in e.args)
    return True


__all__ = [
    "NONE",
    "Cell",
    "Machine",
    "NeedsStatic",
    "Path",
    "State",
    "Target",
    "convert",
    "effects",
    "of",
    "promote",
    "reads_memory",
    "same",
    "slot_name",
]
