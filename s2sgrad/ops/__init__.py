"""The eager operations, one plain NumPy function each (see `s2sgrad.eager`)."""

from __future__ import annotations

from s2sgrad.ops import arrays, control, creation, elementwise, extras, linalg, nn, random, reductions, scatter, segments, shaping, special  # noqa: F401
from s2sgrad.ops.arrays import *  # noqa: F403
from s2sgrad.ops.control import *  # noqa: F403
from s2sgrad.ops.creation import *  # noqa: F403
from s2sgrad.ops.elementwise import *  # noqa: F403
from s2sgrad.ops.extras import *  # noqa: F403
from s2sgrad.ops.linalg import *  # noqa: F403
from s2sgrad.ops.reductions import *  # noqa: F403
from s2sgrad.ops.scatter import *  # noqa: F403
from s2sgrad.ops.shaping import *  # noqa: F403
from s2sgrad.ops.special import *  # noqa: F403

__all__ = [
    *arrays.__all__,
    *control.__all__,
    *creation.__all__,
    *elementwise.__all__,
    *extras.__all__,
    *linalg.__all__,
    *reductions.__all__,
    *scatter.__all__,
    *shaping.__all__,
    *special.__all__,
]
