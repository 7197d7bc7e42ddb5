"""Convolution and Fourier transforms."""

from __future__ import annotations

import functools
import math

import numpy as np

from s2sgrad.library.places import piece, roll
from s2sgrad.library.table import implements
from s2sgrad.rules.complexes import fft_along, ifft_along


@implements(np.convolve)
def convolve(a, v, mode="full"):
    x = np.atleast_1d(a)
    w = np.atleast_1d(v)
    n = x.shape[0]
    m = w.shape[0]
    y = np.zeros(n + m - 1, dtype=(x[:1] * w[:1]).dtype)
    if m <= n:
        for k in range(m):
            y[k:k + n] += x * w[k]
    else:
        for k in range(n):
            y[k:k + m] += w * x[k]
    return _mode(y, n, m, mode)


def _mode(y, n, m, mode):
    """The part of a full convolution that numpy's mode names."""
    if mode == "full":
        return y
    short = min(n, m)
    long = max(n, m)
    if mode == "same":
        start = (short - 1) // 2
        return y[start:start + long]
    return y[short - 1:long]


@implements(np.correlate)
def correlate(a, v, mode="valid"):
    x = np.atleast_1d(a)
    w = np.atleast_1d(v)
    y = convolve(x, np.conj(w[::-1]), "full")
    n = x.shape[0]
    m = w.shape[0]
    if mode == "same" and n < m:  # numpy swaps the operands and reverses the result
        return _mode(y[::-1], n, m, mode)[::-1]
    return _mode(y, n, m, mode)


# ------------------------------------------------------------------------------------ Fourier transforms


def sized(a, n, axis):
    """The array cut, or padded with zeros, to extent n along an axis."""
    if n is None:
        return a
    m = a.shape[axis]
    if n <= m:
        return piece(a, 0, n, axis)
    rows = np.moveaxis(a, axis, 0)
    padded = np.zeros((n,) + rows.shape[1:], dtype=a.dtype)
    padded[:m] = rows
    return np.moveaxis(padded, 0, axis)


def scaled(y, n, norm, forward):
    """The normalisation that `norm` names."""
    if norm == "ortho":
        return y / math.sqrt(n) if forward else y * math.sqrt(n)
    if norm == "forward":
        return y / n if forward else y * n
    return y


@implements(np.fft.fft)
def fft(a, n=None, axis=-1, norm=None, out=None):
    k = axis % np.ndim(a)
    x = sized(np.asarray(a), n, k)
    return scaled(fft_along(x, k), x.shape[k], norm, True)


@implements(np.fft.ifft)
def ifft(a, n=None, axis=-1, norm=None, out=None):
    k = axis % np.ndim(a)
    x = sized(np.asarray(a), n, k)
    return scaled(ifft_along(x, k), x.shape[k], norm, False)


@implements(np.fft.rfft)
def rfft(a, n=None, axis=-1, norm=None, out=None):
    k = axis % np.ndim(a)
    y = fft(a, n, k, norm)
    return piece(y, 0, y.shape[k] // 2 + 1, k)


@implements(np.fft.irfft)
def irfft(a, n=None, axis=-1, norm=None, out=None):
    k = axis % np.ndim(a)
    x = np.moveaxis(np.asarray(a), k, 0)
    size = 2 * (x.shape[0] - 1) if n is None else n
    half = sized(x, size // 2 + 1, 0)
    mirrored = np.conj(half[1:(size + 1) // 2])[::-1]
    y = np.real(ifft(np.concatenate((half, mirrored)), axis=0, norm=norm)).copy()
    return np.moveaxis(y, 0, k)


def _axes(a, s, axes):
    """The axes of an n-dimensional transform and the extents along them."""
    if axes is None:
        axes = tuple(range(a.ndim)) if s is None else tuple(range(a.ndim - len(s), a.ndim))
    return axes, (None,) * len(axes) if s is None else s


def _each(f, y, extents, axes, norm):
    """A transform along several axes, the last first."""
    return functools.reduce(lambda z, k: f(z, extents[k], axes[k], norm), tuple(range(len(axes) - 1, -1, -1)), y)


@implements(np.fft.fftn)
def fftn(a, s=None, axes=None, norm=None, out=None):
    y = np.asarray(a)
    along, extents = _axes(y, s, axes)
    return _each(fft, y, extents, along, norm)


@implements(np.fft.ifftn)
def ifftn(a, s=None, axes=None, norm=None, out=None):
    y = np.asarray(a)
    along, extents = _axes(y, s, axes)
    return _each(ifft, y, extents, along, norm)


@implements(np.fft.rfftn)
def rfftn(a, s=None, axes=None, norm=None, out=None):
    y = np.asarray(a)
    along, extents = _axes(y, s, axes)
    return _each(fft, rfft(y, extents[-1], along[-1], norm), extents[:-1], along[:-1], norm)


@implements(np.fft.irfftn)
def irfftn(a, s=None, axes=None, norm=None, out=None):
    y = np.asarray(a)
    along, extents = _axes(y, s, axes)
    return irfft(_each(ifft, y, extents[:-1], along[:-1], norm), extents[-1], along[-1], norm)


@implements(np.fft.fft2)
def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return fftn(a, s, axes, norm)


@implements(np.fft.ifft2)
def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return ifftn(a, s, axes, norm)


@implements(np.fft.rfft2)
def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return rfftn(a, s, axes, norm)


@implements(np.fft.irfft2)
def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return irfftn(a, s, axes, norm)


@implements(np.fft.hfft)
def hfft(a, n=None, axis=-1, norm=None, out=None):
    size = 2 * (a.shape[axis] - 1) if n is None else n
    return irfft(np.conj(a), size, axis, "forward" if norm is None or norm == "backward" else "backward" if norm == "forward" else norm)


@implements(np.fft.ihfft)
def ihfft(a, n=None, axis=-1, norm=None, out=None):
    return np.conj(rfft(a, n, axis, "forward" if norm is None or norm == "backward" else "backward" if norm == "forward" else norm))


@implements(np.fft.fftshift)
def fftshift(x, axes=None):
    if axes is None:
        axes = tuple(range(x.ndim))
    if not isinstance(axes, tuple):
        return roll(x, x.shape[axes] // 2, axes)
    for k in axes:
        x = roll(x, x.shape[k] // 2, k)
    return x


@implements(np.fft.ifftshift)
def ifftshift(x, axes=None):
    if axes is None:
        axes = tuple(range(x.ndim))
    if not isinstance(axes, tuple):
        return roll(x, -(x.shape[axes] // 2), axes)
    for k in axes:
        x = roll(x, -(x.shape[k] // 2), k)
    return x


@implements(np.fft.fftfreq)
def fftfreq(n, d=1.0, device=None):
    k = np.arange(n)
    return np.where(k < (n + 1) // 2, k, k - n) * (1.0 / (n * d))


@implements(np.fft.rfftfreq)
def rfftfreq(n, d=1.0, device=None):
    return np.arange(n // 2 + 1) * (1.0 / (n * d))
