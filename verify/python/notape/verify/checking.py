"""check(): what a user calls."""
import inspect
import math
import os
import re
import sys
import time
import warnings

from . import extra, library
from .calls import HERE, Calls
from .pairs import Pair
from .result import RED, Result

FORBIDDEN_IN_AN_INTERPRETER = ["concurrent", "threads"]  # its lock lets one thread run at a time


SLOW = 0.01  # seconds of a call from which on inputs of some 66,000 entries would take hours
NOT_OF_EIGHT_BITS = ["incoming"]  # a gradient that is a million times as large saturates


def name_of(f):
    owner = getattr(f, "__self__", None)
    if inspect.isclass(owner):  # Swish.apply
        return owner.__name__
    name = getattr(f, "__qualname__", None) or getattr(f, "__name__", None) or type(f).__name__
    return "".join(c if c.isalnum() or c in "_.-" else "_" for c in name.replace(".<locals>", "").replace("<", "")
                   .replace(">", "")) or "function"


def place_of(f):
    """File and line where the derivative is written, else where the function is."""
    owner = getattr(f, "__self__", None)
    if isinstance(f, Pair):
        return f.file, f.line
    for one in (getattr(owner, "backward", None) if inspect.isclass(owner) else None, f, getattr(f, "forward", None),
                type(f)):
        try:
            one = inspect.unwrap(one)
            return inspect.getsourcefile(one) or "", inspect.getsourcelines(one)[1]
        except (TypeError, OSError, ValueError):
            continue
    return "", 0


def users_place(f):
    """Where the derivative is written, or else, of what a library has, where check() is called; and which it is."""
    file, line = place_of(f)
    if line and "-packages" not in file and not file.startswith(sys.prefix):
        return file, line, "written at"
    frame = sys._getframe(1)
    while frame.f_back and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) + os.sep == HERE:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno, "checked at"


def short(path):
    """From the current directory on, if it is in there."""
    relative = os.path.relpath(path) if path else ""
    return path if relative.startswith("..") else relative


def subject_of(f, inputs, **more):
    """By what the inputs are; only what the user has imported is looked at."""
    import_of = {"torch": "of_torch", "jax": "of_jax"}
    kinds = [type(one).__module__.partition(".")[0] for one in leaves_of(inputs)]
    own = {key: more[key] for key in ("reference", "dtype")}
    if not isinstance(f, Pair) and more["backward"] is None:
        if "torch" in sys.modules and ("torch" in kinds or isinstance(f, sys.modules["torch"].nn.Module)):
            from .of_torch import TorchSubject
            return TorchSubject(f, inputs, **own)
        if "jax" in sys.modules and any(kind in ("jax", "jaxlib") for kind in kinds):
            from .of_jax import JaxSubject
            return JaxSubject(f, inputs, **own)
    if not inputs:
        raise ValueError(f"check({name_of(f)}) needs inputs to be checked at")
    from .of_numpy import NumpySubject
    return NumpySubject(f, inputs, backward=more["backward"], jvp=more["jvp"], **own)


