import torch
from notape.verify import check, op, real

from swish import swish, wrong_swish

x = torch.tensor([0.5, -1.5, 3.0], dtype=torch.float64)


def test_swish():
    assert check(swish, x)


@op(x=real("b t", -10, 10))
def test_swish_of_any_shape(x):
    return swish(x)


def test_a_wrong_swish_is_found():
    result = check(wrong_swish, x)
    assert not result and result.verdict == "FAIL"
