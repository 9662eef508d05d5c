"""Functions, autograd.Functions, modules and custom operators of PyTorch. Imports torch, which the user did before."""
import functools

import torch
from torch.autograd import forward_ad
from torch.utils import _pytree

from . import library
from .calls import NotThere
from .extra import SMALLEST
from .memory import MARGIN
from .subject import Subject

NOT_THERE = ("once_differentiable", "forward ad", "forward mode ad", "forward-mode", "jvp", "is not implemented",
             "not differentiable twice", "nested forward mode")


def is_mine(value):
    return isinstance(value, (torch.Tensor, torch.nn.Module))


@functools.cache
def dtype_name(dtype):
    return str(dtype).removeprefix("torch.")


def dense(tensor):
    return tensor if tensor.layout == torch.strided else tensor.to_dense()


def functional(module, parameters, arguments):
    """The module with these parameters, and with buffers of its own, of their type, which it may change."""
    dtype = next((one.dtype for one in parameters.values() if one.is_floating_point()), None)
    state = {name: buffer.detach().clone().to(dtype if buffer.is_floating_point() else None)
             for name, buffer in module.named_buffers()}
    state.update(parameters)
    if hasattr(torch, "func"):
        return torch.func.functional_call(module, state, arguments)
    return torch.nn.utils.stateless.functional_call(module, state, arguments)


def names_of(arguments):
    """"input 0", or "input 0, part 2" in a list or dictionary."""
    for i, argument in enumerate(arguments):
        parts = _pytree.tree_flatten(argument)[0]
        yield from (f"input {i}" + (f", part {k}" if len(parts) > 1 else "") for k in range(len(parts)))


