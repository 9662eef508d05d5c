"""How views, copies and indexing are called: lists of arguments, drawn."""
import torch


def with_dim(low=0, high=3, smallest=0):
    """A tensor and a dimension of it."""
    def draw(d):
        x = d.real(d.shape(low, high, smallest))
        return x, d.dim(x.dim())
    return draw


def size_of(x, dim):
    return x.shape[dim] if x.dim() else 1


def regrouped(d):
    x = d.real(d.shape(0, 4))
    count = x.numel()
    options = [[count], [-1] if count else [0, 3], list(x.shape), [1, count, 1]]
    if count % 2 == 0 and count:
        options += [[2, -1], [count // 2, 2]]
    return [x, d.pick(*options)]


def flattened(d):
    x = d.real(d.shape(0, 4))
    ends = sorted((d.dim(x.dim()) % max(x.dim(), 1), d.dim(x.dim()) % max(x.dim(), 1)))
    return [x, ends[0], d.pick(ends[1], ends[1] - max(x.dim(), 1))]


def expanded(d):
    full = d.shape(0, 4)
    x = d.real(d.broadcast(full))
    return [x, [d.pick(size, -1) if i >= len(full) - x.dim() and size == x.shape[i - len(full)] else size
                for i, size in enumerate(full)]]


def permuted(d):
    x = d.real(d.shape(0, 4))
    order = d.random.sample(range(x.dim()), x.dim())
    return [x, [d.pick(one, one - x.dim()) for one in order]]


def moved(d):
    x = d.real(d.shape(1, 4))
    count = d.integer(0, x.dim())
    return [x, d.random.sample(range(x.dim()), count), d.random.sample(range(x.dim()), count)]


def selected(d):
    x, dim = with_dim(1, 3, 1)(d)
    return [x, dim, d.integer(-size_of(x, dim), size_of(x, dim) - 1)]


def narrowed(d):
    x, dim = with_dim(1, 3)(d)
    start = d.integer(0, size_of(x, dim))
    return [x, dim, start, d.integer(0, size_of(x, dim) - start)]


def end(d):
    return d.pick(None, d.integer(-5, 5))


def sliced(d):
    x, dim = with_dim(1, 3)(d)
    return [x, dim, end(d), end(d), d.integer(1, 3)]


def diagonal(d):
    x = d.real(d.shape(2, 4))
    one, other = d.random.sample(range(x.dim()), 2)
    return [x, d.integer(-3, 3), one, d.pick(other, other - x.dim())]


def strided(d):
    return [d.real([d.integer(12, 20)]), [d.integer(0, 3), d.integer(0, 3)],
            [d.integer(0, 3), d.integer(0, 2)], d.pick(None, d.integer(0, 3))]


def split_sizes(d):
    x, dim = with_dim(1, 3)(d)
    first = d.integer(0, size_of(x, dim))
    return [x, [first, size_of(x, dim) - first], dim]


def unfolded(d):
    x, dim = with_dim(1, 3, 1)(d)
    return [x, dim, d.integer(0, size_of(x, dim)), d.integer(1, 3)]


def joined(d):
    shape = d.shape(1, 3)
    dim = d.dim(len(shape))
    parts = []
    for _ in range(d.integer(1, 3)):
        shape = list(shape)
        shape[dim] = d.integer(0, 3)
        parts.append(d.real(shape))
    return [parts, dim]


def stacked(d):
    shape = d.shape(0, 3)
    return [[d.real(shape) for _ in range(d.integer(1, 3))], d.integer(-len(shape) - 1, len(shape))]


def repeated(d):
    x = d.real(d.shape(0, 3))
    return [x, [d.integer(0, 2) for _ in range(x.dim() + d.integer(0, 1))]]


def interleaved(d):
    x, dim = with_dim(1, 3)(d)
    return [x, d.index([d.pick(1, size_of(x, dim))], 3), dim, None]


def rolled(d):
    x = d.real(d.shape(0, 3))
    dims = d.dims(x.dim())
    return [x, [d.integer(-5, 5) for _ in dims] if dims else [d.integer(-5, 5)], dims]


def put_back(d, cut):
    """The arguments of an operator that writes what `cut` would read."""
    x, *place = cut(d)
    shape = (x.detach().select(*place) if len(place) == 2 else
             torch.ops.aten.slice(x.detach(), *place)).shape
    return [x, d.real(list(shape)), *place]


CASES = {name: [lambda d: [d.real()]] for name in ("clone", "contiguous", "alias", "zero_")}
CASES |= {
    "view": [regrouped], "reshape": [regrouped], "flatten": [flattened], "expand": [expanded],
    "permute": [permuted], "transpose": [lambda d: (lambda x: [x, d.dim(x.dim()), d.dim(x.dim())])(d.real())],
    "t": [lambda d: [d.real(d.shape(0, 2))]],
    "squeeze": [lambda d: [d.real(d.shape(0, 4, 0, 2))], lambda d: list(with_dim()(d)),
                lambda d: (lambda x: [x, d.dims(x.dim())])(d.real(d.shape(0, 4, 0, 2)))],
    "unsqueeze": [lambda d: (lambda x: [x, d.integer(-x.dim() - 1, x.dim())])(d.real())],
    "unbind": [lambda d: list(with_dim(1)(d))], "select": [selected], "narrow": [narrowed],
    "slice": [sliced], "diagonal": [diagonal], "as_strided": [strided],
    "split": [lambda d: (lambda x, dim: [x, d.integer(1, 3), dim])(*with_dim(1)(d))],
    "chunk": [lambda d: (lambda x, dim: [x, d.integer(1, 4), dim])(*with_dim(1)(d))],
    "view_as": [lambda d: (lambda x: [x, d.real([x.numel()])])(d.real())],
    "split_with_sizes": [split_sizes], "unfold": [unfolded],
    "unflatten": [lambda d: [d.real([2, 6]), 1, d.pick([2, 3], [-1, 2], [6], [1, 6], [3, -1])]],
    "movedim": [moved, lambda d: (lambda x: [x, d.dim(x.dim()), d.dim(x.dim())])(d.real())],
    "_to_copy": [lambda d: [d.real(), d.pick(torch.float32, torch.float64, torch.int64, torch.bool)]],
    "to": [lambda d: [d.real(), d.pick(torch.float32, torch.float64, torch.int64, torch.bool)],
           lambda d: [d.real(), d.pick(d.real([]), d.index([2], 3))]],
    "type_as": [lambda d: [d.real(), d.pick(d.real([]), d.index([2], 3))]],
    "copy_": [lambda d: (lambda shape: [d.real(shape), d.real(d.broadcast(shape))])(d.shape())],
    "fill_": [lambda d: [d.real(), d.pick(d.number(), 2, True)]],
    "cat": [joined], "stack": [stacked], "repeat": [repeated], "roll": [rolled],
    "flip": [lambda d: (lambda x: [x, d.dims(x.dim())])(d.real())],
    "repeat_interleave": [lambda d: (lambda x, dim: [x, d.integer(0, 3), d.pick(dim, None), None])(
        *with_dim(1)(d)), interleaved, lambda d: [d.index([d.integer(0, 4)], 4), None]],
    "tril": [lambda d: [d.real(d.shape(2, 4)), d.integer(-4, 4)]],
    "triu": [lambda d: [d.real(d.shape(2, 4)), d.integer(-4, 4)]],
    "diag_embed": [lambda d: [d.real(d.shape(1, 3)), d.integer(-2, 2), -2, -1],
                   lambda d: [d.real(d.shape(1, 3)), d.integer(-2, 2), 0, d.pick(1, -1)]],
    "select_scatter": [lambda d: put_back(d, selected)],
    "slice_scatter": [lambda d: put_back(d, sliced)],
}


# ---- Indexing


def gathered(d):
    x, dim = with_dim(1, 3, 1)(d)
    shape = [d.integer(0, size) for size in x.shape]
    shape[dim] = d.integer(0, 5)
    return [x, dim, d.index(shape, size_of(x, dim))]


def scattered(d, unique=False):
    x, dim, index = gathered(d)
    if unique:
        index = index.clone()
        index.copy_(torch.arange(index.shape[dim]).view(
            [-1 if i == dim % x.dim() else 1 for i in range(x.dim())]) % max(size_of(x, dim), 1))
        index = index.narrow(dim, 0, min(index.shape[dim], size_of(x, dim)))
    source = d.real([size + d.integer(0, 1) for size in index.shape])
    return [x, dim, index.contiguous(), source]


def by_index(d, unique=False):
    x, dim = with_dim(0, 3, 1)(d)
    size = size_of(x, dim)
    index = torch.tensor(d.random.sample(range(size), d.integer(0, size)), dtype=torch.int64) \
        if unique else d.index([d.integer(0, 5)], size)
    return [x, dim, index if x.dim() else d.index([1], 1)]


def by_index_with_source(d, unique=False):
    x, dim, index = by_index(d, unique)
    shape = list(x.shape)
    if shape:
        shape[dim] = index.numel()
    return [x, dim, index, d.real(shape)]


def places(d, x):
    """What may stand in brackets behind x."""
    made, dim = [], 0
    while dim < x.dim():
        size = x.shape[dim]
        kind = d.integer(0, 6)
        if kind == 0:
            made.append(None)
            continue
        if kind == 1 and size:
            made.append(d.integer(-size, size - 1))
        elif kind == 2:
            made.append(slice(end(d), end(d), d.pick(None, 1, 2)))
        elif kind == 3 and size:
            made.append(d.index(d.pick([2], [3], [1, 2], []), size, -size))
        elif kind == 4:
            made.append(d.bools([size]))
        elif kind == 5 and Ellipsis not in [one for one in made if not isinstance(one, torch.Tensor)]:
            made.append(Ellipsis)
            dim += d.integer(0, x.dim() - dim - 1)
        else:
            made.append(slice(None, None, None))
        dim += 1
    return made or [Ellipsis]


def indexed(d):
    x = d.real(d.shape(0, 4, 1))
    return [x, places(d, x)]


def put(d):
    x = d.real(d.shape(1, 3, 1))
    whole = slice(None, None, None)
    index = [whole if d.integer(0, 2) == 0 else d.index(d.pick([2], [1], [3, 1]), size, -size)
             for size in x.shape]
    if all(one is whole for one in index):
        index[0] = d.index([2], x.shape[0])
    accumulate = d.flag()
    shape = list(torch.empty(x.shape)[tuple(index)].shape)
    return [x, index, d.real(d.broadcast(shape)), accumulate]


def search(d):
    edges = d.real([d.integer(0, 6)], gradient=False).sort().values
    return [edges, d.real(gradient=False), d.flag(), d.flag(), d.pick(None, None, "left", "right"), None]


def search_sorted_by(d):
    edges = d.real([2, 5], gradient=False)
    return [edges, d.real([2, 3], gradient=False), d.flag(), d.flag(), None, edges.argsort(-1)]


def take_along(d):
    x, dim = with_dim(1, 3, 1)(d)
    shape = list(x.shape)
    shape[dim] = d.integer(0, 4)
    return [x, d.index(shape, size_of(x, dim)), dim]


def masked(d):
    shape = d.shape()
    return [d.real(d.broadcast(shape)), d.bools(d.broadcast(shape))]


CASES |= {
    "gather": [gathered], "index_select": [by_index], "scatter_add": [scattered],
    "scatter": [lambda d: scattered(d, True), lambda d: [*gathered(d), d.pick(d.number(), 2, True)],
                lambda d: [*gathered(d), d.number(), d.pick("add", "multiply")]],
    "index_add": [lambda d: [*by_index_with_source(d), d.pick(1, 2, 0.5)]],
    "index_copy": [lambda d: by_index_with_source(d, True)],
    "index_fill": [lambda d: [*by_index(d), d.pick(d.number(), 2, True)],
                   lambda d: [*by_index(d), d.real([])]],
    "take_along_dim": [take_along, lambda d: (lambda x: [x, d.index(d.shape(0, 2), x.numel()), None])(
        d.real(d.shape(0, 3, 1)))],
    "nonzero": [lambda d: [torch.round(d.real(gradient=False) / 2)]],
    "bincount": [lambda d: [d.index([d.integer(0, 6)], 5), None, d.integer(0, 7)],
                 lambda d: (lambda n: [d.index([n], 5), d.real([n], gradient=False), d.integer(0, 7)])(d.integer(1, 6))],
    "one_hot": [lambda d: [d.index(d.shape(), 4), d.pick(-1, 4, 6)]],
    "unique_consecutive": [lambda d: [torch.round(d.real(d.shape(0, 2), -1, 1, False)), d.flag(), d.flag(), None],
                           lambda d: [torch.round(d.real(d.shape(1, 3, 1), -1, 1, False)), d.flag(), d.flag(), 0]],
    "searchsorted": [search, search_sorted_by, lambda d: [search(d)[0], d.number(), d.flag(), d.flag(), None, None]],
    "bucketize": [lambda d: (lambda s: [s[1], s[0], s[2], s[3]])(search(d)),
                  lambda d: (lambda s: [d.number(), s[0], s[2], s[3]])(search(d))],
    "isin": [lambda d: [torch.round(d.real(gradient=False)), torch.round(d.real(gradient=False)), False, d.flag()],
             lambda d: [torch.round(d.real(gradient=False)), 1.0, False, d.flag()],
             lambda d: [1.0, torch.round(d.real(gradient=False)), False, d.flag()]],
    "index": [indexed], "index_put": [put], "masked_select": [masked],
    "take": [lambda d: (lambda x: [x, d.index(d.shape(), x.numel(), -x.numel())])(d.real(d.shape(0, 3, 1)))],
    "embedding": [lambda d: [d.real([d.integer(1, 5), d.integer(0, 3)]), d.index(d.shape(), 1),
                             d.pick(-1, 0), d.flag(), False],
                  lambda d: [d.real([5, 2]), d.index(d.shape(), 5), d.pick(-1, 0, 3), d.flag(), False]],
}
