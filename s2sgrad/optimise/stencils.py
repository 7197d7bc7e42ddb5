"""Adjoint stencils in gather form.

    for i, j in box:                      for targets p of the core:
        X[i + o1, j + p1] += e1    -->        X[p] += e1(p - o1) + e2(p - o2) + ...
        X[i + o2, j + p2] += e2           for targets at the rim: each term on its own
        Y[i, j] = 0                       for i, j in box: Y[i, j] = 0

The scattered form reads and writes the same rows several times and does not vectorise. The two forms add the same numbers in
another order. Boxes smaller than the stencil have no core.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from s2sgrad import ir
from s2sgrad.ir import Accum, Assign, Call, Comment, Const, Expr, For, If, Index, Scalar, Stmt, Store, Var
from s2sgrad.optimise.affine import add, literal, plus, split
from s2sgrad.optimise.overlap import Aliases

CHEAP = frozenset("add sub mul neg astype ifexp lt le gt ge eq ne dim abs maximum minimum logical_and logical_or and or not pymax".split())
MAX_TERMS = 24
MAX_RANK = 2  # the rim of three-dimensional stencils takes longer to compile than it saves


@dataclass
class Nest:
    """A perfect nest over a box: variable k runs over [low[k], high[k])."""

    loops: list[Var]
    low: list[Expr]
    high: list[Expr]
    body: list[Stmt]


@dataclass
class Term:
    """`base[v + offset] += value(v)`"""

    base: Var
    offset: tuple[int, ...]
    value: Expr


def gather_stencils(body: Sequence[Stmt], aliases: Aliases) -> list[Stmt]:
    """The function's statements with scattered stencils gathered."""
    everywhere = occurrences(body)
    for n in read_outside(body, frozenset()):
        everywhere[n + "?"] = 1
    return _block(body, aliases, everywhere)


def _block(body: Sequence[Stmt], aliases: Aliases, everywhere: Counter[str]) -> list[Stmt]:
    out: list[Stmt] = []
    for s in body:
        if isinstance(s, For):
            made = _gathered(s, aliases, everywhere)
            if made is not None:
                out += made
                continue
            s = replace(s, body=_block(s.body, aliases, everywhere))
        elif isinstance(s, ir.While):
            s = replace(s, body=_block(s.body, aliases, everywhere))
        elif isinstance(s, If):
            s = replace(s, body=_block(s.body, aliases, everywhere), orelse=_block(s.orelse, aliases, everywhere))
        out.append(s)
    return out


def occurrences(body: Sequence[Stmt]) -> Counter[str]:
    """How often each scalar variable is mentioned or assigned."""
    found: Counter[str] = Counter()
    for s in ir.walk_stmts(body):
        for v in ir.assigned(s):
            found[v.name] += 1
        for e in ir.exprs(s):
            for x in ir.walk(e):
                if isinstance(x, Var):
                    found[x.name] += 1
    return found


def read_outside(body: Sequence[Stmt], bound: frozenset[str]) -> set[str]:
    """The variables read where no loop around binds them."""
    out: set[str] = set()
    for s in body:
        for e in ir.exprs(s):
            out |= ir.names_in(e) - bound
        inner = bound | {s.var.name} if isinstance(s, For) else bound
        for b in ir.blocks(s):
            out |= read_outside(b, inner)
    return out


def perfect_nest(s: For) -> tuple[Nest, list[Stmt]] | None:
    """The nest and the comments met on the way in."""
    loops: list[Var] = []
    low: list[Expr] = []
    high: list[Expr] = []
    comments: list[Stmt] = []
    inner: Stmt = s
    while True:
        assert isinstance(inner, For)
        step = split(inner.step)
        if inner.exit is not None or inner.parallel or step[0] is not None or step[1] not in (1, -1):
            return None
        bounds = (inner.start, inner.stop) if step[1] == 1 else (plus(inner.stop, 1), plus(inner.start, 1))
        if any(v.name in ir.names_in(b) for v in loops for b in bounds) or not all(_steady(b) for b in bounds):
            return None
        loops.append(inner.var)
        low.append(bounds[0])
        high.append(bounds[1])
        rest = [x for x in inner.body if not isinstance(x, Comment)]
        if len(rest) == 1 and isinstance(rest[0], For):
            comments += [x for x in inner.body if isinstance(x, Comment)]
            inner = rest[0]
            continue
        return Nest(loops, low, high, inner.body), comments


