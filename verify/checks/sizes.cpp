// sizes: one dimension as long as a vector register, a tile or a thread's share, or one more or
// less. Up to about a hundred entries the value and the gradient are judged as always. Beyond, an
// elementwise operator gets what it gets on pieces; of what computes otherwise the value is judged
// by the reference, the float64 gradient by forward mode, and float32 by float64.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "autograd/autograd.h"
#include "ops/parallel.h"
#include "verify/checks/comparer.h"
#include "verify/checks/duals.h"
#include "verify/checks/exact_slope.h"
#include "verify/checks/held_call.h"
#include "verify/checks/shared_questions.h"
#include "verify/generate/long_case.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

constexpr uint32_t kSizeStream = 1 << 25;
constexpr int64_t kShortSizes[] = {3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129};
constexpr int64_t kLongSizes[] = {
    kParallelGrain - 1, kParallelGrain, kParallelGrain + 1, 65535, 65536, 65537};

template <std::size_t N>
int64_t one_of(const int64_t (&sizes)[N], uint32_t key) {
  return sizes[keyed_bits(key, kSizeStream, 0) % N];
}

/// At most `most` times as many entries as the long dimension has.
template <std::size_t N>
std::optional<DrawnCase> case_with(const Subject& subject, const int64_t (&sizes)[N],
                                   int64_t most) {
  const uint32_t key = subject.drawn.key;
  const int64_t size = one_of(sizes, key);
  return long_case(subject.spec, {.key = key, .size = size, .most_entries = most * size},
                   subject.dtype);
}
std::optional<DrawnCase> short_case(const Subject& subject) {
  return case_with(subject, kShortSizes, 4);
}

std::string sizes_text(const DrawnCase& drawn) {
  std::string text = drawn.op.label.empty() ? "on" : drawn.op.label + ", on";
  for (const DrawnArgument& one : drawn.arguments) text += " " + to_string(one.argument.sizes);
  return text;
}

/// Adds what was found on a longer case; false if that is red.
bool absorb(Outcome& total, Outcome found, const DrawnCase& drawn) {
  if (is_red(found.verdict)) found.message += " (" + sizes_text(drawn) + ")";
  found.weakest = -1;
  return absorb(total, std::move(found));
}

bool check_short(const Subject& subject, Outcome& total) {
  const auto drawn = short_case(subject);
  if (!drawn) return true;
  const Subject longer(subject.spec, *drawn, subject.dtype, subject.device);
  if (!absorb(total, check_value(longer), *drawn)) return false;
  return !longer.is_differentiable() || has_surrogate(longer) ||
         absorb(total, check_reverse(longer), *drawn);
}

double largest_finite(const Numbers& numbers) {
  double largest = 0;
  for (double one : numbers)
    if (std::isfinite(one)) largest = std::max(largest, std::abs(one));
  return largest;
}

double distance(const Numbers& a, const Numbers& b) {
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (const double apart = std::abs(a[i] - b[i]); std::isfinite(apart))
      most = std::max(most, apart);
  return most;
}

/// How far the result and the gradients move, in any entry, when the arguments move by a unit in
/// the last place of the dtype under test.
std::vector<double> jitter_of(const Subject& subject, const Run& base) {
  std::vector<double> most(1 + base.gradients.size(), 0);
  for (int round = 0; round < kInputJittersOfLong; ++round) {
    const WideList x = jittered(subject.drawn, epsilon_of(subject.dtype), round);
    std::vector<Numbers> values;
    variable_list inputs;
    for (std::size_t a = 0; a < x.size(); ++a) {
      const DrawnArgument& one = subject.drawn.arguments[a];
      Numbers& moved = values.emplace_back();
      for (const Wide& value : x[a].values) moved.push_back(static_cast<double>(value));
      inputs.push_back(make_tensor(moved, one.argument.sizes, one.dtype(kFloat64), subject.device));
      if (one.is_real()) inputs.back().requires_grad_(true);
    }
    const Tensor incoming = make_tensor(subject.incoming(), base.sizes, kFloat64, subject.device);
    const Run moved = subject.run(inputs, incoming);
    most[0] = std::max(most[0], distance(base.output, moved.output));
    for (std::size_t a = 0; a < base.gradients.size(); ++a)
      most[1 + a] = std::max(most[1 + a], distance(base.gradients[a], moved.gradients[a]));
  }
  return most;
}

