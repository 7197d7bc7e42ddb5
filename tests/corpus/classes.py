"""Classes: inheritance, super, private names, own attribute access, operators and their reflections, iteration, dataclasses."""

import enum
from typing import NamedTuple
import numpy as np, math, functools, dataclasses, numbers, abc
from dataclasses import dataclass, field

from tests.corpus import case

X = np.array([0.3, 1.2, 0.7, 2.1])


class SA:

    def __init__(self, x):
        self.x = x

    def __setattr__(self, n, v):
        object.__setattr__(self, n, v * 2)


class GAll:

    def __init__(self, x):
        self.x = x

    def __getattribute__(self, n):
        return object.__getattribute__(self, n) * 2


class Mangled:

    def __init__(self, x):
        self.__x = x

    def get(self):
        return self.__x * 2


class MangledSub(Mangled):

    def __init__(self, x):
        super().__init__(x)
        self.__x = 3 * x

    def both(self):
        return self.__x * self.get()


class Cnt:
    count = 0
    items = []

    def __init__(self):
        self.count += 1

    def add(self, v):
        self.items.append(v)
        return self


class SelfMake:

    def __init__(self, x):
        self.x = x

    def twice(self):
        return self.__class__(self.x * 2)

    def thrice(self):
        return type(self)(self.x * 3)


class SelfMakeSub(SelfMake):

    def __init__(self, x):
        super().__init__(x + 1)


@functools.total_ordering
class TO:

    def __init__(self, x):
        self.x = x

    def __eq__(self, o):
        return self.x == o.x

    def __lt__(self, o):
        return self.x < o.x


class GI:

    def __init__(self, v):
        self.v = v

    def __getitem__(self, i):
        if i >= 3:
            raise IndexError
        return self.v * (i + 1)


class NI:

    def __init__(self, n):
        self.n = n

    def __iter__(self):
        self.i = 0
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


class Rmul:

    def __init__(self, x):
        self.x = x

    def __rmul__(self, o):
        return self.x * 10 if isinstance(o, float) else self.x * 100

    def __radd__(self, o):
        return self.x + 1


class AU:
    __array_ufunc__ = None

    def __init__(self, x):
        self.x = x

    def __rmul__(self, o):
        return np.sum(o) * self.x


class EqArr:

    def __init__(self, x):
        self.x = x

    def __eq__(self, o):
        return self.x * 3


class Bool:

    def __init__(self, x):
        self.x = x

    def __bool__(self):
        return self.x > 2


class Fmt:

    def __str__(self):
        return 'abc'

    def __len__(self):
        return 0


class Prop:

    def __init__(self, x):
        self._x = x
    x = property(lambda self: self._x * 2)
    y = property(fget=lambda s: s._x * 3)


class Base2(abc.ABC):

    @abc.abstractmethod
    def f(self):
        ...

    @property
    @abc.abstractmethod
    def p(self):
        ...

    def g(self):
        return self.f() * self.p


class Impl(Base2):

    def __init__(self, x):
        self.x = x

    def f(self):
        return self.x

    @property
    def p(self):
        return 3.0


class D1:

    def f(self, x):
        return x + 1


class D2(D1):

    def f(self, x):
        return super().f(x) * 2


class D3(D1):

    def f(self, x):
        return super().f(x) * 3


class D4(D2, D3):

    def f(self, x):
        return super().f(x) ** 2


class CMeth:
    k = 2.0

    @classmethod
    def make(cls, x):
        o = cls()
        o.v = x * cls.k
        return o

    @classmethod
    def make2(cls, x):
        return cls.make(x)


class CMeth2(CMeth):
    k = 5.0

    @classmethod
    def make(cls, x):
        o = super().make(x)
        o.v += 1
        return o


@dataclass
class DF:
    a: float
    b: float = field(default=2.0)
    c: float = field(init=False)
    d: dict = field(default_factory=dict)

    def __post_init__(self):
        self.c = self.a * 2


@dataclass
class DBase:
    a: float


@dataclass
class DSub(DBase):
    b: float = 3.0

    def __add__(self, o):
        return DSub(self.a + o.a, self.b + o.b)


@dataclass
class DKw:
    a: float
    _: dataclasses.KW_ONLY
    b: float = 1.0


GL = []


