#!/usr/bin/env python3
"""Layers with PyTorch's parameters: outputs, gradients and buffers are PyTorch's.

compare.py PROGRAM [CASE...]

Each case is a layer of PyTorch's in float64; its state_dict() and random inputs go into a safetensors
file, PROGRAM (bench/layers/main.cpp) makes the same layer, loads the state and writes what it gets.
Exit status 1 if names or numbers differ, 77 without PyTorch.
"""
import os
import subprocess
import sys
import tempfile

try:
    import torch
    from torch import nn
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit(77)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tensor_file

TOLERANCE = 1e-11


def real(*sizes):
    return lambda: torch.randn(*sizes)


def indices(high, *sizes):
    return lambda: torch.randint(0, high, sizes)


def simple(layer, inputs):
    return [layer(*inputs)]


def of_state(layer, inputs):
    return list(layer(*inputs))


def of_lstm(layer, inputs):
    output, (h, c) = layer(inputs[0], (inputs[1], inputs[2]))
    return [output, h, c]


def packed(layer, inputs):
    output, (h, c) = layer(pack_padded_sequence(inputs[0], inputs[1], enforce_sorted=False))
    return [pad_packed_sequence(output)[0], h, c]


def evaluated(layer):
    layer.eval()
    return layer


def used(layer, *sizes):
    """After a batch, so that it has seen something."""
    layer(torch.randn(*sizes) + 1)
    return layer


CASES = {  # name: layer, inputs, call
    "linear": (lambda: nn.Linear(5, 3), [real(2, 4, 5)]),
    "linear_without_bias": (lambda: nn.Linear(5, 3, bias=False), [real(5)]),
    "conv1d": (lambda: nn.Conv1d(4, 6, 3, stride=2, padding=1, groups=2), [real(2, 4, 9)]),
    "conv2d": (lambda: nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(1, 0), dilation=2), [real(2, 4, 9, 7)]),
    "conv2d_same": (lambda: nn.Conv2d(2, 3, 3, padding="same"), [real(2, 2, 5, 6)]),
    "conv2d_circular": (lambda: nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular"), [real(2, 2, 5, 6)]),
    "conv2d_reflect": (lambda: nn.Conv2d(2, 3, 3, padding=(1, 2), padding_mode="reflect"), [real(2, 2, 5, 6)]),
    "conv_transpose1d": (lambda: nn.ConvTranspose1d(4, 2, 3, stride=2, groups=2), [real(2, 4, 5)]),
    "conv_transpose2d": (lambda: nn.ConvTranspose2d(4, 2, 3, stride=2, padding=1, output_padding=1), [real(2, 4, 5, 4)]),
    "batch_norm1d": (lambda: nn.BatchNorm1d(4), [real(6, 4)]),
    "batch_norm2d": (lambda: used(nn.BatchNorm2d(4, momentum=0.3, eps=1e-3), 2, 4, 3, 3), [real(2, 4, 3, 5)]),
    "batch_norm2d_cumulative": (lambda: used(nn.BatchNorm2d(4, momentum=None), 2, 4, 3, 3), [real(2, 4, 3, 5)]),
    "batch_norm2d_evaluated": (lambda: evaluated(used(nn.BatchNorm2d(4), 2, 4, 3, 3)), [real(2, 4, 3, 5)]),
    "layer_norm": (lambda: nn.LayerNorm([3, 5], eps=1e-3), [real(2, 3, 5)]),
    "group_norm": (lambda: nn.GroupNorm(2, 4), [real(2, 4, 3, 3)]),
    "embedding": (lambda: nn.Embedding(7, 3, padding_idx=2, scale_grad_by_freq=True), [indices(7, 4, 5)]),
    "relu6": (lambda: nn.ReLU6(), [lambda: torch.randn(30) * 5]),
    "leaky_relu": (lambda: nn.LeakyReLU(0.2), [real(30)]),
    "gelu": (lambda: nn.GELU(), [real(30)]),
    "gelu_tanh": (lambda: nn.GELU("tanh"), [real(30)]),
    "silu": (lambda: nn.SiLU(), [real(30)]),
    "softmax": (lambda: nn.Softmax(1), [real(3, 4, 2)]),
    "max_pool2d": (lambda: nn.MaxPool2d(3, stride=2, padding=1, ceil_mode=True), [real(2, 3, 8, 7)]),
    "avg_pool2d": (lambda: nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False), [real(2, 3, 8, 7)]),
    "adaptive_avg_pool2d": (lambda: nn.AdaptiveAvgPool2d((3, 2)), [real(2, 3, 8, 7)]),
    "flatten": (lambda: nn.Flatten(1, 2), [real(2, 3, 4, 5)]),
    "rnn_relu": (lambda: nn.RNN(3, 4, nonlinearity="relu"), [real(5, 2, 3), real(1, 2, 4)], of_state),
    "gru": (lambda: nn.GRU(3, 4, num_layers=2, bidirectional=True, batch_first=True),
            [real(2, 5, 3), real(4, 2, 4)], of_state),
    "lstm": (lambda: nn.LSTM(3, 4, num_layers=2, bidirectional=True),
             [real(5, 2, 3), real(4, 2, 4), real(4, 2, 4)], of_lstm),
    "lstm_packed": (lambda: nn.LSTM(3, 4, bidirectional=True),
                    [real(5, 3, 3), lambda: torch.tensor([3, 5, 1])], packed),
    "multihead_attention": (lambda: nn.MultiheadAttention(8, 2), [real(3, 2, 8), real(5, 2, 8), real(5, 2, 8)], of_state),
    "multihead_attention_widths": (
        lambda: nn.MultiheadAttention(8, 2, kdim=4, vdim=6, add_bias_kv=True, add_zero_attn=True),
        [real(3, 2, 8), real(5, 2, 4), real(5, 2, 6)], of_state),
    "sequential": (lambda: nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.BatchNorm1d(4), nn.Linear(4, 2)), [real(6, 5)]),
    "cross_entropy": (lambda: nn.CrossEntropyLoss(label_smoothing=0.1, ignore_index=1), [real(8, 4), indices(4, 8)]),
    "huber": (lambda: nn.HuberLoss(delta=0.5), [real(9), real(9)]),
    "bce_with_logits": (lambda: nn.BCEWithLogitsLoss(), [real(9), lambda: torch.rand(9)]),
    "kl_div": (lambda: nn.KLDivLoss(reduction="sum"), [lambda: torch.rand(4, 3).log(), lambda: torch.rand(4, 3)]),
}


