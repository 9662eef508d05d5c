#!/usr/bin/env python3
"""notape as a tool of GradBench: answers its messages, JSON a line, on standard input and output.

    tool.py BIN      the folder with the programs
"""

import json
import os
import subprocess
import sys
import tempfile


def evaluate(program, message):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(message["input"], file)
        file.flush()
        done = subprocess.run([program, file.name, message["function"]], capture_output=True, text=True)
    if done.returncode:
        return {"success": False, "error": done.stderr}
    output, *times = done.stdout.splitlines()
    return {"success": True, "output": json.loads(output),
            "timings": [{"name": "evaluate", "nanoseconds": int(one)} for one in times]}


def main():
    folder = sys.argv[1]
    for message in map(json.loads, sys.stdin):
        program = os.path.join(folder, message.get("module", ""))
        answer = {"start": lambda: {"tool": "notape"},
                  "define": lambda: {"success": os.access(program, os.X_OK) and os.path.isfile(program)},
                  "evaluate": lambda: evaluate(program, message)}.get(message["kind"], dict)
        print(json.dumps({"id": message["id"], **answer()}), flush=True)


if __name__ == "__main__":
    main()
