"""The specialiser's machine: names, emitted statements, the state of the abstract program, the order of evaluation."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from s2sgrad import errors, ir
from s2sgrad.frontend.values import (
    IDENTITY,
    Fields,
    Growing,
    Heap,
    Identities,
    Items,
    Iter,
    Maybe,
    Num,
    OneOfThese,
    Partial,
    Poison,
    Tup,
    Unbound,
    Value,
    map_nums,
    nums,
)
from s2sgrad.ir import Array, Assign, Call, Const, Expr, Stmt, Type, Var

State = dict[Any, Value]
PACKAGE = os.path.dirname(errors.__file__) + os.sep


class Restart(Exception):
    """Specialise again: something was learnt about what comes before."""


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
        self.wide_rows: dict[Any, str] = {}  # lists in lists that get numbers of a wider dtype later: where they are made -> dtype
        self.options: list[Value] = []  # strings and functions that paths choose
        self.follows_units = False  # which axes have extent 1 matters to the program
        self.known_units: set[Any] = set()  # the arguments where it is known
        self.lifted: dict[Any, Any] = {}
        self.accesses: dict[Any, Any] = {}
        self.origins: dict[str, Any] = {}
        self.building: set[Any] = set()
        self.linked: dict[str, ir.Function] = {}
        self.functions: dict[Any, Any] = {}
        self.root_globals: Any = None
        self.conflicts = False
        self.unrolling = 0
        self.apart_parts: set[int] = set()  # what is iterated over beside an array, element by element
        self.may_unroll = 0  # loops around that are unrolled when something inside must be static
        self.splits = 0
        self.merging: Sequence[State] = ()  # the states that are merged
        self.moving: Any = None  # the list whose elements are copied where paths meet
        self.seen: dict[Any, Any] = {}  # the attributes of elements of lists as they were read last
        self.freezes: list[Any] = []  # objects that were found not to change any more
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
        if self.follows_units and self.state is not None:
            self.note_units(s)
        if isinstance(s, Assign) and isinstance(s.value, Var):
            self.copied.add((s.target.name, s.value.name))
        if isinstance(s, Assign) and self.state is not None:
            tokens = self.identities()
            token = self.token(s.value) if isinstance(s.value, Var) else object()
            if not isinstance(s.target.type, Array) and s.target.name not in tokens and not (self.variables and isinstance(token, str)):
                return  # a number matters where it may be the value of a variable
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
                if isinstance(e, Var) and e.name in self.origins:
                    self.origins[var.name] = self.origins[e.name]
                else:
                    self.origins.pop(var.name, None)
            return Num(var, v.const)
        if isinstance(v, Tup):
            return Tup(tuple(self._store((*slot, k), i, copies) for k, i in zip(keys_of(v), v.items, strict=True)), v.cls)
        if isinstance(v, Items):
            return Items(tuple(self._store((*slot, k), i, copies) for k, i in enumerate(v.items)))
        if isinstance(v, Fields):
            return Fields({k: self._store((*slot, k), i, copies) for k, i in v.fields.items()})
        if isinstance(v, Growing | Unbound | Maybe | Poison):
            return v
        if isinstance(v, OneOfThese):
            which = self._store((*slot, "which"), v.which, copies)
            assert isinstance(which, Num)
            return OneOfThese(which, v.these)
        if isinstance(v, Iter | Partial):
            if slot[-1] == "source":
                return v
            v = self.identified(v)
        count = iter(range(10**6))
        return map_nums(v, lambda n: self._store((*slot, next(count)), n, copies))  # type: ignore[arg-type, return-value]

    def copy_all(self, copies: Sequence[tuple[Var, Expr]], guards: Mapping[str, Expr] | None = None) -> None:
        """Assignments that happen at once: order them, with temporaries for cycles. guards: targets that are assigned only where a flag is set."""
        todo, guards = list(copies), dict(guards or {})
        while todo:
            for i, (var, _) in enumerate(todo):
                others = [x for j, (v, e) in enumerate(todo) if j != i for x in (e, guards.get(v.name)) if x is not None]
                if not any(var.name in ir.names_in(e) for e in others):
                    var, e = todo.pop(i)
                    self.emit(ir.If(guards[var.name], [Assign(var, e)]) if var.name in guards else Assign(var, e))
                    break
            else:
                var = todo[0][0]
                tmp = self.fresh(var.name, var.type)
                self.emit(Assign(tmp, var))
                todo = [(v, ir.substitute(e, {var.name: tmp})) for v, e in todo]
                guards = {name: ir.substitute(flag, {var.name: tmp}) for name, flag in guards.items()}

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


def slot_name(slot: tuple[Any, ...]) -> str:
    parts = [getattr(slot[0], "name", str(slot[0])), *(str(p) for p in slot[1:] if p not in ("unbound", "none", "conflict", "loop"))]
    return "_".join(p for p in parts if p) or "t"


def keys_of(v: Tup) -> Sequence[Any]:
    return v.cls._fields if v.cls is not None else range(len(v.items))


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
