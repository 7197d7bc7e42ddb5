"""The simplifier keeps results and makes the text smaller."""

from dataclasses import replace

import numpy as np
import pytest

import s2sgrad.rules  # noqa: F401
from s2sgrad import emit
from s2sgrad.ir import (
    BOOL,
    FLOAT,
    INT,
    Accum,
    Append,
    Array,
    Assign,
    Comment,
    Const,
    For,
    Function,
    If,
    Index,
    ListType,
    Param,
    Pop,
    Print,
    Program,
    Return,
    Scalar,
    Slice,
    Store,
    Var,
    call,
)
from s2sgrad.optimise import simplify
from s2sgrad.optimise.fold import fold
from s2sgrad.optimise.simplify import PASSES
from s2sgrad.transform import reverse
from tests.random_core import Generator, N

F = Scalar("float64")
V = Array("float64", 1)
x, y, z, g, x_bar, y_bar = (Var(n, F) for n in ("x", "y", "z", "_g", "x_bar", "y_bar"))
a, b, c, w = (Var(n, V) for n in ("a", "b", "c", "_w"))
n, i = Var("n", INT), Var("i", INT)
ZERO = Const(0.0, F)


def lit(value):
    return Const(value, {bool: BOOL, int: INT, float: FLOAT}[type(value)])


def text(body, params=(x, y, n, a, b)):
    f = Function("f", [Param(p.name, p.type) for p in params], body)
    lines = emit.text(simplify(Program(f)), imports=False).splitlines()
    return [line[4:] for line in lines[1:]]


def run(text):
    space = {}
    exec(compile(text, "<emitted>", "exec"), space)
    a, b = np.linspace(0.3, 1.1, N), np.linspace(-0.7, 0.9, N)
    with np.errstate(all="ignore"):
        out = space["f"](np.float64(0.4), np.float64(-0.6), a, b)
    return [np.array(v) for v in (*out, a, b)]


@pytest.mark.parametrize("seed", range(150))
def test_random_programs_keep_their_results(seed):
    program = Generator(seed).program()
    want = run(emit.text(program))
    for got in (run(emit.text(simplify(program))),):
        for p, q in zip(want, got, strict=True):
            np.testing.assert_array_equal(p, q)


@pytest.mark.parametrize("name", list(PASSES))
def test_each_pass_alone_keeps_results(name):
    for seed in range(1000, 1040):
        program = Generator(seed).program()
        want = run(emit.text(program))
        for _ in range(2):
            program = Program(PASSES[name](program.main, program))
        for p, q in zip(want, run(emit.text(program)), strict=True):
            np.testing.assert_array_equal(p, q, err_msg=f"seed {seed}")


FOLDS = [
    (1.0 * x, "x"), (x * 1.0, "x"), (x / 1.0, "x"), (0.0 + x, "x"), (x - 0.0, "x"), (-(-x), "x"), (x * -1.0, "-x"), (0.0 * x, "0.0 * x"),
    (x + -y, "x - y"), (x - -y, "x + y"), (-x + y, "y - x"), (x * -y, "-(x * y)"), ((-x) / y, "-(x / y)"), (n - 1 + 1, "n"), (n - 1 - n, "-1"),
    (n + n, "n + n"), (2 + n + 3, "n + 5"), (call("not", call("not", Var("p", BOOL))), "p"), (call("not", x > y), "not x > y"),
    (call("astype", x, dtype="float64"), "x"), (call("pyfloat", lit(2)), "2.0"), (call("ifexp", lit(True), x, y), "x"),
    (call("add", call("copy", a), b), "a + b"), (call("copy", call("mul", a, b)), "a * b"), (x ** 1, "x"),
    (Const(1.0, F) * Var("h", Scalar("float32")), "np.float64(1.0) * h"),
]


@pytest.mark.parametrize(("e", "want"), FOLDS, ids=[t for _, t in FOLDS])
def test_fold(e, want):
    assert emit.expression(fold(e)) == want
    assert fold(e).type == e.type


def reverse_step(*contributions):
    return [Comment("line 5: y = y * np.sin(x)"), Assign(g, y_bar), Assign(y_bar, ZERO), *contributions]


@pytest.mark.parametrize("flip", [False, True])
def test_adjoint_of_a_product(flip):
    parts = [Accum(x_bar, None, g * y * call("cos", x) * 1.0), Accum(y_bar, None, g * call("sin", x))]
    loop = For(i, n - 1 + 0, lit(0) - 1, lit(-1), reverse_step(*parts[::-1] if flip else parts))
    assert text([Assign(x_bar, ZERO), loop, Return([x_bar])], (x, y, n, y_bar)) == [
        "x_bar = 0.0",
        "for i in range(n - 1, -1, -1):",
        "    # line 5: y = y * np.sin(x)",
        "    x_bar += y_bar * y * np.cos(x)",
        "    y_bar = y_bar * np.sin(x)",
        "return x_bar",
    ]


def test_straight_line_contributions():
    body = [Assign(x_bar, ZERO), Assign(y_bar, ZERO), Accum(y_bar, None, lit(1.0) * x), Assign(g, y_bar), Assign(y_bar, ZERO),
            Accum(x_bar, None, g * call("cos", x)), Accum(x_bar, None, -g), Return([x_bar])]
    assert text(body) == ["x_bar = x * np.cos(x) - x", "return x_bar"]


def test_array_element():
    body = [Assign(c, call("zeros_like", a)), Assign(g, Index(b, (i,), F)), Store(b, (i,), lit(0.0)), Accum(c, (i,), g * 2.0), Return([c])]
    assert text(body, (a, b, i)) == ["c = np.zeros_like(a)", "c[i] += b[i] * 2.0", "b[i] = 0.0", "return c"]


