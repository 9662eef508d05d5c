#!/usr/bin/env python3
"""Perfetto's importer reads every file that we write, without complaints.

with_perfetto.py NOTAPE [FILE...]

Needs the Python package `perfetto` (PyPI) and a trace_processor_shell: that of NOTAPE_TRACE_PROCESSOR, or the one that
the package downloads. Status 77 where either is missing. The Python is NOTAPE_HTA_PYTHON, or this one.
"""
import os
import sys
import tempfile

import trace_file


def main():
    arguments = trace_file.arguments(__doc__, records=False)
    try:
        from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig
    except ImportError as error:
        print(f"skipped: {error} (PyPI: perfetto)")
        return trace_file.SKIPPED
    config = TraceProcessorConfig(bin_path=os.environ.get("NOTAPE_TRACE_PROCESSOR"))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for path in arguments.files or trace_file.make(arguments.notape, folder):
            try:
                processor = TraceProcessor(trace=path, config=config)
            except Exception as error:  # no binary, and no way to get one
                print(f"skipped: there is no trace_processor_shell, see NOTAPE_TRACE_PROCESSOR ({type(error).__name__})")
                return trace_file.SKIPPED

            def number(query):
                return next(iter(processor.query(query))).n

            expected = trace_file.counts(trace_file.read(path))
            seen = {"slices": number("select count(*) n from slice where dur >= 0 and category is not null"),
                    "flows": number("select count(*) n from flow")}
            lost = {row.name: row.value for row in processor.query(
                "select name, value from stats where severity in ('error', 'data_loss') and value > 0")}
            processor.close()
            fits = not lost and all(seen[key] == expected[key] for key in seen)
            failed |= not fits
            print(f"{os.path.basename(path)}: {'reads' if fits else 'DIFFERS'}: {seen} of {expected}; complaints {lost}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
