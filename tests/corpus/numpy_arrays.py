"""Creation, reductions, shapes, joining, sorting and library functions of NumPy."""
import numpy as np

from tests.corpus import case

X = np.array([0.3, -0.6, 0.7, 0.15, 1.1, 0.9])
A = np.array([[0.2, 1.3, -0.7, 0.4], [0.9, -0.5, 0.45, 1.1], [1.15, 0.8, -1.6, 0.3]])


def creation(x):
    n = len(x)
    a = np.zeros(n) + np.ones(n) * x
    b = np.full(n, x[0]) * np.arange(n)
    c = np.linspace(0.0, 1.0, n) * x + np.zeros_like(x) + np.ones_like(a) + np.full_like(b, 2.0)
    d = np.empty(n)
    d.fill(x[1])
    e = np.eye(3) * x[2] + np.identity(3) * x[3]
    return np.sum(a * b * c + d) + np.sum(e * e)


def parametric_linspace(lo, hi):
    t = np.linspace(lo, hi, 5)
    return np.sum(t ** 2) + np.sum(np.full(3, lo) * hi)


def sums(A):
    return np.sum(np.sum(A, axis=0) ** 2) + np.sum(A.sum(axis=1, keepdims=True) * A) + np.sum(A, axis=(0, 1)) ** 2 + A.sum(axis=-1)[0]


def means_and_variance(A, x):
    m = A.mean(axis=0)
    return np.sum((A - m) ** 2) + np.mean(A) * np.var(A) + np.sum(np.std(A, axis=1)) + x.var() + x.mean() ** 2 + np.var(x, ddof=1)


def extrema(A, x):
    return np.max(A) * np.min(A) + np.sum(A.max(axis=0) ** 2) + np.sum(np.amin(A, axis=1, keepdims=True) * A) + np.ptp(x)


def products(A):
    return np.prod(A[0]) + np.sum(np.prod(A, axis=1)) + np.sum(np.cumprod(A[1])) + np.sum(np.cumsum(A) ** 2) + np.sum(np.cumsum(A, axis=0) * A)


def joining(x, A):
    a = np.concatenate((x, x[:2] * 2.0, A[0]))
    b = np.stack((x[:4], A[1]))
    c = np.vstack((A, x[:4])) * 2.0
    d = np.hstack((A[:, :1], A))
    e = np.column_stack((x[:3], A[:, 0]))
    f = np.concatenate((A, A[:1]), axis=0)
    return np.sum(a * a) + np.sum(b * c[:2]) + np.sum(d ** 2) + np.sum(e ** 3) + np.sum(f * f)


def shapes(A):
    B = np.transpose(A) * 2.0
    C = np.reshape(A, (2, 6)) ** 2
    D = A.ravel() * np.reshape(A, -1)
    return np.sum(B[:2] * 3.0) + np.sum(C) + np.sum(D) + np.sum(np.atleast_2d(A[0]) ** 2) + np.sum(np.moveaxis(A[None], 0, 2) ** 2)


def rearranging(x, A):
    a = np.flip(x) * x + np.roll(x, 2) * x[0]
    b = np.repeat(x, 2) + np.tile(x, 2)
    c = np.fliplr(A) * np.flipud(A) + np.roll(A, 1, axis=1)
    return np.sum(a) + np.sum(b * b) + np.sum(c * c) + np.sum(np.rot90(A) ** 2)


def differences(x, A):
    return np.sum(np.diff(x) ** 2) + np.sum(np.diff(A, axis=0) * A[1:]) + np.sum(np.gradient(x) ** 2) + np.trapezoid(x * x, dx=0.1)


def sorting(x):
    s = np.sort(x)
    return np.sum(s * np.arange(6.0)) + np.median(x) * np.percentile(x, 30.0) + s[-1] ** 2


def linear_products(A, x):
    v = x[:4]
    return np.dot(v, v) + np.sum(A @ v) ** 2 + np.sum(A.T @ A @ v) + np.sum(np.outer(v, x) ** 2) + np.inner(v, A[0]) + np.vdot(v, v) + np.sum(np.dot(A, A.T) ** 2)


def einsums(A, x):
    return np.einsum("ij,kj->", A, A) + np.sum(np.einsum("ij,j->i", A, x[:4]) ** 2) + np.sum(np.einsum("i,j->ij", x, x) ** 2) + np.trace(A[:, :3])


def triangles(A):
    B = A[:, :3]
    return np.sum(np.tril(B) ** 2) + np.sum(np.triu(B, 1) * 3.0) + np.sum(np.diag(np.array([A[0, 0], A[1, 1]])) ** 2) + np.sum(np.diagonal(B) ** 2)


def convolutions(x):
    k = x[:3]
    return np.sum(np.convolve(x, k) ** 2) + np.sum(np.correlate(x, k)) + np.sum(np.convolve(x, k, mode="same") * x)


def padding(x):
    p = np.pad(x, 2)
    q = np.pad(x, (1, 2), mode="edge")
    return np.sum(p[:-2] * p[2:]) + np.sum(q * q)


def interpolation(x):
    grid = np.array([-1.0, 0.0, 0.5, 1.5])
    values = np.array([x[0], x[1] * 2.0, x[2], x[3]])
    return np.sum(np.interp(x, grid, values) ** 2)


def counting(x):
    return np.sum(x) * np.count_nonzero(x > 0.2) + x.size * x[0] + x.ndim * x[1] + len(x) * x[2] + np.size(x) * x[3] + np.shape(x)[0] * x[4]


def meshgrid_outer(x):
    X2, Y2 = np.meshgrid(x[:3], x[3:])
    return np.sum(X2 * Y2 ** 2)


def select_and_where(x):
    y = np.select([x < 0.0, x < 0.5], [x * x, 2.0 * x], default=1.0 + x)
    return np.sum(y * y)


def nan_reductions(x):
    y = np.where(x > 1.0, np.nan, x)
    return np.nansum(y * y) + np.nanmean(y)


def average_weights(x):
    return np.average(x, weights=np.arange(1.0, 7.0)) ** 2 + np.average(x)


def cross_products(x):
    return np.sum(np.cross(x[:3], x[3:]) ** 2) + np.linalg.norm(x)


def splitting(x):
    a, b, c = np.split(x, 3)
    return np.sum(a * b) + np.sum(b * c ** 2)


def polynomial(x):
    return np.polyval(x[:4], x[4]) + np.sum(np.polyval(np.array([1.0, x[0], 2.0]), x))


case(creation, (X,))
case(parametric_linspace, (0.2, 1.7))
case(sums, (A,), numba="fast")
case(means_and_variance, (A, X))
case(extrema, (A, X))
case(products, (A,))
case(joining, (X, A))
case(shapes, (A,))
case(rearranging, (X, A))
case(differences, (X, A))
case(sorting, (X,))
case(linear_products, (A, X), numba="fast")
case(einsums, (A, X))
case(triangles, (A,))
case(convolutions, (X,))
case(padding, (X,))
case(interpolation, (X * 0.9 + 0.02,))
case(counting, (X,))
case(meshgrid_outer, (X,))
case(select_and_where, (X,))
case(nan_reductions, (X,))
case(average_weights, (X,))
case(cross_products, (X,))
case(splitting, (X,))
case(polynomial, (X,))