def leaves_of(value):
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from leaves_of(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from leaves_of(one)
    else:
        yield value


def check(f, *inputs, backward=None, jvp=None, reference=None, surrogate=None, order=2, power=None, dtype=None, nondeterministic=False,
          name=None, seed=None, samples=2, atol=0.0, rtol=0.0, forward_mode=True, domain=None, long=None,
          call_seconds=60.0, isolate=False, fail_fast=False, evidence=True, left_out=()):
    """Checks the derivatives of `f` at these inputs; gives a Result, which is true if nothing is wrong and nothing
    undecided. verify/PYTHON.md says what the parameters are."""
    if isolate:
        from .isolated import check_in_new_process
        arguments = dict(locals())
        for one in ("f", "inputs", "isolate", "check_in_new_process"):
            arguments.pop(one)
        return check_in_new_process(f, inputs, arguments)
    for option, value, is_fine in (("order", order, order >= 1), ("samples", samples, samples >= 1),
                                   ("atol", atol, atol >= 0), ("rtol", rtol, rtol >= 0), ("power", power, power is None or power > 0),
                                   ("call_seconds", call_seconds, not call_seconds or call_seconds > 0),
                                   ("domain", domain, domain is None or domain[0] < domain[1])):
        if not is_fine:
            raise ValueError(f"{option} = {value} makes no sense")
    subject = subject_of(f, inputs, backward=backward, jvp=jvp, reference=reference, dtype=dtype)
    subject.surrogate = surrogate
    if not any(subject.wanted):
        raise ValueError(f"none of the inputs of {name or name_of(f)} is a floating tensor: nothing to differentiate")
    kept, tensors = subject.inputs()
    file, line, place = users_place(subject.f)
    subject.before = extra.state()
    subject.probe(tensors)  # what it raises when called plainly is the user's to see
    since = time.process_time()
    if subject.takes_lengths and long is None:
        subject.probe(tensors)  # a first call may import
    seconds = time.process_time() - since
    refuse_infinite(subject)
    refuse_another(subject)
    calls = Calls(subject, call_seconds)
    options = {
        "name": name or name_of(f), "file": short(file), "line": line, "order": min(order, subject.order),
        "tower": min(order + 1, subject.order if subject.order < 3 else order + 1), "samples": samples,
        "seed": int(os.environ.get("NOTAPE_SEED", "1")) if seed is None else seed, "atol": max(atol, subject.underflow()),
        "rtol": max(rtol, extra.EPSILON[subject.narrow] if subject.narrow else 0.0),
        "surrogate": surrogate is not None, "atomic_terms": terms_of(nondeterministic, subject),
        "forward_mode": forward_mode and not subject.narrow, "fail_fast": fail_fast, "evidence": evidence, "native": subject.native,
        "left_out": FORBIDDEN_IN_AN_INTERPRETER + list(left_out) +
        ([] if (subject.takes_lengths and seconds < SLOW if long is None else long) else ["long"]) +
        (NOT_OF_EIGHT_BITS if subject.narrow else [])}
    if domain is not None:
        options["domain"] = list(domain)
    try:
        with calls.watch:
            report = library.run(options, calls, tensors, subject.wanted)
    except library.FunctionError as error:
        report = broken(options["name"], error)
    if calls.interrupted:
        raise calls.interrupted
    for finding in report["findings"]:
        finding["text"] = named(finding["text"], subject).replace("  checked at ", f"  {place} ")
    report["text"] = condensed(named(report["text"], subject).replace("  checked at ", f"  {place} "), report["findings"])
    if report["verdict"] == "VACUOUS" and (empty := without_entries(subject)):
        report = broken(options["name"], empty, "VACUOUS")
    if power is not None and report["ok"] and report.get("power", math.inf) > power:
        report.update(ok=False, proven=False, verdict="UNRESOLVED",
                      text=f"UNRESOLVED: {report['text']}  power      a relative error of {report.get('power', math.inf):.0e}"
                           f" could have passed; power={power:g} is wanted\n")
    if subject.note:
        report["note"] += f"; {subject.note}"
        report["text"] = report["text"].replace("  note       ", f"  note       {subject.note}\n  note       ", 1)
    if seconds >= SLOW:
        report["note"] += f"; a call takes {1000 * seconds:.0f} ms, so longer inputs are asked only with long=True"
        report["text"] = report["text"].replace("  note       ", f"  not asked  longer inputs, since a call takes {1000 * seconds:.0f} ms: long=True asks them\n  note       ", 1)
    wrong = {finding["verdict"] for finding in report["findings"]} & {*RED} or {report["verdict"]} & {*RED}
    asked = ["value"] if wrong == {"FAIL"} else [] if wrong else None  # what raises can be asked nothing more
    result = Result(report, calls.tracebacks, [dict(one, text=failure(options, one)) for one in extra.findings(subject, tensors, asked)])
    for listener in listeners:
        listener(result)
    return result


def terms_of(nondeterministic, subject):
    """How many terms the sums have whose order is not fixed: as many as are said, or as there are entries."""
    if nondeterministic is not True:
        return int(nondeterministic)
    return max([math.prod(leaf.shape) for leaf in subject.leaves] + [2])


def refuse_infinite(subject):
    """Entries of a mask may be infinite; where the function is so as well, there is nothing to differentiate."""
    def is_finite(leaf):
        return math.isfinite(float((leaf * 0).sum()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bad = [name for name, leaf, is_wanted in zip(subject.names, subject.leaves, subject.wanted) if is_wanted and not is_finite(leaf)]
        if bad and not all(math.isfinite(y) for one in subject.values(subject.leaves) for y in one):
            raise ValueError(f"{bad[0]} has entries that are not finite, and so has the result: there is no derivative to be checked")


def refuse_another(subject):
    """Slopes come from values in float64. What draws random numbers or chooses a way by the type has others there."""
    dtype = extra.wanted_dtype(subject)
    if subject.reference is not None or dtype == "float64":
        return
    try:
        here, there = (subject.values(leaves) for leaves in (subject.leaves, [subject.cast(leaf, "float64") for leaf in subject.leaves]))
    except Exception:  # it takes no float64, which the verifier says
        return
    pairs = [pair for ys, zs in zip(here, there) for pair in zip(ys, zs)]
    if sum(abs(y - z) for y, z in pairs) > 0.5 * sum(abs(y) + abs(z) for y, z in pairs):
        raise ValueError(f"in float64 it is another function than in {dtype}, with other values: give float64 inputs, or reference=")


def without_entries(subject):
    """Why nothing can be compared; empty if there is something."""
    if not any(len(y) for y in subject.values(subject.leaves)):
        return "the result has no entries: there is nothing to compare"
    sizes = [math.prod(leaf.shape) for leaf, is_wanted in zip(subject.leaves, subject.wanted) if is_wanted]
    return "" if any(sizes) else "the inputs that are differentiated have no entries: there is nothing to compare"


def broken(name, error, verdict="REJECTED"):
    """The report on a function of which nothing else can be said."""
    return {"name": name, "note": "", "findings": [], "verdict": verdict, "ok": False, "proven": False,
            "text": f"\n{verdict}: {name}\n  why        {error}\n"}


listeners = []  # called with every result: how the plugin of pytest counts


def named(text, subject):
    """With the inputs' own names where they say more than a number."""
    text = re.sub(r"(the backward of|Function) PythonFunction", "backward", re.sub(r" at python_function\.cpp:\d+", "", text))
    if subject.narrow:
        text = text.replace(library.CARRIER, subject.narrow)
    if hasattr(subject, "once"):
        text = re.sub(r"(/second-order.*\n(  .*\n)*?  got +-?0\n)", r"\1  advice     if it is to be differentiated once only, mark its backward with torch's once_differentiable\n", text)
    wanted = [name for name, is_wanted in zip(subject.names, subject.wanted) if is_wanted]
    for i, name in enumerate(wanted):
        if name != f"input {i}":
            text = text.replace(f"gradient of argument {i} ", f"gradient of argument {i} ({name}) ")
            text = text.replace(f"\n  input {i}    [", f"\n  input {i} ({name}) [")
    return text


def condensed(text, findings):
    """Each error that the function raised once, and then the other checks that met it."""
    first, others = {}, {}
    for finding in findings:
        if finding["verdict"] not in ("REJECTED", "ERROR"):
            continue
        why = finding["text"].partition("  why ")[2].partition("\n")[0]
        if why in first:
            text = text.replace(finding["text"], "", 1)
            others.setdefault(why, []).append(finding["check"])
        first.setdefault(why, finding["text"])
    for why, checks in others.items():
        text = text.replace(first[why], f"{first[why]}  the same   in {', '.join(checks)}\n", 1)
    return text


def failure(options, finding):
    text = f"\n{finding['verdict']}: {options['name']}/{finding['check']}\n  why        {finding['detail']}\n"
    return text + (f"  written at {options['file']}:{options['line']}\n" if options["line"] else "")
