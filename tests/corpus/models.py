"""Objects that are called (layers, networks), and recursion over trees of objects, tuples and lists."""

import math
from functools import reduce

import numpy as np

from tests.corpus import case


class Layer:

    def __init__(self, w, act=None):
        self.w = w
        if act:
            self.act = act

    def __call__(self, x):
        self.cache = x
        return x * self.w


class Net:

    def __init__(self, layers):
        self.layers = layers

    def __call__(self, x):
        for l in self.layers:
            x = l(x)
        return x


def last_of_network(net, x):
    return np.sum(net(x)) + net.layers[-1].cache.sum()


def sum_then_cache(net, x):
    y = np.sum(net(x))
    return y + net.layers[-1].cache.sum()


def inner_cache(net, x):
    y = np.sum(net(x))
    return y + net.layers[1].cache.sum()


def layer_argument(l, x):
    y = np.sum(l(x))
    return y + l.cache.sum()


case(last_of_network, (Net([Layer(np.ones(3)), Layer(2 * np.ones(3))]), np.ones(3)))
case(sum_then_cache, (Net([Layer(np.ones(3)), Layer(2 * np.ones(3))]), np.ones(3)))
case(inner_cache, (Net([Layer(np.ones(3)), Layer(2 * np.ones(3))]), np.ones(3)))
case(layer_argument, (Layer(np.ones(3)), np.ones(3)))


def layer_with_function(l, x):
    y = np.sum(l(x))
    return y + l.cache.sum()


case(layer_with_function, (Layer(np.ones(3), np.tanh), np.ones(3)))


def layer_in_a_list(l, x):
    y = np.sum(l[0](x))
    return y + l[0].cache.sum()


case(layer_in_a_list, ([Layer(np.ones(3), np.tanh)], np.ones(3)))


def reduced_layers(l, x):
    y = reduce(lambda h, k: k(h), l, x).sum()
    return y + l[0].cache.sum()


case(reduced_layers, ([Layer(np.ones(3), np.tanh)], np.ones(3)))


def layers_in_a_loop(l, x):
    y = x
    for k in l:
        y = k(y)
    return y.sum() + sum(((k.w ** 2).sum() for k in l)) + l[0].cache.sum()


case(layers_in_a_loop, ([Layer(np.ones(3), np.tanh)], np.ones(3)))


class Node:

    def __init__(self, val, left=None, right=None):
        self.val, self.left, self.right = (val, left, right)


T = Node(0.3, Node(0.5, Node(0.2)), Node(0.7, None, Node(0.9)))


def tree_sum(n, d=0):
    if n is None:
        return 0.0
    return n.val * math.exp(-0.1 * d) * (1 + tree_sum(n.left, d + 1)) + tree_sum(n.right, d + 1)


case(tree_sum, (T,))


def tree2(n):
    if n is None:
        return 0.0
    return n.val * (1 + tree2(n.left)) + tree2(n.right)


case(tree2, (T,))


def via(n):
    return tree2(n) ** 2


case(via, (T,))


def build(x, k):

    def mk(lo, hi):
        if lo >= hi:
            return None
        m = (lo + hi) // 2
        return Node(x[m], mk(lo, m), mk(m + 1, hi))
    return tree2(mk(0, 5)) * k


case(build, (np.array([0.1, 0.2, 0.3, 0.4, 0.5]), 2.0))


def nested(t):
    if isinstance(t, tuple):
        return nested(t[0]) * nested(t[1]) + 1.0
    return t * t


case(nested, (((0.3, 0.4), (0.2, (0.5, 0.6))),))


def expr(e, x):
    if e[0] == 'add':
        return expr(e[1], x) + expr(e[2], x)
    if e[0] == 'mul':
        return expr(e[1], x) * expr(e[2], x)
    if e[0] == 'var':
        return x
    return e[1]


case(expr, (('add', ('mul', ('var',), ('const', 2.0)), ('var',)), 0.7))


def listtree(t):
    s = 0.0
    for c in t:
        if isinstance(c, list):
            s += 2 * listtree(c)
        else:
            s += c ** 2
    return s


case(listtree, ([0.1, [0.2, [0.3, 0.5]], 0.4],))


def linked(n):
    s = 0.0
    while n is not None:
        s += n.val ** 2
        n = n.left
    return s


case(linked, (T,))
