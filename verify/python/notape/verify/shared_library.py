"""cdll(): a pair of C functions in a shared library."""
import ctypes
import os
import re

from .pairs import Pair

POINTERS = {"float64": ctypes.c_double, "float32": ctypes.c_float, "int64": ctypes.c_int64, "int32": ctypes.c_int32}
libm = ctypes.CDLL("libm.so.6")
GUARD = 64  # entries on both sides of what is written


def cdll(path, forward, backward, jvp=None, shape=None):
    """Functions of a shared library, each with its parameters in their order:

        cdll("./libswish.so", forward="swish(n, x0, y0)", backward="swish_backward(n, x0, gy0, gx0)")

    n is the number of entries of x0 (int64_t), m those of y0; x0, x1, ... are inputs; y0 the output; gy0 its incoming
    gradient; gx0, ... gradients, t0, ... tangents and ty0 the output's: pointers to row-major memory of the inputs'
    type. The output has x0's shape unless shape(*inputs) says another. Whole functions return 0 or nothing."""
    path = os.path.abspath(path)
    library, texts = ctypes.CDLL(path), (forward, backward)
    functions = [_Function(library, text) for text in texts]
    recipe = cdll, (path, forward, backward, jvp, shape)
    shape = shape or (lambda x, *_: x.shape)

    def call_forward(*xs):
        return functions[0].call(xs, shape(*xs), made.rounding)["y0"]

    def gradients(*arguments):
        xs, gy = arguments[:-1], arguments[-1]
        written = functions[1].call(xs, gy.shape, made.rounding, gy0=gy)
        return [written.get(f"gx{i}") for i in range(len(xs))]

    def call_jvp(*arguments):
        half = len(arguments) // 2
        tangents = {f"t{i}": one for i, one in enumerate(arguments[half:])}
        return _Function(library, jvp).call(arguments[:half], shape(*arguments[:half]), **tangents)["ty0"]

    made = Pair(call_forward, gradients, call_jvp if jvp else None, False, functions[0].name)
    made.recipe = recipe
    made.native, made.file, made.line = True, path, 0
    return made


class _Function:
    def __init__(self, library, text):
        match = re.fullmatch(r"\s*(\w+)\s*\(([\w\s,]*)\)\s*", text)
        if not match:
            raise ValueError(f"cdll: {text!r} is not like 'swish(n, x0, y0)'")
        self.name, self.parameters = match[1], [one.strip() for one in match[2].split(",")]
        self.function = getattr(library, self.name)
        self.function.restype = ctypes.c_int

    def call(self, xs, out_shape, rounding=0, **given):
        import numpy as np
        given = dict(given, **{f"x{i}": x for i, x in enumerate(xs)})
        given = {name: np.ascontiguousarray(one) for name, one in given.items()}
        real = next(x.dtype for x in given.values() if x.dtype.kind == "f")
        made, arguments = {}, []
        for name in self.parameters:
            if name in ("n", "m"):
                shape = xs[0].shape if name == "n" else out_shape
                arguments.append(ctypes.c_int64(int(np.prod(shape))))
                continue
            if name in given:
                array = given[name]
            elif re.fullmatch(r"y0|ty0|gx\d+", name):
                shape = xs[int(name[2:])].shape if name.startswith("gx") else out_shape
                array = made[name] = _Guarded(np, shape, real)
                arguments.append(ctypes.c_void_p(array.address))
                continue
            else:
                raise ValueError(f"cdll: {self.name} has a parameter {name!r}, which is none of n, m, x0, y0, gy0, gx0, "
                                 "t0, ty0")
            arguments.append(ctypes.c_void_p(array.ctypes.data))
        if not rounding:
            self.function(*arguments)
        else:  # the native call alone, and not the interpreter
            libm.fesetround(rounding)
            self.function(*arguments)
            libm.fesetround(0)
        return {name: one.read(self.name, name) for name, one in made.items()}


class _Guarded:
    """Memory to be written, with margins; NaN of a kind that no arithmetic gives, so that gaps are seen."""

    def __init__(self, np, shape, dtype):
        self.np, self.shape, self.count = np, shape, int(np.prod(shape))
        self.whole = np.frombuffer(bytes([0xA5]) * ((self.count + 2 * GUARD) * dtype.itemsize), dtype).copy()
        self.before = self.whole.tobytes()
        self.address = self.whole.ctypes.data + GUARD * dtype.itemsize

    def read(self, function, name):
        size, now = self.whole.dtype.itemsize, self.whole.tobytes()
        for k in list(range(GUARD)) + list(range(GUARD + self.count, self.count + 2 * GUARD)):
            if now[k * size:(k + 1) * size] != self.before[k * size:(k + 1) * size]:
                raise MemoryError(f"{function} wrote outside of {name}, at entry {k - GUARD} of {self.count}")
        for k in range(GUARD, GUARD + self.count):
            if now[k * size:(k + 1) * size] == self.before[k * size:(k + 1) * size]:
                raise MemoryError(f"{function} did not write {name}, entry {k - GUARD}")
        return self.whole[GUARD:GUARD + self.count].reshape(self.shape)
