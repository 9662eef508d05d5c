"""The programs that the two papers print, from Python."""
import gc
import threading
import time
import weakref

import numpy as np
import pytest

import notape
import notape as torch
from notape import nn, optim
from notape.autograd import Function, Variable
from notape.nn import Module


def test_figure_1_of_the_2017_paper():
    torch.manual_seed(0)
    x, prev_h = Variable(torch.randn(1, 10)), Variable(torch.randn(1, 20))
    W_h, W_x = Variable(torch.randn(20, 20), requires_grad=True), Variable(torch.randn(20, 10), requires_grad=True)
    i2h = torch.matmul(W_x, x.t())
    h2h = torch.matmul(W_h, prev_h.t())
    (i2h + h2h).tanh().sum().backward()
    d = 1 - (W_x.double() @ x.double().t() + W_h.double() @ prev_h.double().t()).detach().tanh() ** 2
    np.testing.assert_allclose(W_x.grad, d @ x.double(), rtol=0, atol=1e-6)
    np.testing.assert_allclose(W_h.grad, d @ prev_h.double(), rtol=0, atol=1e-6)


def test_figure_1_as_printed_has_nothing_to_differentiate():
    with pytest.raises(notape.NothingRequiresGrad):
        torch.matmul(Variable(torch.randn(20, 10)), Variable(torch.randn(1, 10)).t()).tanh().sum().backward()


def test_invalidation_names_lines_of_python():
    x = torch.ones(3, requires_grad=True)
    y = x.tanh()
    y.add_(3)
    with pytest.raises(notape.SavedTensorModified) as caught:
        y.sum().backward()
    first = test_invalidation_names_lines_of_python.__code__.co_firstlineno
    lines = str(caught.value).splitlines()
    assert "modified by an inplace operation" in lines[0]
    assert lines[1:] == [f"  saved as 'result' by tanh (TanhBackward0) at papers_test.py:{first + 2}",
                         f"  overwritten by add_ at papers_test.py:{first + 3}", f"  read by backward at papers_test.py:{first + 5}"]


def test_lines_are_the_users_where_the_package_calls():
    layer = nn.Linear(2, 2)
    y = layer(torch.ones(1, 2)).exp()
    y.zero_()
    with pytest.raises(notape.SavedTensorModified) as caught:
        torch.autograd.backward(y.sum())
    first = test_lines_are_the_users_where_the_package_calls.__code__.co_firstlineno
    assert f"read by backward at papers_test.py:{first + 5}" in str(caught.value)


def test_grad_returns_a_tuple_and_touches_nothing():
    x, y, z = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0, 0.5))
    dx, dy = torch.autograd.grad(x * y + x.sin() * z.exp(), (x, y))
    assert dy.item() == 2 and abs(dx.item() - (3 + np.cos(2) * np.exp(0.5))) < 1e-6
    assert x.grad is None and y.grad is None and z.grad is None


def test_hooks_print_and_replace():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    seen = []
    handle = x.register_hook(lambda grad: seen.append(grad.tolist()))
    x.register_hook(lambda grad: -grad)
    (x * x).sum().backward()
    assert seen == [[2.0, 4.0]] and x.grad.tolist() == [-2.0, -4.0]
    handle.remove()
    (x * x).sum().backward()
    assert len(seen) == 1


class Exp(Function):
    """The 2017 paper's extension, around NumPy."""

    @staticmethod
    def forward(ctx, x):
        result = torch.from_numpy(np.exp(x.numpy()))
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return grad_output * result


def test_a22_a_pair_makes_numpy_differentiable():
    x = torch.tensor([0.0, 1.0], dtype=torch.float64, requires_grad=True)
    y = Exp.apply(x)
    assert y.grad_fn.name() == "ExpBackward"
    y.sum().backward()
    np.testing.assert_allclose(x.grad, np.exp([0, 1]))
    assert torch.from_numpy(array := np.ones(3)).data_ptr() == array.ctypes.data


