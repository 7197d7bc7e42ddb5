"""What numba sees of a derivative, so that `@njit` functions can call it.

A face is a numba dispatcher with the user's parameters, followed by the hidden ones as defaults that hold their present
values (numba fixes them when the caller is compiled, as it does with globals). Compiling it derives for numba's types.
"""

from __future__ import annotations

import hashlib
import inspect
from pathlib import Path
from types import CellType
from typing import Any

import numba
from numba import njit, typeof, types
from numba.core import sigutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.imputils import lower_constant
from numba.core.registry import CPUDispatcher
from numba.extending import models, register_model

from s2sgrad import ir
from s2sgrad.callables import unwrap
from s2sgrad.dispatch import Hidden, root_function
from s2sgrad.errors import Unsupported
from s2sgrad.inline import Free, flat_parameters, gradient_texts, leaf_expressions, load_text, split_derive
from s2sgrad.structure import Leaf, Node, Spec, Static

EMPTY = CellType()


class Stamp:
    """Carried into numba's on-disk caches of *callers*: what their code was compiled from. numba copies the members of a library's
    `_reload_init` into every caller's cache entry, and an OSError while one is unpickled is a cache miss. So a cached caller is compiled
    again when a source file of the differentiated function changed; with captured values compiled in, it is compiled anew each time."""

    def __init__(self, files: tuple[tuple[str, str | None], ...]) -> None:
        self.files = files

    def __call__(self) -> None:
        """numba calls the members when it loads a library."""

    def __hash__(self) -> int:
        return hash(self.files)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stamp) and other.files == self.files

    def __reduce__(self) -> Any:
        return _check_stamp, (self.files, versions())


def versions() -> tuple[str, ...]:
    from s2sgrad import __version__

    return __version__, numba.__version__


def _check_stamp(files: tuple[tuple[str, str | None], ...], made_with: tuple[str, ...]) -> Stamp:
    if made_with != versions() or any(digest is None or digest != file_digest(file) for file, digest in files):
        raise OSError("s2sgrad: a derivative compiled into this function has changed")
    return Stamp(files)


def file_digest(file: str) -> str | None:
    """None where there is no such file (a prompt, generated text)."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return None


def stamp(library: Any, face: Face) -> None:
    """Mark compiled code with the files it was made from."""
    files = {f: file_digest(f) for f in source_files(face.owner)}
    if face.frozen:
        files["captured values"] = None
    library._reload_init.add(Stamp(tuple(sorted(files.items()))))


def source_files(derivative: Any) -> set[str]:
    """The files that a derivative's function, and the functions of the user that it calls, stand in."""
    files: set[str] = set()
    todo, seen = [derivative.fn], set()
    while todo:
        fn = todo.pop()
        fn = unwrap(getattr(fn, "fn", fn))
        code = getattr(fn, "__code__", None)
        if code is None or id(code) in seen:
            continue
        seen.add(id(code))
        module = (getattr(fn, "__module__", "") or "").partition(".")[0]
        if module in ("numpy", "scipy", "math"):
            continue
        files.add(code.co_filename)
        cells = [c.cell_contents for c in fn.__closure__ or () if c != EMPTY]
        named = [fn.__globals__[n] for n in code.co_names if n in fn.__globals__]
        todo += [v for v in (*cells, *named) if callable(v)]
    return files


class FaceType(types.Dispatcher):
    """The type of a derivative in compiled code."""


register_model(FaceType)(models.OpaqueModel)


@lower_constant(FaceType)
def _lower_face(context: Any, builder: Any, typ: Any, value: Any) -> Any:
    return context.get_dummy_value()


class Face(CPUDispatcher):
    """The dispatcher of one derivative."""

    def __init__(self, derivative: Any) -> None:
        super().__init__(stub(derivative), targetoptions={"nopython": True})
        self._type = FaceType(self)
        self.owner = derivative
        self.inner: list[Any] = []  # numba forgets the code of dispatchers that die
        self.frozen: list[tuple[Any, Any, Any]] = []  # (root function, where, value) of the hidden values compiled in

    def compile(self, sig: Any) -> Any:
        with global_compiler_lock:
            args, _ = sigutils.normalize_signature(sig)
            args = tuple(types.unliteral(a) for a in args)
            old = self.overloads.get(args)
            if old is not None:
                return old.entry_point
            with self._compiling_counter:
                inner = compiled(self.owner, args, self.frozen)
                self.inner.append(inner)
                inner.compile(args)
                result = inner.overloads[args]
                stamp(result.library, self)
                self.add_overload(result)
                return result.entry_point

    def get_call_template(self, args: Any, kws: Any) -> Any:
        pysig, args = self._compiler.fold_argument_types(args, kws)
        args = tuple(typeof(a.value) if isinstance(a, types.Omitted) else types.unliteral(a) for a in args)
        template, _, args, kws = super().get_call_template(args, {})
        return template, pysig, args, kws

    def __reduce__(self) -> Any:
        return _face_of, (self.owner,)


