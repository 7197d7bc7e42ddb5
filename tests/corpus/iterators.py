"""Iterators: used twice, kept in containers, generators in step with their loops, lists that change while they are iterated, itertools."""

import functools
import itertools
import math
import operator
import numpy as np

from tests.corpus import case

X = np.array([0.3, 1.2, 0.7, 2.1])


def walk(x, n):
    a = x
    for i in range(n):
        if i % 2:
            a = a * x
        yield (a, i)


def pairs_of(x):
    for i in range(len(x)):
        for j in range(i):
            yield (x[i], x[j])


def forever(x):
    while True:
        yield x
        x = x * 1.5


class Tree:

    def __init__(self, v, kids=()):
        self.v = v
        self.kids = kids

    def __iter__(self):
        yield self.v
        for k in self.kids:
            yield from k


class Poly:

    def __init__(self, c):
        self.c = c

    def __iter__(self):
        return iter(self.c)

    def __len__(self):
        return len(self.c)


def nested(x, n):
    s = 0.0
    for a, i in walk(x, n):
        for b, j in walk(x, i):
            s += a * b
    return s


def pairs(x):
    s = 0.0
    for a, b in pairs_of(x):
        if a > 2:
            continue
        s += (a - b) ** 2
    return s


def break_else(x):
    for a, b in pairs_of(x):
        if a * b > 0.3:
            break
    else:
        return x[0]
    return a * b


def break_else2(x):
    for a, b in pairs_of(x):
        if a * b > 300:
            break
    else:
        return x[0] * a
    return a * b


def return_program(x):
    for v in forever(x):
        if v > 10:
            return v * x


def next_first(x):
    return next((v for v in [x, 2 * x, 3 * x] if v > 2))


def next_first_rt(x):
    return next((v * v for v in x if v > 1), 5.0)


def next_generator_default(x):
    return next((v * v for v in x if v > 100), 5.0) * x[0]


def next_stop(x):
    try:
        return next((v * v for v in x if v > 100))
    except StopIteration:
        return x[0]


def zip2(x):
    return sum((a[0] * b for a, b in zip(pairs_of(x), itertools.count(1))))


def enum(x):
    s = 0.0
    for k, (a, b) in enumerate(pairs_of(x)):
        s += k * a * b
    return s


def list_program(x):
    l = list(pairs_of(x))
    return l[2][0] * len(l) + sum((a for a, _ in l))


def map_program(x):
    return sum(map(lambda p: p[0] * p[1], pairs_of(x)))


def max_program(x):
    return max((a * b for a, b in pairs_of(x)))


def any_program(x):
    return x[0] if any((a > 2 for a, b in pairs_of(x))) else x[1]


def all_early(x):
    seen = []

    def check(v):
        seen.append(v)
        return v < 1
    ok = all((check(v) for v in x))
    return sum(seen) * (2.0 if ok else 3.0)


def chain_gen(x):
    return sum(itertools.chain((v * v for v in x), [x[0]], map(math.sin, x)))


def islice_inf(x):
    return sum(itertools.islice(forever(x[0]), 4))


def takewhile_inf(x):
    return sum(itertools.takewhile(lambda v: v < 5, forever(x[0])))


def tree(x):
    t = Tree(x, (Tree(x * 2), Tree(x * 3, (Tree(x ** 2),))))
    return sum((v * v for v in t))


def iter_method(x):
    p = Poly(x)
    s = 0.0
    for k, c in enumerate(p):
        s += c * 2.0 ** k
    return s * len(p)


def exc_in_gen(x):

    def g():
        for v in x:
            if v > 1:
                raise ValueError('large')
            yield v
    s = 0.0
    try:
        for v in g():
            s += v
    except ValueError:
        s *= 10
    return s


def exc_in_body(x):

    def g():
        try:
            for v in x:
                yield v
        except ValueError:
            yield 1000.0
    s = 0.0
    try:
        for v in g():
            if v > 1:
                raise ValueError('large')
            s += v
    except ValueError:
        s *= 10
    return s


def writes(x):
    y = x.copy()

    def g():
        for i in range(4):
            y[i] *= 2
            yield i
    s = 0.0
    for i in g():
        s += y[i] * y[0]
        y[0] += 1.0
    return s


