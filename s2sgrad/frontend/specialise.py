"""The entry: a Python function and the structure of its arguments become a typed Core program."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from s2sgrad import errors, ir
from s2sgrad.frontend import scope as scoping
from s2sgrad.frontend.calls import Recursive, class_member
from s2sgrad.frontend.exceptions import DeadCode, NeedsBranch
from s2sgrad.frontend.extents import is_extents
from s2sgrad.frontend.link import Linking
from s2sgrad.frontend.loops import Again, NeedsPeel
from s2sgrad.frontend.machine import NeedsStatic
from s2sgrad.frontend.objects import Restart
from s2sgrad.frontend.options import Undecided
from s2sgrad.frontend.prune import prune
from s2sgrad.frontend.reshapes import check_reshapes
from s2sgrad.frontend.scope import Frame, Scope
from s2sgrad.frontend.source import no_source, plain_function, source_of
from s2sgrad.frontend.values import (
    Fields,
    Func,
    Growing,
    Heap,
    Items,
    Maybe,
    Num,
    Obj,
    OneOfThese,
    Record,
    Ref,
    Tup,
    Value,
    describe,
    number,
)
from s2sgrad.ir import Array, Function, ListType, Param, Program, Return, Var
from s2sgrad.library.pieces import end_to_end, extents_of
from s2sgrad.recursion import deep
from s2sgrad.structure import Leaf, Node, Spec, Static, structure_of

Access = tuple[Any, ...]


@dataclass
class Specialised:
    """A function specialised for the structure and types of its arguments.

    program: leaves in, leaves out; result: how the returned leaves form the result; hidden: where the extra parameters
    (captured data) are read; guards: facts about captured objects that the program depends on; final: written arrays;
    assigned: where the variables stand whose new values are the last results.
    """

    program: Program
    result: Spec
    hidden: list[Access]
    guards: list[tuple[Access, Static]]
    param_specs: tuple[Spec, ...]
    final: list[str] = field(default_factory=list)
    assigned: list[Access] = field(default_factory=list)


class Specialiser(Linking):
    def __init__(self) -> None:
        super().__init__()
        self.links: dict[Any, Any] = {}
        self.used_names: set[str] = set()

    # ------------------------------------------------------------------------------------------- arguments

    def argument(self, spec: Spec, name: str, origin: tuple[Any, ...], params: list[Param], fixed: bool) -> Value:
        """The abstract value of an argument; its leaves become parameters."""
        if isinstance(spec, Leaf):
            v = self.fresh(name, spec.type)
            params.append(Param(v.name, spec.type, origin))
            self.origins[v.name] = origin
            if spec.units is not None:
                self.known_units.add(origin)
                if self.follows_units:
                    self.set_unit_axes(v.name, spec.units)
            if fixed:
                self.stable.add(v.name)
            return self.new_zero_d(Num(v), name) if spec.zero_d and not self.tensors else Num(v)
        if isinstance(spec, Static):
            if isinstance(spec.value, bool | int | float | complex | np.number | np.bool_):
                return number(spec.value)
            return self.lift(spec.value, None) if not isinstance(spec.value, str) else Obj(spec.value)
        items = [self.argument(c, f"{name}_{k}", (*origin, k), params, True) for k, c in zip(spec.keys, spec.children, strict=True)]
        if spec.kind in ("tuple", "namedtuple"):
            return Tup(tuple(items), spec.cls if spec.kind == "namedtuple" else None)
        heap = Heap({"list": "list", "dict": "dict"}.get(spec.kind, "object"), spec.cls, name)
        assert self.state is not None
        self.state[heap] = Items(tuple(items)) if spec.kind == "list" else Fields(dict(zip(spec.keys, items, strict=True)))
        self.inputs.add(heap)
        return Ref(heap)

    # ------------------------------------------------------------------------------------------- results

    def result_spec(self, v: Value, leaves: list[ir.Expr], node: Any) -> Spec:
        """The structure of the result; its numbers are collected in order."""
        if isinstance(v, Maybe):
            self.require(v, "the result (some path ends without a return)")
            return self.result_spec(v.value, leaves, node)
        v = self.vector(self.checked(v, "the result"))
        if isinstance(v, Num):
            leaves.append(v.expr)
            return Leaf(v.type)
        if isinstance(v, Tup):
            kids = tuple(self.result_spec(i, leaves, node) for i in v.items)
            if v.cls is not None and not is_extents(v):
                return Node("namedtuple", v.cls, tuple(v.cls._fields), kids)
            return Node("tuple", tuple, tuple(range(len(kids))), kids)
        if isinstance(v, Ref):
            c = self.contents(v)
            if v.heap.kind in ("list", "dict") and v.heap.cls not in (list, dict) and v.heap not in self.inputs:
                raise self.error(f"a {v.heap.cls.__name__} is returned: not supported", node, f"Return {v.heap.kind}(...) of it.")
            if isinstance(c, Items):
                return Node("list", list, tuple(range(len(c.items))), tuple(self.result_spec(i, leaves, node) for i in c.items))
            if isinstance(c, Fields):
                kind = "dict" if v.heap.kind == "dict" else "dataclass" if dataclasses.is_dataclass(v.heap.cls) else "object"
                return Node(kind, v.heap.cls, tuple(c.fields), tuple(self.result_spec(i, leaves, node) for i in c.fields.values()))
            if isinstance(c, Growing):
                return self.growing_result(c, leaves, node)
        if isinstance(v, Obj):
            return Static(v.value)
        if isinstance(v, OneOfThese):
            raise self.undecided(v, "the result")
        raise self.error(f"{describe(v)} is returned: not supported", node)

    def growing_result(self, g: Growing, leaves: list[ir.Expr], node: Any) -> Spec:
        """A list whose length is known at run time only: one array for each number of an element."""
        if self.tensors:
            raise self.error("a list whose length is known at run time only is returned", node, "Return np.array(...) of it.")
        columns = iter([self.result_column(g, k) for k in range(len(g.stores))])

        def spec(shape: Value) -> Spec:
            if isinstance(shape, Record) and shape.kind == "list":
                inside: Any = shape.inside
                while isinstance(inside, Record) and inside.kind == "list":
                    inside = inside.inside
                if not isinstance(inside, Num):
                    raise self.error(f"a list of lists of {describe(inside)} is returned: not supported", node)
                return piece(shape.items[0].type, list, getattr(inside.type, "weak", False))  # type: ignore[attr-defined]
            if isinstance(shape, Num) and shape.is_array:
                return piece(shape.type, None, False)
            if isinstance(shape, Num):
                leaves.extend(next(columns))
                return Leaf(shape.type)
            if isinstance(shape, Obj):
                return Static(shape.value)
            assert isinstance(shape, Tup | Record)
            kids = tuple(spec(i) for i in shape.items)
            if isinstance(shape, Tup):
                named = shape.cls is not None
                return Node("namedtuple" if named else "tuple", shape.cls or tuple, tuple(shape.cls._fields if named else range(len(kids))), kids)
            kind = "dict" if shape.kind == "dict" else "dataclass" if dataclasses.is_dataclass(shape.cls) else "object"
            return Node(kind, shape.cls, shape.keys, kids)

        def piece(t: Array, cls: Any, weak: bool) -> Spec:
            leaves.extend(next(columns))
            return Node("pieces", cls, (t.ndim, weak), (Leaf(Array(t.dtype, 1)), Leaf(Array("int64", 1))))

        return Node("growing", list, (), (spec(g.shape),))

    def result_column(self, g: Growing, k: int) -> list[ir.Expr]:
        """The k-th number of all elements of a list as an array; of arrays their elements one after the other, and their extents."""
        store = g.stores[k]
        if not isinstance(store.type, ListType):
            return [self.as_var(Num(ir.call("copy", self.column(g, k).expr)), "result").expr]
        assert self.state is not None
        heap = Heap("list", list, "pieces")
        self.state[heap] = Growing(Num(Var("?", store.type.array)), (store,), g.length)
        dtype = Obj(np.dtype(store.type.array.dtype))
        made = [self.call(self.function(f, None), [Ref(heap), *more], {}, None) for f, more in ((end_to_end, [dtype]), (extents_of, []))]  # type: ignore[arg-type]
        return [self.as_var(self.numeric(m), "result").expr for m in made]

    def present_result(self, v: Value) -> Value:
        return v


@deep
def specialise(fn: Any, specs: Sequence[Spec], *, kw: dict[str, Spec] | None = None, tensors: bool = False) -> Specialised:
    """Specialise a function for arguments of the given structure.

    `specs` are positional, `kw` by name; `tensors`: arrays stand for tensors, which numbers and lists that meet them adapt to.
    Raises errors.Unsupported (with the place), errors.NoSource.
    """
    static: set[Access] = set()
    assigned: list[Access] = []
    wide: dict[Any, str] = {}
    units = False
    for _ in range(50):
        m = Specialiser()
        m.static_accesses, m.wide_rows = static, wide
        m.inputs = set()  # type: ignore[attr-defined]
        m.tensors, m.assigned_accesses, m.follows_units = tensors, assigned, units
        try:
            return _run(m, fn, specs, kw or {})
        except Restart:
            static, assigned, wide, units = m.static_accesses, m.assigned_accesses, m.wide_rows, m.follows_units
        except NeedsStatic as e:
            refused = errors.Unsupported(e.message, e.place, e.hint, e.caret)
            refused.origin = e.origin
            raise refused from None
        except Undecided as e:
            raise errors.TypeConflict(e.message, e.place, e.hint, e.caret) from None
        except (Again, NeedsBranch, NeedsPeel, Recursive) as e:
            raise m.error(f"this program is not supported ({type(e).__name__})") from None
    raise errors.Unsupported("too many captured constants decide the structure of the function")


def _run(m: Specialiser, fn: Any, specs: Sequence[Spec], kw: dict[str, Spec]) -> Specialised:
    callee, lead, python = _callee(m, fn)
    src = source_of(python)
    frame = Frame(src, None, Scope({}, None, (python, ())), scoping.Info(()), ())
    m.frames.append(frame)
    m.root_globals = python.__globals__
    m.node = src.node
    m.used_names.add(src.name)
    m.open_variables(fn, m.assigned_accesses, read)
    params: list[Param] = []
    names = _names(src.node, len(lead) + _given(fn), len(specs))
    info = scoping.info(src.node)
    args = [m.argument(s, n, ("arg", i), params, info.counts[n] == 0 and n not in info.shared) for i, (s, n) in
            enumerate(zip(specs, names, strict=True))]
    kwargs = {k: m.argument(s, k, ("arg", k), params, info.counts[k] == 0 and k not in info.shared) for k, s in kw.items()}
    m.recursion = src.node
    try:
        value = m.call(callee, [*lead, *args], kwargs, src.node)
    except DeadCode:
        raise m.error(f"{src.name} always raises an exception", src.node) from None
    leaves: list[ir.Expr] = []
    result = m.result_spec(value, leaves, src.node)
    m.emit(Return([*leaves, *m.assigned_values()]))
    m.finish_links()
    body = prune(m.out, m.synthetic)
    for name, f in list(m.linked.items()):
        f.body = prune(f.body, m.synthetic)
        del name
    return _assemble(m, src, params, body, result, specs)


def _callee(m: Specialiser, fn: Any) -> tuple[Value, list[Value], types.FunctionType]:
    """What is called, values that come before the arguments, and the plain function whose text is the root's."""
    path: Access = ()
    if hasattr(fn, "__s2sgrad_numpy__"):  # an operation itself
        return Obj(fn, path), [], _behind(fn)
    if isinstance(fn, types.FunctionType):
        return m.function(fn, ()), [], fn
    if isinstance(fn, functools.partial):
        return Obj(fn, path), [], _behind(fn)
    if isinstance(fn, types.MethodType) or hasattr(fn, "py_func") or not isinstance(fn, type):
        return Obj(fn, path), [], _behind(fn)
    raise no_source(fn)


