"""`debugging`: checks that raise InvalidArgumentError."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad.dtypes import as_dtype
from s2sgrad.eager import takes_tensors
from s2sgrad.errors import InvalidArgumentError
from s2sgrad.tensor import Tensor, convert_to_tensor


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
    """The tensor itself; InvalidArgumentError where it holds nan or inf."""
    t = convert_to_tensor(tensor)
    for what, test in (("Inf", np.isinf), ("NaN", np.isnan)):
        if test(t._array).any():
            raise InvalidArgumentError(f"{message} : Tensor had {what} values [Op:CheckNumerics]")
    return t


def _check_numerics_in_compiled_code(tensor, message, name=None):
    if np.any(np.isinf(tensor)):
        raise InvalidArgumentError(message + " : Tensor had Inf values [Op:CheckNumerics]")
    if np.any(np.isnan(tensor)):
        raise InvalidArgumentError(message + " : Tensor had NaN values [Op:CheckNumerics]")
    return tensor


check_numerics.__s2sgrad_numpy__ = _check_numerics_in_compiled_code  # type: ignore[attr-defined]


def set_log_device_placement(enabled: bool) -> None:
    """Accepted: every operation runs where its `device` scope says."""


def Assert(condition: Any, data: Any, summarize: Any = None, name: str | None = None) -> None:
    if not bool(np.all(np.asarray(condition))):
        raise InvalidArgumentError(f"Expected 'tf.Tensor({condition}, shape=(), dtype=bool)' to be true. Summarized data: {data}")


def _assert_in_compiled_code(condition, data, summarize=None, name=None):
    if not np.all(condition):
        raise InvalidArgumentError("Expected the condition to be true.")


Assert.__s2sgrad_numpy__ = _assert_in_compiled_code  # type: ignore[attr-defined]


def _compare(what: str, test: Any) -> Any:
    def check(x: Any, y: Any, message: str | None = None, summarize: Any = None, name: str | None = None) -> None:
        a, b = np.asarray(x), np.asarray(y)
        if not np.all(test(a, b)):
            raise InvalidArgumentError(f"{message or ''}\nCondition x {what} y did not hold.\nx = {a}\ny = {b}".lstrip("\n"))

    text = f"Condition x {what} y did not hold."

    def compiled(x, y, message=None, summarize=None, name=None):  # type: ignore[no-untyped-def]
        if not np.all(test(x, y)):
            raise InvalidArgumentError(text if message is None else message + " " + text)

    check.__s2sgrad_numpy__ = compiled  # type: ignore[attr-defined]
    takes_tensors(check, "x", "y")
    return check


assert_equal = _compare("==", np.equal)
assert_none_equal = _compare("!=", np.not_equal)
assert_less = _compare("<", np.less)
assert_less_equal = _compare("<=", np.less_equal)
assert_greater = _compare(">", np.greater)
assert_greater_equal = _compare(">=", np.greater_equal)
assert_near = _compare("~=", lambda a, b: np.isclose(a, b, rtol=1e-5, atol=1e-5))


def _one_sided(what: str, name: str) -> Any:
    against = {"positive": assert_greater, "negative": assert_less, "non_negative": assert_greater_equal, "non_positive": assert_less_equal}[what]

    def check(x: Any, message: str | None = None, summarize: Any = None, name: str | None = None) -> None:
        against(x, 0, message)

    check.__name__ = name
    return check


assert_positive = _one_sided("positive", "assert_positive")
assert_negative = _one_sided("negative", "assert_negative")
assert_non_negative = _one_sided("non_negative", "assert_non_negative")
assert_non_positive = _one_sided("non_positive", "assert_non_positive")


def assert_rank(x: Any, rank: int, message: str | None = None, name: str | None = None) -> None:
    """ValueError where a tensor has another rank."""
    if np.ndim(x) != int(rank):
        raise ValueError(f"{message or ''} Tensor must have rank {int(rank)}. Received rank {np.ndim(x)}, shape {np.shape(x)}".strip())


def assert_rank_at_least(x: Any, rank: int, message: str | None = None, name: str | None = None) -> None:
    if np.ndim(x) < int(rank):
        raise ValueError(f"{message or ''} Tensor must have rank at least {int(rank)}. Received rank {np.ndim(x)}, shape {np.shape(x)}".strip())


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> None:
    """TypeError where a tensor has another dtype."""
    t, want = convert_to_tensor(tensor), as_dtype(tf_type)
    if t.dtype != want:
        raise TypeError(f"{message or ''} tensor must be of type {want!r}; got {t.dtype!r}".strip())


def assert_shapes(shapes: Any, data: Any = None, summarize: Any = None, message: str | None = None, name: str | None = None) -> None:
    """ValueError where a tensor does not have its shape; equal names in the shapes stand for equal extents."""
    known: dict[Any, int] = {}
    for x, shape in shapes.items() if isinstance(shapes, dict) else shapes:
        dims = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        if len(dims) != np.ndim(x):
            raise ValueError(f"{message or ''} Tensor of shape {np.shape(x)} does not have the shape {dims}".strip())
        for want, have in zip(dims, np.shape(x), strict=True):
            if want is not None and want != "." and (known.setdefault(want, have) if isinstance(want, str) else want) != have:
                raise ValueError(f"{message or ''} Tensor of shape {np.shape(x)} does not have the shape {dims}".strip())


def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    return check_numerics(x, message)
