"""Functions of JAX with rules of their own."""
import jax
import jax.numpy as jnp
import numpy as np

from case import case

jax.config.update("jax_enable_x64", True)


def ruled(forward, backward):
    """custom_vjp: backward(g, *x) -> one gradient for each x."""
    @jax.custom_vjp
    def f(*xs):
        return forward(*xs)

    f.defvjp(lambda *xs: (forward(*xs), xs), lambda xs, g: tuple(backward(g, *xs)))
    return f


def with_jvp(forward, jvp):
    @jax.custom_jvp
    def f(x):
        return forward(x)

    f.defjvp(lambda xs, ts: (f(xs[0]), jvp(xs[0], ts[0])))
    return f


def x(*shape, seed=1):
    return jnp.asarray(np.random.default_rng(seed).uniform(-2, 2, shape))


def swish(x):
    return x * jax.nn.sigmoid(x)


def slope(x):
    s = jax.nn.sigmoid(x)
    return s + x * s * (1 - s)


case("JAX: a factor is missing", "no public report; an error of 1e-4", ruled(swish, lambda g, x: [g * slope(x)]),
     ruled(swish, lambda g, x: [g * (slope(x) + 1e-4 * x)]), lambda: (x(4),), True, forward_mode=False)

case("JAX: no gradient for the vector", "jax-ml/jax#17496", ruled(jnp.matmul, lambda g, m, v: [jnp.outer(g, v), m.T @ g]),
     ruled(jnp.matmul, lambda g, m, v: [jnp.outer(g, v), jnp.zeros_like(v)]), lambda: (x(3, 2), x(2, seed=2)), True, forward_mode=False)

case("JAX: second order of a custom_jvp", "jax-ml/jax#21220", with_jvp(jnp.tanh, lambda x, t: t * (1 - jnp.tanh(x)**2)),
     with_jvp(jnp.tanh, lambda x, t: t * (1 - jnp.tanh(jax.lax.stop_gradient(x))**2)), lambda: (x(3),), True)

case("JAX: where() and the NaN of the other branch", "jax-ml/jax#2630",
     lambda x: jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1)), 0), lambda x: jnp.where(x > 0, jnp.sqrt(x), 0),
     lambda: (jnp.array([1.5, -2.0, 0.7]),), True)

case("JAX: expm1 far to the left", "jax-ml/jax#39794", with_jvp(jnp.expm1, lambda x, t: t * jnp.exp(x)),
     with_jvp(jnp.expm1, lambda x, t: t * (jnp.expm1(x) + 1)), lambda: (jnp.array([1.0, -38.5, -40.0]),), True)
