"""Eager operations on tensors.

An operation is a plain function in the language that s2sgrad differentiates (`def reduce_sum(input_tensor, axis=None, keepdims=False):
return np.sum(...)`). Called on tensors it runs on their NumPy arrays, and active tapes record the function, its inputs and its outputs.
A tape differentiates the function through the same road as `grad`: no derivative is written here. Inside a compiled function the
frontend inlines the same plain function (`__s2sgrad_numpy__`).
"""

from __future__ import annotations

import functools
import inspect
import linecache
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad import dtypes
from s2sgrad.dtypes import DType
from s2sgrad.errors import InvalidArgumentError
from s2sgrad.operators import OPS, Operators
from s2sgrad.shapes import TensorShape
from s2sgrad.tensor import Tensor, convert_to_tensor, make, same_dtype, title_of

# ------------------------------------------------------------------------------------------------ recording


class _Active(threading.local):
    def __init__(self) -> None:
        self.tapes: tuple[Any, ...] = ()


_active = _Active()


def tapes() -> tuple[Any, ...]:
    """The recorders (tapes, forward accumulators) that see what this thread computes."""
    return _active.tapes


class recording:
    """`with recording(tapes):` replaces the recorders of this thread; `recording(())` records nothing."""

    def __init__(self, to: Sequence[Any]) -> None:
        self.to = tuple(to)

    def __enter__(self) -> None:
        self.outer, _active.tapes = _active.tapes, self.to

    def __exit__(self, *exc: Any) -> None:
        _active.tapes = self.outer


def start(recorder: Any) -> None:
    _active.tapes = (*_active.tapes, recorder)


def stop(recorder: Any) -> None:
    _active.tapes = tuple(t for t in _active.tapes if t is not recorder)


def differentiable(t: Any) -> bool:
    return t.dtype.is_floating or t.dtype.is_complex


class Record:
    """One recorded call. `links[o]` lists the inputs that output o depends on smoothly; `kernel` is the plain function."""

    __slots__ = ("inputs", "kernel", "links", "outputs")

    def __init__(self, kernel: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor], links: Sequence[Sequence[int]]) -> None:
        self.kernel, self.inputs, self.links = kernel, tuple(inputs), links
        self.outputs = [Slot(t) for t in outputs]

    def backward(self, dys: Sequence[Tensor | None], wanted: Sequence[int]) -> list[Tensor | None]:
        """Gradients of the wanted inputs, from those of the outputs: a call of the generated pull-back, itself an eager call."""
        out: list[Tensor | None] = []
        if all(self.inputs[k]._array.size == 0 for k in wanted):
            return [Slot(self.inputs[k]).zeros() for k in wanted]
        seeds = [slot.zeros() if dy is None else dy for slot, dy in zip(self.outputs, dys, strict=True) if differentiable(slot)]
        back = self.kernel.pullback(self.inputs, tuple(wanted))
        out += back([*self.inputs, *seeds])
        return out

    def forward(self, dots: Sequence[Tensor | None]) -> list[Tensor | None]:
        """Tangents of the outputs, from those of the inputs."""
        given = [k for k, d in enumerate(dots) if d is not None]
        push = self.kernel.pushforward(self.inputs, tuple(given))
        new = iter(push([*self.inputs, *(d for d in dots if d is not None)]))
        return [next(new) if differentiable(slot) else None for slot in self.outputs]


class Slot:
    """What a tape keeps of an output: its identity, shape and dtype, not its data."""

    __slots__ = ("dtype", "id", "shape")

    def __init__(self, t: Tensor) -> None:
        self.id, self.shape, self.dtype = t._id, t._array.shape, t.dtype

    def zeros(self) -> Tensor:
        return make(np.zeros(self.shape, self.dtype.dtype), self.dtype if self.dtype.name == "bfloat16" else None)


def record(made: Record) -> None:
    """Tell every active recorder."""
    for t in _active.tapes:
        t.record(made)


def watch_access(variable: Any) -> None:
    for t in _active.tapes:
        t.accessed(variable)


# ------------------------------------------------------------------------------------------------ kernels


