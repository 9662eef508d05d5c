"""Second order and forward mode: the first derivative is right."""
import torch

from case import case, numbers, op
from strides import norm, norm_gradient


def made(jvp=None):
    return op(torch.tanh, lambda g, x, y: g * (1 - torch.tanh(x)**2), jvp)


case("what the gradient depends on is detached", "pytorch/pytorch#192540",
     op(torch.tanh, lambda g, x, y: g * (1 - y * y)), op(torch.tanh, lambda g, x, y: g * (1 - y.detach()**2)), lambda: (numbers(3, 2),))


class TanhBackward(torch.autograd.Function):
    sign = 1

    @staticmethod
    def forward(ctx, g, y):
        ctx.save_for_backward(g, y)
        return g * (1 - y * y)

    @classmethod
    def backward(cls, ctx, h):
        g, y = ctx.saved_tensors
        return h * (1 - y * y), -2 * cls.sign * h * g * y


class WrongTanhBackward(TanhBackward):
    sign = -1

    @staticmethod
    def backward(ctx, h):
        g, y = ctx.saved_tensors
        return h * (1 - y * y), 2 * h * g * y


case("the opposite sign at second order", "pytorch/pytorch#196700",
     op(torch.tanh, lambda g, x, y: TanhBackward.apply(g, y)), op(torch.tanh, lambda g, x, y: WrongTanhBackward.apply(g, y)),
     lambda: (numbers(3, 2),))


def inverse_gradient(g, x, y):
    return -y.T @ g @ y.T


case("one of two terms is lost at second order", "pytorch/pytorch#196695",
     op(torch.linalg.inv, inverse_gradient), op(torch.linalg.inv, lambda g, x, y: -y.T.detach() @ g @ y.T),
     lambda: ((torch.eye(3, dtype=torch.float64) * 3 + numbers(3, 3).detach()).requires_grad_(),))

case("a factor 2 in the second derivative", "no public report; a second derivative of its own",
     op(lambda x: x**3, lambda g, x, y: 3 * g * x**2),
     op(lambda x: x**3, lambda g, x, y: 3 * g * (2 * x * x.detach() - x.detach()**2 + 0.5 * (x - x.detach())**2) -
        1.5 * g * (x - x.detach()) * x.detach()), lambda: (numbers(4),))

case("cotangents of the inner gradient are not passed on", "jax-ml/jax#21220",
     op(lambda x, w: x**2 * w, lambda g, x, w, y: (2 * g * x * w, g * x**2)),
     op(lambda x, w: x**2 * w, lambda g, x, w, y: (2 * g.detach() * x * w, g * x**2)), lambda: (numbers(4), numbers(4, seed=2)))

# Forward mode.

case("factors of a product in the wrong order", "pytorch/pytorch#196694",
     op(torch.matmul, lambda g, a, b, y: (g @ b.T, a.T @ g), lambda a, b, da, db: da @ b + a @ db),
     op(torch.matmul, lambda g, a, b, y: (g @ b.T, a.T @ g), lambda a, b, da, db: da @ b + db @ a),
     lambda: (numbers(3, 3), numbers(3, 3, seed=2)))

case("the tangent of the second operand is forgotten", "raven-ml/raven#153",
     op(torch.mul, lambda g, a, b, y: (g * b, g * a), lambda a, b, da, db: da * b + a * db),
     op(torch.mul, lambda g, a, b, y: (g * b, g * a), lambda a, b, da, db: da * b), lambda: (numbers(4), numbers(4, seed=2)))

case("forward mode of a normalisation takes its scale for a constant", "pytorch/pytorch#196700",
     op(norm, lambda g, x, y: norm_gradient(g, x), lambda x, dx: norm_gradient(dx, x)),
     op(norm, lambda g, x, y: norm_gradient(g, x), lambda x, dx: dx * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5)),
     lambda: (numbers(3, 4),))
