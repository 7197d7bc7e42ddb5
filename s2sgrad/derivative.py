"""Derivative objects: callables with the user's signature."""

from __future__ import annotations

import inspect
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from s2sgrad import guess
from s2sgrad.callables import function_name, place_of, signature, unwrap
from s2sgrad.dispatch import Request, Template, template_for
from s2sgrad.errors import ArgumentError, NoSource, WrtError
from s2sgrad.pipeline import Derived, Options
from s2sgrad.structure import Leaf, Spec, Static


class _Doc:
    """A docstring of the class and another one for its instances."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __get__(self, instance: Any, owner: Any = None) -> str:
        if instance is None:
            return self.text
        mode, f = instance.template.request.mode, function_name(instance.fn)
        return f"{_TITLES[mode]} of {f} with respect to {', '.join(instance.wrt_names)}."


class Derivative:
    __doc__ = _Doc("""What `grad` and `value_and_grad` return: a function of the same arguments.

    It has the signature, the name and (as `__wrapped__`) the function it was made from, can be called from `@njit` code, can
    be differentiated again, pickled, and asked for its text with `source`.
    """)

    __slots__ = ("__call__", "__weakref__", "_faces", "_inlined", "fn", "parameters", "template")

    fn: Any
    template: Template

    def __init__(self, fn: Any, template: Template, parameters: dict[str, inspect.Parameter]) -> None:
        self.fn, self.template, self.parameters = fn, template, parameters
        self._faces: dict[Any, Any] = {}
        self._inlined: dict[Any, Any] = {}
        self.__call__ = make_front(fn, template, parameters)

    @property
    def wrt_names(self) -> list[str]:
        names = list(self.parameters)
        return [names[k] for k in self.template.request.wrt or ()]

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.Signature(list(self.parameters.values()))

    @property
    def __wrapped__(self) -> Any:
        return self.fn

    @property
    def __name__(self) -> str:
        middle = "grad" if self.template.request.mode == "grad" else "value_grad"
        return "_".join([function_name(self.fn), middle, *self.wrt_names])

    def __getattr__(self, name: str) -> Any:
        if name == "__qualname__":
            return self.__name__
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"<s2sgrad derivative {self.__name__}{self.__signature__}>"

    def __reduce__(self) -> Any:
        r = self.template.request
        assert r.wrt is not None
        return _rebuild, (self.fn, r.mode, r.wrt[0] if r.single else r.wrt, self.template.options)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def derived(self, *args: Any, **kwargs: Any) -> Derived:
        """The programs of the specialisation for these arguments (or type strings such as "float64[:]"); without arguments
        the last one used, else one from annotations, else one guessed from how the parameters are used."""
        return derived_for(self.fn, self.template, self.parameters, args, kwargs)

    def source(self, *args: Any, stage: str = "adjoint", **kwargs: Any) -> str:
        """The emitted text. `stage` is "adjoint" (what a person reads), "lowered" (what is compiled), "primal", "reverse"."""
        return self.derived(*args, **kwargs).text(stage)

    def stages(self, *args: Any, **kwargs: Any) -> dict[str, str]:
        """Stage name -> text, each of them Python that runs."""
        return self.derived(*args, **kwargs).stages

    def __s2sgrad_inline__(self, specs: Sequence[Spec]) -> Any:
        """A plain Python function with this derivative's arguments and results, made from its emitted text."""
        from s2sgrad.inline import Inlined

        key = tuple(specs)
        found = self._inlined.get(key)
        if found is None or not found.valid():
            found = self._inlined[key] = Inlined(self, key)
        return found.function

    @property
    def _numba_type_(self) -> Any:
        from s2sgrad.face import face_of

        return face_of(self)._type


_TITLES = {"grad": "Gradient", "value_and_grad": "Value and gradient"}


def _rebuild(fn: Any, mode: str, wrt: Any, options: Options) -> Derivative:
    return derivative(fn, mode, wrt, options)


_shared: weakref.WeakValueDictionary[int, Derivative] = weakref.WeakValueDictionary()


def derivative(fn: Any, mode: str, wrt: Any, options: Options) -> Derivative:
    """The derivative object of a function. Asking again for a function without captured variables gives the same object."""
    if isinstance(fn, (staticmethod, classmethod)):
        fn = fn.__func__
    if not callable(fn):
        raise NoSource(f"{fn!r} is not a function", hint="Pass the function itself, not its result: s2sgrad.grad(f)(x).")
    parameters = dict(signature(fn).parameters)
    require_source(fn)
    positions, single = wrt_positions(fn, parameters, wrt)
    template = template_for(fn, Request(mode, positions, single), options)
    old = _shared.get(id(template))
    if old is not None and old.fn is fn and old.template is template:
        return old
    new = Derivative(fn, template, parameters)
    _shared[id(template)] = new
    return new


def require_source(fn: Any) -> None:
    """A builtin or a C function is refused at once."""
    if hasattr(fn, "__s2sgrad_inline__") or hasattr(unwrap(fn), "__code__") or hasattr(fn, "__s2sgrad_function__"):
        return
    if isinstance(getattr(type(fn), "__call__", None), types.FunctionType):  # noqa: B004 - a method written in Python, not a slot
        return
    if hasattr(fn, "func") and hasattr(fn, "keywords"):  # functools.partial
        return require_source(fn.func)
    raise NoSource(
        f"{getattr(fn, '__name__', fn)!s} has no Python source to differentiate",
        hint="Wrap it in a Python function, or give it a derivative with s2sgrad.custom_gradient.",
    )


