"""`match`: the patterns, tested one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast

from s2sgrad.frontend.contexts import Contexts
from s2sgrad.frontend.values import Num, Obj, Ref, Tup, Value
from s2sgrad.ir import Stmt

ITSELF = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)  # one positional pattern: the value itself


class Matches(Contexts):
    def do_Match(self, s: Any, rest: list[Any]) -> list[Stmt] | None:
        subject = self.bind_all(self.eval(s.subject), "subject")
        return self.cases(subject, s.cases, rest)

    def cases(self, subject: Value, cases: Sequence[Any], rest: Sequence[Any]) -> list[Stmt] | None:
        if not cases:
            return self.run(rest)
        case = cases[0]
        cond, binds = self.pattern(case.pattern, subject)
        if cond is False:
            return self.cases(subject, cases[1:], rest)

        def body() -> list[Stmt] | None:
            for name, v in binds:
                self.bind_name(name, v)
            return self.run(case.body)

        def guarded() -> list[Stmt] | None:
            for name, v in binds:
                self.bind_name(name, v)
            test = self.condition(case.guard)
            if isinstance(test, bool):
                return self.run(case.body) if test else self.cases(subject, cases[1:], ())
            return self.branch(test, lambda: self.run(case.body), lambda: self.cases(subject, cases[1:], ()))

        chosen = body if case.guard is None else guarded
        if cond is True:
            mark = self.jumps
            self.jumps = set()
            tail = chosen()
            mine, self.jumps = self.jumps, mark | self.jumps
            if self.state is None:
                return self.out
            if mine:
                saved, self.out = self.out, self.out if tail is None else tail
                out = self.guard(mine, rest)
                self.out = saved
                return out
            if tail is not None and tail is not self.out:
                saved, self.out = self.out, tail
                out = self.run(rest)
                self.out = saved
                return out
            return self.run(rest)
        return self.branch(cond, chosen, lambda: self.cases(subject, cases[1:], ()), rest)

    def pattern(self, p: Any, v: Value) -> tuple[Any, list[tuple[str, Value]]]:
        """(condition, names bound) of a pattern."""
        if isinstance(p, gast.MatchValue):
            return self.truth(self.compare_values("Eq", v, self.eval(p.value))), []
        if isinstance(p, gast.MatchSingleton):
            return isinstance(v, Obj) and v.value is p.value or (isinstance(v, Num) and v.known and v.const is p.value), []
        if isinstance(p, gast.MatchAs):
            cond, binds = (True, []) if p.pattern is None else self.pattern(p.pattern, v)
            return cond, [*binds, *([(p.name, v)] if p.name else [])]
        if isinstance(p, gast.MatchOr):
            conds = [self.pattern(q, v)[0] for q in p.patterns]
            return self.either(conds), []
        if isinstance(p, gast.MatchSequence):
            if not isinstance(v, Tup) and not (isinstance(v, Ref) and v.heap.kind == "list"):
                return False, []
            values = list(self.sequence_items(v))
            star = [i for i, q in enumerate(p.patterns) if isinstance(q, gast.MatchStar)]
            binds: list[tuple[str, Value]] = []  # type: ignore[no-redef]
            pats = list(p.patterns)
            if star:
                k, tail = star[0], len(pats) - star[0] - 1
                if len(values) < len(pats) - 1:
                    return False, []
                if pats[k].name:
                    binds.append((pats[k].name, self.new_list(values[k: len(values) - tail])))
                values = [*values[:k], *values[len(values) - tail:]]
                pats = [*pats[:k], *pats[k + 1:]]
            if len(values) != len(pats):
                return False, []
            cond, more = self.all_patterns(pats, values)
            return cond, [*binds, *more]
        if isinstance(p, gast.MatchClass):
            return self.class_pattern(p, v)
        if isinstance(p, gast.MatchMapping):
            return self.mapping_pattern(p, v)
        raise self.error(f"the pattern {type(p).__name__} is not supported", p)

    def class_pattern(self, p: Any, v: Value) -> tuple[Any, list[tuple[str, Value]]]:
        """`case Class(pattern, attribute=pattern)`."""
        cls = self.static(self.eval(p.cls))
        if not isinstance(cls, type):
            raise self.error("a class pattern needs a class", p)
        cond = self.truth(self.call(Obj(isinstance), [v, Obj(cls)], {}, p))
        if cond is False:
            return False, []
        if cond is not True:
            raise self.error(f"whether this is a {cls.__name__} is known at run time only: not supported", p)
        if cls in ITSELF and p.patterns:
            return self.pattern(p.patterns[0], v)
        names = [*getattr(cls, "__match_args__", ())[: len(p.patterns)], *p.kwd_attrs]
        if len(names) < len(p.patterns) + len(p.kwd_attrs):
            raise self.error(f"{cls.__name__} has no {len(p.patterns)} positional patterns", p)
        if not all(self.truth(self.call(Obj(hasattr), [v, Obj(n)], {}, p)) is True for n in names):
            return False, []
        return self.all_patterns([*p.patterns, *p.kwd_patterns], [self.attribute(v, n, p) for n in names])

    def mapping_pattern(self, p: Any, v: Value) -> tuple[Any, list[tuple[str, Value]]]:
        """`case {key: pattern, **rest}`."""
        if not (isinstance(v, Ref) and v.heap.kind == "dict"):
            return False, []
        keys = [self.static(self.eval(k)) for k in p.keys]
        there = self.every([self.has_key(v, k) for k in keys])
        if there is False:
            return False, []
        if there is not True:
            raise self.error("whether the dict has these keys is known at run time only: not supported", p)
        fields = self.contents(v).fields
        cond, binds = self.all_patterns(p.patterns, [self.checked(fields[k]) for k in keys])
        if p.rest:
            binds.append((p.rest, self.new_dict({k: x for k, x in fields.items() if k not in keys})))
        return cond, binds

    def all_patterns(self, patterns: Sequence[Any], values: Sequence[Value]) -> tuple[Any, list[tuple[str, Value]]]:
        conds, binds = [], []
        for q, x in zip(patterns, values, strict=True):
            c, b = self.pattern(q, x)
            conds.append(c)
            binds.extend(b)
        return self.every(conds), binds


__all__ = ["Matches"]
