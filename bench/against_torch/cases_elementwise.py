"""How elementwise operators, activations and reductions are called: lists of arguments, drawn."""
import torch


def unary(low=-3, high=3):
    return lambda d: [d.real(d.shape(), low, high)]


def binary(low=-3, high=3, other_low=None, other_high=None):
    def draw(d):
        shape = d.shape()
        return [d.real(d.broadcast(shape) if d.flag() else shape, low, high),
                d.real(d.broadcast(shape), low if other_low is None else other_low,
                       high if other_high is None else other_high)]
    return draw


def number(low=-3, high=3):
    """A tensor and a number, which is whole now and then."""
    return lambda d: [d.real(), d.pick(d.number(low, high), d.integer(int(low), int(high)), True)]


def number_first(low=-3, high=3):
    return lambda d: [d.number(low, high), d.real(None, low, high)]


def three(last):
    def draw(d):
        shape = d.shape()
        return [d.real(shape), d.real(d.broadcast(shape)), d.real(d.broadcast(shape), 0.5, 3), *last(d)]
    return draw


def where(first, second):
    def draw(d):
        shape = d.shape()
        return [d.bools(d.broadcast(shape)), *(
            d.real(d.broadcast(shape)) if kind == "tensor" else d.number() for kind in (first, second))]
    return draw


def masked(d):
    shape = d.shape()
    return [d.real(shape), d.bools(d.broadcast(shape)), d.pick(d.number(), d.integer(-2, 2), True)]


def integers(d):
    shape = d.shape()
    return [d.index(d.broadcast(shape), 9, -9), d.index(d.broadcast(shape), 9, -9)]


def integer_and_number(d):
    return [d.index(d.shape(), 9, -9), d.integer(-9, 9)]


def number_and_integer(d):
    return [d.integer(-9, 9), d.index(d.shape(), 9, -9)]


def bound(d):
    return d.pick(None, d.number(), d.integer(-2, 2))


def prelu(d):
    shape = d.shape(1, 4)
    channels = shape[1] if len(shape) > 1 else 1
    return [d.real(shape), d.real(d.pick([1], [channels], []))]


def even(d):
    shape = d.shape(1, 3)
    place = d.dim(len(shape))
    shape[place] *= 2
    return [d.real(shape), place]


CASES = {name: [unary(low, high)] for name, low, high in (
    ("neg", -3, 3), ("abs", -3, 3), ("sign", -3, 3), ("sqrt", 0.1, 4), ("rsqrt", 0.1, 4),
    ("reciprocal", 0.2, 4), ("exp", -3, 3), ("log", 0.1, 4), ("log1p", -0.9, 4), ("sin", -9, 9),
    ("cos", -9, 9), ("tanh", -4, 4), ("sigmoid", -30, 30), ("relu", -3, 3), ("erf", -3, 3),
    ("expm1", -3, 3), ("exp2", -3, 3), ("log2", 0.1, 4), ("log10", 0.1, 4), ("tan", -1.4, 1.4),
    ("asin", -0.9, 0.9), ("acos", -0.9, 0.9), ("atan", -3, 3), ("sinh", -3, 3), ("cosh", -3, 3),
    ("asinh", -3, 3), ("acosh", 1.1, 4), ("atanh", -0.9, 0.9), ("erfc", -3, 3),
    ("lgamma", 0.2, 9), ("digamma", 0.2, 9), ("sinc", -3, 3), ("special_erfcx", -3, 4),
    ("erfinv", -0.9, 0.9), ("floor", -3, 3), ("ceil", -3, 3), ("trunc", -3, 3),
    ("frac", -3, 3), ("square", -3, 3), ("logical_not", -1, 1), ("isnan", -3, 3), ("isinf", -3, 3),
    ("isfinite", -3, 3), ("signbit", -3, 3), ("silu", -9, 9), ("mish", -9, 9), ("selu", -3, 3),
    ("relu6", -3, 9), ("hardsigmoid", -5, 5), ("hardswish", -5, 5), ("log_sigmoid", -30, 30))}
CASES |= {name: [binary()] for name in (
    "maximum", "minimum", "atan2", "hypot", "fmax", "fmin", "logaddexp", "logaddexp2",
    "logical_and", "logical_or", "logical_xor", "equal")}
