"""Containers: dicts and sets whose keys depend on the path, deque, defaultdict, Counter, functions of operator."""

import math
import operator
from collections import defaultdict, deque
import numpy as np

from tests.corpus import case

X = np.array([0.3, 1.2, 0.7, 2.1])


def sort_items(x):
    d = {'b': x[0], 'a': x[1], 'c': x[2]}
    return sum((i * v for i, (k, v) in enumerate(sorted(d.items()))))


def max_key(x):
    return max([x[0], x[1], x[2]], key=lambda v: -v) ** 2


def max_key_arr(x):
    return max(x, key=lambda v: -v) ** 2


def argmax_range(x):
    i = max(range(len(x)), key=lambda i: x[i])
    return x[i] ** 2


def argmax_dunder(x):
    i = max(range(len(x)), key=x.__getitem__)
    return x[i] ** 2


def list_of_lists_rt(x, n):
    rows = []
    for i in range(n):
        rows.append([x[i], x[i] ** 2])
    return sum((r[0] * r[1] for r in rows))


def list_of_tuples_rt(x, n):
    rows = []
    for i in range(n):
        rows.append((i, x[i]))
    s = 0.0
    for i, v in rows:
        s += i * v
    return s + max(rows)[1]


def list_rt_star(x, n):
    l = [x[i] for i in range(n)]
    a, *r = l
    return a * sum(r)


def deque_program(x):
    d = deque([x[0], x[1]])
    d.append(x[2])
    d.appendleft(x[3])
    a = d.popleft()
    b = d.pop()
    d.rotate(1)
    return a * b + sum(d) + d[0]


def deque_maxlen(x):
    d = deque(maxlen=2)
    for i in range(4):
        d.append(x[i])
    return d[0] * d[1]


def deque_rt(x, n):
    d = deque()
    for i in range(n):
        d.append(x[i])
    s = 0.0
    while d:
        s = s * 0.5 + d.popleft()
        if len(d) > 1:
            s += d.pop() ** 2
    return s


def defaultdict_program(x):
    d = defaultdict(float)
    for k, v in zip(['a', 'b', 'a'], [x[0], x[1], x[2]]):
        d[k] += v
    return d['a'] ** 2 * d['b'] + d['zz']


def defaultdict_list(x):
    d = defaultdict(list)
    d['a'].append(x[0])
    d['a'].append(x[1])
    d['b'].append(x[2])
    return sum((sum(v) * len(v) for v in d.values()))


def dict_methods(x):
    d = {'a': x[0], 'b': x[1]}
    d.update(c=x[2])
    d.setdefault('a', 5.0)
    d.setdefault('e', x[3])
    p = d.pop('b')
    d |= {'z': 2 * x[0]}
    e = {**d, 'q': 1.0}
    q = {k: v * 2 for k, v in e.items() if k != 'a'}
    f = d | q
    return p * sum(f.values()) + f.get('a') + f.get('nope', 3.0) + len(f)


def dict_popitem(x):
    d = {'a': x[0], 'b': x[1]}
    k, v = d.popitem()
    return v * 2 + d['a']


def dict_fromkeys(x):
    d = dict.fromkeys(['a', 'b'], 0.0)
    d['a'] += x[0]
    return d['a'] ** 2 + d['b']


def dict_clear_in(x):
    d = {'a': x[0]}
    s = d['a'] if 'a' in d else 0.0
    d.clear()
    return s + (x[1] if 'a' in d else x[2]) + (1.0 if d else 0.0)


def memo_int(x, n):
    memo = {}

    def fib(k):
        if k in memo:
            return memo[k]
        v = x[k] if k < 2 else fib(k - 1) + fib(k - 2) * x[2]
        memo[k] = v
        return v
    return fib(4)


def dict_tuplekey(x):
    d = {}
    for i in range(2):
        for j in range(2):
            d[i, j] = x[i] * x[j + 2]
    return d[0, 1] * d[1, 0]


def set_member(x, n):
    return x[0] if n in {1, 2, 3} else x[1]


def set_ops(x):
    s = {1, 2} | {3}
    t = set([1, 2, 3]) - {2}
    return x[0] * len(s) + sum((x[i] for i in sorted(t)))


def set_mut(x):
    seen = set()
    s = 0.0
    for i in [0, 1, 0, 2]:
        if i in seen:
            continue
        seen.add(i)
        s += x[i]
    return s


def set_comp(x):
    s = {i % 2 for i in range(4)}
    return sum((x[i] for i in s))