class TorchSubject(Subject):
    def __init__(self, f, arguments, reference=None, dtype=None):
        self.f, self.reference, self.once = f, reference, {}
        self.has_gradient = None  # of each floating result; empty: all are judged
        self.module = f if isinstance(f, torch.nn.Module) else None
        parameters = dict(f.named_parameters()) if self.module else {}
        self.parameters = list(parameters)
        flat, self.tree = _pytree.tree_flatten(tuple(arguments))
        self.is_flat = all(one is argument for one, argument in zip(flat, arguments)) and len(flat) == len(arguments)
        names = list(names_of(arguments)) + self.parameters
        flat += parameters.values()
        self.flat = flat
        self.places = [i for i, one in enumerate(flat) if isinstance(one, torch.Tensor)]
        for i in self.places:
            check_input(flat[i], names[i], reference)
            if dtype is not None and flat[i].is_floating_point():
                flat[i] = flat[i].detach().to(dtype).requires_grad_(flat[i].requires_grad)
        leaves = [flat[i] for i in self.places]
        self.narrow = next((name for name in map(self.dtype_of, leaves) if name in library.NARROW), None)
        self.types = [leaf.dtype for leaf in leaves]
        if self.narrow:
            self.order = 1
            leaves = [leaf.detach().to(getattr(torch, library.CARRIER)).requires_grad_(leaf.requires_grad) if leaf.is_floating_point() else leaf
                      for leaf in leaves]
        devices = {leaf.device for leaf in leaves if leaf.dim() > 0}
        if len(devices) > 1:
            raise ValueError(f"the inputs are on several devices: {', '.join(sorted(map(str, devices)))}")
        floating = [leaf.is_floating_point() for leaf in leaves]
        asked = [leaf.requires_grad for leaf in leaves]
        own = len(flat) - len(parameters)
        if not any(one for i, one in zip(self.places, asked) if i < own):
            asked = [one or (i < own and is_floating) for i, one, is_floating in zip(self.places, asked, floating)]
        super().__init__(leaves, [names[i] for i in self.places],
                         [one and is_floating for one, is_floating in zip(asked, floating)])

    def dtype_of(self, leaf):
        return dtype_name(leaf.dtype)

    def tensor(self, memory, like):
        flat = torch.frombuffer(memory.bytes, dtype=getattr(torch, memory.dtype), offset=MARGIN)
        if like is not None and like.device.type != "cpu":
            flat = flat.to(like.device)
        tensor = flat.as_strided(memory.sizes, memory.strides)
        if like is not None and not like.is_floating_point():
            tensor = tensor.to(like.dtype)  # constants of other whole types
        return tensor.detach()

    def arrays(self, memories, likes):
        return [self.tensor(memory, like) for memory, like in zip(memories, likes)]

    def own(self, xs):
        """Inputs that were carried to the verifier and back, in the types that the function knows."""
        if not self.narrow or self.is_forced or any(x.dtype == torch.float64 for x in xs):
            return xs
        return [x.detach().to(own) if x.is_floating_point() else x for x, own in zip(xs, self.types)]

    # The function itself.

    def call(self, xs):
        flat = list(self.flat)
        for place, x in zip(self.places, xs):
            flat[place] = x
        own = len(flat) - len(self.parameters)
        arguments = tuple(flat[:own]) if self.is_flat else _pytree.tree_unflatten(flat[:own], self.tree)
        f = self.f
        if self.takes_reference([dtype_name(x.dtype) for x in xs]):
            f = self.reference
        if self.module is not None and f is self.f:
            result = functional(f, dict(zip(self.parameters, flat[own:])), arguments)
        else:
            result = f(*arguments, *flat[own:])
        ys = [result] if isinstance(result, torch.Tensor) else _pytree.tree_flatten(result)[0]
        ys = [dense(y) for y in ys if isinstance(y, torch.Tensor) and y.is_floating_point()]
        if not ys:
            kinds = {dtype_name(y.dtype) for y in _pytree.tree_flatten(result)[0] if isinstance(y, torch.Tensor)}
            what = " and ".join(sorted(f"a tensor of {one}" for one in kinds)) or type(result).__name__
            raise ValueError(f"it returned {what}, and no floating tensor: nothing to differentiate")
        if self.has_gradient and len(self.has_gradient) == len(ys):
            ys = [y for y, is_kept in zip(ys, self.has_gradient) if is_kept]
        self.outputs = len(ys)
        return ys

    def probe(self, tensors):
        """Results that require no gradient where others do, such as what mark_non_differentiable names, are left out."""
        super().probe(tensors)
        if self.has_gradient is not None:
            return
        self.has_gradient = []
        xs = [x.detach().requires_grad_() if is_wanted else x.detach() for x, is_wanted in zip(self.leaves, self.wanted)]
        try:
            with torch.enable_grad():
                has_gradient = [y.requires_grad for y in self.call(self.own(xs))]
        except Exception:  # a check will say it
            return
        if any(has_gradient) and not all(has_gradient):
            self.has_gradient = has_gradient
            self.outputs = sum(has_gradient)
            which = " and ".join(str(k) for k, one in enumerate(has_gradient) if not one)
            self.note = f"not judged: floating result {which}, which require{'' if ' ' in which else 's'} no gradient; the others are numbered without"

    def apply(self, word, xs):
        if not word:
            return self.call(xs)
        inner, letter = word[:-1], word[-1]
        mask = self.differentiable(inner)
        xs, extra = list(xs[:len(mask)]), xs[len(mask):]
        places = [i for i, is_floating in enumerate(mask) if is_floating]
        if letter == "J":
            with forward_ad.dual_level():
                for i, tangent in zip(places, extra):
                    xs[i] = forward_ad.make_dual(xs[i], tangent)
                parts = [forward_ad.unpack_dual(y) for y in self.apply(inner, xs)]
                return [torch.zeros_like(p.primal) if p.tangent is None else p.tangent for p in parts]
        with torch.enable_grad():
            for i in places:
                if not xs[i].requires_grad:
                    xs[i] = xs[i].detach().requires_grad_()
            chosen = [xs[i] for i in places]
            pairs = [(y, v) for y, v in zip(self.apply(inner, xs), extra) if y.requires_grad]
            found = [None] * len(chosen)
            if pairs:
                ys, vs = zip(*pairs)
                found = torch.autograd.grad(ys, chosen, vs, create_graph=True, allow_unused=True)
            return [torch.zeros_like(x) if one is None else one for x, one in zip(chosen, found)]

    def forward(self, word, memories, wanted, record):
        likes = self.leaves + [self.like] * (len(memories) - len(self.leaves))
        xs = [self.tensor(memory, like) for memory, like in zip(memories, likes)]
        with torch.set_grad_enabled(record):
            xs = self.own(xs)
            for k, (x, is_wanted) in enumerate(zip(xs, wanted)):
                # once_differentiable looks at incoming gradients only: without history it detaches, and says nothing.
                if record and (is_wanted or k >= len(self.leaves) and x.is_floating_point()):
                    differentiated(x)
            ys = self.apply(word, xs)
        return ys[:], (word, xs, ys) if record else None

    def is_once(self, word, ys):
        """Whether once_differentiable forbids to differentiate again. Its error is a node that leads nowhere, which is never
        run where the gradients of some inputs are asked for: zeros would come instead."""
        if word not in self.once:
            nodes = {y.grad_fn for y in ys if y.grad_fn is not None}
            reached = set(nodes)
            while nodes:
                nodes = {after for node in nodes for after, _ in node.next_functions if after is not None} - reached
                reached |= nodes
            self.once[word] = any(type(node).__name__ == "Error" for node in reached)
        return self.once[word]

    @property
    def like(self):
        return next((leaf for leaf, is_floating in zip(self.leaves, self.floating) if is_floating), None)

    def backward(self, graph, incoming):
        word, xs, ys = graph
        if word and self.is_once(word, ys):
            raise NotThere("its backward is once_differentiable")
        mask = self.differentiable(word)
        wanted = [x for x, is_floating in zip(xs, mask) if is_floating and x.requires_grad]
        pairs = [(y, self.tensor(v, self.like).to(y.dtype)) for y, v in zip(ys, incoming) if v is not None and y.requires_grad]
        found = iter([None] * len(wanted))
        if pairs:
            outputs, vs = zip(*pairs)
            found = iter(torch.autograd.grad(outputs, wanted, vs, retain_graph=True, allow_unused=True))
        return [next(found) if x.requires_grad else None for x, is_floating in zip(xs, mask) if is_floating]

    def described(self, outputs):
        described = []
        for k, y in enumerate(outputs):
            if y is None:
                described.append(library.Tensor())
                continue
            if y.is_meta:
                raise ValueError("it gave a tensor on 'meta', which has no numbers")
            if y._is_zerotensor():  # which has no memory: tangents of what does not move
                y = torch.zeros(y.shape, dtype=y.dtype)
            y = dense(y.detach())
            if self.narrow and y.dtype != torch.float64:
                y = y.to(getattr(torch, library.CARRIER))
            outputs[k] = y = y if y.is_cpu and y.is_contiguous() and not y.is_neg() else y.cpu().contiguous().resolve_neg()
            described.append(library.row_major(y.data_ptr() or 1, dtype_name(y.dtype), y.shape))
        return described

    def values(self, leaves, reference=False):
        with torch.no_grad(), self.forced(reference):
            return [y.double().flatten().tolist() for y in self.call(self.own([leaf.detach().clone() for leaf in leaves]))]

    def gradients(self, leaves, reference=False):
        with torch.enable_grad(), self.forced(reference):
            return [[0.0] * x.numel() if g is None else dense(g).double().flatten().tolist() for x, g in self.pulled(leaves)]

    def pulled(self, leaves):
        """(input, its gradient) for incoming gradients of ones."""
        xs = self.own([leaf.detach().clone() for leaf in leaves])
        xs = [differentiated(x) if is_wanted else x for x, is_wanted in zip(xs, self.wanted)]
        ys = [y for y in self.call(xs) if y.requires_grad]
        chosen = [x for x, is_wanted in zip(xs, self.wanted) if is_wanted]
        ones = [torch.ones(y.shape, device=y.device).to(y.dtype) for y in ys]
        return zip(chosen, torch.autograd.grad(ys, chosen, ones, allow_unused=True) if ys else [])

    def underflow(self):
        if not self.narrow:
            return 0.0
        with torch.enable_grad():
            types = {dtype_name(g.dtype) for _, g in self.pulled(self.leaves) if g is not None}
        return max(SMALLEST[one] if one in library.NARROW else 0.0 for one in types | {"float64"})

    def cast(self, leaf, dtype):
        return leaf.detach().to(getattr(torch, dtype)) if leaf.is_floating_point() else leaf

    def questions(self):
        from . import torch_questions
        return [] if self.narrow else [("hook", torch_questions.hook_fault), ("saved", torch_questions.saved_fault),
                                       ("batched", torch_questions.batched_fault)]

    def inputs(self):
        """The inputs as row-major memory, whole numbers as int64."""
        kept = [leaf.detach().cpu().contiguous() for leaf in self.leaves]
        kept = [one if dtype_name(one.dtype) in library.DTYPES else one.to(torch.int64) for one in kept]
        return kept, self.described(list(kept))

    def is_not_there(self, error, word):
        text = str(error).lower()
        return bool(word) and isinstance(error, (RuntimeError, NotImplementedError)) and \
            any(one in text for one in NOT_THERE)


def differentiated(x):
    """Of 8 bits only the input has to be: its gradient stays in the type that backward gives."""
    x.requires_grad_()
    if dtype_name(x.dtype) in library.NARROW and hasattr(x, "grad_dtype"):
        x.grad_dtype = None
    return x


def check_input(tensor, name, reference):
    """Raises for what no derivative is checked at."""
    if tensor.is_meta:
        raise ValueError(f"{name} is on 'meta', and has no numbers")
    if tensor.layout != torch.strided:
        raise ValueError(f"{name} is {tensor.layout}: only dense tensors can be checked; give x.to_dense()")
    if tensor.is_complex():
        raise ValueError(f"{name} is {tensor.dtype}: give the real and the imaginary part as two inputs")
    if dtype_name(tensor.dtype) in library.NARROW and reference is None:
        raise ValueError(f"{name} is {tensor.dtype}: give reference=, the same function of float64 tensors")
    if tensor.is_floating_point() and dtype_name(tensor.dtype) not in library.FLOATING + library.NARROW:
        raise ValueError(f"{name} is {tensor.dtype}: cast it inside of f, and give a float32 input")
