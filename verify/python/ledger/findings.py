"""Wrong derivatives in released software: a program that needs nothing of ours, and a second way to the right value.

`judge` is a formula of mpmath that shares nothing with the program; it is evaluated with 60 digits. `known` is a public
report of the same mistake, "none found" by one search for the operator and the symptom, or "not searched"."""
TORCH = "import torch\nt = torch.tensor({t}, dtype=torch.float64)\n"
FORWARD = "print(torch.func.jvp(f, (t,), (torch.ones_like(t),))[1].item())\n"
NESTED = ("d = lambda t: torch.func.jvp(f, (t,), (torch.ones_like(t),))[1]\n"
          "print(torch.func.jvp(d, (t,), (torch.ones_like(t),))[1].item())\n")
OF_FORWARD = "print(torch.func.grad(lambda t: torch.func.jvp(f, (t,), (torch.ones_like(t),))[1])(t).item())\n"
FORWARD_OF_REVERSE = "print(torch.func.jvp(torch.func.grad(f), (t,), (torch.ones_like(t),))[1].item())\n"
REVERSE = "t.requires_grad_()\nf(t).backward()\nprint(t.grad.item())\n"
JAX = "import jax, jax.numpy as jnp\njax.config.update('jax_enable_x64', True)\n"
UMBRELLA = "pytorch/pytorch#198017"
FINDINGS = []


def found(library, name, mode, program, judge, reason, known="not searched", **asked):
    """`asked`: t and f, where the program has none, for certificate.py."""
    FINDINGS.append(dict(library=library, name=name, mode=mode, program=program, judge=judge, reason=reason, known=known, **asked))


def torch_found(name, mode, t, f, how, judge, reason, known="not searched"):
    found("PyTorch", name, mode, TORCH.format(t=t) + f + how, judge, reason, known)


def jax_found(name, mode, line, judge, reason, known="not searched"):
    found("JAX", name, mode, JAX + line + "\n", judge, reason, known)


# --- first order, reverse mode ---------------------------------------------------------------------------------------

found("PyTorch", "as_strided_scatter", "reverse", "import torch\nx = torch.ones(3, requires_grad=True)\n"
      "torch.as_strided_scatter(x, torch.tensor([5., 6.]), (2,), (1,), 0).sum().backward()\nprint(x.grad[0].item())\n", "mp.mpf(0)",
      "x[0] and x[1] are overwritten by 5 and 6: the result does not depend on them. The gradient is [1, 1, 0] where [0, 0, 1] is right",
      "doubted when it was added, pytorch/pytorch#77128", asked="t = torch.ones(3, dtype=torch.float64)\n"
      "f = lambda t: torch.as_strided_scatter(t, torch.tensor([5., 6.], dtype=torch.float64), (2,), (1,), 0)")
found("PyTorch", "cholesky_inverse", "reverse", "import torch\nL = torch.tensor([[2., 0.], [1., 3.]], requires_grad=True)\n"
      "torch.cholesky_inverse(L).sum().backward()\nprint(L.grad[0, 1].item())\n",
      "mp.mpf(0)", "only the lower triangle is read: the value is the same for every L[0, 1]", "none found",
      asked="t = torch.tensor([[2., 0.], [1., 3.]], dtype=torch.float64)\nf = torch.cholesky_inverse")
torch_found("special.gammainc", "reverse", "0.", "f = lambda t: torch.special.gammainc(torch.ones_like(t), t)\n", REVERSE,
            "mp.exp(0)", "gammainc(1, x) = 1 - exp(-x), whose slope at 0 is 1", "of JAX in jobovy/galpy#1381; of TensorFlow in tensorflow/tensorflow#123578")
torch_found("special.gammaincc", "reverse", "0.", "f = lambda t: torch.special.gammaincc(torch.ones_like(t), t)\n", REVERSE,
            "-mp.exp(0)", "gammaincc(1, x) = exp(-x)", "of gammainc in JAX, jobovy/galpy#1381, and in TensorFlow, tensorflow/tensorflow#123578")
