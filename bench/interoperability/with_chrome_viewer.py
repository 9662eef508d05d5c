#!/usr/bin/env python3
"""Chrome's trace viewer imports every file that we write: all slices and flows, without a warning.

with_chrome_viewer.py NOTAPE [FILE...] [--record FILE]

In a headless Chromium: the page chrome://tracing if the build has it, else the same viewer (catapult's
trace_viewer_full.html) as the Python package torch-tb-profiler (PyPI) carries it, or NOTAPE_TRACE_VIEWER names it. The
importer and the model run; nothing is drawn. Status 77 where there is no browser or no viewer.
"""
import datetime
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import trace_file
import whole_file
from devtools import DevTools

HERE = os.path.dirname(os.path.abspath(__file__))
PART = 1 << 20  # characters of a trace that go to the page at once
IMPORT = """(async () => {
  const options = new tr.importer.ImportOptions();
  options.trackDetailedModelStats = true;
  const model = new tr.Model();
  new tr.importer.Import(model, options).importTraces([window.trace]);
  window.trace = '';
  let on_threads = 0, counters = 0, rows = 0;
  for (const process of Object.values(model.processes)) {
    for (const thread of Object.values(process.threads)) {
      rows += thread.sliceGroup.length > 0;
      on_threads += thread.sliceGroup.length;
    }
    for (const counter of Object.values(process.counters)) counters += counter.timestamps.length;
  }
  return {on_threads, counters, rows, flows: model.flowEvents.length,
          warnings: model.importWarnings.map(w => w.type + ': ' + w.message).slice(0, 5)};
})()"""


def packaged_viewer():
    named = os.environ.get("NOTAPE_TRACE_VIEWER")
    if named:
        return named
    try:
        from importlib.util import find_spec
        package = find_spec("torch_tb_profiler")
    except ImportError:
        package = None
    path = package and os.path.join(package.submodule_search_locations[0], "static", "trace_viewer_full.html")
    return path if path and os.path.exists(path) else None


def open_viewer(browser):
    """The name of the viewer that is open now; None if there is none."""
    if browser.open("chrome://tracing/") and browser.value("typeof tr") == "object":
        return "chrome://tracing"
    path = packaged_viewer()
    if not path:
        return None
    with open(os.path.join(HERE, "components_v0.js"), encoding="utf-8") as script:
        browser.open("file://" + os.path.abspath(path), script.read())
    return "catapult's trace_viewer_full.html" if browser.value("typeof tr.importer.Import") == "function" else None


def check(browser, path):
    text = trace_file.read(path)
    browser.value("window.trace = ''")
    for start in range(0, len(text), PART):
        browser.value(f"void (window.trace += {json.dumps(text[start:start + PART])})")
    seen, expected = browser.value(IMPORT), trace_file.counts(text)
    differ = [key for key in ("on_threads", "flows", "rows") if seen[key] != expected[key]]
    return {"file": os.path.basename(path), "seen": seen, "expected": expected, "differ": differ,
            "fits": not differ and not seen["warnings"]}


def main():
    arguments = trace_file.arguments(__doc__)
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        print("skipped: no chromium")
        return trace_file.SKIPPED
    browser = DevTools(program)
    rows = []
    try:
        version = browser.call("Browser.getVersion")["product"]
        viewer = open_viewer(browser)
        if not viewer:
            print("skipped: this chromium has no chrome://tracing, and there is no other viewer "
                  "(PyPI: torch-tb-profiler, or NOTAPE_TRACE_VIEWER)")
            return trace_file.SKIPPED
        print(f"{viewer} in {version}")
        with tempfile.TemporaryDirectory() as folder:
            for path in arguments.files or trace_file.make(arguments.notape, folder):
                row = check(browser, path)
                rows.append(row)
                seen = row["seen"]
                print(f"{row['file']}: {'loads' if row['fits'] else 'DIFFERS'}: {seen['on_threads']} slices and instants, "
                      f"{seen['flows']} flows, {seen['rows']} rows, {len(seen['warnings'])} warnings")
                for key in row["differ"]:
                    print(f"  {key}: {row['expected'][key]} in the file, {seen[key]} in the viewer")
                for warning in seen["warnings"]:
                    print("  " + warning)
    finally:
        browser.close()
    if arguments.record:
        whole_file.write_json(arguments.record, {
            "command": "bench/interoperability/with_chrome_viewer.py build/notape --record "
                       "bench/results/with_chrome_viewer.json",
            "date": datetime.date.today().isoformat(), "browser": version, "viewer": viewer, "rows": rows})
    return int(not all(row["fits"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
