"""Single precision, integers, booleans and NumPy's promotion (values and gradients keep NumPy's dtypes)."""
import numpy as np

from tests.corpus import case

X = np.array([0.3, -1.2, 0.7, 2.1])
F = X.astype(np.float32)
K = np.array([1, 3, 2, 5])


def single_times_python_float(x):
    y = x * 2.0
    return np.sum(y * y) * 0.5


def single_scalar_arithmetic(x):
    s = x[0] * 2.0
    for i in range(1, len(x)):
        s = s * 0.5 + x[i] / 3
    return s


def single_times_int_array(x, k):
    return np.sum(x * k)


def single_and_double(x, y):
    z = x * y
    return np.sum(z * x)


def single_stored_in_double(x):
    y = np.zeros(4)
    y[:] = x * x
    return np.sum(y * 3.0)


def double_stored_in_single(x):
    y = np.zeros(4, dtype=np.float32)
    for i in range(4):
        y[i] = x[i] * 0.5
    return np.sum(y)


def integer_scaling(x, k):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * k[i] / 2 + x[i] ** k[i]
    return s


def integer_division_and_modulo(x, n):
    s = 0.0
    for i in range(n):
        s += x[i % 4] * (i // 3) + x[-(i % 3)] * ((-i) % 4)
    return s


def integer_then_float(x):
    h = 0
    for i in range(4):
        h = h + x[i]
    return h * h


def boolean_arithmetic(x):
    m = x > 0.0
    return np.sum(x * m) + np.sum(m) * x[0] + (x[1] < 0) * x[2]


def cast_down_and_up(x):
    y = x.astype(np.float32).astype(np.float64)
    return np.sum(y * y)


def int_of_float(x):
    k = int(x[3])
    return x[k] * k + float(k) * x[0]


def python_int_argument(x, n):
    return x ** n * n


def numpy_scalar_argument(x, c):
    return np.sum(x * c)


def zero_d_argument(x):
    return x * x * 2.0


def single_math(x):
    s = np.float32(0.0)
    for v in x:
        s += np.sin(v) * np.exp(v) + np.sqrt(v * v + 1)
    return s


def in_place_cast(x):
    y = np.ones(4, dtype=np.float32)
    y *= x
    y += 0.1
    return np.sum(y * y)


def integer_array_index_arithmetic(x, k):
    j = (k * 2 + 1) % 4
    j += 1
    return np.sum(x[j % 4] * j)


def mean_of_integers_times_float(x, k):
    return np.mean(k) * np.sum(x) / np.max(k)


def bit_operations(x, n):
    s = 0.0
    for i in range(n):
        if i & 1:
            s += x[(i >> 1) % 4]
        s += (i ^ 2) * x[0] * 0.1
    return s


case(single_times_python_float, (F,), numba="fast")
case(single_scalar_arithmetic, (F,), numba="fast")
case(single_times_int_array, (F, K), wrt=(0,))
case(single_and_double, (F, X))
case(single_stored_in_double, (F,))
case(double_stored_in_single, (X,), grad=lambda x: (np.full(4, 0.5),))
case(integer_scaling, (X, K), wrt=(0,), numba="fast")
case(integer_division_and_modulo, (X, 9), wrt=(0,))
case(integer_then_float, (X,))
case(boolean_arithmetic, (X,))
case(cast_down_and_up, (X,), grad=lambda x: (2.0 * x,), rtol=1e-6)
case(int_of_float, (X,))
case(python_int_argument, (1.3, 3), wrt=(0,))
case(numpy_scalar_argument, (X, np.float64(1.5)))
case(zero_d_argument, (np.array(1.5),))
case(single_math, (F,))
case(in_place_cast, (X,), grad=lambda x: (2.0 * (x + 0.1),), rtol=1e-6)
case(integer_array_index_arithmetic, (X, K), wrt=(0,))
case(mean_of_integers_times_float, (X, K), wrt=(0,))
case(bit_operations, (X, 7), wrt=(0,))
