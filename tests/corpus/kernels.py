"""Kernels of scientific programs as people write them with NumPy: solvers, filters, transforms, networks, simulations."""
import numpy as np

from tests.corpus import case

RNG = np.random.default_rng(7)


def numbers(*shape):
    return np.round(RNG.uniform(-1, 1, shape), 3)


def positive(*shape):
    return np.round(RNG.uniform(0.3, 1.3, shape), 3)


H = numbers(4, 4)
SPD = H @ H.T + 4 * np.eye(4)


def crank_nicolson(u, r, steps):
    n = len(u)
    def thomas(a, b, c, d):
        cp, dp = np.zeros(n), np.zeros(n)
        cp[0], dp[0] = c[0] / b[0], d[0] / b[0]
        for i in range(1, n):
            m = b[i] - a[i] * cp[i - 1]
            cp[i] = c[i] / m
            dp[i] = (d[i] - a[i] * dp[i - 1]) / m
        x = np.zeros(n)
        x[-1] = dp[-1]
        for i in reversed(range(n - 1)):
            x[i] = dp[i] - cp[i] * x[i + 1]
        return x
    for _ in range(steps):
        rhs = np.zeros(n)
        rhs[1:-1] = u[1:-1] + r / 2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = thomas(np.full(n, -r / 2), np.full(n, 1 + r), np.full(n, -r / 2), rhs)
    return np.sum(u ** 2)


def implicit_newton(y, k, n):
    for _ in range(n):
        z = y
        for _ in range(20):
            g = z - y + 0.1 * k * z ** 3
            if abs(g) < 1e-13:
                break
            z -= g / (1 + 0.3 * k * z ** 2)
        y = z
    return y ** 2


def householder_qr(A):
    m, n = A.shape
    Q = np.eye(m)
    Rm = A.copy()
    for k in range(n):
        x = Rm[k:, k]
        e = np.zeros_like(x)
        e[0] = np.copysign(np.linalg.norm(x), x[0])
        u = x + e
        v = u / np.linalg.norm(u)
        Rm[k:, :] -= 2.0 * np.outer(v, v @ Rm[k:, :])
        Q[:, k:] -= 2.0 * np.outer(Q[:, k:] @ v, v)
    return np.sum(np.abs(Rm)) + np.sum(Q[:, 0] ** 3)


def lanczos(A, v, m):
    v = v / np.sqrt(v @ v)
    alphas, betas = [], []
    vp = np.zeros_like(v)
    beta = 0.0
    for j in range(m):
        w = A @ v - beta * vp
        a = w @ v
        w -= a * v
        alphas.append(a)
        beta = np.sqrt(w @ w)
        betas.append(beta)
        vp, v = v, w / beta
    T = np.diag(alphas) + np.diag(betas[:-1], 1) + np.diag(betas[:-1], -1)
    return np.sum(np.linalg.eigvalsh(T) ** 2)


def fft_recursive(x):
    def fft(x):
        n = len(x)
        if n == 1:
            return x
        even, odd = fft(x[::2]), fft(x[1::2])
        tw = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
        return np.concatenate([even + tw, even - tw])
    return np.sum(np.abs(fft(x)) ** 2 * np.arange(8.0))


