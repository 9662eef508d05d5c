"""Subject: a function of some framework, and what it differentiates into, by words (verify/python/callbacks.h)."""
import contextlib

from .library import FLOATING


class Subject:
    """A framework says how to call, how to go back and how to go forward; words are the same for all.

    `leaves` are the inputs as a list of its arrays, `names` what they are called, and `wanted` which of them are
    differentiated."""

    reference, is_forced = None, False
    surrogate = None  # from inputs and incoming gradients, what gradients have to be
    native = False  # forward is compiled code: rounding modes may be tried
    rounding = 0    # the mode that is tried
    takes_lengths = True  # longer inputs cost little
    order = 3       # how many letters V a word may have
    note = ""       # what the report has to say of this function
    narrow = None   # the type of 8 bits, if an input has one: all are carried in bfloat16 to the verifier

    def __init__(self, leaves, names, wanted):
        self.leaves, self.names, self.wanted = leaves, names, wanted
        self.floating = [self.dtype_of(leaf) in FLOATING for leaf in leaves]
        self.outputs = 0  # of the function itself; the first call counts them

    # --- what a framework defines -----------------------------------------------------------------------------------

    def dtype_of(self, leaf):
        raise NotImplementedError

    def forward(self, word, memories, wanted, record):
        """The outputs for inputs in these memories and, if `record`, what backward() needs."""
        raise NotImplementedError

    def backward(self, graph, incoming):
        """One gradient, or None, for each floating input of the word; an incoming one that is None is missing."""
        raise NotImplementedError

    def arrays(self, memories, likes):
        """The framework's own arrays over these memories."""
        raise NotImplementedError

    def declared(self, memories):
        """What the surrogate says, one gradient for each floating input."""
        count = len(self.leaves)
        arrays = self.arrays(memories, self.leaves + [None] * (len(memories) - count))
        found = self.surrogate(*arrays)
        found = list(found) if isinstance(found, (tuple, list)) else [found]
        if len(found) != sum(self.floating):
            raise TypeError(f"the surrogate returned {len(found)} gradients for {sum(self.floating)} floating inputs")
        floating = [x for x, is_floating in zip(arrays, self.floating) if is_floating]
        return [0 * x if one is None else one for x, one in zip(floating, found)]

    def described(self, outputs):
        """library.Tensor for each output, over memory that lives as long as the output."""
        raise NotImplementedError

    def is_not_there(self, error, word):
        """Whether the error says that the framework has no such derivative of this function."""
        return False

    def values(self, leaves, reference=False):
        """The results at these inputs as lists of numbers; of the reference if asked for."""
        raise NotImplementedError

    def gradients(self, leaves, reference=False):
        """The gradient of each wanted input as numbers, for incoming gradients of ones; None if it cannot be asked."""
        return None

    def underflow(self):
        """What a gradient of 8 bits may lose beside its rounding."""
        return 0.0

    def cast(self, leaf, dtype):
        """A floating input in another type; others as they are."""
        raise NotImplementedError

    def questions(self):
        """(check, question(subject, tensors) -> what is wrong) of this framework alone."""
        return []

    # --- the reference ------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def forced(self, reference):
        self.is_forced = reference
        try:
            yield
        finally:
            self.is_forced = False

    def takes_reference(self, dtypes):
        """Kernels that know no float64 have a reference, which stands for them there."""
        return self.reference is not None and (self.is_forced or "float64" in dtypes)

    # --- words --------------------------------------------------------------------------------------------------------

    def differentiable(self, word):
        """For each input of the word, whether it is floating."""
        if not word:
            return self.floating
        inner = self.differentiable(word[:-1])
        return inner + [True] * (self.count(word[:-1]) if word[-1] == "V" else sum(inner))

    def count(self, word):
        """How many outputs a word has."""
        if not word:
            return self.outputs
        return sum(self.differentiable(word[:-1])) if word[-1] == "V" else self.count(word[:-1])

    def probe(self, tensors):
        """One plain call: how many outputs there are. What it raises is the user's to see."""
        from .memory import Memory
        self.forward("", [Memory(tensor) for tensor in tensors], self.wanted, False)
