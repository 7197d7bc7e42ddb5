"""Variables of the tensor interface that the function assigns: the value is part of the state, and a result of the program.

A variable that is only read is a hidden argument like any captured data. Where one turns out to be assigned the function is specialised
again with a cell for it.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.liveness import live_in, on_every_path
from s2sgrad.frontend.objects import Restart
from s2sgrad.frontend.tensors import Tensors
from s2sgrad.frontend.values import (
    SCATTERS,
    VARIABLE_GATHERS,
    VARIABLE_READS,
    Assigned,
    AssignedPart,
    Cell,
    Num,
    Obj,
    Partial,
    Value,
    describe,
    is_zero_d,
    number,
)
from s2sgrad.frontend.zero_d import ZeroD
from s2sgrad.structure import Static

Access = tuple[Any, ...]


class Variables(Tensors, ZeroD):
    noted: tuple[list[Access], ...] = ()  # for each custom gradient whose function is being followed: the variables that it reads

    def lift_variable(self, value: Any, access: Access, leaf: str) -> Value:
        """The hidden argument of a variable, or its cell. One object reached on two ways is one variable as long as it is one object."""
        first, _ = self.variables.setdefault(id(value), ((*access, ("attr", leaf)), value))
        if first[:-1] != access:
            self.guards[first[:-1]] = self.guards[access] = Static(value)
        known = self.assigned.get(first)
        if known is not None:
            return known
        return self.hidden_leaf(getattr(value, leaf), first)

    def open_variables(self, fn: Any, accesses: Sequence[Access], read: Any) -> None:
        """Cells of the variables that will be assigned, holding their values at the call."""
        assert self.state is not None
        for access in accesses:
            owner = read(fn, access[:-1])
            self.variables[id(owner)] = (access, owner)
            cell = Cell(str(access[-2][-1]))
            self.assigned[access] = Assigned(cell, access)
            self.state[cell] = self.hidden_leaf(read(fn, access), access)

    def variable_behind(self, n: Num) -> Access | None:
        """Where the variable stands that a hidden argument is the value of."""
        if not self.variables or not isinstance(n.expr, ir.Var):
            return None
        name = self.token(n.expr) or n.expr.name
        known = ((a, self.hidden[a].expr) for a, _ in self.variables.values() if a in self.hidden)
        return next((a for a, e in known if isinstance(e, ir.Var) and e.name == name), None)

    def make_assignable(self, n: Num) -> None:
        """Specialise again with a cell for this variable."""
        access = self.variable_behind(n)
        if access is not None:
            self.assigned_accesses.append(access)
            raise Restart

    # ------------------------------------------------------------------------------------------- custom gradients

    def trainable(self) -> dict[str, tuple[Access, Num]]:
        """The trainable variables, by the name that their present value has."""
        out = {}
        for access, owner in self.variables.values():
            n = self.current(self.assigned[access]) if access in self.assigned else self.hidden.get(access)
            if isinstance(n, Num) and isinstance(n.expr, ir.Var) and getattr(owner, "trainable", False):
                out[n.expr.name] = access, n
        return out

    @contextmanager
    def noting(self) -> Iterator[list[Access]]:
        """The variables that operations read meanwhile, in that order. The values of those that are assigned elsewhere get a name that stays."""
        assert self.state is not None
        now = {v.cell: self.state[v.cell] for v in self.assigned.values()}
        for cell, n in now.items():
            self.state[cell] = self.own_input(n)
        noted: list[Access] = []
        self.noted = (*self.noted, noted)
        try:
            yield noted
        finally:
            self.noted = self.noted[:-1]
            if self.state is not None:
                self.state.update(now)

    def note_reads(self, values: Sequence[Value]) -> None:
        if not self.noted:
            return
        known = self.trainable()
        for n in map(self.current, values):
            if isinstance(n, Num) and isinstance(n.expr, ir.Var) and n.expr.name in known:
                access, _ = known[n.expr.name]
                for noted in self.noted:
                    noted += [] if access in noted else [access]

    def variables_read(self, noted: Sequence[Access], body: Sequence[ir.Stmt], outputs: Sequence[ir.Expr], given: Sequence[Access], node: Any) -> list[Num]:
        """The variables that a custom gradient's function reads and that are none of its arguments, in the order of the reads."""
        known = self.trainable()
        shown = [*body, ir.Return(list(outputs))]
        read = {n: known[n][0] for n in live_in(shown) if n in known}
        more = [a for a in read.values() if a not in noted]
        if more and len({*read.values(), *noted}) > 1 or not on_every_path(shown, set(read)):
            raise self.error("which variables the function of a custom gradient reads, and in which order, depends on the path", node)
        values = dict(known.values())
        return [values[a] for a in (*noted, *more) if a not in given]

    def variable_method(self, v: Assigned, name: str, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        assert self.state is not None
        now = self.state[v.cell]
        assert isinstance(now, Num)
        if name in VARIABLE_READS:
            return now
        if name in VARIABLE_GATHERS:
            return self.call(self.gathering(now, name), args, kwargs, node)
        if not args:
            raise self.error(f"{name} without a value", node)
        self.may_assign(node)
        new = self.scattered(now, name, args, node) if name in SCATTERS else self.assigned_value(args[0], now, node)
        if name in ("assign_add", "assign_sub"):
            new = self.binary(operator.add if name == "assign_add" else operator.sub, now, new)
        self.set_variable(v, now, self.numeric(new), node)
        return v

    def may_assign(self, node: Any) -> None:
        if any(link.busy for link in self.links.values()) or self.inside_rule:
            raise self.error("a variable is assigned in a recursive function, a custom gradient or a recomputed function", node)

    def assigned_value(self, value: Value, now: Num, node: Any) -> Value:
        """As a tensor of the variable's dtype; ValueError for a tensor of another one."""
        dtype = now.type.dtype
        value = self.present(value)
        if isinstance(value, Num):
            self.check_number(value, dtype)
        new = self.tensor(value, dtype)
        if isinstance(new, Num) and not getattr(new.type, "weak", False) and new.type.dtype != dtype and self.tensors:
            if self.numpy_called or self.soft:
                raise self.error(f"a value of {new.type.dtype}, which may be no tensor, is assigned to a variable of {dtype}", node)
            raise ValueError(f"Tensor conversion requested dtype {dtype} for Tensor with dtype {new.type.dtype}")
        return new

    def assign_part(self, part: AssignedPart, name: str, args: Sequence[Value], node: Any) -> Value:
        """`v[index].assign(value)`: a copy with that part written is what the variable holds then."""
        assert self.state is not None
        now = self.state[part.variable.cell]
        assert isinstance(now, Num)
        self.may_assign(node)
        new = self.bind(Num(ir.call("copy", now.expr)), part.variable.cell.name)
        value = self.assigned_value(args[0], now, node)
        if name != "assign":
            value = self.binary(operator.add if name == "assign_add" else operator.sub, self.subscript(now, part.index), value)
        self.store_item(new, part.index, value, node)
        self.set_variable(part.variable, now, new, node)
        return part.variable

    def scattered(self, now: Num, name: str, args: Sequence[Value], node: Any) -> Value:
        from s2sgrad.operators import OPS

        if name.startswith("scatter_nd"):
            indices, updates = args
        else:
            rows = self.tensor(self.attribute(args[0], "indices", node), None)
            indices, updates = self.call(Obj(np.expand_dims), [rows, number(-1)], {}, node), self.attribute(args[0], "values", node)
        return self.call(Obj(OPS[SCATTERS[name]]), [now, indices, updates], {}, node)

    def gathering(self, now: Num, name: str) -> Value:
        from s2sgrad.operators import OPS

        return Partial(Obj(OPS[VARIABLE_GATHERS[name]]), (now,), {})

    def set_variable(self, v: Assigned, now: Num, new: Num, node: Any) -> None:
        """What is read later is the new value; to a derivative it is the variable itself, as it is to a tape."""
        if new.expr.ndim != now.expr.ndim:
            raise self.error(f"{describe(new)} of rank {new.expr.ndim} is assigned to a variable of rank {now.expr.ndim}", node)
        self.require_extents(new.expr, now.expr, ValueError, "the value assigned to a variable does not have its shape")
        value = new.expr if new.type.dtype == now.type.dtype and not getattr(new.type, "weak", False) else ir.call("astype", new.expr, dtype=now.type.dtype)
        if ir.is_inexact(now.type):
            before = self.as_var(self.bind(now, "before"))
            out = self.fresh("assigned", ir.Array(now.type.dtype, now.expr.ndim) if new.is_array else value.type)
            seed = self.fresh("dy", out.type)
            fresh = ir.call("copy", value) if new.is_array and ir.is_alias(value) else value
            self.emit(ir.Custom(f"{v.cell.name}.assign", [before.expr], [out], [ir.Assign(out, fresh)], [seed], [], [seed]))  # type: ignore[list-item]
            value = out
        assert self.state is not None
        self.state[v.cell] = self.store((v.cell,), Num(ir.call("copy", value) if isinstance(value.type, ir.Array) and ir.is_alias(value) else value))

    def require_extents(self, a: ir.Expr, b: ir.Expr, error: type[BaseException], message: str) -> None:
        """Raise at run time where two arrays of one rank differ in shape."""
        for k in range(a.ndim):
            self.emit(ir.If(ir.call("ne", ir.call("dim", a, axis=k), ir.call("dim", b, axis=k)), [ir.Raise(error, [message], place=self.place())]))

    def current(self, v: Value) -> Value:
        """The value of a variable or of an array without axes; other values as they are."""
        if is_zero_d(v):
            return self.contents(v)
        return self.state[v.cell] if isinstance(v, Assigned) and self.state is not None else v

    def assigned_values(self) -> list[ir.Expr]:
        """What the assigned variables hold at the end."""
        return [self.numeric(self.current(v)).expr for v in self.assigned.values()]