def batches(x):

    def batches(n):
        for i in range(0, len(x), n):
            yield x[i:i + n]
    return sum((np.sum(b) ** 2 for b in batches(2)))


def fib(x):

    def fib():
        a, b = (x[0], x[1])
        while True:
            yield a
            a, b = (b, a + b)
    s = 0.0
    for k, v in enumerate(fib()):
        if k == 6:
            break
        s += v * v
    return s


def queue(x):
    q = [x[0]]
    s = 0.0
    for v in q:
        s += v
        if len(q) < 5:
            q.append(v * x[1] + 0.1)
    return s


def queue_rt(x, n):
    q = [x[i] for i in range(n)]
    s = 0.0
    for k, v in enumerate(q):
        s += v * k
    for v in q:
        s += v
        if v < 2.0:
            q.append(v * 2)
    return s


def kw(x):

    def g(*, scale=2.0, **kw):
        for v in x:
            yield (v * scale * kw['k'])
    return sum(g(k=3.0)) + sum(g(scale=x[0], k=1.0))


def product_big(x):
    return sum((x[i] * x[j] * x[k] for i, j, k in itertools.product(range(4), repeat=3) if i < j))


def unique(x):
    it = iter(x)
    first = next(it)
    s = first * 2
    for v in it:
        s += v * first
        if v > 1:
            s += next(it, 0.0)
    return s


def reduce_gen(x):
    return functools.reduce(lambda a, b: a * b + 1, (v * v for v in x if v > 0.5))


def gen_args(x):

    def g(a):
        a = a * 2
        yield a
        a = a * 2
        yield a
    a, b = g(x)
    return a * b


def star_call(x):

    def g():
        yield x[0]
        yield x[1]
    return max(*g()) + math.hypot(*g())


def twice_map(x):
    m = map(lambda v: v * x, [1.0, 2.0])
    return sum(m) + sum(m)


def in_list(x):
    box = [map(lambda v: v * x, [1.0, 2.0])]
    return sum(box[0]) + sum(box[0])


def in_tuple(x):
    box = (map(lambda v: v * x, [1.0, 2.0]), 1)
    a = sum(box[0])
    return a + sum(box[0])


def in_dict(x):
    box = {'a': zip([1.0, 2.0], [x, x])}
    a = sum((p * q for p, q in box['a']))
    return a + sum((p * q for p, q in box['a']))


def iter_list(x):
    it = iter([x, x * x, 3.0])
    a = next(it)
    return a * sum(it)


def next_default(x):
    it = iter([x])
    a = next(it, 5.0)
    return a * next(it, 7.0 * x)


def iter_is_alias(x):
    it = iter([x, 2 * x, 3 * x])
    jt = it
    a = 0.0
    for v in it:
        a += v
        break
    for v in jt:
        a += v * v
    return a


def iter_range(x):
    it = iter(range(5))
    s = 0.0
    for i in it:
        s += i * x
        if i == 2:
            break
    for i in it:
        s += i * x * x
    return s


def passed_to_fn(x):

    def use(z):
        return sum(z)
    m = map(lambda v: v * x, [1.0, 2.0])
    return use(m) + use(m)


def genexp_named(x):
    g = (v * x for v in [1.0, 2.0, 3.0])
    return sum(g) + sum(g)


def genexp_late(x):
    a = x
    g = (v * a for v in [1.0, 2.0, 3.0])
    a = 2.0 * x
    return sum(g)


def genexp_mutated(x):
    l = [1.0, 2.0]
    g = (v * x for v in l)
    l.append(5.0)
    return sum(g)


def enumerate_twice(x):
    e = enumerate([x, x * x])
    s = 0.0
    for i, v in e:
        s += i * v
    for i, v in e:
        s += 100 * v
    return s


def zip_same(x):
    it = iter([x, 2 * x, 3 * x, 4 * x])
    s = 0.0
    for a, b in zip(it, it):
        s += a * b
    return s


def zip_same_arr(x):
    it = iter(x)
    s = 0.0
    for a, b in zip(it, it):
        s += a * b
    return s


def map_two(x):
    m = map(lambda v: v * x, [1.0, 2.0, 3.0])
    for v in m:
        break
    return v + sum(m)