torch_found("sinc", "reverse", "1e-9", "f = torch.sinc\n", REVERSE, "mp.diff(lambda x: mp.sincpi(x), mp.mpf('1e-9'), h=mp.mpf('1e-15'))",
            "the slope near 0 is -pi^2 x / 3; the formula cancels", "of JAX in jax-ml/jax#34139")
torch_found("special.erfcx", "reverse", "1e8", "f = torch.special.erfcx\n", REVERSE,
            "-1 / (mp.sqrt(mp.pi) * mp.mpf('1e16'))",
            "erfcx(x) tends to 1 / (x sqrt(pi)), its slope to -1 / (x^2 sqrt(pi)); 2 x erfcx(x) - 2 / sqrt(pi) cancels", "none found")
torch_found("special.log_ndtr", "reverse", "-1e8", "f = torch.special.log_ndtr\n", REVERSE, "mp.npdf(mp.mpf('-1e8')) / mp.ncdf(mp.mpf('-1e8'))",
            "the slope is the density by the distribution, here -x; exp(-(result + x^2 / 2)) cancels, from some -1e6 on", "none found")
torch_found("asinh", "reverse", "1e200", "f = torch.asinh\n", REVERSE, "mp.diff(mp.asinh, mp.mpf('1e200'), h=mp.mpf('1e170'))",
            "1 / sqrt(1 + x^2) is 1e-200; x^2 overflows", "of JAX in jax-ml/jax#40634")
torch_found("acosh", "reverse", "1e200", "f = torch.acosh\n", REVERSE, "mp.diff(mp.acosh, mp.mpf('1e200'), h=mp.mpf('1e170'))",
            "1 / sqrt(x^2 - 1) is 1e-200; x^2 overflows", "of JAX in jax-ml/jax#40634")
torch_found("atan2", "reverse", "1e-200", "f = lambda t: torch.atan2(t, torch.tensor(1e-200, dtype=torch.float64))\n", REVERSE,
            "1 / (2 * mp.mpf('1e-200'))", "x / (x^2 + y^2) is 5e199; the squares underflow", "in float16: pytorch/pytorch#193040")
torch_found("expm1", "reverse", "-36.", "f = torch.expm1\n", REVERSE, "mp.exp(-36)",
            "the slope is exp(x); from the rounded result, as y + 1, it is 4 % off here and 0 from -38 on", "of JAX in jax-ml/jax#39794")
torch_found("nn.functional.gelu", "value and reverse", "-9.", "f = torch.nn.functional.gelu\n", REVERSE, "mp.ncdf(-9) - 9 * mp.npdf(-9)",
            "1 + erf(x / sqrt 2) is 0 in float64: the value is -0.0 in place of -1.02e-18, the slope 1 % off; erfc has it exactly", "pytorch/pytorch#187806")
torch_found("nn.functional.tanhshrink", "value and reverse", "1e-9", "f = torch.nn.functional.tanhshrink\n", REVERSE,
            "mp.tanh(mp.mpf('1e-9'))**2", "x - tanh(x) is x^3 / 3, its slope tanh(x)^2; both are 0",
            "of another library in tenstorrent/tt-metal#47323")

torch_found("nn.functional.softsign", "reverse", "1e16", "f = torch.nn.functional.softsign\n", REVERSE, "(1 + mp.mpf('1e16'))**-2",
            "the slope is 1 / (1 + |x|)^2; 1 / (1 + |x|) - |x| / (1 + |x|)^2 cancels, to 0 here", "none found")
torch_found("nn.functional.softshrink, lambd=0", "reverse", "0.", "f = lambda t: torch.nn.functional.softshrink(t, 0.)\n", REVERSE, "mp.mpf(1)",
            "with lambd = 0 the value is x", "of hardshrink in pytorch/pytorch#80803")
torch_found("nn.functional.hardshrink, lambd=0", "reverse", "0.", "f = lambda t: torch.nn.functional.hardshrink(t, 0.)\n", REVERSE, "mp.mpf(1)",
            "with lambd = 0 the value is x", "pytorch/pytorch#80803")
