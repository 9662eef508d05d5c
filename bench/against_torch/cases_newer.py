"""How decompositions, sampling, packed sequences and operators under LibTorch's other names are called."""
import torch

from cases_elementwise import bound
from cases_layers import REDUCTIONS, batch
from cases_shapes import moved, scattered, selected, with_dim
from cases_windows import image


def matrix(d, spread=True):
    """Square, batched, and far from singular."""
    n = d.integer(1, 4)
    x = d.real([*d.shape(0, 1), n, n]).detach() / n
    return (x + 3 * torch.eye(n, dtype=torch.float64) * (1 if spread else 0)).requires_grad_()


def symmetric(d):
    x = d.real(d.pick([3, 3], [2, 2, 2], [1, 1])).detach()
    return (x + x.mT).requires_grad_()


def positive(d):
    x = matrix(d).detach()
    return (x @ x.mT).requires_grad_()


def solved(d):
    x = matrix(d)
    left = d.flag()
    other = [x.shape[-1], d.integer(1, 3)]
    return [x, d.real([*x.shape[:-2], *(other if left else other[::-1])]), left]


def triangular(d):
    x, other, left = solved(d)
    return [x, other, d.flag(), left, d.flag()]


def distances(d):
    n = d.integer(1, 3)
    return [d.real([d.integer(0, 3), n]), d.real([d.integer(0, 3), n]), d.pick(2.0, 1.0, 3.0, 0.5, 0.0, float("inf")),
            d.pick(None, 0, 1, 2)]


def connectionist(d):
    t, n, c = d.integer(3, 6), d.integer(1, 3), d.integer(2, 4)
    lengths = [d.integer(1, 2) for _ in range(n)]
    scores = torch.log_softmax(d.real([t, n, c]).detach(), 2).requires_grad_()
    targets = d.index([n, 2], c, 1)
    inputs = [d.integer(2, t) for _ in range(n)]
    if d.flag():
        inputs, lengths = torch.tensor(inputs), torch.tensor(lengths)
    return [scores, targets, inputs, lengths, 0, d.pick(*REDUCTIONS), d.flag()]


def sampled(d):
    n, c = d.integer(1, 2), d.integer(1, 2)
    return [d.real([n, c, d.integer(1, 4), d.integer(1, 4)]), d.real([n, d.integer(1, 3), d.integer(1, 3), 2], -1.4, 1.4)]


def unpooled(d):
    values, indices = torch.nn.functional.max_pool2d(d.distinct([d.integer(1, 2), 4, 4]).detach(), 2,
                                                     return_indices=True)
    return [values.requires_grad_(), indices, [4, 4]]


def bagged(d):
    rows = d.integer(2, 5)
    mode = d.integer(0, 2)
    weights = d.real([4]) if mode == 0 and d.flag() else None
    last = d.flag()
    return [d.real([rows, 2]), d.index([4], rows), torch.tensor([0, d.integer(0, 4)] + [4] * last), False, mode, False,
            weights, last, d.pick(None, -1, 0)]


def reduced(d):
    return [*scattered(d), d.pick("sum", "prod", "mean", "amax", "amin"), d.flag()]


def expanded_as(d):
    full = d.shape(0, 3)
    return [d.real(d.broadcast(full)), d.real(full)]


def transposed3(d):
    x = d.real([d.integer(1, 2), 2, 3, 3, 3])
    return [x, d.real([2, 2, 2, 2, 2]), d.pick(None, d.real([2])), 2, d.integer(0, 1), d.integer(0, 1), 1, 1]


def named(d, rank):
    return [d.real(image(d, rank, 3, 5)), None, None, d.integer(1, 2), d.pick("same", "valid"), d.integer(1, 2), 1]


def same_size(rank):
    def draw(d):
        x, _, _, stride, name, dilation, groups = named(d, rank)
        weight = d.real([2, x.shape[-rank - 1], *(d.integer(1, 3) for _ in range(rank))])
        return [x, weight, d.pick(None, d.real([2])), 1 if name == "same" else stride, name, dilation, groups]
    return draw


