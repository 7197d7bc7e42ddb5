"""Abstract values: what the specialiser knows about a Python value before it runs.

A number or an array is a typed expression (`Num`); everything else is resolved while specialising.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from s2sgrad import ir
from s2sgrad.ir import Const, Expr, Var

_ids = itertools.count()


class _Unknown:
    def __repr__(self) -> str:
        return "unknown"


UNKNOWN: Any = _Unknown()


class Value:
    """Base class of abstract values. Values are immutable; identity and contents of mutable objects are apart (`Ref`)."""


@dataclass(frozen=True, eq=False)
class Num(Value):
    """A scalar or an array: an expression, and its Python value where that is known."""

    expr: Expr
    const: Any = UNKNOWN

    @property
    def type(self) -> Any:
        return self.expr.type

    @property
    def is_array(self) -> bool:
        return isinstance(self.expr.type, ir.Array)

    @property
    def known(self) -> bool:
        return self.const is not UNKNOWN


@dataclass(frozen=True, eq=False)
class Obj(Value):
    """A Python object known while specialising: a function, module, string, None, type, dtype ..."""

    value: Any
    access: tuple[Any, ...] | None = None


NONE = Obj(None)


@dataclass(frozen=True, eq=False)
class Tup(Value):
    """A tuple or named tuple."""

    items: tuple[Value, ...]
    cls: Any = None


@dataclass(frozen=True, eq=False)
class SliceOf(Value):
    lower: Value
    upper: Value
    step: Value


@dataclass(eq=False)
class Heap:
    """The identity of a mutable object. Contents stand in the state. `frozen` objects may not be changed (why)."""

    kind: str  # 'list', 'dict', 'set' or 'object'
    cls: Any
    name: str
    frozen: str = ""
    longest: Any = None  # a deque: its maxlen
    factory: Any = None  # a defaultdict: what makes a missing item
    capacity: Any = None  # an expression: so many elements will be appended at most
    row: Any = None  # a list that is an element of a growing list: its record
    owner: Any = None  # the list that a row is an element of
    site: Any = None  # a list: where the program makes it
    shared: bool = False  # a growing list whose elements may be known to another list too
    number: int = field(default_factory=lambda: next(_ids))


@dataclass(frozen=True, eq=False)
class Ref(Value):
    heap: Heap


@dataclass(frozen=True, eq=False)
class Items(Value):
    """Contents of a list of known length."""

    items: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Fields(Value):
    """Contents of a dict or an object with known keys."""

    fields: dict[Any, Value]


@dataclass(frozen=True, eq=False)
class Growing(Value):
    """Contents of a list whose length is known at run time only. `shape` is an element whose numeric leaves are
    placeholders; per leaf `stores` holds a buffer (scalars) or a list of references (arrays); `length` counts."""

    shape: Value
    stores: tuple[Var, ...]
    length: Expr
    capacity: Any = None
    window: bool = False  # the buffer is an array that others know: what is stored goes there


@dataclass(frozen=True, eq=False)
class Record(Value):
    """An object, a dict or a list of numbers as a growing list keeps it: one part for each key; a list is one array, and `inside` is an
    element of it."""

    kind: str
    cls: Any
    keys: tuple[Any, ...]
    items: tuple[Value, ...]
    inside: Value | None = None
    sites: frozenset[Any] = frozenset()  # a list: where the program makes such lists


@dataclass(frozen=True, eq=False)
class Element(Value):
    """Contents of an object or dict that is an element of a growing list: they stand in the list's buffers, from `first` on."""

    list: Heap
    position: Num
    first: int
    shape: Record


@dataclass(eq=False)
class Cell:
    """A variable of the user's program (local, captured or the result of a call)."""

    name: str
    number: int = field(default_factory=lambda: next(_ids))
    fixed: bool = False  # never assigned after its first value
    shared: bool = False  # written by nested functions


@dataclass(frozen=True, eq=False)
class Func(Value):
    """A function met in the program: tree, enclosing scope, default values."""

    node: Any
    scope: Any
    source: Any
    defaults: tuple[Value, ...] = ()
    kw_defaults: tuple[Any, ...] = ()
    python: Any = None
    access: tuple[Any, ...] | None = None