class P:
    scale = 2.0

    def __init__(self, x, y):
        self.x = x
        self.y = y

    @property
    def norm2(self):
        return self.x ** 2 + self.y ** 2

    @staticmethod
    def unit():
        return P(1.0, 0.0)

    @classmethod
    def make(cls, x):
        return cls(x, 2 * x)

    def __add__(self, o):
        return P(self.x + o.x, self.y + o.y)

    def __radd__(self, o):
        return P(self.x + o, self.y + o) if o != 0 else self

    def __mul__(self, k):
        if isinstance(k, P):
            return self.x * k.x + self.y * k.y
        return P(self.x * k, self.y * k)

    def __rmul__(self, k):
        return P(3 * self.x * k, self.y * k)

    def __neg__(self):
        return P(-self.x, -self.y)

    def __abs__(self):
        return math.sqrt(self.norm2)

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def __iter__(self):
        return iter((self.x, self.y))

    def __call__(self, t):
        return self.x * t + self.y

    def __eq__(self, o):
        return self.x == o.x and self.y == o.y

    def __lt__(self, o):
        return self.x < o.x

    def __bool__(self):
        return True

    def __contains__(self, v):
        return v == self.x

    def __iadd__(self, o):
        self.x += o.x
        return self

    def __pow__(self, n):
        return P(self.x ** n, self.y ** n)

    def __matmul__(self, o):
        return self.x * o.y

    def __truediv__(self, k):
        return P(self.x / k, self.y / k)

    def __float__(self):
        return self.x * 1.0

    def __setitem__(self, i, v):
        if i == 0:
            self.x = v
        else:
            self.y = v

    def move(self, d):
        self.x = self.x + d
        return self


class Q(P):

    def __init__(self, x, y, z):
        super().__init__(x, y)
        self.z = z

    @property
    def norm2(self):
        return super().norm2 + self.z ** 2

    def __radd__(self, o):
        return Q(100.0 * self.x, self.y, 1.0)

    def __rmul__(self, o):
        return Q(7 * self.x, self.y, self.z)

    @classmethod
    def make(cls, x):
        return cls(x, 3 * x, 1.0)


class E(enum.Enum):
    A = 1
    B = 2


class IE(enum.IntEnum):
    A = 1
    B = 2


class NT(NamedTuple):
    a: float
    b: float = 2.0

    def prod(self):
        return self.a * self.b

    @property
    def s(self):
        return self.a + self.b


@dataclass
class D:
    a: float
    b: float = 1.0
    c: list = field(default_factory=list)

    def __post_init__(self):
        self.s = self.a + self.b

    def total(self):
        return self.s + sum(self.c)


@dataclass
class D2:
    a: float
    b: float


@dataclass(frozen=True, order=True)
class D3:
    a: float
    b: float = 2.0


class Acc:

    def __init__(self):
        self.total = 0.0
        self.items = []
        self.d = {}

    def add(self, v):
        self.total += v
        self.items.append(v)
        self.d[len(self.items)] = v
        return self


class Base:

    def f(self, x):
        return self.g(x) * 2

    def g(self, x):
        return x


class Mid(Base):

    def g(self, x):
        return super().g(x) + 1


class Mix:

    def g(self, x):
        return 10 * x


class Leaf(Mid, Mix):
    pass


class Leaf2(Mix, Mid):
    pass


class Slots:
    __slots__ = ('a', 'b')

    def __init__(self, a):
        self.a = a
        self.b = a * 2


class GA:

    def __init__(self, x):
        self._d = {'u': x}

    def __getattr__(self, n):
        return self.__dict__['_d'][n]


class Vec:

    def __init__(self, v):
        self.v = np.asarray(v)

    def __array__(self, dtype=None, copy=None):
        return self.v
    __array_priority__ = 100

    def __rmul__(self, o):
        return Vec(o * self.v * 2)

    def dot(self, o):
        return self.v @ o.v


class Outer:

    class Inner:
        k = 3.0

    def __init__(self, x):
        self.i = x

    def __enter__(self):
        return self

    def __exit__(self, *a):
        self.i = self.i * 2
        return False


class Setter:

    def __init__(self, x):
        self._x = x

    @property
    def x(self):
        return self._x

    @x.setter
    def x(self, v):
        self._x = v * 2


class Node:

    def __init__(self, v, nxt=None):
        self.v = v
        self.nxt = nxt


class Desc:

    def __get__(self, o, c):
        return o.a * 2


class HasD:
    d = Desc()

    def __init__(self, a):
        self.a = a


class CM(type):

    def __call__(cls, x):
        return super().__call__(x * 2)


class WithMeta(metaclass=CM):

    def __init__(self, x):
        self.x = x


