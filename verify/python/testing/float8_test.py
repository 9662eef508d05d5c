"""Kernels of 8-bit numbers against a reference in float64: inputs, results and gradients in float8, or wider gradients."""
import numpy as np
import pytest

from notape.verify import check

FACTORS = pytest.mark.parametrize("factor, is_right", [(1, True), (1.5, False)])
X = np.array([[0.5, -1.5, 3.0, 0.875], [0.25, 2.0, -0.75, 1.125]])


def torch_with_float8():
    torch = pytest.importorskip("torch")
    if not hasattr(torch, "float8_e5m2"):
        pytest.skip(f"PyTorch {torch.__version__} has no numbers of 8 bits")
    return torch


def kernel(torch, factor, result, gradient):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            assert x.dtype in (torch.float8_e4m3fn, torch.float8_e5m2)  # what the user handed over
            ctx.save_for_backward(x)
            return (x.float() ** 2).to(result or x.dtype)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return (factor * 2 * x.float() * g.float()).to(gradient or x.dtype)

    return Square.apply


@FACTORS
@pytest.mark.parametrize("result, gradient", [(None, None), (None, "float32"), ("bfloat16", "bfloat16"), ("float32", None)])
@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_a_kernel_of_pytorch(dtype, result, gradient, factor, is_right):
    torch = torch_with_float8()
    x = torch.tensor(X).to(getattr(torch, dtype))
    f = kernel(torch, factor, *(name and getattr(torch, name) for name in (result, gradient)))
    found = check(f, x, reference=torch.square, samples=1, long=False)
    assert bool(found) == is_right and (not is_right or found.power < 0.4), found
    assert is_right or dtype in found.text


@FACTORS
def test_only_the_weights_of_a_product_are_differentiated(factor, is_right):
    torch = torch_with_float8()

    def f(x, w, scale):  # quantised inputs, and a weight in bfloat16 whose gradient is wrong
        y = x.float() @ w.float()
        return scale * (y.detach() + factor * (y - y.detach()))

    x, scale = torch.tensor(X).to(torch.float8_e4m3fn), torch.tensor(0.5)
    w = torch.tensor(X.T.copy(), dtype=torch.bfloat16, requires_grad=True)
    found = check(f, x, w, scale, reference=lambda x, w, scale: scale * (x @ w), samples=1)
    assert bool(found) == is_right, found


def test_a_value_is_held_against_the_reference_and_may_saturate():
    torch = torch_with_float8()
    x = torch.tensor([30.0, -2.0, 0.5]).to(torch.float8_e4m3fn)  # 900 is beyond 448
    for beside, is_right in ((0, True), (1, False)):
        found = check(lambda x: (x.float() ** 2 + beside).to(x.dtype), x, reference=torch.square, samples=1, long=False)
        assert bool(found) == is_right and bool(found.only("value")) != is_right, found


@FACTORS
def test_a_kernel_of_jax(factor, is_right):
    jax = pytest.importorskip("jax")
    f = jax.custom_vjp(lambda x: (x.astype("float32") ** 2).astype(x.dtype))
    f.defvjp(lambda x: (f(x), x), lambda x, g: ((factor * 2 * x.astype("float32") * g.astype("float32")).astype(x.dtype),))
    for dtype in ("float8_e4m3fn", "float8_e5m2"):
        assert bool(check(f, jax.numpy.asarray(X).astype(dtype), reference=jax.numpy.square, samples=1)) == is_right


def test_without_a_reference_nothing_can_be_judged():
    torch = torch_with_float8()
    with pytest.raises(ValueError, match="input 0 is torch.float8_e5m2: give reference="):
        check(lambda x: x.float(), torch.tensor(X).to(torch.float8_e5m2))