def _steady(e: Expr) -> bool:
    """A bound that no write of an array can change."""
    return all(isinstance(x, (Var, Const)) or (isinstance(x, Call) and x.op in ("add", "sub", "neg", "mul", "dim", "pymax")) for x in ir.walk(e))


def _offsets(index: Sequence[object], loops: Sequence[Var]) -> tuple[int, ...] | None:
    """The literal offsets of `base[i + a, j + b]`."""
    if len(index) != len(loops):
        return None
    out = []
    for i, v in zip(index, loops):
        if not isinstance(i, Expr):
            return None
        rest, c = split(i)
        if rest != v:
            return None
        out.append(c)
    return tuple(out)


def _gathered(s: For, aliases: Aliases, everywhere: Counter[str]) -> list[Stmt] | None:
    found = perfect_nest(s)
    if found is None:
        return None
    nest, comments = found
    read = _terms(nest, aliases)
    if read is None:
        return None
    terms, zeros, local, notes = read
    inside = occurrences([s])
    if any(inside[n] != everywhere[n] for n in local) or any(everywhere[v.name + "?"] for v in nest.loops):
        return None
    names = list(dict.fromkeys(t.base.name for t in terms))
    groups = [[t for t in terms if t.base.name == n] for n in names]
    if not any(len({t.offset for t in g}) > 1 for g in groups) or len(terms) > MAX_TERMS or len(nest.loops) > MAX_RANK:
        return None
    out: list[Stmt] = [*comments, *notes]
    for g in groups:
        out += _group(nest, g)
    for z in zeros:
        out += _loops(nest.loops, nest.low, nest.high, [z])
    place = s.place
    for x in out:
        if x.place is None:
            x.place = place
    return out


def _terms(nest: Nest, aliases: Aliases) -> tuple[list[Term], list[Store], list[str], list[Stmt]] | None:
    """The accumulations of a body that may run in any order, the arrays zeroed, the local scalars."""
    table: dict[str, Expr] = {}
    terms: list[Term] = []
    zeros: list[Store] = []
    notes: list[Stmt] = []
    for s in nest.body:
        if isinstance(s, Comment):
            notes.append(s)
        elif isinstance(s, Assign) and isinstance(s.target.type, Scalar):
            value = ir.substitute(s.value, table)
            if s.target.name in table or value.type != s.target.type:
                return None
            table[s.target.name] = value
        elif isinstance(s, Accum) and s.index is not None and not s.repeated:
            offset = _offsets(s.index, nest.loops)
            if offset is None:
                return None
            terms.append(Term(s.base, offset, ir.substitute(s.value, table)))
        elif isinstance(s, Store) and isinstance(s.value, Const) and s.value.value == 0 and _offsets(s.index, nest.loops) is not None:
            zeros.append(s)
        else:
            return None
        if zeros and not isinstance(s, (Store, Comment)) and any(
                aliases.may(r, z.base) for e in ir.exprs(s) for r in _bases(e) for z in zeros):
            return None  # reads what has just been zeroed
    if not terms:
        return None
    targets = {t.base.name: t.base for t in terms}
    for t in terms:
        if not _cheap(t.value) or t.value.type.dtype != t.base.type.dtype:
            return None
        if any(aliases.may(r, x) for r in _bases(t.value) for x in targets.values()):
            return None
        for x in ir.walk(t.value):
            if isinstance(x, Index):
                for z in zeros:
                    if isinstance(x.base, Var) and aliases.may(x.base, z.base) and not (x.base == z.base and x.index == z.index):
                        return None
    written = [*targets.values(), *(z.base for z in zeros)]
    if any(aliases.may(a, b) for k, a in enumerate(written) for b in written[:k]):
        return None
    return terms, zeros, list(table), notes


def _bases(e: Expr) -> list[Var]:
    """The arrays an expression loads from."""
    out = []
    for x in ir.walk(e):
        if isinstance(x, Index):
            r = ir.root(x)
            if r is not None:
                out.append(r)
    return out


def _cheap(e: Expr) -> bool:
    return all(not isinstance(x, Call) or x.op in CHEAP for x in ir.walk(e)) and all(
        not isinstance(x, Index) or isinstance(x.base, Var) for x in ir.walk(e))


def _loops(loops: Sequence[Var], low: Sequence[Expr], high: Sequence[Expr], body: list[Stmt]) -> list[Stmt]:
    for v, a, b in reversed(list(zip(loops, low, high))):
        body = [For(v, a, b, literal(1), body)]
    return body


