"""How products, losses, windows, normalisations and recurrent layers are called."""
import torch

from draw import Reduction

REDUCTIONS = tuple(map(Reduction, range(3)))


def batch(d):
    return d.integer(0, 3)


def product(d):
    n, k, m, b = (batch(d) for _ in range(4))
    return n, k, m, b


def mm(d):
    n, k, m, _ = product(d)
    return [d.real([n, k]), d.real([k, m])]


def bmm(d):
    n, k, m, b = product(d)
    return [d.real([b, n, k]), d.real([b, k, m])]


def matmul(d):
    n, k, m, _ = product(d)
    full = d.shape(0, 2)
    left = d.pick([k], [*d.broadcast(full), n, k])
    right = d.pick([k], [*d.broadcast(full), k, m])
    return [d.real(left), d.real(right)]


def factors(d):
    return [d.pick(1, 0, 2, 0.5), d.pick(1, 0, 2, -0.5)]


def addmm(d):
    one, other = mm(d)
    return [d.real(d.broadcast([one.shape[0], other.shape[1]])), one, other, *factors(d)]


def baddbmm(d):
    one, other = bmm(d)
    return [d.real(d.broadcast([*one.shape[:2], other.shape[2]])), one, other, *factors(d)]


def mv(d):
    n, k, _, _ = product(d)
    return [d.real([n, k]), d.real([k])]


def linear(d):
    n, k, _, _ = product(d)
    shape = d.shape(0, 2)
    return [d.real([*shape, k]), d.pick(d.real([n, k]), d.real([n, k])), d.pick(None, d.real([n]))]


def einsum(d):
    equation, *shapes = d.pick(
        ("ij,jk->ik", [2, 3], [3, 4]), ("ij->ji", [2, 3]), ("ii->i", [3, 3]), ("ii", [3, 3]), ("ij->", [2, 3]),
        ("bij,bjk->bik", [2, 2, 3], [2, 3, 2]), ("i,j->ij", [2], [3]), ("...ij,...jk", [2, 2, 3], [3, 2]),
        ("i,i", [3], [3]), ("ij,j,i->", [2, 3], [3], [2]), ("bn,anm,bm->ba", [2, 3], [4, 3, 2], [2, 2]),
        ("a...->...", [2, 3]), ("ij,ij->j", [2, 3], [1, 3]), ("Ab,bA", [2, 3], [3, 2]), ("ij,kl->jl", [2, 0], [3, 2]))
    return [equation, [d.real(shape) for shape in shapes]]


def tensordot(d):
    return d.pick([d.real([2, 3, 4]), d.real([4, 3]), [1, 2], [1, 0]], [d.real([2, 3]), d.real([3]), [-1], [0]],
                  [d.real([2]), d.real([3]), [], []], [d.real([2, 1]), d.real([3]), [1], [0]])


def attention(d):
    heads, groups = d.pick((2, 2), (4, 2), (2, 1))
    n, t, s, e, v = d.integer(0, 2), d.integer(1, 4), d.integer(1, 4), d.integer(1, 3), d.integer(1, 3)
    mask = d.pick(None, d.real([t, s]), d.bools([t, s]), d.real([n, 1, 1, s]))
    causal = mask is None and d.flag()
    return [d.real([n, heads, t, e]), d.real([n, groups, s, e]), d.real([n, groups, s, v]), mask, 0.0, causal,
            d.pick(None, 0.7), heads != groups]


def cross(d):
    shape = d.shape(1, 3)
    place = d.dim(len(shape))
    shape[place] = 3
    return [d.real(shape), d.real(shape), place - len(shape) if place >= 0 else place]


def bilinear(d):
    shape = d.shape(0, 2)
    return [d.real([*shape, 2]), d.real([*shape, 3]), d.real([4, 2, 3]), d.pick(None, d.real([4]))]


CASES = {
    "mm": [mm], "bmm": [bmm], "matmul": [matmul], "addmm": [addmm], "baddbmm": [baddbmm], "mv": [mv],
    "addmv": [lambda d: (lambda m, v: [d.real(d.pick([m.shape[0]], [1], [])), m, v, *factors(d)])(*mv(d))],
    "dot": [lambda d: (lambda n: [d.real([n]), d.real([n])])(batch(d))],
    "outer": [lambda d: [d.real([batch(d)]), d.real([batch(d)])]], "linear": [linear], "einsum": [einsum],
    "tensordot": [tensordot], "scaled_dot_product_attention": [attention], "linalg_cross": [cross],
    "bilinear": [bilinear],
}


