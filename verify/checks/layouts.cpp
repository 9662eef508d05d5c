// layouts: inputs and incoming gradient as drawn (strided, permuted, sliced, expanded), and inputs
// of users' operators in every layout, against the same values laid out row-major;
// where the operator goes so far also the second order. Sums may run in another order, so entries
// may differ by noise. Memory between the elements is poison and must stay what it was.
#include <algorithm>
#include <cmath>

#include "verify/checks/check.h"
#include "verify/checks/laid_out.h"
#include "verify/checks/second_gradients.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

struct LaidOutEntries {
  std::string where;
  const std::vector<int64_t>& sizes;
  const Numbers &expected, &got;
  Numbers noise;
};

void compare(const Subject& subject, Comparer& comparer, LaidOutEntries entries) {
  if (entries.got.size() != entries.expected.size())
    return comparer.fail(Verdict::Fail, "shape", entries.where + " has another size");
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < entries.expected.size(); ++i) {
    most = std::max(most, entries.noise[i]);
    largest = std::max(largest, std::abs(entries.expected[i]));
  }
  for (std::size_t i = 0; i < entries.expected.size(); ++i) {
    const double noise = subject.is_elementwise() ? entries.noise[i] : most;
    const double scale = subject.is_elementwise() ? std::abs(entries.expected[i]) : largest;
    const double radius = kNoiseFactor * noise +
                          roundings_of(subject) * epsilon_of(subject.dtype) * scale +
                          smallest_of(subject.dtype);
    // The same bits: nothing depends on the layout, however noisy they are.
    const bool same = entries.expected[i] == entries.got[i];
    comparer.within(entries.where, entries.sizes, i, Wide(entries.expected[i]), entries.got[i],
                    Wide(same ? 0 : radius), Wide(scale));
  }
}

/// A call with its arguments laid out in some way.
struct LaidOutCall {
  std::vector<Layout> layouts;
  std::vector<Numbers> values;
  Tensor incoming;              ///< undefined if there is no derivative
  bool has_own_values = false;  ///< else those of the case
};

LaidOutCall as_drawn(const Subject& subject) {
  LaidOutCall call;
  call.values = values_of(subject.drawn);
  for (const DrawnArgument& one : subject.drawn.arguments) call.layouts.push_back(one.layout);
  if (subject.is_differentiable()) call.incoming = subject.incoming_tensor(Placement::AsDrawn);
  return call;
}

/// All arguments that can be laid out so; along an expanded dimension their values become equal.
LaidOutCall all_in(const Subject& subject, const Layout& layout) {
  LaidOutCall call;
  call.values = values_of(subject.drawn);
  for (std::size_t a = 0; a < call.values.size(); ++a) {
    const DrawnArgument& one = subject.drawn.arguments[a];
    const int64_t dim = expanded_dim(layout, one.argument.sizes);
    const bool repeats = layout.kind == Layout::Kind::Expanded;
    const bool can = !repeats || (dim >= 0 && one.is_real() && !one.argument.distinct);
    call.layouts.push_back(can ? layout : Layout{});
    if (!repeats || !can) continue;
    repeat_along(call.values[a], one.argument.sizes, dim);
    call.has_own_values = true;
  }
  if (subject.is_differentiable()) call.incoming = subject.incoming_tensor();
  return call;
}

/// The derivative of the gradients, which may read the inputs where these did not.
void check_second(const Subject& subject, const LaidOutCall& call, Comparer& comparer) {
  const EnableGradGuard recording;
  const Numbers& v = subject.incoming();
  SecondGradients usual;
  try {
    usual = second_gradients(subject, call.values, v);
  } catch (const std::exception&) {
    return;  // `second-order` says what it is
  }
  if (usual.exists)
    same_second_gradients(subject, v, nullptr, usual,
                          second_gradients(subject, call.values, v, {.inputs = &call.layouts}),
                          comparer);
}

/// What calls in other layouts are compared with, and how far it scatters.
struct RowMajorCall {
  Run run;
  Numbers output_noise;
  std::vector<Numbers> gradient_noise;
};

/// Whether two units in the last place of what goes in change half of the digits that come out.
bool is_singular(const Numbers& numbers, const Numbers& noise, ScalarType dtype) {
  double largest = 0, most = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i]) || !std::isfinite(noise[i])) return true;
    largest = std::max(largest, std::abs(numbers[i]));
    most = std::max(most, noise[i]);
  }
  return most > std::sqrt(epsilon_of(dtype)) * largest;
}

