"""200 tests as people write them: 40 functions at 5 shapes, each one call of check(). measure.py runs them."""
import pytest
import torch

from notape.verify import check

F = torch.nn.functional
SHAPES = ((5,), (2, 3), (4, 2), (3, 4), (2, 2, 3))


def made(forward, slope):
    class Made(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return forward(x)

        @staticmethod
        def backward(ctx, g):
            return g * slope(*ctx.saved_tensors)

    return Made.apply


def sigmoid_slope(x):
    return torch.sigmoid(x) * (1 - torch.sigmoid(x))


FUNCTIONS = {
    "swish": made(lambda x: x * torch.sigmoid(x), lambda x: torch.sigmoid(x) + x * sigmoid_slope(x)),
    "tanh": made(torch.tanh, lambda x: 1 - torch.tanh(x)**2), "exp": made(torch.exp, torch.exp),
    "sin": made(torch.sin, torch.cos), "square": made(torch.square, lambda x: 2 * x), "sigmoid": made(torch.sigmoid, sigmoid_slope),
    "softplus": made(F.softplus, torch.sigmoid), "log1p": made(lambda x: torch.log1p(x * x), lambda x: 2 * x / (1 + x * x)),
    "atan": made(torch.atan, lambda x: 1 / (1 + x * x)), "cube": made(lambda x: x**3, lambda x: 3 * x * x),
    "erf": made(torch.erf, lambda x: torch.exp(-x * x) * 1.1283791670955126), "cosh": made(torch.cosh, torch.sinh),
    "mish": F.mish, "gelu": F.gelu, "silu": F.silu, "elu": F.elu, "logsigmoid": F.logsigmoid, "relu": torch.relu,
    "hardswish": F.hardswish, "softsign": F.softsign, "softmax": lambda x: torch.softmax(x, -1),
    "log_softmax": lambda x: torch.log_softmax(x, -1), "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:]),
    "rms_norm": lambda x: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5), "logsumexp": lambda x: torch.logsumexp(x, -1),
    "mean": lambda x: x.mean(), "variance": lambda x: (x - x.mean()).square().mean(), "norm": lambda x: torch.sqrt((x * x).sum() + 1),
    "cumsum": lambda x: x.cumsum(-1), "prod": lambda x: x.prod(), "amax": lambda x: x.amax(-1), "flip": lambda x: x.flip(0) * x,
    "outer": lambda x: x.reshape(-1, 1) * x.reshape(1, -1), "gram": lambda x: x.reshape(len(x), -1) @ x.reshape(len(x), -1).T,
    "where": lambda x: torch.where(x > 0, x, x.exp() - 1), "pad": lambda x: F.pad(x, (1, 1)) * 2, "pairs": lambda x: (x.sin(), x.cos().sum()),
    "huber": lambda x: F.huber_loss(x, x.detach() * 0, reduction="none"), "concatenated": lambda x: torch.cat([x, x * x]),
    "distance": lambda x: torch.sqrt((x.reshape(-1, 1) - x.reshape(1, -1)).square() + 1),
}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test(name, shape):
    generator = torch.Generator().manual_seed(len(name))
    assert check(FUNCTIONS[name], torch.randn(shape, generator=generator, dtype=torch.float64))
