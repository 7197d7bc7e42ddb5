"""From a call to a compiled specialisation.

A `Template` belongs to a function's *code* and a `Request` (what to compute); it keeps one `Entry` per combination of
argument types. It never holds the function itself, whose captured data may be large and change: captured and global data
are hidden arguments, read again at every call, and facts the specialisation was built on (which function a name means) are
checked again at every call.
"""

from __future__ import annotations

import functools
import threading
import types
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaError

from s2sgrad import frontend
from s2sgrad.arguments import (
    LAYOUT,
    SCALARS,
    build,
    check_differentiable,
    check_overlap,
    checked,
    fingerprint,
    gradient_maker,
)
from s2sgrad.callables import function_name, place_of, signature, unwrap
from s2sgrad.errors import Unsupported, WrtError
from s2sgrad.ir import Array, is_inexact
from s2sgrad.pipeline import Derived, Options, default_backend, derive
from s2sgrad.structure import UNITS, Leaf, Node, Spec, Static, children, flatten, leaves
from s2sgrad.wrapped import WRAPPERS, call_wrapped, wrapper_in

_ndarray = np.ndarray
_missing = object()


@dataclass(frozen=True)
class Request:
    """What a template computes.

    mode: 'primal', 'grad', 'value_and_grad', 'vjp' or 'jvp'. wrt: argument positions (after binding), or with `by_leaf` the
    positions of leaves; None: every leaf that can carry a derivative. single: the gradient is given bare, not in a tuple.
    """

    mode: str
    wrt: tuple[int, ...] | None = None
    single: bool = False
    by_leaf: bool = False
    finals: bool = False


class Group(NamedTuple):
    """What one variable of a request is among the arguments: one of them, those that `*args` collects (`many`), those of `**kwargs` (`keys`)."""

    indices: tuple[int, ...]
    many: bool = False
    keys: tuple[str, ...] | None = None

    def gather(self, gradients: Sequence[Any]) -> Any:
        """The gradient of the variable from those of its arguments."""
        if self.keys is not None:
            return dict(zip(self.keys, gradients, strict=True))
        return tuple(gradients) if self.many else gradients[0]


def groups_of(fn: Any, wrt: Sequence[int], count: int, keywords: Sequence[str]) -> list[Group]:
    """The variables of a request for a call with `count` positional arguments and these keyword ones."""
    parameters = list(signature(fn).parameters.values())
    named = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    only = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    out = []
    for k in wrt:
        p = parameters[k]
        if p.kind is p.VAR_POSITIONAL:
            out.append(Group(tuple(range(named, count)), many=True))
        elif p.kind is p.VAR_KEYWORD:
            extra = tuple(n for n in keywords if n not in only)
            out.append(Group(tuple(count + list(keywords).index(n) for n in extra), keys=extra))
        else:
            out.append(Group((count + list(keywords).index(p.name) if p.kind is p.KEYWORD_ONLY else k,)))
    return out


class Facts:
    """What a specialisation of a function was built on: the meaning of names, the types of captured data."""

    def __init__(self, fn: Any, derived: Derived) -> None:
        self.checks = [check_of(fn, access, static.value) for access, static in derived.primal.guards]
        self.reads = [Hidden(fn, access) for access in derived.primal.hidden]

    def hidden(self, fn: Any) -> tuple[Any, ...] | None:
        """The present hidden arguments; None when this specialisation does not hold for them."""
        try:
            for read, value, same in self.checks:
                found = read(fn)
                if found is not value and not same(found):
                    return None
            out = []
            for h in self.reads:
                value = h.read(fn)
                key = (value.dtype, value.ndim, value.flags.num & LAYOUT) if type(value) is _ndarray else fingerprint(value)
                if key != h.key:
                    return None
                out.append(value[()] if h.zero_d else value)
        except LOST:
            return None
        return tuple(out)


