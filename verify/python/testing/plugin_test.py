"""The plugin of pytest, in runs of its own."""
import json
import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("numpy")

FILE = '''
import numpy as np
from notape.verify import check, ints, op, pair, real

square = pair(lambda x: x * x, lambda x, g: 2 * x * g)
cube = pair(lambda x: x ** 3, lambda x, g: 2 * x * x * g)
X = np.array([0.5, -2.0])

def test_right(verify):
    assert verify(square, X).power < 1e-8

def test_wrong(verify):
    verify(cube, X)

def test_asserted():
    assert check(cube, X)
'''
DRAWN = '''
import torch
from notape.verify import ints, op, real

@op(cases=2, x=real("b t"), s=ints(0, 1, "t"))
def test_drawn(x, s):
    return x[:, s] * 2

@op(cases=2, x=real("b t"), w=real("t", 0.5, 2))
def test_drawn_wrong(x, w, tmp_path):
    return x * w.detach() * w
'''


def run(tmp_path, text, *arguments):
    (tmp_path / "test_it.py").write_text(text)
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "notape.verify.pytest_plugin",
                           *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"))
    return done.stdout + done.stderr


def test_reports_a_summary_files_and_how_to_run_it_again(tmp_path):
    said = run(tmp_path, FILE, "--notape-out", "out", "--notape-seed", "3")
    assert "2 failed, 1 passed" in said, said
    assert said.count("FAIL: lambda/reverse in float64\n  why ") == 2, said
    assert re.search(r"3 functions, \d+ checks, 2 wrong or undecided", said), said
    again = re.search(r"pytest 'test_it.py::test_wrong' --notape-case (\w+) --notape-seed 3", said)
    assert again, said
    names = {"certificates.jsonl", "junit.xml", "results.sarif", "report.html"}
    assert set(os.listdir(tmp_path / "out")) == names
    lines = (tmp_path / "out" / "certificates.jsonl").read_text().splitlines()
    assert len({json.loads(line)["id"] for line in lines}) == len(lines) > 20
    said = run(tmp_path, FILE, "-k", "test_wrong", "--notape-case", again[1], "--notape-seed", "3")
    assert "1 failed" in said and again[1] in said, said


def test_draws_the_inputs_of_a_function(tmp_path):
    pytest.importorskip("torch")
    said = run(tmp_path, DRAWN)
    assert "1 failed, 1 passed" in said, said
    assert "test_drawn_wrong" in said and "gradient of argument 1" in said, said


def test_works_in_several_processes(tmp_path):
    pytest.importorskip("xdist")
    said = run(tmp_path, FILE, "-p", "xdist", "-n", "2", "--notape-out", "out")
    assert "2 failed, 1 passed" in said, said
    assert "3 functions" in said and os.path.exists(tmp_path / "out" / "report.html"), said


def test_strategies_of_hypothesis():
    hypothesis = pytest.importorskip("hypothesis")
    from notape.verify import check, pair, strategies

    @hypothesis.given(strategies.real("b d"))
    @hypothesis.settings(max_examples=3, deadline=None, database=None)
    def squares(x):
        import numpy as np
        assert check(pair(np.square, lambda x, g: 2 * x * g), np.asarray(getattr(x, "detach", lambda: x)()),
                     samples=1, long=False)

    squares()