# ---- Losses


def pair(low=-3, high=3, target_low=-3, target_high=3, target_gradient=True):
    def draw(d):
        shape = d.shape()
        return [d.real(shape, low, high), d.real(shape, target_low, target_high, target_gradient)]
    return draw


def signs(d, shape):
    return d.bools(shape).double() * 2 - 1


def classes(d):
    count = d.integer(1, 4)
    shape = d.pick([batch(d), count], [count], [batch(d), count, 3], [2, count, 2, 2])
    without = shape[:1] + shape[2:] if len(shape) > 1 else []
    target = d.index(without, count)
    if d.flag() and target.numel():
        target.view(-1)[0] = -100
    return [d.real(shape), target, d.pick(None, d.real([count], 0.5, 2, False)), d.pick(*REDUCTIONS)]


def cross_entropy(d):
    x, target, weight, reduction = classes(d)
    if d.flag():
        target = d.real(list(x.shape), 0, 1)
    return [x, target, weight, reduction, d.pick(-100, 0, 1), d.pick(0.0, 0.25, 1.0)]


def triplet(d):
    n = batch(d)
    return [d.real([n, 3]), d.real([n, 3]), d.real([n, 3]), 1.0, d.pick(1.0, 2.0, 3.0), 1e-6, d.flag(),
            d.pick(*REDUCTIONS)]


CASES |= {name: [lambda d: [*pair()(d), d.pick(*REDUCTIONS)]] for name in ("mse_loss", "l1_loss")}
CASES |= {name: [lambda d: [*pair()(d), d.pick(*REDUCTIONS), d.pick(1.0, 0.5, 2.0)]]
          for name in ("smooth_l1_loss", "huber_loss")}
CASES |= {
    "soft_margin_loss": [lambda d: (lambda shape: [d.real(shape), signs(d, shape), d.pick(*REDUCTIONS)])(d.shape())],
    "nll_loss": [lambda d: [*classes(d), d.pick(-100, 0, 1)]], "cross_entropy": [cross_entropy],
    "binary_cross_entropy": [lambda d: (lambda p: [*p, d.pick(None, d.real(p[0].shape, 0, 2, False)),
                                                   d.pick(*REDUCTIONS)])(pair(0.05, 0.95, 0, 1)(d))],
    "binary_cross_entropy_with_logits": [
        lambda d: (lambda p: [*p, d.pick(None, d.real(p[0].shape, 0, 2, False)),
                              d.pick(None, d.real(p[0].shape[-1:], 0.5, 2, False)),
                              d.pick(*REDUCTIONS)])(pair(-9, 9, 0, 1)(d))],
    "kl_div": [lambda d: [*pair(-3, 0, 0, 1)(d), d.pick(*REDUCTIONS), d.flag()]],
    "hinge_embedding_loss": [lambda d: (lambda shape: [d.real(shape), signs(d, shape), d.pick(1.0, 0.5),
                                                       d.pick(*REDUCTIONS)])(d.shape())],
    "margin_ranking_loss": [lambda d: (lambda shape: [d.real(shape), d.real(shape), signs(d, shape),
                                                      d.pick(0.0, 0.5), d.pick(*REDUCTIONS)])(d.shape())],
    "cosine_embedding_loss": [lambda d: (lambda n: [d.real([n, 3]), d.real([n, 3]), signs(d, [n]),
                                                    d.pick(0.0, 0.5), d.pick(*REDUCTIONS)])(batch(d))],
    "poisson_nll_loss": [lambda d: [*pair(0.1, 3, 0, 5)(d), d.flag(), d.flag(), 1e-8, d.pick(*REDUCTIONS)]],
    "triplet_margin_loss": [triplet],
    "pairwise_distance": [lambda d: (lambda s: [d.real([*s, 3]), d.real([*s, 3]), d.pick(2.0, 1.0, 3.0, 0.0),
                                                1e-6, d.flag()])(d.shape(0, 2))],
    "cosine_similarity": [lambda d: (lambda s, place: [d.real(s), d.real(d.broadcast(s)), place, 1e-8])(
        *(lambda s: (s, d.integer(-len(s), -1)))(d.shape(1, 3)))],
}


