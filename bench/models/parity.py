#!/usr/bin/env python3
"""A step of each model beside PyTorch's: from the same parameters and batch, the same loss and gradients.

parity.py PROGRAM [MODEL...] [--record FILE.json]

PyTorch's parameters and a batch of random input go into a safetensors file; PROGRAM (main.cpp) loads
them and writes its loss and the gradient of every parameter. Models are small, dropout is off. The error
of a tensor is its largest difference from PyTorch's, over PyTorch's largest entry; of one that is 0 but
for rounding (a bias in front of batch normalisation), over the largest entry of all gradients. In float32
PyTorch rounds, too: there, both are compared with PyTorch's float64, and ours may be no further away than
1e-5 or, where PyTorch's own error is larger, than twice that. Exit status 1 if a model fails, 77 without
PyTorch.
"""
import argparse
import os
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, ".."))
import whole_file

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit(77)
import tensor_file
import torch_steps

SAMPLES = 4
LIMITS = {torch.float64: 1e-10, torch.float32: 1e-5}
NOTHING = 1e-9  # of the largest gradient: what only rounding made


def moved_off_kinks(model):
    """Where biases are 0, what comes from a dead layer is, too, and either side's ReLU may be right."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter += 0.1 * torch.rand_like(parameter)


def torch_step(name, dtype, state, batch):
    torch.set_default_dtype(dtype)
    workload = torch_steps.WORKLOADS[name]("tiny")
    workload.model.load_state_dict(state)
    batch = [one.to(dtype) if one.is_floating_point() else one for one in batch]
    loss = workload.loss(batch)
    loss.backward()
    result = {"loss": loss.detach().view(1)}
    result |= {f"grad.{key}": p.grad for key, p in workload.model.named_parameters() if p.grad is not None}
    return result | {f"state.{key}": tensor for key, tensor in workload.model.state_dict().items()}


def our_step(program, name, dtype, state, batch):
    given = {f"state.{key}": tensor.to(dtype) if tensor.is_floating_point() else tensor
             for key, tensor in state.items()}
    given |= {f"batch.{i}": one.to(dtype) if one.is_floating_point() else one for i, one in enumerate(batch)}
    with tempfile.TemporaryDirectory() as folder:
        tensor_file.save(f"{folder}/in", given)
        done = subprocess.run([program, name, f"{folder}/in", f"{folder}/out"], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{name}: {done.stderr.strip()}")
        return tensor_file.load(f"{folder}/out")


def errors(seen, truth):
    """Of each tensor, as above."""
    largest = max(float(truth[key].abs().max()) for key in truth if key.startswith("grad."))
    result = {}
    for key, right in truth.items():
        right = right.double()
        scale = float(right.abs().max())
        if key.startswith("grad.") and scale < NOTHING * largest:
            scale = largest
        result[key] = float((seen[key].double() - right).abs().max()) / (scale or 1)
    return result


def compare(program, name, dtype):
    torch.manual_seed(1)
    torch.set_default_dtype(torch.float32)
    workload = torch_steps.WORKLOADS[name]("tiny")
    moved_off_kinks(workload.model)
    state = {key: tensor.clone() for key, tensor in workload.model.state_dict().items()}
    batch = workload.draw(SAMPLES)
    truth = torch_step(name, torch.float64, state, batch)
    ours = our_step(program, name, dtype, state, batch)
    if ours.keys() != truth.keys():
        return {"wrong": [f"names differ: {sorted(ours.keys() ^ truth.keys())}"]}
    seen = errors(ours, truth)
    theirs = errors(torch_step(name, dtype, state, batch), truth)
    worst = max(seen, key=seen.get)
    limit = {key: max(LIMITS[dtype], 2 * theirs[key]) for key in seen}
    return {
        "tensors": len(seen),
        "loss": float(truth["loss"]),
        "loss_error": seen["loss"],
        "largest_error": seen[worst],
        "at": worst,
        "pytorch_error_there": theirs[worst],
        "pytorch_largest_error": max(theirs.values()),
        "beyond_the_plain_limit": sum(error > LIMITS[dtype] for error in seen.values()),
        "wrong": [f"{key}: {seen[key]:.2g}" for key in seen if not seen[key] <= limit[key]],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--record")
    arguments = parser.parse_args()
    listed = subprocess.run([arguments.program], capture_output=True, text=True, check=True).stdout.split()
    if sorted(listed) != sorted(torch_steps.WORKLOADS):
        raise SystemExit(f"the models differ: {sorted(set(listed) ^ set(torch_steps.WORKLOADS))}")
    models, failed, rows = arguments.models or listed, 0, []
    print(f"{'model':12} {'dtype':8} {'tensors':>7} {'loss':>9} {'largest error':>13}  {'PyTorch':>8}  at")
    for name in models:
        for dtype in LIMITS:
            found = compare(arguments.program, name, dtype)
            rows.append({"model": name, "dtype": str(dtype).split(".")[1], **found})
            if "tensors" in found:
                print(f"{name:12} {rows[-1]['dtype']:8} {found['tensors']:7} {found['loss_error']:9.1e} "
                      f"{found['largest_error']:13.1e}  {found['pytorch_error_there']:8.1e}  {found['at']}")
            for one in found["wrong"]:
                print(f"{name} {rows[-1]['dtype']}: {one}")
            failed += bool(found["wrong"])
    print(f"{len(rows)} steps beside PyTorch {torch.__version__.split('+')[0]}: {failed} differ")
    if arguments.record:
        whole_file.write_json(arguments.record, {"pytorch": torch.__version__, "samples": SAMPLES, "rows": rows})
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
