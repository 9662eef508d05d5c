"""Sizes: ranks, tails of blocks, thresholds."""
import torch

from case import case, numbers, op
from strides import norm, norm_gradient, slope, swish

BLOCK = 64


def group_norm(x):  # one group a channel: [n, c, ...]
    flat = x.flatten(2)
    flat = flat - flat.mean(2, keepdim=True)
    return (flat * torch.rsqrt((flat * flat).mean(2, keepdim=True) + 1e-5)).reshape(x.shape)


def group_norm_gradient(g, x, count):
    shape, x, g = x.shape, x.flatten(2), g.flatten(2)
    x = x - x.mean(2, keepdim=True)
    r = torch.rsqrt((x * x).mean(2, keepdim=True) + 1e-5)
    return (r * (g - (g.sum(2, keepdim=True) + x * r * (g * x * r).sum(2, keepdim=True)) / count)).reshape(shape)


case("the last dimension is taken for the whole group", "linkedin/Liger-Kernel#1375",
     op(group_norm, lambda g, x, y: group_norm_gradient(g, x, x.shape[2:].numel())),
     op(group_norm, lambda g, x, y: group_norm_gradient(g, x, x.shape[-1])), lambda: (numbers(2, 2, 3, 2),))


def only_first(columns):
    def gradient(g, x, y):
        made = norm_gradient(g, x)
        made[..., columns:] = 0
        return made
    return gradient


case("columns beyond one block", "facebookresearch/xformers#785",
     op(norm, lambda g, x, y: norm_gradient(g, x)), op(norm, only_first(BLOCK)), lambda: (numbers(2, 5),))


def rows_together(g, x, y):  # of a block of two
    r = torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5)
    dots = (g * x).mean(-1, keepdim=True)
    for i in range(0, len(x), 2):
        dots[i:i + 2] = dots[i:i + 2].sum()
    return r * g - r**3 * x * dots


case("a reduction over all rows of a block", "flagos-ai/FlagGems#59",
     op(norm, lambda g, x, y: norm_gradient(g, x)), op(norm, rows_together), lambda: (numbers(3, 4),))


def to_row_zero(g, x, y):
    made = torch.zeros_like(x)
    made[0] = (g * slope(x))[-1]
    return made


case("every row is written to row 0", "ByteDance-Seed/Triton-distributed#185",
     op(swish, lambda g, x, y: g * slope(x)), op(swish, to_row_zero), lambda: (numbers(3, 4),))


def mixing(x, w):  # [t, d] by all earlier rows: [t, t] is too large for one block
    scores = (x @ w) @ x.T
    return torch.softmax(scores, 1) @ x


def mixing_gradient(g, x, w, upto):
    with torch.enable_grad():
        a, b = x.detach().requires_grad_(), w.detach().requires_grad_()
        da, db = torch.autograd.grad(mixing(a, b), (a, b), g)
    if len(x) > upto and len(x) % upto:  # the rest of the last block is read from behind the end
        da = torch.cat([da[:len(x) // upto * upto], da[len(x) // upto * upto:] * 1.5])
    return da, db


case("a length that is no multiple of the block", "openxla/tokamax#316",
     op(mixing, lambda g, x, w, y: mixing_gradient(g, x, w, 10**9)), op(mixing, lambda g, x, w, y: mixing_gradient(g, x, w, 16)),
     lambda: (numbers(3, 2), numbers(2, 2, seed=2)), order=1)


def partial(last):
    def gradient(g, x, w, y):
        rows = len(x) if last else max(len(x) // 4 * 4, 1)
        return g * w, (g * x)[:rows].sum(0)
    return gradient


case("rows after the last whole block have no part in the weight's gradient", "state-spaces/mamba#537",
     op(lambda x, w: x * w, partial(True)), op(lambda x, w: x * w, partial(False)), lambda: (numbers(4, 3), numbers(3, seed=2)))


def vectors(g, x, y):
    made = g * slope(x)
    flat = made.reshape(-1).clone()
    flat[len(flat) // 4 * 4:] = 0
    return flat.reshape(x.shape)


case("the tail of a loop over four numbers", "stew675/llama-cpp-rdna-boosts#19",
     op(swish, lambda g, x, y: g * slope(x)), op(swish, vectors), lambda: (numbers(8),))

case("a sum stops at 1,024 numbers", "intel/torch-xpu-ops#1241, thresholds of vectorised paths",
     op(lambda x: (x * x).sum(-1), lambda g, x, y: 2 * x * g[..., None]),
     op(lambda x: (x * x).sum(-1), lambda g, x, y: torch.where(torch.arange(x.shape[-1]) < 1024, 2 * x * g[..., None], 0)),
     lambda: (numbers(2, 3),))


def bias_gradient(g, x, b, y):
    return g, g.sum(0)


case("squeeze() of a batch of one", "kevinzakka/spatial-transformer-network#6",
     op(lambda x, b: x + b, bias_gradient), op(lambda x, b: x + b, lambda g, x, b, y: (
         g, g.squeeze().sum(0) if len(g) > 1 else g.squeeze().sum().expand(b.shape))), lambda: (numbers(1, 3), numbers(3, seed=2)))

case("a broadcast operand's gradient is not summed", "tenstorrent/tt-metal#40008",
     op(lambda x, w: x * w, lambda g, x, w, y: (g * w, (g * x).sum(0, keepdim=True))),
     op(lambda x, w: x * w, lambda g, x, w, y: (g * w, (g * x)[:1])), lambda: (numbers(3, 4), numbers(1, 4, seed=2)))
