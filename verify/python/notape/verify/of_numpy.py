"""Pairs of NumPy functions, or of functions of anything that NumPy reads (CuPy, any exporter of DLPack)."""
import numpy as np

from . import library
from .calls import NotThere
from .memory import MARGIN
from .pairs import Pair
from .subject import Subject


def listed(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def on_host(value):
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):  # any exporter
        return np.from_dlpack(value)
    return value.get() if hasattr(value, "get") and hasattr(value, "device") else np.asarray(value)


class NumpySubject(Subject):
    def __init__(self, f, arguments, reference=None, dtype=None, backward=None, jvp=None):
        f = f if isinstance(f, Pair) else Pair(f, backward, jvp, False)
        if f.backward is None:
            raise ValueError("a function of NumPy arrays has no backward: check(f, x, backward=g) or pair(f, g)")
        self.f, self.reference, self.native = f, reference, f.native
        self.module = next((module for module in map(array_module, arguments) if module), np)
        arrays = [on_host(argument) for argument in arguments]
        names = [f"input {i}" for i in range(len(arrays))]
        for i, one in enumerate(arrays):
            if one.dtype.kind not in "fiub" or one.dtype.kind == "f" and one.dtype.name not in library.FLOATING:
                raise ValueError(f"{names[i]} is of {one.dtype}: only float64, float32, float16 and whole numbers can be checked")
            arrays[i] = one = one.astype(one.dtype.newbyteorder("="), copy=False)
            if dtype is not None and one.dtype.name in library.FLOATING:
                arrays[i] = one.astype(dtype)
        super().__init__(arrays, names, [one.dtype.name in library.FLOATING for one in arrays])
        self.order = 1 + isinstance(f.backward, Pair)

    def dtype_of(self, leaf):
        return leaf.dtype.name

    def array(self, memory, like=None):
        dtype = np.dtype(memory.dtype)
        steps = [step * dtype.itemsize for step in memory.strides]
        array = np.ndarray(memory.sizes, dtype, memory.bytes, MARGIN, steps)
        if like is not None and self.dtype_of(like) not in library.FLOATING:
            array = array.astype(like.dtype)
        return array if self.module is np else self.module.asarray(array)

    def arrays(self, memories, likes):
        return [self.array(memory, like) for memory, like in zip(memories, likes)]

    def pair_of(self, xs):
        wide = self.takes_reference([x.dtype.name for x in xs])
        return self.reference if wide and isinstance(self.reference, Pair) else \
            Pair(self.reference, self.f.backward, None, False) if wide else self.f

    def call(self, xs):
        return self.forward_of(self.pair_of(xs), xs)[0]

    def forward_of(self, function, xs):
        function.rounding = self.rounding
        result = function.forward(*xs)
        saved = None
        if function.saves:
            if not isinstance(result, tuple) or len(result) != 2:
                raise TypeError(f"forward returned {type(result).__name__}: with saves=True it returns (y, saved)")
            result, saved = result
        ys = [y for y in map(on_host, listed(result)) if y.dtype.name in library.FLOATING]
        if not ys:
            what = " and ".join(sorted({f"an array of {on_host(y).dtype}" if hasattr(y, "dtype") else type(y).__name__ for y in listed(result)}))
            raise ValueError(f"it returned {what}, and no floating array: nothing to differentiate")
        return ys, saved

    def forward(self, word, memories, wanted, record):
        likes = self.leaves + [None] * (len(memories) - len(self.leaves))
        xs = self.arrays(memories, likes)
        function = self.pair_of(xs)
        if word == "":
            ys, saved = self.forward_of(function, xs)
            self.outputs = len(ys)
            return ys, (function, xs, saved, list(self.floating))
        if word == "J" and function.jvp:
            return [on_host(y) for y in listed(function.jvp(*xs))], None
        if word == "V" and isinstance(function.backward, Pair):
            count = len(self.floating)
            found = self.forward_of(function.backward, self.arguments(function, xs[:count], xs[count:]))[0]
            return found, (function.backward, xs, None, self.differentiable("V"))
        raise NotThere(f"{function.__name__} has no " +
                       ("jvp" if word[-1] == "J" else "backward of its backward (a pair whose backward is a pair)"))

    def arguments(self, function, xs, vs):
        if not function.saves:
            return [*xs, *vs]
        return [function.forward(*xs)[1], *vs]

    def backward(self, graph, incoming):
        function, xs, saved, mask = graph
        ys = self.outputs if mask == self.floating else len([one for one in self.floating if one])
        vs = [self.array(v) if v is not None else None for v in incoming]
        if any(v is None for v in vs):
            shapes = [np.shape(y) for y in self.forward_of(function, xs)[0]]
            vs = [np.zeros(shapes[k], xs[0].dtype) if v is None else v for k, v in enumerate(vs[:ys])]
        return self.found(function, xs, saved, mask, vs)

    def found(self, function, xs, saved, mask, vs):
        function.rounding = self.rounding
        found = listed(function.backward(saved, *vs) if function.saves else function.backward(*xs, *vs))
        count = sum(mask)
        if len(found) == len(mask) != count:  # one for every input, None for the whole ones
            found = [one for one, is_floating in zip(found, mask) if is_floating]
        if len(found) != count:
            raise TypeError(f"backward returned {len(found)} gradients for {count} floating inputs")
        return [None if one is None else on_host(one) for one in found]

    def described(self, outputs):
        described = []
        for k, y in enumerate(outputs):
            if y is None:
                described.append(library.Tensor())
                continue
            if y.dtype.name not in library.DTYPES:
                raise TypeError(f"it returned an array of {y.dtype}")
            y = outputs[k] = np.ascontiguousarray(y, y.dtype.newbyteorder("=")).reshape(np.shape(y))
            described.append(library.row_major(y.ctypes.data or 1, y.dtype.name, y.shape))
        return described

    def values(self, leaves, reference=False):
        with self.forced(reference):
            return [np.asarray(y, np.float64).ravel().tolist() for y in self.call([self.module.asarray(leaf.copy()) for leaf in leaves])]

    def gradients(self, leaves, reference=False):
        with self.forced(reference):
            xs = [self.module.asarray(leaf.copy()) for leaf in leaves]
            function = self.pair_of(xs)
            ys, saved = self.forward_of(function, xs)
            found = self.found(function, xs, saved, self.floating, [self.module.ones_like(self.module.asarray(y)) for y in ys])
            return [np.zeros(leaf.size).tolist() if one is None else np.asarray(one, np.float64).ravel().tolist()
                    for leaf, one in zip([x for x, is_floating in zip(leaves, self.floating) if is_floating], found)]

    def cast(self, leaf, dtype):
        return leaf.astype(dtype) if self.dtype_of(leaf) in library.FLOATING else leaf

    def inputs(self):
        kept = [one if one.dtype.name in library.DTYPES else one.astype(np.int64) for one in self.leaves]
        kept = [np.ascontiguousarray(one).reshape(one.shape) for one in kept]
        return kept, self.described(kept)


def array_module(argument):
    name = type(argument).__module__.partition(".")[0]
    return __import__(name) if name == "cupy" else None