class Entry:
    """One compiled specialisation."""

    def __init__(self, derived: Derived, specs: Sequence[Spec], request: Request, fn: Any, backend: str, nested: bool,
                 groups: Sequence[Group] = ()) -> None:  # fmt: skip
        self.derived, self.specs, self.request = derived, tuple(specs), request
        self.fn = derived.callable(backend)
        self.plain = all(isinstance(s, Leaf) and not s.zero_d for s in specs)
        self.pack = packer(derived, self.specs, request, groups)
        self.facts = Facts(fn, derived)
        self.code = getattr(unwrap(fn), "__code__", None) if nested else None
        main = derived.primal.program.main
        params = [p.name for p in main.params]
        arrays = [k for k, p in enumerate(main.params) if isinstance(p.type, Array)]
        self.written = [k for k in arrays if params[k] in main.written] if len(arrays) > 1 else []
        self.names = params
        self.calls_hidden = bool(self.facts.checks or self.facts.reads or nested)
        self.hidden = self.nested_hidden if nested else self.facts.hidden

    def nested_hidden(self, fn: Any) -> tuple[Any, ...] | None:
        """The same for a derivative of a derivative: the text it was made from must still be the one."""
        root = root_function(fn, self.specs)
        return self.facts.hidden(root) if root.__code__ is self.code else None

    def leaves(self, args: Sequence[Any]) -> list[Any]:
        if self.plain:
            return list(args)
        return [leaf for a, s in zip(args, self.specs, strict=True) for leaf in flatten(a, s)]

    def call(self, fn: Any, args: Sequence[Any], hidden: tuple[Any, ...], extra: Sequence[Any] = ()) -> Any:
        """Run it on arguments that have its types; results are packed in the user's structures."""
        values = [*self.leaves(args), *hidden]
        if self.written:
            check_overlap(values, self.names, self.written, function_name(fn), place_of(fn))
        try:
            return self.pack(self.fn(*values, *extra))
        except (NumbaError, NotImplementedError) as e:
            raise not_compiled(fn, e) from e


def not_compiled(fn: Any, error: Exception) -> Unsupported:
    """numba's own refusal of an emitted function, in short."""
    first = next((line.strip() for line in str(error).splitlines() if line.strip() and not line.startswith("Failed in")), type(error).__name__)
    return Unsupported(
        f"numba cannot compile the derivative of {function_name(fn)}: {first}", place_of(fn),
        "With S2SGRAD_DISABLE_JIT=1 the same text runs in plain Python; source(..., stage='lowered') shows it.",
    )  # fmt: skip


# what reading a name can raise when the user has removed or rebound it
LOST = (KeyError, NameError, AttributeError, IndexError, TypeError)


class Check(NamedTuple):
    """A fact: what a name of the user's program means. `same` is asked where it is another object than at specialisation."""

    read: Callable[[Any], Any]
    value: Any
    same: Callable[[Any], bool]


def check_of(fn: Any, access: Any, value: Any) -> Check:
    if isinstance(value, types.FunctionType) and value.__closure__:
        code, scope = value.__code__, value.__globals__  # another closure of the same code: its captured data are hidden arguments too

        def same(v: Any) -> bool:
            return isinstance(v, types.FunctionType) and v.__code__ is code and v.__globals__ is scope

        return Check(reader(fn, access), None, same)
    template = getattr(value, "template", None)
    if isinstance(template, Template):  # another derivative object of the same code
        return Check(reader(fn, access), None, lambda v: getattr(v, "template", None) is template)
    static = Static(value)
    return Check(reader(fn, access), value, lambda v: Static(v) == static)


class Hidden:
    """A hidden argument: where it is read, and the fingerprint it must have."""

    def __init__(self, fn: Any, access: Any) -> None:
        self.read = reader(fn, access)
        value = self.read(fn)
        self.key = fingerprint(value)
        self.zero_d = isinstance(value, np.ndarray) and value.ndim == 0


def reader(fn: Any, access: Any) -> Callable[[Any], Any]:
    """A fast `frontend.read`, for functions of the code of `fn`, of the commonest accesses: a global, a closure variable."""
    if len(access) == 1 and hasattr(fn, "__code__"):
        kind, *rest = access[0]
        if kind == "global":
            (name,) = rest

            def read_global(f: Any) -> Any:
                value = f.__globals__.get(name, _missing)
                return frontend.read(f, access) if value is _missing else value

            return read_global
        if kind == "closure":
            index = fn.__code__.co_freevars.index(rest[0])
            return lambda f: f.__closure__[index].cell_contents
    return lambda f: frontend.read(f, access)


def packer(derived: Derived, specs: tuple[Spec, ...], request: Request, groups: Sequence[Group] = ()) -> Callable[[Any], Any]:
    """What turns the raw results (bare or a tuple of leaves) into what the user gets."""
    count = len(derived.program.main.returns)
    as_tuple = (lambda r: (r,)) if count == 1 else (lambda r: r) if count else (lambda r: ())
    if request.mode in ("vjp", "jvp") or request.by_leaf:
        return as_tuple
    if request.mode == "primal":
        result = derived.primal.result
        return lambda r: build(result, iter(as_tuple(r)))
    makers = [group_maker(g, specs) for g in groups]
    value = gradient_maker(derived.primal.result) if request.mode == "value_and_grad" else None
    single, first = request.single, makers[0]

    if count == 1 and len(groups[0].indices) == 1 and isinstance(specs[groups[0].indices[0]], Leaf):
        if first is next:
            return (lambda r: r) if single else lambda r: (r,)
        return (lambda r: first(iter((r,)))) if single else lambda r: (first(iter((r,))),)

    def pack(r: Any) -> Any:
        it = iter(as_tuple(r))
        v = None if value is None else value(it)
        grads = first(it) if single else tuple([m(it) for m in makers])
        return grads if value is None else (v, grads)

    return pack


