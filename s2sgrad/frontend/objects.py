"""Objects: what Python values mean abstractly, captured data, attributes, constants on demand."""

from __future__ import annotations

import builtins
import dataclasses
import enum
import functools
import operator
import types
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from s2sgrad import errors, ir
from s2sgrad.frontend.extents import extents
from s2sgrad.frontend.indexing import Indexing
from s2sgrad.frontend.machine import NeedsStatic, Restart
from s2sgrad.frontend.records import MOVED
from s2sgrad.frontend.sequences import Sequences
from s2sgrad.frontend.values import (
    NONE,
    UNKNOWN,
    VARIABLE_CHANGES,
    VARIABLE_GATHERS,
    VARIABLE_READS,
    Element,
    Error,
    Fields,
    Func,
    Growing,
    Heap,
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
    SliceOf,
    Spelled,
    Text,
    Tup,
    Value,
    describe,
    number,
    of,
)
from s2sgrad.rules import registry
from s2sgrad.structure import Static, children, structure_of

NUMBERS = (bool, int, float, complex, np.number, np.bool_)
Access = tuple[Any, ...]


VIEWS: list[tuple[type, Any]] = []
"""(class, function): objects of the class have the attributes of what the function makes of them too (dtypes of the tensor interface)."""


def attribute_view(value: Any) -> Any:
    return next((view(value) for cls, view in VIEWS if isinstance(value, cls)), value)


