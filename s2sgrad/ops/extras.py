"""Small functions around tensors: identities, histograms, scopes that mean nothing here, `Module`."""

from __future__ import annotations

import contextlib
from collections import namedtuple
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from s2sgrad import dtypes
from s2sgrad.eager import takes_tensors
from s2sgrad.namespaces import nest
from s2sgrad.operators import OPS, Operators
from s2sgrad.tensor import Tensor, convert_to_tensor, to_array

__all__ = [
    "Assert",
    "Module",
    "bitcast",
    "control_dependencies",
    "executing_eagerly",
    "get_static_value",
    "gradients",
    "guarantee_const",
    "hessians",
    "histogram_fixed_width",
    "identity_n",
    "init_scope",
    "name_scope",
    "numpy_function",
    "py_function",
    "unique", "unique_with_counts",
]

Unique = namedtuple("Unique", "y idx")
UniqueWithCounts = namedtuple("UniqueWithCounts", "y idx count")


def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    return [OPS["identity"](t) for t in input]


def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    return OPS["identity"](input)


def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Unique:
    """The distinct values in the order of their first appearance, and for each element the position of its value."""
    a = convert_to_tensor(x)._array
    values, first, inverse = np.unique(a, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return Unique(Tensor(values[order]), Tensor(place[inverse.reshape(-1)].astype(dtypes.as_dtype(out_idx).dtype)))


def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> UniqueWithCounts:
    """As `unique`, and how often each value appears."""
    y, idx = unique(x, out_idx)
    return UniqueWithCounts(y, idx, Tensor(np.bincount(idx._array, minlength=len(y)).astype(idx._array.dtype)))


def _places(x):
    """The distinct values in the order of their first appearance, the place of each element's value there, and counts."""
    values, first, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    return OPS["stop_gradient"](values[order]), np.argsort(order)[np.reshape(inverse, (-1,))], counts[order]


def _unique_in_compiled_code(x, out_idx="int32", name=None):
    y, idx, _ = _places(x)
    return Unique(y, idx.astype(out_idx))


def _unique_with_counts_in_compiled_code(x, out_idx="int32", name=None):
    y, idx, counts = _places(x)
    return UniqueWithCounts(y, idx.astype(out_idx), counts.astype(out_idx))


unique.__s2sgrad_numpy__ = _unique_in_compiled_code  # type: ignore[attr-defined]
unique_with_counts.__s2sgrad_numpy__ = _unique_with_counts_in_compiled_code  # type: ignore[attr-defined]
takes_tensors(unique, "x")
takes_tensors(unique_with_counts, "x")


def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    a = convert_to_tensor(arr)._array.reshape(-1)
    w = None if weights is None else convert_to_tensor(weights)._array.reshape(-1)
    out = np.bincount(a, w, int(minlength or 0))
    out = out if maxlength is None else out[: int(maxlength)]
    return Tensor(out.astype(dtypes.as_dtype(dtype).dtype if w is None else w.dtype))


def histogram_fixed_width(values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """How many values fall into each of `nbins` intervals of equal width; the first and the last take what lies outside."""
    a, (low, high) = convert_to_tensor(values)._array.reshape(-1), to_array(value_range).astype(float)
    at = np.clip(np.floor((a - low) / (high - low) * int(nbins)), 0, int(nbins) - 1).astype(int)
    return Tensor(np.bincount(at, minlength=int(nbins)).astype(dtypes.as_dtype(dtype).dtype))


def confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any = None, weights: Any = None, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    a, b = convert_to_tensor(labels)._array.reshape(-1), convert_to_tensor(predictions)._array.reshape(-1)
    n = int(max(a.max(initial=-1), b.max(initial=-1)) + 1 if num_classes is None else num_classes)
    out = np.zeros((n, n), dtypes.as_dtype(dtype).dtype)
    np.add.at(out, (a, b), 1 if weights is None else convert_to_tensor(weights)._array.reshape(-1).astype(out.dtype))
    return Tensor(out)


def numpy_function(func: Any, inp: Sequence[Any], Tout: Any, stateful: bool = True, name: str | None = None) -> Any:
    """A Python function of NumPy arrays. Nothing flows back through it."""
    out = func(*(convert_to_tensor(x).numpy() for x in inp))
    return _outputs(out, Tout, lambda v, want: Tensor(np.asarray(v, dtype=want.dtype)))


def py_function(func: Any, inp: Sequence[Any], Tout: Any, name: str | None = None) -> Any:
    """A Python function of tensors, run as Python wherever it is called."""
    return _outputs(func(*map(convert_to_tensor, inp)), Tout, lambda v, want: OPS["cast"](v, want))


def _outputs(out: Any, wanted: Any, convert: Any) -> Any:
    if isinstance(wanted, (list, tuple)):
        parts = out if isinstance(out, (list, tuple)) else [out]
        return [convert(v, dtypes.as_dtype(w)) for v, w in zip(parts, wanted, strict=True)]
    return convert(out, dtypes.as_dtype(wanted))


def polyval(coeffs: Sequence[Any], x: Any, name: str | None = None) -> Tensor:
    """The polynomial with these coefficients, highest power first, by Horner's scheme."""
    t = convert_to_tensor(x)
    if not coeffs:
        return OPS["zeros_like"](t)
    total = convert_to_tensor(coeffs[0], dtype_hint=t.dtype)
    for c in coeffs[1:]:
        total = total * t + c
    return total


def accumulate_n(inputs: Sequence[Any], shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Tensor:
    return OPS["add_n"](inputs)


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The same bits read as another dtype of the same size."""
    return Tensor(convert_to_tensor(input)._array.view(dtypes.as_dtype(type).dtype))


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    return tensor.numpy() if isinstance(tensor, Operators) else tensor  # type: ignore[attr-defined]


def Assert(condition: Any, data: Any, summarize: Any = None, name: str | None = None) -> None:
    from s2sgrad.namespaces import debugging

    debugging.Assert(condition, data)


def gradients(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.")


def hessians(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError(
        "tf.hessians is not supported when eager execution is enabled. Use two tf.GradientTapes and jacobian, or s2sgrad.hessian."
    )


def executing_eagerly() -> bool:
    return True


@contextlib.contextmanager
def _scope(*args: Any, **kwargs: Any) -> Iterator[Any]:
    yield args[0] if args else None


name_scope = control_dependencies = init_scope = _scope


class Module:
    """A holder of variables (in attributes, lists, dicts and other modules)."""

    __s2sgrad_object__ = True  # compiled code sees its attributes, also where it can be called

    def __init__(self, name: str | None = None) -> None:
        self._name = name or type(self).__name__.lower()

    @property
    def name(self) -> str:
        return self._name

    @property
    def submodules(self) -> tuple[Module, ...]:
        return tuple(m for m in self._found() if isinstance(m, Module))

    @property
    def variables(self) -> tuple[Any, ...]:
        return tuple(v for v in self._found() if isinstance(v, Operators) and not isinstance(v, Tensor))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        return tuple(v for v in self.variables if v.trainable)

    def _found(self) -> list[Any]:
        out: list[Any] = []

        def visit(x: Any) -> None:
            if any(x is y for y in out):
                return
            if isinstance(x, (Operators, Module)):
                out.append(x)
            if isinstance(x, Module):
                for _, v in sorted(vars(x).items()):
                    visit(v)
            elif nest.is_nested(x):
                for v in nest.flatten(x):
                    visit(v)

        for _, v in sorted(vars(self).items()):
            visit(v)
        return out


def _bincount(arr, weights=None, minlength=None, maxlength=None, dtype=np.int32, name=None):
    w = None if weights is None else np.reshape(weights, -1)
    out = np.bincount(np.reshape(arr, -1), w, 0 if minlength is None else minlength)
    if maxlength is not None:
        out = out[:maxlength]
    return out.astype(dtype if weights is None else weights.dtype)


bincount.__s2sgrad_numpy__ = _bincount  # type: ignore[attr-defined]
takes_tensors(bincount, "arr", "weights", index=("arr",))


def _polyval(coeffs, x, name=None):
    total = x * 0
    for c in coeffs:
        total = total * x + c
    return total


polyval.__s2sgrad_numpy__ = _polyval  # type: ignore[attr-defined]

takes_tensors(polyval, "x")
