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


# The same inside compiled code. Elements come from one array or from a tuple, list or dict of arrays.


def _row(elems, i):
    if isinstance(elems, tuple):
        return tuple([_row(e, i) for e in elems])
    if isinstance(elems, list):
        return [_row(e, i) for e in elems]
    if isinstance(elems, dict):
        return {k: _row(e, i) for k, e in elems.items()}
    return elems[i]


def _length(elems):
    if isinstance(elems, (tuple, list)):
        return _length(elems[0])
    if isinstance(elems, dict):
        return _length(next(iter(elems.values())))
    return elems.shape[0]


def _new_lists(row):
    """An empty list for every array of a row, in the row's structure."""
    if isinstance(row, tuple):
        return tuple([_new_lists(r) for r in row])
    return []


def _put(lists, row):
    if isinstance(row, tuple):
        for k in range(len(row)):
            _put(lists[k], row[k])
    else:
        lists.append(row)


def _joined(lists, row):
    if isinstance(row, tuple):
        return tuple([_joined(lists[k], row[k]) for k in range(len(row))])
    return np.stack(lists)


def _map_fn_in_compiled_code(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True,
                             name=None, fn_output_signature=None):  # fmt: skip
    row = fn(_row(elems, 0))
    out = _new_lists(row)
    _put(out, row)
    for i in range(1, _length(elems)):
        row = fn(_row(elems, i))
        _put(out, row)
    return _joined(out, row)


def _vectorized_map_in_compiled_code(fn, elems, fallback_to_while_loop=True, warn=True):
    return _map_fn_in_compiled_code(fn, elems)


def _scan_in_compiled_code(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, infer_shape=True,
                           reverse=False, name=None):  # fmt: skip
    n = _length(elems)
    if initializer is None:
        acc = _row(elems, n - 1 if reverse else 0)
        first = 1
    else:
        acc = fn(_as_state(initializer, elems), _row(elems, n - 1 if reverse else 0))
        first = 1
    out = _new_lists(acc)
    _put(out, acc)
    for i in range(first, n):
        acc = fn(acc, _row(elems, n - 1 - i if reverse else i))
        _put(out, acc)
    joined = _joined(out, acc)
    return _flipped(joined) if reverse else joined


def _flipped(x):
    return tuple([_flipped(e) for e in x]) if isinstance(x, tuple) else x[::-1]


def _as_state(initializer, elems):
    """Python numbers of an initial state become numbers of the dtype that tensors have."""
    if isinstance(initializer, (tuple, list)):
        return tuple([_as_state(e, elems) for e in initializer])
    if isinstance(initializer, float):
        return np.float32(initializer)
    return initializer


def _fold(fn, elems, initializer, reverse):
    n = _length(elems)
    acc = _row(elems, n - 1 if reverse else 0) if initializer is None else _as_state(initializer, elems)
    for i in range(1 if initializer is None else 0, n):
        acc = fn(acc, _row(elems, n - 1 - i if reverse else i))
    return acc


def _foldl_in_compiled_code(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    return _fold(fn, elems, initializer, False)


def _foldr_in_compiled_code(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    return _fold(fn, elems, initializer, True)


def _while_loop_in_compiled_code(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False,
                                 maximum_iterations=None, name=None):  # fmt: skip
    state = tuple(loop_vars)
    n = 0
    while cond(*state) and (maximum_iterations is None or n < maximum_iterations):
        new = body(*state)
        state = tuple(new) if isinstance(new, (tuple, list)) else (new,)
        n += 1
    return list(state) if isinstance(loop_vars, list) else state


def _case_in_compiled_code(pred_fn_pairs, default=None, exclusive=False, name="case"):
    for pred, fn in pred_fn_pairs:
        if pred:
            return fn()
    if default is None:
        raise ValueError("None of the conditions evaluated as True, and there is no default.")
    return default()


def _switch_case_in_compiled_code(branch_index, branch_fns, default=None, name="switch_case"):
    if isinstance(branch_fns, dict):
        pairs = tuple([(k, f) for k, f in branch_fns.items()])
    elif isinstance(branch_fns[0], tuple):
        pairs = tuple(branch_fns)
    else:
        pairs = tuple([(k, branch_fns[k]) for k in range(len(branch_fns))])
    for k, fn in pairs:
        if branch_index == k:
            return fn()
    return pairs[-1][1]() if default is None else default()


for _f, _g in (
    (map_fn, _map_fn_in_compiled_code),
    (vectorized_map, _vectorized_map_in_compiled_code),
    (scan, _scan_in_compiled_code),
    (foldl, _foldl_in_compiled_code),
    (foldr, _foldr_in_compiled_code),
    (while_loop, _while_loop_in_compiled_code),
    (case, _case_in_compiled_code),
    (switch_case, _switch_case_in_compiled_code),
):
    _f.__s2sgrad_numpy__ = _g  # type: ignore


def no_op(name: str | None = None) -> None:
    return None


def group(*inputs: Any, **kwargs: Any) -> None:
    return None
