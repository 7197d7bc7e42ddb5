"""Static shapes of tensors: `TensorShape` and `TensorSpec` (a shape that may be partly open, with a dtype)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from s2sgrad import dtypes


class TensorShape:
    """A shape; None stands for an extent that is not fixed. Compares with tuples and lists."""

    __slots__ = ("_dims",)

    def __init__(self, dims: Any = None) -> None:
        if isinstance(dims, TensorShape):
            dims = dims._dims
        if isinstance(dims, int):
            dims = (dims,)
        self._dims: tuple[int | None, ...] | None = None if dims is None else tuple(None if d is None else int(d) for d in dims)

    @property
    def rank(self) -> int | None:
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[int | None] | None:
        return None if self._dims is None else list(self._dims)

    def _known(self) -> tuple[int | None, ...]:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return self._dims

    def as_list(self) -> list[int | None]:
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self) -> int | None:
        if not self.is_fully_defined():
            return None
        n = 1
        for d in self._known():
            n *= d  # type: ignore[operator]
        return n

    def is_fully_defined(self) -> bool:
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def is_compatible_with(self, other: Any) -> bool:
        o = TensorShape(other)
        if self._dims is None or o._dims is None:
            return True
        return len(self._dims) == len(o._dims) and all(a is None or b is None or a == b for a, b in zip(self._dims, o._dims, strict=True))

    def with_rank(self, rank: int) -> TensorShape:
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")
        return self if self._dims is not None else TensorShape([None] * rank)

    def with_rank_at_least(self, rank: int) -> TensorShape:
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def concatenate(self, other: Any) -> TensorShape:
        return TensorShape(self._known() + TensorShape(other)._known())

    def merge_with(self, other: Any) -> TensorShape:
        o = TensorShape(other)
        if not self.is_compatible_with(o):
            raise ValueError(f"Shapes {self} and {o} are not compatible")
        if self._dims is None or o._dims is None:
            return o if self._dims is None else self
        return TensorShape([b if a is None else a for a, b in zip(self._dims, o._dims, strict=True)])

    def __len__(self) -> int:
        return len(self._known())

    def __iter__(self) -> Iterator[int | None]:
        return iter(self._known())

    def __getitem__(self, key: Any) -> Any:
        dims = self._known()
        return TensorShape(dims[key]) if isinstance(key, slice) else dims[key]

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __eq__(self, other: object) -> bool:
        try:
            return self._dims == TensorShape(other)._dims
        except (TypeError, ValueError):
            return False

    def __hash__(self) -> int:
        return hash(self._dims)

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        return "(" + ", ".join(map(str, self._dims)) + ("," if len(self._dims) == 1 else "") + ")"

    def __repr__(self) -> str:
        return f"TensorShape({'None' if self._dims is None else list(self._dims)})"


class TensorSpec:
    """The type of a tensor argument: shape, dtype, name.

    >>> TensorSpec([None], "float32")
    TensorSpec(shape=(None,), dtype=tf.float32, name=None)
    """

    __slots__ = ("dtype", "name", "shape")

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self.shape, self.dtype, self.name = TensorShape(shape), dtypes.as_dtype(dtype), name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        return cls(tensor.shape, tensor.dtype, name)

    from_spec = from_tensor

    def is_compatible_with(self, other: Any) -> bool:
        return self.dtype == other.dtype and self.shape.is_compatible_with(other.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and (self.shape, self.dtype, self.name) == (other.shape, other.dtype, other.name)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"
