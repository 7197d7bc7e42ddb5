"""Costly values that a statement needs twice are computed once.

    x_bar += solve(A, b) + solve(A, b).T   ->   part = solve(A, b)
                                                x_bar += part + part.T

Elementwise arithmetic is left alone: the loops it becomes share it anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from s2sgrad import ir
from s2sgrad.ir import Accum, Assign, Call, Custom, Expr, Function, Multi, Program, Return, Stmt, Store, Var
from s2sgrad.names import Names, names_of
from s2sgrad.optimise.walk import map_blocks, own_exprs

COSTLY = frozenset({
    "matmul", "outer", "solve", "inv", "cholesky", "det", "pinv", "sum", "prod", "max", "min", "cumsum", "cumprod", "sort", "argsort",
    "concatenate", "stack", "fft", "ifft", "tril", "triu", "diagonal_matrix", "unbroadcast",
})


def share_costly(f: Function, program: Program | None = None) -> Function:
    """The function with repeated costly subexpressions of a statement in temporaries."""
    if not any(sum(_costs(e) for e in ir.exprs(s)) > 1 for s in ir.walk_stmts(f.body)):
        return f
    names = Names(names_of(f))
    body = _block(f.body, names)
    return replace(f, body=body, temporaries=f.temporaries | names.made) if names.made else f


def _block(body: list[Stmt], names: Names) -> list[Stmt]:
    out: list[Stmt] = []
    for s in body:
        if isinstance(s, (Assign, Store, Accum, Return, Multi)):
            out += _shared(s, names)
        else:
            out.append(s if isinstance(s, Custom) else map_blocks(s, lambda b: _block(list(b), names)))
    return out


def _shared(s: Stmt, names: Names) -> list[Stmt]:
    """The statement behind the assignments of what it needs more than once."""
    seen = Counter(x for e in ir.exprs(s) for x in _always(e) if isinstance(x, Call) and _costs(x))
    twice = [x for x, k in seen.items() if k > 1]
    if not twice:
        return [s]
    value = max(twice, key=_size)
    v = Var(names.fresh("part"), value.type)
    new = own_exprs(s, lambda e: _put(e, value, v))
    return [*_shared(Assign(v, value, place=s.place), names), *_shared(new, names)]


def _always(e: Any) -> Iterator[Any]:
    """The subexpressions that are evaluated whenever the expression is."""
    yield e
    lazy = isinstance(e, Call) and e.op in ir.LAZY
    for c in ir.children(e)[: 1 if lazy else None]:
        yield from _always(c)


def _costs(e: Any) -> int:
    return sum(1 for x in ir.walk(e) if isinstance(x, Call) and x.op in COSTLY)


def _size(e: Expr) -> int:
    return sum(1 for x in ir.walk(e))


def _put(e: Any, value: Expr, v: Var) -> Any:
    return ir.map_expr(e, lambda x: v if x == value else x)