class New:

    def __new__(cls, x):
        o = object.__new__(cls)
        o.k = 3.0
        return o

    def __init__(self, x):
        self.x = x


class Flt(float):

    def twice(self):
        return self * 2


def va(*args):
    return sum((a * a for a in args))


def kwf(**kw):
    return kw['a'] * kw['b']


class Cached:

    def __init__(self, x):
        self.x = x
        self.n = 0
    from functools import cached_property

    @cached_property
    def e(self):
        self.n += 1
        return self.x * 2


class Hash:

    def __init__(self, k):
        self.k = k

    def __hash__(self):
        return hash(self.k)

    def __eq__(self, o):
        return self.k == o.k


class Cmp:

    def __init__(self, x):
        self.x = x

    def __lt__(self, o):
        return self.x < o.x


class Idx:

    def __index__(self):
        return 2


class Counter_:
    n = 0

    def hit(self):
        self.n += 1
        return self.n


class Class_mut:
    items = []


def setattr_program(x):
    s = SA(x)
    s.y = x
    return s.x + s.y


def mangled(x):
    return Mangled(x).get()


def mangled_sub(x):
    return MangledSub(x).both()


def classattr_inst(x):
    a = Cnt()
    a.count += 1
    b = Cnt()
    return x * a.count + b.count * 10 + Cnt.count


def typeself(x):
    class_ = type(MangledSub(x))
    return class_(2 * x).get()


def selfmake(x):
    return SelfMakeSub(x).twice().thrice().x


def numbers_program(x):
    return x if isinstance(x, numbers.Number) and isinstance(x, numbers.Real) and (not isinstance(x, numbers.Integral)) else 2 * x


def total(x):
    return x if TO(x) >= TO(1.0) and TO(x) > TO(0.0) and (TO(x) <= TO(x)) else 2 * x


def getitem_iter(x):
    return sum(GI(x))


def getitem_for(x):
    s = 0.0
    for v in GI(x):
        s += v * v
    return s


def next_iter(x):
    s = 0.0
    for v in NI(3):
        s += v * x
    return s + sum(NI(2))


def np_left(x):
    return x[1] * Rmul(x[0]) + 2.0 * Rmul(x[0])


def array_ufunc_none(x):
    return x * AU(x[0])


def len0(x):
    return x if Fmt() else 2 * x


def prop(x):
    return Prop(x).x * Prop(x).y


def abc_program(x):
    return Impl(x).g()


def diamond(x):
    return D4().f(x) + D1.f(D4(), x) + super(D4, D4()).f(x)


def clsmethod(x):
    return CMeth.make(x).v + CMeth2.make2(x).v + CMeth2().make(x).v


def dc_field(x):
    d = DF(x)
    d.d['k'] = x
    e = DF(x)
    return d.c * d.d['k'] + len(e.d)


def dc_inh(x):
    return (DSub(x) + DSub(2 * x, x)).a * (DSub(x) + DSub(2 * x, x)).b


def dc_kw(x):
    return DKw(x, b=2 * x).b * DKw(x).a


def dict_order(x):
    d = {'b': x, 'a': 2 * x}
    d['b'] = 5 * x
    d.pop('a')
    d['a'] = 7.0
    return sum(((i + 1) * v for i, v in enumerate(d.values())))


def dict_true_key(x):
    d = {1: x}
    d[True] = 2 * x
    d[1.0] = d[1] * 3
    return d[1] * len(d)


def list_mul_alias(x):
    l = [[x]] * 2
    l[0].append(x)
    return float(len(l[1])) * x


def default_mutable(x):

    def f(v, acc=[]):
        acc.append(v)
        return len(acc)
    return x * f(1) + f(2) * 10


def star_dict(x):

    def f(**kw):
        kw['a'] = 5.0
        return kw['a']
    d = {'a': x}
    return f(**d) * d['a']


def args_copy(x):

    def f(*a):
        return a
    l = [x, 2.0]
    t = f(*l)
    l[0] = 100.0
    return t[0] * 2


def nonlocal_program(x):
    s = 0.0

    def add(v):
        nonlocal s
        s += v
        return s
    return add(x) + add(2 * x) * s


def closure_cell(x):
    fs = []
    for i in range(3):

        def f(i=i):
            return i * x
        fs.append(f)
    return sum((f() for f in fs))