def cubic_spline(x, y, t):
    n = len(x)
    h = np.diff(x)
    A = np.zeros((n, n))
    r = np.zeros(n)
    A[0, 0] = A[-1, -1] = 1.0
    for i in range(1, n - 1):
        A[i, i - 1:i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        r[i] = 6 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    M = np.linalg.solve(A, r)
    k = np.searchsorted(x, t) - 1
    d0, d1 = x[k + 1] - t, t - x[k]
    return M[k] * d0 ** 3 / (6 * h[k]) + M[k + 1] * d1 ** 3 / (6 * h[k]) + (y[k] / h[k] - M[k] * h[k] / 6) * d0 + (y[k + 1] / h[k] - M[k + 1] * h[k] / 6) * d1


def kalman(m, zs, q, r):
    F = np.array([[1.0, 0.1], [0.0, 1.0]])
    H = np.array([[1.0, 0.0]])
    P = np.eye(2)
    ll = 0.0
    for z in zs:
        m = F @ m
        P = F @ P @ F.T + q * np.eye(2)
        S = H @ P @ H.T + r
        K = P @ H.T @ np.linalg.inv(S)
        v = z - H @ m
        m = m + K @ v
        P = (np.eye(2) - K @ H) @ P
        ll += -0.5 * (np.log(np.linalg.det(S)) + v @ np.linalg.solve(S, v))
    return ll


def viterbi(A, B, obs):
    T, n = len(obs), 3
    V = np.zeros((T, n))
    back = np.zeros((T, n), dtype=int)
    V[0] = B[:, obs[0]]
    for t in range(1, T):
        s = V[t - 1][:, None] + A
        back[t] = np.argmax(s, axis=0)
        V[t] = np.max(s, axis=0) + B[:, obs[t]]
    path = np.zeros(T, dtype=int)
    path[-1] = np.argmax(V[-1])
    for t in range(T - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return np.max(V[-1]) + np.sum(B[path, obs] ** 2)


def attention(x, Wq, Wk, Wv):
    B, T, D = x.shape
    H = 2
    q = (x @ Wq).reshape(B, T, H, D // H).transpose(0, 2, 1, 3)
    k = (x @ Wk).reshape(B, T, H, D // H).transpose(0, 2, 1, 3)
    v = (x @ Wv).reshape(B, T, H, D // H).transpose(0, 2, 1, 3)
    s = q @ k.swapaxes(-1, -2) / np.sqrt(D // H)
    mask = np.triu(np.ones((T, T), dtype=bool), 1)
    s = np.where(mask, -1e9, s)
    p = np.exp(s - s.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    o = (p @ v).transpose(0, 2, 1, 3).reshape(B, T, D)
    return np.sum(o ** 2)


def conv_windows(img, k):
    w = np.lib.stride_tricks.sliding_window_view(img, (3, 3))
    out = np.einsum('ijkl,kl->ij', w, k)
    pooled = out.reshape(2, 2, 2, 2).max(axis=(1, 3))
    return np.sum(pooled ** 2) + np.mean(out.reshape(2, 2, 2, 2), axis=(1, 3)).sum()


def soft_dtw(x, y, gamma):
    D = (x[:, None] - y[None, :]) ** 2
    n, m = D.shape
    Rr = np.full((n + 1, m + 1), 1e6)
    Rr[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            z = -np.array([Rr[i - 1, j], Rr[i, j - 1], Rr[i - 1, j - 1]]) / gamma
            zm = z.max()
            Rr[i, j] = D[i - 1, j - 1] - gamma * (zm + np.log(np.sum(np.exp(z - zm))))
    return Rr[n, m]


def level_set(phi, F):
    for _ in range(2):
        dxm = phi - np.roll(phi, 1, axis=1)
        dxp = np.roll(phi, -1, axis=1) - phi
        dym = phi - np.roll(phi, 1, axis=0)
        dyp = np.roll(phi, -1, axis=0) - phi
        gp = np.sqrt(np.maximum(dxm, 0) ** 2 + np.minimum(dxp, 0) ** 2 + np.maximum(dym, 0) ** 2 + np.minimum(dyp, 0) ** 2 + 1e-6)
        phi = phi - 0.1 * np.maximum(F, 0) * gp
    return np.sum(phi ** 2)


def lattice_boltzmann(f, omega):
    w = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
    c = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
    opp = [0, 3, 4, 1, 2, 7, 8, 5, 6]
    wall = np.zeros((4, 4), dtype=bool)
    wall[0] = True
    for _ in range(2):
        for i in range(9):
            f[i] = np.roll(np.roll(f[i], c[i, 0], axis=0), c[i, 1], axis=1)
        bounce = f[:, wall]
        f[:, wall] = bounce[opp]
        rho = f.sum(axis=0)
        u = np.einsum('ia,ixy->axy', c, f) / rho
        cu = 3 * np.einsum('ia,axy->ixy', c, u)
        usq = 1.5 * (u ** 2).sum(0)
        feq = rho * w[:, None, None] * (1 + cu + 0.5 * cu ** 2 - usq)
        f[:, ~wall] = (f - omega * (f - feq))[:, ~wall]
    return np.sum(f ** 2)


def kmeans(X, C):
    for _ in range(2):
        d = np.linalg.norm(X[:, None] - C[None], axis=2)
        lab = d.argmin(axis=1)
        for k in range(3):
            if np.any(lab == k):
                C[k] = X[lab == k].mean(axis=0)
    return np.sum(np.min(((X[:, None] - C) ** 2).sum(-1), axis=1))


def bundle_residual(rvec, t, pts, obs):
    theta = np.sqrt(np.sum(rvec ** 2))
    k = rvec / theta
    K = np.array([[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]])
    Rm = np.eye(3) + np.sin(theta) * K + (1 - np.cos(theta)) * (K @ K)
    p = pts @ Rm.T + t
    uv = p[:, :2] / p[:, 2:]
    r2 = (uv ** 2).sum(axis=1)
    uv *= (1 + 0.1 * r2)[:, None]
    return 0.5 * np.sum((uv - obs) ** 2)


def wavelet_lifting(x):
    s, d = x[::2], x[1::2]
    d -= 0.5 * (s + np.roll(s, -1))
    s += 0.25 * (d + np.roll(d, 1))
    return np.sum(x ** 2 * np.arange(8))


def gauss_elimination_pivot(A, b):
    n = len(b)
    for k in range(n):
        p = k + np.argmax(np.abs(A[k:, k]))
        if p != k:
            A[[k, p]] = A[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            A[i, k:] -= f * A[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - np.sum(A[i, i + 1:] * x[i + 1:])) / A[i, i]
    return np.sum(x ** 2)


def segment_softmax(x, seg):
    m = np.full(3, -np.inf)
    np.maximum.at(m, seg, x)
    e = np.exp(x - m[seg])
    s = np.zeros(3)
    np.add.at(s, seg, e)
    return np.sum((e / s[seg]) ** 2 * np.arange(6))


def mesh_area(verts, faces):
    v0, v1, v2 = verts[faces[:, 0]], verts[faces[:, 1]], verts[faces[:, 2]]
    n = np.cross(v1 - v0, v2 - v0)
    area = 0.5 * np.linalg.norm(n, axis=1)
    vol = np.sum(v0 * np.cross(v1, v2)) / 6.0
    nv = np.zeros_like(verts)
    for k in range(3):
        np.add.at(nv, faces[:, k], n)
    return area.sum() + vol ** 2 + np.sum(nv ** 2)


def wavefront(A):
    n = 4
    C = A.copy()
    for d in range(1, 2 * n - 1):
        i = np.arange(max(0, d - n + 1), min(n, d + 1))
        j = d - i
        ok = (i > 0) & (j > 0)
        i, j = i[ok], j[ok]
        C[i, j] += 0.5 * (C[i - 1, j] + C[i, j - 1])
    return np.sum(C ** 2)


def index_tricks(x):
    g = np.r_[x, x[::-1]]
    c = np.c_[x, x ** 2]
    M = np.mgrid[0:2, 0:3]
    s = np.s_[1:-1:2]
    y, z = np.ogrid[0:2, 0:3]
    return np.sum(g[s]) + np.sum(c[:, 1] * x) + np.sum(M * x.reshape(2, 3)) + np.sum((y + z) * x.reshape(2, 3))


def batched_linalg(A):
    S = A @ A.transpose(0, 2, 1) + np.eye(4)
    x = np.linalg.solve(S, A[:, :, 0][..., None])[..., 0]
    return np.sum(x ** 2) + np.sum(np.linalg.slogdet(S)[1]) + np.sum(np.linalg.eigvalsh(S)[:, -1]) + np.sum(np.linalg.norm(A, axis=(1, 2)))


def autocorr_psd(x):
    x = x - x.mean()
    r = np.correlate(x, x, mode='full')[len(x) - 1:]
    psd = np.abs(np.fft.rfft(x * np.hamming(len(x)))) ** 2
    f = np.fft.rfftfreq(len(x))
    return r[1] / r[0] + np.sum(psd * f) / np.sum(psd)


def polynomial_least_squares(y, deg):
    t = np.linspace(-1, 1, len(y))
    V = np.vander(t, deg, increasing=True)
    coef, *_ = np.linalg.lstsq(V, y, rcond=None)
    return np.sum((V @ coef - y) ** 2) + np.polyval(coef[::-1], 0.3) + np.polyfit(t, y, 2)[0]


case(crank_nicolson, (numbers(6), 0.4, 3,))
case(implicit_newton, (0.7, 0.2, 3,))
case(householder_qr, (numbers(4,3) + np.eye(4)[:, :3],))
case(lanczos, (SPD, numbers(4), 3,))
case(fft_recursive, (numbers(8) + 1j*numbers(8),))
case(cubic_spline, (np.array([0.,1.,2.5,3.,4.2]), numbers(5), 1.7,))
case(kalman, (numbers(2), numbers(5), 0.3, 0.5,), numba="fast")
case(viterbi, (numbers(3,3), numbers(3,4), np.array([0,2,1,3,0]),))
case(attention, (numbers(2,4,6), numbers(6,6), numbers(6,6), numbers(6,6),))
case(conv_windows, (numbers(6,6), numbers(3,3),))
case(soft_dtw, (numbers(5), numbers(4), 0.3,))
case(level_set, (numbers(6,6), numbers(6,6),))
case(lattice_boltzmann, (positive(9,4,4), 1.1,))
case(kmeans, (numbers(7,2), numbers(3,2),))
case(bundle_residual, (numbers(3), numbers(3), numbers(4,3) + np.array([0,0,4.]), numbers(4,2),))
case(wavelet_lifting, (numbers(8),))
case(gauss_elimination_pivot, (numbers(4,4) + 4*np.eye(4), numbers(4),))
case(segment_softmax, (numbers(6), np.array([0,0,1,2,2,2]),))
case(mesh_area, (numbers(6,3), np.array([[0,1,2],[1,2,3],[3,4,5],[0,2,5]]),))
case(wavefront, (numbers(4,4),))
case(index_tricks, (numbers(6),))
case(batched_linalg, (numbers(3,4,4),))
case(autocorr_psd, (numbers(10),))
case(polynomial_least_squares, (numbers(6), 4,))
