#include "verify/checks/held_call.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

bool takes(const Subject& subject, const std::vector<Numbers>& values) {
  try {
    const NoGradGuard no_grad;
    subject.drawn.op.call(subject.inputs(0, Placement::Contiguous, &values));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::vector<Numbers> in_another_order(const Subject& subject) {
  std::vector<Numbers> values = values_of(subject.drawn);
  for (std::size_t a : subject.real_arguments()) std::reverse(values[a].begin(), values[a].end());
  return values;
}

void same_entries(const Subject& subject, Comparer& comparer, const std::string& where,
                  const std::vector<int64_t>& sizes, const Numbers& expected, const Numbers& got,
                  const std::function<Numbers()>& noise) {
  if (got.size() != expected.size())
    return comparer.fail(Verdict::Fail, "shape", where + " has another size");
  const auto equal = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  comparer.same(where, {}, {0}, {0});  // counts, also where every entry is right to the bit
  if (std::equal(expected.begin(), expected.end(), got.begin(), equal)) return;
  const EntryRadius allowed(subject, expected, noise());
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!equal(expected[i], got[i]))
      comparer.within(where, sizes, i, Wide(expected[i]), got[i], Wide(allowed.radius),
                      Wide(allowed.scale));
}

}  // namespace

std::vector<Numbers> other_values(const Subject& subject) {
  std::vector<Numbers> values = values_of(subject.drawn);
  for (std::size_t a : subject.real_arguments()) {
    const Domain& domain = subject.drawn.arguments[a].argument.domain;
    for (std::size_t i = 0; i < values[a].size(); ++i)
      values[a][i] =
          domain.low + (domain.high - domain.low) * (0.3 + 0.4 * static_cast<double>(i % 7) / 7);
  }
  return values;
}

std::optional<std::vector<Numbers>> second_point(const Subject& subject) {
  const std::vector<Numbers> own = values_of(subject.drawn);
  for (auto values : {other_values(subject), in_another_order(subject)})
    if (values != own && takes(subject, values)) return values;
  return {};
}

HeldCall::HeldCall(const Subject& subject, variable_list inputs, Tensor incoming)
    : subject_(subject),
      inputs_(std::move(inputs)),
      incoming_(std::move(incoming)),
      output_(subject.drawn.op.call(inputs_)) {}

Run HeldCall::finish() {
  const variable_list active = subject_.active_of(inputs_);
  if (!active.empty() && output_.requires_grad())
    gradients_ = autograd::grad({output_}, active, {incoming_}, false, false, true);
  return subject_.run_of(output_, gradients_);
}

bool absorb(Outcome& total, Outcome found) {
  const int64_t before = total.comparisons;
  if (is_red(found.verdict)) {
    total = std::move(found);
    total.comparisons += before;
    return false;
  }
  total.comparisons += found.comparisons;
  total.unresolved += found.unresolved;
  total.detectable = std::max(total.detectable, found.detectable);
  return true;
}

bool absorb_same(const Subject& subject, const Run& expected, const Run& got, const char* reason,
                 const std::string& message, Outcome& total) {
  Comparer comparer(subject);
  comparer.same("output", expected.sizes, expected.output, got.output);
  if (!comparer.failed()) comparer.same_gradients(subject, expected, got);
  Outcome found = comparer.finish(reason, message);
  if (comparer.failed()) {
    found.reason = reason;
    if (!message.empty()) found.message = message;
  }
  return absorb(total, std::move(found));
}

void same_up_to_rounding(const Subject& subject, Comparer& comparer, const Run& expected,
                         const Run& got) {
  same_entries(subject, comparer, "output", expected.sizes, expected.output, got.output,
               [&] { return subject.output_noise(); });
  for (std::size_t a : subject.real_arguments()) {
    if (got.defined[a] != expected.defined[a])
      return comparer.fail(
          Verdict::Fail, "defined",
          format_message("the gradient of argument {} is {}",
                         {a, expected.defined[a] ? "missing" : "there, and was not before"}));
    if (expected.defined[a])
      same_entries(subject, comparer, format_message("gradient of argument {} at ", {a}),
                   subject.drawn.arguments[a].argument.sizes, expected.gradients[a],
                   got.gradients[a], [&] { return subject.gradient_noise(a); });
  }
}

}  // namespace notape::verify
