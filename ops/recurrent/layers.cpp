#include "ops/recurrent/layers.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "ops/arithmetic.h"
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/random.h"
#include "ops/recurrent/packed.h"
#include "ops/recurrent/sequence.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// The weights of each direction of each layer.
std::vector<CellWeights> weights_of(const Operation& op, const TensorList& params,
                                    const LayerOptions& options, bool projected) {
  const std::size_t each = (options.has_biases ? 4u : 2u) + (projected ? 1u : 0u);
  const std::size_t count =
      static_cast<std::size_t>(options.num_layers) * (options.bidirectional ? 2u : 1u);
  if (params.size() != each * count)
    op.fail<ValueError>("expected {} parameters, {} for each of {} directions and layers, got {}",
                        each * count, each, count, params.size());
  std::vector<CellWeights> result;
  for (std::size_t i = 0; i < params.size(); i += each) {
    CellWeights one{params[i], params[i + 1], {}, {}, {}};
    if (options.has_biases) {
      one.b_ih = params[i + 2];
      one.b_hh = params[i + 3];
    }
    if (projected) one.w_hr = params[i + each - 1];
    result.push_back(std::move(one));
  }
  return result;
}

CellState state_of(const CellState& all, std::size_t direction, At at) {
  const auto i = static_cast<int64_t>(direction);
  return {select(all.h, 0, i, at), all.c.defined() ? select(all.c, 0, i, at) : Tensor()};
}

/// Some of the first dimension of a state: samples, or directions of layers.
CellState some_of(const CellState& state, int64_t from, int64_t to, At at) {
  return {slice(state.h, 0, from, to, 1, at),
          state.c.defined() ? slice(state.c, 0, from, to, 1, at) : Tensor()};
}
CellState joined(const CellState& first, const CellState& second, At at) {
  return {cat({first.h, second.h}, 0, at),
          first.c.defined() ? cat({first.c, second.c}, 0, at) : Tensor()};
}

struct DirectionResult {
  Tensor output;  // (T, N, H), or packed (all steps' samples, H)
  CellState last;
};

DirectionResult run_direction(const CellKind& kind, const Tensor& input, CellState state,
                              const CellWeights& weights, bool backwards, At at) {
  TensorList gates = unbind(linear(input, weights.w_ih, weights.b_ih, at), 0, at);
  if (backwards) std::reverse(gates.begin(), gates.end());
  TensorList outputs;
  for (const Tensor& of_step : gates) {
    state = kind.step(of_step, state, weights, at);
    outputs.push_back(state.h);
  }
  if (backwards) std::reverse(outputs.begin(), outputs.end());
  return {stack(outputs, 0, at), std::move(state)};
}

/// Samples that have ended leave the state, and backwards enter it with their state before.
DirectionResult run_packed_direction(const CellKind& kind, const Tensor& input,
                                     const CellState& before, const CellWeights& weights,
                                     IntArrayRef batch_sizes, bool backwards, At at) {
  const TensorList gates =
      split_with_sizes(linear(input, weights.w_ih, weights.b_ih, at), batch_sizes, 0, at);
  TensorList outputs(gates.size());
  CellState state = backwards ? some_of(before, 0, batch_sizes.back(), at) : before;
  std::vector<CellState> ended;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const std::size_t t = backwards ? gates.size() - 1 - i : i;
    const int64_t size = batch_sizes[t], present = state.h.size(0);
    if (size < present) {
      ended.push_back(some_of(state, size, present, at));
      state = some_of(state, 0, size, at);
    }
    if (size > present) state = joined(state, some_of(before, present, size, at), at);
    state = kind.step(gates[t], state, weights, at);
    outputs[t] = state.h;
  }
  for (auto one = ended.rbegin(); one != ended.rend(); ++one) state = joined(state, *one, at);
  return {cat(outputs, 0, at), std::move(state)};
}

DirectionResult run_one(const CellKind& kind, const Tensor& input, const CellState& before,
                        const CellWeights& weights, const LayerOptions& options, bool backwards,
                        At at) {
  if (options.packed())
    return run_packed_direction(kind, input, before, weights, options.batch_sizes, backwards, at);
  return run_direction(kind, input, before, weights, backwards, at);
}

/// Both biases as one, once and not in each step.
CellWeights with_joined_biases(const CellKind& kind, CellWeights weights, At at) {
  if (kind.joins_biases && weights.b_hh.defined())
    weights.b_ih = add(weights.b_ih, std::exchange(weights.b_hh, {}), 1, at);
  return weights;
}

