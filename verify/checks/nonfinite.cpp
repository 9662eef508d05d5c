// nonfinite: one entry is NaN, infinite, or outside the domain. Recording, no-grad and forward mode
// give the same numbers or raise the same class of error; a NaN reaches every result that depends
// on the entry, and every one that is NaN by the reference; and of an elementwise operator
// - reverse and forward mode agree about what is finite,
// - where the value is NaN so is the derivative,
// - where the reference is finite and smooth so is the derivative.
#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/autograd.h"
#include "verify/checks/comparer.h"
#include "verify/checks/duals.h"

namespace notape::verify {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a way of calling gave: numbers, or the class of an error.
struct Answer {
  Numbers output;
  std::string error;
};

template <typename Call>
Answer answer_of(const Call& call) {
  try {
    return {call(), {}};
  } catch (const Error& error) {
    return {{}, error.kind()};
  }
}

enum class Sort : uint8_t { Finite, Infinite, Nan };
Sort sort_of(double x) {
  return std::isnan(x) ? Sort::Nan : std::isinf(x) ? Sort::Infinite : Sort::Finite;
}
const char* text_of(Sort sort) {
  constexpr const char* names[] = {"finite", "infinite", "NaN"};
  return names[static_cast<int>(sort)];
}

/// One entry of one argument replaced.
class Spoiled {
 public:
  Spoiled(const Subject& subject, std::size_t argument, std::size_t entry, double number,
          Comparer& comparer)
      : subject_(subject),
        argument_(argument),
        entry_(entry),
        number_(subject.dtype != kFloat64 ? static_cast<double>(static_cast<float>(number))
                                          : number),
        comparer_(comparer),
        drawn_(subject.drawn) {
    drawn_.arguments[argument].values[entry] = number_;
    values_ = values_of(drawn_);
    name_ = format_message("argument {} at ", {argument}) +
            coordinates(drawn_.arguments[argument].argument.sizes, entry) + " = " +
            number_text(number_, subject.dtype);
  }

  void check() {
    Run run;
    const Answer recorded = answer_of([&] {
      const EnableGradGuard recording;
      run = subject_.run(inputs(alone()), subject_.incoming_tensor());
      return run.output;
    });
    const Answer plain = answer_of([&] {
      const NoGradGuard no_grad;
      return numbers_of(subject_.drawn.op.call(inputs(0)));
    });
    compare("no-grad", recorded, plain);
    if (!subject_.is_differentiable()) return;
    Numbers tangent;
    if (subject_.spec.forward_mode) {
      const Answer dual = answer_of([&] { return along_entry(tangent); });
      if (dual.error != "ForwardNotImplemented") compare("forward mode", recorded, dual);
    }
    if (!recorded.error.empty() || comparer_.failed()) return;
    const std::vector<bool> depends = dependence();
    if (std::isnan(number_)) expect_nan(depends, run.output);
    if (subject_.is_elementwise()) compare_derivatives(run, tangent, depends);
  }

 private:
  variable_list inputs(ArgumentMask active) const {
    return subject_.inputs(active, Placement::Contiguous, &values_);
  }
  /// The argument alone: beside others 0 times NaN would decide.
  ArgumentMask alone() const { return 1u << argument_; }

  void compare(const char* other, const Answer& recorded, const Answer& got) {
    if (recorded.error != got.error)
      return comparer_.fail(
          Verdict::Nonfinite, "error",
          format_message("{}: recording {}, {} {}", {name_, said(recorded), other, said(got)}));
    comparer_.same(format_message("{}: output by {}, at ", {name_, other}), subject_.base().sizes,
                   recorded.output, got.output);
  }
  static std::string said(const Answer& answer) {
    return answer.error.empty() ? "gives numbers" : "raises " + answer.error;
  }

  /// The result as this entry alone moves.
  Numbers along_entry(Numbers& tangent) const {
    namespace forward_ad = autograd::forward_ad;
    const NoGradGuard no_grad;
    const forward_ad::DualLevelGuard level;
    variable_list duals = inputs(0);
    Numbers step(values_[argument_].size(), 0);
    step[entry_] = 1;
    duals[argument_] = forward_ad::make_dual(
        duals[argument_], make_tensor(step, drawn_.arguments[argument_].argument.sizes,
                                      subject_.dtype, subject_.device));
    const auto [primal, moved] = forward_ad::unpack_dual(subject_.drawn.op.call(duals));
    tangent =
        moved.defined() ? numbers_of(moved) : Numbers(static_cast<std::size_t>(primal.numel()), 0);
    return numbers_of(primal);
  }

  WideTensor reference_at(Wide value) const {
    WideList x = subject_.wide();
    x[argument_].values[entry_] = value;
    return subject_.reference(x);
  }