/// None at a singular place, which only expanded values lead to: equal rows of a matrix, ties.
std::optional<RowMajorCall> row_major(const Subject& subject, const LaidOutCall& call) {
  const std::size_t count = call.values.size();
  RowMajorCall usual{.run = subject.base(), .output_noise = {}, .gradient_noise = {}};
  if (!call.has_own_values) {
    usual.output_noise = subject.output_noise();
    for (std::size_t a = 0; a < count; ++a)
      usual.gradient_noise.push_back(usual.run.defined[a] ? subject.gradient_noise(a) : Numbers());
    return usual;
  }
  const auto run = [&](double units) {
    std::vector<Numbers> values = call.values;
    for (std::size_t a : subject.real_arguments())
      for (std::size_t i = 0; i < values[a].size(); ++i)
        values[a][i] *= 1 + (i % 2 ? units : -units) * epsilon_of(subject.dtype);
    return subject.run(subject.inputs(kAllArguments, Placement::Contiguous, &values),
                       call.incoming);
  };
  const auto apart = [](Numbers a, const Numbers& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = i < b.size() ? std::abs(a[i] - b[i]) : HUGE_VAL;
    return a;
  };
  Run moved;
  try {
    usual.run = run(0);
    moved = run(2);
  } catch (const std::exception&) {
    return {};  // as of a matrix that has no inverse
  }
  usual.output_noise = apart(usual.run.output, moved.output);
  bool singular = is_singular(usual.run.output, usual.output_noise, subject.dtype);
  for (std::size_t a = 0; a < count; ++a) {
    usual.gradient_noise.push_back(apart(usual.run.gradients[a], moved.gradients[a]));
    singular =
        singular || is_singular(usual.run.gradients[a], usual.gradient_noise[a], subject.dtype);
  }
  if (singular) return {};
  return usual;
}

void check(const Subject& subject, const LaidOutCall& call, Comparer& comparer) {
  const std::optional<RowMajorCall> found = row_major(subject, call);
  if (!found) return;
  const RowMajorCall& usual = *found;
  const Run& base = usual.run;
  const variable_list inputs = subject.inputs(call.layouts, call.values);
  const Run strided = subject.run(inputs, call.incoming);
  compare(subject, comparer,
          {"output", base.sizes, base.output, strided.output, usual.output_noise});
  for (std::size_t a : subject.real_arguments()) {
    if (strided.defined[a] != base.defined[a])
      comparer.fail(Verdict::Fail, "defined",
                    format_message("whether argument {} has a gradient depends on layout", {a}));
    else if (base.defined[a])
      compare(subject, comparer,
              {format_message("gradient of argument {} at ", {a}),
               subject.drawn.arguments[a].argument.sizes, base.gradients[a], strided.gradients[a],
               usual.gradient_noise[a]});
  }
  for (std::size_t a = 0; a < inputs.size(); ++a)
    comparer.same(format_message("argument {} after the call, at ", {a}),
                  subject.drawn.arguments[a].argument.sizes, call.values[a], numbers_of(inputs[a]));
  if (!comparer.failed() && subject.is_differentiable() && subject.spec.order > 1)
    check_second(subject, call, comparer);
}

/// What all arguments are tried in beside what was drawn: everything of users' operators, of which
/// there are few cases. Of built-in ones, which have many, channels-last: that it goes wrong with
/// one value of a parameter alone, as with padding, is a usual mistake.
std::vector<Layout> further_layouts(const Subject& subject) {
  std::size_t rank = 0;
  for (const DrawnArgument& one : subject.drawn.arguments)
    rank = std::max(rank, one.argument.sizes.size());
  if (!is_built_in(subject.spec)) return every_layout(rank);
  if (rank < 4) return {};
  return {{.kind = Layout::Kind::Permuted, .pick = 10}};
}

}  // namespace

Outcome check_layouts(const Subject& subject) {
  Comparer comparer(subject);
  std::string message = "the result or a gradient depends on the memory layout";
  check(subject, as_drawn(subject), comparer);
  if (comparer.failed()) return comparer.finish("value", message);
  for (const Layout& layout : further_layouts(subject)) {
    check(subject, all_in(subject, layout), comparer);
    if (!comparer.failed()) continue;
    message += format_message(" of the arguments ({})", {name_of(layout.kind)});
    break;
  }
  return comparer.finish("value", message);
}

}  // namespace notape::verify
