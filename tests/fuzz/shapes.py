"""Random statements about rank and shape: views with new axes, three dimensions, reductions along axes, extents known at run time."""

from __future__ import annotations

from typing import Any

from tests.fuzz.expressions import Expressions


class Shapes(Expressions):
    def cube(self) -> str | None:
        return self.rng.choice(list(self.scope.cubes)) if self.scope.cubes else None

    def do_matrix_view(self) -> Any:
        name = self.fresh("v")
        m = self.mat()
        v = self.vec()
        n = self.scope.vecs[v]
        options: list[tuple[str, tuple[int, int]]] = [(f"{v}[:, None]", (n, 1)), (f"{v}[np.newaxis, :]", (1, n)), (f"{v}.reshape(1, {n})", (1, n))]
        if m:
            a, b = self.scope.mats[m]
            options += [(f"{m}[::-1]", (a, b)), (f"{m}[:, ::-1]", (a, b)), (f"{m}.T", (b, a)), (f"{m}[::-1, ::-1]", (a, b)), (f"{m}.T[::-1]", (b, a)),
                        (f"{m}[::2]", ((a + 1) // 2, b))]
            if a > 1 and b > 1:
                options += [(f"{m}[1:, :{b - 1}]", (a - 1, b - 1)), (f"{m}[:, 1:]", (a, b - 1))]
        e, shape = self.rng.choice(options)
        self.put(f"{name} = {e}")
        self.scope.mats[name] = shape

    def do_broadcast(self) -> None:
        v, w = self.vec(), self.vec()
        shape = (self.scope.vecs[v], self.scope.vecs[w])
        name = self.fresh("m")
        self.put(self.rng.choice((f"{name} = {v}[:, None] {self.rng.choice('+-*')} {w}[None, :]", f"{name} = np.sin({v}[:, None] - {w})",
                                  f"{name} = np.where({v}[:, None] > {w}, {v}[:, None] * 0.5, {self.atom()})", f"{name} = np.multiply.outer({v}, {w}) * 0.7",
                                  f"{name} = np.add.outer({v}, {w} * {self.atom()})")))
        self.scope.mats[name] = shape

    def do_axis_reduction(self) -> Any:
        m = self.mat()
        if not m:
            return False
        a, b = self.scope.mats[m]
        axis = self.rng.randrange(2)
        n = (b, a)[axis]
        shown = self.rng.choice((axis, axis - 2))
        r = self.rng.random()
        if r < 0.55:
            name = self.fresh("a")
            op = self.rng.choice((f"np.sum({m}, axis={shown})", f"{m}.mean(axis={shown})", f"np.max({m}, axis={shown})", f"{m}.min(axis={shown})",
                                  f"np.prod({m} * 0.8, axis={shown})", f"np.var({m}, axis={shown})", f"np.sqrt(np.sum({m} ** 2, axis={shown}) + 0.3)",
                                  f"np.dot({m}, {self.vector(b, 0)})" if axis else f"{self.vector(a, 0)} @ {m}", f"np.sum({m}, axis=({shown},))"))
            self.put(f"{name} = {op}")
            self.scope.vecs[name] = n
        elif r < 0.8:
            name = self.fresh("m")
            op = self.rng.choice((f"{m} - np.mean({m}, axis={shown}, keepdims=True)", f"{m} / (1.5 + np.sum({m} ** 2, axis={shown}, keepdims=True))",
                                  f"np.cumsum({m}, axis={shown}) * 0.5", f"{m} * np.max({m}, axis={shown}, keepdims=True)"))
            self.put(f"{name} = {op}")
            self.scope.mats[name] = (a, b)
        else:
            s = self.target_scalar()
            self.put(f"{s} = " + self.rng.choice((f"np.trace({m})", f"np.sum(np.diag({m}))", f"np.einsum('ij,ij->', {m}, {self.mat((a, b))})", f"np.linalg.norm({m}) * 0.3",
                                                  f"np.std({m} * np.arange({b}))", f"{m}.sum()")))
            self.bind_scalar(s)
        return None

    def do_cube(self) -> Any:
        m = self.mat()
        if not m:
            return False
        a, b = self.scope.mats[m]
        v = self.vec()
        n = self.scope.vecs[v]
        if a * b * n > 60:
            return False
        name = self.fresh("t")
        e, shape = self.rng.choice(((f"{v}[:, None, None] * {m}", (n, a, b)), (f"{m}[:, :, None] + {v}", (a, b, n)), (f"np.zeros(({n}, {a}, {b}))", (n, a, b)),
                                    (f"np.stack(({m}, {self.matrix((a, b))}))", (2, a, b)), (f"np.sin({m}[:, None, :] * {v}[:, None])", (a, n, b)),
                                    (f"np.array([{m} * w_ for w_ in {v}])", (n, a, b))))
        self.put(f"{name} = {e}")
        self.scope.cubes[name] = shape
        for follow in self.rng.choices((self.do_cube_store, self.do_cube_read, self.do_cube_loop), (3, 3, 1), k=2):
            if follow() is not False:
                self.kinds.add(follow.__name__[3:].replace("_", " "))
        return None

    def do_cube_store(self) -> Any:
        t = self.cube()
        if not t:
            return False
        a, b, c = self.scope.cubes[t]
        i, j, k = self.index(a), self.index(b), self.index(c)
        self.put(self.rng.choice((
            f"{t}[{i}] += {self.matrix((b, c), 0)}", f"{t}[{i}, {j}] = {self.vector(c, 1)}", f"{t}[..., {k}] *= {self.scalar(0)}", f"{t}[:, {j}] -= {self.vector(c, 0)}",
            f"{t}[{i}, {j}, {k}] = {self.scalar(1)}", f"{t}[{i}, :, {k}] += {self.vector(b, 0)}", f"{t} += {t}[::-1] * 0.5", f"{t}[:, :, ::-1] *= np.cos({t})",
            f"{t}[{i}][{j}] *= {self.vector(c, 0)}", f"{t} *= {self.vector(c, 0)}", f"{t}[:, {j}, {k}] = {self.vector(a, 1)}",
            f"{t} -= np.mean({t}, axis={self.rng.randrange(-3, 3)}, keepdims=True)")))
        return None

    def do_cube_read(self) -> Any:
        t = self.cube()
        if not t:
            return False
        a, b, c = self.scope.cubes[t]
        i, j, k = self.index(a), self.index(b), self.index(c)
        matrices = ((f"{t}[{i}]", (b, c)), (f"{t}[:, {j}]", (a, c)), (f"{t}[..., {k}]", (a, b)), (f"{t}.transpose(1, 0, 2)[{j}]", (a, c)), (f"np.sum({t}, axis=1)", (a, c)),
                    (f"{t}.mean(axis=-1)", (a, b)), (f"np.swapaxes({t}, 0, 2)[{k}]", (b, a)), (f"np.max({t}, axis=0)", (b, c)), (f"np.einsum('ijk->ki', {t}) * 1.0", (c, a)),
                    (f"({t} * 0.5).reshape({a * b}, {c})", (a * b, c)))
        vectors = ((f"{t}[{i}, {j}]", c), (f"{t}[:, {j}, {k}]", a), (f"{t}.sum(axis=(0, 1))", c), (f"np.sum({t} ** 2, axis=(0, 2))", b), (f"{t}[{i}, ::-1, {k}]", b),
                   (f"{t}[{i}].sum(axis=0)", c))
        r = self.rng.random()
        if r < 0.4:
            name = self.fresh("v")
            e, shape = self.rng.choice(matrices)
            self.put(f"{name} = {e}")
            self.scope.mats[name] = shape
        elif r < 0.75:
            name = self.fresh("v")
            e, n = self.rng.choice(vectors)
            self.put(f"{name} = {e}")
            self.scope.vecs[name] = n
            self.scope.frozen.add(name)
        else:
            s = self.target_scalar()
            self.put(f"{s} = " + self.rng.choice((f"np.sum({t} ** 2) * 0.2", f"np.mean({t} * {t}[::-1])", f"np.sum(np.sin({t}[{i}]))", f"{t}[{i}, {j}, {k}] * {self.atom()}",
                                                  f"np.tensordot({t}, {t}, axes=3) * 0.1")))
            self.bind_scalar(s)
        return None

    def do_cube_loop(self) -> Any:
        t = self.cube()
        if not t or self.loops >= 2:
            return False
        a, b, c = self.scope.cubes[t]
        e, i = self.fresh("r"), self.fresh("i")
        with self.block(self.rng.choice((f"for {e} in {t}:", f"for {i}, {e} in enumerate({t}):"))):
            self.scope.mats[e] = (b, c)
            self.loops += 1
            self.statements(self.rng.randrange(1, 3))
            self.loops -= 1
        return None

    def do_slice_variable(self) -> Any:
        """Slices whose bounds are known at run time only."""
        if not self.scope.ints:
            return False
        k = self.rng.choice(list(self.scope.ints))
        v = self.vec()
        n = self.scope.vecs[v]
        s = self.fresh("s")
        options = [f"{v}[{k}:] += {self.scalar(1)}", f"{v}[:{k}] *= np.cos({self.atom()})", f"{v}[{k}:{k} + 2] = {self.scalar(1)}", f"{v}[{k}:] *= {v}[{k}:]",
                   f"{v}[{k}:] = {v}[{k}:][::-1] * 0.8", f"{s} = np.sum({v}[{k}:] ** 2)", f"{s} = np.sum({v}[{k}::-1])", f"{s} = {v}[:{k} + 1] @ {v}[:{k} + 1]",
                   f"{v}[{n - 1}:{k}:-1] *= 0.7"]
        if self.scope.mats:
            m = self.mat()
            options += [f"{m}[{k}:] *= {self.atom()}", f"{s} = np.sum({m}[:, {k}:])", f"{m}[:{k}, 0] += {self.scalar(0)}"]
        line = self.rng.choice(options)
        self.put(line)
        if line.startswith(f"{s} ="):
            self.bind_scalar(s)
        return None

    def do_ragged(self) -> Any:
        """An array bound to other lengths, on a path that the data choose."""
        if self.loops >= 2:
            return False
        n = max(self.scope.vecs.values())
        if n < 4:
            return False
        name, i, s = self.fresh("a"), self.fresh("i"), self.fresh("s")
        self.put(f"{name} = {self.vector(n, 1)} * 1.0")
        with self.block(f"for {i} in range({self.rng.choice((2, 3))}):"):
            self.scope.ints[i] = 3
            with self.block(f"if {self.condition(0)}:"):
                self.put(f"{name} = " + self.rng.choice((f"{name}[1:] * np.cos({name}[:-1])", f"{name}[1:]", f"{name}[:-1] + {self.atom()}", f"np.diff({name})")))
            if self.chance(0.6):
                with self.block("else:"):
                    self.put(f"{name} = " + self.rng.choice((f"np.append({name}, {self.atom()})", f"np.concatenate(({name}, {name}[:1] * 0.5))", f"np.concatenate(({name}[-1:], {name}))")))
            if self.chance(0.5):
                self.put(self.rng.choice((f"{name}[0] *= {self.atom()}", f"{name}[-1] += {name}[0]", f"{name} *= 0.9")))
        self.put(f"{s} = np.sum({name} * {name}) * 0.3")
        self.bind_scalar(s)
        return None
