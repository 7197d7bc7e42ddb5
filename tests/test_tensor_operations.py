"""Operations of the tensor interface, one by one: gradients against difference quotients, compiled values against eager ones."""

import linecache

import numpy as np
import pytest

import s2sgrad as tf

rng = np.random.default_rng(0)


def R(*shape):
    return tf.constant(rng.normal(size=shape))


def P(*shape):
    return tf.constant(rng.uniform(0.3, 0.9, size=shape))


def spd(*batch):
    a = rng.normal(size=(*batch, 3, 3))
    return tf.constant(a @ np.swapaxes(a, -1, -2) + 3.0 * np.eye(3))


CASES = {
 "det_b": (tf.linalg.det, [R(2,3,3)]), "inv_b": (tf.linalg.inv, [R(2,3,3)]), "solve_b": (tf.linalg.solve, [R(2,3,3), R(2,3,2)]), "solve_adj": (lambda a,b: tf.linalg.solve(a,b,adjoint=True), [R(3,3), R(3,2)]),
 "chol_b": (lambda a: tf.linalg.cholesky(0.5*(a+tf.linalg.matrix_transpose(a))), [spd(2)]), "logdet_b": (lambda a: tf.linalg.logdet(.5*(a+tf.linalg.matrix_transpose(a))), [spd(2)]), "slogdet_b": (lambda a: tf.linalg.slogdet(a)[1], [R(2,3,3)]),
 "trace_b": (tf.linalg.trace, [R(2,3,3)]), "diag_b": (tf.linalg.diag, [R(2,3)]), "dpart_b": (tf.linalg.diag_part, [R(2,3,3)]), "dpart_r": (tf.linalg.diag_part, [R(2,3)]), "setd_b": (tf.linalg.set_diag, [R(2,3,3), R(2,3)]), "band_b": (lambda a: tf.linalg.band_part(a,1,0), [R(2,3,3)]),
 "tri_b": (tf.linalg.triangular_solve, [spd(2), R(2,3,2)]), "tri_u": (lambda a,b: tf.linalg.triangular_solve(a,b,lower=False), [spd(), R(3,2)]), "cholsolve": (lambda a,b: tf.linalg.cholesky_solve(a,b), [spd(), R(3,2)]), "pinv": (tf.linalg.pinv, [R(3,2)]), "lstsq": (tf.linalg.lstsq, [R(4,2), R(4,1)]),
 "expm": (tf.linalg.expm, [R(3,3)]), "cross_b": (tf.linalg.cross, [R(2,3), R(2,3)]), "mv_b": (tf.linalg.matvec, [R(2,3,4), R(2,4)]), "mv_t": (lambda a,b: tf.linalg.matvec(a,b,transpose_a=True), [R(3,4), R(3)]), "mm_b": (tf.matmul, [R(2,3,4), R(2,4,2)]), "mm_bc": (tf.matmul, [R(2,1,3,4), R(5,4,2)]), "mm_ta": (lambda a,b: tf.matmul(a,b,transpose_a=True), [R(2,4,3), R(2,4,2)]),
 "qr": (lambda a: tf.linalg.qr(a)[1], [R(3,3)]), "eigh": (lambda a: tf.linalg.eigh(.5*(a+tf.transpose(a)))[0], [R(3,3)]), "svd": (lambda a: tf.linalg.svd(a, compute_uv=False), [R(3,2)]), "eigvalsh_b": (lambda a: tf.linalg.eigvalsh(.5*(a+tf.linalg.matrix_transpose(a))), [R(2,3,3)]),
 "einsum1": (lambda a,b: tf.einsum("bij,bjk->bik",a,b), [R(2,3,2), R(2,2,3)]), "einsum2": (lambda a: tf.einsum("ii->i",a), [R(3,3)]), "einsum3": (lambda a,b: tf.einsum("i,j",a,b), [R(3), R(2)]), "einsum4": (lambda a: tf.einsum("ijk->kji",a), [R(2,3,2)]),
 "td": (lambda a,b: tf.tensordot(a,b,[[1,2],[0,1]]), [R(2,3,4), R(3,4,2)]), "softmax_ax": (lambda a: tf.nn.softmax(a,axis=0), [R(3,2)]), "lsm": (lambda a: tf.nn.log_softmax(a,axis=1), [R(3,2)]), "lse_kd": (lambda a: tf.reduce_logsumexp(a,axis=[0,1]), [R(3,2)]),
 "std_ax": (lambda a: tf.math.reduce_std(a,axis=1,keepdims=True), [R(3,2)]), "var": (lambda a: tf.math.reduce_variance(a,axis=[0]), [R(3,2)]), "prod_ax": (lambda a: tf.reduce_prod(a,axis=[0,1],keepdims=True), [R(3,2)]), "cumprod": (lambda a: tf.math.cumprod(a,axis=1,reverse=True,exclusive=True), [R(3,2)]), "cumsum": (lambda a: tf.cumsum(a,axis=1,reverse=True), [R(3,2)]), "clse": (lambda a: tf.math.cumulative_logsumexp(a,axis=-1,reverse=True), [R(3,2)]),
 "norm_ax": (lambda a: tf.norm(a,axis=[0,1]), [R(3,2)]), "norm1": (lambda a: tf.norm(a,ord=1,axis=1), [R(3,2)]), "norm3": (lambda a: tf.norm(a,ord=2.5,axis=0), [R(3,2)]), "l2n": (lambda a: tf.math.l2_normalize(a,axis=[0,1]), [R(3,2)]), "normalize": (lambda a: tf.linalg.normalize(a,axis=1)[0], [R(3,2)]), "clipn": (lambda a: tf.clip_by_norm(a,.5,axes=0), [R(3,2)]), "clipg": (lambda a,b: tf.clip_by_global_norm([a,b],.5)[0][0], [R(3), R(2)]),
 "gather_b": (lambda a: tf.gather(a,[[2,0],[1,1]],batch_dims=1,axis=1), [R(2,3,2)]), "gather_neg": (lambda a: tf.gather(a,[1,0],axis=-1), [R(2,3)]), "gather_2d": (lambda a: tf.gather(a,[[0,1],[1,2]],axis=1), [R(2,3,2)]), "gnd_b": (lambda a: tf.gather_nd(a,[[[0,1]],[[1,0]]]), [R(2,3,2)]), "gnd_1": (lambda a: tf.gather_nd(a,[[1],[0],[1]]), [R(2,3)]),
 "pad2": (lambda a: tf.pad(a,[[1,0],[0,2]],"SYMMETRIC"), [R(3,3)]), "pad_c": (lambda a: tf.pad(a,[[1,0],[0,2]],constant_values=5.), [R(3,3)]), "tile2": (lambda a: tf.tile(a,[2,3]), [R(2,2)]), "rep_ax": (lambda a: tf.repeat(a,[1,2],axis=0), [R(2,2)]), "roll2": (lambda a: tf.roll(a,[1,-1],[0,1]), [R(3,2)]), "rev2": (lambda a: tf.reverse(a,[0,1]), [R(3,2)]), "transp3": (lambda a: tf.transpose(a,[2,0,1]), [R(2,3,2)]), "split_ax": (lambda a: tf.split(a,[1,-1],axis=1)[1], [R(2,3)]), "unst_ax": (lambda a: tf.unstack(a,axis=1)[2], [R(2,3)]), "stack_neg": (lambda a,b: tf.stack([a,b],axis=-1), [R(2), R(2)]), "concat1": (lambda a,b: tf.concat([a,b],axis=-1), [R(2,1), R(2,2)]),
 "slice2": (lambda a: a[::2,::-1], [R(3,4)]), "slice_e": (lambda a: a[...,1:,tf.newaxis], [R(2,3)]), "mask2": (lambda a: tf.boolean_mask(a,[[True,False],[False,True]]), [R(2,2)]), "mask_ax": (lambda a: tf.boolean_mask(a,[True,False,True],axis=1), [R(2,3)]), "where_b": (lambda a,b: tf.where([[True],[False]],a,b), [R(2,3), R(3)]), "top_k": (lambda a: tf.math.top_k(a,2)[0], [R(2,4)]), "sort_ax": (lambda a: tf.sort(a,axis=0,direction="DESCENDING"), [R(4,2)]), "max_ax": (lambda a: tf.reduce_max(a,axis=[0,2]), [R(2,3,2)]), "min_kd": (lambda a: tf.reduce_min(a,axis=1,keepdims=True), [R(2,3)]),
 "segs": (lambda a: tf.math.segment_sum(a,[0,0,2]), [R(3,2)]), "segp": (lambda a: tf.math.segment_prod(a,[0,0,2]), [R(3,2)]), "segmx": (lambda a: tf.math.segment_max(a,[0,0,2]), [R(3,2)]), "usm": (lambda a: tf.math.unsorted_segment_mean(a,[1,-1,1],3), [R(3,2)]), "us2": (lambda a: tf.math.unsorted_segment_sum(a,[[0,1],[1,0]],2), [R(2,2,3)]), "usmn": (lambda a: tf.math.unsorted_segment_min(a,[1,0,1],2), [R(3,2)]), "sqn": (lambda a: tf.math.unsorted_segment_sqrt_n(a,[1,0,1],2), [R(3,2)]),
 "tsmax": (lambda a,b: tf.tensor_scatter_nd_max(a,[[0],[1]],b), [R(3), R(2)]), "tsub": (lambda a,b: tf.tensor_scatter_nd_sub(a,[[0,1],[1,0]],b), [R(2,2), R(2)]), "tsupd2": (lambda a,b: tf.tensor_scatter_nd_update(a,[[0,1]],b), [R(2,2,3), R(1,3)]),
 "sce": (lambda a,b: tf.nn.softmax_cross_entropy_with_logits(a,b), [P(2,3), R(2,3)]), "sce_ax": (lambda a,b: tf.nn.softmax_cross_entropy_with_logits(a,b,axis=0), [P(3,2), R(3,2)]), "bce": (lambda a,b: tf.nn.sigmoid_cross_entropy_with_logits(labels=a,logits=b), [P(3), R(3)]), "ssce": (lambda a: tf.nn.sparse_softmax_cross_entropy_with_logits([1,0],a), [R(2,3)]), "gelu": (tf.nn.gelu, [R(4)]), "gelut": (lambda a: tf.nn.gelu(a,approximate=True), [R(4)]), "selu": (tf.nn.selu, [R(4)]), "elu": (tf.nn.elu,[R(4)]), "silu": (tf.nn.silu,[R(4)]), "softsign": (tf.nn.softsign,[R(4)]), "moments": (lambda a: tf.nn.moments(a,[0])[1], [R(3,2)]), "bn": (lambda x,m,v: tf.nn.batch_normalization(x,m,v,None,None,1e-3), [R(3,2), R(2), P(2)]),
 "erfinv": (tf.math.erfinv,[P(3)]), "ndtri": (tf.math.ndtri,[P(3)]), "lgamma": (tf.math.lgamma,[P(3)]), "digamma": (tf.math.digamma,[P(3)]), "erfc": (tf.math.erfc,[R(3)]), "xlogy": (tf.math.xlogy,[R(3),P(3)]), "xlog1py": (tf.math.xlog1py,[R(3),P(3)]), "xdivy": (tf.math.xdivy,[R(3),P(3)]), "pow": (tf.pow,[P(3),R(3)]), "atan2": (tf.atan2,[R(3),R(3)]), "fmod": (tf.math.floormod,[R(3),P(3)]), "sqdiff": (tf.math.squared_difference,[R(2,3),R(3)]), "rsqrt": (tf.math.rsqrt,[P(3)]), "asin": (tf.asin,[P(3)]), "acosh": (lambda a: tf.acosh(a+1.),[P(3)]), "atanh": (tf.atanh,[P(3)]), "logsig": (tf.math.log_sigmoid,[R(3)]), "softplus": (tf.nn.softplus,[R(3)]), "polyval": (lambda x: tf.math.polyval([1.,2.,3.],x),[R(3)]), "addn": (lambda a,b: tf.add_n([a,b,a]),[R(3),R(3)]), "hypot": (tf.math.hypot,[R(3),R(3)]), "linspace": (lambda a: tf.linspace(a,a*2.,4),[R()]), "fill": (lambda a: tf.fill([2,2],a),[R()]), "bto": (lambda a: tf.broadcast_to(a,[2,3]),[R(2,1)]), "meshgrid": (lambda a,b: tf.meshgrid(a,b)[0]*tf.meshgrid(a,b)[1],[R(2),R(3)]), "emb": (lambda a: tf.nn.embedding_lookup(a,[1,1,0]),[R(2,3)]), "scan": (lambda a: tf.scan(lambda s,v: s*v+v, a),[R(4)]), "scan_r": (lambda a: tf.scan(lambda s,v: s*v+v, a, reverse=True),[R(4)]), "map2": (lambda a,b: tf.map_fn(lambda t: t[0]*t[1], (a,b), fn_output_signature=tf.float64),[R(3),R(3)]), "foldr": (lambda a: tf.foldr(lambda s,v: s*v+v, a),[R(4)]), "dnn": (tf.math.divide_no_nan,[R(3),P(3)]), "mnn": (tf.math.multiply_no_nan,[R(3),P(3)]),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_gradient(name, compiled, monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")
    f, xs = CASES[name]
    analytic, numeric = tf.test.compute_gradient(tf.function(f, jit_compile=True) if compiled else f, xs, delta=1e-5)
    for a, n in zip(analytic, numeric, strict=True):
        assert np.allclose(a, n, rtol=1e-5, atol=1e-6)


EXPRESSIONS = [
    'x*[1.,2.]', '[1.,2.]*x', 'x+(1.,2.)', 'tf.reduce_sum([x, x])', 'tf.reduce_sum([1.,2.])+x', 'tf.maximum(x,[1.5,1.5])',
    'tf.matmul([[1.,2.]], x[:,None])', 'tf.concat([x,[1.,2.]],0)', 'tf.stack([x,[1.,2.]])', 'tf.where(x>1.,[1.,2.],0.)',
    'tf.where([True,False],x,[5.,5.])', 'tf.add([1.,2.],[3.,4.])', 'tf.reduce_mean([1.,2.])', 'x>[1.,1.]', 'tf.tensordot(x,[1.,2.],1)',
    'tf.linalg.matvec([[1.,2.],[3.,4.]],x)', 'tf.gather([1.,2.,3.],[0,1])*x', 'tf.cast([1,2],tf.float32)*x', 'tf.constant([1,2])', 'tf.exp(1.0)*x',
    'tf.sqrt(2.0)', 'tf.zeros([2])+x', 'tf.ones_like(x)*2', 'tf.fill([2],1.5)*x', 'tf.range(2.)*x', 'tf.linspace(0.,1.,2)*x', 'tf.eye(2)@x[:,None]',
    'tf.one_hot([0,1],2)*x', 'tf.cumsum([1.,2.])+x', 'tf.reduce_max([1,2])', 'tf.pow(x,2)', 'tf.pow(2.,x)', 'tf.maximum(x, 0)', 'x**2', 'x/2',
    'tf.math.divide_no_nan(x,0.)', 'tf.sigmoid(0.5)+x', 'tf.clip_by_value(x,0,1)', 'tf.fill([2], 3)', 'tf.range(3)', 'tf.range(0,3,1)', 'tf.size(x)',
    'tf.rank(x)', 'tf.argmax(x)', 'tf.cast(x,tf.int32)', 'tf.math.count_nonzero(x)', 'tf.reduce_sum(tf.cast(x, tf.int32))',
    'tf.reduce_mean(tf.cast(x, tf.int32))', 'tf.cast(x,tf.int32)//2', 'tf.cast(x,tf.int32)/2', 'tf.reduce_prod(tf.cast(x,tf.int32))',
    'tf.cumsum(tf.cast(x,tf.int32))', 'tf.argsort(x)', 'tf.sort(x)', 'tf.searchsorted(x,[1.5])', 'tf.one_hot(0,2)', 'tf.zeros([2],tf.int32)',
    'tf.square(tf.cast(x,tf.int32))', 'tf.shape(x)', 'tf.math.top_k(x,1)[1]', 'tf.constant(1.5)', 'tf.constant(2)', 'tf.convert_to_tensor([1.,2.])',
    'tf.identity(x)', 'tf.stack([1.,2.])', 'tf.stack([1,2])', 'tf.concat([[1.],[2.]],0)', 'tf.reduce_all(x>0)', 'tf.norm(x)', 'tf.abs(-1)',
    'tf.sign(-2)', 'tf.floor(1.5)', 'tf.nn.softmax([1.,2.])', 'tf.nn.relu(-1.0)', 'tf.linspace(0.,1.,3)', 'tf.reshape([1.,2.],[2,1])',
    'tf.transpose([[1.,2.]])', 'tf.expand_dims(1.0,0)', 'tf.squeeze([[1.]],0)', 'tf.tile([1.],[2])', 'tf.repeat([1,2],2)', 'tf.reverse([1.,2.],[0])',
    'tf.pad([1.],[[1,1]])', 'tf.boolean_mask([1.,2.],[True,False])', 'tf.split([1.,2.],2)[0]', "tf.einsum('i,i->',[1.,2.],x)", 'tf.add_n([x,x])',
    'tf.logical_and(True, x[0]>0)', 'tf.complex(1.0, 2.0)', 'tf.math.real(tf.complex(x,x))', 'tf.linalg.det([[1.,2.],[3.,4.]])',
    'tf.linalg.diag([1.,2.])', 'tf.linalg.trace([[1.,2.],[3.,4.]])', 'tf.math.segment_sum([1.,2.],[0,0])', 'tf.meshgrid([1,2],[3,4])[0]',
    'tf.sequence_mask([1,2],2)', 'tf.math.bincount([1,1])', 'x[tf.newaxis]', 'x[-1]', 'x[tf.argmax(x)]', 'tf.round(2.5)', 'tf.math.floormod(5,3)',
    '5 % tf.constant(3)', 'tf.constant(5) // 2', 'tf.saturate_cast(x,tf.uint8)', 'tf.strided_slice(x,[0],[1])', 'tf.ensure_shape(x,[2])',
    'tf.guarantee_const(x)', 'tf.identity_n([x,x])[0]', 'tf.math.polyval([1.,2.],x)', 'tf.nn.l2_loss(x)', 'tf.nn.moments(x,[0])[0]',
    'tf.nn.bias_add(x[None],[1.,2.])', 'tf.nn.batch_normalization(x,0.,1.,None,None,1e-3)', 'tf.nn.embedding_lookup([[1.,2.]],[0])',
    'tf.clip_by_norm(x,1.)', 'tf.clip_by_global_norm([x],1.)[0][0]', 'tf.linalg.global_norm([x])', 'tf.nn.zero_fraction(x)', 'tf.nn.log_softmax(x)',
    'tf.zeros_like([1,2])', 'tf.stop_gradient([1.,2.])', 'tf.tensor_scatter_nd_update([1.,2.],[[0]],[5.])', 'tf.scatter_nd([[0]],[5.],[2])',
    'tf.gather_nd([[1.,2.]],[[0,1]])', 'tf.where([True,False])', 'tf.where(x > 1.)', 'tf.nn.sparse_softmax_cross_entropy_with_logits([1],[[1.,2.]])',
    'tf.linalg.solve([[1.,0.],[0.,1.]],x[:,None])', 'tf.linalg.lstsq([[1.,0.],[0.,1.]],x[:,None])', 'tf.linalg.qr([[1.,0.],[0.,1.]])[1]',
    'tf.linalg.svd([[1.,0.],[0.,1.]])[0]', 'tf.linalg.eigh([[1.,0.],[0.,1.]])[0]', 'tf.linalg.inv([[1.,0.],[0.,1.]])',
    'tf.linalg.cholesky([[1.,0.],[0.,1.]])', 'tf.linalg.cross([1.,0.,0.],[0.,1.,0.])', 'tf.linalg.set_diag([[1.,0.],[0.,1.]],x)',
    'tf.linalg.band_part([[1.,2.],[3.,1.]],0,0)', 'tf.linalg.expm([[0.,0.],[0.,0.]])', 'tf.linalg.pinv([[1.,0.],[0.,1.]])',
    'tf.linalg.slogdet([[1.,0.],[0.,1.]])[1]', 'tf.linalg.triangular_solve([[1.,0.],[0.,1.]],x[:,None])', "tf.debugging.check_numerics(x,'m')",
    'tf.math.cumprod(x)', 'tf.roll(x,1,0)', 'tf.broadcast_to(1.0,[2])', 'tf.vectorized_map(lambda v: v*2., x)',
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_compiled_value_and_dtype(expression, monkeypatch):
    """Numbers and lists become what they become in eager code."""
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")
    text, file, names = f"def f(x):\n    return {expression}\n", f"<{expression}>", {"tf": tf, "np": np}
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    x = tf.constant([1.5, 2.5])
    want, got = tf.convert_to_tensor(names["f"](x)), tf.function(names["f"], jit_compile=True)(x)
    assert isinstance(got, tf.Tensor) and got.dtype == want.dtype and got.shape == want.shape
    assert np.allclose(got, want, rtol=1e-6, equal_nan=True)
