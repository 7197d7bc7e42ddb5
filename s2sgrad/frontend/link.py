"""Recursive functions become functions of the program of their own, called by `ir.CallFn`."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from s2sgrad import errors, ir
from s2sgrad.frontend import scope as scoping
from s2sgrad.frontend.derivatives import Derivatives
from s2sgrad.frontend.exceptions import DeadCode
from s2sgrad.frontend.joins import parts_of
from s2sgrad.frontend.machine import NeedsStatic, Path, State
from s2sgrad.frontend.prune import prune
from s2sgrad.frontend.unify import promote, same
from s2sgrad.frontend.values import NONE, UNIT_AXES, Element, Func, Heap, Num, Obj, OneOfThese, Ref, Tup, Value, describe, is_zero_d, map_nums, nums
from s2sgrad.ir import Array, Var

NESTED = 8  # a recursive function may call itself with so many kinds of arguments


@dataclass(eq=False)
class Linked:
    """A linked function while and after it is specialised."""

    name: str
    params: list[ir.Param]
    node: Any
    objects: list[Heap]  # the lists and objects among its arguments
    environment: dict[Any, Value]  # what it reads of its surroundings, as it was when it was linked
    shape: Value | None = None  # the result, numeric leaves as placeholders
    calls: list[ir.CallFn] = field(default_factory=list)
    extras: list[Var] = field(default_factory=list)
    function: ir.Function | None = None
    busy: bool = True


class Linking(Derivatives):
    def linked_call(self, f: Func, bound: dict[str, Value], node: Any) -> Value | None:
        """The call of a recursive function that has to be linked; None for functions that are inlined."""
        if f.node not in self.to_link:
            return None
        bound = {p: self.number_of_zero_d(f, p, v) for p, v in bound.items()}
        leaves = [n for v in bound.values() for n in nums(v)]
        environment = self.environment(f, bound)
        key = self.link_key(f, bound, environment)
        found = self.links.get(key)
        if found is None:
            before = set(self.links)
            try:
                found = self.links[key] = self.link(f, bound, key, environment)
            except Exception as err:  # another way may be tried: nothing may be left half done
                for k in set(self.links) - before:
                    del self.links[k]
                if isinstance(err, NeedsStatic):
                    self.to_link.discard(f.node)
                raise
        if found.shape is None:  # a recursive call before any result is known
            raise DeadCode
        targets = []

        def target(n: Num) -> Num:
            v = self.fresh("r", n.type)
            targets.append(v)
            return Num(v)

        value = map_nums(found.shape, target)
        args = [self.passed(n.expr) for n in leaves]
        call = ir.CallFn(targets, found.name, [*args, *found.extras])
        found.calls.append(call)
        self.emit(call)
        return value

    def link_key(self, f: Func, bound: dict[str, Value], environment: dict[Any, Value]) -> Any:
        """One function for each kind of arguments and each state of the surroundings that it reads."""
        busy = [link for link in self.links.values() if link.busy and link.node is f.node]
        if len(busy) > NESTED:
            why = f"the recursive function {busy[0].name} is given another function or another kind of data at each call: not supported"
            raise self.fixable(self.error(why, kind=NeedsStatic), bound)
        for link in busy:
            if link.objects != objects(bound):
                passed = next(v for v in bound.values() if isinstance(v, Ref))
                why = f"passing {describe(passed)} to a recursive function is not supported"
                raise self.fixable(self.error(why, kind=NeedsStatic, hint="Pass numbers, arrays and tuples."), bound)
        key = (f.node, f.python or f.scope, tuple(bound), tuple(signature(v) for v in bound.values()))
        for k in itertools.count():
            found = self.links.get((*key, k))
            if found is None or same_environment(found.environment, environment):
                return *key, k
            if found.busy:
                raise self.fixable(self.effects_error(), bound)

    def fixable(self, err: Any, bound: dict[str, Value]) -> errors.S2SGradError:
        """Where integers may decide the end, they are fixed and the recursion is unrolled."""
        err.origin = self.integer_origin([n.expr for v in bound.values() for n in nums(v)])  # type: ignore[attr-defined]
        return err

    def environment(self, f: Func, bound: dict[str, Value]) -> dict[Any, Value]:
        """The variables, lists and objects that a function and its arguments lead to, and what they are now."""
        assert self.state is not None
        out: dict[Any, Value] = {}
        todo: list[Value] = [f, *bound.values()]
        while todo:
            v = todo.pop()
            keys: list[Any] = []
            if isinstance(v, Ref):
                keys = [v.heap]
            elif isinstance(v, Element):
                keys = [v.list]
            elif isinstance(v, Func):
                keys = [cell for name in sorted(scoping.free_names(v.node)) if (cell := v.scope.find(name)) is not None]
                kept = [*v.defaults, *(d for d in v.kw_defaults if isinstance(d, Value))]
                out |= {("default", id(v.node), id(v.scope), k): d for k, d in enumerate(kept)}
                todo += kept
            todo += parts_of(v)
            for k in keys:
                if k not in out and k in self.state:
                    out[k] = self.state[k]
                    todo.append(out[k])
        return out

    def number_of_zero_d(self, f: Func, name: str, v: Value) -> Value:
        """A linked function is given the number in an array without axes: it may not change it."""
        if is_zero_d(v) and scoping.info(f.node).counts[name]:
            raise self.error(f"the recursive function {getattr(f.node, 'name', 'function')} changes {name}, an array without axes", hint="Pass x.item().")
        return self.current(v)

    def passed(self, e: ir.Expr) -> ir.Expr:
        """An argument of a linked call: arrays are passed by name, so that their adjoints can be."""
        if not isinstance(e.type, Array) or isinstance(e, Var):
            return e
        v = self.fresh("argument", e.type)
        self.emit(ir.Assign(v, e))
        return v

    def link(self, f: Func, bound: dict[str, Value], key: Any, environment: dict[Any, Value]) -> Linked:
        """Specialise a function on leaf parameters; result types by a fixpoint from the returns that do not recurse."""
        base = getattr(f.node, "name", "function")
        name, k = base, 1
        while name in self.names or name in self.used_names:
            k += 1
            name = f"{base}_{k}"
        self.used_names.add(name)
        info = scoping.info(f.node)
        outside = set(self.names)
        params: list[ir.Param] = []

        def param(base: str, n: Num) -> Num:
            t = n.type if not isinstance(n.type, Array) else Array(n.type.dtype, n.type.ndim, "A" if n.type.layout == "A" else n.type.layout)
            v = self.fresh(base, t)
            params.append(ir.Param(v.name, t))
            self.stable.add(v.name) if info.counts[base] == 0 else None
            return Num(v)

        inputs: dict[str, Value] = {}
        for p, v in bound.items():
            inputs[p] = map_nums(v, lambda n, p=p: param(p, n))  # type: ignore[misc]
        linked = self.links[key] = Linked(name, params, node=f.node, objects=objects(bound), environment=environment)
        for _ in range(10):
            snap = self.snapshot()
            state = dict(self.state or {})
            marks = {k: len(l.calls) for k, l in self.links.items()}
            inside = {k: v for k, v in state.items() if k is not UNIT_AXES}  # arrays of other extents may be there at the next call
            with self.block(inside) as body:
                loops, self.loops = self.loops, []
                try:
                    with self.apart(f"the recursive function {name}"):
                        v: Value | None = self.activate(f, dict(inputs), f.node)  # type: ignore[no-redef]
                    v = map_nums(self.current(v), self.own_result)
                    self.check_effects(inside, outside, body)
                except DeadCode:
                    v = None  # type: ignore[assignment]
                except NeedsStatic as e:
                    raise e if e.origin else self.fixable(e, bound) from None
                finally:
                    self.loops = loops
            if v is None:
                raise self.error(f"the recursive function {name} never returns", kind=errors.Unsupported)
            self.check_result(v, name)
            shape = map_nums(v, lambda n: Num(Var("?", n.type)))
            if linked.shape is not None and signature(linked.shape) == signature(shape):
                break
            if linked.shape is not None:
                shape = joined(linked.shape, shape)  # type: ignore[assignment]
                if shape is None:
                    raise self.error(f"the results of the recursive function {name} have different structures")
            linked.shape = shape
            self.rollback(snap)
            self.state = state
            for k, l in list(self.links.items()):
                if k not in marks:
                    del self.links[k]
                else:
                    del l.calls[marks[k]:]
        self.state = state
        body.append(ir.Return([n.expr for n in nums(v)]))
        linked.function = ir.Function(name, params, body)
        linked.busy = False
        self.linked[name] = linked.function
        return linked

    def check_effects(self, before: State, outside: set[str], body: Sequence[ir.Stmt]) -> None:
        """A linked function changes arrays; variables, lists and objects of the functions around it are not there for it."""
        assert self.state is not None
        changed = any(k not in self.state or not same(v, self.state[k]) for k, v in before.items() if v is not self.state.get(k))
        if not changed and not assigned_names(body) & outside:
            return
        err = self.effects_error()
        err.origin = self.integer_origin(free_vars(ir.Function("", [], list(body))).values())  # type: ignore[attr-defined]
        raise err

    def effects_error(self) -> Any:
        return self.error("a recursive function that writes variables or changes lists and objects of an enclosing function is not supported",
                          kind=NeedsStatic, hint="Return the new value, or store it in an array.")

    def check_result(self, v: Value, name: str) -> None:
        """Only numbers, arrays, constants and tuples of them leave a linked function: what a function or a container of one activation
        refers to is not there in another."""
        if isinstance(v, Tup):
            for i in v.items:
                self.check_result(i, name)
        elif not isinstance(v, Num | Obj):
            raise self.error(f"the recursive function {name} returns {describe(v)}", hint="Return numbers, arrays or tuples of them.")

    def own_result(self, n: Num) -> Num:
        """Results are scalars or fresh arrays."""
        e = n.expr
        if isinstance(n.type, Array) and ir.is_alias(e):
            e = ir.call("copy", e)
        return Num(e)

    def finish_links(self) -> None:
        """Captured variables become extra parameters of linked functions, passed on by every caller."""
        links = [l for l in self.links.values() if l.function is not None]
        by_name = {l.name: l for l in links}
        free = {l.name: free_vars(l.function) for l in links}  # type: ignore[arg-type]
        changed = True
        while changed:
            changed = False
            for l in links:
                own = {p.name for p in l.params} | assigned_names(l.function.body)  # type: ignore[union-attr]
                for s in ir.walk_stmts(l.function.body):  # type: ignore[union-attr]
                    if isinstance(s, ir.CallFn):
                        for name, v in free.get(s.function, {}).items():
                            if name not in own and name not in free[l.name]:
                                free[l.name][name] = v
                                changed = True
        for l in links:
            extras = list(free[l.name].values())
            l.extras = extras
            assert l.function is not None
            l.function.params = [*l.params, *(ir.Param(v.name, v.type) for v in extras)]
            for call in l.calls:
                call.args = [*call.args[: len(l.params)], *extras]
        del by_name


def signature(v: Value) -> Any:
    """A hashable description of a value's structure and types."""
    if isinstance(v, Num):
        return v.type
    if isinstance(v, Tup):
        return (v.cls, *(signature(i) for i in v.items))
    if isinstance(v, Obj):
        return ("object", id(v.value)) if not isinstance(v.value, str | type(None)) else v.value
    if isinstance(v, OneOfThese):
        return ("one of", *map(signature, v.these))
    if isinstance(v, Ref):
        return ("heap", v.heap.number)
    return ("value", id(getattr(v, "node", v)), id(getattr(v, "scope", None)))


