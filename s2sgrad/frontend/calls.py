"""Calls: arguments, inlining of the user's functions, classes, what other callables mean."""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable, Sequence
from typing import Any

import gast
import numpy as np

from s2sgrad import ir, library
from s2sgrad.errors import S2SGradError
from s2sgrad.frontend import scope as scoping
from s2sgrad.frontend.construction import Construction, class_member
from s2sgrad.frontend.given import Arguments, Options
from s2sgrad.frontend.numpys import of_numpy
from s2sgrad.frontend.printing import logs
from s2sgrad.frontend.scope import Frame, Scope
from s2sgrad.frontend.source import source_of
from s2sgrad.frontend.stars import columns, rows_zipped, spread
from s2sgrad.frontend.values import (
    NONE,
    Cell,
    Fields,
    Func,
    Heap,
    Iter,
    Maybe,
    Method,
    Num,
    Obj,
    OneOfThese,
    Partial,
    Pulled,
    Ref,
    Ruled,
    Transformed,
    Tup,
    Value,
    describe,
    is_zero_d,
    map_nums,
    number,
    nums,
)
from s2sgrad.frontend.zero_d import makes_arrays
from s2sgrad.ir import Const, Var
from s2sgrad.rules import registry

DEPTH = 60  # constant recursion is unrolled up to this depth
COPIES = 300  # and up to this many copies of one function


def emitted_helper(f: types.FunctionType) -> str | None:
    """The operation that a helper function of emitted text stands for."""
    copied = f.__module__ == "s2sgrad.runtime.generated"
    if copied and f.__name__ == "print_tensors":
        return f.__name__
    found = (op for op in registry.OPS.values() if op.helper is not None and (op.helper is f or copied and op.helper.__name__ == f.__name__))
    return next((op.name for op in found), None)


class Recursive(Exception):
    """A function that calls itself must be linked, not inlined: unwinds to its outermost activation."""

    def __init__(self, node: Any) -> None:
        self.node = node


