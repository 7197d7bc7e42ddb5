"""The typed intermediate language ("Core") that every pass reads and writes.

A Core program is structured: no jumps, one `Return` at the end, every variable has one type, every array
statement still works on whole arrays. Names are unique within a `Function` (the emitter makes them pretty).

Value semantics
    * a `Scalar` variable holds a value; `Assign` overwrites it;
    * an `Array` variable is *bound* to an object in memory: `Assign` rebinds it (to a fresh array, or to a
      view / another name's object, see `is_alias`), `Store` and `Accum` with an index write into the memory;
    * a `ListType` variable is bound to a growable list of array references (scalar lists are a buffer and a length).

Expressions are pure: evaluating one writes nothing. They may fail (index errors, NumPy errors).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Union

# ------------------------------------------------------------------------------------------------ types


@dataclass(frozen=True)
class Scalar:
    """One number. `weak` marks a Python bool/int/float/complex, which NEP 50 promotion treats as weak."""

    dtype: str
    weak: bool = False

    @property
    def ndim(self) -> int:
        return 0

    def __str__(self) -> str:
        return {"float64": "float", "int64": "int", "bool": "bool", "complex128": "complex"}[self.dtype] if self.weak else self.dtype


@dataclass(frozen=True)
class Array:
    """An array of known dtype and rank; `layout` is 'C', 'F' (contiguous) or 'A' (any strides)."""

    dtype: str
    ndim: int
    layout: str = "C"

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(':' * self.ndim)}]" + ("" if self.layout == "C" else self.layout)


@dataclass(frozen=True)
class ListType:
    """A growable list of references to arrays of one type. (Lists of such lists hold saved bindings of lists.)"""

    item: Array | ListType

    @property
    def array(self) -> Array:
        """The type of the arrays at the bottom."""
        return self.item if isinstance(self.item, Array) else self.item.array

    @property
    def dtype(self) -> str:
        return self.item.dtype

    def __str__(self) -> str:
        return f"list[{self.item}]"


Type = Union[Scalar, Array, ListType]

INT = Scalar("int64", weak=True)
FLOAT = Scalar("float64", weak=True)
BOOL = Scalar("bool", weak=True)
COMPLEX = Scalar("complex128", weak=True)


def is_array(t: Type) -> bool:
    return isinstance(t, Array)


def is_inexact(t: Type) -> bool:
    """Can a value of this type carry a derivative?"""
    return t.dtype.startswith(("float", "complex"))


def is_complex(t: Type) -> bool:
    return t.dtype.startswith("complex")


# ------------------------------------------------------------------------------------------ expressions

_make: Callable[..., Expr] | None = None  # s2sgrad.rules.registry.call, set when it is imported


def call(op: str, *args: Any, **attrs: Any) -> Expr:
    """A typed call of a registered operation; Python numbers become weak constants."""
    assert _make is not None, "s2sgrad.rules has not been imported"
    return _make(op, *args, **attrs)


class Expr:
    """Base class. Arithmetic and NumPy functions on expressions build typed `Call` nodes, so that derivative
    rules can be written as ordinary NumPy code."""

    type: Type
    __array_priority__ = 1000

    def __add__(self, o: Any) -> Expr: return call("add", self, o)
    def __radd__(self, o: Any) -> Expr: return call("add", o, self)
    def __sub__(self, o: Any) -> Expr: return call("sub", self, o)
    def __rsub__(self, o: Any) -> Expr: return call("sub", o, self)
    def __mul__(self, o: Any) -> Expr: return call("mul", self, o)
    def __rmul__(self, o: Any) -> Expr: return call("mul", o, self)
    def __truediv__(self, o: Any) -> Expr: return call("div", self, o)
    def __rtruediv__(self, o: Any) -> Expr: return call("div", o, self)
    def __floordiv__(self, o: Any) -> Expr: return call("floordiv", self, o)
    def __mod__(self, o: Any) -> Expr: return call("mod", self, o)
    def __pow__(self, o: Any) -> Expr: return call("pow", self, o)
    def __rpow__(self, o: Any) -> Expr: return call("pow", o, self)
    def __matmul__(self, o: Any) -> Expr: return call("matmul", self, o)
    def __neg__(self) -> Expr: return call("neg", self)
    def __abs__(self) -> Expr: return call("abs", self)
    def __lt__(self, o: Any) -> Expr: return call("lt", self, o)
    def __le__(self, o: Any) -> Expr: return call("le", self, o)
    def __gt__(self, o: Any) -> Expr: return call("gt", self, o)
    def __ge__(self, o: Any) -> Expr: return call("ge", self, o)
    def __and__(self, o: Any) -> Expr: return call("bitand", self, o)
    def __or__(self, o: Any) -> Expr: return call("bitor", self, o)
    def __invert__(self) -> Expr: return call("invert", self)

    def eq(self, o: Any) -> Expr:
        """Elementwise `==` (Python's `==` on expressions compares structure)."""
        return call("eq", self, o)

    def ne(self, o: Any) -> Expr:
        return call("ne", self, o)

    @property
    def T(self) -> Expr:
        return call("transpose", self)

    @property
    def ndim(self) -> int:
        return 0 if isinstance(self.type, Scalar) else self.type.ndim  # type: ignore[union-attr]

    def dim(self, axis: int) -> Expr:
        """The extent of an axis, as an integer expression."""
        return call("dim", self, axis=axis)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Expr:
        from s2sgrad.rules import registry
        return registry.call_python(ufunc, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Expr:
        from s2sgrad.rules import registry
        return registry.call_python(func, args, kwargs)


@dataclass(frozen=True, eq=True)
class Const(Expr):
    """A literal number (Python bool/int/float/complex in `value`; the dtype stands in `type`)."""

    value: Any
    type: Type

    def __hash__(self) -> int:
        return hash((repr(self.value), self.type))

    def __eq__(self, o: object) -> bool:  # 0.0 and -0.0, nan and nan, 1 and 1.0 are told apart or matched by text
        return isinstance(o, Const) and repr(o.value) == repr(self.value) and o.type == self.type


@dataclass(frozen=True)
class Var(Expr):
    name: str
    type: Type


@dataclass(frozen=True)
class Call(Expr):
    """`op` names an entry of the registry; `args` are expressions, `attrs` static keyword values (sorted)."""

    op: str
    args: tuple[Expr, ...]
    attrs: tuple[tuple[str, Any], ...]
    type: Type

    def attr(self, name: str, default: Any = None) -> Any:
        return dict(self.attrs).get(name, default)


@dataclass(frozen=True)
class Slice:
    lower: Expr | None = None
    upper: Expr | None = None
    step: Expr | None = None


@dataclass(frozen=True)
class NewAxis:
    pass


IndexItem = Union[Expr, Slice, NewAxis]


@dataclass(frozen=True)
class Index(Expr):
    """`base[index]`. Ellipsis is expanded and missing trailing axes are full slices, except that a plain row
    index `a[i]` of a matrix may stay short. All integers and full rank: an element. Any array among the
    items (integers or a boolean mask, which covers mask.ndim axes): a gather, i.e. a fresh copy. Else a view."""

    base: Expr
    index: tuple[IndexItem, ...]
    type: Type

    @property
    def kind(self) -> str:
        """'element', 'gather' or 'view'."""
        if any(isinstance(i, Expr) and is_array(i.type) for i in self.index):
            return "gather"
        return "element" if isinstance(self.type, Scalar) else "view"


def children(e: Expr | Slice | NewAxis) -> tuple[Any, ...]:
    if isinstance(e, Call):
        return e.args
    if isinstance(e, Index):
        return (e.base, *e.index)
    if isinstance(e, Slice):
        return tuple(x for x in (e.lower, e.upper, e.step) if x is not None)
    return ()


def walk(e: Any) -> Iterator[Any]:
    """The expression and everything below it, in prefix order."""
    stack = [e]
    while stack:
        x = stack.pop()
        yield x
        below = children(x)
        if below:
            stack.extend(below[::-1])


def map_expr(e: Any, f: Callable[[Any], Any]) -> Any:
    """Rebuild bottom-up: `f` is applied to every rebuilt node."""
    if isinstance(e, Call):
        e = replace(e, args=tuple(map_expr(a, f) for a in e.args))
    elif isinstance(e, Index):
        e = replace(e, base=map_expr(e.base, f), index=tuple(map_expr(i, f) for i in e.index))
    elif isinstance(e, Slice):
        e = Slice(*(None if x is None else map_expr(x, f) for x in (e.lower, e.upper, e.step)))
    return f(e)


def names_in(e: Any) -> frozenset[str]:
    """The variables an expression mentions."""
    if isinstance(e, Var):
        return frozenset((e.name,))
    out: set[str] = set()
    stack = [e]
    while stack:
        x = stack.pop()
        if isinstance(x, Var):
            out.add(x.name)
        else:
            stack.extend(children(x))
    return frozenset(out)


def substitute(e: Any, table: dict[str, Expr]) -> Any:
    """Replace variables by expressions."""
    return map_expr(e, lambda x: table.get(x.name, x) if isinstance(x, Var) else x)


# Operations with operands (all but the first) that may not be evaluated.
LAZY = frozenset({"ifexp", "and", "or"})

# Operations whose result shares memory with their first argument.
VIEW_OPS = frozenset({"transpose", "reshape", "expand_dims", "squeeze", "real_view", "imag_view"})


def is_alias(e: Expr) -> bool:
    """Does this array expression denote existing memory (a name or a view), not a fresh array?"""
    if isinstance(e, Var):
        return is_array(e.type)
    if isinstance(e, Index):
        return e.kind == "view" and is_alias(e.base)
    if isinstance(e, Call) and e.op == "item":  # an array out of a list
        return True
    return isinstance(e, Call) and e.op in VIEW_OPS and is_alias(e.args[0])


def root(e: Expr) -> Var | None:
    """The variable at the bottom of a chain of views, if there is one."""
    while not isinstance(e, Var):
        if isinstance(e, Index):
            e = e.base
        elif isinstance(e, Call) and (e.op in VIEW_OPS or e.op == "item"):
            e = e.args[0]
        else:
            return None
    return e


# ------------------------------------------------------------------------------------------- statements


@dataclass(frozen=True)
class Place:
    """Where a statement came from in the user's program."""

    file: str
    line: int
    text: str  # the line, stripped
    function: str = ""


@dataclass
class Stmt:
    place: Place | None = field(default=None, kw_only=True)


@dataclass
class Assign(Stmt):
    """`target = value`."""

    target: Var
    value: Expr


@dataclass
class Store(Stmt):
    """`base[index] = value`; the empty index means `base[...] = value`. NumPy semantics: value is evaluated
    first, then cast to the base's dtype and broadcast. `base` is always a variable."""

    base: Var
    index: tuple[IndexItem, ...]
    value: Expr


@dataclass
class Accum(Stmt):
    """`target += value` on a scalar (index None), or `base[index] += value`. In adjoints an index that holds
    arrays accumulates repeated entries (`np.add.at`): `repeated=True`. In a primal (user) program it is never
    used for gathers: `x[idx] += v` of the user is a Store of `x[idx] + v`, as in NumPy."""

    base: Var
    index: tuple[IndexItem, ...] | None
    value: Expr
    repeated: bool = False


@dataclass
class If(Stmt):
    cond: Expr
    body: list[Stmt]
    orelse: list[Stmt] = field(default_factory=list)


@dataclass
class For(Stmt):
    """`for var in range(start, stop, step)`. Bounds are evaluated once. The body never assigns `var`.
    `exit` names a bool variable (set False by a statement before the loop): when it is true at the end of an
    iteration the loop ends. `parallel` marks numba.prange."""

    var: Var
    start: Expr
    stop: Expr
    step: Expr
    body: list[Stmt]
    exit: Var | None = None
    parallel: bool = False


@dataclass
class While(Stmt):
    """`while cond: body`; `exit` as in `For`."""

    cond: Expr
    body: list[Stmt]
    exit: Var | None = None


@dataclass
class Multi(Stmt):
    """`t1, t2, ... = op(args)` of an operation with several results (eigh, svd, slogdet, ...). Targets are
    fresh arrays or scalars; None drops a result."""

    targets: list[Var | None]
    op: str
    args: tuple[Expr, ...]
    attrs: tuple[tuple[str, Any], ...] = ()


@dataclass
class Append(Stmt):
    """Append a reference to an array variable to a list."""

    list: Var
    value: Var


@dataclass
class Pop(Stmt):
    """`target = list.pop()`: rebinding of `target`."""

    target: Var
    list: Var


@dataclass
class Reserve(Stmt):
    """Grow the 1-D buffer (never aliased) so that it holds at least `size` elements; contents are kept."""

    buffer: Var
    size: Expr


@dataclass
class CallFn(Stmt):
    """A call of a linked (not inlined) function of the program, used for recursion. Scalars are passed by
    value, arrays by reference (the callee may write into them, those at the positions `kept` excepted).
    Results are scalars or fresh arrays."""

    targets: list[Var]
    function: str
    args: list[Expr]
    kept: frozenset[int] = frozenset()

    @property
    def touched(self) -> list[Var]:
        """The arrays that the callee may write."""
        return [a for k, a in enumerate(self.args) if isinstance(a, Var) and not isinstance(a.type, Scalar) and k not in self.kept]


@dataclass
class Custom(Stmt):
    """A `custom_gradient` call, inlined. `body` computes `outputs` from `inputs` (variables); in the reverse
    sweep `back` runs in the state after `body`, with `seeds` holding the outputs' adjoints, and `grads` (one
    per input, None = no gradient) are then accumulated into the inputs' adjoints."""

    name: str
    inputs: list[Var]
    outputs: list[Var]
    body: list[Stmt]
    seeds: list[Var]
    back: list[Stmt]
    grads: list[Expr | None]
    kept: bool = False  # the forward sweep keeps it as it is: see transform.ties


@dataclass
class Recompute(Stmt):
    """`recompute_grad`: nothing inside `body` is saved; the reverse sweep runs it again."""

    body: list[Stmt]


@dataclass
class Print(Stmt):
    """`print(...)` / `tf.print(...)`. `parts` mixes strings and expressions; options are static."""

    parts: list[Any]
    options: dict[str, Any] = field(default_factory=dict)


@dataclass
class Raise(Stmt):
    """`raise exception(message)`; `message` mixes strings and expressions. `is_assert` prints as assert."""

    exception: type[BaseException]
    message: list[Any] = field(default_factory=list)


@dataclass
class Comment(Stmt):
    text: str


@dataclass
class Return(Stmt):
    values: list[Expr]


# ------------------------------------------------------------------------------------------- functions


@dataclass
class Param:
    """A leaf parameter. `origin` says where its value comes from: ('arg', i, path...) for (a leaf of) the
    i-th user argument, ('hidden', path) for captured data, ('seed', k) for an output's adjoint, ('tangent', i)."""

    name: str
    type: Type
    origin: tuple[Any, ...] = ()

    @property
    def var(self) -> Var:
        return Var(self.name, self.type)


@dataclass
class Function:
    """A function whose parameters and results are leaves (scalars and arrays)."""

    name: str
    params: list[Param]
    body: list[Stmt]
    doc: str = ""
    written: set[str] = field(default_factory=set)  # array parameters whose memory the body writes
    temporaries: set[str] = field(default_factory=set, compare=False)  # variables of ours that may be renamed or merged away
    adjoint_of: dict[str, str] = field(default_factory=dict, compare=False)  # an adjoint variable -> its primal
    stores: set[str] = field(default_factory=set, compare=False)  # arrays of saved values

    @property
    def returns(self) -> list[Expr]:
        assert isinstance(self.body[-1], Return)
        return self.body[-1].values


@dataclass
class Program:
    """A main function and the linked functions it calls (by name)."""

    main: Function
    linked: dict[str, Function] = field(default_factory=dict)


def blocks(s: Stmt) -> list[list[Stmt]]:
    """The statement lists directly inside a statement."""
    if isinstance(s, If):
        return [s.body, s.orelse]
    if isinstance(s, (For, While, Recompute)):
        return [s.body]
    if isinstance(s, Custom):
        return [s.body, s.back]
    return []


def walk_stmts(body: Sequence[Stmt]) -> Iterator[Stmt]:
    """All statements in program order, nested ones included."""
    for s in body:
        yield s
        for b in blocks(s):
            yield from walk_stmts(b)


def exprs(s: Stmt) -> list[Any]:
    """The expressions (and index items) a statement evaluates itself, not those of nested statements."""
    if isinstance(s, Assign):
        return [s.value]
    if isinstance(s, Store):
        return [*s.index, s.value]
    if isinstance(s, Accum):
        return [*(s.index or ()), s.value]
    if isinstance(s, (If, While)):
        return [s.cond]
    if isinstance(s, For):
        return [s.start, s.stop, s.step]
    if isinstance(s, Multi):
        return list(s.args)
    if isinstance(s, Reserve):
        return [s.size]
    if isinstance(s, CallFn):
        return list(s.args)
    if isinstance(s, Custom):
        return [g for g in s.grads if g is not None]
    if isinstance(s, Print):
        return [p for p in s.parts if isinstance(p, Expr)]
    if isinstance(s, Raise):
        return [p for p in s.message if isinstance(p, Expr)]
    if isinstance(s, Return):
        return list(s.values)
    if isinstance(s, Append):
        return [s.value]
    return []


def assigned(s: Stmt) -> list[Var]:
    """The variables a statement itself (re)binds or, for scalars, overwrites."""
    if isinstance(s, Assign):
        return [s.target]
    if isinstance(s, Accum) and s.index is None:
        return [s.base]
    if isinstance(s, Multi):
        return [t for t in s.targets if t is not None]
    if isinstance(s, CallFn):
        return list(s.targets)
    if isinstance(s, Pop):
        return [s.target]
    if isinstance(s, For):
        return [s.var]
    return []


def map_stmts(body: Sequence[Stmt], f: Callable[[Any], Any]) -> list[Stmt]:
    """A deep copy of the statements with `f` applied to every expression node (bottom-up); `f` must map
    variables that are targets to variables."""
    m = lambda e: map_expr(e, f)
    out: list[Stmt] = []
    for s in body:
        if isinstance(s, Assign):
            n: Stmt = replace(s, target=m(s.target), value=m(s.value))
        elif isinstance(s, Store):
            n = replace(s, base=m(s.base), index=tuple(m(i) for i in s.index), value=m(s.value))
        elif isinstance(s, Accum):
            n = replace(s, base=m(s.base), index=None if s.index is None else tuple(m(i) for i in s.index), value=m(s.value))
        elif isinstance(s, If):
            n = replace(s, cond=m(s.cond), body=map_stmts(s.body, f), orelse=map_stmts(s.orelse, f))
        elif isinstance(s, For):
            n = replace(s, var=m(s.var), start=m(s.start), stop=m(s.stop), step=m(s.step), body=map_stmts(s.body, f), exit=s.exit and m(s.exit))
        elif isinstance(s, While):
            n = replace(s, cond=m(s.cond), body=map_stmts(s.body, f), exit=s.exit and m(s.exit))
        elif isinstance(s, Multi):
            n = replace(s, targets=[t and m(t) for t in s.targets], args=tuple(m(a) for a in s.args))
        elif isinstance(s, Append):
            n = replace(s, list=m(s.list), value=m(s.value))
        elif isinstance(s, Pop):
            n = replace(s, target=m(s.target), list=m(s.list))
        elif isinstance(s, Reserve):
            n = replace(s, buffer=m(s.buffer), size=m(s.size))
        elif isinstance(s, CallFn):
            n = replace(s, targets=[m(t) for t in s.targets], args=[m(a) for a in s.args])
        elif isinstance(s, Custom):
            n = replace(s, inputs=[m(v) for v in s.inputs], outputs=[m(v) for v in s.outputs], body=map_stmts(s.body, f),
                        seeds=[m(v) for v in s.seeds], back=map_stmts(s.back, f), grads=[None if g is None else m(g) for g in s.grads])
        elif isinstance(s, Recompute):
            n = replace(s, body=map_stmts(s.body, f))
        elif isinstance(s, Print):
            n = replace(s, parts=[m(p) if isinstance(p, Expr) else p for p in s.parts])
        elif isinstance(s, Raise):
            n = replace(s, message=[m(p) if isinstance(p, Expr) else p for p in s.message])
        elif isinstance(s, Return):
            n = replace(s, values=[m(v) for v in s.values])
        else:
            n = replace(s)
        out.append(n)
    return out