def _moved(e: Expr, loops: Sequence[Var], by: Sequence[Expr]) -> Expr:
    """The expression at other loop indices, constants folded."""
    table = {v.name: add(v, d) for v, d in zip(loops, by)}
    moved = ir.substitute(e, table)

    def fold(x: object) -> object:
        return plus(x, 0) if isinstance(x, Call) and x.op in ("add", "sub") and x.type == ir.INT and split(x)[1] != 0 else x

    out: Expr = ir.map_expr(moved, fold)
    return out


def _group(nest: Nest, terms: list[Term]) -> list[Stmt]:
    """All terms of one array."""
    d = len(nest.loops)
    base = terms[0].base
    mn = [min(t.offset[k] for t in terms) for k in range(d)]
    mx = [max(t.offset[k] for t in terms) for k in range(d)]
    span = [b - a for a, b in zip(mn, mx)]
    if not any(span):
        return _loops(nest.loops, nest.low, nest.high, [
            Accum(base, tuple(plus(v, o) for v, o in zip(nest.loops, t.offset)), t.value) for t in terms])
    size = [_minus(b, a) for a, b in zip(nest.low, nest.high)]
    zero = [literal(0)] * d
    # core: v counts from the first target that receives every term
    at = tuple(add(v, plus(lo, m)) for v, lo, m in zip(nest.loops, nest.low, mx))
    total: Expr | None = None
    for t in terms:
        x = _moved(t.value, nest.loops, [plus(lo, m - o) for lo, m, o in zip(nest.low, mx, t.offset)])
        total = x if total is None else Call("add", (total, x), (), Scalar(base.type.dtype))
    assert total is not None
    core = _loops(nest.loops, zero, [plus(n, -s) for n, s in zip(size, span)], [Accum(base, at, total)])
    return [*core, *_rim(nest, terms, base, mn, span, size)]


def _rim(nest: Nest, terms: list[Term], base: Var, mn: list[int], span: list[int], size: list[Expr]) -> list[Stmt]:
    """The targets that some term does not reach: the ends of the rows of the core, and whole rows outside it (all rows where the
    box is smaller than the stencil). Variables count from the first target that any term reaches."""
    d = len(nest.loops)
    outer, last = nest.loops[:-1], nest.loops[-1]
    inside = Var(f"core#S{base.name}", ir.BOOL)
    whole = _all([ir.call("gt", n, literal(s)) for n, s in zip(size, span) if s])
    in_core = [c for k in range(d - 1) if span[k]
               for c in (ir.call("ge", outer[k], literal(span[k])), ir.call("lt", outer[k], size[k]))]
    body: list[Stmt] = [Assign(inside, _all([whole, *in_core]))]
    to_target = [plus(lo, m) for lo, m in zip(nest.low, mn)]
    target = tuple(add(v, x) for v, x in zip(nest.loops, to_target))
    for t in terms:
        a = [o - m for o, m in zip(t.offset, mn)]
        value = _moved(t.value, nest.loops, [plus(lo, -k) for lo, k in zip(nest.low, a)])
        one: Stmt = Accum(base, target, value)
        end = plus(size[-1], a[-1])
        loops: list[Stmt] = [For(last, literal(a[-1]), ir.call("ifexp", inside, literal(span[-1]), end), literal(1), [one])]
        if a[-1] > 0:
            loops.append(For(last, ir.call("ifexp", inside, size[-1], end), end, literal(1), [replace(one)]))
        valid = [c for k in range(d - 1) if span[k] for c in _between(outer[k], a[k], plus(size[k], a[k]), span[k])]
        body += [If(_all(valid), loops)] if valid else loops
    return _loops(outer, [literal(0)] * (d - 1), [plus(n, s) for n, s in zip(size, span)][:-1], body)


def _between(v: Var, low: int, high: Expr, span: int) -> list[Expr]:
    """low <= v < high, where v runs from 0 to the extent plus the span."""
    out = [ir.call("ge", v, literal(low))] if low > 0 else []
    return out + ([ir.call("lt", v, high)] if low < span else [])


def _all(conditions: list[Expr]) -> Expr:
    out = conditions[0]
    for c in conditions[1:]:
        if c != out:
            out = ir.call("and", out, c)
    return out


def _minus(b: Expr, a: Expr) -> Expr:
    """`b - a`, folded."""
    rest, c = split(a)
    if rest is None:
        return plus(b, -c)
    other, k = split(b)
    if other == rest:
        return literal(k - c)
    return Call("sub", (b, a), (), ir.INT)
