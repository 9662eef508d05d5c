#!/usr/bin/env python3
"""A conversation with the tool: every message has its answer."""

import json
import os
import subprocess
import sys

folder = sys.argv[1]
messages = [{"kind": "start", "eval": "hello"}, {"kind": "define", "module": "hello"}, {"kind": "define", "module": "none"},
            {"kind": "evaluate", "module": "hello", "function": "double", "input": 3.0},
            {"kind": "evaluate", "module": "hello", "function": "triple", "input": 3.0},
            {"kind": "analysis", "of": 3, "valid": True}]
lines = "".join(json.dumps({"id": i, **message}) + "\n" for i, message in enumerate(messages))
done = subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__), "tool.py"), folder], input=lines,
                      capture_output=True, text=True, check=True)
answers = [json.loads(line) for line in done.stdout.splitlines()]
assert [answer["id"] for answer in answers] == list(range(6)), answers
assert answers[0]["tool"] == "notape" and answers[1]["success"] and not answers[2]["success"], answers
assert answers[3]["output"] == 6 and answers[3]["timings"][0]["nanoseconds"] > 0, answers
assert not answers[4]["success"] and "usage" in answers[4]["error"], answers
