"""Derivatives that the program takes itself: `grad`, `vjp`, `jvp`, `jacobian`, `hessian` of functions that it defines."""

import numpy as np

from s2sgrad import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from tests.corpus import case

X = np.array([0.7, 1.9])


def two_derivatives_do_not_mix(x):
    return x * grad(lambda y: x + y)(1.0) + grad(lambda y: x * y * y)(x)


def of_a_nested_function(x, n):
    total = 0.0
    for i in range(n):
        if i % 2 == 0:

            def wave(y):
                return np.sin(y * i) * x

            total += grad(wave)(x)
    return total


def late_binding(x):
    c = 2.0
    slope = grad(lambda y: c * y * y)
    c = x
    return slope(3.0)


def inner_optimisation(theta):
    w = np.zeros(2)
    for _ in range(5):
        w = w - 0.1 * grad(lambda w: np.sum((w - theta) ** 2))(w)
    return np.sum(w * w)


class Oscillator:
    def __init__(self, k):
        self.k = k

    def potential(self, q):
        return 0.5 * self.k * np.sum(q**2)

    def step(self, q, p, h):
        energy, slope = value_and_grad(self.potential)(q)
        p = p - h * slope
        return q + h * p, p, energy


def of_a_method(q, k):
    system = Oscillator(k)
    q, p, energy = system.step(q, np.zeros(2), 0.1)
    return np.sum(q) + energy


def newton(f, x, trips):
    slope = grad(f)
    for _ in range(trips):
        x = x - f(x) / slope(x)
    return x


def root_of_a_lambda(a):
    return newton(lambda x: x**3 - a, 1.5, 12)


def system_of_equations(a):
    x = np.array([1.0, 1.0])
    equations = lambda x: np.array([x[0] ** 2 - a, x[0] * x[1] - 1.0])
    for _ in range(8):
        x = x - np.linalg.solve(jacobian(equations)(x), equations(x))
    return x[0] + x[1]


def curvature(x):
    h = hessian(lambda y: np.sum(y**3 * x))(x)
    return np.sum(h * h)


def third_derivative(x):
    f = lambda y: y**4 * x
    return grad(grad(grad(f)))(2.0)


def derivative_of_a_derivative_inside(x):
    return grad(lambda y: grad(lambda z: x * y * y * z * z)(3.0))(x)


def pull_back(x):
    y, pull = vjp(lambda a, b: np.array([a * b, a + b]), x, 2.0)
    da, db = pull(np.array([1.0, x]))
    return y[0] + da * db


def push_forward(x):
    value, dot = jvp(lambda a, b: a**3 * b, (x, 2.0), (2.0, None))
    return value + dot


def hessian_times_vector(x):
    return np.sum(hvp(lambda y: np.sum(y**3), (x,), x))


def of_a_dict(x):
    g = grad(lambda p: p["a"] * p["b"][0] * x)({"a": x, "b": (2.0, 3)})
    return g["a"] + g["b"][0]


def by_two_arguments(x):
    slope_b, slope_a = grad(lambda a, b: a * b * b, wrt=("b", "a"))(x, 2.0)
    return slope_b * slope_a


def that_writes_into_its_argument(x):
    def f(y):
        y[0] = y[0] * x
        return np.sum(y * y)

    y = np.array([1.0, 2.0])
    return np.sum(grad(f)(y) * y)


def that_grows_a_list(x, n):
    powers = []
    for k in range(n):
        powers.append(x * k)

    def f(y):
        terms = []
        for k in range(n):
            terms.append(y**k * powers[k])
        return sum(terms)

    return grad(f)(2.0)


def where_a_condition_asks(x):
    y, trips = 5.0, 0
    while abs(grad(lambda z: (z - x) ** 2)(y)) > 0.1:
        y = y - (0.25 * grad(lambda z: (z - x) ** 2)(y) if trips < 100 else 0.0)
        trips += 1
    return y


def energy(p, k):
    return k * (p["a"] ** 2 + p["b"] ** 3)


slope_of_energy = grad(energy)


def of_a_dict_by_a_function_outside(x):
    g = slope_of_energy({"a": x, "b": 2.0}, x)
    return g["a"] * g["b"]


