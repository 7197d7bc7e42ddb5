"""Random statements about booleans, masks, integer data and orders."""

from __future__ import annotations

from typing import Any

from tests.fuzz.expressions import Expressions


class Masks(Expressions):
    def mask(self, n: int | None = None) -> str | None:
        names = [m for m, k in self.scope.masks.items() if n is None or k == n]
        return self.rng.choice(names) if names else None

    def mask_expression(self, n: int) -> str:
        v = self.vec(n) or f"np.ones({n})"
        m = self.mask(n)
        plain = f"{v} {self.rng.choice('<>')} {self.atom() if self.chance(0.4) else self.number()}"
        return self.rng.choice((plain, plain, f"({plain}) & ({v} < 1.1)", f"{m} | ({plain})" if m else plain, f"~({plain})", f"{m} ^ ({plain})" if m else plain,
                                f"np.arange({n}) % 2 == {self.rng.randrange(2)}", f"np.logical_and({plain}, {v} > -0.9)"))

    def do_bool_scalar(self) -> None:
        name = self.fresh("b")
        m = self.mask()
        options = [self.condition(), f"bool({self.condition(0)})", f"np.any({self.vec()} > {self.number()})", f"np.all({self.vec()} < {self.number()})",
                   f"not ({self.condition(0)})"]
        if m:
            options += [f"{m}[{self.index(self.scope.masks[m])}]", f"np.count_nonzero({m}) > 1"]
        self.put(f"{name} = bool({self.rng.choice(options)})")
        self.scope.bools.append(name)

    def do_mask_vector(self) -> None:
        n = self.rng.choice(list(self.scope.vecs.values()))
        name = self.fresh("q")
        self.put(f"{name} = {self.mask_expression(n)}")
        self.scope.masks[name] = n
        for follow in self.rng.choices((self.do_mask_use, self.do_mask_change), k=2):
            if follow() is not False:
                self.kinds.add(follow.__name__[3:].replace("_", " "))

    def do_mask_change(self) -> Any:
        m = self.mask()
        if not m:
            return False
        n = self.scope.masks[m]
        self.put(self.rng.choice((f"{m}[{self.index(n)}] = {self.condition(0)}", f"{m} &= {self.mask_expression(n)}", f"{m}[:] = {m}[::-1]",
                                  f"{m}[{self.index(n)}] = not {m}[{self.index(n)}]", f"{m}[1:] |= {m}[:-1]", f"{m} = ~{m}" if m not in self.scope.frozen else f"{m}[0] = True")))
        return None

    def do_mask_use(self) -> Any:
        m = self.mask()
        if not m:
            return False
        n = self.scope.masks[m]
        v = self.vec(n)
        if not v:
            return False
        w = self.vec(n)
        s = self.fresh("s")
        options = [f"{v}[{m}] = {self.scalar(1)}", f"{v}[{m}] += {w}[{m}] * {self.atom()}", f"{v}[~{m}] *= 0.6", f"{v}[{m}] = {w}[{m}] * 0.8",
                   f"{s} = np.sum({v}[{m}] ** 2)", f"{s} = np.sum(np.where({m}, {v}, {self.atom()}))", f"{s} = np.sum({v} * {m})", f"{s} = np.sum({w}[~{m}]) * 0.5",
                   f"{v} *= np.where({m}, {self.vector(n, 1)}, 0.5)", f"{v}[np.where({m})[0]] -= 0.2 * {v}[0]"]
        if self.scope.mats:
            mat = self.mat()
            a, b = self.scope.mats[mat]
            if a == n:
                options += [f"{mat}[{m}] *= {self.atom()}", f"{s} = np.sum({mat}[{m}] ** 2)"] * 2
            if b == n:
                options += [f"{mat}[:, {m}] += {self.scalar(0)}", f"{s} = np.sum({mat}[:, {m}] * 0.7)"] * 2
        line = self.rng.choice(options)
        self.put(line)
        if line.startswith(f"{s} ="):
            self.bind_scalar(s)
        return None

    def do_int_vector(self) -> None:
        n = self.rng.choice(list(self.scope.vecs.values()))
        name = self.fresh("k")
        data = [self.rng.randrange(-2, 4) for _ in range(n)]
        self.put(self.rng.choice((f"{name} = np.array({data})", f"{name} = np.arange({n}) * 2 - 1", f"{name} = np.zeros({n}, dtype=np.int64)",
                                  f"{name} = np.array({data}, dtype=np.int32)", f"{name} = np.arange({n})[::-1]", f"{name} = np.ones({n}, dtype=int)")))
        self.scope.ivecs[name] = n

    def do_int_store(self) -> Any:
        if not self.scope.ivecs:
            return False
        q = self.rng.choice(list(self.scope.ivecs))
        n = self.scope.ivecs[q]
        options = [f"{q}[{self.index(n)}] += 1", f"{q}[{self.index(n)}] = {self.rng.randrange(-3, 4)}", f"{q}[{q} > 2] = 0", f"{q} += 1", f"{q}[:] = {q}[::-1]",
                   f"{q}[1:] -= {q}[:-1] % 3", f"{q} *= ({q} % 2)", f"{q} %= 5"]
        idx = [i for i, (_, bound) in self.scope.idx.items() if bound <= n]
        if idx:
            i = self.rng.choice(idx)
            options += [f"{q}[{i}] += 1", f"np.add.at({q}, {i}, 1)", f"{q}[{i}] = 2"] * 2
        self.put(self.rng.choice(options))
        return None

    def do_order(self) -> Any:
        """Positions found by comparing: argmax, argsort; sorting."""
        v = self.vec()
        n = self.scope.vecs[v]
        r = self.rng.random()
        if r < 0.45:
            k = self.fresh("k")
            self.put(f"{k} = int(np.{self.rng.choice(('argmax', 'argmin'))}({v}))")
            self.scope.ints[k] = n
        elif r < 0.75 and not self.loops:
            p = self.fresh("p")
            self.put(f"{p} = np.argsort({v}, kind='stable')")
            self.scope.idx[p] = (n, n)
        else:
            name = self.fresh("a")
            self.put(f"{name} = np.sort({v})" if self.chance(0.6) else f"{name} = np.diff({v})")
            self.scope.vecs[name] = n if "sort" in self.lines[-1] else n - 1
            if n < 2:
                del self.scope.vecs[name]
        return None
