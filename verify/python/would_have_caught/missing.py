"""Gradients that are missing, incomplete, in another's place or of another loss."""
import torch

from case import case, numbers, op
from strides import loss, norm, norm_gradient

F = torch.nn.functional


class Tied(torch.nn.Module):
    def __init__(self, lost):
        super().__init__()
        self.weight, self.lost = torch.nn.Parameter(numbers(3, 3, low=-1, high=1, seed=4).detach()), lost

    def forward(self, x):
        return torch.tanh(x @ self.weight) @ (self.weight.detach() if self.lost else self.weight).T


case("one use of a tied weight has no gradient", "paiml/entrenar#314", Tied(False), Tied(True), lambda: (numbers(2, 3),))


class Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b):
        ctx.save_for_backward(x, w)
        return x @ w + b

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w.T, x.T @ g, g.sum(0)


class BiasWithWeight(Linear):
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        needs = ctx.needs_input_grad
        return g @ w.T, x.T @ g, g.sum(0) if needs[1] else g[0]


case("a bias's gradient is right only if the weight's is wanted", "apache/mxnet#15464", Linear.apply, BiasWithWeight.apply,
     lambda: (numbers(2, 3), numbers(3, 2, seed=2), numbers(2, seed=3)))

case("no gradient for the bias", "a bias without a gradient; no public report, our corpus",
     Linear.apply, op(lambda x, w, b: x @ w + b, lambda g, x, w, b, y: (g @ w.T, x.T @ g, None)),
     lambda: (numbers(2, 3), numbers(3, 2, seed=2), numbers(2, seed=3)))

case("gradients in another order than the arguments", "pytorch/FBGEMM#4930",
     op(lambda a, b: a / b, lambda g, a, b, y: (g / b, -g * a / b**2)), op(lambda a, b: a / b, lambda g, a, b, y: (-g * a / b**2, g / b)),
     lambda: (numbers(4), numbers(4, low=1, high=2, seed=2)))

LABELS = torch.tensor([1, -1, 0, -1, 2])


def mean_loss(x):
    kept = LABELS[torch.arange(len(x)) % 5] >= 0
    rows, labels = x[kept], LABELS[torch.arange(len(x)) % 5][kept]
    return F.cross_entropy(rows, labels)


def mean_loss_gradient(g, x, per):
    labels = LABELS[torch.arange(len(x)) % 5]
    made = torch.softmax(x, 1) - F.one_hot(labels.clamp(min=0), 3).to(x.dtype)
    return g * torch.where((labels >= 0)[:, None], made, 0) / per(labels)


case("a mean over all tokens, not over those that count", "eladhoffer/utils.pytorch#4",
     op(mean_loss, lambda g, x, y: mean_loss_gradient(g, x, lambda labels: (labels >= 0).sum())),
     op(mean_loss, lambda g, x, y: mean_loss_gradient(g, x, len)), lambda: (numbers(5, 3),), order=1)


def every_loss(x):
    return torch.logsumexp(x, 1) - x[:, 0]


def every_gradient(g, x):
    p = torch.softmax(x, 1)
    return g[:, None] * torch.cat([p[:, :1] - 1, p[:, 1:]], 1)


case("one scale for all rows' losses", "unslothai/unsloth#569",
     op(every_loss, lambda g, x, y: every_gradient(g, x)), op(every_loss, lambda g, x, y: every_gradient(g[:1].expand_as(g), x)),
     lambda: (numbers(3, 4),))

case("the root mean square is taken for a constant", "ooples/AiDotNet#695",
     op(norm, lambda g, x, y: norm_gradient(g, x)), op(norm, lambda g, x, y: g * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5)),
     lambda: (numbers(3, 4),))


def scaled_norm_gradient(g, x, w, y, in_sum):
    r = torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5)
    inner = (g * in_sum(w) * x).mean(-1, keepdim=True)
    return r * g * w - r**3 * x * inner, (g * x * r).sum(0)


case("the weight is forgotten inside of the sum", "karpathy/llm.c#763",
     op(lambda x, w: norm(x) * w, lambda g, x, w, y: scaled_norm_gradient(g, x, w, y, lambda w: w)),
     op(lambda x, w: norm(x) * w, lambda g, x, w, y: scaled_norm_gradient(g, x, w, y, lambda w: 1)),
     lambda: (numbers(3, 4), numbers(4, seed=2)))


class Residual(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, r):
        s = x + r
        ctx.save_for_backward(s)
        return s, norm(s)

    @staticmethod
    def backward(ctx, gs, gy):
        made = gs + norm_gradient(gy, ctx.saved_tensors[0])
        return made, made


class WrongResidual(Residual):
    @staticmethod
    def backward(ctx, gs, gy):
        made = norm_gradient(gs + gy, ctx.saved_tensors[0])
        return made, made


case("two incoming gradients are added too early", "Dao-AILab/quack#53", Residual.apply, WrongResidual.apply,
     lambda: (numbers(3, 4), numbers(3, 4, seed=2)))

PICKED = torch.tensor([2, 0, 2, 2])


def take_gradient(g, w, accumulate):
    return torch.zeros_like(w).index_put((PICKED,), g, accumulate=accumulate)


case("rows that are taken twice get one gradient", "apache/mxnet#19817",
     op(lambda w: w[PICKED], lambda g, w, y: take_gradient(g, w, True)), op(lambda w: w[PICKED], lambda g, w, y: take_gradient(g, w, False)),
     lambda: (numbers(3, 2),))

ORDER = (1, 2, 0)
BACK = (2, 0, 1)
case("the permutation itself in place of its inverse", "flexflow/flexflow-train#1676",
     op(lambda x: x.permute(ORDER).contiguous(), lambda g, x, y: g.permute(BACK)),
     op(lambda x: x.permute(ORDER).contiguous(), lambda g, x, y: g.permute(ORDER)), lambda: (numbers(2, 2, 2),))
