"""The functions of the Python array API standard (2024.12) on tensors: what x.__array_namespace__() gives. Where PyTorch's functions
have other names, parameters or results, these have the standard's; all can be differentiated as those can."""
import builtins as _builtins
import types as _types

from . import _tensors, tensors as _t

__array_api_version__ = "2024.12"
Tensor, float32, float64, int8, int16, int32, int64, uint8, bool, device = (
    getattr(_t, _name) for _name in "Tensor float32 float64 int8 int16 int32 int64 uint8 bool device".split())
e, inf, nan, pi, newaxis = _t.e, _t.inf, _t.nan, _t.pi, None

# The same in both.
for _name in ("abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_or bitwise_xor ceil copysign cos cosh divide exp expm1 floor "
              "floor_divide greater greater_equal hypot isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and "
              "logical_not logical_or logical_xor maximum minimum multiply negative not_equal pow reciprocal remainder sign signbit sin sinh "
              "square sqrt subtract tan tanh trunc matmul empty_like zeros_like ones_like full_like full linspace arange broadcast_to moveaxis "
              "isin eye zeros ones empty from_dlpack round").split():
    globals()[_name] = getattr(_t, _name)
bitwise_invert, equal = _t.bitwise_not, _t.eq


def positive(x, /):
    return x


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    made = _t.as_tensor(obj, dtype=dtype, device=device)
    return made.clone() if copy and isinstance(obj, Tensor) else made


def astype(x, dtype, /, *, copy=True, device=None):
    made = x.to(device=device, dtype=dtype)
    return made.clone() if copy and made.data_ptr() == x.data_ptr() else made


def _axes(x, axis):
    return tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)


def _wide(x, dtype):  # whole numbers are summed as int64
    return x.to(dtype) if dtype is not None else x if x.dtype.is_floating_point else x.to(int64)


def _reduced(function):
    def reduced(x, /, *, axis=None, keepdims=False):
        return function(x, _axes(x, axis), keepdims)
    return reduced


def _one_by_one(name):  # for functions of one dimension
    def function(x, dims, keepdims):
        for dim in sorted((dim % x.ndim for dim in dims), reverse=True):
            x = getattr(_t, name)(x, dim, keepdims)
        return x
    return _reduced(function)


max, min, mean = (_reduced(_one) for _one in (_t.amax, _t.amin, _t.mean))
all, any = _one_by_one("all"), _one_by_one("any")


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    x, dims = _wide(x, dtype), _axes(x, axis)
    return _t.sum(x, dims, keepdims) if dims else x


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    x = _wide(x, dtype)
    for dim in sorted((dim % x.ndim for dim in _axes(x, axis)), reverse=True):
        x = _t.prod(x, dim, keepdims)
    return x


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    return _t.var(x, _axes(x, axis), correction=int(correction), keepdim=keepdims)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    return sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def _found(name):
    def found(x, /, *, axis=None, keepdims=False):
        made = getattr(_t, name)(x, axis, keepdims) if axis is not None else getattr(_t, name)(x)
        return made.reshape((1,) * x.ndim) if axis is None and keepdims else made
    return found


argmax, argmin = _found("argmax"), _found("argmin")


def count_nonzero(x, /, *, axis=None, keepdims=False):
    return sum(x != 0, axis=axis, keepdims=keepdims)


def _scan(function):
    def scan(x, /, *, axis=None, dtype=None, include_initial=False):
        axis = 0 if axis is None and x.ndim == 1 else axis
        made = function(_wide(x, dtype), axis)
        first = _t.full_like(made.narrow(axis, 0, 1), 0 if function is _t.cumsum else 1) if include_initial else None
        return made if first is None else _t.cat([first, made], axis)
    return scan


cumulative_sum, cumulative_prod = _scan(_t.cumsum), _scan(_t.cumprod)


def diff(x, /, *, axis=-1, n=1):
    for _ in range(n):
        x = x.narrow(axis, 1, x.shape[axis] - 1) - x.narrow(axis, 0, x.shape[axis] - 1)
    return x


def clip(x, /, min=None, max=None):
    for bound, narrowed in ((min, _t.maximum), (max, _t.minimum)):
        if bound is not None:
            x = narrowed(x, (bound if isinstance(bound, Tensor) else _t.full_like(x, bound)).to(x.dtype))
    return x


def sort(x, /, *, axis=-1, descending=False, stable=True):
    return _t.sort(x, axis, descending)[0]


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    return _t.argsort(x, axis, descending)


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    return _t.searchsorted(x1 if sorter is None else x1[sorter], x2, right=side == "right")


def nonzero(x, /):
    return tuple(_t.nonzero(x).unbind(1))


def where(condition, x1, x2, /):
    return _t.where(condition, x1, x2)


def take(x, indices, /, *, axis=None):
    return x.index_select(0 if axis is None else axis, indices)


def take_along_axis(x, indices, /, *, axis=-1):
    return _t.take_along_dim(x, indices, axis)


def unique_all(x, /):
    flat = x.reshape(-1)
    order = _t.argsort(flat)
    values, inverse, counts = _t.unique_consecutive(flat[order], return_inverse=True, return_counts=True)
    first = _t.cumsum(counts, 0) - counts
    back = _t.empty_like(order)
    back[order] = inverse
    return _types.SimpleNamespace(values=values, indices=order[first], inverse_indices=back.reshape(x.shape), counts=counts)


def unique_values(x, /):
    return unique_all(x).values


def unique_counts(x, /):
    return (made := unique_all(x)).values, made.counts


