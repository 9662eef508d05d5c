"""Questions that a framework can be asked and a function of numbers cannot: a value against a reference, what is saved
for backward, batches of gradients."""


def findings(subject, kept, tensors):
    """[{"check", "verdict", "detail"}], of what is wrong."""
    found = []
    for question in (getattr(subject, "ask_value", None), getattr(subject, "ask_saved", None),
                     getattr(subject, "ask_batched", None)):
        finding = question(tensors) if question else None
        if finding:
            found.append(finding)
    return found
