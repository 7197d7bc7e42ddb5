"""The lowering: array statements as loops, NumPy's dtypes and errors."""

import numpy as np
import pytest

from s2sgrad import ir
from s2sgrad.ir import Accum, Array, Assign, Const, For, Index, Scalar, Slice, Store, Var, call
from tests.lowering import check, let

rng = np.random.default_rng(0)
X = rng.normal(size=7)
A = rng.normal(size=(4, 5))
ONE = Const(1, ir.INT)


def sl(lo=None, hi=None, step=None):
    c = lambda v: None if v is None else ir.call("neg", Const(-v, ir.INT)) if v < 0 else Const(v, ir.INT)
    return Slice(c(lo), c(hi), c(step))


def view(a, *items):
    items = tuple(Const(i, ir.INT) if isinstance(i, int) else i for i in items)
    nd = sum(isinstance(i, (Slice, ir.NewAxis)) for i in items)
    return Index(a, items, Array(a.type.dtype, nd, "A") if nd else Scalar(a.type.dtype))


@pytest.mark.parametrize("jit", [False, True])
def test_elementwise(jit):
    text = check(lambda x, y, add: let(add, "z", np.sin(x) * y + 2.0 * x), jit, x=X, y=X[::-1].copy())
    assert "for i in range" in text


def test_broadcasting():
    body = lambda a, b, add: let(add, "z", a * b - 1.0)
    for b in (A[0], A[:1], A[:, :1], A, np.float64(3.0), A[:1, :1]):
        check(body, a=A, b=np.ascontiguousarray(b) if np.ndim(b) else b)
    check(body, a=A[:, :1].copy(), b=A[:1].copy())
    check(body, a=A[:1].copy(), b=A)
    check(body, error=ValueError, a=A, b=A[:3].copy())
    check(body, jit=True, a=A, b=A[:, :1].copy())


def test_empty():
    check(lambda x, add: let(add, "z", x * 2.0), x=np.zeros(0))
    check(lambda x, add: let(add, "z", view(x, sl(2, -2)) * 2.0), x=np.zeros(3))
    check(lambda x, add: call("sum", view(x, sl(5)), axis=None, keepdims=False), x=np.zeros(3))


def test_views_fold():
    body = lambda a, add: let(add, "z", view(a, sl(1, -1), sl(2)) + view(a, sl(0, -2), sl(None, -2)) * view(a, 0, sl(2)))
    text = check(body, a=A)
    assert "a[i + 1, j + 2]" in text
    check(lambda a, add: let(add, "z", a.T * 2.0 + view(a, sl(None, None, -1), sl()).T), a=A)
    check(lambda a, add: let(add, "z", call("expand_dims", view(a, sl(), 1), axis=1) * a), a=A)
    check(lambda a, n, add: let(add, "z", view(a, Slice(n, n + 2), sl()) * 2.0), a=A, n=1)
    check(lambda a, n, add: let(add, "z", view(a, n, sl()) * view(a, -1, sl())), a=A, n=-2)


OVERLAPS = [
    (sl(1), sl(None, -1)), (sl(None, -1), sl(1)), (sl(), sl()), (sl(), sl(None, None, -1)), (sl(2), sl(1, -1)), (sl(None, 3), sl(3, 6)),
]


@pytest.mark.parametrize("write, read", OVERLAPS)
@pytest.mark.parametrize("accumulate", [False, True])
def test_overlap(write, read, accumulate):
    def body(x, add):
        y = let(add, "y", call("copy", x))
        add((Accum if accumulate else Store)(y, (write,), view(y, read) * 2.0))
        return y

    check(body, x=X)


