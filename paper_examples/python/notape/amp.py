"""Mixed precision: products in 16 bits, and losses scaled so that gradients in float16 do not vanish."""
import contextlib

from . import _tensors
from .tensors import no_grad


class autocast(contextlib.ContextDecorator):
    """Inside, operators that gain by 16 bits compute in them. Leave it before backward()."""

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        self.device_type, self.dtype, self.enabled, self.cache_enabled = str(device_type), dtype, enabled, cache_enabled

    def _recreate_cm(self):
        return type(self)(self.device_type, self.dtype, self.enabled, self.cache_enabled)

    def __enter__(self):
        device = self.device_type
        self._before = _tensors.is_autocast_enabled(device), _tensors.get_autocast_dtype(device), _tensors.is_autocast_cache_enabled()
        if self.dtype is not None:
            _tensors.set_autocast_dtype(device, self.dtype)
        if self.cache_enabled is not None:
            _tensors.set_autocast_cache_enabled(self.cache_enabled)
        _tensors.set_autocast_enabled(device, self.enabled)
        _tensors.autocast_increment_nesting()
        return self

    def __exit__(self, *_):
        enabled, dtype, cached = self._before
        _tensors.autocast_decrement_nesting()
        _tensors.set_autocast_enabled(self.device_type, enabled)
        _tensors.set_autocast_dtype(self.device_type, dtype)
        _tensors.set_autocast_cache_enabled(cached)
        return False


class GradScaler:
    """scale(loss).backward(), then step(optimizer), which leaves out steps whose gradients are not finite, then update()."""

    def __init__(self, device="cuda", init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        if growth_factor <= 1 or not 0 < backoff_factor < 1:
            raise ValueError(f"GradScaler: growth_factor={growth_factor} is above 1, backoff_factor={backoff_factor} between 0 and 1")
        self._scale, self._growth_tracker, self._enabled = float(init_scale), 0, enabled
        self.growth_factor, self.backoff_factor, self.growth_interval = growth_factor, backoff_factor, growth_interval
        self._finite, self._stepped = {}, set()  # by optimizer, since update()

    def is_enabled(self):
        return self._enabled

    def get_scale(self):
        return self._scale if self._enabled else 1.0

    def scale(self, outputs):
        if isinstance(outputs, (tuple, list)):
            return type(outputs)(map(self.scale, outputs))
        return outputs * self._scale if self._enabled else outputs

    def unscale_(self, optimizer):
        """Divides the gradients by the scale: to look at them, or to clip them, before step()."""
        if not self._enabled:
            return
        if id(optimizer) in self._finite:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update()")
        grads = [one.grad for group in optimizer.param_groups for one in group["params"] if one.grad is not None]
        if any(one.dtype is _tensors.float16 for one in grads):
            raise ValueError("attempting to unscale float16 gradients: parameters have to be float32")
        with no_grad():
            for one in grads:
                one.mul_(1 / self._scale)
        self._finite[id(optimizer)] = all(bool(one.isfinite().all()) for one in grads)

    def step(self, optimizer, *args):
        if not self._enabled:
            return optimizer.step(*args)
        if id(optimizer) in self._stepped:
            raise RuntimeError("step() has already been called since the last update()")
        if id(optimizer) not in self._finite:
            self.unscale_(optimizer)
        self._stepped.add(id(optimizer))
        return optimizer.step(*args) if self._finite[id(optimizer)] else None

    def update(self, new_scale=None):
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._finite:
            raise RuntimeError("update() before any step()")
        elif not all(self._finite.values()):
            self._scale, self._growth_tracker = self._scale * self.backoff_factor, 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self.growth_interval:
                self._scale, self._growth_tracker = self._scale * self.growth_factor, 0
        self._finite, self._stepped = {}, set()

    def state_dict(self):
        return {"scale": self._scale, "growth_factor": self.growth_factor, "backoff_factor": self.backoff_factor,
                "growth_interval": self.growth_interval, "_growth_tracker": self._growth_tracker} if self._enabled else {}

    def load_state_dict(self, saved):
        if self._enabled:
            self._scale, self._growth_tracker = saved["scale"], saved["_growth_tracker"]
            self.growth_factor, self.backoff_factor, self.growth_interval = (
                saved[one] for one in ("growth_factor", "backoff_factor", "growth_interval"))
