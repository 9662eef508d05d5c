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


@triton.jit
def softmax_fwd(x, y, n, B: tl.constexpr):  # a program for each row
    i = tl.program_id(0) * n + tl.arange(0, B)
    m = tl.arange(0, B) < n
    v = tl.load(x + i, mask=m, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + i, e / tl.sum(e, 0), mask=m)

@triton.jit
def softmax_bwd(y, g, gx, n, stride, B: tl.constexpr):
    row = tl.program_id(0)
    k = tl.arange(0, B)
    m = k < n
    p = tl.load(y + row * n + k, mask=m, other=0.0)
    v = tl.load(g + row * stride + k, mask=m, other=0.0)
    tl.store(gx + row * n + k, p * (v - tl.sum(p * v, 0)), mask=m)

def make_softmax(wrong):
    class Softmax(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x, y = x.contiguous(), torch.empty(x.shape, dtype=x.dtype)
            softmax_fwd[(x.shape[0],)](x, y, x.shape[1], B=8)
            ctx.save_for_backward(y)
            return y
        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            gx = torch.empty_like(y)
            g = g if wrong else g.contiguous()  # only a row's stride is handed over
            softmax_bwd[(y.shape[0],)](y, g, gx, y.shape[1], g.stride(0), B=8)
            return gx
    return Softmax.apply


@triton.jit
def weight_bwd(x, g, gw, rows, n, B: tl.constexpr):  # one program: a sum over rows, two at a time
    k = tl.arange(0, B)
    m = k < n
    total = tl.zeros([B], dtype=tl.float32)
    for row in range(0, rows):
        total += tl.load(x + row * n + k, mask=m, other=0.0) * tl.load(g + row * n + k, mask=m, other=0.0)
    tl.store(gw + k, total, mask=m)

def make_scaled(wrong):
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            ctx.save_for_backward(x.contiguous(), w)
            return x * w
        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            g, gw = g.contiguous(), torch.empty_like(w)
            rows = x.shape[0] // 2 * 2 if wrong else x.shape[0]
            weight_bwd[(1,)](x, g, gw, rows, x.shape[1], B=4)
            return g * w, gw
    return Scaled.apply


@pytest.mark.parametrize("wrong", [False, True])
def test_rows_and_the_strides_of_an_incoming_gradient(wrong):
    x = torch.tensor([[0.5, -1.5, 3.0], [0.25, 2.0, -0.75]])
    result = check(make_softmax(wrong), x, reference=lambda x: torch.softmax(x, 1), order=1, samples=1, long=False)
    assert bool(result) != wrong and (not wrong or result.only("strides")), result


@pytest.mark.parametrize("wrong", [False, True])
def test_a_sum_over_rows(wrong):
    x, w = torch.tensor([[0.5, -1.5], [0.25, 2.0], [1.0, -0.5]]), torch.tensor([1.5, -0.5])
    result = check(make_scaled(wrong), x, w, reference=torch.mul, order=1, samples=1, long=False)
    assert bool(result) != wrong, result