def _behind(fn: Any) -> types.FunctionType:
    """The plain function at the bottom of partials, methods, dispatchers and callable objects."""
    for _ in range(50):
        if isinstance(fn, types.FunctionType):
            return fn
        if isinstance(fn, functools.partial):
            fn = fn.func
        elif isinstance(fn, types.MethodType):
            fn = fn.__func__
        elif hasattr(fn, "py_func"):
            fn = fn.py_func
        elif hasattr(type(fn), "__s2sgrad_custom__") or hasattr(type(fn), "__s2sgrad_function__") or hasattr(type(fn), "__s2sgrad_recompute__"):
            fn = fn.function
        elif hasattr(type(fn), "__s2sgrad_inline__") and hasattr(fn, "fn"):
            fn = fn.fn
        elif hasattr(fn, "__wrapped__"):
            fn = fn.__wrapped__
        elif isinstance(class_member(type(fn), "__call__"), types.FunctionType):
            fn = type(fn).__call__
        else:
            return plain_function(fn)
    raise no_source(fn)


def _given(fn: Any) -> int:
    """Positional arguments a partial application has already."""
    count = 0
    while isinstance(fn, functools.partial):
        count += len(fn.args)
        fn = fn.func
    return count


def _names(node: Any, skip: int, count: int) -> list[str]:
    """Names for the arguments: the function's own parameters."""
    a = node.args
    positional = [x.id for x in (*a.posonlyargs, *a.args)]
    if positional and positional[0] in ("self", "cls") and count < len(positional):
        positional = positional[1:]
    positional = positional[skip:]
    extra = a.vararg.id if a.vararg is not None else "arg"
    return [positional[k] if k < len(positional) else f"{extra}_{k - len(positional)}" for k in range(count)]