/// `growth`: of rounding errors with the length of a sum.
void compare_all(Comparer& comparer, const Subject& subject, const std::string& where,
                 const std::vector<int64_t>& sizes, const Numbers& expected, const Numbers& got,
                 double noise = 0, double growth = 1) {
  if (expected.size() != got.size())
    return comparer.fail(Verdict::Fail, "shape", where + " has another size");
  const double scale = largest_finite(expected);
  const double radius = (kNoiseFactor + growth) * noise +
                        std::max(rounding_factor(subject.dtype), kSumFactor * growth) *
                            epsilon_of(subject.dtype) * scale +
                        smallest_of(subject.dtype);
  const double apart = noise / epsilon_of(subject.dtype);
  for (std::size_t i = 0; i < got.size(); ++i)
    if (expected[i] != got[i])
      comparer.within(where, sizes, i, Wide(expected[i]), got[i], Wide(radius),
                      Wide(std::max(scale, apart)));
  comparer.same(where, {}, {0}, {0});  // counts, also where every entry is right to the bit
}

/// <v, J u> = <J^T v, u> along +-1, which no lost entry hides from.
void compare_modes(const Subject& longer, Comparer& comparer, double noise) {
  const Direction u = make_direction(longer.drawn, Scaling::Typical, 3);
  const Sample forward = forward_slope(longer, u);
  const Sample reverse = weighted_sum(u, longer.base().gradients);
  const auto depth = static_cast<double>(
      std::max<int64_t>(longer.real_entries(), int64_t(longer.incoming().size())));
  const Wide scale = forward.magnitude + reverse.magnitude;
  const Wide radius = Wide(8 * epsilon_of(longer.dtype) * std::sqrt(depth)) * scale;
  comparer.within("forward mode against reverse", {}, 0, reverse.value,
                  static_cast<double>(forward.value), radius, scale);
  // Both may be wrong.
  const auto exact = exact_slope(longer, u, longer.wide(), longer.incoming());
  if (!exact || !exact->is_sure()) return;
  const Sample& slope = exact->value;
  Wide cancelled = 0;
  for (double v : longer.incoming()) cancelled += Wide(kCancelledSlope * std::abs(v));
  comparer.within("reverse against the reference's slope", {}, 0, slope.value,
                  static_cast<double>(reverse.value),
                  radius + Wide(kNoiseFactor * noise) + cancelled, slope.magnitude);
}

void check_long_sums(const Subject& longer, Comparer& comparer) {
  const DrawnCase& drawn = longer.drawn;
  variable_list doubles;
  for (const DrawnArgument& one : drawn.arguments) {
    doubles.push_back(
        make_tensor(one.values, one.argument.sizes, one.dtype(kFloat64), longer.device));
    if (one.is_real()) doubles.back().requires_grad_(true);
  }
  const Run& base = longer.base();
  const Run fine = longer.dtype == kFloat64
                       ? base
                       : longer.run(doubles, make_tensor(longer.incoming(), base.sizes, kFloat64,
                                                         longer.device));
  const std::vector<double> noise = jitter_of(longer, fine);
  const double growth = std::sqrt(static_cast<double>(kParallelGrain));
  double largest = 1;  // the reference cannot resolve less than its own rounding of that
  for (std::size_t a : longer.real_arguments())
    largest = std::max(largest, largest_finite(drawn.arguments[a].values));
  const WideTensor reference = longer.reference(longer.wide());
  Numbers expected;
  for (const Wide& value : reference.values) expected.push_back(static_cast<double>(value));
  compare_all(comparer, longer, "output", base.sizes, expected, base.output,
              noise[0] + kWideEpsilon * largest, growth);
  if (!longer.is_differentiable() || has_surrogate(longer)) return;
  for (std::size_t a : longer.real_arguments())
    if (longer.dtype != kFloat64 && base.defined[a] && fine.defined[a])
      compare_all(comparer, longer, format_message("gradient of argument {} at ", {a}),
                  drawn.arguments[a].argument.sizes, fine.gradients[a], base.gradients[a],
                  noise[1 + a], growth);
  if (longer.dtype == kFloat64 && longer.spec.forward_mode) {
    double most = 0;
    for (std::size_t a : longer.real_arguments())
      most += noise[1 + a] * static_cast<double>(drawn.arguments[a].values.size());
    compare_modes(longer, comparer, most);
  }
}

