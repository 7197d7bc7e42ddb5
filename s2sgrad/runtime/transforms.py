"""Discrete Fourier transforms for generated code. Rules as in `s2sgrad.runtime.extents`."""
