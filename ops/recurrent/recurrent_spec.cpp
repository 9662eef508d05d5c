#include "ops/recurrent/recurrent_spec.h"

#include <algorithm>
#include <numeric>

#include "autograd/tensor/factories.h"
#include "ops/recurrent.h"
#include "ops/spec/joined_results.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

const Domain kValues{.low = -1.5, .high = 1.5};  // of inputs and states

int64_t gates_of(PlainCell cell) {
  return cell == PlainCell::Lstm ? 4 : cell == PlainCell::Gru ? 3 : 1;
}

/// h and, of an LSTM, c of one sample.
template <typename T>
struct PlainState {
  std::vector<T> h, c;
};

/// W x + b for one sample; an empty b is none.
template <typename T>
std::vector<T> plain_linear(const std::vector<T>& x, const PlainTensor<T>& w,
                            const PlainTensor<T>* b) {
  std::vector<T> result;
  const std::size_t rows = static_cast<std::size_t>(w.sizes[0]);
  for (std::size_t r = 0; r < rows; ++r) {
    T sum = b ? b->values[r] : T(0);
    for (std::size_t k = 0; k < x.size(); ++k) sum += w.values[r * x.size() + k] * x[k];
    result.push_back(sum);
  }
  return result;
}

template <typename T>
T plain_sigmoid(T x) {
  return T(1) / (T(1) + math::exp(-x));
}

/// w_ih, w_hh, then maybe b_ih, b_hh, then maybe w_hr.
template <typename T>
struct PlainWeights {
  const PlainTensor<T>* at;
  bool biased, projected = false;
};

template <typename T>
PlainState<T> plain_step(PlainCell cell, const std::vector<T>& x, const PlainState<T>& s,
                         const PlainWeights<T>& w) {
  const std::vector<T> a = plain_linear(x, w.at[0], w.biased ? &w.at[2] : nullptr);
  const std::vector<T> b = plain_linear(s.h, w.at[1], w.biased ? &w.at[3] : nullptr);
  const std::size_t n = a.size() / static_cast<std::size_t>(gates_of(cell));
  PlainState<T> next;
  for (std::size_t i = 0; i < n; ++i) {
    const auto sum = [&](std::size_t gate) { return a[gate * n + i] + b[gate * n + i]; };
    switch (cell) {
      case PlainCell::RnnTanh:
        next.h.push_back(math::tanh(sum(0)));
        break;
      case PlainCell::RnnRelu:
        next.h.push_back(sum(0) > T(0) ? sum(0) : T(0));
        break;
      case PlainCell::Gru: {
        const T z = plain_sigmoid(sum(1));
        const T m = math::tanh(a[2 * n + i] + plain_sigmoid(sum(0)) * b[2 * n + i]);
        next.h.push_back((T(1) - z) * m + z * s.h[i]);
        break;
      }
      case PlainCell::Lstm:
        next.c.push_back(plain_sigmoid(sum(1)) * s.c[i] +
                         plain_sigmoid(sum(0)) * math::tanh(sum(2)));
        next.h.push_back(plain_sigmoid(sum(3)) * math::tanh(next.c.back()));
    }
  }
  if (w.projected) {
    const PlainTensor<T>* none = nullptr;
    next.h = plain_linear(next.h, w.at[w.biased ? 4 : 2], none);
  }
  return next;
}

struct Sizes {
  int64_t steps = 1, batch, input, hidden, cell, layers = 1, directions = 1;
  bool biased, batch_first = false;
  std::vector<int64_t> lengths = {};  // of a packed sequence, else all `steps`
  bool projected() const { return hidden != cell; }
  std::size_t params_each() const { return (biased ? 4u : 2u) + (projected() ? 1u : 0u); }
  int64_t length(int64_t n) const {
    return lengths.empty() ? steps : lengths[static_cast<std::size_t>(n)];
  }
  /// Where step t of sample n stands among the rows of input and output.
  int64_t row(int64_t n, int64_t t) const {
    if (batch_first) return n * steps + t;
    int64_t before = lengths.empty() ? t * batch : 0;
    for (const int64_t one : lengths) before += std::min(one, t);
    return before + n;
  }
  /// Of the input or the output, with so many numbers in a row.
  std::vector<int64_t> rows_of(int64_t size) const {
    if (!lengths.empty())
      return {std::accumulate(lengths.begin(), lengths.end(), int64_t{0}), size};
    if (batch_first) return {batch, steps, size};
    return {steps, batch, size};
  }
  Tensor batch_sizes() const {
    std::vector<int64_t> sizes(static_cast<std::size_t>(steps));
    for (const int64_t length : lengths)
      for (std::size_t t = 0; t < static_cast<std::size_t>(length); ++t) ++sizes[t];
    return tensor(sizes);
  }
};

