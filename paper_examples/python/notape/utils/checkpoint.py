"""Memory for time: what a function saves for backward is computed again when it is needed."""
from .. import _tensors


def checkpoint(function, *args, use_reentrant=False, preserve_rng_state=True, determinism_check="default", early_stop=True, **kwargs):
    """function(*args, **kwargs), of which only the arguments are kept. Backward calls it again, with the same random numbers."""
    if use_reentrant:
        raise ValueError("checkpoint: only use_reentrant=False is there, which works with grad() and higher orders")
    places = [i for i, one in enumerate(args) if isinstance(one, _tensors.Tensor)]

    def of_tensors(*tensors):
        given = list(args)
        for i, one in zip(places, tensors):
            given[i] = one
        return function(*given, **kwargs)
    return _tensors._checkpoint(of_tensors, [args[i] for i in places], preserve_rng_state, determinism_check != "none", early_stop)