def reversed_program(x):
    r = reversed([x, 2.0])
    return sum(r) + sum(r)


def list_of_map_then(x):
    m = map(lambda v: v * x, [1.0, 2.0, 3.0])
    a = list(m)
    b = list(m)
    return sum(a) + len(b)


def in_zip_after(x):
    m = map(lambda v: v * x, [1.0, 2.0, 3.0])
    z = zip(m, m)
    return sum((a * b for a, b in z))


def for_in_loop(x, n):
    it = iter(x)
    s = 0.0
    for k in range(n):
        s += next(it) * k
    return s


def unpack(x):
    it = iter((x[0], x[1], x[2]))
    a, *b = it
    return a * b[0] + sum(it)


def returned(x):

    def make():
        return map(lambda v: v * x, [1.0, 2.0])
    return sum(make()) + sum(make())


def closure(x):
    m = map(lambda v: v * x, [1.0, 2.0])

    def f():
        return sum(m)
    return f() + f()


def default_arg(x):

    def f(m=map(lambda v: v * x, [1.0, 2.0])):
        return sum(m)
    return f() + f()


def partial(x):
    from functools import partial
    f = partial(sum, map(lambda v: v * x, [1.0, 2.0]))
    return f() + f()


def list_appended(x):
    its = []
    for k in range(2):
        its.append(iter([x * k, 2 * x]))
    return sum(its[1]) + sum(its[1])


def dict_items_view(x):
    d = {'a': x}
    v = d.values()
    d['b'] = 2 * x
    return sum(v) + sum(v)


def dict_keys_view(x):
    d = {'a': x}
    k = d.keys()
    d['b'] = 2 * x
    return float(len(k)) * x


def gen_for(x, n):

    def g(k):
        for i in range(k):
            yield (x * i)
    s = 0.0
    for v in g(n):
        s += v * v
    return s


def gen_sum(x, n):

    def g():
        yield x
        yield (x * x)
    return sum(g())


def gen_list(x, n):

    def g():
        yield x
        if n > 2:
            yield (x ** 3)
    l = list(g())
    return l[0] * l[1]


def gen_zip(x, n):

    def g():
        a = x
        while True:
            yield a
            a = a * x
    return sum((k * v for k, v in zip(range(n), g())))


def gen_from(x, n):

    def a():
        yield x
        yield (2 * x)

    def g():
        yield from a()
        yield from [x * x]
    return sum(g())


def gen_break(x, n):

    def g():
        a = x
        while True:
            yield a
            a = a * 2
    s = 0.0
    for v in g():
        if v > 50:
            break
        s += v
    return s


def gen_enumerate(x, n):

    def g():
        yield x
        yield (x * x)
    s = 0.0
    for i, v in enumerate(g(), 1):
        s += i * v
    return s


def gen_state_interleave(x, n):
    log = []

    def g():
        for i in range(3):
            log.append(x * i)
            yield (i * 1.0)
    s = 0.0
    for v in g():
        s += v * len(log)
    return s * sum(log)


def gen_return_value(x):

    def inner():
        yield x
        return 2 * x

    def g():
        r = (yield from inner())
        yield (r * r)
    return sum(g())


def product(x):
    s = 0.0
    for i, j in itertools.product(range(3), repeat=2):
        s += x[i] * x[j] * (i + 2 * j)
    return s


def product2(x):
    return sum((a * b for a, b in itertools.product(x, [1.0, 2.0])))


def product_rt(x):
    s = 0.0
    for i, j in itertools.product(range(len(x)), range(len(x))):
        s += x[i] * x[j] * (i + 2 * j)
    return s


def comb(x):
    return sum((a * b for a, b in itertools.combinations(x, 2)))


def comb_idx(x):
    return sum((x[i] * x[j] ** 2 for i, j in itertools.combinations(range(4), 2)))


def comb_rt(x):
    return sum((x[i] * x[j] ** 2 for i, j in itertools.combinations(range(len(x)), 2)))


def perm(x):
    return sum((x[i] * x[j] ** 2 for i, j in itertools.permutations(range(3), 2)))


