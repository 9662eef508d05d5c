"""check() on functions of PyTorch: right ones pass, and each planted mistake is found. Beside it what
torch.autograd.gradcheck says, which must not find more."""
import gc
import time
import weakref

import pytest

torch = pytest.importorskip("torch")
import notape.verify
from notape.verify import check

X = [[0.5, -1.5, 3.0], [0.25, 2.0, -0.75]]


def x(dtype=torch.float64, grad=True):
    return torch.tensor(X, dtype=dtype, requires_grad=grad)


def function(forward, backward, saves=lambda x: (x,)):
    """An autograd.Function of one tensor: backward(ctx, g, *saved)."""

    class Made(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(*saves(x))
            return forward(x)

    Made.backward = staticmethod(lambda ctx, g: backward(ctx, g, *ctx.saved_tensors))
    return Made.apply


def swish(x):
    return x * torch.sigmoid(x)


def slope(x):
    s = torch.sigmoid(x)
    return s + x * s * (1 - s)


def no_strides(ctx, g, x):  # reads g's memory as if it were row-major
    flat = torch.as_strided(g, (g.untyped_storage().nbytes() // 8 if hasattr(g, "untyped_storage") else
                                len(g.storage()),), (1,), 0)
    return flat[:x.numel()].reshape(x.shape) * slope(x) if flat.numel() >= x.numel() else g * slope(x)


def one_entry(ctx, g, x):
    made = g * slope(x)
    return torch.cat([made[:, :2], made[:, 2:] * 2], 1)


def wrong_second(ctx, g, x):  # right values, but what they depend on is lost
    return g * slope(x.detach())


def ones_only(ctx, g, x):  # right for y.sum().backward() alone
    return slope(x) * g.mean()


class Accumulating:
    def __init__(self):
        self.kept = None

    def __call__(self, ctx, g, x):
        made = g * slope(x)
        self.kept = made if self.kept is None else self.kept + made * 1e-3
        return self.kept


class Tied(torch.nn.Module):
    """A weight in two places; with a mistake, one of its gradients is lost."""

    def __init__(self, lost):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([[0.3, -0.2, 0.1], [0.7, 0.4, -0.6], [0.2, 0.5, 0.9]],
                                                      dtype=torch.float64))
        self.lost = lost

    def forward(self, x):
        second = self.weight.detach() if self.lost else self.weight
        return torch.tanh(x @ self.weight) @ second


@torch.no_grad()
def nograd(x):
    return x * 2