def test_overlap_through_names_and_rows():
    def through(x, add):
        y = let(add, "y", call("copy", x))
        z = let(add, "z", view(y, sl(1)))
        add(Store(z, (), view(y, sl(None, -1)) + 1.0))
        return y

    check(through, x=X)

    def rows(a, add):
        b = let(add, "b", call("copy", a))
        i = Var("i", ir.INT)
        add(For(i, ONE, b.dim(0), ONE, [Store(b, (i, sl()), view(b, i - 1, sl()) * 0.5 + view(b, i, sl()))]))
        add(Store(b, (sl(1), sl(1)), view(b, sl(None, -1), sl(None, -1)) + view(b, sl(1), sl(1))))
        return b

    text = check(rows, jit=True, a=A)
    assert text.count("np.empty") == 1
    check(lambda a, add: (add(Assign(Var("b", a.type), call("copy", a))), add(Store(Var("b", a.type), (), Var("b", a.type).T)), Var("b", a.type))[2], a=A[:, :4].copy())


def test_sum_and_friends():
    for op in ("sum", "max", "min", "any", "all", "count_nonzero"):
        for axis in (None, 0, 1, (0, 1)):
            for keep in (False, True):
                check(lambda a, add: let(add, "s", call(op, a, axis=axis, keepdims=keep)), a=A)
        check(lambda a, add: let(add, "s", call(op, a, axis=1, keepdims=False)), a=(A * 3).astype(np.int32))
        check(lambda a, add: let(add, "s", call(op, a, axis=0, keepdims=False)), a=A > 0)
    check(lambda a, add: let(add, "s", call("sum", np.exp(a) * a, axis=None, keepdims=False)), jit=True, a=A)
    check(lambda a, add: let(add, "s", call("max", a, axis=None, keepdims=False)), a=np.array([1.0, np.nan, 2.0]))
    check(lambda a, add: call("max", a, axis=None, keepdims=False), error=ValueError, a=np.zeros(0))
    big = rng.random(100000).astype(np.float32)
    check(lambda a, add: call("sum", a, axis=None, keepdims=False), jit=True, a=big)


def test_arguments_and_scans():
    for a in (A, np.round(A), np.array([[1.0, np.nan, 3.0], [2.0, 5.0, 5.0]])):
        for axis in (None, 0, 1):
            check(lambda a, add: let(add, "s", call("argmax", a, axis=axis)), a=a)
            check(lambda a, add: let(add, "s", call("argmin", a, axis=axis)), a=a)
    check(lambda a, add: let(add, "s", call("argmax", a, axis=1)), jit=True, a=A)
    for axis in (0, 1):
        check(lambda a, add: let(add, "s", call("cumsum", a, axis=axis)), a=A)


def test_softmax():
    def body(a, add):
        e = let(add, "e", np.exp(a - call("max", a, axis=1, keepdims=True)))
        return let(add, "p", e / call("sum", e, axis=1, keepdims=True))

    check(body, jit=True, a=A)


def test_unbroadcast():
    def body(g, like, add):
        out = let(add, "out", call("zeros_like", like))
        add(Accum(out, (), call("unbroadcast", g * 2.0, like)))
        return out, let(add, "u", call("unbroadcast", g, like))

    for like in (A, A[0], A[:1], A[:, :1], A[:1, :1], A[0, :1]):
        check(body, g=A, like=np.ascontiguousarray(like))
    check(lambda g, x, add: call("unbroadcast", g, x), g=A, x=2.0)


def test_gather_and_scatter():
    idx = np.array([3, 0, -1, 3])
    arr = lambda a, *items: Index(a, items, ir.Array(a.type.dtype, sum(isinstance(i, Slice) or ir.is_array(i.type) for i in items)))
    check(lambda x, i, add: let(add, "y", arr(x, i) * 2.0), jit=True, x=X, i=idx)
    check(lambda a, i, add: let(add, "y", arr(a, i, sl())), a=A, i=idx)
    check(lambda a, i, add: let(add, "y", arr(a, sl(), i)), a=A, i=idx)
    check(lambda x, i, add: let(add, "y", arr(x, i)), x=X, i=np.array([7]), error=IndexError)

    def scatter(x, i, add):
        y = let(add, "y", call("copy", x))
        add(Store(y, (i,), arr(y, i) + 1.0))
        z = let(add, "z", call("zeros_like", x))
        add(Accum(z, (i,), arr(x, i), repeated=True))
        return y, z

    check(scatter, jit=True, x=X, i=idx)

    def mask(x, add):
        y = let(add, "y", call("copy", x))
        m = let(add, "m", x > 0.0)
        add(Store(y, (m,), Index(y, (m,), Array("float64", 1)) * 2.0))
        add(Store(y, (x < -0.5,), Const(0.0, ir.FLOAT)))
        return y, let(add, "w", Index(x, (m,), Array("float64", 1)))

    check(mask, jit=True, x=X)
    check(mask, x=A)


