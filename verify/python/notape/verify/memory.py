"""Memory that a function may read: a copy of a tensor's, in its strides, with margins that nobody may write."""
import ctypes

from .library import BYTES, NAMES

MARGIN = 512  # bytes of 0xFF, NaN in every floating type
EDGE = b"\xff" * MARGIN


class Memory:
    def __init__(self, tensor):
        self.dtype = NAMES[tensor.dtype]
        rank = tensor.rank
        self.sizes, self.strides = tuple(tensor.sizes[:rank]), tuple(tensor.strides[:rank])
        extent = 0
        if tensor.count:
            extent = 1
            for size, step in zip(self.sizes, self.strides):
                extent += (size - 1) * step
        length = extent * BYTES[self.dtype]
        self.before = EDGE + ctypes.string_at(tensor.data, length) + EDGE if length else EDGE + EDGE
        self.bytes, self.end = bytearray(self.before), MARGIN + length

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
