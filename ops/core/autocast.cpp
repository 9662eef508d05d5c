#include "ops/core/autocast.h"

#include <algorithm>
#include <string_view>

#include "autograd/modes/thread_state.h"
#include "ops/core/promotion.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// In order.
constexpr std::string_view kKeptInFloat32[] = {"acos",       "asin",        "cosh",
                                               "cumprod",    "cumsum",      "erfinv",
                                               "exp",        "expm1",       "linalg_vector_norm",
                                               "log",        "log10",       "log1p",
                                               "log2",       "log_softmax", "logsumexp",
                                               "mse_loss",   "pow",         "prod",
                                               "reciprocal", "rsqrt",       "sinh",
                                               "softmax",    "softplus",    "sum",
                                               "tan"};

}  // namespace

namespace detail {

bool autocasts_on(const Tensor& operand) {
  return operand.defined() && autocast::is_autocast_enabled(operand.device().of_samples().type);
}

ScalarType low_type_of(const Tensor& operand) {
  return autocast::get_autocast_dtype(operand.device().of_samples().type);
}

ScalarType widest_of(std::initializer_list<const Tensor*> operands) {
  ScalarType type = kFloat16;
  bool is_first = true;
  for (const Tensor* operand : operands) {
    if (!operand->defined() || !operand->is_floating_point()) continue;
    type = is_first ? operand->dtype() : promote_types(type, operand->dtype());
    is_first = false;
  }
  return type;
}

Autocast::Autocast(ScalarType to, const Tensor& first, At at)
    : to_(to), device_(first.device().of_samples().type), at_(at) {
  autocast_state.is_on = false;
}

Tensor Autocast::operator()(const Tensor& operand) const {
  const bool is_cast = operand.defined() && operand.is_floating_point() &&
                       operand.dtype() != kFloat64 && operand.dtype() != to_ &&
                       operand.device().of_samples().type == device_;
  if (!is_cast) return operand;
  const bool is_kept = autocast_state.is_cache_enabled && is_reduced_floating_point(to_) &&
                       operand.is_leaf() && operand.requires_grad() && !operand.is_view() &&
                       autocast_state.scopes > 0 && thread_state.forward_levels == 0 &&
                       !thread_state.inference_mode;
  if (!is_kept) return to(operand, to_, at_);
  if (const Tensor* kept = autocast::find_cast(operand, to_)) return *kept;
  const Tensor cast = to(operand, to_, at_);
  autocast::keep_cast(operand, cast);
  return cast;
}

TensorList Autocast::operator()(const TensorList& operands) const {
  TensorList result;
  for (const Tensor& operand : operands) result.push_back((*this)(operand));
  return result;
}

}  // namespace detail

bool autocast_keeps_float32(const Operation& op, const Tensor& operand) {
  return in_autocast(operand) &&
         std::ranges::binary_search(kKeptInFloat32, std::string_view(op.name));
}

}  // namespace notape
