"""The standard's functions on tensors beside NumPy 2, whose own namespace keeps the standard."""
import numpy as np
import pytest

import notape
from notape import array_api

pytestmark = pytest.mark.skipif(np.__version__.startswith("1."), reason="NumPy 2 keeps the array API standard")
CASES = """xp.sum(x); xp.sum(x, axis=1); xp.sum(x, axis=(0, 1), keepdims=True); xp.sum(i); xp.prod(x, axis=0); xp.prod(x); xp.prod(i); xp.mean(x, axis=0); xp.mean(x);
xp.max(x); xp.max(x, axis=1, keepdims=True); xp.min(i); xp.var(x); xp.var(x, axis=1, correction=1); xp.std(x, axis=0); xp.all(b, axis=0); xp.any(b); xp.all(b);
xp.argmax(x); xp.argmax(x, axis=1); xp.argmin(x, axis=0, keepdims=True); xp.count_nonzero(i); xp.count_nonzero(x, axis=1); xp.cumulative_sum(x, axis=1);
xp.cumulative_sum(v, include_initial=True); xp.cumulative_prod(x, axis=0); xp.diff(x); xp.diff(x, axis=0); xp.diff(v, n=2); xp.clip(x, 0.2, 0.6); xp.clip(x, max=y); xp.clip(x, min=0.5);
xp.sort(x); xp.sort(x, axis=0); xp.argsort(x); xp.searchsorted(xp.sort(v), x); xp.nonzero(b)[1]; xp.where(b, x, y); xp.take(x, j, axis=1);
xp.take_along_axis(x, xp.argsort(x), axis=1); xp.sort(xp.unique_values(i)); xp.unique_counts(i)[1]; xp.unique_inverse(i)[1]; xp.unique_all(i).indices; xp.reshape(x, (4, 3));
xp.permute_dims(x, (1, 0)); xp.expand_dims(x, axis=1); xp.squeeze(xp.expand_dims(x, axis=0), axis=0); xp.flip(x); xp.flip(x, axis=1); xp.roll(x, 1); xp.roll(x, (1, 2), axis=(0, 1));
xp.repeat(v, 2); xp.repeat(x, 2, axis=1); xp.tile(x, (2, 1)); xp.concat([x, y], axis=1); xp.concat((x, v), axis=None); xp.stack([x, y], axis=2); xp.unstack(x, axis=1)[2];
xp.broadcast_arrays(x, v)[1]; xp.broadcast_to(v, (3, 4)); xp.meshgrid(v, v)[0]; xp.meshgrid(v, v, indexing="ij")[1]; xp.tril(m, k=1); xp.triu(m); xp.matrix_transpose(x);
xp.tensordot(x, m, axes=1); xp.tensordot(x, y, axes=((0, 1), (0, 1))); xp.vecdot(x, y); xp.linalg.trace(m); xp.linalg.det(m); xp.linalg.vector_norm(x, axis=1); xp.linalg.solve(m, v);
xp.astype(x, xp.float32); xp.astype(b, xp.int64); xp.asarray([1.0, 2.0]); xp.asarray(x, copy=True); xp.positive(x); xp.bitwise_invert(b); xp.equal(i, i); xp.pow(x, y);
xp.linspace(0.0, 1.0, 5); xp.arange(3); xp.zeros((2, 3)); xp.ones(4); xp.full((2,), 3); xp.eye(3); xp.zeros_like(x); xp.full_like(x, 2.0); xp.add(x, y); xp.matmul(x, m); xp.round(x);
xp.isin(i, j); xp.atan2(x, y); xp.logaddexp(x, y); xp.hypot(x, y); xp.copysign(x, -y); xp.signbit(-x); xp.remainder(x, y); xp.floor_divide(x, y); xp.moveaxis(x, 0, 1)"""
NUMBERS = np.random.default_rng(1)
ARRAYS = {name: NUMBERS.uniform(0.1, 0.9, shape) for name, shape in dict(x=(3, 4), y=(3, 4), v=(4,), m=(4, 4)).items()}
ARRAYS.update(i=np.array([3, 1, 3, 2, 1]), j=np.array([0, 3]), b=ARRAYS["x"] > 0.5)


@pytest.mark.parametrize("text", [one.strip() for one in CASES.replace("\n", " ").split(";")])
def test_as_numpy(text):
    tensors = {name: notape.tensor(one) for name, one in ARRAYS.items()}
    xp = tensors["x"].__array_namespace__()
    assert xp is array_api
    ours, theirs = eval(text, {"xp": xp, **tensors}), np.asarray(eval(text, {"xp": np, **ARRAYS}))
    assert tuple(ours.shape) == theirs.shape
    if "float" in str(ours.dtype) and "(x" not in text:  # notape's default is float32
        theirs = theirs.astype(str(ours.dtype).split(".")[1])
    assert str(ours.dtype).split(".")[1] == theirs.dtype.name
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-6 if theirs.dtype == np.float32 else 1e-12)


def test_types():
    xp = array_api
    assert xp.isdtype(xp.float32, "real floating") and not xp.isdtype(xp.int32, ("bool", "real floating")) and xp.isdtype(xp.uint8, xp.uint8)
    assert xp.result_type(xp.int32, xp.int64) is xp.int64 and xp.result_type(notape.ones(2), xp.float64) is xp.float64 and xp.result_type(xp.float32, 2) is xp.float32
    assert xp.can_cast(xp.int32, xp.int64) and not xp.can_cast(xp.float64, xp.float32)
    assert xp.finfo(xp.float32).eps == 2.0**-23 and xp.iinfo(notape.ones(1, dtype=notape.int32)).max == 2**31 - 1
    info = xp.__array_namespace_info__()
    assert info.dtypes(kind="real floating") == {"float32": xp.float32, "float64": xp.float64} and str(info.default_device()) == "cpu"


def test_every_name_of_the_standard_is_there_or_said_to_be_missing():
    missing = set("complex64 complex128 conj imag real uint16 uint32 uint64 bitwise_left_shift bitwise_right_shift nextafter fft".split())
    strict = pytest.importorskip("array_api_strict")
    names = {one for one in strict.__all__ if "flags" not in one.lower() and one not in ("Device", "__version__")}
    assert {one for one in names if not hasattr(array_api, one)} == missing


def test_copies_are_copies_and_others_are_not():
    x = notape.ones(3)
    for copied in (array_api.asarray(x, copy=True), array_api.astype(x, notape.float32), array_api.reshape(x, (3,), copy=True)):
        copied.zero_()
    assert x.tolist() == [1, 1, 1]
    array_api.asarray(x).zero_(), array_api.astype(x, notape.float32, copy=False).add_(2)
    assert x.tolist() == [2, 2, 2]


def test_a_gradient_goes_through():
    x = notape.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    xp = x.__array_namespace__()
    xp.sum(xp.std(xp.expand_dims(x, axis=0), axis=(1, 2))).backward()
    assert x.grad is not None and abs(x.grad.sum().item()) < 1e-6