def unique_inverse(x, /):
    return (made := unique_all(x)).values, made.inverse_indices


def reshape(x, /, shape, *, copy=None):
    return (x.clone() if copy else x).reshape(tuple(shape))


def permute_dims(x, /, axes):
    return x.permute(tuple(axes))


def expand_dims(x, /, *, axis=0):
    return x.unsqueeze(axis)


def squeeze(x, /, axis):
    for dim in sorted((dim % x.ndim for dim in _axes(x, axis)), reverse=True):
        if x.shape[dim] != 1:
            raise ValueError(f"squeeze: dimension {dim} has {x.shape[dim]} entries")
        x = x.squeeze(dim)
    return x


def flip(x, /, *, axis=None):
    return _t.flip(x, _axes(x, axis))


def roll(x, /, shift, *, axis=None):
    both = [one if isinstance(one, int) else tuple(one) for one in (shift, axis) if one is not None]
    return _t.roll(x, *both)


def repeat(x, repeats, /, *, axis=None):
    return _t.repeat_interleave(x.reshape(-1) if axis is None else x, repeats, 0 if axis is None else axis)


def tile(x, repetitions, /):
    return _t.tile(x, tuple(repetitions))


def concat(arrays, /, *, axis=0):
    return _t.cat([one.reshape(-1) for one in arrays] if axis is None else list(arrays), axis or 0)


def stack(arrays, /, *, axis=0):
    return _t.stack(list(arrays), axis)


def unstack(x, /, *, axis=0):
    return tuple(x.unbind(axis))


def broadcast_arrays(*arrays):
    shape = broadcast_shapes(*(one.shape for one in arrays))
    return [broadcast_to(one, shape) for one in arrays]


def broadcast_shapes(*shapes):
    count = _builtins.max(map(len, shapes), default=0)
    made = []
    for sizes in zip(*((1,) * (count - len(one)) + tuple(one) for one in shapes)):
        wanted = {size for size in sizes if size != 1} or {1}
        if len(wanted) > 1:
            raise ValueError(f"broadcast: shapes {[tuple(one) for one in shapes]} do not go together")
        made += wanted
    return tuple(made)


def meshgrid(*arrays, indexing="xy"):
    return _t.meshgrid(*arrays, indexing=indexing if len(arrays) > 1 else "ij")


def tril(x, /, *, k=0):
    return _t.tril(x, k)


def triu(x, /, *, k=0):
    return _t.triu(x, k)


def matrix_transpose(x, /):
    return x.transpose(-2, -1)


def tensordot(x1, x2, /, *, axes=2):
    return _t.tensordot(x1, x2, axes if isinstance(axes, int) else tuple(list(one) for one in axes))


def vecdot(x1, x2, /, *, axis=-1):
    return (x1 * x2).sum(axis)


# ---- Types ----

_KINDS = {"bool": (bool,), "signed integer": (int8, int16, int32, int64), "unsigned integer": (uint8,), "real floating": (float32, float64),
          "complex floating": ()}
_KINDS.update({"integral": _KINDS["signed integer"] + _KINDS["unsigned integer"]})
_KINDS.update({"numeric": _KINDS["integral"] + _KINDS["real floating"]})


def isdtype(dtype, kind):
    if isinstance(kind, tuple):
        return _builtins.any(isdtype(dtype, one) for one in kind)
    return dtype in _KINDS[kind] if isinstance(kind, str) else dtype is kind


def result_type(*arrays_and_dtypes):
    tensors = [_t.empty(0 if not isinstance(one, (int, float)) else (), dtype=getattr(one, "dtype", one)) if not isinstance(one, (int, float))
               else one for one in arrays_and_dtypes]
    made = tensors[0]
    for one in tensors[1:]:
        made = made + one
    return made.dtype


def can_cast(from_, to, /):
    return result_type(getattr(from_, "dtype", from_), to) is to


def _numpy_info(which, type):
    import numpy
    return getattr(numpy, which)(str(getattr(type, "dtype", type)).split(".")[1])


def finfo(type, /):
    return _numpy_info("finfo", type)


def iinfo(type, /):
    return _numpy_info("iinfo", type)


class __array_namespace_info__:
    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        return device("cpu")

    def devices(self):
        return [device("cpu")] + [device("cuda", i) for i in range(_tensors.cuda_device_count())]

    def default_dtypes(self, *, device=None):
        return {"real floating": float32, "integral": int64, "indexing": int64}

    def dtypes(self, *, device=None, kind=None):
        return {str(one).split(".")[1]: one for one in _KINDS["bool"] + _KINDS["numeric"] if kind is None or isdtype(one, kind)}


linalg = _types.SimpleNamespace(
    matmul=matmul, matrix_transpose=matrix_transpose, outer=_t.outer, tensordot=tensordot, vecdot=vecdot, det=_t.linalg_det, inv=_t.linalg_inv,
    solve=_t.linalg_solve, cholesky=_t.linalg_cholesky, qr=_t.linalg_qr, svd=_t.linalg_svd, eigh=_t.linalg_eigh, eigvalsh=_t.linalg_eigvalsh,
    svdvals=_t.linalg_svdvals, slogdet=_t.linalg_slogdet, cross=_t.linalg_cross,
    trace=lambda x, /, *, offset=0: x.diagonal(offset, -2, -1).sum(-1),
    vector_norm=lambda x, /, *, axis=None, keepdims=False, ord=2: _t.linalg_vector_norm(x, ord, _axes(x, axis), keepdims))
