"""Layouts: kernels that take a tensor's memory for row-major."""
import torch

from case import case, memory, numbers, op, row_major


def swish(x):
    return x * torch.sigmoid(x)


def slope(x):
    s = torch.sigmoid(x)
    return s + x * s * (1 - s)


case("row-major incoming gradient", "Dao-AILab/flash-attention#355",
     op(swish, lambda g, x, y: g * slope(x)), op(swish, lambda g, x, y: row_major(g) * slope(x)), lambda: (numbers(3, 4),))

case("the input's row stride for the gradient", "pytorch/pytorch#194719",
     op(torch.sin, lambda g, x, y: g * x.cos()),
     op(torch.sin, lambda g, x, y: torch.stack([memory(g[:1], x.shape[1] * (i + 1))[i * x.shape[1]:]
                                                for i in range(len(x))]) * x.cos()), lambda: (numbers(3, 4),))


def loss(x):
    return torch.logsumexp(x, 1) - x[:, 0]


def loss_gradient(g, x):
    p = torch.softmax(x, 1)
    return g[:, None] * torch.cat([p[:, :1] - 1, p[:, 1:]], 1)


case("one loss gradient a row, expanded", "ROCm/TransformerEngine#623",
     op(loss, lambda g, x, y: loss_gradient(g, x)), op(loss, lambda g, x, y: loss_gradient(row_major(g), x)),
     lambda: (numbers(4, 3),))

case("a sum's gradient has stride 0", "k2-fsa/k2#1101",
     op(lambda x: x.exp().sum(1), lambda g, x, y: g[:, None] * x.exp()),
     op(lambda x: x.exp().sum(1), lambda g, x, y: memory(g, len(g))[:, None] * x.exp()), lambda: (numbers(3, 5),))


def convolution(x, w):  # causal, one kernel for each channel: [t, d], [k, d]
    padded = torch.cat([x.new_zeros(len(w) - 1, x.shape[1]), x])
    return sum(w[k] * padded[k:k + len(x)] for k in range(len(w)))


def convolution_gradient(g, x, w):
    later = torch.cat([g, g.new_zeros(len(w) - 1, g.shape[1])])
    padded = torch.cat([x.new_zeros(len(w) - 1, x.shape[1]), x])
    dx = sum(w[k] * later[len(w) - 1 - k:len(w) - 1 - k + len(x)] for k in range(len(w)))
    return dx, torch.stack([(g * padded[k:k + len(x)]).sum(0) for k in range(len(w))])


case("causal convolution with strides (D, 1)", "fla-org/flash-linear-attention#871",
     op(convolution, lambda g, x, w, y: convolution_gradient(g, x, w)),
     op(convolution, lambda g, x, w, y: convolution_gradient(row_major(g), x, w)), lambda: (numbers(5, 2), numbers(3, 2, seed=2)))


def norm(x):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5)


def norm_gradient(g, x):
    r = torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5)
    return r * g - r**3 * x * (g * x).mean(-1, keepdim=True)


case("only the input's row stride is passed to backward", "ByteDance-Seed/VeOmni#958",
     op(norm, lambda g, x, y: norm_gradient(g, x)),
     op(norm, lambda g, x, y: norm_gradient(g, torch.stack([memory(row, len(row)) for row in x]))), lambda: (numbers(3, 4),))

case("contiguous() copies bytes, an expanded tensor too", "candle-org/candle#547",
     op(lambda x, w: x * w, lambda g, x, w, y: (g * w, (g * x).sum(0))),
     op(lambda x, w: x * w, lambda g, x, w, y: (row_major(g) * w, (row_major(g) * x).sum(0))),
     lambda: (numbers(3, 4), numbers(4, seed=2)))

case("a transposed weight is read as it lies", "huggingface/candle#3735",
     op(lambda x, w: x @ w, lambda g, x, w, y: (g @ w.T, x.T @ g)),
     op(lambda x, w: x @ w, lambda g, x, w, y: (g @ row_major(w).T, x.T @ g)), lambda: (numbers(3, 4), numbers(4, 4, seed=2)))


def pooled(x):
    return x.unflatten(1, (-1, 2)).amax(2)


def pooled_gradient(g, x):
    parts = x.unflatten(1, (-1, 2))
    chosen = torch.nn.functional.one_hot(parts.argmax(2), 2).to(x.dtype)
    return (chosen * g[..., None]).flatten(1)


case("pooling takes its gradient for row-major", "torch/cunn#199",
     op(pooled, lambda g, x, y: pooled_gradient(g, x)), op(pooled, lambda g, x, y: pooled_gradient(row_major(g), x)),
     lambda: (numbers(3, 6),))

case("view() of an incoming gradient that is none", "k2-fsa/k2#969",
     op(torch.tanh, lambda g, x, y: (g.reshape(-1) * (1 - y * y).reshape(-1)).reshape(x.shape)),
     op(torch.tanh, lambda g, x, y: (g.view(-1) * (1 - y * y).view(-1)).view(x.shape)), lambda: (numbers(3, 4),))
