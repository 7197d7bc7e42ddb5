"""`tf_function`: a Python function of tensors, compiled.

A call specialises the function for the dtypes and ranks of its arguments (not for shapes), compiles it for the device's backend and
runs it; tapes record the call with its generated adjoint. What the compiler refuses is not lost: side effects on Python objects are
split off and run once per specialisation, and a function that still cannot be compiled runs as plain Python on tensors, with a warning
(or raises, with jit_compile=True).
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from s2sgrad import eager, held
from s2sgrad.device import backend as current_backend
from s2sgrad.device import get_soft_device_placement
from s2sgrad.dispatch import not_compiled
from s2sgrad.dtypes import DType
from s2sgrad.eager import Record, differentiable
from s2sgrad.errors import CustomGradientError, NoSource, S2SGradError, TypeConflict, Unsupported
from s2sgrad.namespaces import nest
from s2sgrad.operators import Operators
from s2sgrad.rules.reductions import WRONG_SHAPE
from s2sgrad.shapes import TensorSpec
from s2sgrad.tensor import Tensor, convert_to_tensor, make
from s2sgrad.variable import made_variables

_eagerly = [False]


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Make compiled functions run as plain Python on tensors (to debug them)."""
    _eagerly[0] = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    return _eagerly[0]


class _Made:
    """What has been made of a function; methods of all objects of a class share it."""

    def __init__(self) -> None:
        self.known: dict[Any, list[Specialisation]] = {}
        self.refused: dict[Any, S2SGradError] = {}
        self.parts: Any = None  # side effects and the function without them, see `effects`
        self.has_run = False  # as plain Python


