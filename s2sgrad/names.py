"""Fresh names: the field's terms, never a user's name."""

from __future__ import annotations

from collections.abc import Iterable

from s2sgrad import ir


class Names:
    """Hands out variable names that are unique within one function.

    A name may carry a version after '#'; the emitter prints the shortest clear form. Names of ours never
    share their base with a user's variable.
    """

    def __init__(self, used: Iterable[str]) -> None:
        self.used = set(used)
        self.made: set[str] = set()  # what `fresh` handed out: temporaries
        self.user_bases = {n.partition("#")[0] for n in self.used}

    def fresh(self, base: str) -> str:
        """`base`, or `base#k` when taken; a trailing underscore keeps clear of the user's own names."""
        while base in self.user_bases:
            base += "_"
        name, k = base, 1
        while name in self.used:
            name, k = f"{base}#{k}", k + 1
        self.used.add(name)
        self.made.add(name)
        return name

    def derived(self, name: str, suffix: str) -> str:
        """`x_bar` for `x`, `x_bar#2` for `x#2`."""
        base, _, version = name.partition("#")
        base += suffix
        while base in self.user_bases:
            base += "_"
        if version and f"{base}#{version}" not in self.used:
            self.used.add(f"{base}#{version}")
            return f"{base}#{version}"
        name = self.fresh(base)
        self.made.discard(name)
        return name


def names_of(function: ir.Function) -> set[str]:
    """Every variable name of a function."""
    found = {p.name for p in function.params}
    for s in ir.walk_stmts(function.body):
        found.update(v.name for v in ir.assigned(s))
        for e in ir.exprs(s):
            found |= ir.names_in(e)
        if isinstance(s, (ir.Store, ir.Accum)):
            found.add(s.base.name)
        elif isinstance(s, (ir.Append, ir.Pop)):
            found.add(s.list.name)
        elif isinstance(s, ir.Reserve):
            found.add(s.buffer.name)
        elif isinstance(s, ir.Custom):
            found.update(v.name for v in (*s.inputs, *s.outputs, *s.seeds))
        elif isinstance(s, (ir.For, ir.While)) and s.exit is not None:
            found.add(s.exit.name)
    return found