torch_found("nn.functional.binary_cross_entropy, target", "reverse", "0.3",
            "f = lambda t: torch.nn.functional.binary_cross_entropy(t.new_zeros(()), t)\n", REVERSE, "mp.mpf(100)",
            "the logarithm of 0 is taken for -100, so that the loss is 100 t; the gradient is infinite", "none found")
torch_found("nn.functional.poisson_nll_loss, target", "reverse", "0.",
            "f = lambda t: torch.nn.functional.poisson_nll_loss(t.new_tensor(0.7), t, full=True)\n", REVERSE, "-mp.mpf(0.7)",
            "up to t = 1 the loss is exp(x) - t x; NaN, from the logarithm in the term that is left out there", "none found")
torch_found("scatter_reduce, amax without self", "reverse", "0.",
            "f = lambda t: t.new_zeros(1).scatter_reduce(0, torch.tensor([0]), t.reshape(1), 'amax', include_self=False)[0]\n", REVERSE, "mp.mpf(1)",
            "the result is t itself; an entry that is left out and happens to be as large takes half of the gradient", "none found")
torch_found("special.bessel_y0", "value and reverse", "5.43", "f = torch.special.bessel_y0\n", REVERSE, "-mp.bessely(1, mp.mpf('5.43'))",
            "the slope of y0 is -y1; beside a zero, since above 5 values are off by some 1e-7, as in float32", "none found")

found("PyTorch", "kron", "reverse after a write", "import torch\nx = torch.tensor([[2.]], requires_grad=True)\ny = torch.kron(x, x)\n"
      "with torch.no_grad():\n    x.add_(1)\ny.backward()\nprint(x.grad.item())\n", "2 * mp.mpf(2)",
      "y is x^2 at 2; backward reads the overwritten x and says nothing, where that of x * x raises: _unsafe_view has no version in common with x",
      "none found (of matmul and attention: pytorch/pytorch#177436)", asked="t = torch.tensor([[2.]], dtype=torch.float64)\nf = lambda t: torch.kron(t, t)")
found("PyTorch", "linalg.matrix_exp", "reverse of a large incoming gradient", "import torch\nx = torch.tensor([[1.5]], requires_grad=True)\n"
      "torch.linalg.matrix_exp(x).backward(torch.tensor([[2.**24]]))\nprint(x.grad.item() / 2.**24)\n", "mp.exp(mp.mpf('1.5'))",
      "the slope of exp; the incoming gradient stands beside x in one matrix, which is divided by the size of both: x loses its digits",
      "none found", asked="t = torch.tensor([[1.5]])\nf = torch.linalg.matrix_exp")

X = "torch.tensor([1., 2., 4., 8., 1., 3., 9., 5.], dtype=torch.float64).reshape(1, 2, 2, 2)"
found("PyTorch", "nn.functional.instance_norm", "reverse of a channels-last gradient", f"import torch\nx = {X}.requires_grad_()\n"
      "v = torch.zeros_like(x).to(memory_format=torch.channels_last)\nv[0, 0, 0, 1] = 1\n"
      "torch.nn.functional.instance_norm(x, eps=0.25).backward(v)\nprint(x.grad[0, 0, 0, 0].item())\n",
      "mp.diff(lambda t: (lambda x: (2 - sum(x) / 4) / mp.sqrt(sum((a - sum(x) / 4)**2 for a in x) / 4 + mp.mpf(0.25)))([t, 2, 4, 8]), mp.mpf(1))",
      "the formula of normalisation; with the same v in a contiguous tensor it is right. One image of several channels is enough",
      "none found (of another operator, by a like cause: pytorch/pytorch#64039)", asked=f"t = {X}\nf = lambda t: torch.nn.functional.instance_norm(t, eps=0.25)")

# --- first order, forward mode ---------------------------------------------------------------------------------------

torch_found("scatter_reduce, prod", "forward", "0.9",
            "i = torch.tensor([0, 0, 1])\n"
            "f = lambda t: torch.scatter_reduce(torch.stack([t, t]), 0, i, torch.stack([t + 1, 2 * t, t]), 'prod').sum()\n", FORWARD,
            "mp.diff(lambda t: t * (t + 1) * 2 * t + t * t, mp.mpf(0.9))", "a polynomial; reverse mode has its slope", "pytorch/pytorch#196702")
