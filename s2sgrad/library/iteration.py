"""itertools and functools.reduce as generators in the input language."""

from __future__ import annotations

import functools
import itertools

from s2sgrad.library.table import implements, refuse


@implements(itertools.chain)
def chain(*iterables):
    for items in iterables:
        yield from items


def from_iterable(iterables):
    for items in iterables:
        yield from items


@implements(itertools.accumulate)
def accumulate(iterable, func=None, *, initial=None):
    it = iter(iterable)
    if initial is None:
        total = next(it)
    else:
        total = initial
    yield total
    for x in it:
        total = total + x if func is None else func(total, x)
        yield total


@implements(itertools.islice)
def islice(iterable, *bounds):
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1) if len(bounds) == 2 else bounds
    start = 0 if start is None else start
    step = 1 if step is None else step
    if stop is not None and stop <= start:
        return
    k = 0
    for x in iterable:
        if k >= start and (k - start) % step == 0:
            yield x
        k += 1
        if stop is not None and k >= stop:
            break


@implements(itertools.pairwise)
def pairwise(iterable):
    items = list(iterable)
    for k in range(1, len(items)):
        yield items[k - 1], items[k]


@implements(itertools.takewhile)
def takewhile(predicate, iterable):
    for x in iterable:
        if not predicate(x):
            break
        yield x


@implements(itertools.dropwhile)
def dropwhile(predicate, iterable):
    dropping = True
    for x in iterable:
        if dropping and not predicate(x):
            dropping = False
        if not dropping:
            yield x


@implements(itertools.filterfalse)
def filterfalse(predicate, iterable):
    for x in iterable:
        if not (x if predicate is None else predicate(x)):
            yield x


@implements(itertools.compress)
def compress(data, selectors):
    for x, chosen in zip(data, selectors):
        if chosen:
            yield x


@implements(itertools.starmap)
def starmap(function, iterable):
    for arguments in iterable:
        yield function(*arguments)


def count(start=0, step=1):
    n = start
    while True:
        yield n
        n = n + step


def repeat(object, times=None):
    if times is None:
        while True:
            yield object
    else:
        for _ in range(times):
            yield object


@implements(itertools.cycle)
def cycle(iterable):
    items = list(iterable)
    while len(items) > 0:
        for x in items:
            yield x


@implements(itertools.zip_longest)
def zip_longest(*iterables, fillvalue=None):
    pools = [list(items) for items in iterables]
    longest = 0
    for items in pools:
        longest = max(longest, len(items))
    for k in range(longest):
        yield tuple(items[k] if k < len(items) else fillvalue for items in pools)


@implements(itertools.product)
def product(*iterables, repeat=1):
    pools = [list(items) for items in iterables] * repeat
    yield from choices(tuple(pools), ())


def choices(pools, chosen):
    if len(pools) == 0:
        yield chosen
    else:
        for x in pools[0]:
            yield from choices(pools[1:], (*chosen, x))


@implements(itertools.combinations)
def combinations(iterable, r):
    yield from increasing(list(iterable), r, 0, 1, ())


@implements(itertools.combinations_with_replacement)
def combinations_with_replacement(iterable, r):
    yield from increasing(list(iterable), r, 0, 0, ())


def increasing(items, r, start, step, chosen):
    """The tuples of r more elements at positions from `start`, each at least `step` behind the one before it."""
    if r == 0:
        yield chosen
    else:
        for k in range(start, len(items)):
            yield from increasing(items, r - 1, k + step, step, (*chosen, items[k]))


@implements(itertools.permutations)
def permutations(iterable, r=None):
    items = list(iterable)
    yield from arranged(items, len(items) if r is None else r, (), ())


def arranged(items, r, places, chosen):
    if r == 0:
        yield chosen
    else:
        for k in range(len(items)):
            if not any(k == p for p in places):
                yield from arranged(items, r - 1, (*places, k), (*chosen, items[k]))


@implements(itertools.groupby)
def groupby(iterable, key=None):
    refuse("itertools.groupby is not supported: write the loop")
    yield iterable, key


@implements(functools.reduce)
def reduce(function, iterable, *initial):
    if len(initial) > 0:
        total = initial[0]
        for x in iterable:
            total = function(total, x)
    else:
        items = list(iterable)
        if len(items) == 0:
            raise TypeError("reduce() of empty iterable with no initial value")
        total = items[0]
        for k in range(1, len(items)):
            total = function(total, items[k])
    return total


def positions(items):
    """Iterating over an object that has __getitem__ only."""
    k = 0
    while True:
        try:
            x = items[k]
        except IndexError:
            return
        yield x
        k += 1


def steps(iterator):
    """Iterating over an object that has __next__."""
    while True:
        try:
            x = iterator.__next__()
        except StopIteration:
            return
        yield x
