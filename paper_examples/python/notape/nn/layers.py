"""Layers: parameters and a call of a function of nn.functional."""
import math

from .. import _tensors
from ..tensors import empty, ones, tensor, zeros
from . import functional as F, init
from .module import Module, Parameter


def _several(value, count):
    return (value,) * count if isinstance(value, int) else tuple(value)


class _Affine(Module):
    """A weight and perhaps a bias, uniform within 1 / sqrt(fan in)."""

    def _make(self, shape, fan_in, outputs, bias, options):
        self.weight = Parameter(empty(*shape, **options))
        self.bias = Parameter(empty(outputs, **options)) if bias else None
        self._bound = 1 / math.sqrt(fan_in) if fan_in else 0
        self.reset_parameters()

    def reset_parameters(self):
        for one in self.parameters(recurse=False):
            init.uniform_(one, -self._bound, self._bound)


class Linear(_Affine):
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self._make((out_features, in_features), in_features, out_features, bias, {"device": device, "dtype": dtype})

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class _Conv(_Affine):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, device=None,
                 dtype=None):
        super().__init__()
        self.kernel_size, self.stride, self.dilation = (_several(one, self.dims) for one in (kernel_size, stride, dilation))
        self.padding = padding if isinstance(padding, str) else _several(padding, self.dims)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self._make(shape, math.prod(shape[1:]), out_channels, bias, {"device": device, "dtype": dtype})

    def forward(self, input):
        sizes = [one if isinstance(one, str) or self.dims > 1 else one[0] for one in (self.stride, self.padding, self.dilation)]
        return type(self).function(input, self.weight, self.bias, *sizes, self.groups)

    def extra_repr(self):
        return f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"


def _conv(dims):
    return type(f"Conv{dims}d", (_Conv,), {"dims": dims, "function": staticmethod(getattr(_tensors, f"conv{dims}d"))})


Conv1d, Conv2d, Conv3d = (_conv(dims) for dims in (1, 2, 3))


class _BatchNorm(Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.weight = Parameter(ones(num_features)) if affine else None
        self.bias = Parameter(zeros(num_features)) if affine else None
        self.register_buffer("running_mean", zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", tensor(0) if track_running_stats else None)

    def forward(self, input):
        tracked = self.running_mean is not None
        if self.training and tracked:
            # No kernel reads it. On the CPU it is counted without a launch.
            if self.num_batches_tracked.device.type != "cpu":
                self.num_batches_tracked.data = self.num_batches_tracked.cpu()
            self.num_batches_tracked.add_(1)
        momentum = self.momentum
        if momentum is None:
            momentum = 1 / max(1, self.num_batches_tracked.item()) if tracked else 0
        return F.batch_norm(input, self.running_mean, self.running_var, self.weight, self.bias,
                            self.training or not tracked, momentum, self.eps)

    def extra_repr(self):
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}"


class BatchNorm1d(_BatchNorm):
    pass


class BatchNorm2d(_BatchNorm):
    pass


class BatchNorm3d(_BatchNorm):
    pass


class LayerNorm(Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True):
        super().__init__()
        self.normalized_shape, self.eps = _several(normalized_shape, 1), eps
        self.weight = Parameter(ones(*self.normalized_shape)) if elementwise_affine else None
        self.bias = Parameter(zeros(*self.normalized_shape)) if elementwise_affine else None

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None):
        super().__init__()
        self.padding_idx = padding_idx
        self.weight = Parameter(init.normal_(empty(num_embeddings, embedding_dim)))
        if padding_idx is not None:
            init.zeros_(self.weight[padding_idx])

    def forward(self, input):
        return F.embedding(input, self.weight, self.padding_idx)


class Flatten(Module):
    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)


class Identity(Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}"


def _layer(name, function, names, fixed=(), doc=""):
    """A module without parameters: its arguments are those of the function, in this order, after `fixed` tensors."""
    names = [one.split("=") for one in names.split()]
    presets = {one[0]: eval(one[1]) for one in names if len(one) == 2}

    def __init__(self, *args, **kwargs):
        Module.__init__(self)
        given = dict(zip((one[0] for one in names), args)) | kwargs
        unknown = given.keys() - {one[0] for one in names}
        missing = [one[0] for one in names if len(one) == 1 and one[0] not in given]
        if unknown or missing or len(args) > len(names):
            raise TypeError(f"{name}({', '.join('='.join(one) for one in names)}) got {args} {kwargs}")
        self._arguments = presets | given
        for one, value in self._arguments.items():
            if isinstance(value, _tensors.Tensor):
                self.register_buffer(one, value)
            else:
                object.__setattr__(self, one, value)

    def forward(self, *tensors):
        return function(*tensors, **{one: getattr(self, one) for one in self._arguments if one != "inplace"})

    def extra_repr(self):
        return ", ".join(f"{one}={getattr(self, one)}" for one in self._arguments)

    globals()[name] = type(name, (Module,), {"__init__": __init__, "forward": forward, "extra_repr": extra_repr, "__module__": __name__})


for _name, _function, _names in [
        ("ReLU", F.relu, "inplace=False"), ("Tanh", F.tanh, ""), ("Sigmoid", F.sigmoid, ""), ("GELU", F.gelu, "approximate='none'"),
        ("SiLU", F.silu, "inplace=False"), ("Mish", F.mish, "inplace=False"), ("LeakyReLU", F.leaky_relu, "negative_slope=0.01 inplace=False"),
        ("ELU", F.elu, "alpha=1.0 inplace=False"), ("SELU", F.selu, "inplace=False"), ("ReLU6", F.relu6, "inplace=False"),
        ("Softplus", F.softplus, "beta=1.0 threshold=20.0"), ("LogSigmoid", F.logsigmoid, ""), ("Softmax", F.softmax, "dim=None"),
        ("LogSoftmax", F.log_softmax, "dim=None"), ("Hardtanh", F.hardtanh, "min_val=-1.0 max_val=1.0 inplace=False"),
        *((f"MaxPool{d}d", getattr(F, f"max_pool{d}d"), "kernel_size stride=None padding=0 dilation=1 ceil_mode=False") for d in (1, 2, 3)),
        *((f"AvgPool{d}d", getattr(F, f"avg_pool{d}d"), "kernel_size stride=None padding=0 ceil_mode=False") for d in (1, 2, 3)),
        *((f"AdaptiveAvgPool{d}d", getattr(F, f"adaptive_avg_pool{d}d"), "output_size") for d in (1, 2, 3)),
        ("MSELoss", F.mse_loss, "reduction='mean'"), ("L1Loss", F.l1_loss, "reduction='mean'"),
        ("SmoothL1Loss", F.smooth_l1_loss, "reduction='mean' beta=1.0"), ("HuberLoss", F.huber_loss, "reduction='mean' delta=1.0"),
        ("NLLLoss", F.nll_loss, "weight=None ignore_index=-100 reduction='mean'"),
        ("CrossEntropyLoss", F.cross_entropy, "weight=None ignore_index=-100 reduction='mean' label_smoothing=0.0"),
        ("BCELoss", F.binary_cross_entropy, "weight=None reduction='mean'"),
        ("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, "weight=None reduction='mean' pos_weight=None"),
        ("KLDivLoss", F.kl_div, "reduction='mean' log_target=False")]:
    _layer(_name, _function, _names)
