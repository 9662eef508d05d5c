#include "ops/normalization/running.h"

#include "autograd/graph/in_place.h"
#include "autograd/modes/grad_mode.h"
#include "ops/arithmetic.h"
#include "ops/core/promotion.h"
#include "ops/core/refuse_gradient.h"
#include "ops/shape.h"

namespace notape {

void check_channels(const Operation& op, const Tensor& input, const Tensor& weight,
                    const Tensor& bias, const Running& running) {
  check_operands(op, {&input});
  if (input.dim() < 2)
    op.fail<ShapeError>("expected an input of at least 2 dimensions (N, C, ...) but got {}",
                        to_string(input.sizes()));
  const int64_t channels = input.size(1);
  for (const auto& [name, tensor] :
       {std::pair("weight", &weight), std::pair("bias", &bias),
        std::pair("running_mean", &running.mean), std::pair("running_var", &running.variance)}) {
    if (!tensor->defined()) continue;
    check_operands(op, {&input, tensor});
    if (!(tensor->sizes() == IntArrayRef(channels)))
      op.fail<ShapeError>("{} should contain {} elements not {}: its shape is {}", name, channels,
                          tensor->numel(), to_string(tensor->sizes()));
  }
  for (const auto& [name, tensor] :
       {std::pair("running_mean", &running.mean), std::pair("running_var", &running.variance)}) {
    if (!tensor->defined()) continue;
    if (!tensor->is_floating_point())
      op.fail<DtypeError>("{} should be floating but has dtype {}", name, name_of(tensor->dtype()));
    refuse_gradient(op, *tensor, name);
  }
}

void update(const Operation& op, const Running& running, const Tensor& batch_mean,
            const Tensor& batch_variance, int64_t n) {
  const NoGradGuard nothing_recorded;
  const double unbiased = static_cast<double>(n) / static_cast<double>(n - 1);
  const auto moved = [&](const Tensor& before, const Tensor& batch, double factor) {
    if (!before.defined()) return Tensor();
    const Tensor share = to(reshape(batch, before.sizes()), kFloat64) * (running.momentum * factor);
    return to(to(before, kFloat64) * (1 - running.momentum) + share, before.dtype());
  };
  const Tensor mean = moved(running.mean, batch_mean, 1);
  const Tensor variance = moved(running.variance, batch_variance, unbiased);
  for (const Tensor* target : {&running.mean, &running.variance})
    if (target->defined()) check_write(op, *target, {});
  for (auto [target, value] :
       {std::pair(running.mean, mean), std::pair(running.variance, variance)})
    if (target.defined()) copy_(target, value, op.at);
}

bool is_moved_by_kernels(const Running& running, Operands operands) {
  if (thread_state.watched || thread_state.forward_levels != 0) return false;
  if (running.mean.defined() && running.variance.defined() &&
      running.mean.impl().storage() == running.variance.impl().storage())
    return false;
  const auto is_free = [&](const Tensor& target) {
    if (!target.defined()) return true;
    return (target.dtype() == kFloat32 || target.dtype() == kFloat64) && target.is_contiguous() &&
           !target.device().is_batched() && !operands.any([&](const Tensor& operand) {
             return operand.defined() && operand.impl().storage() == target.impl().storage();
           });
  };
  return is_free(running.mean) && is_free(running.variance);
}

}  // namespace notape
