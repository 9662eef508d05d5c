"""Schedules of learning rates. Each is a formula of the step and of the rate that a group began with."""
import bisect
import math


class LRScheduler:
    """`rate(step, base)` is what a subclass says. The optimizer's step() comes first, then this one's."""

    def __init__(self, optimizer, last_epoch=-1):
        self.optimizer, self.last_epoch = optimizer, last_epoch + 1
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self._set()

    def step(self):
        self.last_epoch += 1
        self._set()

    def _set(self):
        for i, group in enumerate(self.optimizer.param_groups):
            group["lr"] = self.rate(self.last_epoch, group["initial_lr"], i)

    def get_last_lr(self):
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("optimizer", "lr_lambda")}

    def load_state_dict(self, saved):
        self.__dict__.update(saved)


class StepLR(LRScheduler):
    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, step, base, group):
        return base * self.gamma ** (step // self.step_size)


class MultiStepLR(LRScheduler):
    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = sorted(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, step, base, group):
        return base * self.gamma ** bisect.bisect_right(self.milestones, step)


class ExponentialLR(LRScheduler):
    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, step, base, group):
        return base * self.gamma ** step


class CosineAnnealingLR(LRScheduler):
    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def rate(self, step, base, group):
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * step / self.T_max)) / 2


class LinearLR(LRScheduler):
    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if not 0 < start_factor <= 1 or not 0 <= end_factor <= 1:
            raise ValueError("LinearLR: factors are between 0 and 1, and the first is not 0")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def rate(self, step, base, group):
        share = min(step, self.total_iters) / self.total_iters
        return base * (self.start_factor + (self.end_factor - self.start_factor) * share)


class LambdaLR(LRScheduler):
    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.lr_lambda = lr_lambda
        super().__init__(optimizer, last_epoch)

    def rate(self, step, base, group):
        return base * (self.lr_lambda[group] if isinstance(self.lr_lambda, (list, tuple)) else self.lr_lambda)(step)


class SequentialLR(LRScheduler):
    """One schedule after the other: the next from each milestone on, with its step 0."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if len(schedulers) != len(milestones) + 1:
            raise ValueError(f"SequentialLR: {len(schedulers)} schedulers have {len(schedulers) - 1} milestones between them")
        self._schedulers, self._milestones = list(schedulers), list(milestones)
        super().__init__(optimizer, last_epoch)

    def rate(self, step, base, group):
        k = bisect.bisect_right(self._milestones, step)
        return self._schedulers[k].rate(step - (self._milestones[k - 1] if k else 0), base, group)

    def state_dict(self):
        return {"last_epoch": self.last_epoch}


class ReduceLROnPlateau:
    """Times `factor` when a metric has stopped to become better."""

    def __init__(self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0, min_lr=0.0,
                 eps=1e-8):
        if factor >= 1 or mode not in ("min", "max") or threshold_mode not in ("rel", "abs"):
            raise ValueError(f"ReduceLROnPlateau: factor={factor} (below 1), mode={mode}, threshold_mode={threshold_mode}")
        self.optimizer, self.mode, self.factor, self.patience, self.cooldown = optimizer, mode, factor, patience, cooldown
        self.threshold, self.threshold_mode, self.min_lr, self.eps = threshold, threshold_mode, min_lr, eps
        self.best, self.num_bad_epochs, self.cooldown_counter = math.inf if mode == "min" else -math.inf, 0, 0

    def is_better(self, metric):
        sign = -1 if self.mode == "min" else 1
        if self.threshold_mode == "abs":
            return sign * (metric - self.best) > self.threshold
        return sign * (metric - self.best * (1 + sign * self.threshold)) > 0 or (math.isinf(self.best) and metric == metric)

    def step(self, metrics):
        metric = float(metrics)
        if self.is_better(metric):
            self.best, self.num_bad_epochs = metric, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        if self.num_bad_epochs > self.patience:
            for group in self.optimizer.param_groups:
                rate = max(group["lr"] * self.factor, self.min_lr)
                if group["lr"] - rate > self.eps:
                    group["lr"] = rate
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0

    get_last_lr, state_dict, load_state_dict = LRScheduler.get_last_lr, LRScheduler.state_dict, LRScheduler.load_state_dict
