"""What users declare of a function: gradients that are no derivatives, sums in any order; and hooks, which nobody declares."""
import itertools

import numpy as np
import pytest

from notape.verify import check, pair

torch = pytest.importorskip("torch")


def quantise(x):
    return np.round(8 * np.clip(x, -1, 1)) / 8


def inside(x, gy):
    return gy * (np.abs(x) <= 1)


X = np.array([-1.5, -1.0, -0.3, 0.2, 1.0, 1.7])


def test_a_surrogate_is_what_backward_is_judged_by():
    right = check(pair(quantise, inside), X, surrogate=inside)
    assert right.verdict in ("PASS", "LIMIT"), right.text
    wrong = check(pair(quantise, lambda x, gy: gy * (np.abs(x) < 1)), X, surrogate=inside)
    assert [one["check"] for one in wrong.findings if one["verdict"] == "FAIL"] == ["surrogate"], wrong.text
    assert check(pair(quantise, inside), X).verdict == "FAIL"  # nobody said that it is none


class Straight(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * Straight.factor


def test_a_surrogate_of_torch():
    x = torch.tensor([0.3, -1.2, 2.6], dtype=torch.float64)
    Straight.factor = 1
    right = check(Straight.apply, x, surrogate=lambda x, g: g, order=1)
    assert right.verdict in ("PASS", "LIMIT"), right.text
    Straight.factor = 1 + 1e-9
    wrong = check(Straight.apply, x, surrogate=lambda x, g: g, order=1)
    assert "surrogate" in [one["check"] for one in wrong.findings if one["verdict"] == "FAIL"], wrong.text
    with_two = check(Straight.apply, x, surrogate=lambda x, g: (g, g), order=1)
    assert not with_two and "2 gradients for 1 floating inputs" in with_two.text


@pytest.mark.parametrize("error, verdict", [(0, "PASS"), (1e-7, "NONDETERMINISTIC")])
def test_sums_in_any_order_are_bounded(error, verdict):
    calls = itertools.count()

    def forward(x):
        n = next(calls)
        return np.array(sum(np.roll(x, n) ** 3) + error * (n % 3))

    report = check(pair(forward, lambda x, gy: 3 * x * x * gy), np.linspace(-2, 2, 50), nondeterministic=True)
    found = {one["check"]: one["verdict"] for one in report.findings}
    if error:
        assert verdict in found.values(), report.text
    else:
        assert report.verdict in ("PASS", "LIMIT"), report.text
        assert not check(pair(forward, lambda x, gy: 3 * x * x * gy), np.linspace(-2, 2, 50))


def test_a_hook_on_an_input_is_seen():
    x = torch.tensor([0.3, -1.2], dtype=torch.float64, requires_grad=True)

    def leaves_one(x):
        if x.requires_grad:
            x.register_hook(lambda g: g)
        return x * x

    found = check(leaves_one, x)
    assert "leaves a hook on input 0" in found.text, found.text
    assert check(lambda x: x * x, x)
    x.register_hook(lambda g: 2 * g)
    assert "a hook on input 0 changes its gradient" in check(lambda x: x * x, x).text
