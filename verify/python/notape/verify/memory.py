"""Memory that a function may read: a copy of a tensor's, in its strides, with margins that nobody may write."""
import ctypes

from .library import BYTES, NAMES

MARGIN = 512  # bytes of 0xFF, NaN in every floating type


class Memory:
    def __init__(self, tensor):
        self.dtype = NAMES[tensor.dtype]
        self.sizes = tuple(tensor.sizes[:tensor.rank])
        self.strides = tuple(tensor.strides[:tensor.rank])
        extent = 1 + sum((size - 1) * step for size, step in zip(self.sizes, self.strides)) if tensor.count else 0
        data = ctypes.string_at(tensor.data, extent * BYTES[self.dtype]) if extent else b""
        self.bytes = bytearray(b"\xff" * MARGIN + data + b"\xff" * MARGIN)
        self.before, self.end = bytes(self.bytes), MARGIN + len(data)

    def fault(self):
        """What was written that may only be read; empty if nothing was."""
        if self.bytes == self.before:
            return ""
        first = next(i for i, (a, b) in enumerate(zip(self.bytes, self.before)) if a != b)
        entry = (first - MARGIN) // BYTES[self.dtype]
        if first < MARGIN:
            return f"wrote before its start, at entry {entry}"
        if first >= self.end:
            return f"wrote past its end, at entry {entry} of {(self.end - MARGIN) // BYTES[self.dtype]}"
        return f"wrote to its entry {entry}, which it may only read"
