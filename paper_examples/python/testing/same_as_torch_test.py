"""Expressions as a user of PyTorch writes them: the same values, dtypes and gradients from both."""
import numpy as np
import pytest

import notape

torch = pytest.importorskip("torch")
DATA = np.random.default_rng(0)
FLOATS = {name: DATA.uniform(0.1, 0.9, shape) for name, shape in
          dict(x=(3, 4), y=(3, 4), v=(4,), w=(2, 4), m=(4, 4), p=(2, 3, 8, 8), k=(5, 3, 3, 3), s=(3, 4, 2)).items()}
OTHERS = {"i": np.array([2, 0, 1]), "c": np.array([0, 3, 1]), "z": np.array([[True, False, True, False]] * 3)}

ARITHMETIC = """x + y; x - 2; 2 - x; x * 3; 3 * x; x / y; 1 / x; x % 0.3; x ** 2; 2 ** x; x ** y; -x; +x; abs(x); x @ m;
x == y; x != y; x < 0.5; x <= y; 0.5 < x; x > y; ~z; z & (x > 0.5); z | z; z ^ z; x + True; i + 1; i / 2; i // 2; i * 2.5; i % 2; x + i.reshape(3, 1)
"""
FUNCTIONS = """lib.sin(x); x.cos(); x.exp(); lib.exp(input=x); x.log1p(); x.sqrt(); x.sigmoid(); x.tanh(); x.erf(); lib.relu(x - 0.5); x.clamp(0.2, 0.7);
x.clamp(min=0.4); lib.clamp(x, max=0.4); x.pow(3); x.square(); x.abs(); x.neg(); x.round(); x.floor(); x.lerp(y, 0.3); lib.addcmul(x, x, y, value=2);
lib.where(z, x, y); x.where(z, y); x.where(x > 0.5, 0.0); lib.where(x > 0.5, x, 0.0); x.masked_fill(z, 0.0); lib.maximum(x, y); lib.atan2(x, y); x.add(y, alpha=2); x.div(y, rounding_mode="floor");
lib.add(x, y, alpha=3); lib.mul(x, 2); x.softmax(dim=1); lib.softmax(x, 0); x.log_softmax(-1); lib.logit(x); x.reciprocal(); x.rsqrt(); lib.logaddexp(x, y)"""
REDUCTIONS = """x.sum(); x.sum(0); x.sum(dim=1, keepdim=True); x.sum((0, 1)); x.sum(dim=[0, 1]); lib.sum(x, dim=-1); x.sum(dtype=lib.float32); x.mean(); x.mean(1);
x.mean(dim=(0, 1), keepdim=True); x.prod(); x.prod(1); x.max(); x.min(); x.amax(1); x.var(); x.var(0); x.var(dim=0, unbiased=False); x.std(); x.norm(); x.norm(2, 1);
x.max(dim=1).values; x.min(0)[0]; x.max(1).indices; x.argmax(); x.argmax(1); x.argmin(dim=0, keepdim=True); x.cumsum(0); x.cumprod(dim=1); x.logsumexp(1);
x.sort(dim=1).values; x.sort(1, True)[1]; x.argsort(dim=1); x.topk(2).values; x.topk(2, dim=0, largest=False)[0]; x.median(); z.any(); z.all(1); x.count_nonzero();
lib.max(x, y); x.quantile(0.5); lib.cummax(x, 0).values; i.sum(); i.float().mean(); x.var(dim=1, correction=0); (x > 0.5).sum(); x.sum(axis=1); x.unbind(0)[1]"""
SHAPES = """x.view(12); x.view(-1); x.view(2, 6); x.view((2, -1)); x.reshape(4, 3); x.reshape([6, 2]); x.t(); x.T; x.transpose(0, 1); s.permute(2, 0, 1); s.permute((1, 2, 0));
x.flatten(); s.flatten(1); s.flatten(start_dim=0, end_dim=1); x.unsqueeze(0); x.unsqueeze(-1).squeeze(-1); v.expand(3, 4); v.expand(3, -1); x.repeat(2, 1); x.tile((2, 2));
lib.cat([x, y]); lib.cat((x, y), dim=1); lib.stack([x, y], 1); lib.cat(tensors=[x, y], dim=0); x.chunk(2, dim=1)[1]; x.split(2)[1]; x.split([1, 3], dim=1)[0];
lib.split(x, 3, dim=1)[1]; x.flip(0); x.flip([0, 1]); x.roll(1, 0); lib.tril(m); m.triu(1); m.diagonal(); lib.diag(v); x.narrow(1, 1, 2); x.select(0, 1); x.gather(1, i.reshape(3, 1));
x.index_select(0, i); s.movedim(0, -1); x.expand_as(lib.stack([x, x])); s.unflatten(1, (2, 2)); x.contiguous(); x.clone();
lib.meshgrid(v, v, indexing="ij")[0]; lib.meshgrid(v, v[:3], indexing="xy")[0]; x.unfold(1, 2, 1); lib.swapaxes(x, 0, 1); x.type_as(i); lib.zeros_like(x); x.new_zeros(2, 3); lib.broadcast_to(v, (3, 4))"""
INDICES = """x[0]; x[-1]; x[0, 1]; x[:, 1]; x[1:]; x[:, ::2]; x[..., 0]; x[None]; x[:, None, 1]; x[i]; x[i, c]; x[[0, 2]]; x[[0, 2], [1, 3]]; x[z]; x[x > 0.5]; x[:, i]; x[1][2];
x[i][:, c]; x[1:, [0, 2]]; x[(0, 1)]; x[lib.tensor(1)]; x[:2, -2:]; s[0, :, 1]; s[..., None, 0]; x[i[0]]; x[0:0]"""
LAYERS = """F.relu(x); F.linear(x, w); F.linear(x, m, v); F.conv2d(p, k, padding=1); F.conv2d(p, k, stride=2); F.conv2d(p, k, None, (1, 2), padding=(1, 0)); F.max_pool2d(p, 2);
F.conv2d(p, k, padding="same"); F.avg_pool2d(p, kernel_size=2); F.adaptive_avg_pool2d(p, 1); F.max_pool2d(p, 3, stride=2, padding=1); F.log_softmax(x, dim=1);
F.cross_entropy(x, c); F.cross_entropy(x, c, reduction="sum"); F.nll_loss(F.log_softmax(x, 1), c); F.mse_loss(x, y); F.mse_loss(x, y, reduction="none"); F.l1_loss(x, y);
F.binary_cross_entropy(x, y); F.binary_cross_entropy_with_logits(x, y); F.smooth_l1_loss(x, y, beta=0.5); F.gelu(x); F.gelu(x, approximate="tanh"); F.silu(x); F.elu(x);
F.leaky_relu(x - 0.5, 0.1); F.softplus(x); F.layer_norm(x, (4,)); F.layer_norm(x, [4], v, v); F.embedding(i, m); F.one_hot(i, 4); F.pad(x, (1, 2)); F.pad(x, (1, 1), value=2.0);
F.normalize(x, dim=1); F.dropout(x, 0.5, training=False); F.batch_norm(p, None, None, training=True); F.softmax(x, dim=1);
F.scaled_dot_product_attention(s, s, s); F.cosine_similarity(x, y); F.huber_loss(x, y); F.kl_div(x.log(), y, reduction="sum"); F.group_norm(p.expand(2, 3, 8, 8), 3)"""
PRODUCTS = """x.mm(m); x @ m; lib.matmul(x, v); m.mv(v); v.dot(v); lib.outer(v, v); lib.einsum("ij,kj->ik", x, w); lib.bmm(s, s.transpose(1, 2));
lib.addmm(lib.ones(3, 4, dtype=lib.float64), x, m); m.inverse(); lib.linalg.inv(m); lib.linalg.solve(m, v); lib.det(m); lib.linalg.qr(m)[1].abs();
lib.linalg.cholesky(m @ m.T + 2 * lib.eye(4, dtype=lib.float64)); lib.slogdet(m)[1]; lib.linalg.eigvalsh(m @ m.T); lib.kron(x, w); lib.tensordot(x, m, dims=([1], [0])); lib.tensordot(x, m, 1)"""
FACTORIES = """lib.zeros(2, 3); lib.zeros((2, 3)); lib.ones(2, dtype=lib.int64); lib.full((2,), 3.5); lib.arange(5); lib.arange(1, 2, 0.25); lib.linspace(0, 1, 5); lib.eye(3); lib.tensor(3);
lib.tensor([1, 2.5]); lib.tensor([[True], [False]]); lib.tensor([], dtype=lib.float64); lib.tensor(2.5).double(); lib.ones_like(x); lib.full_like(x, 2); x.new_ones(2); lib.as_tensor([1.0, 2.0]);
lib.tensor([x.sum().item(), 2.0]); lib.tensor(((1, 2), (3, 4))); lib.zeros(0, 3); lib.Tensor([1, 2]); lib.randperm(5).sort()[0]; lib.rand(3) >= 0; lib.randint(0, 1, (2, 2)); lib.empty(2, 0)"""
WRITES = """x // 0.3; 1 // x; 1 % x; x.add_(1); x.mul_(y); x.index_put_((i,), y); x.index_put_([i, c], v[:3], accumulate=True); x.zero_(); x.fill_(2); x.copy_(y); x.clamp_(min=0.5); x.__setitem__(0, 1.5); x.__setitem__((slice(None), 1), v[:3]); x.__setitem__(z, 0.0);
x.__setitem__(i, y); x.__setitem__(..., 3); x.__iadd__(y); x.__imul__(2); x.relu_(); x.exp_(); x.masked_fill_(z, 1.0); x.index_add_(0, i, y); x.scatter_add_(1, c.reshape(3, 1), y);
x.scatter_(1, c.reshape(3, 1), 0.5); x.sub_(y, alpha=2); x.div_(2); x.addcmul_(y, y, value=0.5); x.lerp_(y, 0.25); x.__setitem__([0, 1], 7); x[0].fill_(9)"""


