"""Layers as functions: all of notape's, under the names and with the arguments of torch.nn.functional."""
from .. import _tensors

globals().update({name: getattr(_tensors, name) for name in _tensors.operators})
logsigmoid, scaled_dot_product_attention = _tensors.log_sigmoid, _tensors.scaled_dot_product_attention


def relu(input, inplace=False):
    return input.relu_() if inplace else input.relu()


def dropout(input, p=0.5, training=True, inplace=False):
    return (_tensors.dropout_ if inplace else _tensors.dropout)(input, float(p), training)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    return _tensors.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


def embedding(input, weight, padding_idx=None):
    return _tensors.embedding(weight, input, -1 if padding_idx is None else padding_idx)


def normalize(input, p=2.0, dim=1, eps=1e-12):
    return input / input.norm(p, dim, True).clamp_min(eps).expand_as(input)


def softmax(input, dim=None, dtype=None):
    return _tensors.softmax(input, _last(input, dim), dtype=dtype)


def log_softmax(input, dim=None, dtype=None):
    return _tensors.log_softmax(input, _last(input, dim), dtype=dtype)


def _last(input, dim):  # as PyTorch guesses: not the last one, but the classes
    return dim if dim is not None else 0 if input.ndim in (0, 1, 3) else 1
