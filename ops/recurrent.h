// Recurrent cells and layers of them, with LibTorch's order of gates and parameters; none is a
// member. Made of linear and elementwise operators, which carry the derivatives. All operands have
// one floating dtype (DtypeError). All throw UndefinedTensor, ShapeError, and ValueError for a
// wrong number of tensors.
#pragma once
#include <tuple>

#include "ops/at.h"

namespace notape {

// One step: input (N, I), hx (N, H), w_ih (G H, I), w_hh (G H, H), b_ih and b_hh (G H) or undefined
// -> (N, H). In formulas W x is linear(input, w_ih, b_ih), U h is linear(hx, w_hh, b_hh), each in G
// parts of H.

/// tanh(W x + U h)
Tensor rnn_tanh_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih = {}, const Tensor& b_hh = {}, At at = At::current());
/// relu(W x + U h)
Tensor rnn_relu_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih = {}, const Tensor& b_hh = {}, At at = At::current());
/// n + z (h - n) with r = sigmoid(W_1 x + U_1 h), z = sigmoid(W_2 x + U_2 h), n = tanh(W_3 x + r
/// U_3 h)
Tensor gru_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                const Tensor& b_ih = {}, const Tensor& b_hh = {}, At at = At::current());
/// hx is {h, c}; the result {h', c'}: c' = f c + i g, h' = o tanh(c') with i = sigmoid(W_1 x + U_1
/// h), f = sigmoid(W_2 x + U_2 h), g = tanh(W_3 x + U_3 h), o = sigmoid(W_4 x + U_4 h).
std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, const TensorList& hx, const Tensor& w_ih,
                                     const Tensor& w_hh, const Tensor& b_ih = {},
                                     const Tensor& b_hh = {}, At at = At::current());

// Sequences: input (T, N, I), or (N, T, I) with batch_first, T > 0 -> {output (T, N, D H) or (N, T,
// D H), h_n (L D, N, H)}; hx (L D, N, H) is the state before the first step, L = num_layers, and D
// = 2 directions if bidirectional, of which the second runs from the last step to the first. params
// are w_ih, w_hh and, with has_biases, b_ih, b_hh of each direction of each layer in turn; the
// input of a layer is the output of the one below, of which in training a part `dropout` is
// dropped.

std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& input, const Tensor& hx, const TensorList& params,
                                    bool has_biases, Integer num_layers, double dropout, bool train,
                                    bool bidirectional, bool batch_first, At at = At::current());
std::tuple<Tensor, Tensor> rnn_relu(const Tensor& input, const Tensor& hx, const TensorList& params,
                                    bool has_biases, Integer num_layers, double dropout, bool train,
                                    bool bidirectional, bool batch_first, At at = At::current());
std::tuple<Tensor, Tensor> gru(const Tensor& input, const Tensor& hx, const TensorList& params,
                               bool has_biases, Integer num_layers, double dropout, bool train,
                               bool bidirectional, bool batch_first, At at = At::current());
/// hx is {h (L D, N, H), c (L D, N, C)}; the result {output, h_n, c_n}. If H is not C, each
/// direction has one more parameter, w_hr (H, C), behind the others, by which its output is
/// projected.
std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, const TensorList& hx,
                                        const TensorList& params, bool has_biases,
                                        Integer num_layers, double dropout, bool train,
                                        bool bidirectional, bool batch_first,
                                        At at = At::current());

// Packed sequences: those of a batch, longest first, cut into steps. data (sum of batch_sizes, I)
// holds each step's entries in turn, batch_sizes (T), int64, how many sequences are as long.

/// input (T, N, I), or (N, T, I) with batch_first, lengths (N), int64 on the CPU, descending and
/// above 0 (ValueError) -> {data, batch_sizes}. What is beyond a sequence's length has gradient
/// exactly 0.
std::tuple<Tensor, Tensor> _pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                                 bool batch_first = false, At at = At::current());
/// The reverse: {(T, N, I) or (N, T, I), lengths (N)}, padding_value beyond a sequence's end;
/// total_length, at least the longest (ValueError), is T if it is above 0.
std::tuple<Tensor, Tensor> _pad_packed_sequence(const Tensor& data, const Tensor& batch_sizes,
                                                bool batch_first = false, Scalar padding_value = 0,
                                                Integer total_length = -1, At at = At::current());
std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    const TensorList& params, bool has_biases, Integer num_layers,
                                    double dropout, bool train, bool bidirectional,
                                    At at = At::current());
std::tuple<Tensor, Tensor> rnn_relu(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    const TensorList& params, bool has_biases, Integer num_layers,
                                    double dropout, bool train, bool bidirectional,
                                    At at = At::current());
std::tuple<Tensor, Tensor> gru(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                               const TensorList& params, bool has_biases, Integer num_layers,
                               double dropout, bool train, bool bidirectional,
                               At at = At::current());
std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& data, const Tensor& batch_sizes,
                                        const TensorList& hx, const TensorList& params,
                                        bool has_biases, Integer num_layers, double dropout,
                                        bool train, bool bidirectional, At at = At::current());

}  // namespace notape
