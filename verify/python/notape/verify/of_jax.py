"""Functions of JAX arrays. Imports jax, which the user did before."""
import contextlib

import jax
import jax.numpy as jnp
import numpy as np

from . import library
from .extra import SMALLEST, batch_fault
from .memory import MARGIN
from .subject import Subject

NOT_THERE = ("can't apply forward-mode", "not implemented", "does not support reverse-mode")


def wide():
    return jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64()


def as_called(arrays):
    """With float64 where there is any, else as the user has it: in float32 `x + jnp.ones(3)` is to stay that."""
    return wide() if any(str(one.dtype) == "float64" for one in arrays) else contextlib.nullcontext()


class JaxSubject(Subject):
    takes_lengths = False  # every one is compiled

    def __init__(self, f, arguments, reference=None, dtype=None):
        self.f, self.reference, self.programs = f, reference, {}
        self.flat, self.tree = jax.tree_util.tree_flatten(tuple(arguments))
        paths = jax.tree_util.tree_flatten_with_path(tuple(arguments))[0]
        names = ["input " + jax.tree_util.keystr(path)[1:].replace("]", "", 1) for path, _ in paths]
        self.places = [i for i, one in enumerate(self.flat) if isinstance(one, (jax.Array, np.ndarray)) and not jnp.issubdtype(one.dtype, jax.dtypes.prng_key)]
        with wide():
            for i in self.places:
                self.flat[i] = jnp.asarray(self.flat[i])
                if jnp.iscomplexobj(self.flat[i]):
                    raise ValueError(f"{names[i]} is {self.flat[i].dtype}: give its two parts as two inputs")
                if dtype is not None and jnp.issubdtype(self.flat[i].dtype, jnp.floating):
                    self.flat[i] = self.flat[i].astype(dtype)
        leaves = [self.flat[i] for i in self.places]
        self.types = [leaf.dtype for leaf in leaves]
        self.narrow = next((one.name for one in self.types if one.name in library.NARROW), None)
        if self.narrow:
            if reference is None:
                raise ValueError(f"an input is of {self.narrow}: give reference=, the same function of float64 arrays")
            self.order = 1
            leaves = [leaf.astype(library.CARRIER) if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf for leaf in leaves]
        super().__init__(leaves, [names[i] for i in self.places],
                         [self.dtype_of(leaf) in library.FLOATING for leaf in leaves])

    def dtype_of(self, leaf):
        return leaf.dtype.name

    def array(self, memory, like=None):
        dtype = jnp.dtype(memory.dtype)
        steps = [step * dtype.itemsize for step in memory.strides]
        array = jnp.array(np.ndarray(memory.sizes, dtype, memory.bytes, MARGIN, steps))
        return array if like is None or self.dtype_of(like) in library.FLOATING else array.astype(like.dtype)

    def call(self, xs):
        flat = list(self.flat)
        is_wide = self.takes_reference([x.dtype.name for x in xs])
        for place, x, own in zip(self.places, xs, self.types):
            flat[place] = x if is_wide or not self.narrow else x.astype(own)
        f = self.reference if is_wide else self.f
        result = f(*jax.tree_util.tree_unflatten(self.tree, flat))
        every = [jnp.asarray(y) for y in jax.tree_util.tree_leaves(result)]
        ys = [y for y in every if jnp.issubdtype(y.dtype, jnp.floating)]
        if not ys:
            what = " and ".join(sorted({f"an array of {y.dtype}" for y in every})) or type(result).__name__
            raise ValueError(f"it returned {what}, and no floating array: nothing to differentiate")
        self.outputs = len(ys)
        return ys if is_wide or not self.narrow else [y.astype(library.CARRIER) for y in ys]

    def underflow(self):
        return SMALLEST[self.narrow] if self.narrow else 0.0  # gradients have the types of inputs

    def apply(self, word, xs):
        if not word:
            return self.call(xs)
        inner, letter = word[:-1], word[-1]
        count = len(self.differentiable(inner))
        of_floating, floating = self.of_floating(inner, xs[:count])
        if letter == "J":
            return list(jax.jvp(of_floating, floating, tuple(xs[count:]))[1])
        return list(jax.vjp(of_floating, *floating)[1](tuple(xs[count:])))

    def of_floating(self, word, xs):
        """The word as a function of its floating inputs alone, and these."""
        places = [i for i, is_floating in enumerate(self.differentiable(word)) if is_floating]

        def function(*floating):
            all_xs = list(xs)
            for i, x in zip(places, floating):
                all_xs[i] = x
            return tuple(self.apply(word, all_xs))

        return function, tuple(xs[i] for i in places)

    def arrays(self, memories, likes):
        return [self.array(memory, like) for memory, like in zip(memories, likes)]

    def declared(self, memories):
        with as_called(memories):
            return super().declared(memories)

    def forward(self, word, memories, wanted, record):
        with as_called(memories):
            likes = self.leaves + [None] * (len(memories) - len(self.leaves))
            xs = self.arrays(memories, likes)
            ys = self.compiled(word, lambda *xs: tuple(self.apply(word, list(xs))), xs)
            return list(ys), (word, xs, ys) if record else None

    def backward(self, graph, incoming):
        word, xs, ys = graph
        with as_called(xs):
            vs = [jnp.zeros_like(y) if v is None else self.array(v).astype(y.dtype) for y, v in zip(ys, incoming)]
            return list(self.compiled(word + "V", lambda *xs: tuple(self.apply(word + "V", list(xs))), xs + vs))

    def compiled(self, word, function, xs):
        """Compiled once: to trace it again in each of some thousand calls takes minutes. What cannot be compiled is called
        as it is."""
        if word not in self.programs:
            self.programs[word] = jax.jit(function)
        try:
            return self.programs[word](*xs)
        except (jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError,
                jax.errors.TracerIntegerConversionError):
            self.programs[word] = function
            return function(*xs)

    def described(self, outputs):
        described = []
        for k, y in enumerate(outputs):
            y = outputs[k] = np.ascontiguousarray(np.asarray(y)).reshape(np.shape(y))
            described.append(library.row_major(y.ctypes.data or 1, y.dtype.name, y.shape))
        return described

    def values(self, leaves, reference=False):
        with as_called(leaves), self.forced(reference):
            return [np.asarray(y, np.float64).ravel().tolist() for y in self.call(list(leaves))]

    def gradients(self, leaves, reference=False):
        with as_called(leaves), self.forced(reference):
            function, floating = self.of_floating("", list(leaves))
            ys, pull = jax.vjp(function, *floating)
            return [np.asarray(one, np.float64).ravel().tolist() for one in pull(tuple(map(jnp.ones_like, ys)))]

    def cast(self, leaf, dtype):
        with wide():
            return leaf.astype(dtype) if self.dtype_of(leaf) in library.FLOATING else leaf

    def questions(self):
        return [] if self.narrow else [("batched", batched_fault)]

    def inputs(self):
        kept = [np.asarray(leaf) for leaf in self.leaves]
        kept = [one if one.dtype.name in library.DTYPES else one.astype(np.int64) for one in kept]
        return kept, self.described(kept)

    def is_not_there(self, error, word):
        return bool(word) and any(one in str(error).lower() for one in NOT_THERE)


def batched_fault(subject, tensors):
    """Two incoming gradients at once, by vmap, against one after the other."""
    def numbers(gradients):
        return [np.asarray(one, np.float64).ravel().tolist() for one in gradients]

    with as_called(subject.leaves):
        of_floating, floating = subject.of_floating("", list(subject.leaves))
        ys, pull = jax.vjp(of_floating, *floating)
        both = tuple(jnp.stack([jnp.ones_like(y), jnp.linspace(1, 2, y.size, dtype=y.dtype).reshape(y.shape)])
                     for y in ys)
        try:
            got = jax.vmap(pull)(both)
        except Exception:  # vmap goes not there
            return ""

        def alone(factor, number):
            near = pull if factor == 1 else jax.vjp(of_floating, *[x * jnp.asarray(factor, x.dtype) for x in floating])[1]
            return numbers(near(tuple(v[number] for v in both)))

        return batch_fault([numbers([one[k] for one in got]) for k in range(2)], alone, ys[0].dtype.name)