/// The layer of the weights from `first` on by a library, where there is one that takes it. x and
/// the output are packed, or (T, N, ..).
std::optional<SequenceResults> by_library(const Operation& op, const CellKind& kind,
                                          const Tensor& x, const CellState& state,
                                          const std::vector<CellWeights>& all_weights,
                                          std::size_t first, const LayerOptions& options) {
  if (!x.is_cuda() || (kind.step != kLstm.step && kind.step != kGru.step)) return {};
  const int64_t directions = options.bidirectional ? 2 : 1, begin = static_cast<int64_t>(first);
  SequenceLayer layer{kind.has_cell,   options.has_biases, x.size(-1),
                      state.h.size(2), directions,         options.batch_sizes};
  if (!options.packed()) layer.batch_sizes.assign(static_cast<std::size_t>(x.size(0)), x.size(1));
  const Tensor rows = options.packed() ? x : reshape(x, {-1, x.size(2)}, op.at);
  const bool is_only_layer = static_cast<int64_t>(all_weights.size()) == directions;
  const CellState before = is_only_layer ? state : some_of(state, begin, begin + directions, op.at);
  std::optional<SequenceResults> all =
      through_sequence(op, layer, rows, before,
                       {all_weights.begin() + begin, all_weights.begin() + begin + directions});
  if (all && !options.packed())
    all->output = reshape(all->output, {x.size(0), x.size(1), -1}, op.at);
  return all;
}

void check_state(const Operation& op, const char* name, const Tensor& state, int64_t layers,
                 int64_t batch) {
  check_operand(op, state);
  if (state.dim() != 3 || state.size(0) != layers || state.size(1) != batch)
    op.fail<ShapeError>("{} should have size [{}, {}, hidden size], but has {}", name, layers,
                        batch, to_string(state.sizes()));
}

void check(const Operation& op, const CellKind& kind, const Tensor& input, const CellState& state,
           const LayerOptions& options) {
  check_operand(op, input);
  constexpr int64_t kMostLayers = std::numeric_limits<int32_t>::max();
  if (options.num_layers < 1 || options.num_layers > kMostLayers)
    op.fail<ValueError>("num_layers must be at least 1{}, got {}",
                        options.num_layers < 1 ? "" : " and no more than there are weights for",
                        options.num_layers);
  if (!(options.dropout >= 0 && options.dropout <= 1))
    op.fail<ValueError>("dropout probability has to be between 0 and 1, but got {}",
                        options.dropout);
  const int64_t rank = options.packed() ? 2 : 3;
  if (input.dim() != rank)
    op.fail<ShapeError>("input must have {} dimensions, got size {}", rank,
                        to_string(input.sizes()));
  const int64_t steps = input.size(options.batch_first ? 1 : 0);
  if (steps == 0) op.fail<ShapeError>("expected sequence length to be larger than 0");
  const int64_t layers = options.num_layers * (options.bidirectional ? 2 : 1);
  const int64_t batch =
      options.packed() ? options.batch_sizes[0] : input.size(options.batch_first ? 0 : 1);
  check_state(op, "hx", state.h, layers, batch);
  if (kind.has_cell) check_state(op, "c of hx", state.c, layers, batch);
}

}  // namespace

