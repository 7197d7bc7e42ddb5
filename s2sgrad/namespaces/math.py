"""`math`: the operations on numbers, under their names in that module."""
# ruff: noqa: F401

from s2sgrad.ops.creation import range, size
from s2sgrad.ops.elementwise import (
    abs, acos, acosh, add, add_n, angle, asin, asinh, atan, atan2, atanh, ceil, conj, cos, cosh, digamma, divide, divide_no_nan, equal, erf, erfc, exp, expm1, floor,
    floordiv, floormod, greater, greater_equal, hypot, imag, is_finite, is_inf, is_nan, less, less_equal, lgamma, log, log1p, log_sigmoid, logical_and,
    logical_not, logical_or, logical_xor, maximum, minimum, multiply, multiply_no_nan, negative, nextafter, not_equal, pow, real, reciprocal,
    reciprocal_no_nan, rint, round, rsqrt, sigmoid, sign, sin, sinh, softplus, sqrt, square, squared_difference, subtract, tan, tanh, truediv, truncatediv,
    truncatemod, xdivy, xlog1py, xlogy,
)
from s2sgrad.ops.extras import accumulate_n, bincount, polyval
from s2sgrad.ops.linalg import matmul
from s2sgrad.ops.nn import l2_normalize, log_softmax, softmax, zero_fraction
from s2sgrad.ops.reductions import (
    argmax, argmin, count_nonzero, cumprod, cumsum, reduce_all, reduce_any, reduce_euclidean_norm, reduce_logsumexp, reduce_max, reduce_mean, reduce_min,
    reduce_prod, reduce_std, reduce_sum, reduce_variance, top_k,
)
from s2sgrad.ops.scatter import (
    segment_max, segment_mean, segment_min, segment_prod, segment_sum, unsorted_segment_max, unsorted_segment_mean, unsorted_segment_min,
    unsorted_segment_prod, unsorted_segment_sum,
)
from s2sgrad.ops.elementwise import floormod as mod
from s2sgrad.ops.elementwise import divide_no_nan as div_no_nan
