"""The operations of the language. Importing this package registers all of them."""

from s2sgrad.rules import arrange, binary, casts, complexes, creation, elementwise, linalg, reductions, registry, shapes, special, sweeps  # noqa: F401