def cases(text):
    return [one.strip() for one in text.replace("\n", " ").split(";") if one.strip()]


def names(lib, requires_grad):
    made = {name: lib.from_numpy(value.copy()) for name, value in (FLOATS | OTHERS).items()}
    leaves = [made[name].requires_grad_(requires_grad) for name in FLOATS]
    return {"lib": lib, "F": lib.nn.functional, **made}, leaves


SINCE_2_0 = ("x.where(x > 0.5, 0.0)", "F.scaled_dot_product_attention(s, s, s)")  # of PyTorch: Debian 12 has 1.13


def compare(ours, theirs, tolerance=1e-12):
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert str(ours.dtype).split(".")[1] == str(theirs.dtype).split(".")[1]
    np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("text", cases(ARITHMETIC + ";" + FUNCTIONS + ";" + REDUCTIONS + ";" + SHAPES + ";" + INDICES + ";" + LAYERS + ";" + PRODUCTS))
def test_value_and_gradient(text):
    import notape.linalg  # noqa: F401
    import notape.nn.functional  # noqa: F401
    if text in SINCE_2_0 and torch.__version__.startswith("1."):
        pytest.skip("this PyTorch lacks it")
    (ours, our_leaves), (theirs, their_leaves) = names(notape, True), names(torch, True)
    our, their = eval(text, ours), eval(text, theirs)
    tolerance = 1e-6 if our.dtype is notape.float32 else 1e-10
    compare(our, their, tolerance)
    assert our.requires_grad == their.requires_grad
    if not our.requires_grad:
        return
    weights = DATA.uniform(0.5, 1.5, tuple(their.shape))
    (our * notape.tensor(weights).to(our.dtype)).sum().backward()
    (their * torch.tensor(weights).to(their.dtype)).sum().backward()
    for ours, theirs in zip(our_leaves, their_leaves):
        assert (ours.grad is None) == (theirs.grad is None)
        if ours.grad is not None:
            compare(ours.grad, theirs.grad, max(tolerance, 1e-9))


