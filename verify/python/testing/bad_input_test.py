"""What users hand to check() by mistake: an error of one line, or a verdict; and processes that fork or end amid a check."""
import os
import random
import subprocess
import sys

import numpy as np
import pytest

from notape.verify import check, pair

X = np.array([0.5, -1.5])
FEW = dict(order=1, samples=1, long=False)


def square(x):
    return x * x


def slope(x, g):
    return 2 * x * g


@pytest.mark.parametrize("array", [X[::-1], X.astype(">f8"), X.astype(np.float16), np.array(0.5), np.broadcast_to(0.5, (2, 2))])
def test_arrays_of_every_kind(array):
    array = array[...]
    assert check(pair(square, slope), array, **FEW)


def test_an_array_that_may_only_be_read():
    array = X.copy()
    array.flags.writeable = False
    assert check(pair(square, slope), array, **FEW) and (array == X).all()


def test_results_of_other_byte_orders():
    assert check(pair(lambda x: square(x).astype(">f8"), lambda x, g: slope(x, g).astype(">f8")), X, **FEW)


@pytest.mark.parametrize("arguments, options, words", [
    ((X.astype(np.longdouble),), {}, "float128|longdouble"), ((np.array(["a"]),), {}, "whole numbers"), ((X + 1j,), {}, "complex128"),
    ((np.array([1, 2]),), {}, "nothing to differentiate"), ((), {}, "needs inputs"), ((np.array([np.nan, 1.0]),), {}, "not finite"),
    ((X,), {"domain": (3, 1)}, r"domain = \(3, 1\)"), ((X,), {"power": -1}, "power = -1"), ((X,), {"call_seconds": -1}, "call_seconds = -1"),
    ((X,), {"order": 0}, "order = 0")])
def test_an_error_of_one_line(arguments, options, words):
    with pytest.raises(ValueError, match=words) as caught:
        check(pair(square, slope), *arguments, **options)
    assert "\n" not in str(caught.value)


def test_no_entries_are_no_success():
    result = check(pair(square, slope), np.zeros((0, 3)), **FEW)
    assert not result and result.verdict == "VACUOUS" and "have no entries" in result.text or "has no entries" in result.text
    assert len(result.text.splitlines()) < 5


def test_what_calls_change_for_everybody_is_said(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    np.random.random()  # what is imported by the first call is not looked at

    def says(change):
        return check(pair(lambda x: (change(), square(x))[1], slope), X, **FEW).text
    assert "changes the working directory" in says(lambda: os.chdir("/"))
    assert "sets Python's random numbers" in says(lambda: random.seed(0))
    assert "sets NumPy's random numbers" in says(lambda: np.random.seed(0))
    np.random.random()
    assert "sets NumPy's random numbers" in check(pair(square, lambda x, g: (np.random.seed(0), slope(x, g))[1]), X, **FEW).text
    assert "checks pass" in says(lambda: (random.random(), np.random.random()))  # drawing is no harm
    made = []
    assert "checks pass" in says(lambda: made or made.append(np.random.random() + random.random()))  # nor once
    state = random.getstate()
    assert check(pair(square, slope), X, **FEW) and random.getstate() == state


def test_a_process_may_fork_and_end_amid_checks():
    program = """
import os, threading, time, numpy as np
from notape.verify import check, pair
f, X = pair(lambda x: x * x, lambda x, g: 2 * x * g), np.array([0.5, -1.5])
def forks(x):
    if os.fork() == 0:
        os._exit(0)
    os.wait()
    return x * x
assert check(f, X) and check(pair(forks, f.backward), X, order=1, samples=1, long=False)
child = os.fork()
if child == 0:
    os._exit(0 if check(f, X) else 1)
assert os.waitpid(child, 0)[1] == 0
def forever():
    while True:
        check(f, X)
threading.Thread(target=forever, daemon=True).start()
time.sleep(0.3)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_tensors_of_pytorch_without_numbers_or_density():
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    x = torch.tensor(X, requires_grad=True)
    for arguments, f, words in (((torch.ones(2, device="meta", requires_grad=True),), square, "no numbers"),
                                ((x,), lambda x: x.long(), "nothing to differentiate"), ((x,), lambda x: None, "NoneType"),
                                ((x,), lambda x: x.argmax(), "a tensor of int64"), ((x,), lambda x: torch.complex(x, x), "a tensor of complex128")):
        with pytest.raises(ValueError, match=words):
            check(f, *arguments)
    assert "no numbers" in check(lambda x: x.to("meta"), x).text
    table = torch.tensor([[0.5, 1.5], [-1.0, 2.0]], dtype=torch.float64, requires_grad=True)
    lookup = lambda w: torch.nn.functional.embedding(torch.tensor([1, 0, 1]), w, sparse=True)  # noqa: E731
    assert check(lookup, table, forward_mode=False, **FEW)  # its gradient is sparse

    def doubled(x):
        torch.set_default_dtype(torch.float64)
        return x * x
    try:
        assert "changes torch's default dtype" in check(doubled, x, **FEW).text
    finally:
        torch.set_default_dtype(torch.float32)


def test_functions_of_apache_tvm_ffi():
    ffi = pytest.importorskip("tvm_ffi")
    f = ffi.convert(lambda x: ffi.from_dlpack(square(np.from_dlpack(x))))
    for factor, is_right in ((1, True), (1.5, False)):
        backward = ffi.convert(lambda x, g: ffi.from_dlpack(factor * slope(np.from_dlpack(x), np.from_dlpack(g))))
        assert bool(check(pair(f, backward), ffi.from_dlpack(X.copy()), **FEW)) == is_right
