// rnn_tanh(x, h), rnn_relu(x, h), gru(x, h): layers of the cells of these names run along a
// sequence.
#include "ops/recurrent.h"
#include "ops/recurrent/layers.h"
#include "ops/recurrent/recurrent_spec.h"

namespace notape {
namespace {

const RegisterOp rnn_tanh_row(recurrent_spec("rnn_tanh", draw_layers, PlainCell::RnnTanh));
const RegisterOp rnn_tanh_packed_row(recurrent_spec("rnn_tanh_packed", draw_packed,
                                                    PlainCell::RnnTanh));
const RegisterOp rnn_relu_row(recurrent_spec("rnn_relu", draw_layers, PlainCell::RnnRelu));
const RegisterOp rnn_relu_packed_row(recurrent_spec("rnn_relu_packed", draw_packed,
                                                    PlainCell::RnnRelu));
const RegisterOp gru_row(recurrent_spec("gru", draw_layers, PlainCell::Gru));
const RegisterOp gru_packed_row(recurrent_spec("gru_packed", draw_packed, PlainCell::Gru));

std::tuple<Tensor, Tensor> of_h(const LayerResults& results) {
  return {results.output, results.h_n};
}

}  // namespace

std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& input, const Tensor& hx, const TensorList& params,
                                    bool has_biases, Integer num_layers, double dropout, bool train,
                                    bool bidirectional, bool batch_first, At at) {
  return of_h(run_layers({"rnn_tanh", at}, kRnnTanh, input, {hx, {}}, params,
                         {has_biases, num_layers, dropout, train, bidirectional, batch_first}));
}

std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    const TensorList& params, bool has_biases, Integer num_layers,
                                    double dropout, bool train, bool bidirectional, At at) {
  return of_h(run_packed({"rnn_tanh", at}, kRnnTanh, data, batch_sizes, {hx, {}}, params,
                         {has_biases, num_layers, dropout, train, bidirectional, false}));
}

std::tuple<Tensor, Tensor> rnn_relu(const Tensor& input, const Tensor& hx, const TensorList& params,
                                    bool has_biases, Integer num_layers, double dropout, bool train,
                                    bool bidirectional, bool batch_first, At at) {
  return of_h(run_layers({"rnn_relu", at}, kRnnRelu, input, {hx, {}}, params,
                         {has_biases, num_layers, dropout, train, bidirectional, batch_first}));
}

std::tuple<Tensor, Tensor> rnn_relu(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    const TensorList& params, bool has_biases, Integer num_layers,
                                    double dropout, bool train, bool bidirectional, At at) {
  return of_h(run_packed({"rnn_relu", at}, kRnnRelu, data, batch_sizes, {hx, {}}, params,
                         {has_biases, num_layers, dropout, train, bidirectional, false}));
}

std::tuple<Tensor, Tensor> gru(const Tensor& input, const Tensor& hx, const TensorList& params,
                               bool has_biases, Integer num_layers, double dropout, bool train,
                               bool bidirectional, bool batch_first, At at) {
  return of_h(run_layers({"gru", at}, kGru, input, {hx, {}}, params,
                         {has_biases, num_layers, dropout, train, bidirectional, batch_first}));
}

std::tuple<Tensor, Tensor> gru(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                               const TensorList& params, bool has_biases, Integer num_layers,
                               double dropout, bool train, bool bidirectional, At at) {
  return of_h(run_packed({"gru", at}, kGru, data, batch_sizes, {hx, {}}, params,
                         {has_biases, num_layers, dropout, train, bidirectional, false}));
}

}  // namespace notape
