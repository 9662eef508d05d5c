"""What records say of the machine: its processor, and OpenBLAS with the kernels that notape takes there."""

import os
import subprocess


def described(program):
    """`program` is one of the build's, in its folder bin/."""
    cpu = openblas = "unknown"
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            cpu = next((l.split(":", 1)[1].strip() for l in info if l.startswith("model name")), cpu)
    notape = os.path.join(os.path.dirname(program), "..", "notape")
    if os.path.exists(notape):
        version = subprocess.run([notape, "--version"], capture_output=True, text=True).stdout
        openblas = version.split("\n")[1].removeprefix("OpenBLAS: ")
    return {"cpu": cpu, "openblas": openblas}
