"""libnotape_python.so through ctypes: the structures of verify/python/callbacks.h and verify/plugin/c_abi.h."""
import atexit
import ctypes
import functools
import json
import os
import threading
import time

MAX_RANK = 8
DTYPES = {"float32": 1, "float64": 2, "int32": 4, "int64": 8, "bfloat16": 64, "float16": 128, "bool": 256}
NAMES = {code: name for name, code in DTYPES.items()}
BYTES = {"float32": 4, "float64": 8, "int32": 4, "int64": 8, "bfloat16": 2, "float16": 2, "bool": 1}
FLOATING = ("float64", "float32", "bfloat16", "float16")
NARROW = ("float8_e4m3fn", "float8_e5m2")  # the verifier has their numbers as bfloat16, which holds all of them
CARRIER = "bfloat16"

FORWARD, BACKWARD, RELEASE = range(3)
DONE, RAISED, NOT_THERE, INTERRUPTED = range(4)


class Tensor(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("data", ctypes.c_void_p), ("count", ctypes.c_int64),
                ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32), ("sizes", ctypes.c_int64 * MAX_RANK),
                ("strides", ctypes.c_int64 * MAX_RANK)]


class Request(ctypes.Structure):
    _fields_ = [("what", ctypes.c_int32), ("record", ctypes.c_int32), ("word", ctypes.c_char_p),
                ("graph", ctypes.c_int64), ("rounding", ctypes.c_int32), ("input_count", ctypes.c_int32),
                ("inputs", ctypes.POINTER(Tensor)), ("wanted", ctypes.POINTER(ctypes.c_int32)),
                ("made_graph", ctypes.c_int64), ("output_count", ctypes.c_int32), ("outputs", ctypes.POINTER(Tensor)),
                ("error", ctypes.c_char_p)]


Callback = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(Request))


class NotapeError(ValueError):
    """What the verifier refuses: inputs of several dtypes, a case code that is none, ..."""


class FunctionError(NotapeError):
    """What the function raised, where nothing can be judged without its answer."""


@functools.lru_cache(maxsize=256)
def _row_major(dtype, sizes):
    if len(sizes) > MAX_RANK:
        raise NotapeError(f"a tensor of rank {len(sizes)}: at most {MAX_RANK} can be checked")
    tensor = Tensor(struct_size=ctypes.sizeof(Tensor), dtype=DTYPES[dtype], rank=len(sizes))
    count = 1
    for d in reversed(range(len(sizes))):
        tensor.sizes[d], tensor.strides[d] = sizes[d], count
        count *= sizes[d]
    tensor.count = count
    return tensor


def row_major(address, dtype, sizes):
    """A Tensor over memory that is there already; `address` is not read if it has no entries."""
    tensor = Tensor.from_buffer_copy(_row_major(dtype, tuple(sizes)))
    tensor.data = address
    return tensor


@functools.cache
def library():
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.environ.get("NOTAPE_PYTHON_LIBRARY") or os.path.join(here, "libnotape_python.so")
    lib = ctypes.CDLL(path)
    lib.notape_python_check.restype = lib.notape_python_render.restype = ctypes.c_void_p
    lib.notape_python_check.argtypes = [ctypes.c_char_p, Callback, ctypes.POINTER(Tensor),
                                        ctypes.POINTER(ctypes.c_int32), ctypes.c_int32]
    lib.notape_python_render.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
    lib.notape_python_free.argtypes = [ctypes.c_void_p]
    return lib


def _text(address):
    text = ctypes.string_at(address).decode("utf-8", "replace")
    library().notape_python_free(address)
    return text


def _raise_error(text):
    if text.startswith('{"error"'):
        found = json.loads(text)
        raise (FunctionError if found["kind"] == "PythonError" else NotapeError)(found["error"])
    return text


running = []  # a thread's mark for each check() under way
ending = threading.Event()


@atexit.register
def end():
    """Checks of other threads end before the interpreter does: it would end their threads amid the library."""
    ending.set()
    for _ in range(1000):
        if not running:
            break
        time.sleep(0.01)


def run(options, callback, tensors, wanted):
    """The report on what `callback` calls, as a dictionary."""
    if ending.is_set():
        raise SystemExit("the interpreter is ending")
    count = len(tensors)
    running.append(None)
    try:
        text = _text(library().notape_python_check(
            json.dumps(options).encode(), Callback(callback), (Tensor * count)(*tensors),
            (ctypes.c_int32 * count)(*wanted), count))
    finally:
        running.pop()
    return json.loads(_raise_error(text))


def render(certificates, form):
    """Certificates, one a line, as "junit", "sarif", "html", "markdown", "github" or "picture"."""
    return _raise_error(_text(library().notape_python_render(certificates.encode(), form.encode())))
