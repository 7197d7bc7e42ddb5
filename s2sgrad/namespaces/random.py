"""`random`: random tensors."""

from s2sgrad.ops.random import normal, set_seed, shuffle, stateless_normal, stateless_uniform, truncated_normal, uniform

__all__ = ["normal", "set_seed", "shuffle", "stateless_normal", "stateless_uniform", "truncated_normal", "uniform"]
