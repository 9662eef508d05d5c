// surrogate: a gradient that is declared not to be the derivative is what is declared, entry by
// entry, to its own roundings. Entries lie where the case has them and, one at a time, on and
// beside the kinks that are declared, where masks of clipped ranges begin.
#include <cmath>

#include "autograd/modes/grad_mode.h"
#include "verify/checks/comparer.h"
#include "verify/checks/shared_questions.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"
#include "verify/plugin/declared_call.h"
#include "verify/plugin/foreign_case.h"

namespace notape::verify {
namespace {

const Surrogate* surrogate_of(const DrawnCase& drawn) {
  const auto* call = drawn.op.call.target<DeclaredCall>();
  return call && call->surrogate ? &call->surrogate : nullptr;
}

/// What the gradients of the real arguments have to be, one after another.
std::vector<long double> declared_surrogate_at(const Subject& subject, const WideList& x) {
  const NoGradGuard no_grad;
  if (const Surrogate* surrogate = surrogate_of(subject.drawn)) {
    variable_list inputs;
    for (std::size_t a = 0; a < x.size(); ++a) {
      const DrawnArgument& one = subject.drawn.arguments[a];
      inputs.push_back(make_tensor({x[a].values.begin(), x[a].values.end()}, one.argument.sizes,
                                   one.is_real() ? kFloat64 : one.dtype(kFloat64)));
    }
    const Tensor incoming = subject.incoming_tensor().cpu().to(kFloat64);
    const variable_list declared = (*surrogate)(inputs, incoming);
    std::vector<long double> all;
    for (std::size_t a : subject.real_arguments()) {
      const std::size_t count = subject.drawn.arguments[a].values.size();
      const Numbers one = a < declared.size() && declared[a].defined() ? numbers_of(declared[a])
                                                                       : Numbers(count, 0);
      if (one.size() != count)
        throw ValueError("the surrogate gives argument {} a gradient of {} entries; it has {}", a,
                         one.size(), count);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
  return foreign_surrogate(*foreign_case_of(subject.drawn), x, subject.incoming());
}

Numbers flat_gradients(const Subject& subject, const Run& run) {
  Numbers all;
  for (std::size_t a : subject.real_arguments()) {
    Numbers one = run.gradients[a];
    one.resize(subject.drawn.arguments[a].values.size(), 0);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

class SurrogateQuestion {
 public:
  explicit SurrogateQuestion(const Subject& subject) : subject_(subject), comparer_(subject) {}

  /// The gradients of `subject`, which is the case or the case with an entry moved.
  void compare(const Subject& subject, const std::string& how) {
    const EnableGradGuard recording;
    const std::vector<long double> declared = declared_surrogate_at(subject, subject.wide());
    const Run& run = subject.base();
    const Numbers got = flat_gradients(subject, run);
    const auto again = [&] {
      return flat_gradients(subject, subject.run(subject.inputs(), subject.incoming_tensor()));
    };
    Numbers spread = spread_over_modes(again, got);
    spread.resize(got.size(), 0);
    std::size_t at = 0;
    for (std::size_t a : subject.real_arguments()) {
      const DrawnArgument& one = subject.drawn.arguments[a];
      double largest = 0;
      for (std::size_t i = 0; i < one.values.size(); ++i)
        if (const auto size = static_cast<double>(std::abs(declared[at + i])); std::isfinite(size))
          largest = std::max(largest, size);
      for (std::size_t i = 0; i < one.values.size(); ++i, ++at) {
        const double wild = std::isfinite(spread[at]) ? spread[at] : 0;
        const double radius =
            rounding_factor(subject.dtype) * epsilon_of(subject.dtype) * largest +
            kNoiseFactor * std::min(wild, kWild * epsilon_of(subject.dtype) * largest) +
            smallest_of(subject.dtype);
        comparer_.within(format_message("gradient of argument {}{} at ", {a, how}),
                         one.argument.sizes, i, Wide(declared[at]), got[at], Wide(radius),
                         Wide(largest));
      }
    }
  }

  /// Entries of every argument on its kinks, and one rounding to either side.
  void compare_at_kinks() {
    for (std::size_t a : subject_.real_arguments()) {
      const DrawnArgument& one = subject_.drawn.arguments[a];
      if (one.values.empty()) continue;
      for (const double kink : one.argument.domain.kinks)
        for (const int side : {-1, 0, 1}) {
          if (comparer_.failed()) return;
          DrawnCase moved = subject_.drawn;
          const double step =
              side * 2 * epsilon_of(subject_.dtype) * std::max(std::abs(kink), 0x1p-10);
          moved.arguments[a].values[0] = round_to(kink + step, subject_.dtype);
          compare(Subject(subject_.spec, moved, subject_.dtype, subject_.device),
                  format_message(" (entry 0 at {})", {moved.arguments[a].values[0]}));
        }
    }
  }

  Outcome finish() {
    return comparer_.finish("value", "the gradient is not the surrogate that is declared");
  }
  bool failed() const { return comparer_.failed(); }

 private:
  const Subject& subject_;
  Comparer comparer_;
};

}  // namespace

bool has_surrogate(const Subject& subject) {
  if (surrogate_of(subject.drawn)) return true;
  const ForeignCase* one = foreign_case_of(subject.drawn);
  return one && one->declaration->foreign.surrogate;
}

Outcome check_surrogate(const Subject& subject) {
  SurrogateQuestion question(subject);
  question.compare(subject, "");
  if (!question.failed()) question.compare_at_kinks();
  return question.finish();
}

}  // namespace notape::verify