torch_found("scatter_reduce, prod", "forward of reverse", "0.9",
            "i = torch.tensor([0, 0, 1])\n"
            "f = lambda t: torch.scatter_reduce(torch.stack([t, t]), 0, i, torch.stack([t + 1, 2 * t, t]), 'prod').sum()\n",
            FORWARD_OF_REVERSE, "mp.diff(lambda t: t * (t + 1) * 2 * t + t * t, mp.mpf(0.9), 2)", "a polynomial", "pytorch/pytorch#196702, by its cause")
torch_found("nn.functional.nll_loss, weight", "forward", "0.7",
            "x, y = torch.tensor([[1., 2.]], dtype=torch.float64), torch.tensor([1])\n"
            "f = lambda t: torch.nn.functional.nll_loss(x, y, weight=torch.stack([t, 2 * t]), reduction='sum')\n", FORWARD,
            "mp.diff(lambda t: -2 * t * 2, mp.mpf(0.7))", "the loss is -2 t x[0, 1]; the tangent of the weight is dropped, where reverse mode raises", "none found")
torch_found("cholesky_inverse", "forward", "0.7",
            "o, z = torch.ones(2, dtype=torch.float64)\nf = lambda t: torch.cholesky_inverse(torch.stack([t + o, z * 0, o, 2 * o]).reshape(2, 2)).sum()\n",
            FORWARD, "mp.diff(lambda t: 5 / (4 * (t + 1)**2) - 1 / (2 * (t + 1)) + mp.mpf(1) / 4, mp.mpf(0.7))",
            "the inverse of L L^T, written out", "pytorch/pytorch#196682")
torch_found("cholesky_solve, batches", "forward", "-7.",
            "b = torch.tensor([[1., 2.], [-1., 3.]], dtype=torch.float64)\no, z = b.new_ones(()), b.new_zeros(())\n"
            "f = lambda t: torch.cholesky_solve(b, torch.stack([2 * o, z, t, 3 * o, 3 * o, z, 2 * t + 1, 2 * o]).reshape(2, 2, 2)).sum()\n",
            FORWARD,
            "mp.diff(lambda t: sum((lambda L: mp.fsum((L * L.T)**-1 * mp.matrix([[1, 2], [-1, 3]])))(mp.matrix([[a, 0], [c, d]]))"
            " for a, c, d in ((2, t, 3), (3, 2 * t + 1, 2))), mp.mpf(-7))", "the solution by an explicit inverse", "pytorch/pytorch#196694")
torch_found("triangular_solve", "forward", "0.7",
            "f = lambda t: torch.triangular_solve(torch.stack([t, t * t]).reshape(2, 1), torch.stack([t + 1, 3 * t, t, t + 2]).reshape(2, 2), upper=False)[0].sum()\n",
            FORWARD, "mp.diff(lambda t: t / (t + 1) + (t * t - t * t / (t + 1)) / (t + 2), mp.mpf(0.7))",
            "the upper triangle is not read, and its tangent counts; forward substitution, written out",
            "of the diagonal in unitriangular mode: pytorch/pytorch#196707")
found("PyTorch", "native_layer_norm, mean", "forward", TORCH.format(t="0.7") +
      "f = lambda t: torch.native_layer_norm(torch.stack([t, t * t]), (2,), None, None, 1e-5)[1].sum()\n" + FORWARD,
      "mp.diff(lambda t: (t + t * t) / 2, mp.mpf(0.7))", "the second result is the mean; its tangent is 0, where reverse mode has no gradient at all", "none found")
torch_found("asinh", "forward", "1e200", "f = torch.asinh\n", FORWARD, "mp.diff(mp.asinh, mp.mpf('1e200'), h=mp.mpf('1e170'))",
            "1 / sqrt(1 + x^2) is 1e-200; x^2 overflows", "of JAX in jax-ml/jax#40634")

