#!/usr/bin/env python3
"""Kills `notape verify --out DIR` at random moments and looks at what is in DIR: last night's files, byte
for byte, or tonight's, whole; nothing half-written, and no process left.

    verify/command/kill_at_random.py build/notape --times 200
"""

import argparse
import gzip
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

WORDS = ["verify", "tanh", "relu", "mm", "--samples", "3", "--quiet", "--seed"]
FILES = ["certificates.jsonl.gz", "junit.xml", "verify.sarif", "summary.md", "index.html",
         "cases.jsonl"]
COMPLETE = (0, 5)  # three cases need not give every check something to compare
ENDS = {"index.html": b"</html>\n", "junit.xml": b"</testsuites>\n"}


def processes_of(session):
    """Of a session, by number; not those that have ended and were not waited for."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(entry))
    return found


def contents(folder):
    """What the files hold, and their numbers, which tell a new file from an old one of equal contents."""
    return {path.name: (path.read_bytes(), path.stat().st_ino) for path in folder.iterdir()}


def complaint_about(name, data):
    """None for a file that is whole."""
    if not data and name.startswith("cases"):
        return None  # there are none if all is well
    if name.endswith(".gz"):
        data = gzip.decompress(data)
    if ".jsonl" in name:
        if not data.endswith(b"\n"):
            return "is cut short"
        for line in data.splitlines():
            json.loads(line)
    elif name.endswith(".sarif"):
        json.loads(data)
    elif not data.endswith(ENDS.get(name.replace(".interrupted", ""), b"\n")):
        return "is cut short"
    return None


def check(before, after, how):
    """Complaints about what a killed run left. What is not new is the old file, byte for byte."""
    complaints = [f"{name} is gone" for name in FILES if name not in after]
    changed = [name for name in FILES if before[name] != after.get(name)]
    for name, (data, _) in after.items():
        known = name in FILES or name.replace(".interrupted", "") in FILES
        why = complaint_about(name, data) if known else "should not be there"
        if why:
            complaints.append(f"{name} {why}")
    # A signal that leaves the program time leaves all of the old files or all of the new ones.
    if how != signal.SIGKILL and changed and len(changed) != len(FILES):
        complaints.append(f"only some of the files are new: {', '.join(changed)}")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    failures, survived = 0, 0
    with tempfile.TemporaryDirectory(prefix="notape-kill-") as scratch:
        folder = pathlib.Path(scratch) / "report"

        def command(seed, more):
            return [arguments.program, *WORDS, str(seed), "--out", str(folder), *more]

        start = time.monotonic()
        subprocess.run(command(0, []), check=True, stdout=subprocess.DEVNULL)
        whole = time.monotonic() - start
        for i in range(arguments.times):
            before = contents(folder)
            how = generator.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
            run = subprocess.Popen(command(i + 1, generator.choice([[], ["--jobs", "2"]])),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
            # The end, where files are written, deserves more than its share.
            time.sleep(whole * generator.choice([generator.uniform(0, 1), generator.uniform(0.8, 1.05)]))
            run.send_signal(how)
            status = run.wait(timeout=60)
            survived += status in COMPLETE
            complaints = check(before, contents(folder), how)
            if status not in (*COMPLETE, -how, 128 + how):
                complaints.append(f"exit status {status}")
            deadline = time.monotonic() + 10
            while processes_of(run.pid) and time.monotonic() < deadline:
                time.sleep(0.01)
            if processes_of(run.pid):
                complaints.append(f"processes are left: {processes_of(run.pid)}")
            for complaint in complaints:
                print(f"kill {i}, {signal.Signals(how).name}: {complaint}")
            failures += bool(complaints)
    print(f"{arguments.times} runs killed, {survived} of them too late; {failures} left damage")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
