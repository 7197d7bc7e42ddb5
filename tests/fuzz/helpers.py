"""Random helper functions that programs call: readers, writers, view makers, recursive ones."""

from __future__ import annotations

from tests.fuzz.writer import Writer


class Helpers(Writer):
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
            "rows": rng.choice((
                f"def {name}(m, q):\n    for r in m:\n        r *= {c1}\n        r[0] += q\n",
                f"def {name}(m, q):\n    m[0] = m[-1] * q\n    for i in range(m.shape[0]):\n        for j in range(m.shape[1]):\n            if m[i, j] > {c2}:\n"
                f"                m[i, j] = np.sin(m[i, j])\n",
                f"def {name}(m, q):\n    t = m.T\n    t[-1] *= np.cos(q)\n    m += np.mean(m) * {c1}\n")),
            "higher": rng.choice((
                f"def {name}(h, v):\n    s = 0.0\n    for e in v:\n        s = s * {c1} + h(e)\n    return s\n",
                f"def {name}(h, v):\n    v[0] = h(v[-1])\n    return h(v[0]) * {c1}\n")),
            "unary": f"def {name}(p):\n    return np.sin(p) * {c1} if p > {c2} else p * p\n",
            "varargs": rng.choice((
                f"def {name}(p, *vs, k=1):\n    s = p\n    for v in vs:\n        s = s + v[k] * {c1}\n        v[0] = s * 0.5\n    return np.sin(s)\n",
                f"def {name}(p, *vs, k=2, **more):\n    return sum([np.sum(v) * p for v in vs]) + k * {c1}\n")),
            "recursive": f"def {name}(p, k):\n    if k == 0:\n        return np.sin(p)\n    return {name}(p * {c1}, k - 1) * p + {c2}\n",
        }
        if kind == "rows":
            self.kinds.add("helper that writes rows")
        self.top.append(texts[kind] + "\n")
        self.helpers[name] = kind