torch_found("logcumsumexp", "forward", "-30.", "f = lambda t: torch.logcumsumexp(torch.stack([t, torch.zeros_like(t)]), 0)[0]\n", FORWARD, "mp.mpf(1)",
            "the first entry is t itself; a constant of 1e-13 is added to exp(t - largest), by which the tangent is divided. Reverse mode has 1", "pytorch/pytorch#196705")

found("PyTorch", "nn.functional.linear_cross_entropy, chunked", "forward", TORCH.format(t="0.7") +
      "o = torch.nn.LinearCrossEntropyOptions(batch_chunk_size=1)\nw, y = torch.eye(2, dtype=torch.float64), torch.tensor([0, 1])\n"
      "f = lambda t: torch.nn.functional.linear_cross_entropy(torch.stack([t, t * t, 2 * t, -t]).reshape(2, 2), w, y, options=o)\n"
      "from torch.autograd import forward_ad as fw\nwith fw.dual_level():\n    d = fw.unpack_dual(f(fw.make_dual(t, torch.ones_like(t)))).tangent\n"
      "print(0. if d is None else d.item())\n",
      "mp.diff(lambda t: (mp.log(1 + mp.exp(t * t - t)) + mp.log(1 + mp.exp(3 * t))) / 2, mp.mpf(0.7))",
      "the mean of two losses, written out; there is no tangent, which PyTorch takes for 0, and no error", "none found")

# --- second order ----------------------------------------------------------------------------------------------------

torch_found("sinc", "second order", "0.", "f = torch.sinc\n", "t.requires_grad_()\ng, = torch.autograd.grad(f(t), t, create_graph=True)\n"
            "print(torch.autograd.grad(g, t)[0].item())\n", "-mp.pi**2 / 3", "sinc(x) = 1 - (pi x)^2 / 6 + ...", "pytorch/pytorch#89459")
torch_found("sinc", "nested forward", "0.", "f = torch.sinc\n", NESTED, "-mp.pi**2 / 3", "sinc(x) = 1 - (pi x)^2 / 6 + ...",
            "in reverse mode: pytorch/pytorch#89459")
torch_found("pow with a tensor for exponent", "reverse of forward", "0.", "f = lambda t: t**torch.tensor(2., dtype=torch.float64)\n", OF_FORWARD,
            "mp.mpf(2)", "the second derivative of x^2 is 2 everywhere; other orders of modes have it", "pytorch/pytorch#89757")
torch_found("triangular_solve", "forward of reverse", "0.7",
            "f = lambda t: torch.triangular_solve(torch.stack([t, t * t]).reshape(2, 1), torch.stack([t + 1, t * 0, t, t + 2]).reshape(2, 2), upper=False)[0].sum()\n",
            FORWARD_OF_REVERSE, "mp.diff(lambda t: t / (t + 1) + (t * t - t * t / (t + 1)) / (t + 2), mp.mpf(0.7), 2)", "forward substitution, written out",
            "of the diagonal in unitriangular mode: pytorch/pytorch#196707")
LAYERED = "mp.diff(lambda t: (lambda x: (x[0] - sum(x) / 3) / mp.sqrt(sum((a - sum(x) / 3)**2 for a in x) / 3 + mp.mpf(0.25)))([t, t * t, mp.mpf(1)]), mp.mpf(0.7), 2)"
torch_found("nn.functional.layer_norm", "nested forward", "0.7",
            "f = lambda t: torch.nn.functional.layer_norm(torch.stack([t, t * t, torch.ones_like(t)]), (3,), eps=0.25)[0]\n", NESTED,
            LAYERED, "the formula of normalisation", "pytorch/pytorch#196700")
torch_found("nn.functional.batch_norm", "nested forward", "0.7",
            "f = lambda t: torch.nn.functional.batch_norm(torch.stack([t, t * t, torch.ones_like(t)]).reshape(3, 1), None, None, training=True, eps=0.25)[0, 0]\n",
            NESTED, LAYERED, "the formula of normalisation", UMBRELLA)
