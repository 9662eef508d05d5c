"""Random arguments, and what is done to them: other dtypes, special numbers, ties, wrong shapes and
parameters. All random choices come from one seed."""
import math
import random

import torch

SPECIAL = (math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 1e-300, 1e300, 30.0)
ANY_DTYPE = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32,
             torch.int16, torch.int8, torch.uint8, torch.bool, torch.uint8, torch.bool)


class Reduction(int):
    """0 none, 1 mean, 2 sum; others are no numbers to try."""


class Draw:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def integer(self, low, high):
        return self.random.randint(low, high)

    def flag(self):
        return self.random.random() < 0.5

    def pick(self, *options):
        return self.random.choice(options)

    def number(self, low=-3, high=3):
        return low + (high - low) * self.integer(0, 64) / 64

    def shape(self, low=0, high=3, smallest=0, largest=4):
        return [self.integer(smallest, largest) for _ in range(self.integer(low, high))]

    def dim(self, rank):
        return self.integer(-max(rank, 1), max(rank, 1) - 1)

    def dims(self, rank):
        """Some different dimensions, perhaps none."""
        chosen = self.random.sample(range(rank), self.integer(0, rank))
        return [self.pick(one, one - rank) for one in chosen]

    def broadcast(self, shape):
        made = [1 if self.integer(0, 3) == 0 else size for size in shape]
        return made[self.integer(0, len(made)):] if self.integer(0, 2) == 0 else made

    def real(self, shape=None, low=-3, high=3, gradient=True):
        shape = self.shape() if shape is None else shape
        entries = [self.random.uniform(low, high) for _ in range(math.prod(shape))]
        return torch.tensor(entries, dtype=torch.float64).view(shape).requires_grad_(gradient)

    def distinct(self, shape=None):
        shape = self.shape() if shape is None else shape
        count = math.prod(shape)
        entries = [0.37 * (i - count / 2) for i in range(count)]
        self.random.shuffle(entries)
        return torch.tensor(entries, dtype=torch.float64).view(shape).requires_grad_()

    def index(self, shape, bound, low=0):
        entries = [self.integer(low, max(bound, 1) - 1) for _ in range(math.prod(shape))]
        return torch.tensor(entries, dtype=torch.int64).view(shape)

    def bools(self, shape):
        return torch.tensor([self.flag() for _ in range(math.prod(shape))], dtype=torch.bool).view(shape)

    def pair(self, low, high):
        return self.pick(self.integer(low, high), [self.integer(low, high), self.integer(low, high)])


def remade(tensor, made):
    """With the flag of the old one, where the new one can have it."""
    made = made.detach()
    return made.requires_grad_(tensor.requires_grad and made.dtype.is_floating_point)


def each_tensor(value, change):
    """The value with every tensor changed."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, list):
        return [each_tensor(one, change) for one in value]
    return value


def floating(change):
    return lambda one: remade(one, change(one.detach())) if one.dtype.is_floating_point else one


def in_float32(arguments, draw):
    return each_tensor(arguments, floating(lambda one: one.float()))


def with_ties(arguments, draw):
    return each_tensor(arguments, floating(lambda one: torch.round(one)))


def with_specials(arguments, draw):
    def change(one):
        entries = [draw.pick(*SPECIAL) if draw.integer(0, 2) == 0 else number
                   for number in one.flatten().tolist()]
        return torch.tensor(entries, dtype=one.dtype).view(one.shape)
    return each_tensor(arguments, floating(change))


def with_dtypes(arguments, draw):
    """All floating tensors of one other dtype, or each of its own."""
    common = draw.pick(*ANY_DTYPE)
    mixed = draw.integer(0, 1) == 0

    def change(one):
        dtype = draw.pick(*ANY_DTYPE) if mixed else common
        return (one.abs() if dtype == torch.uint8 else one).to(dtype)
    return each_tensor(arguments, floating(change))


def other_shape(tensor, draw):
    sizes = list(tensor.shape)
    change = draw.integer(0, 4)
    if change == 0 or not sizes:
        sizes.insert(draw.integer(0, len(sizes)), draw.integer(0, 2))
    elif change == 1:
        del sizes[draw.integer(0, len(sizes) - 1)]
    else:
        place = draw.integer(0, len(sizes) - 1)
        sizes[place] = draw.pick(0, 1, sizes[place] + 1, max(sizes[place] - 1, 0))
    count = math.prod(sizes)
    entries = tensor.detach().flatten()
    if entries.numel() == 0:
        entries = torch.zeros(1, dtype=tensor.dtype)
    return remade(tensor, entries.repeat(count // entries.numel() + 1)[:count].view(sizes).clone())


def with_wrong_shape(arguments, draw):
    places = [i for i, one in enumerate(arguments) if isinstance(one, torch.Tensor)]
    if not places:
        return None
    chosen = draw.pick(*places)
    return [other_shape(one, draw) if i == chosen else one for i, one in enumerate(arguments)]


def other_parameter(value, draw):
    if isinstance(value, bool):
        return not value
    if isinstance(value, Reduction):
        return Reduction(2 - value)
    if isinstance(value, int):
        return draw.pick(value + 1, value - 1, -value, 0, -1, 1, 3, -3)
    if isinstance(value, float):
        return draw.pick(0.0, -value, 1.0, value + 1, 2, -1.0)
    if isinstance(value, str):
        return "unknown"
    if value is None:
        return draw.pick(1, -1, 0.5)
    if isinstance(value, list) and all(type(one) is int for one in value):
        longer = value + [draw.integer(-1, 2)]
        if not value:
            return longer
        place = draw.integer(0, len(value) - 1)
        changed = value[:place] + [value[place] + draw.pick(-1, 1, -2, 2)] + value[place + 1:]
        return draw.pick(longer, value[:-1], changed)
    return None


def with_wrong_parameter(arguments, draw):
    places = [i for i, one in enumerate(arguments)
              if not isinstance(one, (torch.Tensor, torch.dtype))]
    if not places:
        return None
    chosen = draw.pick(*places)
    changed = other_parameter(arguments[chosen], draw)
    return None if changed is None else [
        changed if i == chosen else one for i, one in enumerate(arguments)]


# name: (what is done to the arguments, order of derivatives)
VARIANTS = {
    "plain": (lambda arguments, draw: arguments, 2),
    "ties": (with_ties, 2),
    "special": (with_specials, 1),
    "float32": (in_float32, 1),
    "dtypes": (with_dtypes, 1),
    "shape": (with_wrong_shape, 1),
    "parameter": (with_wrong_parameter, 1),
}
