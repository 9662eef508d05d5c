"""What is done to gradients before a step."""
from ..tensors import no_grad, stack


def clip_grad_norm_(parameters, max_norm, norm_type=2.0):
    """Scales the gradients so that the norm of all is at most `max_norm`; returns what it was."""
    parameters = [parameters] if hasattr(parameters, "grad") else list(parameters)
    grads = [one.grad for one in parameters if one.grad is not None]
    with no_grad():
        total = stack([one.norm(norm_type) for one in grads]).norm(norm_type)
        scale = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for one in grads:
            one.mul_(scale)
    return total


def clip_grad_value_(parameters, clip_value):
    with no_grad():
        for one in parameters:
            if one.grad is not None:
                one.grad.clamp_(-clip_value, clip_value)
