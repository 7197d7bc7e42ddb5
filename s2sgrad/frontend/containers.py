"""Containers of the standard library: deque, defaultdict, OrderedDict, Counter; what dataclasses offers."""

from __future__ import annotations

import collections
import dataclasses
import operator
from typing import Any

from s2sgrad import ir
from s2sgrad.frontend.builtin import FROMKEYS, Builtins, means
from s2sgrad.frontend.exceptions import DeadCode
from s2sgrad.frontend.given import in_order
from s2sgrad.frontend.values import NONE, Error, Fields, Growing, Items, Iter, Num, Obj, Ref, Tup, Value, number


def _zero() -> int:
    return 0


@means(collections.defaultdict)
def _defaultdict(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    ref = m.call(Obj(dict), a[1:], k, n)
    assert isinstance(ref, Ref)
    ref.heap.cls = collections.defaultdict
    ref.heap.factory = None if not a or (isinstance(a[0], Obj) and a[0].value is None) else a[0]
    return ref


@means(collections.OrderedDict)
def _ordered(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    ref = m.call(Obj(dict), a, k, n)
    assert isinstance(ref, Ref)
    ref.heap.cls = collections.OrderedDict
    return ref


@means(collections.Counter)
def _counter(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    fields: dict[Any, Value] = {}
    for x in m.sequence_items(a[0]) if a else ():
        key = m.key_of(x)
        fields[key] = m.add(fields.get(key, number(0)), number(1))
    ref = m.new_dict({**fields, **k})
    ref.heap.cls = collections.Counter
    ref.heap.factory = Obj(_zero)
    return ref


@means(FROMKEYS)
def _fromkeys(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    value = a[1] if len(a) > 1 else NONE
    return m.new_dict({m.key_of(x): value for x in m.sequence_items(a[0])})


@means(set)
def _set(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    ref = m.new_object("set", set, {})
    if a:
        m.each(a[0], lambda x: m.set_method(ref, "add", [x]))
    return ref


@means(frozenset)
def _frozenset(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return Obj(frozenset(m.key_of(x) for x in m.sequence_items(a[0])) if a else frozenset())


def set_of(self: Builtins, v: Value) -> Any:
    """The constants in a set."""
    if isinstance(v, Ref) and v.heap.kind == "set":
        return set(self.certain_keys(v))
    if isinstance(v, Iter) and v.kind == "keys":
        return set(self.certain_keys(v.parts[0]))
    return {self.key_of(x) for x in self.sequence_items(v)}


def set_method(self: Builtins, s: Ref, name: str, args: list[Value]) -> Value:
    """Sets hold constants; which of them, may be known at run time only."""
    content = self.contents(s)
    assert isinstance(content, Fields)
    if name in ("add", "discard", "remove"):
        k = self.key_of(args[0])
        if name == "remove":
            there = self.has_key(s, k)
            if there is False:
                self.throw(Error(KeyError, (Obj(k),)))
                raise DeadCode
            if there is not True:
                self.raise_if(ir.call("not", there), KeyError, repr(k))
        self.change(s, {**content.fields, k: NONE} if name == "add" else {key: v for key, v in content.fields.items() if key != k})
        return NONE
    if name == "update":
        for x in args:
            self.each(x, lambda v: self.set_method(s, "add", [v]))
        return NONE
    if name == "clear":
        self.change(s, {})
        return NONE
    if name == "copy":
        return self.new_object("set", set, dict(content.fields))
    r = getattr(self.set_of(s), name, None)
    if r is None or name == "pop":
        raise self.error(f"the set method {name} is not supported")
    made = r(*(self.set_of(x) for x in args))
    return number(made) if isinstance(made, bool) else self.new_object("set", set, dict.fromkeys(made, NONE))


Builtins.set_of = set_of  # type: ignore[attr-defined]
Builtins.set_method = set_method  # type: ignore[attr-defined]


@means(collections.deque)
def _deque(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    limit = k.get("maxlen", a[1] if len(a) > 1 else NONE)
    ref = m.new_list([])
    ref.heap.cls = collections.deque
    if not (isinstance(limit, Obj) and limit.value is None):
        ref.heap.longest = m.static(limit)
    if a:
        m.each(a[0], lambda x: m.deque_method(ref, "append", [x]))
    return ref


def deque_method(self: Builtins, d: Ref, name: str, args: list[Value]) -> Value:
    """The methods of a deque; the others are those of a list."""
    if name == "append":
        make_room(self, d, number(0))
        self.append(d, args[0])
    elif name == "appendleft":
        make_room(self, d, number(-1))
        self.insert(d, number(0), args[0])
    elif name in ("extend", "extendleft"):
        self.each(args[0], lambda x: self.deque_method(d, "append" if name == "extend" else "appendleft", [x]))
    elif name == "popleft":
        return self.pop(d, number(0))
    elif name == "rotate":
        content = self.contents(d)
        if not isinstance(content, Items):
            raise self.error("rotate of a deque that grows at run time is not supported", hint="Use d.append(d.popleft()).")
        k = -(self.static(args[0]) if args else 1) % max(1, len(content.items))
        assert self.state is not None
        self.state[d.heap] = Items((*content.items[k:], *content.items[:k]))
    else:
        return self.list_method(d, name, args, {})
    return NONE


def make_room(m: Builtins, d: Ref, end: Num) -> None:
    """A deque with a longest length gives up an element at the other end."""
    if d.heap.longest is None:
        return
    content = m.contents(d)
    if isinstance(content, Items):
        if len(content.items) >= d.heap.longest:
            m.pop(d, end)
        return
    assert isinstance(content, Growing)
    m.branched(ir.call("ge", content.length, d.heap.longest), lambda: m.pop(d, end) and None, lambda: None)


Builtins.deque_method = deque_method  # type: ignore[attr-defined]


# ------------------------------------------------------------------------------------------------ dataclasses


def fields_of(m: Builtins, v: Value, n: Any) -> tuple[Any, dict[str, Value]]:
    if not isinstance(v, Ref) or not dataclasses.is_dataclass(v.heap.cls):
        raise m.error("an instance of a dataclass is needed here", n)
    content = m.contents(v)
    assert isinstance(content, Fields)
    return v.heap.cls, content.fields


@means(dataclasses.replace)
def _replace(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    cls, fields = fields_of(m, a[0], n)
    given = {f.name: k[f.name] if f.name in k else fields[f.name] for f in dataclasses.fields(cls) if f.init}
    return m.construct(Obj(cls), [], {**given, **{name: v for name, v in k.items() if name not in given}}, n)


@means(dataclasses.fields)
def _fields(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return Obj(dataclasses.fields(a[0].heap.cls if isinstance(a[0], Ref) else m.static(a[0])))


@means(dataclasses.is_dataclass)
def _is_dataclass(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    v = a[0]
    return number(dataclasses.is_dataclass(v.heap.cls if isinstance(v, Ref) else v.value if isinstance(v, Obj) else None))


def _static_getter(cls: Any) -> Any:
    def special(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
        return Obj(cls(*(m.static(x) for x in a), **{name: m.static(x) for name, x in k.items()}))

    return special


for _cls in (operator.itemgetter, operator.attrgetter, operator.methodcaller):
    means(_cls)(_static_getter(_cls))


@means(pow)
def _pow(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    a, k = in_order(pow, a, k)
    if len(a) == 3:
        return number(pow(*(m.static(x) for x in a)))
    return m.binary(operator.pow, *a)


def got(m: Builtins, getter: Any, v: Value, n: Any) -> Value:
    """What an itemgetter, attrgetter or methodcaller gives for a value."""
    _, arguments = getter.__reduce__()
    if isinstance(getter, operator.methodcaller):
        name, *args = arguments
        return m.call(m.attribute(v, name, n), [m.lift(x, None) for x in args], {}, n)
    if isinstance(getter, operator.itemgetter):
        items = [m.subscript(v, [m.lift(x, None)]) for x in arguments]
    else:
        items = []
        for path in arguments:
            x = v
            for part in path.split("."):
                x = m.attribute(x, part, n)
            items.append(x)
    return items[0] if len(items) == 1 else Tup(tuple(items))


def _also(python: Any) -> Any:
    def special(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
        return m.call(Obj(python), a, k, n)

    return special


for _operator, _python in ((operator.abs, abs), (operator.truth, bool), (operator.index, int)):
    means(_operator)(_also(_python))


@means(operator.getitem)
def _getitem(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return m.subscript(m.present(a[0]), [a[1]])


@means(operator.contains)
def _contains(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    c = m.contains(a[0], a[1])
    return number(c) if isinstance(c, bool) else Num(c)


Builtins.got = got  # type: ignore[attr-defined]


def plain(m: Builtins, v: Value, build: Any, n: Any) -> Value:
    """A deep copy in which dataclasses are dicts or tuples."""
    if isinstance(v, Ref) and dataclasses.is_dataclass(v.heap.cls):
        cls, fields = fields_of(m, v, n)
        return build({f.name: plain(m, fields[f.name], build, n) for f in dataclasses.fields(cls)})
    if isinstance(v, Num) and v.is_array:
        return Num(ir.call("copy", v.expr))
    if isinstance(v, Tup):
        return Tup(tuple(plain(m, i, build, n) for i in v.items), v.cls)
    if isinstance(v, Ref):
        content = m.contents(v)
        if isinstance(content, Items):
            return m.new_list([plain(m, i, build, n) for i in content.items])
        if isinstance(content, Fields) and v.heap.kind == "dict":
            return m.new_dict({key: plain(m, i, build, n) for key, i in content.fields.items()})
        raise m.error("this field of a dataclass cannot be copied here", n)
    return v


@means(dataclasses.asdict)
def _asdict(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return plain(m, a[0], m.new_dict, n)


@means(dataclasses.astuple)
def _astuple(m: Builtins, a: list[Value], k: dict[str, Value], n: Any) -> Value:
    return plain(m, a[0], lambda fields: Tup(tuple(fields.values())), n)
