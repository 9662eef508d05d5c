// i, f, o = sigmoid(W x + b + U h + d), g = tanh(W x + b + U h + d), c' = f c + i g, h' = o
// tanh(c'), in the order i, f, g, o; with a projection h' = P (o tanh(c')). S. Hochreiter and J.
// Schmidhuber, "Long short-term memory", 1997; F. Gers et al., "Learning to forget", 2000.
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/recurrent.h"
#include "ops/recurrent/cell.h"
#include "ops/recurrent/lstm_gates.h"
#include "ops/recurrent/recurrent_spec.h"

namespace notape {
namespace {

const RegisterOp lstm_cell_row(recurrent_spec("lstm_cell", draw_cell, PlainCell::Lstm));

}  // namespace

CellState lstm_step(const Tensor& input_gates, const CellState& before, const CellWeights& w,
                    At at) {
  const Tensor gates = with_state_gates(input_gates, before.h, w, at);
  const auto [h, c] = through_lstm_gates(gates, before.c, at);
  return {w.w_hr.defined() ? linear(h, w.w_hr, {}, at) : h, c};
}

std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, const TensorList& hx, const Tensor& w_ih,
                                     const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh,
                                     At at) {
  const Operation op("lstm_cell", at);
  if (hx.size() != 2) op.fail<ValueError>("expects two hidden states, but got {}", hx.size());
  const CellState after = run_cell(op, kLstm, input, {hx[0], hx[1]}, {w_ih, w_hh, b_ih, b_hh, {}});
  return {after.h, after.c};
}

}  // namespace notape
