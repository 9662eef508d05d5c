#include "ops/random/overwrite.h"

#include "autograd/batching/vmap_scope.h"
#include "autograd/graph/record.h"
#include "autograd/tensor/factories.h"
#include "ops/core/overwritten.h"
#include "ops/elementwise/compute.h"

namespace notape {
namespace {

constexpr auto kOverwriteDerivative = derivative(
    "RandomBackward0", rule([](const Tensor& grad) { return gradient_of_overwritten(grad); },
                            [](const Tensor& tangent) { return zeros_like(tangent); }));

}  // namespace

void check_to_overwrite(const Operation& op, const Tensor& self) {
  if (!self.defined()) op.fail<UndefinedTensor>("the tensor is undefined");
  check_write(op, self, {});
  for (const VmapScope* call = thread_state.vmap; call; call = call->outer())
    if (call->randomness() == Randomness::Different &&
        !without({call->level()}, levels_of(self)).empty())
      op.fail<BatchingNotImplemented>(
          "vmap: a tensor of size {} that is the same for all samples cannot be filled with "
          "numbers "
          "that are drawn for each of them",
          to_string(self.sizes()));
}

void check_floating(const Operation& op, const Tensor& tensor) {
  if (!tensor.is_floating_point())
    op.fail<DtypeError>("not implemented for {}", name_of(tensor.dtype()));
}

Tensor& overwrite_with(const Operation& op, Tensor& self, const Tensor& drawn) {
  check_result_fits(op, self, self.dtype(), {&drawn});
  if (is_batched(drawn)) [[unlikely]]
    check_write(op, self, {&drawn});
  write_in_place(
      kOverwriteDerivative, op, self, [&] { raw_copy(self, drawn); }, NoParameters{}, self);
  if (thread_state.forward_call) [[unlikely]]
    detail::note_forward_write(self, /*keeps_old=*/false, /*loses=*/false);
  return self;
}

Tensor& overwrite_drawn(const Operation& op, Tensor& self, const RandomElements& elements) {
  return overwrite_with(op, self,
                        draw_elements(op, self.sizes(), self.dtype(), self.device(), elements));
}

}  // namespace notape
