"""Right functions of PyTorch that a check could take for wrong: gradients in which all cancels, results without one."""
import pytest

torch = pytest.importorskip("torch")
from notape.verify import check


@pytest.mark.parametrize("seed", [45, 46])
def test_a_gradient_in_which_all_cancels(seed):
    t = torch.randn((), generator=torch.Generator().manual_seed(seed))
    assert not check(lambda t: torch.nn.functional.normalize(t, dim=0), t, seed=seed, order=1).only("incoming")[0]["verdict"] == "FAIL"


def test_a_rule_that_takes_logarithms_of_what_comes_in():
    t = torch.rand(5, 7, generator=torch.Generator().manual_seed(3))
    result = check(lambda t: torch.logcumsumexp(t, -1), t, order=1, long=False, forward_mode=False)
    assert result, result


@pytest.mark.skipif(not hasattr(torch, "func"), reason="needs torch.func")
def test_a_gradient_that_is_rounding_alone():
    def tangent(t):  # of log_softmax along ones: no shift moves it
        return torch.func.jvp(lambda t: torch.log_softmax(t, 0), (t.clone(),), (torch.ones(t.shape, dtype=t.dtype),))[1]

    result = check(tangent, torch.tensor([0.3, 0.7, 0.45], dtype=torch.float64), order=1, long=True)
    assert result.verdict != "FAIL", result  # some seeds leave all undecided


@pytest.mark.parametrize("seed", [1, 2])
def test_tangents_that_overflow_are_undecided(seed):
    t = torch.tensor([1e-200, -1e-200, 1, -1, 30, -30, 1e8, 1e200, -1e200], dtype=torch.float64)
    assert check(torch.div, t, t, order=1, long=False, seed=seed).only("forward-mode")[0]["verdict"] == "UNRESOLVED"


class WithMean(torch.autograd.Function):
    factor = 2

    @staticmethod
    def forward(ctx, t):
        mean = t.mean()
        ctx.mark_non_differentiable(mean)
        return 2 * t, mean

    @staticmethod
    def backward(ctx, g, of_mean):
        return WithMean.factor * g


def test_a_result_that_is_marked_non_differentiable_is_not_judged(monkeypatch):
    t = torch.rand(2, 3, dtype=torch.float64)
    result = check(WithMean.apply, t, long=False)
    assert result and "not judged: floating result 1, which requires no gradient" in result.text, result
    monkeypatch.setattr(WithMean, "factor", 3)
    assert check(WithMean.apply, t, long=False).verdict == "FAIL"


def test_a_lone_result_without_a_gradient_is_no_right_one():
    assert not check(lambda t: (2 * t).detach(), torch.rand(3, dtype=torch.float64), long=False)