class Objects(Indexing, Sequences):
    # ------------------------------------------------------------------------------------------- names from outside

    def outside(self, name: str, node: Any) -> Value:
        """A name that no scope of the program binds: captured, global or builtin."""
        origin = self.frames[-1].scope.origin()
        if origin is not None:
            fn, access = origin
            code = fn.__code__
            if name in code.co_freevars:
                cell = fn.__closure__[code.co_freevars.index(name)]
                try:
                    value = cell.cell_contents
                except ValueError:
                    raise self.error(f"the captured variable {name} has no value yet", node, kind=errors.Unsupported) from None
                return self.lift(value, None if access is None else (*access, ("closure", name)))
            if name in fn.__globals__:
                path = () if fn.__globals__ is self.root_globals else access
                return self.lift(fn.__globals__[name], None if path is None else (*path, ("global", name)))
            extra = fn.__globals__.get("__builtins__", builtins)
            extra = extra if isinstance(extra, dict) else vars(extra)
            if name in extra:
                return Obj(extra[name])
        if hasattr(builtins, name):
            return Obj(getattr(builtins, name))
        raise self.refusal(NameError, f"name '{name}' is not defined", node)

    def lift(self, value: Any, access: Access | None, of_module: bool = False) -> Value:
        """The abstract value of a Python object. Data with an access path become hidden arguments, the rest is guarded."""
        if isinstance(value, NUMBERS) or (isinstance(value, np.ndarray) and value.dtype.kind in "fcbiu"):
            return self.lift_number(value, access)
        if hasattr(type(value), "n_sequence_fields"):  # sys.float_info and its like
            return Obj(value)
        refused = "" if isinstance(value, type) else getattr(value, "__s2sgrad_refused__", "")
        if refused:
            raise self.error(refused)
        leaf = getattr(type(value), "__s2sgrad_leaf__", None)
        if leaf is not None and access is not None and hasattr(type(value), "assign"):
            return self.lift_variable(value, access, leaf)
        if leaf is not None:
            return self.lift(getattr(value, leaf), None if access is None else (*access, ("attr", leaf)))
        kids = children(value)
        if kids is None or (isinstance(value, types.SimpleNamespace | dict) and access is None and _is_table(value)):
            self.guard_static(access, value, of_module)
            return Obj(value, access)
        if getattr(value, "__s2sgrad_static__", False):
            self.guard_static(access, value)
            return Obj(value, access)
        kind, keys, items = kids
        long = kind == "list" and len(items) > 8 and all(type(i) is float for i in items) and access is not None
        if not long:
            self.guard_structure(value, access)
        key = ("heap", id(value))
        if key in self.lifted:
            known, _, content = self.lifted[key]
            assert self.state is not None
            if content is not None:
                self.state.setdefault(known, content)
            return Ref(known)
        step = "attr" if kind in ("dataclass", "object", "namedtuple") else "item"
        paths = [None if access is None else (*access, (step, k)) for k in keys]
        if kind in ("tuple", "namedtuple"):
            return Tup(tuple(self.lift(i, p) for i, p in zip(items, paths, strict=True)), type(value) if kind == "namedtuple" else None)
        if long:
            assert access is not None
            return self.lift_long_list(value, access)
        heap = Heap({"list": "list", "dict": "dict"}.get(kind, "object"), type(value), access[-1][1] if access else "obj")
        if access is not None:
            heap.frozen = "it is captured from outside the function"
            self.accesses[heap] = access
        self.lifted[key] = heap, value, None  # it may lead to itself
        inner = [self.lift(i, p) for i, p in zip(items, paths, strict=True)]
        self.put(heap, value, Items(tuple(inner)) if kind == "list" else Fields(dict(zip(keys, inner, strict=True))))
        return Ref(heap)

    def lift_long_list(self, value: Any, access: Access) -> Value:
        """A captured list of many numbers: one hidden array."""
        a = self.hidden_leaf(np.array(value), (*access, ("asarray",)))
        heap = Heap("list", list, "list", "it is captured from outside the function")
        shape = Num(ir.Var("?", ir.FLOAT))
        self.put(heap, value, Growing(shape, (a.expr,), ir.call("dim", a.expr, axis=0)))  # type: ignore[arg-type]
        return Ref(heap)

    def put(self, heap: Heap, value: Any, content: Value) -> None:
        """Captured objects exist on every path, whenever they are met first."""
        assert self.state is not None
        self.lifted["heap", id(value)] = (heap, value, content)
        self.state[heap] = content

    def lift_number(self, value: Any, access: Access | None) -> Num:
        if access is None:
            if isinstance(value, np.ndarray):
                return number(value[()]) if value.ndim == 0 else self.constant_array(value)
            return number(value)
        if access in self.static_accesses:
            self.guard_static(access, value)
            return number(value[()] if isinstance(value, np.ndarray) else value)
        return self.hidden_leaf(value, access)

    def constant_array(self, value: np.ndarray) -> Num:
        from s2sgrad.rules.creation import array_literal

        if value.size > 64:
            raise self.error("a large array made while specialising")
        return of(array_literal(value.tolist(), value.dtype.name))

    def hidden_leaf(self, value: Any, access: Access) -> Num:
        """A hidden parameter that holds captured data."""
        found = self.hidden.get(access)
        if found is None:
            t = registry.type_of(value)
            steps = access[:-1] if access[-1] == ("attr", "_array") else access
            name = next((str(s[1]) for s in reversed(steps) if len(s) > 1 and isinstance(s[1], str) and s[1].isidentifier()), "captured")
            items = [str(s[1]) for s in access if s[0] == "item"]
            var = self.reserve("_".join([name, *[i for i in items if i != name and i.replace("_", "").isalnum()]]), t)
            found = self.hidden[access] = Num(var)
            if isinstance(value, np.ndarray | np.generic) and access[-1] != ("attr", "_array"):
                self.soft.add(var.name)
        return found

    def reserve(self, base: str, t: Any) -> ir.Var:
        """A name for the whole program (it survives when a loop is specialised again)."""
        name, k = base, 1
        while name in self.names or name in self.reserved:
            k += 1
            name = f"{base}#{k}"
        self.names[name] = self.reserved[name] = t
        self.stable.add(name)
        return ir.Var(name, t)

    def guard_structure(self, value: Any, access: Access | None) -> None:
        """The specialisation holds for captured containers of this class with these keys only."""
        if access is not None:
            path = (*access, ("structure",))
            self.guards[path] = Static(structure_of(value))

    def guard_static(self, access: Access | None, value: Any, of_module: bool = False) -> None:
        """The specialisation holds for this object only. `of_module`: it is read as an attribute of a module (`np.sin`), which stays what it is."""
        if access is None or isinstance(value, types.ModuleType):
            return
        module = getattr(value, "__module__", None) or ""
        if of_module and (isinstance(value, np.ufunc) or module in ("builtins", "math") or module.split(".")[0] == "numpy") and callable(value):
            return
        self.guards[access] = Static(value)

    # ------------------------------------------------------------------------------------------- constants on demand

    def static(self, v: Value) -> Any:
        """The Python object of a value that must be known now."""
        if isinstance(v, Num):
            if v.known:
                return v.const
            return self.need_static(v, "this value")
        if isinstance(v, Obj):
            return v.value
        if isinstance(v, OneOfThese):
            raise self.undecided(v)
        if isinstance(v, Tup):
            items = tuple(self.static(i) for i in v.items)
            return items if v.cls is None else v.cls(*items)
        if isinstance(v, Ref) and v.heap.kind == "list":
            return [self.static(i) for i in self.sequence_items(v)]
        if isinstance(v, Text):
            return "".join(self.static_part(p) for p in v.parts)
        if isinstance(v, SliceOf):
            return slice(*(self.static(i) for i in (v.lower, v.upper, v.step)))
        raise self.error(f"{describe(v)} is not a constant")

    def static_part(self, p: Any) -> str:
        """A part of a string, as text."""
        if isinstance(p, str):
            return p
        if isinstance(p, Spelled):
            return p.text(self.static_number(p.value))
        if isinstance(p, Num):
            return str(self.static_number(p))
        return str(self.static(p))

    def static_number(self, n: Num) -> Any:
        if not n.known and (n.is_array or not n.type.dtype.startswith(("int", "uint", "bool"))):
            raise self.error("a string made from a number that is known at run time only decides the structure of the computation")
        return self.static(n)

    def try_static(self, n: Num) -> Any:
        """A captured number can be fixed: specialise again with its value."""
        if n.known:
            return n.const
        for access, leaf in self.hidden.items():
            if leaf.expr == n.expr and not n.is_array:
                self.static_accesses.add(access)
                raise Restart
        return None

    def integer_origin(self, exprs: Iterable[Any]) -> tuple[Any, ...]:
        """The argument that an integer among these expressions is: with its value the program may have a known structure."""
        found = [x for e in exprs for x in ir.walk(e) if isinstance(x, ir.Var) and self.origins.get(x.name)]
        return next((self.origins[x.name] for x in found if isinstance(x.type, ir.Scalar) and x.type.dtype == "int64"), ())

    def need_static(self, n: Num, what: str) -> Any:
        k = self.try_static(n)
        if k is not None:
            return k
        err = self.error(f"{what} must be a constant", kind=NeedsStatic,
                         hint="It decides the structure of the computation: write a literal, or fix it with functools.partial.")
        assert isinstance(err, NeedsStatic)
        if isinstance(n.expr, ir.Var):
            err.origin = self.origins.get(n.expr.name, ())
        raise err

    def key_of(self, v: Value) -> Any:
        k = self.need_static(v, "a key of a dict or set") if isinstance(v, Num) and not v.known else self.static(v)
        try:
            hash(k)
        except TypeError:
            raise self.error(f"{k!r} cannot be a key") from None
        return k

    # ------------------------------------------------------------------------------------------- contents

    def contents(self, v: Value) -> Value:
        assert isinstance(v, Ref) and self.state is not None
        if v.heap not in self.state:
            for heap, _, content in self.lifted.values():
                if heap is v.heap:  # met on another path only: the same captured object
                    self.state[heap] = content
                    return content
            raise self.error(f"{describe(v)} exists on one path only")
        content = self.state[v.heap]
        if isinstance(content, Poison) and content.reason == MOVED:
            raise self.error(f"{describe(v)} is {MOVED}", hint="Read it from the list again.")
        content = self.checked(content)
        if isinstance(content, Element):
            content = self.seen[v.heap] = self.element_fields(content)
        return content

    def change(self, v: Ref, fields: dict[Any, Value]) -> None:
        """New contents for a dict or an object."""
        self.check_writable(v)
        assert self.state is not None
        content = self.state.get(v.heap)
        if isinstance(content, Element):
            self.change_element(v, content, fields, self.seen[v.heap])
            return
        self.state[v.heap] = self.store((v.heap,), Fields(fields))

    def check_writable(self, v: Ref) -> None:
        if v.heap.frozen:
            raise self.error(f"{describe(v)} is changed, but {v.heap.frozen}", hint="Return the new value instead, or change a copy.")

    def new_dict(self, fields: dict[Any, Value]) -> Ref:
        return self.new_object("dict", dict, fields)

    def new_object(self, kind: str, cls: Any, fields: dict[Any, Value]) -> Ref:
        heap = Heap(kind, cls, cls.__name__.lower() if kind == "object" else "d")
        assert self.state is not None
        self.state[heap] = self.store((heap,), Fields(fields))
        return Ref(heap)

    def has_key(self, d: Value, k: Any) -> Any:
        """Is there an item with this key? A condition where it was put in on some paths only."""
        v = self.contents(d).fields.get(k)  # type: ignore[attr-defined]
        return v.flag if isinstance(v, Maybe) and v.absent == "unbound" else v is not None

    def count_keys(self, d: Value) -> Num:
        total = number(0)
        for k in self.contents(d).fields:  # type: ignore[attr-defined]
            c = self.has_key(d, k)
            total = self.add(total, number(1) if c is True else Num(ir.call("pyint", c)))
        return total

    def certain_keys(self, d: Value) -> list[Any]:
        fields = self.contents(d).fields  # type: ignore[attr-defined]
        for k in fields:
            if self.has_key(d, k) is not True:
                raise self.error(f"whether {describe(d)} has the key {k!r} is known at run time only: it cannot be iterated over")
        return list(fields)

    def new_tuple(self, v: Value) -> Tup:
        return Tup(tuple(self.sequence_items(v)))

    def sequence_items(self, v: Value) -> Sequence[Value]:
        """The elements of something of known length."""
        v = self.present(v)
        if isinstance(v, Tup):
            return v.items
        if isinstance(v, Ref) and v.heap.kind != "iterator":
            c = self.contents(v)
            if isinstance(c, Items):
                return c.items
            if isinstance(c, Fields) and v.heap.kind == "dict":
                return [self.lift(k, None) for k in self.certain_keys(v)]
            if isinstance(c, Fields) and v.heap.kind == "set":
                return [self.lift(k, None) for k in self.set_of(v)]
            if isinstance(c, Growing):
                raise self.error("a list whose length is known at run time only cannot be unpacked here", kind=NeedsStatic)
            if v.heap.kind == "object":
                return self.sequence_items(self.object_iterator(v))
        if isinstance(v, Obj):
            if isinstance(v.value, str | tuple | list | dict | set | frozenset | range | enum.EnumMeta):
                return [self.lift(x, None) for x in v.value]
        if isinstance(v, Text):
            return [Obj(c) for c in self.static(v)]
        if isinstance(v, Ref) and v.heap.kind == "iterator":
            mark = len(self.taken)
            items = list(self.sequence_items(self.opened_iterator(v)))
            self.release(mark)
            return items
        if isinstance(v, Iter) and (v.kind == "generator" or not self.random(v)):
            self.unrolling += 1
            try:
                return self.sequence_items(self.collect(v))
            finally:
                self.unrolling -= 1
        if isinstance(v, Range | Iter):
            seq = self.sequence(v)
            if seq.length.known:
                return [seq.get(number(k)) for k in range(seq.length.const)]
            k = self.need_static(seq.length, "the length of this sequence")
            return [seq.get(number(j)) for j in range(k)]
        if isinstance(v, Num) and v.is_array:
            raise self.error("an array of unknown length cannot be unpacked here", kind=NeedsStatic, hint="Unpack it into names first: a, b, c = x.")
        self.of_none(v, TypeError, "None is not a sequence")
        raise self.error(f"{describe(v)} is not a sequence")

    # ------------------------------------------------------------------------------------------- numbers from structures

    def numeric(self, v: Value) -> Num:
        """A value used as a number or an array."""
        v = self.present(v)
        if isinstance(v, Num):
            return v
        if isinstance(v, Tup | Ref | Iter | Range):
            return self.as_array(v)
        self.of_none(v, TypeError, "None is not a number or an array")
        raise self.error(f"{describe(v)} is not a number or an array")

    def as_array(self, v: Value) -> Num:
        r = self.call(Obj(np.asarray), [v], {}, None)
        assert isinstance(r, Num)
        return r

    def to_python(self, v: Value) -> Any:
        """What a builder of the registry takes: expressions, tuples and lists of them, constants."""
        v = self.present(v)
        if isinstance(v, Num):
            return v.expr
        if isinstance(v, Obj):
            return v.value
        if isinstance(v, Tup):
            return tuple(self.to_python(i) for i in v.items)
        if isinstance(v, Ref) and v.heap.kind == "list":
            c = self.contents(v)
            return [self.to_python(i) for i in c.items] if isinstance(c, Items) else self.growing_array(v).expr
        if isinstance(v, Iter) or self.is_iterator(v):
            return self.to_python(self.collect(v))
        if isinstance(v, Range):
            if v.start.known and v.stop.known and v.step.known:
                return [self.to_python(number(k)) for k in range(v.start.const, v.stop.const, v.step.const)]
            return ir.call("arange", v.start.expr, v.stop.expr, v.step.expr, dtype="int64")
        if isinstance(v, SliceOf):
            return slice(*(self.to_python(x) for x in (v.lower, v.upper, v.step)))
        raise self.error(f"{describe(v)} is not a number or an array")

    def from_python(self, r: Any) -> Value:
        if isinstance(r, ir.Expr):
            return of(r)
        if isinstance(r, tuple):
            return Tup(tuple(self.from_python(x) for x in r))
        if isinstance(r, list):
            return self.new_list([self.from_python(x) for x in r])
        return self.lift(r, None)

    # ------------------------------------------------------------------------------------------- attributes

    def attribute(self, base: Value, name: str, node: Any) -> Value:
        if isinstance(base, OneOfThese):
            raise self.undecided(base)
        if isinstance(base, Num):
            return self.number_attribute(base, name, node)
        if isinstance(base, Tup):
            if base.cls is not None:
                if name in base.cls._fields:
                    return base.items[base.cls._fields.index(name)]
                return self.class_attribute(base, base.cls, name, node)
            if name in ("index", "count"):
                return Method(base, name)
        if isinstance(base, Ref):
            if base.heap.kind == "object":
                fields = self.contents(base)
                assert isinstance(fields, Fields)
                if name in fields.fields:
                    v = fields.fields[name]
                    if isinstance(v, Maybe) and v.absent == "unbound":
                        if isinstance(class_dict(base.heap.cls, name), functools.cached_property):
                            raise self.error(f"the cached property {name} is computed on one path only", node, "Read it once before the branch.")
                        self.raise_if(ir.call("not", v.flag), AttributeError, name)
                        return v.value
                    return self.checked(v, name)
                return self.class_attribute(base, base.heap.cls, name, node)
            return Method(base, name)
        if isinstance(base, Obj):
            return self.object_attribute(base, name, node)
        if isinstance(base, Iter) and base.kind == "super":
            ref = base.parts[0]
            for c in base.extra:
                if name in vars(c):
                    v = vars(c)[name]
                    if c is object:
                        if name not in ("__init__", "__init_subclass__"):
                            return Method(ref, name, Obj(v))
                        return Obj(_nothing)
                    if isinstance(v, classmethod):
                        return Method(Obj(ref.heap.cls) if isinstance(ref, Ref) else ref, name, Obj(v.__func__))  # the class itself in a classmethod
                    if isinstance(v, staticmethod):
                        return Obj(v.__func__)
                    if isinstance(v, property):
                        return self.call(Obj(v.fget), [ref], {}, node)
                    return Method(ref, name, Obj(v))
        if isinstance(base, Range) and name in ("start", "stop", "step"):
            return getattr(base, name)
        if isinstance(base, SliceOf) and name in ("start", "stop", "step"):
            return {"start": base.lower, "stop": base.upper, "step": base.step}[name]
        if isinstance(base, Func) and name == "__name__":
            return Obj(getattr(base.node, "name", "<lambda>"))
        if isinstance(base, Func) and base.python is not None:
            return self.lift(getattr(base.python, name), None)
        if isinstance(base, Partial) and name == "func":
            return base.func
        if isinstance(base, Error):
            if name == "args":
                return Tup(base.args)
            found = dict(base.fields).get(name)
            if found is not None:
                return found
            if name == "__class__":
                return Obj(base.cls)
        if isinstance(base, Text):
            return Method(base, name)
        raise self.error(f"{describe(base)} has no attribute {name!r} that can be used here", node)

    def class_attribute(self, base: Value, cls: Any, name: str, node: Any) -> Value:
        if name == "_make" and hasattr(cls, "_fields"):
            return Method(Obj(cls), name)
        if name == "__class__":
            return Obj(cls)
        if name == "__dict__" and isinstance(base, Ref):
            return self.attributes_of(base)
        for c in cls.__mro__:
            if name in vars(c):
                v = vars(c)[name]
                if isinstance(v, types.FunctionType) or hasattr(v, "py_func"):
                    return Method(base, name, Obj(v))
                if isinstance(v, staticmethod):
                    return Obj(v.__func__)
                if isinstance(v, classmethod):
                    return Method(Obj(cls), name, Obj(v.__func__))
                if isinstance(v, property):
                    return self.call(Obj(v.fget), [base], {}, node)
                if isinstance(v, functools.cached_property) and isinstance(base, Ref):
                    value = self.bind_all(self.call(Obj(v.func), [base], {}, node), name)
                    fields = self.contents(base)
                    assert isinstance(fields, Fields)
                    if base.heap.frozen:
                        return value
                    self.change(base, {**fields.fields, name: value})
                    return value
                if hasattr(type(v), "__get__") and not callable(v):
                    raise self.error(f"the descriptor {cls.__name__}.{name} is not supported", node)
                if callable(v) and hasattr(type(v), "__get__"):
                    return Method(base, name, Obj(v))
                return self.lift(v, self.class_access(base, name))
        if name == "_replace":
            return Method(base, name)
        if name == "_asdict":
            return Method(base, name)
        own = class_dict(cls, "__getattr__")
        if isinstance(own, types.FunctionType) and name not in ("__iter__", "__next__", "__call__"):
            return self.call(Obj(own), [base, Obj(name)], {}, node)
        raise self.refusal(AttributeError, f"{cls.__name__} has no attribute {name!r}", node)

    def attributes_of(self, v: Ref) -> Ref:
        """`vars(object)`, to be read."""
        content = self.contents(v)
        assert isinstance(content, Fields)
        out = self.new_dict(dict(content.fields))
        out.heap.frozen = "it is the __dict__ of an object"
        return out

    def class_access(self, base: Value, name: str) -> Access | None:
        access = self.accesses.get(base.heap) if isinstance(base, Ref) else None
        return None if access is None else (*access, ("attr", name))

    def vector(self, v: Value) -> Value:
        """A tuple that stands for an array (the shape of a tensor, as a tensor) as that array; other values as they are."""
        v = self.current(v)
        dtype = getattr(v.cls, "__s2sgrad_vector__", None) if isinstance(v, Tup) else None
        if dtype is None:
            return v
        return self.call(Obj(np.array), [Tup(v.items)], {"dtype": Obj(np.dtype(dtype))}, None)  # type: ignore[union-attr]

    def object_attribute(self, base: Obj, name: str, node: Any) -> Value:
        if name == "_make" and isinstance(base.value, type) and hasattr(base.value, "_fields"):
            return Method(base, name)
        try:
            v = getattr(base.value if hasattr(base.value, name) else attribute_view(base.value), name)
        except AttributeError:
            self.of_none(base, AttributeError, f"None has no attribute {name!r}")
            raise self.refusal(AttributeError, f"{describe(base)} has no attribute {name!r}", node) from None
        if isinstance(base.value, str):
            return Method(base, name)
        if isinstance(v, float) and isinstance(base.value, types.ModuleType) and base.value.__name__ in ("math", "numpy", "cmath"):
            return number(v)  # math.pi, np.inf ...
        if isinstance(base.value, np.finfo | np.iinfo) or hasattr(type(base.value), "n_sequence_fields"):
            return number(v)
        access = None if base.access is None else (*base.access, ("attr", name))
        return self.lift(v, access, isinstance(base.value, types.ModuleType))

    def set_attribute(self, base: Value, name: str, value: Value, node: Any) -> None:
        base = self.present(base)
        if isinstance(base, Ref) and base.heap.kind == "object":
            own = class_dict(base.heap.cls, "__setattr__")
            if isinstance(own, types.FunctionType) and not dataclasses.is_dataclass(base.heap.cls):
                self.call(Obj(own), [base, Obj(name), value], {}, node)
                return
            if dataclasses.is_dataclass(base.heap.cls) and base.heap.cls.__dataclass_params__.frozen and base.heap not in self.building:  # type: ignore[attr-defined, union-attr]
                raise self.error(f"cannot assign to field {name!r} of a frozen dataclass", node)
            setter = getattr(base.heap.cls, name, None)
            if isinstance(setter, property) and setter.fset is not None:
                self.call(Obj(setter.fset), [base, value], {}, node)
                return
            content = self.contents(base)
            assert isinstance(content, Fields)
            self.change(base, {**content.fields, name: value})
            return
        if isinstance(base, Num) and name in ("shape",):
            raise self.error("assigning to x.shape is not supported", node, "Use x = x.reshape(...).")
        if isinstance(base, Num) and base.is_array and name == "flat" and isinstance(self.present(value), Num) and not self.numeric(value).is_array:
            self.store_item(base, [Obj(Ellipsis)], value, node)
            return
        if isinstance(base, Num) and base.is_array and name in ("real", "imag", "T"):
            target = self.number_attribute(base, name, node)
            assert isinstance(target, Num)
            self.store_item(target, [Obj(Ellipsis)], value, node)
            return
        self.of_none(base, AttributeError, f"None has no attribute {name!r}")
        raise self.error(f"the attribute {name!r} of {describe(base)} cannot be assigned", node)

    def number_attribute(self, base: Num, name: str, node: Any) -> Value:
        if name in VARIABLE_CHANGES:
            self.make_assignable(base)
        if name in VARIABLE_READS and self.variable_behind(base) is not None:
            return Partial(Obj(_itself), (base,), {})
        if name in VARIABLE_GATHERS and self.variable_behind(base) is not None:
            return self.gathering(base, name)
        t = base.type
        ndim = base.expr.ndim
        if name == "shape":
            dims = [Num(ir.call("dim", base.expr, axis=k)) for k in range(ndim)]
            return extents(dims) if self.tensors and self.in_text_of_user() else Tup(tuple(dims))
        if name == "get_shape" and self.tensors:
            return Partial(Obj(operator.attrgetter("shape")), (base,), {})
        if name == "ndim":
            return number(ndim)
        if name == "size":
            return number(1) if not ndim else Num(ir.call("dim", base.expr, axis=0) if ndim == 1 else ir.call("size", base.expr))
        if name == "dtype":
            return Obj(np.dtype(t.dtype))
        if name == "itemsize":
            return number(np.dtype(t.dtype).itemsize)
        if name == "nbytes":
            return self.mul(self.number_attribute(base, "size", node), number(np.dtype(t.dtype).itemsize))
        if name == "mT":
            return self.call(Obj(np.matrix_transpose), [base], {}, node)
        if name == "T":
            return self.call(Obj(np.transpose), [base], {}, node) if ndim > 1 else base
        if name in ("real", "imag") and isinstance(t, ir.Scalar) and t.weak:
            if t.dtype != "complex128":
                return base if name == "real" else number(0.0 if t.dtype == "float64" else 0)
            e = ir.call(name, base.expr)
            return Num(e if e.type == ir.FLOAT else ir.call("pyfloat", e))
        if name in ("real", "imag"):
            return self.call(Obj(getattr(np, name)), [base], {}, node)
        if name == "flat":
            return self.call(Obj(np.ravel), [base], {}, node)
        if name in ("strides", "ctypes", "data", "base", "flags"):
            raise self.error(f"the attribute {name!r} says where an array lies in memory: not supported", node)
        if hasattr(np.ndarray if ndim else np.float64, name) or hasattr(float, name):
            return Method(base, name)
        raise self.refusal(AttributeError, f"{describe(base)} has no attribute {name!r}", node)


def class_dict(cls: type, name: str) -> Any:
    """What the class and its bases say about a name, unbound; None where nothing."""
    return next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)


def _itself(value):
    """The value of a variable that is only read."""
    return value


def _nothing(*args: Any, **kwargs: Any) -> None:
    """object.__init__"""


def _is_table(value: Any) -> bool:
    """A mapping of functions, strings ... without numbers."""
    items = value.values() if isinstance(value, dict) else vars(value).values()
    return not any(isinstance(i, (*NUMBERS, np.ndarray)) for i in items)


__all__ = ["NONE", "NUMBERS", "UNKNOWN", "Objects", "Restart"]
