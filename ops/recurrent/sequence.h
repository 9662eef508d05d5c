// A layer of an LSTM or GRU along a whole sequence in a few launches, by a library that a GPU has.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "ops/core/kernel_slot.h"
#include "ops/recurrent/cell.h"

namespace notape {

/// One layer, in one direction or in both.
struct SequenceLayer {
  bool is_lstm, has_biases;
  int64_t input, hidden, directions;
  std::vector<int64_t> batch_sizes;  ///< samples of each step: above 0, and never more than before

  int64_t gates() const { return is_lstm ? 4 : 3; }
};

/// x packed, (rows, input); h and c (directions, samples, hidden), c of an LSTM alone. Weights one
/// after the other: w_ih and w_hh of each direction, then b_ih and b_hh of each. All row-major, of
/// float32 or float64.
struct SequenceOperands {
  Tensor x, h, c, weights;
};
/// (rows, directions * hidden), and the last states.
struct SequenceResults {
  Tensor output, h, c;
};

struct SequenceForward {
  const SequenceLayer& layer;
  SequenceOperands in;  ///< without weights until the kernel asks for them
  SequenceResults out;
  bool keeps;  ///< whether there may be a backward
  std::function<Tensor()> join_weights;
  Tensor reserve = {};  ///< what it then needs; allocated by the kernel
  bool is_done = false;
};
struct SequenceBackward {
  const SequenceLayer& layer;
  SequenceOperands in;
  Tensor output, reserve;  ///< the latter is overwritten
  SequenceResults grads;   ///< of the output defined, of states defined unless they are zero
  SequenceOperands out;    ///< weights defined if wanted
};
/// The forward leaves `is_done` where the library has no way.
using SequenceKernel = Kernel<void(const Operation&, SequenceForward&)>;
using SequenceGradientKernel = Kernel<void(const Operation&, SequenceBackward&)>;
extern SequenceKernel sequence_kernel;
extern SequenceGradientKernel sequence_gradient_kernel;

/// The same by operators, for tangents and derivatives of higher orders.
SequenceResults composed_sequence(const SequenceLayer& layer, const SequenceOperands& in, At at);

/// None where that has to be composed: no library takes it, or deterministic mode is on, which
/// libraries do not promise. `weights` one for each direction.
std::optional<SequenceResults> through_sequence(const Operation& op, SequenceLayer layer,
                                                const Tensor& x, const CellState& state,
                                                const std::vector<CellWeights>& weights);

}  // namespace notape