def chain(x):
    return sum((v * v for v in itertools.chain(x, [x[0], 2.0])))


def accum(x):
    return sum((v * v for v in itertools.accumulate(x)))


def accum_f(x):
    return sum(itertools.accumulate(x, operator.mul))


def accum_init(x):
    return sum(itertools.accumulate(x, lambda a, b: a * b + 1, initial=2.0))


def islice(x):
    return sum(itertools.islice(x, 1, 3))


def islice1(x):
    return sum(itertools.islice(x, 2))


def pairwise(x):
    return sum(((b - a) ** 2 for a, b in itertools.pairwise(x)))


def ziplong(x):
    return sum((a * b for a, b in itertools.zip_longest(x, [1.0, 2.0], fillvalue=3.0)))


def repeat(x):
    return sum((a * b for a, b in zip(x, itertools.repeat(2.0))))


def count(x):
    s = 0.0
    for i, v in zip(itertools.count(1), x):
        s += i * v
    return s


def cycle(x):
    return sum((a * b for a, b in zip(x, itertools.cycle([1.0, 2.0]))))


def takewhile(x):
    return sum(itertools.takewhile(lambda v: v < 1.5, x))


def dropwhile(x):
    return sum(itertools.dropwhile(lambda v: v < 1.0, x))


def starmap(x):
    return sum(itertools.starmap(lambda a, b: a * b, [(x[0], x[1]), (x[2], x[3])]))


def reduce_rt(x, n):
    return functools.reduce(lambda a, b: a * b + 1.0, [x[i] for i in range(n)])


def reduce_arr(x):
    return functools.reduce(lambda a, b: a * b + 1.0, x)


def reduce_arr_init(x):
    return functools.reduce(operator.mul, x, 2.0)


def map_multi(x):
    return sum(map(operator.mul, x, [1.0, 2.0, 3.0, 4.0]))


def filter_program(x):
    return sum(filter(lambda v: v > 1, x)) + sum(filter(None, [x[0], 0.0]))


def zip_strict(x):
    return sum((a * b for a, b in zip(x, x, strict=True)))


def zip_star(x):
    pairs = [(x[0], 1.0), (x[1], 2.0)]
    a, b = zip(*pairs)
    return sum(a) * b[1]


def changing_1(x):
    l = [x[0], 2.0, 3.0]
    s = 0.0
    for i, v in enumerate(l):
        s += v * (i + 1)
        if i == 0:
            l[2] = x[1]
    return s


def changing_2(x):
    l = [x[0], 2.0]
    s = 0.0
    for v in l:
        s += v
        if len(l) < 4:
            l.append(v * x[1])
    return s


def changing_3(x, n):
    l = [x[i] for i in range(n)]
    s = 0.0
    for v in l:
        s += v
        if len(l) < 6:
            l.append(v * x[1])
    return s


def changing_4(x, n):
    l = [x[i] for i in range(n)]
    s = 0.0
    for i, v in enumerate(l):
        s += v * i
        if i == 0:
            l[2] = x[1] * 5
    return s


def changing_5(x):
    d = {'a': x[0], 'b': 2.0}
    s = 0.0
    for k, v in d.items():
        s += v
        d['b'] = x[1] * 3
    return s


def changing_6(x):
    d = {'a': x[0], 'b': 2.0}
    for k in d:
        d[k] *= 2
    return d['a'] * d['b']


def changing_7(x):
    l = [x[0], 2.0, 3.0]
    for v in l[:]:
        l.append(v)
    return sum(l)


def changing_8(x):
    l = [1, 2, 3, 4]
    for v in l:
        if v % 2 == 1:
            l.remove(v)
    return sum(l) * x[0]


def changing_9(x):
    l = [x[0], 2.0, 3.0]
    z = zip(l, l)
    l[1] = x[1]
    return sum((a * b for a, b in z))


def changing_10(x):
    l = [x[0], 2.0, 3.0]
    z = map(lambda v: v * 2, l)
    l.append(x[1])
    return sum(z)


def changing_11(x):
    l = [x[0], 2.0, 3.0]
    r = reversed(l)
    l[0] = x[1]
    return sum((v * (i + 1) for i, v in enumerate(r)))


