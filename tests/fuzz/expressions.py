"""Random expressions: scalars, vectors of a known length, matrices, conditions and views."""

from __future__ import annotations

from tests.fuzz.writer import Writer


class Expressions(Writer):
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
        if s.ivecs and self.chance(0.5):
            q = self.rng.choice(list(s.ivecs))
            options.append(lambda: f"{q}[{self.index(s.ivecs[q])}]")
        if s.cubes and self.chance(0.6):
            t = self.rng.choice(list(s.cubes))
            a, b, c = s.cubes[t]
            options.append(lambda: f"{t}[{self.index(a)}, {self.index(b)}, {self.index(c)}]")
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
        if self.scope.bools and self.chance(0.12):
            b = self.rng.choice(self.scope.bools)
            return self.rng.choice((f"({a()} if {b} else {a()})", f"({a()}) * {b}", f"np.where({b}, {a()}, {self.atom()})"))
        if (self.scope.cvecs or self.scope.cscalars) and self.chance(0.1):
            z = self.rng.choice(self.scope.cscalars or [f"{v}[{self.index(n)}]" for v, n in self.scope.cvecs.items()])
            return self.rng.choice((f"{z}.real", f"np.imag({z})", f"abs({z}) ** 2"))
        if r < 0.86 and self.helpers_of("unary") and self.chance(0.5):
            return f"{self.rng.choice(self.helpers_of('unary'))}({a()})"
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
                                    f"sum([float(w_) * 0.5 for w_ in {w} if w_ > {self.number()}])"))
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
        if r < 0.66:
            for t, (a, b, c) in self.scope.cubes.items():
                if c == n:
                    return f"{t}[{self.index(a)}, {self.index(b)}]"
                if b == n:
                    return f"{t}[{self.index(a)}, :, {self.index(c)}]"
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
        if self.scope.idx and self.chance(0.15) and (found := self.gather(n)):
            return found
        if (more := self.other_vector(n)) and self.chance(0.12):
            return more
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
        if r < 0.90:
            for m, (a, b) in self.scope.mats.items():
                if a == n and self.vec(b):
                    return f"({m} @ {self.vec(b)})"
                if b == n:
                    return self.rng.choice((f"np.sum({m}, axis=0)", f"{m}.mean(axis=-2)", f"np.max({m}, axis=0)"))
        if r < 0.93 and n > 2:
            self.kinds.add("concatenate")
            return f"np.concatenate(({self.vector(n - 1, 0)}, np.array([{self.atom()} * 1.0])))"
        if r < 0.95:
            self.kinds.add("comprehension")
            w = self.vec(n) or f"np.ones({n})"
            return self.rng.choice((f"np.array([np.sin(w_) * 0.8 + {self.atom()} for w_ in {w}])", f"np.array([{w}[k_] * {w}[-k_ - 1] for k_ in range({n})])",
                                    f"np.array([sum([a_ * b_ for b_ in {self.vec()}]) for a_ in {w}]) * 0.3"))
        return f"({sub()} + np.arange({n}) * {self.atom()})"

    def other_vector(self, n: int) -> str | None:
        """A real vector of length n from integers, booleans, complex numbers or three dimensions."""
        s = self.scope
        options = [f"({self.vec(n) or self.number()} * {q})" for q, k in s.ivecs.items() if k == n] + [f"({q} / 2)" for q, k in s.ivecs.items() if k == n]
        options += [f"np.where({m}, {self.vec(n) or '0.7'}, {self.atom()})" for m, k in s.masks.items() if k == n]
        options += [f"({self.vec(n) or self.number()} * {m})" for m, k in s.masks.items() if k == n]
        options += [f"{self.rng.choice(('np.real', 'np.imag'))}({z})" for z, k in s.cvecs.items() if k == n]
        options += [f"np.sum({t}, axis=(0, 1))" for t, k in s.cubes.items() if k[2] == n]
        return self.rng.choice(options) if options else None

    def gather(self, n: int) -> str | None:
        """Elements at an index array of length n: of a vector, of a matrix, of a gather."""
        scope, options = self.scope, []
        for i, (k, bound) in scope.idx.items():
            if k != n:
                continue
            options += [("gather", f"{v}[{i}]") for v, size in scope.vecs.items() if size >= bound]
            for m, (a, b) in scope.mats.items():
                if a >= bound:
                    options += [("matrix gather", f"{m}[{i}, {self.index(b)}]"), ("matrix gather", f"{m}[{i}][:, {self.index(b)}]")]
                if b >= bound:
                    options.append(("matrix gather", f"{m}[{self.index(a)}, {i}]"))
                if min(a, b) >= bound:
                    options.append(("matrix gather", f"{m}[{i}, {i}]"))
            for j, (length, other) in scope.idx.items():
                if length >= bound:
                    options += [("gather of gather", self.rng.choice((f"{v}[{j}][{i}]", f"{v}[{j}[{i}]]"))) for v, size in scope.vecs.items() if size >= other]
        if not options:
            return None
        kind, text = self.rng.choice(options)
        self.kinds.add(kind)
        return text

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
        if self.scope.bools and self.chance(0.15):
            return self.rng.choice(self.scope.bools)
        if r < 0.42:
            self.kinds.add("chained comparison")
            return f"-0.7 < {self.atom()} < {self.number().lstrip('-')}"
        if r < 0.50:
            return f"np.sum({self.vec()}) > {self.number()}"
        if r < 0.52 and self.scope.masks:
            return f"np.{self.rng.choice(('any', 'all'))}({self.rng.choice(list(self.scope.masks))})"
        if depth and r < 0.56 and self.helpers_of("bump"):
            self.kinds.add("helper in condition")
            return f"{self.rng.choice(self.helpers_of('bump'))}({self.vec()}, {self.atom()}) < {self.number()}"
        return f"{self.atom()} {self.rng.choice(('<', '>', '>='))} {self.atom() if self.chance(0.4) else self.number()}"

    def helpers_of(self, kind: str) -> list[str]:
        return [h for h, k in self.helpers.items() if k == kind]
