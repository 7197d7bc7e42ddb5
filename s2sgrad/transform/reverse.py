"""Reverse mode: a program to the program of its adjoint (forward sweep, then reverse sweep).

Method: total restore. When the reverse of a statement starts, every name and every memory cell that is still needed has the value
it had after the statement, and every adjoint belongs to that state; when it ends, the same holds for the state before.
"""

from __future__ import annotations

from collections.abc import Sequence

from s2sgrad import ir
from s2sgrad.ir import Expr, Var, call
from s2sgrad.recursion import deep
from s2sgrad.rules.registry import as_expr
from s2sgrad.transform.adjoint import adjoint
from s2sgrad.transform.plan import Plan
from s2sgrad.transform.records import Recorder
from s2sgrad.transform.setting import Record, Setting
from s2sgrad.transform.sweeps import Sweeps, zeros_like


@deep
def reverse(program: ir.Program, wrt: Sequence[str], *, seeds: str = "one", value: bool = False, finals: Sequence[str] = (),
            name: str = "", save_all: bool = False, guard: bool = True) -> ir.Program:
    """The adjoint of a program's main function.

    Parameters of the result: those of the primal; with seeds="params" one `<result>_bar` per inexact result leaf, then one per
    array in `finals` (the adjoint of its final contents). Results: with `value` the primal's results and the
    final contents of `finals`; then one gradient per name in `wrt`, of its parameter's type.

    Without `guard` a zero adjoint times an infinite partial is nan, as the formula says.
    """
    linked: dict[str, ir.Function] = dict(program.linked)
    main = _Reversal(program.main, program.linked, wrt, finals, save_all, guard)
    function = main.with_results(name or program.main.name + "_grad", seeds, value)
    todo = set(main.pulled)
    while todo:
        f = todo.pop()
        inexact = [p for p in program.linked[f].params if ir.is_inexact(p.type)]
        finals = [p.name for p in inexact if not isinstance(p.type, ir.Scalar)]
        r = _Reversal(program.linked[f], program.linked, [p.name for p in inexact], finals, save_all, guard)
        linked[f + "_rev"] = r.as_pullback(f + "_rev")
        todo |= {g for g in r.pulled if g + "_rev" not in linked}
    return ir.Program(function, linked)


