"""Pretty names: Core's unique names ("x#2") become what a person would write.

>>> Names(["x", "x#1", "y#3", "len"]).table
{'x': 'x', 'x#1': 'x_1', 'y#3': 'y', 'len': 'len_'}
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator

from s2sgrad.ir import Function, Stmt, Var, assigned, blocks, exprs, walk

# Everything emitted text may refer to: a user's variable of that name is renamed.
RESERVED = frozenset(keyword.kwlist) | {
    "np", "math", "sys", "numba", "prange", "njit", "range", "len", "abs", "min", "max", "int", "float", "bool", "complex", "print",
    "custom_rule", "slice", "round", "pow", "divmod", "sum", "tuple", "AssertionError", "ValueError", "TypeError", "RuntimeError", "IndexError",
    "ZeroDivisionError", "ArithmeticError", "KeyError", "NotImplementedError", "Exception", "OverflowError", "FloatingPointError",
}


def base(name: str) -> str:
    """What the user wrote: the part before '#', as an identifier."""
    b = re.sub(r"\W", "_", name.split("#", 1)[0])
    return b if b and not b[0].isdigit() else "_" + b


class Names:
    """A table from Core names to printed names; the first variable of a base gets the base itself."""

    def __init__(self, names: Iterable[str], reserved: frozenset[str] = frozenset()) -> None:
        order = list(dict.fromkeys(names))
        taken = set(RESERVED | reserved)
        self.table: dict[str, str] = {}
        later = []
        for n in order:
            b = base(n)
            if b not in taken:
                taken.add(b)
                self.table[n] = b
            else:
                later.append(n)
        for n in later:
            b = base(n)
            pretty = b + "_" if b in RESERVED or b in reserved else f"{b}_1"
            k = 1
            while pretty in taken:
                k += 1
                pretty = f"{b.rstrip('_')}_{k}" if not (b in RESERVED or b in reserved) else f"{b}_{k}"
            taken.add(pretty)
            self.table[n] = pretty
        self.table = {n: self.table[n] for n in order}
        self.taken = taken

    def another(self, wish: str) -> str:
        """A printed name that nothing has."""
        name, k = base(wish), 1
        while name in self.taken:
            name, k = f"{base(wish)}_{k}", k + 1
        self.taken.add(name)
        return name

    def __getitem__(self, name: str) -> str:
        found = self.table.get(name)
        return base(name).replace("#", "_") if found is None else found


def mentioned(f: Function) -> Iterator[str]:
    """The variables of a function in the order in which a reader meets them."""
    for p in f.params:
        yield p.name
    yield from mentioned_in(f.body)


def mentioned_in(body: list[Stmt]) -> Iterator[str]:
    for s in body:
        for v in statement_vars(s):
            yield v.name
        for b in blocks(s):
            yield from mentioned_in(b)


def statement_vars(s: Stmt) -> Iterator[Var]:
    """Every variable a statement itself names: targets, bases, then operands."""
    yield from assigned(s)
    for field in ("base", "list", "value", "buffer", "exit"):
        v = getattr(s, field, None)
        if isinstance(v, Var):
            yield v
    for field in ("inputs", "outputs", "seeds"):
        yield from getattr(s, field, ())
    for e in exprs(s):
        yield from (x for x in walk(e) if isinstance(x, Var))


