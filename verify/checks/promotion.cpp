// promotion: one argument of another type than the rest, float64, int64 or bool beside float32. If
// the operator takes it, the result has the type that LibTorch's rule gives, the value and the
// gradients are those with explicit casts, and a gradient has the type of its argument.
#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "verify/checks/comparer.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// bool < integer < floating
int category(ScalarType type) { return type == kBool ? 0 : is_floating_point(type) ? 2 : 1; }

/// LibTorch's rule: the widest type among tensors with dimensions, unless 0-d ones have a higher
/// category. The enumeration goes from narrow to wide within a category.
ScalarType promoted(const Subject& subject, const variable_list& inputs) {
  std::optional<ScalarType> dimensioned, zero_dim;
  for (std::size_t a : subject.real_arguments()) {
    auto& widest = inputs[a].dim() == 0 ? zero_dim : dimensioned;
    const ScalarType type = inputs[a].dtype();
    if (!widest || category(type) > category(*widest) ||
        (category(type) == category(*widest) && element_size(type) > element_size(*widest)))
      widest = type;
  }
  if (!dimensioned) return *zero_dim;
  return zero_dim && category(*zero_dim) > category(*dimensioned) ? *zero_dim : *dimensioned;
}

/// What writes into its first argument has that one's type, whatever is written. (LibTorch's
/// index_put_ refuses other types.)
bool keeps_first_type(const OpSpec& spec) { return has_trait(spec.traits, Trait::Overwrites); }

variable_list inputs_with(const Subject& subject, std::size_t other, ScalarType type) {
  std::vector<Numbers> values = values_of(subject.drawn);
  if (type == kBool)
    for (double& value : values[other]) value = value != 0;
  else if (type == kInt64)
    for (double& value : values[other]) value = std::round(value);
  variable_list inputs = subject.inputs(kAllArguments, Placement::Contiguous, &values);
  const DrawnArgument& one = subject.drawn.arguments[other];
  inputs[other] = make_tensor(values[other], one.argument.sizes, type, subject.device);
  if (is_floating_point(type)) inputs[other].requires_grad_(true);
  return inputs;
}

Tensor weights(const Subject& subject, const Tensor& output) {
  return make_tensor(subject.incoming(), output.sizes().vec(), output.dtype(), subject.device);
}

class Mixture {
 public:
  Mixture(const Subject& subject, std::size_t other, ScalarType type, Comparer& comparer)
      : subject_(subject),
        comparer_(comparer),
        inputs_(inputs_with(subject, other, type)),
        wanted_(keeps_first_type(subject.spec) ? inputs_[subject.real_arguments()[0]].dtype()
                                               : promoted(subject, inputs_)),
        name_(format_message("with {} as argument {}", {name_of(type), other})) {}

  void check() const {
    Tensor output;
    try {
      output = subject_.drawn.op.call(inputs_);
    } catch (const Error&) {
      comparer_.same("refused", {}, {0}, {0});
      return;
    }
    if (!output.is_floating_point()) return;
    if (output.dtype() != wanted_)
      return comparer_.fail(Verdict::Fail, "dtype",
                            format_message("the result is {} instead of {} {}",
                                           {name_of(output.dtype()), name_of(wanted_), name_}));
    variable_list casts = inputs_;
    for (std::size_t a : subject_.real_arguments()) casts[a] = inputs_[a].to(wanted_);
    const Tensor expected = subject_.drawn.op.call(casts);
    comparer_.same("output " + name_ + ", at ", expected.sizes().vec(), numbers_of(expected),
                   numbers_of(output));
    if (output.requires_grad()) compare_gradients(expected, output);
    if (output.requires_grad() && subject_.spec.forward_mode) check_tangent();
  }

 private:
  void compare_gradients(const Tensor& expected, const Tensor& output) const {
    variable_list active;
    std::vector<std::size_t> which;
    for (std::size_t a : subject_.real_arguments()) {
      if (!inputs_[a].requires_grad()) continue;
      active.push_back(inputs_[a]);
      which.push_back(a);
    }
    const Tensor v = weights(subject_, output);
    const auto wanted = autograd::grad({expected}, active, {v}, false, false, true);
    const auto got = autograd::grad({output}, active, {v}, false, false, true);
    for (std::size_t i = 0; i < active.size(); ++i) {
      const std::string where = format_message("gradient of argument {} {}", {which[i], name_});
      if (got[i].defined() != wanted[i].defined())
        return comparer_.fail(Verdict::Fail, "defined", "whether there is a " + where + " differs");
      if (!got[i].defined()) continue;
      if (got[i].dtype() != active[i].dtype())
        return comparer_.fail(
            Verdict::Fail, "dtype",
            format_message("the {} is {} instead of {}",
                           {where, name_of(got[i].dtype()), name_of(active[i].dtype())}));
      compare(where + ", at ", active[i], numbers_of(wanted[i]), numbers_of(got[i]));
    }
  }

  /// A formula may multiply two float32 factors before it meets the other type.
  void compare(const std::string& where, const Tensor& leaf, const Numbers& expected,
               const Numbers& got) const {
    double largest = 0;
    for (double one : expected)
      if (std::isfinite(one)) largest = std::max(largest, std::abs(one));
    const double radius = rounding_factor(kFloat32) * epsilon_of(kFloat32) * largest;
    for (std::size_t i = 0; i < expected.size(); ++i)
      comparer_.within(where, leaf.sizes().vec(), i, Wide(expected[i]), got[i], Wide(radius),
                       Wide(largest));
  }

  void check_tangent() const {
    namespace forward_ad = autograd::forward_ad;
    const NoGradGuard no_grad;
    const forward_ad::DualLevelGuard level;
    variable_list duals = inputs_;
    for (std::size_t a : subject_.real_arguments()) {
      if (!inputs_[a].requires_grad()) continue;
      const Tensor moved = inputs_[a].detach();
      duals[a] = forward_ad::make_dual(moved, ones_like(moved));
    }
    const auto [primal, tangent] = forward_ad::unpack_dual(subject_.drawn.op.call(duals));
    if (tangent.defined() && tangent.dtype() != primal.dtype())
      comparer_.fail(Verdict::Fail, "dtype",
                     format_message("the tangent is {}, the result {} {}",
                                    {name_of(tangent.dtype()), name_of(primal.dtype()), name_}));
  }

  const Subject& subject_;
  Comparer& comparer_;
  const variable_list inputs_;
  const ScalarType wanted_;
  const std::string name_;
};

}  // namespace

bool can_be_mixed(const Subject& subject) {
  return subject.dtype != kFloat64 && subject.real_arguments().size() >= 2;
}

Outcome check_promotion(const Subject& subject) {
  Comparer comparer(subject);
  for (std::size_t other : subject.real_arguments())
    for (ScalarType type : {kFloat64, kInt64, kBool})
      Mixture(subject, other, type, comparer).check();
  comparer.same("mixed", {}, {0}, {0});  // integer results say nothing
  return comparer.finish("promotion", "mixed types do not give what explicit casts give");
}

}  // namespace notape::verify
