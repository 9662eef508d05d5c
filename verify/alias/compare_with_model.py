#!/usr/bin/env python3
"""Runs plain programs on a model of the rules for views and in-place writes, and compares with what
the library made of them.

The model is a second implementation of those rules, small enough to be read at one sitting: vectors
of whole numbers, a reverse pass over closures, and three errors. The library may accept more than
the model (operands equal to their target, `a.mul_(b)`, saved values that no gradient asks for), but
must accept whatever the model accepts, with the same gradients.

  compare_with_model.py notape verify alias --emit 20000 --seed 1
  compare_with_model.py --copy notape verify alias --emit 20000 --seed 1 --policy cow

Without a command it reads the programs from standard input.
Prints one line per pair (what the model says, what the library says) with the number of programs.
Exit code 1 if the library refuses a program that the model accepts, or if gradients differ.
"""
import collections
import heapq
import json
import subprocess
import sys


class Refused(Exception):
    """One of the model's errors, named as the library's class."""


class Node:
    """One step of the reverse pass: `pull` turns an incoming gradient into one per edge."""

    count = 0

    def __init__(self, edges, pull):
        Node.count += 1
        self.age, self.edges, self.pull = Node.count, edges, pull


class Memory:
    """A storage: numbers, the history of all of it, and which cells each write touched."""

    def __init__(self, values, history):
        self.values, self.history, self.is_leaf = list(values), history, False
        self.writes = []

    def touched_since(self, version, cells):
        return any(not cells.isdisjoint(write) for write in self.writes[version:])


class Alias:
    """A window of a storage; its history is renewed when an overlapping write came in between."""

    def __init__(self, memory, cells, history):
        self.memory, self.cells, self.known = memory, cells, history
        self.version = len(memory.writes)

    def values(self):
        return [self.memory.values[cell] for cell in self.cells]

    def history(self):
        if self.memory.touched_since(self.version, set(self.cells)):
            self.known = window_node(self.memory.history, self.cells, len(self.memory.values))
        self.version = len(self.memory.writes)
        return self.known


def save(alias, copies):
    """A function that returns the values of now, or refuses if they have been overwritten."""
    if copies:
        values = alias.values()
        return lambda: values
    memory, cells, version = alias.memory, alias.cells, len(alias.memory.writes)

    def read():
        if memory.touched_since(version, set(cells)):
            raise Refused("SavedTensorModified")
        return [memory.values[cell] for cell in cells]

    return read


def window_node(history, cells, size):
    if history is None:
        return None

    def pull(gradient):
        result = [0] * size
        for cell, entry in zip(cells, gradient):
            result[cell] += entry
        return [result]

    return Node([history], pull)


def fresh(values, history):
    return Alias(Memory(values, history), list(range(len(values))), history)


def product(left, right):
    return [x * y for x, y in zip(left, right)]


def total(left, right):
    return [x + y for x, y in zip(left, right)]


def compute(name, a, b, number, copies):
    """The out-of-place operations."""
    edges = [a.history(), b.history() if b else None]
    if name == "add":
        values, pull = total(a.values(), b.values()), lambda g: [g, g]
    elif name == "mul":
        values, old_a, old_b = product(a.values(), b.values()), save(a, copies), save(b, copies)
        pull = lambda g: [product(g, old_b()), product(g, old_a())]
    else:
        raise ValueError(name)
    return fresh(values, Node(edges, pull) if any(edges) else None)


