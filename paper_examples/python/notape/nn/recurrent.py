"""RNN, LSTM and GRU: layers of a state that goes from step to step, and their single steps."""
import math

from .. import _tensors
from ..tensors import empty, zeros
from . import init
from .module import Module, Parameter

_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


class _Recurrent(Module):
    """Parameters have PyTorch's names and order of gates: weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, ..."""

    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, device=None,
                 dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.num_layers, self.bias = input_size, hidden_size, num_layers, bias
        self.batch_first, self.dropout, self.bidirectional = batch_first, float(dropout), bidirectional
        rows, directions = _GATES[self.kind] * hidden_size, 1 + bidirectional
        for layer in range(num_layers):
            for ending in (f"_l{layer}", f"_l{layer}_reverse")[:directions]:
                width = input_size if layer == 0 else hidden_size * directions
                shapes = {"weight_ih": (rows, width), "weight_hh": (rows, hidden_size)}
                shapes.update({"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {})
                for name, shape in shapes.items():
                    setattr(self, name + ending, Parameter(empty(*shape, device=device, dtype=dtype)))
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1 / math.sqrt(self.hidden_size)
        for one in self.parameters():
            init.uniform_(one, -bound, bound)

    def forward(self, input, hx=None):
        lone = input.ndim == 2  # one sequence
        batch = 0 if self.batch_first else 1
        input = input.unsqueeze(batch) if lone else input
        states = [] if hx is None else list(hx) if isinstance(hx, (tuple, list)) else [hx]
        states = [one.unsqueeze(1) if lone else one for one in states] or [self._zeros(input, batch)] * self.states
        options = (list(self.parameters()), self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, self.batch_first)
        output, *last = self.function(input, states if self.states == 2 else states[0], *options)
        if lone:
            output, last = output.squeeze(batch), [one.squeeze(1) for one in last]
        return output, tuple(last) if self.states == 2 else last[0]

    def _zeros(self, input, batch):
        return zeros(self.num_layers * (1 + self.bidirectional), input.shape[batch], self.hidden_size, dtype=input.dtype, device=input.device)

    def extra_repr(self):
        named = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
        more = [f", {name}={getattr(self, name)}" for name, usual in named.items() if getattr(self, name) != usual]
        return f"{self.input_size}, {self.hidden_size}{''.join(more)}"


class LSTM(_Recurrent):
    kind, states, function = "LSTM", 2, staticmethod(_tensors.lstm)


class GRU(_Recurrent):
    kind, states, function = "GRU", 1, staticmethod(_tensors.gru)


class RNN(_Recurrent):
    kind, states = "RNN", 1

    def __init__(self, *args, nonlinearity="tanh", **kwargs):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNN: nonlinearity {nonlinearity!r} is neither 'tanh' nor 'relu'")
        self.function, self.nonlinearity = {"tanh": _tensors.rnn_tanh, "relu": _tensors.rnn_relu}[nonlinearity], nonlinearity
        super().__init__(*args, **kwargs)


class _Cell(Module):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows, options = _GATES[self.kind] * hidden_size, {"device": device, "dtype": dtype}
        self.weight_ih, self.weight_hh = Parameter(empty(rows, input_size, **options)), Parameter(empty(rows, hidden_size, **options))
        self.bias_ih, self.bias_hh = (Parameter(empty(rows, **options)) if bias else None for _ in range(2))
        self.reset_parameters()

    reset_parameters = _Recurrent.reset_parameters

    def forward(self, input, hx=None):
        lone = input.ndim == 1
        input = input.unsqueeze(0) if lone else input
        states = [] if hx is None else list(hx) if isinstance(hx, (tuple, list)) else [hx]
        none = zeros(input.shape[0], self.hidden_size, dtype=input.dtype, device=input.device)
        states = [one.unsqueeze(0) if lone else one for one in states] or [none] * self.states
        found = self.function(input, states if self.states == 2 else states[0], self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if self.states == 1:
            return found.squeeze(0) if lone else found
        return tuple(one.squeeze(0) if lone else one for one in found)

    def extra_repr(self):
        return f"{self.input_size}, {self.hidden_size}"


class LSTMCell(_Cell):
    kind, states, function = "LSTM", 2, staticmethod(_tensors.lstm_cell)


class GRUCell(_Cell):
    kind, states, function = "GRU", 1, staticmethod(_tensors.gru_cell)
