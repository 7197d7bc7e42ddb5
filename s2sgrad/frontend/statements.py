"""Statements of the user's program."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Sequence
from typing import Any

import gast
import numpy as np

from s2sgrad import errors, ir
from s2sgrad.frontend import scope as scoping
from s2sgrad.frontend.exceptions import DeadCode
from s2sgrad.frontend.joins import poisonous
from s2sgrad.frontend.machine import Path, Target, effects, reads_memory
from s2sgrad.frontend.matches import Matches
from s2sgrad.frontend.options import Undecided
from s2sgrad.frontend.values import (
    NONE,
    UNBOUND,
    Cell,
    Error,
    Fields,
    Func,
    Growing,
    Items,
    Maybe,
    Num,
    Obj,
    OneOfThese,
    Poison,
    Ref,
    SliceOf,
    Spelled,
    Text,
    Tup,
    Value,
    describe,
    is_zero_d,
    map_nums,
    number,
    nums,
)
from s2sgrad.ir import Const, Expr, If, Stmt

BINARY = {"Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv, "FloorDiv": operator.floordiv,
          "Mod": operator.mod, "Pow": operator.pow, "MatMult": operator.matmul, "BitAnd": operator.and_, "BitOr": operator.or_,
          "BitXor": operator.xor, "LShift": operator.lshift, "RShift": operator.rshift}
DUNDER = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "truediv", "floordiv": "floordiv", "mod": "mod", "pow": "pow",
          "matmul": "matmul", "and_": "and", "or_": "or", "xor": "xor"}


class Statements(Matches):
    """Runs statements; `run` returns the list where the live path ends."""

    def run(self, stmts: Sequence[Any]) -> list[Stmt]:
        forks: list[Any] = []
        start = self.out
        for i, s in enumerate(stmts):
            if self.state is None:
                return self.out
            rest = list(stmts[i + 1:])
            before, self.jumps = self.jumps, set()
            self.node = s if hasattr(s, "lineno") else self.node
            point = self.mark() if self.options or isinstance(s, gast.If) or choice(s) is not None else None
            try:
                tail = self.statement(s, rest)
            except DeadCode:
                self.state, tail = None, None
            except errors.TypeConflict as conflict:
                if isinstance(conflict, Undecided) and point is not None and self.holds(point[1], conflict.chosen):
                    self.restore(point)
                    self.jumps, self.node = set(), s
                    tail = self.statement_for_each(conflict.chosen, s, rest)
                elif self.splits >= 4 or (choice(s) is None and not forks):
                    raise
                elif choice(s) is not None:  # `y = f(a if c else b)` is `if c: y = f(a)  else: y = f(b)`
                    self.restore(point)
                    self.jumps = before
                    return self.run([choice(s), *rest])
                else:
                    return self.split(stmts, *forks[-1])
            if isinstance(s, gast.If) and self.state is not None and point is not None and self.poisoned(point[1]):
                forks.append((i, point, before))
            mine = self.jumps
            self.jumps = before | mine
            if tail is not None:
                self.out = start
                return tail
            if self.state is None:
                self.out = start
                return self.out
            if self.out is not start:  # the statement went on inside of an `if`: so does the rest
                tail = self.run(rest)
                self.out = start
                return tail
            if mine:
                return self.guard(mine, rest)
        return self.out

    def mark(self) -> Any:
        """A point to come back to."""
        return self.snapshot(), dict(self.state or {}), len(self.out), self.opened()

    def restore(self, point: Any) -> None:
        snap, state, length, targets = point
        self.rollback(snap)
        self.state = dict(state)
        del self.out[length:]
        self.rewind(targets)

    def poisoned(self, before: Any) -> bool:
        """Has a variable lost its meaning since that state?"""
        assert self.state is not None
        return any(poisonous(v) and not (k in before and poisonous(before[k])) for k, v in self.state.items())

    def split(self, stmts: Sequence[Any], i: int, point: Any, before: Any) -> list[Stmt]:
        """The rest of the block separately for both sides of an `if`: a variable is of another kind on each."""
        s, rest = stmts[i], list(stmts[i + 1:])
        self.restore(point)
        self.jumps = set()
        self.node = s
        test, then, orelse = s.test, s.body, s.orelse
        cond = self.condition(test)
        assert not isinstance(cond, bool)
        self.splits += 1
        tail = self.branch(cond, lambda: self.run([*then, *rest]), lambda: self.run([*orelse, *rest]))
        self.splits -= 1
        mine, self.jumps = self.jumps, before | self.jumps
        if tail is None and mine and self.state is not None:
            return self.guard(mine, [])
        return self.out if tail is None else tail

    def guard(self, jumped: set[Target], rest: Sequence[Any]) -> list[Stmt]:
        """The rest of a block, for the paths that have not jumped."""
        flags = sorted({t.flag.name: t.flag for t in jumped}.items())
        cond: Expr = flags[0][1]
        for _, f in flags[1:]:
            cond = ir.call("or", cond, f)
        with self.block() as body:
            tail = self.run(rest)
        self.emit(If(ir.call("not", cond), body))
        return tail

    def statement(self, s: Any, rest: list[Any]) -> list[Stmt] | None:
        method = getattr(self, "do_" + type(s).__name__, None)
        if method is None:
            raise self.error(f"{type(s).__name__} statements are not supported", s)
        return method(s, rest) if type(s).__name__ in ("If", "Match", "Try", "With", "For", "While", "_More") else method(s)

    # ------------------------------------------------------------------------------------------- branches

    def branch(self, cond: Expr, then: Callable[[], list[Stmt] | None], orelse: Callable[[], list[Stmt] | None],
               rest: Sequence[Any] = ()) -> list[Stmt] | None:
        """An `if`. Where one branch jumps away the rest of the block goes into the other: then the tail is returned."""
        node = self.node
        start = self.state
        assert start is not None
        before, handlers = self.jumps, self.handlers
        sides = []
        for thunk in (then, orelse):
            self.jumps, self.handlers = set(), handlers
            with self.block(start) as out:
                try:
                    tail = thunk()
                except DeadCode:
                    self.state, tail = None, None
                sides.append((self.state, out, tail if isinstance(tail, list) else self.out, self.jumps))
        self.node, self.handlers = node, handlers
        (ts, tout, ttail, tj), (es, eout, etail, ej) = sides
        self.jumps = before | tj | ej
        stmt = If(cond, tout, eout, place=self.place())
        for dead, dead_jumps, live, tail, jumps in ((ts, tj, es, etail, ej), (es, ej, ts, ttail, tj)):
            if dead is None and live is not None and dead_jumps:
                self.state = live
                self.out.append(stmt)
                saved, self.out = self.out, tail
                after = self.guard(jumps, rest) if jumps else self.run(rest)
                self.out = saved
                return after
        paths = [Path(s, t) for s, t in ((ts, ttail), (es, etail)) if s is not None]
        self.state = self.join(paths)
        self.out.append(stmt)
        if self.state is None:
            return self.out
        return None

    def do_If(self, s: Any, rest: list[Any]) -> list[Stmt] | None:
        cond = self.condition(s.test)
        if isinstance(cond, bool):
            return self.splice(s.body if cond else s.orelse, rest)
        return self.branch(cond, lambda: self.run(s.body), lambda: self.run(s.orelse), rest)

    def splice(self, body: Sequence[Any], rest: Sequence[Any]) -> list[Stmt]:
        return self.run([*body, *rest])

    # ------------------------------------------------------------------------------------------- jumps

    def jump(self, target: Target) -> list[Stmt]:
        frame, handlers = self.frames[-1], self.handlers
        for p in reversed(handlers):
            leaves = target.kind == "return" or (target.loop is not None and self.loops.index(target.loop) < p.loops)
            if p.frame is frame and p.final and leaves:
                self.handlers = p.outer
                self.out = self.run(p.final)
                if self.state is None:
                    break
        self.handlers = handlers
        if self.state is None:
            return self.out
        for loop in reversed(self.loops[frame.loop_base:]):
            if loop is target.loop and target.kind == "continue":
                break
            if not loop.unrolled:
                loop.exit_used = True
                self.emit(ir.Assign(loop.exit, Const(True, ir.BOOL)))
            if loop is target.loop:
                break
        if target.loop is None or target.flag != target.loop.exit:
            self.emit(ir.Assign(target.flag, Const(True, ir.BOOL)))
        assert self.state is not None
        target.paths.append(Path(self.state, self.out))
        self.jumps.add(target)
        self.state = None
        return self.out

    def do_Break(self, s: Any) -> list[Stmt]:
        return self.jump(self.loops[-1].brk)

    def do_Continue(self, s: Any) -> list[Stmt]:
        return self.jump(self.loops[-1].cont)

    def do_Return(self, s: Any) -> list[Stmt]:
        frame = self.frames[-1]
        v = NONE if s.value is None else self.eval(s.value)
        if len(self.loops) > frame.loop_base or any(p.final and p.frame is frame for p in self.handlers):
            v = self.store((frame.ret_cell,), v)
        assert self.state is not None
        self.state[frame.ret_cell] = v
        return self.jump(frame.ret)

    def do_Pass(self, s: Any) -> None:
        return None

    def do_Global(self, s: Any) -> None:
        return None

    do_Nonlocal = do_Global

    def do_Import(self, s: Any) -> None:
        import importlib

        for a in s.names:
            module = self.imported(a.name)
            top = a.asname or a.name.split(".")[0]
            self.bind_name(top, Obj(module if a.asname else importlib.import_module(top)))

    def do_ImportFrom(self, s: Any) -> None:
        module = self.imported(s.module)
        for a in s.names:
            if not hasattr(module, a.name):
                raise self.refusal(ImportError, f"cannot import name {a.name!r} from {s.module!r}", s)
            self.bind_name(a.asname or a.name, self.lift(getattr(module, a.name), None))

    def imported(self, name: str) -> Any:
        import importlib

        try:
            return importlib.import_module(name)
        except ImportError as err:
            raise self.refusal(type(err), str(err)) from None

    # ------------------------------------------------------------------------------------------- assignment

    def do_Expr(self, s: Any) -> None:
        if not isinstance(s.value, gast.Constant):
            v = self.eval(s.value)
            if any(isinstance(x, ir.Call) and x.op not in ("dim", "size") for n in nums(v) for x in ir.walk(n.expr)) and not self.calls_only(s):
                return

    def calls_only(self, s: Any) -> bool:
        return isinstance(s.value, gast.Call)

    def do_Assign(self, s: Any) -> None:
        value = self.tuple_values(s.value) if len(s.targets) == 1 and isinstance(s.targets[0], gast.Tuple | gast.List) else self.eval(s.value)
        if len(s.targets) > 1:
            value = self.bind_all(value)
        for t in s.targets:
            self.assign(t, value)

    def tuple_values(self, node: Any) -> Value:
        return self.eval(node)

    def do_AnnAssign(self, s: Any) -> None:
        if s.value is not None:
            self.assign(s.target, self.eval(s.value))

    def assign(self, target: Any, value: Value) -> None:
        """Python's assignment to one target."""
        if isinstance(target, gast.Name):
            self.bind_name(target.id, value)
        elif isinstance(target, gast.Tuple | gast.List):
            self.unpack(target.elts, value)
        elif isinstance(target, gast.Subscript):
            point = self.point()
            base = self.eval(target.value)
            (value,) = self.after([value], point)
            point = self.point()
            index = self.eval_index(target.slice)
            value, base = self.after([value, base], point)
            self.store_item(base, index, value, target)
        elif isinstance(target, gast.Attribute):
            point = self.point()
            base = self.eval(target.value)
            (value,) = self.after([value], point)
            self.set_attribute(base, target.attr, value, target)
        elif isinstance(target, gast.Starred):
            self.assign(target.value, value)
        else:
            raise self.error(f"cannot assign to {type(target).__name__}", target)

    def unpack(self, targets: Sequence[Any], value: Value) -> None:
        values = self.unpacked(value, targets)
        for i, (t, v) in enumerate(zip(targets, values, strict=True)):
            point = self.point()
            self.assign(t, v)
            values[i + 1:] = self.after(values[i + 1:], point)

    def unpacked(self, value: Value, targets: Sequence[Any]) -> list[Value]:
        """The values for a list of targets (one may be starred)."""
        star = [i for i, t in enumerate(targets) if isinstance(t, gast.Starred)]
        if isinstance(value, Num) and value.is_array and not star:
            value = self.as_var(value, "t")
            n = len(targets)
            self.raise_if(ir.call("ne", ir.call("dim", value.expr, axis=0), n), ValueError, f"not {n} values to unpack")
            return [self.subscript(value, [number(k)]) for k in range(n)]
        if isinstance(value, Num) and value.is_array:
            return self.unpacked_array(self.as_var(value, "t"), star[0], len(targets) - star[0] - 1)
        content = self.contents(value) if isinstance(value, Ref) and value.heap.kind == "list" else None
        if isinstance(content, Growing) and not star:
            self.raise_if(ir.call("ne", content.length, len(targets)), ValueError, f"not {len(targets)} values to unpack")
            return [self.growing_item(content, number(k), value.heap) for k in range(len(targets))]
        if isinstance(content, Growing):
            assert isinstance(content.length, Expr)
            k, tail = star[0], len(targets) - star[0] - 1
            self.raise_if(ir.call("lt", content.length, k + tail), ValueError, f"not enough values to unpack (expected at least {k + tail})")
            middle: Value = self.list_slice(value, content, SliceOf(number(k), number(-tail) if tail else NONE, NONE))
            item = lambda j: self.growing_item(content, j, value.heap)
            back = [item(self.bind(Num(ir.call("sub", content.length, tail - j)), "k")) for j in range(tail)]
            return [*(item(number(j)) for j in range(k)), middle, *back]
        values = list(self.sequence_items(value))
        if not star:
            if len(values) != len(targets):
                raise self.refusal(ValueError, f"{len(values)} values for {len(targets)} names")
            return values
        k = star[0]
        tail = len(targets) - k - 1
        if len(values) < len(targets) - 1:
            raise self.error(f"{len(values)} values for at least {len(targets) - 1} names")
        return [*values[:k], self.new_list(values[k: len(values) - tail]), *values[len(values) - tail:]]

    def unpacked_array(self, a: Num, k: int, tail: int) -> list[Value]:
        """The first `k` elements, a list of those in the middle, the last `tail` elements."""
        n = ir.call("dim", a.expr, axis=0)
        self.raise_if(ir.call("lt", n, k + tail), ValueError, f"not enough values to unpack (expected at least {k + tail})")
        middle = self.call(Obj(list), [self.subscript(a, [SliceOf(number(k), number(-tail) if tail else NONE, NONE)])], {}, None)
        return [*(self.subscript(a, [number(j)]) for j in range(k)), middle, *(self.subscript(a, [number(j)]) for j in range(-tail, 0))]

    def bind_name(self, name: str, value: Value) -> None:
        frame = self.frames[-1]
        if name in frame.info.globals:
            raise self.error(f"the global variable {name} is assigned", hint="Return the new value instead.")
        cell = frame.scope.find(name)
        if cell is None:
            raise self.error(f"cannot assign the name {name} here")
        self.set_cell(cell, value)

    def set_cell(self, cell: Cell, value: Value) -> None:
        assert self.state is not None
        value = self.checked(value)
        new = self.store((cell,), value)
        if cell.fixed and not self.loops:
            self.stable.update(n.expr.name for n in nums(new) if isinstance(n.expr, ir.Var))
        self.state[cell] = new

    def do_AugAssign(self, s: Any) -> None:
        op = BINARY[type(s.op).__name__]
        t = s.target
        if isinstance(t, gast.Name):
            old = self.eval(gast.Name(t.id, gast.Load(), None, None))
            old, new = self.in_order([lambda: old, lambda: self.eval(s.value)])
            self.augment_name(t.id, old, op, new)
            return
        assert self.state is not None
        base = self.eval(t.value)
        if isinstance(t, gast.Attribute):
            old = self.attribute(base, t.attr, t)
            point = self.point()
            value = self.eval(s.value)
            base, old = self.after([base, old], point)
            if is_zero_d(old):
                self.augment_zero_d(old, op, value)
            elif isinstance(old, Num) and old.is_array:
                self.augment_array(old, (), op, value)
            else:
                self.set_attribute(base, t.attr, self.augmented(old, op, value), t)
            return
        point = self.point()
        index = self.eval_index(t.slice)
        (base,) = self.after([base], point)
        if is_zero_d(base) and self.whole(index):
            self.augment_zero_d(base, op, self.eval(s.value))
            return
        if isinstance(base, Num):
            base, index = self.prepared_target(base, index)
            scalar_element = self.index_rank(base, index) == 0
            if self.handlers and not scalar_element:
                self.check_index(base, self.index_items(base, index)[0])
            old = self.subscript(base, index) if scalar_element else None
            point = self.point()
            value = self.eval(s.value)
            if old is not None:
                (old,) = self.after([old], point)
            self.augment_array(base, index, op, value, old)
            return
        old = self.subscript(base, index)
        point = self.point()
        value = self.eval(s.value)
        (old,) = self.after([old], point)
        if is_zero_d(old):
            self.augment_zero_d(old, op, value)
        elif isinstance(old, Num) and old.is_array:
            self.augment_array(old, (), op, value)
        else:
            self.store_item(base, index, self.augmented(old, op, value), t)

    def augment_name(self, name: str, old: Value, op: Any, value: Value) -> None:
        if isinstance(old, Num) and old.is_array:
            self.augment_array(old, (), op, value)
            return
        if is_zero_d(old):
            self.augment_zero_d(old, op, value)
            return
        if isinstance(old, Ref):
            self.bind_name(name, self.augmented(old, op, value))
            return
        new = self.binary(op, old, value)
        cell = self.frames[-1].scope.find(name)
        if (op is operator.add and isinstance(old, Num) and isinstance(new, Num) and isinstance(value, Num) and old.type == new.type
                and isinstance(old.expr, ir.Var) and self.slot_vars.get(((cell,), old.type)) == old.expr and name not in self.frames[-1].info.globals):
            assert self.state is not None
            self.emit(ir.Accum(old.expr, None, value.expr))
            self.state[cell] = Num(old.expr, new.const)
            return
        self.bind_name(name, new)

    def augmented(self, old: Value, op: Any, value: Value) -> Value:
        if isinstance(old, Ref) and old.heap.kind == "list" and op is operator.add:
            self.list_method(old, "extend", [value], {})
            return old
        own = self.own_method(old, f"__i{DUNDER.get(op.__name__, '?')}__")
        return self.binary(op, old, value) if own is None else self.call(own, [old, value], {}, None)

    def augment_array(self, base: Num, index: Any, op: Any, value: Value, old: Value | None = None) -> None:
        """`base[index] op= value` in memory."""
        base = self.as_var(base, "view")
        value = self.numeric(value)
        current = old if old is not None else (self.subscript(base, index) if index else base)
        new = self.binary(op, current, value)
        assert isinstance(new, Num) and isinstance(current, Num) and isinstance(base.expr, ir.Var)
        if not index or current.is_array:
            self.check_cast(new.type, base.type)
        items, kind = self.index_items(base, index)
        if op is operator.add and kind != "gather" and old_is_plain(old, base, items):
            self.emit(ir.Accum(base.expr, items, value.expr))
        else:
            self.emit(ir.Store(base.expr, items, new.expr))

    def check_cast(self, new: Any, old: Any) -> None:
        if not np.can_cast(np.dtype(new.dtype), np.dtype(old.dtype), "same_kind"):
            raise self.error(f"Cannot cast the result from {new.dtype} to {old.dtype} in place, with casting rule 'same_kind'",
                             hint="NumPy refuses this too: write x = x + y instead of x += y.")

    def do_Delete(self, s: Any) -> None:
        assert self.state is not None
        for t in s.targets:
            if isinstance(t, gast.Name):
                cell = self.frames[-1].scope.find(t.id)
                self.eval(gast.Name(t.id, gast.Load(), None, None))
                self.state[cell] = UNBOUND
            elif isinstance(t, gast.Subscript):
                self.delete_item(self.eval(t.value), self.eval_index(t.slice), t)
            else:
                raise self.error("del of this target is not supported", t)

    def do_FunctionDef(self, s: Any) -> None:
        self.bind_name(s.name, self.decorated(s, self.make_function(s)))

    def decorated(self, s: Any, f: Value) -> Value:
        for d in reversed(s.decorator_list):
            f = self.call(self.eval(d), [f], {}, d)
        return f

    def make_function(self, node: Any) -> Func:
        defaults = tuple(self.bind_all(self.eval(d)) for d in node.args.defaults)
        kw = tuple(None if d is None else self.bind_all(self.eval(d)) for d in node.args.kw_defaults)
        frame = self.frames[-1]
        return Func(node, frame.scope, frame.source, defaults, kw)

    # ------------------------------------------------------------------------------------------- errors of the program

    def do_Assert(self, s: Any) -> None:
        cond = self.condition(s.test)
        if cond is True:
            return
        message = [] if s.msg is None else self.text_parts(self.eval(s.msg))
        if cond is False:
            self.throw(Error(AssertionError, (Text(tuple(message)),) if message else ()))
        else:
            self.raise_if(ir.call("not", cond), AssertionError, *message)

    def text_parts(self, v: Value) -> list[Any]:
        """Strings and expressions of a printed value."""
        if isinstance(v, Text):
            return [x for p in v.parts for x in (self.text_parts(p) if isinstance(p, Value) else [p])]
        if isinstance(v, Error):
            return self.text_parts(self.error_text(v))
        if isinstance(v, Num | Spelled):
            return [v.expr if isinstance(v, Num) else v.value.expr]
        if isinstance(v, Obj):
            return [str(v.value)]
        if isinstance(v, OneOfThese):
            raise self.undecided(v)
        if isinstance(v, Tup | Ref):
            items = list(self.sequence_items(v))
            out: list[Any] = ["(" if isinstance(v, Tup) else "["]
            for k, i in enumerate(items):
                out.extend([", "] if k else [])
                out.extend(self.text_parts(i))
            return [*out, ")" if isinstance(v, Tup) else "]"]
        raise self.error(f"printing {describe(v)} is not supported")

    # ------------------------------------------------------------------------------------------- conditions

    def every(self, conds: Sequence[Any]) -> Any:
        if any(c is False for c in conds):
            return False
        out: Any = True
        for c in conds:
            out = c if out is True else out if c is True else ir.call("and", out, c)
        return out

    def either(self, conds: Sequence[Any]) -> Any:
        if any(c is True for c in conds):
            return True
        out: Any = False
        for c in conds:
            out = c if out is False else out if c is False else ir.call("or", out, c)
        return out

    # ------------------------------------------------------------------------------------------- reading values

    def checked(self, v: Value, name: str = "") -> Value:
        """A value that is about to be used: errors for poison, a check at run time for `Maybe`."""
        if isinstance(v, Poison):
            raise self.error(f"{name or 'this value'} would be {v.reason}", kind=errors.TypeConflict,
                             hint="Use two names, or give the variable the same kind of value on every path.")
        return v

    def do_ClassDef(self, s: Any) -> None:
        raise self.error("a class defined inside a differentiated function is not supported", s, "Define it at the top of the module.")


