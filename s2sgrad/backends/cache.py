"""Machine code on disk: one file per text, argument types, options and versions.

A file holds a checksum and numba's own serialised form of a compiled function. It is written under a temporary name and
moved into place, so that readers never see half of it. Whatever goes wrong while reading is a miss.

S2SGRAD_CACHE=0 switches the cache off, S2SGRAD_CACHE_DIR chooses the folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import serialize
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult


def enabled() -> bool:
    return os.environ.get("S2SGRAD_CACHE", "1") not in ("0", "")


def folder() -> Path:
    """Where machine code is kept."""
    given = os.environ.get("S2SGRAD_CACHE_DIR")
    if given:
        return Path(given)
    try:
        import platformdirs
    except ImportError:
        return Path.home() / ".cache" / "s2sgrad"
    return Path(platformdirs.user_cache_dir("s2sgrad"))


def versions() -> str:
    """What besides the text decides the machine code."""
    return repr((sys.version_info, numba.__version__, llvmlite.__version__, np.__version__, numba.config.BOUNDSCHECK, numba.config.OPT))  # type: ignore[attr-defined]


class DiskCache(_Cache):
    """The cache of one function of a text (numba calls `load_overload` and `save_overload`)."""

    def __init__(self, text: str, name: str, options: dict[str, Any]) -> None:
        self.stamp = f"{versions()}\n{name}\n{sorted(options.items(), key=str)!r}\n{text}"
        self.hits = 0

    @property
    def cache_path(self) -> str:
        return str(folder())

    def enable(self) -> None:
        """The environment decides."""

    def disable(self) -> None:
        """The environment decides."""

    def flush(self) -> None:
        """Nothing is kept in memory."""

    def file(self, sig: Any, codegen: Any) -> Path:
        key = hashlib.sha256(f"{self.stamp}\n{sig!r}\n{codegen.magic_tuple()!r}".encode()).hexdigest()
        return folder() / key[:2] / f"{key}.bin"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if not enabled():
            return None
        target_context.refresh()
        path = self.file(sig, target_context.codegen())
        try:
            data = path.read_bytes()
        except OSError:
            return None
        try:
            if hashlib.sha256(data[32:]).digest() != data[:32]:
                raise ValueError("damaged file")
            result = CompileResult._rebuild(target_context, *serialize.pickle.loads(data[32:]))
        except Exception:  # any damage or incompatibility is a miss: the function is compiled again
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        self.hits += 1
        return result

    def save_overload(self, sig: Any, result: Any) -> None:
        if not enabled() or result.lifted or result.library.has_dynamic_globals:
            return
        path = self.file(sig, result.library.codegen)
        data = serialize.dumps(result._reduce())
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        except OSError:  # an unwritable folder: work without a cache
            return
        try:
            with os.fdopen(handle, "wb") as f:
                f.write(hashlib.sha256(data).digest() + data)
            os.replace(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
