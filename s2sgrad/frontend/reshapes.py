"""Reshaping an array that is not contiguous gives a view or a copy, depending on strides that are known at run time only.

Core takes it for a copy; where a later write could tell the difference the program is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sgrad import ir
from s2sgrad.errors import Unsupported
from s2sgrad.ir import Array, Assign, Call, Expr, Function, Index, Program, Stmt

COPIES = ("reshape_copy", "broadcast_to", "diagonal")  # fresh arrays in Core


def check_reshapes(f: Function, program: Program) -> None:
    """Raise Unsupported where it matters whether a reshape was a view."""
    found = [(k, loop, s, a) for k, loop, s in _numbered(f.body) if isinstance(s, Assign) and (a := _doubtful(s.value)) is not None]
    if not found:
        return
    classes = _classes(f.body)
    writes = [(k, classes.find(n)) for k, _, s in _numbered(f.body) for n in _written(s, program)]
    for k, loop, s, a in found:
        r = ir.root(a)
        mine = {classes.find(s.target.name), *([classes.find(r.name)] if r is not None else [])}
        if any(w in mine and (j > k or j >= loop) for j, w in writes):
            if (copied := _copied(s.value)) != "reshape_copy":
                raise Unsupported(f"np.{copied} gives a view of an array that is written later", s.place, f"Write np.{copied}(...).copy().")
            raise Unsupported("an array that is not contiguous is reshaped, and the result or the array is written later: "
                              "NumPy may give a view or a copy here", s.place, "Write x.reshape(...).copy(), or reshape np.ascontiguousarray(x).")


def _copied(e: Expr) -> str:
    """The operation whose result Core copies and NumPy may not."""
    return next(x.op for x in ir.walk(e) if isinstance(x, Call) and x.op in COPIES)


def _numbered(body: Sequence[Stmt]) -> list[tuple[int, float, Stmt]]:
    """(position, start of the outermost loop around it, statement)."""
    out: list[tuple[int, float, Stmt]] = []

    def visit(block: Sequence[Stmt], loop: float) -> None:
        for s in block:
            out.append((len(out), loop, s))
            inner = min(loop, len(out)) if isinstance(s, ir.For | ir.While) else loop
            for b in ir.blocks(s):
                visit(b, inner)

    visit(body, float("inf"))
    return out


def _doubtful(e: Expr) -> Expr | None:
    """The array under a reshape of unknown nature that the expression is a view of."""
    while True:
        if isinstance(e, Call) and e.op in COPIES:
            a = e.args[0]
            doubtful = isinstance(a.type, Array) and ir.is_alias(a) and (a.type.layout == "A" or e.op != "reshape_copy")
            return a if doubtful else None
        if isinstance(e, Index) and e.kind == "view":
            e = e.base
        elif isinstance(e, Call) and e.op in ir.VIEW_OPS:
            e = e.args[0]
        else:
            return None


class _Classes:
    """Union-find of names that may share memory."""

    def __init__(self) -> None:
        self.parent: dict[str, str] = {}

    def find(self, n: str) -> str:
        while self.parent.setdefault(n, n) != n:
            n = self.parent[n]
        return n

    def join(self, a: str, b: str) -> None:
        self.parent[self.find(a)] = self.find(b)


def _classes(body: Sequence[Stmt]) -> _Classes:
    out = _Classes()
    for s in ir.walk_stmts(body):
        if isinstance(s, Assign) and not isinstance(s.target.type, ir.Scalar):
            r = ir.root(s.value)
            if r is not None:
                out.join(s.target.name, r.name)
        elif isinstance(s, ir.Append):
            out.join(s.list.name, s.value.name)
        elif isinstance(s, ir.Pop):
            out.join(s.target.name, s.list.name)
    return out


def _written(s: Any, program: Program) -> list[str]:
    if isinstance(s, ir.Store) or (isinstance(s, ir.Accum) and s.index is not None):
        return [s.base.name]
    if isinstance(s, ir.CallFn) and s.function in program.linked:
        callee = program.linked[s.function]
        pairs = zip(callee.params, s.args, strict=False)
        return [r.name for p, a in pairs if p.name in callee.written and (r := ir.root(a)) is not None]
    return []
