"""What only PyTorch can be asked: overwritten inputs and results, gradients in batches (vmap)."""
import torch

from .extra import batch_fault, first_apart


def leaves_of(subject):
    return [leaf.detach().clone().requires_grad_(is_wanted) for leaf, is_wanted in zip(subject.leaves, subject.wanted)]


def chosen(subject, xs):
    return [x for x, is_wanted in zip(xs, subject.wanted) if is_wanted]


def incoming(ys):
    return [torch.linspace(1, 2, y.numel(), dtype=y.dtype, device=y.device).reshape(y.shape) for y in ys]


def numbers(gradients):
    return [[] if one is None else (one if one.layout == torch.strided else one.to_dense()).detach().double().flatten().tolist() for one in gradients]


def gradients(subject, overwrite=None):
    xs = leaves_of(subject)
    ys = [y for y in subject.call(list(xs)) if y.requires_grad]
    with torch.no_grad():
        if overwrite:
            overwrite(xs, ys)
    return numbers(torch.autograd.grad(ys, chosen(subject, xs), incoming(ys), allow_unused=True))


def hook_fault(subject, tensors):
    """Checks work on copies of inputs, which have no hooks; what a call leaves on them is for everybody who uses them."""
    xs = leaves_of(subject)
    subject.call(list(xs))
    for x, name in zip(xs, subject.names):
        if x._backward_hooks:
            return f"a call leaves a hook on {name}: what comes back from anything else that uses it goes through that, too"
    if not any(leaf._backward_hooks for leaf in subject.leaves):
        return ""
    xs = [leaf if leaf.requires_grad else x for leaf, x in zip(subject.leaves, xs)]
    ys = [y for y in subject.call(list(xs)) if y.requires_grad]
    found = numbers(torch.autograd.grad(ys, chosen(subject, xs), incoming(ys), allow_unused=True))
    apart = first_apart(gradients(subject), found)
    names = [name for name, is_wanted in zip(subject.names, subject.wanted) if is_wanted]
    return f"a hook on {names[apart[0]]} changes its gradient: the derivative of the function is another" if apart else ""


def saved_fault(subject, tensors):
    """A value that was overwritten since forward is an error, or was not needed: never another gradient."""
    expected = gradients(subject)
    for i, is_floating in enumerate(subject.floating):
        def overwrite(xs, ys, i=i):
            if not any(x.is_leaf and x.data_ptr() == y.data_ptr() for x in xs for y in ys):
                xs[i].add_(1)
        if is_floating and (fault := changed(subject, expected, overwrite)):
            return (f"{subject.names[i]} was overwritten after forward, and backward gives another gradient instead of "
                    f"an error: {fault}; ctx.save_for_backward(...) is what looks at versions")
    fault = changed(subject, expected, lambda xs, ys: [y.add_(1) for y in ys if y._base is None])
    if fault:
        return (f"a result was overwritten after forward, and backward gives another gradient instead of an error: "
                f"{fault}; ctx.save_for_backward(...) is what looks at versions")
    return ""


def changed(subject, expected, overwrite):
    try:
        apart = first_apart(expected, gradients(subject, overwrite), 0.0)
    except RuntimeError:  # as it should be
        return ""
    return apart and f"argument {apart[0]}, entry {apart[1]}: {apart[2]!r} before, {apart[3]!r} after"


def batched_fault(subject, tensors):
    """Two incoming gradients at once, by vmap, against one after the other."""
    def recorded(factor):
        xs = [x.detach().mul(factor).requires_grad_() if x.requires_grad else x for x in leaves_of(subject)]
        ys = [y for y in subject.call(list(xs)) if y.requires_grad]
        return ys, chosen(subject, xs), [torch.stack([v, -3 * v.flip(0) if v.dim() else v * 2]) for v in incoming(ys)]

    def alone(factor, number):
        ys, wanted, both = recorded(factor)
        return numbers(torch.autograd.grad(ys, wanted, [v[number] for v in both], allow_unused=True))

    ys, wanted, both = recorded(1.0)
    if any(y.numel() == 0 for y in ys):
        return ""
    try:
        got = torch.autograd.grad(ys, wanted, both, is_grads_batched=True, allow_unused=True)
    except Exception:  # vmap goes not there
        return ""
    return batch_fault([numbers([None if g is None else g[k] for g in got]) for k in range(2)], alone, str(both[0].dtype).removeprefix("torch."))
