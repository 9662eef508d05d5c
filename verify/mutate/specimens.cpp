#include "verify/mutate/specimens.h"

#include <cmath>

#include "ops/arithmetic.h"
#include "ops/index.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"
#include "ops/spec/without_tails.h"
#include "ops/transcendental.h"

namespace notape::verify::mutate {
namespace {

template <typename F>
OpSpec elementwise_specimen(const char* name, Tensor (*call)(const Tensor&), F plain,
                            Domain domain = {}) {
  return {.name = name, .family = "elementwise", .draw = [=](Draw& draw) {
            OpCase one;
            one.arguments = {{.sizes = draw.shape(0, 3), .domain = domain}};
            one.call = [=](const variable_list& x) { return call(x[0]); };
            one.reference = elementwise_reference(plain);
            return one;
          }};
}

constexpr const char* kCancels = "is a composition, whose terms cancel where it saturates";
const RegisterWithoutTails of_gelu({.row = "gelu_by_erf", .reason = kCancels});
const RegisterWithoutTails of_tiny_slope({.row = "tiny slope", .reason = kCancels});
const RegisterWithoutTails of_small_term({.row = "square with a small term", .reason = kCancels});
const RegisterWithoutTails of_epsilon({.row = "rsqrt with epsilon",
                                       .reason = "is a composition, which rounds x + epsilon"});

OpCase draw_distance_to_mean(Draw& draw) {
  OpCase one;
  one.arguments = {{.sizes = draw.shape(1, 3, 1)}};
  one.call = [](const variable_list& x) { return x[0] - mean(x[0]); };
  one.reference = []<typename T>(const PlainList<T>& x) {
    T sum = 0;
    for (T value : x[0].values) sum += value;
    const T middle = sum / T(x[0].numel());
    return plain_map([=](T value) { return value - middle; }, x[0]);
  };
  return one;
}

/// Three rows out of forty: uniform indices repeat in one case of fourteen.
OpCase draw_select_of_many(Draw& draw) {
  constexpr int64_t kRows = 40, kChosen = 3;
  const int64_t columns = draw.integer(1, 2);
  OpCase one;
  one.arguments = {{.sizes = {kRows, columns}}, Argument::index({kChosen}, kRows)};
  one.call = [](const variable_list& x) { return index_select(x[0], 0, x[1]); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result({kChosen, columns});
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      const auto width = static_cast<std::size_t>(columns);
      const auto row = static_cast<std::size_t>(static_cast<int64_t>(x[1].values[i / width]));
      result.values[i] = x[0].values[row * width + i % width];
    }
    return result;
  };
  return one;
}

OpCase draw_three_cycle(Draw& draw) {
  const int64_t n = draw.integer(2, 3);
  OpCase one;
  one.arguments = {{.sizes = {n, n, n}}};
  one.call = [](const variable_list& x) { return permute(x[0], {1, 2, 0}); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result({n, n, n});
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t k = 0; k < n; ++k)
          result.values[static_cast<std::size_t>((j * n + k) * n + i)] =
              x[0].values[static_cast<std::size_t>((i * n + j) * n + k)];
    return result;
  };
  return one;
}

}  // namespace

const SpecList& specimens() {
  static const OpSpec all[] = {
      {.name = "distance to the mean",
       .family = "reduce",
       .draw = draw_distance_to_mean,
       .traits = Trait::Reduces},
      elementwise_specimen(
          "gelu_by_erf", [](const Tensor& x) { return x * 0.5 * (erf(x * M_SQRT1_2) + 1); },
          []<typename T>(T x) { return x / 2 * (T(1) + math::erf(x / math::sqrt(T(2)))); },
          {.low = -2, .high = 3}),  // below, too little is left of the sum in float32
      {.name = "index_select of many",
       .family = "index",
       .draw = draw_select_of_many,
       .traits = Trait::Locates | Trait::Gathers},
      elementwise_specimen(
          "log1p of large numbers", [](const Tensor& x) { return log1p(x); },
          []<typename T>(T x) { return math::log1p(x); }, {.low = 1e3, .high = 1e6}),
      elementwise_specimen(
          "rsqrt with epsilon", [](const Tensor& x) { return rsqrt(x + 0x1p-17); },
          []<typename T>(T x) { return T(1) / math::sqrt(x + T(0x1p-17)); },
          {.low = 0.1, .high = 9}),
      elementwise_specimen(
          "square with a small term", [](const Tensor& x) { return square(x) + x * 1e-4; },
          []<typename T>(T x) { return x * x + x * T(1e-4); }),
      {.name = "three-cycle of a cube",
       .family = "shape",
       .draw = draw_three_cycle,
       .traits = Trait::Permutes},
      elementwise_specimen(
          "tiny slope", [](const Tensor& x) { return tanh(x) * 1e-5; },
          []<typename T>(T x) { return math::tanh(x) * T(1e-5); })};
  static const SpecList list = [] {
    SpecList result;
    for (const OpSpec& one : all) result.push_back(&one);
    return result;
  }();
  return list;
}

}  // namespace notape::verify::mutate
