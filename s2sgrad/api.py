"""The public derivative functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad.arguments import build, with_extents
from s2sgrad.callables import function_name, place_of, signature
from s2sgrad.derivative import Derivative, bind_arguments, derivative, require_source
from s2sgrad.dispatch import Request, Template, groups_of, template_for
from s2sgrad.errors import ArgumentError, WrtError
from s2sgrad.ir import is_inexact
from s2sgrad.pipeline import Options
from s2sgrad.structure import Leaf, Node, Spec, Static, children, columns_of, describe, flatten, leaves
from s2sgrad.wrapped import rewrapped, unwrapped, wrapper_in


def grad(f: Callable[..., Any], wrt: Any = 0, *, simplify: bool = True, fastmath: bool = False, parallel: bool = False,
         boundscheck: bool = False) -> Derivative:
    """The gradient of a function with one real scalar result.

    Args:
        f: a plain Python function, a lambda, an `@njit` function (its Python source is used), or a derivative (higher order).
        wrt: the parameter to differentiate by: a position (negative counts from the end), a name, or a tuple of them. A parameter
            `*args` gives a tuple of gradients, `**kwargs` a dict of them.
        simplify: run the clean-up passes on the emitted text. fastmath, parallel, boundscheck: passed to numba.

    Returns:
        A function with the parameters of `f`. A gradient has its argument's shape, dtype and structure (floats give floats;
        tuples, lists, dicts, named tuples and dataclasses give the same, with None where an element is not a real or complex
        number). A tuple `wrt` gives a tuple. The arguments are never changed, even where `f` writes into them.

    Raises:
        WrtError: `wrt` names no parameter, or one that holds integers, booleans, strings.
        ResultError: the result is not one real scalar.
        AliasError: two array arguments overlap and one of them is written.
        NoSource, Unsupported, NotDifferentiable: `f` is outside of what can be differentiated; the message says where.

    Example:
        >>> import numpy as np, s2sgrad
        >>> def f(x, n):
        ...     y = 1.0
        ...     for i in range(n):
        ...         y = y * np.sin(x)
        ...     return y
        >>> df = s2sgrad.grad(f)
        >>> round(df(0.5, 2), 12)  # 2 sin(0.5) cos(0.5)
        0.841470984808
    """
    return derivative(f, "grad", wrt, Options(simplify, fastmath, parallel, boundscheck))


def value_and_grad(f: Callable[..., Any], wrt: Any = 0, *, simplify: bool = True, fastmath: bool = False, parallel: bool = False,
                   boundscheck: bool = False) -> Derivative:
    """Value and gradient together: a function that returns `(value, gradient)`. Arguments as for `grad`.

    Works with `scipy.optimize.minimize(value_and_grad(f), x0, jac=True)`.

    Example:
        >>> import numpy as np, s2sgrad
        >>> def f(x):
        ...     return np.sum(x * x)
        >>> s2sgrad.value_and_grad(f)(np.array([1.0, 2.0]))
        (np.float64(5.0), array([2., 4.]))
    """
    return derivative(f, "value_and_grad", wrt, Options(simplify, fastmath, parallel, boundscheck))




class Pullback:
    """The second result of `vjp`: maps adjoints of the results to adjoints of the arguments.

    Call it with a seed of the result's structure (numbers and arrays that fit the result; None for zero). `finals` gives the
    adjoints of the final contents of arrays that the function wrote, by parameter name. Returns one gradient per argument, in
    a tuple; None for arguments that cannot carry a derivative.
    """

    def __init__(self, fn: Any, template: Template, args: Sequence[Any], kw: dict[str, Any], result: Spec, value: Any) -> None:
        self._fn, self._args, self._kw, self._result = fn, args, kw, result
        self._entry, hidden = template.entry(fn, args, kw or None)
        self._hidden = tuple(snapshot(h) for h in hidden)  # captured data, as they were for the value
        self._value = value
        self.wrap: Callable[[Any], Any] | None = None  # for arguments of another array class

    @property
    def grown(self) -> bool:
        """Is the result a list of numbers whose length was known at run time only?"""
        return isinstance(self._result, Node) and self._result.kind == "growing" and isinstance(self._result.children[0], Leaf)

    @property
    def written(self) -> tuple[str, ...]:
        """Names of the array parameters that the function writes."""
        return self._entry.derived.finals

    def __call__(self, seed: Any = None, *, finals: dict[str, Any] | None = None) -> tuple[Any, ...]:
        finals = unwrapped(finals)
        seeds = seed_leaves(unwrapped(seed), self._value, self._result, "the result")
        unknown = set(finals or {}) - set(self.written)
        if unknown:
            raise ArgumentError(f"finals names {sorted(unknown)[0]!r}, which {function_name(self._fn)} does not write", place_of(self._fn))
        values = [*self._args, *self._kw.values()]
        main = self._entry.derived.primal.program.main
        at = {p.name: v for p, v in zip(main.params, self._entry.leaves(values), strict=False)}
        for name in self.written:
            given = (finals or {}).get(name)
            seeds.append(np.zeros_like(at[name]) if given is None else fitting(given, at[name], f"the final contents of {name}"))
        raw = iter(self._entry.call(self._fn, values, self._hidden, seeds))
        return tuple(rewrapped(gradient(s, raw), self.wrap) for s in self._entry.specs)

    def source(self, stage: str = "adjoint") -> str:
        """The emitted text."""
        return self._entry.derived.text(stage)


def gradient(spec: Spec, raw: Any) -> Any:
    return build(spec, raw, lambda v: None, lambda leaf: is_inexact(leaf.type))


def seed_leaves(seed: Any, value: Any, spec: Spec, what: str) -> list[Any]:
    """Seeds for the real and complex leaves of a value, cast to their types."""
    if isinstance(spec, Leaf):
        if not is_inexact(spec.type):
            return []
        return [np.zeros_like(value)[()] if seed is None else fitting(seed, value, what)]
    if isinstance(spec, Node) and spec.kind == "growing":
        return list_seeds(seed, value, spec.children[0], what)
    if isinstance(spec, Node) and spec.kind == "pieces":
        return seed_leaves(seed if seed is None else np.asarray(seed), np.asarray(value, dtype=leaves(spec)[0].type.dtype), leaves(spec)[0], what)
    items = children(value)
    if items is None or isinstance(spec, Static):
        return []
    given = [None] * len(items[2]) if seed is None else _parts(seed, items[1], what)
    return [x for s, v, c, k in zip(given, items[2], spec.children, items[1], strict=True) for x in seed_leaves(s, v, c, f"{what}[{k!r}]")]


def list_seeds(seed: Any, value: Any, spec: Spec, what: str) -> list[Any]:
    """Seeds for a list whose length was known at run time only: one array for each real or complex leaf of an element."""
    columns = [(c, leaves(c)[0].type) for c in columns_of(spec)]
    given = [None] * len(value) if seed is None else list(seed)
    if len(given) != len(value):
        raise ArgumentError(f"{what} is a list of {len(value)} elements, but its seed has {len(given)}")
    rows = [seed_leaves(s, v, spec, f"{what}[{k}]") for k, (s, v) in enumerate(zip(given, value, strict=True))]
    out = []
    for j, (c, t) in enumerate((c, t) for c, t in columns if is_inexact(t)):
        column = [row[j] for row in rows]
        out.append(np.concatenate([np.zeros(0, t.dtype), *map(np.ravel, column)]) if isinstance(c, Node) else np.array(column, dtype=t.dtype))
    return out


def _parts(seed: Any, keys: Sequence[Any], what: str) -> list[Any]:
    found = children(seed)
    if found is None or len(found[2]) != len(keys) or (isinstance(seed, dict) and set(seed) != set(keys)):
        raise ArgumentError(f"the seed for {what} must have its structure ({len(keys)} parts)")
    return [seed[k] for k in keys] if isinstance(seed, dict) else list(found[2])


def fitting(given: Any, value: Any, what: str) -> Any:
    """A seed or tangent as a value of the same type and shape."""
    v = np.asarray(value)
    g = np.asarray(given)
    if g.shape != v.shape:
        raise ArgumentError(f"{what} has shape {v.shape}, but its seed or tangent has shape {g.shape}")
    if v.dtype.kind == "f" and g.dtype.kind == "c":
        raise ArgumentError(f"{what} is real, but its seed or tangent is complex")
    g = g.astype(v.dtype)
    if isinstance(value, np.ndarray):
        return np.array(g, order="F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C") if value.ndim else g[()]
    return type(value)(g)


def vjp(f: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Any, Pullback]:
    """The value `f(*args)` and its pull-back (reverse mode).

    The result of `f` may have any structure (the seed of a list that grew at run time is a list of the same length). Arrays that `f` writes
    into are copied first; their final contents count as further results, seeded by name: `pullback(seed, finals={"a": a_bar})`.

    Example:
        >>> import numpy as np, s2sgrad
        >>> def f(x, k):
        ...     return k * x, np.sum(x)
        >>> value, pullback = s2sgrad.vjp(f, np.array([1.0, 2.0]), 3.0)
        >>> pullback((np.array([1.0, 0.0]), 1.0))
        (array([4., 1.]), 1.0)
    """
    require_source(f)
    wrap = wrapper_in((args, kwargs))
    positional, kw = bind_arguments(f, dict(signature(f).parameters), unwrapped(args), unwrapped(kwargs))
    positional = [snapshot(a) for a in positional]
    kw = {k: snapshot(v) for k, v in kw.items()}
    primal = template_for(f, Request("primal"), Options())
    entry, hidden = primal.entry(f, positional, kw or None)
    value = entry.call(f, [*map(snapshot, positional), *map(snapshot, kw.values())], hidden)
    pullback = Pullback(f, template_for(f, Request("vjp", finals=True), Options()), positional, kw, entry.derived.primal.result, value)
    pullback.wrap = wrap
    return rewrapped(value, wrap), pullback


def snapshot(value: Any) -> Any:
    """The value with its arrays copied (strides kept), so that later changes by the caller or by `f` do no harm."""
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    if type(value) in (tuple, list):
        return type(value)(snapshot(v) for v in value)
    if type(value) is dict:
        return {k: snapshot(v) for k, v in value.items()}
    found = children(value)
    if found is None:
        return value
    kind, keys, items = found
    if kind == "namedtuple":
        return type(value)(*map(snapshot, items))
    new = object.__new__(type(value))
    for k, v in zip(keys, items, strict=True):
        object.__setattr__(new, k, snapshot(v))
    return new


def jvp(f: Callable[..., Any], args: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The value `f(*args)` and its derivative along `tangents` (forward mode).

    `tangents` has one entry per argument, of the argument's structure; None (or a missing tail) means that the argument is held
    fixed. The second result has the structure of the value; None where a part of it is not a real or complex number.

    Example:
        >>> import numpy as np, s2sgrad
        >>> def f(x, y):
        ...     return x * y
        >>> s2sgrad.jvp(f, (3.0, 4.0), (1.0, None))
        (12.0, 4.0)
    """
    require_source(f)
    args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    tangents = tuple(tangents) if isinstance(tangents, (tuple, list)) else (tangents,)
    wrap = wrapper_in(args)
    args, tangents = unwrapped(args), unwrapped(tangents)
    if len(tangents) > len(args):
        raise ArgumentError(f"{len(tangents)} tangents are given for {len(args)} arguments of {function_name(f)}", place_of(f))
    positional, kw = bind_arguments(f, dict(signature(f).parameters), args, {})
    names = list(signature(f).parameters)
    dots, active, position = [], [], 0
    for k, a in enumerate(positional):
        spec = describe(a)
        count = len(leaves(spec))
        t = tangents[k] if k < len(tangents) else None
        name = names[min(k, len(names) - 1)]
        for j, (leaf, dot, value) in enumerate(zip(leaves(spec), tangent_leaves(t, a, spec, name), flatten(a, spec), strict=True)):
            if dot is not None:
                if not is_inexact(leaf.type):
                    why = f"a tangent is given for {name}, which holds integers or booleans ({leaf.type})"
                    raise WrtError(why, place_of(f), "Pass None as its tangent.")
                active.append(position + j)
                dots.append(fitting(dot, value, name))
        position += count
    if not active:
        raise WrtError(f"jvp of {function_name(f)} without a tangent", place_of(f), "Give a tangent for at least one argument.")
    template = template_for(f, Request("jvp", tuple(active), by_leaf=True), Options())
    entry, hidden = template.entry(f, positional, kw or None)
    raw = list(entry.call(f, [*positional, *kw.values()], hidden, dots))
    result = entry.derived.primal.result
    count = len(leaves(result))
    made = build(result, with_extents(result, raw, iter(raw[count:])), lambda v: None, lambda leaf: is_inexact(leaf.type))
    return rewrapped(build(result, iter(raw)), wrap), rewrapped(made, wrap)


