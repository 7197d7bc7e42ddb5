"""Discrete Fourier transforms for generated code. Rules as in `s2sgrad.runtime.extents`."""

from __future__ import annotations

import numpy as np


def fourier_lanes(a, sign):
    """The discrete Fourier transform along the last axis of a complex array; sign +1 is the inverse transform.

    Powers of two by repeated halving in place; other lengths as a convolution of twice the length (Bluestein).
    """
    out = a.copy()
    n = a.shape[-1]
    if n < 1:
        raise ValueError("Invalid number of FFT data points specified.")
    rows = out.reshape(-1, n)
    power = 1
    while power < n:
        power *= 2
    direct = power == n
    m = n
    if not direct:
        m = 1
        while m < 2 * n - 1:
            m *= 2
    roots = np.empty(max(m // 2, 1), dtype=np.complex128)
    for k in range(m // 2):
        angle = -2.0 * np.pi * k / m
        roots[k] = complex(np.cos(angle), np.sin(angle))
    chirp = np.empty(n, dtype=np.complex128)
    kernel = np.zeros(m, dtype=np.complex128)
    work = np.zeros(m, dtype=np.complex128)
    if not direct:
        for k in range(n):
            angle = np.pi * ((k * k) % (2 * n)) / n
            chirp[k] = complex(np.cos(angle), -np.sin(angle))
        for k in range(n):
            c = complex(chirp[k].real, -chirp[k].imag)
            kernel[k] = c
            if k > 0:
                kernel[m - k] = c
    for r in range(-1, rows.shape[0]):
        # round -1 transforms the kernel of the convolution; each row goes forward, and back for the convolution
        if r < 0 and direct:
            continue
        for step in range(2):
            if r < 0 and step == 1:
                continue
            if direct and step == 1:
                continue
            if r >= 0 and step == 0:
                for k in range(n):
                    v = rows[r, k]
                    if sign > 0:
                        v = complex(v.real, -v.imag)
                    work[k] = v if direct else v * chirp[k]
                for k in range(n, m):
                    work[k] = 0.0
            if r >= 0 and step == 1:
                for k in range(m):
                    v = work[k] * kernel[k]
                    work[k] = complex(v.real, -v.imag)
            x = kernel if r < 0 else work
            j = 0
            for i in range(1, m):
                bit = m >> 1
                while j & bit:
                    j ^= bit
                    bit >>= 1
                j |= bit
                if i < j:
                    t = x[i]
                    x[i] = x[j]
                    x[j] = t
            size = 2
            while size <= m:
                half = size // 2
                stride = m // size
                for start in range(0, m, size):
                    for k in range(half):
                        t = x[start + k + half] * roots[k * stride]
                        u = x[start + k]
                        x[start + k] = u + t
                        x[start + k + half] = u - t
                size *= 2
        if r < 0:
            continue
        for k in range(n):
            v = work[k]
            if not direct:
                v = complex(v.real / m, -v.imag / m) * chirp[k]
            if sign > 0:
                v = complex(v.real / n, -v.imag / n)
            rows[r, k] = v
    return out
