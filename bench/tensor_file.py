"""Tensors of PyTorch's in safetensors files, for scripts that run where the package of that name is not installed."""

import array
import json
import struct

import torch

TYPES = {"F64": (torch.float64, "d"), "F32": (torch.float32, "f"), "I64": (torch.int64, "q")}


def save(path, tensors):
    header, data = {}, bytearray()
    for name, tensor in tensors.items():
        raw = tensor.detach().contiguous().cpu()
        kind, letter = next((kind, letter) for kind, (dtype, letter) in TYPES.items() if dtype == raw.dtype)
        packed = array.array(letter, raw.flatten().tolist()).tobytes()
        header[name] = {"dtype": kind, "shape": list(raw.shape),
                        "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def load(path):
    with open(path, "rb") as file:
        whole = file.read()
    size = struct.unpack("<Q", whole[:8])[0]
    result = {}
    for name, one in json.loads(whole[8:8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + offset for offset in one["data_offsets"])
        dtype, letter = TYPES[one["dtype"]]
        result[name] = torch.tensor(array.array(letter, whole[begin:end]).tolist(), dtype=dtype).reshape(one["shape"])
    return result
