"""`TensorArray`: a list of tensors that a loop fills."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sgrad import dtypes
from s2sgrad.errors import InvalidArgumentError
from s2sgrad.operators import OPS
from s2sgrad.tensor import Tensor, convert_to_tensor

__all__ = ["TensorArray"]


class TensorArray:
    """Tensors of one dtype by position. `write` gives the array to go on with; an element is read once unless `clear_after_read=False`.

    In compiled code the elements are written in order.
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        self.dtype, self.dynamic_size = dtypes.as_dtype(dtype), bool(dynamic_size)
        self._clears = clear_after_read is not False
        self._items: list[Tensor | None] = [None] * int(size or 0)
        self._read: set[int] = set()

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        k = int(index)
        if k < 0 or k >= len(self._items) and not self.dynamic_size:
            raise InvalidArgumentError(f"Tried to write to index {k} but array is not resizeable and size is: {len(self._items)} [Op:TensorArrayWriteV3]")
        self._items += [None] * (k + 1 - len(self._items))
        self._items[k] = convert_to_tensor(value, dtype=self.dtype)
        self._read.discard(k)
        return self

    def read(self, index: Any, name: str | None = None) -> Tensor:
        k = int(index)
        if not 0 <= k < len(self._items):
            raise InvalidArgumentError(f"Tried to read from index {k} but array size is: {len(self._items)} [Op:TensorArrayReadV3]")
        if k in self._read:
            raise InvalidArgumentError(
                f"Could not read index {k} twice because it was cleared after a previous read (perhaps try setting clear_after_read = false?)"
            )
        found = self._whole()[k]
        if self._clears:
            self._read.add(k)
        return found

    def _whole(self) -> list[Tensor]:
        """All elements; those that were never written are zeros of the shape of the others."""
        like = next((t for t in self._items if t is not None), None)
        zero = lambda: Tensor(np.zeros(() if like is None else like._array.shape, self.dtype.dtype))
        return [zero() if t is None else t for t in self._items]

    def stack(self, name: str | None = None) -> Tensor:
        return OPS["stack"](self._whole()) if self._items else Tensor(np.zeros(0, self.dtype.dtype))

    def concat(self, name: str | None = None) -> Tensor:
        return OPS["concat"](self._whole(), 0)

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        return OPS["gather"](self.stack(), indices)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        t = convert_to_tensor(value, dtype=self.dtype)
        self._items = [t[k] for k in range(len(t))]
        return self

    def size(self, name: str | None = None) -> Tensor:
        return Tensor(np.int32(len(self._items)))

    def identity(self) -> TensorArray:
        return self

    def close(self, name: str | None = None) -> None:
        self._items = []

    def __repr__(self) -> str:
        return f"<tf.TensorArray of {len(self._items)} {self.dtype.name}>"


class CompiledTensorArray:
    """The same in compiled code: a list that grows."""

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, handle=None, flow=None,
                 infer_shape=True, element_shape=None, colocate_with_first_write_call=True, name=None):  # fmt: skip
        self.dtype = dtype
        self.count = -1 if size is None or dynamic_size else size
        self.items = []

    def write(self, index, value, name=None):
        if index != len(self.items):
            raise InvalidArgumentError("the elements of a TensorArray are written in order in compiled code")
        self.items.append(np.asarray(value).astype(self.dtype))
        return self

    def read(self, index, name=None):
        return self.items[index]

    def stack(self, name=None):
        if self.count >= 0 and self.count != len(self.items):
            raise InvalidArgumentError("not all elements of a TensorArray have been written")
        return np.stack(self.items)

    def concat(self, name=None):
        return np.concatenate(self.items, axis=0)

    def unstack(self, value, name=None):
        for k in range(value.shape[0]):
            self.items.append(value[k])
        return self

    def size(self, name=None):
        return len(self.items)

    def identity(self):
        return self


TensorArray.__s2sgrad_numpy__ = CompiledTensorArray  # type: ignore[attr-defined]