# ---- Normalisations


def affine(d, shape):
    return d.pick([None, None], [d.real(shape), d.real(shape)], [d.real(shape), None])


def normal_shape(d):
    return [*d.shape(0, 2), *d.shape(1, 2, 1)]


def layer_norm(d):
    inner = d.shape(1, 2, 1)
    return [d.real([*d.shape(0, 2), *inner]), inner, *affine(d, inner), 1e-5, True]


def group_norm(d):
    groups = d.integer(1, 2)
    channels = groups * d.integer(1, 2)
    return [d.real([d.integer(0, 2), channels, *d.shape(0, 2, 1)]), groups, *affine(d, [channels]), 1e-5, True]


def statistics(d, channels):
    return [d.real([channels], -1, 1, False), d.real([channels], 0.5, 2, False)]


def batch_norm(d):
    channels = d.integer(1, 3)
    training = d.flag()
    running = statistics(d, channels) if not training or d.flag() else [None, None]
    return [d.real([d.integer(2, 3), channels, *d.shape(0, 2, 1)]), *affine(d, [channels]), *running, training,
            0.1, 1e-5, True]


def instance_norm(d):
    channels = d.integer(1, 3)
    training = d.flag()
    running = statistics(d, channels) if not training or d.flag() else [None, None]
    return [d.real([d.integer(1, 3), channels, *d.shape(1, 2, 2)]), *affine(d, [channels]), *running, training,
            0.1, 1e-5, True]


def weight_norm(d):
    shape = d.shape(1, 3, 1)
    place = d.integer(0, len(shape) - 1)
    return [d.real(shape), d.real([size if i == place else 1 for i, size in enumerate(shape)]), place]


CASES |= {
    "layer_norm": [layer_norm], "group_norm": [group_norm], "batch_norm": [batch_norm],
    "instance_norm": [instance_norm], "_weight_norm": [weight_norm],
    "rms_norm": [lambda d: (lambda inner: [d.real([*d.shape(0, 2), *inner]), inner, d.pick(None, d.real(inner)),
                                           d.pick(None, 1e-3)])(d.shape(1, 2, 1))],
}


# ---- Recurrent layers


def cell(gates):
    def draw(d):
        n, i, h = d.integer(0, 3), d.integer(1, 3), d.integer(1, 3)
        biases = d.pick([None, None], [d.real([gates * h]), d.real([gates * h])])
        return [d.real([n, i]), d.real([n, h]), d.real([gates * h, i]), d.real([gates * h, h]), *biases]
    return draw


def lstm_cell(d):
    x, hx, *rest = cell(4)(d)
    return [x, [hx, d.real(list(hx.shape))], *rest]


def layers(gates):
    def draw(d):
        t, n, i, h, depth = d.integer(1, 3), d.integer(1, 3), d.integer(1, 3), d.integer(1, 3), d.integer(1, 2)
        biases, both, first = d.flag(), d.flag(), d.flag()
        parameters = []
        for layer in range(depth):
            for _ in range(1 + both):
                width = i if layer == 0 else h * (1 + both)
                parameters += [d.real([gates * h, width], -1, 1), d.real([gates * h, h], -1, 1)]
                parameters += [d.real([gates * h], -1, 1), d.real([gates * h], -1, 1)] if biases else []
        return [d.real([n, t, i] if first else [t, n, i]), d.real([depth * (1 + both), n, h]), parameters, biases,
                depth, 0.0, False, both, first]
    return draw


def lstm(d):
    x, hx, *rest = layers(4)(d)
    return [x, [hx, d.real(list(hx.shape))], *rest]


CASES |= {
    "rnn_tanh_cell": [cell(1)], "rnn_relu_cell": [cell(1)], "gru_cell": [cell(3)], "lstm_cell": [lstm_cell],
    "rnn_tanh": [layers(1)], "rnn_relu": [layers(1)], "gru": [layers(3)], "lstm": [lstm],
}

# What draws random numbers, where nothing is left to chance.
CASES |= {name: [lambda d: [d.real([2, 3]), *d.pick([0.0, True], [1.0, True], [0.5, False])]] for name in (
    "dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout", "native_dropout")}
CASES |= {"bernoulli": [lambda d: [d.bools(d.shape()).double().requires_grad_()]]}
