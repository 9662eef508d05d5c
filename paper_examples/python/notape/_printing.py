"""Tensors as PyTorch prints them."""
import math

PRECISION, THRESHOLD, EDGE, WIDTH = 4, 1000, 3, 80


class Formatter:
    """One width for all elements that are shown."""

    def __init__(self, values, floating):
        self.floating, self.whole, self.scientific, self.width = floating, True, False, 1
        finite = [abs(one) for one in values if math.isfinite(one) and one != 0] if floating else []
        if not floating:
            self.width = max((len(str(one)) for one in values), default=1)
            return
        if finite:
            low, high = min(finite), max(finite)
            self.whole = all(one == math.ceil(one) for one in finite)
            self.scientific = high / low > 1000 or high > 1e8 or (not self.whole and low < 1e-4)
            self.width = max(len(self(one, False)) for one in values if math.isfinite(one) and one != 0)

    def __call__(self, value, padded=True):
        if not self.floating or not math.isfinite(value):
            text = str(value)
        elif self.scientific:
            text = f"{value:.{PRECISION}e}"
        else:
            text = f"{value:.0f}." if self.whole else f"{value:.{PRECISION}f}"
        return text.rjust(self.width) if padded else text


def shown(tensor, summarize):
    """The elements that are printed, as nested lists with "..." for the rest."""
    if tensor.ndim == 0:
        return tensor.item()
    count = tensor.size(0)
    if not summarize or count <= 2 * EDGE:
        return tensor.tolist() if tensor.ndim == 1 else [shown(tensor[i], summarize) for i in range(count)]
    return [shown(tensor[i], True) for i in range(EDGE)] + ["..."] + [shown(tensor[i], True) for i in range(count - EDGE, count)]


def flat(rows):
    if not isinstance(rows, list):
        return [] if rows == "..." else [rows]
    return [one for row in rows for one in flat(row)]


def body(rows, ndim, indent, form):
    if ndim == 0:
        return form(rows)
    if ndim == 1:
        per_line = max(1, int((WIDTH - indent) / (form.width + 2)))
        texts = [" ..." if one == "..." else form(one) for one in rows]
        lines = [", ".join(texts[i:i + per_line]) for i in range(0, len(texts), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    texts = ["..." if one == "..." else body(one, ndim - 1, indent + 1, form) for one in rows]
    return "[" + ("," + "\n" * (ndim - 1) + " " * (indent + 1)).join(texts) + "]"


def text(tensor):
    prefix = "Parameter containing:\ntensor(" if type(tensor).__name__ == "Parameter" else "tensor("
    values = tensor.detach().cpu()
    floating, name = values.is_floating_point(), str(tensor.dtype).split(".")[1]
    notes = []
    if tensor.device.type != "cpu":
        notes.append(f"device='{tensor.device}'")
    if tensor.numel() == 0:
        if tensor.ndim != 1:
            notes.append(f"size={tuple(tensor.shape)}")
        if name != "float32":
            notes.append(f"dtype=notape.{name}")
        shown_text = "[]"
    else:
        rows = shown(values.double() if floating else values, tensor.numel() > THRESHOLD)
        shown_text = body(rows, tensor.ndim, len("tensor("), Formatter(flat(rows), floating))
        if name not in ("float32", "int64", "bool"):
            notes.append(f"dtype=notape.{name}")
    if tensor.grad_fn is not None:
        notes.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        notes.append("requires_grad=True")
    lines = prefix + shown_text
    width = len(lines) - lines.rfind("\n") - 1
    for note in notes:
        if width + len(note) + 2 > WIDTH:
            lines, width = lines + ",\n" + " " * len("tensor(") + note, len("tensor(") + len(note)
        else:
            lines, width = lines + ", " + note, width + len(note) + 2
    return lines + ")"
