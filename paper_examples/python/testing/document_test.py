"""What README.md shows, run word by word."""
import os
import re
import subprocess
import sys

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../README.md"), encoding="utf-8") as page:
    BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", page.read(), re.M | re.S)


def run(folder, program):
    (folder / "train.py").write_text(program)
    return subprocess.run([sys.executable, "train.py"], cwd=folder, capture_output=True, text=True)


def test_the_program(tmp_path):
    done = run(tmp_path, BLOCKS[0][1] + "print(loss.item() < 1.2)\n")
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_the_error(tmp_path):
    said = run(tmp_path, "import notape\nx = notape.ones(3, requires_grad=True)\ny = x.tanh()\ny.add_(3)\ny.sum().backward()\n").stderr
    shown = next(text for _, text in BLOCKS if text.startswith("notape.SavedTensorModified"))
    first, *lines = shown.splitlines()
    assert first.removesuffix("...") in said and "\n".join(lines) in said, said
