"""Control flow as functions: conditions, loops and maps over functions of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sgrad.namespaces import nest
from s2sgrad.operators import OPS
from s2sgrad.tensor import convert_to_tensor

__all__ = ["case", "cond", "foldl", "foldr", "group", "map_fn", "no_op", "scan", "switch_case", "vectorized_map", "while_loop"]


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None) -> Any:
    """The result of one of two functions."""
    return true_fn() if bool(pred) else false_fn()


def _cond_in_compiled_code(pred, true_fn, false_fn, name=None):
    if pred:
        return true_fn()
    return false_fn()


cond.__s2sgrad_numpy__ = _cond_in_compiled_code  # type: ignore[attr-defined]


def case(
    pred_fn_pairs: Sequence[tuple[Any, Callable[[], Any]]],
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    name: str = "case",
) -> Any:
    for pred, fn in pred_fn_pairs:
        if bool(pred):
            return fn()
    if default is None:
        raise ValueError("None of the conditions evaluated as True, and there is no default.")
    return default()


def switch_case(branch_index: Any, branch_fns: Any, default: Callable[[], Any] | None = None, name: str = "switch_case") -> Any:
    fns: dict[int, Any] = (
        dict(branch_fns) if isinstance(branch_fns, dict) or branch_fns and isinstance(branch_fns[0], tuple) else dict(enumerate(branch_fns))
    )
    chosen: Any = fns.get(int(branch_index), default or fns[max(fns)])
    return chosen()


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """`while cond(*loop_vars): loop_vars = body(*loop_vars)`."""
    state = nest.map_structure(convert_to_tensor, loop_vars)
    kind, n = type(loop_vars), 0
    while bool(cond(*state)) and (maximum_iterations is None or n < int(maximum_iterations)):
        out = body(*state)
        state = kind(out) if isinstance(out, (list, tuple)) else kind([out])
        n += 1
    return state


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Any = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` of each slice along the first axis, stacked."""
    flat = [convert_to_tensor(t) for t in nest.flatten(elems)]
    rows = [fn(nest.pack_sequence_as(elems, [t[i] for t in flat])) for i in range(len(flat[0]))]
    return _stacked(rows)


def _stacked(rows: list[Any]) -> Any:
    if not rows:
        return OPS["constant"]([])
    columns = zip(*(nest.flatten(r) for r in rows), strict=True)
    return nest.pack_sequence_as(rows[0], [OPS["stack"](list(c)) for c in columns])


def vectorized_map(fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    return map_fn(fn, elems)


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """All running values of `acc = fn(acc, elem)`."""
    states = _run(fn, elems, initializer, reverse)
    return _stacked(states[::-1] if reverse else states)


def _run(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any, reverse: bool) -> list[Any]:
    flat = [convert_to_tensor(t) for t in nest.flatten(elems)]
    rows = [nest.pack_sequence_as(elems, [t[i] for t in flat]) for i in range(len(flat[0]))]
    rows = rows[::-1] if reverse else rows
    states = []
    acc = initializer
    if acc is None:
        acc, rows = rows[0], rows[1:]
        states.append(acc)
    else:
        acc = nest.map_structure(convert_to_tensor, acc)
    for r in rows:
        acc = fn(acc, r)
        states.append(acc)
    return states or [acc]


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    return _run(fn, elems, initializer, False)[-1]


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    return _run(fn, elems, initializer, True)[-1]


def _map_fn_in_compiled_code(fn, elems, dtype=None, name=None, fn_output_signature=None):
    return np.stack([fn(elems[i]) for i in range(elems.shape[0])])


def _foldl_in_compiled_code(fn, elems, initializer=None, name=None):
    acc = elems[0] if initializer is None else initializer
    for i in range(1 if initializer is None else 0, elems.shape[0]):
        acc = fn(acc, elems[i])
    return acc


def _while_loop_in_compiled_code(cond, body, loop_vars, maximum_iterations=None, name=None):
    state = loop_vars
    n = 0
    while cond(*state) and (maximum_iterations is None or n < maximum_iterations):
        state = tuple(body(*state))
        n += 1
    return state


for _f, _g in ((map_fn, _map_fn_in_compiled_code), (foldl, _foldl_in_compiled_code), (while_loop, _while_loop_in_compiled_code)):
    _f.__s2sgrad_numpy__ = _g  # type: ignore


def no_op(name: str | None = None) -> None:
    return None


def group(*inputs: Any, **kwargs: Any) -> None:
    return None
