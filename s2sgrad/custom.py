"""`custom_gradient` (your own derivative for a function) and `recompute_grad` (trade time for memory).

Inside compiled code the frontend recognises both objects by their marks and splices the rule into the emitted adjoint, or emits the
recomputation. This module is what happens when they are called directly: on numbers and arrays they are just the function. On tensors
the generated function runs and the call is recorded with its generated adjoint; where Python itself is needed (side effects, variables,
rules that define rules) the function runs as it is and its rule is recorded.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import random as pyrandom
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from s2sgrad import eager
from s2sgrad.eager import Record, differentiable
from s2sgrad.errors import CustomGradientError, S2SGradError, Unsupported
from s2sgrad.forward import ForwardAccumulator
from s2sgrad.namespaces import nest
from s2sgrad.operators import OPS, Operators
from s2sgrad.tape import GradientTape
from s2sgrad.tensor import Tensor, convert_to_tensor

EMPTY = types.CellType()


class CustomGradient:
    """A function with its own derivative; made by `custom_gradient`.

    function: returns (value, grad) or, in the two-argument form, the value; grad: None, or the rule `grad(*dy, *args)`.
    """

    __s2sgrad_custom__ = True
    __name__: str

    def __init__(self, function: Callable[..., Any], grad: Callable[..., Any] | None = None) -> None:
        if isinstance(function, (staticmethod, classmethod)):
            raise TypeError("put @staticmethod or @classmethod above @custom_gradient")
        self.function, self.grad = function, grad
        self._pure: bool | None = None
        self._known: dict[Any, Any] = {}
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if any(isinstance(x, Operators) for x in nest.flatten([args, kwargs])):
            return self._on_tensors(args, kwargs)
        watcher = _VariableWatcher()
        with eager.recording((*eager.tapes(), watcher)):
            out = self.function(*args, **kwargs)
        if self.grad is not None:
            return out
        value, grad = out
        _check_rule(grad)
        if any(isinstance(x, Operators) for x in nest.flatten(value)):
            return self._record(args, kwargs, value, grad, watcher)
        return value

    def __get__(self, obj: Any, cls: Any = None) -> CustomGradient:
        return self if obj is None else CustomGradient(types.MethodType(self.function, obj), self.grad)

    def source(self, *args: Any, **kwargs: Any) -> str:
        """The emitted adjoint for these arguments, with the rule spliced in."""
        from s2sgrad.function import Function

        return Function(self).adjoint_source(*args, **kwargs)

    def _generated(self, args: Any, kwargs: Any) -> Any:
        """The generated code for a call on tensors; None where only the Python function itself will do (see `purity`)."""
        from s2sgrad.function import Specialisation, call_key
        from s2sgrad.purity import pure

        if self._pure is None:
            self._pure = pure(self.function) and (self.grad is None or pure(self.grad))
        if not self._pure:
            return None
        key = call_key(args, kwargs)
        if key not in self._known or not (self._known[key] is None or self._known[key].holds()):
            try:
                self._known[key] = Specialisation(self, args, kwargs, {}, small=True)
            except (S2SGradError, NumbaError):  # what cannot be generated runs as the Python it is
                self._known[key] = None
        return self._known[key]

    def _on_tensors(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        found = self._generated(args, kwargs)
        if found is not None:
            return found.call(args, kwargs)
        args, kwargs = nest.map_structure(_as_input, args), nest.map_structure(_as_input, kwargs)
        watcher = _VariableWatcher()
        with eager.recording((*eager.tapes(), watcher)):
            out = self.function(*args, **kwargs)
        if self.grad is None:
            value, grad = out
            _check_rule(grad)
        else:
            value, grad = out, _with_inputs(self.grad, _positional(self.function, args, kwargs))
        return self._record(args, kwargs, value, grad, watcher)

    def _record(self, args: Any, kwargs: Any, value: Any, grad: Any, watcher: _VariableWatcher) -> Any:
        inputs = _positional(self.function, args, kwargs)
        leaves = [x for x in nest.flatten(inputs) if _is_input(x)]
        known = {x._id for x in leaves if isinstance(x, Operators)}  # type: ignore[attr-defined]
        variables = [v for v in watcher.variables if v._id not in known]
        if variables and not _accepts_variables(grad):
            raise TypeError(
                f"@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: {variables}"
            )
        flat = [convert_to_tensor(v) for v in nest.flatten(value)]
        outputs = [Tensor(t._array, t._dtype) for t in flat]
        tensors = [x for x in leaves if isinstance(x, Operators)]
        tracked = [*(_snapshot(t) for t in tensors), *(_snapshot(v) for v in variables)]
        if eager.tapes() and any(t.sees(tracked) for t in eager.tapes()):
            eager.record(_RuleRecord(self.__name__, grad, leaves, tensors, variables, tracked, outputs))
        return nest.pack_sequence_as(value, outputs)

    def __repr__(self) -> str:
        return f"<custom_gradient of {self.function!r}>"


def custom_gradient(f: Callable[..., Any] | None = None, grad: Callable[..., Any] | None = None) -> Any:
    """Define the derivative of a function yourself.

    As a decorator: the function returns `(value, grad)`, where `grad(dy)` (one argument per output) returns the gradient of each input.
    With two arguments: `custom_gradient(f, grad)` with `grad(dy, *args)`. Inputs and outputs may be nested structures; keyword
    arguments count as inputs in the order of the signature. `grad` may return None for an input without a gradient. Variables that the
    function reads need `grad(dy, variables=None)`, which then returns (input gradients, list of variable gradients).

    Raises CustomGradientError for a gradient of the wrong shape and ValueError for a wrong number of them.

    >>> @custom_gradient
    ... def square(x):
    ...     def grad(dy):
    ...         return dy * 2 * x
    ...     return x * x, grad
    """
    if f is None:
        return lambda function: CustomGradient(function, grad)
    return CustomGradient(f, grad)


custom_gradient.__s2sgrad_rule__ = "own"  # type: ignore[attr-defined]


def grad_pass_through(f: Callable[..., Any]) -> Any:
    """A function whose gradient is that of the identity."""
    return custom_gradient(lambda *args, **kwargs: (f(*args, **kwargs), lambda *dy: dy if len(dy) > 1 else dy[0]))


# --------------------------------------------------------------------------------------------- inputs


class _VariableWatcher:
    """Notes the trainable variables that are read."""

    def __init__(self) -> None:
        self.found: dict[int, Any] = {}

    @property
    def variables(self) -> list[Any]:
        return list(self.found.values())

    def accessed(self, variable: Any) -> None:
        if variable.trainable:
            self.found.setdefault(variable._id, variable)

    def sees(self, inputs: Sequence[Tensor]) -> bool:
        return False

    def record(self, made: Record) -> None:
        """Only reads matter here."""


def _as_input(x: Any) -> Any:
    """Numbers with a fraction and NumPy arrays become tensors; whole numbers, strings and other objects stay what they are."""
    return convert_to_tensor(x) if isinstance(x, (float, complex, np.ndarray, np.generic)) and not isinstance(x, (bool, np.bool_)) else x


def _is_input(x: Any) -> bool:
    return isinstance(x, (Operators, int, float, complex, np.ndarray, np.generic))


def _positional(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    """The inputs in the order of the signature, keywords included; defaults that were not given are no inputs."""
    if not kwargs:
        return list(args)
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except ValueError:
        return [*args, *kwargs.values()]
    return [*bound.args, *bound.kwargs.values()]


def _with_inputs(rule: Callable[..., Any], inputs: Sequence[Any]) -> Callable[..., Any]:
    """The rule `grad(*dy, *args)` as one of the upstream gradients only."""
    if _accepts_variables(rule):
        return lambda *dy, **variables: rule(*dy, *inputs, **variables)
    return lambda *dy: rule(*dy, *inputs)


@contextlib.contextmanager
def _as_recorded(variables: Sequence[Any], values: Sequence[Tensor]) -> Iterator[None]:
    """The variables hold what they held when the call was recorded."""
    held = [v._array for v in variables]
    for v, t in zip(variables, values, strict=True):
        v._array = t._array
    try:
        yield
    finally:
        for v, t, a in zip(variables, values, held, strict=True):
            v._array = a if v._array is t._array else v._array  # what the rule assigns stays


def _snapshot(x: Any) -> Tensor:
    return x if isinstance(x, Tensor) else Tensor(x._array, x._dtype, id=x._id)


def _check_rule(grad: Any) -> None:
    if not callable(grad):
        raise TypeError(f"unsupported callable: custom_gradient functions return (value, grad), and grad is {grad!r}")


def _accepts_variables(grad: Callable[..., Any]) -> bool:
    spec = inspect.getfullargspec(grad)
    return "variables" in spec.args or "variables" in spec.kwonlyargs or spec.varkw is not None


# ---------------------------------------------------------------------------------------------- records


class _RuleRecord(Record):
    """A recorded call whose derivative is a Python function of tensors: it runs eagerly, so outer tapes differentiate its body."""

    __slots__ = ("leaves", "name", "rule", "tensors", "variables")

    def __init__(
        self,
        name: str,
        rule: Callable[..., Any],
        leaves: list[Any],
        tensors: list[Any],
        variables: list[Any],
        tracked: list[Tensor],
        outputs: list[Tensor],
    ) -> None:
        smooth = [k for k, t in enumerate(tracked) if differentiable(t)]
        super().__init__(None, tracked, outputs, [smooth if differentiable(o) else [] for o in outputs])  # type: ignore[arg-type]
        self.name, self.rule, self.leaves, self.tensors, self.variables = name, rule, leaves, tensors, variables

    def backward(self, dys: Sequence[Tensor | None], wanted: Sequence[int]) -> list[Tensor | None]:
        grads = self.gradients([slot.zeros() if dy is None else dy for slot, dy in zip(self.outputs, dys, strict=True)])
        return [self.fitted(grads[k], self.inputs[k], k) for k in wanted]

    def gradients(self, dys: Sequence[Tensor]) -> list[Any]:
        """One gradient per tracked tensor: the tensor inputs, then the variables."""
        if self.variables:
            with _as_recorded(self.variables, self.inputs[len(self.tensors) :]):
                inputs, of_variables = self.rule(*dys, variables=self.variables)
            of_variables = nest.flatten(of_variables)
            if len(of_variables) != len(self.variables):
                raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
        else:
            inputs, of_variables = self.rule(*dys), []
        flat = nest.flatten(inputs)
        if len(flat) == len(self.leaves):
            flat = [g for g, x in zip(flat, self.leaves, strict=True) if isinstance(x, Operators)]
        elif len(flat) != len(self.tensors):
            raise ValueError(f"custom_gradient function expected to return {len(self.leaves)} gradients, but returned {len(flat)} instead.")
        return [*flat, *of_variables]

    def fitted(self, g: Any, x: Tensor, k: int) -> Tensor | None:
        if g is None:
            return None
        t = convert_to_tensor(g, dtype_hint=x.dtype)
        if t._array.shape != x._array.shape:
            what = f"input {k}" if k < len(self.tensors) else f"variable {k - len(self.tensors)}"
            raise CustomGradientError(
                f"the custom gradient of {self.name} for {what} has shape {t.shape}, but {what} has shape {x.shape}",
                hint="Sum it over the broadcast axes, or reshape it.",
            )
        return t if t.dtype == x.dtype else OPS["cast"](t, x.dtype)

    def forward(self, dots: Sequence[Tensor | None]) -> list[Tensor | None]:
        """The rule read the other way: its transpose, where it is linear in dy."""
        zeros = [slot.zeros() for slot in self.outputs]
        given = [(k, d) for k, d in enumerate(dots) if d is not None]

        def paired(seeds: list[Tensor]) -> Any:
            grads = self.gradients(seeds)
            parts = [OPS["reduce_sum"](self.fitted(grads[k], self.inputs[k], k) * d) for k, d in given if grads[k] is not None]
            return OPS["add_n"](parts) if parts else None

        at_zero, base = self.transposed(paired, zeros)
        trials = [
            [z + scale * np.cos(1.0 + np.arange(z._array.size).reshape(z._array.shape)).astype(z._array.dtype) for z in zeros]
            for scale in (1.0, 1e3)
        ]
        same = all(self.predicted(at_zero, seeds, paired) for seeds in trials)
        if not same or base != 0:
            raise Unsupported(
                f"forward mode through {self.name}: its custom gradient is not linear in the upstream gradient",
                hint="Use reverse mode, or write the rule as a linear function of dy.",
            )
        return at_zero

    def predicted(self, dots: list[Tensor | None], seeds: list[Tensor], paired: Callable[[list[Tensor]], Any]) -> bool:
        """Is the rule at these seeds what a linear rule would give?"""
        total = paired(seeds)
        parts = [d._array * s._array for d, s in zip(dots, seeds, strict=True) if d is not None]
        size = sum(float(np.abs(p).sum()) for p in parts)
        want = sum(float(p.sum()) for p in parts)
        return not np.isfinite(size) or abs((0.0 if total is None else float(total)) - want) <= 1e-4 * size + 1e-30

    def transposed(self, paired: Callable[[list[Tensor]], Any], seeds: list[Tensor]) -> tuple[Any, Any]:
        with GradientTape() as tape:
            tape.watch(seeds)
            total = paired(seeds)
        if total is None:
            return [None] * len(seeds), 0.0
        return tape.gradient(total, seeds), float(total)


# ------------------------------------------------------------------------------------------- recompute


class RecomputeGrad:
    """A function of which nothing is kept for the reverse sweep: it runs again there. Made by `recompute_grad`."""

    __s2sgrad_recompute__ = True

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = nest.flatten([args, kwargs])
        if not eager.tapes():
            return self.function(*args, **kwargs)
        entry = _Entry(self.function, args, kwargs)
        watcher = _VariableWatcher()
        with eager.recording((watcher,)):
            value = self.function(*args, **kwargs)
        tensors = [x for x in given if isinstance(x, Operators)]
        known = {x._id for x in tensors}  # type: ignore[attr-defined]
        variables = [v for v in watcher.variables if v._id not in known]
        flat = nest.flatten(value)
        if not any(isinstance(v, Operators) for v in flat):
            return value
        outputs = [Tensor(t._array, t._dtype) for t in map(convert_to_tensor, flat)]
        for v in variables:
            eager.watch_access(v)
        tracked = [*(_snapshot(t) for t in tensors), *(_snapshot(v) for v in variables)]
        if any(t.sees(tracked) for t in eager.tapes()):
            eager.record(_AgainRecord(self.function, entry, variables, tracked, outputs))
        return nest.pack_sequence_as(value, outputs)

    def __get__(self, obj: Any, cls: Any = None) -> RecomputeGrad:
        return self if obj is None else RecomputeGrad(types.MethodType(self.function, obj))

    def __repr__(self) -> str:
        return f"<recompute_grad of {self.function!r}>"


def recompute_grad(f: Callable[..., Any]) -> RecomputeGrad:
    """Keep nothing of `f` for the reverse sweep but its inputs; run it again there.

    The second run sees the inputs, variables and random draws of the first. Works as a decorator, nested, in loops of compiled
    functions and with custom gradients inside.
    """
    return RecomputeGrad(f)


recompute_grad.__s2sgrad_rule__ = "again"  # type: ignore[attr-defined]


class _Entry:
    """Arguments and random state as they were at a call."""

    def __init__(self, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        from s2sgrad.ops import random

        self.args, self.kwargs = nest.map_structure(_kept, args), nest.map_structure(_kept, kwargs)
        self.own = generators_of(function)
        self.random = random.state(self.own)

    def run(self, function: Callable[..., Any], variables: Sequence[Any], values: Sequence[np.ndarray]) -> Any:
        from s2sgrad.ops import random

        now, held = random.state(self.own), [v._array for v in variables]
        args, kwargs = nest.map_structure(_kept, self.args), nest.map_structure(_kept, self.kwargs)
        try:
            random.restore(self.random)
            for v, a in zip(variables, values, strict=True):
                v._array = a
            return function(*args, **kwargs)
        finally:
            random.restore(now)
            for v, a in zip(variables, held, strict=True):
                v._array = a


def generators_of(function: Any) -> list[Any]:
    """The random generators that a function, or a function that it calls, names: captured, global, or held by its object."""
    found: list[Any] = []
    todo, seen = [function], set()
    while todo:
        f = todo.pop()
        f = getattr(f, "function", f) if isinstance(f, (CustomGradient, RecomputeGrad)) else f
        owner, f = getattr(f, "__self__", None), getattr(f, "__func__", f)
        code = getattr(f, "__code__", None)
        if code is None or id(code) in seen or (f.__module__ or "").partition(".")[0] in ("numpy", "s2sgrad"):
            continue
        seen.add(id(code))
        named = [f.__globals__[n] for n in code.co_names if n in f.__globals__]
        named += [c.cell_contents for c in f.__closure__ or () if c != EMPTY]
        named += vars(owner).values() if hasattr(owner, "__dict__") else []
        found += [g for g in named if isinstance(g, (np.random.Generator, np.random.RandomState, pyrandom.Random))]
        todo += [g for g in named if callable(g)]
    return found


def _kept(x: Any) -> Any:
    return x.copy() if isinstance(x, np.ndarray) else x


class _AgainRecord(Record):
    """A recorded call of a `recompute_grad` function."""

    __slots__ = ("entry", "function", "variables")

    def __init__(
        self, function: Callable[..., Any], entry: _Entry, variables: list[Any], tracked: list[Tensor], outputs: list[Tensor]
    ) -> None:
        smooth = [k for k, t in enumerate(tracked) if differentiable(t)]
        super().__init__(None, tracked, outputs, [smooth if differentiable(o) else [] for o in outputs])  # type: ignore[arg-type]
        self.function, self.entry, self.variables = function, entry, variables

    def again(self) -> list[Tensor]:
        values = [t._array for t in self.inputs[len(self.inputs) - len(self.variables) :]]
        return [convert_to_tensor(v) for v in nest.flatten(self.entry.run(self.function, self.variables, values))]

    def backward(self, dys: Sequence[Tensor | None], wanted: Sequence[int]) -> list[Tensor | None]:
        sources = [self.inputs[k] for k in wanted]
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(sources)
            outputs = self.again()
        kept = [(o, dy) for o, dy in zip(outputs, dys, strict=True) if dy is not None]
        return tape.gradient([o for o, _ in kept], sources, output_gradients=[dy for _, dy in kept])

    def forward(self, dots: Sequence[Tensor | None]) -> list[Tensor | None]:
        given = [(t, d) for t, d in zip(self.inputs, dots, strict=True) if d is not None]
        with ForwardAccumulator([t for t, _ in given], [d for _, d in given]) as acc:
            outputs = self.again()
        return [acc.jvp(o) for o in outputs]