/// Which dimension of `tensor`, counted from the last one, has `size`; -1 if it has none.
int64_t dim_of_size(const Tensor& tensor, int64_t size) {
  for (int64_t d = 0; d < tensor.dim(); ++d)
    if (tensor.size(d) == size) return tensor.dim() - 1 - d;
  return -1;
}

Tensor piece_of(const Tensor& whole, int64_t size, int64_t from_last, int64_t begin, int64_t end) {
  const int64_t d = whole.dim() - 1 - from_last;
  if (d < 0 || whole.size(d) != size) return whole.detach().clone();  // broadcast: in every piece
  return whole.detach().narrow(d, begin, end - begin).clone();
}

/// An entry's result and gradient do not depend on where its block begins: those of the whole are
/// those of the pieces. Arguments that the pieces share get sums, which are left to other checks.
void check_pieces(const Subject& longer, Comparer& comparer) {
  const EnableGradGuard recording;
  const int64_t size = one_of(kLongSizes, longer.drawn.key);
  const variable_list inputs = longer.inputs();
  const Tensor incoming = longer.incoming_tensor(), output = longer.drawn.op.call(inputs);
  const int64_t from_last = dim_of_size(output, size);
  if (from_last < 0) return;
  variable_list gradients(inputs.size());
  const bool differentiable = longer.is_differentiable() && output.requires_grad();
  if (differentiable) {
    const auto all =
        autograd::grad({output}, longer.active_of(inputs), {incoming}, false, false, true);
    for (std::size_t i = 0; i < all.size(); ++i) gradients[longer.real_arguments()[i]] = all[i];
  }
  const int64_t cuts[] = {0, 1, size / 2 + 3, size};
  for (int piece = 0; piece < 3; ++piece) {
    const auto cut = [&](const Tensor& whole) {
      return piece_of(whole, size, from_last, cuts[piece], cuts[piece + 1]);
    };
    variable_list parts;
    for (const Tensor& input : inputs)
      parts.push_back(cut(input).requires_grad_(input.requires_grad()));
    const Run run = longer.run(parts, cut(incoming));
    const std::string where = format_message("piece {}: ", {piece});
    compare_all(comparer, longer, where + "output", run.sizes, run.output, numbers_of(cut(output)),
                0);
    for (std::size_t a : longer.real_arguments())
      if (differentiable && gradients[a].defined() && run.defined[a] &&
          dim_of_size(inputs[a], size) == from_last)
        compare_all(comparer, longer, where + format_message("gradient of argument {} at ", {a}),
                    parts[a].sizes().vec(), run.gradients[a], numbers_of(cut(gradients[a])));
  }
}

/// What only moves entries does that as well a hundred times as thirty thousand times, and products
/// of so many numbers leave the range of numbers.
bool is_worth_a_long_case(const OpSpec& spec) {
  const std::string_view family = spec.family;
  return !has_trait(spec.traits, Trait::Compounds) &&
         (family == "elementwise" || family == "reduce" || family == "linalg" || family == "loss");
}

}  // namespace

bool can_be_longer(const Subject& subject) { return short_case(subject).has_value(); }

Outcome check_sizes(const Subject& subject) {
  Outcome total;
  if (!check_short(subject, total)) return total;
  if (!is_worth_a_long_case(subject.spec) ||
      keyed_bits(subject.drawn.key, kSizeStream, 1) % kLongShare != 0)
    return total;
  if (const auto drawn = case_with(subject, kLongSizes, 2)) {
    const Subject longer(subject.spec, *drawn, subject.dtype, subject.device);
    Comparer comparer(subject);
    if (subject.is_elementwise())
      check_pieces(longer, comparer);
    else
      check_long_sums(longer, comparer);
    absorb(total,
           comparer.finish("value", "the result or a gradient is wrong for this many entries"),
           *drawn);
  }
  return total;
}

}  // namespace notape::verify
