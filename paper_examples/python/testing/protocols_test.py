"""What Python alone asks of tensors: protocols, modes, errors, functions, copies."""
import copy
import io
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import notape
from notape import nn
from notape.autograd import Function, once_differentiable


def test_a_tensor_is_a_sequence_and_a_number():
    x = notape.tensor([[1, 2], [3, 4]])
    assert len(x) == 2 and [row.tolist() for row in x] == [[1, 2], [3, 4]] and 3 in x
    assert int(x[0, 1]) == 2 and float(x[1, 0]) == 3.0 and bool(x[0, 0]) and [10, 20, 30][x[0, 0]] == 20
    assert f"{notape.tensor(1.5):.2f}" == "1.50" and x.shape == (2, 2) and x.shape.numel() == 4
    for refused in (lambda: bool(x), lambda: len(x[0, 0]), lambda: iter(x[0, 0]), lambda: float(x), lambda: [1][notape.tensor(0.0)]):
        with pytest.raises((TypeError, notape.Error)):
            refused()


@pytest.mark.parametrize("call, error, text", [
    (lambda x: x[5], IndexError, "out of bounds"), (lambda x: x.sum(7), IndexError, "sum"), (lambda x: x.view(5), notape.ShapeError, "view"),
    (lambda x: x @ x, notape.ShapeError, "matmul"), (lambda x: x.sum("a"), TypeError, "it takes:\n  sum(Tensor self)"), (lambda x: x + "a", TypeError, "unsupported"),
    (lambda x: x[::-1], ValueError, "step"), (lambda x: x["a"], TypeError, "indices are"), (lambda x: notape.tensor([[1], [2, 3]]), notape.ShapeError, "unequal"),
    (lambda x: notape.tensor(["a"]), TypeError, "not a number"), (lambda x: notape.zeros(2, dtyp=1), TypeError, "dtyp"), (lambda x: notape.zeros(-1), notape.ShapeError, ""),
    (lambda x: x.requires_grad_().numpy(), notape.RequiresGradError, "detach"), (lambda x: notape.nosuch, AttributeError, "nosuch"),
    (lambda x: x.backward(), RuntimeError, "grad"), (lambda x: x.add(x, bla=2), TypeError, "bla"), (lambda x: x.__setitem__(9, 1), IndexError, "out of bounds"),
    (lambda x: x.to("nowhere"), ValueError, "nowhere"), (lambda x: x.add_(notape.ones(7)), notape.ShapeError, ""), (lambda x: notape.cat([]), notape.ShapeError, "cat"),
    (lambda x: nn.Linear(3, 2)(x, x), TypeError, "positional"), (lambda x: notape.tensor([float("nan")], dtype=notape.int64), ValueError, ""),
    (lambda x: nn.MSELoss(bla=3), TypeError, "bla"), (lambda x: notape.tensor(np.array(["a"])), TypeError, "format")])
def test_errors_are_pythons_and_leave_everything(call, error, text):
    x = notape.ones(2, 3)
    with pytest.raises(error, match=None) as caught:
        call(x)
    assert text in str(caught.value) and x.sum().item() == 6 and x._version == 0


def test_out_forms_write():
    out = notape.empty(3)
    assert notape.add(notape.ones(3), 2 * notape.ones(3), out=out) is out and out.tolist() == [3, 3, 3]


def test_grad_modes_nest_and_decorate():
    x = notape.ones(1, requires_grad=True)
    with notape.no_grad():
        assert not (x * 2).requires_grad
        with notape.enable_grad():
            assert (x * 2).requires_grad
        assert not notape.is_grad_enabled()

    @notape.no_grad()
    def f():
        return x * 2

    @notape.no_grad
    def g():
        return x * 2
    assert not f().requires_grad and not g().requires_grad and (x * 2).requires_grad
    with notape.set_grad_enabled(False):
        assert not notape.is_grad_enabled()
    assert notape.is_grad_enabled()


