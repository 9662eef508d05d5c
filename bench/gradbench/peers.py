#!/usr/bin/env python3
"""GradBench's evaluations as users of PyTorch and JAX write them, called as the programs are.

    peers.py torch|jax EVAL INPUT.json FUNCTION
"""

import json
import math
import os
import sys
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")


def constant_of_gmm(d, k, n, m, gamma):
    p = d + m + 1
    c = p * d * (math.log(gamma) - math.log(2) / 2) - d * (d - 1) / 4 * math.log(math.pi)
    c -= sum(math.lgamma((p + 1 - j) / 2) for j in range(1, d + 1))
    return k * c - n * d / 2 * math.log(2 * math.pi)


def lower(d):
    """Rows and columns of the entries below the diagonal, column by column."""
    pairs = [(row, column) for column in range(d) for row in range(column + 1, d)]
    return [row for row, _ in pairs], [column for _, column in pairs]


class Torch:
    def __init__(self):
        import torch
        self.np = torch
        torch.set_num_threads(1)

    def array(self, numbers):
        return self.np.tensor(numbers, dtype=self.np.float64)

    def value(self, f, *x):
        with self.np.no_grad():
            return f(*x)

    def gradient(self, f, *x):
        leaves = [one.clone().requires_grad_() for one in x]
        return self.np.autograd.grad(f(*leaves), leaves)

    def matrices(self, q, l):
        """Lower triangular, exp(q) on the diagonal."""
        result = self.np.diag_embed(self.np.exp(q))
        if l.shape[1]:
            rows, columns = lower(q.shape[1])
            result[:, rows, columns] = l
        return result

    def newton(self, cost, centroids):
        c = centroids.clone().requires_grad_()
        slope, = self.np.autograd.grad(cost(c), c, create_graph=True)
        curvature, = self.np.autograd.grad(slope.sum(), c)
        return slope / curvature

    def steps(self, step, state, inputs):
        out = []
        for one in inputs:
            state, y = step(state, one)
            out.append(y)
        return self.np.stack(out)

    def logsumexp(self, x, dim):
        return self.np.logsumexp(x, dim)

    def repeat(self, step, count, y):
        for _ in range(count):
            y = step(y)
        return y

    def min(self, x, dim):
        return self.np.min(x, dim).values

    def wait(self, result):
        return result


class Jax:
    def __init__(self):
        import jax
        jax.config.update("jax_enable_x64", True)
        self.jax, self.np, self.compiled = jax, jax.numpy, {}

    def array(self, numbers):
        return self.np.array(numbers, dtype=self.np.float64)

    def once(self, key, make):  # compiled in the first run, which counts
        if key not in self.compiled:
            self.compiled[key] = self.jax.jit(make())
        return self.compiled[key]

    def value(self, f, *x):
        return self.once("value", lambda: f)(*x)

    def gradient(self, f, *x):
        return self.once("gradient", lambda: self.jax.grad(f, argnums=tuple(range(len(x)))))(*x)

    def matrices(self, q, l):
        result = self.jax.vmap(self.np.diag)(self.np.exp(q))
        rows, columns = lower(q.shape[1])
        return result.at[:, self.np.array(rows, int), self.np.array(columns, int)].set(l)

    def newton(self, cost, centroids):
        def direction(c):
            slope = self.jax.grad(cost)
            return slope(c) / self.jax.jvp(slope, (c,), (self.np.ones_like(c),))[1]
        return self.once("newton", lambda: direction)(centroids)

    def steps(self, step, state, inputs):
        return self.jax.lax.scan(step, state, inputs)[1]

    def logsumexp(self, x, dim):
        return self.jax.scipy.special.logsumexp(x, dim)

    def repeat(self, step, count, y):
        return self.jax.lax.fori_loop(0, count, lambda _, y: step(y), y)

    def min(self, x, dim):
        return self.np.min(x, dim)

    def wait(self, result):
        return self.jax.block_until_ready(result)


