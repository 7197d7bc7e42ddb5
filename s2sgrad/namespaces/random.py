"""`random`: random tensors."""

from s2sgrad.ops.random import Generator, normal, set_seed, shuffle, stateless_normal, stateless_uniform, truncated_normal, uniform

__all__ = ["Generator", "normal", "set_seed", "shuffle", "stateless_normal", "stateless_uniform", "truncated_normal", "uniform"]