def group_maker(group: Group, specs: Sequence[Spec]) -> Callable[[Any], Any]:
    if not group.many and group.keys is None:
        return gradient_maker(specs[group.indices[0]])
    makers = [gradient_maker(s) if any(is_inexact(leaf.type) for leaf in leaves(s)) else lambda it: None for s in (specs[k] for k in group.indices)]
    return lambda it: group.gather([m(it) for m in makers])


def check_group(specs: Sequence[Spec], name: str, fn: Any) -> None:
    """Something in a variable must be able to carry a derivative."""
    if not specs:
        raise WrtError(f"cannot differentiate {function_name(fn)} with respect to {name}: it is empty in this call", place_of(fn))
    if not any(is_inexact(leaf.type) for s in specs for leaf in leaves(s)):
        check_differentiable(specs[0], name, function_name(fn), place_of(fn))


class Template:
    """All specialisations of one function's code for one request."""

    def __init__(self, request: Request, options: Options) -> None:
        self.request, self.options = request, options
        self.families: dict[Any, list[Entry]] = {}
        self.fixed: dict[Any, tuple[Any, ...]] = {}  # argument types -> paths of arguments whose values belong to the key
        self.last: Entry | None = None
        self.front_code: Any = None

    def entry(self, fn: Any, args: Sequence[Any], kw: dict[str, Any] | None = None) -> tuple[Entry, tuple[Any, ...]]:
        """The entry for these arguments (specialised now if need be), and the present hidden arguments."""
        fn = python_function(fn)
        key: Any = tuple([fingerprint(a) for a in args])
        if kw:
            key = (key, tuple([(k, fingerprint(v)) for k, v in kw.items()]))
        if key in self.fixed:
            entries = self.families.get((key, fixed_values(self.fixed[key], args, kw)))
        else:
            entries = self.families.get(key)
        if entries is not None:
            for e in entries:
                hidden = e.hidden(fn)
                if hidden is not None:
                    self.last = e
                    return e, hidden
        return self.specialise(fn, args, kw, key)

    def specialise(self, fn: Any, args: Sequence[Any], kw: dict[str, Any] | None, key: Any) -> tuple[Entry, tuple[Any, ...]]:
        """Derive and compile for the types of these arguments. Serialised by numba's own lock, the only one needed."""
        with global_compiler_lock:
            full = (key, fixed_values(self.fixed[key], args, kw)) if key in self.fixed else key
            for e in self.families.get(full, ()):  # another thread may have been faster
                hidden = e.hidden(fn)
                if hidden is not None:
                    return e, hidden
            names, place = parameter_names(fn, len(args)), place_of(fn)
            specs = [checked(a, n, place) for a, n in zip(args, names, strict=True)]
            kw_specs = {k: checked(v, k, place) for k, v in (kw or {}).items()}
            e, fixed = self.build_fixing(fn, specs, kw_specs, args, kw or {}, self.fixed.get(key, ()))
            hidden = e.hidden(fn)
            assert hidden is not None, "the facts changed while compiling"
            if fixed:
                self.fixed[key] = fixed
            family = self.families.setdefault((key, fixed_values(fixed, args, kw)) if fixed else key, [])
            family.insert(0, e)
            del family[32:]
            self.last = e
            return e, hidden

    def build_fixing(
        self, fn: Any, specs: list[Spec], kw_specs: dict[str, Spec], args: Sequence[Any], kw: dict[str, Any], fixed: tuple[Any, ...]
    ) -> tuple[Entry, tuple[Any, ...]]:
        """Build; an argument that decides the structure of the program (an axis, a number of dimensions) is fixed at its value.
        Returns the entry and the paths of the arguments that are fixed."""
        while True:
            for path in fixed:
                specs, kw_specs = with_fixed(specs, kw_specs, path, value_at(path, args, kw))
            try:
                return self.build(fn, specs, kw_specs, default_backend()), fixed
            except Unsupported as e:
                path = e.origin[1:]
                if not e.origin or e.origin[0] != "arg" or path in fixed or isinstance(value_at(path, args, kw), np.ndarray | types.NoneType):
                    raise
                fixed = (*fixed, path)

    def build(self, fn: Any, specs: Sequence[Spec], kw_specs: dict[str, Spec], backend: str) -> Entry:
        every = [*specs, *kw_specs.values()]
        nested = hasattr(fn, "__s2sgrad_inline__")
        groups = self.groups(fn, specs, kw_specs)
        return Entry(self.derive(fn, specs, kw_specs), every, self.request, root_function(fn, every), backend, nested, groups)

    def groups(self, fn: Any, specs: Sequence[Spec], kw_specs: dict[str, Spec]) -> list[Group]:
        r = self.request
        return [] if r.by_leaf or r.wrt is None else groups_of(fn, r.wrt, len(specs), list(kw_specs))

    def derive(self, fn: Any, specs: Sequence[Spec], kw_specs: dict[str, Spec] | None = None, again: bool = False) -> Derived:
        """The derived program for argument specs; `again`: see `pipeline.derive`."""
        kw_specs = kw_specs or {}
        every = [*specs, *kw_specs.values()]
        names = [*parameter_names(fn, len(specs)), *kw_specs]
        r = self.request
        groups = self.groups(fn, specs, kw_specs)
        parameters = list(signature(fn).parameters)
        for g, k in zip(groups, r.wrt or () if groups else (), strict=True):
            check_group([every[i] for i in g.indices], parameters[k] if g.many or g.keys is not None else names[g.indices[0]], fn)
        flat = r if r.by_leaf or r.wrt is None else replace(r, wrt=tuple(k for g in groups for k in g.indices))
        positions = leaf_positions(every, flat)
        labels = [parameters[k] for k in r.wrt or ()] if r.mode in ("grad", "value_and_grad") else []
        return derive(
            root_function(fn, every), specs, r.mode, positions, kw=kw_specs or None, finals=r.finals,
            options=self.options, name=function_name(fn), labels=labels, again=again,
        )  # fmt: skip

    def bind(self, fn: Any) -> Callable[..., Any]:
        """The function that a front calls: `call(args, kw=None)`. The quick road is all here."""
        families, entry, fn_ = self.families, self.entry, python_function(fn)

        def call(args: tuple[Any, ...], kw: dict[str, Any] | None = None) -> Any:
            if kw is None:
                key = tuple([
                    (a.dtype, a.ndim, a.flags.num & LAYOUT) if type(a) is _ndarray else type(a) if type(a) in SCALARS else fingerprint(a)
                    for a in args
                ])  # fmt: skip
                entries = families.get(key)
                if entries is not None:
                    e = entries[0]
                    if e.plain and not e.written:
                        if not e.calls_hidden:
                            return e.pack(e.fn(*args))
                        hidden = e.hidden(fn_)
                        if hidden is not None:
                            return e.pack(e.fn(*args, *hidden))
            if WRAPPERS and wrapper_in((args, kw or {})) is not None:
                return call_wrapped(call, functools.partial(rebuild_derivative, fn, self), args, kw)
            e, hidden = entry(fn_, args, kw)
            return e.call(fn_, [*args, *kw.values()] if kw else args, hidden)

        return call


