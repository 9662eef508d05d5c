// rnn_relu(x, h): layers of rnn_relu_cell run along a sequence.
#include "ops/recurrent.h"
#include "ops/recurrent/layers.h"
#include "ops/recurrent/recurrent_spec.h"

namespace notape {
namespace {

const RegisterOp rnn_relu_row(recurrent_spec("rnn_relu", draw_layers, PlainCell::RnnRelu));
const RegisterOp rnn_relu_packed_row(recurrent_spec("rnn_relu_packed", draw_packed,
                                                    PlainCell::RnnRelu));

}  // namespace

std::tuple<Tensor, Tensor> rnn_relu(const Tensor& input, const Tensor& hx, const TensorList& params,
                                    bool has_biases, Integer num_layers, double dropout, bool train,
                                    bool bidirectional, bool batch_first, At at) {
  const LayerResults results =
      run_layers({"rnn_relu", at}, kRnnRelu, input, {hx, {}}, params,
                 {has_biases, num_layers, dropout, train, bidirectional, batch_first});
  return {results.output, results.h_n};
}

std::tuple<Tensor, Tensor> rnn_relu(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    const TensorList& params, bool has_biases, Integer num_layers,
                                    double dropout, bool train, bool bidirectional, At at) {
  const LayerResults results =
      run_packed({"rnn_relu", at}, kRnnRelu, data, batch_sizes, {hx, {}}, params,
                 {has_biases, num_layers, dropout, train, bidirectional, false});
  return {results.output, results.h_n};
}

}  // namespace notape