class Kernel:
    """A plain function of arrays with its generated derivatives.

    kink: comparisons inside its *derivative* are those of a kink (relu): the second derivative is then zero, not missing. guard: zero
    times an infinite partial is zero. rules: for an input a plain function (*inputs, dy) that is the interface's convention where it is
    not that of our rule.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        name: str,
        links: Callable[..., Any] | None = None,
        kink: bool = False,
        guard: bool = True,
        rules: dict[int, Callable[..., Any]] | None = None,
    ) -> None:
        self.fn, self.name, self._links, self.kink, self.guard, self.rules = fn, name, links, kink, guard, rules or {}
        self.cache: dict[Any, Any] = {}

    def __call__(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """Run on tensors, recorded."""
        out = self.fn(*(t._array if t._array.ndim else t._array[()] for t in inputs))
        outputs = [Tensor(v) for v in (out if isinstance(out, (tuple, list)) else (out,))]
        self.note(inputs, outputs)
        return outputs

    def note(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        """Record a call that has been computed."""
        if _active.tapes and any(t.sees(inputs) for t in _active.tapes):
            record(Record(self, inputs, outputs, self.links(inputs, outputs)))

    def links(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> list[list[int]]:
        possible = [k for k, t in enumerate(inputs) if differentiable(t)]
        if self._links is not None:
            return self._links(self, inputs, outputs)
        return [possible if differentiable(o) else [] for o in outputs]

    def pullback(self, inputs: Sequence[Tensor], wanted: tuple[int, ...]) -> Kernel:
        """The kernel that maps inputs and adjoints of the (differentiable) outputs to adjoints of the wanted inputs."""
        from s2sgrad import adjoints

        return adjoints.pullback(self, inputs, wanted)

    def pushforward(self, inputs: Sequence[Tensor], given: tuple[int, ...]) -> Kernel:
        from s2sgrad import adjoints

        return adjoints.pushforward(self, inputs, given)


_texts: dict[str, Callable[..., Any]] = {}


def function_of_text(text: str, name: str, names: dict[str, Any]) -> Callable[..., Any]:
    """A function of generated source whose lines can be found again (by tracebacks and by the frontend)."""
    file = f"<s2sgrad eager {name} {len(linecache.cache)}>"
    space: dict[str, Any] = {"np": np, "__name__": "s2sgrad.runtime.generated", **names}
    exec(compile(text, file, "exec"), space)
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    return space[name]


# ------------------------------------------------------------------------------------------------ operations

_SKIP = ("name",)
ARITHMETIC = frozenset(
    "add subtract multiply truediv floordiv floormod pow maximum minimum squared_difference atan2 add_n clip_by_value equal not_equal less "
    "less_equal greater greater_equal".split()
)
"""Operations in which NumPy itself gives a Python number the dtype of the tensor beside it."""


class Ruled:
    """A plain function with gradients of its own, as compiled code splices them: `grad(dy, *args)`, see `custom_gradient`."""

    __s2sgrad_custom__ = True

    def __init__(self, fn: Callable[..., Any], rules: dict[str, Callable[..., Any]], tensors: Sequence[str]) -> None:
        self.function, self.__name__ = fn, fn.__name__
        names = list(inspect.signature(fn).parameters)
        options = "".join(f", {n}" for n in names if n not in tensors)
        parts = [f"rule_{n}({', '.join(tensors)}, dy{options})" if n in rules else "None" for n in names]
        text = f"def grad(dy, {', '.join(names)}):\n    return {', '.join(parts)},\n"
        self.grad = function_of_text(text, "grad", {f"rule_{n}": r for n, r in rules.items()})


class Op:
    """An eager operation made of a plain function.

    tensors: its parameters that are tensors (default: those without a default value); lists: those that are lists of tensors; index:
    tensor parameters that keep their own dtype (indices, conditions); links: parameters the results depend on smoothly
    (default: all tensors but `index`; () for step functions); as_input: results take the dtype of the first tensor; prepare:
    normalises the static values of a call; result: turns the tuple of results into what the caller gets; empty: the function for arrays
    without elements, where NumPy refuses; guard, rules: see `Kernel`, rules by parameter; spliced: compiled code uses the rules too;
    value: a faster function for the value.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        *,
        name: str = "",
        tensors: Sequence[str] | None = None,
        lists: Sequence[str] = (),
        index: Sequence[str] = (),
        links: Sequence[str] | None = None,
        as_input: bool = False,
        kink: bool = False,
        check: Callable[..., None] | None = None,
        prepare: Callable[[dict[str, Any]], None] | None = None,
        result: Callable[..., Any] | None = None,
        compiled: Callable[..., Any] | None = None,
        empty: Callable[..., Any] | None = None,
        guard: bool = True,
        rules: dict[str, Callable[..., Any]] | None = None,
        spliced: bool = False,
        value: Callable[..., Any] | None = None,
    ) -> None:
        functools.update_wrapper(self, fn)
        self.fn, self.name = fn, name or fn.__name__
        self.__name__ = self.name
        self.signature = inspect.signature(fn)
        self.params = tuple(self.signature.parameters.values())
        required = [p.name for p in self.params if p.default is p.empty]
        self.tensors = tuple(tensors if tensors is not None else required)
        self.lists, self.index = frozenset(lists), frozenset(index)
        self.smooth = frozenset(links if links is not None else [t for t in self.tensors if t not in self.index])
        self.as_input, self.kink, self.check, self.prepare, self.result, self.empty = as_input, kink, check, prepare, result, empty
        self.guard, self.rules, self.value = guard, rules or {}, value or fn
        self.__s2sgrad_tensors__ = (self.tensors, self.lists, self.index, self.name in ARITHMETIC)
        self.__s2sgrad_numpy__ = compiled or (Ruled(fn, self.rules, self.tensors) if spliced else fn)
        self.kernels: dict[Any, Kernel] = {}
        OPS[self.name] = self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        values = self.bind(args, kwargs)
        statics = {k: v for k, v in values.items() if k not in self.tensors}
        if self.prepare is not None:
            self.prepare(statics)
        statics = {k: static(v) for k, v in statics.items()}
        groups = self.convert({k: values[k] for k in self.tensors})
        inputs = [t for g in groups.values() for t in (g if isinstance(g, list) else [g]) if t is not None]
        if self.check is not None:
            self.check(*(groups[k] for k in self.tensors), **statics)
        out = self.run(groups, statics)
        parts = out if isinstance(out, (tuple, list)) else (out,)
        outputs = [self.wrap(v, inputs) for v in parts]
        if _active.tapes and self.smooth and any(t.sees(inputs) for t in _active.tapes):
            self.kernel(groups, statics).note(inputs, outputs)
        if self.result is not None:
            return self.result(outputs)
        if isinstance(out, tuple):
            return type(out)(*outputs) if hasattr(out, "_fields") else tuple(outputs)
        return outputs if isinstance(out, list) else outputs[0]

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        if kwargs:
            kwargs = {k: v for k, v in kwargs.items() if k not in _SKIP}
        if len(args) > len(self.params):
            args = args[: len(self.params)] if args[len(self.params)] is None or isinstance(args[len(self.params)], str) else args
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as e:
            raise TypeError(f"{self.name}() {e}") from None
        bound.apply_defaults()
        return bound.arguments

    def convert(self, given: dict[str, Any]) -> dict[str, Any]:
        """Tensors of the arguments. Those that must agree in dtype take it from the first that has one."""
        matched = [k for k in given if k not in self.index]
        leaves = [v for k in matched for v in (list(given[k]) if k in self.lists else [given[k]])]
        hint = next((v.dtype for v in leaves if isinstance(v, Operators)), None)
        if hint is None:
            hint = next(
                (dtypes.as_dtype(v.dtype) for v in leaves if isinstance(v, (np.ndarray, np.generic)) and v.dtype.kind in "fciub"), None
            )
        if hint is None and len(leaves) > 1 and any(isinstance(v, float) for v in leaves):
            hint = dtypes.float32
        out: dict[str, Any] = {}
        for k, v in given.items():
            if v is None and self.signature.parameters[k].default is None:
                out[k] = None
            elif k in self.lists:
                items = list(v) if isinstance(v, (list, tuple)) else list(convert_to_tensor(v))
                out[k] = [_matching(x, None if k in self.index else hint) for x in items]
            else:
                out[k] = _matching(v, None if k in self.index else hint)
        together = [t for k in matched for t in (out[k] if isinstance(out[k], list) else [out[k]]) if t is not None]
        if len(together) > 1:
            same_dtype(self.name, [t.dtype for t in together])
        return out

    def run(self, groups: dict[str, Any], statics: dict[str, Any]) -> Any:
        arrays = {k: [_leaf(t) for t in g] if isinstance(g, list) else None if g is None else _leaf(g) for k, g in groups.items()}
        try:
            with np.errstate(all="ignore"):
                none = self.empty is not None and any(np.size(a) == 0 for a in arrays.values() if a is not None)
                return self.empty(**arrays, **statics) if none else self.value(**arrays, **statics)  # type: ignore[misc]
        except ValueError as e:
            text = "Input is not invertible." if str(e) == "Singular matrix" else str(e)
            if "could not be broadcast together" in text:
                shapes = [list(t.shape) for g in groups.values() for t in (g if isinstance(g, list) else [g]) if t is not None]
                text = "Incompatible shapes: " + " vs. ".join(map(str, shapes))
            raise InvalidArgumentError(f"{text} [Op:{title_of(self.name)}]") from e
        except IndexError as e:
            raise InvalidArgumentError(f"{e} [Op:{title_of(self.name)}]") from e

    def wrap(self, value: Any, inputs: Sequence[Tensor]) -> Tensor:
        a = np.asarray(value)
        if not inputs:
            return Tensor(a)
        first = inputs[0]
        if self.as_input and a.dtype != first._array.dtype:
            a = a.astype(first._array.dtype)
        if any(a is t._array or a.base is not None and a.base is t._array for t in inputs):
            a = a.view()  # tensors are immutable: sharing memory is safe
        bf16 = first._dtype if first._dtype is not None and a.dtype == np.float32 else None
        return make(a, bf16)

    def kernel(self, groups: dict[str, Any], statics: dict[str, Any]) -> Kernel:
        """The plain function of this call's tensors alone, the other values written into it."""
        shape = tuple((k, len(g) if isinstance(g, list) else g is None) for k, g in groups.items())
        key = (shape, tuple((k, repr(v)) for k, v in statics.items()))
        if key not in self.kernels:
            self.kernels[key] = self.make_kernel(groups, statics)
        return self.kernels[key]

    def make_kernel(self, groups: dict[str, Any], statics: dict[str, Any]) -> Kernel:
        params: list[str] = []
        actual: list[str] = []
        smooth: list[bool] = []
        for k, g in groups.items():
            if isinstance(g, list):
                names = [f"{k}_{i}" for i in range(len(g))]
                actual.append(f"{k}=[{', '.join(names)}]")
            elif g is None:
                continue
            else:
                names = [k]
                actual.append(f"{k}={k}")
            params += names
            smooth += [k in self.smooth] * len(names)
        options = [f"{k}={literal(v)}" for k, v in statics.items()]
        rules = {i: self.make_rule(self.rules[k], params, options) for i, k in enumerate(params) if k in self.rules}
        actual += options
        if len(actual) == len(params) == len(self.params) and not self.lists:
            fn = self.fn
        else:
            name = self.fn.__name__.strip("_") + "_call"
            fn = function_of_text(
                f"def {name}({', '.join(params)}):\n    return {self.fn.__name__}({', '.join(actual)})\n", name, {self.fn.__name__: self.fn}
            )

        def links(_: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> list[list[int]]:
            possible = [i for i, t in enumerate(inputs) if smooth[i] and differentiable(t)]
            return [possible if differentiable(o) else [] for o in outputs]

        return Kernel(fn, self.name, links, self.kink, self.guard, rules)

    def make_rule(self, rule: Callable[..., Any], params: Sequence[str], options: Sequence[str]) -> Callable[..., Any]:
        head, call = ", ".join([*params, "dy"]), ", ".join([*params, "dy", *options])
        return function_of_text(f"def rule_call({head}):\n    return rule({call})\n", "rule_call", {"rule": rule})

    def __repr__(self) -> str:
        return f"<operation {self.name}{self.signature}>"


def _leaf(t: Tensor) -> Any:
    return t._array if t._array.ndim else t._array[()]


def _matching(v: Any, hint: DType | None) -> Tensor:
    if isinstance(v, Tensor):
        return v
    if hint is None or isinstance(v, Operators):
        return convert_to_tensor(v)
    if isinstance(v, (int, float, complex)) and not isinstance(v, np.generic):
        return convert_to_tensor(v, dtype=hint)
    return convert_to_tensor(v, dtype_hint=hint)


def static(v: Any) -> Any:
    """A hashable plain value of a static argument: lists become tuples, scalar tensors numbers, dtypes their names."""
    if isinstance(v, Operators):
        return static(v.numpy())  # type: ignore[attr-defined]
    if isinstance(v, np.ndarray):
        return static(v.tolist())
    if isinstance(v, np.generic):
        return v.item()
    if isinstance(v, DType):
        return v.dtype.name
    if isinstance(v, np.dtype) or isinstance(v, type) and issubclass(v, (np.generic, float, int, bool, complex)):
        return dtypes.as_dtype(v).dtype.name
    if isinstance(v, TensorShape):
        return tuple(v)
    if isinstance(v, (list, tuple, range)):
        return tuple(static(x) for x in v)
    return v


def literal(v: Any) -> str:
    if isinstance(v, float) and not np.isfinite(v):
        return {"nan": "np.nan", "inf": "np.inf", "-inf": "-np.inf"}[repr(v)]
    if isinstance(v, (type(None), bool, int, float, complex, str)):
        return repr(v)
    if isinstance(v, tuple):
        return "(" + ", ".join(literal(x) for x in v) + ("," if len(v) == 1 else "") + ")"
    raise TypeError(f"{v!r} cannot be an option of an operation")


def takes_tensors(fn: Any, *tensors: str, lists: Sequence[str] = (), index: Sequence[str] = (), name: str = "") -> None:
    """Which parameters of a plain function with a compiled form are tensors: compiled code converts them as `Op` does.

    name: the operation that refuses tensors of different dtypes among them.
    """
    fn.signature, fn.name = inspect.signature(fn), name
    fn.__s2sgrad_tensors__ = (tensors, frozenset(lists), frozenset(index), False)


def operation(**options: Any) -> Callable[[Callable[..., Any]], Op]:
    """Decorator: an eager operation of a plain function."""
    return lambda fn: Op(fn, **options)


def axes(statics: dict[str, Any]) -> None:
    """Normalise `axis`: a list becomes a tuple (sorted), None stays."""
    a = static(statics["axis"])
    statics["axis"] = a