@pytest.mark.parametrize("text", cases(FACTORIES + ";" + WRITES))
def test_values(text):
    ours, theirs = (eval(text, scope) if "__" not in text else (eval(text, scope), scope["x"])[1] for scope in
                    (names(notape, False)[0], names(torch, False)[0]))
    compare(ours, theirs, 1e-6 if ours.dtype is notape.float32 else 1e-12)


@pytest.mark.parametrize("make", [
    "lib.tensor([1.0, 2.0])", "lib.tensor([[1.5, 2.25], [-3.0, 4.0]])", "lib.tensor(3)", "lib.tensor([1, -20])", "lib.tensor(True)", "lib.zeros(0)", "lib.zeros(2, 0)",
    "lib.tensor([1e-8, 1.0])", "lib.tensor([1e9, 1.0])", "lib.arange(1200)", "lib.arange(1200.).reshape(30, 40)", "lib.ones(2, 2, 2)", "lib.tensor([float('nan'), 1.0])",
    "lib.tensor([1.0, float('inf')])", "lib.ones(3, dtype=lib.float64)", "lib.ones(2, requires_grad=True)", "lib.arange(30.)", "lib.tensor([True, False])",
    "lib.arange(100)", "lib.ones(2, dtype=lib.int32)", "lib.tensor(1.5)", "lib.zeros(1)", "lib.tensor([0.0, 0.1])", "lib.arange(24).reshape(2, 3, 4)"])
def test_prints_alike(make):
    ours, theirs = (repr(eval(make, {"lib": lib})) for lib in (notape, torch))
    assert ours == theirs.replace("torch.", "notape.")


def test_a_training_loop_that_changes_one_import():
    def train(torch):
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))

            def forward(self, x):
                return self.layers(x)
        net = Net().double()
        with torch.no_grad():
            for p in net.parameters():
                p.copy_(torch.sin(torch.arange(p.numel(), dtype=torch.float64)).view(p.shape))
        losses = []
        x = torch.cos(torch.arange(40, dtype=torch.float64)).view(10, 4)
        for make in (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=1e-3), lambda p: torch.optim.Adam(p, lr=1e-2),
                     lambda p: torch.optim.AdamW(p), lambda p: torch.optim.RMSprop(p), lambda p: torch.optim.Adagrad(p)):
            optimizer = make(net.parameters())
            for step in range(5):
                optimizer.zero_grad()
                loss = torch.nn.CrossEntropyLoss()(net(x), torch.arange(10) % 3)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                optimizer.step()
                losses.append(loss.item())
        return losses
    np.testing.assert_allclose(train(notape), train(torch), rtol=1e-9)
