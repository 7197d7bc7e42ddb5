"""Complex numbers: parts, conjugates, angles and Fourier transforms.

The gradient of a real value with respect to z = x + iy is dL/dx + i dL/dy. The adjoint of a holomorphic function is
then the incoming adjoint times the conjugate of its derivative.
"""

from __future__ import annotations

import numpy as np

from s2sgrad import ir
from s2sgrad.ir import Array, Scalar
from s2sgrad.rules.build import axis_of, conj, flat, is_scalar, means, real_like, static, strong
from s2sgrad.rules.registry import Op, as_expr, call, register

REAL_OF = {"complex128": "float64", "complex64": "float32"}


def _is_complex(x):
    return ir.is_complex(x.type)


def _scalar_part(name):
    """real and imag of Python numbers stay Python numbers."""
    return lambda x: getattr(x, name)


def _weak_part(t):
    d = REAL_OF.get(t.dtype, t.dtype)
    return Scalar(d, t.weak) if isinstance(t, Scalar) else Array(d, t.ndim)


def _real_adjoint(g, x, *, out, wanted):
    return (g,)


def _imag_adjoint(g, x, *, out, wanted):
    return (1j * g if _is_complex(x) else None,)


def _imag_tangent(dots, x, *, out):
    return call("imag", dots[0])


register(Op("real", "linear", _scalar_part("real"), "np.real(_0)", adjoint=_real_adjoint,
            tangent=lambda dots, x, *, out: call("real", dots[0]), result=_weak_part))
register(Op("imag", "linear", _scalar_part("imag"), "np.imag(_0)", adjoint=_imag_adjoint, tangent=_imag_tangent, result=_weak_part))


def _part_view(t):
    return Array(REAL_OF.get(t.dtype, t.dtype), t.ndim, "A")


register(Op("real_view", "linear", np.real, "_0.real", adjoint=_real_adjoint, result=_part_view,
            tangent=lambda dots, x, *, out: call("real_view", dots[0])))
register(Op("imag_view", "linear", np.imag, "_0.imag", adjoint=_imag_adjoint, result=_part_view,
            tangent=lambda dots, x, *, out: call("imag_view", dots[0])))


def _part(name):
    def builder(val):
        x = as_expr(val)
        if is_scalar(x):
            return x if name == "real" and not _is_complex(x) else call(name, x)
        if _is_complex(x):
            return call(f"{name}_view", x)
        return x if name == "real" else call("zeros_like", x)

    return builder


means(np.real)(_part("real"))
means(np.imag)(_part("imag"))


def _conj_adjoint(g, x, *, out, wanted):
    return (conj(g),)


register(Op("conj", "linear", lambda x: x.conjugate(), "np.conj(_0)", adjoint=_conj_adjoint,
            tangent=lambda dots, x, *, out: conj(dots[0])))


@means(np.conj, np.conjugate)
def _(x):
    x = as_expr(x)
    return strong(call("conj", x)) if _is_complex(x) or not is_scalar(x) else strong(x)


def _squared(x):
    return call("real", x * conj(x)) if _is_complex(x) else x * x


def _angle_adjoint(g, x, *, out, wanted):
    return (1j * g * x / _squared(x) if _is_complex(x) else None,)


def _angle_tangent(dots, x, *, out):
    return call("imag", conj(x) * dots[0]) / _squared(x)


register(Op("angle", "elementwise", np.angle, "np.angle(_0)", adjoint=_angle_adjoint, tangent=_angle_tangent, singular=True,
            partials=(lambda x, *, out: None,)))


@means(np.angle)
def _(z, deg=False):
    a = call("angle", z)
    return a * (180.0 / np.pi) if static(deg) else a


flat("iscomplex_", fn=np.iscomplex, syntax="np.iscomplex(_0)")

# ------------------------------------------------------------------------------------- Fourier transforms


def _fft_text(name):
    return lambda c: f"np.fft.{name}(_0{'' if c.attr('axis') == c.args[0].ndim - 1 else ', axis=' + str(c.attr('axis'))})"


def _fft_adjoint(g, x, *, out, wanted, axis):
    return (real_like(call("ifft", g, axis=axis) * x.dim(axis), x),)


def _ifft_adjoint(g, x, *, out, wanted, axis):
    return (real_like(call("fft", g, axis=axis) / x.dim(axis), x),)


def _transform_type(t, axis):
    return Array("complex64" if t.dtype in ("float32", "complex64", "float16") else "complex128", t.ndim)


for _name, _f, _adjoint in (("fft", np.fft.fft, _fft_adjoint), ("ifft", np.fft.ifft, _ifft_adjoint)):
    register(Op(_name, "linear", lambda a, axis, _f=_f: _f(a, axis=axis), _fft_text(_name), adjoint=_adjoint, result=_transform_type,
                tangent=lambda dots, x, *, out, axis, _name=_name: call(_name, dots[0], axis=axis)))


def fft_along(a, axis):
    """The transform over a whole axis, not scaled."""
    return np.fft.fft(a, axis=axis)


def ifft_along(a, axis):
    return np.fft.ifft(a, axis=axis)


@means(fft_along)
def _(a, axis):
    return call("fft", a, axis=axis_of(axis, as_expr(a).ndim))


@means(ifft_along)
def _(a, axis):
    return call("ifft", a, axis=axis_of(axis, as_expr(a).ndim))
