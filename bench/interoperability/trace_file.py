"""What a trace file of ours says, read without any tool: to compare with what a tool read."""
import argparse
import gzip
import json
import os
import subprocess
import sys

SKIPPED = 77  # CTest's SKIP_RETURN_CODE


def use_other_python():
    """Starts again with the Python of NOTAPE_HTA_PYTHON, which has the packages."""
    other = os.environ.pop("NOTAPE_HTA_PYTHON", None)
    if other:
        os.execv(other, [other, *sys.argv])


def arguments(description, records=True):
    """Those that every script here takes, after it runs with the right Python."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("notape")
    parser.add_argument("files", nargs="*")
    if records:
        parser.add_argument("--record", metavar="FILE")
    given = parser.parse_args()
    use_other_python()
    return given


def read(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        return file.read()


def counts(text):
    """Slices, flow pairs, slices and instants on threads, and rows of these, of a trace."""
    events = json.loads(text)["traceEvents"]
    flows = {}
    for event in events:
        if event["ph"] in "sf":
            flows.setdefault((event["cat"], event["name"], event["id"]), set()).add(event["ph"])
    on_threads = [(event["pid"], event["tid"]) for event in events
                  if event["ph"] == "X" or (event["ph"] in "iI" and event.get("s", "t") == "t")]
    return {
        "slices": sum(event["ph"] == "X" for event in events),
        "flows": sum(ends == {"s", "f"} for ends in flows.values()),
        "on_threads": len(on_threads),
        "rows": len(set(on_threads)),
    }


def make(notape, folder):
    """Files that notape writes: two recorded ones, and each public trace that is there, converted."""
    made = []

    def run(*words):
        subprocess.run([notape, "trace", *words], check=True, stdout=subprocess.DEVNULL)

    path = os.path.join(folder, "recorded_cpu.json.gz")
    run("record", "fig1", "--steps", "4", "-o", path, "--gpu", "off")
    made.append(path)
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "trace", "testing")
    made.append(os.path.join(own, "ncf_emulated.json.gz"))
    root = os.environ.get("NOTAPE_TRACE_DIR") or os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "traces")
    if os.path.isdir(root):
        for name in sorted(os.listdir(root)):
            if name.endswith((".json", ".json.gz")):
                path = os.path.join(folder, "converted_" + name)
                run("convert", os.path.join(root, name), "-o", path)
                made.append(path)
    return made