def value_at(path: Sequence[Any], args: Sequence[Any], kw: dict[str, Any] | None) -> Any:
    """The number at a path into the arguments: (position or keyword, key, key, ...); with UNITS at its end which extents of an array are 1."""
    if path[-1] == UNITS:
        array = value_at(path[:-1], args, kw)
        return tuple([n == 1 for n in array.shape]) if isinstance(array, np.ndarray) else None
    value = (kw or {})[path[0]] if isinstance(path[0], str) else args[path[0]]
    for key in path[1:]:
        found = children(value)
        assert found is not None
        value = found[2][list(found[1]).index(key)]
    return value


def fixed_values(paths: Sequence[Any], args: Sequence[Any], kw: dict[str, Any] | None) -> tuple[Any, ...]:
    return tuple([value_at(p, args, kw) for p in paths])


def with_fixed(specs: list[Spec], kw_specs: dict[str, Spec], path: Sequence[Any], value: Any) -> tuple[list[Spec], dict[str, Spec]]:
    """The specs with the leaf at `path` replaced by its value."""
    if isinstance(path[0], str):
        return specs, kw_specs | {path[0]: _fixed(kw_specs[path[0]], path[1:], value)}
    return [_fixed(s, path[1:], value) if k == path[0] else s for k, s in enumerate(specs)], kw_specs


