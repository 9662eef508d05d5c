"""First values of parameters."""
import math

from ..tensors import no_grad


def _fans(tensor):
    receptive = math.prod(tensor.shape[2:])
    return tensor.shape[1] * receptive, tensor.shape[0] * receptive


def calculate_gain(nonlinearity, param=None):
    slope = 0.01 if param is None else param
    return {"tanh": 5 / 3, "relu": math.sqrt(2), "leaky_relu": math.sqrt(2 / (1 + slope ** 2))}.get(nonlinearity, 1.0)


def _filled(fill):
    def of(tensor, *args, **kwargs):
        with no_grad():
            fill(tensor, *args, **kwargs)
        return tensor
    of.__name__ = fill.__name__
    return of


@_filled
def uniform_(tensor, a=0.0, b=1.0):
    tensor.uniform_(float(a), float(b))


@_filled
def normal_(tensor, mean=0.0, std=1.0):
    tensor.normal_(float(mean), float(std))


@_filled
def constant_(tensor, val):
    tensor.fill_(val)


def zeros_(tensor):
    return constant_(tensor, 0)


def ones_(tensor):
    return constant_(tensor, 1)


def xavier_uniform_(tensor, gain=1.0):
    bound = gain * math.sqrt(6 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor, gain=1.0):
    return normal_(tensor, 0.0, gain * math.sqrt(2 / sum(_fans(tensor))))


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / _fans(tensor)[mode == "fan_out"])
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(_fans(tensor)[mode == "fan_out"]))