class LinearLayer(Module):
    def __init__(self, in_sz, out_sz):
        super().__init__()
        t1 = torch.randn(in_sz, out_sz)
        self.w = nn.Parameter(t1)
        t2 = torch.randn(out_sz)
        self.b = nn.Parameter(t2)

    def forward(self, activations):
        t = torch.mm(activations, self.w)
        return t + self.b


class FullBasicModel(nn.Module):
    """Listing 1. As printed a layer of matrices gets images; the mean over pixels stands between, as in listing1.cpp."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 128, 3)
        self.fc = LinearLayer(128, 10)

    def forward(self, x):
        t1 = self.conv(x)
        t2 = nn.functional.relu(t1)
        t3 = self.fc(t2.mean((2, 3)))
        return nn.functional.softmax(t3)


def test_listing_1_of_the_2019_paper_learns():
    torch.manual_seed(0)
    model = FullBasicModel()
    assert [name for name, _ in model.named_parameters()] == ["conv.weight", "conv.bias", "fc.w", "fc.b"]
    images, labels = torch.randn(20, 1, 8, 8), torch.arange(20) % 10
    optimizer = optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = nn.functional.nll_loss(model(images).log(), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2


def test_listing_2_of_the_2019_paper():
    torch.manual_seed(0)
    create_discriminator = lambda: nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())  # noqa: E731
    create_generator = lambda: nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))  # noqa: E731
    loss, get_noise = nn.BCELoss(), lambda: torch.randn(8, 3)
    real_label, fake_label = torch.ones(8, 1), torch.zeros(8, 1)
    discriminator = create_discriminator()
    generator = create_generator()
    optimD = optim.Adam(discriminator.parameters())
    optimG = optim.Adam(generator.parameters())

    def step(real_sample):
        # (1) Update Discriminator
        errD_real = loss(discriminator(real_sample), real_label)
        errD_real.backward()
        fake = generator(get_noise())
        errD_fake = loss(discriminator(fake.detach()), fake_label)
        errD_fake.backward()
        optimD.step()
        # (2) Update Generator
        errG = loss(discriminator(fake), real_label)
        errG.backward()
        optimG.step()
        return errG

    before = [p.clone() for p in generator.parameters()]
    for _ in range(3):
        step(torch.randn(8, 2) + 2)
    assert all((old != new).any() for old, new in zip(before, generator.parameters()))


def test_c13_arrays_are_exchanged_without_copies():
    x = torch.zeros(2, 3)
    array = x.numpy()
    array[0, 1] = 5
    assert x[0, 1].item() == 5 and np.from_dlpack(x).ctypes.data == x.data_ptr()
    y = torch.from_dlpack(array)
    x.fill_(1)
    assert y.sum().item() == 6
    del x
    gc.collect()
    assert array.sum() == 6  # either side may go first

    def seconds(size):
        x = torch.zeros(size)
        begin = time.perf_counter()
        for _ in range(200):
            x.numpy()
        return time.perf_counter() - begin
    assert min(seconds(1 << 26) for _ in range(5)) < 10 * min(seconds(16) for _ in range(5))


def test_c22_backward_lets_other_threads_run():
    x = torch.randn(1 << 20, requires_grad=True)
    y = x
    for _ in range(40):
        y = y.tanh()
    beats, running = [], threading.Event()

    def heart():
        running.set()
        while running.is_set():
            beats.append(time.perf_counter())
            time.sleep(0.0005)
    thread = threading.Thread(target=heart)
    thread.start()
    begin = time.perf_counter()
    y.sum().backward()
    end = time.perf_counter()
    running.clear()
    thread.join()
    assert sum(begin < beat < end for beat in beats) > 3


def test_c40_memory_goes_with_its_last_reference():
    x = torch.zeros(4)
    there = weakref.ref(x)
    del x
    assert there() is None

    class Big:
        pass

    class Keeps(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.big = Big()
            Keeps.there = weakref.ref(ctx.big)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2
    y = Keeps.apply(torch.ones(2, requires_grad=True))
    assert Keeps.there() is not None
    del y  # the graph goes with its last tensor
    assert Keeps.there() is None