class Mul(Function):
    @staticmethod
    def forward(ctx, x, factor, y):
        ctx.factor = factor
        ctx.save_for_backward(x, y)
        return x * factor, y * 2

    @staticmethod
    def backward(ctx, gx, gy):
        Mul.needed = ctx.needs_input_grad
        return gx * ctx.factor, None, gy * 2


def test_functions_take_and_return_several():
    x, y = notape.ones(2, requires_grad=True), notape.ones(2)
    a, b = Mul.apply(x, 3, y)
    (a.sum() + b.sum()).backward()
    assert x.grad.tolist() == [3, 3] and Mul.needed == (True, False, False) and y.grad is None


def test_functions_say_what_is_wrong():
    class Raises(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            raise KeyError("from the user")

    class Wrong(Raises):
        @staticmethod
        def backward(ctx, grad):
            return grad, grad
    x = notape.ones(2, requires_grad=True)
    with pytest.raises(KeyError, match="from the user"):
        Raises.apply(x).sum().backward()
    with pytest.raises(notape.FunctionError, match="Wrong.*expected 1, got 2"):
        Wrong.apply(x).sum().backward()
    with pytest.raises(ZeroDivisionError):
        x.register_hook(lambda grad: 1 / 0)
        (x * 2).sum().backward()


def test_once_differentiable_and_dirty_and_setup_context():
    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            return grad * 2

    class Add(Function):
        @staticmethod
        def forward(ctx, x):
            x.add_(1)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad

    class New(Function):
        @staticmethod
        def forward(x, k):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.k = inputs[1]

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.k, None
    x = notape.ones(2, requires_grad=True)
    first, = notape.grad(Once.apply(x).sum(), x, create_graph=True)
    with pytest.raises(notape.DerivativeNotImplemented, match="once_differentiable"):
        notape.grad(first.sum(), x)
    y = x * 3
    assert Add.apply(y) is y and y.tolist() == [4, 4]
    y.sum().backward()
    assert x.grad.tolist() == [3, 3]
    assert notape.grad(New.apply(x, 5).sum(), x)[0].tolist() == [5, 5]
    saved = []

    class Keeps(New):
        @staticmethod
        def setup_context(ctx, inputs, output):
            saved.append(ctx)
    Keeps.apply(x, 1)
    with pytest.raises(notape.GraphFreed):
        saved[0].saved_tensors


def test_backward_of_many_threads():
    def run(i):
        x = notape.full((20000,), float(i), requires_grad=True)
        for _ in range(20):
            x.grad = None
            Mul.apply(x, 2, x)[0].tanh().sum().backward()
        results[i] = x.grad[0].item()
    results = {}
    threads = [threading.Thread(target=run, args=(i,)) for i in range(6)]
    [one.start() for one in threads]
    [one.join() for one in threads]
    for i, value in results.items():
        np.testing.assert_allclose(value, 2 * (1 - np.tanh(2.0 * i) ** 2), rtol=1e-3, atol=1e-7)


def test_copies_and_files():
    net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.ReLU())
    net(notape.randn(5, 3)).sum().backward()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert all((a == b).all() and a is not b for a, b in zip(net.parameters(), other.parameters()))
        assert isinstance(other[0].weight, nn.Parameter)
    file = io.BytesIO()
    notape.save(net.state_dict(), file)
    file.seek(0)
    assert net.load_state_dict(notape.load(file)) == ([], [])
    with pytest.raises(RuntimeError, match="0.weight"):
        net.load_state_dict({})
    for x in (notape.tensor([1.5, -2], dtype=notape.bfloat16), notape.tensor(3), notape.zeros(0, 2), notape.ones(2, 3).t()):
        again = pickle.loads(pickle.dumps(x))
        assert again.dtype is x.dtype and again.shape == x.shape and (again == x).all()


