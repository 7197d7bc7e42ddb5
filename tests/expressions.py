"""Expressions of NumPy functions and their data: value, dtype and gradient of each are compared with NumPy's (test_expressions.py)."""

import numpy as np

RNG = np.random.default_rng(5)


def numbers(*shape):
    return np.round(RNG.uniform(-1.5, 1.5, shape), 3)


P = np.array([[3.0, 0.5, 0.2], [0.5, 2.0, 0.3], [0.2, 0.3, 1.5]])
DATA = {
    "A": numbers(3, 4), "B": numbers(3, 4), "S": numbers(3, 3) + 3 * np.eye(3), "T": numbers(2, 3, 4), "U": numbers(2, 4, 3), "x": numbers(5), "y": numbers(5),
    "v": numbers(4), "w": numbers(4), "u": numbers(3), "a": 0.7, "b": -1.3, "P": P, "Q": np.stack([P, P[::-1, ::-1] + np.eye(3)]),
    "p": np.array([0.3, 1.2, 0.7, 2.1, 0.9]), "z": numbers(4) + 1j * numbers(4), "C": numbers(3, 4) + 1j * numbers(3, 4), "d": np.float64(0.8),
    "xf": numbers(5).astype(np.float32), "Af": numbers(3, 4).astype(np.float32), "af": np.float32(0.6),
    "i": np.array([2, 0, 3, 1, 2]), "J": np.array([[1, 0, 2], [2, 2, 0]]), "n": 3, "k": 2,
    "m": np.array([True, False, True, True, False]), "M": np.array([[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 1]], bool),
    "i8": np.array([5, -3, 7, 2, 1], np.int8), "u8": np.array([200, 100, 3, 250, 7], np.uint8), "i32": np.array([4, -2, 9, 3, 1], np.int32),
    "xn": np.array([0.5, np.nan, -1.1, 0.3, 2.2]), "An": np.array([[0.5, np.nan, -1.1, 0.3], [1.2, 0.4, 0.9, np.nan], [0.1, -0.7, 2.2, 0.8]]),
    "r2": np.stack([numbers(3, 3) + 3 * np.eye(3), numbers(3, 3) - 3 * np.eye(3)]), "x2": numbers(2), "X8": numbers(8),
}

