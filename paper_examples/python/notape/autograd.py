"""grad(), backward() and functions with a derivative of their own."""
import functools

from . import _tensors
from .tensors import enable_grad, no_grad, set_grad_enabled  # noqa: F401

Variable = lambda data, requires_grad=False: data.detach().requires_grad_(requires_grad)  # noqa: E731: the 2017 paper's


def _tuple(tensors):
    return [] if tensors is None else [tensors] if isinstance(tensors, _tensors.Tensor) else list(tensors)


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None):
    """Adds the gradients of `tensors` to `.grad` of every leaf, or of `inputs`."""
    _tensors.backward(_tuple(tensors), _tuple(grad_tensors), retain_graph, create_graph, _tuple(inputs))


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=False):
    """A gradient of the summed outputs for each input, as a tuple; touches no `.grad`."""
    return _tensors.grad(_tuple(outputs), _tuple(inputs), _tuple(grad_outputs), retain_graph, create_graph, allow_unused)


class Function:
    """A pair of forward(ctx, ...) and backward(ctx, ...), called by apply(...); optionally jvp, and setup_context."""

    @staticmethod
    def forward(*args, **kwargs):
        raise NotImplementedError("a Function has a forward")

    @staticmethod
    def backward(ctx, *grads):
        raise NotImplementedError("a Function has a backward")

    @classmethod
    def apply(cls, *args):
        ctx = _tensors.FunctionCtx()
        setup = getattr(cls, "setup_context", None)

        def forward(*arguments):
            if setup is None:
                return cls.forward(ctx, *arguments)
            output = cls.forward(*arguments)
            setup(ctx, arguments, output)
            return output

        return _tensors.apply_function(cls, ctx, forward, args, hasattr(cls.backward, "_once"))


def once_differentiable(function):
    """Of a backward whose result cannot be differentiated again: doing so raises."""
    @functools.wraps(function)
    def once(ctx, *grads):
        return function(ctx, *grads)
    once._once = True
    return once


class function:
    """PyTorch's torch.autograd.function"""
    Function, once_differentiable = Function, staticmethod(once_differentiable)
