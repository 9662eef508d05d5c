#include "verify/functions/function_row.h"

#include <algorithm>
#include <cmath>

#include "autograd/modes/grad_mode.h"
#include "ops/shape.h"
#include "ops/spec/joined_results.h"
#include "verify/generate/layout.h"
#include "verify/plugin/declared_call.h"

namespace notape::verify {
namespace {

/// As far as the inputs reach, or a little further, so that points near them can be tried.
Domain reach_of(std::vector<double> values, bool further) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (!further) return {.low = *low, .high = *high};
  const double margin = std::max({0x1p-6 * (*high - *low), 0x1p-10 * std::abs(*low),
                                  0x1p-10 * std::abs(*high), *low == *high ? 0x1p-20 : 0.0});
  // Not across zero, where many domains end.
  const double below = *low > 0 ? std::max(*low - margin, *low / 2) : *low - margin;
  const double above = *high < 0 ? std::min(*high + margin, *high / 2) : *high + margin;
  return {.low = below, .high = above};
}

}  // namespace

FunctionRow::FunctionRow(TensorFunction f, const variable_list& inputs, CheckOptions options,
                         std::source_location at)
    : f_(std::move(f)), options_(std::move(options)), constants_(inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined() || !inputs[i].requires_grad()) continue;
    std::vector<double> values = numbers_of(inputs[i].detach());
    active_.push_back(i);
    arguments_.push_back({.sizes = inputs[i].sizes().vec(),
                          .domain = options_.domain.value_or(reach_of(values, true)),
                          .fixed = std::move(values)});
    if (active_.size() > 1 && inputs[i].dtype() != dtype_)
      throw ValueError("the inputs that require grad are {} and {}: cast them to one dtype",
                       name_of(dtype_), name_of(inputs[i].dtype()));
    dtype_ = inputs[i].dtype();
    device_ = inputs[i].device();
    constants_[i] = Tensor();
  }
  if (active_.empty())
    throw ValueError(
        "check: none of the inputs of {} requires grad: call requires_grad_(true) on those that it "
        "is to be differentiated by",
        options_.name);
  // A domain may end right after an input.
  if (!options_.domain && !is_finite_at_ends())
    for (Argument& argument : arguments_) argument.domain = reach_of(*argument.fixed, false);
  spec_.name = options_.name.c_str();
  spec_.family = "function";
  spec_.order = options_.order;
  spec_.at = at;
  spec_.forward_mode = options_.forward_mode;
  spec_.draw = [this](Draw&) { return one_case(); };
}

bool FunctionRow::is_finite_at_ends() const {
  const NoGradGuard no_grad;
  const auto finite = [&](bool at_ends) {
    variable_list x;
    for (const Argument& argument : arguments_) {
      std::vector<double> values = *argument.fixed;
      const Domain& domain = argument.domain;
      for (double& value : values)
        if (at_ends && std::isfinite(value))
          value = value - domain.low < domain.high - value ? domain.low : domain.high;
      x.push_back(make_tensor(values, argument.sizes, dtype_, device_));
    }
    const std::vector<double> y = numbers_of(call(x));
    return std::all_of(y.begin(), y.end(), [](double one) { return std::isfinite(one); });
  };
  try {
    return finite(true) || !finite(false);
  } catch (const std::exception&) {
    return false;
  }
}

OpCase FunctionRow::one_case() const {
  OpCase one;
  one.arguments = arguments_;
  const auto plainly = [this](const variable_list& x) { return call(x); };
  one.call = plainly;
  if (options_.surrogate || options_.atomic_terms > 0)
    one.call = DeclaredCall{
        .call = plainly,
        .surrogate = options_.surrogate
                         ? [this](const variable_list& x,
                                  const Tensor& incoming) { return surrogate(x, incoming); }
                         : Surrogate(),
        .atomic_terms = options_.atomic_terms};
  one.reference = reference_of_arguments();
  one.atol = options_.atol;
  one.rtol = options_.rtol;
  return one;
}