EXPRESSIONS = """
np.add(x, y, where=m, out=np.zeros(5))
np.add(x, y, out=np.zeros(5))
np.add(x, y, where=True)
np.sqrt(p, out=np.zeros(5), where=m)
np.divide(x, y, out=np.zeros_like(x), where=y != 0)
np.divide(x, np.maximum(y, 0), out=np.zeros_like(x), where=y > 0)
np.log(x, where=x > 0, out=np.zeros(5))
np.sum(A, where=M)
np.sum(A, axis=1, where=M, initial=2.0)
np.prod(A, where=M)
np.sum(i8, where=m)
np.sum(Af, where=M)
np.any(A > 0, where=M)
np.max(A, axis=1, where=M, initial=-5.0)
np.max(A, axis=1, where=M, initial=a)
A.sum(axis=0, where=M)
A.max(where=M, initial=-3)
np.einsum('ij,jk->ik', A, B.T, out=np.zeros((3,3)))
np.dot(A, B.T, np.zeros((3,3)))
np.multiply(i8, 2, out=np.zeros(5), casting='unsafe')
np.add(i8, i8, out=np.zeros(5))
np.sum(A, 0, None, np.zeros(4))
np.mean(A, where=M)
np.mean(A, axis=1, where=M)
np.mean(Af, axis=1, where=M)
np.mean(i8, where=m)
np.mean(C, where=M)
np.var(A, where=M)
np.var(A, axis=0, where=M, ddof=0.5)
np.var(C, axis=1, where=M)
np.std(A, where=M)
np.std(xf, dtype=np.float64)
np.var(A, axis=0, mean=np.mean(A, axis=0, keepdims=True))
np.var(A, correction=1)
np.average(x, weights=p, returned=True)
np.average(x, returned=True)
np.average(A, axis=0, returned=True)
np.average(A, axis=0, weights=p[:3], returned=True)
np.average(A, axis=0, weights=p[:3], keepdims=True)
np.average(T, axis=(1,2), weights=A**2)
np.average(T, axis=(2,0), weights=B[:, :2].reshape(2,3).T[:2].reshape(2,2)[:, [0]].repeat(4,axis=1).T**2+1)
np.average(T, axis=1, weights=p[:3])
np.average(T, axis=-1, weights=v**2)
np.average(T, axis=0, weights=x2**2)
np.average(A, axis=(0,1), weights=B**2+1)
np.quantile(xf, np.array([0.2, 0.5]))
np.quantile(xf, [0.2, 0.5])
np.quantile(xf, np.float64(0.2))
np.percentile(xf, [20, 50])
np.percentile(xf, 20)
np.percentile(i8, [20, 50])
np.quantile(x, a)
np.quantile(A, [0.2, 0.6], axis=(0,1), keepdims=True)
np.median(T, axis=(0,2), keepdims=True)
np.median(T, axis=(2,0))
np.nanmedian(An, axis=1, keepdims=True)
np.nanquantile(An, [0.3, 0.6], axis=0)
np.nanquantile(An, 0.3, axis=0, method='hazen')
np.nanmedian(An, axis=(0,1))
np.nancumsum(i8)
np.nanargmax(i8)
np.nanmax(i8)
np.nanmean(i8)
np.nanmax(C.real)
np.cov(A, B, rowvar=False)
np.cov(C)
np.cov(A, fweights=np.array([1,2,1,3]), aweights=v**2, ddof=0)
np.quantile(x, 0.25, method='averaged_inverted_cdf')
np.quantile(x, 0.2, method='averaged_inverted_cdf')
np.quantile(x, 0.1, method='weibull')
np.quantile(x, 0.95, method='weibull')
np.quantile(x, 0.2, method='inverted_cdf')
np.quantile(x, 0.5, method='midpoint')
np.quantile(x, 0.3, method='closest_observation')
np.quantile(x, 0.0, method='interpolated_inverted_cdf')
np.cumulative_prod(A, axis=0, include_initial=True)
np.prod(T, axis=(0,2), keepdims=True)
np.sum([a, b, a])
np.max([a, b, 0.2])
np.maximum.reduce([x, y, x*y])
np.add.reduce([x, y, p])
np.sin([a, b])
np.dot([a, b], x2)
np.mean([x, y], axis=0)
np.cumsum([a, b])
np.array([xf[0], 2])
np.array([i8[0], 1])
np.array([xf[0], 2.0])
np.array([i8[0], xf[0]])
np.array([True, False, True])
np.array(x, ndmin=2)
np.array(a, ndmin=2)
np.array([a], ndmin=3)
np.full((3,2), x2)
np.full((2,), x2)
np.linalg.norm([a, b, 1.0])
np.sqrt([1.0, 4.0]) * a
np.multiply([1, 2, 3], u)
np.minimum([1.0, 0.0, 2.0], u)
np.polyval([1, 2, 3], a)
np.median([a, b, 1.0])
np.var([a, b, 1.0])
np.argmax([a, b]) * a
np.outer([1, 2], x)
np.cross([1, 0, 0], u)
np.searchsorted([0.0, 0.5, 1.0], x)
np.digitize(x, [-1.0, 0.0, 1.0])
np.interp(x, [-1.0, 0.0, 1.0], [a, b, 2.0])
np.allclose([1.0, 2.0], [1.0, 2.0])
np.trapezoid([a, b, 1.0], [0.0, 1.0, 3.0])
np.clip([a, b], 0, 1)
np.sort([a, b, 0.1])
np.where([True, False], x2, 0.0)
np.any([a > 0, b > 0]) * a
[1, 2, 3] * u
u + [1, 2, 3]
np.ones_like([a, b])
np.shape([a, b])[0] * a
np.size([a, b]) * a
np.diff([a, b, 1.0])
np.concatenate([[a], x, [b, 1.0]])
np.vstack([[a, b], x2])
np.convolve(x, [1, 2, 1])
np.linalg.solve([[2.0, 1.0], [1.0, 3.0]], x2)
np.linalg.det([[a, 1.0], [1.0, b]])
np.einsum('i,i', [1.0, 2.0], x2)
np.round(z, 1)
np.round(z)
np.rint(z)
(z * 0.987).round(2)
round(a, 2)
round(a)
round(d, 1)
round(d)
round(xf[0], 2)
np.round(xf, 1)
np.round(u8, -1)
A.item(5)
A.item(1, 2)
x.compress(m)
i.compress(m)
i.choose([x, y, p, p])
x.take([1, 2])
x.round(decimals=1)
np.sum(np.polynomial.legendre.leggauss(3)[0]*u)
np.mgrid[0:3, 0:4] * a
np.mgrid[0:1:3j, -1:1:4j] * a
np.mgrid[0:3, 0:1:0.25] * a
np.ogrid[0:1:3j, 0:4][1] * a
np.ogrid[0:3] * a
np.mgrid[:n, :k] * a
np.r_[0:1:4j] * a
np.r_[x, 0, 0, y]
np.r_[A, B]
np.c_[x, y, np.ones(5)]
np.c_[A, u]
np.c_[0:3, u]
np.indices((2, 3, 2)) * a
np.indices((4,)) * a
np.indices((2,3), sparse=True)[1] * a
np.fromfunction(lambda ii, jj: np.sin(ii) + jj * a, (3, 4))
np.fromfunction(lambda q: q, (3,), dtype=int) * a
np.meshgrid(x)[0]
np.meshgrid(x, v, u, indexing='ij', sparse=True)[2]
np.meshgrid(i, x)[0] * a
np.vectorize(lambda t: t*t)(x)
np.vectorize(lambda t: 0 if t < 0 else t, otypes=[float])(x)
np.vectorize(lambda t, s: t*s + 1)(x, y[:, None])
np.vectorize(lambda t, s: t*s + 1)(A, a)
np.vectorize(lambda t: t*t)(a)
np.vectorize(math.sin)(x)
np.vectorize(lambda t: t*t)(i) * a
np.poly1d(u)(a)
(np.poly1d(u) * np.poly1d(x2))(v)
(np.poly1d(u) + 2.0)(v)
np.poly1d(u).deriv()(x)
np.poly1d(u).integ()(x)
np.poly1d(u).coeffs
np.poly1d(u)[1]
np.poly1d([a, b], True)(x)
(np.poly1d(u) ** 2)(a)
np.poly1d(u).order * a
np.polynomial.Polynomial(u)(x)
np.polynomial.Polynomial(u).deriv()(x)
(np.polynomial.Polynomial(u) * np.polynomial.Polynomial(x2)).coef
np.real(np.roots(u))
np.polydiv(x, u)[0]
np.polydiv(x, u)[1]
np.poly(u)
np.polysub(x, u)
np.polyint(x, 2)
np.polyint(x, k=a)
np.subtract.reduce(x)
np.divide.reduce(A + 3, axis=1)
np.hypot.reduce(x)
np.power.reduce(p[:2])
np.maximum.reduceat(A, [0, 2], axis=1)
np.add.reduceat(x, np.array([3, 1, 4]))
np.subtract.accumulate(A, axis=1)
np.logical_xor.reduce(m) * a
np.bitwise_or.reduce(i) * a
np.bitwise_xor.reduce(i32) * a
np.gcd.reduce(i32) * a
np.lexsort((x, i)) * a
np.lexsort((i, i, x)) * a
np.unique(J, return_inverse=True)
np.unique(J, return_index=True, return_counts=True)
np.unique_counts(i).counts * a
np.unique(x, return_index=True)[0]
np.broadcast_shapes((3,1),(4,))
np.broadcast_shapes((3,1),(2,1,4), (1,))
np.pad(A, ((1,0),(2,1)), 'constant', constant_values=((1.,2.),(a,b)))
np.pad(A, 2, mode='linear_ramp', end_values=a)
np.pad(A, 2, mode='linear_ramp')
np.pad(A, 1, mode='mean')
np.pad(A, ((0,1),(2,0)), mode='median')
np.pad(A, 1, mode='maximum')
np.pad(A, 1, mode='minimum')
np.pad(x, 3, mode='reflect', reflect_type='odd')
np.pad(x, 3, mode='symmetric', reflect_type='odd')
np.pad(i8, 1, mode='mean')
np.pad(i8, 2, mode='linear_ramp')
np.pad(A, ((1,),(2,)))
np.insert(A, [0,2], u[:2], axis=1)
np.insert(A, [0,2], A[:, :2], axis=1)
np.insert(A, [0,2], A[:2], axis=0)
np.insert(A, [1,1], v, axis=0)
np.insert(x, [3,1,3], u)
np.insert(x, slice(0,4,2), x2)
np.insert(x, [0, -1], a)
np.insert(A, [1, 5], x2)
np.delete(A, [0, 2], axis=1)
np.delete(A, np.s_[1:3], axis=1)
np.delete(A, m[:3], axis=0)
np.delete(x, [1, 1])
np.choose(i, [x, y], mode='wrap')
np.take(T, [[0, 1], [2, 0]], axis=1)
np.take(T, J, axis=2)
np.take(A, J, axis=0)
np.take(A, 1, axis=-1)
np.compress([1, 0, 1], A, axis=1)
np.searchsorted(p, x, sorter=np.argsort(p)) * a
np.histogram2d(x, y, bins=2, weights=p)
np.histogram2d(x, y, bins=[np.array([-2.,0.,2.]), 3])[0] * a
np.histogram_bin_edges(x, 4)
np.histogram(x, bins=3, weights=y)
np.histogram(i8)[0] * a
np.apply_over_axes(np.sum, T, [0,2])
np.apply_along_axis(lambda r: r / np.sum(r), 1, T)
np.apply_along_axis(lambda r: np.outer(r, r), 0, A)
np.apply_along_axis(np.sum, 1, T)
np.atleast_1d(a, x)
np.ix_([0, 1], [1, 2], [0])
T[np.ix_([0, 1], [1, 2], [0, 3])]
np.nan_to_num(z)
np.isreal(z) * a
np.isreal(x) * a
np.iscomplex(z) * a
x.reshape(-1, order='F')
A.reshape(-1, order='F')
A.reshape((2, 6), order='F')
np.reshape(T, (4, 6), order='F')
np.linspace(a, b, 5, retstep=True)
np.linspace(0, a, 5, endpoint=False, retstep=True)
np.diff(m)
np.diff(A > 0, axis=1)
np.gradient(T, axis=(0, 2))
np.gradient(A, 0.5, 2.0, axis=(1, 0))
np.gradient(x, p.cumsum(), edge_order=2)
np.interp(x, np.linspace(-2,2,4), v, period=3.0)
np.interp(a, np.linspace(0,2,4), v, period=3.0)
np.unwrap(p * 4, discont=4.0)
np.digitize(x, np.array([1., 0., -1.])) * a
np.digitize(x, np.array([1., 0., -1.]), right=True) * a
sliding_window_view(A, (2,2))
sliding_window_view(A, 2, axis=1)
sliding_window_view(T, (2, 2), axis=(1, 2))
sliding_window_view(x, 3).mean(axis=-1)
np.fft.fft2(A, s=(4,2))
np.fft.fftn(T, s=(3,3))
np.fft.ifftn(C)
np.fft.irfft2(np.fft.rfft2(A), s=A.shape)
np.fft.irfftn(np.fft.rfftn(T), s=T.shape)
np.fft.hfft(z, norm='ortho')
np.fft.ihfft(X8, norm='forward')
np.diagonal(A, 1)
np.diagonal(A, -1)
np.diagonal(A, 2, 1, 0)
np.diagonal(A.T, 1)
np.diagonal(A[:, ::2])
np.diagonal(A, 9)
np.diag(A[::2], 1)
np.trace(A, -1)
np.linalg.tensorsolve(np.eye(6).reshape(2,3,6)*a+0.1, A[:2,:3])
A @ U
v @ U
np.matmul(T[:, None], U[None])
T[:1] @ U
T @ U[:1]
np.dot(T, U)
np.einsum('iij->j', np.stack([S, S * 2, S + 1], axis=2))
np.einsum('iii->i', np.stack([S, S * 2, S + 1], axis=2))
np.einsum(A, [0, 1], B, [0, 1], [0])
np.einsum('i->', i8)
np.einsum('ij,kj,k->i', A, B, u, optimize='optimal')
np.linalg.solve(r2, S)
np.linalg.solve(r2, u)
np.linalg.solve(S, r2)
np.linalg.inv(r2)
np.linalg.det(r2)
np.linalg.slogdet(r2)
np.linalg.cholesky(Q)
np.linalg.cholesky(P, upper=True)
np.linalg.eigvalsh(Q)
np.linalg.eigh(Q).eigenvalues
np.linalg.eigh(P, UPLO='U')[0]
np.linalg.svd(T, compute_uv=False)
np.linalg.svd(T, full_matrices=False)[1]
np.abs(np.linalg.qr(S, mode='r'))
np.linalg.pinv(r2)
np.linalg.norm(T, axis=(1, 2))
np.linalg.norm(T, axis=(0, 2), ord=1)
np.linalg.norm(T, axis=(2, 0), ord='nuc')
np.linalg.norm(A, axis=(0, 1), keepdims=True)
np.linalg.vector_norm(A, keepdims=True)
np.linalg.matrix_norm(T)
np.linalg.cond(r2)
np.linalg.matrix_power(r2, 2)
np.linalg.matrix_rank(r2)
np.linalg.trace(r2)
np.linalg.diagonal(r2)
np.linalg.tensorinv(np.eye(6).reshape(2, 3, 6) * a, ind=2)
np.matrix_transpose(T)
T.mT
np.arange(af, 3.0)
np.arange(i32[0])
np.unique_inverse(i).inverse_indices
np.cross([1, 0, 0], S)
np.argmax(A, keepdims=True)
i32.compress([True, False])
np.linspace(x, y, 3)
np.linspace(x, 1.0, 4, axis=1)
np.linspace(A, a, 3, endpoint=False, axis=-1)
np.linspace(xf, xf * 2, 3)
np.linspace(i, x, 3)
np.fromiter((t * t for t in x), float)
np.i0(x * 20)
np.kaiser(5, 8.0) * x
scipy.linalg.solve(S, u)
scipy.linalg.inv(S)
scipy.linalg.det(S)
scipy.linalg.solve_triangular(P, u, lower=True)
scipy.linalg.solve_triangular(S, A, trans=1, lower=True, unit_diagonal=True)
scipy.linalg.cholesky(P)
scipy.linalg.cho_factor(P)[0]
scipy.linalg.cho_solve(scipy.linalg.cho_factor(P, lower=True), A)
scipy.linalg.lu_solve(scipy.linalg.lu_factor(S[::-1]), A)
scipy.linalg.eigh(P)[0]
scipy.linalg.eigvalsh(P)
scipy.linalg.svdvals(A)
scipy.linalg.norm(A, axis=0)
scipy.linalg.expm(S)
scipy.linalg.block_diag(S, P, x)
scipy.linalg.toeplitz(u, v)
scipy.linalg.circulant(u)
scipy.linalg.solve_banded((2, 1), np.ones((4, 5)) * 0.2 + np.array([[0.0], [2.0], [0.0], [0.0]]) + a, x)
scipy.special.expit(x * 500)
scipy.special.expit(x * 0)
scipy.special.expit(xf)
scipy.special.log_expit(x * 0)
scipy.special.ndtr(x)
scipy.special.rel_entr(p, p[::-1])
scipy.special.kl_div(p, p[::-1])
scipy.special.huber(1.0, x)
scipy.special.pseudo_huber(1.0, x)
scipy.special.i0(p)
scipy.special.i1(x)
""".strip().split("\n")
