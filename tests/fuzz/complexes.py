"""Random statements about complex numbers."""

from __future__ import annotations

from typing import Any

from tests.fuzz.expressions import Expressions


class Complexes(Expressions):
    def constant(self) -> str:
        return f"({self.number()} {self.rng.choice('+-')} {self.number().lstrip('-')}j)"

    def cvec(self, n: int | None = None) -> str | None:
        names = [z for z, k in self.scope.cvecs.items() if n is None or k == n]
        return self.rng.choice(names) if names else None

    def cscalar(self, depth: int = 1) -> str:
        """A complex scalar expression."""
        r = self.rng.random()
        z = self.cvec()
        if z and (r < 0.35 or depth == 0):
            return f"{z}[{self.index(self.scope.cvecs[z])}]"
        if self.scope.cscalars and (r < 0.5 or depth == 0):
            return self.rng.choice(self.scope.cscalars)
        if depth == 0 or r < 0.6:
            return self.rng.choice((f"complex({self.atom()}, {self.atom()})", f"{self.constant()} * {self.atom()}"))
        a = lambda: self.cscalar(depth - 1)
        return self.rng.choice((f"({a()}) * ({a()}) * 0.6", f"({a()}) + {self.atom()}", f"np.conj({a()})", f"({a()}) - ({a()})", f"np.exp(1j * ({self.scalar(0)}))",
                                f"np.sum({z} * 0.5)" if z else self.constant(), f"({a()}) / (2.0 + abs({a()}) ** 2)"))

    def cvector(self, n: int, depth: int = 1) -> str:
        """A complex vector expression of length n."""
        z = self.cvec(n)
        if depth == 0 or self.chance(0.15):
            return self.rng.choice((z, f"{z}[::-1]")) if z else f"({self.vector(n, 0)} * {self.constant()})"
        sub = lambda: self.cvector(n, depth - 1)
        return self.rng.choice((f"({sub()} * {sub()})", f"({sub()} + {self.vector(n, 1)})", f"np.conj({sub()})", f"({sub()} * ({self.cscalar(0)}))",
                                f"np.exp(1j * {self.vector(n, 1)})", f"({sub()} * {self.vector(n, 0)})", f"({sub()} - {sub()})",
                                f"np.where({self.vec(n) or 'np.ones(%d)' % n} > {self.number()}, {sub()}, {self.cscalar(0)})"))

    def real_of(self, n: int) -> str:
        z = self.cvector(n)
        return self.rng.choice((f"({z}).real", f"np.imag({z})", f"np.abs({z}) ** 2", f"np.real({z} * np.conj({z}))"))

    def do_complex_vector(self) -> Any:
        if not self.allow_complex:
            return False
        n = self.rng.choice(list(self.scope.vecs.values()))
        name = self.fresh("z")
        self.put(f"{name} = {self.cvector(n, 2)} * {self.rng.choice(('0.5', '1.0', '0.7j'))}")
        self.scope.cvecs[name] = n

    def do_complex_scalar(self) -> Any:
        if not self.allow_complex:
            return False
        free = [s for s in self.scope.cscalars if s not in self.scope.frozen]
        if free and self.chance(0.5):
            self.put(f"{self.rng.choice(free)} {self.rng.choice(('+=', '-=', '='))} {self.cscalar(1)} * (1.0 + 0.0j)")
            return None
        name = self.fresh("w")
        self.put(f"{name} = {self.cscalar(2)} * (1.0 + 0.0j)")
        self.scope.cscalars.append(name)
        return None

    def do_complex_store(self) -> Any:
        z = self.cvec()
        if not z:
            return False
        n = self.scope.cvecs[z]
        k = self.rng.randrange(1, n) if n > 1 else 0
        self.put(self.rng.choice((
            f"{z}[{self.index(n)}] {self.rng.choice(('=', '+=', '-='))} {self.cscalar(1)}", f"{z}[{self.index(n)}] = {self.scalar(1)}",
            f"{z} *= {self.vector(n, 0)}", f"{z} *= {self.constant()} * 0.6", f"{z} += {self.cvector(n, 1)}", f"{z}[{k}:] *= np.cos({self.vector(n - k, 0)})",
            f"{z}[:] = {z}[::-1] * 0.7", f"{z}[{k}:] += np.conj({z}[:{n - k}])", f"{z}.real += {self.vector(n, 0)}", f"{z}.imag[{self.index(n)}] *= {self.atom()}",
            f"{z}.imag[:] = {self.vector(n, 1)}", f"{z}.real[::-1] -= {z}.imag", f"{z} /= (1.5 + np.abs({z}) ** 2)")))
        return None

    def do_complex_view(self) -> Any:
        z = self.cvec()
        if not z:
            return False
        n = self.scope.cvecs[z]
        r = self.rng.random()
        if r < 0.4:
            name = self.fresh("v")
            self.put(f"{name} = {z}.{self.rng.choice(('real', 'imag'))}")
            self.scope.vecs[name] = n
            self.scope.frozen.add(name)
        elif r < 0.7 or n < 2:
            name = self.fresh("z")
            self.put(f"{name} = {z}[::-1]")
            self.scope.cvecs[name] = n
        else:
            name = self.fresh("z")
            self.put(f"{name} = {z}[{self.rng.choice(('1:', f':{n - 1}'))}]")
            self.scope.cvecs[name] = n - 1
        return None

    def do_complex_read(self) -> Any:
        z = self.cvec()
        if not z:
            return False
        n = self.scope.cvecs[z]
        s = self.target_scalar()
        self.put(self.rng.choice((
            f"{s} = np.sum({self.real_of(n)})", f"{s} = abs({self.cscalar(1)}) ** 2 * 0.5", f"{s} = ({self.cscalar(1)}).imag", f"{s} = np.real({z} @ {self.cvector(n, 0)})",
            f"{s} = np.vdot({z}, {self.cvector(n, 0)}).real * 0.4", f"{s} = np.real(np.sum({z})) + np.angle(2.0 + {z}[0] * np.conj({z}[0]))")))
        self.bind_scalar(s)
        return None

    def do_complex_loop(self) -> Any:
        z = self.cvec()
        if not z or self.loops >= 2:
            return False
        e = self.fresh("w")
        with self.block(f"for {e} in {z}:"):
            self.scope.cscalars.append(e)
            self.loops += 1
            self.statements(self.rng.randrange(1, 3))
            self.loops -= 1
        return None