class Calls(Construction):
    def eval_Call(self, n: Any) -> Value:
        read = self.read_of_one(n)
        return self.call_of(n, self.eval(n.func)) if read is None else read

    def call_of(self, n: Any, func: Value, values: list[Value] | None = None) -> Value:
        """A call with these arguments (`values`: where they have been evaluated)."""
        point = self.point()
        starred = [a for a in n.args]
        nodes = [a.value if isinstance(a, gast.Starred) else a for a in starred] + [k.value for k in n.keywords]
        if values is None:
            values = self.in_order([(lambda x=x: self.eval(x)) for x in nodes])  # type: ignore[misc]
        (func,) = self.after([func], point)
        kwargs: dict[str, Value] = {}
        for k, v in zip(n.keywords, values[len(starred):], strict=True):
            if k.arg is None:
                content = self.contents(v)
                assert isinstance(content, Fields)
                kwargs.update(content.fields)
            else:
                kwargs[k.arg] = v
        self.at(n)
        rows = rows_zipped(self, func, starred, values)
        if rows is not None:
            return columns(self, rows)
        args = spread(self, func, starred, values[: len(starred)], set(kwargs))
        numpy = self.note_numpy(func, args)
        result = self.call(func, args, kwargs, n)
        return self.softened(result) if numpy else result

    def call(self, f: Value, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        """The value of a call; its statements are emitted."""
        f = self.present(f)
        if isinstance(f, OneOfThese):
            if any(isinstance(g, Obj) and isinstance(g.value, type) for g in f.these):
                raise self.undecided(f)
            return self.with_each(f, lambda g: self.call(g, args, kwargs, node))
        if isinstance(f, Func):
            return self.inline(f, args, kwargs, node)
        if isinstance(f, Partial):
            return self.call(f.func, [*f.args, *args], {**f.kwargs, **kwargs}, node)
        if isinstance(f, Ruled):
            return self.call_ruled(f, args, kwargs, node)
        if isinstance(f, Transformed):
            return self.call_transformed(f, args, kwargs, node)
        if isinstance(f, Pulled):
            return self.call_pulled(f, args, node)
        if isinstance(f, Method):
            return self.call_method(f, args, kwargs, node)
        if isinstance(f, Ref):
            if f.heap.kind == "object":
                call = self.class_attribute(f, f.heap.cls, "__call__", node)
                return self.call(call, args, kwargs, node)
        if isinstance(f, Tup) and isinstance(own := getattr(f.cls, "__call__", None), types.FunctionType):  # noqa: B004
            return self.call(Obj(own), [f, *args], kwargs, node)
        if not isinstance(f, Obj):
            raise self.refusal(TypeError, f"{describe(f)} is not callable", node)
        self.of_none(f, TypeError, "None is not callable")
        return self.call_object(f, args, kwargs, node)

    def read_whole(self, special: Any, what: str, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        """A call of a function of our own, which must have read everything it was given."""
        given, options = Arguments(list(args)), Options(kwargs)
        try:
            value = special(given, options, node)
        except TypeError as err:
            if isinstance(err, S2SGradError) or not any(isinstance(v, Obj) and v.value is None for v in args):
                raise
            self.of_none(NONE, TypeError, str(err))
            raise self.refusal(TypeError, str(err), node) from None
        if options.unread:
            raise self.error(f"the option {min(options.unread)}= of {what} is not supported", node)
        if given.read < len(given):
            raise self.error(f"argument {given.read + 1} of {what} is not supported", node)
        return value

    # ------------------------------------------------------------------------------------------- Python objects

    def call_object(self, f: Obj, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        obj = f.value
        if issubclass(getattr(obj, "__objclass__", object), BaseException) and obj.__name__ == "__init__" and isinstance(args[0], Ref):
            content = self.contents(args[0])
            assert isinstance(content, Fields)
            self.change(args[0], {**content.fields, "args": Tup(tuple(args[1:]))})
            return NONE
        custom = self.call_custom(f, args, kwargs, node)
        if custom is not None:
            return custom
        own = self.own_method(args[0], CONVERSIONS[id(obj)]) if len(args) == 1 and id(obj) in CONVERSIONS else None
        if own is not None:
            return self.call(own, args, kwargs, node)
        if of_numpy(obj) and any(map(is_zero_d, (*args, *kwargs.values()))) or makes_arrays(obj):
            return self.call_numpy_zero_d(f, args, kwargs, node)
        return self.call_operation(f, args, kwargs, node)

    def call_numpy_zero_d(self, f: Obj, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        """A NumPy function that is given or may give an array without axes."""
        out = kwargs.get("out")
        target = out.items[0] if isinstance(out, Tup) and len(out.items) == 1 else out
        plain, named = [self.current(a) for a in args], {k: self.current(v) for k, v in kwargs.items()}
        if target is not None and is_zero_d(target):
            del named["out"]
            value = self.numeric(self.call_operation(f, plain, named, node))
            self.check_cast(value.type, self.contents(target).type)  # type: ignore[attr-defined]
            self.write_zero_d(target, value)
            return target
        if isinstance(f.value, np.ufunc) and len(args) > f.value.nin and is_zero_d(args[-1]):
            return self.call_numpy_zero_d(f, args[:-1], {**kwargs, "out": args[-1]}, node)
        return self.made_zero_d(f.value, args, self.call_operation(f, plain, named, node))

    def call_operation(self, f: Obj, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        obj = f.value
        stored = self.with_options(f, args, kwargs, node)
        if stored is not None:
            return stored
        many = self.stack(f, args, kwargs, node)
        if many is not None:
            return many
        special = self.special(obj)
        if special is not None:
            return self.read_whole(special, qualified(obj), args, kwargs, node)
        found = library.lookup(obj)  # the first function of scipy.special makes all of them known
        if id(obj) in registry.BY_PYTHON and registry.BY_PYTHON[id(obj)][0] is obj:
            return self.primitive(obj, args, kwargs, node)
        if found is not None:
            self.fix_options(found, args, kwargs)
            return self.inline(self.function(found, None), args, kwargs, node)  # type: ignore[arg-type]
        if isinstance(obj, type):
            return self.construct(f, args, kwargs, node)
        if isinstance(obj, operator.itemgetter | operator.attrgetter | operator.methodcaller):
            return self.got(obj, args[0], node)
        if isinstance(obj, functools.partial):
            path = f.access
            inner = self.lift(obj.func, None if path is None else (*path, ("attr", "func")))
            given = [self.lift(a, None if path is None else (*path, ("attr", "args"), ("item", k))) for k, a in enumerate(obj.args)]
            named = {k: self.lift(a, None if path is None else (*path, ("attr", "keywords"), ("item", k))) for k, a in obj.keywords.items()}
            return self.call(inner, [*given, *args], {**named, **kwargs}, node)
        if isinstance(obj, np.vectorize):
            inner = self.lift(obj.pyfunc, None if f.access is None else (*f.access, ("attr", "pyfunc")))
            return self.call(self.vectorized([inner], {"otypes": Obj(obj.otypes)}, node), args, kwargs, node)
        if isinstance(obj, types.MethodType) and logs(obj.__self__, obj.__name__):
            return NONE
        if isinstance(obj, types.MethodType):
            path = f.access
            owner = self.lift(obj.__self__, None if path is None else (*path, ("attr", "__self__")))
            inner = Obj(obj.__func__, None if path is None else (*path, ("attr", "__func__")))
            return self.call(inner, [owner, *args], kwargs, node)
        if isinstance(obj, types.FunctionType):
            name = emitted_helper(obj)
            if name == "print_tensors":
                return self.print_pieces(args, node)
            if name == "reserve" and len(args) == 2 and isinstance(args[0], Num) and isinstance(args[0].expr, Var) and isinstance(args[1], Num):
                self.emit(ir.Reserve(args[0].expr, args[1].expr))
                return args[0]
            if name is not None:
                return self.from_python(self.build(functools.partial(registry.call, name), obj, args, kwargs, node))
            return self.inline(self.function(obj, f.access), args, kwargs, node)
        if hasattr(obj, "py_func"):
            inner = Obj(obj.py_func, None if f.access is None else (*f.access, ("attr", "py_func")))
            return self.call(inner, args, kwargs, node)
        module = (getattr(obj, "__module__", "") or "").split(".")[0]
        if module in ("numpy", "math", "scipy", "cmath", "builtins") or isinstance(obj, types.BuiltinFunctionType):
            if isinstance(getattr(obj, "__self__", None), np.random.RandomState) or "random" in (getattr(obj, "__module__", "") or ""):
                raise self.error(f"random numbers are not drawn inside a differentiated function ({qualified(obj)})", node,
                                 "Draw them before and pass them as an argument.")
            raise self.error(f"{qualified(obj)} is not supported", node,
                             "Write it with supported functions, or give it a derivative with s2sgrad.custom_gradient.")
        if isinstance(obj, np.ufunc):
            raise self.error(f"the universal function {obj.__name__} is not supported", node,
                             "Write it with supported functions, or give it a derivative with s2sgrad.custom_gradient.")
        if hasattr(obj, "__wrapped__"):
            inner = Obj(obj.__wrapped__, None if f.access is None else (*f.access, ("attr", "__wrapped__")))
            return self.call(inner, args, kwargs, node)
        call = class_member(type(obj), "__call__")
        if callable(call) and hasattr(type(call), "__get__") and not isinstance(call, types.WrapperDescriptorType | staticmethod | classmethod):
            owner = self.lift_object(obj, f.access)
            return self.call(Obj(call), [owner, *args], kwargs, node)
        raise self.error(f"{describe(f)} cannot be called here", node)

    def lift_object(self, obj: Any, access: Any) -> Value:
        """A callable object whose fields are data."""
        key = ("heap", id(obj))
        if key in self.lifted:
            assert self.state is not None
            self.state.setdefault(self.lifted[key][0], self.lifted[key][2])
            return Ref(self.lifted[key][0])
        self.guard_structure(obj, access)
        heap = Heap("object", type(obj), "self", "it is captured from outside the function" if access is not None else "")
        if access is not None:
            self.accesses[heap] = access
        names = vars(obj) if hasattr(obj, "__dict__") else [n for n in getattr(type(obj), "__slots__", ())]
        fields = {k: self.lift(getattr(obj, k), None if access is None else (*access, ("attr", k))) for k in names}
        self.put(heap, obj, Fields(fields))
        return Ref(heap)

    def primitive(self, obj: Any, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        """An operation of the registry."""
        if self.handlers:
            self.check_call(obj, args, node)
        return self.from_python(self.build(registry.BY_PYTHON[id(obj)][1], obj, args, kwargs, node))

    def build(self, builder: Any, obj: Any, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Any:
        a = [self.to_python(v) for v in args]
        k = {n: self.to_python(v) for n, v in kwargs.items()}
        known = {n: v.const for n, v in kwargs.items() if isinstance(v, Num) and v.known and n in STATIC_NAMES}
        try:
            return builder(*a, **{**k, **known})
        except S2SGradError as err:
            if "must be a constant" not in str(err):
                raise self.located(err, node) from None
            fixed = [self.fixed(v, x) for v, x in zip(args, a, strict=True)]
            fixed_kw = {n: self.fixed(v, k[n]) for n, v in kwargs.items()}
            try:
                return builder(*fixed, **fixed_kw)
            except S2SGradError as again:
                for v in [*args, *kwargs.values()]:
                    self.fix_numbers(v, f"this argument of {qualified(obj)}")
                raise self.located(again, node) from None
        except (TypeError, ValueError) as err:
            if str(err) == "None is not a number":
                self.of_none(NONE, TypeError, f"{qualified(obj)}: {err}")
            raise self.error(f"{qualified(obj)}: {err}", node) from None

    def fix_numbers(self, v: Value, what: str) -> None:
        """Integers and booleans, alone or in a tuple, must be known."""
        for n in v.items if isinstance(v, Tup) else (v,):
            if isinstance(n, Num) and not n.is_array and not n.known and n.type.dtype in ("int64", "bool"):
                self.need_static(n, what)

    def fix_options(self, f: Callable[..., Any], args: Sequence[Value], kwargs: dict[str, Value]) -> None:
        """The options of a function of the library that decide the rank of its result must be known."""
        for p, v in [*zip(inspect.signature(f).parameters, args, strict=False), *kwargs.items()]:
            if p in RANK_NAMES:
                self.fix_numbers(v, f"{p}=")

    def located(self, err: S2SGradError, node: Any) -> S2SGradError:
        if err.place is not None:
            return err
        return self.error(err.message, node, err.hint, type(err))

    def fixed(self, v: Value, x: Any) -> Any:
        if isinstance(v, Num) and not v.is_array and v.known:
            return v.const
        if isinstance(v, Tup) and all(isinstance(i, Num) and i.known for i in v.items):
            return tuple(i.const for i in v.items)  # type: ignore[union-attr]
        return x

    # ------------------------------------------------------------------------------------------- user functions

    def function(self, obj: types.FunctionType, access: Any) -> Func:
        """A plain Python function met as an object."""
        found = self.functions.get(id(obj))
        if found is None:
            src = source_of(obj)
            scope = Scope({}, None, (obj, access))
            found = self.functions[id(obj)] = Func(src.node, scope, src, (), (), obj, access)
        return found

    def default(self, f: Func, name: str, k: int, kind: str) -> Value:
        """The default of a parameter of a Python function object: integers are part of the specialisation."""
        value = f.python.__defaults__[k] if kind == "default" else f.python.__kwdefaults__[name]
        access = None if f.access is None else (*f.access, (kind, k if kind == "default" else name))
        if isinstance(value, bool | int):
            self.guard_static(access, value)
            return number(value)
        return self.lift(value, access)

    def bind_arguments(self, f: Func, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> dict[str, Value]:
        a = f.node.args
        name = getattr(f.node, "name", "lambda")
        positional = [x.id for x in (*a.posonlyargs, *a.args)]
        keywords = {x.id for x in (*a.args, *a.kwonlyargs)}
        bound: dict[str, Value] = dict(zip(positional, args, strict=False))
        extra = list(args[len(positional):])
        if extra and a.vararg is None:
            raise self.refusal(TypeError, f"{name}() takes {len(positional)} positional arguments but {len(args)} were given", node)
        rest: dict[Any, Value] = {}
        for k, v in kwargs.items():
            if k in bound and k in keywords:
                raise self.refusal(TypeError, f"{name}() got multiple values for argument '{k}'", node)
            if k in keywords:
                bound[k] = v
            elif a.kwarg is not None:
                rest[k] = v
            else:
                raise self.refusal(TypeError, f"{name}() got an unexpected keyword argument '{k}'", node)
        python = f.python is not None
        count = len(f.python.__defaults__ or ()) if python else len(f.defaults)
        for k, p in enumerate(positional):  # type: ignore[assignment]
            j = k - (len(positional) - count)  # type: ignore[operator]
            if p not in bound and j >= 0:
                bound[p] = self.default(f, p, j, "default") if python else f.defaults[j]
        for x, d in zip(a.kwonlyargs, a.kw_defaults, strict=True):
            if x.id not in bound and d is not None:
                if python:
                    bound[x.id] = self.default(f, x.id, 0, "kwdefault")
                else:
                    bound[x.id] = f.kw_defaults[[y.id for y in a.kwonlyargs].index(x.id)]
        missing = [p for p in [*positional, *(x.id for x in a.kwonlyargs)] if p not in bound]
        if missing:
            raise self.refusal(TypeError, f"{name}() misses the argument '{missing[0]}'", node)
        if a.vararg is not None:
            bound[a.vararg.id] = Tup(tuple(extra))
        if a.kwarg is not None:
            bound[a.kwarg.id] = self.new_dict(rest)
        return bound

    def inline(self, f: Func, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        bound = self.bind_arguments(f, args, kwargs, node)
        if isinstance(f.node, gast.FunctionDef) and is_generator(f.node):
            return Iter("call", tuple(bound.values()), (f, tuple(bound), node))
        linked = self.linked_call(f, bound, node)
        if linked is not None:
            return linked
        active = [fr for fr in self.logical_frames() if fr.node is f.node]
        if active:
            self.check_recursion(f, bound, active, node)
        self.copies[f.node] = self.copies.get(f.node, 0) + 1
        if active:
            return self.activate(f, bound, node)
        point = self.mark()
        try:
            return self.activate(f, bound, node)
        except Recursive as r:
            if r.node is not f.node:
                raise
            self.restore(point)
            self.to_link.add(f.node)
            linked = self.linked_call(f, bound, node)
            assert linked is not None
            return linked

    def check_recursion(self, f: Func, bound: dict[str, Value], active: Sequence[Frame], node: Any) -> None:
        """Recursion is unrolled while constants decide when it ends; else it is linked."""
        here = constants(bound)
        progress = bool(here) and all(here != fr.signature for fr in active)
        if not progress or len(active) >= DEPTH or self.copies.get(f.node, 0) >= COPIES:
            raise Recursive(f.node)

    def activate(self, f: Func, bound: dict[str, Value], node: Any) -> Value:
        """Run a function's body in a frame of its own."""
        info = scoping.info(f.node)
        caller = self.frames[-1] if self.frames else None
        key = (*(caller.key if caller else ()), id(node))
        cells = {n: Cell(n, fixed=n not in info.shared and info.counts[n] <= (0 if n in info.params else 1), shared=n in info.shared)
                 for n in sorted(info.locals)}
        frame = Frame(f.source, f.node, Scope(cells, f.scope), info, key, loop_base=len(self.loops))
        frame.signature = constants(bound)
        kept_node, kept_jumps = self.node, self.jumps
        frame.called_from = node if hasattr(node, "lineno") else kept_node
        for name, v in bound.items():
            self.bind_parameter(cells[name], v, info, name)
        self.frames.append(frame)
        self.jumps = set()
        try:
            if isinstance(f.node, gast.Lambda):
                self.node = f.node.body
                v = self.eval(f.node.body)
                kept_jumps = kept_jumps | self.jumps
                return v
            paths = self.returning(frame, f.node.body)
            kept_jumps = kept_jumps | self.jumps - {frame.ret}
            v = self.returned(frame, paths)
            assert self.state is not None
            if not info.captured:
                for c in cells.values():
                    self.state.pop(c, None)
            return v
        finally:
            self.frames.pop()
            self.node, self.jumps = kept_node, kept_jumps

    def bind_parameter(self, cell: Cell, v: Value, info: scoping.Info, name: str) -> None:
        """The caller's variable itself where the callee never rebinds it, else a variable of the callee."""
        assert self.state is not None
        if isinstance(v, Maybe):
            self.state[cell] = v
            return
        v = self.identified(self.checked(v, name))
        plain = info.counts[name] == 0 and name not in info.shared and name not in info.captured
        if plain and all(isinstance(n.expr, Const) or (isinstance(n.expr, Var) and n.expr.name not in self.unshareable) for n in nums(v)):
            self.state[cell] = v
            return
        if info.counts[name] == 0 and isinstance(v, Tup):
            self.state[cell] = map_nums(v, lambda n: self.bind(n, name))
            return
        self.set_cell(cell, v)


RANK_NAMES = frozenset({"axis", "axes", "keepdims", "axis1", "axis2"})
STATIC_NAMES = frozenset({"axis", "axes", "keepdims", "dtype", "ddof", "k", "offset", "decimals", "order", "endpoint"})


def constants(bound: dict[str, Value]) -> Any:
    """What is known about the arguments of a call: scalars, and which objects they are."""
    known = [(k, repr(n.const)) for k, v in bound.items() for n in nums(v) if n.known]
    objects = [(k, str(v.heap.number) if isinstance(v, Ref) else "None") for k, v in bound.items()
               if isinstance(v, Ref) or isinstance(v, Obj) and v.value is None]
    return tuple(known + objects)


def is_generator(node: Any) -> bool:
    todo = list(node.body)
    while todo:
        n = todo.pop()
        if isinstance(n, gast.Yield | gast.YieldFrom):
            return True
        if not isinstance(n, scoping.SCOPES):
            todo.extend(gast.iter_child_nodes(n))
    return False


CONVERSIONS = {id(abs): "__abs__", id(float): "__float__", id(int): "__int__", id(complex): "__complex__", id(round): "__round__"}


def qualified(obj: Any) -> str:
    module = (getattr(obj, "__module__", "") or "").replace("numpy", "np")
    name = getattr(obj, "__name__", repr(obj))
    if isinstance(obj, np.ufunc):
        module = "np"
    return f"{module}.{name}" if module and module != "builtins" else name


__all__ = ["Calls", "Recursive", "class_member"]
