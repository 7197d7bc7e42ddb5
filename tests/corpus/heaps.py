"""heapq and bisect: shortest paths, spanning trees, merges, the largest of a stream."""

import bisect
import heapq
from heapq import heappop, heappush

import numpy as np

from tests.corpus import case


def bis(x, q):
    g = sorted(x)
    i = bisect.bisect_left(g, q)
    t = (q - g[i - 1]) / (g[i] - g[i - 1])
    return t * i


case(bis, ([0.1, 0.9, 0.4], 0.5))


def bis2(x, q):
    i = bisect.bisect(x, q)
    return x[i] * q - x[i - 1] ** 2


case(bis2, (np.array([0.1, 0.5, 0.9]), 0.7))


def ins(x):
    out = []
    for v in x:
        bisect.insort(out, v)
    return sum((k * v for k, v in enumerate(out)))


case(ins, (np.array([0.7, 0.31, 1.2, 0.55, 0.9, 0.42]),))


def dijkstra_csr(w, ptr, idx, n):
    dist = np.full(n, np.inf)
    done = np.zeros(n, dtype=bool)
    dist[0] = 0.0
    h = [(0.0, 0)]
    while len(h) > 0:
        d, u = heappop(h)
        if done[u]:
            continue
        done[u] = True
        for k in range(ptr[u], ptr[u + 1]):
            v = idx[k]
            if d + w[k] < dist[v]:
                dist[v] = d + w[k]
                heappush(h, (dist[v], v))
    return np.sum(dist[np.isfinite(dist)] ** 2)


case(dijkstra_csr, (np.array([0.7, 0.31, 1.2, 0.55, 0.9, 0.42]), np.array([0, 2, 4, 5, 6]), np.array([1, 2, 2, 3, 3, 0]), 4))


def prim(W):
    n = len(W)
    seen = [False] * n
    tot = 0.0
    h = [(0.0, 0)]
    while h:
        c, u = heapq.heappop(h)
        if seen[u]:
            continue
        seen[u] = True
        tot += c
        for v in range(n):
            if not seen[v]:
                heapq.heappush(h, (W[u, v], v))
    return tot ** 2


case(prim, (np.array([[0.0, 0.6, 1.1, 0.9], [0.6, 0.0, 0.4, 1.3], [1.1, 0.4, 0.0, 0.8], [0.9, 1.3, 0.8, 0.0]]),))


def huffman(p):
    h = list(p)
    heapq.heapify(h)
    cost = 0.0
    while len(h) > 1:
        a = heapq.heappop(h)
        b = heapq.heappop(h)
        cost += (a + b) ** 2
        heapq.heappush(h, a + b)
    return cost


case(huffman, (np.array([0.7, 0.31, 1.2, 0.55, 0.9]),))


def topk(x):
    h = list(x[:3])
    heapq.heapify(h)
    for v in x[3:]:
        if v > h[0]:
            heapq.heapreplace(h, v)
        else:
            heapq.heappushpop(h, v)
    return sum(h) * h[0] + sum(heapq.nlargest(2, x)) + heapq.nsmallest(1, x)[0]


case(topk, (np.array([0.7, 0.31, 1.2, 0.55, 0.9, 0.42, 1.1]),))
