#!/usr/bin/env python3
"""Writes what the lists of ops/functions/ do not say, from the headers: the names and defaults of parameters.

    signatures.py ROOT signatures.inc      rows for operators.cpp: {"sum", "self:T dim:L keepdim:b=false"}
    signatures.py ROOT errors.inc          the classes of errors: "ShapeError",

A letter stands for a kind of ops/functions/parameter.h; a question mark after it for an optional one.
"""
import fnmatch
import os
import re
import sys

DECLARATION = re.compile(r"(?<![\w:.>])(\w+)\(((?:[^()]|\([^()]*\))*)\bAt at\b")
PARAMETER = re.compile(r"(?:[^,<({]|<[^>]*>|\([^)]*\)|\{[^}]*\})+")
OPTIONAL = re.compile(r"(?:std::optional|Optional)<(.*)>$")
KINDS = {"const Tensor&": "T", "Tensor&": "W", "Integer": "i", "Number": "i", "bool": "b", "Flag": "b", "ScalarType": "t", "std::string_view": "s",
         "PaddingName": "s", "double": "r", "C": "r", "Scalar": "n", "IntArrayRef": "L", "std::vector<int64_t>": "L",
         "const std::vector<int64_t>&": "L", "Pair": "2", "Triple": "3", "Reduction": "e", "const TensorList&": "A",
         "std::vector<double>": "R", "const std::vector<indexing::TensorIndex>&": "X", "std::vector<Tensor>": "A"}


def headers(root):
    for folder in ("ops", "ops/out"):
        for name in sorted(os.listdir(os.path.join(root, folder))):
            if fnmatch.fnmatch(name, "*.h"):
                yield os.path.join(root, folder, name)


def row(text):
    """"self:T dim:L keepdim:b=false", or None for types that the lists have not."""
    words = []
    for part in PARAMETER.findall(" ".join(text.replace("[[maybe_unused]]", "").split())):
        declared, _, default = (one.strip() for one in part.partition("="))
        if not declared:
            continue
        kind, _, name = declared.rpartition(" ")
        if kind == "GeneratorArgument":
            continue  # the lists leave it out
        optional = OPTIONAL.match(kind)
        letter = KINDS.get(optional[1] if optional else kind)
        if letter is None:
            return None
        words.append(f"{name}:{letter}{'?' if optional else ''}" + (f"={default.replace('Reduction::', '').replace(chr(34), '')}" if default else ""))
    return " ".join(words)


def signatures(root):
    """(function, row), in the order of the headers."""
    for path in headers(root):
        with open(path, encoding="utf-8") as read:
            text = re.sub(r"//.*", "", read.read())
        for match in DECLARATION.finditer(text):
            made = row(match[2])
            if made is not None:
                yield match[1], made


def errors(root):
    for folder, _, names in sorted(os.walk(os.path.join(root, "autograd"))):
        for name in sorted(fnmatch.filter(names, "*.h")):
            with open(os.path.join(folder, name), encoding="utf-8") as read:
                yield from re.findall(r': (?:public )?ErrorOf<"(\w+)"', read.read())


def main(root, target):
    if target.endswith("errors.inc"):
        lines = [f'"{name}",' for name in dict.fromkeys(errors(root))]
    else:
        lines = [f'{{"{name}", "{made}"}},' for name, made in dict.fromkeys(signatures(root))]
    with open(target, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
