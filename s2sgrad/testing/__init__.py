"""Second-tier interface: checks for gradients."""

from s2sgrad.testing.gradcheck import Report, Row, gradcheck, richardson

__all__ = ["Report", "Row", "gradcheck", "richardson"]
