"""What a training program uses beside tensors and layers, with the same program and numbers in PyTorch."""
import numpy as np
import pytest

import notape

torch = pytest.importorskip("torch")
BOTH = (notape, torch)


def rates(lib, make, steps=12, scores=None):
    parameters = [lib.ones(2, requires_grad=True), lib.ones(3, requires_grad=True)]
    optimizer = lib.optim.SGD([{"params": [parameters[0]]}, {"params": [parameters[1]], "lr": 0.5}], lr=0.1)
    schedule, seen = make(lib.optim.lr_scheduler, optimizer), []
    for i in range(steps):
        seen += [group["lr"] for group in optimizer.param_groups]
        optimizer.step()
        schedule.step(*([scores[i]] if scores else []))
    return seen


@pytest.mark.parametrize("make", [
    lambda s, o: s.StepLR(o, 3, gamma=0.5), lambda s, o: s.MultiStepLR(o, [2, 5, 5]), lambda s, o: s.ExponentialLR(o, 0.9),
    lambda s, o: s.CosineAnnealingLR(o, T_max=5, eta_min=0.01), lambda s, o: s.LinearLR(o, start_factor=0.25, total_iters=4),
    lambda s, o: s.LambdaLR(o, lambda i: 1 / (1 + i)), lambda s, o: s.LambdaLR(o, [lambda i: 1 / (1 + i), lambda i: 0.5 ** i]),
    lambda s, o: s.SequentialLR(o, [s.LinearLR(o, 0.1, 1.0, 3), s.ExponentialLR(o, 0.9)], [3])])
def test_schedules(make):
    np.testing.assert_allclose(rates(notape, make), rates(torch, make), rtol=1e-12)


@pytest.mark.parametrize("options", [{}, {"mode": "max"}, {"patience": 1, "cooldown": 2}, {"threshold_mode": "abs", "threshold": 0.1, "patience": 2}])
def test_a_plateau(options):
    scores = [1.0, 0.9, 0.95, 0.91, float("nan"), 0.9, 0.2, 0.25, 0.3, 0.2, 0.21, 0.22]
    make = lambda s, o: s.ReduceLROnPlateau(o, **{"patience": 0, **options})  # noqa: E731
    np.testing.assert_allclose(rates(notape, make, scores=scores), rates(torch, make, scores=scores), rtol=1e-12)


def test_a_schedule_goes_on_from_its_state():
    for lib in BOTH:
        optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=1.0)
        make = lambda: lib.optim.lr_scheduler.StepLR(optimizer, 2)  # noqa: E731
        first = make()
        optimizer.step()
        [first.step() for _ in range(3)]
        again = make()
        again.load_state_dict(first.state_dict())
        again.step()
        assert abs(optimizer.param_groups[0]["lr"] - 0.01) < 1e-12 and again.last_epoch == 4


def with_numbers(module, lib):
    with lib.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(lib.sin(lib.arange(p.numel(), dtype=lib.float64) + k).reshape(p.shape) / 2)
    return module.double()


@pytest.mark.parametrize("kind, options", [
    ("LSTM", {}), ("LSTM", dict(num_layers=2, bidirectional=True)), ("GRU", dict(batch_first=True)), ("GRU", dict(bias=False, num_layers=2)),
    ("RNN", {}), ("RNN", dict(nonlinearity="relu", bidirectional=True))])
@pytest.mark.parametrize("lone", [False, True])
def test_recurrent_layers(kind, options, lone):
    found = []
    for lib in BOTH:
        layer = with_numbers(getattr(lib.nn, kind)(3, 4, **options), lib)
        x = lib.cos(lib.arange(5 * 2 * 3, dtype=lib.float64)).reshape(5, 2, 3)
        x = (x[:, 0] if lone else x).clone().requires_grad_()
        output, last = layer(x)
        last = last if isinstance(last, tuple) else (last,)
        again = layer(x, last if kind == "LSTM" else last[0])[0]
        (again.sum() + sum((one * one).sum() for one in last)).backward()
        found.append([output, again, *last, x.grad, *(p.grad for p in layer.parameters())])
        names = [name for name, _ in layer.named_parameters()]
        found.append(names), found.append(repr(layer))
    assert found[1] == found[4] and found[2] == found[5]
    for ours, theirs in zip(found[0], found[3]):
        assert tuple(ours.shape) == tuple(theirs.shape)
        np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", ["LSTMCell", "GRUCell"])