def expected(layer, inputs, call):
    outputs = call(layer, inputs)
    weights = [torch.randn_like(output) for output in outputs]
    sum((output * weight).sum() for output, weight in zip(outputs, weights)).backward()
    result = {f"output.{i}": output for i, output in enumerate(outputs)}
    result |= {f"grad.{name}": p.grad for name, p in layer.named_parameters() if p.grad is not None}
    result |= {f"input_grad.{i}": x.grad for i, x in enumerate(inputs) if x.grad is not None}
    return result | {f"state.{name}": tensor for name, tensor in layer.state_dict().items()}, weights


def complaints(seen, wanted):
    for name in sorted(seen.keys() ^ wanted.keys()):
        yield f"{name} is {'not expected' if name in seen else 'missing'}"
    for name in sorted(seen.keys() & wanted.keys()):
        a, b = seen[name].double(), wanted[name].detach().double()
        if a.shape != b.shape:
            yield f"{name}: size {list(a.shape)} for {list(b.shape)}"
        elif not torch.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE):
            yield f"{name}: {(a - b).abs().max():.3g} apart"


def main():
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(1)
    program, names = sys.argv[1], sys.argv[2:]
    listed = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    wrong = 0
    if sorted(listed) != sorted(CASES):
        print(f"the cases differ: {sorted(set(listed) ^ set(CASES))}")
        wrong += 1
    for name in names or sorted(CASES):
        make, draw, call = (*CASES[name], simple)[:3]
        layer, inputs = make(), [one() for one in draw]
        for one in inputs:
            if one.is_floating_point():
                one.requires_grad_()
        given = {f"state.{key}": tensor.clone() for key, tensor in layer.state_dict().items()}
        given |= {f"input.{i}": one for i, one in enumerate(inputs)}
        wanted, weights = expected(layer, inputs, call)
        given |= {f"weight.{i}": weight for i, weight in enumerate(weights)}
        with tempfile.TemporaryDirectory() as folder:
            tensor_file.save(f"{folder}/in", given)
            done = subprocess.run([program, name, f"{folder}/in", f"{folder}/out"], capture_output=True, text=True)
            found = [done.stderr.strip()] if done.returncode else list(complaints(tensor_file.load(f"{folder}/out"), wanted))
        for one in found:
            print(f"{name}: {one}")
        wrong += bool(found)
    print(f"{len(names or CASES)} layers beside PyTorch {torch.__version__}: {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
