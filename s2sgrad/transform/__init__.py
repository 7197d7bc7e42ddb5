"""From a program to the programs of its derivatives."""

from s2sgrad.transform.reverse import reverse
from s2sgrad.transform.tangent import tangent
from s2sgrad.transform.ties import has_customs, with_ties

__all__ = ["has_customs", "reverse", "tangent", "with_ties"]