CASES |= {name: [binary(), number()] for name in ("eq", "ne", "lt", "le", "gt", "ge", "mul", "copysign")}
CASES |= {name: [integers, integer_and_number, number_and_integer] for name in ("bitwise_and", "bitwise_or", "bitwise_xor")}
CASES |= {name: [three(lambda d: [d.pick(d.number(), 1, True)])] for name in ("addcmul", "addcdiv")}
CASES |= {
    "round": [unary(-3, 3), lambda d: [d.real(None, -30, 30), d.integer(-1, 3)]],
    "bitwise_not": [lambda d: [d.index(d.shape(), 9, -9)]],
    "polygamma": [lambda d: [d.integer(0, 4), d.real(None, 0.2, 9)]],
    "logit": [lambda d: [d.real(None, 0.05, 0.95), d.pick(None, 0.1, 1e-6)]],
    "nan_to_num": [lambda d: [d.real(), *(d.pick(None, d.number()) for _ in range(3))]],
    "clamp": [lambda d: [d.real(), bound(d), bound(d)],
              lambda d: [*binary(-3, 3)(d), d.pick(None, d.real([], -1, 3))]],
    "clamp_min": [number(), binary()],
    "clamp_max": [number(), binary()],
    "fill_": [number(), lambda d: [d.real(), d.real([])]],
    "softplus": [lambda d: [d.real(None, -9, 9), d.pick(1, 0.5, 2.0), d.pick(20, 1.0)]],
    "add": [lambda d: [*binary()(d), d.pick(1, 2, d.number())],
            lambda d: [*number()(d), d.pick(1, 2, d.number())]],
    "sub": [lambda d: [*binary()(d), d.pick(1, 2, d.number())],
            lambda d: [*number()(d), d.pick(1, 2, d.number())]],
    "rsub": [number(), lambda d: [*binary()(d), d.pick(1, 2, d.number())],
             lambda d: [*number()(d), d.pick(1, 2, d.number())]],
    "div": [binary(-3, 3, 0.3, 3), number(1, 3),
            lambda d: [*binary(-9, 9, 0.3, 3)(d), d.pick(None, "floor", "trunc")],
            lambda d: [d.real(), d.pick(0.75, 2, -1.5), d.pick(None, "floor", "trunc")]],
    "pow": [binary(0.2, 3, -3, 3), number(-3, 3), number_first(0, 3),
            lambda d: [d.real(None, 0.1, 3), d.pick(0, 1, 2, 3, -1, 0.5, -0.5, -2, 2.5)]],
    "remainder": [binary(-9, 9, 0.3, 3), number(-3, 3), number_first(0.3, 3)],
    "fmod": [binary(-9, 9, 0.3, 3), number(-3, 3)],
    "floor_divide": [binary(-9, 9, 0.3, 3), number(-3, 3)],
    "xlogy": [binary(0.1, 3), number(1, 3), number_first(0, 3)],
    "where": [where("tensor", "tensor"), where("tensor", "number"), where("number", "tensor"),
              lambda d: [d.real() > 0, d.number(), d.number()], lambda d: [d.real() > 0]],
    "lerp": [three(lambda d: []), lambda d: [*binary()(d), d.number(-1, 2)]],
    "masked_fill": [masked, lambda d: [*masked(d)[:-1], d.real([])]],
    "isclose": [lambda d: [*binary()(d), 0.1, d.pick(0.0, 1.0), d.flag()]],
    "allclose": [lambda d: [*binary()(d), 0.1, d.pick(0.0, 9.0), d.flag()]],
    "gelu": [lambda d: [d.real(None, -6, 6), d.pick("none", "tanh")]],
    "leaky_relu": [lambda d: [d.real(), d.pick(0.01, 0.5, -0.5, 2, 0)]],
    "celu": [lambda d: [d.real(), d.pick(1, 0.5, 2.0)]],
    "hardshrink": [lambda d: [d.real(), d.pick(0.5, 1, 0)]],
    "softshrink": [lambda d: [d.real(), d.pick(0.5, 1, 0)]],
    "hardtanh": [lambda d: [d.real(), d.pick(-1, -0.5), d.pick(1, 2.0)]],
    "threshold": [lambda d: [d.real(), d.pick(0, 0.5, -1), d.pick(0, 7.0, -2)]],
    "elu": [lambda d: [d.real(), d.pick(1, 0.5, 2.0), d.pick(1, 1.5), d.pick(1, 0.5)]],
    "prelu": [prelu],
    "glu": [even],
}


