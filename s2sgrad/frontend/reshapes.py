"""Reshaping an array that is not contiguous gives a view or a copy, depending on strides that are known at run time only.

Core takes it for a copy; where a later write could tell the difference the program is refused. The same holds for arrays that NumPy computes from
arrays that are not C-contiguous: it keeps the order of the axes in memory (`A.T * 2.0` is Fortran-contiguous), Core takes them for C-contiguous.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from s2sgrad import ir
from s2sgrad.errors import Unsupported
from s2sgrad.ir import Array, Assign, Call, Expr, Function, Index, Program, Stmt
from s2sgrad.rules import registry

COPIES = ("reshape_copy", "broadcast_to", "diagonal", "ascontiguous", "windows")  # fresh arrays in Core
READ_ONLY = frozenset({"broadcast_to", "diagonal", "windows"})  # NumPy's view cannot be written


def check_reshapes(f: Function, program: Program) -> None:
    """Raise Unsupported where it matters whether a reshape was a view."""
    unknown = _unknown_order(f)
    line = _numbered(f.body)
    found = [(n, a) for n in line if isinstance(n.stmt, Assign) and (a := _doubtful(n.stmt.value, unknown)) is not None]
    if not found:
        return
    classes = _classes(f.body)
    writes = [(n, classes.find(name)) for n in line for name in _written(n.stmt, program)]
    for n, a in found:
        assert isinstance(n.stmt, Assign)
        own, r = classes.find(n.stmt.target.name), ir.root(a)
        through = any(w == own and (m.at > n.at or m.at >= n.loop) for m, w in writes)
        if through and r is not None and _copied(n.stmt.value) == "ascontiguous":  # a write into a copy that nobody sees in the source
            source = classes.find(r.name)
            through = _sees(n, source, [m for m, w in writes if w == own], line, classes)
        shown = r is not None and _sees(n, own, [m for m, w in writes if w == classes.find(r.name)], line, classes)
        if through or shown:
            copied = _copied(n.stmt.value)
            if copied == "ascontiguous":
                raise Unsupported("np.ascontiguousarray gives a copy, or the array itself where it is contiguous, and one of them is written later",
                                  n.stmt.place, "Write x.copy().")
            if copied != "reshape_copy":
                copied = {"windows": "lib.stride_tricks.sliding_window_view"}.get(copied, copied)
                raise Unsupported(f"np.{copied} gives a view of an array that is written later", n.stmt.place, f"Write np.{copied}(...).copy().")
            if a.type.layout == "F" and r is not None and r.name not in unknown:  # type: ignore[union-attr]
                _check_extents(f.body, n.stmt, a)
                continue
            raise Unsupported("an array that is not contiguous is reshaped, and the result or the array is written later: "
                              "NumPy may give a view or a copy here", n.stmt.place, "Write x.reshape(...).copy(), or reshape np.ascontiguousarray(x).")


def _check_extents(body: list[Stmt], s: Stmt, a: Expr) -> bool:
    """Before a reshape of a Fortran-contiguous array, which NumPy copies unless all of its elements stand along one axis."""
    for k, x in enumerate(body):
        if x is s:
            one_axis = [ir.call("eq", ir.call("size", a), ir.call("dim", a, axis=d)) for d in range(a.ndim)]
            why = "the reshape of this array is a view here, as all of its elements stand along one axis, and one of them is written later"
            check = ir.If(functools.reduce(lambda p, q: ir.call("or", p, q), one_axis), [ir.Raise(ValueError, [why], place=s.place)], place=s.place)
            body.insert(k, check)
            return True
        if any(_check_extents(b, s, a) for b in ir.blocks(x)):
            return True
    return False


def _sees(n: _Numbered, own: str, writes: Sequence[_Numbered], line: Sequence[_Numbered], classes: _Classes) -> bool:
    """May the value made at `n` (or a view of it) be read after one of the writes into the array that it was made of?"""
    if not any(w.at > n.at or w.at >= n.loop for w in writes):
        return False
    for u in line:
        if u.at == n.at or own not in {classes.find(name) for e in ir.exprs(u.stmt) for name in ir.names_in(e)}:
            continue
        if not n.at < u.at < n.end:  # another iteration, or another path, may have made what is read there
            return True
        around = min((start for start in u.loops if start > n.at), default=u.at)  # a loop between the two repeats its writes
        last = max((m.at for m in line if around in m.loops), default=u.at) if around != u.at else u.at
        if any(n.at < w.at < u.at or (around != u.at and around < w.at <= last) for w in writes):
            return True
    return False


def _copied(e: Expr) -> str:
    """The operation whose result Core copies and NumPy may not."""
    return next((x.op for x in ir.walk(e) if isinstance(x, Call) and x.op in COPIES), "reshape_copy")


@dataclass
class _Numbered:
    """A statement, its position, where its block ends, and where the loops around it start."""

    stmt: Stmt
    at: int
    loops: tuple[int, ...]
    end: int = 0

    @property
    def loop(self) -> float:
        return self.loops[0] if self.loops else float("inf")


def _numbered(body: Sequence[Stmt]) -> list[_Numbered]:
    """The statements in program order."""
    out: list[_Numbered] = []

    def visit(block: Sequence[Stmt], loops: tuple[int, ...]) -> None:
        mine = []
        for s in block:
            n = _Numbered(s, len(out), loops)
            out.append(n)
            mine.append(n)
            inner = (*loops, n.at) if isinstance(s, ir.For | ir.While) else loops
            for b in ir.blocks(s):
                visit(b, inner)
        for n in mine:
            n.end = len(out)

    visit(body, ())
    return out


C_ORDERED = frozenset({"copy", "ascontiguous", "matmul", "outer", "inv", "solve", "cholesky", "reshape", "reshape_copy", "broadcast_to", "array_of"})


def _unknown_order(f: Function) -> set[str]:
    """Names of arrays whose elements NumPy may have laid out in another order than C."""
    values = [(s.target.name, s.value) for s in ir.walk_stmts(f.body) if isinstance(s, Assign) and isinstance(s.target.type, Array) and s.target.type.ndim > 1]
    found: set[str] = set()
    changed = True
    while changed:
        changed = False
        for name, e in values:
            if name not in found and _keeps_order(e, found):
                found.add(name)
                changed = True
    return found


def _keeps_order(e: Expr, unknown: set[str]) -> bool:
    """Is `e` a new array with the order of an operand that is not C-contiguous, or another name or view of such an array?"""
    if ir.is_alias(e):
        r = ir.root(e)
        return r is not None and r.name in unknown
    if not isinstance(e, Call) or not isinstance(e.type, Array) or e.type.layout == "F":
        return False
    if e.op == "copy" and e.attr("order") is None or e.op in C_ORDERED - {"copy"}:
        return False
    others = [(a.ndim, _other_order(a, unknown)) for a in e.args if isinstance(a.type, Array) and a.ndim > 1]
    if registry.OPS[e.op].kind == "elementwise" and (e.ndim, False) in others:
        return False  # one operand in C order decides
    return any(other for _, other in others)


def _other_order(a: Expr, unknown: set[str]) -> bool:
    return a.type.layout != "C" or _keeps_order(a, unknown)  # type: ignore[union-attr]


def _doubtful(e: Expr, unknown: set[str]) -> Expr | None:
    """The array under a reshape of unknown nature that the expression is a view of."""
    while True:
        if isinstance(e, Call) and (e.op in COPIES or e.op == "reshape"):
            a = e.args[-1] if e.op == "windows" else e.args[0]
            r = ir.root(a)
            matters = e.op in READ_ONLY or r is not None and r.name in unknown
            other = isinstance(a.type, Array) and (a.type.layout == "A" or a.type.layout == "F" and e.op == "reshape_copy")
            if ir.is_alias(a) and (matters or e.op in ("reshape_copy", "ascontiguous") and other):
                return a
            if e.op in COPIES:
                return None
            e = a
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
