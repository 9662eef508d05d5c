// masked: what the result does not depend on, the gradients of the rest do not depend on either.
// Where a NaN in an entry leaves every bit of the result as it is, it is in a row that was masked
// out, and must not come back in the gradient of another argument or entry (as 0 times NaN does).
// For functions of users only: a composition of the library's operators multiplies as written.
// What is left out because an entry is 0 is not masked for that entry: of the sum of w v over those
// w that are not 0 the slope by w is v, NaN or not. So an entry whose gradient the NaN reaches is
// moved, and is wrong only if the result does not see the NaN there either.
#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/autograd.h"
#include "verify/checks/held_call.h"
#include "verify/checks/kept_tensors.h"
#include "verify/checks/shared_questions.h"
#include "verify/numeric/thresholds.h"
#include "verify/processes/child.h"

namespace notape::verify {
namespace {

class Masks {
 public:
  explicit Masks(const Subject& subject)
      : subject_(subject), comparer_(subject), values_(values_of(subject.drawn)) {}

  /// False once something is wrong.
  bool look_at(std::size_t argument, std::size_t entry) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const Domain& domain = subject_.drawn.arguments[argument].argument.domain;
    comparer_.same("masked", {}, {0}, {0});
    for (double there : {kNan, domain.low, domain.high})
      if (!is_ignored(argument, entry, there)) return true;
    double& value = values_[argument][entry];
    const double here = std::exchange(value, kNan);
    const Run run = subject_.run(subject_.inputs(kAllArguments, Placement::Contiguous, &values_),
                                 subject_.incoming_tensor());
    value = here;
    const Run& base = subject_.base();
    for (std::size_t a : subject_.real_arguments()) {
      if (!base.defined[a] || !run.defined[a]) continue;
      for (std::size_t i = 0; i < std::min(base.gradients[a].size(), run.gradients[a].size()); ++i)
        if ((a != argument || i != entry) && std::isfinite(base.gradients[a][i]) &&
            !std::isfinite(run.gradients[a][i]) && stays_ignored(argument, entry, a, i)) {
          comparer_.fail(
              Verdict::Fail, "masked",
              format_message(
                  "a NaN in argument {} at {}, on which no result depends, reaches the "
                  "gradient of argument {}",
                  {argument, coordinates(subject_.drawn.arguments[argument].argument.sizes, entry),
                   a}));
          comparer_.within(format_message("gradient of argument {} at ", {a}),
                           subject_.drawn.arguments[a].argument.sizes, i,
                           Wide(base.gradients[a][i]), run.gradients[a][i], Wide(0), Wide(1));
          return false;
        }
    }
    return true;
  }
  Outcome finish() {
    Outcome outcome = comparer_.finish("masked", "a NaN that is masked out reaches a gradient");
    if (is_red(outcome.verdict)) outcome.verdict = Verdict::Fail;  // the NaN is ours
    return outcome;
  }

 private:
  /// The result with this value there; none if the operator refuses that.
  std::optional<Numbers> result_with(std::size_t argument, std::size_t entry, double there) {
    const NoGradGuard no_grad;
    double& value = values_[argument][entry];
    const double here = std::exchange(value, there);
    std::optional<Numbers> result;
    try {
      result =
          numbers_of(subject_.drawn.op.call(subject_.inputs(0, Placement::Contiguous, &values_)));
    } catch (const std::exception&) {
    }
    value = here;
    return result;
  }
  /// Whether every bit of the result stays.
  bool is_ignored(std::size_t argument, std::size_t entry, double there) {
    // No NaN is equal to itself.
    return result_with(argument, entry, there) == subject_.base().output;
  }
  /// Whether the NaN is ignored also where another entry has moved a little, to either side.
  bool stays_ignored(std::size_t argument, std::size_t entry, std::size_t mover,
                     std::size_t moving) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    double& value = values_[mover][moving];
    const double here = value;
    const double unit = here == 0 ? 1 : std::abs(here);
    bool ignored = true;
    for (double step : {0x1p-20, -0x1p-20, 0x1p-6, -0x1p-6}) {
      value = here + step * unit;
      const auto without = result_with(mover, moving, value);
      ignored = ignored && without && result_with(argument, entry, kNan) == without;
    }
    value = here;
    return ignored;
  }

  const Subject& subject_;
  Comparer comparer_;
  std::vector<Numbers> values_;
};

}  // namespace

bool has_function_of_users(const Subject& subject) {
  const EnableGradGuard recording;
  const auto history = history_of(subject.drawn.op.call(subject.inputs()));
  return std::any_of(history.begin(), history.end(),
                     [](const NodeRef& node) { return node->accepts_undefined(); });
}

namespace {

Outcome look_at_masks(const Subject& subject) {
  constexpr uint32_t kStream = 1 << 28;
  const EnableGradGuard recording;
  Masks masks(subject);
  for (std::size_t a : subject.real_arguments()) {
    const std::size_t count = subject.drawn.arguments[a].values.size();
    for (std::size_t k = 0; k < std::min(count, kMaskedEntries); ++k) {
      std::size_t entry = k;
      if (count > kMaskedEntries && k > 0)
        entry = k == 1 ? count - 1 : keyed_bits(subject.drawn.key, kStream, k) % count;
      if (!masks.look_at(a, entry)) return masks.finish();
    }
  }
  return masks.finish();
}

/// Whether a function of a user's gets over NaN: it may make an index of a number.
bool survives(const Subject& subject) {
  subject.base();
  const ChildEnd end = run_in_child([&](ToParent&) { look_at_masks(subject); }, {.seconds = 20});
  return end.kind == ChildEnd::Kind::Finished;
}

}  // namespace

Outcome check_masked(const Subject& subject) {
  if (subject.device.is_cpu() && !survives(subject)) return {.comparisons = 1};
  return look_at_masks(subject);
}

}  // namespace notape::verify
