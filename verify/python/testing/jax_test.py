"""check() on functions of JAX: custom_vjp, custom_jvp, pytrees."""
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp
from notape.verify import GradcheckError, check, check_grads

X = np.array([[0.5, -1.5, 3.0], [0.25, 2.0, -0.75]])


def swish(x):
    return x * jax.nn.sigmoid(x)


def slope(x):
    s = jax.nn.sigmoid(x)
    return s + x * s * (1 - s)


def with_vjp(backward):
    made = jax.custom_vjp(swish)
    made.defvjp(lambda x: (swish(x), x), backward)
    return made


def with_jvp(tangent):
    made = jax.custom_jvp(swish)
    made.defjvp(lambda x, t: (swish(x[0]), tangent(x[0], t[0])))
    return made


RIGHT = {
    "plain": swish,
    "custom_vjp": with_vjp(lambda x, g: (g * slope(x),)),
    "custom_jvp": with_jvp(lambda x, t: t * slope(x)),
    "jit": jax.jit(swish),
}
WRONG = {
    "missing factor": with_vjp(lambda x, g: (g * jax.nn.sigmoid(x),)),
    "one entry": with_vjp(lambda x, g: ((g * slope(x)).at[1, 2].multiply(2),)),
    "second order lost": with_vjp(lambda x, g: (g * slope(jax.lax.stop_gradient(x)),)),
    "wrong tangent": with_jvp(lambda x, t: t * jax.nn.sigmoid(x)),
    "raises": with_vjp(lambda x, g: g.reshape(7)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_passes(name):
    result = check(RIGHT[name], jnp.asarray(X), samples=2)
    assert result and result.power < 1e-4, result


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_found(name):
    result = check(WRONG[name], jnp.asarray(X), samples=2, dtype="float64")
    assert not result, result


def test_pytrees_are_inputs():
    def f(parameters, x):
        return {"y": jnp.tanh(x @ parameters["w"] + parameters["b"]), "n": x.shape[0]}

    parameters = {"w": jnp.ones((3, 2)) * 0.3, "b": jnp.zeros(2)}
    result = check(f, parameters, jnp.asarray(X, jnp.float32), samples=1, order=1)
    assert result, result


def test_what_the_function_makes_itself_has_the_users_type():
    x = jnp.asarray(X, jnp.float32)
    f = lambda x: x * jnp.linspace(0.5, 1.5, 3) + jnp.ones(3)  # noqa: E731
    assert f(x).dtype == jnp.float32 and check(f, x, samples=1, order=1)


def test_a_key_of_random_numbers_is_a_constant():
    f = jax.jit(lambda x, key: x * jax.random.normal(key, x.shape, jnp.float32))
    for key in (jax.random.key(0), jax.random.PRNGKey(0)):
        assert check(f, jnp.asarray(X), key, samples=1, order=1)
    with pytest.raises(ValueError, match="in float64 it is another function than in float32"):
        check(lambda x, key: x * jax.random.normal(key, x.shape), jnp.asarray(X, jnp.float32), jax.random.key(0))


def test_bfloat16_with_a_reference():
    right = with_vjp(lambda x, g: (g * slope(x),))
    wrong = with_vjp(lambda x, g: (g * jax.nn.sigmoid(x),))
    x = jnp.asarray(X, jnp.bfloat16)
    assert check(right, x, reference=swish, order=1)
    assert not check(wrong, x, reference=swish, order=1)


def test_a_batch_of_gradients_that_are_roundings_alone():
    def tangent(x):  # of log_softmax along ones: no shift moves it
        return jax.jvp(jax.nn.log_softmax, (x,), (jnp.ones_like(x),))[1]

    assert not check(tangent, jnp.array([0.3, 0.7, 0.45]), order=1).only("batched")


def test_the_name_of_jax():
    check_grads(swish, (jnp.asarray(X),), order=1, modes=("rev",))
    with pytest.raises(GradcheckError):
        check_grads(WRONG["missing factor"], (jnp.asarray(X),), order=1, modes=("rev",))
