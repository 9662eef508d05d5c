// RNN, LSTM and GRU: layers of a state that goes from step to step. Order of gates, parameters and
// names ("weight_ih_l0", "bias_hh_l1_reverse") are LibTorch's. (Hochreiter and Schmidhuber 1997,
// Cho et al. 2014)
#pragma once
#include <optional>
#include <tuple>

#include "paper_examples/nn/module.h"
#include "paper_examples/nn/packed_sequence.h"

namespace notape::nn {

class RecurrentOptions {
 public:
  RecurrentOptions(Integer input_size, Integer hidden_size)
      : input_size_(input_size), hidden_size_(hidden_size) {}
  RecurrentOptions& num_layers(Integer count) { return num_layers_ = count, *this; }
  RecurrentOptions& bias(bool has) { return bias_ = has, *this; }
  /// Inputs and outputs are (N, T, ..) instead of (T, N, ..).
  RecurrentOptions& batch_first(bool on) { return batch_first_ = on, *this; }
  /// What is dropped of the output of each layer but the last, while trained.
  RecurrentOptions& dropout(double probability) { return dropout_ = probability, *this; }
  RecurrentOptions& bidirectional(bool on) { return bidirectional_ = on, *this; }
  int64_t input_size() const { return input_size_; }
  int64_t hidden_size() const { return hidden_size_; }
  int64_t num_layers() const { return num_layers_; }
  bool bias() const { return bias_; }
  bool batch_first() const { return batch_first_; }
  double dropout() const { return dropout_; }
  bool bidirectional() const { return bidirectional_; }

 private:
  int64_t input_size_, hidden_size_, num_layers_ = 1;
  bool bias_ = true, batch_first_ = false, bidirectional_ = false;
  double dropout_ = 0;
};

class RNNOptions : public RecurrentOptions {
 public:
  enum class Nonlinearity { Tanh, ReLU };
  using RecurrentOptions::RecurrentOptions;
  RNNOptions(const RecurrentOptions& options) : RecurrentOptions(options) {}
  RNNOptions& nonlinearity(Nonlinearity kind) { return nonlinearity_ = kind, *this; }
  Nonlinearity nonlinearity() const { return nonlinearity_; }

 private:
  Nonlinearity nonlinearity_ = Nonlinearity::Tanh;
};

/// What all three are. Parameters are uniform in +-1 / sqrt(hidden_size). Throws ValueError, when
/// it is made, for sizes and layers below 1 and a dropout that is no probability.
struct RecurrentImplBase : Module {
  void pretty_print(std::ostream& out) const override;
  /// Of each direction of each layer in turn: w_ih, w_hh and, with biases, b_ih, b_hh.
  std::vector<Tensor> all_weights() const { return parameters(false); }

 protected:
  RecurrentImplBase(const char* name, const RecurrentOptions& options, int64_t gates);
  /// hx, or zeros for that many sequences, of the type of `like`.
  Tensor state(const Tensor& hx, int64_t sequences, const Tensor& like) const;
  /// Throws ShapeError unless it has three dimensions.
  int64_t batch_of(const Tensor& input) const;

 private:
  RecurrentOptions options_;
};

// input (T, N, input_size) or, with batch_first, (N, T, input_size) -> {output (.., D hidden_size),
// the last state (num_layers D, N, hidden_size)}, D = 2 directions if bidirectional. The state hx
// before the first step is 0 unless given. Packed sequences are in their caller's order, states,
// too.

struct RNNImpl : RecurrentImplBase {
  explicit RNNImpl(const RNNOptions& options);
  RNNImpl(Integer input_size, Integer hidden_size) : RNNImpl(RNNOptions(input_size, hidden_size)) {}
  std::tuple<Tensor, Tensor> forward(const Tensor& input, const Tensor& hx = {}) const;
  std::tuple<utils::rnn::PackedSequence, Tensor> forward_with_packed_input(
      const utils::rnn::PackedSequence& input, const Tensor& hx = {}) const;
  RNNOptions options;
};

struct GRUImpl : RecurrentImplBase {
  explicit GRUImpl(const RecurrentOptions& options);
  GRUImpl(Integer input_size, Integer hidden_size)
      : GRUImpl(RecurrentOptions(input_size, hidden_size)) {}
  std::tuple<Tensor, Tensor> forward(const Tensor& input, const Tensor& hx = {}) const;
  std::tuple<utils::rnn::PackedSequence, Tensor> forward_with_packed_input(
      const utils::rnn::PackedSequence& input, const Tensor& hx = {}) const;
  RecurrentOptions options;
};

/// The state is {h, c}.
struct LSTMImpl : RecurrentImplBase {
  using State = std::tuple<Tensor, Tensor>;
  explicit LSTMImpl(const RecurrentOptions& options);
  LSTMImpl(Integer input_size, Integer hidden_size)
      : LSTMImpl(RecurrentOptions(input_size, hidden_size)) {}
  std::tuple<Tensor, State> forward(const Tensor& input, std::optional<State> hx = {}) const;
  std::tuple<utils::rnn::PackedSequence, State> forward_with_packed_input(
      const utils::rnn::PackedSequence& input, std::optional<State> hx = {}) const;
  RecurrentOptions options;
};

using LSTMOptions = RecurrentOptions;
using GRUOptions = RecurrentOptions;
using RNN = ModuleHolder<RNNImpl>;
using GRU = ModuleHolder<GRUImpl>;
using LSTM = ModuleHolder<LSTMImpl>;

}  // namespace notape::nn