_choices: dict[int, tuple[Any, Any]] = {}


def choice(s: Any) -> Any:
    """A simple statement that holds `a if c else b`, as an `if` with the statement on both sides; None for others."""
    if not isinstance(s, gast.Assign | gast.AugAssign | gast.AnnAssign | gast.Return | gast.Expr):
        return None
    found = _choices.get(id(s))
    if found is None:
        e = _first_choice(s)
        made = None
        if e is not None:
            arms = [_Replace(e, x).visit(copy.deepcopy(s, {id(e): e})) for x in (e.body, e.orelse)]
            made = gast.copy_location(gast.If(e.test, [arms[0]], [arms[1]]), s)
        found = _choices[id(s)] = (s, made)
    return found[1]


def _first_choice(s: Any) -> Any:
    todo = [s]
    while todo:
        n = todo.pop(0)
        if isinstance(n, gast.IfExp):
            return n
        if not isinstance(n, (gast.Lambda, gast.BoolOp, gast.NamedExpr, *scoping.COMPREHENSIONS)):
            todo.extend(gast.iter_child_nodes(n))
    return None


class _Replace(gast.NodeTransformer):
    def __init__(self, old: Any, new: Any) -> None:
        self.old, self.new = old, new

    def visit(self, node: Any) -> Any:
        return self.new if node is self.old else self.generic_visit(node)


def old_is_plain(old: Value | None, base: Num, items: Any) -> bool:
    """Is the value to add to still the one in memory (it was not saved in a temporary)?"""
    return old is None or not isinstance(old, Num) or isinstance(old.expr, ir.Index)


__all__ = ["BINARY", "Cell", "DeadCode", "Fields", "Items", "Maybe", "Statements", "effects", "map_nums", "np", "reads_memory", "scoping"]