def _face_of(derivative: Any) -> Face:
    face = Face(derivative)
    CPUDispatcher._recent.append(face)  # keeps it alive; a new face never matches a stale cache entry
    return face


def face_of(derivative: Any) -> Face:
    """The face of a derivative: a new one if hidden values have changed since the last was compiled."""
    with global_compiler_lock:
        face = derivative._faces.get("face")
        if face is None or any(h.read(root) is not value for root, h, value in face.frozen):
            face = derivative._faces["face"] = Face(derivative)
        return face


def stub(derivative: Any) -> Any:
    """A function with the user's parameters, for numba to fold arguments with."""
    heads = [n + ("" if p.default is p.empty else "=None") for n, p in derivative.parameters.items()]
    scope: dict[str, Any] = {"__name__": "s2sgrad.runtime.generated"}
    exec(f"def {derivative.__name__}({', '.join(heads)}):\n    raise NotImplementedError", scope)
    made = scope[derivative.__name__]
    made.__defaults__ = tuple(p.default for p in derivative.parameters.values() if p.default is not inspect.Parameter.empty) or None
    return made


def compiled(derivative: Any, args: tuple[Any, ...], frozen: list[Any]) -> Any:
    """A numba function of the user's arguments for these numba types."""
    specs = [spec_of(t) for t in args]
    derived = split_derive(derivative, specs)
    leaf = derived.callable("cpu")
    root = root_function(derivative.fn, specs)
    reads = [Hidden(root, a) for a in derived.primal.hidden]
    hidden = [h.read(root) for h in reads]
    frozen += [(root, h, value) for h, value in zip(reads, hidden, strict=True)]
    names, _ = flat_parameters(derivative, len(specs))
    if not hidden and all(isinstance(s, Leaf) for s in specs):
        return leaf
    request = derivative.template.request
    free = Free(set(names), {})
    given = [e for n, s in zip(names, specs, strict=True) for e in leaf_expressions(n, s)]
    scope: dict[str, Any] = {"__name__": "s2sgrad.runtime.generated", "leaf_": leaf}
    for k, value in enumerate(hidden):
        scope[f"hidden_{k}_"] = value
        given.append(f"hidden_{k}_")
    count = len(derived.program.main.returns)
    parts = iter(["result_"] if count == 1 else [f"result_[{k}]" for k in range(count)])
    value_text = next(parts) if request.mode == "value_and_grad" else ""
    grads = gradient_texts(derivative, specs, parts, free)
    out = grads[0] if request.single else "(" + "".join(g + ", " for g in grads) + ")"
    out = f"({value_text}, {out})" if value_text else out
    text = f"def {derived.name}({', '.join(names)}):\n    result_ = leaf_({', '.join(given)})\n    return {out}\n"
    scope.update({n: c.cell_contents for n, c in free.cells.items()})
    return njit(load_text(text, derived.name, scope))


def spec_of(t: Any) -> Spec:
    """The spec of a numba type."""
    if isinstance(t, types.Array):
        if t.ndim == 0:
            raise Unsupported("a 0-d array is passed to a derivative in compiled code", hint="Pass a[()].")
        return Leaf(ir.Array(str(t.dtype), t.ndim, t.layout), readonly=not t.mutable)
    if isinstance(t, types.Boolean):
        return Leaf(ir.BOOL)
    if isinstance(t, types.Number):
        weak = {"float64": ir.FLOAT, "int64": ir.INT, "complex128": ir.COMPLEX}
        return Leaf(weak.get(str(t), ir.Scalar(str(t))))
    if isinstance(t, types.BaseNamedTuple):
        return Node("namedtuple", t.instance_class, tuple(t.fields), tuple(spec_of(x) for x in t.types))
    if isinstance(t, types.BaseTuple):
        return Node("tuple", tuple, tuple(range(len(t.types))), tuple(spec_of(x) for x in t.types))
    if isinstance(t, types.NoneType):
        return Static(None)
    if isinstance(t, types.Dispatcher):
        return Static(t.dispatcher)
    raise Unsupported(f"a derivative is called from compiled code with an argument of type {t}", hint="Pass numbers, arrays or tuples of them.")