def test_single_steps(kind):
    found = []
    for lib in BOTH:
        cell = with_numbers(getattr(lib.nn, kind)(3, 4), lib)
        state = cell(lib.ones(2, 3, dtype=lib.float64))
        state = cell(lib.ones(2, 3, dtype=lib.float64), state)
        found.append([one.detach().numpy() for one in (state if isinstance(state, tuple) else (state,))])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


def test_data_sets_and_loaders():
    for lib in BOTH:
        data = lib.utils.data
        both = data.TensorDataset(lib.arange(10).float().reshape(5, 2), lib.arange(5))
        batches = list(data.DataLoader(both, batch_size=2))
        assert [one[1].tolist() for one in batches] == [[0, 1], [2, 3], [4]] and batches[0][0].tolist() == [[0, 1], [2, 3]]
        assert len(data.DataLoader(both, 2)) == 3 and len(data.DataLoader(both, 2, drop_last=True)) == len(list(data.DataLoader(both, 2, drop_last=True))) == 2
        seen = [i for _, labels in data.DataLoader(both, batch_size=2, shuffle=True, generator=lib.Generator().manual_seed(3)) for i in labels.tolist()]
        assert sorted(seen) == [0, 1, 2, 3, 4]
        first, second = data.random_split(both, [2, 3])
        assert len(first) == 2 and len(first + second) == 5 and sorted(int(one[1]) for one in first + second) == [0, 1, 2, 3, 4]

        class Words(data.Dataset):
            def __len__(self):
                return 3

            def __getitem__(self, i):
                return {"word": "abc"[i], "number": i, "pair": (float(i), np.array([i, i]))}
        batch = next(iter(data.DataLoader(Words(), batch_size=3)))
        assert batch["word"] == ["a", "b", "c"] and batch["number"].tolist() == [0, 1, 2] and batch["pair"][1].tolist() == [[0, 0], [1, 1], [2, 2]]
        with pytest.raises(ValueError, match="sampler"):
            data.DataLoader(both, shuffle=True, sampler=[1, 0])
        assert [int(one[1]) for one in data.DataLoader(both, sampler=[3, 1])] == [3, 1]


def test_autocast_computes_products_in_16_bits():
    for lib in BOTH:
        x, layer = lib.ones(2, 3), lib.nn.Linear(3, 2)
        with lib.autocast("cpu", dtype=lib.bfloat16):
            y = layer(x)
            with lib.autocast("cpu", enabled=False):
                assert layer(x).dtype is lib.float32
        assert y.dtype is lib.bfloat16 and layer(x).dtype is lib.float32
        y.sum().backward()
        assert layer.weight.grad.dtype is lib.float32

        @lib.autocast("cpu")
        def product(x):
            return x @ x.t()
        assert product(x).dtype is lib.bfloat16 and (x @ x.t()).dtype is lib.float32


@pytest.mark.skipif(not hasattr(torch.amp, "GradScaler"), reason="this PyTorch scales on GPUs only")
def test_a_scaler_leaves_out_steps_that_are_not_finite():
    for lib in BOTH:
        p = lib.ones(1, requires_grad=True)
        optimizer = lib.optim.SGD([p], lr=0.5)
        scaler = lib.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
        said = []
        for factor in (1.0, float("inf"), 1.0, 1.0):
            optimizer.zero_grad()
            scaler.scale((p * factor).sum()).backward()
            scaler.unscale_(optimizer)
            scaler.step(optimizer)
            scaler.update()
            said.append((p.item(), scaler.get_scale()))
        assert said == [(0.5, 8.0), (0.5, 4.0), (0.0, 4.0), (-0.5, 8.0)], (lib, said)
        again = lib.amp.GradScaler("cpu")
        again.load_state_dict(scaler.state_dict())
        assert again.get_scale() == 8.0
        with pytest.raises(RuntimeError):
            scaler.unscale_(optimizer), scaler.unscale_(optimizer)


def test_the_names_of_nodes_are_those_of_pytorch():
    for text in ("x + 2", "2 - x", "x * 2", "x / 2", "2 / x", "x * x", "x ** 2", "x.exp()", "x @ x", "x.sum(0)", "x[0]", "x.relu()", "x.t()"):
        ours, theirs = (eval(text, {"x": lib.ones(2, 2, requires_grad=True)}).grad_fn.name() for lib in BOTH)
        assert ours == theirs, text