def int_ops(x):
    n = 7
    return x * (n // -2) + x * (n % -3) + x * (-n // 2) + x * (-n % 3) + (-7) ** 3 * x + x * (2 ** 10 % 7) + x * divmod(-7, 2)[0]


def float_ops(x, y):
    return x // y + x % y + divmod(x, -y)[1] + math.fmod(x, y) + -x % -y


def round_half(x):
    return x * round(2.5) + x * round(3.5) + round(-0.5) + round(2.675, 2) * x + round(1234, -2)


def chain_cmp(x):
    return x if 1 < x < 2 < 3 and (not 1 < x > 2) else 2 * x


def cond_chain(x):
    return 1.0 if x < 1 else 2.0 * x if x < 2 else 3.0


def arr_bool_index(x):
    return x[True].sum() if False else x[[0, 0, 1]].sum() * x[-1]


def vars_program(x):
    return sum(vars(Prop(x)).values()) + Prop(x).__dict__['_x']


def match_rt(x, n):
    match n:
        case 1:
            return x
        case 2 | 3 if x > 5:
            return 3 * x
        case 2 | 3:
            return 5 * x
        case _:
            return 7 * x


def static(x, y):
    p = P.unit()
    return (p + P.make(x)).norm2


def ops(x, y):
    p = P(x, y)
    q = -p * 2.0
    r = 3.0 * p + q / y
    return r.norm2 + abs(p) + p * q + p[0] * p[1] * len(p) + p(2.0) + sum((v for v in p)) + p @ q + (p ** 2).x + float(p)


def reflected_sub(x, y):
    return (P(x, y) + Q(x, y, x)).x + (P(x, y) * Q(x, y, y)).x


def sum_program(x, y):
    s = sum([P(x, y), P(y, x)])
    return s.x * s.y


def super_program(x, y):
    return Q(x, y, x * y).norm2 + Q.make(x).norm2


def mutate(x, y):
    p = P(x, y)
    p.x = p.x * y
    p.move(x).move(y)
    p += P(1.0, 2.0)
    p[1] = x
    p.y *= 3
    return p.norm2


def mutate_loop(x, y, n):
    p = P(x, y)
    for i in range(n):
        p.x, p.y = (p.y * x, p.x + y)
        p.move(0.1)
    return p.norm2


def rebind_loop(x, y, n):
    p = P(x, y)
    for i in range(n):
        p = p + P(x * i, y)
    return p.norm2


def eq(x, y):
    p, q = (P(x, y), P(x, y))
    return x if p == q and (not p != q) and (p is not q) and (P(0.0, y) < p) and (p > P(0.0, y)) and (x in p) else y


def unpack(x, y):
    a, b = P(x, y)
    return a * b * max(P(x, y)) * sum(P(x, y)) * len(list(P(x, y)))


def alias(x, y):
    p = P(x, y)
    q = p
    q.x = 5.0 * y
    return p.x * q.y


def classattr(x, y):
    return P.scale * x + y


def branch(x, y):
    p = P(x, y) if x > 1 else P(y, x)
    return p.x ** 2 * p.y


def getattr_program(x, y):
    p = P(x, y)
    setattr(p, 'z', x * 2)
    return getattr(p, 'x') * getattr(p, 'w', 3.0) + p.z + (x if hasattr(p, 'z') else y) + sum(vars(p).values())


def enum_in(x):
    s = 0.0
    for e in E:
        s += e.value * x
    d = {E.A: x, E.B: 2 * x}
    return s + d[E.A] * d[E.B]


def nt(x):
    n = NT(x)
    m = n._replace(b=x)
    a, b = m
    return n.prod() * m.s + a * b + n[1] + NT(a=x, b=3.0).prod() + sum(m)


def dc(x):
    d = D(x)
    d.c.append(x * 2)
    e = dataclasses.replace(d, a=3.0 * x)
    return d.total() * e.total() + dataclasses.astuple(d)[0] if False else d.total() * e.total()


def dc_asdict(x):
    d = D(x, 2.0)
    return dataclasses.asdict(d)['a'] * 2 + dataclasses.astuple(d)[1] * x


def dc_replace(x):
    return dataclasses.replace(D2(x, 1.0), b=x ** 2).b + sum((getattr(D2(x, x), f.name) for f in dataclasses.fields(D2)))


def dc_frozen(x):
    return (D3(x) if D3(x) > D3(1.0) and D3(x) == D3(x) else D3(0.0)).a ** 2


def acc_program(x):
    a = Acc()
    a.add(x).add(x * 2)
    return a.total * a.items[1] + a.d[1]


def acc_loop(x, n):
    a = Acc()
    for i in range(n):
        a.total += x * i
        a.items.append(x)
    return a.total * sum(a.items)


def mro(x):
    return Leaf().f(x) + Leaf2().f(x)


def slots(x):
    s = Slots(x)
    s.a *= 3
    return s.a * s.b


def getattr_dunder(x):
    return GA(x).u * 2


def vec(x):
    return (2.0 * Vec(x)).dot(Vec(x))


def vec_arr_l(x):
    class_ = Vec(x)
    return (x[0] * class_).dot(Vec(x))


def setter(x):
    s = Setter(x)
    s.x = x * x
    s.x += 1.0
    return s.x


def linked(x):
    n = Node(x, Node(x * 2, Node(x ** 2)))
    s = 0.0
    while n is not None:
        s += n.v
        n = n.nxt
    return s


def cached(x):
    c = Cached(x)
    return c.e * c.e * c.n


def cached_mut(x):
    c = Cached(x)
    a = c.e
    c.x = 100.0
    return a + c.e


def min_objs(x):
    return min([Cmp(x[1]), Cmp(x[0])]).x


def class_counter(x):
    c = Counter_()
    c.hit()
    c.hit()
    return x * c.n + Counter_.n


def format_program(x):
    class_name = type(P(x, x)).__name__
    return x if class_name == 'P' and isinstance(P(x, x), P) and issubclass(Q, P) and (P(x, x).__class__ is P) else 2 * x


def method_ref(x):
    p = P(x, 2.0)
    f = p.move
    f(1.0)
    g = P.move
    g(p, 2.0)
    return sum(map(p, [1.0, 2.0])) + p.x


case(setattr_program, (1.5,))
case(mangled, (1.5,))
case(mangled_sub, (1.5,))
case(classattr_inst, (1.5,))
case(typeself, (1.5,))
case(selfmake, (1.5,))
case(numbers_program, (1.5,))
case(total, (1.5,))
case(getitem_iter, (1.5,))
case(getitem_for, (1.5,))
case(next_iter, (1.5,))
case(np_left, (X,))
case(array_ufunc_none, (X,))
case(len0, (1.5,))
case(prop, (1.5,))
case(abc_program, (1.5,))
case(diamond, (1.5,))
case(clsmethod, (1.5,))
case(dc_field, (1.5,))
case(dc_inh, (1.5,))
case(dc_kw, (1.5,))
case(dict_order, (1.5,))
case(dict_true_key, (1.5,))
case(list_mul_alias, (1.5,))
case(default_mutable, (1.5,))
case(star_dict, (1.5,))
case(args_copy, (1.5,))
case(nonlocal_program, (1.5,))
case(closure_cell, (1.5,))
case(int_ops, (1.5,))
case(float_ops, (-7.5, 2.0,))
case(round_half, (1.5,))
case(chain_cmp, (1.5,))
case(cond_chain, (1.5,))
case(arr_bool_index, (X,))
case(vars_program, (1.5,))
case(match_rt, (1.5, 2,))
case(static, (1.5, 0.7,))
case(ops, (1.5, 0.7,))
case(reflected_sub, (1.5, 0.7,))
case(sum_program, (1.5, 0.7,))
case(super_program, (1.5, 0.7,))
case(mutate, (1.5, 0.7,))
case(mutate_loop, (1.5, 0.7, 3,))
case(rebind_loop, (1.5, 0.7, 3,))
case(eq, (1.5, 0.7,))
case(unpack, (1.5, 0.7,))
case(alias, (1.5, 0.7,))
case(classattr, (1.5, 0.7,))
case(branch, (1.5, 0.7,))
case(getattr_program, (1.5, 0.7,))
case(enum_in, (1.5,))
case(nt, (1.5,))
case(dc, (1.5,))
case(dc_asdict, (1.5,))
case(dc_replace, (1.5,))
case(dc_frozen, (1.5,))
case(acc_program, (1.5,))
case(acc_loop, (1.5, 4,))
case(mro, (1.5,))
case(slots, (1.5,))
case(getattr_dunder, (1.5,))
case(vec, (X,))
case(vec_arr_l, (X,))
case(setter, (1.5,))
case(linked, (1.5,))
case(cached, (1.5,))
case(cached_mut, (1.5,))
case(min_objs, (X,))
case(class_counter, (1.5,))
case(format_program, (1.5,))
case(method_ref, (1.5,))
