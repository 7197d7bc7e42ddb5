"""Emitted gradients against adjoints written by hand: `make bench`."""
