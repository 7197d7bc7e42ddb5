"""Symbolic extents: enough to see where an adjoint must be summed down to its operand's shape and where it need not.

An extent is a hashable token; equal tokens mean equal extents at run time. The integer 1 is itself. Only
names that are bound once are followed; everything else gets a token of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from s2sgrad import ir
from s2sgrad.rules import registry

Extent = Any

# Operations that broadcast without being differentiated as elementwise ones.
BROADCASTING = frozenset({
    "astype", "stop_gradient", "conj", "real", "imag", "lt", "le", "gt", "ge", "eq", "ne", "bitand", "bitor", "bitxor", "lshift", "rshift",
    "logical_and", "logical_or", "logical_xor", "logical_not", "invert", "floor", "ceil", "trunc", "rint", "round", "sign", "signbit",
    "isnan", "isinf", "isfinite", "floordiv", "heaviside", "gcd", "lcm",
})


class Shapes:
    """Extents of the array variables and expressions of one function."""

    def __init__(self, function: ir.Function) -> None:
        self.bindings: Counter[str] = Counter(p.name for p in function.params)
        self.values: dict[str, ir.Expr] = {}
        self.params = {p.name for p in function.params}
        for s in ir.walk_stmts(function.body):
            for v in ir.assigned(s):
                self.bindings[v.name] += 1
            if isinstance(s, ir.Assign):
                self.values[s.target.name] = s.value
        self.known: dict[str, tuple[Extent, ...]] = {}

    def stable(self, e: Any) -> bool:
        """Is this integer expression the same wherever it is evaluated?"""
        return all(self.bindings[n] == 1 and (n in self.params or n in self.values) for n in ir.names_in(e))

    def scalar(self, e: Any) -> Extent:
        """A token for an extent given by an integer expression."""
        if isinstance(e, ir.Const):
            return int(e.value)
        if isinstance(e, ir.Call) and e.op == "dim":
            return self.of(e.args[0])[e.attr("axis")]
        if isinstance(e, ir.Var) and self.bindings[e.name] == 1 and e.name in self.values:
            return self.scalar(self.values[e.name])
        return ("n", e) if self.stable(e) else ("?", id(e))

    def of(self, e: Any) -> tuple[Extent, ...]:
        """The extents of an expression, one token per axis."""
        if isinstance(e.type, ir.Scalar):
            return ()
        if isinstance(e, ir.Var):
            return self._variable(e)
        if isinstance(e, ir.Index):
            return self._index(e)
        if isinstance(e, ir.Call):
            return self._call(e)
        return tuple(("?", id(e), k) for k in range(e.ndim))

    def _variable(self, v: ir.Var) -> tuple[Extent, ...]:
        if v.name not in self.known:
            self.known[v.name] = tuple(("v", v.name, k) for k in range(v.ndim))  # also stops recursion
            if self.bindings[v.name] == 1 and v.name in self.values:
                own = self.known[v.name]
                # The shape of a name that is bound again later is not what it was here.
                self.known[v.name] = tuple(o if moves(d) else d for o, d in zip(own, self.of(self.values[v.name]), strict=True))
            elif self.bindings[v.name] != 1:
                self.known[v.name] = tuple(("rebound", v.name, k) for k in range(v.ndim))
        return self.known[v.name]

    def _index(self, e: ir.Index) -> tuple[Extent, ...]:
        base, axis = self.of(e.base), 0
        out: list[Extent] = []
        if e.kind == "gather":
            return tuple(("?", id(e), k) for k in range(e.ndim))
        for i in e.index:
            if isinstance(i, ir.NewAxis):
                out.append(1)
                continue
            if isinstance(i, ir.Slice):
                if i.lower is None and i.upper is None and (i.step is None or _is_minus_one(i.step)):
                    out.append(base[axis])
                elif all(x is None or self.stable(x) for x in (i.lower, i.upper, i.step)):
                    out.append(("slice", base[axis], i))
                else:
                    out.append(("?", id(i)))
            axis += 1
        out.extend(base[axis:])
        return tuple(out)

    def _call(self, e: ir.Call) -> tuple[Extent, ...]:
        op = registry.OPS[e.op]
        if op.kind == "elementwise" or e.op in BROADCASTING:
            return self.broadcast([self.of(a) for a in e.args if ir.is_array(a.type)])
        if e.op in ("copy", "ascontiguous", "zeros_like", "empty_like", "ones_like", "full_like", "cumsum", "cumprod", "sort", "argsort"):
            return self.of(e.args[0])
        if e.op == "unbroadcast":  # nothing is summed along an axis where the argument has extent 1
            given, like = self.of(e.args[0]), self.of(e.args[1])
            return like if self.broadcast([given, like]) == given else tuple(("?", id(e), k) for k in range(e.ndim))
        if e.op == "of_shape":
            return self.of(e.args[1])
        if e.op in ("zeros", "ones", "empty"):
            return tuple(self.scalar(a) for a in e.args)
        if e.op in ("full", "reshape", "reshape_copy", "broadcast_to"):
            tail = tuple(self.scalar(a) for a in e.args[1:])
            return tuple(("?", id(e), k) if d == -1 else d for k, d in enumerate(tail))
        if e.op == "array_of":
            return tuple(e.attr("shape"))
        if e.op == "transpose":
            d = self.of(e.args[0])
            axes = e.attr("axes")
            return d[::-1] if axes is None else tuple(d[a] for a in axes)
        if e.op == "sum" or e.op in ("max", "min", "prod", "any", "all"):
            return self._reduced(e)
        if e.op == "matmul":
            a, b = self.of(e.args[0]), self.of(e.args[1])
            own, other = (a[-2:-1], b[-1:]) if len(b) > 1 else (a[-2:-1], ())
            return self.broadcast([a[:-2], b[:-2]]) + own + other
        if e.op == "outer":
            return self.of(e.args[0]) + self.of(e.args[1])
        if e.op == "solve":
            a, b = self.of(e.args[0]), self.of(e.args[1])
            return b if len(b) == 1 else self.broadcast([a[:-2], b[:-2]]) + b[-2:]
        if e.op in ("inv", "cholesky", "cofactor"):
            return self.of(e.args[0])
        return tuple(("?", id(e), k) for k in range(e.ndim))

    def _reduced(self, e: ir.Call) -> tuple[Extent, ...]:
        d, axis, keep = self.of(e.args[0]), e.attr("axis"), e.attr("keepdims", False)
        gone = set(range(len(d))) if axis is None else {axis} if isinstance(axis, int) else set(axis)
        return tuple(1 if k in gone else x for k, x in enumerate(d) if keep or k not in gone)

    def broadcast(self, shapes: Sequence[tuple[Extent, ...]]) -> tuple[Extent, ...]:
        """NumPy's broadcasting on tokens; unequal unknown extents give an unknown one."""
        n = max((len(s) for s in shapes), default=0)
        out = []
        for k in range(-n, 0):
            tokens = {t for s in shapes if len(s) >= -k for t in _members(s[k])}
            tokens.discard(1)
            out.append(1 if not tokens else tokens.pop() if len(tokens) == 1 else ("either", frozenset(tokens)))
        return tuple(out)


def moves(extent: Extent) -> bool:
    """Does the extent depend on a name that is bound more than once?"""
    if isinstance(extent, frozenset):
        return any(moves(x) for x in extent)
    return isinstance(extent, tuple) and (extent[0] == "rebound" or any(moves(x) for x in extent))


def _members(extent: Extent) -> frozenset[Extent]:
    """The extents that were broadcast to this one."""
    return extent[1] if isinstance(extent, tuple) and extent[0] == "either" else frozenset({extent})


def _is_minus_one(e: Any) -> bool:
    return (isinstance(e, ir.Const) and e.value == -1) or (
        isinstance(e, ir.Call) and e.op == "neg" and isinstance(e.args[0], ir.Const) and e.args[0].value == 1)
