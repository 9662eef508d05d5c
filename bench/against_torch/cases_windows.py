"""How convolutions, pooling and operators on images are called: lists of arguments, drawn."""


def image(d, rank, smallest=3, largest=7, unbatched=True):
    """(N, C, ...) or (C, ...)."""
    front = [d.integer(0, 2), d.integer(1, 3)]
    if unbatched and d.integer(0, 3) == 0:
        front = front[1:]
    return [*front, *(d.integer(smallest, largest) for _ in range(rank))]


def each(d, rank, low, high):
    """One number, or one per dimension."""
    return d.pick(d.integer(low, high), [d.integer(low, high) for _ in range(rank)]) if rank > 1 else \
        d.integer(low, high)


def convolution(rank):
    def draw(d):
        groups = d.integer(1, 2)
        outputs, inputs = groups * d.integer(1, 2), d.integer(1, 2)
        shape = image(d, rank)
        shape[-rank - 1] = inputs * groups
        weight = d.real([outputs, inputs, *(d.integer(1, 3) for _ in range(rank))])
        return [d.real(shape), weight, d.pick(None, d.real([outputs])), each(d, rank, 1, 2), each(d, rank, 0, 2),
                each(d, rank, 1, 2), groups]
    return draw


def transposed(rank):
    def draw(d):
        x, _, _, stride, padding, dilation, groups = convolution(rank)(d)
        outputs = d.integer(1, 2)
        weight = d.real([x.shape[-rank - 1], outputs, *(d.integer(2, 3) for _ in range(rank))])
        return [x, weight, d.pick(None, d.real([outputs * groups])), stride, 1, each(d, rank, 0, 1), groups, dilation]
    return draw


def max_pool(rank):
    def draw(d):
        kernel = d.integer(1, 3)
        return [d.distinct(image(d, rank)), d.pick(kernel, [kernel] * rank) if rank > 1 else kernel,
                each(d, rank, 1, 3), d.integer(0, kernel // 2), d.integer(1, 2), d.flag()]
    return draw


def avg_pool(rank):
    def draw(d):
        kernel = d.integer(1, 3)
        last = [] if rank == 1 else [d.pick(None, 2, -3)]
        return [d.real(image(d, rank)), kernel, each(d, rank, 1, 3), d.integer(0, kernel // 2), d.flag(), d.flag(),
                *last]
    return draw


def adaptive(rank):
    return lambda d: [d.distinct(image(d, rank)), each(d, rank, 1, 4)]


def reflection(rank):
    return lambda d: [d.real(image(d, rank)), [d.integer(-1, 2) for _ in range(2 * rank)]]


def padded(d):
    mode = d.pick("constant", "reflect", "replicate", "circular")
    rank = d.integer(1, 3)
    return [d.real(image(d, rank)), [d.integer(0, 2) for _ in range(2 * rank)], mode,
            d.pick(None, d.number()) if mode == "constant" else None]


def constant_pad(d):
    x = d.real(d.shape(1, 3, 2))
    return [x, [d.integer(-1, 2) for _ in range(2 * d.integer(0, x.dim()))], d.pick(0, 1, d.number())]


def unfolded(d):
    return [d.real(image(d, 2, 4)), d.pair(1, 3), d.pair(1, 2), d.pair(0, 1), d.pair(1, 2)]


def folded(d):
    sizes, kernel, dilation, padding, stride = ([d.integer(low, high) for _ in range(2)] for low, high in (
        (4, 6), (1, 3), (1, 2), (0, 1), (1, 2)))
    windows = 1
    for i in range(2):
        windows *= (sizes[i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1
    front = d.pick([], [d.integer(1, 2)])
    return [d.real([*front, 2 * kernel[0] * kernel[1], windows]), sizes, kernel, dilation, padding, stride]


def resized(rank, corners):
    def draw(d):
        size = [d.integer(1, 9) for _ in range(rank)] if rank > 1 else d.integer(1, 9)
        return [d.real(image(d, rank, 1, 5, False)), size, *([d.flag()] if corners else []),
                *(d.pick(None, None, 1.5) for _ in range(rank))]
    return draw


def interpolated(d):
    mode, rank = d.pick(("nearest", 1), ("nearest", 2), ("linear", 1), ("bilinear", 2), ("bicubic", 2), ("area", 2),
                        ("area", 3))
    factors = [[d.integer(1, 7) for _ in range(rank)], None] if d.flag() else \
        [None, [d.pick(0.5, 1.5, 2.0, 2.25) for _ in range(rank)]]
    corners = d.pick(None, False, True) if mode.endswith(("linear", "cubic")) else None
    return [d.real(image(d, rank, 2, 5, False)), *factors, mode, corners, factors[0] is None and d.flag()]


def shuffled(d):
    factor = d.integer(1, 3)
    return [d.real([*d.shape(0, 2), 2 * factor * factor, d.integer(0, 3), d.integer(0, 3)]), factor]


def unshuffled(d):
    factor = d.integer(1, 3)
    return [d.real([*d.shape(0, 2), 2, factor * d.integer(0, 2), factor * d.integer(0, 2)]), factor]


CASES = {
    "conv1d": [convolution(1)], "conv2d": [convolution(2)], "conv3d": [convolution(3)],
    "conv_transpose1d": [transposed(1)], "conv_transpose2d": [transposed(2)],
    "im2col": [unfolded], "col2im": [folded],
    "constant_pad_nd": [constant_pad], "pad": [padded], "interpolate": [interpolated],
    "affine_grid_generator": [lambda d: (lambda n: [d.real([n, 2, 3]), [n, 2, d.integer(1, 4), d.integer(1, 4)],
                                                    d.flag()])(d.integer(1, 2))],
    "pixel_shuffle": [shuffled], "pixel_unshuffle": [unshuffled],
    "upsample_nearest1d": [resized(1, False)], "upsample_nearest2d": [resized(2, False)],
    "upsample_linear1d": [resized(1, True)], "upsample_bilinear2d": [resized(2, True)],
    "upsample_bicubic2d": [resized(2, True)],
    "adaptive_max_pool1d": [adaptive(1)], "adaptive_max_pool2d": [adaptive(2)],
    "max_pool1d_with_indices": [max_pool(1)],
    "max_pool2d_with_indices": [max_pool(2)], "max_pool3d_with_indices": [max_pool(3)],
}
CASES |= {f"max_pool{rank}d": [max_pool(rank)] for rank in (1, 2, 3)}
CASES |= {f"avg_pool{rank}d": [avg_pool(rank)] for rank in (1, 2, 3)}
CASES |= {f"adaptive_avg_pool{rank}d": [adaptive(rank)] for rank in (1, 2, 3)}
CASES |= {f"{kind}_pad{rank}d": [reflection(rank)] for rank in (1, 2, 3) for kind in ("reflection", "replication")}