  /// Which results move when the entry as drawn moves a little, either way.
  std::vector<bool> dependence() const {
    const Wide here = subject_.wide()[argument_].values[entry_];
    const Domain& domain = drawn_.arguments[argument_].argument.domain;
    const Wide step = Wide(0x1p-20 * (domain.high - domain.low));
    const WideTensor middle = reference_at(here);
    std::vector<bool> result(middle.values.size(), true);
    for (const Wide& there : {here - step, here + step}) {
      if (there < Wide(domain.low) || there > Wide(domain.high)) continue;
      const WideTensor moved = reference_at(there);
      for (std::size_t o = 0; o < result.size(); ++o)
        result[o] = result[o] && moved.values[o] != middle.values[o];
    }
    return result;
  }

  /// Unless the reference itself says that a NaN chooses another branch.
  void expect_nan(const std::vector<bool>& depends, const Numbers& output) {
    const WideTensor with_nan = reference_at(Wide(kNan));
    for (std::size_t o = 0; o < output.size(); ++o) {
      const Wide& expected = with_nan.values[o];
      const bool is_nan = expected != expected;  // also where nothing but a zero depends on it
      if (!is_nan && (!depends[o] || is_finite(expected))) continue;
      if (!std::isnan(output[o]))
        return comparer_.fail(Verdict::Nonfinite, "lost",
                              format_message("{} does not reach output{}, which is {}",
                                             {name_, coordinates(subject_.base().sizes, o),
                                              number_text(output[o], subject_.dtype)}));
      comparer_.same("NaN", {}, {0}, {0});
    }
  }

  void compare_derivatives(const Run& run, const Numbers& tangent,
                           const std::vector<bool>& depends) {
    const double reverse = run.defined[argument_] ? run.gradients[argument_][entry_] : 0;
    const std::string where = format_message("{}: the derivative", {name_});
    if (subject_.spec.forward_mode) {
      double forward = 0;
      for (std::size_t o = 0; o < tangent.size(); ++o)
        if (tangent[o] != 0) forward += subject_.incoming()[o] * tangent[o];
      if (sort_of(forward) != sort_of(reverse))
        return comparer_.fail(
            Verdict::Nonfinite, "modes",
            format_message("{} is {} in reverse and {} in forward mode",
                           {where, text_of(sort_of(reverse)), text_of(sort_of(forward))}));
    }
    comparer_.same(where, {}, {0}, {0});
    if (!std::isfinite(number_)) return;
    bool outside = false, smooth = true;
    const Wide step = Wide(0x1p-40);
    const WideTensor left = reference_at(Wide(number_) - step),
                     right = reference_at(Wide(number_) + step);
    const WideTensor middle = reference_at(Wide(number_));
    for (std::size_t o = 0; o < run.output.size(); ++o) {
      outside =
          outside || (depends[o] && std::isnan(run.output[o]) && !is_finite(middle.values[o]));
      const Wide steepest = std::max(magnitude(middle.values[o] - left.values[o]),
                                     magnitude(right.values[o] - middle.values[o])) /
                            step;
      smooth = smooth && is_finite(middle.values[o]) && steepest < Wide(1e6);
    }
    if (outside && !std::isnan(reverse))
      comparer_.fail(Verdict::Nonfinite, "outside",
                     format_message("{} is {} though the value is NaN", {where, reverse}));
    else if (smooth && !std::isfinite(reverse))
      comparer_.fail(Verdict::Nonfinite, "smooth",
                     format_message("{} is {} though the function is smooth", {where, reverse}));
  }

  const Subject& subject_;
  const std::size_t argument_, entry_;
  const double number_;
  Comparer& comparer_;
  DrawnCase drawn_;
  std::vector<Numbers> values_;
  std::string name_;
};

}  // namespace

Outcome check_nonfinite(const Subject& subject) {
  constexpr uint32_t kStream = 1 << 26;
  Comparer comparer(subject);
  for (std::size_t a : subject.real_arguments()) {
    const DrawnArgument& one = subject.drawn.arguments[a];
    if (one.values.empty()) continue;
    const std::size_t entry = keyed_bits(subject.drawn.key, kStream, a) % one.values.size();
    const Domain& domain = one.argument.domain;
    for (double number : {kNan, kInfinity, -kInfinity, domain.low - 0.75, domain.high + 0.75})
      Spoiled(subject, a, entry, number, comparer).check();
    // A NaN is lost at some entries and not at others: where a factor is 0, in the last ones of a
    // register.
    const std::size_t others = std::min<std::size_t>(one.values.size(), 8);
    for (std::size_t i = 1; i < others; ++i)
      Spoiled(subject, a, (entry + i * one.values.size() / others) % one.values.size(), kNan,
              comparer)
          .check();
  }
  return comparer.finish("value", "ways of calling disagree about numbers that are not finite");
}

}  // namespace notape::verify