def _assemble(m: Specialiser, src: Any, params: list[Param], body: list[ir.Stmt], result: Spec, specs: Sequence[Spec]) -> Specialised:
    used: set[str] = set()
    for f_body in (body, *(f.body for f in m.linked.values())):
        for s in ir.walk_stmts(f_body):
            for e in ir.exprs(s):
                used |= ir.names_in(e)
            for a in ("base", "list", "buffer"):
                v = getattr(s, a, None)
                if isinstance(v, Var):
                    used.add(v.name)
            if isinstance(s, ir.Custom):
                used |= {v.name for v in s.inputs}
    hidden: list[Access] = []
    all_params = list(params)
    for access, leaf in m.hidden.items():
        assert isinstance(leaf.expr, Var)
        if leaf.expr.name in used:
            all_params.append(Param(leaf.expr.name, leaf.expr.type, ("hidden", len(hidden))))
            hidden.append(access)
    doc = gast.get_docstring(src.node) or "" if isinstance(src.node, gast.FunctionDef) else ""
    main = Function(src.name, all_params, body, doc)
    main.temporaries = set(m.names) - {v.name for v in m.slot_vars.values()} - {p.name for p in all_params}
    live = {s.function for s in ir.walk_stmts(body) if isinstance(s, ir.CallFn)}
    todo = list(live)
    while todo:
        for s in ir.walk_stmts(m.linked[todo.pop()].body):
            if isinstance(s, ir.CallFn) and s.function not in live:
                live.add(s.function)
                todo.append(s.function)
    program = Program(main, {k: f for k, f in m.linked.items() if k in live})
    written(program)
    for f in (main, *program.linked.values()):
        check_reshapes(f, program)
    final = [p.name for p in all_params if p.name in main.written]
    return Specialised(program, result, hidden, list(m.guards.items()), tuple(specs), final, list(m.assigned))


