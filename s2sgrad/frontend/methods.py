"""Methods of lists, dicts, tuples, strings and arrays."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

from s2sgrad import ir
from s2sgrad.frontend.numpys import NumPyCalls
from s2sgrad.frontend.printing import formatted, logs
from s2sgrad.frontend.selection import OneOf
from s2sgrad.frontend.tapes import Tapes
from s2sgrad.frontend.values import (
    NONE,
    Assigned,
    AssignedPart,
    Fields,
    Iter,
    Method,
    Num,
    Obj,
    Ref,
    Tape,
    Text,
    Tup,
    Value,
    describe,
    number,
)


class Methods(NumPyCalls, Tapes):
    def call_method(self, m: Method, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        owner, name = m.owner, m.name
        if isinstance(owner, Obj) and logs(owner.value, name):
            return NONE
        if m.func is not None:
            return self.call(m.func, [owner, *args], kwargs, node)
        if isinstance(owner, OneOf):
            args = [self.bind_all(a) for a in args]
            return self.in_each(owner, lambda v: self.call(Method(v, name), args, kwargs, node))
        if name == "__getitem__" and len(args) == 1:
            return self.subscript(owner, list(args))
        if isinstance(owner, Obj) and isinstance(owner.value, Tape):
            return self.tape_method(owner.value, name, args, kwargs, node)
        if isinstance(owner, Assigned):
            return self.variable_method(owner, name, args, kwargs, node)
        if isinstance(owner, AssignedPart):
            return self.assign_part(owner, name, args, node)
        if isinstance(owner, Num):
            return self.number_method(owner, name, list(args), dict(kwargs), node)
        if isinstance(owner, Ref) and owner.heap.kind == "list":
            if owner.heap.cls is collections.deque:
                return self.deque_method(owner, name, list(args))
            return self.list_method(owner, name, args, kwargs)
        if isinstance(owner, Ref) and owner.heap.kind == "dict":
            return self.dict_method(owner, name, args, kwargs, node)
        if isinstance(owner, Tup):
            return self.tuple_method(owner, name, args, kwargs, node)
        if isinstance(owner, Ref) and owner.heap.kind == "set":
            return self.set_method(owner, name, list(args))
        if isinstance(owner, Ref) and owner.heap.kind == "iterator" and name == "__next__":
            return self.next_of(owner, None, node)
        if isinstance(owner, Obj) and name == "_make":
            return Tup(tuple(self.sequence_items(args[0])), owner.value)
        if isinstance(owner, Obj) and isinstance(owner.value, str):
            if all(isinstance(a, Obj) or (isinstance(a, Num) and a.known) for a in [*args, *kwargs.values()]):
                try:
                    r = getattr(owner.value, name)(*(self.static(a) for a in args), **{k: self.static(a) for k, a in kwargs.items()})
                except (ValueError, TypeError, LookupError) as err:
                    raise self.refusal(type(err), str(err), node) from None
                return self.lift(r, None)
            if name == "format":
                return formatted(owner.value, args, kwargs, self.error)
            if name == "join":
                items = list(self.sequence_items(args[0]))
                pieces = [p for k, x in enumerate(items) for p in ([Obj(owner.value), x] if k else [x])]
                return Obj("".join(x.value for x in pieces)) if all(isinstance(x, Obj) for x in pieces) else Text(tuple(pieces))  # type: ignore[attr-defined]
        if isinstance(owner, Text) and hasattr(str, name):
            return self.call_method(Method(Obj(self.static(owner)), name), args, kwargs, node)
        raise self.error(f"the method {name} of {describe(owner)} is not supported", node)

    def tuple_method(self, t: Tup, name: str, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        if name == "_replace":
            return Tup(tuple(kwargs.get(k, v) for k, v in zip(t.cls._fields, t.items, strict=True)), t.cls)
        if name == "_asdict":
            return self.new_dict(dict(zip(t.cls._fields, t.items, strict=True)))
        same = [self.equal(i, args[0]) for i in t.items]
        if name == "count" and all(isinstance(c, bool) for c in same):
            return number(sum(same))
        if name == "index" and True in same:
            return number(same.index(True))
        raise self.error(f"the tuple method {name} is not supported here", node)

    def item_or(self, d: Ref, key: Value, default: Value) -> Value:
        """`d.get(key, default)`."""
        there = self.has_key(d, self.key_of(key))
        if isinstance(there, bool):
            return self.checked(self.contents(d).fields[self.key_of(key)]) if there else default  # type: ignore[attr-defined]
        return self.choose(there, lambda: self.contents(d).fields[self.key_of(key)].value, lambda: default)  # type: ignore[attr-defined]

    def dict_method(self, d: Ref, name: str, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        content = self.contents(d)
        assert isinstance(content, Fields)
        fields = content.fields
        if name in ("keys", "values", "items"):
            return Iter(name, (d,))
        if name == "get":
            return self.item_or(d, args[0], args[1] if len(args) > 1 else NONE)
        if name == "copy":
            return self.new_dict(dict(fields))
        if name == "update":
            more = dict(kwargs)
            if args:
                other = self.contents(args[0])
                assert isinstance(other, Fields)
                more = {**other.fields, **more}
            self.change(d, {**fields, **more})
            return NONE
        if name == "pop":
            k = self.key_of(args[0])
            if k not in fields:
                if len(args) < 2:
                    raise self.refusal(KeyError, f"the dict has no key {k!r}", node, args=(k,))
                return args[1]
            v = self.bind_all(self.dict_item(d, args[0]))
            self.change(d, {n: x for n, x in fields.items() if n != k})
            return v
        if name == "setdefault":
            k = self.key_of(args[0])
            there = self.has_key(d, k)
            value = args[1] if len(args) > 1 else NONE
            put = lambda: self.change(d, {**self.contents(d).fields, k: value})  # type: ignore[attr-defined]
            if there is False:
                put()
            elif there is not True:
                self.branched(ir.call("not", there), put, lambda: None)
            return self.dict_item(d, args[0])
        if name == "clear":
            self.change(d, {})
            return NONE
        if name == "popitem":
            if not fields:
                self.fail(KeyError, "popitem(): dictionary is empty")
            k = list(fields)[-1]
            v = self.bind_all(self.dict_item(d, self.lift(k, None)))
            self.change(d, {n: x for n, x in fields.items() if n != k})
            return Tup((self.lift(k, None), v))
        if name == "move_to_end" and len(args) == 1:
            k = self.key_of(args[0])
            self.change(d, {**{n: x for n, x in fields.items() if n != k}, k: fields[k]})
            return NONE
        raise self.error(f"the dict method {name} is not supported", node)
