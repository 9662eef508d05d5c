"""Makes the wheels as `./run wheel` does, but for auditwheel, installs them in an empty environment without a network, and
uses them there as the documents say. Exits with 77 where no environment can be made.

    wheel_test.py LIBRARY [EXTENSION TYPES]
"""
import os
import re
import subprocess
import sys
import tempfile

import build_wheel

USE = """
import importlib.metadata as metadata, os, sys
from notape.verify import check, pair
try:
    import numpy as np
except ImportError:
    sys.exit("skipped: numpy")
swish = lambda x: x / (1 + np.exp(-x))
slope = lambda x: (1 + np.exp(-x) * (1 + x)) / (1 + np.exp(-x)) ** 2
assert check(pair(swish, lambda x, g: g * slope(x)), np.array([0.5, -1.5]))
assert not check(pair(swish, lambda x, g: g), np.array([0.5, -1.5]))
assert "NOTAPE" not in " ".join(os.environ), "the library has to be the wheel's own"
assert [one.value for one in metadata.entry_points(group="pytest11") if one.name == "notape"] == ["notape.verify.pytest_plugin"]
assert "# Checking functions" in metadata.metadata("notape-verify").get_payload()
"""
USE_OF_TENSORS = """
import notape, os
x = notape.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
assert x.grad.tolist() == [2.0, 4.0], x.grad
assert notape.nn.Linear(2, 3)(x).shape == (3,)
folder = os.path.dirname(notape.__file__)
assert {"__init__.pyi", "py.typed", "verify"} <= set(os.listdir(folder)), os.listdir(folder)
"""


def foreign_symbols(library):
    """What manylinux_2_34 has not: a newer glibc, or a libstdc++ of its own."""
    said = subprocess.run(["readelf", "-VW", library], capture_output=True, text=True, check=True).stdout
    newer = [f"GLIBC_2.{one}" for one in re.findall(r"Name: GLIBC_2\.(\d+)", said) if int(one) > 34]
    return newer + re.findall(r"Name: GLIBCXX\S*", said)


def main(*built):
    for library in built[:2]:
        assert not foreign_symbols(library), f"{library} needs {foreign_symbols(library)}"
    with tempfile.TemporaryDirectory() as folder:
        wheels = build_wheel.wheels(folder, *built)
        for wheel in wheels:
            assert os.path.getsize(wheel) < 30 << 20, f"{wheel} has more than 30 MB"
        environment = os.path.join(folder, "environment")
        made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", environment], capture_output=True, text=True)
        if made.returncode:
            print(f"skipped: {sys.executable} -m venv: {made.stdout} (Debian: python3-venv)")
            return 77
        python = os.path.join(environment, "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", *wheels], check=True)
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("NOTAPE", "PYTHON"))}
        for code in (USE, USE_OF_TENSORS)[:len(wheels)]:
            done = subprocess.run([python, "-c", code], cwd=folder, env=clean, capture_output=True, text=True)
            if done.returncode:
                print(done.stdout, done.stderr, wheels)
                return 77 if done.stderr.startswith("skipped") else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
