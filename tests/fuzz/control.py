"""Random statements about control flow, calls and data structures."""

from __future__ import annotations

from typing import Any

from tests.fuzz.expressions import Expressions


class Control(Expressions):
    def statements(self, count: int) -> None:
        raise AssertionError("the generator chooses the statements")

    def target_scalar(self) -> str:
        raise AssertionError("see Stores")

    def bind_scalar(self, name: str) -> None:
        raise AssertionError("see Stores")

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
        after = None
        if r < 0.34:
            header = f"for {i} in range({n}):"
            after = n
        elif r < 0.38:
            k = self.rng.choice(list(self.scope.ints))
            header = self.rng.choice((f"for {i} in range({n - 1}, {k} - 1, -1):", f"for {i} in range({k} % 3, {n}):", f"for {i} in range({k} % 2):",
                                      f"for {i} in range({n + 1}, 0, -2):", f"for {i} in range({k}, {k} + 2):"))
            extra = {"ints": {i: 9}}
            self.kinds.add("computed bounds")
        elif r < 0.40:
            header = f"for {i} in range({n} - {n}):"
            self.kinds.add("no trip")
        elif r < 0.5:
            header = f"for {i} in range({n - 1}, -1, -1):"
            after = n
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
            header = self.rng.choice((f"for {e}, {g} in zip({v}, {w}):", f"for {i}, ({e}, {g}) in enumerate(zip({v}, {w})):", f"for {e}, {g} in zip({v}, {w}[::-1]):"))
            extra = {"scalars": [e, g], "ints": {i: 6} if "enumerate" in header else {}}
            self.kinds.add("zip")
        with self.block(header):
            self.scope.scalars += extra.get("scalars", [])
            self.scope.vecs.update(extra.get("vecs", {}))
            self.scope.ints.update(extra.get("ints", {}))
            self.loop_body()
            if self.chance(0.08) and extra.get("ints"):
                self.put(f"{i} = ({i} + 1) % 2")
                self.kinds.add("loop variable reassigned")
        if after and self.chance(0.3):
            self.scope.ints[i] = after
            self.kinds.add("loop variable kept")
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
            if first and self.chance(0.25):
                self.jump()
                self.statements(1)
            self.loops -= 1
            if not first:
                self.put(f"{k} += 1")
        if header != "while True:" and self.chance(0.12):
            self.kinds.add("while else")
            with self.block("else:"):
                self.statements(1)
        self.scope.ints[k] = bound + 2

    def do_while_value(self) -> Any:
        """A loop whose condition is about a float: a counter with a float step, or a value named by a walrus."""
        if self.loops >= 2:
            return False
        t, k = self.fresh("s"), self.fresh("k")
        if self.chance(0.5):
            self.put(f"{t} = 0.0")
            with self.block(f"while {t} < {self.rng.choice(('0.9', '1.25', '2.1'))}:"):
                self.scope.scalars.append(t)
                self.scope.frozen.add(t)
                self.loops += 1
                self.statements(self.rng.randrange(1, 3))
                self.loops -= 1
                self.put(f"{t} += {self.rng.choice(('0.5', '0.4'))}")
            self.kinds.add("float counter")
        else:
            self.put(f"{k} = 0")
            with self.block(f"while ({t} := {self.scalar(1)}) > {self.number()} and {k} < 3:"):
                self.put(f"{k} += 1")
                self.scope.ints[k] = 4
                self.scope.scalars.append(t)
                self.loops += 1
                self.statements(self.rng.randrange(1, 3))
                self.loops -= 1
            self.kinds.add("walrus in while")
        self.bind_scalar(t)
        return None

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
            with self.block(f"def {h}(u_):"):
                self.put(f"return np.sin(u_) * {self.atom()} + {v}[{self.index(self.scope.vecs[v])}]")
        elif r < 0.6:
            with self.block(f"def {h}(u_):"):
                self.put(f"{v}[0] = {v}[0] * np.cos(u_)")
                self.put(f"return {v}[0] + u_")
        elif r < 0.8 and [s for s in self.scope.scalars if s not in self.scope.frozen and s != "c"] and self.depth == 0:
            s = self.rng.choice([s for s in self.scope.scalars if s not in self.scope.frozen and s != "c"])
            self.kinds.add("nonlocal")
            with self.block(f"def {h}(u_):"):
                self.put(f"nonlocal {s}")
                self.put(f"{s} = {s} * 0.7 + u_")
                self.put(f"return {s} * u_")
        else:
            self.put(f"{h} = lambda u_: u_ * {self.atom()} + {self.atom()}")
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
        element = lambda: f"{self.vector(n, 1)} * 1.0" if arrays else f"{self.scalar(1)} * 1.0"
        self.put(f"{out} = []" if self.chance(0.7) else f"{out} = [{element()}]")
        if self.chance(0.3):
            with self.block(f"if {self.condition(0)}:"):
                self.put(f"{out}.append({element()})")
        with self.block(f"for {i} in range({self.rng.choice((3, 4, 6))}):"):
            self.scope.ints[i] = 6
            value = element()
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
