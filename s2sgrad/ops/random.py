"""Random tensors from one generator per process; `recompute_grad` replays its draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad import dtypes
from s2sgrad.eager import static
from s2sgrad.operators import OPS
from s2sgrad.tensor import Tensor, convert_to_tensor, to_array

_generator = [np.random.default_rng()]
_seed: list[int | None] = [None]


def set_seed(seed: int) -> None:
    """Restart the generator: the same seed gives the same tensors."""
    _generator[0], _seed[0] = np.random.default_rng(int(seed)), int(seed)


def state() -> Any:
    """The generator's state, for `restore`."""
    return _generator[0].bit_generator.state, np.random.get_state()


def restore(saved: Any) -> None:
    _generator[0].bit_generator.state = saved[0]
    np.random.set_state(saved[1])


def _rng(seed: Any) -> np.random.Generator:
    return _generator[0] if seed is None else np.random.default_rng([int(seed), _seed[0] or 0])


def _dims(shape: Any) -> tuple[int, ...]:
    dims = static(shape)
    return dims if isinstance(dims, tuple) else (int(dims),)


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Uniform in [minval, maxval); integers need a maxval."""
    want = dtypes.as_dtype(dtype)
    if want.is_integer:
        if maxval is None:
            raise ValueError("Must specify maxval for integer dtype " + want.name)
        return Tensor(_rng(seed).integers(to_array(minval), to_array(maxval), _dims(shape)).astype(want.dtype))
    low, high = to_array(minval)[()], 1.0 if maxval is None else to_array(maxval)[()]
    return Tensor((_rng(seed).random(_dims(shape)) * (high - low) + low).astype(want.dtype))


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    want = dtypes.as_dtype(dtype)
    return Tensor((_rng(seed).standard_normal(_dims(shape)) * to_array(stddev) + to_array(mean)).astype(want.dtype))


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Normal, redrawn until within two standard deviations."""
    rng, want = _rng(seed), dtypes.as_dtype(dtype)
    a = np.asarray(rng.standard_normal(_dims(shape)))
    while (bad := np.abs(a) > 2).any():
        a[bad] = rng.standard_normal(int(bad.sum()))
    return Tensor((a * to_array(stddev) + to_array(mean)).astype(want.dtype))


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    t = convert_to_tensor(value)
    return OPS["_gather_rows"](t, _rng(seed).permutation(t._array.shape[0]))


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    alg: str = "auto_select",
    name: str | None = None,
) -> Tensor:
    rng, want = np.random.default_rng(list(static(seed))), dtypes.as_dtype(dtype)
    low, high = to_array(minval)[()], 1.0 if maxval is None else to_array(maxval)[()]
    return Tensor((rng.random(_dims(shape)) * (high - low) + low).astype(want.dtype))


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    alg: str = "auto_select",
    name: str | None = None,
) -> Tensor:
    rng, want = np.random.default_rng(list(static(seed))), dtypes.as_dtype(dtype)
    return Tensor((rng.standard_normal(_dims(shape)) * to_array(stddev) + to_array(mean)).astype(want.dtype))


def _uniform_in_compiled_code(shape, minval=0.0, maxval=1.0, dtype=np.float32, seed=None, name=None):
    return (np.random.random(shape) * (maxval - minval) + minval).astype(dtype)


def _normal_in_compiled_code(shape, mean=0.0, stddev=1.0, dtype=np.float32, seed=None, name=None):
    return (np.random.standard_normal(shape) * stddev + mean).astype(dtype)


uniform.__s2sgrad_numpy__ = _uniform_in_compiled_code  # type: ignore[attr-defined]
normal.__s2sgrad_numpy__ = _normal_in_compiled_code  # type: ignore[attr-defined]
OPS["random_uniform"] = uniform
