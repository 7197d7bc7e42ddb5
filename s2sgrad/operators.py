"""What tensors and variables share: their description and their operators, each a call of the eager operation of that name."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from s2sgrad import dtypes
from s2sgrad.dtypes import DType
from s2sgrad.shapes import TensorShape

OPS: dict[str, Any] = {}  # name -> eager operation; filled by s2sgrad.ops


class Operators:
    """Shape and dtype; arithmetic, comparison and logic by the eager operations. Operands that are no tensors are converted."""

    __slots__ = ()
    value: Any
    _id: int
    _array: np.ndarray
    _dtype: DType | None
    _device: str
    __s2sgrad_operators__ = True  # arrays stand for objects of these classes in compiled functions of tensors
    __array_priority__ = 100  # NumPy leaves mixed arithmetic to us

    @property
    def __s2sgrad_refused__(self) -> str:
        """Why compiled code cannot have it."""
        return dtypes.ROUNDED if self._dtype is not None else ""

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._array.shape)

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def ndim(self) -> int:
        return self._array.ndim

    @property
    def dtype(self) -> DType:
        return self._dtype or dtypes.as_dtype(self._array.dtype)

    @property
    def device(self) -> str:
        return self._device

    def __add__(self, o: Any) -> Any: return _binary("add", self, o)
    def __radd__(self, o: Any) -> Any: return _binary("add", o, self)
    def __sub__(self, o: Any) -> Any: return _binary("subtract", self, o)
    def __rsub__(self, o: Any) -> Any: return _binary("subtract", o, self)
    def __mul__(self, o: Any) -> Any: return _binary("multiply", self, o)
    def __rmul__(self, o: Any) -> Any: return _binary("multiply", o, self)
    def __truediv__(self, o: Any) -> Any: return _binary("truediv", self, o)
    def __rtruediv__(self, o: Any) -> Any: return _binary("truediv", o, self)
    def __floordiv__(self, o: Any) -> Any: return _binary("floordiv", self, o)
    def __rfloordiv__(self, o: Any) -> Any: return _binary("floordiv", o, self)
    def __mod__(self, o: Any) -> Any: return _binary("floormod", self, o)
    def __rmod__(self, o: Any) -> Any: return _binary("floormod", o, self)
    def __pow__(self, o: Any) -> Any: return _binary("pow", self, o)
    def __rpow__(self, o: Any) -> Any: return _binary("pow", o, self)
    def __matmul__(self, o: Any) -> Any: return _binary("matmul", self, o)
    def __rmatmul__(self, o: Any) -> Any: return _binary("matmul", o, self)
    def __lt__(self, o: Any) -> Any: return _binary("less", self, o)
    def __le__(self, o: Any) -> Any: return _binary("less_equal", self, o)
    def __gt__(self, o: Any) -> Any: return _binary("greater", self, o)
    def __ge__(self, o: Any) -> Any: return _binary("greater_equal", self, o)
    def __and__(self, o: Any) -> Any: return _binary("_and", self, o)
    def __rand__(self, o: Any) -> Any: return _binary("_and", o, self)
    def __or__(self, o: Any) -> Any: return _binary("_or", self, o)
    def __ror__(self, o: Any) -> Any: return _binary("_or", o, self)
    def __xor__(self, o: Any) -> Any: return _binary("_xor", self, o)
    def __rxor__(self, o: Any) -> Any: return _binary("_xor", o, self)
    def __neg__(self) -> Any: return OPS["negative"](self)
    def __pos__(self) -> Any: return self
    def __abs__(self) -> Any: return OPS["abs"](self)
    def __invert__(self) -> Any: return OPS["_not"](self)

    def __eq__(self, o: Any) -> Any:
        return _compare("equal", self, o, False)

    def __ne__(self, o: Any) -> Any:
        return _compare("not_equal", self, o, True)

    def __hash__(self) -> int:
        kind = "Tensor" if type(self).__name__ == "Tensor" else "Variable"
        raise TypeError(f"{kind} is unhashable. Instead, use {kind.lower()}.ref() as the key.")


def operand(o: Any) -> bool:
    """Can this be converted to a tensor, so that the operator is ours?"""
    return isinstance(o, (Operators, np.ndarray, np.generic, numbers.Number, list, tuple, str, bytes)) or hasattr(o, "__array__")


def _binary(name: str, a: Any, b: Any) -> Any:
    other = b if isinstance(a, Operators) else a
    if other is None:
        raise ValueError("Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.")
    return OPS[name](a, b) if operand(other) else NotImplemented


def _compare(name: str, a: Any, b: Any, differ: bool) -> Any:
    """Elementwise; objects that cannot be compared with tensors, and shapes that do not fit, are just different."""
    if b is None or not operand(b):
        return differ
    try:
        np.broadcast_shapes(np.shape(a), np.shape(b))
    except ValueError:
        return OPS["constant"](differ)
    return OPS[name](a, b)
