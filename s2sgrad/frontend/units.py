"""Which axes of arrays have extent 1: what `np.squeeze` without an axis drops.

For each axis True (its extent is 1), False (it is not) or None (known at run time only). Followed only where a program asks, see `Units`.
"""

from __future__ import annotations

from collections.abc import Sequence

from s2sgrad import ir
from s2sgrad.frontend.machine import Machine, NeedsStatic, Restart, State
from s2sgrad.frontend.values import UNIT_AXES, Num, Units, Value, nums
from s2sgrad.ir import Array, Call, Const, Expr, Index, Var
from s2sgrad.rules.registry import OPS
from s2sgrad.structure import UNITS

Axes = tuple[bool | None, ...]
SAME = frozenset({"copy", "astype", "real_view", "imag_view", "pos", "cumsum", "cumprod", "flip", "zeros_like", "ones_like", "empty_like"})
MADE = {"zeros": 0, "ones": 0, "empty": 0, "full": 1, "reshape": 1, "reshape_copy": 1, "broadcast_to": 1}  # how many operands come before the extents


class UnitAxes(Machine):
    def squeezed_axes(self, x: Num) -> tuple[int, ...]:
        """The axes of extent 1. Where that is not known the extent must be another one when the program runs."""
        if not self.follows_units:
            self.follows_units = True
            raise Restart
        axes = self.unit_axes(x.expr)
        if None in axes:
            self.ask_for_arguments()
        for k, one in enumerate(axes):
            if one is None and self.tensors:
                raise self.error("np.squeeze without an axis: the rank of the result would depend on the shape", hint="give axis=")
            if one is None:
                why = f"np.squeeze without an axis: axis {k} has extent 1 here, which was not known before the program ran (give axis=)"
                self.raise_if(ir.call("eq", ir.call("dim", x.expr, axis=k), 1), ValueError, why)
        return tuple(k for k, one in enumerate(axes) if one)

    def ask_for_arguments(self) -> None:
        """Specialise again with the shapes of the arguments as far as they matter here."""
        for name, origin in self.origins.items():
            if origin and origin[0] == "arg" and isinstance(self.names.get(name), Array) and origin not in self.known_units:
                err = self.error("np.squeeze without an axis: the rank of the result would depend on the shape", hint="give axis=", kind=NeedsStatic)
                assert isinstance(err, NeedsStatic)
                err.origin = (*origin, UNITS)
                raise err

    def set_unit_axes(self, name: str, axes: Axes) -> None:
        assert self.state is not None
        known = self.state.get(UNIT_AXES)
        self.state[UNIT_AXES] = Units({**(known.table if isinstance(known, Units) else {}), name: axes})

    def common_units(self, tables: Sequence[Value]) -> Units:
        """What is known on every path."""
        first, *others = [t.table if isinstance(t, Units) else {} for t in tables]
        return Units({name: axes for name, axes in first.items() if all(t.get(name) == axes for t in others)})

    def forget_moved(self, merged: State, states: Sequence[State]) -> None:
        """Variables that get their value where paths meet: what was known of them is of another value."""
        known = merged.get(UNIT_AXES)
        if isinstance(known, Units):
            moved = {name for k, v in merged.items() for name in variables(v) if any(k not in s or name not in variables(s[k]) for s in states)}
            merged[UNIT_AXES] = Units({name: axes for name, axes in known.table.items() if name not in moved})

    def note_units(self, s: ir.Stmt) -> None:
        """What an emitted statement says about the extents of its variables."""
        assert self.state is not None
        known = self.state.get(UNIT_AXES)
        table = dict(known.table) if isinstance(known, Units) else {}
        if isinstance(s, ir.Assign):
            if isinstance(s.target.type, Array):
                table[s.target.name] = self.unit_axes(s.value)
        elif not isinstance(s, ir.If | ir.For | ir.While):
            for v in ir.assigned(s):
                table.pop(v.name, None)
        self.state[UNIT_AXES] = Units(table)

    def unit_axes(self, e: Expr) -> Axes:
        t = e.type
        if not isinstance(t, Array):
            return ()
        unknown: Axes = (None,) * t.ndim
        if isinstance(e, Var):
            known = None if self.state is None else self.state.get(UNIT_AXES)
            return known.table.get(e.name, unknown) if isinstance(known, Units) else unknown
        axes = self._of_index(e) if isinstance(e, Index) else self._of_call(e) if isinstance(e, Call) else unknown
        return axes if len(axes) == t.ndim else unknown

    def _of_call(self, e: Call) -> Axes:
        args = e.args
        if e.op in OPS and OPS[e.op].kind == "elementwise":
            return together([self.unit_axes(a) for a in args])
        if e.op in SAME:
            return self.unit_axes(args[0])
        if e.op in MADE:
            return tuple(self._extent(n) for n in args[MADE[e.op] :])
        if e.op == "transpose":
            axes, order = self.unit_axes(args[0]), dict(e.attrs).get("axes")
            return axes[::-1] if order is None else tuple(axes[k] for k in order)
        if e.op == "stack":
            axis, inside = dict(e.attrs)["axis"], together([self.unit_axes(a) for a in args])
            return (*inside[:axis], len(args) == 1, *inside[axis:])
        if e.op == "matmul":
            return product([self.unit_axes(a) for a in args])
        if e.op in ("expand_dims", "squeeze"):
            axis = dict(e.attrs)["axis"]
            chosen = axis if isinstance(axis, tuple) else (axis,)
            rest = iter(self.unit_axes(args[0]))
            if e.op == "expand_dims":
                return tuple(True if k in chosen else next(rest) for k in range(e.ndim))
            return tuple(one for k, one in enumerate(rest) if k not in chosen)
        attrs = dict(e.attrs)
        if "keepdims" in attrs and args:
            axes, axis = self.unit_axes(args[0]), attrs.get("axis")
            chosen = tuple(range(len(axes))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
            return tuple(True if k in chosen else one for k, one in enumerate(axes) if attrs["keepdims"] or k not in chosen)
        return (None,) * e.ndim

    def _of_index(self, e: Index) -> Axes:
        if e.kind != "view":
            return ()
        base, out = iter(self.unit_axes(e.base)), list[bool | None]()
        for i in e.index:
            if isinstance(i, ir.NewAxis):
                out.append(True)
                continue
            one = next(base)
            if isinstance(i, ir.Slice):
                out.append(of_slice(i, one))
        return (*out, *base)

    def _extent(self, n: Expr) -> bool | None:
        if isinstance(n, Const):
            return n.value == 1 if n.value >= 0 else None
        if isinstance(n, Call) and n.op == "dim":
            return self.unit_axes(n.args[0])[dict(n.attrs)["axis"]]
        return None


def variables(v: Value) -> set[str]:
    return {n.expr.name for n in nums(v) if isinstance(n.expr, Var)}


def of_slice(s: ir.Slice, one: bool | None) -> bool | None:
    if s.lower is None and s.upper is None and (s.step is None or isinstance(s.step, Const) and s.step.value in (1, -1)):
        return one
    bounds = [0 if x is None else x.value if isinstance(x, Const) else None for x in (s.lower, s.upper)]
    single = None not in bounds and bounds[0] is not None and bounds[1] == bounds[0] + 1 and bounds[0] >= 0
    return True if single else None


def together(all_axes: Sequence[Axes]) -> Axes:
    """The axes of arrays that are broadcast together."""
    rank = max(map(len, all_axes), default=0)
    out: list[bool | None] = []
    for k in range(-rank, 0):
        here = [a[k] for a in all_axes if len(a) >= -k]
        out.append(True if all(here) else False if any(one is False for one in here) else None)
    return tuple(out)


def product(operands: Sequence[Axes]) -> Axes:
    """The axes of a matrix product."""
    a, b = operands
    rows, columns = a[-2:-1] if len(a) > 1 else (), b[-1:] if len(b) > 1 else ()
    return (*together([a[:-2], b[:-2]]), *rows, *columns)
