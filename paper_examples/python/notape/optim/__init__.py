"""Optimizers: what a step does to parameters, given their gradients."""
import math

from ..tensors import no_grad, zeros_like
from . import lr_scheduler  # noqa: F401


class Optimizer:
    def __init__(self, params, defaults):
        self.defaults, self.state, self.param_groups = defaults, {}, []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, group):
        group = {**self.defaults, **group}
        group["params"] = [group["params"]] if hasattr(group["params"], "grad") else list(group["params"])
        for one in group["params"]:
            if not one.is_leaf:
                raise ValueError("can't optimize a tensor that is no leaf")
        self.param_groups.append(group)

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for one in group["params"]:
                if one.grad is not None:
                    one.grad = None if set_to_none else one.grad.detach().zero_()

    def step(self, closure=None):
        loss = closure() if closure else None
        with no_grad():
            for group in self.param_groups:
                for one in group["params"]:
                    if one.grad is not None:
                        self.update(one, self._with_decay(one, group), self.state.setdefault(id(one), {}), group)
        return loss

    def _with_decay(self, parameter, group):
        grad, decay = parameter.grad, group.get("weight_decay", 0)
        grad = -grad if group.get("maximize") else grad
        return grad + decay * parameter if decay and not group.get("decoupled") else grad

    def state_dict(self):
        order = [one for group in self.param_groups for one in group["params"]]
        return {"state": {i: dict(self.state[id(one)]) for i, one in enumerate(order) if id(one) in self.state},
                "param_groups": [{name: value for name, value in group.items() if name != "params"} for group in self.param_groups]}

    def load_state_dict(self, saved):
        order = [one for group in self.param_groups for one in group["params"]]
        if len(saved["param_groups"]) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        self.state = {id(order[i]): {name: value.clone() if hasattr(value, "clone") else value for name, value in state.items()}
                      for i, state in saved["state"].items()}
        for group, values in zip(self.param_groups, saved["param_groups"]):
            group.update(values)


class SGD(Optimizer):
    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False):
        super().__init__(params, {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
                                  "nesterov": nesterov, "maximize": maximize})

    def update(self, parameter, grad, state, group):
        momentum = group["momentum"]
        if momentum:
            if "momentum_buffer" not in state:
                state["momentum_buffer"] = grad.clone()
            else:
                state["momentum_buffer"].mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad + momentum * state["momentum_buffer"] if group["nesterov"] else state["momentum_buffer"]
        parameter.add_(grad, alpha=-group["lr"])


class Adam(Optimizer):
    decoupled = False

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, maximize=False):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
                                  "maximize": maximize, "decoupled": self.decoupled})

    def update(self, parameter, grad, state, group):
        first, second = group["betas"]
        if not state:
            state.update(step=0, exp_avg=zeros_like(parameter), exp_avg_sq=zeros_like(parameter))
        state["step"] += 1
        if group["decoupled"] and group["weight_decay"]:
            parameter.mul_(1 - group["lr"] * group["weight_decay"])
        state["exp_avg"].mul_(first).add_(grad, alpha=1 - first)
        state["exp_avg_sq"].mul_(second).addcmul_(grad, grad, value=1 - second)
        square = state["exp_avg_sq"]
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"] = square.maximum(state.get("max_exp_avg_sq", square))
        scale = (square.sqrt() / math.sqrt(1 - second ** state["step"])).add_(group["eps"])
        parameter.addcdiv_(state["exp_avg"], scale, value=-group["lr"] / (1 - first ** state["step"]))


class AdamW(Adam):
    decoupled = True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *, maximize=False):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


class RMSprop(Optimizer):
    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0):
        super().__init__(params, {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum})

    def update(self, parameter, grad, state, group):
        if not state:
            state.update(square_avg=zeros_like(parameter), momentum_buffer=zeros_like(parameter))
        state["square_avg"].mul_(group["alpha"]).addcmul_(grad, grad, value=1 - group["alpha"])
        scale = state["square_avg"].sqrt().add_(group["eps"])
        if not group["momentum"]:
            return parameter.addcdiv_(grad, scale, value=-group["lr"])
        parameter.add_(state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(grad, scale), alpha=-group["lr"])


class Adagrad(Optimizer):
    def __init__(self, params, lr=1e-2, weight_decay=0, eps=1e-10):
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "eps": eps})

    def update(self, parameter, grad, state, group):
        state.setdefault("sum", zeros_like(parameter)).addcmul_(grad, grad, value=1)
        parameter.addcdiv_(grad, state["sum"].sqrt().add_(group["eps"]), value=-group["lr"])
