"""The names of the tensor interface, in the package's namespace: `import s2sgrad as tf`."""
# ruff: noqa: F401, F403

import weakref as _weakref

from s2sgrad import adjoints as _adjoints  # compiled tapes differentiate with it
from s2sgrad import dtypes, errors
from s2sgrad import eager as _eager
from s2sgrad import errors as _errors
from s2sgrad import function as _function
from s2sgrad import wrapped as _wrapped
from s2sgrad.custom import custom_gradient, grad_pass_through, recompute_grad
from s2sgrad.device import DeviceSpec, device
from s2sgrad.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from s2sgrad.forward import ForwardAccumulator
from s2sgrad.function import tf_function
from s2sgrad.function import tf_function as function
from s2sgrad.namespaces import autodiff, bitwise, config, debugging, linalg, math, nest, nn, random, raw_ops, test
from s2sgrad.ops import *
from s2sgrad.ops.elementwise import squared_difference
from s2sgrad.ops.nn import clip_by_global_norm, clip_by_norm
from s2sgrad.printing import print
from s2sgrad.shapes import TensorShape, TensorSpec
from s2sgrad.tape import GradientTape, UnconnectedGradients
from s2sgrad.tensor import IndexedSlices, Tensor, constant, convert_to_tensor, is_tensor
from s2sgrad.variable import Variable

_known: _weakref.WeakKeyDictionary = _weakref.WeakKeyDictionary()  # derivative object -> its recordable calls


def _recorded(derivative, args, kw):  # type: ignore[no-untyped-def]
    """A derivative of tensors that a tape watches: a compiled call of its own, with its adjoint."""
    tensors = [t if isinstance(t, Tensor) else t.value() for t in nest.flatten([args, kw]) if is_tensor(t)]
    if not any(tape.sees(tensors) for tape in _eager.tapes()):
        return NotImplemented
    made = derivative()
    key = _function.call_key(args, kw)
    found = _known.setdefault(made, {})
    if key not in found or not found[key].holds():
        found[key] = _function.Specialisation(made, args, kw, {})
    return found[key].call(args, kw)


def _unwrapped(t):  # type: ignore[no-untyped-def]
    """What derivatives get for a tensor. A tape sees the calls of `grad` and `value_and_grad`, not those of the others."""
    if any(tape.sees([t if isinstance(t, Tensor) else t.value()]) for tape in _eager.tapes()):
        raise _errors.Unsupported(
            "a derivative was called on a tensor that a tape watches, and would not be recorded",
            hint="Call it inside a tf_function: that is recorded with its adjoint.",
        )
    return t._array if t._array.ndim else t._array[()]


_wrapped.WRAPPERS[Tensor] = _wrapped.WRAPPERS[Variable] = (_unwrapped, convert_to_tensor)
_wrapped.RECORDERS.append(_recorded)
