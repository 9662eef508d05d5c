// resize_(x, size): another size over the same storage, row-major; a larger one moves the values to
// new memory, whose new elements are not set. Counts as a write of everything only if sizes change.
// Who else shows the memory could not come along, and would silently be no alias any more: refused.
#include <algorithm>

#include "autograd/forward/tangent.h"
#include "autograd/graph/in_place.h"
#include "ops/core/allocate.h"
#include "ops/core/batching.h"
#include "ops/core/sizes.h"
#include "ops/shape/check_resize.h"

namespace notape {
namespace {

void check_may_move(const Operation& op, const TensorImpl& tensor, IntArrayRef size) {
  const uint32_t sharers = tensor.storage()->tensors();
  if (sharers == 1) return;
  op.fail<AliasedInPlace>(
      "growing from {} to {} takes new memory, but {} other tensors (aliases, views or their "
      "bases) share the storage and would not come along; use clone() first, or let go of them",
      to_string(tensor.geometry().sizes()), to_string(size), sharers - 1);
}

int64_t elements_in_storage(const Tensor& tensor) {
  return static_cast<int64_t>(tensor.impl().storage()->bytes() / tensor.element_size());
}

}  // namespace

void check_resize(const Operation& op, const Tensor& tensor, IntArrayRef size) {
  if (is_batched(tensor)) refuse_batched(op);
  const TensorImpl& impl = tensor.impl();
  if (tensor.requires_grad())
    op.fail<ResizeRequiresGrad>("cannot resize variables that require grad");
  if (impl.geometry().sizes() == size) return;
  if (!active_levels({&tensor}).empty())
    op.fail<TangentError>("cannot resize a tensor that has a tangent, of size {}, to size {}",
                          to_string(impl.geometry().sizes()), to_string(size));
  check_write(op, tensor, {});
  const Geometry resized = geometry_of(op, size).at_offset(impl.geometry().offset());
  if (resized.storage_end() > elements_in_storage(tensor)) check_may_move(op, impl, size);
}

Tensor& ShapeMembers::resize_(IntArrayRef size, At at) const {
  const Operation op("resize_", at);
  if (!self().defined()) op.fail<UndefinedTensor>("the tensor is undefined");
  check_resize(op, self(), size);
  TensorImpl& impl = self().impl();
  if (impl.geometry().sizes() == size) return self();
  const Geometry resized = Geometry(size).at_offset(impl.geometry().offset());
  const int64_t available = elements_in_storage(self());
  const Geometry everything({available}, {1}, 0);
  const bool moves = resized.storage_end() > available;
  // Before anything changes: it may be too much.
  const Tensor larger = moves ? allocate(size, self().dtype(), self().device()) : Tensor();
  before_write(self());
  impl.storage()->written(everything, static_cast<int64_t>(self().element_size()), op.name, at,
                          writer_of(impl), false);
  if (!moves) {
    impl.mutable_geometry() = resized;
    return self();
  }
  const int64_t kept = std::min(available - impl.geometry().offset(), larger.numel());
  const auto first = [kept](int64_t offset) { return Geometry({kept}, {1}, offset); };
  raw_copy(raw_alias(larger, first(0)), raw_alias(self(), first(impl.geometry().offset())));
  leave_family(impl);
  impl.set_storage(larger.impl().storage(), larger.impl().geometry(), self().dtype());
  return self();
}

}  // namespace notape
