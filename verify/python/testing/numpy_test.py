"""check() on pairs of NumPy functions and of C functions in a shared library; new processes; results as files."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import types

import numpy as np
import pytest

from notape.verify import cdll, check, pair

X = np.array([[0.5, -1.5, 3.0], [0.25, 2.0, -0.75]])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def swish(x):
    return x * sigmoid(x)


def swish_backward(x, g):
    s = sigmoid(x)
    return g * (s + x * s * (1 - s))


def second(x, g, h):  # of swish_backward, by x and by g
    s = sigmoid(x)
    return h * g * s * (1 - s) * (2 + x * (1 - 2 * s)), h * (s + x * s * (1 - s))


def product(a, b):
    return a @ b


def product_backward(a, b, g):
    return g @ b.T, a.T @ g


def statistics(x):  # two results, and something saved for backward
    exponentials = np.exp(x)
    return (x.mean(0), exponentials.sum()), (x.shape, exponentials)


def statistics_backward(saved, g_mean, g_sum):
    shape, exponentials = saved
    return np.broadcast_to(g_mean / shape[0], shape) + exponentials * g_sum


def raises(x, g):
    raise KeyError("swish_cache")


def crashes(x, g):
    os.kill(os.getpid(), signal.SIGSEGV)


RIGHT = {
    "pair": (pair(swish, swish_backward), (X,)),
    "second order": (pair(swish, pair(swish_backward, second)), (X,)),
    "jvp": (pair(swish, swish_backward, jvp=swish_backward), (X,)),
    "two inputs": (pair(product, product_backward), (X, X.T.copy())),
    "two results": (pair(statistics, statistics_backward, saves=True), (X,)),
    "float32": (pair(swish, swish_backward), (X.astype(np.float32),)),
    "constant": (pair(lambda x, i: x[:, i], lambda x, i, g: np.stack([g[:, i == k].sum(1) for k in range(3)], 1)),
                 (X, np.array([2, 0, 2]))),
    "a strided and a scalar": (pair(lambda x, s: x * s, lambda x, s, g: (g * s, (g * x).sum())),
                               (X[:, ::2], np.array(2.0))),
}
WRONG = {
    "wrong factor": (lambda x, g: swish_backward(x, g) * 1.001, "FAIL", "numpy_test.py"),
    "raises": (raises, "REJECTED", "KeyError: 'swish_cache' (numpy_test.py"),
    "one too many": (lambda x, g: (g, g), "REJECTED", "2 gradients for 1 floating input"),
    "wrong shape": (lambda x, g: swish_backward(x, g)[0], "FAIL", "backward returned an invalid gradient at index 0 - got [3] but expected shape compatible with [2, 3], the input's\n"),
    "wrong type": (lambda x, g: swish_backward(x, g).astype(np.float32), None, ""),
    "writes": (lambda x, g: np.multiply(g, swish_backward(x, 1), out=g), "REJECTED", "the incoming gradient 0"),
    "ignores strides": (lambda x, g: swish_backward(x, np.lib.stride_tricks.as_strided(g, x.shape, (24, 8))), "FAIL",
                        "strides"),
    "no backward": (lambda x, g: None, "FAIL", ""),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_pair_passes(name):
    f, inputs = RIGHT[name]
    result = check(f, *inputs)
    assert result, result
    assert ("second-order" in str(result).partition("not there")[2]) == (name != "second order")


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_found(name):
    backward, verdict, words = WRONG[name]
    result = check(pair(swish, backward), X)
    assert not result and words in result.text, result
    assert verdict in (None, result.verdict), result


def test_a_wrong_second_order_is_found():
    result = check(pair(swish, pair(swish_backward, lambda x, g, h: [2 * one for one in second(x, g, h)])), X)
    assert not result and result.only("second-order")[0]["verdict"] == "FAIL", result


def test_a_function_without_backward_says_what_to_do():
    with pytest.raises(ValueError, match="backward=g"):
        check(swish, X)
    assert check(swish, X, backward=swish_backward, name="named").name == "named"


class Exporter:
    """An array of a library that NumPy knows by DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("factor, is_right", [(1, True), (1.001, False)])
def test_any_exporter_of_dlpack(factor, is_right):
    f = pair(lambda x: Exporter(swish(x)), lambda x, g: Exporter(factor * swish_backward(x, g)))
    assert bool(check(f, Exporter(X))) == is_right


class OnTheDevice:
    """An array as CuPy's are: it exports no memory that a host could read, and mixes with no array of NumPy."""
    __module__ = "cupy._core.core"

    def __init__(self, a):
        self.a, self.device = a, "Device 0"
        self.dtype, self.shape = a.dtype, a.shape

    def get(self):
        return self.a

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **_):
        raise BufferError("the host cannot read it")

    def __array__(self, *_, **__):
        raise TypeError("use .get()")

    def __mul__(self, other):
        return OnTheDevice(self.a * (other.a if isinstance(other, OnTheDevice) else other))