# ---- Reductions


def reduced(d, low=0):
    x = d.real(d.shape(low, 4))
    return x, d.dims(x.dim())


def along(d):
    x = d.real(d.shape(0, 3))
    return [x, d.dim(x.dim())]


def filled(d, low=0):
    """No dimension of size 0."""
    return d.distinct(d.shape(low, 3, 1))


def filled_along(d):
    x = filled(d)
    return [x, d.dim(x.dim()), d.flag()]


def summed_to(d):
    full = d.shape(0, 4)
    return [d.real(full), d.broadcast(full)]


def dtype(d):
    return d.pick(torch.float32, torch.float64, torch.int64)


def moment(d):
    x, dims = reduced(d)
    return d.pick([x], [x, d.flag()], [x, dims, d.flag(), d.flag()])


def norm_order(d):
    return d.pick(0, 1, 2, 3, -1, 0.5, 2.5, float("inf"), float("-inf"))


CASES |= {name: [lambda d: [d.real()], lambda d: [d.real(), dtype(d)],
                 lambda d: [*reduced(d), d.flag()],
                 lambda d: [*reduced(d), d.flag(), dtype(d)]] for name in ("sum", "mean")}
CASES |= {name: [moment] for name in ("var", "var_mean", "std", "std_mean")}
CASES |= {name: [lambda d: [filled(d)], filled_along, lambda d: [d.distinct([2, 3]), d.distinct([3])]]
          for name in ("max", "min")}
CASES |= {name: [along, lambda d: [*along(d), dtype(d)]]
          for name in ("softmax", "log_softmax", "cumsum", "cumprod")}
CASES |= {name: [along] for name in ("logcumsumexp", "cummax", "cummin")}
CASES |= {name: [lambda d: [*reduced(d), d.flag()]] for name in ("logsumexp", "all", "any")}
CASES |= {name: [lambda d: (lambda x: [x, d.dims(x.dim()), d.flag()])(filled(d))] for name in ("amax", "amin")}
CASES |= {name: [lambda d: [filled(d), None, d.flag()], filled_along] for name in ("argmax", "argmin", "aminmax")}
CASES |= {
    "sum_to_size": [summed_to],
    "prod": [lambda d: [d.real()], lambda d: [*along(d), d.flag()], lambda d: [d.real(), dtype(d)],
             lambda d: [*along(d), d.flag(), dtype(d)]],
    "count_nonzero": [lambda d: list(reduced(d))],
    "linalg_vector_norm": [lambda d: (lambda x: [x, norm_order(d), d.dims(x.dim()), d.flag(), None])(filled(d)),
                           lambda d: [d.real(), norm_order(d), [], d.flag(), torch.float64]],
    "norm": [lambda d: [d.real(), norm_order(d)],
             lambda d: (lambda x: [x, norm_order(d), d.dims(x.dim()), d.flag()])(filled(d))],
    "quantile": [lambda d: (lambda x: [x, d.pick(0.25, d.real([], 0, 1), d.real([3], 0, 1)), d.pick(None, d.dim(x.dim())),
                                       d.flag(), d.pick("linear", "lower", "higher", "midpoint", "nearest")])(filled(d))],
    "median": [lambda d: [filled(d)], filled_along],
    "sort": [lambda d: [*filled_along(d)], lambda d: (lambda x: [x, True, d.dim(x.dim()), d.flag()])(filled(d))],
    "argsort": [filled_along, lambda d: (lambda x: [x, True, d.dim(x.dim()), d.flag()])(filled(d))],
    "topk": [lambda d: (lambda x, dim: [x, d.integer(0, x.shape[dim] if x.dim() else 1), dim, d.flag(), True])(
        *(lambda x: (x, d.dim(x.dim())))(filled(d)))],
}
