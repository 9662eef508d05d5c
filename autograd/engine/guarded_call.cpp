#include "autograd/engine/guarded_call.h"

#include "autograd/error.h"
#include "autograd/tensor/core_operators.h"

namespace notape {

void GuardedCall::keep_for_hooks(const Tensor* gradients) {
  gradients_.assign(gradients, gradients + node_.num_inputs());
  for (Tensor& gradient : gradients_) gradient = ordinary(std::move(gradient));
}

void GuardedCall::check_for_nan() const {
  const auto check = [&](std::size_t i, const Tensor& result) {
    if (result.defined() && core_operators->has_nan(result))
      throw NonFiniteGradient("Function '{}' returned nan values in its {}th output.", node_.name(),
                              i);
  };
  for (const Region& region : sink_.regions) check(0, region.value);
  for (std::size_t i = 0; i < node_.num_edges(); ++i) check(i, results_[i]);
}

void GuardedCall::failed() {
  sink_.regions.clear();
  if (thread_state.anomaly != Anomaly::Off) say_where_recorded(node_);
  if (observer_) observer_->node_end(node_);
}

}  // namespace notape
