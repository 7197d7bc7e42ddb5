"""What a statement reads and writes, as facts.

('s', name)  the value of a scalar;  ('m', cls)  the contents of a memory class;  ('b', name)  which array a name is
bound to (its address and its shape).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from s2sgrad import ir
from s2sgrad.analysis.alias import Classes

Fact = tuple[str, Any]

SHAPE_ONLY = {"dim": (0,), "size": (0,), "len": (0,), "zeros_like": (0,), "empty_like": (0,), "ones_like": (0,), "full_like": (0,),
              "unbroadcast": (1,), "of_shape": (1,)}


def memory_classes(function: ir.Function) -> dict[str, str]:
    """Union-find over array and list names: names that may share memory get one representative."""
    c = Classes()
    for p in function.params:
        if not isinstance(p.type, ir.Scalar):
            c.find(p.name)
    for s in ir.walk_stmts(function.body):
        for v in ir.assigned(s):
            if not isinstance(v.type, ir.Scalar):
                c.find(v.name)
        if isinstance(s, ir.Assign) and not isinstance(s.target.type, ir.Scalar):
            if ir.is_alias(s.value) and (r := ir.root(s.value)) is not None:
                c.union(s.target.name, r.name)
        elif isinstance(s, ir.Append):
            c.union(s.list.name, s.value.name)
        elif isinstance(s, ir.Pop):
            c.union(s.list.name, s.target.name)
    return {n: c.find(n) for n in list(c.parent)}


def reads(e: Any, classes: Mapping[str, str]) -> set[Fact]:
    """The facts an expression depends on."""
    out: set[Fact] = set()
    _reads(e, classes, out, False)
    return out


def _reads(e: Any, classes: Mapping[str, str], out: set[Fact], shape: bool) -> None:
    if isinstance(e, ir.Var):
        if isinstance(e.type, ir.Scalar):
            if not shape:
                out.add(("s", e.name))
        else:
            out.add(("b", e.name))
            if not shape:
                out.add(("m", classes.get(e.name, e.name)))
    elif isinstance(e, ir.Call):
        only = SHAPE_ONLY.get(e.op, ())
        for k, a in enumerate(e.args):
            _reads(a, classes, out, shape or k in only)
    elif isinstance(e, ir.Index):
        _reads(e.base, classes, out, shape)
        for i in e.index:
            _reads(i, classes, out, False)
    elif isinstance(e, ir.Slice):
        for x in (e.lower, e.upper, e.step):
            if x is not None:
                _reads(x, classes, out, False)


def statement_reads(s: ir.Stmt, classes: Mapping[str, str]) -> set[Fact]:
    """Facts read by one statement itself (not by nested statements)."""
    out: set[Fact] = set()
    for e in ir.exprs(s):
        out |= reads(e, classes)
    if isinstance(s, ir.Accum):
        out |= reads(s.base, classes)
    elif isinstance(s, ir.Store):
        out.add(("b", s.base.name))
    elif isinstance(s, (ir.Append, ir.Pop)):
        out |= {("b", s.list.name), ("m", classes.get(s.list.name, s.list.name))}
    elif isinstance(s, ir.Reserve):
        out |= reads(s.buffer, classes)
    elif isinstance(s, (ir.For, ir.While)) and s.exit is not None:
        out.add(("s", s.exit.name))
    elif isinstance(s, ir.Custom):
        for v in s.inputs:
            out |= reads(v, classes)
    return out


def block_reads(body: Iterable[ir.Stmt], classes: Mapping[str, str]) -> set[Fact]:
    """Facts read anywhere in a block."""
    out: set[Fact] = set()
    for s in ir.walk_stmts(list(body)):
        out |= statement_reads(s, classes)
    return out


def statement_writes(s: ir.Stmt, classes: Mapping[str, str]) -> set[Fact]:
    """Facts changed by one statement itself."""
    out: set[Fact] = set()
    for v in ir.assigned(s):
        out.add(("s" if isinstance(v.type, ir.Scalar) else "b", v.name))
    if isinstance(s, ir.Store) or (isinstance(s, ir.Accum) and s.index is not None):
        out.add(("m", classes.get(s.base.name, s.base.name)))
    elif isinstance(s, (ir.Append, ir.Pop)):
        out.add(("m", classes.get(s.list.name, s.list.name)))
    elif isinstance(s, ir.Reserve):
        out.add(("b", s.buffer.name))
    elif isinstance(s, ir.CallFn):
        out |= {("m", classes.get(a.name, a.name)) for a in s.touched}
    return out


def block_writes(body: Sequence[ir.Stmt], classes: Mapping[str, str]) -> set[Fact]:
    """Facts changed anywhere in a block."""
    out: set[Fact] = set()
    for s in ir.walk_stmts(body):
        out |= statement_writes(s, classes)
    return out
