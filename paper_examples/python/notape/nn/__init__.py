"""Modules, layers and losses under PyTorch's names."""
from . import functional, init, utils  # noqa: F401
from .layers import *  # noqa: F401,F403
from .recurrent import GRU, GRUCell, LSTM, LSTMCell, RNN  # noqa: F401
from .module import Module, ModuleDict, ModuleList, Parameter, Sequential  # noqa: F401