def write(name, a, b, number, copies):
    """The in-place operations: everything is checked before anything changes."""
    memory = a.memory
    if memory.is_leaf:
        raise Refused("LeafInPlace")
    if b and b.memory is memory and not set(a.cells).isdisjoint(b.cells):
        raise Refused("MemoryOverlap")
    before, operand = memory.history, b.history() if b else None
    old = a.values()
    if name == "add_number_":
        new, inner = [x + number for x in old], lambda g: (g, None)
    elif name == "mul_number_":
        new, inner = [x * number for x in old], lambda g: ([x * number for x in g], None)
    elif name == "fill_number_":
        new, inner = [number] * len(old), lambda g: ([0] * len(g), None)
    elif name == "copy_":
        new, inner = b.values(), lambda g: ([0] * len(g), g)
    elif name == "add_":
        new, inner = total(old, b.values()), lambda g: (g, g)
    elif name == "mul_":
        new, old_a, old_b = product(old, b.values()), save(a, copies), save(b, copies)
        inner = lambda g: (product(g, old_b()), product(g, old_a()) if operand else None)
    else:
        raise ValueError(name)
    for cell, value in zip(a.cells, new):
        memory.values[cell] = value
    memory.writes.append(frozenset(a.cells))
    if before is None and operand is None:
        return
    cells = a.cells

    def pull(gradient):
        to_old, to_operand = inner([gradient[cell] for cell in cells])
        to_base = list(gradient)
        for cell, entry in zip(cells, to_old):
            to_base[cell] = entry
        return [to_base, to_operand]

    memory.history = Node([before, operand], pull)


def reverse(root, gradient):
    """Gradients by leaf node: newest node first, each after all that it feeds."""
    arrived, leaves, waiting = {root: gradient}, {}, [(-root.age, root)]
    while waiting:
        _, node = heapq.heappop(waiting)
        incoming = arrived.pop(node)
        if node.pull is None:
            leaves[node] = incoming
            continue
        for edge, part in zip(node.edges, node.pull(incoming)):
            if edge is None or part is None:
                continue
            if edge in arrived:
                arrived[edge] = total(arrived[edge], part)
            else:
                arrived[edge] = part
                heapq.heappush(waiting, (-edge.age, edge))
    return leaves


def run(statements, copies):
    """The gradients at all leaves, or an error class and the statement that met it."""
    slots, leaves, gradients = {}, [], []
    for at, statement in enumerate(statements):
        name, a, b = statement["do"], statement.get("a"), statement.get("b")
        try:
            if name in ("leaf", "constant"):
                node = Node([], None) if name == "leaf" else None
                made = slots[statement["out"]] = fresh(statement["values"], node)
                if node:
                    made.memory.is_leaf = True
                    leaves.append((node, len(statement["values"])))
            elif name == "view":
                viewed = slots[a]
                history = window_node(viewed.history(), statement["cells"], len(viewed.cells))
                cells = [viewed.cells[i] for i in statement["cells"]]
                slots[statement["out"]] = Alias(viewed.memory, cells, history)
            elif name == "grad":
                root = slots[a].history()
                found = reverse(root, statement["weights"]) if root else {}
                gradients = [found.get(node, [0] * size) for node, size in leaves]
            else:
                operand = slots[b] if b is not None else None
                arguments = (name, slots[a], operand, statement.get("number"), copies)
                if name.endswith("_"):
                    write(*arguments)
                else:
                    slots[statement["out"]] = compute(*arguments)
        except Refused as refused:
            return {"error": str(refused), "statement": at}
    return {"gradients": gradients}


def main():
    command = sys.argv[1:]
    copies = command[:1] == ["--copy"]
    command = command[copies:]
    lines = sys.stdin
    if command:
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    counts, worst = collections.Counter(), []
    for line in lines:
        program = json.loads(line)
        model, library = run(program["statements"], copies), program["library"]
        accepted = "error" not in model and "error" not in library
        same = not accepted or model["gradients"] == library["gradients"]
        counts[(model.get("error", "accepted"), library.get("error", "accepted"), same)] += 1
        if not same or ("error" not in model and "error" in library):
            worst.append((program["seed"], model, library))
    for (model, library, same), count in sorted(counts.items()):
        note = "" if same else "   DIFFERENT GRADIENTS"
        print(f"model {model:<20} library {library:<20} {count:>9}{note}")
    for seed, model, library in worst[:5]:
        print(f"program {seed}: model {model}, library {library}")
    print(f"{sum(counts.values())} programs, {len(worst)} of them not as the model demands")
    return 1 if worst or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
