// h' = tanh(W x + b + U h + d), or relu of it.
#include "ops/activation.h"
#include "ops/recurrent.h"
#include "ops/recurrent/cell.h"
#include "ops/recurrent/recurrent_spec.h"
#include "ops/transcendental.h"

namespace notape {
namespace {

const RegisterOp tanh_row(recurrent_spec("rnn_tanh_cell", draw_cell, PlainCell::RnnTanh));
const RegisterOp relu_row(recurrent_spec("rnn_relu_cell", draw_cell, PlainCell::RnnRelu));

}  // namespace

CellState rnn_tanh_step(const Tensor& input_gates, const CellState& before, const CellWeights& w,
                        At at) {
  return {tanh(with_state_gates(input_gates, before.h, w, at), at), {}};
}
CellState rnn_relu_step(const Tensor& input_gates, const CellState& before, const CellWeights& w,
                        At at) {
  return {relu(with_state_gates(input_gates, before.h, w, at), at), {}};
}

Tensor rnn_tanh_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih, const Tensor& b_hh, At at) {
  return run_cell({"rnn_tanh_cell", at}, kRnnTanh, input, {hx, {}}, {w_ih, w_hh, b_ih, b_hh, {}}).h;
}
Tensor rnn_relu_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih, const Tensor& b_hh, At at) {
  return run_cell({"rnn_relu_cell", at}, kRnnRelu, input, {hx, {}}, {w_ih, w_hh, b_ih, b_hh, {}}).h;
}

}  // namespace notape