class Function:
    """A compiled function; made by `tf_function`."""

    __name__: str

    def __init__(
        self,
        python_function: Callable[..., Any],
        input_signature: Sequence[Any] | None = None,
        jit_compile: bool | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.python_function = python_function
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self.jit_compile = jit_compile
        self.options = dict(options or {})
        self._made = _Made()
        functools.update_wrapper(self, python_function, updated=())
        self.py_func = python_function  # how other parts find the Python function behind a compiled one

    # ------------------------------------------------------------------------------------------- calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.input_signature is not None:
            args, kwargs = self._signed(args, kwargs), {}
        if _eagerly[0]:
            return self._plain(args, kwargs)
        entry = self._entry(args, kwargs)
        if entry is not None:
            try:
                return entry.call(args, kwargs, self.python_function)
            except (NumbaError, NotImplementedError) as e:
                if isinstance(e, NotImplementedError) and entry.raises(NotImplementedError):
                    raise
                self._refuse(self._key(args, kwargs), not_compiled(self.python_function, e))
        return self._plain(args, kwargs)

    def __get__(self, obj: Any, cls: Any = None) -> Function:
        if obj is None:
            return self
        bound = Function(types.MethodType(self.python_function, obj), self.input_signature, self.jit_compile, self.options)
        bound._made = self._made  # objects of a class share what has been compiled
        return bound

    def _plain(self, args: Any, kwargs: Any) -> Any:
        """Plain Python on tensors."""
        convert = lambda x: convert_to_tensor(x) if isinstance(x, (np.ndarray, np.generic)) else x
        with made_variables() as made:
            out = self.python_function(*nest.map_structure(convert, args), **nest.map_structure(convert, kwargs))
        if not _eagerly[0] and made and (self._made.has_run or any(v() is None for v in made)):
            raise ValueError(
                "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only created "
                "once or created outside tf.function."
            )
        self._made.has_run = True
        return nest.map_structure(_as_result, out)

    def _key(self, args: Any, kwargs: Any) -> Any:
        return (*call_key(args, kwargs, _held_spec), tuple(sorted(self.options.items())))

    def _entry(self, args: Any, kwargs: Any) -> Specialisation | None:
        """The specialisation for these arguments; None where the function runs as plain Python."""
        key = self._key(args, kwargs)
        if key in self._made.refused:
            return None
        for found in self._made.known.get(key, ()):
            if found.holds(self.python_function, args, kwargs):
                return found
        try:
            new = self._specialise(args, kwargs)
        except (Unsupported, NoSource, TypeConflict) as e:
            self._refuse(key, e)
            return None
        self._made.known.setdefault(key, []).append(new)
        return new

    def _refuse(self, key: Any, why: S2SGradError) -> None:
        """Note, and say once, that calls of this kind run as plain Python."""
        if self.jit_compile:
            raise why
        self._made.known.pop(key, None)
        if key not in self._made.refused:
            self._made.refused[key] = why
            warnings.warn(f"{self.__name__} runs as plain Python on tensors, it cannot be compiled: {why}", RuntimeWarning, stacklevel=4)

    def _specialise(self, args: Any, kwargs: Any) -> Specialisation:
        if self._made.parts is not None:
            once, rest = self._made.parts
            new = Specialisation(rest, args, kwargs, self.options)
            once()
            return new
        try:
            return Specialisation(self.python_function, args, kwargs, self.options)
        except Unsupported:
            from s2sgrad.effects import split

            parts = split(self.python_function)
            if parts is None:
                raise
            once, rest = parts
            new = Specialisation(rest, args, kwargs, self.options)
            self._made.parts = parts
            once()
            return new

    # --------------------------------------------------------------------------------- input signature

    def _signed(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments as tensors of the signature. TypeError where one cannot be."""
        assert self.input_signature is not None
        names = list(inspect.signature(self.python_function).parameters)
        bound = inspect.signature(self.python_function).bind(*args, **kwargs)
        given = [bound.arguments[n] for n in names if n in bound.arguments]
        if len(given) != len(self.input_signature):
            raise TypeError(f"{self.__name__} takes {len(self.input_signature)} arguments by its input signature, got {len(given)}")
        out = []
        for value, want in zip(given, self.input_signature, strict=True):
            if isinstance(want, TensorSpec):
                out.append(self._cast(value, want, names, args, kwargs))
            else:
                pairs = zip(nest.flatten(value), nest.flatten(want), strict=True)
                out.append(nest.pack_sequence_as(value, [self._cast(v, w, names, args, kwargs) for v, w in pairs]))
        return tuple(out)

    def _cast(self, value: Any, want: TensorSpec, names: list[str], args: Any, kwargs: Any) -> Tensor:
        t = value if isinstance(value, Tensor) else convert_to_tensor(value, dtype_hint=want.dtype)
        if not want.is_compatible_with(TensorSpec.from_tensor(t)):
            signature = ", ".join(f"{n}: {s!r}" for n, s in zip(names, self.input_signature or (), strict=False))
            raise TypeError(
                f"Binding inputs to tf.function failed due to `Can not cast {TensorSpec.from_tensor(t)!r} to {want!r}`. "
                f"Received args: {tuple(args)} and kwargs: {kwargs} for signature: ({signature})."
            )
        return t

    # ------------------------------------------------------------------------------------ what was made

    def source(self, *args: Any, stage: str = "primal", **kwargs: Any) -> str:
        """The emitted source of the function itself for these arguments (default: the last specialisation); stage "primal" or "lowered"."""
        return self._shown(args, kwargs).derived.text(stage)

    def adjoint_source(self, *args: Any, **kwargs: Any) -> str:
        """The emitted source of its adjoint: what a tape runs backwards."""
        return self._shown(args, kwargs).adjoint_text()

    def stages(self, *args: Any, **kwargs: Any) -> dict[str, str]:
        """The program after every pass, as Python source."""
        return self._shown(args, kwargs).stages()

    def grad(self, wrt: Any = 0, **options: Any) -> Any:
        """The gradient function (see `s2sgrad.grad`); on tensors it gives tensors."""
        from s2sgrad import api

        return api.grad(self.python_function, wrt, **options)

    def value_and_grad(self, wrt: Any = 0, **options: Any) -> Any:
        from s2sgrad import api

        return api.value_and_grad(self.python_function, wrt, **options)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Prepare the specialisation for tensors or TensorSpecs; the result takes tensors of these dtypes and ranks only."""
        given = args or (() if kwargs else self.input_signature or ())
        specs = [nest.map_structure(_spec_or_value, a) for a in given]
        named = {k: nest.map_structure(_spec_or_value, v) for k, v in kwargs.items()}
        self._entry(tuple(nest.map_structure(_example, a) for a in specs), {k: nest.map_structure(_example, v) for k, v in named.items()})
        return ConcreteFunction(self, specs, named)

    def experimental_get_tracing_count(self) -> int:
        """How many specialisations there are: one per combination of dtypes and ranks."""
        return sum(len(v) for v in self._made.known.values())

    def _shown(self, args: Any, kwargs: Any) -> Specialisation:
        if not args and not kwargs and self._made.known:
            return [s for found in self._made.known.values() for s in found][-1]
        entry = self._entry(args, kwargs)
        if entry is None:
            raise list(self._made.refused.values())[-1]
        return entry

    def __repr__(self) -> str:
        return f"<tf_function {self.__name__}{inspect.signature(self.python_function)}>"


class ConcreteFunction:
    """A compiled function for arguments of given shapes and dtypes."""

    def __init__(self, function: Function, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        self.function, self.specs, self.named = function, list(args), dict(kwargs)
        self.__name__ = function.__name__
        self.structured_input_signature = (tuple(self.specs), self.named)

    @property
    def inputs(self) -> list[Any]:
        return [s for s in nest.flatten([self.specs, list(self.named.values())]) if isinstance(s, TensorSpec)]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = inspect.signature(self.function.python_function).bind(*args, **kwargs)
        names = list(inspect.signature(self.function.python_function).parameters)
        want = dict(zip(names, self.specs, strict=False)) | self.named
        for name, given in bound.arguments.items():
            for spec, value in zip(nest.flatten(want.get(name, given)), nest.flatten(given), strict=False):
                if isinstance(spec, TensorSpec) and not spec.is_compatible_with(TensorSpec.from_tensor(convert_to_tensor(value, dtype_hint=spec.dtype))):
                    raise TypeError(f"{self.__name__} was made for {name} of {spec}, but got {value!r}")
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.__name__}{tuple(self.specs)}>"


def _spec_or_value(x: Any) -> Any:
    return TensorSpec.from_tensor(x) if isinstance(x, (Operators, np.ndarray)) else x


def _example(x: Any) -> Any:
    return Tensor(np.ones([d or 1 for d in x.shape], x.dtype.dtype)) if isinstance(x, TensorSpec) else x


def tf_function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: Any = None,
    experimental_compile: Any = None,
    experimental_follow_type_hints: Any = None,
    fastmath: bool = False,
    parallel: bool = False,
) -> Any:
    """Compile a function of tensors; usable as `@tf_function`, `@tf_function(...)` or `tf_function(f)`.

    input_signature: TensorSpecs that the arguments must fit. jit_compile: raise where the function cannot be compiled, instead of
    running it as plain Python. fastmath, parallel: passed to numba. Results are tensors, in the structure that the function returns.

    >>> @tf_function
    ... def f(x):
    ...     while x < 100.0:
    ...         x = x * 2.0
    ...     return x
    >>> f(constant(3.0))
    <tf.Tensor: shape=(), dtype=float32, numpy=192.0>
    """
    options = {k: True for k, v in (("fastmath", fastmath), ("parallel", parallel)) if v}

    def wrap(f: Callable[..., Any]) -> Function:
        return Function(f, input_signature, jit_compile or experimental_compile, options)

    return wrap if func is None else wrap(func)


# ------------------------------------------------------------------------------------ specialisations


def _bare(x: Any) -> Any:
    """A tensor as the array or NumPy scalar that generated code takes."""
    if isinstance(x, Operators):
        a = x._array  # type: ignore[attr-defined]
        return a if a.ndim else a[()]
    if isinstance(x, np.ndarray) and x.ndim == 0:
        return x[()]
    return x


def _bared(args: Any) -> Any:
    return [_bare_structure(a) for a in args]


def _bare_structure(x: Any) -> Any:
    return nest.map_structure(_bare, x)


def _specs(args: Any) -> tuple[Any, ...]:
    from s2sgrad.structure import describe

    return tuple(describe(a) for a in _bared(args))


def call_key(args: Any, kwargs: dict[str, Any], of: Callable[[Any], Any] | None = None) -> tuple[Any, ...]:
    """What decides which generated code a call needs: structures and types of the arguments, and the device."""
    of = of or (lambda v: _specs([v])[0])
    return tuple(map(of, args)), tuple((k, of(v)) for k, v in sorted(kwargs.items())), _refused((args, kwargs)), current_backend(), get_soft_device_placement()


def _held_spec(x: Any) -> Any:
    """What an argument is in a key; which variables it holds does not matter."""
    return held.key(x) if held.has_variable(x) else _specs([x])[0]


def _refused(args: Any) -> str:
    """Why compiled code cannot have one of these tensors."""
    return next((r for x in nest.flatten(args) if isinstance(x, Operators) and (r := x.__s2sgrad_refused__)), "")


def _as_result(x: Any) -> Any:
    if isinstance(x, (Tensor, type(None), str, DType)):
        return x
    return convert_to_tensor(x) if isinstance(x, (Operators, np.ndarray, np.generic, int, float, complex)) else x


class Specialisation:
    """The function compiled for one combination of argument types, with its adjoints.

    small: without loops the generated text runs as it is, over NumPy: compiling would gain nothing.
    """

    def __init__(self, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any], options: dict[str, Any], small: bool = False) -> None:
        from s2sgrad import backends, frontend, ir, pipeline
        from s2sgrad.structure import describe

        if refused := _refused((args, kwargs)):
            raise Unsupported(refused)
        self.original = fn
        fn, args, kwargs = held.bound(fn, args, kwargs)
        self.fn, self.kw = fn, list(kwargs)
        specs = [describe(a) for a in _bared(args)]
        kw = {k: describe(_bare_structure(v)) for k, v in kwargs.items()}
        self.specs = [*specs, *kw.values()]
        self.derived = pipeline.derive(fn, specs, "primal", kw=kw or None, options=pipeline.Options(**options), tensors=True)
        self.primal = self.derived.primal
        self.returns = len(self.primal.program.main.returns)
        self.program = without_last_results(self.primal.program, len(self.primal.assigned))  # what is differentiated
        self.read = frontend.read
        self.device_backend = current_backend()
        self.options = options
        self.half = has_dtype(self.primal.program, "float16")  # numba has no arithmetic for it: NumPy runs the text
        self.small = small and not any(isinstance(s, (ir.For, ir.While, ir.CallFn)) for s in ir.walk_stmts(self.program.main.body))
        self.run = backends.load(self.derived.text(), self.derived.name, "python") if self.half else self.derived.callable(self.backend)
        self.guards = [(access, static) for access, static in self.primal.guards]
        self.hidden_types = [(np.ndim(v), getattr(v, "dtype", None)) for v in (self.read(fn, a) for a in self.primal.hidden)]
        self.written = [k for k, p in enumerate(self.program.main.params) if p.name in self.program.main.written]
        self.pullbacks: dict[Any, Any] = {}
        self._links: list[list[int]] | None = None

    @property
    def backend(self) -> str:
        from s2sgrad.pipeline import default_backend

        if self.small or self.half:
            return "python"
        return default_backend() if self.device_backend == "cpu" else self.device_backend

    def reader(self, fn: Callable[..., Any] | None) -> Callable[..., Any]:
        """Where captured data are read: another method of the same function has another object behind it."""
        return fn if isinstance(fn, types.MethodType) and self.fn is not fn else self.fn

    def holds(self, fn: Callable[..., Any] | None = None, args: Any = (), kwargs: Any = None) -> bool:
        """Do captured functions and other fixed values still mean the same, and have captured data the same type?"""
        from s2sgrad.structure import Static

        fn, _, _ = held.bound(fn or self.original, args, kwargs or {})
        if self.primal.assigned:  # variables that were several objects still are
            owners = [self.read(self.reader(fn), a[:-1]) for a in self.primal.hidden if a and a[-1] == ("attr", "_array")]
            if len({id(v) for v in owners}) < len(owners):
                return False
        for access, (ndim, dtype) in zip(self.primal.hidden, self.hidden_types, strict=True):
            value = self.read(self.reader(fn), access)
            if isinstance(value, np.ndarray) and (value.ndim, value.dtype) != (ndim, dtype):
                return False
        return all(
            Static(self.read(self.reader(fn), access)) == (static if isinstance(static, Static) else Static(static))
            for access, static in self.guards
        )

    # ------------------------------------------------------------------------------------------- calls

    def call(self, args: Any, kwargs: dict[str, Any], fn: Callable[..., Any] | None = None) -> Any:
        fn, args, kwargs = held.bound(fn or self.original, args, kwargs)
        inputs = self.inputs([*args, *(kwargs[k] for k in self.kw)], self.reader(fn))
        values = [_value(t) for t in inputs]
        for k in self.written:
            if isinstance(values[k], np.ndarray):
                values[k] = values[k].copy()
        out = self.run(*values)
        parts = list(out) if isinstance(out, tuple) else [out] if self.returns else []
        self.assign(parts[len(self.program.main.returns) :], self.reader(fn))
        result, outputs = self.results(parts)
        if outputs and eager.tapes() and any(t.sees(inputs) for t in eager.tapes()):
            eager.record(_CallRecord(self, inputs, outputs, self.links(inputs, outputs)))
        return result

    def raises(self, error: type) -> bool:
        """Does the function itself raise this?"""
        from s2sgrad import ir

        functions = (self.program.main, *self.program.linked.values())
        return any(isinstance(s, ir.Raise) and s.exception is error for f in functions for s in ir.walk_stmts(f.body))

    def assign(self, values: Sequence[Any], fn: Callable[..., Any]) -> None:
        """Give the variables that the function assigns their new values."""
        for access, new in zip(self.primal.assigned, values, strict=True):
            owner = self.read(fn, access[:-1])
            owner._array = np.array(new, dtype=owner._array.dtype)

    def inputs(self, args: Sequence[Any], fn: Callable[..., Any]) -> list[Tensor]:
        """All leaves as tensors: arguments, then what the function captures."""
        from s2sgrad.adjoints import Fixed

        flat = [leaf for a, spec in zip(args, self.specs, strict=True) for leaf in _leaves(a, spec)]
        flat += [self.captured(access, fn) for access in self.primal.hidden]
        return [
            x
            if isinstance(x, Tensor)
            else x.value()
            if isinstance(x, Operators)
            # type: ignore[attr-defined]
            else Fixed(x)
            if isinstance(x, (bool, int, float, complex)) and not isinstance(x, np.generic)
            else Tensor(x)
            for x in flat
        ]

    def captured(self, access: Any, fn: Callable[..., Any]) -> Any:
        """The object behind a hidden argument: the variable or tensor itself where it is one."""
        if access and access[-1] == ("attr", "_array"):
            owner = self.read(fn, access[:-1])
            if isinstance(owner, Operators):
                return owner
        return self.read(fn, access)

    def results(self, parts: list[Any]) -> tuple[Any, list[Tensor]]:
        """The result in the function's structure, and its tensors in order."""
        outputs: list[Tensor] = []
        it = iter(parts)
        return self.build(self.primal.result, it, outputs), outputs

    def build(self, spec: Any, it: Any, outputs: list[Tensor]) -> Any:
        from s2sgrad.structure import Leaf, Static, assemble

        if isinstance(spec, Leaf):
            v = next(it)
            weak = getattr(spec.type, "weak", False)
            names = {"float64": "float32", "int64": "int32"} if weak else {}
            dtype = np.dtype(names.get(spec.type.dtype, spec.type.dtype))
            outputs.append(make(np.array(v, dtype=dtype)))
            return outputs[-1]
        if isinstance(spec, Static):
            return _as_result(spec.value)
        return assemble(spec, [self.build(c, it, outputs) for c in spec.children])

    # ------------------------------------------------------------------------------------- derivatives

    def links(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> list[list[int]]:
        if self._links is None:
            from s2sgrad.connections import connections

            names = [p.name for p in self.program.main.params]
            self._links = [[k for k, n in enumerate(names) if n in r] for r in connections(self.program)]
        possible = {k for k, t in enumerate(inputs) if differentiable(t)}
        return [[k for k in links if k in possible] if differentiable(o) else [] for links, o in zip(self._links, outputs, strict=True)]

    def pullback(self, wanted: tuple[int, ...]) -> Any:
        """The compiled adjoint as a recordable call."""
        if wanted not in self.pullbacks:
            from s2sgrad import adjoints, backends, emit, optimise

            names = [p.name for p in self.program.main.params]
            d = adjoints.reversed_program(self.program, [names[k] for k in wanted], f"{self.derived.name}_vjp")
            text = emit.text(d.program if self.half else optimise.lower(d.program))
            run = backends.load(text, d.name, self.backend, self.options)
            self.pullbacks[wanted] = adjoints.Generated(d, list(wanted), False, run)
        return self.pullbacks[wanted]

    def pushforward(self, given: tuple[int, ...]) -> Any:
        from s2sgrad import adjoints, ir

        key = ("jvp", given)
        if key not in self.pullbacks:
            names = [p.name for p in self.program.main.params]
            d = adjoints.pushed_program(self.program, [names[k] for k in given], f"{self.derived.name}_jvp")
            like = [r.type.dtype for r in self.program.main.returns if ir.is_inexact(r.type)]
            self.pullbacks[key] = adjoints.Generated(d, like)
        return self.pullbacks[key]

    def inexact_params(self) -> tuple[int, ...]:
        from s2sgrad import ir

        return tuple(k for k, p in enumerate(self.program.main.params) if ir.is_inexact(p.type))

    def adjoint_text(self) -> str:
        from s2sgrad import emit

        return emit.text(self.pullback(self.inexact_params()).derived.program)

    def stages(self) -> dict[str, str]:
        from s2sgrad import emit, optimise

        adjoint = self.pullback(self.inexact_params()).derived.program
        return {**self.derived.stages, "adjoint": emit.text(adjoint), "adjoint lowered": emit.text(optimise.lower(adjoint))}


def has_dtype(program: Any, dtype: str) -> bool:
    """Has any value of the program this dtype?"""
    from s2sgrad import ir

    functions = [program.main, *program.linked.values()]
    types = [p.type for f in functions for p in f.params]
    types += [getattr(x, "type", None) for f in functions for s in ir.walk_stmts(f.body) for e in ir.exprs(s) for x in ir.walk(e)]
    return any(getattr(t, "dtype", None) == dtype for t in types)


def without_last_results(program: Any, count: int) -> Any:
    """The program without the new values of variables among its results."""
    from s2sgrad import ir, optimise

    if not count:
        return program
    last = program.main.body[-1]
    main = dataclasses.replace(program.main, body=[*program.main.body[:-1], ir.Return(last.values[:-count])])
    return optimise.simplify(dataclasses.replace(program, main=main))


def _value(t: Tensor) -> Any:
    from s2sgrad.adjoints import leaf

    return leaf(t)


def _leaves(value: Any, spec: Any) -> list[Any]:
    """The numeric leaves of an argument in the order of its spec; tensors stay tensors."""
    from s2sgrad.structure import Leaf, Static, children

    if isinstance(spec, Leaf):
        return [value]
    if isinstance(spec, Static):
        return []
    kids = children(value)
    assert kids is not None
    return [x for v, s in zip(kids[2], spec.children, strict=True) for x in _leaves(v, s)]


class _CallRecord(Record):
    """A recorded call of a compiled function."""

    __slots__ = ("call",)

    def __init__(self, call: Specialisation, inputs: Sequence[Tensor], outputs: Sequence[Tensor], links: Sequence[Sequence[int]]) -> None:
        super().__init__(None, inputs, outputs, links)  # type: ignore[arg-type]
        self.call = call

    def backward(self, dys: Sequence[Tensor | None], wanted: Sequence[int]) -> list[Tensor | None]:
        seeds = [slot.zeros() if dy is None else dy for slot, dy in zip(self.outputs, dys, strict=True) if differentiable(slot)]
        try:
            return list(self.call.pullback(tuple(wanted))([*self.inputs, *seeds]))
        except ValueError as e:
            if str(e) == WRONG_SHAPE:
                raise CustomGradientError(WRONG_SHAPE, hint="Sum it over the broadcast axes, or reshape it.") from None
            raise

    def forward(self, dots: Sequence[Tensor | None]) -> list[Tensor | None]:
        given = [k for k, d in enumerate(dots) if d is not None]
        new = iter(self.call.pushforward(tuple(given))([*self.inputs, *(d for d in dots if d is not None)]))
        return [next(new) if differentiable(slot) else None for slot in self.outputs]
