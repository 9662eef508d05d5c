// The operators of ops/normalization.h, ops/recurrent.h, and of ops/random.h where nothing is left
// to chance.
#include "bench/against_torch/calls.h"

namespace notape::against_torch {

void add_layers(Calls& calls) {
  calls.of<T, IntArrayRef, T, T, double, bool>()("layer_norm", layer_norm);
  calls.of<T, Integer, T, T, double, bool>()("group_norm", group_norm);
  calls.of<T, T, T, T, T, bool, double, double, bool>()("batch_norm", batch_norm)("instance_norm",
                                                                                  instance_norm);
  calls.of<T, IntArrayRef, T, std::optional<double>>()("rms_norm", rms_norm);
  calls.of<T, T, Integer>()("_weight_norm", _weight_norm);

  calls.of<T, T, T, T, T, T>()("rnn_tanh_cell", rnn_tanh_cell)("rnn_relu_cell", rnn_relu_cell)(
      "gru_cell", gru_cell);
  calls.of<T, const TensorList&, T, T, T, T>()("lstm_cell", lstm_cell);
  calls.of<T, T, const TensorList&, bool, Integer, double, bool, bool, bool>()(
      "rnn_tanh", rnn_tanh)("rnn_relu", rnn_relu)("gru", gru);
  calls.of<T, const TensorList&, const TensorList&, bool, Integer, double, bool, bool, bool>()(
      "lstm", lstm);

  calls.of<T, double, bool>()("dropout", dropout)("feature_dropout", feature_dropout)(
      "alpha_dropout", alpha_dropout)("feature_alpha_dropout", feature_alpha_dropout);
  calls.of<T, double, std::optional<bool>>()("native_dropout", native_dropout);
  calls.of<T>()("bernoulli", bernoulli);
}

}  // namespace notape::against_torch
