"""What is kept between forward and backward, and between calls."""
import torch

from case import case, numbers, op
from strides import loss, loss_gradient, slope, swish


def overwriting(g, x, y):  # the gradient goes where the logits lay
    made = loss_gradient(g, x)
    torch.from_numpy(x.detach().numpy()).copy_(made)  # as a kernel does it: no version changes
    return made


case("backward writes its gradient over the logits", "unslothai/unsloth#5002",
     op(loss, lambda g, x, y: loss_gradient(g, x)), op(loss, overwriting), lambda: (numbers(3, 4),))


class InForward(torch.autograd.Function):
    """Computes the gradient in forward, as fused losses do."""
    in_place = False

    @staticmethod
    def forward(ctx, x):
        y = loss(x)
        made = loss_gradient(torch.ones_like(y), x)
        ctx.save_for_backward(made)
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return ctx.saved_tensors[0] * g[:, None]


class InForwardInPlace(InForward):
    @staticmethod
    def forward(ctx, x):
        y = loss(x)
        ctx.x = x
        torch.from_numpy(x.detach().numpy()).copy_(loss_gradient(torch.ones_like(y), x))
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return ctx.x * g[:, None]


case("forward writes the gradient into its input", "linkedin/Liger-Kernel#272", InForward.apply, InForwardInPlace.apply,
     lambda: (numbers(3, 4),), order=1)


class Scaled(InForward):
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return torch.from_numpy(ctx.saved_tensors[0].numpy()).mul_(g[:, None])


case("a second backward scales what the first has scaled", "Dao-AILab/quack#209", InForward.apply, Scaled.apply,
     lambda: (numbers(3, 4),), order=1)


def swiglu(e, g):
    return swish(e) * g


case("gradients are stored in each other's place", "unslothai/unsloth#3314",
     op(swiglu, lambda d, e, g, y: (d * g * slope(e), d * swish(e))), op(swiglu, lambda d, e, g, y: (d * swish(e), d * g * slope(e))),
     lambda: (numbers(3, 2), numbers(3, 2, seed=2)))


class Attribute(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return swish(x)

    @staticmethod
    def backward(ctx, g):
        return g * slope(ctx.x)


case("an input is kept as an attribute, and no version is looked at", "linkedin/Liger-Kernel#343",
     op(swish, lambda g, x, y: g * slope(x)), Attribute.apply, lambda: (numbers(4),))


class Accumulating:
    """A buffer for gradients that nobody sets to zero."""

    def __init__(self):
        self.buffer = {}

    def __call__(self, g, x, w, y):
        made = self.buffer.setdefault((w.shape, w.dtype), torch.zeros_like(w))
        made += (g * x).sum(0).detach()
        return g * w, made.clone()


case("a weight's gradient is added to what an earlier call left", "NVIDIA/TransformerEngine#545",
     op(torch.mul, lambda g, x, w, y: (g * w, (g * x).sum(0))), op(torch.mul, Accumulating()), lambda: (numbers(3, 2), numbers(2, seed=2)))


class Workspace:
    """One workspace for each shape: a second forward overwrites what the first one's backward needs."""

    def __init__(self):
        self.kept = {}

    def forward(self, x):
        self.kept[x.shape, x.dtype] = torch.sigmoid(x)
        return x * torch.sigmoid(x)

    def backward(self, g, x, y):
        s = self.kept[x.shape, x.dtype]
        return g * (s + x * s * (1 - s))


shared = Workspace()
case("a workspace is shared by two calls", "linkedin/Liger-Kernel#262, buffers that others still need",
     op(swish, lambda g, x, y: g * slope(x)), op(shared.forward, shared.backward), lambda: (numbers(4),), order=1)


def drawn_again(g, x, y):
    return g * (torch.rand_like(x) > 0.5) * 2


def dropped(x):
    return x * mask_of(x)


def mask_of(x):
    return (torch.rand(x.shape, generator=torch.Generator().manual_seed(5)) > 0.5) * 2.0


case("backward draws another dropout mask than forward", "state-spaces/mamba#1023",
     op(dropped, lambda g, x, y: g * mask_of(x)), op(dropped, drawn_again), lambda: (numbers(12),))


class Disordered:
    """Sums in another order each time, as atomic additions do."""

    def __init__(self):
        self.generator = torch.Generator().manual_seed(3)

    def __call__(self, g, x, w, y):
        products = (g * x)[torch.randperm(len(x), generator=self.generator)]
        total = torch.zeros_like(w)
        for row in products:
            total = total + row
        return g * w, total


case("atomic additions: other bits in equal calls", "Dao-AILab/flash-attention#414",
     op(torch.mul, lambda g, x, w, y: (g * w, (g * x).sum(0))), op(torch.mul, Disordered()), lambda: (numbers(7, 2), numbers(2, seed=2)))


def in_place(g, x, y):
    return g.mul_(slope(x)) if not torch.is_grad_enabled() else g * slope(x)


case("the incoming gradient is scaled in place", "k2-fsa/k2#1106", op(swish, lambda g, x, y: g * slope(x)), op(swish, in_place),
     lambda: (numbers(3, 2),))


def unwritten(g, x, y):
    made = torch.empty_like(x)
    made.fill_(float(len(leftover)))
    leftover.append(0)
    rows = x[:, 0] > -1
    made[rows] = (g * slope(x))[rows]
    return made


leftover = []
case("rows that the mask leaves out are not written", "flagos-ai/FlagGems#5824",
     op(swish, lambda g, x, y: g * slope(x)), op(swish, unwritten), lambda: (numbers(6, 2),), order=1)