torch_found("nn.functional.instance_norm", "nested forward", "0.7",
            "f = lambda t: torch.nn.functional.instance_norm(torch.stack([t, t * t, torch.ones_like(t)]).reshape(1, 1, 3), eps=0.25)[0, 0, 0]\n",
            NESTED, LAYERED, "the formula of normalisation", UMBRELLA + ", by its cause")
torch_found("linalg.householder_product", "nested forward", "0.7",
            "f = lambda t: torch.linalg.householder_product(torch.stack([torch.ones_like(t), t]).reshape(2, 1), (2 / (1 + t * t)).reshape(1)).sum()\n",
            NESTED, "mp.diff(lambda t: 1 - 2 * (1 + t) / (1 + t * t), mp.mpf(0.7), 2)", "the column of the reflection, written out", "pytorch/pytorch#196698")
torch_found("cumprod at a zero factor", "nested forward", "0.", "f = lambda t: torch.cumprod(torch.stack([t + 2, t, t + 3]), 0).sum()\n", NESTED,
            "mp.diff(lambda t: t + 2 + (t + 2) * t + (t + 2) * t * (t + 3), mp.mpf(0), 2)", "a polynomial", "pytorch/pytorch#196701")
torch_found("cumprod at a zero factor", "reverse of forward", "0.", "f = lambda t: torch.cumprod(torch.stack([t + 2, t, t + 3]), 0).sum()\n", OF_FORWARD,
            "mp.diff(lambda t: t + 2 + (t + 2) * t + (t + 2) * t * (t + 3), mp.mpf(0), 2)", "a polynomial", "pytorch/pytorch#196701, by its cause")
torch_found("cholesky_inverse", "forward of reverse", "0.7",
            "o, z = torch.ones(2, dtype=torch.float64)\nf = lambda t: torch.cholesky_inverse(torch.stack([t + o, z * 0, o, 2 * o]).reshape(2, 2)).sum()\n",
            FORWARD_OF_REVERSE, "mp.diff(lambda t: 5 / (4 * (t + 1)**2) - 1 / (2 * (t + 1)) + mp.mpf(1) / 4, mp.mpf(0.7), 2)",
            "the inverse of L L^T, written out", "pytorch/pytorch#196682, by its cause")
torch_found("linalg.eigh, vectors", "reverse of forward", "0.7",
            "f = lambda t: torch.linalg.eigh(torch.stack([t, t * 0 + 1, t * 0 + 1, t * 0 + 5]).reshape(2, 2))[1][0, 0]**2\n", OF_FORWARD,
            "mp.diff(lambda t: (1 + (5 - t) / mp.sqrt((5 - t)**2 + 4)) / 2, mp.mpf(0.7), 2)",
            "the eigenvector of a symmetric 2 x 2 matrix, written out; NaN, and forward of reverse has it", "none found (of JAX: jax-ml/jax#1383)")
found("PyTorch", "prod under torch.func", "reverse", "import torch\nx = torch.tensor([[1e13, 0., 0.], [1e13, 1e13, 0.], [1e13, 1e13, 1e13]])\n"
      "print(torch.func.grad(torch.prod)(x)[1, 2].item())\n", "mp.mpf(0)", "two other factors are 0", "pytorch/pytorch#194699",
      asked="t = torch.tensor([[1e13, 0., 0.], [1e13, 1e13, 0.], [1e13, 1e13, 1e13]])\nf = lambda x: torch.func.grad(torch.prod)(x)")

# --- kernels of others, which Triton interprets -----------------------------------------------------------------------

LIGER = ("import os\nos.environ['TRITON_INTERPRET'] = '1'\nimport torch\n"
         "from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction\nx = torch.tensor([[1., 2.], [3., 5.]], requires_grad=True)\n")
LIGER_ASKED = ("t = torch.tensor([[1., 2.], [3., 5.]])\nfrom liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction\n"
               "f = lambda t: LigerCrossEntropyFunction.apply(t.clone(), torch.tensor([1, 0]), None)[0]")
