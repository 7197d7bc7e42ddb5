"""The reverse and the forward transform on random Core programs: against each other and against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sgrad import emit
from s2sgrad.ir import FLOAT, INT, Array, Assign, Const, For, Function, If, Index, Param, Place, Program, Return, Scalar, Store, Var, call
from s2sgrad.optimise import simplify
from s2sgrad.transform import reverse, tangent
from tests.random_core import Generator

WRT = ["x", "y", "a", "b"]


def run(program: Program, *args: Any) -> np.ndarray:
    """Execute the emitted text in plain Python; all results in one vector."""
    space: dict[str, Any] = {}
    exec(emit.text(program), space)
    out = space[program.main.name](*(a.copy() if isinstance(a, np.ndarray) else a for a in args))
    return np.concatenate([np.atleast_1d(np.asarray(v, dtype=float)) for v in out])


def arguments(z: np.ndarray) -> tuple[Any, ...]:
    return z[0], z[1], z[2:6], z[6:]


@pytest.mark.parametrize("first", range(0, 160, 20))
def test_reverse_is_the_transpose_of_forward(first: int) -> None:
    """<w, J d> computed forwards, backwards and by differences."""
    checked = 0
    for seed in range(first, first + 20):
        program = Generator(seed).program()
        r = np.random.default_rng(seed)
        z, d = r.normal(size=10), r.normal(size=10)
        with np.errstate(all="ignore"):
            value = run(program, *arguments(z))
            if not np.all(np.isfinite(value)) or np.max(np.abs(value)) > 1e6:
                continue
            w = r.normal(size=value.shape)
            seeds = (w[0], w[1], w[2:])
            adjoint = reverse(program, WRT, seeds="params")
            g = run(adjoint, *arguments(z), *seeds)
            np.testing.assert_allclose(run(simplify(adjoint), *arguments(z), *seeds), g, rtol=1e-9, atol=1e-9)
            saved_all = reverse(program, WRT, seeds="params", save_all=True)
            np.testing.assert_allclose(run(saved_all, *arguments(z), *seeds), g, rtol=1e-9, atol=1e-9)
            t = run(tangent(program, WRT), *arguments(z), *arguments(d))[len(value):]
            np.testing.assert_allclose(t @ w, g @ d, rtol=1e-7, atol=1e-9)
            steps = [(run(program, *arguments(z + h * d)) - run(program, *arguments(z - h * d))) @ w / (2 * h) for h in (1e-4, 1e-5, 1e-6)]
        assert min(abs(s - g @ d) for s in steps) <= 1e-4 * (1 + abs(g @ d)), f"seed {seed}"
        checked += 1
    assert checked >= 15


def test_the_adjoint_reads_as_one_would_write_it() -> None:
    """The saved value per iteration, the user's line, one statement per contribution."""
    x, n, y, i = Var("x", FLOAT), Var("n", INT), Var("y", FLOAT), Var("i", INT)
    step = Assign(y, y * np.sin(x), place=Place("f.py", 5, "y = y * np.sin(x)"))
    loop = For(i, Const(0, INT), n, Const(1, INT), [step])
    f = Function("f", [Param("x", FLOAT), Param("n", INT)], [Assign(y, Const(1.0, FLOAT)), loop, Return([y])])
    text = emit.text(simplify(reverse(Program(f), ["x"], name="f_grad_x")))
    space: dict[str, Any] = {}
    exec(text, space)
    np.testing.assert_allclose(space["f_grad_x"](0.7, 3), 3 * np.sin(0.7) ** 2 * np.cos(0.7), rtol=1e-14)
    assert text.split('"""\n')[1] == """\
    # forward sweep
    y = 1.0
    y_saved = np.empty(max(n, 0))
    for i in range(n):
        y_saved[i] = y
        y = y * np.sin(x)
    # reverse sweep
    x_bar = 0.0
    y_bar = 1.0
    for i in range(n - 1, -1, -1):
        # line 5: y = y * np.sin(x)
        y = y_saved[i]
        x_bar += y_bar * y * np.cos(x)
        y_bar = y_bar * np.sin(x)
    return x_bar
"""


def test_nothing_is_saved_for_a_linear_accumulation() -> None:
    """`s += x[i] * c` needs no saved value."""
    x, s, i, c = Var("x", Array("float64", 1)), Var("s", FLOAT), Var("i", INT), Var("c", FLOAT)
    element = Index(x, (i,), Scalar("float64"))
    f = Function("f", [Param("x", x.type), Param("c", FLOAT)], [
        Assign(s, Const(0.0, FLOAT)), For(i, Const(0, INT), x.dim(0), Const(1, INT), [Assign(s, s + element * c)]), Return([s])])
    text = emit.text(simplify(reverse(Program(f), ["x"])))
    assert "saved" not in text
    np.testing.assert_allclose(run_text(text, "f_grad", np.ones(3), 2.5), [2.5, 2.5, 2.5])


def run_text(text: str, name: str, *args: Any) -> Any:
    space: dict[str, Any] = {}
    exec(text, space)
    return space[name](*args)


def test_a_decision_taken_on_unchanged_data_is_taken_again_not_saved() -> None:
    """The branch condition reads only the parameter, so the reverse sweep evaluates it again."""
    x, s, i = Var("x", Array("float64", 1)), Var("s", FLOAT), Var("i", INT)
    element = Index(x, (i,), Scalar("float64"))
    f = Function("f", [Param("x", x.type)], [
        Assign(s, Const(0.0, FLOAT)),
        For(i, Const(0, INT), x.dim(0), Const(1, INT), [If(element > 0.0, [Assign(s, s + element * element)], [Assign(s, s - element)])]),
        Return([s])])
    text = emit.text(simplify(reverse(Program(f), ["x"])))
    assert "saved" not in text and "took" not in text
    np.testing.assert_allclose(run_text(text, "f_grad", np.array([2.0, -3.0])), [4.0, -1.0])


def test_an_exact_zero_from_downstream_stays_zero() -> None:
    """where(x > 0, sqrt(x), 0): the infinite partial at 0 meets a zero adjoint."""
    x, s = Var("x", Array("float64", 1)), Var("s", Scalar("float64"))
    value = call("sum", call("where", x > 0.0, np.sqrt(x), 0.0), axis=None, keepdims=False)
    f = Function("f", [Param("x", x.type)], [Assign(s, value), Return([s])])
    with np.errstate(all="ignore"):
        got = run_text(emit.text(simplify(reverse(Program(f), ["x"]))), "f_grad", np.array([0.0, 4.0, -1.0]))
    np.testing.assert_array_equal(got, [0.0, 0.25, 0.0])


def test_stores_through_repeated_indices_give_the_gradient_to_the_last_writer() -> None:
    """a[idx] = v keeps the last value written to a cell, so only that one has an influence."""
    v, idx, a, s = (Var("v", Array("float64", 1)), Var("idx", Array("int64", 1)), Var("a", Array("float64", 1)), Var("s", Scalar("float64")))
    f = Function("f", [Param("v", v.type), Param("idx", idx.type)], [
        Assign(a, call("zeros", Const(3, INT), dtype="float64")), Store(a, (idx,), v),
        Assign(s, call("sum", a * a, axis=None, keepdims=False)), Return([s])])
    got = run_text(emit.text(simplify(reverse(Program(f), ["v"]))), "f_grad", np.array([1.0, 2.0, 5.0]), np.array([1, 0, 1]))
    np.testing.assert_array_equal(got, [0.0, 4.0, 10.0])
