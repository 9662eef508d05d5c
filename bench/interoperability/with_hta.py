#!/usr/bin/env python3
"""HolisticTraceAnalysis reads every file that we write, and says what `--compat hta` says.

with_hta.py NOTAPE [FILE...] [--record FILE]

Without FILEs: two recordings, and the public traces, converted. Needs HolisticTraceAnalysis (PyPI), which runs with
pandas 2: the Python is NOTAPE_HTA_PYTHON, or this one. Status 77 where it is missing. HTA's rounding to whole us is
switched off; it drops the last step of files that have several, and so do our figures here.
"""
import datetime
import json
import logging
import os
import subprocess
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import trace_file
import whole_file

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"


def ours(notape, question, path, steps):
    """{metric, and its stream if it has one: value} of a file."""
    words = [notape, "trace", question, path, "--compat", "hta", "--format", "json"]
    if steps:
        words += ["--step", f"{steps[0]}-{steps[-1]}"]
    report = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return {(metric["metric"], metric.get("stream")): metric["value"] for metric in report["metrics"]}


def with_gpu(analysis):
    """What HTA says, under the names of our metrics."""
    whole = analysis.get_temporal_breakdown(visualize=False).iloc[0]
    said = {("idle.window", None): whole["kernel_time(us)"], ("idle.total", None): whole["idle_time(us)"]}
    idle = analysis.get_idle_time_breakdown(ranks=[0], visualize=False)[0]
    streams = sorted(set(idle["stream"]))
    if len(streams) == 1:  # HTA's kinds are per stream, ours per device
        for kind in ("host_wait", "kernel_wait", "other"):
            said["idle.hta." + kind, None] = float(idle[idle["idle_category"] == kind]["idle_time"].sum())
    queue = analysis.get_queue_length_summary(ranks=[0])
    for stream in streams:
        row = queue.loc[(0, stream)]["queue_length"]
        said["queue.hta.mean_of_events", int(stream)] = float(row["mean"])
        said["queue.max", int(stream)] = float(row["max"])
    return said


def explanation(metric, mine, value, frame):
    """Why HTA says something else, where that is known."""
    if metric in ("idle.window", "idle.total") and (frame["s_cat"] == "cuda_sync").any():
        return "HTA counts waits (cuda_sync rows) as work of the GPU"
    whole = (frame["ts"] % 1 == 0).all() and (frame["dur"] % 1 == 0).all()
    if metric == "queue.hta.mean_of_events" and whole and mine is not None and abs(mine - value) <= 0.01 * value:
        return "times are whole us, and HTA leaves the order of events of the same us open"
    return None


def compare(notape, path, TraceAnalysis):
    analysis = TraceAnalysis(trace_files={0: os.path.abspath(path)})
    steps = [int(step) for step in analysis.get_profiler_steps()]
    frame = analysis.t.get_trace(0)
    names = analysis.t.symbol_table.sym_table
    frame = frame.assign(s_cat=[names[category] for category in frame["cat"]])
    row = {"file": os.path.basename(path), "events_in_hta": len(frame), "steps_in_hta": len(steps), "agree": [],
           "differ": [], "explained": []}
    if not (frame["stream"] >= 0).any():
        row["gpu"] = False
        return row
    row["gpu"] = True
    said = with_gpu(analysis)
    known = {**ours(notape, "idle", path, steps), **ours(notape, "queue", path, steps)}
    for key, value in sorted(said.items(), key=str):
        mine = known.get(key)
        name = key[0] + (f" stream {key[1]}" if key[1] is not None else "")
        fits = mine is not None and abs(mine - value) <= 0.006 + 1e-6 * abs(value)  # HTA prints two decimals
        why = None if fits else explanation(key[0], mine, value, frame)
        row["agree" if fits else "explained" if why else "differ"].append([name, mine, value] + ([why] if why else []))
    return row


def main():
    arguments = trace_file.arguments(__doc__)
    try:
        import hta
        from importlib.metadata import version
        from hta.trace_analysis import TraceAnalysis
    except ImportError as error:
        print(f"skipped: {error} (PyPI: HolisticTraceAnalysis 'pandas<3'; NOTAPE_HTA_PYTHON=.../bin/python)")
        return trace_file.SKIPPED
    logging.disable(logging.CRITICAL)
    warnings.filterwarnings("ignore")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in arguments.files or trace_file.make(arguments.notape, folder):
            row = compare(arguments.notape, path, TraceAnalysis)
            rows.append(row)
            print(f"{row['file']}: {row['events_in_hta']} events, {row['steps_in_hta']} steps; "
                  f"{len(row['agree'])} figures agree, {len(row['differ'])} differ" + ("" if row["gpu"] else " (no GPU rows)"))
            for name, mine, theirs, why in row["explained"]:
                print(f"  {name}: notape {mine}, HTA {theirs}: {why}")
            for name, mine, theirs in row["differ"]:
                print(f"  {name}: notape {mine}, HTA {theirs}")
    if arguments.record:
        whole_file.write_json(arguments.record, {
            "command": "bench/interoperability/with_hta.py build/notape --record bench/results/with_hta.json",
            "date": datetime.date.today().isoformat(), "hta": version("HolisticTraceAnalysis"),
            "pandas": version("pandas"), "rows": rows})
    return int(any(row["differ"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
