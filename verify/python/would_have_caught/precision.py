"""Numbers: types, sums, constants, and errors that a tolerance hides."""
import math

import torch

from case import case, numbers, op
from strides import loss, loss_gradient, norm, norm_gradient, slope, swish


def summed_low(products):  # one rounding for each row
    total = torch.zeros_like(products[0])
    for row in products:
        total = (total + row).to(products.dtype)
    return total


def scaled(x, w):
    return x * w


case("a weight's gradient is summed in bfloat16", "linkedin/Liger-Kernel#950",
     op(scaled, lambda g, x, w, y: (g * w, (g.float() * x.float()).sum(0).to(w.dtype))),
     op(scaled, lambda g, x, w, y: (g * w, summed_low(g * x) if x.dtype == torch.bfloat16 else (g * x).sum(0))),
     lambda: (numbers(600, 2, low=0.5, high=1, dtype=torch.bfloat16), numbers(2, seed=2, dtype=torch.bfloat16)), reference=scaled, order=1, samples=1)

INDEX = torch.zeros(3000, dtype=torch.int64)


def gathered(w):
    return w[INDEX]


case("3,000 gradients of one row are added in float16", "flagos-ai/FlagGems#4295",
     op(gathered, lambda g, w, y: torch.zeros_like(w, dtype=torch.float32).index_add(0, INDEX, g.float()).to(w.dtype)),
     op(gathered, lambda g, w, y: torch.cat([(summed_low(g) if g.dtype == torch.float16 else g.sum(0))[None], torch.zeros_like(w[1:])])),
     lambda: (numbers(2, 1, low=0.5, high=1, dtype=torch.float16),), reference=gathered, order=1, long=False, samples=1)

case("the gradient goes through bfloat16", "NVIDIA/TransformerEngine#3193",
     op(loss, lambda g, x, y: loss_gradient(g, x)), op(loss, lambda g, x, y: loss_gradient(g, x.bfloat16().to(x.dtype)).bfloat16().to(x.dtype)),
     lambda: (numbers(3, 4, dtype=torch.float32),), order=1)

case("float32 inside of a float64 function", "lucidrains/CoLT5-attention#8",
     op(torch.sin, lambda g, x, y: g * x.cos()), op(torch.sin, lambda g, x, y: g * x.float().cos().to(x.dtype)), lambda: (numbers(4),))

case("a square overflows in float16", "no public report; float16 sums of squares",
     op(lambda x: norm(x.float()).to(x.dtype), lambda g, x, y: norm_gradient(g.float(), x.float()).to(x.dtype)),
     op(lambda x: norm(x.float()).to(x.dtype), lambda g, x, y: norm_gradient(g, x)),
     lambda: (numbers(2, 4, low=300, high=600, dtype=torch.float16),), reference=norm, order=1, long=False)


def gelu(x):
    return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))


def gelu_slope(x):
    return 0.5 * (1 + torch.erf(x / math.sqrt(2))) + x * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def gelu_tanh_slope(x):
    t = torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)


case("the slope of the approximate GELU for the exact one", "tenstorrent/tt-metal#49498",
     op(gelu, lambda g, x, y: g * gelu_slope(x)), op(gelu, lambda g, x, y: g * gelu_tanh_slope(x)), lambda: (numbers(5),))

case("the same in float32, beside a reference", "tenstorrent/tt-metal#49498",
     op(gelu, lambda g, x, y: g * gelu_slope(x)), op(gelu, lambda g, x, y: g * gelu_tanh_slope(x)),
     lambda: (numbers(5, dtype=torch.float32),), reference=gelu, order=1)


def no_epsilon(g, x):
    r = torch.rsqrt((x * x).mean(-1, keepdim=True))
    return r * g - r**3 * x * (g * x).mean(-1, keepdim=True)


case("epsilon is forgotten in backward", "NVIDIA/apex#1295, where epsilon belongs",
     op(norm, lambda g, x, y: norm_gradient(g, x)), op(norm, lambda g, x, y: no_epsilon(g, x)), lambda: (numbers(3, 4),))

case("a factor of 1.0005, within usual tolerances", "no public report; a constant in four digits",
     op(torch.exp2, lambda g, x, y: g * y * math.log(2)), op(torch.exp2, lambda g, x, y: g * y * 0.6935), lambda: (numbers(4),))
