"""The forward sweep (primal with saves) and the reverse sweep (restores and adjoints), block by block."""

from __future__ import annotations

from dataclasses import replace

from s2sgrad import errors, ir
from s2sgrad.analysis.definite import bound_before, first_value
from s2sgrad.analysis.effects import Fact
from s2sgrad.ir import Call, Const, Expr, Var, call
from s2sgrad.transform.adjoint import mirrored
from s2sgrad.transform.plan import Plan
from s2sgrad.transform.records import index_type, zero
from s2sgrad.transform.scopes import Block
from s2sgrad.transform.setting import Record, Setting
from s2sgrad.transform.storage import ONE, ZERO, Storage


def zeros_like(v: Var) -> Expr:
    """A zero array of the shape and layout of another."""
    return Call("zeros_like", (v,), (), v.type)


class Sweeps:
    """Assembles both sweeps of one function from its records and its plan."""

    def __init__(self, st: Setting, records: dict[int, Record], plan: Plan, counts: dict[int, Var]) -> None:
        self.st, self.records, self.plan, self.counts = st, records, plan, counts
        self.storage = Storage(st)
        self.bound = bound_before(st.function, plan.saves.keys())
        self.unbound: dict[str, Var] = {}  # names saved where they are perhaps not bound yet
        self.given: set[str] = set()  # adjoint variables that are parameters
        self.noted: ir.Place | None = None

    # ----------------------------------------------------------------------------------------- forward

    def forward(self, block: Block, saving: bool = True) -> Block:
        out: Block = []
        for s in block:
            if saving:
                out += self._saves(s)
            out += self._forward(s, saving)
        return out

    def _forward(self, s: ir.Stmt, saving: bool) -> Block:
        if isinstance(s, ir.If):
            return [replace(s, body=self.forward(s.body, saving), orelse=self.forward(s.orelse, saving))]
        if isinstance(s, (ir.For, ir.While)):
            return self._forward_loop(s, saving)
        if isinstance(s, ir.Custom) and s.kept:
            return self._kept(s, saving)
        if isinstance(s, ir.Custom):
            return self.forward(s.body, saving)
        if isinstance(s, ir.Recompute):
            return self.forward(s.body, False)
        return self._mirrored(s)

    def _kept(self, s: ir.Custom, saving: bool) -> Block:
        """A tie (its body only assigns the outputs) among what is saved before and mirrored after it."""
        saves = [x for t in s.body for x in self._saves(t)] if saving else []
        return [*saves, *ir.map_stmts([s], lambda e: e), *(x for t in s.body for x in self._mirrored(t) if x is not t)]

    def _forward_loop(self, s: ir.For | ir.While, saving: bool) -> Block:
        count = self.counts.get(id(s))
        if not saving:
            return [replace(s, body=self.forward(s.body, False))]
        self.storage.enter(s, exact=s.exit is None)
        body = self.forward(s.body)
        loop = self.storage.leave()
        head: Block = [*loop.entry]
        if count is not None:
            head.append(ir.Assign(count, ZERO))
            body.insert(0, ir.Accum(count, None, ONE))
        return [*head, replace(s, body=body)]

    def _mirrored(self, s: ir.Stmt) -> Block:
        """A statement together with the adjoint bindings of eager arrays."""
        pre: Block = []
        post: Block = []
        if isinstance(s, (ir.Append, ir.Pop)):
            if self.st.is_active(s.list):
                bar = self.st.bar(s.list)
                post.append(ir.Append(bar, self.st.bar(s.value)) if isinstance(s, ir.Append) else ir.Pop(self.st.bar(s.target), bar))
            return [s, *post]
        if isinstance(s, ir.Reserve):
            return [s, *self._grown(self.st.bar(s.buffer), s.size)] if self.st.is_active(s.buffer) and self.st.is_eager(s.buffer) else [s]
        for v in ir.assigned(s):
            if isinstance(v.type, ir.Scalar) or not self.st.is_active(v) or not self.st.is_eager(v):
                continue
            if isinstance(v.type, ir.ListType):
                assert isinstance(s, ir.Assign)
                value = s.value if isinstance(s.value, Call) and s.value.op == "list_new" else mirrored(s.value, self.st.bar)
                pre.append(ir.Assign(self.st.bar(v), value))
            elif isinstance(s, ir.Assign) and ir.is_alias(s.value):
                pre.append(ir.Assign(self.st.bar(v), mirrored(s.value, self.st.bar)))
            else:
                post.append(ir.Assign(self.st.bar(v), zeros_like(v)))
        return [*pre, s, *post]

    def _grown(self, bar: Var, size: Expr) -> Block:
        """The adjoint of a buffer grows with it; what is new is zero."""
        before = Var(self.st.names.fresh("capacity"), ir.INT)
        rest = ir.Slice(before)
        return [ir.Assign(before, call("dim", bar, axis=0)), ir.Reserve(bar, size), ir.Store(bar, (rest,), zero(ir.Scalar(bar.type.dtype)))]

    # ------------------------------------------------------------------------------------------- saves

    def _saves(self, s: ir.Stmt) -> Block:
        out: Block = []
        for fact in sorted(self.plan.saves.get(id(s), ()), key=str):
            out += self._save(s, fact)
        return out

    def _variable(self, s: ir.Stmt, name: str) -> Var:
        for t in ir.walk_stmts([s]):
            for v in (*ir.assigned(t), *((t.buffer,) if isinstance(t, ir.Reserve) else ())):
                if v.name == name:
                    return v
        return self.counts[id(s)] if id(s) in self.counts else self.st.params[name].var

    def _save(self, s: ir.Stmt, fact: Fact) -> Block:
        kind, name = fact
        if kind == "m":
            return [t for key, base, region in self._regions(s, name) for t in self._save_region(s, key, base, region)]
        v = self._variable(s, name)
        if name not in self.bound.get(id(s), ()):
            self.unbound[name] = v
        if kind == "s":
            return self.storage.save_value(self.storage.slot(s, fact, v, v.type.dtype), v)
        return self.storage.save_binding(s, fact, v, self.st.is_active(v) and self.st.is_eager(v))

    def _save_region(self, s: ir.Stmt, key: Fact, base: Var, region: Expr) -> Block:
        if isinstance(region.type, ir.Scalar):
            slot = self.storage.slot(s, key, Var("?", ir.Scalar(region.type.dtype)), region.type.dtype, base=base.name)
            return self.storage.save_value(slot, region)
        return self.storage.save_block(s, key, region, base)

    def _regions(self, s: ir.Stmt, cls: str) -> list[tuple[Fact, Var, Expr]]:
        """The pieces of memory of a class that a statement overwrites: (slot key, base, expression)."""
        if isinstance(s, (ir.Store, ir.Accum)):
            index = s.index or ()
            region: Expr = ir.Index(s.base, index, index_type(s.base.type, index)) if index else s.base
            return [(("m", cls), s.base, region)]
        if isinstance(s, ir.CallFn):
            arrays = {a.name: a for a in s.touched if self.st.classes.get(a.name) == cls}
            if any(isinstance(a.type, ir.ListType) for a in arrays.values()):
                raise errors.Unsupported("a recursive function changes an array or a row that is an element of a list: not supported", s.place,
                                         "Use one array for all of them.")
        else:
            assert isinstance(s, ir.Recompute)
            arrays = self._entering(s, cls)
        return [(("m", n), v, v) for n, v in sorted(arrays.items())]

    def _entering(self, s: ir.Recompute, cls: str) -> dict[str, Var]:
        """Arrays of a memory class that a recomputed region uses and that are bound before it."""
        first = self.plan.first_written(s.body)
        found: dict[str, Var] = {}
        for t in ir.walk_stmts(s.body):
            for e in [*ir.exprs(t), *([t.base] if isinstance(t, (ir.Store, ir.Accum)) else [])]:
                for x in ir.walk(e):
                    if isinstance(x, Var) and ir.is_array(x.type) and self.st.classes.get(x.name) == cls and ("b", x.name) not in first:
                        found[x.name] = x
        return found

    def _restores(self, s: ir.Stmt) -> Block:
        out: Block = []
        facts = sorted(self.plan.saves.get(id(s), ()), key=str, reverse=True)
        if isinstance(s, ir.Recompute):
            facts.sort(key=lambda f: f[0] == "m")  # contents go back into the arrays that the names meant before
        for fact in facts:
            kind, name = fact
            if kind == "m":
                for key, base, region in reversed(self._regions(s, name)):
                    out += self._restore_region(s, key, base, region)
                continue
            v = self._variable(s, name)
            if kind == "s":
                pre, value = self.storage.load_value(self.storage.slots[(id(s), fact)], v.type)
                out += [*pre, ir.Assign(v, value)]
            else:
                out += self.storage.load_binding(s, fact, v)
        return out

    def _restore_region(self, s: ir.Stmt, key: Fact, base: Var, region: Expr) -> Block:
        index = region.index if isinstance(region, ir.Index) else ()
        if isinstance(region.type, ir.Scalar):
            pre, value = self.storage.load_value(self.storage.slots[(id(s), key)], region.type)
        else:
            pre, value = self.storage.load_block(s, key, region)
        return [*pre, ir.Store(base, index, value)]

    # ----------------------------------------------------------------------------------------- reverse

    def reverse(self, block: Block, loop_depth: int) -> Block:
        return [*self.block_start(block), *self.reversed_statements(block, loop_depth)]

    def reversed_statements(self, block: Block, loop_depth: int) -> Block:
        return [t for s in reversed(block) for t in self._reverse(s, loop_depth)]

    def block_start(self, block: Block) -> Block:
        """Recomputed values, adjoints of arrays and scalars local to the block."""
        st, position = self.st, self.st.scopes.position
        todo: list[tuple[int, int, ir.Stmt]] = []
        views = {id(s) for s in st.views.get(id(block), [])}
        for s in self.plan.again.get(id(block), []):
            todo.append((position[id(s)], 0, ir.Assign(s.target, s.value)))
            if ir.is_array(s.target.type) and st.is_active(s.target) and id(s) not in views:
                todo.append((position[id(s)], 1, ir.Assign(st.bar(s.target), mirrored(s.value, self.st.bar))))
        for s in st.views.get(id(block), []):
            todo.append((position[id(s)], 1, ir.Assign(st.bar(s.target), mirrored(s.value, self.st.bar))))
        for r in st.lazy_roots.get(id(block), []):
            for v in ir.assigned(r):
                if not isinstance(v.type, ir.Scalar) and st.is_active(v) and not st.is_eager(v):
                    todo.append((position[id(r)], 1, ir.Assign(st.bar(v), zeros_like(v))))
        out: Block = []
        for name, bar in st.bars.items():
            if isinstance(bar.type, ir.Scalar) and st.scopes.home.get(name) is block and bar.name not in self.given:
                out.append(ir.Assign(bar, zero(bar.type)))
        return out + [s for _, _, s in sorted(todo, key=lambda t: t[:2])]

    def _reverse(self, s: ir.Stmt, depth: int) -> Block:
        record = self.records[id(s)]
        if isinstance(s, ir.If):
            body, orelse = self.reverse(s.body, depth), self.reverse(s.orelse, depth)
            if not body and not orelse:
                return []
            return [ir.If(s.cond, body, orelse)] if body else [ir.If(call("not", s.cond), orelse)]
        if isinstance(s, (ir.For, ir.While)):
            return [*self._reverse_loop(s, depth), *self._restores(s)]
        if isinstance(s, ir.Custom):
            out = self._note(s, list(record.before))
            for t in reversed(s.body):
                out += self._reverse(t, depth)
            return out
        if isinstance(s, ir.Recompute):
            return self._reverse_region(s)
        if isinstance(s, ir.Append):
            return [ir.Pop(self._dropped(v), v) for v in self._pair(s.list)]
        if isinstance(s, ir.Pop):
            back: Block = [ir.Append(a, b) for a, b in zip(self._pair(s.list), self._pair(s.target), strict=True)]
            return [*back, *self._restores(s)]
        restores = [] if id(s) in self.plan.skip else self._restores(s)
        return self._note(s, [*record.before, *restores, *record.adjoint])

    def _pair(self, v: Var) -> list[Var]:
        return [v, self.st.bar(v)] if self.st.is_active(v) else [v]

    def _dropped(self, v: Var) -> Var:
        assert isinstance(v.type, ir.ListType)
        return Var(self.st.names.fresh("dropped"), v.type.item)

    def _note(self, s: ir.Stmt, out: Block) -> Block:
        """The user's line above the group of statements that reverses it."""
        if out and s.place is not None and s.place != self.noted:
            self.noted = s.place
            return [ir.Comment(f"line {s.place.line}: {s.place.text}", place=s.place), *out]
        return out

    def _reverse_loop(self, s: ir.For | ir.While, depth: int) -> Block:
        count = self.counts.get(id(s))
        self.storage.enter(s, exact=s.exit is None)
        self.noted = None
        body = self.reverse(s.body, depth + 1)
        self.storage.leave()
        self.noted = None
        if not any(not isinstance(t, ir.Comment) for t in body):
            return []
        minus = Const(-1, ir.INT)
        if isinstance(s, ir.While):
            assert count is not None
            k = Var(self.st.names.fresh("k"), ir.INT)
            return [ir.For(k, ZERO, count, ONE, body, place=s.place)]
        if count is not None:
            last = _add(s.start, _scaled(call("sub", count, 1), s.step))
            return [ir.For(s.var, last, call("sub", s.start, s.step) if s.start != ZERO or not isinstance(s.step, Const)
                           else Const(-s.step.value, ir.INT), _negated(s.step), body, place=s.place)]
        if s.step == ONE:
            return [ir.For(s.var, _add(s.stop, minus), _add(s.start, minus), minus, body, place=s.place)]
        if s.step == minus:
            return [ir.For(s.var, _add(s.stop, ONE), _add(s.start, ONE), ONE, body, place=s.place)]
        assert isinstance(s.step, Const), "loops of variable step are counted"
        k = s.step.value
        span = call("sub", s.stop, s.start) if k > 0 else call("sub", s.start, s.stop)
        trips = call("floordiv", call("sub", span, 1), abs(k))
        last = call("add", s.start, call("mul", trips, k))
        return [ir.For(s.var, last, call("sub", s.start, k), Const(-k, ir.INT), body, place=s.place)]

    def _reverse_region(self, s: ir.Recompute) -> Block:
        """Bring back the region's inputs, run it again (saving now), then reverse it."""
        out: Block = []
        held = [(v, Var(self.st.names.fresh("held"), v.type)) for v in self.st.region_arrays(s)]
        out += [ir.Assign(h, self.st.bar(v)) for v, h in held]
        out += self._restores(s)
        loops, self.storage.loops = self.storage.loops, []
        out.append(ir.Comment("run again: " + (s.place.text if s.place else "recomputed region")))
        out += self.forward([t for t in s.body if not isinstance(t, ir.Print)])
        out += [ir.Store(self.st.bar(v), (), h) for v, h in held]
        for t in reversed(s.body):
            out += self._reverse(t, 0)
        self.storage.loops = loops
        return out

    # --------------------------------------------------------------------------------------- start-up

    def prologue(self) -> Block:
        """Values for names that are saved before their first binding."""
        out: Block = []
        for name in sorted(self.unbound):
            v = self.unbound[name]
            mirrored = not isinstance(v.type, ir.Scalar) and self.st.is_active(v) and self.st.is_eager(v)
            out += [ir.Assign(w, first_value(w)) for w in (v, *([self.st.bar(v)] if mirrored else []))]
        return out


def _add(e: Expr, k: Expr) -> Expr:
    if isinstance(k, Const) and k.value == 0:
        return e
    if isinstance(e, Const) and isinstance(k, Const):
        return Const(e.value + k.value, ir.INT)
    if isinstance(e, Const) and e.value == 0:
        return k
    if isinstance(k, Const) and isinstance(e, Call) and e.op in ("add", "sub") and isinstance(e.args[1], Const):
        c = (e.args[1].value if e.op == "add" else -e.args[1].value) + k.value
        return e.args[0] if c == 0 else call("add", e.args[0], c) if c > 0 else call("sub", e.args[0], -c)
    if isinstance(k, Const) and k.value < 0:
        return call("sub", e, -k.value)
    return call("add", e, k)


def _scaled(e: Expr, step: Expr) -> Expr:
    return e if step == ONE else call("mul", e, step)


def _negated(step: Expr) -> Expr:
    return Const(-step.value, ir.INT) if isinstance(step, Const) else call("neg", step)

