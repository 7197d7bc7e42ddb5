"""heapq and bisect on lists, in the input language."""

from __future__ import annotations

import bisect
import heapq

from s2sgrad.library.table import implements


def _towards_root(heap, start, at):
    """Moves the item at a position up until its parent is not larger."""
    while at > start:
        parent = (at - 1) // 2
        if not heap[at] < heap[parent]:
            break
        heap[at], heap[parent] = heap[parent], heap[at]
        at = parent


def _towards_leaves(heap, start):
    """Moves the item at a position to a leaf, its smaller child up at each level, and from there back to its place (heapq's order of ties)."""
    n = len(heap)
    at = start
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[at], heap[child] = heap[child], heap[at]
        at = child
    _towards_root(heap, start, at)


@implements(heapq.heappush)
def heappush(heap, item):
    heap.append(item)
    _towards_root(heap, 0, len(heap) - 1)


@implements(heapq.heappop)
def heappop(heap):
    last = heap.pop()
    if len(heap) == 0:
        return last
    top = heap[0]
    heap[0] = last
    _towards_leaves(heap, 0)
    return top


@implements(heapq.heapify)
def heapify(x):
    for k in range(len(x) // 2 - 1, -1, -1):
        _towards_leaves(x, k)


@implements(heapq.heapreplace)
def heapreplace(heap, item):
    top = heap[0]
    heap[0] = item
    _towards_leaves(heap, 0)
    return top


@implements(heapq.heappushpop)
def heappushpop(heap, item):
    if len(heap) == 0 or not heap[0] < item:
        return item
    return heapreplace(heap, item)


@implements(heapq.nsmallest)
def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]


@implements(heapq.nlargest)
def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]


@implements(bisect.bisect_left)
def bisect_left(a, x, lo=0, hi=None, *, key=None):
    end = len(a) if hi is None else hi
    at = lo
    while at < end:
        middle = (at + end) // 2
        found = a[middle] if key is None else key(a[middle])
        if found < x:
            at = middle + 1
        else:
            end = middle
    return at


@implements(bisect.bisect_right)
def bisect_right(a, x, lo=0, hi=None, *, key=None):
    end = len(a) if hi is None else hi
    at = lo
    while at < end:
        middle = (at + end) // 2
        found = a[middle] if key is None else key(a[middle])
        if x < found:
            end = middle
        else:
            at = middle + 1
    return at


@implements(bisect.insort_right)
def insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


@implements(bisect.insort_left)
def insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)