/// Each unit of rnn_relu is well on one side of its kink, by its bias.
std::vector<double> one_sided_bias(int64_t size, Draw& draw) {
  std::vector<double> bias;
  for (int64_t i = 0; i < size; ++i) bias.push_back(draw.integer(1, 3) == 1 ? -100 : 100);
  return bias;
}

/// The parameters of one direction of one layer.
void add_params(Draw& draw, PlainCell cell, const Sizes& s, int64_t input,
                std::vector<Argument>& arguments) {
  const int64_t rows = gates_of(cell) * s.cell;
  // So small that tanh is not at its ends, and that of relu a hundred stays a hundred after some
  // steps.
  const double most = cell == PlainCell::RnnRelu ? 0.05 : 0.6;
  const Domain domain{.low = -most, .high = most};
  arguments.push_back({.sizes = {rows, input}, .domain = domain});
  arguments.push_back({.sizes = {rows, s.hidden}, .domain = domain});
  if (s.biased) {
    arguments.push_back({.sizes = {rows}, .domain = domain});
    if (cell == PlainCell::RnnRelu) arguments.back().fixed = one_sided_bias(rows, draw);
    arguments.push_back({.sizes = {rows}, .domain = domain});
  }
  if (s.projected()) arguments.push_back({.sizes = {s.hidden, s.cell}, .domain = domain});
}

template <typename T>
std::vector<T> row_of(const PlainTensor<T>& matrix, int64_t row) {
  const auto size = static_cast<std::ptrdiff_t>(matrix.sizes.back());
  const auto begin = matrix.values.begin() + static_cast<std::ptrdiff_t>(row) * size;
  return {begin, begin + size};
}

template <typename T>
void put_row(PlainTensor<T>& matrix, int64_t row, const std::vector<T>& values, int64_t from = 0) {
  std::copy(values.begin(), values.end(),
            matrix.values.begin() + static_cast<std::ptrdiff_t>(row * matrix.sizes.back() + from));
}

/// What a row's result is: all results, one behind the other.
template <typename T>
PlainTensor<T> plain_joined(std::initializer_list<const PlainTensor<T>*> results) {
  PlainTensor<T> all({0});
  for (const PlainTensor<T>* one : results)
    all.values.insert(all.values.end(), one->values.begin(), one->values.end());
  all.sizes = {static_cast<int64_t>(all.values.size())};
  return all;
}

/// x: input, h, maybe c, params.
template <typename T>
PlainTensor<T> plain_layers(PlainCell cell, const PlainList<T>& x, const Sizes& s) {
  const bool has_cell = cell == PlainCell::Lstm;
  PlainTensor<T> output(s.rows_of(s.directions * s.hidden)), h_n = x[1], c_n = x[has_cell ? 2 : 1];
  for (int64_t n = 0; n < s.batch; ++n) {
    std::vector<std::vector<T>> values;
    for (int64_t t = 0; t < s.length(n); ++t) values.push_back(row_of(x[0], s.row(n, t)));
    const PlainTensor<T>* weights = &x[has_cell ? 3 : 2];
    for (int64_t at = 0; at < s.layers * s.directions;) {
      std::vector<std::vector<T>> next(values.size());
      for (int64_t d = 0; d < s.directions; ++d, ++at, weights += s.params_each()) {
        PlainState<T> state{row_of(x[1], at * s.batch + n), {}};
        if (has_cell) state.c = row_of(x[2], at * s.batch + n);
        for (std::size_t i = 0; i < values.size(); ++i) {
          const std::size_t t = d == 0 ? i : values.size() - 1 - i;
          state = plain_step(cell, values[t], state, {weights, s.biased, s.projected()});
          next[t].insert(next[t].end(), state.h.begin(), state.h.end());
        }
        put_row(h_n, at * s.batch + n, state.h);
        if (has_cell) put_row(c_n, at * s.batch + n, state.c);
      }
      values = std::move(next);
    }
    for (int64_t t = 0; t < s.length(n); ++t)
      put_row(output, s.row(n, t), values[static_cast<std::size_t>(t)]);
  }
  return has_cell ? plain_joined({&output, &h_n, &c_n}) : plain_joined({&output, &h_n});
}