LayerResults run_layers(const Operation& op, const CellKind& kind, const Tensor& input,
                        const CellState& state, const TensorList& params,
                        const LayerOptions& options) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_low(
        op.at,
        [&](const Tensor& x, const Tensor& h, const Tensor& c, const TensorList& cast) {
          return run_layers(op, kind, x, {h, c}, cast, options);
        },
        input, state.h, state.c, params);
  TensorList operands = params;
  operands.insert(operands.end(), {input, state.h});
  if (state.c.defined()) operands.push_back(state.c);
  detail::tell_operands(operands);  // before the checks tell of some
  check(op, kind, input, state, options);
  const int64_t hidden = state.h.size(2);
  const bool projected = kind.has_cell && state.c.size(2) != hidden;
  const std::vector<CellWeights> weights = weights_of(op, params, options, projected);
  const std::size_t directions = options.bidirectional ? 2 : 1;
  for (std::size_t i = 0; i < weights.size(); ++i)
    check_cell(op, kind, input,
               i < directions ? input.size(-1) : hidden * static_cast<int64_t>(directions), state,
               weights[i]);
  const Composite composite(operands);
  if (const ScalarType type = input.dtype(); is_reduced_floating_point(type)) {
    TensorList wide;
    for (const Tensor& one : params) wide.push_back(to(one, kFloat32, op.at));
    const LayerResults all = run_layers(op, kind, to(input, kFloat32, op.at),
                                        to_type(state, kFloat32, op.at), wide, options);
    return {to(all.output, type, op.at), to(all.h_n, type, op.at), to_type(all.c_n, type, op.at)};
  }
  Tensor values = options.batch_first ? transpose(input, 0, 1, op.at) : input;
  TensorList last_h, last_c;  // of directions or, by a library, of layers
  bool are_whole = false;
  for (std::size_t i = 0; i < weights.size();) {
    std::optional<SequenceResults> whole;
    if (i == 0 || are_whole) whole = by_library(op, kind, values, state, weights, i, options);
    are_whole = are_whole || whole;
    TensorList outputs;
    if (whole) {
      outputs.push_back(std::move(whole->output));
      last_h.push_back(std::move(whole->h));
      last_c.push_back(std::move(whole->c));
    }
    for (std::size_t d = 0; d < directions && !whole; ++d) {
      DirectionResult one =
          run_one(kind, values, state_of(state, i + d, op.at),
                  with_joined_biases(kind, weights[i + d], op.at), options, d == 1, op.at);
      outputs.push_back(std::move(one.output));
      const auto kept = [&](Tensor& last) {
        return are_whole && last.defined() ? unsqueeze(last, 0, op.at) : std::move(last);
      };
      last_h.push_back(kept(one.last.h));
      last_c.push_back(kept(one.last.c));
    }
    i += directions;
    values = outputs.size() == 1 ? outputs[0] : cat(outputs, -1, op.at);
    if (options.train && options.dropout > 0 && i < weights.size())
      values = dropout(values, options.dropout, true, op.at);
  }
  const auto joined_last = [&](const TensorList& last) {
    return !are_whole ? stack(last, 0, op.at) : last.size() == 1 ? last[0] : cat(last, 0, op.at);
  };
  return {options.batch_first ? transpose(values, 0, 1, op.at) : values, joined_last(last_h),
          kind.has_cell ? joined_last(last_c) : Tensor()};
}

SequenceResults composed_sequence(const SequenceLayer& layer, const SequenceOperands& in, At at) {
  const CellKind& kind = layer.is_lstm ? kLstm : kGru;
  const int64_t rows = layer.gates() * layer.hidden;
  std::vector<int64_t> sizes;
  for (int64_t d = 0; d < layer.directions; ++d)
    sizes.insert(sizes.end(), {rows * layer.input, rows * layer.hidden});
  if (layer.has_biases) sizes.resize(sizes.size() * 2, rows);
  const TensorList parts = split_with_sizes(in.weights, sizes, 0, at);
  TensorList outputs, last_h, last_c;
  for (std::size_t d = 0; d < static_cast<std::size_t>(layer.directions); ++d) {
    CellWeights weights{reshape(parts[2 * d], {rows, layer.input}, at),
                        reshape(parts[2 * d + 1], {rows, layer.hidden}, at),
                        {},
                        {},
                        {}};
    if (layer.has_biases) {
      const std::size_t behind = parts.size() / 2 + 2 * d;
      weights.b_ih = parts[behind];
      weights.b_hh = parts[behind + 1];
    }
    const CellState before = state_of({in.h, in.c}, d, at);
    DirectionResult one = run_packed_direction(
        kind, in.x, before, with_joined_biases(kind, weights, at), layer.batch_sizes, d == 1, at);
    outputs.push_back(std::move(one.output));
    last_h.push_back(std::move(one.last.h));
    last_c.push_back(std::move(one.last.c));
  }
  return {outputs.size() == 1 ? outputs[0] : cat(outputs, -1, at), stack(last_h, 0, at),
          layer.is_lstm ? stack(last_c, 0, at) : Tensor()};
}

LayerResults run_packed(const Operation& op, const CellKind& kind, const Tensor& data,
                        const Tensor& batch_sizes, const CellState& state, const TensorList& params,
                        LayerOptions options) {
  options.batch_sizes = packed_sizes(op, data, batch_sizes);
  return run_layers(op, kind, data, state, params, options);
}

}  // namespace notape