def test_array_element_of_an_alias_stays():
    body = [Assign(c, Index(b, (Slice(),), V)), Assign(g, Index(b, (i,), F)), Store(b, (i,), lit(0.0)), Accum(c, (i,), g * 2.0), Return([c])]
    assert "_g = b[i]" in text(body, (a, b, i))


def test_dead_code():
    done = Var("done", BOOL)
    body = [
        Assign(z, x * y), Assign(c, call("zeros_like", a)), Store(c, (lit(0),), x), Assign(done, lit(False)),
        For(i, lit(0), n, lit(1), [Comment("line 3: c[i] = x"), Store(c, (i,), x), If(x > y, [Assign(done, lit(True))])], exit=done),
        If(lit(True), [Assign(y, x)]), Return([y]),
    ]
    assert text(body) == ["y = x", "return y"]


def test_writes_to_parameters_and_output_stay():
    body = [Assign(c, Index(a, (Slice(lit(1), None),), V)), Store(c, (lit(0),), x), Print([x]), Return([y])]
    assert text(body) == ["c = a[1:]", "c[0] = x", "print(x)", "return y"]


def test_own_copies_of_arguments():
    own = Assign(a, call("copy", a))
    assert text([own, Store(a, (lit(0),), x), Return([y])]) == ["return y"]
    assert text([own, Store(a, (lit(0),), x), Return([Index(a, (i,), F)])], (x, a, i)) == ["a = a.copy()", "a[0] = x", "return a[i]"]
    assert text([own, Return([Index(a, (i,), F)])], (a, i)) == ["return a[i]"]


def test_unused_saves_on_a_list_go():
    items = Var("items", ListType(V))
    body = [
        Assign(items, call("list_new", item=items.type.item)), For(i, lit(0), n, lit(1), [Assign(w, call("copy", a)), Append(items, w)]),
        For(i, lit(0), n, lit(1), [Pop(b, items), Assign(z, x)]), Return([z]),
    ]
    assert text(body, (x, z, n, a)) == ["for i in range(n):", "    z = x", "return z"]


def test_temporaries():
    t = Var("_t", F)
    assert text([Assign(t, x * 2.0), Assign(y, t), Assign(z, t + y), Return([y, z])]) == ["y = x * 2.0", "z = y + y", "return y, z"]
    assert text([Assign(t, x * 2.0), Assign(x, y), Assign(z, t + x), Return([z, x])]) == ["_t = x * 2.0", "x = y", "z = _t + x", "return z, x"]
    assert text([Assign(t, x * 2.0), If(y > t, [Assign(y, x)]), Return([y])]) == ["if y > x * 2.0:", "    y = x", "return y"]


@pytest.mark.parametrize("seed", range(2000, 2030))
def test_adjoints_keep_their_results(seed):
    program = Generator(seed).program()
    main = program.main
    main = replace(main, body=[*main.body[:-1], Return(main.returns[:1])])
    raw = reverse(Program(main), ["x", "y", "a", "b"], seeds="one", value=True)
    own = [Assign(v, call("copy", v)) for v in (a, b)]
    raw = replace(raw, main=replace(raw.main, name="f", body=[*own, *raw.main.body], written=set()))
    small = simplify(raw)
    assert len(emit.text(small)) < len(emit.text(raw))
    for p, q in zip(run(emit.text(raw)), run(emit.text(small)), strict=True):
        np.testing.assert_allclose(p, q, rtol=1e-13)


def test_a_copy_that_unbroadcast_may_hand_on_stays():
    h = Var("_h", V)
    body = [Assign(w, call("copy", b)), Assign(h, call("unbroadcast", w, a)), Store(b, (), lit(0.0)), Accum(c, (), h), Accum(a, (), h), Return([c])]
    assert "_h = unbroadcast(b.copy(), a)" in text(body, (a, b, c))


def test_first_contribution_to_an_array():
    a_bar = Var("a_bar", V)
    zeros = Assign(a_bar, call("zeros_like", a))
    assert text([zeros, Accum(a_bar, (), a * 2.0), Accum(a_bar, (), b), Return([a_bar])]) == ["a_bar = a * 2.0", "a_bar += b", "return a_bar"]
    assert text([zeros, Accum(a_bar, (), lit(1.0)), Return([a_bar])]) == ["a_bar = np.ones_like(a)", "return a_bar"]
    assert text([zeros, Accum(a_bar, (), a), Return([a_bar])]) == ["a_bar = a.copy()", "return a_bar"]
    assert text([zeros, Accum(a_bar, (), b), Return([a_bar])]) == ["a_bar = np.zeros_like(a)", "a_bar += b", "return a_bar"]
    again = text([zeros, Assign(a, b * 1.5), Accum(a_bar, (), lit(1.0)), Return([a_bar, a])])
    assert again == ["a_bar = np.zeros_like(a)", "a = b * 1.5", "a_bar += 1.0", "return a_bar, a"]


def test_costly_values_are_shared_within_a_statement():
    m = Var("m", Array("float64", 2))
    product = call("matmul", m, m)
    assert text([Return([product + product.T])], (m,)) == ["part = m @ m", "return part + part.T"]
    assert text([Return([call("sin", a) + call("sin", a)])], (a,)) == ["return np.sin(a) + np.sin(a)"]
    twice = product + product.T
    lines = text([Return([twice * twice])], (m,))
    assert sum("m @ m" in line for line in lines) == 1 and len(lines) == 3