@pytest.mark.parametrize("factor, is_right", [(2, True), (3, False)])
def test_arrays_of_cupy(monkeypatch, factor, is_right):
    module = types.ModuleType("cupy")
    module.asarray = lambda a: a if isinstance(a, OnTheDevice) else OnTheDevice(np.asarray(a))
    module.ones_like = lambda a: OnTheDevice(np.ones_like(a.a))
    monkeypatch.setitem(sys.modules, "cupy", module)
    result = check(pair(lambda x: x * x, lambda x, g: x * g * factor), OnTheDevice(X))
    assert bool(result) == is_right and (is_right or result.only("reverse")[0]["verdict"] == "FAIL"), result


def test_types_that_numpy_has_from_others_are_refused():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn):
        with pytest.raises(ValueError, match="only float64, float32, float16 and whole numbers can be checked"):
            check(pair(lambda x: x * x, lambda x, g: 2 * x * g), X.astype(dtype))


def test_longer_inputs_of_a_slow_function_are_asked_only_if_wanted():
    longest = [0]

    def slow(x):
        longest[0] = max(longest[0], x.size)
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass
        return x * x

    few = dict(order=1, samples=1, left_out=["layouts", "strides", "sources", "subsets", "kept", "masked", "ties", "incoming", "hygiene"])
    result = check(pair(slow, lambda x, g: 2 * x * g), X, **few)
    assert result and longest[0] < 100 and "long=True" in result.text, result


def test_longer_inputs_give_no_results_of_millions():
    asked = set()

    def each_with_each(x):
        asked.add(x.size)
        if x.size**2 > 5e6:
            raise MemoryError("a result that is too long to be tried")
        return np.outer(x, x)

    f = pair(each_with_each, lambda x, g: ((g + g.T) @ x.ravel()).reshape(x.shape))
    assert check(f, np.linspace(0.5, 1.5, 12).reshape(2, 6), order=1, samples=1)
    assert max(asked) >= 33 * 6 and max(asked)**2 <= 4.5e6, asked  # kMostLongResults


def test_power_can_be_demanded():
    assert check(swish, X, backward=swish_backward, power=1e-8)
    result = check(swish, X, backward=swish_backward, power=1e-14)
    assert not result and result.verdict == "UNRESOLVED" and "power=1e-14 is wanted" in result.text


def test_a_result_can_be_kept(tmp_path):
    right = check(pair(swish, swish_backward), X)
    wrong = check(pair(swish, lambda x, g: g * sigmoid(x)), X)
    for result in (right, wrong):
        assert result.picture().startswith("<svg")
        assert "<svg" in result._repr_html_()
        assert {one["check"] for one in result.certificates} >= {"reverse", "strides"}
        for ending in ("jsonl", "xml", "sarif", "html", "md", "svg"):
            path = str(tmp_path / f"swish.{ending}")
            result.write(path)
            assert os.path.getsize(path) > 100
    json.loads((tmp_path / "swish.sarif").read_text())
    with pytest.raises(ValueError, match="ends in one of"):
        right.write("swish.doc")


def test_a_case_can_be_run_again(monkeypatch):
    f = pair(swish, lambda x, g: g * sigmoid(x))
    text = check(f, X).text
    code = text.partition("NOTAPE_CASE=")[2].split()[0]
    monkeypatch.setenv("NOTAPE_CASE", code)
    again = check(f, X)
    assert not again and all(one["cost"]["cases"] == 1 for one in again.certificates)
    monkeypatch.setenv("NOTAPE_CASE", "nonsense")
    with pytest.raises(ValueError, match="no case"):
        check(f, X)


def test_a_crash_in_a_new_process_is_a_verdict():
    assert check(pair(swish, swish_backward), X, isolate=True)
    result = check(pair(swish, crashes), X, isolate=True)
    assert not result and result.verdict == "ERROR" and "SIGSEGV" in result.text, result


def test_importing_takes_no_framework_and_no_time():
    code = ("import time; start = time.perf_counter(); import notape.verify; seconds = time.perf_counter() - start; "
            "import sys; print(seconds, [one for one in ('torch', 'jax', 'numpy') if one in sys.modules])")
    said = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split(" ", 1)
            for _ in range(5)]
    assert said[0][1].strip() == "[]"
    assert min(float(one[0]) for one in said) < 0.08


@pytest.fixture(scope="module")
def swish_library(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    path = str(tmp_path_factory.mktemp("swish") / "libswish.so")
    source = os.path.join(os.path.dirname(__file__), "swish.c")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", path, source, "-lm"], check=True)
    return path


@pytest.mark.parametrize("backward, words", [
    ("swish_backward", ""), ("no_factor", "FAIL"), ("too_far", "wrote outside of gx0"), ("not_all", "did not write gx0")])
def test_c_functions_of_a_shared_library(swish_library, backward, words):
    f = cdll(swish_library, forward="swish(n, x0, y0)", backward=f"{backward}(n, x0, gy0, gx0)")
    result = check(f, X)
    assert bool(result) == (words == "") and words in result.text, result


def test_a_crash_in_c_is_a_verdict(swish_library):
    f = cdll(swish_library, forward="swish(n, x0, y0)", backward="crashes(n, x0, gy0, gx0)")
    result = check(f, X, isolate=True)
    assert not result and "SIGSEGV" in result.text, result