/// Constants grow with the inputs: where those have been made longer, copy by copy, along a
/// dimension, so is a constant that has the same size there.
void FunctionRow::grow_constants(variable_list& constants,
                                 const std::vector<std::vector<int64_t>>& sizes) const {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::vector<int64_t>& own = arguments_[i].sizes;
    if (sizes[i].size() != own.size()) continue;
    const auto dims = static_cast<int64_t>(own.size());
    for (int64_t d = 0; d < dims; ++d) {
      const int64_t before = own[static_cast<std::size_t>(d)],
                    after = sizes[i][static_cast<std::size_t>(d)];
      if (before == after || before == 0) continue;
      std::vector<double> index;
      for (int64_t row = 0; row < after; ++row) index.push_back(static_cast<double>(row % before));
      const Tensor rows = make_tensor(index, {after}, kInt64);
      for (Tensor& constant : constants) {
        if (!constant.defined()) continue;
        const int64_t from_last = constant.dim() - (dims - d);
        for (int64_t place : {d, from_last})
          if (place >= 0 && place < constant.dim() && constant.size(place) == before) {
            constant = constant.index_select(place, rows);
            break;
          }
      }
      return;
    }
  }
}

variable_list FunctionRow::constants_beside(const std::vector<std::vector<int64_t>>& sizes,
                                            ScalarType dtype) const {
  variable_list constants = constants_;
  grow_constants(constants, sizes);
  for (Tensor& constant : constants)
    if (constant.defined() && constant.is_floating_point()) constant = constant.to(dtype);
  return constants;
}

Reference FunctionRow::reference_of_arguments() const {
  const Reference& given = options_.reference;
  if (!given || active_.size() == constants_.size()) return given;
  const auto with_constants = [this]<typename T>(const PlainList<T>& x) {
    std::vector<std::vector<int64_t>> sizes;
    for (const PlainTensor<T>& one : x) sizes.push_back(one.sizes);
    PlainList<T> all;
    for (const Tensor& constant : constants_beside(sizes, dtype_)) {
      PlainTensor<T>& plain = all.emplace_back();
      if (!constant.defined()) continue;
      plain.sizes = constant.sizes().vec();
      for (const double value : numbers_of(constant.detach().clone()))
        plain.values.push_back(T(value));
    }
    for (std::size_t i = 0; i < active_.size(); ++i) all[active_[i]] = x[i];
    return options_.reference(all);
  };
  Reference reference;
  if (given.has_dual())
    reference = with_constants;
  else
    reference = [with_constants](const WideList& x) { return with_constants(x); };
  reference.is_elementwise = given.is_elementwise;
  return reference;
}

variable_list FunctionRow::inputs_around(const variable_list& x) const {
  std::vector<std::vector<int64_t>> sizes;
  for (const Tensor& one : x) sizes.push_back(one.sizes().vec());
  variable_list all = constants_beside(sizes, x[0].dtype());
  for (std::size_t i = 0; i < active_.size(); ++i) all[active_[i]] = x[i];
  return all;
}

Tensor FunctionRow::call(const variable_list& x) const {
  return joined_results(f_(inputs_around(x)));
}

variable_list FunctionRow::surrogate(const variable_list& x, const Tensor& incoming) const {
  const NoGradGuard no_grad;
  const variable_list all = inputs_around(x);
  variable_list pieces;
  int64_t from = 0;
  for (const Tensor& y : f_(all)) {
    if (!y.defined() || !y.is_floating_point()) continue;
    pieces.push_back(incoming.reshape({-1}).narrow(0, from, y.numel()).reshape(y.sizes()));
    from += y.numel();
  }
  const variable_list found = options_.surrogate(all, pieces);
  if (found.size() != all.size())
    throw ValueError("the surrogate of {} gives {} gradients for {} inputs", options_.name,
                     found.size(), all.size());
  variable_list result;
  for (const std::size_t i : active_) result.push_back(found[i]);
  return result;
}

}  // namespace notape::verify
