"""notape.linalg.solve(a, b) is notape.linalg_solve(a, b)."""
from . import _tensors

globals().update({name[len("linalg_"):]: getattr(_tensors, name) for name in _tensors.operators if name.startswith("linalg_")})
norm, matmul, cross = _tensors.norm, _tensors.matmul, _tensors.linalg_cross