def objects(bound: dict[str, Value]) -> list[Heap]:
    return [v.heap for v in bound.values() if isinstance(v, Ref)]


def same_environment(a: dict[Any, Value], b: dict[Any, Value]) -> bool:
    return a.keys() == b.keys() and all(same(v, b[k]) for k, v in a.items())


def joined(a: Value, b: Value) -> Value | None:
    """The structure that two results share, with types that hold both; None where they differ otherwise."""
    x, y = nums(a), nums(b)
    if len(x) != len(y) or stripped(a) != stripped(b):
        return None
    types = [promote(p.type, q.type) for p, q in zip(x, y, strict=True)]
    if any(t is None for t in types):
        return None
    it = iter(types)
    return map_nums(a, lambda n: Num(Var("?", next(it))))  # type: ignore[arg-type]


def stripped(v: Value) -> Any:
    """A hashable description of everything but the types of numbers."""
    return signature(map_nums(v, lambda n: Num(Var("?", ir.FLOAT))))


def assigned_names(body: Sequence[ir.Stmt]) -> set[str]:
    out = {v.name for s in ir.walk_stmts(body) for v in ir.assigned(s)}
    for s in ir.walk_stmts(body):
        if isinstance(s, ir.Custom):
            out |= {v.name for v in (*s.outputs, *s.seeds)}
    return out


def free_vars(f: ir.Function) -> dict[str, Var]:
    own = {p.name for p in f.params} | assigned_names(f.body)
    out: dict[str, Var] = {}
    for s in ir.walk_stmts(f.body):
        found: list[Any] = [x for e in ir.exprs(s) for x in ir.walk(e)]
        found += [getattr(s, a) for a in ("base", "list", "buffer", "value") if isinstance(getattr(s, a, None), Var)]
        found += list(s.inputs) if isinstance(s, ir.Custom) else []
        for x in found:
            if isinstance(x, Var) and x.name not in own:
                out[x.name] = x
    return out


__all__ = ["NONE", "Counter", "Linking", "Path", "prune"]