def wrt_positions(fn: Any, parameters: dict[str, inspect.Parameter], wrt: Any) -> tuple[tuple[int, ...], bool]:
    """(argument positions, was a single one asked for)."""
    single = not isinstance(wrt, (tuple, list))
    names = list(parameters)
    listed = f"its parameters are {', '.join(names)}" if names else "it has no parameters"
    out = []
    for w in (wrt,) if single else wrt:
        if isinstance(w, str):
            if w not in parameters:
                raise WrtError(f"{function_name(fn)} has no parameter {w!r}; {listed}", place_of(fn), "Name one of them in wrt.")
            k = names.index(w)
        elif isinstance(w, int) and not isinstance(w, bool):
            k = w + len(names) if w < 0 else w
            if not 0 <= k < len(names):
                raise WrtError(f"wrt={w} is out of range for {function_name(fn)}: {listed}", place_of(fn), "Positions count from 0.")
        else:
            raise WrtError(f"wrt must be a position, a name or a tuple of them, not {w!r}", place_of(fn))
        out.append(k)
    if not out:
        raise WrtError("wrt is empty", place_of(fn), "Name at least one parameter.")
    if len(set(out)) < len(out):
        raise WrtError(f"wrt names a parameter twice: {wrt!r}", place_of(fn))
    return tuple(out), single


# ---------------------------------------------------------------------------------------------- the front


def make_front(fn: Any, template: Template, parameters: dict[str, inspect.Parameter]) -> Callable[..., Any]:
    """A real function with the user's signature (Python itself binds the arguments); its code is made once per template."""
    if template.front_code is None:
        template.front_code = compile_front(parameters)
    defaults = tuple(p.default for p in parameters.values() if p.kind in _POSITIONAL and p.default is not p.empty)
    front = types.FunctionType(template.front_code, {"__name__": "s2sgrad"}, function_name(fn), defaults or None, (types.CellType(template.bind(fn)),))
    front.__kwdefaults__ = {p.name: p.default for p in parameters.values() if p.kind is p.KEYWORD_ONLY and p.default is not p.empty} or None
    return front


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def compile_front(parameters: dict[str, inspect.Parameter]) -> types.CodeType:
    """Code of `def front(<parameters>): return call((<positional>), {<keyword-only>})` with `call` as its free variable."""
    heads, positional, keywords, seen_star = [], [], [], False
    free = "call_"
    while free in parameters:
        free += "_"
    previous = None
    for p in parameters.values():
        if previous is p.POSITIONAL_ONLY and p.kind is not p.POSITIONAL_ONLY:
            heads.append("/")
        previous = p.kind
        default = "" if p.default is p.empty else "=None"
        if p.kind in _POSITIONAL:
            heads.append(p.name + default)
            positional.append(p.name)
        elif p.kind is p.VAR_POSITIONAL:
            heads.append("*" + p.name)
            positional.append("*" + p.name)
            seen_star = True
        elif p.kind is p.KEYWORD_ONLY:
            if not seen_star:
                heads.append("*")
                seen_star = True
            heads.append(p.name + default)
            keywords.append(f"{p.name!r}: {p.name}")
        else:
            heads.append("**" + p.name)
            keywords.append("**" + p.name)
    if previous is inspect.Parameter.POSITIONAL_ONLY:
        heads.append("/")
    args = "(" + "".join(a + ", " for a in positional) + ")"
    kw = ", {" + ", ".join(keywords) + "}" if keywords else ""
    text = f"def make({free}):\n    def front({', '.join(heads)}):\n        return {free}({args}{kw})\n    return front\n"
    scope: dict[str, Any] = {}
    exec(compile(text, "<s2sgrad front>", "exec"), scope)
    return scope["make"](None).__code__


def bind_arguments(fn: Any, parameters: dict[str, inspect.Parameter], args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """(positional values, keyword-only values) as the function declares them, defaults included."""
    try:
        bound = inspect.Signature(list(parameters.values())).bind(*args, **kwargs)
    except TypeError as e:
        raise ArgumentError(f"{function_name(fn)}: {e}", place_of(fn)) from None
    bound.apply_defaults()
    return list(bound.args), dict(bound.kwargs)


def derived_for(fn: Any, template: Template, parameters: dict[str, inspect.Parameter], args: Sequence[Any], kwargs: dict[str, Any]) -> Derived:
    """The programs for example arguments, for type strings, or without either for the last call, annotations or use."""
    if not args and not kwargs and parameters:
        if template.last is not None:
            return template.last.derived
        specs, kw = guess.specs(fn, parameters, wrt=template.request.wrt or ())
        return template.derive(fn, specs, kw)
    if any(isinstance(a, (str, Leaf)) for a in args) and all(guess.is_type(a) for a in args):
        specs = [guess.parse_type(a) if isinstance(a, str) else a for a in args]
        missing = list(parameters.values())[len(specs):]
        specs += [guess.default_spec(p) for p in missing if p.kind in _POSITIONAL]
        kw = {p.name: guess.default_spec(p) for p in missing if p.kind is p.KEYWORD_ONLY}
        return template.derive(fn, specs, kw)
    values, kw_values = bind_arguments(fn, parameters, args, kwargs)
    return template.entry(fn, values, kw_values or None)[0].derived


__all__ = ["Derivative", "Static", "bind_arguments", "derivative", "derived_for", "make_front", "wrt_positions"]
