"""Whether there is a GPU."""
from . import _tensors


def device_count():
    return _tensors.cuda_device_count()


def is_available():
    return device_count() > 0