def tangent_leaves(tangent: Any, value: Any, spec: Spec, what: str) -> list[Any]:
    """One tangent (or None) per leaf of a value."""
    if isinstance(spec, Leaf):
        return [tangent]
    if tangent is None:
        return [None] * len(leaves(spec))
    found = children(value)
    if found is None or isinstance(spec, Static):
        return []
    given = _parts(tangent, found[1], what)
    return [x for t, v, c, k in zip(given, found[2], spec.children, found[1], strict=True) for x in tangent_leaves(t, v, c, f"{what}[{k!r}]")]


def jacobian(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """The matrix of all partial derivatives of a function whose result is a number or an array.

    The result has shape `result.shape + argument.shape`, in a tuple if `wrt` is one. Forward mode is used if the arguments
    have fewer elements than the result, else reverse mode.

    Example:
        >>> import numpy as np, s2sgrad
        >>> def f(x):
        ...     return np.array([x[0] * x[1], x[1]])
        >>> s2sgrad.jacobian(f)(np.array([2.0, 3.0]))
        array([[3., 2.],
               [0., 1.]])
    """
    from s2sgrad.matrices import Jacobian

    return Jacobian(f, wrt)


def hessian(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """The matrix of second derivatives of a function with one real scalar result (forward over reverse mode).

    Shape `argument.shape + argument.shape`; a tuple `wrt` gives a tuple of tuples of blocks.

    Example:
        >>> import numpy as np, s2sgrad
        >>> def f(x):
        ...     return x[0] ** 2 * x[1]
        >>> s2sgrad.hessian(f)(np.array([2.0, 3.0]))
        array([[6., 4.],
               [4., 0.]])
    """
    from s2sgrad.matrices import Hessian

    return Hessian(f, wrt)


def hvp(f: Callable[..., Any], args: Sequence[Any], vector: Any, wrt: Any = 0) -> Any:
    """The Hessian of `f` by one parameter, times a vector (of the parameter's shape), without forming the matrix.

    Example:
        >>> import numpy as np, s2sgrad
        >>> def f(x):
        ...     return np.sum(x ** 3)
        >>> s2sgrad.hvp(f, (np.array([1.0, 2.0]),), np.array([1.0, 1.0]))
        array([ 6., 12.])
    """
    g = grad(f, wrt)
    args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    values, _ = bind_arguments(f, g.parameters, args, {})
    tangents: list[Any] = [None] * len(values)
    request = g.template.request
    for group, v in zip(groups_of(f, request.wrt or (), len(values), ()), (vector,) if request.single else vector, strict=True):
        for k, part in zip(group.indices, v if group.many else (v,), strict=True):
            tangents[k] = part
    return jvp(g, values, tangents)[1]


def source(g: Any, *args: Any, stage: str = "adjoint", **kwargs: Any) -> str:
    """The emitted text of a derivative object for these arguments (see `Derivative.source`). A plain function is shown as its
    gradient by the first parameter.

    Example:
        >>> import numpy as np, s2sgrad
        >>> def f(x):
        ...     return np.sin(x)
        >>> "np.cos(x)" in s2sgrad.source(s2sgrad.grad(f), 1.0)
        True
    """
    return (g if hasattr(g, "source") else grad(g)).source(*args, stage=stage, **kwargs)


def stages(f: Any, *args: Any, wrt: Any = 0, **kwargs: Any) -> dict[str, str]:
    """Stage name -> text of the program after every pass, each of them Python that runs. `f` is a function (its gradient by `wrt`
    is made) or a derivative object."""
    return (f if isinstance(f, Derivative) else grad(f, wrt)).stages(*args, **kwargs)


def emit_module(g: Any, *args: Any, stage: str = "lowered", compiled: bool = True, **kwargs: Any) -> str:
    """A standalone module: the emitted text, with numba's decorator if `compiled`. It needs NumPy (and numba) only; captured
    data are further parameters, after those of the function.

    Example:
        >>> import numpy as np, s2sgrad
        >>> def f(x):
        ...     return np.sin(x)
        >>> scope = {}
        >>> exec(s2sgrad.emit_module(s2sgrad.grad(f), 1.0, compiled=False), scope)
        >>> float(scope["f_grad_x"](0.0))
        1.0
    """
    d = (g if isinstance(g, Derivative) else grad(g)).derived(*args, **kwargs)
    text = d.text(stage)
    return decorated(text) if compiled else text


def decorated(text: str) -> str:
    """Module text with `@njit` on its functions."""
    lines = text.splitlines(keepends=True)
    out, imported = [], False
    for line in lines:
        if line.startswith("def "):
            out.append('@njit(error_model="numpy")\n')
        out.append(line)
        if line.startswith("import numpy") and not imported:
            out.append("from numba import njit\n")
            imported = True
    return ("" if imported else "from numba import njit\n\n\n") + "".join(out)


for _f in (grad, value_and_grad, vjp, jvp, jacobian, hessian, hvp):
    setattr(_f, "__s2sgrad_transform__", _f.__name__)  # noqa: B010 - they may be called inside of functions


__all__ = ["Derivative", "Pullback", "emit_module", "grad", "hessian", "hvp", "jacobian", "jvp", "source", "stages", "value_and_grad", "vjp"]
