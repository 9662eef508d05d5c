#!/usr/bin/env python3
"""Packs `notape verify` for machines that have nothing of it, neither a compiler: Debian 12, Ubuntu 22.04 and later.

    dist.py BUILD TARBALL.tar.gz           of the target notape_dist (./run dist)
    dist.py BUILD --test                   packs, unpacks into an empty folder, and runs it with an empty environment
"""
import os
import re
import subprocess
import sys
import tarfile
import tempfile

OLDEST = {"GLIBC": (2, 35), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13)}  # Ubuntu 22.04
MOST_BYTES = 25_000_000


def pack(build, tarball):
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "notape")
        subprocess.run(["cmake", "--install", build, "--component", "dist", "--strip", "--prefix", place], check=True,
                       stdout=subprocess.DEVNULL)
        with tarfile.open(tarball, "w:gz") as out:
            out.add(place, "notape")


def newer_symbols(binary):
    """What the oldest system that is promised has not."""
    said = subprocess.run(["readelf", "-VW", binary], capture_output=True, text=True, check=True).stdout
    return [f"{name}_{version}" for name, version in re.findall(r"Name: (GLIBC|GLIBCXX|CXXABI)_([\d.]+)", said)
            if tuple(map(int, version.split("."))) > OLDEST[name]]


def test(build):
    with tempfile.TemporaryDirectory() as folder:
        tarball = os.path.join(folder, "notape.tar.gz")
        pack(build, tarball)
        assert os.path.getsize(tarball) < MOST_BYTES, f"{os.path.getsize(tarball)} bytes"
        empty = os.path.join(folder, "empty")
        with tarfile.open(tarball) as packed:
            packed.extractall(empty)
        place = os.path.join(empty, "notape")
        program = os.path.join(place, "bin", "notape")
        own = set(os.listdir(os.path.join(place, "lib"))) if os.path.isdir(os.path.join(place, "lib")) else set()
        for binary in [program, *(os.path.join(place, "lib", name) for name in own)]:
            assert not newer_symbols(binary), f"{binary} needs {newer_symbols(binary)}"
            needed = re.findall(r"Shared library: \[(.*)\]", subprocess.run(
                ["readelf", "-dW", binary], capture_output=True, text=True, check=True).stdout)
            foreign = [name for name in needed if name not in own and not re.match(r"(libc|libm|ld-linux-x86-64)\.so", name)]
            assert not foreign, f"{binary} needs {foreign}"

        def run(*words):
            done = subprocess.run(["env", "-i", *words], cwd=empty, capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

        code, said = run(program, "verify", "tanh", "mm", "--require-power", "--jobs", "2", "--out", "report")
        assert code == 0 and " pass; " in said and os.path.getsize(os.path.join(empty, "report", "index.html")), said
        source = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "paper_examples", "own_operators")
        run("/usr/bin/env", "PATH=/usr/bin:/bin", "cc", "-O2", "-shared", "-fPIC", f"-I{place}/include/notape", "-o", "own.so",
            os.path.join(source, "c_operators.c"), "-lm")
        code, said = run(program, "verify", "plugin:own.so", "gelu", "--samples", "3")
        assert code == 0 and "LIMIT x2" in said, said


if __name__ == "__main__":
    test(sys.argv[1]) if sys.argv[2] == "--test" else pack(sys.argv[1], sys.argv[2])
