"""`test`: comparing gradients with difference quotients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad.tape import GradientTape
from s2sgrad.tensor import Tensor, convert_to_tensor


def compute_gradient(f: Callable[..., Any], x: Sequence[Any], delta: float | None = None) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The Jacobians of `f(*x)` by a tape and by central differences: two lists of matrices (results x inputs)."""
    xs = [convert_to_tensor(v) for v in x]
    step = 1.0 / 1024 if delta is None else delta
    with GradientTape(persistent=True) as tape:
        tape.watch(xs)
        y = f(*xs)
    by_tape = tape.jacobian(y, xs, unconnected_gradients="zero")
    analytic = [j.numpy().reshape(y._array.size, v._array.size) for j, v in zip(by_tape, xs, strict=True)]
    numeric = [_differences(f, xs, k, step, y._array.size) for k in range(len(xs))]
    return analytic, numeric


def _differences(f: Callable[..., Any], xs: list[Tensor], k: int, step: float, size: int) -> np.ndarray:
    base = xs[k]._array
    out = np.zeros((size, base.size), base.dtype)
    for j in range(base.size):
        ends = []
        for sign in (1, -1):
            moved = base.copy()
            moved.reshape(-1)[j] += sign * step
            ends.append(f(*xs[:k], Tensor(moved), *xs[k + 1 :])._array.reshape(-1))
        out[:, j] = (ends[0] - ends[1]) / (2 * step)
    return out


def max_error(grad1: Sequence[np.ndarray], grad2: Sequence[np.ndarray]) -> float:
    """The largest difference between two lists of Jacobians."""
    return max((float(np.max(np.abs(a - b))) for a, b in zip(grad1, grad2, strict=True) if a.size), default=0.0)


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    from s2sgrad.device import count

    return count("GPU") > 0


def gpu_device_name() -> str:
    """The name of the first GPU, '' where there is none."""
    return "/device:GPU:0" if is_gpu_available() else ""


def is_built_with_cuda() -> bool:
    return is_gpu_available()
