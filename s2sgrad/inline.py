"""A derivative as a plain Python function: its emitted text behind an adapter with the user's parameters.

The adapter is what the front end inlines when a derivative is called inside a differentiated function, or is
differentiated itself. Captured variables stay captured: the adapter's free variables are the user's own cells.
"""

from __future__ import annotations

import hashlib
import linecache
import sys
import types
from collections.abc import Sequence
from typing import Any

from s2sgrad import frontend
from s2sgrad.callables import plain, unwrap
from s2sgrad.dispatch import Facts, groups_of, root_function
from s2sgrad.errors import Unsupported
from s2sgrad.ir import is_inexact
from s2sgrad.pipeline import Derived
from s2sgrad.structure import Leaf, Node, Spec, Static


class Inlined:
    """The adapter for one combination of argument types, valid while the facts it was built on hold."""

    def __init__(self, derivative: Any, specs: Sequence[Spec]) -> None:
        self.derived = split_derive(derivative, specs, again=True)
        self.fn = root_function(derivative.fn, specs)
        self.function = adapter(derivative, self.derived, specs, self.fn)
        self.facts = Facts(self.fn, self.derived)

    def valid(self) -> bool:
        return self.facts.hidden(self.fn) is not None


def split_derive(derivative: Any, specs: Sequence[Spec], again: bool = False) -> Derived:
    """Derive for specs given in the order of the parameters, keyword-only ones included; `again`: see `pipeline.derive`."""
    names, keyword = flat_parameters(derivative, len(specs))
    positional = [s for s, k in zip(specs, keyword, strict=True) if not k]
    named = {n: s for n, s, k in zip(names, specs, keyword, strict=True) if k}
    return derivative.template.derive(derivative.fn, positional, named, again)


def flat_parameters(derivative: Any, count: int) -> tuple[list[str], list[bool]]:
    """Names for this many arguments (what `*args` collects has a name for each), and whether they go by keyword only."""
    parameters = list(derivative.parameters.values())
    extra = count - sum(p.kind is not p.VAR_POSITIONAL for p in parameters)
    names, keyword = [], []
    for p in parameters:
        if p.kind is p.VAR_KEYWORD:
            raise Unsupported(f"a derivative of a function with **{p.name} is differentiated again, or called inside of another function: not supported",
                              hint="Take them as one dict parameter instead.")  # fmt: skip
        own = [f"{p.name}_{k}" for k in range(extra)] if p.kind is p.VAR_POSITIONAL else [p.name]
        names += own
        keyword += [p.kind is p.KEYWORD_ONLY] * len(own)
    return names, keyword


def gradient_texts(derivative: Any, specs: Sequence[Spec], parts: Any, free: Any) -> list[str]:
    """The expressions of the gradients, one for each variable."""
    names, keyword = flat_parameters(derivative, len(specs))
    only = [n for n, k in zip(names, keyword, strict=True) if k]
    out = []
    for g in groups_of(derivative.fn, derivative.template.request.wrt or (), len(names) - len(only), only):
        texts = [gradient_text(specs[k], parts, free) for k in g.indices]
        out.append("(" + "".join(t + ", " for t in texts) + ")" if g.many else texts[0])
    return out


def load_text(text: str, name: str, scope: dict[str, Any] | None = None) -> Any:
    """Run module text that tracebacks and `inspect` can find; returns what `name` means there."""
    file = f"<s2sgrad {name} {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"__name__": "s2sgrad.runtime.generated"} if scope is None else scope
    exec(compile(text, file, "exec", dont_inherit=True), scope)
    return scope[name]


