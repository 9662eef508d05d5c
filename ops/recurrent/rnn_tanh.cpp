// rnn_tanh(x, h): layers of rnn_tanh_cell run along a sequence.
#include "ops/recurrent.h"
#include "ops/recurrent/layers.h"
#include "ops/recurrent/recurrent_spec.h"

namespace notape {
namespace {

const RegisterOp rnn_tanh_row(recurrent_spec("rnn_tanh", draw_layers, PlainCell::RnnTanh));
const RegisterOp rnn_tanh_packed_row(recurrent_spec("rnn_tanh_packed", draw_packed,
                                                    PlainCell::RnnTanh));

}  // namespace

std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& input, const Tensor& hx, const TensorList& params,
                                    bool has_biases, Integer num_layers, double dropout, bool train,
                                    bool bidirectional, bool batch_first, At at) {
  const LayerResults results =
      run_layers({"rnn_tanh", at}, kRnnTanh, input, {hx, {}}, params,
                 {has_biases, num_layers, dropout, train, bidirectional, batch_first});
  return {results.output, results.h_n};
}

std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    const TensorList& params, bool has_biases, Integer num_layers,
                                    double dropout, bool train, bool bidirectional, At at) {
  const LayerResults results =
      run_packed({"rnn_tanh", at}, kRnnTanh, data, batch_sizes, {hx, {}}, params,
                 {has_biases, num_layers, dropout, train, bidirectional, false});
  return {results.output, results.h_n};
}

}  // namespace notape
