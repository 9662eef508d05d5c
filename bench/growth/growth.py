#!/usr/bin/env python3
"""What a node of a graph costs, by the size of the graph: instructions (callgrind; without it nanoseconds) and bytes.

growth.py PROGRAM [--sizes 2^7,2^10,2^13,2^16] [--case NAME] [--record FILE]

Fails if a line is not straight: if, from one size to the next, a further node costs over 5 % more of notape's own
instructions, or over 10 % more bytes at the peak, than from the size before. Then shows how programs start.
"""
import argparse
import collections
import concurrent.futures
import datetime
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import whole_file

STRAIGHT = {"instructions": 1.05, "peak": 1.1}  # lists double when they are full
ENVIRONMENT = dict(os.environ, OPENBLAS_NUM_THREADS="1")


def instructions(path):
    """Of one dump of callgrind: its title, and each library's own instructions."""
    title, library, is_call = None, None, False
    names, counts = {}, collections.Counter()
    with open(path, encoding="utf-8") as dump:
        for line in dump:
            key, _, value = line.strip().partition("=")
            if line[0] in "+-*0123456789":
                counts[library] += 0 if is_call else int(line.split()[1])
                is_call = False
            elif key == "calls":
                is_call = True  # the next line has what the callee took
            elif key in ("ob", "cob"):
                number, _, name = value.partition(" ")
                name = names.setdefault(number, os.path.basename(name))
                library = name if key == "ob" else library
            elif line.startswith("desc: Trigger: Client Request: "):
                title = line.split(": ", 3)[3].strip()
    return title, counts


def measure(program, case, nodes):
    """The parts of a case, in a process of its own: another's would leave its nodes to the pool."""
    words = [program, case, str(nodes)]
    rows = json.loads(subprocess.run(words, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout)
    if shutil.which("valgrind"):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            subprocess.run(["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={out}",
                            *words], check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
            counts = dict(map(instructions, glob.glob(out + ".*")))
        for row in rows:
            own = counts[row["part"]]
            row["malloc"] = sum(own[name] for name in own if name.startswith("libc"))
            row["instructions"] = sum(own.values()) - row["malloc"]
    whole = {what: sum(row[what] for row in rows) for what in ("ns", "instructions", "malloc") if what in rows[0]}
    return rows + [{**rows[0], **whole, "part": "all", "peak": max(row["peak"] for row in rows)}]


def bends(rows):
    """Where a further node costs more than further nodes did before."""
    for what in STRAIGHT.keys() & rows[0].keys():
        slopes = [(b[what] - a[what]) / (b["nodes"] - a["nodes"]) for a, b in zip(rows, rows[1:])]
        for row, before, after in zip(rows[2:], slopes, slopes[1:]):
            if after > STRAIGHT[what] * before:
                yield f"{row['case']}: up to {row['nodes']} nodes one takes {after:.0f} {what}, before {before:.0f}"


def start(words):
    """A program from its start to its end, the fastest of 40; libraries as ldd counts them."""
    runs = []
    for _ in range(40):
        begin = time.perf_counter()
        pid = os.posix_spawn(words[0], words, ENVIRONMENT,
                             file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
        _, status, usage = os.wait4(pid, 0)
        if status:
            raise SystemExit(f"{' '.join(words)}: status {status}")
        runs.append((1e3 * (time.perf_counter() - begin), usage.ru_minflt))
    libraries = subprocess.run(["ldd", words[0]], check=True, capture_output=True, text=True).stdout
    return {"program": " ".join([os.path.basename(words[0]), *words[1:]]), "ms": round(min(runs)[0], 2),
            "page_faults": min(run[1] for run in runs), "libraries": len(libraries.splitlines())}


def stripped_bytes(library):
    with tempfile.NamedTemporaryFile() as copy:
        subprocess.run(["strip", "-o", copy.name, library], check=True)
        return os.path.getsize(copy.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--sizes", default="2^7,2^10,2^13,2^16")
    parser.add_argument("--case", action="append", help="only this one; may be repeated")
    parser.add_argument("--record", metavar="FILE", help="write the measurement as JSON")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    sizes = [2 ** int(size.removeprefix("2^")) for size in arguments.sizes.split(",")]
    names = arguments.case or subprocess.run([program], check=True, capture_output=True, text=True,
                                             env=ENVIRONMENT).stdout.splitlines()
    if not shutil.which("valgrind"):
        print("there is no valgrind: nanoseconds instead of instructions, which are held to nothing")
    everything, problems = [], []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name in names:
            print(name)
            for part in zip(*pool.map(lambda nodes: measure(program, name, nodes), sizes)):
                everything += part
                shown = [what for what in ("instructions", "malloc", "peak") if what in part[0]]
                print(f"  {part[0]['part']:16}" + "   ".join(
                    what + "".join(f"{row[what] / row['nodes']:7.0f}" for row in part)
                    for what in (shown if len(shown) > 1 else ["ns", "peak"])), flush=True)
            problems += bends(part)
    build = os.path.join(os.path.dirname(program), "..")
    command = os.path.join(build, "notape")
    starts = [start([program, "first"])] + ([start([command, "--version"])] if os.path.exists(command) else [])
    for one in starts:
        print("{program}: {ms} ms, {page_faults} page faults, {libraries} libraries".format(**one))
    size = stripped_bytes(os.path.join(build, "lib", "libnotape.so"))
    print(f"libnotape.so, stripped: {size / 1e6:.2f} MB")
    if arguments.record:
        whole_file.write_json(arguments.record, {
            "command": f"bench/growth/growth.py build/bin/notape_growth --sizes {arguments.sizes} --record " +
                       os.path.relpath(arguments.record),
            "date": datetime.date.today().isoformat(), "load": os.getloadavg()[0], "stripped_bytes": size,
            "starts": starts, "rows": everything})
    for problem in problems:
        print("not straight:", problem, file=sys.stderr)
    print(f"{len(names)} graphs, {len(problems)} bends")
    return 1 if problems or not names else 0


if __name__ == "__main__":
    sys.exit(main())
