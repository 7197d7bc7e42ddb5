"""The road of a function: specialise, transform, simplify, emit, lower, load.

`derive` runs it for one set of argument types and returns a `Derived`, which keeps the program after every pass;
`Derived.stages` prints each of them as Python that runs, `Derived.callable` compiles the last one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from s2sgrad import backends, emit, frontend, ir, optimise, transform
from s2sgrad.callables import function_name, place_of
from s2sgrad.errors import ResultError
from s2sgrad.ir import Array, Assign, Param, Program, Return, Scalar, Type
from s2sgrad.structure import Leaf, Node, Spec, leaves

# What a derived program is: its last stage before lowering is called like this.
MODES = {"primal": "primal", "grad": "adjoint", "value_and_grad": "adjoint", "vjp": "adjoint", "jvp": "tangent"}


@dataclass(frozen=True)
class Options:
    """Options of a derivative that change the emitted text or how it is compiled."""

    simplify: bool = True
    fastmath: bool = False
    parallel: bool = False
    boundscheck: bool = False


def default_backend() -> str:
    """'python' when S2SGRAD_DISABLE_JIT (or numba's own switch) asks for it, else 'cpu'."""
    off = os.environ.get("S2SGRAD_DISABLE_JIT", "0") not in ("", "0") or os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    return "python" if off else "cpu"


@dataclass
class Derived:
    """A derived program, after every pass.

    wrt: names of the leaf parameters it is differentiated by; seeds: names of the extra parameters (adjoints of results, then
    of `finals`, the array parameters whose final contents are results); programs: stage name -> program, in order.
    """

    name: str
    mode: str
    primal: Any  # frontend.Specialised
    wrt: tuple[str, ...]
    finals: tuple[str, ...] = ()
    options: Options = Options()
    rules: bool = False  # does the text keep the rules of custom gradients?
    programs: dict[str, Program] = field(default_factory=dict)
    _loaded: dict[str, Callable[..., Any]] = field(default_factory=dict)
    _lock: Any = field(default_factory=threading.RLock)

    @property
    def last(self) -> str:
        """The stage a person reads: 'adjoint', 'tangent' or 'primal'."""
        return MODES[self.mode]

    @property
    def program(self) -> Program:
        """The program of that stage."""
        return self.programs[self.last]

    @cached_property
    def lowered(self) -> Program:
        return optimise.lower(self.program)

    def text(self, stage: str | None = None) -> str:
        """One stage as Python source."""
        stage = stage or self.last
        if stage == "adjoint" and "tangent" in self.programs:
            stage = "tangent"
        if stage == "lowered":
            return self._lowered_text
        if stage not in self.programs:
            raise ValueError(f"there is no stage {stage!r}; there are {', '.join([*self.programs, 'lowered'])}")
        return emit.text(self.programs[stage], rules=self.rules)

    @cached_property
    def _lowered_text(self) -> str:
        return emit.text(self.lowered)

    @property
    def stages(self) -> dict[str, str]:
        """Stage name -> Python text, in the order of the passes."""
        return {name: self.text(name) for name in (*self.programs, "lowered")}

    def callable(self, backend: str | None = None) -> Callable[..., Any]:
        """The compiled function of the leaves: one result is returned bare, several as a tuple."""
        backend = backend or default_backend()
        with self._lock:
            if backend not in self._loaded:
                o = self.options
                compile_options = {"fastmath": o.fastmath, "parallel": o.parallel, "boundscheck": o.boundscheck}
                self._loaded[backend] = backends.load(self._lowered_text, self.name, backend, compile_options)
            return self._loaded[backend]


def derive(
    fn: Callable[..., Any],
    specs: Sequence[Spec],
    mode: str,
    wrt: Sequence[int] = (),
    *,
    kw: dict[str, Spec] | None = None,
    finals: bool = False,
    options: Options = Options(),
    name: str = "",
    labels: Sequence[str] = (),
    tensors: bool = False,
    again: bool = False,
) -> Derived:
    """Run the whole road.

    `wrt` counts the leaves of the arguments (in the order of `structure.leaves` over `specs`, then `kw`); `finals` (with
    mode 'vjp') makes the final contents of written array parameters results too. `labels` is what the name and the
    docstring call the variables; `name` replaces the function's own name. `tensors`: see `frontend.specialise`. `again`: for
    a reader that differentiates the text again; its custom gradients keep their rules.
    """
    primal = frontend.specialise(fn, specs, kw=kw, tensors=tensors)
    if options.simplify:
        primal = replace(primal, program=optimise.simplify(primal.program))
    again = again and transform.has_customs(primal.program)
    if again:
        primal = replace(primal, program=transform.with_ties(primal.program))
    params = argument_params(primal.program)
    chosen = tuple(params[k].name for k in wrt)
    base = name or function_name(fn)
    if base in emit.helper_names():  # a function of ours that the text may have to define
        base += "_function"
    written = tuple(p.name for p in primal.program.main.params if p.name in primal.program.main.written)
    d = Derived(derived_name(base, mode, labels), mode, primal, chosen, written if finals else (), options, again)
    if mode == "primal":
        d.programs["primal"] = titled(primal.program, base, primal.program.main.doc)
        d.name = base
        return d
    d.programs["primal"] = primal.program
    program = optimise.in_pieces(primal.program)
    if mode == "jvp":
        raw = transform.tangent(program, chosen)
    elif mode == "vjp":
        raw = transform.reverse(program, chosen, seeds="params", value=False, finals=d.finals)
    else:
        require_real_scalar(fn, primal.result, mode)
        raw = transform.reverse(program, chosen, seeds="one", value=mode == "value_and_grad")
    raw = own_arguments(titled(raw, d.name, docstring(base, mode, labels)), written)
    d.programs["forward" if mode == "jvp" else "reverse"] = raw
    d.programs[d.last] = fresh_results(optimise.simplify(raw) if options.simplify else raw)
    return d


def argument_params(program: Program) -> list[Param]:
    """The leaf parameters that come from arguments (not from captured data)."""
    return [p for p in program.main.params if p.origin and p.origin[0] == "arg"]


def derived_name(base: str, mode: str, labels: Sequence[str]) -> str:
    """f_grad_x, f_value_grad_x, f_vjp, f_jvp."""
    middle = {"grad": "grad", "value_and_grad": "value_grad"}.get(mode)
    return "_".join([base, middle, *labels]) if middle else base if mode == "primal" else f"{base}_{mode}"


def docstring(base: str, mode: str, labels: Sequence[str]) -> str:
    """What the emitted function says about itself."""
    of = f"of {base} with respect to {', '.join(labels)}" if labels else f"of {base}"
    return {
        "grad": f"Reverse-mode derivative {of}.",
        "value_and_grad": f"Value and reverse-mode derivative {of}.",
        "vjp": f"Pull-back (reverse mode) {of}: result adjoints to argument adjoints.",
        "jvp": f"Value and forward-mode derivative {of}.",
    }[mode]


def titled(program: Program, name: str, doc: str) -> Program:
    """The program under another name and docstring (recursive calls of the main function are linked under their own names)."""
    return replace(program, main=replace(program.main, name=name, doc=doc))


def own_arguments(program: Program, written: Sequence[str]) -> Program:
    """Copy on entry the arrays that the function writes, so that the caller's arrays never change."""
    prologue = []
    for p in program.main.params:
        if p.name in written and isinstance(p.type, Array):
            fortran = p.type.layout == "F"
            value = ir.call("transpose", ir.call("copy", ir.call("transpose", p.var))) if fortran else ir.call("copy", p.var)
            prologue.append(Assign(p.var, value))
    if not prologue:
        return program
    main = replace(program.main, body=[*prologue, *program.main.body], written=program.main.written - set(written))
    return replace(program, main=main)


def fresh_results(program: Program) -> Program:
    """Copy a result that may share memory with a parameter or with another result: gradients are the caller's own."""
    main = program.main
    shared = {p.name for p in main.params if isinstance(p.type, Array)}
    bindings = [s for s in ir.walk_stmts(main.body) if isinstance(s, Assign) and ir.is_alias(s.value)]
    while grown := {s.target.name for s in bindings if (r := ir.root(s.value)) and r.name in shared} - shared:
        shared |= grown
    values = []
    for v in main.returns:
        r = ir.root(v) if isinstance(v.type, Array) else None
        values.append(ir.call("copy", v) if r is not None and r.name in shared else v)
        if r is not None:
            shared.add(r.name)
    if all(a is b for a, b in zip(values, main.returns, strict=True)):
        return program
    return replace(program, main=replace(main, body=[*main.body[:-1], Return(values)]))


def require_real_scalar(fn: Callable[..., Any], result: Spec, mode: str) -> None:
    """`grad` needs one real number."""
    if isinstance(result, Leaf) and isinstance(result.type, Scalar) and result.type.dtype.startswith("float"):
        return
    base = function_name(fn)
    hint = f"Return a real scalar (np.sum(...), np.real(...)), or use s2sgrad.jacobian({base}) or s2sgrad.vjp({base}, ...)."
    what = describe_result(result)
    raise ResultError(f"{mode} needs a function with one real scalar result, but {base} returns {what}", place_of(fn), hint)


def describe_result(spec: Spec) -> str:
    """A spec in words, for messages."""
    if isinstance(spec, Leaf):
        return type_in_words(spec.type)
    if isinstance(spec, Node) and spec.kind == "growing":
        return "a list whose length is known at run time only"
    if isinstance(spec, Node):
        n = len(leaves(spec))
        return f"a {spec.kind} with {n} number{'s' * (n != 1)} or array{'s' * (n != 1)}"
    return "None" if spec.value is None else f"{spec.value!r}"


def type_in_words(t: Type) -> str:
    """'an array float64[:,:]', 'an integer (int)', ..."""
    if isinstance(t, Array):
        return f"an array {t}"
    kind = {"b": "a boolean", "i": "an integer", "u": "an integer", "f": "a real number", "c": "a complex number"}[t.dtype[0]]
    return f"{kind} ({t})"

