"""Writes the types of the package as it is, for editors and type checkers: stubs.py FILE.pyi"""
import keyword
import re
import sys

import notape

TYPES = {"Ints": "int | Sequence[int]", "Number": "float", "Tensors": "Sequence[Tensor]", "Floats": "Sequence[float]", "Indices": "Sequence[Any]",
         "tuple": "Any"}
PROPERTIES = {"shape": "Size", "dtype": "_dtype", "device": "Any", "grad": "Tensor | None", "grad_fn": "Any", "ndim": "_int", "requires_grad": "_bool",
              "is_leaf": "_bool", "data": "Tensor", "T": "Tensor", "mT": "Tensor", "is_cuda": "_bool"}
RESULTS = {"item": "Any", "tolist": "Any", "numpy": "Any", "backward": "None", "size": "Any", "dim": "_int", "numel": "_int", "data_ptr": "_int"}
SLOTS = ("add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul and or xor lt le gt ge eq ne "
         "iadd isub imul itruediv").split()
HEAD = """import builtins
from typing import Any, Iterator, Sequence, overload

from . import autograd as autograd, cuda as cuda, linalg as linalg, nn as nn, optim as optim

_bool = builtins.bool
_int = builtins.int
_float = builtins.float

class Error(RuntimeError): ...
class Size(tuple[_int, ...]):
    def numel(self) -> _int: ...
class dtype:
    is_floating_point: _bool
    itemsize: _int
_dtype = dtype  # which is a property inside Tensor
class device:
    type: str
    index: _int | None
    def __init__(self, type: Any, index: _int = ...) -> None: ...
"""


def typed(kind):
    optional = kind.endswith("?")
    name = TYPES.get(kind.rstrip("?"), kind.rstrip("?"))
    return {"bool": "_bool", "int": "_int", "float": "_float", "str": "str", "dtype": "_dtype"}.get(name, re.sub(r"\b(int|float|bool)\b", r"_\1", name)) + " | None" * optional


def forms(function):
    """(parameters, result) of each form in a function's documentation."""
    for line in function.__doc__.splitlines():
        match = re.fullmatch(r"\w+\((.*)\) -> (\w+)", line)
        parameters = []
        for word in filter(None, re.split(r", (?=\w+\?? \w)", match[1])):
            kind, _, rest = word.partition(" ")
            name, equals, _ = rest.partition("=")
            name += "_" * keyword.iskeyword(name)
            optional = " | None" if kind == "Tensor" and equals and "?" not in kind else ""
            parameters.append((name, typed(kind) + optional, equals))
        yield parameters, typed(match[2])
        if parameters and "Sequence[_int]" in parameters[-1][1]:  # x.view(2, 3)
            yield parameters[:-1] + [("*" + parameters[-1][0], "_int", "")], typed(match[2])


def functions(name, function, method=False):
    all_forms = list(forms(function))
    for parameters, result in all_forms:
        words, needs_names = [], False
        for i, (one, kind, equals) in enumerate(parameters):
            if needs_names and not equals and not one.startswith("*"):
                words.append("*")  # what follows is given by name
                needs_names = None
            needs_names = needs_names if needs_names is None else needs_names or bool(equals)
            words.append("self" if method and i == 0 else f"{one}: {kind}" + " = ..." * bool(equals))
        if not any(one.startswith("*") for one in words):
            words += ["*", "out: Any = ..."]
        yield "@overload\n" * (len(all_forms) > 1) + f"def {name}({', '.join(words)}) -> {result}: ..."


def members():
    for name, value in sorted(vars(notape.Tensor).items()):
        if isinstance(value, property):
            yield f"@property\ndef {name}(self) -> {PROPERTIES.get(name, 'Any')}: ..."
            if value.fset:
                yield f"@{name}.setter\ndef {name}(self, value: Any) -> None: ..."
        elif type(value).__name__ == "Operator":
            yield from functions(name, value, True)
        elif callable(value) and not name.startswith("_"):
            yield f"def {name}(self, *args: Any, **kwargs: Any) -> {RESULTS.get(name, 'Tensor')}: ..."
    yield from (f"def __{name}__(self, other: Any) -> Tensor: ...{'  # type: ignore[override]' * (name in ('eq', 'ne'))}" for name in SLOTS)
    yield from ("def __getitem__(self, key: Any) -> Tensor: ...", "def __setitem__(self, key: Any, value: Any) -> None: ...",
                "def __len__(self) -> _int: ...", "def __iter__(self) -> Iterator[Tensor]: ...", "def __neg__(self) -> Tensor: ...",
                "def __invert__(self) -> Tensor: ...", "def __float__(self) -> _float: ...", "def __int__(self) -> _int: ...",
                "def __init__(self, *args: Any) -> None: ...")


def lines():
    from notape import autograd, tensors
    yield HEAD
    yield "class Tensor:\n" + "\n".join("    " + line for member in members() for line in member.splitlines())
    for name, value in sorted({**vars(tensors), "grad": autograd.grad}.items()):
        if name.startswith("_") or name in ("Tensor", "Size", "dtype", "device", "Error"):
            continue
        if type(value).__name__ == "Operator":
            yield from functions(name, value)
        elif isinstance(value, type) and issubclass(value, notape.Error):
            yield f"class {name}(Error): ..."
        elif isinstance(value, notape.dtype):
            yield f"{name}: dtype"
        elif isinstance(value, type):
            yield f"class {name}:\n    def __init__(self, *args: Any, **kwargs: Any) -> None: ...\n    def __getattr__(self, name: str) -> Any: ..."
            if name in ("no_grad", "enable_grad", "inference_mode", "set_grad_enabled"):
                yield "    def __enter__(self) -> Any: ...\n    def __exit__(self, *args: Any) -> None: ...\n    def __call__(self, function: Any) -> Any: ..."
        elif callable(value):
            made = "tuple[Tensor, ...]" if name == "grad" else "Any" if name in ("load", "save") or name.startswith(("is_", "to_")) else "Tensor"
            yield f"def {name}(*args: Any, **kwargs: Any) -> {made}: ..."
        else:
            yield f"{name}: Any"


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write("\n".join(lines()) + "\n")
