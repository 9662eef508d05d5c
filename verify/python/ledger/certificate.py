"""What notape.verify says of a finding: the program's own function, asked by check() at the program's own point."""
import ast
import os

os.environ["TRITON_INTERPRET"] = "1"  # before anybody imports triton
from notape.verify import check

FEW = ["layouts", "strides", "sources", "subsets", "kept", "masked", "hygiene", "results", "incoming", "no-grad", "saved", "ties", "long"]
#: Which derivative is asked as a function of its own, up to which order, and by which check, for each mode.
ASKED = {"reverse": (0, "", 1, "reverse"), "forward": (0, "", 1, "forward-mode"), "second order": (0, "", 2, "second-order"),
         "nested forward": (1, "jvp", 1, "forward-mode"), "reverse of forward": (1, "jvp", 1, "reverse"),
         "forward of reverse": (1, "grad", 1, "forward-mode"), "value and reverse": (0, "", 1, "reverse"),
         "fourth order": (3, "grad", 1, "reverse"), "reverse after a write": (0, "", 1, "saved"),
         "reverse of columns in a row": (0, "", 1, "layouts"), "reverse of a retained graph": (0, "", 1, "repeat"),
         "reverse of a channels-last gradient": (0, "", 1, "strides"), "reverse of a large incoming gradient": (0, "", 1, "incoming")}


def question(one):
    """(f, inputs, order, check) of a program of findings.py."""
    times, how, order, name = ASKED[one["mode"].partition(",")[0]]
    space = {}
    lines = one["program"].splitlines()
    if one["library"] == "JAX":
        exec("\n".join(lines[:2]), space)
        f, inputs = "jnp.sinc", ["jnp.array(1e-4)"]
        if one["mode"] != "fourth order":
            of_grad = ast.parse(lines[-1]).body[0].value.args[0]  # print(jax.grad(f)(x, ...))
            f, inputs = ast.unparse(of_grad.func.args[0]), [f"jnp.array({ast.unparse(x)})" for x in of_grad.args]
        f, inputs = eval(f, space), [eval(x, space) for x in inputs]
        for _ in range(times):
            f = space["jax"].grad(f)
        return f, inputs, order, name
    import torch
    if "asked" in one:
        exec("\n".join(one["program"].partition("import torch\n")[:2]) + "\n" + one["asked"], space)
    else:
        exec("\n".join(line for line in lines if not line.startswith(("t.req", "f(t)", "print", "d =", "g, ="))), space)
    f, t = space["f"], space["t"].detach()
    for _ in range(times):
        f = torch.func.grad(f) if how == "grad" else (lambda t, f=f: torch.func.jvp(f, (t,), (torch.ones_like(t),))[1])
    return f, [t], order, name


def certificate(one):
    """"FAIL reverse: expected ..., got ...", or what else it says."""
    f, inputs, order, name = question(one)
    try:
        result = check(f, *inputs, name="f", order=order, evidence=False, left_out=[one for one in FEW if one != name])
    except Exception as error:
        return f"not asked: {type(error).__name__}: {error}".partition("\n")[0]
    found = result.only(name)
    wrong = [x for x in found if x["verdict"] not in ("PASS", "LIMIT")] or \
        [x for x in result.findings if x["verdict"] in ("FAIL", "NONFINITE", "REJECTED", "UNRESOLVED")] or found
    if not wrong:
        return "no answer"
    words = dict(line.strip().partition(" ")[::2] for line in wrong[0]["text"].splitlines() if line.strip())
    numbers = ", ".join(f"{word} {words[word].strip()}" for word in ("expected", "got") if word in words)
    return f"{wrong[0]['verdict']} {wrong[0]['check']}" + (f": {numbers}" if numbers else f": {wrong[0]['detail']}" if wrong[0]["detail"] else "")
