// gru(x, h): layers of gru_cell run along a sequence.
#include "ops/recurrent.h"
#include "ops/recurrent/layers.h"
#include "ops/recurrent/recurrent_spec.h"

namespace notape {
namespace {

const RegisterOp gru_row(recurrent_spec("gru", draw_layers, PlainCell::Gru));
const RegisterOp gru_packed_row(recurrent_spec("gru_packed", draw_packed, PlainCell::Gru));

}  // namespace

std::tuple<Tensor, Tensor> gru(const Tensor& input, const Tensor& hx, const TensorList& params,
                               bool has_biases, Integer num_layers, double dropout, bool train,
                               bool bidirectional, bool batch_first, At at) {
  const LayerResults results =
      run_layers({"gru", at}, kGru, input, {hx, {}}, params,
                 {has_biases, num_layers, dropout, train, bidirectional, batch_first});
  return {results.output, results.h_n};
}

std::tuple<Tensor, Tensor> gru(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                               const TensorList& params, bool has_biases, Integer num_layers,
                               double dropout, bool train, bool bidirectional, At at) {
  const LayerResults results =
      run_packed({"gru", at}, kGru, data, batch_sizes, {hx, {}}, params,
                 {has_biases, num_layers, dropout, train, bidirectional, false});
  return {results.output, results.h_n};
}

}  // namespace notape