found("Liger-Kernel", "cross_entropy", "reverse of columns in a row", LIGER + "y = LigerCrossEntropyFunction.apply(x.t().clone(), torch.tensor([1, 0]), None)[0]\n"
      "y.backward()\nprint(x.grad[0, 0].item())\n", "mp.exp(1) / (mp.exp(1) + mp.exp(3)) / 2",
      "the mean of -log softmax of (1, 3) and (2, 5); of logits that are not row-major the gradient is the logits themselves", "none found", asked=LIGER_ASKED)
found("Liger-Kernel", "cross_entropy", "reverse of a retained graph", LIGER + "y = 3 * LigerCrossEntropyFunction.apply(x.clone(), torch.tensor([1, 0]), None)[0]\n"
      "torch.autograd.grad(y, x, retain_graph=True)\nprint(torch.autograd.grad(y, x)[0][0, 0].item())\n", "3 * mp.exp(1) / (mp.exp(1) + mp.exp(2)) / 2",
      "the second backward gives three times what the first gave, which was right: what is saved is multiplied in place", "none found (of its input: linkedin/Liger-Kernel#272)",
      asked=LIGER_ASKED)

# --- JAX -------------------------------------------------------------------------------------------------------------

jax_found("nn.soft_sign", "reverse", "print(jax.grad(jax.nn.soft_sign)(1e16))", "(1 + mp.mpf('1e16'))**-2",
          "the slope is 1 / (1 + |x|)^2; what is computed cancels, to 0 here", "none found")
jax_found("scipy.special.spence", "reverse", "print(jax.grad(jax.scipy.special.spence)(1.4))", "mp.log(mp.mpf(1.4)) / (1 - mp.mpf(1.4))",
          "spence(x) is the integral of log(t) / (1 - t) from 1; NaN on (1, 1.5]", "none found")
jax_found("scipy.special.spence", "reverse, at 1", "print(jax.grad(jax.scipy.special.spence)(1.0))", "mp.mpf(-1)", "log(t) / (1 - t) tends to -1", "none found")
jax_found("scipy.special.digamma", "reverse", "print(jax.grad(jax.scipy.special.digamma)(-10.5))", "mp.polygamma(1, mp.mpf(-10.5))",
          "the trigamma function", "jax-ml/jax#37635")
jax_found("scipy.special.i0", "reverse, at 0", "print(jax.grad(jax.scipy.special.i0)(0.0))", "mp.besseli(1, 0)", "an even function", "jax-ml/jax#40628")
jax_found("scipy.special.gammainc", "reverse, at 0", "print(jax.grad(lambda x: jax.scipy.special.gammainc(1.0, x))(0.0))", "mp.exp(0)",
          "gammainc(1, x) = 1 - exp(-x)", "jobovy/galpy#1381")
jax_found("scipy.special.gammaincc", "reverse, at 0", "print(jax.grad(lambda x: jax.scipy.special.gammaincc(1.0, x))(0.0))", "-mp.exp(0)",
          "gammaincc(1, x) = exp(-x)", "of gammainc in jobovy/galpy#1381")
jax_found("scipy.special.betainc", "reverse, at 0", "print(jax.grad(lambda x: jax.scipy.special.betainc(1.0, 1.0, x))(0.0))", "mp.mpf(1)",
          "betainc(1, 1, x) = x", "none found")
jax_found("scipy.special.betainc", "reverse, at 1", "print(jax.grad(lambda x: jax.scipy.special.betainc(1.0, 1.0, x))(1.0))", "mp.mpf(1)",
          "betainc(1, 1, x) = x", "none found")
jax_found("scipy.special.erfcx", "reverse", "print(jax.grad(jax.scipy.special.erfcx)(1e8))", "-1 / (mp.sqrt(mp.pi) * mp.mpf('1e16'))",
          "erfcx(x) tends to 1 / (x sqrt(pi)), its slope to -1 / (x^2 sqrt(pi))", "none found (of its value near 26.6: jax-ml/jax#38607)")
jax_found("numpy.sinc", "reverse", "print(jax.grad(jnp.sinc)(1e-9))", "mp.diff(lambda x: mp.sincpi(x), mp.mpf('1e-9'), h=mp.mpf('1e-15'))",
          "the slope near 0 is -pi^2 x / 3", "jax-ml/jax#34139")
