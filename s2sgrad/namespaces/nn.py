"""`nn`: activations, losses and normalisations."""
# ruff: noqa: F401

from s2sgrad.ops.elementwise import log_sigmoid, sigmoid, softplus, tanh
from s2sgrad.ops.nn import (
    batch_normalization,
    bias_add,
    crelu,
    dropout,
    elu,
    embedding_lookup,
    gelu,
    l2_loss,
    l2_normalize,
    leaky_relu,
    log_softmax,
    moments,
    relu,
    relu6,
    selu,
    sigmoid_cross_entropy_with_logits,
    silu,
    softmax,
    softmax_cross_entropy_with_logits,
    softsign,
    sparse_softmax_cross_entropy_with_logits,
    zero_fraction,
)
from s2sgrad.ops.nn import silu as swish
from s2sgrad.ops.reductions import in_top_k, top_k
from s2sgrad.ops.special import log_poisson_loss, weighted_cross_entropy_with_logits, weighted_moments
