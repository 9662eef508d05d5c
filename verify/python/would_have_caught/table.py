#!/usr/bin/env python3
"""What each tool says of a function with a mistake, and of its right twin:

    python3 verify/python/would_have_caught/table.py [--record FILE.json] [--markdown FILE.md] [NAME...]

gradcheck, gradgradcheck and check_grads get the inputs that check() gets. Where those are no float64, their steps and
tolerances are the wider ones that people use: eps 1e-3 and 1 % in float32, eps 0.05 and 10 % in 16 bits."""
import argparse
import json
import os
import sys
import time
import warnings

warnings.simplefilter("ignore")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import torch

import case as cases
import strides, sizes, orders, kept, missing, points, precision  # noqa: E401,F401
from notape.verify import check, library

try:
    import with_jax  # noqa: F401
except ImportError:
    print("no JAX: its functions are left out", file=sys.stderr)

TOOLS = ("check", "gradcheck", "gradgradcheck", "opcheck", "check_grads")
WIDER = {torch.float32: dict(eps=1e-3, atol=1e-2, rtol=1e-2), torch.bfloat16: dict(eps=0.05, atol=0.1, rtol=0.1),
         torch.float16: dict(eps=0.05, atol=0.1, rtol=0.1)}


def options_of(xs):
    return dict(next((WIDER[x.dtype] for x in xs if x.dtype in WIDER), {}), nondet_tol=0.0)


def with_parameters(f, xs):
    """A module as a function of its inputs and parameters, which these tools differentiate by what they are given."""
    if not isinstance(f, torch.nn.Module):
        return f, xs
    names = [name for name, _ in f.named_parameters()]
    return (lambda x, *ps: torch.func.functional_call(f, dict(zip(names, ps)), (x,))), (*xs, *f.parameters())


def torch_gradcheck(one, f):
    f, xs = with_parameters(f, one.inputs())
    return torch.autograd.gradcheck(f, xs, check_forward_ad=getattr(one.right, "has_jvp", False), **options_of(xs))


def torch_gradgradcheck(one, f):
    f, xs = with_parameters(f, one.inputs())
    return torch.autograd.gradgradcheck(f, xs, **options_of(xs))


def torch_opcheck(one, f):
    made = cases.as_custom_op(f, len(one.inputs()))
    return None if made is None else bool(torch.library.opcheck(made, one.inputs()))


def jax_check_grads(one, f):
    import jax.test_util
    modes = ("rev",) if one.options.get("forward_mode") is False else ("fwd", "rev")
    jax.test_util.check_grads(f, one.inputs(), order=one.options.get("order", 2), modes=modes)
    return True


def says(tool, one, f):
    """True if nothing is wrong, False if something is, None if the tool cannot be asked; and why."""
    torch.manual_seed(0)
    try:
        if tool == "check":
            result = check(f, *one.inputs(), name=one.name.replace(" ", "_"), **one.options)
            return result.ok, result.verdict + " " + ", ".join(
                finding["check"] for finding in result.findings if finding["verdict"] not in ("PASS", "LIMIT", "KINK"))
        if one.is_jax != (tool == "check_grads") or tool == "gradgradcheck" and one.options.get("order") == 1:
            return None, ""
        return globals()[("jax_" if one.is_jax else "torch_") + tool](one, f), ""
    except Exception as error:  # what these tools say is an exception
        return False, f"{type(error).__name__}: {str(error).strip().splitlines()[0][:100] if str(error).strip() else ''}"


def row_of(one):
    row = {"name": one.name, "seen": one.seen}
    for tool in TOOLS:
        start = time.perf_counter()
        right, why = says(tool, one, one.right)
        wrong, found = says(tool, one, one.wrong)
        if right is not None:
            row[tool] = {"found": not wrong, "accuses": not right, "said_of_wrong": found, "said_of_right": why,
                         "seconds": round(time.perf_counter() - start, 3)}
    return row


def markdown(rows):
    out = ["| mistake | seen in | " + " | ".join(TOOLS) + " |", "|---|---|" + "---|" * len(TOOLS)]
    for row in rows:
        cells = ["" if tool not in row else ("found" if row[tool]["found"] else "**missed**") +
                 (", accuses the right one" if row[tool]["accuses"] else "") for tool in TOOLS]
        out.append(f"| {row['name']} | {row['seen']} | " + " | ".join(cells) + " |")
    return "\n".join(out + [summary(rows)]) + "\n"


def summary(rows):
    counts = []
    for tool in TOOLS:
        asked = [row[tool] for row in rows if tool in row]
        counts.append(f"{sum(one['found'] for one in asked)} of {len(asked)}" +
                      f", accuses {sum(one['accuses'] for one in asked)}")
    return "| **found** | | " + " | ".join(counts) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--record")
    parser.add_argument("--markdown")
    arguments = parser.parse_args()
    library.library()  # which may not be there
    chosen = [one for one in cases.CASES if not arguments.names or any(name in one.name for name in arguments.names)]
    rows = []
    for one in chosen:
        rows.append(row_of(one))
        print(one.name, {tool: ("found" if value["found"] else "MISSED") + (" ACCUSES " + value["said_of_right"] if value["accuses"] else "")
                         for tool, value in rows[-1].items() if isinstance(value, dict)}, rows[-1]["check"]["said_of_wrong"],
              flush=True)
    print(summary(rows))
    if arguments.names and arguments.record and os.path.exists(arguments.record):  # only these rows are made anew
        with open(arguments.record, encoding="utf-8") as read:
            made = {row["name"]: row for row in rows}
            rows = [made.pop(row["name"], row) for row in json.load(read)["rows"]] + list(made.values())
    if arguments.record:
        record = {"schema": "notape.would-have-caught/1", "torch": torch.__version__, "functions": len(rows), "rows": rows}
        with open(arguments.record, "w", encoding="utf-8") as out:
            json.dump(record, out, indent=1)
            out.write("\n")
    if arguments.markdown:
        with open(arguments.markdown, "w", encoding="utf-8") as out:
            out.write("<!-- made by table.py --markdown -->\n" + markdown(rows))
    return 0 if all(row["check"]["found"] and not row["check"]["accuses"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
