"""The grammar of random programs.

Every shape is known to the generator, so that indices are in range; values are kept tame by bounded functions. What slips
through (overflow, kinks at the example point) is rejected by the checks before s2sgrad sees it.

A statement kind is a method `do_<kind>`; it emits lines through `self.put` or returns False when the scope has not what it needs.
"""

from __future__ import annotations

from tests.fuzz.control import Control
from tests.fuzz.helpers import Helpers
from tests.fuzz.program import Program
from tests.fuzz.stores import Stores


class Generator(Stores, Control, Helpers):
    def statements(self, count: int) -> None:
        for _ in range(count):
            if self.budget <= 0:
                return
            self.budget -= 1
            for _attempt in range(8):
                kind = self.rng.choices(KINDS, WEIGHTS)[0]
                mark = len(self.lines)
                if getattr(self, "do_" + kind)() is not False:
                    self.kinds.add(kind.replace("_", " "))
                    break
                del self.lines[mark:]

    def program(self) -> Program:
        rng = self.rng
        for kind in rng.sample(("scalar", "reader", "mutate", "pair", "bump", "view", "tuple", "recursive"), rng.randrange(0, 5)):
            self.helper(kind)
        n = rng.randrange(3, 7)
        number = lambda: round(rng.uniform(-1.5, 1.5), 3)
        params, values = ["x"], [f"np.array({[number() for _ in range(n)]})"]
        self.scope.vecs["x"] = n
        if self.chance(0.6):
            k = n if self.chance(0.6) else rng.randrange(2, 6)
            params.append("y")
            values.append(f"np.array({[number() for _ in range(k)]})")
            self.scope.vecs["y"] = k
        if self.chance(0.5):
            a, b = rng.randrange(2, 4), rng.randrange(2, 5)
            if self.chance(0.4):
                b = a
            if self.chance(0.4):
                b = n
            params.append("z")
            values.append(f"np.array({[[number() for _ in range(b)] for _ in range(a)]})")
            self.scope.mats["z"] = (a, b)
        params.append("c")
        values.append(repr(number()))
        self.scope.scalars.append("c")
        params.append("n")
        values.append("3")
        self.scope.ints["n"] = 4
        if self.chance(0.35):
            k, bound = rng.randrange(2, 5), min(self.scope.vecs.values())
            params.append("p")
            values.append(f"np.array({[rng.randrange(bound) for _ in range(k)]})")
            self.scope.idx["p"] = (k, bound)
        self.put(f"s = {self.scalar(1)} * 1.0")
        self.scope.scalars.append("s")
        while self.budget > 0:
            self.statements(1)
        terms = ["s"] + [t for t in self.scope.scalars if t != "s"][-3:]
        names = list(self.scope.vecs)
        terms += [f"np.sum({v} * {v})" if self.chance(0.5) else f"np.sum(np.sin({v}))" for v in rng.sample(names, min(3, len(names)))]
        terms += [f"np.sum({m} * np.cos({m}))" for m in list(self.scope.mats)[-2:]]
        self.put("return " + " + ".join(terms))
        text = "".join(self.top) + f"\ndef f({', '.join(params)}):\n" + "\n".join(self.lines) + "\n"
        return Program(self.seed, text.lstrip("\n"), "(" + ", ".join(values) + ",)", self.kinds)


TABLE = {
    "scalar_assign": 7, "scalar_augmented": 6, "tuple_assign": 2, "new_vector": 5, "rebind_vector": 3, "new_matrix": 3, "zeros": 2,
    "element_store": 9, "slice_store": 6, "array_augmented": 4, "overlap_store": 3, "matrix_store": 4, "view": 5, "view_rebound": 2,
    "alias": 3, "swap": 4, "if": 6, "both_branches": 2, "for": 9, "while": 3, "mask": 3, "fancy": 4, "index_modified": 2, "new_index": 2,
    "call_mutating": 4, "call_pair": 3, "call_bump": 3, "call_view": 2, "call_tuple": 2, "tuple": 1, "dict": 1, "closure": 2, "list": 2,
    "triple_loop": 1, "int_arithmetic": 2, "int_becomes_float": 1, "walrus": 1, "shrinking": 1, "recursion": 1,
}
KINDS, WEIGHTS = list(TABLE), list(TABLE.values())


def generate(seed: int, size: int | None = None) -> Program:
    """The program of a seed: always the same text."""
    return Generator(seed, size or 6 + seed % 14).program()
