"""From a program to the programs of its derivatives."""

from s2sgrad.transform.reverse import reverse
from s2sgrad.transform.tangent import tangent

__all__ = ["reverse", "tangent"]