TensorList rest_of(const variable_list& x, std::size_t from) {
  return {x.begin() + static_cast<std::ptrdiff_t>(from), x.end()};
}

using PaddedCall = std::tuple<Tensor, Tensor> (*)(const Tensor&, const Tensor&, const TensorList&,
                                                  bool, Integer, double, bool, bool, bool, At);
using PackedCall = std::tuple<Tensor, Tensor> (*)(const Tensor&, const Tensor&, const Tensor&,
                                                  const TensorList&, bool, Integer, double, bool,
                                                  bool, At);

Tensor call_layers(PlainCell cell, const variable_list& x, const Sizes& s) {
  const bool both = s.directions == 2;
  if (cell == PlainCell::Lstm) {
    const auto [output, h, c] =
        lstm(x[0], {x[1], x[2]}, rest_of(x, 3), s.biased, s.layers, 0, true, both, s.batch_first);
    return joined_results({output, h, c});
  }
  using Layers = std::tuple<Tensor, Tensor>(const Tensor&, const Tensor&, const TensorList&, bool,
                                            Integer, double, bool, bool, bool, At);
  Layers* call = rnn_relu;
  if (cell == PlainCell::Gru) call = gru;
  if (cell == PlainCell::RnnTanh) call = rnn_tanh;
  const auto [output, h] = call(x[0], x[1], rest_of(x, 2), s.biased, s.layers, 0, true, both,
                                s.batch_first, At::current());
  return joined_results({output, h});
}

Tensor call_packed(PlainCell cell, const variable_list& x, const Sizes& s) {
  const bool both = s.directions == 2;
  const Tensor batch_sizes = s.batch_sizes();
  if (cell == PlainCell::Lstm) {
    const auto [output, h, c] =
        lstm(x[0], batch_sizes, {x[1], x[2]}, rest_of(x, 3), s.biased, s.layers, 0, true, both);
    return joined_results({output, h, c});
  }
  const PackedCall call = cell == PlainCell::Gru       ? PackedCall{gru}
                          : cell == PlainCell::RnnTanh ? PackedCall{rnn_tanh}
                                                       : PackedCall{rnn_relu};
  const auto [output, h] = call(x[0], batch_sizes, x[1], rest_of(x, 2), s.biased, s.layers, 0, true,
                                both, At::current());
  return joined_results({output, h});
}

Tensor call_cell(PlainCell cell, const variable_list& x, const Sizes& s) {
  const std::size_t w = cell == PlainCell::Lstm ? 3 : 2;
  const Tensor b_ih = s.biased ? x[w + 2] : Tensor(), b_hh = s.biased ? x[w + 3] : Tensor();
  if (cell == PlainCell::Lstm) {
    const auto [h, c] = lstm_cell(x[0], {x[1], x[2]}, x[w], x[w + 1], b_ih, b_hh);
    return joined_results({h, c});
  }
  const auto call = cell == PlainCell::Gru       ? gru_cell
                    : cell == PlainCell::RnnTanh ? rnn_tanh_cell
                                                 : rnn_relu_cell;
  return call(x[0], x[1], x[w], x[w + 1], b_ih, b_hh, At::current());
}

OpCase layers_case(Draw& draw, PlainCell cell, Sizes s) {
  const bool packed = !s.lengths.empty();
  s.cell = s.hidden + (cell == PlainCell::Lstm && draw.integer(1, 4) == 1 ? 1 : 0);
  const int64_t all = s.layers * s.directions;
  OpCase one;
  one.label =
      format_message("{} layers, {} directions{}{}{}",
                     {s.layers, s.directions, s.biased ? ", biases" : "",
                      s.batch_first ? ", batch first" : "", s.projected() ? ", projected" : ""});
  if (packed) one.label += ", lengths=" + to_string(IntArrayRef(s.lengths));
  one.arguments = {{.sizes = s.rows_of(s.input), .domain = kValues},
                   {.sizes = {all, s.batch, s.hidden}, .domain = kValues}};
  if (cell == PlainCell::Lstm)
    one.arguments.push_back({.sizes = {all, s.batch, s.cell}, .domain = kValues});
  for (int64_t layer = 0; layer < s.layers; ++layer)
    for (int64_t d = 0; d < s.directions; ++d)
      add_params(draw, cell, s, layer == 0 ? s.input : s.directions * s.hidden, one.arguments);
  one.call = [=](const variable_list& x) {
    return packed ? call_packed(cell, x, s) : call_layers(cell, x, s);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) { return plain_layers(cell, x, s); };
  return one;
}

}  // namespace