def changing_14(x):
    l = [x[0], x[1], x[2]]
    while l:
        a = l.pop()
        for v in l:
            if v > a:
                break
        else:
            return a
    return 0.0


def changing_15(x, n):
    l = []
    for i in range(n):
        l.append(x[i])
        for v in l:
            if v > 1:
                l.pop()
                break
    return sum(l) + len(l) * x[0]


case(nested, (1.5, 4,))
case(pairs, (X,))
case(break_else, (X,))
case(break_else2, (X,))
case(return_program, (1.5,))
case(next_first, (1.5,))
case(next_first_rt, (X,))
case(next_generator_default, (X,))
case(next_stop, (X,))
case(zip2, (X,))
case(enum, (X,))
case(list_program, (X,))
case(map_program, (X,))
case(max_program, (X,))
case(any_program, (X,))
case(all_early, (X,))
case(chain_gen, (X,))
case(islice_inf, (X,))
case(takewhile_inf, (X,))
case(tree, (1.5,))
case(iter_method, (X,))
case(exc_in_gen, (X,))
case(exc_in_body, (X,))
case(writes, (X,))
case(batches, (X,))
case(fib, (X,))
case(queue, (X,))
case(queue_rt, (X, 3,))
case(kw, (X,))
case(product_big, (X,))
case(unique, (X,))
case(reduce_gen, (X,))
case(gen_args, (1.5,))
case(star_call, (X,))
case(twice_map, (1.5,))
case(in_list, (1.5,))
case(in_tuple, (1.5,))
case(in_dict, (1.5,))
case(iter_list, (1.5,))
case(next_default, (1.5,))
case(iter_is_alias, (1.5,))
case(iter_range, (1.5,))
case(passed_to_fn, (1.5,))
case(genexp_named, (1.5,))
case(genexp_late, (1.5,))
case(genexp_mutated, (1.5,))
case(enumerate_twice, (1.5,))
case(zip_same, (1.5,))
case(zip_same_arr, (np.array([1.0, 2, 3, 4]),))
case(map_two, (1.5,))
case(reversed_program, (1.5,))
case(list_of_map_then, (1.5,))
case(in_zip_after, (1.5,))
case(for_in_loop, (np.array([1.0, 2, 3, 4]), 3,))
case(unpack, (np.array([1.0, 2, 3, 4]),))
case(returned, (1.5,))
case(closure, (1.5,))
case(default_arg, (1.5,))
case(partial, (1.5,))
case(list_appended, (1.5,))
case(dict_items_view, (1.5,))
case(dict_keys_view, (1.5,))
case(gen_for, (1.5, 3,))
case(gen_sum, (1.5, 3,))
case(gen_list, (1.5, 3,))
case(gen_zip, (1.5, 3,))
case(gen_from, (1.5, 3,))
case(gen_break, (1.5, 3,))
case(gen_enumerate, (1.5, 3,))
case(gen_state_interleave, (1.5, 3,))
case(gen_return_value, (1.5,))
case(product, (X,))
case(product2, (X,))
case(product_rt, (X,))
case(comb, (X,))
case(comb_idx, (X,))
case(comb_rt, (X,))
case(perm, (X,))
case(chain, (X,))
case(accum, (X,))
case(accum_f, (X,))
case(accum_init, (X,))
case(islice, (X,))
case(islice1, (X,))
case(pairwise, (X,))
case(ziplong, (X,))
case(repeat, (X,))
case(count, (X,))
case(cycle, (X,))
case(takewhile, (X,))
case(dropwhile, (X,))
case(starmap, (X,))
case(reduce_rt, (X, 3,))
case(reduce_arr, (X,))
case(reduce_arr_init, (X,))
case(map_multi, (X,))
case(filter_program, (X,))
case(zip_strict, (X,))
case(zip_star, (X,))
case(changing_1, (X,))
case(changing_2, (X,))
case(changing_3, (X, 3,))
case(changing_4, (X, 3,))
case(changing_5, (X,))
case(changing_6, (X,))
case(changing_7, (X,))
case(changing_8, (X,))
case(changing_9, (X,))
case(changing_10, (X,))
case(changing_11, (X,))
case(changing_14, (X,))
case(changing_15, (X, 3,))