jax_found("numpy.sinc", "reverse, tiny", "print(jax.grad(jnp.sinc)(1e-200))", "-mp.pi**2 / 3 * mp.mpf('1e-200')",
          "the slope near 0 is -pi^2 x / 3; it is infinite here", "jax-ml/jax#40629, by its cause")
jax_found("numpy.sinc", "fourth order", "g = jax.grad(jax.grad(jax.grad(jax.grad(jnp.sinc))))\nprint(g(1e-4))", "mp.diff(lambda x: mp.sincpi(x), mp.mpf('1e-4'), 4, h=mp.mpf('1e-7'))",
          "pi^4 / 5 near 0", "jax-ml/jax#34139, by its cause")
jax_found("numpy.arcsinh", "reverse", "print(jax.grad(jnp.arcsinh)(1e200))", "mp.diff(mp.asinh, mp.mpf('1e200'), h=mp.mpf('1e170'))",
          "1 / sqrt(1 + x^2) is 1e-200", "jax-ml/jax#40634")
jax_found("numpy.arccosh", "reverse", "print(jax.grad(jnp.arccosh)(1e200))", "mp.diff(mp.acosh, mp.mpf('1e200'), h=mp.mpf('1e170'))",
          "1 / sqrt(x^2 - 1) is 1e-200", "jax-ml/jax#40634")
jax_found("numpy.arctan2", "reverse", "print(jax.grad(jnp.arctan2)(1e-200, 1e-200))", "1 / (2 * mp.mpf('1e-200'))", "x / (x^2 + y^2) is 5e199; infinite here",
          "of PyTorch in float16: pytorch/pytorch#193040")
jax_found("scipy.special.log_ndtr", "reverse", "print(jax.grad(jax.scipy.special.log_ndtr)(-1e8))", "mp.npdf(mp.mpf('-1e8')) / mp.ncdf(mp.mpf('-1e8'))",
          "the slope is the density by the distribution, here -x; exp(-(x^2 / 2 + value)) cancels, and is 1 in place of -x from -1e9 on", "none found")
jax_found("numpy.vander", "reverse, at 0", "print(jax.grad(lambda x: jnp.vander(x[None], 3).sum())(0.0))", "mp.mpf(1)",
          "x^2 + x + 1; NaN from the slope of x^0", "of TensorFlow in tensorflow/tensorflow#127227")
jax_found("numpy.hypot", "reverse, large", "print(jax.grad(lambda x: jnp.hypot(x, x))(1e200))", "mp.sqrt(2)", "hypot(x, x) = |x| sqrt 2; the value is right", "none found")
jax_found("numpy.hypot", "reverse, small", "print(jax.grad(lambda x: jnp.hypot(x, x))(1e-200))", "mp.sqrt(2)", "hypot(x, x) = |x| sqrt 2; minus infinity here", "none found")
jax_found("numpy.expm1", "reverse", "print(jax.grad(jnp.expm1)(-36.0))", "mp.exp(-36)", "the slope is exp(x); 4 % off here and 0 from -38 on", "jax-ml/jax#39794")
jax_found("nn.squareplus", "value and reverse", "print(jax.grad(jax.nn.squareplus)(-1e8))", "(1 - mp.mpf('1e8') / mp.sqrt(mp.mpf('1e16') + 4)) / 2",
          "(x + sqrt(x^2 + 4)) / 2 cancels: the value is 7.5e-9 in place of 1e-8", "none found")
jax_found("nn.elu", "reverse", "print(jax.grad(jax.nn.elu)(-36.0))", "mp.exp(-36)", "the slope is exp(x); by expm1, 4 % off here", "jax-ml/jax#39795")
jax_found("nn.selu", "reverse", "print(jax.grad(jax.nn.selu)(-36.0))", "mp.mpf('1.0507009873554804934') * mp.mpf('1.6732632423543772848') * mp.exp(-36)",
          "the slope is scale alpha exp(x); by expm1, 4 % off here", "jax-ml/jax#39796")
