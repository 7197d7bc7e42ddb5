"""Jacobians and Hessians, built from products with unit vectors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad.api import Pullback, fitting, grad, jvp, vjp
from s2sgrad.arguments import check_differentiable, checked
from s2sgrad.callables import function_name, place_of, signature
from s2sgrad.derivative import bind_arguments, wrt_positions
from s2sgrad.dispatch import Group, groups_of, parameter_names
from s2sgrad.errors import ArgumentError, ResultError
from s2sgrad.ir import is_inexact
from s2sgrad.pipeline import describe_result
from s2sgrad.structure import Leaf, describe
from s2sgrad.wrapped import rewrapped, unwrapped, wrapper_in


class Matrix:
    """Common part: the user's signature, arguments by position."""

    def __init__(self, f: Callable[..., Any], wrt: Any) -> None:
        self.fn, self.wrt = f, wrt
        self.parameters = dict(signature(f).parameters)
        self.positions, self.single = wrt_positions(f, self.parameters, wrt)
        self.__wrapped__ = f
        self.__signature__ = inspect.Signature(list(self.parameters.values()))
        self.__name__ = f"{function_name(f)}_{type(self).__name__.lower()}"

    def __repr__(self) -> str:
        return f"<s2sgrad {self.__name__}{self.__signature__}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        wrap = wrapper_in((args, kwargs))
        return rewrapped(self.compute(self.bind(unwrapped(args), unwrapped(kwargs))), wrap)

    def compute(self, values: list[Any]) -> Any:
        raise NotImplementedError

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        values, kw = bind_arguments(self.fn, self.parameters, args, kwargs)
        if kw:
            raise ArgumentError(f"{self.__name__}: keyword-only arguments are not supported", place_of(self.fn), "Bind them first: lambda x: f(x, k=k).")
        names = parameter_names(self.fn, len(values))
        for k in [k for g in self.groups(values) for k in g.indices]:
            spec = checked(values[k], names[k], place_of(self.fn))
            check_differentiable(spec, names[k], function_name(self.fn), place_of(self.fn))
            if not isinstance(spec, Leaf):
                raise ArgumentError(f"{self.__name__} by {names[k]}: it must be a number or an array, not {describe_result(spec)}", place_of(self.fn),
                                    "Pack the numbers into one array.")  # fmt: skip
        return values

    def groups(self, values: Sequence[Any]) -> list[Group]:
        return groups_of(self.fn, self.positions, len(values), ())

    def gathered(self, groups: Sequence[Group], parts: Sequence[Any]) -> Any:
        """What there is for each argument, as the variables were asked for."""
        it = iter(parts)
        out = [g.gather([next(it) for _ in g.indices]) for g in groups]
        return out[0] if self.single else tuple(out)


class Jacobian(Matrix):
    """What `jacobian` returns."""

    __s2sgrad_matrix__ = "jacobian"

    def compute(self, values: list[Any]) -> Any:
        value, pullback = vjp(self.fn, *values)
        if isinstance(value, list) and pullback.grown:
            value = np.array(value)
        if not isinstance(value, (np.ndarray, np.generic, float, int, complex)) or not is_inexact(describe(value).type):  # type: ignore[union-attr]
            raise ResultError(f"jacobian needs a number or an array as result, but {function_name(self.fn)} returns {describe_result(describe(value))}",
                              place_of(self.fn), "Use s2sgrad.vjp or s2sgrad.jvp for results with a structure.")  # fmt: skip
        groups = self.groups(values)
        positions = [k for g in groups for k in g.indices]
        wanted = [values[k] for k in positions]
        real = all(np.asarray(v).dtype.kind == "f" for v in (value, *wanted))
        if not real:
            raise ResultError(f"jacobian of {function_name(self.fn)}: result and arguments must be real", place_of(self.fn),
                              "Split complex data into real and imaginary parts.")
        if np.size(value) <= sum(np.size(w) for w in wanted):
            out = by_rows(value, pullback, wanted, positions)
        else:
            out = [by_columns(self.fn, values, k, value) for k in positions]
        return self.gathered(groups, out)


def by_rows(value: Any, pullback: Pullback, wanted: Sequence[Any], positions: Sequence[int]) -> list[Any]:
    """Reverse mode: one pull-back per element of the result."""
    shape = np.shape(value)
    out = [np.zeros(shape + np.shape(w), dtype=np.asarray(w).dtype) for w in wanted]
    for index in np.ndindex(shape):
        seed = np.zeros(shape, dtype=np.asarray(value).dtype)
        seed[index] = 1.0
        fitted = fitting(seed, value, "the result")
        grads = pullback(fitted.tolist() if pullback.grown else fitted)
        for o, k in zip(out, positions, strict=True):
            o[index] = grads[k]
    return [o if o.ndim else o[()] for o in out]


def by_columns(fn: Any, values: Sequence[Any], k: int, value: Any, part: int | None = None) -> Any:
    """Forward mode: one tangent per element of the argument. `part`: the results are a tuple, of which this one is `value`."""
    shape = np.shape(values[k])
    out = np.zeros(np.shape(value) + shape, dtype=np.asarray(values[k]).dtype)
    for index in np.ndindex(shape):
        dot = np.zeros(shape, dtype=np.asarray(values[k]).dtype)
        dot[index] = 1.0
        tangents: list[Any] = [None] * len(values)
        tangents[k] = fitting(dot, values[k], "the argument")
        dots = jvp(fn, values, tangents)[1]
        out[(..., *index)] = dots if part is None else dots[part]
    return out if out.ndim else out[()]


class Hessian(Matrix):
    """What `hessian` returns."""

    __s2sgrad_matrix__ = "hessian"

    def __init__(self, f: Callable[..., Any], wrt: Any) -> None:
        super().__init__(f, wrt)
        self.gradients = [grad(f, k) for k in self.positions]

    def compute(self, values: list[Any]) -> Any:
        groups = self.groups(values)

        def block(gradient: Any, rows: Group, columns: Group) -> Any:
            parts = [(p, n if rows.many else None) for n, p in enumerate(rows.indices)]
            return rows.gather([columns.gather([by_columns(gradient, values, k, values[p], n) for k in columns.indices]) for p, n in parts])

        blocks = tuple(tuple(block(f, rows, columns) for columns in groups) for f, rows in zip(self.gradients, groups, strict=True))
        return blocks[0][0] if self.single else blocks


__all__ = ["Hessian", "Jacobian", "Matrix"]
