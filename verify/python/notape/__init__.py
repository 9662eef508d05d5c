"""notape: gradients that are checked (`import notape.verify`), and tensors under PyTorch's names (the wheel `notape`)."""
__version__ = "0.1.0"
_PARTS = ("verify", "nn", "optim", "autograd", "linalg", "cuda", "amp", "utils", "array_api", "tensors", "_tensors", "_printing")


def __getattr__(name):
    """Tensors when they are first used: who checks functions of another library needs none."""
    import importlib
    if name in _PARTS:
        return importlib.import_module("." + name, __name__)
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        tensors, autograd, amp = (importlib.import_module("." + part, __name__) for part in ("tensors", "autograd", "amp"))
    except ModuleNotFoundError as missing:
        if missing.name not in (f"{__name__}.tensors", f"{__name__}._tensors"):
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: tensors are in the wheel `notape`") from None
    globals().update({one: value for one, value in vars(tensors).items() if not one.startswith("_")}, grad=autograd.grad,
                     autocast=amp.autocast)
    if name not in globals():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals()[name]
