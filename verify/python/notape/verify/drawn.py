"""@op: a test that draws its inputs. Shapes, values and their order follow from a seed and the test's name."""
import functools
import inspect
import itertools
import os
import random
import sys
import time

from .checking import check

SIZES = (2, 3, 1, 5, 4, 7, 8, 17)


class Drawn:
    """How one input is drawn: `shape` is words for dimensions, "b t d"; equal words are equal sizes."""

    def __init__(self, shape, dtype, values):
        self.shape, self.dtype, self.values = shape.split(), dtype, values

    def array(self, choices, sizes):
        import numpy as np
        shape = [int(word) if word.isdigit() else sizes[word] for word in self.shape]
        count = int(np.prod(shape))
        return np.array([self.values(choices) for _ in range(count)], self.dtype).reshape(shape)


def real(shape="n", low=-3.0, high=3.0, dtype="float64"):
    """A floating input, which is differentiated."""
    return Drawn(shape, dtype, lambda choices: choices.uniform(low, high))


def ints(low, high, shape="n"):
    """A constant of whole numbers low, low + 1, ..., high."""
    return Drawn(shape, "int64", lambda choices: choices.randint(low, high))


def converted(array):
    """For the framework that the test has imported."""
    if "torch" in sys.modules:
        import torch
        tensor = torch.from_numpy(array)
        return tensor.requires_grad_() if tensor.is_floating_point() else tensor
    if "jax" in sys.modules:
        import jax.numpy as jnp
        from .of_jax import wide
        with wide():
            return jnp.asarray(array)
    return array


def sizes_for(words, number, choices):
    """The first cases have small sizes, one after the other; later ones any."""
    if number < 3:
        start = itertools.cycle(SIZES[number:number + 3])
        return {word: next(start) for word in words}
    return {word: choices.choice(SIZES) for word in words}


def op(cases=4, **inputs):
    """Makes a test of a function: its body is what is checked, at `cases` drawn inputs. Parameters that are not drawn
    stay pytest's fixtures.

        @op(x=real("b t"), s=ints(0, 3, "t"))
        def test_segment_sum(x, s):
            return segment_sum(x, s)"""
    words = sorted({word for one in inputs.values() for word in one.shape if not word.isdigit()})

    def decorate(function):
        own = [name for name in inspect.signature(function).parameters if name not in inputs]

        @functools.wraps(function)
        def test(**fixtures):
            seed = os.environ.get("NOTAPE_SEED", "1")
            end = time.monotonic() + float(os.environ.get("NOTAPE_BUDGET", "inf"))
            for number in range(cases):
                if number and time.monotonic() > end:
                    return
                choices = random.Random(f"{seed} {function.__qualname__} {number}")
                sizes = sizes_for(words, number, choices)
                values = [converted(one.array(choices, sizes)) for one in inputs.values()]

                def called(*drawn):
                    return function(**fixtures, **dict(zip(inputs, drawn)))

                result = check(functools.wraps(function)(called), *values, name=f"{function.__name__}.{number}",
                               long=number == 0)
                assert result, f"case {number} of {cases}, sizes {sizes}\n{result!r}"

        test.__signature__ = inspect.Signature([inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)
                                                for name in own])
        del test.__wrapped__  # pytest would read the signature behind it
        return test

    return decorate
