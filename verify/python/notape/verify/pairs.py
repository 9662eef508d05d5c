"""pair(): a function of arrays whose backward is written by hand."""
import inspect


class Pair:
    """What pair() makes; can be called as the function itself."""

    def __init__(self, forward, backward, jvp, saves, name=None):
        self.forward, self.backward, self.jvp, self.saves = forward, backward, jvp, saves
        self.recipe = None  # how to make it in another process, if it is made of what cannot be sent
        self.native, self.rounding = False, 0  # of compiled code (cdll): it may be called in other rounding modes
        self.__name__ = name or getattr(forward, "__name__", "pair")
        try:
            code = inspect.unwrap(backward).__code__
            self.file, self.line = code.co_filename, code.co_firstlineno
        except (AttributeError, TypeError):
            self.file, self.line = "", 0

    def __reduce__(self):
        return self.recipe or (Pair, (self.forward, self.backward, self.jvp, self.saves, self.__name__))

    def __call__(self, *inputs):
        result = self.forward(*inputs)
        return result[0] if self.saves else result


def pair(forward, backward, jvp=None, saves=False):
    """`forward(*x) -> y` or `(y0, y1, ...)`, `backward(*x, *grad_y) -> grad_x` or `(grad_x0, ...)`, one for each
    floating x, None for zeros; `jvp(*x, *tangent_x) -> tangent_y`.

    With saves=True, `forward(*x) -> (y, saved)` and `backward(saved, *grad_y)`. A backward that is a pair itself gives
    the second order: its backward gets (*x, *grad_y, *grad_of_its_results)."""
    return Pair(forward, backward, jvp, saves)
