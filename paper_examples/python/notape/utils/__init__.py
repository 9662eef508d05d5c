"""Data sets and loaders, checkpointing."""
from . import checkpoint, data  # noqa: F401
