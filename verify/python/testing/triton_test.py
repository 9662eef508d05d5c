"""Kernels of Triton, interpreted: no GPU is needed."""
import os

os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported

import pytest

torch = pytest.importorskip("torch")
triton = pytest.importorskip("triton")
import triton.language as tl
from notape.verify import check

@triton.jit
def fwd(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m)
    tl.store(y + i, v * tl.sigmoid(v), mask=m)

@triton.jit
def bwd(x, g, gx, n, WRONG: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m)
    s = tl.sigmoid(v)
    d = s + s * (1 - s) if WRONG else s + v * s * (1 - s)
    tl.store(gx + i, tl.load(g + i, mask=m) * d, mask=m)

def make(wrong):
    class Swish(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x = x.contiguous()
            ctx.save_for_backward(x)
            y = torch.empty_like(x)
            fwd[(triton.cdiv(x.numel(), 8),)](x, y, x.numel(), B=8)
            return y
        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            gx = torch.empty_like(x)
            blocks = (triton.cdiv(x.numel(), 8),)
            bwd[blocks](x, g.contiguous(), gx, x.numel(), WRONG=wrong, B=8)
            return gx
    return Swish.apply


@pytest.mark.parametrize("wrong", [False, True])
def test_a_kernel_is_held_against_a_reference(wrong):
    x = torch.tensor([[0.5, -1.5, 3.0], [0.25, 2.0, -0.75]])
    result = check(make(wrong), x, reference=lambda x: x * torch.sigmoid(x), order=1, samples=2, long=False)
    assert bool(result) != wrong, result
