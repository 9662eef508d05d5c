"""Tensors of notape under PyTorch's names. `import notape` shows what is here when it is first used."""
import builtins as _builtins
import collections as _collections
import contextlib as _contextlib
import math as _math
import pickle as _pickle

from . import _tensors


class Size(tuple):
    """The sizes of a tensor."""
    __slots__ = ()

    def numel(self):
        return _math.prod(self)

    def __repr__(self):
        return f"notape.Size({list(self)})"

    def __getitem__(self, index):
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, _builtins.slice) else found


_tensors.set_size_type(Size)
# From here on sum, abs, bool and so on are those of tensors.
globals().update({_name: _one for _name, _one in vars(_tensors).items() if not _name.startswith("__")})
Tensor = _tensors.Tensor

for _type, _names in {float32: "float", float64: "double", float16: "half", int64: "long", int32: "int", int16: "short"}.items():
    globals()[_names] = _type
inf, nan, pi, e = _math.inf, _math.nan, _math.pi, _math.e
strided, contiguous_format, preserve_format = "strided", "contiguous_format", "preserve_format"

# PyTorch's other names of a function.
_ALIASES = {
    "concat": "cat", "concatenate": "cat", "multiply": "mul", "multiply_": "mul_", "subtract": "sub", "divide": "div",
    "true_divide": "div", "negative": "neg", "absolute": "abs", "greater": "gt", "greater_equal": "ge", "less": "lt",
    "less_equal": "le", "not_equal": "ne", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "special_expit": "sigmoid", "fix": "trunc", "ger": "outer",
    "linalg_norm": "norm", "linalg_matmul": "matmul", "clip": "clamp"}
for _name, _one in _ALIASES.items():
    globals()[_name] = globals()[_one]
    setattr(Tensor, _name, globals()[_one])

# Functions with several results give named tuples.
_RESULTS = {"values indices": "max min sort topk median cummax cummin", "sign logabsdet": "slogdet linalg_slogdet",
            "Q R": "linalg_qr", "eigenvalues eigenvectors": "linalg_eigh", "U S Vh": "linalg_svd", "min max": "aminmax"}
for _fields, _names in _RESULTS.items():
    for _name in _names.split():
        _type = _collections.namedtuple(_name, _fields)
        globals()[_name].result_type = _type


def is_tensor(object):
    return isinstance(object, Tensor)


def as_tensor(data, dtype=None, device=None):
    if isinstance(data, Tensor):
        return data.to(device=device, dtype=dtype)
    made = from_numpy(data) if hasattr(data, "__array_interface__") and data.shape else tensor(data, dtype=dtype)
    return made.to(device=device, dtype=dtype)


asarray = as_tensor


def numel(input):
    return input.numel()


def is_floating_point(input):
    return input.is_floating_point()


def einsum(equation, *operands):
    return _tensors.einsum(equation, list(operands[0] if len(operands) == 1 and not isinstance(operands[0], Tensor) else operands))


def tensordot(a, b, dims=2):
    if isinstance(dims, _builtins.int):
        dims = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    return _tensors.tensordot(a, b, *dims)


def meshgrid(*tensors, indexing="ij"):
    tensors = tensors[0] if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else tensors
    if indexing == "xy":
        rows = meshgrid(tensors[1], tensors[0], *tensors[2:])
        return (rows[1], rows[0], *rows[2:])
    sizes = [one.numel() for one in tensors]
    return tuple(one.reshape([-1 if i == j else 1 for j in range(len(sizes))]).expand(sizes) for i, one in enumerate(tensors))


def vstack(tensors):
    return cat([one if one.ndim > 1 else one.reshape(1, -1) for one in tensors], 0)


def hstack(tensors):
    return cat(list(tensors), 0 if tensors[0].ndim == 1 else 1)


# ---- Grad mode ----

class set_grad_enabled(_contextlib.ContextDecorator):
    """At once, and in a scope until its end."""

    def __init__(self, mode):
        self.before, self.mode = is_grad_enabled(), mode
        _tensors._set_grad_enabled(mode)

    def _recreate_cm(self):  # a decorated function sets it when it is called
        return type(self)(self.mode)

    def __enter__(self):
        _tensors._set_grad_enabled(self.mode)
        return self

    def __exit__(self, *_):
        _tensors._set_grad_enabled(self.before)
        return False


