"""Random statements about memory: assignments, stores, views, aliases, swaps, masks, index arrays."""

from __future__ import annotations

from typing import Any

from tests.fuzz.expressions import Expressions


class Stores(Expressions):
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
            self.scope.frozen.add(name)  # two dtypes under one name are refused
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
        elif op == "=" and target.endswith("[::2]"):
            value = f"({value}) * 1.0"  # NumPy itself copies wrongly between overlapping 1-D views of different positive strides
        self.put(f"{target} {op} {value}")

    def do_array_augmented(self) -> None:
        v = self.vec()
        n = self.scope.vecs[v]
        op = self.rng.choice(("+=", "-=", "*=", "/="))
        value = self.vector(n, 1) if self.chance(0.7) else self.scalar(1)
        value = {"*=": f"np.cos({value})", "/=": f"(1.3 + ({value}) ** 2)"}.get(op, value)
        self.put(f"{v if v.isidentifier() else v + '[:]'} {op} {value}")

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
        same = [v for v, k in self.scope.vecs.items() if k == n and v not in self.scope.frozen]
        if not same:
            return False
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
        if self.scope.mats and self.chance(0.2):
            m = self.mat()
            a, b = self.scope.mats[m]
            if a >= bound:
                self.kinds.add("matrix scatter")
                self.put(self.rng.choice((f"{m}[{i}] {self.rng.choice(('=', '+='))} {self.vector(b, 0)}", f"{m}[{i}, {self.index(b)}] += {self.vector(k, 0)}",
                                          f"np.add.at({m}, {i}, {self.vector(b, 0)})")))
                return None
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
        low = -bound if self.chance(0.3) else 0
        self.put(f"{name} = np.array({[self.rng.randrange(low, bound) for _ in range(k)]})")
        self.scope.idx[name] = (k, bound)
        if self.chance(0.7) and self.do_fancy() is not False:
            self.kinds.add("fancy")
