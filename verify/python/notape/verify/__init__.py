"""Checks hand-written derivatives of PyTorch, JAX, NumPy and C functions, and states the largest error that could
have passed.

    from notape.verify import check
    assert check(my_function, x)
"""
import importlib

_MODULES = {"check": "checking", "pair": "pairs", "cdll": "shared_library", "Result": "result", "op": "drawn", "real": "drawn",
            "ints": "drawn", "gradcheck": "compatible", "gradgradcheck": "compatible", "check_grads": "compatible",
            "GradcheckError": "compatible"}
__all__ = list(_MODULES)


def __getattr__(name):
    """Each name when it is first used: the plugin of pytest is imported by runs that check nothing."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)


def __dir__():
    return __all__
