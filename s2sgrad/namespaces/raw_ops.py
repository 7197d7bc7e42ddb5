"""`raw_ops`: derivative kernels that can be called by name, with keyword arguments."""

from __future__ import annotations

import numpy as np

from s2sgrad.eager import operation


@operation(name="SqrtGrad")
def SqrtGrad(y, dy):
    return np.where(dy == 0, 0, 0.5 * dy / y)


@operation(name="RsqrtGrad")
def RsqrtGrad(y, dy):
    return np.where(dy == 0, 0, -0.5 * dy * y * y * y)


@operation(name="ReciprocalGrad")
def ReciprocalGrad(y, dy):
    return np.where(dy == 0, 0, -dy * y * y)


@operation(name="TanhGrad")
def TanhGrad(y, dy):
    return dy * (1 - y * y)


@operation(name="SigmoidGrad")
def SigmoidGrad(y, dy):
    return dy * y * (1 - y)


@operation(name="ReluGrad")
def ReluGrad(gradients, features):
    return np.where(features > 0, gradients, 0)


@operation(name="EluGrad")
def EluGrad(gradients, outputs):
    return np.where(outputs < 0, (outputs + 1) * gradients, gradients)


@operation(name="SoftplusGrad")
def SoftplusGrad(gradients, features):
    return gradients / (1 + np.exp(-features))


@operation(name="LeakyReluGrad")
def LeakyReluGrad(gradients, features, alpha=0.2):
    return np.where(features > 0, gradients, alpha * gradients)


@operation(name="Relu6Grad")
def Relu6Grad(gradients, features):
    return np.where((features > 0) & (features < 6), gradients, 0)


@operation(name="SeluGrad")
def SeluGrad(gradients, outputs):
    return np.where(outputs < 0, gradients * (outputs + 1.7580993408473766), gradients * 1.0507009873554805)


@operation(name="SoftsignGrad")
def SoftsignGrad(gradients, features):
    return gradients / np.square(1 + np.abs(features))


InvGrad = ReciprocalGrad