def test_where_and_clip():
    check(lambda x, add: let(add, "y", call("where", x > 0.0, np.sqrt(x), 0.0)), jit=True, x=X)
    check(lambda x, add: let(add, "y", call("clip", x, -0.5, 0.5)), x=np.array([np.nan, 1.0, -1.0, 0.1]))
    check(lambda x, add: let(add, "y", call("where", x > 0.0, x, 0.0)), jit=True, x=X.astype(np.float32))


def test_joining():
    check(lambda a, b, add: let(add, "c", call("concatenate", a, b * 2.0, axis=0)), a=X, b=X[:3].copy())
    check(lambda a, add: let(add, "c", call("concatenate", a, a, view(a, sl(), sl(1)), axis=1)), a=A)
    check(lambda a, b, add: let(add, "c", call("concatenate", a, b, axis=0)), error=ValueError, a=A, b=A[:, 1:].copy())
    for axis in (0, 1):
        check(lambda a, add: let(add, "c", call("stack", a, a * 2.0, axis=axis)), a=X)


def test_creation():
    check(lambda n, add: (call("zeros", n, n, dtype="float64"), call("ones", n, dtype="float32"), call("full", 2.5, n, dtype="float64"),
                          call("eye", n, n, k=1, dtype="float64"), call("arange", 0, n, 1, dtype="int64")), n=4)
    for a in ((0.0, 1.0, 0.3), (3, -4, -2), (1, 9, 3), (0.5, 4.0, 1.0)):
        d = np.arange(*a).dtype.name
        check(lambda n, add: let(add, "z", call("arange", *(v if v >= 0 else call("neg", -v) for v in a), dtype=d)), n=4)
    for end in (True, False):
        check(lambda n, add: let(add, "z", call("linspace", 0.5, 2.0, n, endpoint=end, dtype="float64")), jit=end, n=6)
    check(lambda x, add: let(add, "z", call("array_of", x, x * 2.0, 1.0, 0.0, shape=(2, 2), dtype="float64")), x=3.0)


def test_products():
    B = rng.normal(size=(5, 3))
    body = lambda a, b, add: let(add, "c", a @ b)
    check(body, jit=True, a=A, b=B)
    check(body, a=A, b=B[:, 0].copy())
    check(body, jit=True, a=B[:, 0], b=B[:, 1])
    check(body, jit=True, a=(A * 3).astype(np.int64), b=(B * 3).astype(np.int64))
    check(body, jit=True, a=A.astype(np.float32), b=B)
    check(body, jit=True, a=rng.normal(size=(2, 4, 5)), b=rng.normal(size=(2, 5, 3)))
    check(body, a=rng.normal(size=(2, 1, 4, 5)), b=rng.normal(size=(3, 5, 3)))


def test_fourier():
    for n in (1, 2, 5, 8, 12):
        z = rng.normal(size=(2, n)) + 1j * rng.normal(size=(2, n))
        check(lambda z, add: (let(add, "f", call("fft", z, axis=1)), let(add, "g", call("ifft", z, axis=1)), let(add, "h", call("fft", z, axis=0))), jit=n == 5, z=z)


def test_list_of_arrays_in_a_condition():
    def body(x, add):
        s = let(add, "s", Const(0.0, ir.FLOAT))
        x2 = let(add, "x2", call("copy", x))
        add(ir.While(call("sum", x2, axis=None, keepdims=False) < 50.0, [Store(x2, (), x2 * 2.0), Accum(s, None, call("max", x2, axis=None, keepdims=False))]))
        return s, x2

    check(body, jit=True, x=np.abs(X))