def _fixed(spec: Spec, path: Sequence[Any], value: Any) -> Spec:
    if not path:
        return Static(value)
    if path == (UNITS,):
        assert isinstance(spec, Leaf)
        return replace(spec, units=value)
    assert isinstance(spec, Node)
    return replace(spec, children=tuple(_fixed(c, path[1:], value) if k == path[0] else c for k, c in zip(spec.keys, spec.children, strict=True)))


def python_function(fn: Any) -> Any:
    """The Python function of a numba dispatcher; anything else as it is."""
    return getattr(fn, "py_func", fn)


def root_function(fn: Any, specs: Sequence[Spec]) -> Any:
    """What the front end reads: the function, or for a derivative object its emitted text as a function."""
    inline = getattr(fn, "__s2sgrad_inline__", None)
    return python_function(fn) if inline is None else inline(tuple(specs))


def leaf_positions(specs: Sequence[Spec], request: Request) -> tuple[int, ...]:
    """Which leaves the program is differentiated by."""
    if request.by_leaf:
        return moved_up(specs, request.wrt or ())
    starts: list[int] = []
    flat: list[Leaf] = []
    for s in specs:
        starts.append(len(flat))
        flat += leaves(s)
    wanted = range(len(specs)) if request.wrt is None else request.wrt
    inside = [k for a in wanted for k in range(starts[a], starts[a] + len(leaves(specs[a])))]
    return tuple(k for k in inside if is_inexact(flat[k].type))


def moved_up(specs: Sequence[Spec], wanted: Sequence[int]) -> tuple[int, ...]:
    """The positions of leaves among those that are left when arguments have been fixed at their values."""
    place: dict[int, int] = {}
    for k, part in enumerate(p for s in specs for p in numeric_parts(s)):
        if isinstance(part, Leaf):
            place[k] = len(place)
    return tuple(place[k] for k in wanted)


def numeric_parts(spec: Spec) -> list[Spec]:
    """The numbers and arrays of an argument in order, those included that are fixed at their values."""
    if isinstance(spec, Node):
        return [p for c in spec.children for p in numeric_parts(c)]
    return [spec] if isinstance(spec, Leaf) or isinstance(spec.value, bool | int | float | complex | np.generic) else []


def parameter_names(fn: Any, count: int) -> list[str]:
    """Names for the positional arguments (extra ones of `*args` are called args[0], args[1], ...)."""
    named, star = [], "arg"
    for p in signature(fn).parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            star = p.name
        elif p.kind is not p.KEYWORD_ONLY and p.kind is not p.VAR_KEYWORD:
            named.append(p.name)
    return [named[k] if k < len(named) else f"{star}[{k - len(named)}]" for k in range(count)]


# ------------------------------------------------------------------------------------------- registry

_lock = threading.RLock()  # only guards the dictionaries; never held while compiling
_templates: dict[int, tuple[Any, dict[Any, Template]]] = {}


def template_for(fn: Any, request: Request, options: Options) -> Template:
    """The template of a function's code. Equal code objects of two files compare equal, so the key is the object's identity;
    the entry disappears with it."""
    owner, extra = owner_of(fn)
    key = id(owner)
    with _lock:
        found = _templates.get(key)
        if found is None or (found[0]() if isinstance(found[0], weakref.ref) else found[0]) is not owner:
            found = _templates[key] = (holder(owner, key), {})
        slot = (extra, request, options)
        template = found[1].get(slot)
        if template is None:
            template = found[1][slot] = Template(request, options)
        return template


def owner_of(fn: Any) -> tuple[Any, Any]:
    """(what a template belongs to, what else tells functions apart)."""
    template = getattr(fn, "template", None)
    if isinstance(template, Template):  # a derivative of a derivative
        return template, id(getattr(unwrap(fn.fn), "__globals__", None))
    plain = unwrap(fn)
    code = getattr(plain, "__code__", None)
    if code is None:
        return fn, None
    return code, (id(plain.__globals__), isinstance(fn, types.MethodType))


def holder(owner: Any, key: int) -> Any:
    try:
        return weakref.ref(owner, lambda _, k=key, table=_templates: table.pop(k, None))  # type: ignore[misc]  # globals are gone when Python ends
    except TypeError:
        return owner


def clear_templates() -> None:
    """Forget every specialisation (used by tests)."""
    with _lock:
        _templates.clear()


def rebuild_derivative(fn: Any, template: Template) -> Any:
    """The derivative object that a template computes for a function."""
    from s2sgrad.derivative import derivative

    r = template.request
    return derivative(fn, r.mode, r.wrt[0] if r.single and r.wrt else r.wrt, template.options)


__all__ = ["Entry", "Request", "Template", "clear_templates", "template_for"]
