// A step of each recurrent cell, which cells and layers share.
#pragma once
#include "autograd/observer.h"
#include "ops/at.h"

namespace notape {

struct CellWeights {
  Tensor w_ih, w_hh, b_ih, b_hh;
  Tensor w_hr;  ///< undefined without a projection
};
struct CellState {
  Tensor h, c;  ///< c of an LSTM alone
};

/// The state after a step whose input contributes `input_gates` = linear(input, w_ih, b_ih).
using CellStep = CellState (*)(const Tensor& input_gates, const CellState& before,
                               const CellWeights& weights, At at);
CellState rnn_tanh_step(const Tensor& input_gates, const CellState&, const CellWeights&, At);
CellState rnn_relu_step(const Tensor& input_gates, const CellState&, const CellWeights&, At);
CellState gru_step(const Tensor& input_gates, const CellState&, const CellWeights&, At);
CellState lstm_step(const Tensor& input_gates, const CellState&, const CellWeights&, At);

/// input_gates + linear(h, w_hh, b_hh)
Tensor with_state_gates(const Tensor& input_gates, const Tensor& h, const CellWeights& w, At at);

struct CellKind {
  CellStep step;
  int64_t gates;
  bool has_cell = false;     ///< the c of an LSTM
  bool joins_biases = true;  ///< whether b_hh is added to the same sums as b_ih
};
inline constexpr CellKind kRnnTanh{rnn_tanh_step, 1}, kRnnRelu{rnn_relu_step, 1},
    kGru{gru_step, 3, false, false}, kLstm{lstm_step, 4, true};

/// Checks of one direction of one layer: `input` (.., I), the state (N, ..). Throws
/// UndefinedTensor, DtypeError, ShapeError.
void check_cell(const Operation& op, const CellKind& kind, const Tensor& input, int64_t input_size,
                const CellState& state, const CellWeights& weights);

/// Converted, where defined: numbers of 16 bits are computed in float32 and rounded at the end.
Tensor to_type(const Tensor& tensor, ScalarType type, At at);
CellState to_type(const CellState& state, ScalarType type, At at);
CellWeights to_type(const CellWeights& w, ScalarType type, At at);

/// One step from `input` (N, I), checked.
CellState run_cell(const Operation& op, const CellKind& kind, const Tensor& input,
                   const CellState& state, const CellWeights& weights);

}  // namespace notape
