"""Complex numbers: the gradient of a real loss is dL/d(re) + i dL/d(im)."""
import numpy as np

from tests.corpus import case

Z = np.array([0.3 + 0.2j, -1.2 + 0.7j, 0.5 - 0.4j])
X = np.array([0.3, -1.2, 0.7])


def abs_squared(z):
    return np.sum(np.abs(z) ** 2)


def complex_polynomial(z):
    w = z * z + (1.0 + 2.0j) * z
    return np.sum(w.real ** 2 + w.imag * 3.0)


def complex_inside_real(x):
    z = x * 1j + 0.5
    w = np.exp(z) * z
    return np.sum(w.real * w.imag)


def complex_loop(z, n):
    w = z[0]
    for k in range(n):
        w = w * w * 0.5 + z[k % 3]
    return abs(w) ** 2


def conjugate_product(z, w):
    return np.real(np.sum(z * np.conj(w))) + np.imag(np.sum(z * w))


def structure_factor(x):
    s = 0.0j
    for k in range(len(x)):
        s += np.exp(2j * np.pi * x[k])
    return s.real ** 2 + s.imag ** 2


def transmission_line(r, c):
    z = 50.0 + 0.0j
    for k in range(4):
        zs = r + 1j * 0.3 * (k + 1)
        yp = 1.0 / (1.0 / z + 1j * c)
        z = zs + yp
    return abs(z)


def complex_scalar_argument(z):
    return (z * z.conjugate()).real + (z ** 3).imag


def complex_store(x):
    z = np.zeros(3, dtype=np.complex128)
    for i in range(3):
        z[i] = complex(x[i], x[i] ** 2)
    z[1] *= z[0]
    z += z[::-1]
    return np.sum(np.abs(z))


def angle_and_log(z):
    return np.sum(np.angle(z)) + np.sum(np.log(z).real)


def complex_matrix(z):
    A = np.outer(z, np.conj(z)) + np.eye(3)
    w = A @ z
    return np.sum(w.real) + np.sum((w * w).imag)


def real_imag_parts_written(z):
    w = z.copy()
    w.real[0] = 2.0 * w.imag[1]
    w.imag *= 3.0
    return np.sum(w.real * w.imag)


case(abs_squared, (Z,), numba="fast")
case(complex_polynomial, (Z,))
case(complex_inside_real, (X,), numba="fast")
case(complex_loop, (Z, 4), wrt=(0,))
case(conjugate_product, (Z, Z[::-1].copy()))
case(structure_factor, (X,))
case(transmission_line, (1.2, 0.02))
case(complex_scalar_argument, (0.3 + 0.8j,))
case(complex_store, (X,))
case(angle_and_log, (Z,))
case(complex_matrix, (Z,))
case(real_imag_parts_written, (Z,))
