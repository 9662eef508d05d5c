#!/usr/bin/env python3
"""Records that appear whole or not at all: whatever ends a measurement, the last one's record is left.

    bench/whole_file.py RECORD.json...     writes records of other programs as those of the house: a row a line
"""

import json
import os
import platform
import re
import subprocess
import sys
import tempfile


def cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            return next(l.split(":", 1)[1].strip() for l in info if l.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def version_line(program, subject):
    """What `notape --version` says after "subject: ". `program` is one in the build's bin/."""
    notape = os.path.join(os.path.dirname(program), "..", "notape")
    if not os.path.exists(notape):
        return "unknown"
    version = subprocess.run([notape, "--version"], capture_output=True, text=True).stdout
    return next((line.removeprefix(f"{subject}: ") for line in version.split("\n")
                 if line.startswith(f"{subject}: ")), "unknown")


def cpu_family():
    """Family and model, which tell processors apart whose names are the same."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            of_first = dict(re.findall(r"^(cpu family|model)\s*: (\d+)$", info.read(), re.M))
        return f"family {of_first['cpu family']} model {of_first['model']}"
    except (OSError, KeyError):
        return ""


def openblas(program):
    """Which OpenBLAS notape uses here, and with which kernels."""
    return version_line(program, "OpenBLAS")


def record_text(value):
    """A line for each entry of `value`; of a list or object of objects, a line for each of these
    (verify/report/row_json.h)."""
    def text(entry):
        entries = list(entry.values()) if isinstance(entry, dict) else entry
        if not isinstance(entries, list) or not entries or not all(isinstance(one, dict) for one in entries):
            return json.dumps(entry)
        if isinstance(entry, dict):
            return "{\n  " + ",\n  ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in entry.items()) + "\n }"
        return "[\n  " + ",\n  ".join(map(json.dumps, entries)) + "\n ]"
    return "{\n " + ",\n ".join(f"{json.dumps(key)}: {text(entry)}" for key, entry in value.items()) + "\n}\n"


def write_json(path, value):
    """Writes `value` and the processor that it was measured on beside `path`, and renames. A file that
    cannot be written is one line and exit status 2."""
    value = {"cpu": cpu_model(), **value}
    path = os.path.realpath(path)
    partial = None
    try:
        descriptor, partial = tempfile.mkstemp(prefix=os.path.basename(path) + ".partial-",
                                               dir=os.path.dirname(path))
        with open(descriptor, "w", encoding="utf-8") as out:
            out.write(record_text(value))
            out.flush()
            os.fsync(out.fileno())
        mode = os.stat(path).st_mode & 0o7777 if os.path.exists(path) else 0o666 & ~current_umask()
        os.chmod(partial, mode)
        os.replace(partial, path)
        partial = None
    except OSError as error:
        print(f"{path}: cannot be written: {error.strerror}", file=sys.stderr)
        sys.exit(2)
    finally:
        if partial and os.path.exists(partial):
            os.unlink(partial)


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


if __name__ == "__main__":
    for record in sys.argv[1:]:
        with open(record, encoding="utf-8") as measured:
            rows = json.load(measured)
        with open(record, "w", encoding="utf-8") as out:
            out.write(record_text(rows))
