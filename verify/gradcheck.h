// gradcheck: is the derivative of *this* function right, at *these* inputs? For functions that are
// in no registry. One call checks reverse mode against the slope of the function itself, forward
// mode against reverse, second order, memory layouts, every subset of inputs that require grad,
// repeated backward, and that nothing is recorded without need.
//
//   const auto report = verify::check([](const Tensor& x) { return x * sigmoid(x); }, {x});
//   if (!report.ok()) std::cerr << report.text();
//
// In GoogleTest, verify/gtest.h says the same as EXPECT_DERIVATIVE(f, x).
#pragma once
#include "autograd/language.h"  // first

#include <concepts>
#include <memory>
#include <optional>
#include <source_location>
#include <string_view>

#include "autograd/error.h"
#include "ops/spec/plain.h"
#include "verify/verdict.h"

namespace notape::verify {

struct Certificate;

/// Any function of a list of tensors.
using TensorFunction = std::function<variable_list(const variable_list&)>;

/// Throws ValueError, naming the option, unless that holds.
void require_option(bool holds, const char* option, double value);
/// x[i]. Throws ValueError unless x has the `count` tensors that the function takes.
const Tensor& input_of(const variable_list& x, std::size_t i, std::size_t count);

/// Adapts what takes tensors one by one or as a list, and returns one or several.
template <typename F>
TensorFunction tensor_function(F f) {
  const auto list = [](auto&& result) -> variable_list {
    if constexpr (std::convertible_to<decltype(result), Tensor>)
      return {result};
    else
      return variable_list(result.begin(), result.end());
  };
  if constexpr (std::invocable<const F&, const variable_list&>)
    return [=](const variable_list& x) { return list(f(x)); };
  else if constexpr (std::invocable<const F&, const Tensor&>)
    return [=](const variable_list& x) { return list(f(input_of(x, 0, 1))); };
  else if constexpr (std::invocable<const F&, const Tensor&, const Tensor&>)
    return [=](const variable_list& x) { return list(f(input_of(x, 0, 2), input_of(x, 1, 2))); };
  else if constexpr (std::invocable<const F&, const Tensor&, const Tensor&, const Tensor&>)
    return [=](const variable_list& x) {
      return list(f(input_of(x, 0, 3), input_of(x, 1, 3), input_of(x, 2, 3)));
    };
  else
    static_assert(std::invocable<const F&, const variable_list&>,
                  "a function of one to three tensors or of a list of them is wanted");
}

struct CheckOptions {
  std::string name = "function";
  /// Where entries of the inputs may lie, for points near them; as far as they reach by default.
  std::optional<Domain> domain = {};
  int order = 2;             ///< how often it can be differentiated; judged up to the third order
  bool forward_mode = true;  ///< whether to check forward mode
  int samples = 4;           ///< directions, incoming gradients and layouts to try
  uint64_t seed = 1;
  bool fail_fast = false;  ///< stop at the first check that fails
  /// Overrides of the tolerance, which is derived by default: errors up to
  /// atol + rtol |derivative| pass, too. Printed in every report.
  double atol = 0, rtol = 0;
  std::vector<std::string_view> left_out = {};  ///< names of checks that are not asked for
  bool evidence = false;  ///< keep the weakest case of every check, for pictures
  /// The same function for any kind of number, if there is one (ops/spec/plain.h): the value is
  /// judged, too, the numeric side is exact, and kinks are found by following comparisons. One for
  /// 113-bit numbers alone does the first two.
  Reference reference = {};
  /// For a backward that is no derivative (straight-through estimators, quantisation): from all
  /// inputs and the incoming gradients, in float64, what the gradient of each input has to be. The
  /// gradient is then judged by it, and not by differences.
  std::function<variable_list(const variable_list& inputs, const variable_list& incoming)>
      surrogate = {};
  /// Equal calls may differ by what another order makes of sums of so many terms (atomic adds).
  int64_t atomic_terms = 0;
};

/// What one check found.
struct Finding {
  std::string check;  ///< "reverse", "forward-mode", "second-order", "layouts", ...
  Verdict verdict = Verdict::Pass;
  std::string detail = {};  ///< why it is no PASS
  int64_t comparisons = 0;
  double detectable = 0;  ///< the largest relative error that could have passed
  /// Entries of the gradient that could not be decided, in words; empty if there are none.
  std::string undecided = {};
  double slope = 0;  ///< the largest slope that those, or zeros, could have had unseen
  /// Entries that count as 0, as their slope is far below the steepest nearby; in words, too.
  std::string near_zero = {};
  std::string text = {};  ///< if it is no PASS: the input, the entry, both values, who is to blame
};

struct Report {
  std::string name;  ///< of the function
  std::vector<Finding> findings = {};
  std::string note = {};  ///< what was lost or overridden
  /// All that is known (verify/runner/certificate.h), ready for the writers of reports.
  std::shared_ptr<const std::vector<Certificate>> certificates = {};
  uint64_t seed = 1;  ///< what they were drawn from, and how many cases
  int samples = 0;

