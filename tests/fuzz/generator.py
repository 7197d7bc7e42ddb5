"""The grammar of random programs.

Every shape is known to the generator, so that indices are in range; values are kept tame by bounded functions. What slips
through (overflow, kinks at the example point) is rejected by the checks before s2sgrad sees it.

A statement kind is a method `do_<kind>`; it emits lines through `self.put` or returns False when the scope has not what it needs.
"""

from __future__ import annotations

import random
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.program import Program


@dataclass
class Scope:
    """Names that certainly are bound here. vecs: name -> length; mats: name -> shape; idx: index arrays, name -> (length, bound);
    ints: name -> exclusive upper bound of a non-negative int."""

    scalars: list[str] = field(default_factory=list)
    vecs: dict[str, int] = field(default_factory=dict)
    mats: dict[str, tuple[int, int]] = field(default_factory=dict)
    idx: dict[str, tuple[int, int]] = field(default_factory=dict)
    ints: dict[str, int] = field(default_factory=dict)
    frozen: set[str] = field(default_factory=set)  # may not be rebound here (being iterated, captured, a view others rely on)

    def copy(self) -> Scope:
        return Scope(list(self.scalars), dict(self.vecs), dict(self.mats), dict(self.idx), dict(self.ints), set(self.frozen))


class Generator:
    def __init__(self, seed: int, size: int = 14) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 0
        self.budget = size
        self.kinds: set[str] = set()
        self.counter = 0
        self.scope = Scope()
        self.loops = 0
        self.helpers: dict[str, str] = {}  # name -> signature kind
        self.top: list[str] = []
        self.allow_single = self.rng.random() < 0.15

    # ------------------------------------------------------------------------------------------ tools

    def put(self, line: str) -> None:
        self.lines.append("    " * (self.depth + 1) + line)

    def fresh(self, base: str) -> str:
        self.counter += 1
        return f"{base}{self.counter}"

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def number(self) -> str:
        return repr(round(self.rng.uniform(0.2, 1.6) * self.rng.choice((1, 1, -1)), 2))

    @contextmanager
    def block(self, header: str) -> Any:
        """An indented block; names made inside are forgotten after it."""
        self.put(header)
        outer = self.scope
        self.scope = outer.copy()
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.put("pass")
        self.depth -= 1
        self.scope = outer

    # ------------------------------------------------------------------------------------- expressions

    def vec(self, n: int | None = None) -> str | None:
        names = [v for v, k in self.scope.vecs.items() if n is None or k == n]
        return self.rng.choice(names) if names else None

    def mat(self, shape: tuple[int, int] | None = None, square: bool = False) -> str | None:
        names = [m for m, s in self.scope.mats.items() if (shape is None or s == shape) and (not square or s[0] == s[1])]
        return self.rng.choice(names) if names else None

    def index(self, n: int) -> str:
        """An int expression in [0, n) (or a negative constant that is in range)."""
        fits = [k for k, b in self.scope.ints.items() if b <= n]
        r = self.rng.random()
        if fits and r < 0.45:
            return self.rng.choice(fits)
        if self.scope.ints and r < 0.65:
            k = self.rng.choice(list(self.scope.ints))
            return f"({k} + {self.rng.randrange(3)}) % {n}" if self.chance(0.7) else f"{k} % {n} - {n}"
        if self.scope.idx and r < 0.75:
            i = self.rng.choice(list(self.scope.idx))
            length, bound = self.scope.idx[i]
            inner = str(self.rng.randrange(length))
            return f"{i}[{inner}]" if bound <= n else f"{i}[{inner}] % {n}"
        if r < 0.85:
            return str(-self.rng.randrange(1, n + 1))
        return str(self.rng.randrange(n))

    def atom(self) -> str:
        """A scalar read."""
        options = []
        s = self.scope
        if s.scalars:
            options += [lambda: self.rng.choice(s.scalars)] * 3
        if s.vecs:
            def element() -> str:
                v = self.vec()
                return f"{v}[{self.index(s.vecs[v])}]"
            options += [element] * 3
        if s.mats:
            def cell() -> str:
                m = self.mat()
                a, b = s.mats[m]
                return self.rng.choice((f"{m}[{self.index(a)}, {self.index(b)}]", f"{m}[{self.index(a)}][{self.index(b)}]"))
            options += [cell]
        if s.ints and self.chance(0.3):
            options.append(lambda: self.rng.choice(list(s.ints)))
        options.append(self.number)
        return self.rng.choice(options)()

    def scalar(self, depth: int = 2) -> str:
        """A scalar expression of moderate size."""
        r = self.rng.random()
        if depth == 0 or r < 0.12:
            return self.atom()
        a = lambda: self.scalar(depth - 1)
        if r < 0.42:
            return f"{a()} {self.rng.choice('+-*')} {a()}" if self.chance(0.5) else f"({a()}) * ({a()})"
        if r < 0.60:
            return f"{self.rng.choice(('np.sin', 'np.cos', 'np.tanh', 'np.arctan', 'np.sin'))}({a()})"
        if r < 0.66:
            return f"({a()}) / (1.5 + ({self.atom()}) ** 2)"
        if r < 0.70:
            return f"np.sqrt(1.0 + ({a()}) ** 2)"
        if r < 0.74:
            return f"np.exp(-({a()}) ** 2)"
        if r < 0.78:
            return f"({a()} if {self.condition(0)} else {a()})"
        if r < 0.82:
            return self.rng.choice((f"max({a()}, {a()})", f"min({a()}, {a()})", f"abs({a()})", f"np.maximum({a()}, {self.atom()})"))
        if r < 0.86 and self.helpers_of("scalar"):
            return f"{self.rng.choice(self.helpers_of('scalar'))}({self.atom()}, {self.atom()})"
        return self.reduction(depth - 1)

    def reduction(self, depth: int = 1) -> str:
        n = self.rng.choice(list(self.scope.vecs.values()))
        v = self.vector(n, depth)
        r = self.rng.random()
        if r < 0.35:
            return f"np.sum({v})"
        if r < 0.5:
            return f"np.mean({v})"
        if r < 0.58:
            return self.rng.choice((f"np.max({v})", f"np.min({v})", f"({v}).sum()", f"np.prod({self.vec(n)} * 0.7)"))
        if r < 0.68:
            return f"np.dot({self.vec(n)}, {v})"
        if r < 0.74 and self.scope.mats:
            m = self.mat()
            return self.rng.choice((f"np.sum({m} * {m})", f"np.mean({m})", f"np.sum(np.sum({m}, axis={self.rng.randrange(2)}) ** 2)",
                                    f"np.sum({m}.T @ {m})", f"np.max({m})"))
        if r < 0.80 and self.helpers_of("reader"):
            return f"{self.rng.choice(self.helpers_of('reader'))}({v if self.chance(0.3) else self.vec(n)}, {self.atom()})"
        if r < 0.85:
            self.kinds.add("generator")
            w = self.vec(n)
            return self.rng.choice((f"sum(w_ * w_ for w_ in {w})", f"sum({w}[k_] * {self.atom()} for k_ in range({n}))",
                                    f"sum([w_ * 0.5 for w_ in {w} if w_ > {self.number()}])"))
        return f"np.sum({v} * {self.vec(n)})"

    def view(self, n: int) -> str | None:
        """A view of length n of something, without a name."""
        r = self.rng.random()
        if r < 0.45:
            longer = [v for v, k in self.scope.vecs.items() if k > n]
            if longer:
                v = self.rng.choice(longer)
                lo = self.rng.randrange(self.scope.vecs[v] - n + 1)
                return f"{v}[{lo}:{lo + n}]"
        if r < 0.6:
            v = self.vec(n)
            return v and f"{v}[::-1]"
        if r < 0.7:
            for v, k in self.scope.vecs.items():
                if (k + 1) // 2 == n:
                    return f"{v}[::2]"
        for m, (a, b) in self.rng.sample(list(self.scope.mats.items()), len(self.scope.mats)):
            if b == n:
                return f"{m}[{self.index(a)}]"
            if a == n:
                return self.rng.choice((f"{m}[:, {self.index(b)}]", f"{m}.T[{self.index(b)}]"))
        return None

    def vector(self, n: int, depth: int = 2) -> str:
        """A vector expression of length n (fresh, or a name or view at the leaves)."""
        r = self.rng.random()
        if depth == 0 or r < 0.12:
            if self.chance(0.3):
                w = self.view(n)
                if w:
                    return w
            v = self.vec(n)
            return v if v else f"np.full({n}, {self.atom()})"
        sub = lambda: self.vector(n, depth - 1)
        if r < 0.40:
            return f"({sub()} {self.rng.choice('+-*')} {sub()})"
        if r < 0.52:
            return f"({sub()} * ({self.scalar(1)}))"
        if r < 0.68:
            return f"{self.rng.choice(('np.sin', 'np.cos', 'np.tanh'))}({sub()})"
        if r < 0.72:
            return f"({sub()} / (1.0 + {self.vec(n) or '0.5'} ** 2))"
        if r < 0.76:
            self.kinds.add("where")
            v = self.vec(n) or f"np.ones({n})"
            return self.rng.choice((f"np.where({v} > {self.number()}, {sub()}, {self.atom()})", f"np.maximum({sub()}, {self.atom()})",
                                    f"np.clip({sub()}, -1.3, 1.4)", f"np.abs({sub()})"))
        if r < 0.80:
            return f"np.cumsum({self.vec(n) or 'np.ones(%d)' % n}) * 0.4"
        if r < 0.84:
            gathers = [i for i, (k, b) in self.scope.idx.items() if k == n]
            if gathers:
                i = self.rng.choice(gathers)
                bound = self.scope.idx[i][1]
                sources = [v for v, k in self.scope.vecs.items() if k >= bound]
                if sources:
                    self.kinds.add("gather")
                    return f"{self.rng.choice(sources)}[{i}]"
        if r < 0.90:
            for m, (a, b) in self.scope.mats.items():
                if a == n and self.vec(b):
                    return f"({m} @ {self.vec(b)})"
                if b == n:
                    return self.rng.choice((f"np.sum({m}, axis=0)", f"{m}.mean(axis=0)", f"np.max({m}, axis=0)"))
        if r < 0.93 and n > 2:
            self.kinds.add("concatenate")
            return f"np.concatenate(({self.vector(n - 1, 0)}, np.array([{self.atom()} * 1.0])))"
        if r < 0.95:
            self.kinds.add("comprehension")
            return f"np.array([np.sin(w_) * 0.8 + {self.atom()} for w_ in {self.vec(n) or 'np.ones(%d)' % n}])"
        return f"({sub()} + np.arange({n}) * {self.atom()})"

    def matrix(self, shape: tuple[int, int], depth: int = 1) -> str:
        a, b = shape
        m = self.mat(shape)
        r = self.rng.random()
        if m is None or r < 0.15:
            return f"np.outer({self.vector(a, 1)}, {self.vector(b, 1)})"
        if depth == 0:
            return m
        if r < 0.35:
            return f"({m} * {self.vector(b, 1)})"
        if r < 0.5:
            v = self.vec(a)
            if v:
                return f"({m} + {v}[:, None] * {self.atom()})"
        if r < 0.65:
            return f"np.sin({self.matrix(shape, depth - 1)})"
        if r < 0.75 and self.mat((b, a)):
            return f"({m} + {self.mat((b, a))}.T)"
        if r < 0.82 and a == b:
            return f"({m} @ {self.mat(shape)}) * 0.5"
        if r < 0.9:
            return f"({m} * np.sum({m}, axis={self.rng.randrange(2)}, keepdims=True) * 0.3)"
        return f"({m} * ({self.scalar(1)}) + {self.mat(shape)})"

    def condition(self, depth: int = 1) -> str:
        r = self.rng.random()
        if depth and r < 0.15:
            return f"{self.condition(0)} {self.rng.choice(('and', 'or'))} {self.condition(0)}"
        if depth and r < 0.22:
            return f"not ({self.condition(0)})"
        if r < 0.35 and self.scope.ints:
            return f"{self.rng.choice(list(self.scope.ints))} {self.rng.choice(('% 2 == 0', '< 2', '>= 1', '!= 1'))}"
        if r < 0.42:
            return f"-0.7 < {self.atom()} < {self.number().lstrip('-')}"
        if r < 0.50:
            return f"np.sum({self.vec()}) > {self.number()}"
        if depth and r < 0.56 and self.helpers_of("bump"):
            self.kinds.add("helper in condition")
            return f"{self.rng.choice(self.helpers_of('bump'))}({self.vec()}, {self.atom()}) < {self.number()}"
        return f"{self.atom()} {self.rng.choice(('<', '>', '>='))} {self.atom() if self.chance(0.4) else self.number()}"

    def helpers_of(self, kind: str) -> list[str]:
        return [h for h, k in self.helpers.items() if k == kind]

    # -------------------------------------------------------------------------------------- statements

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

    def target_scalar(self) -> str:
        free = [s for s in self.scope.scalars if s not in self.scope.frozen]
        if free and self.chance(0.6):
            return self.rng.choice(free)
        name = self.fresh("s")
        return name

    def bind_scalar(self, name: str) -> None:
        if name not in self.scope.scalars:
            self.scope.scalars.append(name)

    def do_scalar_assign(self) -> None:
        name = self.target_scalar()
        self.put(f"{name} = {self.scalar(2)}" if self.chance(0.9) else f"{name} = float({self.index(4)})")
        self.bind_scalar(name)

    def do_scalar_augmented(self) -> Any:
        free = [s for s in self.scope.scalars if s not in self.scope.frozen]
        if not free:
            return False
        op = self.rng.choice(("+=", "-=", "*=", "+=", "/="))
        e = self.scalar(1) if op in ("+=", "-=") else f"np.cos({self.scalar(1)})" if op == "*=" else f"(1.2 + ({self.atom()}) ** 2)"
        self.put(f"{self.rng.choice(free)} {op} {e}")

    def do_tuple_assign(self) -> Any:
        free = [s for s in self.scope.scalars if s not in self.scope.frozen]
        if len(free) < 2:
            return False
        a, b = self.rng.sample(free, 2)
        self.put(self.rng.choice((f"{a}, {b} = {b}, {a}", f"{a}, {b} = {b} * 0.8, {a} + {self.scalar(1)}", f"{a}, {b} = {self.scalar(1)}, {a} * {b}")))

    def do_new_vector(self) -> None:
        n = self.rng.choice(list(self.scope.vecs.values()))
        name = self.fresh("a")
        e = self.vector(n)
        if e in self.scope.vecs or e.endswith("]"):
            e += ".copy()" if e in self.scope.vecs or self.chance(0.5) else " * 1.0"
        if self.allow_single and self.chance(0.4):
            e = f"({e}).astype(np.float32)"
            self.kinds.add("single precision")
        self.put(f"{name} = {e}")
        self.scope.vecs[name] = n

    def do_rebind_vector(self) -> Any:
        free = [v for v in self.scope.vecs if v not in self.scope.frozen]
        if not free:
            return False
        v = self.rng.choice(free)
        self.put(f"{v} = {self.vector(self.scope.vecs[v], 2)} * 0.9")

    def do_new_matrix(self) -> None:
        lengths = sorted(set(self.scope.vecs.values()))
        shape = (self.rng.choice(lengths), self.rng.choice(lengths)) if self.chance(0.5) else self.rng.choice(list(self.scope.mats.values()) or [(3, 3)])
        if max(shape) > 6:
            shape = (3, 3)
        name = self.fresh("m")
        self.put(f"{name} = {self.matrix(shape)} * 1.0")
        self.scope.mats[name] = shape

    def do_zeros(self) -> None:
        n = self.rng.choice(list(self.scope.vecs.values()))
        name = self.fresh("a")
        self.put(f"{name} = np.{self.rng.choice(('zeros', 'ones'))}({n})" if self.chance(0.7) else f"{name} = np.zeros_like({self.vec(n)})")
        self.scope.vecs[name] = n

    def element_target(self) -> str:
        if self.scope.mats and self.chance(0.3):
            m = self.mat()
            a, b = self.scope.mats[m]
            return self.rng.choice((f"{m}[{self.index(a)}, {self.index(b)}]", f"{m}[{self.index(a)}][{self.index(b)}]", f"{m}.T[{self.index(b)}, {self.index(a)}]"))
        v = self.vec()
        return f"{v}[{self.index(self.scope.vecs[v])}]"

    def do_element_store(self) -> None:
        op = self.rng.choice(("=", "=", "+=", "-=", "*="))
        self.put(f"{self.element_target()} {op} {self.scalar(2) if op != '*=' else 'np.cos(' + self.scalar(1) + ')'}")

    def slice_target(self) -> tuple[str, int]:
        v = self.vec()
        n = self.scope.vecs[v]
        r = self.rng.random()
        if r < 0.5 and n > 1:
            lo = self.rng.randrange(n - 1)
            hi = self.rng.randrange(lo + 1, n + 1)
            return f"{v}[{lo}:{hi}]", hi - lo
        if r < 0.65:
            return f"{v}[::2]", (n + 1) // 2
        if r < 0.75:
            return f"{v}[::-1]", n
        if r < 0.85 and n > 2:
            return f"{v}[1:][::-1][:2]", 2
        return f"{v}[:]", n

    def do_slice_store(self) -> None:
        target, n = self.slice_target()
        op = self.rng.choice(("=", "+=", "*=", "-="))
        value = self.vector(n, 1) if self.chance(0.75) else self.scalar(1)
        if op == "*=":
            value = f"np.cos({value})"
        self.put(f"{target} {op} {value}")

    def do_array_augmented(self) -> None:
        v = self.vec()
        n = self.scope.vecs[v]
        op = self.rng.choice(("+=", "-=", "*=", "/="))
        value = self.vector(n, 1) if self.chance(0.7) else self.scalar(1)
        value = {"*=": f"np.cos({value})", "/=": f"(1.3 + ({value}) ** 2)"}.get(op, value)
        self.put(f"{v} {op} {value}")

    def do_overlap_store(self) -> Any:
        long = [v for v, n in self.scope.vecs.items() if n >= 3]
        if not long:
            return False
        v = self.rng.choice(long)
        n = self.scope.vecs[v]
        k = self.rng.randrange(1, n - 1)
        self.put(self.rng.choice((
            f"{v}[{k}:] += {v}[:{n - k}] * 0.5", f"{v}[:{n - k}] += {v}[{k}:]", f"{v}[{k}:] = {v}[:{n - k}] * {self.atom()}",
            f"{v}[:{n - k}] = {v}[{k}:]", f"{v} += {v}[::-1]", f"{v}[:] = {v}[::-1]", f"{v} *= np.cos({v}[::-1])",
            f"{v}[{k}:] *= {v}[0]", f"{v}[1:] -= {v}[:-1] * {v}[-1]")))

    def do_matrix_store(self) -> Any:
        m = self.mat()
        if not m:
            return False
        a, b = self.scope.mats[m]
        i, j = self.index(a), self.index(b)
        options = [f"{m}[{i}] = {self.vector(b, 1)}", f"{m}[:, {j}] += {self.vector(a, 1)}", f"{m}[{i}] *= np.sin({self.vector(b, 0)})",
                   f"{m} *= {self.vector(b, 0)}", f"{m}[{i}, {b - 1}:] = {self.scalar(1)}", f"{m} += {self.scalar(1)}",
                   f"{m}.T[{j}] = {self.vector(a, 1)}", f"{m}[:, :{b - 1}] += {m}[:, 1:] * 0.5", f"{m}[...] = {self.matrix((a, b))}"]
        if a == b:
            options += [f"{m} += {m}.T", f"{m} *= np.cos({m}.T)", f"{m}[:] = {m}.T"]
        if a > 1:
            options += [f"{m}[1:] += {m}[:-1] * 0.6", f"{m}[:{a - 1}] = {m}[1:]"]
        self.put(self.rng.choice(options))

    def do_view(self) -> Any:
        name = self.fresh("v")
        r = self.rng.random()
        if r < 0.5:
            target, n = self.slice_target()
            self.put(f"{name} = {target}")
            self.scope.vecs[name] = n
        elif r < 0.75 and self.scope.mats:
            m = self.mat()
            a, b = self.scope.mats[m]
            if self.chance(0.5):
                self.put(f"{name} = {m}[{self.index(a)}]")
                self.scope.vecs[name] = b
            else:
                self.put(f"{name} = {m}[:, {self.index(b)}]")
                self.scope.vecs[name] = a
        elif self.scope.mats:
            m = self.mat()
            a, b = self.scope.mats[m]
            kind = self.rng.choice(("T", "sub", "ravel", "reshape"))
            if kind == "T":
                self.put(f"{name} = {m}.T")
                self.scope.mats[name] = (b, a)
            elif kind == "sub" and a > 1:
                self.put(f"{name} = {m}[1:]")
                self.scope.mats[name] = (a - 1, b)
            else:
                self.put(f"{name} = {m}.{'ravel()' if kind == 'ravel' else f'reshape({a * b})'}")
                self.scope.vecs[name] = a * b
        else:
            even = [v for v, n in self.scope.vecs.items() if n % 2 == 0 and n > 2]
            if not even:
                return False
            v = self.rng.choice(even)
            n = self.scope.vecs[v]
            self.put(f"{name} = {v}.reshape({n // 2}, 2)")
            self.scope.mats[name] = (n // 2, 2)

    def do_view_rebound(self) -> Any:
        """A view that moves over its base (in a loop: a view kept across overwrites)."""
        views = [v for v in self.scope.vecs if v.startswith("v") and v not in self.scope.frozen]
        if not views:
            return False
        v = self.rng.choice(views)
        e = self.view(self.scope.vecs[v])
        if e is None:
            return False
        self.put(f"{v} = {e}")

    def do_alias(self) -> Any:
        n = self.rng.choice(list(self.scope.vecs.values()))
        same = [v for v, k in self.scope.vecs.items() if k == n]
        name = self.fresh("b")
        r = self.rng.random()
        if r < 0.35 or len(same) < 2:
            self.put(f"{name} = {self.rng.choice(same)}")
        elif r < 0.6:
            a, b = self.rng.sample(same, 2)
            self.put(f"{name} = {a} if {self.condition(0)} else {b}")
        elif r < 0.8:
            self.put(f"{name} = {self.rng.choice(same)} if {self.condition(0)} else {self.vector(n, 1)} * 1.0")
        else:
            a, b = self.rng.sample(same, 2)
            self.put(f"{name} = {a}")
            with self.block(f"if {self.condition()}:"):
                self.put(f"{name} = {b if self.chance(0.5) else b + '[::-1]'}")
        self.scope.vecs[name] = n

    def do_swap(self) -> Any:
        r = self.rng.random()
        if r < 0.45:
            free = [v for v in self.scope.vecs if v not in self.scope.frozen]
            pairs = [(a, b) for a in free for b in free if a < b and self.scope.vecs[a] == self.scope.vecs[b]]
            if not pairs:
                return False
            a, b = self.rng.choice(pairs)
            self.put(f"{a}, {b} = {b}, {a}")
        elif r < 0.75 or not self.scope.mats:
            v = self.vec()
            n = self.scope.vecs[v]
            i, j = self.index(n), self.index(n)
            self.put(f"{v}[{i}], {v}[{j}] = {v}[{j}], {v}[{i}] * {self.atom()}")
        else:
            m = self.mat()
            a = self.scope.mats[m][0]
            i, j = self.rng.randrange(a), self.rng.randrange(a)
            self.put(self.rng.choice((f"{m}[{i}], {m}[{j}] = {m}[{j}], {m}[{i}]", f"{m}[[{i}, {j}]] = {m}[[{j}, {i}]]",
                                      f"{m}[{i}], {m}[{j}] = {m}[{j}].copy(), {m}[{i}].copy()")))

    def do_if(self) -> None:
        with self.block(f"if {self.condition()}:"):
            self.statements(self.rng.randrange(1, 4))
        if self.chance(0.3):
            with self.block(f"elif {self.condition()}:"):
                self.statements(self.rng.randrange(1, 3))
        if self.chance(0.6):
            with self.block("else:"):
                self.statements(self.rng.randrange(1, 3))

    def do_both_branches(self) -> None:
        name = self.fresh("s")
        with self.block(f"if {self.condition()}:"):
            self.statements(1)
            self.put(f"{name} = {self.scalar(2)}")
        with self.block("else:"):
            self.put(f"{name} = {self.scalar(1)}")
        self.bind_scalar(name)

    def loop_body(self) -> None:
        self.loops += 1
        self.statements(self.rng.randrange(1, 5))
        if self.chance(0.3):
            self.jump()
            self.statements(self.rng.randrange(0, 3))
        self.loops -= 1

    def jump(self) -> None:
        kind = self.rng.choice(("break", "continue", "return", "break"))
        self.kinds.add(kind)
        with self.block(f"if {self.condition()}:"):
            if self.chance(0.4):
                self.statements(1)
            self.put(f"return {self.scalar(2)}" if kind == "return" else kind)

    def do_for(self) -> Any:
        if self.loops >= 3:
            return False
        r = self.rng.random()
        i = self.fresh("i")
        els = self.chance(0.12)
        n = self.rng.choice((2, 3, 4, 3))
        extra: dict[str, Any] = {"ints": {i: n}}
        if r < 0.4:
            header = f"for {i} in range({n}):"
        elif r < 0.5:
            header = f"for {i} in range({n - 1}, -1, -1):"
        elif r < 0.57:
            header = f"for {i} in range(1, n + 2, 2):"
            extra = {"ints": {i: 6}}
        elif r < 0.63 and self.scope.ints:
            k = self.rng.choice([j for j, b in self.scope.ints.items() if b <= 6] or ["n"])
            header = f"for {i} in range({k}):"
            extra = {"ints": {i: 6}}
        elif r < 0.75:
            v = self.vec()
            e = self.fresh("e")
            seq = self.rng.choice((v, f"{v}[::-1]", f"reversed({v})", f"{v} * 0.5"))
            header = self.rng.choice((f"for {e} in {seq}:", f"for {i}, {e} in enumerate({seq}):"))
            extra = {"scalars": [e], "ints": {i: self.scope.vecs[v]} if "enumerate" in header else {}}
            self.kinds.add("iterate vector")
        elif r < 0.86 and self.scope.mats:
            m = self.mat()
            e = self.fresh("r")
            a, b = self.scope.mats[m]
            header = self.rng.choice((f"for {e} in {m}:", f"for {i}, {e} in enumerate({m}):"))
            extra = {"vecs": {e: b}, "ints": {i: a} if "enumerate" in header else {}}
            self.kinds.add("iterate rows")
        else:
            v, w = self.vec(), self.vec()
            e, g = self.fresh("e"), self.fresh("e")
            header = f"for {e}, {g} in zip({v}, {w}):"
            extra = {"scalars": [e, g]}
            self.kinds.add("zip")
        with self.block(header):
            self.scope.scalars += extra.get("scalars", [])
            self.scope.vecs.update(extra.get("vecs", {}))
            self.scope.ints.update(extra.get("ints", {}))
            self.loop_body()
            if self.chance(0.08) and extra.get("ints"):
                self.put(f"{i} = ({i} + 1) % 2")
                self.kinds.add("loop variable reassigned")
        if els:
            self.kinds.add("for else")
            with self.block("else:"):
                self.statements(1)

    def do_while(self) -> Any:
        if self.loops >= 2:
            return False
        k = self.fresh("k")
        bound = self.rng.choice((3, 4, 5))
        self.put(f"{k} = 0")
        r = self.rng.random()
        header = f"while {k} < {bound}:" if r < 0.4 else f"while {k} < {bound} and {self.condition(0)}:" if r < 0.8 else "while True:"
        with self.block(header):
            first = self.chance(0.5) or header == "while True:"
            if first:
                self.put(f"{k} += 1")
            self.scope.ints[k] = bound + 1
            if header == "while True:":
                with self.block(f"if {k} > {bound}{' or ' + self.condition(0) if self.chance(0.5) else ''}:"):
                    self.put("break")
            self.loops += 1
            self.statements(self.rng.randrange(1, 4))
            self.loops -= 1
            if not first:
                self.put(f"{k} += 1")
        if header != "while True:" and self.chance(0.12):
            self.kinds.add("while else")
            with self.block("else:"):
                self.statements(1)
        self.scope.ints[k] = bound + 2

    def do_mask(self) -> None:
        v = self.vec()
        c = f"{v} > {self.atom() if self.chance(0.5) else self.number()}"
        r = self.rng.random()
        if r < 0.3:
            self.put(f"{v}[{c}] = {self.scalar(1)}")
        elif r < 0.5:
            self.put(f"{v}[{c}] *= np.cos({self.atom()})")
        elif r < 0.7:
            m = self.fresh("q")
            self.put(f"{m} = {c}")
            self.put(f"{v}[{m}] += np.sin({v}[{m}])")
            s = self.target_scalar()
            self.put(f"{s} = np.sum({self.vec(self.scope.vecs[v])}[{m}]) + {self.atom()}")
            self.bind_scalar(s)
        elif r < 0.85 and self.scope.mats:
            m2 = self.mat()
            self.put(f"{m2}[{m2} > {self.number()}] {self.rng.choice(('= ' + self.atom(), '*= 0.6', '+= ' + self.atom()))}")
            self.kinds.add("mask 2-D")
        else:
            s = self.target_scalar()
            self.put(f"{s} = np.sum({v}[{c}] ** 2)")
            self.bind_scalar(s)

    def do_fancy(self) -> Any:
        if not self.scope.idx:
            return False
        i = self.rng.choice(list(self.scope.idx))
        k, bound = self.scope.idx[i]
        sources = [v for v, n in self.scope.vecs.items() if n >= bound]
        if not sources:
            return False
        v = self.rng.choice(sources)
        r = self.rng.random()
        value = self.vector(k, 1) if self.chance(0.75) else self.scalar(1)
        if r < 0.4:
            self.put(f"{v}[{i}] {self.rng.choice(('=', '+=', '-='))} {value}")
        elif r < 0.55:
            self.put(f"{v}[{i}] *= np.cos({value})")
        elif r < 0.7:
            self.put(f"np.add.at({v}, {i}, {value})")
        else:
            name = self.fresh("a")
            self.put(f"{name} = {v}[{i}]")
            self.scope.vecs[name] = k

    def do_index_modified(self) -> Any:
        if not self.scope.idx:
            return False
        i = self.rng.choice(list(self.scope.idx))
        k, bound = self.scope.idx[i]
        j = self.index(k)
        self.put(self.rng.choice((f"{i}[{j}] = ({i}[{self.index(k)}] + 1) % {bound}", f"{i}[{i}[{j}] % {k}] = {self.rng.randrange(bound)}",
                                  f"{i}[:] = {i}[::-1]", f"{i}[{i} > 1] = 0", f"{i} = ({i} * 2 + 1) % {bound}" if i not in self.scope.frozen else f"{i}[0] = 0")))

    def do_new_index(self) -> None:
        k, bound = self.rng.randrange(2, 5), min(self.scope.vecs.values())
        name = self.fresh("p")
        self.put(f"{name} = np.array({[self.rng.randrange(bound) for _ in range(k)]})")
        self.scope.idx[name] = (k, bound)

    def do_call_mutating(self) -> Any:
        hs = self.helpers_of("mutate")
        if not hs:
            return False
        v = self.vec()
        arg = v if self.chance(0.5) else (self.view(2) or v)
        self.put(f"{self.rng.choice(hs)}({arg}, {self.scalar(1)})")

    def do_call_pair(self) -> Any:
        hs = self.helpers_of("pair")
        if not hs:
            return False
        v = self.vec()
        n = self.scope.vecs[v]
        w = v if self.chance(0.3) else self.vec(n)
        if n > 2 and self.chance(0.3):
            self.put(f"{self.rng.choice(hs)}({v}[1:], {w}[:-1])")
        else:
            self.put(f"{self.rng.choice(hs)}({v}, {w})")

    def do_call_bump(self) -> Any:
        hs = self.helpers_of("bump")
        if not hs:
            return False
        h = self.rng.choice(hs)
        v = self.vec()
        s = self.target_scalar()
        self.put(self.rng.choice((
            f"{s} = {v}[0] + {h}({v}, {self.atom()}) * {v}[0]", f"{s} = {h}({v}, {self.atom()}) - {v}[-1] * {h}({v}, 0.4)",
            f"{s} = np.sum({v} * {h}({v}, {self.atom()}))", f"{s} = {self.atom()} * {h}({self.view(2) or v}, {self.atom()})")))
        self.bind_scalar(s)
        if self.chance(0.3):
            self.put(f"{v}[{self.rng.choice(('0', '1:', ':1'))}] += {h}({v}, {self.atom()})")

    def do_call_view(self) -> Any:
        hs = self.helpers_of("view")
        if not hs:
            return False
        v = self.vec()
        n = self.scope.vecs[v]
        if n < 3:
            return False
        h = self.rng.choice(hs)
        if self.chance(0.5):
            self.put(f"{h}({v})[0] = {self.scalar(1)}")
        else:
            name = self.fresh("v")
            self.put(f"{name} = {h}({v})")
            self.scope.vecs[name] = n - 1

    def do_call_tuple(self) -> Any:
        hs = self.helpers_of("tuple")
        if not hs:
            return False
        a, b = self.fresh("s"), self.fresh("s")
        self.put(f"{a}, {b} = {self.rng.choice(hs)}({self.vec()}, {self.atom()})")
        self.bind_scalar(a)
        self.bind_scalar(b)

    def do_tuple(self) -> None:
        t = self.fresh("t")
        v = self.vec()
        self.put(f"{t} = ({self.scalar(1)}, {v}, {self.atom()})")
        s = self.fresh("s")
        if self.chance(0.5):
            w = self.fresh("b")
            self.put(f"{s}, {w}, _ = {t}")
            self.scope.vecs[w] = self.scope.vecs[v]
        else:
            self.put(f"{s} = {t}[0] * {t}[2] + {t}[1][0]")
            if self.chance(0.5):
                self.put(f"{t}[1][-1] = {s} * 0.5")
        self.bind_scalar(s)

    def do_dict(self) -> None:
        d = self.fresh("d")
        v = self.vec()
        self.put(f'{d} = {{"p": {self.scalar(1)}, "q": {v}}}')
        s = self.fresh("s")
        self.put(f'{d}["p"] = {d}["p"] * {self.atom()} + {d}["q"][0]')
        if self.chance(0.5):
            self.put(f'{d}["q"][1] *= np.sin({d}["p"])')
        self.put(f'{s} = {d}["p"]')
        self.bind_scalar(s)

    def do_closure(self) -> None:
        h = self.fresh("g")
        v = self.vec()
        r = self.rng.random()
        if r < 0.35:
            with self.block(f"def {h}(z):"):
                self.put(f"return np.sin(z) * {self.atom()} + {v}[{self.index(self.scope.vecs[v])}]")
        elif r < 0.6:
            with self.block(f"def {h}(z):"):
                self.put(f"{v}[0] = {v}[0] * np.cos(z)")
                self.put(f"return {v}[0] + z")
        elif r < 0.8 and [s for s in self.scope.scalars if s not in self.scope.frozen and s != "c"] and self.depth == 0:
            s = self.rng.choice([s for s in self.scope.scalars if s not in self.scope.frozen and s != "c"])
            self.kinds.add("nonlocal")
            with self.block(f"def {h}(z):"):
                self.put(f"nonlocal {s}")
                self.put(f"{s} = {s} * 0.7 + z")
                self.put(f"return {s} * z")
        else:
            self.put(f"{h} = lambda z: z * {self.atom()} + {self.atom()}")
        if self.chance(0.4):
            self.statements(1)
        s = self.fresh("s")
        self.put(f"{s} = {h}({self.atom()}) + {h}({self.atom()})")
        self.bind_scalar(s)

    def do_list(self) -> Any:
        if self.loops >= 2:
            return False
        out = self.fresh("l")
        i = self.fresh("i")
        s = self.fresh("s")
        arrays = self.chance(0.4)
        n = self.rng.choice(list(self.scope.vecs.values()))
        self.put(f"{out} = []")
        with self.block(f"for {i} in range({self.rng.choice((3, 4))}):"):
            self.scope.ints[i] = 4
            value = f"{self.vector(n, 1)} * 1.0" if arrays else f"{self.scalar(1)} * 1.0"
            if self.chance(0.4):
                with self.block(f"if {self.condition(0)} or {i} == 0:"):
                    self.put(f"{out}.append({value})")
            else:
                self.put(f"{out}.append({value})")
            if self.chance(0.5):
                if arrays:
                    self.put(f"{out}[-1][0] = {out}[-1][1] * {self.atom()}")
                else:
                    self.put(f"{out}[-1] = {out}[-1] * {out}[0]")
        if self.chance(0.3):
            self.put(f"{s} = {'np.sum(' if arrays else '('}{out}.pop()) * 0.7")
            with self.block(f"if len({out}) > 0:"):
                self.put(f"{s} += {'np.sum(' if arrays else '('}{out}[-1])")
        elif arrays:
            self.put(f"{s} = 0.0")
            e = self.fresh("e")
            with self.block(f"for {e} in {out}:"):
                self.put(f"{s} += np.sum({e} * {e})")
        else:
            self.put(f"{s} = sum({out}) * len({out}) * 0.3")
        self.bind_scalar(s)

    def do_triple_loop(self) -> Any:
        if self.loops or self.budget < 3:
            return False
        i, j, k = self.fresh("i"), self.fresh("j"), self.fresh("k")
        with self.block(f"for {i} in range(2):"):
            self.scope.ints[i] = 2
            with self.block(f"for {j} in range({i}, 3):"):
                self.scope.ints[j] = 3
                self.loops += 2
                self.statements(1)
                with self.block(f"for {k} in range({j} + 1):"):
                    self.scope.ints[k] = 3
                    self.loops += 1
                    self.statements(2)
                    self.loops -= 1
                self.loops -= 2

    def do_int_arithmetic(self) -> None:
        name = self.fresh("k")
        base = self.rng.choice(list(self.scope.ints))
        self.put(self.rng.choice((f"{name} = ({base} * 3 + 1) % 4", f"{name} = {base} // 2 % 4", f"{name} = int(abs(np.floor({self.atom()}))) % 4",
                                  f"{name} = 3 if {self.condition(0)} else {base} % 4", f"{name} = -{base} % 4")))
        self.scope.ints[name] = 4

    def do_int_becomes_float(self) -> None:
        name = self.fresh("s")
        self.put(f"{name} = 0")
        i = self.fresh("i")
        with self.block(f"for {i} in range(3):"):
            self.scope.ints[i] = 3
            self.put(f"{name} = {name} + {self.scalar(1)} * 1.0")
        self.bind_scalar(name)

    def do_walrus(self) -> None:
        name = self.fresh("s")
        self.bind_scalar(name)
        self.scope.scalars.remove(name)
        with self.block(f"if ({name} := {self.scalar(1)}) > {self.number()}:"):
            self.scope.scalars.append(name)
            self.statements(1)
        self.bind_scalar(name)

    def do_shrinking(self) -> Any:
        if self.loops or self.depth:
            return False
        n = max(self.scope.vecs.values())
        if n < 4:
            return False
        name = self.fresh("a")
        self.put(f"{name} = {self.vector(n, 1)} * 1.0")
        i = self.fresh("i")
        with self.block(f"for {i} in range(2):"):
            self.put(f"{name} = {name}[1:] * np.cos({name}[:-1]) + {self.atom()}")
        self.scope.vecs[name] = n - 2

    def do_recursion(self) -> Any:
        hs = self.helpers_of("recursive")
        if not hs:
            return False
        s = self.fresh("s")
        self.put(f"{s} = {self.rng.choice(hs)}({self.atom()}, {self.rng.randrange(1, 4)})")
        self.bind_scalar(s)

    # ----------------------------------------------------------------------------------------- helpers

    def helper(self, kind: str) -> None:
        name = f"{kind}{len(self.helpers) + 1}"
        c1, c2, c3 = self.number(), self.number(), self.number()
        rng = self.rng
        texts = {
            "scalar": rng.choice((
                f"def {name}(p, q):\n    if p > q:\n        return np.sin(p) * {c1}\n    p = p * {c2} + q\n    return np.tanh(p) + q\n",
                f"def {name}(p, q):\n    s = {c1}\n    for i in range(3):\n        s = np.sin(s * p) + q\n        if s > {c2}:\n            return s * p\n    return s\n",
                f"def {name}(p, q={c1}):\n    k = 0\n    while abs(p) > 0.3 and k < 3:\n        p = p * 0.6 + 0.1 * np.sin(q)\n        k += 1\n    return p * q\n")),
            "reader": rng.choice((
                f"def {name}(v, q):\n    s = {c1}\n    for e in v:\n        if e < {c2}:\n            continue\n        s += np.sin(e) * q\n    return s\n",
                f"def {name}(v, q):\n    v = v * q\n    v[0] = v[-1] * {c1}\n    return np.sum(np.tanh(v))\n",
                f"def {name}(v, q):\n    w = v[::-1]\n    return np.sum(v * w) * {c1} + q * w[0]\n")),
            "mutate": rng.choice((
                f"def {name}(v, q):\n    for i in range(len(v)):\n        v[i] = np.sin(v[i]) * {c1} + q\n",
                f"def {name}(v, q):\n    v *= np.cos(q)\n    v[0] = v[-1] + {c1}\n    if q > {c2}:\n        return\n    v[-1] = v[0] * q\n",
                f"def {name}(v, q):\n    w = v[1:]\n    w += v[:-1] * {c1}\n    q = q * q\n    v[0] -= q * 0.5\n")),
            "pair": rng.choice((
                f"def {name}(u, v):\n    u[0] = v[0] * v[-1]\n    v[-1] = u[0] + {c1} * u[-1]\n",
                f"def {name}(u, v):\n    for i in range(len(u)):\n        u[i] = u[i] * 0.7 + v[len(v) - 1 - i] * {c1}\n",
                f"def {name}(u, v):\n    u += v * {c1}\n    v *= np.cos(u)\n")),
            "bump": rng.choice((
                f"def {name}(v, q):\n    v[0] = v[0] * 0.8 + np.sin(q)\n    return v[0] * {c1}\n",
                f"def {name}(v, q):\n    t = v[-1]\n    v[-1] = t * np.cos(t) + {c1}\n    if t > q:\n        v[0] += 0.3 * t\n        return t\n    return v[0]\n")),
            "view": rng.choice((f"def {name}(v):\n    return v[1:]\n", f"def {name}(v):\n    v[0] *= {c1}\n    w = v[::-1]\n    return w[:-1]\n")),
            "tuple": rng.choice((
                f"def {name}(v, q):\n    m = np.mean(v)\n    return m * q, np.sum((v - m) ** 2)\n",
                f"def {name}(v, q):\n    if q > {c1}:\n        return q, v[0]\n    v[0] = v[0] * {c2}\n    return v[0] * q, {c3}\n")),
            "recursive": f"def {name}(p, k):\n    if k == 0:\n        return np.sin(p)\n    return {name}(p * {c1}, k - 1) * p + {c2}\n",
        }
        self.top.append(texts[kind] + "\n")
        self.helpers[name] = kind

    # ----------------------------------------------------------------------------------------- program

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
