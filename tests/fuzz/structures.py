"""Random statements about structures (named tuples, data classes, lists, dicts), functions as values, and smaller pieces of syntax."""

from __future__ import annotations

from typing import Any

from tests.fuzz.expressions import Expressions


class Structures(Expressions):
    def structure_parameter(self) -> tuple[str, str]:
        """A parameter that is a structure, and its value; what it holds gets names in the scope."""
        n = self.rng.randrange(3, 6)
        data = f"np.array({[self.datum() for _ in range(n)]})"
        number = self.datum()
        kind = self.rng.choice(("named tuple", "data class", "dict", "tuple", "list", "object"))
        self.kinds.add(kind + " argument")
        array, scalar, value = {
            "named tuple": ("g.a", "g.b", f"Pair({data}, {number})"),
            "data class": ("g.w", "g.k", f"Box({data}, {number}, 2)"),
            "dict": ('g["w"]', 'g["b"]', f'{{"w": {data}, "b": {number}}}'),
            "tuple": ("g[0]", "g[1][0]", f"({data}, ({number}, 2))"),
            "list": ("g[1]", "g[0]", f"[{number}, {data}]"),
            "object": ("g.w", "g.k", f"Scale({data}, {number})"),
        }[kind]
        self.scope.vecs[array] = n
        self.scope.scalars.append(scalar)
        self.scope.frozen |= {array, scalar}
        if kind == "object":
            self.helpers["g"] = "method"
        return "g", value

    def do_method(self) -> Any:
        if "g" not in self.helpers:
            return False
        s = self.target_scalar()
        v = self.vec()
        self.put(self.rng.choice((f"g.apply({v}, {self.scalar(0)})", f"{s} = g.apply({self.view(2) or v}, {self.atom()}) + {v}[0]")))
        if self.lines[-1].strip().startswith(s + " ="):
            self.bind_scalar(s)
        return None

    def do_named_tuple(self) -> None:
        t, s = self.fresh("t"), self.fresh("s")
        v = self.vec()
        n = self.scope.vecs[v]
        self.put(f"{t} = Pair({v if self.chance(0.6) else self.vector(n, 1)}, {self.scalar(1)})")
        r = self.rng.random()
        if r < 0.35:
            self.put(f"{s} = {t}.b * {t}.a[{self.index(n)}]")
        elif r < 0.6:
            self.put(f"{t}.a[{self.index(n)}] += {t}.b")
            self.put(f"{s} = np.sum({t}.a)")
        elif r < 0.8:
            self.put(f"{t} = {t}._replace(b={self.scalar(1)})")
            self.put(f"{s} = {t}.b + {t}[0][0]")
        else:
            w = self.fresh("b")
            self.put(f"{w}, {s} = {t}")
            self.scope.vecs[w] = n
        self.bind_scalar(s)

    def do_tuple_loop(self) -> Any:
        if self.loops >= 2:
            return False
        e = self.fresh("e")
        free = [s for s in self.scope.scalars if s not in self.scope.frozen]
        if self.chance(0.5):
            arrays = [self.vec() for _ in range(self.rng.randrange(2, 4))]
            n = min(self.scope.vecs[v] for v in arrays)
            header = f"for {e} in ({', '.join(arrays)}):"
            extra: dict[str, Any] = {"vecs": {e: n}}
        elif self.chance(0.5):
            header = f"for {e} in ({self.scalar(1)}, {self.atom()}, {self.atom()}):"
            extra = {"scalars": [e]}
        else:
            g = self.fresh("e")
            header = f"for {e}, {g} in (({self.atom()}, {self.scalar(0)}), ({self.atom()}, {self.atom()})):"
            extra = {"scalars": [e, g]}
        with self.block(header):
            self.scope.vecs.update(extra.get("vecs", {}))
            self.scope.scalars += extra.get("scalars", [])
            self.scope.frozen |= set(extra.get("vecs", {}))
            self.loops += 1
            if "scalars" in extra and free and self.chance(0.5):
                self.put(f"{self.rng.choice(free)} += {e} * {self.atom()}")
            self.statements(self.rng.randrange(1, 3))
            self.loops -= 1
        return None

    def do_list_of_arrays(self) -> None:
        out, s = self.fresh("l"), self.fresh("s")
        n = self.rng.choice(list(self.scope.vecs.values()))
        a, b = self.vec(n), self.vector(n, 1)
        self.put(f"{out} = [{a}, {b} * 1.0, {self.vec(n)}[::-1]]")
        r = self.rng.random()
        if r < 0.3:
            self.put(f"{out}[0], {out}[1] = {out}[1], {out}[0]")
            self.put(f"{out}[0][0] += {out}[1][-1]")
        elif r < 0.55:
            e = self.fresh("e")
            with self.block(f"for {e} in {out}:"):
                self.put(self.rng.choice((f"{e} *= 0.8", f"{e}[0] = {e}[-1] * {self.atom()}", f"{e} += {out}[1]")))
        elif r < 0.75:
            self.put(f"{out}[1] = {out}[0] * {out}[2]")
            self.put(f"{out}[2][1] *= {self.atom()}")
        else:
            self.put(f"{out}.append({self.vector(n, 1)})")
            self.put(f"{out}.pop({self.rng.choice(('', '0', '1'))})")
        self.put(f"{s} = " + self.rng.choice((f"np.sum({out}[0] * {out}[-1])", f"sum([np.sum(e_ * e_) for e_ in {out}]) * 0.3", f"np.sum(np.array({out}) ** 2) * 0.3",
                                             f"np.sum(np.stack({out})[:, 0])", f"len({out}) * {out}[1][0]")))
        self.bind_scalar(s)

    def do_stack(self) -> Any:
        """A list of numbers used as a stack, emptied by a while loop."""
        if self.loops >= 2:
            return False
        out, s, e = self.fresh("l"), self.fresh("s"), self.fresh("e")
        v = self.vec()
        self.put(f"{out} = " + self.rng.choice((f"[w_ * 1.0 for w_ in {v}]", f"[{self.scalar(1)} * 1.0, {self.atom()} * 1.0]", f"[w_ * 0.8 for w_ in {v} if w_ > {self.number()}]")))
        self.put(f"{s} = {self.scalar(0)} * 1.0")
        with self.block(f"while {out}:" if self.chance(0.3) else f"while len({out}) > 0:"):
            self.put(f"{e} = {out}.pop()")
            self.put(f"{s} = {self.rng.choice((f'np.sin({s}) + {e}', f'{s} + {e} * {self.atom()}', f'{s} * 0.5 + {e} * {e}'))}")
            if self.chance(0.4):
                with self.block(f"if {e} > {self.number()} and len({out}) > 1:"):
                    self.put(self.rng.choice((f"{out}[-1] = {out}[-1] * {e}", f"{out}[0] += {e}", f"{out}.pop()", "break")))
        self.bind_scalar(s)
        return None

    def do_function_value(self) -> None:
        h, s = self.fresh("g"), self.fresh("s")
        r = self.rng.random()
        if r < 0.3 and self.helpers_of("higher"):
            f = self.rng.choice(("np.sin", "np.cos", f"lambda u_: u_ * {self.atom()} + 0.1", *self.helpers_of("unary")))
            self.put(f"{s} = {self.rng.choice(self.helpers_of('higher'))}({f}, {self.vec()})")
        elif r < 0.5 and self.helpers_of("scalar"):
            self.put(f"{h} = partial({self.rng.choice(self.helpers_of('scalar'))}, q={self.atom()})")
            self.put(f"{s} = {h}({self.atom()}) * {h}({self.atom()})")
        elif r < 0.7:
            i = self.fresh("i")
            self.put(f"{h} = [lambda u_, k_=k_: np.sin(u_ * {self.atom()}) + k_ for k_ in range(3)]")
            self.put(f"{s} = 0.0")
            with self.block(f"for {i} in {h}:"):
                self.put(f"{s} += {i}({self.atom()}) * {self.atom()}")
        elif r < 0.85:
            self.put(f"{h} = np.tanh if {self.number()} > 0 else np.sin")
            self.put(f"{s} = {h}({self.scalar(1)})")
        else:
            v = self.vec()
            with self.block(f"def {h}(u_, *rest_, scale_={self.number()}):"):
                self.put("t_ = u_ * scale_")
                with self.block("for e_ in rest_:"):
                    self.put(f"t_ += np.sin(e_) * {v}[0]")
                self.put("return t_")
            self.put(f"{s} = {h}({self.atom()}, {self.atom()}, {self.scalar(0)}) + {h}({self.atom()}, scale_={self.atom()})")
        self.bind_scalar(s)

    def do_varargs(self) -> Any:
        hs = self.helpers_of("varargs")
        if not hs:
            return False
        s = self.fresh("s")
        h = self.rng.choice(hs)
        self.put(f"{s} = " + self.rng.choice((f"{h}({self.atom()}, {self.vec()}, {self.vec()})", f"{h}({self.atom()}, {self.vec()}, k={self.rng.randrange(3)})", f"{h}({self.scalar(0)})")))
        self.bind_scalar(s)
        return None

    def do_rows(self) -> Any:
        hs = self.helpers_of("rows")
        m = self.mat()
        if not hs or not m:
            return False
        self.put(f"{self.rng.choice(hs)}({self.rng.choice((m, m, m + '.T', m + '[::-1]', m + '[1:]' if self.scope.mats[m][0] > 1 else m))}, {self.scalar(0)})")
        return None

    def do_star(self) -> None:
        a, r = self.fresh("s"), self.fresh("t")
        self.put(f"{a}, *{r} = ({self.scalar(1)}, {self.atom()}, {self.atom()})")
        self.put(f"{a} = {a} + " + self.rng.choice((f"{r}[0] * {r}[1]", f"sum({r})", f"max({r})")))
        self.bind_scalar(a)

    def do_syntax(self) -> None:
        """with errstate, try/finally, match, assert, del."""
        s = self.fresh("s")
        kind = self.rng.choice(("with", "try", "match", "assert", "del"))
        self.kinds.add(kind)
        if kind == "with":
            self.put(f"{s} = 0.0")
            with self.block('with np.errstate(all="ignore"):'):
                self.statements(1)
                self.put(f"{s} += {self.scalar(1)}")
        elif kind == "try":
            self.put(f"{s} = {self.atom()} * 1.0")
            with self.block("try:"):
                self.statements(1)
                self.put(f"{s} *= {self.scalar(0)}")
            with self.block("finally:"):
                self.put(f"{s} += {self.atom()}")
        elif kind == "match":
            k = self.rng.choice(list(self.scope.ints))
            self.put(f"{s} = 0.5")
            with self.block(f"match {k}:"):
                with self.block("case 1:"):
                    self.put(f"{s} = {self.scalar(1)} * 1.0")
                with self.block("case 0 | 2:"):
                    self.statements(1)
                    self.put(f"{s} *= {self.atom()}")
                with self.block("case _:"):
                    self.put(f"{s} += {self.atom()}")
        elif kind == "assert":
            self.put(f"{s} = {self.scalar(1)} * 1.0")
            self.put(f'assert abs({s}) < 1e9, "too large"')
        else:
            d = self.fresh("d")
            self.put(f"{d} = {self.vec()}")
            self.put(f"{s} = {d}[0] * {self.atom()}")
            self.put(f"del {d}")
        self.bind_scalar(s)

    def do_return(self) -> None:
        with self.block(f"if {self.condition()} and {self.atom()} > 1.2:"):
            if self.chance(0.3):
                self.statements(1)
            self.put(f"return {self.scalar(2)} * 1.0")