class _GradMode(_contextlib.ContextDecorator):
    mode = False

    def __new__(cls, function=None):
        made = super().__new__(cls)
        return made if function is None else made(function)  # @no_grad without brackets

    def __init__(self, function=None):
        pass

    def _recreate_cm(self):
        return type(self)()

    def __enter__(self):
        self.before = is_grad_enabled()
        _tensors._set_grad_enabled(self.mode)
        return self

    def __exit__(self, *_):
        _tensors._set_grad_enabled(self.before)
        return False


class no_grad(_GradMode):
    """Nothing is recorded inside; also as a decorator."""


class enable_grad(_GradMode):
    mode = True


inference_mode = no_grad


# ---- What is simpler in Python than in C++ ----

class RemovableHandle:
    def __init__(self, remove):
        self._remove = remove

    def remove(self):
        self._remove()


def _register_hook(self, hook):
    """Calls `hook` with the gradient of this tensor; what it returns, if not None, replaces it."""
    index = self._register_hook(hook)
    return RemovableHandle(lambda: self._remove_hook(index))


def _register_post_accumulate_grad_hook(self, hook):
    index = self._register_post_accumulate_grad_hook(lambda _: hook(self))
    return RemovableHandle(lambda: self._remove_post_accumulate_grad_hook(index))


def _numpy(self, *, force=False):
    """The same memory as an array of NumPy; writes are seen by both."""
    import numpy
    return numpy.asarray(memoryview(self.detach().cpu() if force else self))


def _array(self, dtype=None, copy=None):
    array = _numpy(self)
    return array if dtype is None or array.dtype == dtype else array.astype(dtype)


def _type(self, dtype=None):
    if dtype is None:
        return f"notape.{str(self.dtype).split('.')[1].capitalize()}Tensor"
    return self.to(dtype)


def _rebuild(data, dtype, shape, requires_grad, kind):
    made = empty(shape, dtype=uint8 if dtype is bfloat16 else dtype)
    if dtype is bfloat16:
        made = tensor(memoryview(data).cast("f"), dtype=float32).reshape(shape).to(bfloat16) if data else made.to(bfloat16)
    elif data:
        memoryview(made.reshape(-1)).cast("B")[:] = data
    made.requires_grad_(requires_grad)
    return made if kind is Tensor else kind(made, requires_grad)


def _reduce(self, protocol):
    values = self.detach().cpu().contiguous()
    data = memoryview((values.float() if values.dtype is bfloat16 else values).reshape(-1)).tobytes() if self.numel() else b""
    return _rebuild, (data, self.dtype, tuple(self.shape), self.requires_grad, type(self))


def _deepcopy(self, memo):
    if self.grad_fn is not None:
        raise RuntimeError("only leaves can be copied deeply: detach() them first")
    made = self.detach().clone()
    made = made.requires_grad_(self.requires_grad) if type(self) is Tensor else type(self)(made, self.requires_grad)
    if self.grad is not None:
        made.grad = self.grad.detach().clone()
    return memo.setdefault(id(self), made)


def _repr(self):
    from . import _printing
    return _printing.text(self)


def _format(self, spec):
    return format(self.item(), spec) if self.ndim == 0 and spec else repr(self) if not spec else object.__format__(self, spec)


def _contains(self, value):
    return _builtins.bool((self == value).any())


def _where(self, condition, other):
    return where(condition, self, other)


def _new(make):
    def new(self, *size, **options):
        return make(*size, **{"dtype": self.dtype, "device": self.device, **options})
    return new


for _name, _one in {
        "register_hook": _register_hook, "register_post_accumulate_grad_hook": _register_post_accumulate_grad_hook,
        "numpy": _numpy, "__array__": _array, "type": _type, "__reduce_ex__": _reduce, "__deepcopy__": _deepcopy, "__repr__": _repr,
        "__format__": _format, "__contains__": _contains, "where": _where, "__array_priority__": 1000, "new_zeros": _new(zeros), "new_ones": _new(ones),
        "new_empty": _new(empty), "new_full": _new(full), "new_tensor": _new(tensor),
        "__array_namespace__": lambda self, api_version=None: __import__("notape.array_api").array_api}.items():
    setattr(Tensor, _name, _one)


def save(obj, f):
    """With pickle; `f` is a path or a file."""
    with _contextlib.nullcontext(f) if hasattr(f, "write") else open(f, "wb") as file:
        _pickle.dump(obj, file)


def load(f, map_location=None, weights_only=None):
    """What save() wrote. As pickle does, it runs what the file says: load only your own."""
    with _contextlib.nullcontext(f) if hasattr(f, "read") else open(f, "rb") as file:
        return _pickle.load(file)
