"""Points: ties, zeros, masks, ends of domains, tails."""
import torch

from case import case, numbers, op


def at(*values, grad=True):
    return torch.tensor(values, dtype=torch.float64).requires_grad_(grad)


def max_gradient(g, x, y, share):
    tied = (x == y[:, None]).to(x.dtype)
    return g[:, None] * (tied / tied.sum(1, keepdim=True) if share else tied)


case("each of several largest entries gets the whole gradient", "mni-ml/framework#22",
     op(lambda x: x.amax(1), lambda g, x, y: max_gradient(g, x, y, True)), op(lambda x: x.amax(1), lambda g, x, y: max_gradient(g, x, y, False)),
     lambda: (numbers(2, 4),), order=1)

case("where() lets the NaN of the other branch through", "pytorch/pytorch#68425",
     lambda x: torch.where(x > 0, torch.sqrt(torch.where(x > 0, x, 1)), x * 0),
     lambda x: torch.where(x > 0, torch.sqrt(x), x * 0), lambda: (at(1.5, -2.0, 0.7, -0.3),))

case("a softplus from pieces has slope 0 at 0", "jax-ml/jax#2107",
     lambda x: torch.nn.functional.softplus(x, threshold=1e9),
     lambda x: torch.clamp(x, min=0) * (x > 0) + torch.log1p(torch.exp(-x.abs().where(x != 0, x.detach() * 0))),
     lambda: (at(0.0, 1.0, -2.0),), order=1)

LOG2 = 0.6931471805599453
case("x log 2 has slope 0 at x = 0", "pytorch/pytorch#80770",
     op(lambda x: x * LOG2, lambda g, x, y: g * LOG2), op(lambda x: x * LOG2, lambda g, x, y: torch.where(x == 0, 0, g * LOG2)),
     lambda: (at(0.0, 1.0, -2.0),), order=1)

case("an even function with a slope at 0", "jax-ml/jax#40628",
     op(torch.special.i0, lambda g, x, y: g * torch.special.i1(x)),
     op(torch.special.i0, lambda g, x, y: g * torch.where(x == 0, 1, torch.special.i1(x))), lambda: (at(0.0, 1.0, -2.0),), order=1)

case("a product by division, with a zero factor", "pytorch/pytorch#773",
     op(lambda x: x.prod(1), lambda g, x, y: g[:, None] * torch.stack([x[:, [j for j in range(x.shape[1]) if j != i]].prod(1)
                                                                      for i in range(x.shape[1])], 1)),
     op(lambda x: x.prod(1), lambda g, x, y: g[:, None] * y[:, None] / x), lambda: (at(2.0, 0.0, -1.5, 1.0, 3.0, 0.5).detach().reshape(2, 3).requires_grad_(),),
     order=1)

case("running products at a zero factor", "pytorch/pytorch#196701",
     lambda x: torch.stack([x[:i + 1].prod() for i in range(3)]),
     op(lambda x: x.cumprod(0), lambda g, x, y: (torch.flip(torch.flip(g * y, (0,)).cumsum(0), (0,)) / x).nan_to_num(0, 0, 0)),
     lambda: (at(1.5, 0.0, -2.0),), order=1, long=False)

case("log 0 times 0 in the gradient of a power", "pytorch/pytorch#27134",
     op(lambda b: at(0.0, 2.0, 3.0, grad=False)**b, lambda g, b, y: g * torch.where(y == 0, 0, y * torch.log(at(1.0, 2.0, 3.0, grad=False)))),
     op(lambda b: at(0.0, 2.0, 3.0, grad=False)**b, lambda g, b, y: g * y * torch.log(at(0.0, 2.0, 3.0, grad=False))),
     lambda: (at(1.0, 1.5, 2.0),), order=1, long=False)

case("the sign of the result stands for that of the input", "pytorch/pytorch#31938",
     op(lambda x: torch.where(x > 0, x, -2 * x), lambda g, x, y: g * torch.where(x > 0, 1.0, -2.0)),
     op(lambda x: torch.where(x > 0, x, -2 * x), lambda g, x, y: g * torch.where(y > 0, 1.0, -2.0)), lambda: (numbers(5),))

case("a norm that is zero gives NaN", "tenstorrent/tt-metal#55585",
     op(lambda x: (x * x).sum(1), lambda g, x, y: 2 * g[:, None] * x),
     op(lambda x: (x * x).sum(1), lambda g, x, y: 2 * g[:, None] * x / y[:, None].sqrt() * y[:, None].sqrt()),
     lambda: (at(1.0, 2.0, 0.0, 0.0).detach().reshape(2, 2).requires_grad_(),), order=1)

case("exp(x) as y + 1, which is 0 far to the left", "jax-ml/jax#39794",
     op(torch.expm1, lambda g, x, y: g * x.exp()), op(torch.expm1, lambda g, x, y: g * (y + 1)), lambda: (at(1.0, -38.5, -2.0, -40.0),))
