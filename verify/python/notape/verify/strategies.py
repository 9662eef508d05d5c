"""Strategies of Hypothesis: arrays as @op draws them, which shrink by their sizes."""
import random

from hypothesis import strategies

from .drawn import converted, ints as drawn_ints, real as drawn_real


def _strategy(drawn, largest):
    words = sorted({word for word in drawn.shape if not word.isdigit()})
    sizes = strategies.fixed_dictionaries({word: strategies.integers(1, largest) for word in words})
    return strategies.builds(lambda sizes, seed: converted(drawn.array(random.Random(seed), sizes)), sizes,
                             strategies.integers(0, 2**32 - 1))


def real(shape="n", low=-3.0, high=3.0, dtype="float64", largest=5):
    return _strategy(drawn_real(shape, low, high, dtype), largest)


def ints(low, high, shape="n", largest=5):
    return _strategy(drawn_ints(low, high, shape), largest)
