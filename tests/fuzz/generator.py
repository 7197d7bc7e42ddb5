"""The grammar of random programs.

Every shape is known to the generator, so that indices are in range; values are kept tame by bounded functions. What slips
through (overflow, kinks at the example point) is rejected by the checks before s2sgrad sees it.

A statement kind is a method `do_<kind>`; it emits lines through `self.put` or returns False when the scope has not what it needs.
"""

from __future__ import annotations

from tests.fuzz.choices import Choices
from tests.fuzz.complexes import Complexes
from tests.fuzz.control import Control
from tests.fuzz.helpers import Helpers
from tests.fuzz.masks import Masks
from tests.fuzz.program import Program
from tests.fuzz.shapes import Shapes
from tests.fuzz.stores import Stores
from tests.fuzz.structures import Structures


class Generator(Stores, Control, Helpers, Complexes, Masks, Shapes, Structures, Choices):
    def statements(self, count: int) -> None:
        for _ in range(count):
            if self.budget <= 0:
                return
            self.budget -= 1
            for _attempt in range(8):
                kind = self.rng.choices(KINDS, self.weights)[0]
                mark = len(self.lines)
                if getattr(self, "do_" + kind)() is not False:
                    self.kinds.add(kind.replace("_", " "))
                    break
                del self.lines[mark:]

    def program(self) -> Program:
        """Each program prefers some kinds and nearly never has others: what goes together by chance meets more often."""
        rng = self.rng
        self.weights = [w * rng.choice((0.1, 0.5, 1, 2, 6)) for w in WEIGHTS]
        for kind in rng.sample(("scalar", "reader", "mutate", "pair", "bump", "view", "tuple", "recursive", "rows", "higher", "unary", "varargs"), rng.randrange(0, 6)):
            self.helper(kind)
        n = rng.randrange(3, 7)
        number = self.datum
        single = self.allow_single and self.chance(0.4)
        if single:
            self.scope.frozen.add("x")
            self.kinds.add("single precision argument")
        params, values = ["x"], [f"np.array({[number() for _ in range(n)]}{', dtype=np.float32' if single else ''})"]
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
            low = -bound if self.chance(0.3) else 0
            values.append(f"np.array({[rng.randrange(low, bound) for _ in range(k)]})")
            self.scope.idx["p"] = (k, bound)
        if self.allow_complex and self.chance(0.7):
            k = n if self.chance(0.6) else rng.randrange(2, 5)
            params.append("w")
            values.append(f"np.array({[complex(number(), number()) for _ in range(k)]})")
            self.scope.cvecs["w"] = k
            self.kinds.add("complex argument")
        if self.chance(0.2):
            name, value = self.structure_parameter()
            params.append(name)
            values.append(value)
        if self.chance(0.1):
            params.append("q")
            values.append(f"np.array({[rng.randrange(-2, 4) for _ in range(n)]})")
            self.scope.ivecs["q"] = n
            self.kinds.add("integer argument")
        self.put(f"s = {self.scalar(1)} * 1.0")
        self.scope.scalars.append("s")
        while self.budget > 0:
            self.statements(1)
        terms = ["s"] + [t for t in self.scope.scalars if t != "s"][-3:]
        names = list(self.scope.vecs)
        terms += [f"np.sum({v} * {v})" if self.chance(0.5) else f"np.sum(np.sin({v}))" for v in rng.sample(names, min(3, len(names)))]
        terms += [f"np.sum({m} * np.cos({m}))" for m in list(self.scope.mats)[-2:]]
        terms += [f"np.sum(np.abs({z}) ** 2)" for z in list(self.scope.cvecs)[-2:]] + [f"abs({z}) ** 2" for z in self.scope.cscalars[-1:]]
        terms += [f"np.sum({t} * {t}) * 0.3" for t in list(self.scope.cubes)[-1:]]
        self.put("return " + " + ".join(terms))
        text = "".join(self.top) + f"\ndef f({', '.join(params)}):\n" + "\n".join(self.lines) + "\n"
        return Program(self.seed, text.lstrip("\n"), "(" + ", ".join(values) + ",)", self.kinds)


# How often a kind is tried; kinds that need something the program may not have are tried more often.
TABLE = {
    "scalar_assign": 5, "scalar_augmented": 5, "tuple_assign": 2, "new_vector": 5, "rebind_vector": 3, "new_matrix": 4, "zeros": 2,
    "element_store": 9, "slice_store": 6, "array_augmented": 4, "overlap_store": 4, "matrix_store": 4, "view": 6, "view_rebound": 5,
    "alias": 3, "swap": 4, "if": 6, "both_branches": 2, "for": 9, "while": 3, "mask": 3, "fancy": 8, "index_modified": 3, "new_index": 2,
    "call_mutating": 8, "call_pair": 6, "call_bump": 6, "call_view": 4, "call_tuple": 5, "tuple": 1, "dict": 1, "closure": 2, "list": 2,
    "triple_loop": 1, "int_arithmetic": 2, "int_becomes_float": 1, "walrus": 1, "shrinking": 1, "recursion": 4,
    "complex_vector": 6, "complex_scalar": 4, "complex_store": 8, "complex_view": 4, "complex_read": 5, "complex_loop": 3,
    "bool_scalar": 1, "mask_vector": 2, "mask_change": 3, "mask_use": 4, "int_vector": 1, "int_store": 3, "order": 1,
    "matrix_view": 3, "broadcast": 1, "axis_reduction": 4, "cube": 2, "cube_store": 6, "cube_read": 6, "cube_loop": 4, "slice_variable": 2, "ragged": 1,
    "method": 12, "named_tuple": 1, "tuple_loop": 1, "list_of_arrays": 1, "stack": 1, "function_value": 1, "varargs": 5, "rows": 6, "star": 1, "syntax": 2,
    "return": 1, "while_value": 1, "mode": 3, "chosen_function": 2, "inner_gradient": 1,
}
KINDS, WEIGHTS = list(TABLE), list(TABLE.values())


def generate(seed: int, size: int | None = None) -> Program:
    """The program of a seed: always the same text."""
    return Generator(seed, size or 6 + seed % 14).program()