# ------------------------------------------------------------------------------------------------ written arrays


def written(program: Program) -> None:
    """Fill in `Function.written`: the array parameters whose memory is written, directly, through views or by callees."""
    functions = [*program.linked.values(), program.main]
    changed = True
    while changed:
        changed = False
        for f in functions:
            new = _written(f, program)
            if new != f.written:
                f.written, changed = new, True


def _written(f: Function, program: Program) -> set[str]:
    origins: dict[str, set[str]] = {p.name: {p.name} for p in f.params if not isinstance(p.type, ir.Scalar)}
    bindings: list[tuple[str, str]] = []
    for s in ir.walk_stmts(f.body):
        if isinstance(s, ir.Assign) and isinstance(s.target.type, Array) and ir.is_alias(s.value):
            r = ir.root(s.value)
            if r is not None:
                bindings.append((s.target.name, r.name))
        elif isinstance(s, ir.Append):
            bindings.append((s.list.name, s.value.name))
        elif isinstance(s, ir.Pop):
            bindings.append((s.target.name, s.list.name))
        elif isinstance(s, ir.Assign) and isinstance(s.target.type, ir.ListType) and isinstance(s.value, Var):
            bindings.append((s.target.name, s.value.name))
    changed = True
    while changed:
        changed = False
        for a, b in bindings:
            more = origins.get(b, set()) - origins.setdefault(a, set())
            if more:
                origins[a] |= more
                changed = True
    out: set[str] = set()
    for s in ir.walk_stmts(f.body):
        if isinstance(s, ir.Store) or (isinstance(s, ir.Accum) and s.index is not None):
            out |= origins.get(s.base.name, set())
        if isinstance(s, ir.CallFn) and s.function in program.linked:
            callee = program.linked[s.function]
            for p, a in zip(callee.params, s.args, strict=False):  # type: ignore[assignment]
                r = None if isinstance(a.type, ir.Scalar) else ir.root(a)  # type: ignore[arg-type]
                if p.name in callee.written and r is not None:
                    out |= origins.get(r.name, set())
    return out


# ------------------------------------------------------------------------------------------------ reading captured data


def read(fn: Any, access: Access) -> Any:
    """The present value of captured data, read as Python would read it."""
    value = fn
    for step in access:
        value = _step(value, step)
    return value


def _step(value: Any, step: tuple[Any, ...]) -> Any:
    kind = step[0]
    if kind == "closure":
        f = _behind(value)
        return f.__closure__[f.__code__.co_freevars.index(step[1])].cell_contents  # type: ignore[index]
    if kind == "global":
        f = _behind(value)
        if step[1] in f.__globals__:
            return f.__globals__[step[1]]
        raise NameError(f"name '{step[1]}' is not defined")
    if kind == "attr":
        return getattr(value, step[1])
    if kind == "item":
        return value[step[1]]
    if kind == "asarray":
        return np.array(value)
    if kind == "structure":
        return structure_of(value)
    if kind == "derivative":  # grad(...) or value_and_grad(...) of it
        return step[1](value, *step[2], **dict(step[3]))
    if kind == "inline":  # the text of a derivative object, as a function
        return value.__s2sgrad_inline__(step[1])
    if kind == "default":
        return _behind(value).__defaults__[step[1]]  # type: ignore[index]
    if kind == "kwdefault":
        return _behind(value).__kwdefaults__[step[1]]  # type: ignore[index]
    raise ValueError(f"unknown access {step!r}")


__all__ = ["Func", "NeedsStatic", "Specialised", "inspect", "read", "specialise"]
