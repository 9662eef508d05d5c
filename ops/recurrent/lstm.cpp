// lstm(x, {h, c}): layers of lstm_cell run along a sequence.
#include "autograd/observer.h"
#include "ops/recurrent.h"
#include "ops/recurrent/layers.h"
#include "ops/recurrent/recurrent_spec.h"

namespace notape {
namespace {

const RegisterOp lstm_row(recurrent_spec("lstm", draw_layers, PlainCell::Lstm));
const RegisterOp lstm_packed_row(recurrent_spec("lstm_packed", draw_packed, PlainCell::Lstm));

}  // namespace

std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, const TensorList& hx,
                                        const TensorList& params, bool has_biases,
                                        Integer num_layers, double dropout, bool train,
                                        bool bidirectional, bool batch_first, At at) {
  const Operation op("lstm", at);
  if (hx.size() != 2) op.fail<ValueError>("expects two hidden states, but got {}", hx.size());
  const LayerResults results =
      run_layers(op, kLstm, input, {hx[0], hx[1]}, params,
                 {has_biases, num_layers, dropout, train, bidirectional, batch_first});
  return {results.output, results.h_n, results.c_n};
}

std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& data, const Tensor& batch_sizes,
                                        const TensorList& hx, const TensorList& params,
                                        bool has_biases, Integer num_layers, double dropout,
                                        bool train, bool bidirectional, At at) {
  const Operation op("lstm", at);
  if (hx.size() != 2) op.fail<ValueError>("expects two hidden states, but got {}", hx.size());
  const LayerResults results =
      run_packed(op, kLstm, data, batch_sizes, {hx[0], hx[1]}, params,
                 {has_biases, num_layers, dropout, train, bidirectional, false});
  return {results.output, results.h_n, results.c_n};
}

}  // namespace notape
