"""Random statements about what is chosen when the program runs (modes, functions), and derivatives taken inside of the program."""

from __future__ import annotations

from typing import Any

from tests.fuzz.expressions import Expressions


class Choices(Expressions):
    def statements(self, count: int) -> None:
        raise AssertionError("the generator chooses the statements")

    def bind_scalar(self, name: str) -> None:
        raise AssertionError("see Stores")

    def do_mode(self) -> Any:
        """A loop with a state that is a string."""
        if self.loops >= 2:
            return False
        m, k = self.fresh("m"), self.fresh("k")
        modes = ["a", "b", "c"][: self.rng.choice((2, 2, 3))]
        self.put(f"{m} = {'None' if self.chance(0.15) else repr(modes[0])}")
        bound = self.rng.choice((2, 3, 4))
        if self.chance(0.5):
            header = f"for {k} in range({bound}):"
        else:
            self.put(f"{k} = 0")
            header = f"while {m} != {modes[-1]!r} and {k} < {bound}:"
        with self.block(header):
            if header.startswith("while"):
                self.put(f"{k} += 1")
            self.scope.ints[k] = bound + 1
            self.loops += 1
            for j, mode in enumerate(modes[:-1]):
                with self.block(f"{'el' if j else ''}if {m} == {mode!r}{' and ' + self.condition(0) if self.chance(0.2) else ''}:"):
                    self.statements(self.rng.randrange(1, 3))
                    self.put(f"{m} = {self.rng.choice(modes)!r}")
            with self.block("else:"):
                if self.chance(0.6):
                    self.statements(1)
                self.put(f"{m} = {self.rng.choice(modes)!r}")
            self.loops -= 1
        r = self.rng.random()
        if r < 0.3:
            s = self.fresh("s")
            table = "{" + ", ".join(f"{x!r}: {self.number()}" for x in modes) + "}"
            self.put(f"{s} = {table}[{m} or {modes[0]!r}] * {self.atom()}")
            self.bind_scalar(s)
        elif r < 0.7:
            with self.block(f"if {m} {self.rng.choice(('==', '!='))} {self.rng.choice(modes)!r}:"):
                self.statements(1)
        return None

    def do_chosen_function(self) -> Any:
        """A loop that takes another function for the trips to come."""
        if self.loops >= 2:
            return False
        g, s, i = self.fresh("g"), self.fresh("s"), self.fresh("i")
        functions = ["np.sin", "np.cos", "np.tanh", f"lambda u_: u_ * {self.atom()} + {self.number()}", *self.helpers_of("unary")]
        self.put(f"{g} = {self.rng.choice(functions)}")
        self.put(f"{s} = {self.scalar(1)} * 1.0")
        with self.block(f"for {i} in range({self.rng.choice((2, 3))}):"):
            self.scope.ints[i] = 3
            self.put(f"{s} = {g}({s} * {self.number()}) + {self.atom()} * 0.1")
            with self.block(f"if {self.rng.choice((self.condition(0), f'{i} == 1'))}:"):
                self.put(f"{g} = {self.rng.choice(functions)}")
        self.bind_scalar(s)
        return None

    def do_inner_gradient(self) -> None:
        """The derivative of a function that the program defines, which reads its variables."""
        s = self.fresh("s")
        if self.chance(0.5):
            inner = f"np.sin(u_ * {self.atom()}) + u_ * u_ * {self.atom()}"
            self.put(f"{s} = s2sgrad.grad(lambda u_: {inner})({self.atom()} * 1.0)")
        else:
            v, w = self.vec(), self.fresh("a")
            self.put(f"{w} = s2sgrad.grad(lambda u_: np.sum(np.sin(u_) * {v}) * {self.atom()})({v} * {self.number()})")
            self.scope.vecs[w] = self.scope.vecs[v]
            self.put(f"{s} = {w}[0] * {w}[-1]")
        self.bind_scalar(s)
