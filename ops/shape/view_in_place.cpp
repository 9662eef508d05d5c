// In-place view operators: they change what a tensor shows, not what the memory holds, so versions
// and saved values are untouched.
#include "autograd/graph/accumulate_grad.h"
#include "autograd/modes/grad_mode.h"
#include "autograd/tensor/covers.h"
#include "autograd/tensor/tensor_extra.h"
#include "ops/shape/view_op.h"

namespace notape {

Tensor& become(const Operation& op, Tensor& self, const std::function<Tensor()>& view) {
  check_geometry_change(op, self);
  // What the tensor shows changes for its history, too, whatever the mode: a gradient of the new
  // shape must find its way back to the old one.
  const AutoGradMode recording(thread_state.grad_mode || self.impl().history());
  const Tensor result = view();
  if (result.impl().geometry() == self.impl().geometry()) return self;
  // What shows the tangent of another tensor will do so through its new window.
  std::vector<std::pair<uint64_t, Tensor>> tangents;
  for (uint64_t level : active_levels({&self}))
    if (owns_tangent(self, level)) tangents.emplace_back(level, tangent_of(result, level));
  TensorImpl &target = self.impl(), &source = result.impl();
  if (!self.is_view() && !covers(source.geometry(), target.geometry()))
    target.make_extra().lost_cells = true;
  target.mutable_geometry() = source.geometry();
  if (source.history()) {
    replace_history(target, source.history(), source.output_nr());
  } else {
    renew_accumulator(target);  // gradients of earlier graphs have the old shape
  }
  for (auto& [level, tangent] : tangents) set_tangent(self, level, std::move(tangent));
  return self;
}

}  // namespace notape
