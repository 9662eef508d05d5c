"""How gdb shows tensors of programs that are compiled with -g: print x, info locals, a watch window.

    (gdb) source autograd/tensor/gdb_printer.py
    (gdb) print x
    $1 = float32 [2, 2] with history {1, 2, 3, 4}

Reads memory and calls nothing, so that core files can be looked at, too. Values are in row-major order.
"""

import struct

import gdb

MOST_VALUES = 200  # gdb's own limit for arrays
INLINE_DIMENSIONS = 4  # Geometry::kInline
# By the number of the ScalarType: its name, and what `struct` calls it.
TYPES = [("bool", "?"), ("uint8", "B"), ("int8", "b"), ("int16", "h"), ("int32", "i"), ("int64", "q"),
         ("float16", "e"), ("bfloat16", None), ("float32", "f"), ("float64", "d")]


def number(data, code):
    if code is None:  # bfloat16: the upper half of a float32
        return struct.unpack("<f", b"\0\0" + data)[0]
    return struct.unpack("<" + code, data)[0]


def places(sizes, strides, offset):
    """Where the elements are, in row-major order."""
    if not sizes:
        yield offset
        return
    for i in range(sizes[0]):
        yield from places(sizes[1:], strides[1:], offset + i * strides[0])


class TensorPrinter:
    def __init__(self, value):
        self.impl = value["impl_"]["object_"]

    def to_string(self):
        if not int(self.impl):
            return "undefined"
        impl = self.impl.dereference()
        geometry = impl["geometry_"]
        dimensions = int(geometry["ndim_"])
        in_place = dimensions <= INLINE_DIMENSIONS
        numbers = geometry["inline_"] if in_place else geometry["heap_"]
        sizes = [int(numbers[i]) for i in range(dimensions)]
        second = INLINE_DIMENSIONS if in_place else dimensions
        strides = [int(numbers[second + i]) for i in range(dimensions)]
        name, code = TYPES[int(impl["dtype_"])]
        text = f"{name} {sizes}" + (" with history" if int(impl["history_"]["node_"]) else "")
        if int(impl["device_"]["type"]) != 0:
            return text + " not on the CPU"
        return text + " {" + self.values(impl, sizes, strides, int(geometry["offset_"]), code) + "}"

    @staticmethod
    def values(impl, sizes, strides, offset, code):
        size = 2 if code is None else struct.calcsize(code)
        start = int(impl["storage_"]["object_"]["data_"])
        shown = []
        for place in places(sizes, strides, offset):
            if len(shown) == MOST_VALUES:
                shown.append("...")
                break
            data = gdb.selected_inferior().read_memory(start + place * size, size).tobytes()
            shown.append(f"{number(data, code):.6g}")
        return ", ".join(shown)


def printer(value):
    kind = value.type
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
        kind = value.type
    return TensorPrinter(value) if kind.strip_typedefs().unqualified().name == "notape::Tensor" else None


gdb.pretty_printers.append(printer)
