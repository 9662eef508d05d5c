"""The central sections of autograd/SEMANTICS.md from Python; what PyTorch does as well, it is asked, too."""
import pytest

import notape

try:
    import torch
except ImportError:
    torch = None
BOTH = pytest.mark.parametrize("lib", [notape, pytest.param(torch, marks=pytest.mark.skipif(torch is None, reason="no PyTorch"))])


def leaf(lib, *values):
    return lib.tensor(values, dtype=lib.float64, requires_grad=True)


@BOTH
def test_writes_count_as_versions_and_views_share_them(lib):
    x = lib.zeros(4)
    row = x[1:3]
    before = x._version
    row.add_(1)
    x.mul_(2)
    assert x._version == row._version == before + 2 and x.tolist() == [0, 2, 2, 0]
    assert x.detach()._version == x._version and x.clone()._version == 0


@BOTH
def test_a_saved_value_that_was_written_is_an_error_and_others_are_not(lib):
    x = leaf(lib, 1, 2)
    y = x.exp()
    y[0] = 0  # exp keeps its result
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    y = x + 1  # an addition keeps nothing
    y.mul_(3)
    y.sum().backward()
    assert x.grad.tolist() == [3, 3]


@BOTH
def test_a_write_to_a_view_reaches_the_gradient_of_its_base(lib):
    x = leaf(lib, 1, 2, 3)
    y = x * 1
    y[1:].mul_(x[:2])
    y.sum().backward()
    assert x.grad.tolist() == [1 + 2, 1 + 3, 2] and y.tolist() == [1, 2, 6]
    with pytest.raises(RuntimeError, match="leaf"):
        x.add_(1)
    with pytest.raises(RuntimeError):
        x[0:1].add_(1)
    with lib.no_grad():
        x.add_(1)
    assert x.tolist() == [2, 3, 4]


@BOTH
def test_hooks_run_in_order_and_replace(lib):
    x, said = leaf(lib, 1, 2), []
    x.register_hook(lambda g: said.append("first"))
    handle = x.register_hook(lambda g: g * 10)
    x.register_post_accumulate_grad_hook(lambda t: said.append(t.grad.tolist())) if hasattr(x, "register_post_accumulate_grad_hook") else None
    y = x * 2
    y.register_hook(lambda g: said.append(g.tolist()))
    y.retain_grad()
    y.sum().backward()
    assert said[:2] == [[1, 1], "first"] and x.grad.tolist() == [20, 20] and y.grad.tolist() == [1, 1]
    assert said[2:] in ([], [[20, 20]])
    handle.remove()
    x.grad = None
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="require"):
        x.detach().register_hook(print)


@BOTH
def test_a_hook_that_raises_ends_backward_and_keeps_what_was_there(lib):
    x = leaf(lib, 1)
    y = x * 2
    y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        y.sum().backward()
    assert x.grad is None


@BOTH
def test_gradients_add_up_and_backward_frees_what_was_saved(lib):
    x = leaf(lib, 3)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [12]
    with pytest.raises(RuntimeError, match="second time|freed"):
        y.backward()
    with pytest.raises(RuntimeError):
        lib.autograd.grad(x.sum(), leaf(lib, 1))
    assert lib.autograd.grad(x.sum(), leaf(lib, 1), allow_unused=True) == (None,)
    with pytest.raises(RuntimeError, match="scalar|one element"):
        lib.cat([x, x]).backward()


@BOTH
def test_grad_modes(lib):
    x = leaf(lib, 1)
    with lib.no_grad():
        y = x * 2
        assert not y.requires_grad and y.is_leaf
        with lib.enable_grad():
            assert (x * 2).requires_grad
    with lib.set_grad_enabled(False):
        assert not lib.is_grad_enabled()
    assert (x.detach() * 2).requires_grad is False and (x * 2).grad_fn is not None
    with pytest.raises(RuntimeError):
        lib.arange(3).requires_grad_()


@BOTH
def test_derivatives_of_derivatives(lib):
    x = leaf(lib, 0.5, 2)
    value, slopes = (x ** 3).sum(), []
    for _ in range(3):
        value, = lib.autograd.grad(value, x, create_graph=True)
        slopes.append(value.tolist())
        value = value.sum()
    assert slopes == [[0.75, 12], [3, 12], [6, 6]]
    penalty = (lib.autograd.grad((x ** 2).sum(), x, create_graph=True)[0] ** 2).sum()
    penalty.backward()
    assert x.grad.tolist() == [4, 16]


@BOTH
def test_functions_keep_write_and_refuse(lib):
    class Twice(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.set_materialize_grads(False)
            return x * 2, x.long()

        @staticmethod
        def backward(ctx, g, none):
            Twice.seen = none, ctx.saved_tensors[0].tolist(), ctx.needs_input_grad
            return g * 2
    x = leaf(lib, 1, 2)
    y, whole = Twice.apply(x)
    assert not whole.requires_grad
    y.sum().backward()
    assert Twice.seen == (None, [1, 2], (True,)) and x.grad.tolist() == [2, 2]
    y, _ = Twice.apply(z := x * 1)
    z.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@BOTH
def test_checkpoints_run_twice_with_the_same_numbers(lib):
    from importlib import import_module
    checkpoint = import_module(f"{lib.__name__}.utils.checkpoint").checkpoint
    calls = []

    def f(x, factor):
        calls.append(1)
        return lib.nn.functional.dropout(x.sin(), 0.5) * factor
    x = lib.ones(200, dtype=lib.float64).requires_grad_()
    y = checkpoint(f, x, 3, use_reentrant=False)
    assert len(calls) == 1
    y.sum().backward()
    assert len(calls) == 2 and ((x.grad != 0) == (y != 0)).all()  # the same entries were dropped
    assert 0 < (y != 0).sum().item() < 200


def test_a_checkpoint_that_does_something_else_is_found():
    state = []

    def f(x):
        state.append(1)
        return (x.sin() * x).exp() if len(state) == 1 else x.cos().sum() * x
    x = leaf(notape, 1, 2)
    with pytest.raises(notape.CheckpointMismatch):
        notape.utils.checkpoint.checkpoint(f, x).sum().backward()
    assert x.grad is None


@BOTH
def test_kinks_and_unused_parts(lib):
    x = leaf(lib, -1, 0, 2)
    assert lib.autograd.grad(x.relu().sum(), x)[0].tolist() == [0, 0, 1]
    assert lib.autograd.grad(x.abs().sum(), x)[0].tolist() == [-1, 0, 1]
    assert lib.autograd.grad(leaf(lib, 1, 1, 0).amax(), [t := leaf(lib, 1)], allow_unused=True) == (None,) and t.grad is None
    tied = leaf(lib, 1, 1, 0)
    assert lib.autograd.grad(tied.amax(), tied)[0].tolist() == [0.5, 0.5, 0]
