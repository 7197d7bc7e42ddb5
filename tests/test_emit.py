"""Core to text: what is printed, that it parses back, that it runs."""

import ast
import math
from pathlib import Path

import gast
import numpy as np
import pytest

import s2sgrad.rules  # noqa: F401
from s2sgrad import emit, ir
from s2sgrad.emit.module import function
from s2sgrad.emit.names import Names
from s2sgrad.emit.unparser import check, unparse
from s2sgrad.ir import (
    BOOL,
    FLOAT,
    INT,
    Accum,
    Append,
    Array,
    Assign,
    CallFn,
    Comment,
    Const,
    For,
    Function,
    If,
    Index,
    ListType,
    Multi,
    NewAxis,
    Param,
    Pop,
    Print,
    Program,
    Raise,
    Reserve,
    Return,
    Scalar,
    Slice,
    Store,
    Var,
    While,
    call,
)

F = Scalar("float64")
F32 = Scalar("float32")
V, M = Array("float64", 1), Array("float64", 2)
x, y, z = (Var(n, F) for n in "xyz")
p = Var("p", FLOAT)
i, n = Var("i", INT), Var("n", INT)
v, m, idx = Var("v", V), Var("m", M), Var("idx", Array("int64", 1))
done = Var("done", BOOL)


def lit(value):
    return Const(value, {bool: BOOL, int: INT, float: FLOAT}[type(value)])


def checked(body, params=(), **kw):
    """The text of a function; its tree must parse back from it."""
    f = Function("f", [Param(q.name, q.type) for q in params], body, **kw)
    text = emit.text(Program(f))
    tree = gast.gast_to_ast(gast.Module([function(f)[0]], []))
    check(tree, unparse(tree))
    return text


def run(text, *args):
    space = {}
    exec(compile(text, "<emitted>", "exec"), space)
    return space["f"](*args)


EXPRESSIONS = [
    ((x + y) * z, "(x + y) * z"),
    (x + (y + z), "x + (y + z)"),
    ((x + y) + z, "x + y + z"),
    (x - (y - z), "x - (y - z)"),
    ((-x) ** 2, "(-x)**2"),
    (-(x ** 2), "-x**2"),
    (x ** (-y), "x**-y"),
    ((x ** y) ** z, "(x**y)**z"),
    (x ** (y ** z), "x**y**z"),
    (x * lit(-2.0), "x * -2.0"),
    (lit(-2.0) ** 2, "(-2.0)**2"),
    (x + lit(math.inf), "x + np.inf"),
    (x + lit(math.nan), "x + np.nan"),
    (call("sin", x) / 1e-300, "np.sin(x) / 1e-300"),
    (call("pyfloat", call("sin", p)), "math.sin(p)"),
    (call("pyfloat", call("arctan2", p, p)), "math.atan2(p, p)"),
    (call("pyfloat", x), "float(x)"),
    (call("ifexp", x > y, x, y), "x if x > y else y"),
    (call("ifexp", x > y, x, y) + 1.0, "(x if x > y else y) + 1.0"),
    (call("and", call("not", done), call("or", done, p > 1.0)), "not done and (done or p > 1.0)"),
    (m.dim(0) - 1, "m.shape[0] - 1"),
    (call("size", m), "m.size"),
    (m.T, "m.T"),
    (call("reshape", m, m.dim(1), lit(3)), "m.reshape(m.shape[1], 3)"),
    (Index(m, (Slice(lit(1), lit(-1)), Slice(None, None, lit(2)), NewAxis()), Array("float64", 3)), "m[1:-1, ::2, None]"),
    (Index(m, (i, Slice()), V), "m[i]"),
    (Index(m, (Slice(), i), V), "m[:, i]"),
    (Index(v, (Slice(),), V), "v[:]"),
    (Index(v, (i + 1,), F), "v[i + 1]"),
    (Index(v, (idx,), V), "v[idx]"),
    (call("sum", m, axis=None, keepdims=False), "np.sum(m)"),
    (call("sum", m, axis=1, keepdims=True), "np.sum(m, axis=1, keepdims=True)"),
    (call("zeros", m.dim(0), m.dim(1), dtype="float64"), "np.zeros(m.shape)"),
    (call("zeros", n, dtype="float32"), "np.zeros(n, dtype=np.float32)"),
    (call("zeros", n, n, dtype="float64"), "np.zeros((n, n))"),
    (call("matmul", m, v), "m @ v"),
    (call("astype", v, dtype="float32"), "v.astype(np.float32)"),
    (call("astype", x, dtype="float32"), "np.float32(x)"),
    (Const(0.5, F32) * Var("w", F32), "np.float32(0.5) * w"),
    (Const(0.5, F) * x, "0.5 * x"),
    (Const(0.5, F) * Var("w", F32), "np.float64(0.5) * w"),
    (Const(2j, ir.COMPLEX), "2j"),
    (Const(complex(1, -2), ir.COMPLEX), "complex(1.0, -2.0)"),
]


@pytest.mark.parametrize(("e", "text"), EXPRESSIONS, ids=[t for _, t in EXPRESSIONS])
def test_expression(e, text):
    assert emit.expression(e) == text
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(ast.unparse(ast.parse(text))))


