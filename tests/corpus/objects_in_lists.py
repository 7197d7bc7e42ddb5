"""Lists that grow at run time and hold objects, dicts, named tuples or lists: who knows an element sees what is changed in it."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tests.corpus import case

X = np.array([0.3, 1.2, 0.7, 2.1])


@dataclass
class Particle:
    x: float
    v: float
    steps: int = 0

    def energy(self):
        return 0.5 * self.v**2 + self.x

    def move(self, dt):
        self.x = self.x + self.v * dt
        self.steps += 1


class Body:
    def __init__(self, position, mass):
        self.position = position
        self.mass = mass
        self.force = np.zeros(2)


@dataclass
class Cell:
    particle: Particle
    weight: float = 1.0


class Pair(NamedTuple):
    left: Particle
    right: float


def energies(x, n):
    particles = []
    for i in range(n):
        particles.append(Particle(x[i], x[i] * 2))
    s = 0.0
    for p in particles:
        s += p.energy() * p.x
    return s


def steps_of_particles(x, n):
    particles = [Particle(x[i], x[i] ** 2) for i in range(n)]
    for _ in range(3):
        for p in particles:
            p.move(0.1)
            p.v *= 0.9
    return sum(p.x * p.v * p.steps for p in particles)


def changed_through_another_name(x, n):
    particles = []
    for i in range(n):
        p = Particle(x[i], 1.0)
        particles.append(p)
        p.v = x[i] * 3.0
    first = particles[0]
    again = particles[0]
    first.x = x[1] * x[2]
    again.v += first.x
    return sum(p.x * p.v for p in particles) + again.x * first.v


def swapped_attributes(x, n):
    particles = [Particle(x[i], 2.0 * x[i] + i) for i in range(n)]
    for p in particles:
        p.x, p.v = p.v, p.x
    particles[1].x = particles[2].x * particles[1].x
    return sum(p.x * p.v * (k + 1) for k, p in enumerate(particles)) + particles[1].x


def bodies_with_arrays(x, n):
    bodies = []
    for i in range(n):
        bodies.append(Body(np.array([x[i], x[i] ** 2]), 1.0 + x[i]))
    for _ in range(2):
        for i in range(n):
            bodies[i].force[:] = 0.0
            for j in range(n):
                if i != j:
                    d = bodies[j].position - bodies[i].position
                    bodies[i].force += bodies[j].mass * d / (1.0 + np.sum(d**2))
        for b in bodies:
            b.position = b.position + 0.1 * b.force / b.mass
    return sum(np.sum(b.position**2) for b in bodies)


def pairs_of_bodies(x, n):
    bodies = [Body(np.array([x[i], 1.0]), x[i]) for i in range(n)]
    s = 0.0
    for a in bodies:
        for b in bodies:
            if a is not b:
                s += a.mass * b.mass * np.sum((a.position - b.position) ** 2)
    return s


def objects_inside_of_objects(x, n):
    cells = []
    for i in range(n):
        cells.append(Cell(Particle(x[i], 0.5), x[i] ** 2))
    for c in cells:
        c.particle.v = c.particle.x * c.weight
        c.weight += c.particle.energy()
    return sum(c.particle.v * c.weight for c in cells)


def objects_inside_of_tuples(x, n):
    items = []
    for i in range(n):
        items.append((i, Particle(x[i], 1.0), Pair(Particle(2.0, x[i]), x[0])))
    for k, p, q in items:
        p.v = p.v * x[k] + q.left.v
        q.left.x += q.right
    return sum(p.x * p.v * q.left.x for _, p, q in items)


def dicts_in_a_list(x, n):
    rows = []
    for k in range(n):
        rows.append({"a": x[0] * k, "b": x[k]})
    rows[1]["a"] = rows[2]["b"] ** 2
    return sum(r["a"] * r["b"] for r in rows)


def best_so_far(x, n):
    particles = [Particle(np.sin(3.0 * x[i]), x[i]) for i in range(n)]
    best = particles[0]
    for p in particles:
        if p.x > best.x:
            best = p
    best.v = best.v * best.x
    return best.v + sum(p.v for p in particles)


def taken_from_a_stack(x, n):
    stack = [Particle(x[0], x[1])]
    total = 0.0
    count = 0
    while stack:
        p = stack.pop()
        total += p.energy() * (count + 1)
        count += 1
        p.x = p.x * 0.5
        if count < n:
            stack.append(Particle(p.x + x[2], p.v * x[3]))
            stack.append(p)
        if count > 2 * n:
            break
    return total


def sorted_and_filtered(x, n):
    particles = [Particle(np.cos(2.0 * x[i]), x[i]) for i in range(n)]
    particles.sort(key=lambda p: p.x)
    kept = [p for p in particles if p.v > 0.5]
    return kept[0].v * 2.0 + kept[1].v * kept[1].x + len(kept) + max(particles, key=lambda p: p.v).x


def replaced(x, n):
    particles = []
    for i in range(n):
        particles.append(Particle(x[i], 1.0))
    for i in range(n):
        particles[i] = Particle(particles[i].v * x[i], particles[i].x)
    return sum(p.x * p.v for p in particles)


def found_on_one_path(x, n):
    found = []
    s = 0.0
    for i in range(n):
        p = Particle(x[i], x[i] ** 2)
        if p.x > 0.5:
            found.append(p)
        s += p.v
    return s * sum(p.v * p.x for p in found)


def rows_are_lists(x, n):
    rows = []
    for i in range(n):
        rows.append([x[i], 2 * x[i]])
    both = rows[0] + rows[1]
    row = rows[2]
    row[0] = x[3] * x[0]
    s = 0.0
    for a, b in rows:
        s += a * b
    return s + both[3] * len(both) + max(rows[2]) + rows[2][-1] * sum(rows[1])


def row_changed_after_it_was_put_in(x, n):
    rows = []
    for i in range(n):
        row = [x[i], 1.0]
        rows.append(row)
        row[1] = x[i] ** 2
        rows[i][0] = row[1] * 2.0
        row[1] += row[0]
    return sum(a * b for a, b in rows)


def best_row(x, n):
    rows = [[np.sin(3.0 * x[i]), x[i]] for i in range(n)]
    best = rows[0]
    for r in rows:
        if r[0] > best[0]:
            best = r
    best[1] = best[1] * x[2]
    return best[0] * best[1] + sum(r[1] for r in rows)


@dataclass
class Node:
    value: float
    children: int = 0
    weights: np.ndarray = field(default_factory=lambda: np.ones(2))


def widened_attributes(x, n):
    nodes = [Node(0) for _ in range(n)]
    for k in range(n):
        nodes[k].value = x[k] * 2
        nodes[k].children += k
        nodes[k].weights[0] = x[k]
    return sum(v.value * v.children * v.weights[0] for v in nodes)


case(energies, (X, 4), numba="fast", second=True)
case(steps_of_particles, (X, 4), numba="fast")
case(changed_through_another_name, (X, 4))
case(swapped_attributes, (X, 4))
case(bodies_with_arrays, (X, 3), numba="fast")
case(pairs_of_bodies, (X, 4))
case(objects_inside_of_objects, (X, 4))
case(objects_inside_of_tuples, (X, 4))
case(dicts_in_a_list, (X, 4))
case(best_so_far, (X, 4))
case(taken_from_a_stack, (X, 3))
case(sorted_and_filtered, (X, 4))
case(replaced, (X, 4))
case(found_on_one_path, (X, 4))
case(rows_are_lists, (X, 4), numba="fast")
case(row_changed_after_it_was_put_in, (X, 4))
case(best_row, (X, 4))
case(widened_attributes, (X, 4))


def table_of_integers_filled_with_floats(x, n):
    table = [[0] * 3 for _ in range(n)]
    for i in range(1, n):
        for j in range(3):
            table[i][j] = table[i - 1][j] + x[i] * j
    return table[n - 1][2] * table[1][1]


def table_of_floats(x, n):
    table = [[0.0] * (n + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            table[i][j] = min(table[i - 1][j], table[i][j - 1]) + x[i - 1] * x[j - 1] * (i + j)
    return table[n][n] + sum(sum(row) for row in table)


def integers_stored_into_later(x, n):
    rows = []
    for _ in range(n):
        rows.append([0] * 2)
    rows[0][1] = x[0]
    row = rows[0]
    row[0] += x[1]
    return row[1] * x[1] + rows[0][0]


case(table_of_integers_filled_with_floats, (X, 4))
case(table_of_floats, (X, 3), numba="fast")
case(integers_stored_into_later, (X, 4))


def element_of_the_trip_before(x, n):
    particles = [Particle(x[i], 1.0) for i in range(n)]
    before = None
    s = 0.0
    for p in particles:
        if before is not None:
            before.v = p.x
            s += before.v * before.x
        before = p
    return s + particles[0].v


def largest_while_they_are_put_in(x, n):
    best = None
    particles = []
    for i in range(n):
        p = Particle(x[i], x[i] ** 2)
        particles.append(p)
        if best is None or p.x > best.x:
            best = p
    best.v = 0.5 * best.v
    return sum(p.v for p in particles)


case(element_of_the_trip_before, (X, 4))
case(largest_while_they_are_put_in, (X, 4))


def row_of_the_trip_before(x, n):
    rows = [[x[i], 2.0] for i in range(n)]
    before = None
    s = 0.0
    for r in rows:
        if before is not None:
            before[1] = r[0] * 3.0
            s += before[0] * before[1] + r[1]
        before = r
    return s + rows[0][1]


case(row_of_the_trip_before, (X, 4))
