"""The eager operations, one plain NumPy function each (see `s2sgrad.eager`)."""

from __future__ import annotations

from s2sgrad.ops import control, creation, elementwise, linalg, nn, random, reductions, scatter, shaping  # noqa: F401
from s2sgrad.ops.control import *  # noqa: F403
from s2sgrad.ops.creation import *  # noqa: F403
from s2sgrad.ops.elementwise import *  # noqa: F403
from s2sgrad.ops.linalg import *  # noqa: F403
from s2sgrad.ops.reductions import *  # noqa: F403
from s2sgrad.ops.scatter import *  # noqa: F403
from s2sgrad.ops.shaping import *  # noqa: F403