def adapter(derivative: Any, derived: Derived, specs: Sequence[Spec], root: Any) -> types.FunctionType:
    """`def f_grad_x(<parameters>): r = leaf(<leaves>, <hidden>); return <structure>`."""
    names, keyword = flat_parameters(derivative, len(specs))
    free = Free(set(names), plain(root).__globals__)
    leaf = free.bind("leaf", load_text(derived.text(), derived.name))
    given = [e for n, s in zip(names, specs, strict=True) for e in leaf_expressions(n, s)]
    given += [free.expression(root, access) for access in derived.primal.hidden]
    request = derivative.template.request
    count = len(derived.program.main.returns)
    parts = iter(["result"] if count == 1 else [f"result[{k}]" for k in range(count)])
    value = next(parts) if request.mode == "value_and_grad" else ""
    grads = gradient_texts(derivative, specs, parts, free)
    out = grads[0] if request.single else "(" + "".join(g + ", " for g in grads) + ")"
    out = f"({value}, {out})" if value else out
    result = free.fresh("result")
    heads = ["*" if k else "" for k in keyword]
    head = ", ".join((("*, " if h and "*" not in heads[:k] else "") + n) for k, (n, h) in enumerate(zip(names, heads, strict=True)))
    out = out.replace("result", result) if result != "result" else out
    text = (
        f"def make({', '.join(free.cells)}):\n"
        f"    def {derived.name}({head}):\n"
        f"        {result} = {leaf}({', '.join(given)})\n"
        f"        return {out}\n"
        f"    return {derived.name}\n"
    )
    made = load_text(text, "make")(*[None] * len(free.cells))
    cells = tuple(free.cells[n] for n in made.__code__.co_freevars)
    return types.FunctionType(made.__code__, plain(root).__globals__, derived.name, None, cells)


class Free:
    """The free variables of an adapter."""

    def __init__(self, taken: set[str], scope: dict[str, Any]) -> None:
        self.taken, self.globals = set(taken), scope
        self.cells: dict[str, types.CellType] = {}

    def fresh(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def bind(self, name: str, value: Any) -> str:
        return self.share(name, types.CellType(value))

    def share(self, name: str, cell: types.CellType) -> str:
        for known, c in self.cells.items():
            if c is cell:
                return known
        name = self.fresh(name)
        self.cells[name] = cell
        return name

    def expression(self, root: Any, access: Sequence[Any]) -> str:
        """An expression that reads a hidden argument where the user's program reads it."""
        text, value = "", root
        for k, step in enumerate(access):
            kind = step[0]
            if kind == "closure":
                f = unwrap(value)
                text = self.share(step[1], f.__closure__[f.__code__.co_freevars.index(step[1])])
            elif kind == "global":
                text = self.global_(unwrap(value), step[1])
            elif kind == "attr" and text:
                text = f"{text}.{step[1]}"
            elif kind == "item" and text:
                text = f"{text}[{step[1]!r}]"
            else:
                text = ""
            value = frontend.read(root, tuple(access[: k + 1]))
            if not text:
                text = self.bind("captured", value)
        return text

    def global_(self, f: types.FunctionType, name: str) -> str:
        if f.__globals__ is self.globals and name not in self.taken:
            return name
        module = sys.modules.get(f.__globals__.get("__name__", ""))
        if module is None or module.__dict__ is not f.__globals__:
            raise Unsupported(f"the global {name} of {f.__name__} is read by a derivative that is differentiated again, from a module that "
                              "is not importable", hint="Pass it as an argument.")  # fmt: skip
        return f"{self.bind(module.__name__.rpartition('.')[2], module)}.{name}"


def leaf_expressions(text: str, spec: Spec) -> list[str]:
    """Expressions of the numeric leaves of a parameter, in order."""
    if isinstance(spec, Leaf):
        return [text]
    if isinstance(spec, Static):
        return []
    attribute = spec.kind in ("namedtuple", "dataclass", "object")
    return [
        e
        for k, child in zip(spec.keys, spec.children, strict=True)
        for e in leaf_expressions(f"{text}.{k}" if attribute else f"{text}[{k!r}]", child)
    ]


def gradient_text(spec: Spec, parts: Any, free: Free) -> str:
    """The expression that builds a gradient in the structure of its argument."""
    if isinstance(spec, Leaf):
        return next(parts) if is_inexact(spec.type) else "None"
    if isinstance(spec, Static):
        return "None"
    items = [gradient_text(c, parts, free) for c in spec.children]
    return structure_text(spec, items, free)


def structure_text(spec: Node, items: Sequence[str], free: Free) -> str:
    if spec.kind == "tuple":
        return "(" + "".join(i + ", " for i in items) + ")"
    if spec.kind == "list":
        return "[" + ", ".join(items) + "]"
    if spec.kind == "dict":
        return "{" + ", ".join(f"{k!r}: {i}" for k, i in zip(spec.keys, items, strict=True)) + "}"
    if spec.kind in ("namedtuple", "dataclass"):
        return f"{free.bind(spec.cls.__name__, spec.cls)}({', '.join(f'{k}={i}' for k, i in zip(spec.keys, items, strict=True))})"
    raise Unsupported(f"a derivative by an object of class {spec.cls.__name__} cannot be differentiated again",
                      hint="Make the class a dataclass, or use a tuple or a dict.")  # fmt: skip