def test_statements():
    w = Var("w", Array("float64", 1))
    items = Var("items", ListType(V))
    body = [
        Comment("forward sweep"), Assign(items, ir.call("list_new", item=items.type.item)), Append(items, v), Pop(w, items),
        Store(v, (), lit(0.0)), Store(m, (), x), Store(m, (i, Slice()), v), Accum(v, (i,), -x), Accum(v, (idx,), x, repeated=True),
        Accum(m, (idx, Slice(lit(1), None)), x, repeated=True), Accum(y, None, x * 2.0), Accum(v, (), w),
        Multi([x, None], "slogdet", (m,)), CallFn([y, z], "g", [x, v]), CallFn([], "g", [x]), Reserve(w, n + 1),
        Print(["x =", x], {"sep": ""}), If(call("not", x > 0.0), [Raise(AssertionError, ["positive"])]),
        If(x > 1.0, [Raise(ValueError, ["x is ", x])], [If(x > 0.5, [Comment("nothing")], [While(x < y, [Accum(x, None, lit(1.0))])])]),
        Return([x, v]),
    ]
    text = checked(body, (x, y, z, i, n, v, m, idx))
    assert text[text.index("    # forward"):] == '''\
    # forward sweep
    items = []
    items.append(v)
    w = items.pop()
    v[:] = 0.0
    m[...] = x
    m[i] = v
    v[i] -= x
    np.add.at(v, idx, x)
    np.add.at(m, (idx, slice(1, None)), x)
    y += x * 2.0
    v += w
    x, _ = np.linalg.slogdet(m)
    y, z = g(x, v)
    g(x)
    w = reserve(w, n + 1)
    print('x =', x, sep='')
    assert x > 0.0, 'positive'
    if x > 1.0:
        raise ValueError(f'x is {x}')
    elif x > 0.5:
        # nothing
        pass
    else:
        while x < y:
            x += 1.0
    return x, v
'''


def breaking(body, after=()):
    return [Assign(done, lit(False)), For(i, lit(0), n, lit(1), body, exit=done), *after, Return([y])]


def test_break():
    body = [If(v_i() > x, [Assign(done, lit(True))], [Accum(y, None, v_i())])]
    text = checked([Assign(y, lit(0.0)), *breaking(body)], (x, n, v))
    assert "done" not in text and "else" not in text and "break" in text
    assert run(text, 2.5, 4, np.array([1.0, 2.0, 3.0, 4.0])) == 3.0


def v_i():
    return Index(v, (i,), F)


def test_break_flag_is_read_after_the_loop():
    body = [If(v_i() > x, [Assign(done, lit(True))], [Accum(y, None, v_i())])]
    text = checked([Assign(y, lit(0.0)), *breaking(body, [If(done, [Accum(y, None, lit(100.0))])])], (x, n, v))
    assert run(text, 2.5, 4, np.array([1.0, 2.0, 3.0, 4.0])) == 103.0
    assert run(text, 9.0, 4, np.array([1.0, 2.0, 3.0, 4.0])) == 10.0


def test_break_in_the_middle_of_the_body_stays_a_flag():
    body = [If(v_i() > x, [Assign(done, lit(True))]), Accum(y, None, v_i())]
    text = checked([Assign(y, lit(0.0)), *breaking(body)], (x, n, v))
    assert "if done:\n            break" in text
    assert run(text, 2.5, 4, np.array([1.0, 2.0, 3.0, 4.0])) == 6.0


def test_ranges():
    one = [Accum(y, None, lit(1.0))]
    loops = [For(i, lit(2), n, lit(1), one), For(i, n - 1, lit(-1), lit(-1), one), For(i, lit(0), n, lit(2), one, parallel=True)]
    text = checked([*loops, Return([y])], (y, n))
    for r in ("in range(2, n):", "in range(n - 1, -1, -1):", "in prange(0, n, 2):", "from numba import prange"):
        assert r in text


def test_names():
    assert Names(["x", "x#1", "x_1", "len", "a#2"]).table == {"x": "x", "x#1": "x_2", "x_1": "x_1", "len": "len_", "a#2": "a"}


def test_docstring_header_and_default():
    f = Function("f", [Param("x", F), Param("y_bar", F, ("seed", 0, 1.0))], [Return([x])], doc='Says "hi".')
    assert emit.text(Program(f), header="one\ntwo") == '# one\n# two\n\n\ndef f(x, y_bar=1.0):\n    """Says "hi"."""\n    return x\n'


def test_narrow_constants_keep_their_type():
    w = Var("w", F32)
    text = checked([Assign(y, lit(1.0)), Assign(w, Const(1.0, F32)), Return([y, w])])
    assert "y = np.float64(1.0)" in text and "w = np.float32(1.0)" in text


def test_printer_on_real_code():
    folder = Path(ast.__file__).parent
    for file in ("ast.py", "dataclasses.py", "statistics.py", "heapq.py"):
        tree = ast.parse((folder / file).read_text())
        text = unparse(tree)
        assert ast.dump(ast.parse(text)) == ast.dump(tree)
        assert unparse(ast.parse(text)) == text