@dataclass(frozen=True, eq=False)
class Method(Value):
    """`owner.name` waiting to be called: of an array, a list, a dict, a string, an object (`func` is set)."""

    owner: Value
    name: str
    func: Value | None = None


@dataclass(frozen=True, eq=False)
class Partial(Value):
    func: Value
    args: tuple[Value, ...]
    kwargs: dict[str, Value]


@dataclass(frozen=True, eq=False)
class Ruled(Value):
    """`custom_gradient(function, grad)` of a function that the program defines; with `again`, `recompute_grad(function)`."""

    function: Value
    grad: Value | None = None
    again: bool = False


@dataclass(frozen=True, eq=False)
class Transformed(Value):
    """`grad(function, wrt)` of a function that the program defines; mode: 'grad', 'value_and_grad', 'jacobian', 'hessian'."""

    mode: str
    function: Value
    wrt: Any


@dataclass(frozen=True, eq=False)
class Pulled(Value):
    """The pull-back of a call that the program has made; `wanted`: the argument whose gradient it gives (None: of every one)."""

    record: Any
    wanted: Value | None


@dataclass(frozen=True, eq=False)
class Range(Value):
    start: Num
    stop: Num
    step: Num
    strong: bool = False
    parallel: bool = False


@dataclass(frozen=True, eq=False)
class Iter(Value):
    """enumerate, zip, reversed, map, filter or a generator expression, not yet run."""

    kind: str
    parts: tuple[Value, ...]
    extra: Any = None


@dataclass(frozen=True, eq=False)
class Text(Value):
    """A string made at run time: literal parts and values."""

    parts: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Spelled(Value):
    """A number in a string, with a format (`f"{x!r:.3f}"`)."""

    value: Num
    spec: str
    conversion: int

    def text(self, x: Any) -> str:
        shown: dict[int, Callable[[Any], str]] = {114: repr, 115: str, 97: ascii}
        return format(shown[self.conversion](x) if self.conversion in shown else x, self.spec)


@dataclass(frozen=True, eq=False)
class Error(Value):
    """An exception object: its arguments, and the attributes that its class gave it."""

    cls: Any
    args: tuple[Value, ...]
    fields: tuple[tuple[str, Value], ...] = ()


@dataclass(eq=False)
class Tape:
    """A tape that the program makes: where its statements begin, what it watches, and its statements once it is closed."""

    variables: bool
    out: list[ir.Stmt] | None = None
    mark: int = 0
    watched: set[str] = field(default_factory=set)
    statements: list[ir.Stmt] | None = None


VARIABLE_READS = ("value", "read_value", "initialized_value")
VARIABLE_GATHERS = {"sparse_read": "gather", "gather_nd": "gather_nd"}
ASSIGNS = ("assign", "assign_add", "assign_sub")
SCATTERS = {f"scatter_{n}": f"tensor_scatter_nd_{n}" for n in ("update", "add", "sub", "max", "min")}
SCATTERS |= {f"scatter_nd_{n}": f"tensor_scatter_nd_{n}" for n in ("update", "add", "sub")}
VARIABLE_CHANGES = (*ASSIGNS, *SCATTERS)


@dataclass(frozen=True, eq=False)
class Assigned(Value):
    """A captured variable of the tensor interface that the function assigns: its present value stands in the state of `cell`."""

    cell: Cell
    access: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class AssignedPart(Value):
    """`v[index]` of such a variable, to be assigned."""

    variable: Assigned
    index: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Unbound(Value):
    pass


UNBOUND = Unbound()


@dataclass(frozen=True, eq=False)
class Maybe(Value):
    """A value that is there only when `flag` is true; `absent` says what stands there otherwise ('unbound', 'none',
    'conflict')."""

    flag: Var
    value: Value
    absent: str


@dataclass(frozen=True, eq=False)
class OneOfThese(Value):
    """A string or a function that the paths taken have chosen: `which` holds its number (see `frontend.options`)."""

    which: Num
    these: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Poison(Value):
    """Two paths disagree in a way that no variable can hold; an error once it is used."""

    reason: str


@dataclass(frozen=True, eq=False)
class Identities(Value):
    """Which array variables are bound to the same object: name -> token. What is missing is not known."""

    tokens: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Units(Value):
    """Which axes of the arrays in variables have extent 1 (see `frontend.units`)."""

    table: dict[str, tuple[bool | None, ...]]


