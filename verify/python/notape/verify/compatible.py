"""The names of torch.autograd.gradcheck and jax.test_util.check_grads, for those who change one import."""
from .checking import check


class GradcheckError(RuntimeError):
    """A wrong derivative, with the report as its message."""


def _answer(result, raise_exception):
    if not result and raise_exception:
        raise GradcheckError(result.text)
    return bool(result)


def gradcheck(func, inputs, *, eps=None, atol=0.0, rtol=0.0, raise_exception=True, nondet_tol=0.0,
              check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
              check_batched_forward_grad=False, check_forward_ad=False, check_backward_ad=True, fast_mode=False,
              masked=None):
    """As torch.autograd.gradcheck. `eps`, `fast_mode` and `masked` have no meaning here, and `atol` and `rtol` are 0
    unless given: steps and tolerances follow from the function's own noise."""
    inputs = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    if not any(getattr(one, "requires_grad", False) for one in inputs):
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of the them have "
                         "requires_grad=True.")
    return _answer(check(func, *inputs, order=1, atol=atol, rtol=rtol, forward_mode=check_forward_ad,
                         nondeterministic=nondet_tol > 0), raise_exception)


def gradgradcheck(func, inputs, grad_outputs=None, *, atol=0.0, rtol=0.0, raise_exception=True, **ignored):
    """As torch.autograd.gradgradcheck; incoming gradients are the verifier's own."""
    inputs = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    return _answer(check(func, *inputs, order=2, atol=atol, rtol=rtol), raise_exception)


def check_grads(f, args, order, modes=("fwd", "rev"), atol=None, rtol=None, eps=None):
    """As jax.test_util.check_grads."""
    _answer(check(f, *args, order=order, forward_mode="fwd" in modes, atol=atol or 0.0, rtol=rtol or 0.0), True)
