"""A function with a mistake that was seen in public, and its right twin; what they are made of."""
import dataclasses
import itertools
from typing import Any, Callable

import torch

CASES = []
_numbers = itertools.count()


@dataclasses.dataclass
class Case:
    name: str
    seen: str  # where the mistake was reported, or what of ours has the same one
    right: Callable
    wrong: Callable
    inputs: Callable  # -> tuple
    options: dict = dataclasses.field(default_factory=dict)  # of check()
    is_jax: bool = False


def case(name, seen, right, wrong, inputs, is_jax=False, **options):
    CASES.append(Case(name, seen, right, wrong, inputs, options, is_jax))


def op(forward, backward, jvp=None):
    """An autograd.Function: `backward(g, *x, y)` gives one gradient, or a tuple of them; `jvp(*x, *t)` is forward mode.
    It can be made a custom operator, too (`as_custom_op`)."""

    class Made(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *xs):
            y = forward(*xs)
            ctx.save_for_backward(*xs, y)
            ctx.save_for_forward(*xs)
            return y

        @staticmethod
        def backward(ctx, g):
            return backward(g, *ctx.saved_tensors)

    if jvp:
        Made.jvp = staticmethod(lambda ctx, *ts: jvp(*ctx.saved_tensors[:len(ts)], *ts))
    apply = Made.apply

    def called(*xs):
        return apply(*xs)

    called.parts, called.has_jvp = (forward, backward), jvp is not None
    return called


def as_custom_op(function, count):
    """The same function as torch.library has it, for opcheck; None if it is not made by op()."""
    if not hasattr(function, "parts"):
        return None
    forward, backward = function.parts
    schema = "(" + ", ".join(f"Tensor x{i}" for i in range(count)) + ") -> Tensor"
    made = torch.library.custom_op(f"would_have_caught::f{next(_numbers)}", forward, mutates_args=(), schema=schema)
    made.register_fake(lambda *xs: torch.empty_like(forward(*[torch.ones_like(x) for x in xs])))

    def setup(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output)

    made.register_autograd(lambda ctx, g: backward(g, *ctx.saved_tensors), setup_context=setup)
    return made


def numbers(*shape, low=-2.0, high=2.0, seed=1, dtype=torch.float64, grad=True):
    generator = torch.Generator().manual_seed(seed)
    made = torch.rand(shape, generator=generator, dtype=torch.float64) * (high - low) + low
    return made.to(dtype).requires_grad_(grad)


def memory(x, count, junk=1e3):
    """What a kernel reads that takes x for `count` row-major numbers: its memory as it lies, and then someone else's."""
    rest = torch.as_strided(x, (x.untyped_storage().nbytes() // x.element_size() - x.storage_offset(),), (1,))[:count]
    return torch.cat([rest, torch.full((count - len(rest),), junk, dtype=x.dtype)])


def row_major(x):
    return memory(x, x.numel()).reshape(x.shape)