IDENTITY = Cell("identity", -1)
UNIT_AXES = Cell("unit axes", -2)


def map_nums(v: Value, f: Callable[[Num], Num]) -> Value:
    """Rebuild a value with `f` applied to the numeric leaves that it holds itself (not through `Ref`)."""
    if isinstance(v, Num):
        return f(v)
    if isinstance(v, Tup):
        return Tup(tuple(map_nums(i, f) for i in v.items), v.cls)
    if isinstance(v, Record):
        return replace(v, items=tuple(map_nums(i, f) for i in v.items))
    if isinstance(v, Element):
        return replace(v, position=f(v.position))
    if isinstance(v, SliceOf):
        return SliceOf(*(map_nums(i, f) for i in (v.lower, v.upper, v.step)))
    if isinstance(v, Method):
        return replace(v, owner=map_nums(v.owner, f))
    if isinstance(v, Partial):
        return Partial(map_nums(v.func, f), tuple(map_nums(a, f) for a in v.args), {k: map_nums(a, f) for k, a in v.kwargs.items()})
    if isinstance(v, OneOfThese):
        return replace(v, which=f(v.which))
    if isinstance(v, Range):
        return replace(v, start=f(v.start), stop=f(v.stop), step=f(v.step))
    if isinstance(v, Iter):
        return Iter(v.kind, tuple(map_nums(p, f) for p in v.parts), v.extra)
    if isinstance(v, Spelled):
        return Spelled(f(v.value), v.spec, v.conversion)
    if isinstance(v, Text):
        return Text(tuple(map_nums(p, f) if isinstance(p, Value) else p for p in v.parts))
    if isinstance(v, Error):
        return Error(v.cls, tuple(map_nums(a, f) for a in v.args), tuple((k, map_nums(a, f)) for k, a in v.fields))
    return v


def nums(v: Value) -> list[Num]:
    """The numeric leaves a value holds itself."""
    out: list[Num] = []

    def see(n: Num) -> Num:
        out.append(n)
        return n

    map_nums(v, see)
    return out


def number(x: Any) -> Num:
    """A known Python number."""
    from s2sgrad.rules.registry import as_expr

    e = as_expr(x)
    return Num(e, e.value if isinstance(e, Const) else UNKNOWN)


def of(e: Expr) -> Num:
    return Num(e, e.value if isinstance(e, Const) else UNKNOWN)


INT0, INT1 = Const(0, ir.INT), Const(1, ir.INT)


def describe(v: Value) -> str:
    """A few words for error messages."""
    if isinstance(v, Num):
        return f"an array of {v.type.dtype}" if v.is_array else f"a number ({v.type})"
    if isinstance(v, Obj):
        return "None" if v.value is None else f"{type(v.value).__name__} {getattr(v.value, '__name__', None) or repr(v.value)[:40]}"
    if isinstance(v, Tup):
        return "a tuple"
    if isinstance(v, OneOfThese):
        return " or ".join(describe(x) for x in v.these[:3]) + (" or others" if len(v.these) > 3 else "")
    if is_zero_d(v):
        return "an array without axes"
    if isinstance(v, Ref):
        return f"a {v.heap.kind if v.heap.kind != 'object' else v.heap.cls.__name__}"
    return {"Func": "a function", "Method": "a method", "Range": "a range", "Iter": "an iterator", "Text": "a string",
            "SliceOf": "a slice", "Partial": "a partial function",
            "Transformed": "a derivative", "Pulled": "a pull-back", "Error": "an exception"}.get(type(v).__name__, type(v).__name__)


def is_text(v: Value) -> bool:
    return isinstance(v, Obj) and isinstance(v.value, str | bytes)


def is_list(v: Value) -> bool:
    return isinstance(v, Ref) and v.heap.kind == "list"


def is_zero_d(v: Value) -> bool:
    """An array without axes: a number that is changed in place, with an identity."""
    return isinstance(v, Ref) and v.heap.kind == "zero_d"


def is_dict(v: Value) -> bool:
    return isinstance(v, Ref) and v.heap.kind == "dict"
