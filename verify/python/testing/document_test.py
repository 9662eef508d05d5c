"""What verify/PYTHON.md shows, run word by word."""
import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("torch")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
FILES = os.path.join(ROOT, "paper_examples/own_operators/python")
with open(os.path.join(ROOT, "verify/PYTHON.md"), encoding="utf-8") as page:
    BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", page.read(), re.M | re.S)


def run(tmp_path, program, *command):
    path = tmp_path / "test_page.py"
    path.write_text(program)
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([FILES, os.environ.get("PYTHONPATH", "")]), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    done = subprocess.run([sys.executable, *command, str(path)], cwd=FILES, env=environment, capture_output=True, text=True)
    return done.stdout, done.stdout + done.stderr


def words(text):
    """Without numbers and codes, which differ between processors."""
    return re.sub(r"NOTAPE_CASE=\w+|[-+]?\d+(\.\d+)?(e[-+]?\d+)?|checks? pass", "#", text).split()


def test_the_first_test(tmp_path):
    programs = [i for i, (kind, _) in enumerate(BLOCKS) if kind == "python"]
    with open(os.path.join(FILES, "swish.py"), encoding="utf-8") as swish:
        assert BLOCKS[programs[0]][1] == swish.read()
    said, all_said = run(tmp_path, BLOCKS[programs[1]][1])
    assert words(said) == words(BLOCKS[programs[1] + 1][1]), all_said


def test_the_tests_of_pytest(tmp_path):
    block = next(text for kind, text in BLOCKS if kind == "python" and "def test_swish" in text)
    said = run(tmp_path, block, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "notape.verify.pytest_plugin")[1]
    assert "3 passed" in said and re.search(r"^\d+ functions, \d+ checks, 0 wrong or undecided", said, re.M), said