  /// The worst one; VACUOUS if there are none.
  Verdict verdict() const;
  /// Nothing is wrong and nothing is undecided.
  bool ok() const { return verdict() < Verdict::Unresolved; }
  /// ok(), no check was left out because the function does not go so far, and no entry is
  /// undecided.
  bool proven() const;
  /// The largest relative error that could have passed unseen in any entry, over the checks of
  /// derivatives; infinite if one of them failed or left an entry undecided.
  double detectable() const;
  /// For people: one line if all is well, else what is wrong, where, and by how much.
  std::string text() const;
  /// All certificates as a file, by the ending of its name: .jsonl (for `notape verify explain` and
  /// `diff`), .xml (JUnit), .sarif, .md, or .html, a page with pictures. Throws ValueError for
  /// another ending, and FileError.
  void write(const std::string& path) const;
  /// Only the checks of this name.
  Report only(std::string_view check) const;
};

/// Checks `f` at `inputs`, of which those that require grad are differentiated; the others are
/// constants. The values differenced are those of f on float64 tensors, constants included, even if
/// the inputs are float32. Hooks on the inputs run once, and one that changes a gradient is a FAIL;
/// post-accumulate hooks do not run. Throws ValueError if no input requires grad, if those that do
/// are of several dtypes, or if f returns nothing differentiable, and what f throws when called
/// plainly.
Report check(const TensorFunction& f, const variable_list& inputs, const CheckOptions& options = {},
             std::source_location at = std::source_location::current());
template <typename F>
requires(!std::same_as<F, TensorFunction>) Report
    check(F f, const variable_list& inputs, const CheckOptions& options = {},
          std::source_location at = std::source_location::current()) {
  return check(tensor_function(std::move(f)), inputs, options, at);
}

/// Whether `f` has a kink at `point`, a tensor of one entry, and `convention` for its derivative
/// there: KINK if so, else FAIL. A convention outside of the slopes of both sides is wrong, too.
Report check_kink(const TensorFunction& f, const Tensor& point, double convention);
template <typename F>
requires(!std::same_as<F, TensorFunction>) Report
    check_kink(F f, const Tensor& point, double convention) {
  return check_kink(tensor_function(std::move(f)), point, convention);
}

/// The parameters of torch.autograd.gradcheck that have a meaning here. `eps`, `nondet_tol` and
/// `fast_mode` have none: steps follow the function's own noise, equal calls must give equal bits,
/// and all entries are tried at once, with signs that let none hide.
struct GradcheckOptions {
  double atol = 0, rtol = 0;  ///< wider than the derived tolerance, if set
  bool raise_exception = true;
  bool check_forward_ad = false;
  bool check_grad_grad = false;
};
/// As torch.autograd.gradcheck: true if the derivative is right; else, and if that cannot be
/// decided, throws GradcheckError, or returns false if `raise_exception` is off.
bool gradcheck(const TensorFunction& f, const variable_list& inputs,
               const GradcheckOptions& options = {},
               std::source_location at = std::source_location::current());
/// As torch.autograd.gradgradcheck: gradcheck with second order.
bool gradgradcheck(const TensorFunction& f, const variable_list& inputs,
                   GradcheckOptions options = {},
                   std::source_location at = std::source_location::current());
template <typename F>
requires(!std::same_as<F, TensorFunction>) bool gradcheck(
    F f, const variable_list& inputs, const GradcheckOptions& options = {},
    std::source_location at = std::source_location::current()) {
  return gradcheck(tensor_function(std::move(f)), inputs, options, at);
}
template <typename F>
requires(!std::same_as<F, TensorFunction>) bool gradgradcheck(
    F f, const variable_list& inputs, const GradcheckOptions& options = {},
    std::source_location at = std::source_location::current()) {
  return gradgradcheck(tensor_function(std::move(f)), inputs, options, at);
}

/// A wrong derivative, with the report as its message.
struct GradcheckError : ErrorOf<"GradcheckError"> {
  using ErrorOf::ErrorOf;
};

}  // namespace notape::verify
