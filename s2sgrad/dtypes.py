"""The dtype objects of the tensor interface: `float32`, `int32`, ... (`tf.float32` under its usual name)."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from s2sgrad.frontend.objects import VIEWS

ROUNDED = "bfloat16 numbers are rounded in eager code only"


class DType:
    """One element type. Equal to its name, to the NumPy dtype and to the NumPy scalar class.

    >>> float32 == "float32" == float32.name, float32.is_floating
    (True, True)
    """

    __slots__ = ("dtype", "name")

    def __init__(self, name: str, dtype: Any = None) -> None:
        self.name = name
        self.dtype = np.dtype(dtype or name)  # NumPy reads this attribute in np.dtype(float32)

    @property
    def __s2sgrad_refused__(self) -> str:
        """Why compiled code cannot have it."""
        return ROUNDED if self.name == "bfloat16" else ""

    @property
    def as_numpy_dtype(self) -> Any:
        return self.dtype.type

    @property
    def base_dtype(self) -> DType:
        return self

    @property
    def is_floating(self) -> builtins.bool:
        return self.name in ("float16", "bfloat16", "float32", "float64")

    @property
    def is_complex(self) -> builtins.bool:
        return self.dtype.kind == "c"

    @property
    def is_integer(self) -> builtins.bool:
        return self.dtype.kind in "iu"

    @property
    def is_unsigned(self) -> builtins.bool:
        return self.dtype.kind == "u"

    @property
    def is_bool(self) -> builtins.bool:
        return self.dtype.kind == "b"

    @property
    def is_numeric(self) -> builtins.bool:
        return self.dtype.kind in "iufc"

    @property
    def real_dtype(self) -> DType:
        return as_dtype({"complex64": "float32", "complex128": "float64"}.get(self.name, self.name))

    @property
    def size(self) -> int:
        return 2 if self.name == "bfloat16" else self.dtype.itemsize

    @property
    def min(self) -> Any:
        return self._limits("min")

    @property
    def max(self) -> Any:
        return self._limits("max")

    def _limits(self, which: str) -> Any:
        if self.dtype.kind == "b":
            return which == "max"
        if self.dtype.kind not in "iuf":
            raise TypeError(f"Cannot find {'minimum' if which == 'min' else 'maximum'} value of {self}.")
        return getattr((np.finfo if self.dtype.kind == "f" else np.iinfo)(self.dtype), which)

    def is_compatible_with(self, other: Any) -> builtins.bool:
        return self == as_dtype(other)

    def __eq__(self, other: object) -> builtins.bool:
        if isinstance(other, DType):
            return self.name == other.name
        if other is None:
            return False
        try:
            return self.name == as_dtype(other).name
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"

    def __reduce__(self) -> Any:
        return as_dtype, (self.name,)


float16, float32, float64 = DType("float16"), DType("float32"), DType("float64")
bfloat16 = DType("bfloat16", "float32")  # held as rounded float32 numbers
half, double = float16, float64
int8, int16, int32, int64 = DType("int8"), DType("int16"), DType("int32"), DType("int64")
uint8, uint16, uint32, uint64 = DType("uint8"), DType("uint16"), DType("uint32"), DType("uint64")
bool = bool_ = DType("bool")
complex64, complex128 = DType("complex64"), DType("complex128")
string = DType("string", object)

ALL = (float16, bfloat16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool, complex64, complex128, string)
_BY_NAME = {d.name: d for d in ALL} | {"half": float16, "float": float32, "double": float64, "str": string}
_BY_TYPE = {float: float32, int: int32, complex: complex128, str: string}


def as_dtype(value: Any) -> DType:
    """The dtype object that a name, a NumPy dtype, a scalar class or a dtype object means.

    >>> as_dtype("float64"), as_dtype(np.int32), as_dtype(float)
    (tf.float64, tf.int32, tf.float32)
    """
    if isinstance(value, DType):
        return value
    if isinstance(value, str) and value in _BY_NAME:
        return _BY_NAME[value]
    if isinstance(value, type) and value in _BY_TYPE:
        return _BY_TYPE[value]
    try:
        name = np.dtype(value).name
    except TypeError:
        name = ""
    if name.startswith("str") or name == "object":
        return string
    if name not in _BY_NAME:
        raise TypeError(f"Cannot convert {value!r} to a tensor dtype; known are {', '.join(d.name for d in ALL)}.")
    return _BY_NAME[name]


def round_bfloat16(a: np.ndarray) -> np.ndarray:
    """The nearest bfloat16 numbers (ties to even), as float32."""
    a = np.asarray(a, np.float32)
    bits = a.view(np.uint32)
    up = ((bits >> np.uint32(16)) & np.uint32(1)) + np.uint32(0x7FFF)
    rounded = ((bits + up) & np.uint32(0xFFFF0000)).view(np.float32)
    return np.where(np.isnan(a), a, rounded)


VIEWS.append((np.dtype, as_dtype))