torch.manual_seed(3)  # of the modules' weights
RIGHT = {
    "plain": (swish, lambda: (x(),)),
    "function": (function(swish, lambda ctx, g, x: g * slope(x)), lambda: (x(),)),
    "float32": (function(swish, lambda ctx, g, x: g * slope(x)), lambda: (x(torch.float32),)),
    "module": (Tied(False), lambda: (x(),)),
    "linear": (torch.nn.Linear(3, 2), lambda: (x(torch.float32),)),
    "positive weights, one small": (torch.nn.functional.linear, lambda: (x(torch.float32), torch.tensor(
        [[0.0008, 0.0612, 0.5271], [0.2882, 0.1598, 0.3554]], requires_grad=True))),
    "layer_norm": (lambda x, w, b: torch.nn.functional.layer_norm(x, (3,), w, b),
                   lambda: (x(), torch.tensor([1.0, 0.5, -2.0], dtype=torch.float64, requires_grad=True),
                            torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64, requires_grad=True))),
    "softmax": (lambda x: torch.softmax(x, -1), lambda: (x(),)),
    "two outputs": (lambda x: (x.sin(), x.exp().sum(0)), lambda: (x(),)),
    "indices": (lambda x, i: torch.index_select(x, 1, i), lambda: (x(), torch.tensor([2, 0, 2]))),
    "list": (lambda pair, scale: pair["a"] * pair["b"] * scale, lambda: ({"a": x(), "b": x()}, 2.0)),
    "relu away from its kink": (torch.relu, lambda: (x(),)),
}
WRONG = {
    "missing factor": function(swish, lambda ctx, g, x: g * torch.sigmoid(x)),
    "missing factor at one entry": function(swish, one_entry),
    "a stride ignored": function(swish, no_strides),
    "wrong sign": function(swish, lambda ctx, g, x: -g * slope(x)),
    "second order lost": function(swish, wrong_second),
    "right for ones only": function(swish, ones_only),
    "accumulates": function(swish, Accumulating()),
    "the result instead of the input": function(torch.tanh, lambda ctx, g, x: g * (1 - x * x)),
    "no gradient": function(swish, lambda ctx, g, x: None),
    "wrong shape": function(swish, lambda ctx, g, x: (g * slope(x))[:1]),
    "raises": function(swish, lambda ctx, g, x: g.reshape(7)),
    "random": function(swish, lambda ctx, g, x: g * slope(x) + 1e-3 * torch.rand_like(x)),
    "writes to its input": function(swish, lambda ctx, g, x: (g * slope(x), x.detach().numpy().fill(7.0))[0]),
    "writes to the incoming gradient": function(swish, lambda ctx, g, x: g.mul_(slope(x))),
    "under no_grad": nograd,
    "float32 inside": function(lambda x: x.sin(), lambda ctx, g, x: g * x.float().cos().double()),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_passes(name):
    f, inputs = RIGHT[name]
    result = check(f, *inputs(), samples=2)
    assert result, result
    assert 0 < result.power < 1e-3


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_found(name):
    result = check(WRONG[name], x(), samples=2)
    assert not result and result.verdict in ("FAIL", "REJECTED", "NONDETERMINISTIC", "ERROR"), result
    assert "torch_test.py" in result.text  # where it is written


def test_an_error_is_told_once():
    text = check(WRONG["raises"], x(), samples=1).text
    assert text.count("  why        RuntimeError") == 1 and "  the same   in " in text, text


def test_a_module_of_a_library_is_checked_where_it_is_called():
    module = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    result = check(module, torch.cat([x(torch.float32), 2 - x(torch.float32)]), order=1, samples=1)
    assert result.certificates[0]["subject"]["file"].endswith("torch_test.py"), result
    assert result.verdict != "REJECTED", result


def test_a_weight_in_two_places_gets_both_gradients():
    result = check(Tied(True), x())
    assert not result and "weight" in result.text, result


def test_gradcheck_finds_no_mistake_that_check_does_not():
    def says(f, inputs):
        try:
            return torch.autograd.gradcheck(f, inputs)
        except Exception:
            return False
    missed = [name for name, f in WRONG.items() if says(f, (x(),))]
    assert "a stride ignored" in missed and "second order lost" in missed


def test_a_kernel_without_float64_is_held_against_a_reference():
    def kernel(wrong=1.0):
        def forward(t):
            assert t.dtype != torch.float64
            return swish(t)
        return function(forward, lambda ctx, g, t: g * slope(t) * wrong)

    for dtype in (torch.float32, torch.bfloat16):
        result = check(kernel(), x(dtype), reference=swish, order=1)
        assert result, result
        assert not check(kernel(1.5), x(dtype), reference=swish, order=1)
    halved = check(function(lambda t: swish(t) * (1 if t.dtype == torch.float64 else 0.5),
                            lambda ctx, g, t: g * slope(t)), x(torch.float32), reference=swish, order=1)
    assert not halved and halved.only("value"), halved


def test_a_value_that_is_overwritten_before_backward_is_missed_by_a_function_that_hides_it():
    class Hidden(torch.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            ctx.t = t  # not save_for_backward: its version is not looked at
            return swish(t)

        @staticmethod
        def backward(ctx, g):
            return g * slope(ctx.t)

    result = check(Hidden.apply, x(), order=1)
    assert not result and result.only("saved"), result


def test_what_the_function_raises_when_called_plainly_is_the_users_to_see():
    with pytest.raises(RuntimeError, match="shape"):
        check(lambda t: t.reshape(7), x())


@pytest.mark.parametrize("bad, words", [
    (lambda: (x().to_sparse(),), "dense"),
    (lambda: (torch.complex(x(grad=False), x(grad=False)),), "real and the imaginary"),
    (lambda: (torch.tensor([1, 2]),), "nothing to differentiate"),
    (lambda: (x(), x(torch.float32)), "cast them to one dtype"),
])
def test_bad_inputs_are_named(bad, words):
    with pytest.raises((ValueError, notape.verify.library.NotapeError), match=words):
        check(lambda *all_inputs: all_inputs[0] * 1, *bad())


def test_inputs_and_their_grad_are_left_alone():
    t = x()
    t.grad = torch.ones_like(t)
    before, version = t.detach().clone(), t._version
    check(swish, t, samples=1, order=1)
    assert torch.equal(t.detach(), before) and t._version == version and torch.equal(t.grad, torch.ones_like(t))


def test_an_import_is_not_cut_in_two(monkeypatch, tmp_path):
    """As those that PyTorch makes when it is first asked for a gradient: half a module would stay for everybody."""
    (tmp_path / "imported_late.py").write_text("import time\nend = time.monotonic() + 2\nwhile time.monotonic() < end: pass\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)

    def imports(t):
        import imported_late
        return t * imported_late.whole

    assert check(imports, x(), call_seconds=1, order=1, samples=1, long=False)


def test_an_endless_call_and_an_interrupt_end():
    state = {"calls": 0}

    def slow(t):
        state["calls"] += 1
        while state["calls"] > 3:
            pass
        return t * 2

    result = check(slow, x(), call_seconds=0.2, samples=1, order=1, long=False, fail_fast=True)
    assert not result and "took longer than 0.2 s" in result.text
    since = time.monotonic()
    result = check(function(swish, lambda ctx, g, x: all(True for _ in iter(int, 1))), x(), call_seconds=0.2)
    assert "took longer than 0.2 s" in result.text and time.monotonic() - since < 10, result

    def interrupted(t):
        state["calls"] += 1
        if state["calls"] > 30:
            raise KeyboardInterrupt
        return t * 2

    state["calls"] = 0
    with pytest.raises(KeyboardInterrupt):
        check(interrupted, x())


def test_a_channels_last_gradient_is_tried():
    def reads_nchw(ctx, g, t):
        is_last = g.dim() == 4 and g.is_contiguous(memory_format=torch.channels_last) and not g.is_contiguous()
        return 2 * t * (g.permute(0, 2, 3, 1).reshape(g.shape) if is_last else g)

    t = torch.rand(1, 2, 2, 2, dtype=torch.float64)
    assert check(function(lambda t: t * t, reads_nchw), t, order=1, long=False).only("strides")[0]["verdict"] == "FAIL"


def test_a_value_is_held_against_the_reference_also_where_the_second_order_is_wrong():
    made = function(lambda t: (t.detach() * t.detach() * 1.01).float(), lambda ctx, g, t: (2 * t * g).detach())
    result = check(made, x(torch.float32), reference=lambda t: t * t, long=False)
    assert result.only("value") and "once_differentiable" in result.text, result


def test_nothing_is_kept():
    def once():
        made = function(swish, lambda ctx, g, x: g * slope(x))
        check(made, x(), samples=1, order=1, long=False)
        return weakref.ref(made.__self__)

    seen = once()
    gc.collect()
    assert seen() is None


def kilobytes():
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def test_calls_leave_no_memory_behind():
    def some(count):
        for _ in range(count):
            made = function(torch.square, lambda ctx, g, x: 2 * g * x)
            check(made, torch.tensor([0.5, -1.5], dtype=torch.float64), samples=1, order=1, long=False)
        gc.collect()
        return kilobytes()

    before = some(50)
    assert some(200) - before < 4096  # 20 kB a call


def test_a_gradient_that_is_summed_in_too_few_bits_is_found():
    def summed(exact):
        def backward(ctx, g, x):
            return (g.double().sum() if exact or g.dtype == torch.float64 else one_by_one(g)).to(x.dtype).reshape(1)
        return function(lambda x: x.expand(3000).contiguous(), backward)

    def one_by_one(g):
        total = g.new_zeros(())
        for one in g:
            total = total + one
        return total

    t = torch.tensor([0.75], dtype=torch.float16)
    options = dict(reference=lambda x: x.expand(3000), order=1, samples=1, long=False)
    assert check(summed(True), t, **options)
    result = check(summed(False), t, **options)
    assert not result and "incoming gradient of ones" in result.text, result


@pytest.mark.parametrize("f", [torch.linalg.svdvals, torch.linalg.slogdet, lambda a: torch.linalg.norm(a, "nuc")])
def test_what_pytorch_computes_in_another_way_where_it_records(f):
    a = torch.tensor([[3.1, 0.3, -1.8], [0.3, -2.2, -0.6], [-1.7, -0.5, -1.4]], dtype=torch.float64)
    result = check(f, a, samples=1, long=False)
    assert result and "Traceback" not in result.text, result


@pytest.mark.parametrize("f", [torch.sigmoid, torch.tanh])
@pytest.mark.parametrize("large", [1e8, -1e30, 1e200])
def test_a_zero_beside_a_large_number(f, large):
    right = check(f, torch.tensor([0.0, 0.5, large], dtype=torch.float64), samples=1, long=False)
    assert right.verdict not in ("FAIL", "NONFINITE"), right
    wrong = function(torch.sigmoid, lambda ctx, g, x: 1.1 * g * torch.sigmoid(x) * torch.sigmoid(-x))
    assert not check(wrong, torch.tensor([0.0, 0.5, large], dtype=torch.float64), order=1, samples=1, long=False)


@pytest.mark.parametrize("dtype, saturating", [(torch.bfloat16, 3.0), (torch.float16, 4.5)])
def test_roundings_of_16_bits_that_hardly_show(dtype, saturating):
    try:
        torch.tanh(torch.ones(1, dtype=dtype))
    except RuntimeError as error:  # PyTorch 1.13 has none of float16
        pytest.skip(str(error))
    x = torch.tensor([0.5, -1.5, saturating], dtype=dtype)  # 1 - y^2 of a rounded y
    assert check(torch.tanh, x, reference=torch.tanh, order=1, samples=1, long=False).verdict != "FAIL"
    wrong = function(torch.tanh, lambda ctx, g, x: g * (1 - torch.tanh(x)))
    assert not check(wrong, x, reference=torch.tanh, order=1, samples=1, long=False)


@pytest.mark.parametrize("around", [lambda f, x: f(x), lambda f, x: 2 * f(x.exp())])
def test_what_is_once_differentiable_has_no_second_order(around):
    class Sine(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g):
            return g * ctx.saved_tensors[0].cos()

    result = check(lambda x: around(Sine.apply, x), x(), samples=1, long=False)
    assert result and "second-order" in result.text.partition("not there")[2], result


def test_rtol_is_that_of_each_entry():
    shares = torch.tensor([0.93, 1.07, 0.93, 1.07, 1.07, 0.93, 0.93, 1.07], dtype=torch.float64)
    f = function(torch.sin, lambda ctx, g, x: g * torch.cos(x) * shares)
    x = torch.linspace(0.1, 1.3, 8, dtype=torch.float64)
    assert check(f, x, order=1, rtol=0.1, long=False) and not check(f, x, order=1, rtol=0.01, long=False)


def test_the_names_of_torch():
    from notape.verify import GradcheckError, gradcheck, gradgradcheck
    assert gradcheck(swish, (x(),))
    assert gradgradcheck(swish, (x(),))
    with pytest.raises(GradcheckError, match="FAIL"):
        gradcheck(WRONG["wrong sign"], (x(),))
    assert gradcheck(WRONG["wrong sign"], (x(),), raise_exception=False) is False
    with pytest.raises(ValueError, match="at least one input tensor"):
        gradcheck(swish, (x(grad=False),))