def gmm(b, i):
    np, x = b.np, b.array(i["x"])
    d, k, n, m, gamma = (i[key] for key in ("d", "k", "n", "m", "gamma"))
    c = constant_of_gmm(d, k, n, m, gamma)
    parameters = [b.array(i[key]) for key in ("alpha", "mu", "q", "l")]

    def f(alpha, mu, q, l):
        z = np.einsum("kab,nkb->nka", b.matrices(q, l), x[:, None, :] - mu)
        terms = alpha + q.sum(1) - 0.5 * (z * z).sum(2)
        prior = gamma * gamma / 2 * ((np.exp(q) ** 2).sum() + (l * l).sum()) - m * q.sum()
        return b.logsumexp(terms, 1).sum() - n * b.logsumexp(alpha, 0) - prior + c
    names = ("alpha", "mu", "q", "l")
    return {"objective": lambda: b.value(f, *parameters),
            "jacobian": lambda: dict(zip(names, b.gradient(f, *parameters)))}


def lstm(b, i):
    np, state, sequence = b.np, b.array(i["state"]), b.array(i["sequence"])
    layers, bits = state.shape[0] // 2, state.shape[1]
    sigmoid = lambda v: 1 / (1 + np.exp(-v))

    def f(main, extra):
        def step(states, x):
            u, after = x * extra[0], []
            for layer in range(layers):
                w, v = main[2 * layer].reshape(4, bits), main[2 * layer + 1].reshape(4, bits)
                h, z = states[layer]
                z = z * sigmoid(u * w[0] + v[0]) + sigmoid(h * w[1] + v[1]) * np.tanh(h * w[3] + v[3])
                u = h = sigmoid(u * w[2] + v[2]) * np.tanh(z)
                after.append((h, z))
            return after, u * extra[1] + extra[2]
        y = b.steps(step, [(state[2 * j], state[2 * j + 1]) for j in range(layers)], sequence[:-1])
        terms = sequence[1:] * (y - np.log(2 + np.exp(y).sum(1))[:, None])
        return -terms.sum() / ((len(sequence) - 1) * bits)
    parameters = [b.array(i["main_params"]), b.array(i["extra_params"])]
    return {"objective": lambda: b.value(f, *parameters),
            "jacobian": lambda: [one.reshape(-1) for one in b.gradient(f, *parameters)]}


def kmeans(b, i):
    points, centroids = b.array(i["points"]), b.array(i["centroids"])
    cost = lambda c: b.min(((points[:, None, :] - c) ** 2).sum(2), 1).sum()
    return {"cost": lambda: b.value(cost, centroids), "dir": lambda: b.newton(cost, centroids)}


def lse(b, i):
    x = b.array(i["x"])

    def f(x):
        largest = x.max()
        return largest + b.np.log(b.np.exp(x - largest).sum())
    return {"primal": lambda: b.value(f, x), "gradient": lambda: b.gradient(f, x)[0]}


def llsq(b, i):
    x, n = b.array(i["x"]), i["n"]

    def f(x):
        t = -1 + 2 * b.np.arange(n, dtype=b.np.float64) / (n - 1)
        powers = t[:, None] ** b.np.arange(len(x))
        return ((b.np.sign(t) - powers @ x) ** 2).sum() / 2
    return {"primal": lambda: b.value(f, x), "gradient": lambda: b.gradient(f, x)[0]}


def ode(b, i):
    x, steps = b.array(i["x"]), i["s"]
    h, one, zero = 2 / steps, b.array([1.0]), b.array([0.0] * len(i["x"]))
    join = b.np.cat if isinstance(b, Torch) else b.np.concatenate

    def f(x):
        slope = lambda y: x * join([one, y[:-1]])

        def step(y):
            k1 = slope(y)
            k2 = slope(y + h / 2 * k1)
            k3 = slope(y + h / 2 * k2)
            return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + h * k3))
        return b.repeat(step, steps, zero)
    return {"primal": lambda: b.value(f, x), "gradient": lambda: b.gradient(lambda x: f(x)[-1], x)[0]}


def plain(result):
    if isinstance(result, dict):
        return {key: plain(value) for key, value in result.items()}
    if isinstance(result, list):
        return [number for part in result for number in plain(part)]
    return result.tolist()


def main():
    library, evaluation, path, function = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        given = json.load(file)
    backend = {"torch": Torch, "jax": Jax}[library]()
    f = globals()[evaluation](backend, given)[function]
    times = []
    while len(times) < given.get("min_runs", 1) or sum(times) < 1e9 * given.get("min_seconds", 0):
        start = time.perf_counter_ns()
        result = backend.wait(f())
        times.append(time.perf_counter_ns() - start)
    print(json.dumps(plain(result)))
    print("\n".join(map(str, times)))


if __name__ == "__main__":
    main()