def sliced_backward(d):
    size, step = d.integer(1, 5), d.integer(1, 2)
    start = d.integer(0, size - 1)
    end = d.integer(start, size)
    return [d.real([2, -((start - end) // step)]), [2, size], 1, start, end, step]


def packed(d):
    t, n = d.integer(1, 4), d.integer(1, 3)
    lengths = sorted((d.integer(1, t) for _ in range(n)), reverse=True)
    lengths[0] = t
    first = d.flag()
    return [d.real([n, t, 2] if first else [t, n, 2]), torch.tensor(lengths), first]


CASES = {
    "clip": [lambda d: [d.real(), bound(d), bound(d)]],
    "rrelu": [lambda d: [d.real(), 0.125, d.pick(0.25, 0.5), False]],
    "inner": [lambda d: (lambda k: [d.real([*d.shape(0, 2), k]), d.real([*d.shape(0, 2), k])])(batch(d))],
    "kron": [lambda d: [d.real(d.shape(0, 3, 0, 2)), d.real(d.shape(0, 3, 0, 2))]],
    "linalg_solve": [solved], "linalg_solve_triangular": [triangular],
    "linalg_eigh": [lambda d: [symmetric(d), d.pick("L", "U")]],
    "linalg_eigvalsh": [lambda d: [symmetric(d), d.pick("L", "U")]],
    "linalg_qr": [lambda d: [matrix(d), d.pick("reduced", "complete")]],
    "slice_backward": [sliced_backward],
    "linalg_svdvals": [lambda d: [d.real([3, d.integer(1, 4)])]],
    "cdist": [distances], "ctc_loss": [connectionist],
    "grid_sampler_2d": [lambda d: [*sampled(d), d.integer(0, 2), d.integer(0, 2), d.flag()]],
    "max_unpool2d": [unpooled], "embedding_bag": [bagged], "scatter_reduce": [reduced],
    "expand_as": [expanded_as], "reshape_as": [lambda d: (lambda x: [x, d.real([x.numel()])])(d.real())],
    "broadcast_to": [lambda d: (lambda full: [d.real(d.broadcast(full)), full])(d.shape())],
    "tile": [lambda d: [d.real(), [d.integer(0, 2) for _ in range(d.integer(0, 4))]]],
    "ravel": [lambda d: [d.real()]],
    "swapaxes": [lambda d: (lambda x: [x, d.dim(x.dim()), d.dim(x.dim())])(d.real())],
    "swapdims": [lambda d: (lambda x: [x, d.dim(x.dim()), d.dim(x.dim())])(d.real())],
    "moveaxis": [moved, lambda d: (lambda x: [x, d.dim(x.dim()), d.dim(x.dim())])(d.real())],
    "diag": [lambda d: [d.real(d.shape(1, 2)), d.integer(-3, 3)]],
    "tensor_split": [lambda d: (lambda x, dim: [x, d.integer(1, 4), dim])(*with_dim(1)(d)),
                     lambda d: (lambda x, dim: [x, [d.integer(-2, 4), d.integer(-2, 5)], dim])(*with_dim(1)(d))],
    "select_backward": [lambda d: (lambda c: [d.real(list(c[0].detach().select(*c[1:]).shape)), list(c[0].shape),
                                              *c[1:]])(selected(d))],
    "conv_transpose3d": [transposed3], "_pack_padded_sequence": [packed],
}
CASES |= {name: [lambda d: [matrix(d)]] for name in (
    "linalg_inv", "inverse", "linalg_det", "det", "linalg_slogdet", "slogdet", "logdet")}
CASES |= {name: [lambda d: [positive(d), d.flag()]] for name in ("linalg_cholesky", "cholesky")}
NAMED_PADDING = {f"conv{rank}d": [same_size(rank)] for rank in (1, 2, 3)}
