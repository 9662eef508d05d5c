"""CASES: for each operator, the ways in which it is called; WITHOUT: what is not compared, and why."""
import cases_elementwise
import cases_layers
import cases_newer
import cases_shapes
import cases_windows

CASES = (cases_elementwise.CASES | cases_shapes.CASES | cases_layers.CASES | cases_windows.CASES |
         cases_newer.CASES)
for name, more in cases_newer.NAMED_PADDING.items():
    CASES[name] = CASES[name] + more

DRAWN = "nothing but random numbers"
FACTORY = "its out form alone is among the functions; autograd/tensor/factories_test.cpp has PyTorch's values"

WITHOUT = {
    "_pad_packed_sequence": "what _pack_padded_sequence gives, the other way; its tests have PyTorch's values",
    "_reshape_alias": "as_strided with sizes that fit",
    "cofactors": "the derivative of linalg_det",
    "conv1d_padding": "a row of conv1d", "conv2d_padding": "a row of conv2d", "conv3d_padding": "a row of conv3d",
    "gru_packed": "a row of gru", "lstm_packed": "a row of lstm", "rnn_relu_packed": "a row of rnn_relu",
    "rnn_tanh_packed": "a row of rnn_tanh",
    "linalg_svd": "vectors have the signs that LAPACK gave them; linalg_svdvals is compared",
    "conv2d_relu": "relu of conv2d; ops/conv/conv2d_relu_test.cpp compares it with these two",
    "conv2d_backward_input": "the gradient of conv2d",
    "conv2d_backward_weight": "the gradient of conv2d",
    "copy": "the row of copy_",
    "cross_entropy_mixed": "a row of cross_entropy",
    "fill": "the row of fill_",
    "index_put_accumulate": "a row of index_put",
    "max_dim": "a row of max",
    "median_dim": "a row of median",
    "min_dim": "a row of min",
    "cross_entropy_loss": "cross_entropy by ATen's name",
    "grid_sample": "grid_sampler_2d with words for numbers",
    "multi_head_attention_forward": "ops/linalg/multi_head_attention_forward_test.cpp has PyTorch's values",
    **dict.fromkeys(("arange", "empty", "eye", "full", "linspace", "ones", "zeros"), FACTORY),
    **dict.fromkeys(("bernoulli_", "exponential", "multinomial", "normal", "rand", "randint", "randn", "random", "randperm",
                     "uniform"), DRAWN),
}