def sensitivity(x, k):
    return np.array([x[0] * x[1] * k, x[1] ** 2])


matrix = jacobian(sensitivity)


def matrix_made_outside(x, k):
    return np.sum(matrix(x, k) ** 2)


def of_mixed_precision(x):
    return grad(lambda y: np.sum(y * y * x))(np.array([1.0, 2.0], np.float32))[1]


def sines(x, n):
    even = [i for i in range(n) if i % 2 == 0]
    return (sum(i * np.cos(i * x) - i * i * x * np.sin(i * x) for i in even),)


SHRINK = 1 - 0.8**5

case(two_derivatives_do_not_mix, (3.0,), grad=lambda x: (1.0 + 4.0 * x,), second=True, numba="fast")
case(of_a_nested_function, (1.2, 5), grad=sines)
case(late_binding, (4.0,), grad=lambda x: (6.0,))
case(inner_optimisation, (X,), grad=lambda t: (2 * SHRINK**2 * t,), second=True, numba="fast")
case(of_a_method, (X, 3.0), grad=lambda q, k: (1 - 0.01 * k + k * q, -0.01 * np.sum(q) + 0.5 * np.sum(q * q)))
case(root_of_a_lambda, (5.0,), grad=lambda a: (a ** (-2 / 3) / 3,))
case(system_of_equations, (2.0,), grad=lambda a: (0.5 * a**-0.5 - 0.5 * a**-1.5,))
case(curvature, (X,), grad=lambda x: (144 * x**3,))
case(third_derivative, (1.5,), grad=lambda x: (48.0,))
case(derivative_of_a_derivative_inside, (2.0,), grad=lambda x: (24.0 * x,))
case(pull_back, (3.0,), grad=lambda x: (6.0 + 4.0 * x,))
case(push_forward, (3.0,), grad=lambda x: (6 * x**2 + 24 * x,))
case(hessian_times_vector, (X,), grad=lambda x: (12 * x,))
case(of_a_dict, (3.0,), grad=lambda x: (2.0 + 2 * x,))
case(by_two_arguments, (3.0,), grad=lambda x: (16.0,))
case(that_writes_into_its_argument, (3.0,), grad=lambda x: (4.0 * x,))
case(that_grows_a_list, (3.0, 4), grad=lambda x, n: (sum(k * k * 2.0 ** (k - 1) for k in range(1, n)),))
case(where_a_condition_asks, (1.0,), grad=lambda x: (1 - 0.5**7,))
case(of_a_dict_by_a_function_outside, (1.5,), grad=lambda x: (72 * x**2,))
case(matrix_made_outside, (X, 2.0), grad=lambda x, k: (2 * x * k**2 + np.array([0.0, 8 * x[1]]), 2 * k * np.sum(x * x)))
case(of_mixed_precision, (np.float32(3.0),), grad=lambda x: (np.float32(4.0),))


def dicts_in_any_order(x):
    slopes = jvp(lambda a: {"z": a * a, "b": a}, (x,), (1.0,))[1]
    curved = hvp(lambda d: d["z"] ** 2 * d["b"], ({"z": x, "b": 2.0 * x},), {"z": 1.0, "b": x})
    return slopes["z"] + 3.0 * slopes["b"] + curved["z"]


def results_are_their_own(x):
    y = x * 1.0
    value, _ = vjp(lambda t: t, y)
    value[0] = 5.0 * x[1]

    def written(t):
        t[0] = t[1] * 3.0
        return np.sum(t * t)

    total, _ = vjp(written, y)
    return np.sum(y * y) + y[0] * total


def of_a_chosen_function(x):
    f = (lambda y: y * y * x) if x > 1.0 else (lambda y: y**3 * x)
    return hvp(f, (x,), 1.0) + grad(f, wrt=-1)(x)


case(dicts_in_any_order, (0.7,), grad=lambda x: (2.0 + 4.0 + 4.0 * x,))
case(results_are_their_own, (X,), grad=lambda x: (2.0 * x + np.array([10.0 * x[1] ** 2, 20.0 * x[0] * x[1]]),))
case(of_a_chosen_function, (1.5,), grad=lambda x: (2.0 + 4.0 * x,))