def strings(x, m):
    s = f'{m}-{1}'
    if s.startswith('abc') and 'b' in m and (m < 'b') and (m[0] == 'a') and (len(m) == 3) and (s.split('-')[1] == '1') and (m.upper() == 'ABC') and ('%s' % m == 'abc') and ('{}'.format(m) == 'abc') and (','.join([m, m]) == 'abc,abc'):
        return x[0]
    return x[1]


def isinstance_program(x):
    s = 0.0
    for v in (1, 2.0, x[0], x, 'a', None, True, [1], (1,), {}):
        if isinstance(v, bool):
            s += 1 * x[0]
        elif isinstance(v, int):
            s += 2 * x[0]
        elif isinstance(v, float):
            s += 3 * x[0]
        elif isinstance(v, np.ndarray):
            s += 5 * x[0]
        elif isinstance(v, (list, tuple)):
            s += 7 * x[0]
        elif v is None:
            s += 11 * x[0]
        elif isinstance(v, str):
            s += 13 * x[0]
        elif type(v) is dict:
            s += 17 * x[0]
    return s


def isinstance_py(x):
    return x * 2 if isinstance(x, float) and type(x) is float and (not isinstance(x, np.floating)) and isinstance(x, (int, float)) else x


def anyall(x):
    if any((v > 2 for v in x)) and all((v > 0 for v in x)) and (not any([])) and all([]):
        return x[0]
    return x[1]


def operator_program(x):
    o = operator
    return o.add(x[0], x[1]) * o.mul(x[2], x[3]) - o.sub(x[0], x[1]) + o.truediv(x[0], x[1]) + o.neg(x[0]) + o.pow(x[0], 2) + o.itemgetter(1)(x) + o.itemgetter(0, 2)(x)[1] + o.getitem(x, 2) + o.attrgetter('size')(x) + o.abs(x[0]) + o.lt(1, 2) * x[0] + o.methodcaller('sum')(x)


def walrus(x):
    if (n := len(x)) > 3 and (s := np.sum(x)) > 0:
        return s * n
    return x[0]


def sum_start_list(x):
    return sum(sum([[x[0]], [x[1], 2.0]], []))


def dictdispatch(x):
    ops = {'a': math.sin, 'b': lambda v: v * 2}
    return sum((ops[k](x) for k in ops))


def maybe_key(x, n):
    d = {'a': x[0]}
    if n > 1:
        d['b'] = x[1]
    if n > 5:
        d['c'] = x[2]
    s = d['b'] if 'b' in d else 7.0
    t = d['c'] if 'c' in d else 9.0
    return s * t * len(d) + d.get('b', 3.0) * d.get('c', 5.0 * x[3]) + (1.0 if d else 0.0)


def maybe_setdefault(x, n):
    d = {}
    if n > 5:
        d['b'] = x[1]
    d.setdefault('b', x[2])
    e = {}
    if n > 1:
        e['b'] = x[1]
    return d['b'] * e.setdefault('b', x[2]) * (2.0 if e else 3.0)


def maybe_set(x, n):
    s = set()
    if n > 1:
        s.add(1)
    if n > 3:
        s.add(2)
    return (x[0] if 1 in s else x[1]) * (x[2] if 2 in s else x[3]) * len(s)


def counted(x):
    from collections import Counter, OrderedDict
    c = Counter(['a', 'b', 'a'])
    d = OrderedDict(a=x[0], b=x[1])
    d['c'] = x[2]
    d.move_to_end('a')
    return x[0] * c['a'] + x[1] * c['b'] + x[2] * c['z'] + sum((i * v for i, v in enumerate(d.values())))


case(sort_items, (X,))
case(max_key, (X,))
case(max_key_arr, (X,))
case(argmax_range, (X,))
case(argmax_dunder, (X,))
case(list_of_lists_rt, (X, 4,))
case(list_of_tuples_rt, (X, 4,))
case(list_rt_star, (X, 4,))
case(deque_program, (X,))
case(deque_maxlen, (X,))
case(deque_rt, (X, 4,))
case(defaultdict_program, (X,))
case(defaultdict_list, (X,))
case(dict_methods, (X,))
case(dict_popitem, (X,))
case(dict_fromkeys, (X,))
case(dict_clear_in, (X,))
case(memo_int, (X, 4,))
case(dict_tuplekey, (X,))
case(set_member, (X, 2,))
case(set_ops, (X,))
case(set_mut, (X,))
case(set_comp, (X,))
case(strings, (X, 'abc',))
case(isinstance_program, (X,))
case(isinstance_py, (1.5,))
case(anyall, (X,))
case(operator_program, (X,))
case(walrus, (X,))
case(sum_start_list, (X,))
case(dictdispatch, (1.5,))
case(maybe_key, (X, 2,))
case(maybe_setdefault, (X, 2,))
case(maybe_set, (X, 2,))
case(counted, (X,))