def test_pictures_and_the_graph():
    y = (notape.ones(2, requires_grad=True) * 2).sum()
    assert "MulBackward" in y._repr_svg_() and notape.ones(2)._repr_svg_() is None
    assert y.grad_fn.next_functions[0][0].name() == "MulBackward0" and repr(y) == "tensor(4., grad_fn=<SumBackward1>)"


def test_arrays_of_numpy():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert notape.tensor(array[:, ::2]).tolist() == [[0, 2], [3, 5]] and notape.tensor(np.float64(2)).item() == 2
    with pytest.raises(notape.ShapeError, match="negative"):
        notape.from_numpy(array[::-1])
    assert (notape.ones(2) * np.float32(2)).tolist() == [2, 2] and np.float64(3) * notape.ones(1) == 3
    assert np.sin(notape.ones(2)).shape == (2,) and np.asarray(notape.ones(2, dtype=notape.float16)).dtype == np.float16
    array.flags.writeable = False
    notape.from_numpy(array).zero_()
    assert array.sum() == 15


def test_every_function_has_its_names():
    from notape import _tensors
    assert len(_tensors.operators) > 400 and "sum(Tensor self, Ints dim, bool keepdim=False)" in notape.sum.__doc__
    unnamed = [name for name in _tensors.operators if "other, Tensor other" in getattr(_tensors, name).__doc__]
    assert unnamed == []


def test_verify_alone_imports_no_tensors():
    program = "import sys, notape.verify; assert not any('_tensors' in one or one == 'notape.tensors' for one in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_batch_norm_counts_on_the_cpu_wherever_the_rest_is():
    program = """
import notape
if notape.cuda.is_available():
    norm = notape.nn.BatchNorm1d(3).to("cuda")
    for _ in range(2):
        norm(notape.ones(4, 3, device="cuda"))
    print(norm.running_mean.device.type, norm.num_batches_tracked.device.type, norm.num_batches_tracked.item())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                          env={**os.environ, "NOTAPE_CUDA": "emulated"})
    if not done.stdout:
        pytest.skip("there is no emulated GPU in this build")
    assert done.stdout == "cuda cpu 2\n"
    untracked = nn.BatchNorm1d(3, momentum=None, track_running_stats=False)
    assert untracked(notape.randn(5, 3)).shape == (5, 3)


def test_a_process_ends_well_with_tensors_functions_and_hooks_alive():
    program = """
import notape
class F(notape.autograd.Function):
    forward = staticmethod(lambda ctx, x: x * 2)
    backward = staticmethod(lambda ctx, g: g * 2)
x = notape.ones(3, requires_grad=True)
x.register_hook(lambda g: print('never'))
x.keep = None if False else None
""".replace("x.keep = None if False else None\n", "y = F.apply(x)\nz = y.numpy if False else notape.from_numpy(__import__('numpy').ones(3))\n")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_types_are_written_down():
    import ast
    with open(os.path.join(os.path.dirname(notape.__file__), "__init__.pyi")) as read:
        stub = read.read()
    ast.parse(stub)
    assert "def sum(self, dim: _int | Sequence[_int], keepdim: _bool = ..., *, out: Any = ...) -> Tensor: ..." in stub
    assert "def view(self, *size: _int) -> Tensor: ..." in stub and "class SavedTensorModified(Error): ..." in stub


def test_a_type_checker_sees_mistakes(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    folder = os.path.dirname(os.path.dirname(notape.__file__))
    if "site-packages" not in folder:  # else it looks there by itself
        monkeypatch.setenv("MYPYPATH", folder)
    file = tmp_path / "program.py"
    file.write_text("import notape as torch\nx = torch.randn(2, 3)\n(x * 2 + 1).sum(0, keepdim=True).view(3, 1).relu() @ x\nx.sum('a')\nreveal_type(x.ndim)\n")
    text = api.run(["--no-incremental", "--cache-dir", os.devnull, "--follow-imports=silent", str(file)])[0]
    assert "program.py:4: error" in text and "program.py:3" not in text and 'Revealed type is "int"' in text.replace("builtins.", "")
