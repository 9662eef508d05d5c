#include "autograd/forward/tangent.h"

#include <algorithm>

#include "autograd/graph/history.h"
#include "autograd/graph/vector_space.h"
#include "autograd/tensor/tensor_extra.h"

namespace notape {

Tensor tangent_of(const Tensor& tensor, uint64_t level) {
  if (!tensor.defined() || !tensor.impl().has(TensorImpl::kTangent)) return {};
  for (const Tangent& tangent : tensor.impl().extra()->tangents)
    if (tangent.level == level) return tangent.value;
  return {};
}

void set_tangent(const Tensor& tensor, uint64_t level, Tensor tangent) {
  TensorImpl& impl = tensor.impl();
  if (tangent.defined()) {
    if (!(tangent.sizes() == tensor.sizes()))
      throw TangentError(
          "Trying to set a forward gradient that has a different size than that of the original "
          "Tensor: {} instead of {}",
          to_string(tangent.sizes()), to_string(tensor.sizes()));
    if (tangent.dtype() != tensor.dtype() || tangent.device() != tensor.device())
      throw TangentError("the tangent is {} on {}, but the tensor is {} on {}",
                         name_of(tangent.dtype()), to_string(tangent.device()),
                         name_of(tensor.dtype()), to_string(tensor.device()));
  }
  auto& tangents = impl.make_extra().tangents;
  const auto place = std::lower_bound(tangents.begin(), tangents.end(), level,
                                      [](const Tangent& t, uint64_t l) { return t.level < l; });
  const bool present = place != tangents.end() && place->level == level;
  if (!tangent.defined()) {
    if (present) tangents.erase(place);
  } else if (present) {
    place->value = std::move(tangent);
  } else {
    tangents.insert(place, {level, std::move(tangent)});
  }
  impl.set(TensorImpl::kTangent, !tangents.empty());
}

void write_tangent(const Tensor& target, uint64_t level, Tensor tangent) {
  TensorImpl& impl = target.impl();
  if (impl.has(TensorImpl::kView)) {
    const Tensor base(Ref<TensorImpl>(impl.extra()->base));
    Tensor before = tangent_of(base, level);
    if (!before.defined()) {
      if (!tangent.defined()) return;
      before = vector_space->zeros(base.sizes(), base.dtype(), base.device());
    }
    set_tangent(
        base, level,
        vector_space->replace_window(before, base.impl().geometry(), impl.geometry(), tangent));
  }
  set_tangent(target, level, std::move(tangent));
}

std::vector<uint64_t> active_levels(std::initializer_list<const Tensor*> operands) {
  std::vector<uint64_t> levels;
  for (const Tensor* operand : operands) {
    if (!operand->defined() || !operand->impl().has(TensorImpl::kTangent)) continue;
    for (const Tangent& tangent : operand->impl().extra()->tangents)
      if (tangent.level < thread_state.forward_level_limit) levels.push_back(tangent.level);
  }
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

}  // namespace notape
