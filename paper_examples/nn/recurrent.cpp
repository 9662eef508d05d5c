#include "paper_examples/nn/recurrent.h"

#include <fmt/ostream.h>

#include "ops/ops.h"
#include "paper_examples/nn/init.h"

namespace notape::nn {
namespace {

using utils::rnn::PackedSequence;

/// States of sequences in another order; an undefined order leaves them.
Tensor in_order(const Tensor& state, const Tensor& order) {
  return order.defined() ? state.index_select(1, order) : state;
}

int64_t sequences_of(const PackedSequence& input) {
  return input.batch_sizes().numel() == 0 ? 0 : static_cast<int64_t>(input.batch_sizes()[0].item());
}

}  // namespace

RecurrentImplBase::RecurrentImplBase(const char* name, const RecurrentOptions& o, int64_t gates)
    : Module(name), options_(o) {
  if (o.input_size() < 1 || o.hidden_size() < 1 || o.num_layers() < 1)
    throw ValueError("{}: input_size {}, hidden_size {} and num_layers {} have to be above 0", name,
                     o.input_size(), o.hidden_size(), o.num_layers());
  if (!(o.dropout() >= 0 && o.dropout() <= 1))
    throw ValueError("{}: dropout {} is no probability: it has to be between 0 and 1", name,
                     o.dropout());
  const int64_t directions = o.bidirectional() ? 2 : 1, rows = gates * o.hidden_size();
  for (int64_t layer = 0; layer < o.num_layers(); ++layer) {
    const int64_t columns = layer == 0 ? o.input_size() : directions * o.hidden_size();
    for (int64_t direction = 0; direction < directions; ++direction) {
      const std::string end = fmt::format("_l{}{}", layer, direction == 1 ? "_reverse" : "");
      const auto add = [&](const char* what, IntArrayRef size) {
        register_parameter(what + end, init::uniform_by_fan_in(size, o.hidden_size()));
      };
      add("weight_ih", {rows, columns});
      add("weight_hh", {rows, o.hidden_size()});
      if (!o.bias()) continue;
      add("bias_ih", {rows});
      add("bias_hh", {rows});
    }
  }
}

void RecurrentImplBase::pretty_print(std::ostream& out) const {
  const RecurrentOptions& o = options_;
  fmt::print(out, "{}({}, {}", name(), o.input_size(), o.hidden_size());
  if (o.num_layers() != 1) fmt::print(out, ", num_layers={}", o.num_layers());
  if (!o.bias()) out << ", bias=false";
  if (o.batch_first()) out << ", batch_first=true";
  if (o.dropout() != 0) fmt::print(out, ", dropout={}", o.dropout());
  if (o.bidirectional()) out << ", bidirectional=true";
  out << ")";
}

int64_t RecurrentImplBase::batch_of(const Tensor& input) const {
  if (input.dim() != 3)
    throw ShapeError("{}: the input has {} dimensions, not 3: ({}, input_size)", name(),
                     input.dim(), options_.batch_first() ? "N, T" : "T, N");
  return input.size(options_.batch_first() ? 0 : 1);
}

Tensor RecurrentImplBase::state(const Tensor& hx, int64_t sequences, const Tensor& like) const {
  if (hx.defined()) return hx;
  const int64_t directions = options_.bidirectional() ? 2 : 1;
  return zeros({options_.num_layers() * directions, sequences, options_.hidden_size()},
               TensorOptions(like.dtype()).device(like.device()));
}

RNNImpl::RNNImpl(const RNNOptions& o) : RecurrentImplBase("RNN", o, 1), options(o) {}

std::tuple<Tensor, Tensor> RNNImpl::forward(const Tensor& input, const Tensor& hx) const {
  const RNNOptions& o = options;
  const Tensor before = state(hx, batch_of(input), input);
  if (o.nonlinearity() == RNNOptions::Nonlinearity::ReLU)
    return rnn_relu(input, before, all_weights(), o.bias(), o.num_layers(), o.dropout(),
                    is_training(), o.bidirectional(), o.batch_first());
  return rnn_tanh(input, before, all_weights(), o.bias(), o.num_layers(), o.dropout(),
                  is_training(), o.bidirectional(), o.batch_first());
}

std::tuple<PackedSequence, Tensor> RNNImpl::forward_with_packed_input(const PackedSequence& input,
                                                                      const Tensor& hx) const {
  const RNNOptions& o = options;
  const Tensor before =
      in_order(state(hx, sequences_of(input), input.data()), input.sorted_indices());
  const auto [output, after] =
      o.nonlinearity() == RNNOptions::Nonlinearity::ReLU
          ? rnn_relu(input.data(), input.batch_sizes(), before, all_weights(), o.bias(),
                     o.num_layers(), o.dropout(), is_training(), o.bidirectional())
          : rnn_tanh(input.data(), input.batch_sizes(), before, all_weights(), o.bias(),
                     o.num_layers(), o.dropout(), is_training(), o.bidirectional());
  return {input.with_data(output), in_order(after, input.unsorted_indices())};
}

GRUImpl::GRUImpl(const RecurrentOptions& o) : RecurrentImplBase("GRU", o, 3), options(o) {}

std::tuple<Tensor, Tensor> GRUImpl::forward(const Tensor& input, const Tensor& hx) const {
  const RecurrentOptions& o = options;
  return gru(input, state(hx, batch_of(input), input), all_weights(), o.bias(), o.num_layers(),
             o.dropout(), is_training(), o.bidirectional(), o.batch_first());
}

std::tuple<PackedSequence, Tensor> GRUImpl::forward_with_packed_input(const PackedSequence& input,
                                                                      const Tensor& hx) const {
  const RecurrentOptions& o = options;
  const Tensor before =
      in_order(state(hx, sequences_of(input), input.data()), input.sorted_indices());
  const auto [output, after] =
      gru(input.data(), input.batch_sizes(), before, all_weights(), o.bias(), o.num_layers(),
          o.dropout(), is_training(), o.bidirectional());
  return {input.with_data(output), in_order(after, input.unsorted_indices())};
}

LSTMImpl::LSTMImpl(const RecurrentOptions& o) : RecurrentImplBase("LSTM", o, 4), options(o) {}

std::tuple<Tensor, LSTMImpl::State> LSTMImpl::forward(const Tensor& input,
                                                      std::optional<State> hx) const {
  const RecurrentOptions& o = options;
  const auto [h, c] = hx.value_or(State());
  const int64_t batch = batch_of(input);
  auto [output, last_h, last_c] =
      lstm(input, {state(h, batch, input), state(c, batch, input)}, all_weights(), o.bias(),
           o.num_layers(), o.dropout(), is_training(), o.bidirectional(), o.batch_first());
  return {std::move(output), State(std::move(last_h), std::move(last_c))};
}

std::tuple<PackedSequence, LSTMImpl::State> LSTMImpl::forward_with_packed_input(
    const PackedSequence& input, std::optional<State> hx) const {
  const RecurrentOptions& o = options;
  const auto [h, c] = hx.value_or(State());
  const auto before = [&](const Tensor& given) {
    return in_order(state(given, sequences_of(input), input.data()), input.sorted_indices());
  };
  const auto [output, last_h, last_c] =
      lstm(input.data(), input.batch_sizes(), {before(h), before(c)}, all_weights(), o.bias(),
           o.num_layers(), o.dropout(), is_training(), o.bidirectional());
  const Tensor& order = input.unsorted_indices();
  return {input.with_data(output), State(in_order(last_h, order), in_order(last_c, order))};
}

}  // namespace notape::nn
