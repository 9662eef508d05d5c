"""Module: parameters, buffers and modules by name, as attributes of an object."""
import collections

from ..tensors import Tensor, no_grad


class Parameter(Tensor):
    """A leaf that a Module finds among its attributes."""

    def __new__(cls, data, requires_grad=True):
        return super().__new__(cls, data.detach()).requires_grad_(requires_grad)

    def __init__(self, data, requires_grad=True):
        pass


class Module:
    training = True

    def __init__(self):
        for name in ("_parameters", "_buffers", "_modules", "_forward_hooks"):
            object.__setattr__(self, name, {})
        object.__setattr__(self, "_not_saved", set())

    def __setattr__(self, name, value):
        if "_parameters" not in self.__dict__ and isinstance(value, (Parameter, Module)):
            raise AttributeError(f"{type(self).__name__}: call super().__init__() before assigning {name}")
        for kind, store in ((Parameter, "_parameters"), (Module, "_modules")):
            if isinstance(value, kind):
                self.__dict__.pop(name, None)
                for other in ("_parameters", "_buffers", "_modules"):
                    if other != store:
                        self.__dict__[other].pop(name, None)
                self.__dict__[store][name] = value
                return
        for store in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(store, ()) and (value is None or isinstance(value, Tensor)):
                self.__dict__[store][name] = value
                return
        object.__setattr__(self, name, value)

    def __getattr__(self, name):
        for store in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(store, ()):
                return self.__dict__[store][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name):
        for store in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__[store]:
                del self.__dict__[store][name]
                return
        object.__delattr__(self, name)

    def __call__(self, *args, **kwargs):
        result = self.forward(*args, **kwargs)
        for hook in tuple(self._forward_hooks.values()):
            changed = hook(self, args, result)
            result = result if changed is None else changed
        return result

    def forward(self, *args, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def register_parameter(self, name, parameter):
        self._parameters[name] = parameter

    def register_buffer(self, name, tensor, persistent=True):
        self._buffers[name] = tensor
        if not persistent:
            self._not_saved.add(name)

    def add_module(self, name, module):
        self._modules[name] = module

    register_module = add_module

    def register_forward_hook(self, hook):
        from ..tensors import RemovableHandle
        key = object()
        self._forward_hooks[key] = hook
        return RemovableHandle(lambda: self._forward_hooks.pop(key, None))

    # ---- What it is made of ----

    def named_modules(self, memo=None, prefix=""):
        memo = set() if memo is None else memo
        if id(self) in memo:
            return
        memo.add(id(self))
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, prefix + "." * bool(prefix) + name)

    def modules(self):
        return (module for _, module in self.named_modules())

    def named_children(self):
        return ((name, module) for name, module in self._modules.items() if module is not None)

    def children(self):
        return (module for _, module in self.named_children())

    def _named(self, store, recurse, repeated=False):
        seen = set()
        for prefix, module in self.named_modules() if recurse else [("", self)]:
            for name, tensor in module.__dict__[store].items():
                if tensor is not None and (repeated or id(tensor) not in seen):
                    seen.add(id(tensor))
                    yield prefix + "." * bool(prefix) + name, tensor

    def named_parameters(self, recurse=True):
        return self._named("_parameters", recurse)

    def parameters(self, recurse=True):
        return (tensor for _, tensor in self.named_parameters(recurse))

    def named_buffers(self, recurse=True):
        return self._named("_buffers", recurse)

    def buffers(self, recurse=True):
        return (tensor for _, tensor in self.named_buffers(recurse))

    # ---- What is done to all of it ----

    def apply(self, function):
        for module in self.children():
            module.apply(function)
        function(self)
        return self

    def train(self, mode=True):
        for module in self.modules():
            module.training = mode
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        for parameter in self.parameters():
            if parameter.grad is not None:
                parameter.grad = None if set_to_none else parameter.grad.detach().zero_()

    def to(self, *args, **kwargs):
        floating = {"dtype"} & set(kwargs) or any(hasattr(one, "is_floating_point") for one in args)
        for tensor in [*self.parameters(), *self.buffers()]:
            if not floating or tensor.is_floating_point():
                tensor.data = tensor.data.to(*args, **kwargs)
        return self

    def float(self):
        return self.to("cpu", dtype=Tensor(0).dtype)

    def double(self):
        from .. import _tensors
        return self.to(_tensors.float64)

    def cpu(self):
        return self.to("cpu")

    def cuda(self):
        return self.to("cuda")

    def state_dict(self):
        saved = collections.OrderedDict((name, tensor.detach()) for name, tensor in self._named("_parameters", True, True))
        left_out = {id(module.__dict__["_buffers"].get(name)) for module in self.modules() for name in module._not_saved}
        saved.update((name, tensor.detach()) for name, tensor in self._named("_buffers", True, True) if id(tensor) not in left_out)
        return saved

    def load_state_dict(self, state_dict, strict=True):
        own = dict(self._named("_parameters", True, True)) | dict(self._named("_buffers", True, True))
        saved = self.state_dict().keys()
        missing, unexpected = sorted(saved - state_dict.keys()), sorted(state_dict.keys() - own.keys())
        if strict and (missing or unexpected):
            raise RuntimeError(f"{type(self).__name__}: the state has no {missing}, and what is not here: {unexpected}")
        for name in saved & state_dict.keys():
            if tuple(own[name].shape) != tuple(state_dict[name].shape):
                raise RuntimeError(f"{name} is {tuple(own[name].shape)}, the state's is {tuple(state_dict[name].shape)}")
        with no_grad():
            for name in saved & state_dict.keys():
                own[name].copy_(state_dict[name])
        return missing, unexpected

    def extra_repr(self):
        return ""

    def __repr__(self):
        lines = [f"({name}): " + repr(module).replace("\n", "\n  ") for name, module in self.named_children()]
        inside = self.extra_repr() if not lines else "\n  " + "\n  ".join(lines) + "\n"
        return f"{type(self).__name__}({inside})"


class Sequential(Module):
    def __init__(self, *modules):
        super().__init__()
        named = modules[0].items() if len(modules) == 1 and isinstance(modules[0], dict) else enumerate(modules)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        modules = list(self._modules.values())[index]
        return type(self)(*modules) if isinstance(index, slice) else modules

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self


class ModuleList(Sequential):
    def __init__(self, modules=()):
        super().__init__(*modules)

    def __getitem__(self, index):
        modules = list(self._modules.values())[index]
        return type(self)(modules) if isinstance(index, slice) else modules

    def forward(self, *_):
        raise NotImplementedError("a ModuleList has no forward")


class ModuleDict(Module):
    def __init__(self, modules=None):
        super().__init__()
        for name, module in (modules or {}).items():
            self.add_module(name, module)

    def __getitem__(self, name):
        return self._modules[name]

    def __setitem__(self, name, module):
        self.add_module(name, module)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def keys(self):
        return self._modules.keys()

    def values(self):
        return self._modules.values()

    def items(self):
        return self._modules.items()
