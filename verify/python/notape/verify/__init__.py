"""Checks hand-written derivatives of PyTorch, JAX, NumPy and C functions, and states the largest error that could
have passed.

    from notape.verify import check
    assert check(my_function, x)
"""
from .cdll import cdll
from .checking import check
from .compatible import GradcheckError, check_grads, gradcheck, gradgradcheck
from .drawn import ints, op, real
from .pair import pair
from .result import Result

__all__ = ["check", "pair", "cdll", "gradcheck", "gradgradcheck", "check_grads", "GradcheckError", "op", "real", "ints",
           "Result"]