class _Reversal:
    """One function under reversal."""

    def __init__(self, function: ir.Function, linked: dict[str, ir.Function], wrt: Sequence[str], finals: Sequence[str],
                 save_all: bool, guard: bool) -> None:
        self.primal, self.finals, self.save_all = function, list(finals), save_all
        params = {p.name: p for p in function.params}
        results = [*function.returns, *(params[n].var for n in finals)]
        self.st = Setting(function, linked, wrt, results, guard)
        self.st.function.body[-1:] = []  # the Return is handled here; scopes keep the same list object
        recorder = Recorder(self.st)
        recorder.block(self.st.function.body)
        for s in ir.walk_stmts(self.st.function.body):
            recorder.records.setdefault(id(s), Record())
        self.records = recorder.records
        self.counts = self._counts()
        self.pulled = {s.function for r in self.records.values() for s in ir.walk_stmts(r.adjoint) if isinstance(s, ir.CallFn)}
        self.pulled = {f.removesuffix("_rev") for f in self.pulled}

    def _counts(self) -> dict[int, Var]:
        """A trip counter for every loop that may run less or more than a known range."""
        counts = {}
        for s in ir.walk_stmts(self.st.function.body):
            if isinstance(s, ir.While) or (isinstance(s, ir.For) and (s.exit is not None or not isinstance(s.step, ir.Const))):
                counts[id(s)] = Var(self.st.names.fresh(f"count_{s.place.line}" if s.place else "count"), ir.INT)
        return counts

    def _seed_vars(self) -> tuple[list[Var | None], list[Var]]:
        """Seed variables of the results (None where a result is not inexact) and of the final contents."""
        names = self.st.names
        out: list[Var | None] = []
        for r in self.primal.returns:
            if not ir.is_inexact(r.type):
                out.append(None)
                continue
            t = r.type if isinstance(r.type, ir.Scalar) else ir.Array(r.type.dtype, r.ndim, "C")
            base = r.name if isinstance(r, Var) else "result"
            out.append(Var(names.derived(base, "_bar" if base not in self.st.bars else "_bar_in"), t))
        return out, [Var(names.derived(n, "_final_bar"), self.st.params[n].type) for n in self.finals]

    def _seeded(self, seeds: Sequence[Expr | None], finals: Sequence[Var]) -> list[ir.Stmt]:
        """Statements that put the seeds into the adjoints."""
        st = self.st
        cx = st.context()
        for n, f in zip(self.finals, finals, strict=True):
            if st.is_active(st.params[n].var):
                cx.emit(ir.Accum(st.bar(st.params[n].var), (), f))
        for r, g in zip(self.primal.returns, seeds, strict=True):
            if g is not None:
                adjoint(r, g, cx)
        return cx.out

    def _assemble(self, needs: set[tuple[str, str]], given: set[str], seeding: list[ir.Stmt], values: list[ir.Stmt]) -> list[ir.Stmt]:
        st = self.st
        for v in st.wrt:
            st.bar(v)
        plan = Plan(st, self.records, self.counts, self.save_all)
        plan.block(st.function.body, needs, False)
        sweeps = Sweeps(st, self.records, plan, self.counts)
        sweeps.given = given
        forward = sweeps.forward(st.function.body)
        start, back = sweeps.block_start(st.function.body), sweeps.reversed_statements(st.function.body, 0)
        self.stores = {slot.store.name for slot in sweeps.storage.slots.values()}
        arrays = [p.var for p in self.primal.params if ir.is_array(p.type) and st.is_active(p.var) and st.bar(p.var).name not in given]
        eager = [ir.Assign(st.bar(v), zeros_like(v)) for v in arrays if st.is_eager(v)]
        lazy = [ir.Assign(st.bar(v), zeros_like(v)) for v in arrays if not st.is_eager(v)]
        out: list[ir.Stmt] = [*sweeps.prologue(), *eager]
        out += [ir.Comment("forward sweep"), *forward, *values, ir.Comment("reverse sweep"), *lazy, *start, *seeding, *back]
        return out

    def with_results(self, name: str, seeds: str, value: bool) -> ir.Function:
        """The derivative as users call it."""
        st, params = self.st, list(self.primal.params)
        result_seeds, final_seeds = self._seed_vars()
        if seeds == "params":
            given: list[Expr | None] = list(result_seeds)
            params += [ir.Param(v.name, v.type, ("seed", k)) for k, v in enumerate(v for v in [*result_seeds, *final_seeds] if v is not None)]
        else:
            given = [None if v is None else as_expr(1.0) for v in result_seeds]
        seeding = self._seeded(given, final_seeds if seeds == "params" else [])
        values, returned = self._values() if value else ([], [])
        needs = {("b", v.name) for v in st.wrt if ir.is_array(v.type)}
        body = self._assemble(needs, set(), seeding, values)
        body.append(ir.Return([*returned, *(st.bar(v) for v in st.wrt)]))
        doc = f"Reverse-mode derivative of {self.primal.name} with respect to {', '.join(v.name for v in st.wrt)}."
        return self._finished(ir.Function(name, params, body, doc, set(self.primal.written)))

    def _values(self) -> tuple[list[ir.Stmt], list[Expr]]:
        """Copies of the results: the reverse sweep undoes what the forward sweep did to memory."""
        out: list[ir.Stmt] = []
        returned: list[Expr] = []
        for e in [*self.primal.returns, *(self.st.params[n].var for n in self.finals)]:
            if isinstance(e, ir.Const):
                returned.append(e)
                continue
            v = Var(self.st.names.fresh("result"), e.type if isinstance(e.type, ir.Scalar) else ir.Array(e.type.dtype, e.ndim))
            out.append(ir.Assign(v, call("copy", e) if ir.is_array(e.type) and ir.is_alias(e) else e))
            returned.append(v)
        return out, returned

    def as_pullback(self, name: str) -> ir.Function:
        """`f_rev(args, array adjoints, seeds) -> scalar adjoints`: arrays accumulate in place, memory is restored."""
        st = self.st
        array_bars = [st.bar(v) for v in st.wrt if not isinstance(v.type, ir.Scalar)]
        result_seeds, _ = self._seed_vars()
        params = [*self.primal.params, *(ir.Param(v.name, v.type) for v in array_bars),
                  *(ir.Param(v.name, v.type) for v in result_seeds if v is not None)]
        self.finals = []
        seeding = self._seeded(result_seeds, [])
        needs = {("b", v.name) for v in st.wrt if ir.is_array(v.type)}
        needs |= {("m", st.classes[p.name]) for p in self.primal.params if ir.is_array(p.type)}
        needs |= {("b", p.name) for p in self.primal.params if ir.is_array(p.type)}
        body = self._assemble(needs, {v.name for v in array_bars}, seeding, [])
        body.append(ir.Return([st.bar(v) for v in st.wrt if isinstance(v.type, ir.Scalar)]))
        return self._finished(ir.Function(name, params, body, f"Pull-back of {self.primal.name}.", set(self.primal.written) | {v.name for v in array_bars}))

    def _finished(self, f: ir.Function) -> ir.Function:
        """The function with what later passes may know about its variables."""
        f.temporaries = self.primal.temporaries | self.st.names.made
        f.adjoint_of = {bar.name: name for name, bar in self.st.bars.items()}
        f.stores = self.stores
        return f
