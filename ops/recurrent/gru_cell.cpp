// r, z = sigmoid(W x + b + U h + d), n = tanh(W x + b + r (U h + d)), h' = n + z (h - n).
// K. Cho et al., "Learning phrase representations using RNN encoder-decoder", 2014; r acts behind
// U, as in LibTorch and cuDNN.
#include "ops/arithmetic.h"
#include "ops/linalg.h"
#include "ops/recurrent.h"
#include "ops/recurrent/cell.h"
#include "ops/recurrent/recurrent_spec.h"
#include "ops/shape.h"
#include "ops/transcendental.h"

namespace notape {
namespace {

const RegisterOp gru_cell_row(recurrent_spec("gru_cell", draw_cell, PlainCell::Gru));

}  // namespace

CellState gru_step(const Tensor& input_gates, const CellState& before, const CellWeights& w,
                   At at) {
  const std::vector<Tensor> x = chunk(input_gates, 3, -1, at);
  const std::vector<Tensor> h = chunk(linear(before.h, w.w_hh, w.b_hh, at), 3, -1, at);
  const Tensor r = sigmoid(add(x[0], h[0], 1, at), at);
  const Tensor z = sigmoid(add(x[1], h[1], 1, at), at);
  const Tensor n = tanh(add(x[2], mul(r, h[2], at), 1, at), at);
  return {add(n, mul(z, sub(before.h, n, 1, at), at), 1, at), {}};
}

Tensor gru_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                const Tensor& b_ih, const Tensor& b_hh, At at) {
  return run_cell({"gru_cell", at}, kGru, input, {hx, {}}, {w_ih, w_hh, b_ih, b_hh, {}}).h;
}

}  // namespace notape