OpCase draw_cell(Draw& draw, PlainCell cell) {
  Sizes s{.batch = draw.integer(0, 3),
          .input = draw.integer(0, 3),
          .hidden = draw.integer(1, 3),
          .cell = 0,
          .biased = cell == PlainCell::RnnRelu || draw.boolean()};
  s.cell = s.hidden;
  OpCase one;
  one.label = s.biased ? "biases" : "no biases";
  one.arguments = {{.sizes = {s.batch, s.input}, .domain = kValues},
                   {.sizes = {s.batch, s.hidden}, .domain = kValues}};
  if (cell == PlainCell::Lstm)
    one.arguments.push_back({.sizes = {s.batch, s.hidden}, .domain = kValues});
  add_params(draw, cell, s, s.input, one.arguments);
  one.call = [=](const variable_list& x) { return call_cell(cell, x, s); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const bool has_cell = cell == PlainCell::Lstm;
    PlainTensor<T> h = x[1], c = x[has_cell ? 2 : 1];
    for (int64_t n = 0; n < s.batch; ++n) {
      PlainState<T> state{row_of(x[1], n), {}};
      if (has_cell) state.c = row_of(x[2], n);
      state = plain_step(cell, row_of(x[0], n), state, {&x[has_cell ? 3 : 2], s.biased});
      put_row(h, n, state.h);
      if (has_cell) put_row(c, n, state.c);
    }
    return has_cell ? plain_joined({&h, &c}) : h;
  };
  return one;
}

OpCase draw_layers(Draw& draw, PlainCell cell) {
  // Of each size as little as shows what it does: checks take the time of all entries squared.
  const int64_t layers = draw.integer(1, 2);
  Sizes s{.steps = draw.integer(1, 2),
          .batch = draw.integer(0, 2),
          .input = draw.integer(1, 2),
          .hidden = layers == 1 ? draw.integer(1, 2) : 1,
          .cell = 0,
          .layers = layers,
          .directions = draw.integer(1, layers == 1 ? 2 : 4) == 2 ? 2 : 1,
          .biased = cell == PlainCell::RnnRelu || draw.boolean(),
          .batch_first = draw.boolean()};
  return layers_case(draw, cell, s);
}

std::vector<int64_t> draw_lengths(Draw& draw, int64_t most) {
  std::vector<int64_t> lengths = {draw.integer(1, most)};
  for (int64_t more = draw.integer(0, 2); more > 0; --more)
    lengths.push_back(draw.integer(1, lengths.back()));
  return lengths;
}

OpCase draw_packed(Draw& draw, PlainCell cell) {
  // Of relu one layer, one way: with more, sums near its kink are rounded to the other side.
  const bool more = cell != PlainCell::RnnRelu;
  const int64_t layers = more && draw.integer(1, 4) == 4 ? 2 : 1;
  Sizes s{.steps = 0,
          .batch = 0,
          .input = 1,
          .hidden = 1,
          .cell = 0,
          .layers = layers,
          .directions = more && draw.integer(1, layers == 1 ? 2 : 4) == 2 ? 2 : 1,
          .biased = cell == PlainCell::RnnRelu || draw.boolean(),
          .lengths = draw_lengths(draw, 2)};
  s.steps = s.lengths[0];
  s.batch = std::ssize(s.lengths);
  return layers_case(draw, cell, s);
}

OpSpec recurrent_spec(const char* name, OpCase (*draw)(Draw& draw, PlainCell cell),
                      PlainCell cell) {
  return {.name = name,
          .family = "recurrent",
          .draw = [=](Draw& random) { return draw(random, cell); },
          .traits = Trait::Accumulates};
}

}  // namespace notape
