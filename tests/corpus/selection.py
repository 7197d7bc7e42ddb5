"""Lists that are chosen at run time: by an index, by a condition."""

import numpy as np

from tests.corpus import case


def chosen_negative(x, k):
    a, b = [1.0], [x[0]]
    both = [a, b, a]
    both[k].append(x[1])
    both[k - 1].append(x[0] * x[2])
    return sum(a) * len(a) + 3 * sum(b) + both[k][-1] * a[0]


def md_cells(pos, steps, nc):
    """Cell lists rebuilt in every step, neighbours from the next cell."""
    p = pos.copy()
    for t in range(steps):
        cells = [[] for _ in range(nc)]
        for i in range(len(p)):
            cells[int(p[i] * nc) % nc].append(i)
        f = np.zeros(len(p))
        for c in range(nc):
            for i in cells[c]:
                for j in cells[(c + 1) % nc]:
                    d = p[i] - p[j]
                    f[i] += d * np.exp(-d * d)
                    f[j] -= d * np.exp(-d * d)
        p = p + 0.1 * f
    return np.sum(p * p)


def stacks(x, n):
    piles = [[], [], []]
    for i in range(n):
        piles[i % 3].append(x[i % 5] * (i + 1))
    s = 0.0
    for i in range(n - 2):
        if len(piles[i % 3]) > 0:
            s = s * 0.5 + piles[i % 3].pop() ** 2
    return s + sum(map(sum, piles))


def partition(x):
    left, right = [], []
    for v in x[1:]:
        (left if v < x[0] else right).append(v * v)
    left.sort()
    (right if len(left) > 2 else left).append(x[0])
    return sum(left) * 2 + sum(r * k for k, r in enumerate(right)) + left[-1]


def bucket_sort(x, n):
    buckets = [[] for _ in range(n)]
    for v in x:
        buckets[min(n - 1, int(v * n))].append(v)
    out = []
    for b in buckets:
        b.sort()
        out.extend(b)
    return sum((k + 1) * v for k, v in enumerate(out))


def index_moves(x):
    bins = [[], []]
    k = int(x[0] > 0.5)
    bins[k].append(x[k := 1 - k])
    bins[k].insert(0, x[0])
    bins[1 - k].extend([x[1] * 2, x[2]])
    return sum(bins[0]) * sum(bins[1]) + bins[k][0]


def read_then_change(x, n):
    bins = [[x[0]], [x[1]]]
    s = 0.0
    for i in range(n):
        s += sum(bins[int(x[i % 3] * 7) % 2])
        bins[int(x[i % 3] * 5) % 2].append(s * x[2])
    return s


def arrays_in_bins(x, n):
    bins = [[], []]
    for i in range(n):
        bins[int(abs(x[i, 0]) * 10) % 2].append(x[i] * (i + 1.0))
    t = np.zeros(2)
    for b in bins:
        for v in b:
            t += v * v
    return t.sum() * len(bins[0])


def tuples_graph(w, n):
    adj = [[] for _ in range(n)]
    for u in range(n):
        for v in range(n):
            if w[u, v] > 0:
                adj[u].append((v, w[u, v]))
    dist = np.full(n, np.inf)
    dist[0] = 0.0
    for _ in range(n - 1):
        for u in range(n):
            for v, c in adj[u]:
                dist[v] = min(dist[v], dist[u] + c * c)
    return np.sum(dist[1:])


def chosen_one(x):
    return chosen_negative(x, int(x[0] > 0.0)) + chosen_negative(x, int(x[0] > 0.0) + 1)


def chosen_first(x):
    return chosen_negative(x, int(x[0] < 0.0))


def measured(x, n):
    piles = [[x[0]], [x[1]], [x[2]]]
    s = 0.0
    for i in range(n):
        if len(piles[i % 3]) > 1:
            s = s * 0.5 + i * piles[i % 3][-1]
        piles[i % 3].append(s + x[0])
    return s + sum(piles[0]) + max(piles[1])


def three_cells(pos, steps):
    return md_cells(pos, steps, 3)


def four_buckets(x):
    return bucket_sort(x, 4)


def four_nodes(w):
    return tuples_graph(w, 4)


R = np.random.default_rng(3)
X = np.round(R.uniform(0.05, 0.95, 7), 3)
case(chosen_one, (X[:3],))
case(chosen_negative, (X[:3], -1), wrt=(0,))
case(chosen_first, (X[:3],))
case(three_cells, (X, 3), wrt=(0,))
case(stacks, (X, 9), wrt=(0,))
case(partition, (X,))
case(four_buckets, (X,))
case(index_moves, (X[:3],))
case(read_then_change, (X[:3], 5), wrt=(0,))
case(arrays_in_bins, (R.uniform(-1, 1, (6, 2)), 6), wrt=(0,))
case(four_nodes, (np.array([[-.3, .3, -.2, .9], [-.1, -.2, .4, .3], [.2, -.1, -.1, .1], [-.1, -.1, -.3, -.1]]),))
case(measured, (X, 7), wrt=(0,))
