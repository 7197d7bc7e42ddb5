"""Where arrays stand for tensors: what Python numbers, lists and NumPy data become when they meet one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sgrad import ir
from s2sgrad.frontend.extents import is_extents
from s2sgrad.frontend.machine import PACKAGE
from s2sgrad.frontend.objects import Objects
from s2sgrad.frontend.values import Items, Method, Num, Obj, Ref, Tup, Value, describe, number
from s2sgrad.rules import registry

DEFAULTS = {"float64": "float32", "int64": "int32"}  # what Python's own numbers become


RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def fits(dtype: str, wanted: str) -> bool:
    """May a Python number or NumPy data become a tensor of this dtype? Not where the kind of number would change."""
    kind, other = ("b" if d.startswith("bool") else "u" if d.startswith("uint") else d[0] for d in (dtype, wanted))
    return RANK[kind] <= RANK[other] and (kind == "b") == (other == "b")


def weak_number(n: Num) -> bool:
    """A Python number: it takes the dtype of what it meets."""
    return isinstance(n.type, ir.Scalar) and n.type.weak


class Tensors(Objects):
    numpy_called = False  # by the user's own text: then its result may be no tensor

    def operands(self, a: Value, b: Value, operation: str = "", reflected: str = "") -> tuple[Value, Value]:
        """Both sides of an operator: a list, or a NumPy array from outside, takes the dtype of the tensor on the other side.

        operation: its name among the operations of tensors; reflected: the one that Python calls where the tensor stands on the right.
        """
        self.note_reads((a, b))
        if not self.tensors:
            return a, b
        arrays, right = self.adapts(a) and self.adapts(b), bool(reflected) and self.adapts(a)
        for x, y, swap in ((a, b, False), (b, a, True)):
            if isinstance(x, Num) and not weak_number(x) and self.adapts(y):
                y = self.tensor(y, x.type.dtype)
                a, b = (y, x) if swap else (x, y)
                break
        if not arrays and self.in_text_of_user():
            self.of_one_dtype(reflected if right else operation, (b, a) if right else (a, b))
        return a, b

    # ------------------------------------------------------------------------------------------- dtypes

    def in_text_of_user(self, with_operations: bool = False) -> bool:
        """Is this the user's function, not one of the library or a generated one that it calls? An operation may call others for it."""
        file = self.frames[-1].source.file if self.frames else PACKAGE
        return not file.startswith((PACKAGE, "<s2sgrad ")) or with_operations and file.startswith(PACKAGE + "ops")

    def seen_as(self, n: Num, node: Any) -> Any:
        """An object of the class that eager code sees in place of a number or an array: a tensor, a variable, a Python number."""
        from s2sgrad.tensor import Tensor

        if weak_number(n):
            return registry.example(n.type)
        variable = next((owner for a, owner in self.variables.values() if a in self.hidden and self.hidden[a].expr == n.expr), None)
        if variable is not None:
            return variable
        if self.numpy_called or self.adapts(n):
            raise self.error("the class of what may be a NumPy array or a tensor", node)
        return Tensor(registry.example(n.type))

    def note_numpy(self, f: Value, args: Sequence[Value]) -> bool:
        """Does the user's text call a NumPy function here, or a method or builtin of NumPy data?"""
        if isinstance(f, Method):
            return self.of_numpy(f.owner)
        if not isinstance(f, Obj) or not self.tensors or not self.in_text_of_user():
            return False
        if f.value in (abs, max, min, sum) and args:
            return self.of_numpy(*args)
        found = isinstance(f.value, np.ufunc) or str(getattr(f.value, "__module__", "")).split(".")[0] in ("numpy", "scipy")
        self.numpy_called = self.numpy_called or found
        return found

    def softened(self, v: Value) -> Value:
        """A result of NumPy, which takes the dtype of a tensor that it meets."""
        if not isinstance(v, Num) or weak_number(v) or v.type.dtype[0] not in "fc":
            return v
        var = self.fresh("a", v.type)
        self.emit(ir.Assign(var, v.expr))
        self.soft.add(var.name)
        return Num(var, v.const)

    def of_numpy(self, *values: Value) -> bool:
        """Arrays and numbers of NumPy, and Python numbers beside them: what is computed of them is NumPy's."""
        if not self.soft or not self.tensors or not self.in_text_of_user():
            return False
        return any(map(self.adapts_alone, values)) and all(isinstance(v, Num) and (weak_number(v) or self.adapts(v)) for v in values)

    def adapts_alone(self, v: Value) -> bool:
        return isinstance(v, Num) and self.adapts(v)

    def of_one_dtype(self, operation: str, values: Sequence[Value]) -> None:
        """Raise what eager code raises where tensors of different dtypes meet in the user's text."""
        numbers = [v for v in values if isinstance(v, Num)]
        first = next((n.type.dtype for n in numbers if not weak_number(n)), None)
        if first is None or not operation:
            return
        for n in numbers:
            self.check_number(n, first)
        found = [first if weak_number(n) else n.type.dtype for n in numbers]
        if len(set(found)) == 1:
            return
        if self.numpy_called or self.soft:  # eager code will tell
            raise self.error(f"{' and '.join(dict.fromkeys(found))} meet where NumPy arrays and tensors are not told apart", None,
                             "Convert one with tf.cast, or do not call NumPy functions here.")
        from s2sgrad.tensor import same_dtype

        same_dtype(operation, found, self.place())

    def check_number(self, n: Num, dtype: str) -> None:
        """TypeError for a Python number that a tensor of this dtype cannot hold."""
        if weak_number(n) and not fits(n.type.dtype, dtype):
            raise TypeError(f"Cannot convert {repr(n.const) if n.known else describe(n)} to EagerTensor of dtype {dtype}")

    def adapts(self, v: Value) -> bool:
        return self.is_list(v) or isinstance(v, Num) and isinstance(v.expr, ir.Var) and v.expr.name in self.soft

    def is_list(self, v: Value) -> bool:
        return isinstance(v, Tup) and (v.cls is None or is_extents(v)) or isinstance(v, Ref) and v.heap.kind == "list" and isinstance(self.contents(v), Items)

    def tensor_arguments(self, op: Any, args: Sequence[Value], kwargs: dict[str, Value]) -> tuple[list[Value], dict[str, Value]]:
        """The arguments of a tensor operation, converted as it converts them: those that must agree take the dtype of the first tensor."""
        tensors, lists, index, weak = op.__s2sgrad_tensors__
        names = list(op.signature.parameters)
        bound = dict(zip(names, args, strict=False)) | kwargs
        if "name" not in names:
            bound.pop("name", None)
        if len(args) > len(names):
            return list(args), kwargs
        members = {n: self.members(bound[n]) if n in lists else [bound[n]] for n in tensors if n in bound}
        self.note_reads([v for vs in members.values() for v in vs])
        hint = next((d for n, vs in members.items() if n not in index for v in vs if (d := self.dtype_of(v)) is not None), None)
        together: list[Value] = []
        checked = self.tensors and self.in_text_of_user(with_operations=True)
        for n, vs in members.items():
            if checked and hint and n not in index:
                for v in vs:
                    self.check_number(v, hint) if isinstance(v, Num) else None
            new = [self.tensor(v, None if n in index else hint, weak) for v in vs]
            bound[n] = self.new_list(new) if n in lists and self.is_list(bound[n]) else new[0]
            together += [] if n in index else new
        if checked:
            self.of_one_dtype(getattr(op, "name", ""), together)
        for n in bound:
            if n not in tensors:
                bound[n] = self.frozen_list(bound[n])
        given = [bound.pop(n) for n in names[: len(args)]]
        return given, bound

    def frozen_list(self, v: Value) -> Value:
        """Options: lists (of axes, of shifts) as tuples."""
        return Tup(tuple(self.frozen_list(i) for i in self.sequence_items(v))) if isinstance(v, Ref) and self.is_list(v) else v

    def members(self, v: Value) -> list[Value]:
        return list(self.sequence_items(v)) if self.is_list(v) else [v]

    def dtype_of(self, v: Value) -> str | None:
        """The dtype of a tensor, or of the first tensor in a list."""
        if isinstance(v, Num):
            return None if weak_number(v) or self.adapts(v) else str(v.type.dtype)
        return next((d for i in self.sequence_items(v) if (d := self.dtype_of(i)) is not None), None) if self.is_list(v) else None

    def tensor(self, v: Value, hint: str | None, weak: bool = True) -> Value:
        """One argument. `weak`: Python numbers beside a tensor may stay what they are, arithmetic gives the tensor's dtype."""
        v = self.vector(self.present(v))
        if self.is_list(v):
            hint = hint or self.dtype_of(v)
            own = self.dtype_of(v) or self.list_dtype(v)
            return self.call(Obj(np.array), [v], {"dtype": Obj(np.dtype(hint if hint and fits(own, hint) else own))}, None)
        if not isinstance(v, Num) or not self.tensors:
            return v
        if not weak_number(v):
            return Num(ir.call("astype", v.expr, dtype=hint)) if hint and self.adapts(v) and v.type.dtype != hint and fits(v.type.dtype, hint) else v
        if hint is not None and (weak or hint[0] in "iub" and v.type.dtype[0] in "fc"):
            return v
        dtype = hint or (v.type.dtype if v.known and v.type.dtype == "int64" and not -(2**31) <= v.const < 2**31 else DEFAULTS.get(v.type.dtype, v.type.dtype))
        return number(np.dtype(dtype).type(v.const)) if v.known else Num(ir.call("astype", v.expr, dtype=dtype))

    def list_dtype(self, v: Value) -> str:
        """The dtype of a list of Python numbers."""
        items = self.sequence_items(v)
        kinds = [DEFAULTS.get(i.type.dtype, i.type.dtype) for i in items if isinstance(i, Num)] + [self.list_dtype(i) for i in items if self.is_list(i)]
        return str(np.result_type(*kinds)) if kinds and "float32" not in kinds else "float32"


__all__ = ["Tensors"]
